"""docs/security.md keeps its word: each of its lines names tests that exist, and hostile bases run
nothing, reach nothing outside, and end every command in a way that was foreseen."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.base.inside import inside
from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.cli import main
from hermes_checkpoints.errors import BadDirectory, BaseUnwritable, CatalogDamaged
from hostile import HOSTILE, PLACES, executed, make_outside, work
from support import every, everything
from test_rules import NAMED, TESTS

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
CASES = {case.name: case for case in HOSTILE}

SLICE = (
    *("v1-hooks", "v1-promisor", "v1-ref-pipes", "v1-objects-link", "v1-archive-alternates"),
    *("v2-promisor", "v2-common-dir", "v2-worktree-config", "v2-config-link", "v2-config-pipe"),
    *("v2-refs-link", "v2-ref-pipes", "v2-info-link", "v2-archive-include", "own-objects-link"),
    *("own-common-dir", "own-alternates", "own-head-pipe", "own-ref-pipes", "base-archive-by-link"),
    *("base-locks-link", "base-catalog-link", "base-config-yaml-aliases", "base-config-yaml-pipe"),
    *("base-clearing-link", "base-cleared-link", "base-machine-link"),
    *("catalog-trigger-on-insert", "catalog-trigger-recursive", "catalog-table-as-view"),
    *("catalog-archive-in-legacy-above", "catalog-legacy-folder-above", "catalog-ref-above"),
    *("catalog-workdir-with-nul", "session-python-object", "workspace-pointer", "workspace-names"),
)


def test_a_hundred_hostile_bases_are_there_and_each_has_a_name_of_its_own() -> None:
    assert len(CASES) == len(HOSTILE) > 200


def test_every_line_of_the_table_names_tests_that_exist() -> None:
    lines = [line for line in DOCUMENT.splitlines() if line.startswith("| ")]
    promises = [line for line in lines if not line.startswith(("| what", "|--", "| ---"))]
    assert len(promises) > 25
    for line in promises:
        named = NAMED.findall(line)
        assert named or "promised nothing" in line, line
        assert len(named) == len(re.findall(r"`tests/", line)), line
    assert [test for test in NAMED.findall(DOCUMENT) if test not in TESTS] == []


def test_how_to_report_is_said_without_naming_a_person() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "private vulnerability report" in text
    assert "docs/security.md" in text
    assert not re.search(r"[\w.]+@[\w.]+", text)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("name", SLICE[:: every(3)])
def test_a_hostile_base_runs_nothing_and_reaches_nothing_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    CASES[name].build(home, outside)
    before = everything(outside)
    folder = str(work(home))
    for verb in (
        *(["status"], ["take", folder], ["log", folder], ["import-legacy"]),
        *(["restore", "1", "--dir", folder, "-f"], ["prune", "-f"], ["clear-legacy", "-f"]),
        *(["sessions", "list"], ["clear", "-f"]),
    ):
        code = main([*verb, "--home", str(home)])
        assert code in (0, 1, 2, 3), (verb, code, capsys.readouterr())
    assert not executed(outside)
    assert everything(outside) == before


# --- a base handed over ---------------------------------------------------------------------------


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    """The home of a base with two checkpoints."""
    make_outside(tmp_path / "outside")
    PLACES["own"](tmp_path / "home", tmp_path / "outside")
    return tmp_path / "home"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "name", ["catalog.db", "locks", "store", "store/objects", "store/refs", "store/info"]
)
def test_a_link_in_a_base_is_refused_with_the_remedy(handed: Path, name: str) -> None:
    path = handed / "checkpoints" / name
    path.rename(handed / "elsewhere")
    path.symlink_to(handed / "elsewhere")
    before = everything(handed / "elsewhere") if (handed / "elsewhere").is_dir() else None
    with pytest.raises(BaseUnwritable, match="is a link"):
        Checkpoints.open(handed)
    if before is not None and name != "locks":
        assert everything(handed / "elsewhere") == before
    path.unlink()
    (handed / "elsewhere").rename(path)
    with Checkpoints.open(handed) as checkpoints:
        assert len(checkpoints.list_all()) == 2


def test_the_base_itself_may_be_a_link(handed: Path, tmp_path: Path) -> None:
    (handed / "checkpoints").rename(tmp_path / "base")
    (handed / "checkpoints").symlink_to(tmp_path / "base")
    with Checkpoints.open(handed) as checkpoints:
        assert len(checkpoints.list_all()) == 2


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON operations BEGIN DELETE FROM checkpoints; END",
        "CREATE TRIGGER evil AFTER UPDATE ON turns BEGIN DELETE FROM checkpoints; END",
        "CREATE TRIGGER evil INSTEAD OF INSERT ON project_status BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE evil USING fts5(x)",
    ],
)
def test_a_trigger_in_a_catalog_is_refused_before_anything_is_written(
    handed: Path, statement: str
) -> None:
    file = handed / "checkpoints" / "catalog.db"
    with closing(sqlite3.connect(file)) as catalog:
        catalog.execute(statement)
        catalog.commit()
        before = list(catalog.execute("SELECT id, state FROM checkpoints"))
    with pytest.raises(CatalogDamaged, match="'evil'"):
        Checkpoints.open(handed)
    with closing(sqlite3.connect(file)) as catalog:
        assert list(catalog.execute("SELECT id, state FROM checkpoints")) == before


def test_a_view_in_the_place_of_a_table_is_refused(handed: Path) -> None:
    with closing(sqlite3.connect(handed / "checkpoints" / "catalog.db")) as catalog:
        catalog.execute("ALTER TABLE restores RENAME TO kept")
        catalog.execute("CREATE VIEW restores AS SELECT * FROM kept")
        catalog.commit()
    with pytest.raises(CatalogDamaged, match="restores is a view in place of a table"):
        Checkpoints.open(handed)


def test_a_connection_trusts_no_schema_and_loads_no_extension(handed: Path) -> None:
    with closing(sqlite.connect(handed / "checkpoints" / "catalog.db")) as catalog:
        assert catalog.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert catalog.execute("PRAGMA cell_size_check").fetchone() == (1,)
        assert catalog.execute("PRAGMA recursive_triggers").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError, match="not authorized"):
            catalog.execute("SELECT load_extension('x')")


@pytest.mark.parametrize(
    "path", ["../x", "legacy-1/../../x", "/x", "", "a\0b", "link/x", "legacy-1/../link/x"]
)
def test_what_a_catalog_names_stays_in_its_base(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    with pytest.raises(BadDirectory):
        inside(tmp_path, path)
    assert inside(tmp_path, "legacy-1/name") == tmp_path / "legacy-1" / "name"


def test_an_archive_that_a_catalog_puts_elsewhere_is_not_deleted(
    handed: Path, tmp_path: Path
) -> None:
    archive = "legacy-1/../../../outside/folder"
    (handed / "checkpoints" / "legacy-1").mkdir()
    with closing(sqlite3.connect(handed / "checkpoints" / "catalog.db")) as catalog:
        catalog.execute(
            "INSERT INTO legacy_archives (name, path, layout, state, size_bytes, found_at,"
            " imported_at, archived_at) VALUES ('folder', ?, 'v1', 'archived', 1,"
            " '2020-01-01 00:00:00', '2020-01-01 00:00:00', '2020-01-01 00:00:00')",
            (archive,),
        )
        catalog.commit()
    with Checkpoints.open(handed) as checkpoints:
        checkpoints.prune()
    assert (tmp_path / "outside" / "folder" / "precious.txt").exists()


def test_what_lies_in_a_base_is_for_its_user_alone(handed: Path) -> None:
    base = handed / "checkpoints"
    assert stat.S_IMODE(base.stat().st_mode) == 0o700
    base.chmod(0o755)
    Checkpoints.open(handed).close()
    assert stat.S_IMODE(base.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_scratch_folders_for_all_users_are_private_and_have_no_name_to_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    from hermes_checkpoints.base.opened import Base
    from hermes_checkpoints.layout import Layout

    shared = tmp_path / "shared"
    shared.mkdir(mode=0o1777)
    monkeypatch.setenv("TMPDIR", str(shared))
    monkeypatch.setattr(tempfile, "tempdir", None)
    base = Base.open(Layout.of(tmp_path / "none"), create=False)
    try:
        (one,) = shared.iterdir()
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
        assert len(one.name.removeprefix("hermes-checkpoints-")) >= 8
    finally:
        base.close()
    assert list(shared.iterdir()) == []
