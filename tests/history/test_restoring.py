"""Imported checkpoints come back by default, as the programs that took them did it: nobody could
record who changed what, so that there is nothing to keep a file for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Project
from hermes_checkpoints.agent.rollback import Rollback
from hermes_checkpoints.cli import main
from hermes_checkpoints.model import Action, Actor, Kind, Mode
from support import Run, files

OLD = {"v1": "/home/dev/projects/alpha", "v2": "/home/dev/projects/beta"}
"""A project of each base with several checkpoints; its directory is not on this machine."""


@pytest.fixture(params=["v1", "v2"])
def home(request: pytest.FixtureRequest) -> Path:
    """A home with a base of an earlier version."""
    found: Path = request.getfixturevalue(f"{request.param}_home")
    return found


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Path:
    """The directory of a project of the base, moved here, as its newest checkpoint has it."""
    old = OLD[home.parents[2].name]
    moved = tmp_path / "moved"
    moved.mkdir()
    with Checkpoints.open(home) as checkpoints:
        checkpoints.rebind(old, moved)
        newest = checkpoints.project(moved).list()[0]
        assert newest.kind is Kind.IMPORTED
        for path, (mode, content) in _held(checkpoints.project(moved), newest.id).items():
            (moved / path).parent.mkdir(parents=True, exist_ok=True)
            (moved / path).write_bytes(content)
            (moved / path).chmod(mode)
    return moved


def _held(project: Project, ref: str) -> dict[str, tuple[int, bytes]]:
    """Return the mode and contents of what a restore into an empty directory would write."""
    steps = project.plan_restore(ref, mode=Mode.OVERLAY).of(Action.WRITE)
    return {
        step.path: ((step.mode or 0) & 0o777, project.read_file(ref, step.path)) for step in steps
    }


def edited(project: Path) -> dict[str, tuple[int, bytes]]:
    """Break every file, delete one and make another; return what was there before."""
    before = files(project)
    for name in before:
        (project / name).write_bytes(b"broken\n")
    (project / next(iter(before))).unlink()
    (project / "made since.txt").write_bytes(b"mine\n")
    return before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("by", ["library", "command", "rollback"])
def test_every_captured_file_comes_back_and_what_was_made_since_stays(
    home: Path, project: Path, by: str
) -> None:
    before = edited(project)
    if by == "library":
        with Checkpoints.open(home) as checkpoints:
            done = checkpoints.project(project).restore("latest")
        assert done.done
        reasons = {"changed before any record", "deleted before any record"}
        assert {step.reason for step in done.done} <= reasons
        assert [(s.path, s.reason) for s in done.kept] == [
            ("made since.txt", "no record of who changed it")
        ]
    elif by == "command":
        assert main(["--home", str(home), "restore", "1", "-f", "--dir", str(project)]) == 0
    else:
        reply = Rollback(project, home=home, enabled=True).run("/rollback 1")
        assert reply.text.startswith("✅ Restored to checkpoint ")
    assert files(project) == {**before, "made since.txt": (0o644, b"mine\n")}


@pytest.mark.campaign
def test_an_older_one_comes_back_over_those_after_it(home: Path, project: Path) -> None:
    """What imported checkpoints saw change between them was nobody's edit that is known."""
    edited(project)
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        oldest = here.list()[-1].id
        wanted = _held(here, oldest)
        here.restore(oldest)
        changed = {event.actor for path in wanted for event in here.who(path)}
    assert {name: content for name, (_, content) in files(project).items() if name in wanted} == {
        name: content for name, (_, content) in wanted.items()
    }
    assert Actor.PERSON not in changed


@pytest.mark.campaign
def test_since_the_first_turn_the_record_counts(home: Path, project: Path) -> None:
    """Edits of a person after it stay; what changed before it comes back."""
    names = sorted(files(project))
    (project / names[0]).write_bytes(b"before any record\n")
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        imported = here.list()[0].id
        here.take("before patch", kind=Kind.AUTO, session_id="s1", turn=1)
        (project / "made.txt").write_bytes(b"by the agent\n")
        here.end_turn(session_id="s1")
        (project / "mine.txt").write_bytes(b"by a person\n")
        steps = {s.path: (s.action, s.reason) for s in here.plan_restore(imported).steps}
    assert steps[names[0]] == (Action.WRITE, "changed before any record")
    assert steps["mine.txt"] == (Action.KEEP, "you changed it")
    assert steps["made.txt"][0] is Action.KEEP  # an earlier version wrote down no ignored files


@pytest.mark.campaign
def test_where_only_files_made_since_differ_it_is_said_that_nothing_was_done(
    home: Path, project: Path, run: Run
) -> None:
    (project / "made since.txt").write_bytes(b"mine\n")
    answer = run("--home", home, "restore", "1", "-f", "--dir", project, code=2)
    assert answer.err.endswith(
        "nothing was restored, although files differ; no mode restores what is kept\n"
    )
    reply = Rollback(project, home=home, enabled=True).run("/rollback 1")
    assert (reply.ok, reply.text.splitlines()[-1]) == (False, "No option restores them.")
