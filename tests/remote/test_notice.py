"""What people are told of what should have been sent by itself, and was not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, footprint_notice
from hermes_checkpoints.base.opened import utc_now
from hermes_checkpoints.cli import main
from hermes_checkpoints.layout import project_hash
from remote.conftest import Configure
from remote.servers import bare

KEY = "AKIAQ3EGRT7PZLMK4WXY"


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


def after(checkpoints: Checkpoints, hours: int) -> Checkpoints:
    """Return the same checkpoints when some hours have passed."""
    later = timedelta(hours=hours)
    return Checkpoints(replace(checkpoints._base, now=lambda: utc_now() + later))


def told(checkpoints: Checkpoints, hours: int = 25) -> str | None:
    """Return what is told after some hours, which ``status`` has among its notes."""
    later = after(checkpoints, hours)
    found = later.push_notice()
    notes = later.status().notes
    assert [one for one in notes if "push" in one or "remote" in one] == [found] * bool(found)
    with Checkpoints.open(create=False) as looking:
        assert after(looking, hours).push_notice() == found
        assert looking._base.catalog.asks_directly, "it needs no SQLAlchemy"
    return found


def test_nothing_is_told_where_nothing_is_to_be_sent_by_itself_or_all_is_sent(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    checkpoints.project(project).take()
    assert told(checkpoints) is None
    configure(undo)
    assert told(checkpoints) is None
    configure(undo, push="turn")
    assert told(checkpoints, hours=23) is None
    assert told(checkpoints) is not None
    checkpoints.push()
    assert told(checkpoints) is None


def test_what_is_unsent_for_a_day_is_told_with_the_last_failure_and_what_to_do(
    checkpoints: Checkpoints, project: Path, home: Path, configure: Configure
) -> None:
    configure(f"file://{home}/nowhere.git", push="session")
    taken = checkpoints.project(project).take().checkpoint  # type: ignore[union-attr]
    text = (
        f"1 checkpoint is still not sent to file://{home}/nowhere.git, the oldest since "
        f"{taken.created_at:%Y-%m-%d %H:%M} UTC, although `push: session` is set"
    )
    todo = "; `hermes-checkpoints push --all` sends what can be sent, and says what is wrong"
    found = told(checkpoints)
    assert found is not None
    assert found.replace("hermes checkpoints", "hermes-checkpoints") == text + todo
    checkpoints.push()
    found = told(checkpoints)
    assert found is not None
    assert found.startswith(f"{text} (the last push failed: ")
    assert "does not appear to be a git repository" in found
    assert "\n" not in found


def test_where_each_project_has_a_remote_only_what_its_own_lacks_is_told(
    checkpoints: Checkpoints, project: Path, tmp_path: Path, configure: Configure
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("notes", encoding="utf-8")
    for one in (project, other):
        bare(tmp_path / f"{project_hash(one)}.git")
        checkpoints.project(one).take()
    configure(f"{tmp_path}/{{project}}.git", push="turn")
    found = told(checkpoints)
    assert found is not None
    assert found.startswith("2 checkpoints are still not sent to ")
    checkpoints.push(working_dir=project)
    found = told(checkpoints)
    assert found is not None
    assert found.startswith("1 checkpoint is still not sent to ")
    checkpoints.push()
    assert told(checkpoints) is None


def test_a_checkpoint_that_is_refused_is_told_at_once(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo, push="turn")
    (project / "key.txt").write_text(KEY, encoding="utf-8")
    checkpoints.project(project).take()
    checkpoints.push()
    found = told(checkpoints, hours=0)
    assert found is not None
    assert found.startswith("1 checkpoint is not sent, for what looks like a secret; `")
    assert "push --all --dry-run` names the files" in found
    configure(undo, push="turn", secrets="allow")
    assert told(checkpoints, hours=0) is None


def test_a_configuration_that_is_wrong_is_told_once_with_what_to_do(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    capsys: pytest.CaptureFixture[str],
) -> None:
    checkpoints.project(project).take()
    configure(undo, push="trun")
    found = checkpoints.push_notice()
    assert found is not None
    assert "nothing leaves this machine until this is corrected there: push is none of" in found
    assert footprint_notice(enabled=True) == f"Checkpoints: {found}."
    assert main(["status"]) == 0
    assert "".join(capsys.readouterr().out.split()).count("push is none of".replace(" ", "")) == 1


def test_a_remote_that_is_off_for_where_the_home_lies_is_told(
    checkpoints: Checkpoints, project: Path, home: Path, configure: Configure
) -> None:
    configure(home / "checkpoints/store", push="turn")
    checkpoints.project(project).take()
    found = told(checkpoints, hours=0)
    assert found is not None
    assert found.startswith("nothing is sent by itself: the remote would be the base itself")


def test_neither_a_password_nor_what_moves_a_cursor_is_told(
    checkpoints: Checkpoints, project: Path, configure: Configure
) -> None:
    configure("https://me:tellnobody@127.0.0.1:1/undo.git", push="turn", timeout_seconds=5)
    checkpoints.project(project).take()
    checkpoints.push()
    found = told(checkpoints)
    assert found is not None
    assert "https://127.0.0.1:1/undo.git" in found
    assert "tellnobody" not in found
