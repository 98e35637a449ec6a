"""What can be read of a damaged catalog is in the new one, and nothing of the store is missing.

The judge is SQLite: whatever of labels, pins, sessions and the journal it still reads from the
damaged file, row by row from both ends, must be in the new catalog, if it was so before the damage.
"""

from __future__ import annotations

import itertools
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog.sent import OTHER, pushed, remote_checkpoint, send
from catalog.test_revisions import load
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.admin.salvage import Salvaged, salvage
from hermes_checkpoints.catalog import schema
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CatalogDamaged, CatalogNewer
from hermes_checkpoints.history import collect
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import PushState, Taken
from support import crossed, every

PAGE = 4096
KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0)
WATCHED = {
    "labels": "SELECT project_id, label, checkpoint_id FROM labels",
    "checkpoints": "SELECT id, commit_id, pinned FROM checkpoints",
    "session_checkpoints": "SELECT session_id, version, document FROM session_checkpoints",
    "remotes": "SELECT id, url_shown FROM remotes",
    "machines": "SELECT id, name FROM machines",
    "pushes": "SELECT remote_id, commit_id, state, ref_name FROM pushes",
    "operations": "SELECT id, kind, outcome, started_at, message FROM operations",
}
Rows = dict[str, set[tuple[Any, ...]]]


