"""The base stays open between the calls of a host, and each reason to open it anew is seen."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback, Taken
from hermes_checkpoints.agent.maintenance import clear_all, prune_checkpoints, store_status
from hermes_checkpoints.base import kept
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.checkpoints.lent import lent
from hermes_checkpoints.errors import (
    BaseUnwritable,
    CatalogNewer,
    CheckpointUnknown,
    StoreDamaged,
)
from hermes_checkpoints.layout import Layout


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often a base was opened and closed."""
    counts: Counter[str] = Counter()
    opened, closed = Base.open.__func__, Base.close  # type: ignore[attr-defined]

    def open_(cls: type[Base], /, *args: object, **options: object) -> Base:
        counts["opened"] += 1
        base: Base = opened(cls, *args, **options)
        return base

    def close(self: Base) -> None:
        counts["closed"] += 1
        closed(self)

    monkeypatch.setattr(Base, "open", classmethod(open_))
    monkeypatch.setattr(Base, "close", close)
    return counts


@pytest.fixture
def manager(home: Path, project: Path) -> CheckpointManager:
    """A manager that has taken a checkpoint, so that its base is open."""
    manager = CheckpointManager(enabled=True, session_id="s1")
    assert manager.ensure_checkpoint(str(project), "first")
    return manager


def ids(manager: CheckpointManager, project: Path) -> list[str]:
    return [one["hash"] for one in manager.list_checkpoints(str(project))]


def test_all_calls_of_a_host_share_one_opening(
    home: Path, project: Path, openings: Counter[str]
) -> None:
    name = str(project)
    for number in range(3):
        manager = CheckpointManager(enabled=True, session_id=f"s{number}")
        manager.new_turn()
        (project / "f").write_text(str(number))
        assert manager.ensure_checkpoint(name)
        manager.begin_tool("terminal", "1")
        manager.end_tool("1")
        manager.record_agent_write(str(project / "f"), "write_file")
        newest = manager.list_checkpoints(name)[0]["hash"]
        assert manager.diff(name, newest)["success"]
        assert manager.list_all_checkpoints()
        manager.end_turn()
    assert Rollback(project, enabled=True).run("/rollback").ok
    assert store_status()["project_count"] == 1
    assert prune_checkpoints()["errors"] == 0
    assert openings == {"opened": 1}
    kept.close()
    assert openings == {"opened": 1, "closed": 1}


def test_two_homes_of_one_process_stay_apart(
    home: Path, project: Path, tmp_path: Path, openings: Counter[str]
) -> None:
    one = CheckpointManager(enabled=True)
    other = CheckpointManager(enabled=True, home=tmp_path / "other")
    assert one.ensure_checkpoint(str(project), "one")
    assert other.ensure_checkpoint(str(project), "other")
    for manager, reason in ((one, "one"), (other, "other")) * 2:
        assert [c["reason"] for c in manager.list_checkpoints(str(project))] == [reason]
    assert openings == {"opened": 2}


def test_few_homes_are_kept_open(tmp_path: Path, openings: Counter[str]) -> None:
    for number in range(6):
        with lent(Layout.of(tmp_path / str(number))):
            pass
    assert openings == {"opened": 6, "closed": 2}


def test_limits_of_two_managers_do_not_mix(home: Path, project: Path) -> None:
    one = CheckpointManager(enabled=True, max_snapshots=1)
    two = CheckpointManager(enabled=True, max_snapshots=5)
    for number in range(3):
        two.new_turn()
        (project / "f").write_text(str(number))
        assert two.ensure_checkpoint(str(project))
    assert (len(ids(one, project)), len(ids(two, project))) == (1, 3)


# --- reasons to open it anew ----------------------------------------------------------------------


def touch_config(base: Path) -> None:
    (base.parent / "config.yaml").write_text("checkpoints: {retention_days: 3}\n")


def loosen(base: Path) -> None:
    base.chmod(0o755)


def edit_by_hand(base: Path) -> None:
    with contextlib.closing(sqlite3.connect(base / "catalog.db")) as connection:
        connection.execute("CREATE TABLE noted (text)")


def lose_the_log(base: Path) -> None:
    (base / "catalog.db-wal").unlink()


