"""What a push and a pull cost beside the refs of many other machines: in bytes that cross the wire,
which do not depend on how busy this one is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.remotes import Crossed, Wire, counting, fill

from hermes_checkpoints import Checkpoints
from remote.conftest import Configure
from remote.servers import bare

CURSOR = 500
"""The most bytes of a cursor of somebody else that a pull of one project receives: its commit, and
the line that names it."""
REF = 130
"""The most bytes that a push is told of a ref of somebody else."""
MUCH = 4_000
"""The most by which what crosses may differ for other reasons."""


@dataclass(frozen=True)
class Costs:
    """What crossed for each use, beside so many ``refs`` of others, of which some are cursors."""

    refs: int
    cursors: int
    first: Crossed
    later: Crossed
    one: Crossed
    everything: Crossed


def costs(folder: Path, wire: Wire, configure: Configure, project: Path, others: int) -> Costs:
    """Send two checkpoints of a project to a remote beside those of others; read it elsewhere."""
    remote = bare(folder / "undo.git", ("uploadpack.allowFilter", "true"))
    refs = fill(remote, others)
    configure(wire.url(remote))
    found: list[Crossed] = []
    with Checkpoints.open() as here:
        for text in ("one", "two"):
            (project / "README.md").write_text(text, encoding="utf-8")
            here.project(project).take(text)
            wire.read()
            [result] = here.push()
            assert result.complete
            found.append(wire.read())
    home = folder / "reader"
    home.mkdir()
    (home / "config.yaml").write_bytes((here.home / "config.yaml").read_bytes())
    with Checkpoints.open(home) as reader:
        for named, listed in ((project, 2), (None, others + 2)):
            [pulled] = reader.pull(working_dir=named)
            assert (pulled.error, pulled.listed) == (None, listed)
            found.append(wire.read())
    return Costs(refs, refs - others, *found)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    with counting(tmp_path / "wire") as found:
        yield found


def test_a_push_is_told_of_all_refs_and_a_pull_of_one_project_of_no_others(
    tmp_path: Path, home: Path, configure: Configure, project: Path, wire: Wire
) -> None:
    found = costs(tmp_path, wire, configure, project, 300)
    for push in (found.first, found.later):
        assert 0 < push.sent < MUCH
        assert found.refs * 100 < push.received < found.refs * REF + MUCH
        assert push.calls == 1
    assert 0 < found.one.received < found.cursors * CURSOR + MUCH
    assert found.everything.received > 300 * 100 + found.one.received


@pytest.mark.campaign
def test_beside_10000_refs_a_push_receives_less_than_2_mb_more_and_a_pull_of_one_project_no_more(
    tmp_path: Path, home: Path, configure: Configure, project: Path, wire: Wire
) -> None:
    others = 10_000
    alone, crowded = tmp_path / "alone", tmp_path / "crowded"
    alone.mkdir()
    crowded.mkdir()
    few = costs(alone, wire, configure, project, 0)
    (home / "checkpoints").rename(tmp_path / "former")  # which knows what it has sent
    many = costs(crowded, wire, configure, project, others)
    for push, beside in ((few.first, many.first), (few.later, many.later)):
        assert push.sent > 0
        assert abs(beside.sent - push.sent) < MUCH
        assert many.refs * 100 < beside.received - push.received < many.refs * REF + MUCH
        assert beside.calls == push.calls == 1
    assert many.one.received < few.one.received + many.cursors * CURSOR + MUCH
    assert many.one.calls == few.one.calls == 2
    assert many.everything.received > few.everything.received + others * 100
    assert many.later.received - few.later.received < 2_000_000
