"""Projects are added once, touched, and related by their directories."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.records import START, Maker, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import FileIdentity, ProjectState
from support import examples


def test_a_project_is_added_once_and_then_touched(catalog: Catalog, make: Maker) -> None:
    first = make.project()
    again = make.project()
    assert (again.id, again.created_at) == (first.id, first.created_at)
    assert again.last_touch == first.last_touch + timedelta(minutes=1)
    assert catalog.projects.get(first.hash) == again
    assert catalog.projects.get("0" * 16) is None


def test_a_touch_never_goes_back(catalog: Catalog) -> None:
    for moment in (START, START - timedelta(days=1)):
        found = catalog.projects.ensure("a" * 16, "/w", moment, identity=None, parent=None)
    assert found.last_touch == START


def test_identities_are_kept_until_others_are_given(catalog: Catalog) -> None:
    def ensure(identity: FileIdentity | None, parent: FileIdentity | None) -> None:
        catalog.projects.ensure("a" * 16, "/w", START, identity=identity, parent=parent)

    def identities() -> list[dict[str, str | None]]:
        columns = "device, inode, parent_device, parent_inode"
        return shell(catalog.path, f"SELECT {columns} FROM projects")  # noqa: S608

    here, above, other = FileIdentity("1", "2" * 20), FileIdentity("1", "3"), FileIdentity("4", "5")
    ensure(None, None)
    assert [set(row.values()) for row in identities()] == [{None}]
    ensure(here, above)
    ensure(None, None)
    assert [tuple(row.values()) for row in identities()] == [("1", "2" * 20, "1", "3")]
    ensure(other, None)
    assert [tuple(row.values()) for row in identities()] == [("4", "5", "1", "3")]


def test_states_say_since_when_a_project_is_missing(catalog: Catalog, make: Maker) -> None:
    gone, far, here = (make.project(f"/srv/{name}") for name in ("gone", "far", "here"))
    for days in (1, 2):
        catalog.projects.set_states(
            {
                gone.hash: ProjectState.ORPHAN,
                far.hash: ProjectState.UNREACHABLE,
                here.hash: ProjectState.LIVE,
            },
            START + timedelta(days=days),
        )
    states = {project.working_dir: project.state for project in catalog.projects.all()}
    assert states == {
        "/srv/gone": ProjectState.ORPHAN,
        "/srv/far": ProjectState.UNREACHABLE,
        "/srv/here": ProjectState.LIVE,
    }

    def missing_since() -> dict[str, str]:
        rows = shell(catalog.path, "SELECT hash, missing_since FROM projects")
        return {row["hash"]: row["missing_since"][:19] for row in rows if row["missing_since"]}

    since = f"{START + timedelta(days=1):%F %T}"
    assert missing_since() == {gone.hash: since, far.hash: since}
    assert make.project("/srv/gone").state is ProjectState.LIVE
    assert missing_since() == {far.hash: since}
    catalog.projects.set_states({}, START)


def test_related_projects_lie_above_or_below(catalog: Catalog, make: Maker) -> None:
    for workdir in ("/w", "/w/a", "/w/a/b/c", "/w/a/b/d", "/w/ab", "/w/a_", "/v", "/w/a/b"):
        make.checkpoint(make.project(workdir))
    make.project("/w/a/b/empty")

    def related(workdir: str) -> list[str]:
        return [project.working_dir for project in catalog.projects.related(workdir)]

    assert related("/w/a/b") == ["/w/a", "/w", "/w/a/b/c", "/w/a/b/d"]
    assert related("/w/a_/x") == ["/w/a_", "/w"]
    assert related("/nowhere") == []
    assert len(related("/")) == 8


def test_pruned_checkpoints_make_no_relation(catalog: Catalog, make: Maker) -> None:
    checkpoint = make.checkpoint(make.project("/w/a"))
    catalog.checkpoints.mark_pruning({checkpoint._row: "age"}, make.now())
    assert catalog.projects.related("/w") == []


@pytest.mark.parametrize("workdir", ["/w/caf\udce9", "/w/back\\slash", "/w/new\nline", "/w/ü"])
def test_any_directory_name_comes_back(catalog: Catalog, make: Maker, workdir: str) -> None:
    make.checkpoint(make.project(workdir))
    make.checkpoint(make.project(workdir + "/sub"))
    assert {project.working_dir for project in catalog.projects.all()} == {
        workdir,
        workdir + "/sub",
    }
    assert [one.working_dir for one in catalog.projects.related(workdir)] == [workdir + "/sub"]
    assert [one.working_dir for one in catalog.projects.related(workdir + "/sub/x")] == [
        workdir + "/sub",
        workdir,
    ]


@given(st.binary(min_size=1, max_size=12).filter(lambda raw: not set(raw) & {0, 0x2F}))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50))
def test_prefix_queries_work_on_any_bytes(catalog: Catalog, make: Maker, raw: bytes) -> None:
    name = raw.decode("utf-8", "surrogateescape")
    if name in (".", ".."):
        return
    folder = f"/p/{name}"
    inside = make.project(f"{folder}/inside")
    if not catalog.checkpoints.list(inside.hash):
        make.checkpoint(inside)
    assert [one.working_dir for one in catalog.projects.related(folder)] == [f"{folder}/inside"]


def test_rows_read_well_in_a_shell(catalog: Catalog, make: Maker) -> None:
    make.project("/srv/caf\udce9")
    (row,) = shell(catalog.path, "SELECT workdir, created_at, state FROM projects")
    assert row == {
        "workdir": "/srv/caf\\xe9",
        "created_at": "2026-11-20 12:01:00.000000",
        "state": "live",
    }


def test_settings_are_written_when_they_change(catalog: Catalog, make: Maker) -> None:
    assert catalog.settings.get("retention_days") is None
    for value in ("7", "7", "30"):
        catalog.settings.set("retention_days", value, make.now())
    assert catalog.settings.get("retention_days") == "30"
    rows = shell(catalog.path, "SELECT name, value, updated_at FROM settings")
    assert rows == [
        {"name": "retention_days", "value": "30", "updated_at": "2026-11-20 12:03:00.000000"}
    ]
