"""A plan of what is removed for good covers all that goes, or nothing goes."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import BadRequest, Checkpoints, Config, Failed, Taken
from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.catalog import sqlite as connections
from hermes_checkpoints.cli import main
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, former_locks, project_hash
from interpreters import run as run_python
from retention.histories import History
from support import every


def take(checkpoints: Checkpoints, project: Path, text: str) -> Taken:
    (project / "data").write_text(text, encoding="utf-8")
    done = checkpoints.project(project).take(text)
    assert isinstance(done, Taken)
    return done


def test_a_plan_is_carried_out(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        plan = checkpoints.plan_clear()
        done = checkpoints.clear(plan=plan)
        assert (plan.checkpoints, done.checkpoints, done.errors) == (1, 1, ())
    assert not (home / "checkpoints").exists()


def test_what_went_since_the_plan_is_no_matter(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for text in ("one", "two"):
            take(checkpoints, project, text)
        plan = checkpoints.plan_clear()
        checkpoints.project(project).drop("2")
        assert checkpoints.clear(plan=plan).checkpoints == 1


def test_a_checkpoint_that_the_plan_has_not_is_not_lost(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for text in ("one", "two"):
            take(checkpoints, project, text)
        plan = checkpoints.plan_clear()
        checkpoints.project(project).drop("2")
        newest = take(checkpoints, project, "three").checkpoint  # as many as before
        with pytest.raises(BadRequest, match="1 more than the plan has would be removed, first ch"):
            checkpoints.clear(plan=plan)
        assert checkpoints.project(project).get() == newest
        assert checkpoints.clear(plan=checkpoints.plan_clear()).checkpoints == 2


def test_a_session_that_the_plan_has_not_is_not_lost(home: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.sessions.write("planned", {})
        plan = checkpoints.plan_clear(sessions=True)
        checkpoints.sessions.write("later", {})
        with pytest.raises(BadRequest, match="first session later"):
            checkpoints.clear(sessions=True, plan=plan)
        kept = checkpoints.plan_clear()
        with pytest.raises(BadRequest, match="another `sessions`"):
            checkpoints.clear(sessions=True, plan=kept)
        with pytest.raises(BadRequest, match="another `sessions`"):
            checkpoints.clear(plan=plan)
        assert checkpoints.sessions.ids() == ["later", "planned"]
        checkpoints.sessions.write("more", {})
        assert checkpoints.clear(plan=kept).kept_sessions == 3


def test_an_archive_that_the_plan_has_not_is_not_lost(home: Path) -> None:
    base = home / "checkpoints"
    with Checkpoints.open(home) as checkpoints:
        (base / "legacy-1" / "repository").mkdir(parents=True)
        plans = {
            checkpoints.clear: checkpoints.plan_clear(),
            checkpoints.clear_legacy: checkpoints.plan_clear_legacy(),
        }
        (base / "legacy-1" / "another").mkdir()
        for method, plan in plans.items():
            with pytest.raises(BadRequest, match="first archive legacy-1/another; nothing was"):
                method(plan=plan)
        assert len(list((base / "legacy-1").iterdir())) == 2
        done = checkpoints.clear_legacy(plan=checkpoints.plan_clear_legacy())
        assert (done.archives, done.errors) == (1, ())


def test_a_plan_is_of_its_method_and_its_base(home: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints, Checkpoints.open(tmp_path / "other") as other:
        (home / "checkpoints" / "legacy-1").mkdir()
        for method, plan in (
            (checkpoints.clear, checkpoints.plan_clear_legacy()),
            (checkpoints.clear_legacy, checkpoints.plan_clear()),
            (checkpoints.clear, other.plan_clear()),
            (checkpoints.clear_legacy, other.plan_clear_legacy()),
            (other.clear_legacy, other.clear_legacy()),
        ):
            with pytest.raises(BadRequest, match="no plan of `plan_clear"):
                method(plan=plan)
        assert len(checkpoints.legacy_archives()) == 1


def test_a_long_history_is_erased_at_once(history: History) -> None:
    """Each row was looked up in all others: 40,000 took more than a minute."""
    history.take(history.project())
    base = history.checkpoints._base
    history.checkpoints.sessions.write("s1", {"task": "port the parser"})
    with closing(sqlite3.connect(base.layout.catalog)) as connection, connection:
        columns = "project_id, commit_id, ref_name, tree_id, state_id, kind, reason, created_at"
        connection.execute(
            f"INSERT INTO checkpoints ({columns}, previous_id)"  # noqa: S608
            " WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)"
            " SELECT 1, 'c' || n, 'r' || n, 't', 's', 'auto', 'x', '2026-11-20', n FROM n"
        )
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1000

    with pytest.MonkeyPatch.context() as patch:
        real = connections.connect

        def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection = real(*arguments, **options)
            connection.set_progress_handler(count, 1000)
            return connection

        patch.setattr(connections, "connect", connect)
        base.catalog.retention.erase()
    assert steps < 20_000
    assert base.catalog.checkpoints.known_commits() == set()
    assert base.catalog.sessions.ids() == ["s1"]
    assert base.catalog.shrink() is None
    assert base.catalog.bytes < 600_000
    taken = history.take(history.project("another"))
    assert taken._row > 20_000, "ids are not given anew"


# --- killed --------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from hermes_checkpoints import Checkpoints

left = int(sys.argv[2])
sessions = sys.argv[3] == "sessions"
named = sys.argv[4]

def watch(event, arguments):
    global left
    changes = ("os.rename", "os.mkdir", "os.rmdir", "os.remove", "sqlite3.connect")
    if event in changes and named in str(arguments):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

checkpoints = Checkpoints.open(sys.argv[1])
sys.addaudithook(watch)
checkpoints.clear(sessions=sessions)
"""

