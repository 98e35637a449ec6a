"""What happened to paths is found by project and path, whatever their names."""

from __future__ import annotations

import os

from catalog.records import START, Maker, added
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import Actor, ChangeStatus, PathEvent

ODD = ("a", "a b", 'say "x"', "back\\slash", "new\nline", "\N{GRINNING FACE}", "'", "[1]", "%", "*")
NAMES = (*ODD, os.fsdecode(b"b\xff/\x80"), "A", "a/b")


def event(path: str, blob: str) -> PathEvent:
    return PathEvent(path, ChangeStatus.MODIFIED, Actor.AGENT, "s", 1, None, blob, None, START)


def test_events_are_found_by_project_and_path_whatever_the_names(
    catalog: Catalog, make: Maker
) -> None:
    projects = [make.project(f"/srv/{name}") for name in "abc"]
    for project in projects:
        row = make.checkpoint(project, changes=[added("a")])._row
        events = [event(name, f"{place:040x}") for place, name in enumerate(NAMES)]
        catalog.events.add(project.id, row, [*events, *events])
    asked = {one.id: NAMES[place::2] for place, one in enumerate(projects[:2])}
    found = catalog.events.of_projects(asked)
    for id_, names in asked.items():
        wanted = [name for name in NAMES if name in names]
        assert [one.event.path for one in found[id_]] == wanted * 2
        assert catalog.events.of_paths(id_, [*names, *names]) == found[id_]
        rows = [one.id for one in found[id_]]
        assert rows == sorted(rows)
    assert found.keys() == asked.keys()


def test_of_no_path_nothing_is_found(catalog: Catalog, make: Maker) -> None:
    project = make.project("/srv/a")
    assert catalog.events.of_projects({}) == {}
    assert catalog.events.of_paths(project.id, []) == []
    assert catalog.events.of_paths(project.id, ["a"]) == []
