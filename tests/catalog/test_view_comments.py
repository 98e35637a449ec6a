"""Each view explains itself in SQLite, and docs/catalog.md says the same, as it does of tables."""

from __future__ import annotations

import re
import sqlite3
import textwrap
from contextlib import closing

import pytest
from sqlalchemy import text

from catalog.records import shell
from catalog.test_document import DOCUMENT
from hermes_checkpoints.catalog import Catalog, schema, sqlite
from hermes_checkpoints.catalog.table_comments import HIDDEN, TABLES
from hermes_checkpoints.catalog.views import definitions
from hermes_checkpoints.catalog.views.comments import COMMENTS, comment_of

EVERY = {**COMMENTS, **TABLES}


def section_of(name: str) -> str:
    """Return what docs/catalog.md says of a view or table at least: its heading, its row and a
    table of columns."""
    found = EVERY[name]
    row = textwrap.fill(found.row, 100, break_long_words=False, break_on_hyphens=False)
    table = "\n".join(f"| `{column}` | {text} |" for column, text in found.columns.items())
    return f"### {name}\n{row}\n\n| Column | Meaning |\n|---|---|\n{table}\n"


def test_every_view_has_a_comment_and_is_made_here() -> None:
    assert COMMENTS.keys() == definitions().keys() == schema.VIEWS


@pytest.mark.parametrize("name", COMMENTS)
def test_the_schema_of_a_view_explains_it(catalog: Catalog, name: str) -> None:
    """What `.schema VIEW` prints says what a row is, and has a line for each column, in order."""
    query = f"SELECT sql FROM sqlite_master WHERE type = 'view' AND name = '{name}'"  # noqa: S608
    ((sql,),) = [tuple(row.values()) for row in shell(catalog.path, query)]
    _, comment, _ = re.split(r"/\*|\*/", sql, maxsplit=2)
    assert f"/*{comment}*/" == comment_of(name)
    with closing(sqlite3.connect(catalog.path)) as connection:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
    assert list(COMMENTS[name].columns) == columns
    explained = re.findall(r"^   (\w+)  +\S", comment, re.MULTILINE)
    assert explained == columns
    assert not re.search(r"[`\[\]]|\*/", comment)


def test_every_table_has_a_comment_with_its_columns_in_their_order() -> None:
    made = {name: [*table.columns.keys()] for name, table in schema.metadata.tables.items()}
    told = {name: [*comment.columns] for name, comment in TABLES.items()}
    assert told == {**made, sqlite.REVISION_TABLE: ["version_num"]}
    assert {name for name in HIDDEN if not name.startswith("sqlite_")} <= told.keys()


@pytest.mark.parametrize("name", EVERY)
def test_the_document_says_the_same(name: str) -> None:
    """Where this fails, the section of the document is to be what ``section_of`` returns."""
    assert section_of(name) in DOCUMENT


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("name", COMMENTS)
def test_a_view_has_nothing_that_a_revision_would_take_for_a_parameter(name: str) -> None:
    assert text(definitions()[name]).compile().params == {}


@pytest.mark.parametrize("name", sorted(schema.VIEWS))
def test_a_view_is_read_where_the_schema_is_not_trusted(catalog: Catalog, name: str) -> None:
    with closing(sqlite3.connect(catalog.path)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608 - names from here
