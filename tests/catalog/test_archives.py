"""Which originals of imported history a rule may remove, and why the others stay."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.records import START, shell
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.model import LegacyLayout, LegacyState
from retention.rows import facts as facts_of
from retention.rows import fill, new_catalog, project, row

MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Archived:
    """A row of ``legacy_archives``, as far as it decides; ``of`` is the number of a project."""

    id: int
    of: int
    path: str
    layout: str
    state: LegacyState
    imported: bool
    error: str | None
    age: timedelta


@dataclass(frozen=True)
class Former:
    """A row of ``former_ids``; ``archive`` is None where it is not known in which it lies."""

    checkpoint: int
    layout: str
    archive: int | None
    let_go: bool


Found = tuple[list[Archived], dict[int, tuple[int, bool]], list[Former]]
"""Archives, checkpoints by number with their project and whether they are live, former ids."""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory, empty_catalog: Path) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("archives")
    shutil.copy(empty_catalog, folder)
    with new_catalog(folder) as opened:
        yield opened


@st.composite
def archives(draw: st.DrawFn) -> Found:
    found = [
        Archived(
            number,
            draw(st.integers(1, 2)),
            draw(st.sampled_from(["legacy-1/{}", "legacy-1/{}", "legacy-{}", "{}", "/old/{}"])),
            draw(st.sampled_from(["v1", "v1", "v2", "session-file"])),
            draw(st.sampled_from([LegacyState.ARCHIVED] * 4 + [*LegacyState])),
            draw(st.sampled_from([True, True, True, False])),
            draw(st.sampled_from([None, None, None, "broken"])),
            draw(st.sampled_from([MICROSECOND, timedelta(), timedelta(days=1)])),
        )
        for number in range(1, 1 + draw(st.integers(1, 4)))
    ]
    there = {
        number: (draw(st.integers(1, 2)), draw(st.booleans()))
        for number in range(1, 1 + draw(st.integers(0, 4)))
    }
    formers = [
        Former(
            number,
            draw(st.sampled_from(["v1", "v2"])),
            draw(st.sampled_from([None, None, *(one.id for one in found)])),
            draw(st.sampled_from([False, False, True])),
        )
        for number in there
        for _ in range(draw(st.integers(1, 3)))
    ]
    return found, there, formers


def nowhere_else(archive: Archived, found: Found) -> int:
    """Count the checkpoints that are nowhere but in an archive, one after the other."""
    _, there, formers = found
    if archive.layout != "v1":
        return 0
    count = 0
    for number, (of, live) in there.items():
        its = [one for one in formers if one.checkpoint == number and not one.let_go]
        known = any(one.archive == archive.id for one in its)
        doubt = any(one.archive is None and one.layout == "v1" for one in its)
        count += not live and (known or (doubt and of == archive.of))
    return count


def stays(archive: Archived, found: Found) -> str | None:
    """Say why an archive stays, as a person would read the rule aloud."""
    if not archive.imported or archive.error:
        return "not all of it was imported"
    match nowhere_else(archive, found):
        case 0:
            return None
        case 1:
            return "1 imported checkpoint is nowhere else, and no person let them go"
        case several:
            return f"{several} imported checkpoints are nowhere else, and no person let them go"


def hold(catalog: Catalog, found: Found) -> None:
    listed, there, formers = found
    rows = [
        row(number, of, state="live" if live else "pruned") for number, (of, live) in there.items()
    ]
    fill(catalog, facts_of([project(1), project(2)], rows))
    tables = (
        (
            schema.legacy_archives,
            [
                {
                    "id": one.id,
                    "name": str(one.id),
                    "path": one.path.format(one.id),
                    "layout": one.layout,
                    "project_hash": project(one.of).hash,
                    "workdir": project(one.of).working_dir,
                    "state": one.state,
                    "error": one.error,
                    "found_at": START,
                    "imported_at": START if one.imported else None,
                    "archived_at": START - one.age,
                }
                for one in listed
            ],
        ),
        (
            schema.former_ids,
            [
                {
                    "former_id": f"{place:040x}",
                    "checkpoint_id": one.checkpoint,
                    "layout": one.layout,
                    "archive_id": one.archive,
                    "let_go_at": START if one.let_go else None,
                }
                for place, one in enumerate(formers)
            ],
        ),
    )
    with catalog._transactions.writing() as connection:
        for table, values in tables:
            if values:
                connection.execute(table.insert(), values)


@given(archives())
def test_an_archive_goes_where_nothing_is_only_in_it(catalog: Catalog, found: Found) -> None:
    try:
        hold(catalog, found)
        expired = catalog.archives.expired(START)
        may_go = catalog.archives.that_may_go(range(9))
        alone = catalog.arriving.only_in_archives()
    finally:
        catalog.retention.erase()
    archived = [one for one in found[0] if one.state is LegacyState.ARCHIVED]
    inside = [one for one in archived if one.path == "legacy-1/{}"]
    assert [(record.id, why) for record, why in expired] == [
        (one.id, stays(one, found)) for one in inside if one.age > timedelta()
    ]
    assert [*may_go] == [one.id for one in inside if stays(one, found) is None]
    assert alone == [
        (one.path.format(one.id), nowhere_else(one, found))
        for one in archived
        if one.imported and nowhere_else(one, found)
    ]


def test_with_its_folder_all_of_an_archive_is_cleared_and_nothing_else(
    tmp_path: Path, empty_catalog: Path
) -> None:
    shutil.copy(empty_catalog, tmp_path)
    inside = ["legacy-1/a", "legacy-1/b\udcff", "legacy-1/deep/c"]
    others = ["legacy-10/a", "LEGACY-1/a", "legacy-1", "/legacy-1/a", "_egacy-1/a"]
    with new_catalog(tmp_path) as opened:
        for path in inside + others:
            opened.archives.add(
                path, path, LegacyLayout.V1, project_hash=None, working_dir=None, now=START
            )
        opened.archives.clear_folder("legacy-1", START + MICROSECOND)
        opened.archives.clear_folder("legacy-1", START + 2 * MICROSECOND)
        cleared = {r.path for r in opened.archives.all() if r.state is LegacyState.CLEARED}
        assert cleared == {*inside}
        query = "SELECT DISTINCT cleared_at FROM legacy_archives WHERE state = 'cleared'"
        times = [line["cleared_at"] for line in shell(opened.path, query)]
    assert [time[-7:] for time in times] == [".000001"], "once"
