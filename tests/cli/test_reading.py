"""Reading creates nothing: who only looks leaves a home without a base exactly as it was."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from hermes_checkpoints import (
    BaseUnwritable,
    CheckpointManager,
    Checkpoints,
    CheckpointStore,
    CheckpointUnknown,
    Failed,
    ProjectUnknown,
    Rollback,
    Sessions,
    clear_all,
    clear_legacy,
    footprint_notice,
    maybe_auto_prune_checkpoints,
    prune_checkpoints,
    store_status,
)
from hermes_checkpoints.cli.program import register_cli
from history.old_bases import extracted
from support import Run, everything

LOOKING = {
    "": 0,
    "status": 0,
    "doctor": 0,
    "doctor --repair -f": 0,
    "list": 0,
    "log": 0,
    "browse": 2,
    "log README.md": 2,
    "find *.md": 2,
    "find --all-projects": 0,
    "show latest": 2,
    "coverage": 0,
    "diff 1": 2,
    "cat 1 README.md": 2,
    "restore 1 --dry-run": 2,
    "restore 1 -f": 2,
    "undo -f": 2,
    "redo -f": 2,
    "who README.md": 2,
    "sessions": 0,
    "sessions list": 0,
    "sessions show s": 2,
    "sessions history s": 2,
    "sessions export s": 2,
    "sessions restore s 1": 2,
    "sessions delete s -f": 2,
    "sessions gc -f": 0,
    "status --check": 1,
    "status --check --json": 1,
    "sql --schema settings": 0,
    "sql --questions": 0,
    "sql VALUES(1)": 0,
    "sql --question takes-slow": 0,
    "admin": 2,
    "du": 0,
    "du --measure": 0,
    "log --remote": 0,
    "log --remote --all": 0,
    "pull": 2,
    "push": 2,
    "push --dry-run": 2,
    "remote": 64,
    "remote check": 2,
    "fleet": 64,
    "fleet index": 2,
    "fleet status": 2,
    "remote status": 2,
    "remote prune -f": 2,
    "remote prune --dry-run": 2,
    "hook install claude --print": 0,
    "pin 1": 2,
    "unpin 1": 2,
    "label 1 good": 2,
    "prune --dry-run": 0,
    "prune -f": 0,
    "drop 1 -f": 2,
    "forget README.md -f": 2,
    "rebind /nowhere .": 2,
    "completion bash": 0,
    "clear -f": 0,
    "clear-legacy -f": 0,
    "export --layout v2 ../exported": 2,
    "export 1 --tar ../a.tar": 2,
    "export 1 --patch ../a.patch": 2,
    "export 1 --branch x": 2,
}
"""Commands that keep nothing, with their exit codes where there is no base."""

KEEPING = {"take", "watch", "mcp", "import-legacy", "sessions import", "demo", "adopt"}
"""The verbs that make a base, or work in a home of their own."""


HOMES = ("no home", "a home", "a home with an empty folder")
EACH_IN_A_HOME = [*zip(cycle(HOMES), LOOKING)]


@pytest.fixture(params=HOMES)
def bare(request: pytest.FixtureRequest, fresh_home: Path) -> Path:
    """A home without a base: nothing of it, the folder, or that with an empty ``checkpoints``."""
    if request.param == "a home":
        fresh_home.mkdir()
        (fresh_home / "config.yaml").write_text("checkpoints: true\nother: 1\n")
    elif request.param != "no home":
        (fresh_home / "checkpoints").mkdir(parents=True)
    return fresh_home


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail where a temporary folder stays behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def seen(home: Path) -> object:
    """Return all that there is of a home and beside it."""
    return everything(home.parent)


def verbs(parser: argparse.ArgumentParser, above: str = "") -> Iterator[str]:
    """Yield every verb of a parser that has no verbs below it, in the words of its group."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                inner = [*verbs(below, f"{above}{name} ")]
                yield from inner or [f"{above}{name}"]


def test_every_verb_is_known_to_look_or_to_keep() -> None:
    parser = argparse.ArgumentParser()
    register_cli(parser)
    looking = {" ".join(command.split()[:2]) for command in LOOKING}
    looking |= {command.split()[0] for command in LOOKING if command}
    assert {*verbs(parser)} - looking == KEEPING


