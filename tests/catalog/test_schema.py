"""The tables in the code and the tables that the revisions create are the same."""

from __future__ import annotations

import ast
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import String

from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.engine import make_engine
from hermes_checkpoints.catalog.types import Member
from hermes_checkpoints.catalog.upgrading import PACKAGE
from hermes_checkpoints.model import OperationKind

ROOT = Path(__file__).parents[2]
REVISION_FILES = sorted((ROOT / "migrations" / "versions").glob("[0-9]*.py"))


def config() -> Config:
    found = Config()
    with as_file(files(PACKAGE)) as folder:
        found.set_main_option("script_location", str(folder))
    return found


def test_head_is_alembics_single_head() -> None:
    scripts = ScriptDirectory.from_config(config())
    assert scripts.get_heads() == [schema.HEAD]
    ordered = [script.revision for script in scripts.walk_revisions()][::-1]
    assert tuple(ordered) == schema.REVISIONS


def test_alembic_finds_no_difference(catalog: Catalog) -> None:
    with make_engine(catalog.path).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []


def definitions(file: Path, *kinds: str) -> dict[str, str]:
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return {
        name: re.sub(r"\s+", " ", sql)
        for kind, name, sql in rows
        if kind in kinds and sql and not name.startswith(("sqlite_", "alembic_"))
    }


def parts(definition: str) -> list[str]:
    """The columns and constraints of a table, in alphabetic order."""
    inside = definition[definition.index("(") + 1 : definition.rindex(")")].strip()
    return sorted(re.split(r", (?=[A-Za-z])", inside))


def test_revisions_create_the_tables_of_the_code_to_the_letter(
    catalog: Catalog, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.db"
    plain.touch()
    engine = make_engine(plain)
    with engine.begin() as connection:
        schema.metadata.create_all(connection)
    migrated, coded = definitions(catalog.path, "table"), definitions(plain, "table")
    assert migrated.keys() == coded.keys() == schema.metadata.tables.keys()
    for name, definition in coded.items():
        assert parts(migrated[name]) == parts(definition)
    assert definitions(catalog.path, "index") == definitions(plain, "index")


def test_views_exist_and_can_be_read(catalog: Catalog) -> None:
    assert definitions(catalog.path, "view").keys() == schema.VIEWS
    with closing(sqlite3.connect(catalog.path)) as connection:
        for view in schema.VIEWS:
            connection.execute(f"SELECT * FROM {view}").fetchall()  # noqa: S608


def test_every_operation_kind_fits_its_column() -> None:
    column = schema.operations.c.kind.type
    assert isinstance(column, Member)
    column = column.impl_instance
    assert isinstance(column, String)
    assert column.length is not None
    assert all(len(kind.value) <= column.length for kind in OperationKind)


@pytest.mark.parametrize("file", REVISION_FILES, ids=lambda file: file.stem)
def test_revisions_import_no_live_code(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not [name for name in names if name.startswith("hermes")]


def test_downgrade_points_to_the_backup(catalog: Catalog) -> None:
    settings = config()
    with make_engine(catalog.path).begin() as connection:
        settings.attributes["connection"] = connection
        with pytest.raises(RuntimeError, match="restore the backup at"):
            command.downgrade(settings, "base")


@pytest.mark.campaign
def test_reading_needs_neither_the_orm_nor_alembic(catalog: Catalog, lock: Path) -> None:
    code = (
        "import sys\n"
        "import hermes_checkpoints\n"
        "assert not {'sqlalchemy', 'sqlite3', 'alembic'} & set(sys.modules)\n"
        "from pathlib import Path\n"
        "from hermes_checkpoints.catalog import Catalog\n"
        f"with Catalog.open(Path({str(catalog.path)!r}), Path({str(lock)!r})) as c:\n"
        "    c.status.projects(); c.status.totals(); c.operations.failure_runs()\n"
        "print(sorted({'sqlalchemy.orm', 'alembic', 'mako'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
