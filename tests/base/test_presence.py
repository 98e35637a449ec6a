"""Orphans need proof: what is not seen is not gone."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import CatalogBusy, Checkpoints
from hermes_checkpoints.admin.status import status
from hermes_checkpoints.base import presence
from hermes_checkpoints.base.presence import look, state_of
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.config import Config
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.model import FileIdentity, Policy, ProjectState, Rule
from retention.histories import ANYTHING, AT_ONCE, NOW, History
from support import OrdinaryUserLike

LIVE, ORPHAN, UNREACHABLE = ProjectState.LIVE, ProjectState.ORPHAN, ProjectState.UNREACHABLE


def state_in_status(history: History) -> ProjectState:
    (found,) = history.checkpoints.status().projects
    return found.project.state


def test_status_and_prune_have_one_definition_of_an_orphan(history: History) -> None:
    project = history.project()
    history.takes(project, 2)
    assert state_in_status(history) is LIVE
    shutil.rmtree(project)
    assert state_in_status(history) is ORPHAN
    plan = history.checkpoints.plan_prune(policy=ANYTHING)
    assert [p.state for p in plan.projects] == [ORPHAN]
    assert {d.rule for d in plan.drop} == {Rule.ORPHAN}
    history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert history.refs() == []
    assert list((history.store / "indexes").iterdir()) == []
    status = history.checkpoints.status()
    assert (status.projects, status.project_count, status.checkpoint_count) == ((), 0, 0)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("how", ["unmounted", "replaced", "a file now"])
def test_a_parent_that_is_another_proves_nothing(history: History, how: str) -> None:
    project = history.project("volume/alpha")
    history.takes(project, 3)
    parent = project.parent
    parent.rename(parent.with_name("elsewhere"))
    if how == "replaced":
        parent.mkdir()
    elif how == "a file now":
        parent.write_text("no folder")
    assert state_in_status(history) is UNREACHABLE
    plan = history.checkpoints.plan_prune(policy=Policy(orphan_grace=None, max_snapshots=1))
    assert plan.drop == ()
    assert "cannot be seen" in plan.kept[0].reason
    history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert len(history.refs()) == 3
    if parent.is_dir():
        parent.rmdir()
    else:
        parent.unlink(missing_ok=True)
    parent.with_name("elsewhere").rename(parent)
    assert state_in_status(history) is LIVE
    history.checkpoints.project(project).restore("3")


def test_a_mount_point_that_is_gone_is_unmounted() -> None:
    gone, parent = Path("/nowhere/volume"), Path("/nowhere")
    assert state_of(gone, FileIdentity("7", "1"), FileIdentity("8", "2")) is UNREACHABLE
    assert state_of(parent, None, identity(Path("/"))) is ORPHAN
    assert state_of(parent, None, None) is UNREACHABLE


def test_a_name_that_is_something_else_now_is_not_gone(history: History) -> None:
    project = history.project()
    history.take(project)
    shutil.rmtree(project)
    project.symlink_to(project.with_name("nowhere"))
    assert state_in_status(history) is UNREACHABLE
    project.unlink()
    project.write_text("a file")
    assert state_in_status(history) is UNREACHABLE


def closed_parent(tmp: Path) -> tuple[str, int]:
    project = tmp / "work" / "alpha"
    project.mkdir(parents=True)
    (project / "file").write_text("text")
    home = tmp / "user" / ".hermes"
    with Checkpoints.open(home, config=Config(max_snapshots=1)) as checkpoints:
        checkpoints.project(project).take()
        project.parent.chmod(0)
        try:
            (found,) = checkpoints.status().projects
            plan = checkpoints.plan_prune(policy=Policy(orphan_grace=None, retention_days=1))
            checkpoints.prune(plan=plan, options=AT_ONCE)
        finally:
            project.parent.chmod(0o700)
        return found.project.state.value, len(checkpoints.project(project).list())


def test_a_closed_parent_proves_nothing(as_user: OrdinaryUserLike) -> None:
    assert as_user(closed_parent, as_user.tmp) == ("unreachable", 1)


def test_a_directory_that_comes_back_while_somebody_is_asked_stays(history: History) -> None:
    project = history.project()
    history.takes(project, 2)
    other = history.project("beta")
    history.take(other)
    for path in (project, other):
        shutil.rmtree(path)
    plan = history.checkpoints.plan_prune(policy=ANYTHING)
    project.mkdir()
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert {d.project.working_dir for d in result.dropped} == {str(other)}
    assert {d.project.working_dir for d in result.skipped} == {str(project)}
    assert len(history.checkpoints.project(project).list()) == 2
    history.verify()


def test_the_grace_period_begins_when_absence_is_seen(history: History) -> None:
    project = history.project("volume/alpha")
    history.take(project)
    clock = [NOW]
    checkpoints = Checkpoints(replace(history.checkpoints._base, now=lambda: clock[0]))

    def goes() -> bool:
        return bool(checkpoints.plan_prune(policy=Policy()).drop)

    aside = project.parent.with_name("aside")
    project.parent.rename(aside)
    assert not goes()
    clock[0] += timedelta(days=30)  # unmounted for a month: no proof of anything
    aside.rename(project.parent)
    shutil.rmtree(project)
    assert not goes()
    clock[0] += timedelta(days=6.9)
    assert not goes()
    clock[0] += timedelta(days=0.2)
    assert goes()


def test_identities_are_recorded_again_while_a_directory_lives(history: History) -> None:
    project = history.project("volume/alpha")
    history.take(project)
    copy = project.parent.with_name("copy")
    shutil.copytree(project.parent, copy)
    shutil.rmtree(project.parent)
    copy.rename(project.parent)  # the same names, other inodes: a volume restored from a backup
    base = history.checkpoints._base
    look(base)
    assert [p.state for p in base.catalog.projects.all()] == [LIVE]
    shutil.rmtree(project)
    look(base)
    assert [p.state for p in base.catalog.projects.all()] == [ORPHAN]
    assert not os.path.lexists(project)


def checked(history: History) -> dict[str, str]:
    """Return by name of the directory when it was last looked at, as anybody reads the table."""
    with closing(sqlite3.connect(history.home / "checkpoints" / "catalog.db")) as connection:
        rows = connection.execute("SELECT workdir, state_checked_at FROM projects").fetchall()
    return {Path(working_dir).name: moment for working_dir, moment in rows}


def make_old(history: History) -> None:
    """Let all looks be of a minute before."""
    with closing(sqlite3.connect(history.home / "checkpoints" / "catalog.db")) as connection:
        connection.execute(
            "UPDATE projects SET state_checked_at ="
            " strftime('%Y-%m-%d %H:%M:%f000', state_checked_at, '-60 seconds')"
        )
        connection.commit()


def test_status_looks_at_what_it_lists_and_at_nothing_else(history: History) -> None:
    names = ["a", "b", "c", "d"]
    for name in names:
        history.take(history.project(name))
    look(history.checkpoints._base)
    before = checked(history)
    assert None not in before.values()
    for name in names:
        shutil.rmtree(history.project(name))
    shown = history.checkpoints.status(limit=2).projects
    assert [(Path(p.project.working_dir).name, p.project.state) for p in shown] == [
        ("d", ORPHAN),
        ("c", ORPHAN),
    ]
    after = checked(history)
    assert [name for name in names if after[name] > before[name]] == ["c", "d"]
    (only,) = history.checkpoints.status(working_dir=history.folder / "a").projects
    assert (only.project.working_dir, only.project.state) == (f"{history.folder}/a", ORPHAN)
    last = checked(history)
    assert [name for name in names if last[name] > after[name]] == ["a"]
    projects = history.checkpoints._base.catalog.projects.all()
    recorded = {p.working_dir[-1]: p.state for p in projects}
    assert recorded == {"a": ORPHAN, "b": LIVE, "c": ORPHAN, "d": ORPHAN}


LOOKS: dict[str, Callable[[Checkpoints], object]] = {
    "status": lambda checkpoints: checkpoints.status(),
    "status of some": lambda checkpoints: checkpoints.status(limit=2),
    "summary": lambda checkpoints: checkpoints.summary(),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_look_is_recorded_with_its_time_where_the_last_record_is_a_minute_old(
    history: History, look: Callable[[Checkpoints], object]
) -> None:
    for name in ("a", "b"):
        history.take(history.project(name))
    look(history.checkpoints)
    first = checked(history)
    look(history.checkpoints)
    assert checked(history) == first
    make_old(history)
    look(history.checkpoints)
    again = checked(history)
    assert all(again[name] > first[name] for name in ("a", "b"))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_what_a_look_finds_anew_is_recorded_at_once(
    history: History, look: Callable[[Checkpoints], object]
) -> None:
    project = history.project("a")
    history.take(project)
    look(history.checkpoints)
    first = checked(history)
    shutil.rmtree(project)
    look(history.checkpoints)
    assert checked(history)["a"] > first["a"]
    assert [one.state for one in history.checkpoints._base.catalog.projects.all()] == [ORPHAN]


def test_a_prune_looks_at_all_and_records_every_look(history: History) -> None:
    for name in ("a", "b"):
        history.take(history.project(name))
    history.checkpoints.status()
    first = checked(history)
    history.checkpoints.plan_prune()
    assert all(time > first[name] for name, time in checked(history).items())


def test_a_look_that_cannot_be_recorded_is_answered_all_the_same(history: History) -> None:
    project = history.project()
    history.take(project)
    shutil.rmtree(project)
    base = history.checkpoints._base
    impatient = Catalog.open(base.layout.catalog, base.layout.catalog_lock, busy_timeout=0.05)
    with impatient, closing(sqlite3.connect(base.layout.catalog)) as other:
        other.execute("BEGIN IMMEDIATE")
        (found,) = status(replace(base, catalog=impatient)).projects
        assert found.project.state is ORPHAN
        with pytest.raises(CatalogBusy):
            look(replace(base, catalog=impatient))
    assert base.catalog.projects.all()[0].state is LIVE


def closed_catalog(tmp: Path) -> list[str]:
    (tmp / "p").mkdir()
    (tmp / "p" / "f").write_text("x")
    catalog = tmp / "user" / ".hermes" / "checkpoints" / "catalog.db"
    with Checkpoints.open() as checkpoints:
        checkpoints.project(tmp / "p").take()
        shutil.rmtree(tmp / "p")
        checkpoints._base.catalog._transactions.close_idle()
        catalog.chmod(0o400)
        try:
            return [p.project.state.value for p in checkpoints.status().projects]
        finally:
            catalog.chmod(0o600)


def test_a_catalog_that_takes_nothing_is_read(as_user: OrdinaryUserLike) -> None:
    assert as_user(closed_catalog, as_user.tmp) == ["orphan"]


def test_very_many_projects_are_looked_at_at_once(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        history.take(history.project(name))
    shutil.rmtree(history.project("b"))
    monkeypatch.setattr(presence, "_MOST_NAMED", 1)
    shown = history.checkpoints.status(limit=2).projects
    assert [p.project.state for p in shown] == [LIVE, ORPHAN]
    assert history.checkpoints._base.catalog.projects.all()[2].state is LIVE


def test_a_prune_records_which_places_come_and_go(history: History) -> None:
    base = history.checkpoints._base
    history.take(history.project())  # below the folder for temporary files
    for number, path in enumerate(("/srv/alpha", "/srv/alpha/.worktrees/one")):
        base.catalog.projects.ensure(f"{number:016x}", path, NOW, identity=None, parent=None)

    def disposable() -> dict[str, bool]:
        return {p.working_dir: p.disposable for p in base.catalog.retention.projects()}

    look(base)
    assert set(disposable().values()) == {False}
    history.checkpoints.plan_prune(policy=Policy())
    assert disposable() == {
        str(history.project()): True,
        "/srv/alpha": False,
        "/srv/alpha/.worktrees/one": True,
    }


@pytest.mark.parametrize("ask", [Checkpoints.status, Checkpoints.summary])
def test_a_look_that_was_recorded_by_a_clock_far_ahead_is_recorded_anew(
    history: History, ask: Callable[[Checkpoints], object]
) -> None:
    history.take(history.project())
    catalog = history.checkpoints._base.catalog
    began = history.checkpoints._base.now()
    (known,) = catalog.projects.all()
    catalog.projects.set_states({known.hash: LIVE}, began + timedelta(days=9999))
    ask(history.checkpoints)
    ended = history.checkpoints._base.now()
    with closing(sqlite3.connect(catalog.path)) as connection:
        (recorded,) = connection.execute("SELECT state_checked_at, last_seen_at FROM projects")
    for time in recorded:
        assert f"{began:%F %T.%f}" <= time <= f"{ended:%F %T.%f}"


@pytest.mark.parametrize("ask", [Checkpoints.status, Checkpoints.summary])
def test_a_name_that_this_system_cannot_have_is_unreachable(
    history: History, ask: Callable[[Checkpoints], object]
) -> None:
    """As of a base that comes from another system."""
    base = history.checkpoints._base
    made = base.catalog.projects.ensure("a" * 16, "/srv/\ud800", NOW, identity=None, parent=None)
    ask(history.checkpoints)
    look(base)
    found = base.catalog.projects.get(made.hash)
    assert found is not None
    assert (found.working_dir, found.state) == ("/srv/\ud800", UNREACHABLE)