def put_back(base: Path) -> None:
    """Put another file of the same contents in the place of the catalog, as from a backup."""
    copy = base / "copy.db"
    with (
        contextlib.closing(sqlite3.connect(base / "catalog.db")) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
    for name in ("catalog.db-wal", "catalog.db-shm"):
        (base / name).unlink()
    copy.rename(base / "catalog.db")


def other_time_limit(_: Path) -> None:
    os.environ["HERMES_CHECKPOINT_TIMEOUT"] = "17"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "change", [touch_config, loosen, edit_by_hand, lose_the_log, put_back, other_time_limit]
)
def test_a_change_is_a_reason_to_open_it_anew(
    change: Callable[[Path], None],
    manager: CheckpointManager,
    home: Path,
    project: Path,
    openings: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", "20")
    before = ids(manager, project)
    openings.clear()
    change(home / "checkpoints")
    assert ids(manager, project) == before
    assert openings == {"opened": 1, "closed": 1}
    assert ids(manager, project) == before
    assert openings == {"opened": 1, "closed": 1}, "and it is kept again"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("in_place", [True, False], ids=["cp", "mv"])
@pytest.mark.parametrize("first", ["the host", "another process"])
def test_a_backup_that_is_put_back_between_two_calls_is_what_all_then_read(
    manager: CheckpointManager, home: Path, project: Path, first: str, in_place: bool
) -> None:
    catalog, backup = home / "checkpoints/catalog.db", home / "backup.db"
    with contextlib.closing(sqlite3.connect(catalog)) as source:
        source.execute("VACUUM INTO ?", (str(backup),))
    for number in range(5):
        manager.new_turn()
        (project / f"f{number}").write_text(str(number))
        assert manager.ensure_checkpoint(str(project), f"later {number}")
    shutil.copyfile(backup, catalog) if in_place else backup.replace(catalog)
    if first == "another process":
        with contextlib.closing(sqlite3.connect(catalog)) as other:
            assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert other.execute("SELECT reason FROM checkpoints").fetchall() == [("first",)]
    assert len(ids(manager, project)) == 6, "the store has what the backup lacks"
    manager.new_turn()
    (project / "f").write_text("after")
    assert manager.ensure_checkpoint(str(project), "after")
    kept.close()
    with contextlib.closing(sqlite3.connect(catalog)) as other:
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert other.execute("PRAGMA foreign_key_check").fetchall() == []
        assert other.execute("SELECT count(*) FROM checkpoints").fetchone() == (7,)


def test_no_log_is_left_beside_the_catalog_between_two_calls(
    manager: CheckpointManager, home: Path, project: Path, openings: Counter[str]
) -> None:
    log = home / "checkpoints/catalog.db-wal"
    for number in range(3):
        manager.new_turn()
        (project / "f").write_text(str(number))
        assert manager.ensure_checkpoint(str(project))
        assert log.stat().st_size == 0
    assert not openings, "its own writing is no reason to open it anew"


def test_settings_that_were_edited_hold_at_the_next_call(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    (home / "config.yaml").write_text("checkpoints: {exclude: ['*.log']}\n")
    (project / "a.log").write_text("a\n")
    (project / "a.txt").write_text("a\n")
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))
    with Checkpoints.open() as checkpoints:
        newest = checkpoints.project(project).list()[0]
        assert {c.path for c in checkpoints.project(project).changes(newest)} == {"a.txt"}


def test_a_base_that_was_removed_and_made_anew_is_another(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    shutil.rmtree(home / "checkpoints")
    assert manager.list_checkpoints(str(project)) == []
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "anew")
    assert [c["reason"] for c in manager.list_checkpoints(str(project))] == ["anew"]


def test_a_clear_by_another_process_leaves_nothing_open(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    with Checkpoints.open() as checkpoints:
        checkpoints.clear(sessions=True)
    assert not (home / "checkpoints").exists()
    assert manager.list_checkpoints(str(project)) == []
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))


def test_a_clear_of_the_host_itself_closes_the_base(
    manager: CheckpointManager, home: Path, openings: Counter[str]
) -> None:
    assert clear_all(sessions=True)["deleted"]
    assert openings["closed"] == 1
    assert not (home / "checkpoints").exists()


