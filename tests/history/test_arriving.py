"""What earlier versions left is in the catalog with its upgrade; the objects follow later."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog.records import integrity_problems, shell
from catalog.test_revisions import FOLDER as REVISION_CATALOGS
from hermes_checkpoints import Checkpoints, Sessions
from hermes_checkpoints.base.opened import Base, utc_now
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.errors import CheckpointUnknown
from hermes_checkpoints.history.documents import Limits, collect, read
from hermes_checkpoints.history.find import find, in_base
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import FormerDocument, LegacyRecord, Policy, ProjectState, Taken
from history.old_bases import (
    OldCommit,
    all_commits,
    assert_imported,
    extracted,
    git,
    grown,
    made,
    records,
    states,
)
from history.test_interrupted import OPEN
from interpreters import run
from support import deadly_git, every

HEAD_ROWS = "SELECT * FROM checkpoints ORDER BY id"

# Kills itself when all revisions have run, before their transaction is committed.
UPGRADE = """
import os, signal, sys
from hermes_checkpoints import Checkpoints, Sessions
from hermes_checkpoints.catalog import sqlite
sqlite.broken_references = lambda connection: os.kill(os.getpid(), signal.SIGKILL)
Checkpoints.open(sys.argv[1])
"""

# Imports a folder, and kills itself when it is told of the step with this number.
IMPORT = OPEN.partition("print(")[0] + (
    "with Checkpoints.open(sys.argv[1]) as checkpoints:\n"
    "    checkpoints.import_legacy(sys.argv[3], reporter=Deadly())\n"
)


def listed(home: Path) -> Checkpoints:
    """Open a base whose catalog is upgraded with its documents, and import nothing."""
    layout = Layout.of(home)
    return Checkpoints(Base.open(layout, collect=partial(collect, layout.base)))


def documents(home: Path, limits: Limits | None = None) -> list[FormerDocument]:
    return collect(home / "checkpoints", None, frozenset(), limits)


def all_rows(home: Path) -> list[dict[str, Any]]:
    """The checkpoints of a catalog that are listed in any way."""
    file = home / "checkpoints/catalog.db"
    return shell(file, "SELECT * FROM checkpoints WHERE state IN ('live', 'arriving')")


def assert_nothing_is_nowhere(home: Path, commits: list[OldCommit]) -> None:
    former = shell(home / "checkpoints/catalog.db", "SELECT former_id FROM former_ids")
    assert {row["former_id"] for row in former} >= {commit.id for commit in commits}
    assert len(all_rows(home)) == len(commits)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_upgrade_lists_every_commit_and_the_import_makes_it_the_checkpoint(
    version: str, tmp_path: Path
) -> None:
    home = extracted(version, tmp_path)
    commits = all_commits(home)
    with listed(home) as checkpoints:
        assert checkpoints.status().checkpoint_count == 0
        assert checkpoints.list_all() == []
        assert f"{len(commits)} checkpoints of earlier versions are arriving" in " ".join(
            checkpoints.status().notes
        )
        assert_nothing_is_nowhere(home, commits)
        assert integrity_problems(checkpoints._base.catalog.path) == []
        planned = {row["ref_name"]: row for row in all_rows(home)}
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)
        for row in all_rows(home):
            assert row["state"] == "live"
            before = planned.pop(row["ref_name"])
            assert {name: row[name] for name in ("id", "project_id", "created_at", "reason")} == {
                name: before[name] for name in ("id", "project_id", "created_at", "reason")
            }
        assert not planned
        assert not [note for note in checkpoints.status().notes if "arriving" in note]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2", "made", "newer"])
def test_the_revision_and_the_program_enter_the_same_rows(version: str, tmp_path: Path) -> None:
    home = base_of(version, tmp_path)
    base = home / "checkpoints"
    other = tmp_path / "other"
    shutil.copytree(base, other, symlinks=True)
    with Catalog.open(base / "catalog.db", tmp_path / "lock", collect=partial(collect, base)):
        pass
    with Catalog.open(other / "catalog.db", tmp_path / "other-lock") as catalog:
        assert catalog.arriving.count() == 0
        found = [(one.path.relative_to(other).as_posix(), one) for one in in_base(other)]
        listed_before = {record.path for record in catalog.archives.all()}
        for path, one in found:  # as an import on request does
            if path not in listed_before:
                facts = {"project_hash": one.project_hash, "working_dir": one.working_dir}
                catalog.archives.add(path, one.path.name, one.layout, **facts, now=utc_now())
        entered = catalog.arriving.enter(read(found), utc_now())
        assert entered == catalog.arriving.count() > 0
    for query in (
        HEAD_ROWS,
        "SELECT * FROM former_ids ORDER BY 1, 2",
        "SELECT id, hash, workdir, created_at, state FROM projects ORDER BY id",
        "SELECT id, path, layout, state, project_hash FROM legacy_archives ORDER BY id",
    ):
        rows = shell(base / "catalog.db", query)
        assert rows == shell(other / "catalog.db", query)
        assert rows


def base_of(version: str, tmp_path: Path) -> Path:
    if version == "made":
        return made(tmp_path / "live")
    if version == "newer":
        home = grown(tmp_path, 4)
        with_checkpoints(home, tmp_path / "grown", [-1, 100, 10_000])
        return home
    return extracted(version, tmp_path)


def with_checkpoints(home: Path, project: Path, minutes: list[int]) -> None:
    """Make a catalog before this revision with live checkpoints of the directory, each so many
    minutes and a half after the first commit of ``grown``."""
    revisions = schema.REVISIONS[: schema.REVISIONS.index("0006") + 1]
    scripts = Scripts(revisions=revisions, expected=frozenset())
    repository = next(r for r in (home / "checkpoints").iterdir() if len(r.name) == 16)
    aside = home / repository.name
    repository.rename(aside)  # so that no revision lists it before
    file = home / "checkpoints/catalog.db"
    Catalog.open(file, home / "lock", scripts=scripts).close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO projects (id, hash, workdir, created_at, last_touch) VALUES"
            " (1, ?, ?, '2025-01-01 00:00:00.000000', '2025-01-01 00:00:00.000000')",
            (repository.name, str(project.resolve())),
        )
        connection.executemany(
            "INSERT INTO checkpoints (id, project_id, commit_id, tree_id, state_id, ref_name, kind,"
            " reason, created_at) VALUES (?1, 1, 'c' || ?1, 't', 't', 'r' || ?1, 'auto', 'own',"
            " strftime('%Y-%m-%d %H:%M:%f000', 1760000000 + 60 * ?2 + 30, 'unixepoch'))",
            list(enumerate(minutes, 3)),
        )
    aside.rename(repository)


@pytest.mark.campaign
def test_rows_stand_among_newer_and_older_checkpoints_in_the_order_of_time(tmp_path: Path) -> None:
    home = grown(tmp_path, 4)
    with_checkpoints(home, tmp_path / "grown", [100, 10_000])
    listed(home).close()
    rows = shell(home / "checkpoints/catalog.db", HEAD_ROWS)
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)
    assert [row["state"] for row in rows] == ["arriving"] * 4 + ["live"] * 2
    assert [row["id"] for row in rows if row["state"] == "live"] == [3, 4]
    assert all(row["id"] < 0 for row in rows if row["state"] == "arriving")
    (found,) = shell(home / "checkpoints/catalog.db", "SELECT * FROM legacy_archives")
    assert found["state"] == "found"  # which no revision before had seen


@pytest.mark.campaign
@pytest.mark.parametrize("by", ["the revision", "the program"])
def test_where_there_is_no_room_what_arrives_keeps_its_order(by: str, tmp_path: Path) -> None:
    home = grown(tmp_path, 20)
    with_checkpoints(home, tmp_path / "grown", [4, 8, 12])  # whose ids are 3, 4 and 5
    repository = next(r for r in (home / "checkpoints").iterdir() if len(r.name) == 16)
    if by == "the program":
        repository.rename(home / repository.name)
    listed(home).close()
    if by == "the program":
        (home / repository.name).rename(repository)
        with listed(home) as checkpoints:
            base = checkpoints._base
            (found,) = find(repository)
            record = base.catalog.archives.add(
                repository.name,
                repository.name,
                found.layout,
                project_hash=found.project_hash,
                working_dir=found.working_dir,
                now=base.now(),
            )
            assert base.catalog.arriving.enter(read([(record.path, found)]), base.now()) == 20
    rows = shell(home / "checkpoints/catalog.db", HEAD_ROWS)
    arriving = [row for row in rows if row["state"] == "arriving"]
    assert len(arriving) == 20
    assert [row["created_at"] for row in arriving] == sorted(r["created_at"] for r in arriving)
    assert [row["state"] for row in rows] == ["arriving"] * 13 + ["live"] * 3 + ["arriving"] * 7
    assert [row["id"] for row in rows if row["state"] == "live"] == [3, 4, 5]


@pytest.mark.campaign
def test_what_is_newer_than_all_comes_after_all(tmp_path: Path) -> None:
    home = grown(tmp_path, 4)
    with_checkpoints(home, tmp_path / "grown", [-200, -100])
    listed(home).close()
    rows = shell(home / "checkpoints/catalog.db", HEAD_ROWS)
    assert [row["state"] for row in rows] == ["live"] * 2 + ["arriving"] * 4
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


@pytest.mark.campaign
def test_an_arriving_checkpoint_is_in_nobodys_way(live_home: Path) -> None:
    project = live_home.parent / "projects/alpha"
    commits = all_commits(live_home)
    own = [commit for commit in commits if commit.workdir == str(project)]
    with listed(live_home) as checkpoints:
        handle = checkpoints.project(project)
        with pytest.raises(CheckpointUnknown, match=r"still arriving: .*import-legacy` goes on"):
            handle.get(own[0].id)
        with pytest.raises(CheckpointUnknown, match="still arriving"):
            checkpoints.find(own[0].id[:12])
        with pytest.raises(CheckpointUnknown, match=f"{len(own)} checkpoints of .* are still"):
            handle.get("latest")
        with pytest.raises(CheckpointUnknown):
            handle.restore(own[0].id)
        for number in range(3):
            (project / "src/app.py").write_text(f"own {number}\n", encoding="utf-8")
            taken = handle.take(f"own {number}")
            assert isinstance(taken, Taken)
            assert taken.imported_dropped == 0
        plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
        assert (len(plan.drop), plan.keep_count) == (2, 1)
        checkpoints.prune(plan=plan)
        assert [c.reason for c in handle.list()] == ["own 2"]
        catalog = checkpoints._base.catalog
        hash_ = handle.list()[0].project_hash
        assert len(catalog.checkpoints.list(hash_, include_pruned=True)) == 3
        assert catalog.arriving.count() == len(commits)
        assert checkpoints.status().checkpoint_count == 1
    with Checkpoints.open(live_home) as checkpoints:
        handle = checkpoints.project(project)
        wanted = ["own 2", *(commit.message for commit in reversed(own))]
        assert [c.reason for c in handle.list()] == wanted
        assert handle.get("latest").reason == "own 2"
        assert handle.restore(own[0].id, mode="overlay").complete


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("revision", schema.REVISIONS[: schema.REVISIONS.index("0007")])
def test_a_base_of_version_1_beside_a_catalog_of_any_revision(
    revision: str, tmp_path: Path
) -> None:
    home = grown(tmp_path, 3)
    file = home / "checkpoints/catalog.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript((REVISION_CATALOGS / f"{revision}.sql").read_text("utf-8"))
    with listed(home) as checkpoints:
        assert checkpoints._base.catalog.arriving.count() == 3
        assert integrity_problems(file) == []
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(tmp_path / "grown").list()
        assert [c.reason for c in found] == ["0002", "0001", "0000"]
        assert checkpoints.project(tmp_path / "grown").restore("3", mode="overlay").complete
        assert (tmp_path / "grown/file.txt").read_text("utf-8") == "0000"


class Looking:
    """Tells how many checkpoints are listed as arriving when an import begins."""

    def __init__(self, home: Path) -> None:
        self._file = home / "checkpoints/catalog.db"
        self.counts: list[int] = []

    def begin(self, records: int) -> None:
        query = "SELECT count(*) AS n FROM checkpoints WHERE state = 'arriving'"
        self.counts.append(shell(self._file, query)[0]["n"])

    def step(self, record: LegacyRecord, what: str) -> None: ...

    def done(self, record: LegacyRecord) -> None: ...

    def end(self) -> None: ...


@pytest.mark.campaign
def test_every_import_goes_the_same_way(v1_home: Path, tmp_path: Path) -> None:
    commits = all_commits(v1_home)
    other = tmp_path / "other"
    shutil.copytree(v1_home, other, symlinks=True)
    looking = Looking(v1_home)
    Checkpoints.open(v1_home, reporter=looking).close()
    Sessions.open(other).close()  # an upgrade that is given no documents
    later = Looking(other)
    with Checkpoints.open(other, reporter=later) as checkpoints:
        assert_imported(checkpoints, commits)
    with Checkpoints.open(tmp_path / "mine") as checkpoints:
        mine = Looking(tmp_path / "mine")
        checkpoints.import_legacy(extracted("v1", tmp_path / "again"), reporter=mine)
        assert_imported(checkpoints, commits)
        checkpoints.import_legacy(v1_home, reporter=mine)
    assert looking.counts == later.counts == mine.counts[:1] == [len(commits)]
    assert set(mine.counts[1:]) <= {0}


# --- what cannot be read ------------------------------------------------------------------------


def repository_of(home: Path) -> Path:
    (found,) = [r for r in (home / "checkpoints").iterdir() if len(r.name) == 16]
    return found


def trap_fifo_among_objects(repository: Path, _: Path) -> None:
    os.mkfifo(repository / "objects/00")


def trap_fifo_as_object(repository: Path, _: Path) -> None:
    (repository / "objects/ee").mkdir(exist_ok=True)
    os.mkfifo(repository / "objects/ee" / ("0" * 38))


def trap_alternates(repository: Path, tmp_path: Path) -> None:
    (repository / "objects/info/alternates").write_text(f"{tmp_path}/elsewhere\n", "utf-8")


def trap_link(repository: Path, tmp_path: Path) -> None:
    (repository / "objects/ab").symlink_to(tmp_path)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "trap", [trap_fifo_among_objects, trap_fifo_as_object, trap_alternates, trap_link]
)
def test_what_git_might_wait_for_or_follow_is_left_to_the_import(trap: Any, tmp_path: Path) -> None:
    home = grown(tmp_path, 3)
    trap(repository_of(home), tmp_path)
    assert documents(home) == []
    with Checkpoints.open(home) as checkpoints:
        assert len(checkpoints.project(tmp_path / "grown").list()) == 3


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ["HERMES_WORKDIR", "HEAD", "packed-refs", "config"])
def test_a_pipe_with_the_name_of_a_file_is_not_waited_for(name: str, tmp_path: Path) -> None:
    home = grown(tmp_path, 3)
    file = repository_of(home) / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(tmp_path / "grown").list()
        assert len(found) == 3  # what says of which directory it is, and the branch, is elsewhere
        assert not [note for note in checkpoints.status().notes if "arriving" in note]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("limits", [{"commits": 2}, {"text_bytes": 11}, {"seconds": 0.0}], ids=str)
def test_what_is_over_a_limit_is_imported_all_the_same(
    limits: dict[str, Any], tmp_path: Path
) -> None:
    home = grown(tmp_path, 3)
    assert len(documents(home)[0]["commits"]) == 3
    assert documents(home, Limits(**limits)) == []
    layout = Layout.of(home)
    Base.open(layout, collect=lambda *_: documents(home, Limits(**limits))).catalog.close()
    assert all_rows(home) == []
    with Checkpoints.open(home) as checkpoints:
        assert len(checkpoints.project(tmp_path / "grown").list()) == 3


@pytest.mark.campaign
def test_a_document_says_what_it_could_not_read(v1_home: Path) -> None:
    repository = v1_home / "checkpoints/5b0ca1eb8975e26b"
    head = git(repository, "rev-parse", "HEAD~2").strip()
    (repository / "objects" / head[:2] / head[2:]).unlink()
    (document,) = [d for d in documents(v1_home) if d["name"] == repository.name]
    assert len(document["commits"]) == 2
    assert document["problems"] == [
        f"commit {head[:12]} cannot be read: the object store lacks object {head}"
    ]
    assert document["working_dir"] == "/home/dev/projects/alpha"
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project("/home/dev/projects/alpha").list()) == 2


@pytest.mark.campaign
def test_what_was_damaged_after_it_was_listed_loses_its_row_and_is_named(v1_home: Path) -> None:
    repository = v1_home / "checkpoints/5b0ca1eb8975e26b"
    commits = [c for c in all_commits(v1_home) if c.workdir == "/home/dev/projects/alpha"]
    listed(v1_home).close()
    blob = git(repository, "rev-parse", f"{commits[2].id}:src/app.py").strip()
    (repository / "objects" / blob[:2] / blob[2:]).unlink()
    head = commits[0].id
    (repository / "objects" / head[:2] / head[2:]).unlink()
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project(commits[0].workdir).list()) == 4
        assert {row["state"] for row in all_rows(v1_home)} == {"live"}
        (record,) = [r for r in records(checkpoints) if r.name == repository.name]
        assert record.error is not None
        assert commits[0].id[:12] in record.error
        assert commits[2].id[:12] in record.error
        for gone in (commits[0], commits[2]):
            with pytest.raises(CheckpointUnknown, match="not found"):
                checkpoints.find(gone.id)


def test_nothing_is_written_into_an_old_repository_before_it_is_moved(v1_home: Path) -> None:
    base = v1_home / "checkpoints"
    before = sorted((str(p), p.lstat().st_mtime_ns) for p in base.rglob("*"))
    assert sum(len(document["commits"]) for document in documents(v1_home)) == 12
    assert before == sorted((str(p), p.lstat().st_mtime_ns) for p in base.rglob("*"))


@pytest.mark.campaign
def test_an_ordinary_opening_reads_no_old_repository(
    v1_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Checkpoints.open(v1_home).close()
    monkeypatch.setenv("PATH", str(v1_home))  # without git nothing could be read
    with Checkpoints.open(v1_home) as checkpoints:
        assert collect(checkpoints._base.layout.base, schema.HEAD, frozenset()) == []
        assert not [note for note in checkpoints.status().notes if "git was not found" in note]


@pytest.mark.campaign
def test_a_lost_catalog_is_filled_from_the_store_first(live_home: Path) -> None:
    project = live_home.parent / "projects/alpha"
    with Checkpoints.open(live_home) as checkpoints:
        (project / "src/app.py").write_text("own\n", encoding="utf-8")
        assert isinstance(checkpoints.project(project).take("own"), Taken)
        before = {c.id for c in checkpoints.list_all()}
    (live_home / "checkpoints/catalog.db").unlink()
    with Checkpoints.open(live_home) as checkpoints:
        assert {c.id for c in checkpoints.list_all()} == before
        assert checkpoints.project(project).list()[0].reason == "own"
        assert checkpoints._base.catalog.arriving.count() == 0


@pytest.mark.campaign
def test_a_directory_that_was_never_seen_here_is_no_orphan(tmp_path: Path) -> None:
    home = grown(tmp_path / "there", 3)
    shutil.rmtree(tmp_path / "there/grown")  # its parent is here, and it never was
    for mine in (home, tmp_path / "mine"):
        with Checkpoints.open(mine) as checkpoints:
            checkpoints.import_legacy(home)
            (row,) = checkpoints.status().projects
            assert row.project.state is ProjectState.UNREACHABLE
            assert checkpoints.plan_prune(policy=Policy(orphan_grace=None)).drop == ()


# --- killed anywhere ---------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_kill_before_the_upgrade_is_committed_changes_nothing(v1_home: Path) -> None:
    commits = all_commits(v1_home)
    assert run(UPGRADE, v1_home).returncode == -signal.SIGKILL
    assert shell(v1_home / "checkpoints/catalog.db", "SELECT name FROM sqlite_master") == []
    with Checkpoints.open(v1_home) as checkpoints:
        assert_imported(checkpoints, commits)


@pytest.mark.campaign
def test_a_kill_at_any_step_leaves_every_commit_listed(v1_home: Path, tmp_path: Path) -> None:
    commits = all_commits(v1_home)
    killed = 0
    for step in range(1, 60, every(3)):
        home = tmp_path / str(step)
        shutil.copytree(v1_home, home, symlinks=True)
        code = run(OPEN, home, step).returncode
        assert_nothing_is_nowhere(home, commits)
        with Checkpoints.open(home) as checkpoints:
            assert_imported(checkpoints, commits)
            assert set(states(checkpoints).values()) == {"archived"}
        shutil.rmtree(home)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
    assert killed >= 5


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("command", ["cat-file", "rev-list", "fast-import"])
def test_a_kill_around_git_leaves_every_commit_listed(
    v1_home: Path, tmp_path: Path, command: str
) -> None:
    commits = all_commits(v1_home)
    environment = deadly_git(tmp_path / "bin", command, after=True)
    assert run(OPEN, v1_home, 0, env=environment).returncode == -signal.SIGKILL
    if command != "cat-file":  # the reading was killed, before there was a catalog
        assert_nothing_is_nowhere(v1_home, commits)
    with Checkpoints.open(v1_home) as checkpoints:
        assert_imported(checkpoints, commits)


@pytest.mark.slow
def test_a_killed_import_from_elsewhere_is_named_by_who_asks_for_it(tmp_path: Path) -> None:
    old = grown(tmp_path, 3)
    commits = all_commits(old)
    home = tmp_path / "mine"
    assert run(IMPORT, home, 1, old).returncode == -signal.SIGKILL
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.status().checkpoint_count == 0
        with pytest.raises(CheckpointUnknown, match=f"import-legacy {repository_of(old)}"):
            checkpoints.find(commits[0].id)
        assert checkpoints.import_legacy(old).checkpoints == 3
        assert_imported(checkpoints, commits)