VERBS = (
    ("status",),
    ("take", "-m", "after"),
    ("log",),
    ("show", "1"),
    ("diff", "1"),
    ("cat", "1", "data"),
    ("restore", "1", "-f"),
    ("du", "--measure"),
    ("prune", "-f"),
    ("sessions",),
    ("clear", "--dry-run"),
    ("clear", "--sessions", "-f"),
)


def third(number: int) -> list[tuple[str, ...]]:
    """Every third of the verbs, other ones for each number; the clear of all comes last."""
    return [*VERBS[number % 3 : -1 : 3], VERBS[-1]]


def killed_clear(home: Path, at: int, sessions: bool, named: str = "") -> bool:
    """Clear in a process that is killed before the ``at``-th change of a path that has ``named`` in
    it; return whether it was."""
    ended = run_python(KILLED, home, at, "sessions" if sessions else "kept", named)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode != 0


def every_verb_works(
    home: Path,
    project: Path,
    may_lack: tuple[str, ...] = (),
    verbs: Sequence[tuple[str, ...]] = VERBS,
) -> None:
    """What the store lacks is named by the verbs ``may_lack``, and by no other."""
    for verb in verbs:
        code = main(["--home", str(home), "-C", str(project), *verb])
        assert code in ((0, 2, 3) if verb[0] in may_lack else (0,)), verb
    assert not (home / "checkpoints").exists()


