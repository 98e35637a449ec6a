"""What the system refuses in the base is told by whoever looks at a working directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Project
from hermes_checkpoints.errors import BaseUnwritable, CheckpointError
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Failed, Kind

LOOKS: dict[str, Callable[[Project], object]] = {
    "take": lambda project: project.take(),
    "begin of a turn": lambda project: project.begin_turn(session_id="another"),
    "end of a turn": lambda project: project.end_turn(session_id="one"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_a_base_that_refuses_a_file_beside_an_index_is_told_as_such(
    home: Path, project: Path, look: Callable[[Project], object]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        entered = checkpoints.project(project)
        entered.take(kind=Kind.AUTO, session_id="one", turn=1)
        (project / "README.md").write_text("other\n")
        layout = Layout.of(home)
        for file in list((layout.store / "indexes").glob("*.excludes")):
            file.unlink()
            file.mkdir()
        assert any(file.is_dir() for file in (layout.store / "indexes").glob("*.excludes"))
        try:
            answer = look(entered)
        except CheckpointError as error:
            assert isinstance(error, BaseUnwritable)
            told = str(error)
        else:
            assert isinstance(answer, Failed)
            told = str(answer.error)
        assert str(layout.base) in told