def test_a_catalog_that_a_newer_program_upgraded_is_refused(
    manager: CheckpointManager, home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert manager.list_checkpoints(str(project)) == []
    assert "upgrade the package hermes-checkpoints" in caplog.text
    with pytest.raises(CatalogNewer), lent(Layout.of(home)):
        pass


def test_a_trigger_that_somebody_added_is_refused(
    manager: CheckpointManager, home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection:
        connection.execute(
            "CREATE TRIGGER odd AFTER INSERT ON operations BEGIN DELETE FROM checkpoints; END"
        )
    assert not manager.ensure_checkpoint(str(project))
    assert "which this program never makes" in caplog.text


def test_a_link_that_somebody_put_into_the_base_is_refused(
    manager: CheckpointManager, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / "checkpoints/.cleared").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BaseUnwritable, match="is a link"), lent(Layout.of(home)):
        pass


def test_a_store_that_leads_git_elsewhere_is_refused(
    manager: CheckpointManager, home: Path
) -> None:
    (home / "checkpoints/store/commondir").write_text("/elsewhere\n")
    with pytest.raises(BaseUnwritable, match="leads git out of the store"), lent(Layout.of(home)):
        pass


def test_a_setting_in_the_store_that_runs_a_program_is_never_obeyed(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    config = home / "checkpoints/store/config"
    ours = config.read_text()
    config.write_text(ours + "[core]\n\tfsmonitor = touch /tmp/never\n")
    assert ids(manager, project)
    assert config.read_text() == ours, "before git is run, and also where none is"


def test_refs_that_somebody_deleted_are_noticed_at_the_next_call(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    assert len(ids(manager, project)) == 1
    shutil.rmtree(home / "checkpoints/store/refs/checkpoints")
    (home / "checkpoints/store/packed-refs").unlink(missing_ok=True)
    ids(manager, project)  # compares rows and refs
    with Checkpoints.open() as checkpoints:
        sign = checkpoints._base.catalog.standing.left().refs_sign
        assert sign == checkpoints._base.store.sign()
        assert checkpoints._base.store.refs() or not ids(manager, project)


def test_a_wrong_question_is_no_reason(home: Path, openings: Counter[str]) -> None:
    layout = Layout.of(home)
    for _ in range(2):
        with pytest.raises(CheckpointUnknown), lent(layout) as checkpoints:
            checkpoints.find("0123456789abcdef")
    assert openings == {"opened": 1}


def test_any_other_error_of_a_use_closes_the_base(home: Path, openings: Counter[str]) -> None:
    layout = Layout.of(home)
    for error in (StoreDamaged("x"), OSError("x"), KeyError("x"), KeyboardInterrupt()):
        openings.clear()
        with contextlib.suppress(BaseException), lent(layout):
            raise error
        assert openings["closed"] == 1


def test_a_damaged_catalog_is_left_open_by_no_call(
    manager: CheckpointManager, home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept.close()
    catalog = home / "checkpoints/catalog.db"
    with contextlib.closing(sqlite3.connect(catalog)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'settings'"
        (page,) = connection.execute(query).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with open(catalog, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
    gc.disable()
    try:
        assert manager.list_checkpoints(str(project)) == []
        links = [Path("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
        opened = [os.readlink(link) for link in links if link.is_symlink()]
    finally:
        gc.enable()
    assert "is damaged" in caplog.text
    assert not [name for name in opened if name.startswith(str(catalog))]


def test_a_base_that_cannot_be_written_is_opened_for_each_use(
    manager: CheckpointManager,
    home: Path,
    project: Path,
    openings: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = ids(manager, project)
    monkeypatch.setattr(
        "hermes_checkpoints.base.opened.why_unwritable", lambda _: "permission denied"
    )
    monkeypatch.setattr(
        "hermes_checkpoints.base.kept.why_unwritable", lambda _: "permission denied"
    )
    openings.clear()
    assert [ids(manager, project) for _ in range(2)] == [known] * 2
    assert openings == {"opened": 2, "closed": 3}


# --- what other processes leave -------------------------------------------------------------------

KILLED_TAKE = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.capture import publishing

def killed(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)

publishing.add_checkpoint = killed
with Checkpoints.open() as checkpoints:
    checkpoints.project(sys.argv[1]).take("killed")
"""


def run(script: str, *args: str) -> int:
    return subprocess.run([sys.executable, "-c", script, *args], check=False).returncode


@pytest.mark.campaign
def test_the_take_of_another_process_that_was_killed_is_read_back_by_the_next_call(
    manager: CheckpointManager, home: Path, project: Path, openings: Counter[str]
) -> None:
    ids(manager, project)
    (project / "f").write_text("of the killed one\n")
    assert run(KILLED_TAKE, str(project)) == -signal.SIGKILL
    openings.clear()
    found = manager.list_checkpoints(str(project))
    assert [one["reason"] for one in found] == ["killed", "first"]
    assert not openings, "it is settled in the base that is open"


def test_a_take_that_still_runs_is_settled_once_it_was_killed(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    """The one that runs is looked at, and left to itself, by a call in between."""
    script = KILLED_TAKE.replace(
        "os.kill(os.getpid(), signal.SIGKILL)",
        "print('published', flush=True); sys.stdin.read(); os._exit(9)",
    )
    (project / "f").write_text("of the killed one\n")
    with subprocess.Popen(
        [sys.executable, "-c", script, str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"published\n"
        assert [c["reason"] for c in manager.list_checkpoints(str(project))] == ["first"]
        process.kill()
    assert [c["reason"] for c in manager.list_checkpoints(str(project))] == ["killed", "first"]


def test_a_clear_that_was_killed_is_carried_out_by_the_next_call(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    (home / "checkpoints/.clearing").mkdir()
    assert manager.list_checkpoints(str(project)) == []
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))
    assert not (home / "checkpoints/.clearing").exists()


# --- threads and forks ----------------------------------------------------------------------------


def test_threads_share_the_opened_base(
    manager: CheckpointManager, home: Path, project: Path, openings: Counter[str]
) -> None:
    known = ids(manager, project)
    answers: list[list[str]] = []
    openings.clear()
    gate = threading.Barrier(6)

    def ask() -> None:
        gate.wait()
        answers.extend(ids(manager, project) for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [known] * 30
    assert not openings


def test_threads_that_open_at_once_leave_one_base_open(home: Path, openings: Counter[str]) -> None:
    gate, layout = threading.Barrier(6), Layout.of(home)

    def use() -> None:
        gate.wait()
        with lent(layout) as checkpoints:
            checkpoints.list_all()

    threads = [threading.Thread(target=use) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert openings["opened"] - openings["closed"] == 1


def test_a_base_in_use_stays_open_until_its_use_ends(home: Path, openings: Counter[str]) -> None:
    layout = Layout.of(home)
    with lent(layout) as checkpoints:
        kept.close(layout)
        assert openings == {"opened": 1}
        assert checkpoints.list_all() == []
    assert openings == {"opened": 1, "closed": 1}


def in_child(action: Callable[[], bool]) -> bool:
    """Fork, do something in the child, and return whether it was true there."""
    child = os.fork()
    if not child:
        done = False
        with contextlib.suppress(BaseException):
            done = action()
        os._exit(0 if done else 1)
    return os.waitpid(child, 0)[1] == 0


def test_a_fork_and_its_parent_both_go_on(manager: CheckpointManager, project: Path) -> None:
    def child() -> bool:
        manager.new_turn()
        (project / "f").write_text("by the child\n")
        taken = manager.ensure_checkpoint(str(project), "child")
        return taken and len(ids(manager, project)) == 2

    assert in_child(child)
    assert [c["reason"] for c in manager.list_checkpoints(str(project))] == ["child", "first"]
    manager.new_turn()
    (project / "f").write_text("by the parent\n")
    assert manager.ensure_checkpoint(str(project), "parent")


def test_a_fork_in_the_middle_of_a_use_goes_on(home: Path, project: Path) -> None:
    with lent(Layout.of(home)) as checkpoints:
        assert isinstance(checkpoints.project(project).take("first"), Taken)

        def child() -> bool:
            (project / "f").write_text("by the child\n")
            with lent(Layout.of(home)) as own:
                return isinstance(own.project(project).take("child"), Taken)

        assert in_child(child)
        reasons = [one.reason for one in checkpoints.project(project).list()]
    assert reasons == ["child", "first"]


# --- the end --------------------------------------------------------------------------------------

HOST = """
import sys
from hermes_checkpoints import CheckpointManager

manager = CheckpointManager(enabled=True)
assert manager.ensure_checkpoint(sys.argv[1])
assert manager.list_checkpoints(sys.argv[1])
"""


@pytest.mark.campaign
def test_the_end_of_a_process_closes_the_base(home: Path, project: Path) -> None:
    assert run(HOST, str(project)) == 0
    left = {path.name for path in (home / "checkpoints").iterdir()}
    assert not left & {"catalog.db-wal", "catalog.db-shm"}


def test_a_base_that_was_closed_leaves_no_descriptor(
    manager: CheckpointManager, home: Path, project: Path
) -> None:
    assert ids(manager, project)
    gc.collect()
    assert [*open_in(home)]
    kept.close()
    assert not [*open_in(home)]


def open_in(folder: Path) -> Iterator[str]:
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            path = os.readlink(entry)
            if path.startswith(f"{folder}{os.sep}"):
                yield path
