"""Opening a base of an earlier version imports all of it, and what it imported can be restored."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, CheckpointStore
from hermes_checkpoints.errors import CheckpointForeign
from hermes_checkpoints.model import Action, Kind, Mode, Taken
from history.old_bases import all_commits, assert_imported, git, grown, records, states

DAMAGED = "00d0a0d0a0d0a0d0"
SESSION = "20260316_054000_a1b2c3"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("version", "count"), [("v1", 12), ("v2", 21)])
def test_every_commit_of_a_base_becomes_a_checkpoint(
    version: str, count: int, request: pytest.FixtureRequest
) -> None:
    home: Path = request.getfixturevalue(f"{version}_home")
    commits = all_commits(home)
    assert len(commits) == count
    messages = {commit.message for commit in commits}
    assert {"", "before terminal: rm a | tee b"} <= messages
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)
        assert set(states(checkpoints).values()) == {"archived"}
        (damaged,) = [r for r in records(checkpoints) if r.name == DAMAGED]
        assert damaged.error == "it has no commits that can be read"
        assert not damaged.whole
        told = [text for archive in checkpoints.status().archives for text in archive.not_imported]
        assert f"{DAMAGED}: {damaged.error}" in told
        assert sum(a.checkpoints for a in checkpoints.status().archives) == count
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)


@pytest.mark.campaign
def test_names_zones_and_statistics_survive(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        listed = checkpoints.project("/home/dev/projects/alpha").list()
        assert [(c.files_changed, c.insertions, c.deletions) for c in listed] == [
            *[(1, 20, 20)] * 5,
            (4, 0, 0),
        ]
        assert {c.utc_offset_minutes for c in listed} == {60}
        name = "notes über.md"
        assert (
            checkpoints.project(listed[-1].working_dir).read_file(listed[-1], name).decode()
            == "grüße\n"
        )
        deleted = checkpoints.project("/home/dev/projects/beta").list()[0]
        assert [
            (c.path, c.status.value)
            for c in checkpoints.project(deleted.working_dir).changes(deleted)
        ] == [("main.go", "D")]


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_sessions_are_read_and_what_is_none_is_kept(
    version: str, request: pytest.FixtureRequest
) -> None:
    home: Path = request.getfixturevalue(f"{version}_home")
    base = home / "checkpoints"
    broken = b"- not\n- a mapping\n"
    with CheckpointStore(base) as store:  # the first to open the base
        assert store.list_sessions() == [SESSION, "finished-session"]
        document = store.read(SESSION)
        assert document is not None
        assert document["progress"][1] == {"step": "write lexer", "done": False}
        assert document["updated"] == "2026-03-16T05:40:01.123456"
        finished = store.read("finished-session")
        assert finished is not None
        assert finished["task"] == "Umlaute prüfen"
        assert finished["started"].isoformat() == "2026-03-15"
    with Checkpoints.open(home) as checkpoints:
        (record,) = [r for r in records(checkpoints) if r.name == "broken-session.yaml"]
        assert record.error == "it is no mapping but a list"
        assert (base / record.path).read_bytes() == broken
        assert not list(base.glob("*.yaml"))
        checkpoints.clear_legacy()
        (kept,) = (base / "unreadable-sessions").iterdir()
        assert kept.read_bytes() == broken
    with CheckpointStore(base) as store:
        assert store.list_sessions() == [SESSION, "finished-session"]


def test_rollback_restores_what_version_1_took(live_home: Path) -> None:
    project = live_home.parent / "projects" / "alpha"
    commits = [c for c in all_commits(live_home) if c.workdir == str(project)]
    private = project / "README.md"
    private.chmod(0o600)
    (project / "src").chmod(0o700)
    (project / "made since.txt").write_text("mine\n", encoding="utf-8")
    manager = CheckpointManager(enabled=True, home=live_home)
    listed = manager.list_checkpoints(str(project))
    assert [one["reason"] for one in listed] == [c.message for c in reversed(commits)]
    result = manager.restore(str(project), commits[0].id[:8])
    assert result["success"], result
    text = (project / "src/app.py").read_text(encoding="utf-8")
    assert text.startswith("print('step 0')\n")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE((project / "src").stat().st_mode) == 0o700
    assert (project / "made since.txt").exists()
    back = manager.restore(str(project), result["safety"])
    assert back["success"]
    assert (project / "src/app.py").read_text(encoding="utf-8").startswith("print('step 5')\n")


def test_no_mode_deletes_because_an_earlier_version_lacks_a_file(live_home: Path) -> None:
    project = live_home.parent / "projects" / "alpha"
    (project / "large then.bin").write_bytes(b"x")
    with Checkpoints.open(live_home) as checkpoints:
        first = checkpoints.project(project).list()[-1]
        exact = checkpoints.project(project).plan_restore(first.id, mode=Mode.EXACT)
        assert [step.path for step in exact.of(Action.WRITE)] == ["src/app.py"]
        assert not exact.of(Action.DELETE)
        assert not exact.of(Action.CHMOD)
        edits = checkpoints.project(project).plan_restore(first.id, mode=Mode.KEEP_EDITS)
        assert [(step.path, step.reason) for step in edits.of(Action.WRITE)] == [
            ("src/app.py", "changed before any record")
        ]
        assert not edits.of(Action.DELETE)


@pytest.mark.campaign
def test_a_take_after_the_import_goes_on_from_the_imported_history(live_home: Path) -> None:
    project = live_home.parent / "projects" / "beta"
    with Checkpoints.open(live_home) as checkpoints:
        last = checkpoints.project(project).list()[0]
        (project / "new.txt").write_text("new\n", encoding="utf-8")
        taken = checkpoints.project(project).take()
        assert isinstance(taken, Taken)
        assert taken.checkpoint._previous_row == last._row
        assert [
            c.path
            for c in checkpoints.project(taken.checkpoint.working_dir).changes(taken.checkpoint)
        ] == ["new.txt"]


@pytest.mark.campaign
def test_a_former_id_of_another_project_is_refused(v1_home: Path) -> None:
    commits = all_commits(v1_home)
    beta = next(c for c in commits if c.workdir.endswith("beta"))
    with Checkpoints.open(v1_home) as checkpoints, pytest.raises(CheckpointForeign):
        checkpoints.project("/home/dev/projects/alpha").get(beta.id)


def test_the_store_of_version_2_is_taken_over_in_place(v2_home: Path) -> None:
    store = v2_home / "checkpoints" / "store"
    packs = sorted((p.name, p.stat().st_ino) for p in (store / "objects/pack").iterdir())
    tips = git(store, "for-each-ref", "--format=%(refname) %(objectname)", "refs/hermes")
    (store.parent / ".last_prune").write_text("1795820000.5", encoding="utf-8")
    ledger = {"src/app.py": {"sha256": "0" * 64, "ts": 1795820500}, "../out": {"ts": 1}, "x": 3}
    (store / "ledgers").mkdir()
    (store / "ledgers/5b0ca1eb8975e26b.json").write_text(json.dumps(ledger), encoding="utf-8")
    with Checkpoints.open(v2_home) as checkpoints:
        assert checkpoints.last_maintenance() == datetime.fromtimestamp(1795820000.5, UTC)
        assert git(store, "for-each-ref", "refs/hermes") == ""
        (archive,) = v2_home.glob("checkpoints/legacy-*/v2-store")
        noted = json.loads((archive / "former-refs.json").read_bytes())
        assert tips.splitlines() == [f"{ref} {commit}" for ref, commit in sorted(noted.items())]
        assert {p.name for p in archive.iterdir()} == {
            *("former-refs.json", "projects", "ledgers", ".last_prune", "former", "config.former"),
        }
        assert not (store / "quarantine-files").exists()
        assert {(p.name, p.stat().st_ino) for p in (store / "objects/pack").iterdir()} >= set(packs)
        project = next(
            p for p in checkpoints._base.catalog.projects.all() if p.hash == "5b0ca1eb8975e26b"
        )
        assert project.created_at == datetime.fromtimestamp(1795820536.581841, UTC)
        # A report counts until a look has seen what it says; that look was one of the old version.
        assert checkpoints._base.catalog.turns.writes(project.id) == []
        config = (store / "config").read_text(encoding="utf-8")
        assert "autocrlf = false" in config
        assert "hermes@local" in config


@pytest.mark.campaign
def test_objects_take_no_space_twice(v1_home: Path) -> None:
    base = v1_home / "checkpoints"
    with Checkpoints.open(v1_home):
        pass
    repository = next(base.glob("legacy-*/5b0ca1eb8975e26b"))
    objects = [p for p in repository.glob("objects/??/*") if p.is_file()]
    assert objects
    assert {p.stat().st_nlink for p in objects} == {2}


@pytest.mark.campaign
def test_a_lost_catalog_is_rebuilt_with_the_former_ids(v2_home: Path) -> None:
    commits = all_commits(v2_home)
    with Checkpoints.open(v2_home) as checkpoints:
        ids = {c.id: checkpoints.project(c.workdir).get(c.id).id for c in commits}
    for file in v2_home.glob("checkpoints/catalog.db*"):
        file.rename(v2_home / file.name)
    with Checkpoints.open(v2_home) as checkpoints:
        assert_imported(checkpoints, commits)
        assert ids == {c.id: checkpoints.project(c.workdir).get(c.id).id for c in commits}


@pytest.mark.campaign
def test_a_catalog_that_was_there_before_finds_what_lies_beside_it(
    v1_home: Path, tmp_path: Path
) -> None:
    """The data migration of an upgrade looks at the base as that of a new catalog does."""
    script = Path(__file__).parents[1] / "catalog/revisions/0004.sql"
    file = v1_home / "checkpoints" / "catalog.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(script.read_text(encoding="utf-8"))
    commits = all_commits(v1_home)
    with Checkpoints.open(v1_home) as checkpoints:
        for commit in commits:
            assert checkpoints.project(commit.workdir).get(commit.id).reason == commit.message
        assert {"name-1", DAMAGED} <= set(states(checkpoints))
    with CheckpointStore(v1_home / "checkpoints") as store:
        assert SESSION in store.list_sessions()


@pytest.mark.campaign
def test_what_came_while_nobody_recorded_who_is_not_deleted(tmp_path: Path) -> None:
    """Also where the agent has changed it since."""
    home, folder = grown(tmp_path, 2), tmp_path / "grown"
    (repository,) = (file.parent for file in home.glob("checkpoints/*/HERMES_WORKDIR"))
    later = (
        b"commit refs/heads/master\ncommitter a <a@b> 1760000300 +0100\ndata 5\nlater\n"
        b"from refs/heads/master^0\nM 100644 inline later.txt\ndata 5\nlater\n"
    )
    git(repository, "fast-import", "--quiet", stdin=later)
    (folder / "file.txt").write_text("0001", encoding="utf-8")
    (folder / "later.txt").write_text("later", encoding="utf-8")
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(folder)
        project.take(kind=Kind.AUTO, session_id="s1")
        (folder / "later.txt").write_text("by the agent", encoding="utf-8")
        project.end_turn(session_id="s1")
        restored = project.restore(project.list()[-1])
    kept = {step.path: step.reason for step in restored.kept}
    assert kept == {"later.txt": "no record of who changed it"}
    assert (folder / "file.txt").read_text(encoding="utf-8") == "0000"
    assert (folder / "later.txt").read_text(encoding="utf-8") == "by the agent"