def drawn(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311


def take(checkpoints: Checkpoints, project: Path, number: int, **options: Any) -> str:
    (project / f"f{number % 7}").write_text(f"{number}\n" * (1 + number % 5))
    outcome = checkpoints.project(project).take(f"step {number}", **options)
    assert isinstance(outcome, Taken)
    return outcome.checkpoint.id


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a home whose catalog has rows on many pages."""
    folder = tmp_path_factory.mktemp("filled")
    with Checkpoints.open(folder / "home", config=KEEP_ALL) as checkpoints:
        for name in ("alpha", "beta"):
            project = folder / name
            project.mkdir()
            own = checkpoints.project(project)
            ids = [take(checkpoints, project, n, session_id=f"s{n}", turn=n) for n in range(25)]
            for one in ids[::3]:
                own.pin(one)
            for number, one in enumerate(ids[::2]):
                own.label(one, f"{name} label {number}")
            own.record_agent_write("f1", tool="write_file", session_id="s9", turn=9)
            own.restore(ids[5], mode="exact")
        for number in range(12):
            for version in range(2):
                document = {"task": "x" * (100 + 900 * number), "version": version}
                checkpoints.sessions.write(f"session-{number}", document)
        states = itertools.cycle(PushState)
        told = [pushed(one, next(states)) for one in checkpoints.list_all()]
        send(checkpoints._base.catalog, *told, found=[remote_checkpoint(OTHER, 1)])
    yield folder


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    shutil.copytree(filled / "home", tmp_path / "home", symlinks=True)
    return tmp_path / "home"


def catalog_of(home: Path) -> Path:
    return home / "checkpoints" / "catalog.db"


def readable(path: Path) -> Rows:
    """Return what SQLite reads of the watched tables, forwards and backwards up to an error."""
    found: Rows = {name: set() for name in WATCHED}
    for name, query in WATCHED.items():
        for order in ("ASC", "DESC"):
            with (
                suppress(sqlite3.Error, UnicodeDecodeError),
                closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection,
            ):
                for row in connection.execute(f"{query} ORDER BY rowid {order}"):
                    found[name].add(row)
    return found


def stored(home: Path) -> set[str]:
    command = ["git", f"--git-dir={home / 'checkpoints/store'}", "for-each-ref"]
    command += ["--format=%(objectname)", "refs/checkpoints/"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def salvaged(home: Path, tmp_path: Path, before: Rows) -> Salvaged:
    """Salvage, and see that nothing is missing that could be had."""
    assert all(before.values()), "the judge reads every table of a sound catalog"
    path = catalog_of(home)
    looked_at = tmp_path / "looked-at" / "catalog.db"
    looked_at.parent.mkdir()
    for end in ("", "-wal"):
        if path.with_name(path.name + end).is_file():
            shutil.copy(path.with_name(path.name + end), f"{looked_at}{end}")
    damaged = path.read_bytes() if path.is_file() else None
    there = readable(looked_at)
    layout = Layout.of(home)
    done = salvage(layout, collect=partial(collect, layout.base))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    after = readable(path)
    if done.done:
        for name in WATCHED:
            missing = (there[name] & before[name]) - after[name]
            if name == "operations":  # one that was running is ended at the opening
                missing = {row for row in missing if row[2] != "running"}
            if name == "pushes" and any(there[of] != before[of] for of in ("remotes", "machines")):
                continue  # nothing tells any more which remote or machine they are of
            assert not missing, (name, missing)
        assert damaged is None or (done.kept is not None and done.kept.read_bytes() == damaged)
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        assert {c.id for c in checkpoints.list_all()} == stored(home)
        for project in checkpoints.projects():
            listed = project.list()
            assert [c.reason for c in listed if c.kind != "safety"] == [
                f"step {n}" for n in reversed(range(25))
            ]
            for checkpoint in (listed[0], listed[10], listed[-1]):
                assert project.plan_restore(checkpoint.id, mode="exact").checkpoint == checkpoint
                assert len(project.changes(checkpoint)) == checkpoint.files_changed
    return done


# --- the kinds of damage -----------------------------------------------------------------------


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def header(path: Path) -> None:
    overwrite(path, 0, drawn(1).randbytes(100))


def first_page(path: Path) -> None:
    overwrite(path, 0, drawn(2).randbytes(PAGE))


def map_of_pages(path: Path) -> None:
    overwrite(path, PAGE, drawn(3).randbytes(PAGE))


def first_three_pages(path: Path) -> None:
    overwrite(path, 0, bytes(3 * PAGE))


def root_of_checkpoints(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'checkpoints'"
        (root,) = connection.execute(query).fetchone()
    overwrite(path, (root - 1) * PAGE, bytes(PAGE))


def truncated(quarters: int, path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * quarters // 4 + 17])


def text_file(path: Path) -> None:
    path.write_text("this is no database\n" * 100)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def missing(path: Path) -> None:
    path.unlink()


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


KINDS: list[Callable[[Path], None]] = [
    *(header, first_page, map_of_pages, first_three_pages, root_of_checkpoints),
    *(partial(truncated, 1), partial(truncated, 2), partial(truncated, 3)),
    *(text_file, emptied, missing),
]
NAMES = [getattr(kind, "__name__", "truncated") for kind in KINDS]


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("damage", KINDS[:: every(2)], ids=NAMES[:: every(2)])
def test_what_sqlite_can_read_and_what_the_store_has_is_in_the_new_catalog(
    home: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    before = readable(catalog_of(home))
    damage(catalog_of(home))
    done = salvaged(home, tmp_path, before)
    if damage in (header, first_page, map_of_pages):  # SQLite reads nothing; no row was there
        after = readable(catalog_of(home))
        for name in WATCHED:
            assert before[name] <= after[name], name
        assert all(table.whole for table in done.tables.values()), done.lines


def some_page(number: int, path: Path) -> None:
    source = drawn(number)
    page = source.randrange(path.stat().st_size // PAGE)
    overwrite(path, page * PAGE, source.choice([source.randbytes(PAGE), bytes(PAGE)]))


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [0, 1, *(pytest.param(more, marks=pytest.mark.campaign) for more in (2, 3))]
)
def test_any_page_may_be_overwritten(home: Path, tmp_path: Path, number: int) -> None:
    before = readable(catalog_of(home))
    some_page(number, catalog_of(home))
    salvaged(home, tmp_path, before)


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(4, 44, every(10)))
def test_any_page_of_forty_may_be_overwritten(home: Path, tmp_path: Path, number: int) -> None:
    before = readable(catalog_of(home))
    some_page(number, catalog_of(home))
    salvaged(home, tmp_path, before)


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(0, 20, every(7)))
def test_several_pages_may_be_overwritten(home: Path, tmp_path: Path, number: int) -> None:
    before = readable(catalog_of(home))
    for one in range(5):
        some_page(1000 * number + one, catalog_of(home))
    salvaged(home, tmp_path, before)


@pytest.mark.campaign
def test_a_pin_and_a_label_stay_though_the_pages_of_labels_and_the_first_page_are_gone(
    home: Path, tmp_path: Path
) -> None:
    path = catalog_of(home)
    before = readable(path)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'labels'"
        (root,) = connection.execute(query).fetchone()
    overwrite(path, (root - 1) * PAGE, bytes(PAGE))
    overwrite(path, 0, bytes(100))
    salvaged(home, tmp_path, before)
    after = readable(path)
    assert after["labels"] == before["labels"]  # its two indexes have all of it
    assert before["checkpoints"] <= after["checkpoints"]


@pytest.mark.campaign
def test_what_is_only_in_the_log_is_salvaged_with_a_garbled_file(
    filled: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled / "home", home, symlinks=True)
    path = catalog_of(home)
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        own = checkpoints.project(filled / "alpha")
        own.label("1", "only in the log")
        other = tmp_path / "other"
        shutil.copytree(home, other, symlinks=True)
    path = catalog_of(other)
    assert path.with_name("catalog.db-wal").stat().st_size
    overwrite(path, 0, drawn(1).randbytes(PAGE))
    layout = Layout.of(other)
    done = salvage(layout)
    assert done.kept is not None
    assert done.kept.with_name(f"{done.kept.name}-wal").exists()
    with Checkpoints.open(other, config=KEEP_ALL) as checkpoints:
        assert checkpoints.project(filled / "alpha").get("only in the log").label


@pytest.mark.campaign
@pytest.mark.parametrize("at", [0, 40, 2000])
def test_a_garbled_log_costs_what_is_behind_the_garbage_only(
    filled: Path, tmp_path: Path, at: int
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    shutil.copytree(filled / "home", home, symlinks=True)
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        checkpoints.project(filled / "alpha").label("1", "in the log")
        shutil.copytree(home, other, symlinks=True)
    path = catalog_of(other)
    overwrite(path.with_name("catalog.db-wal"), at, drawn(4).randbytes(500))
    before = readable(catalog_of(filled / "home"))
    overwrite(path, 0, bytes(100))
    salvaged(other, tmp_path, before)


# --- older revisions -----------------------------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("revision", "damage"), crossed(3, schema.REVISIONS, [header, first_page]))
def test_a_damaged_catalog_of_every_revision_is_salvaged_and_upgraded(
    fresh_home: Path, revision: str, damage: Callable[[Path], None]
) -> None:
    base = fresh_home / "checkpoints"
    base.mkdir(parents=True)
    path = catalog_of(fresh_home)
    load(revision, path)
    damage(path)
    layout = Layout.of(fresh_home)
    done = salvage(layout, collect=partial(collect, layout.base))
    assert done.revision == revision
    assert {name: t.entered for name, t in done.tables.items()} == dict.fromkeys(done.tables, 2)
    with Checkpoints.open(fresh_home) as checkpoints:
        assert checkpoints._base.catalog.sessions.ids() == ["session_id-1", "session_id-2"]
        assert {p.working_dir.name for p in checkpoints.projects()} == {"workdir-1", "workdir-2"}


@pytest.mark.campaign
def test_without_the_page_that_names_the_revision_the_tables_tell_it(fresh_home: Path) -> None:
    (fresh_home / "checkpoints").mkdir(parents=True)
    path = catalog_of(fresh_home)
    load("0008", path)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name LIKE '%alembic_version%'"
        roots = [row[0] for row in connection.execute(query)]
    for root in roots:
        overwrite(path, (root - 1) * PAGE, bytes(PAGE))
    done = salvage(Layout.of(fresh_home), collect=lambda *_: ())
    assert done.revision == "0008"


# --- what is left alone --------------------------------------------------------------------------


def test_a_sound_catalog_is_left_as_it_is(home: Path) -> None:
    before = catalog_of(home).read_bytes()
    done = salvage(Layout.of(home))
    assert not done.done
    assert catalog_of(home).read_bytes() == before
    assert list(catalog_of(home).parent.glob("*damaged*")) == []


def test_a_catalog_of_a_newer_version_is_refused(home: Path) -> None:
    with closing(sqlite3.connect(catalog_of(home))) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    overwrite(catalog_of(home), 0, bytes(16))
    before = catalog_of(home).read_bytes()
    with pytest.raises(CatalogNewer):
        salvage(Layout.of(home))
    assert catalog_of(home).read_bytes() == before


@pytest.mark.campaign
def test_a_folder_in_its_place_is_kept_too(home: Path) -> None:
    folder(catalog_of(home))
    done = salvage(Layout.of(home))
    assert done.kept is not None
    assert done.kept.is_dir()
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        assert {c.id for c in checkpoints.list_all()} == stored(home)


def test_an_opening_names_the_way_and_does_not_go_it(home: Path) -> None:
    header(catalog_of(home))
    damaged = catalog_of(home).read_bytes()
    with pytest.raises(CatalogDamaged, match="doctor --repair"):
        Checkpoints.open(home)
    assert catalog_of(home).read_bytes() == damaged


@pytest.mark.campaign
def test_a_salvage_killed_between_the_log_and_the_rename_is_done_again_with_the_log(
    filled: Path, tmp_path: Path
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    shutil.copytree(filled / "home", home, symlinks=True)
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        checkpoints.project(filled / "alpha").label("1", "only in the log")
        shutil.copytree(home, other, symlinks=True)
    path = catalog_of(other)
    overwrite(path, 0, bytes(100))
    kept = path.with_name(f"{path.name}.damaged-20261128T000000.000000Z")
    kept.hardlink_to(path)
    path.with_name("catalog.db-wal").rename(f"{kept}-wal")
    done = salvage(Layout.of(other))
    assert done.kept == kept
    with Checkpoints.open(other, config=KEEP_ALL) as checkpoints:
        assert checkpoints.project(filled / "alpha").get("only in the log").label