@pytest.mark.parametrize(("bare", "command"), EACH_IN_A_HOME, indirect=["bare"])
def test_no_verb_that_looks_makes_a_base(
    run: Run, bare: Path, project: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(project)
    before, inside = seen(bare), everything(project)
    answer = run(*command.split(), code=LOOKING[command])
    assert "temporary" not in answer.out + answer.err
    assert seen(bare) == before
    assert everything(project) == inside
    assert not (project.parent / "exported").exists()


def test_no_call_of_a_host_that_looks_makes_a_base(bare: Path, project: Path) -> None:
    before, where = seen(bare), str(project)
    manager = CheckpointManager(enabled=True)
    manager.new_turn()
    assert manager.list_checkpoints(where) == []
    assert manager.list_all_checkpoints() == []
    assert manager.get_working_dir_for_path(f"{where}/README.md") == where
    assert manager.diff(where, "a" * 40)["success"] is False
    assert manager.restore(where, "a" * 40)["success"] is False
    assert manager.safe_restore_plan(where, "a" * 40)["success"] is False
    assert manager.session_diff(where)["empty"] is True
    manager.record_agent_write(f"{where}/README.md", "patch")
    manager.end_turn()
    assert Rollback(where, enabled=True).run("/rollback").listed == ()
    assert store_status()["total_size_bytes"] == 0
    assert footprint_notice(enabled=True) is None
    assert prune_checkpoints()["scanned"] == 0
    assert maybe_auto_prune_checkpoints()["result"]["scanned"] == 0
    assert clear_all()["deleted"] is False
    assert clear_legacy()["deleted"] == 0
    assert seen(bare) == before


def test_the_typed_api_looks_without_making_a_base(bare: Path, project: Path) -> None:
    before = seen(bare)
    with Checkpoints.open(create=False) as checkpoints:
        status = checkpoints.status()
        assert (status.base, status.total_bytes) == (bare / "checkpoints", 0)
        assert (status.project_count, status.checkpoint_count) == (0, 0)
        assert checkpoints.projects() == []
        assert checkpoints.usage().projects == ()
        assert checkpoints.plan_prune().drop == ()
        assert checkpoints.prune().dropped == ()
        assert checkpoints.project(project).list() == []
        assert checkpoints.project(project).coverage().file_count == 6
        assert checkpoints.legacy_archives() == []
        assert repr(checkpoints) == f"Checkpoints(base='{bare}/checkpoints')"
        with pytest.raises(ProjectUnknown):
            checkpoints.project(project).get("latest")
        with pytest.raises(CheckpointUnknown):
            checkpoints.find("a" * 40)
    with Sessions.open(create=False) as sessions:
        assert (sessions.ids(), sessions.list(), sessions.gc().sessions) == ([], [], ())
    assert seen(bare) == before


def test_what_is_to_be_kept_is_refused_where_no_base_is_to_be_made(
    bare: Path, project: Path, tmp_path: Path
) -> None:
    before = seen(bare)
    with Checkpoints.open(create=False) as checkpoints:
        outcome = checkpoints.project(project).take()
        assert isinstance(outcome, Failed)
        assert f"there is no checkpoint base at {bare}/checkpoints" in str(outcome.error)
        with pytest.raises(BaseUnwritable, match="there is no checkpoint base"):
            checkpoints.import_legacy(tmp_path)
        with pytest.raises(BaseUnwritable, match="there is no checkpoint base"):
            checkpoints.sessions.write("s", {})
        with pytest.raises(BaseUnwritable, match="there is no checkpoint base"):
            checkpoints.sessions.import_folder(tmp_path)
    assert seen(bare) == before


def test_without_a_place_for_the_stand_in_it_says_so(
    run: Run, fresh_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert "set TMPDIR to a folder that can be written" in run("status", code=2).err
    assert not fresh_home.exists()


def test_a_store_of_sessions_makes_its_folder_and_nothing_in_it_until_it_writes(
    fresh_home: Path,
) -> None:
    with CheckpointStore() as store:
        assert (fresh_home / "checkpoints").is_dir()
        assert (store.read("s"), store.version("s"), store.list_sessions()) == (None, 0, [])
        store.delete("s")
        assert store.garbage_collect() == []
        assert list((fresh_home / "checkpoints").iterdir()) == []
        store.write("s", {"task": "t"})
        assert (store.version("s"), store.list_sessions()) == (1, ["s"])


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_base_of_an_earlier_version_is_migrated_by_the_first_look(
    run: Run, tmp_path: Path, version: str
) -> None:
    home = extracted(version, tmp_path)
    assert not (home / "checkpoints" / "catalog.db").exists()
    assert run("--home", home, "status", "--json").json["checkpoint_count"] > 0
    assert (home / "checkpoints" / "catalog.db").is_file()


def test_where_there_is_no_base_its_catalog_takes_nothing(
    run: Run, fresh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(fresh_home))
    assert run("du").lines[0] == "Store on disk: 0 B (estimated), and its catalog: 0 B"
    assert run("du", "--json").json["catalog_bytes"] == 0