@pytest.mark.campaign
@pytest.mark.parametrize("sessions", [False, True], ids=["sessions kept", "all"])
def test_a_clear_killed_at_any_change_leaves_a_base_with_which_every_verb_works(
    sessions: bool, home: Path, project: Path, tmp_path: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        take(checkpoints, project, "two")
        checkpoints.sessions.write("s1", {"task": "t"})
    (home / "checkpoints" / "legacy-1").mkdir()
    original = tmp_path / "original"
    shutil.copytree(home, original)
    at, kills = 1, 0
    while True:
        shutil.rmtree(home)
        shutil.copytree(original, home)
        if not killed_clear(home, at, sessions):
            break
        kills += 1
        with Checkpoints.open(home) as checkpoints:
            # Either nothing went, or all that was to go.
            left = len(checkpoints.project(project).list())
            assert left in (0, 2)
            assert left or not (home / "checkpoints" / "legacy-1").exists()
            if left:
                assert checkpoints.project(project).read_file("1", "data") == b"two"
            assert checkpoints.sessions.ids() == ([] if sessions and not left else ["s1"])
            (project / "data").write_text(f"after kill {at}", encoding="utf-8")
            assert isinstance(checkpoints.project(project).take("after"), Taken)
            checkpoints.prune()
            names = {entry.name for entry in (home / "checkpoints").iterdir()}
            assert not {name for name in names if name.startswith(".cle")}
            assert checkpoints.project(project).read_file("1", "data") == (
                f"after kill {at}".encode()
            )
        every_verb_works(home, project, verbs=third(kills))
        at += 1 if at < 12 else every(8)
    assert kills >= 12
    assert (home / "checkpoints").exists() is not sessions


@pytest.mark.slow
def test_a_clear_that_is_killed_twice_is_carried_out(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
    base = home / "checkpoints"
    assert killed_clear(home, 3, True, clearing.ALL)
    assert (base / clearing.ALL).is_dir()
    for at in (1, 2):  # the opening that carries it out is killed, too
        ended = run_python(
            KILLED.replace("checkpoints = Checkpoints.open(sys.argv[1])\n", "").replace(
                "checkpoints.clear(sessions=sessions)", "Checkpoints.open(sys.argv[1])"
            ),
            *(home, at, "all", clearing.ALL),
        )
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.list_all() == []
        assert isinstance(checkpoints.project(project).take(), Taken)


def test_an_opening_deletes_what_was_cleared_for_a_moment_only(home: Path) -> None:
    base = home / "checkpoints"
    Checkpoints.open(home).close()
    folder = base / clearing.CLEARED / "1"
    folder.mkdir(parents=True)
    for number in range(2_000):
        (folder / str(number)).touch()
    layout = Layout.of(home)
    assert clearing.delete(layout, seconds=0.0) == []
    assert len(list(folder.iterdir())) == 1_999, "one file at least, and no more than time allows"
    with exclusive(layout.clear_lock, purpose="deleting"):
        assert clearing.delete(layout, seconds=10.0) == []
    assert len(list(folder.iterdir())) == 1_999, "somebody is at it"
    clearing.delete(layout, seconds=600.0)
    assert not (base / clearing.CLEARED).exists()


def test_a_take_that_waited_for_a_clear_is_the_first_of_the_cleared_base(
    home: Path, project: Path
) -> None:
    """Session checkpoints stay, and with them the catalog that the take has open."""
    with Checkpoints.open(home) as checkpoints, Checkpoints.open(home) as other:
        take(checkpoints, project, "before")
        checkpoints.sessions.write("s1", {})
        started, done = threading.Event(), []

        def wait() -> None:
            started.set()
            done.append(other.project(project).take("after"))

        (project / "data").write_text("two", encoding="utf-8")
        thread = threading.Thread(target=wait)
        lock = checkpoints._base.layout.project_lock(project_hash(project.resolve()))
        with exclusive(lock, purpose="a test"):
            thread.start()
            started.wait()
            checkpoints.clear()
        thread.join()
        assert isinstance(done[0], Taken)
        assert [c.reason for c in checkpoints.list_all()] == ["after"]
        assert checkpoints.project(project).read_file("1", "data") == b"two"


def test_nothing_is_added_to_a_base_whose_clear_was_killed(home: Path, project: Path) -> None:
    """It would be removed by the next opening, which carries the clear out."""
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "before")
        checkpoints.sessions.write("s1", {})
        assert killed_clear(home, 2, False, clearing.CHECKPOINTS)
        done = checkpoints.project(project).take("lost")
        assert isinstance(done, Failed)
        assert "open it again" in str(done.error)
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.list_all() == []
        assert isinstance(checkpoints.project(project).take("kept"), Taken)


def test_settings_stay_where_sessions_are_kept(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 7}\n", encoding="utf-8")

    def settings() -> dict[str, str]:
        with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection:
            rows = connection.execute("SELECT name, value FROM settings").fetchall()
        return {name: value for name, value in rows if name in Config().settings()}

    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        checkpoints.sessions.write("s1", {})
        before = settings()
        assert before["max_snapshots"] == "7"
        checkpoints.clear()
        assert settings() == before


def test_a_clear_removes_the_locks_of_earlier_programs_beside_the_base(
    home: Path, project: Path
) -> None:
    layout = Layout.of(home)
    with Checkpoints.open(home) as checkpoints:
        former_locks(layout.base).mkdir()
        take(checkpoints, project, "one")
        assert checkpoints.clear().errors == ()
    assert list(home.iterdir()) == []


def test_a_base_in_use_keeps_its_locks(home: Path, project: Path) -> None:
    layout = Layout.of(home)
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        with exclusive(layout.cap_lock, purpose="a test"):
            assert checkpoints.clear().errors == ()
    assert [entry.name for entry in layout.base.iterdir()] == ["locks"]
    assert not base_exists(layout)


# --- a store without a frame ---------------------------------------------------------------------


def frameless(store: Path) -> None:
    shutil.rmtree(store)
    store.mkdir()


def without(*names: str) -> Callable[[Path], None]:
    def remove(store: Path) -> None:
        for name in names:
            path = store / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    return remove


def half(store: Path) -> None:
    for number, path in enumerate(sorted(store.rglob("*"))):
        if path.is_file() and number % 2:
            path.unlink()


def garbled(store: Path) -> None:
    (store / "config").write_bytes(b"\0" * 100)


def zeroed(store: Path) -> None:
    for name in ("HEAD", "config", "git-program.json", "info/exclude"):
        (store / name).write_bytes(b"")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": frameless,
    "no HEAD": without("HEAD"),
    "no config": without("config"),
    "no refs": without("refs"),
    "no objects": without("objects"),
    "refs and objects": without("HEAD", "config", "info", "indexes"),
    "half deleted": half,
    "config of NUL bytes": garbled,
    "empty files": zeroed,
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("catalog", [True, False], ids=["catalog", "no catalog"])
@pytest.mark.parametrize(("number", "damage"), [*enumerate(DAMAGES)], ids=DAMAGES)
def test_every_verb_survives_a_store_without_its_frame(
    number: int, damage: str, catalog: bool, home: Path, project: Path
) -> None:
    base = home / "checkpoints"
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        take(checkpoints, project, "two")
    DAMAGES[damage](base / "store")
    if not catalog:
        (base / "catalog.db").unlink()
    assert main(["--home", str(home), "-C", str(project), "status"]) == 0
    (project / "data").write_text("three", encoding="utf-8")
    verbs = [("take", "-m", "after"), *third(number + catalog)]  # each meets six damages
    every_verb_works(home, project, may_lack=("du", "prune"), verbs=verbs)


@pytest.mark.campaign
def test_a_fresh_home_with_an_empty_store_is_one_without_checkpoints(
    home: Path, project: Path
) -> None:
    (home / "checkpoints" / "store").mkdir(parents=True)
    (project / "data").write_text("one", encoding="utf-8")
    every_verb_works(home, project)


def test_a_mended_frame_loses_no_checkpoint(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
    store = home / "checkpoints" / "store"
    without("HEAD", "config", "info")(store)
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.project(project).read_file("1", "data") == b"one"
        assert "hooksPath" in (store / "config").read_text()
