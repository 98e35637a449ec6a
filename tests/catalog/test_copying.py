"""A look from a process that has a catalog open leaves the locks of that process alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.layout import Layout
from interpreters import run as run_python

WRITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
connection.execute("BEGIN IMMEDIATE")
"""


def test_a_look_does_not_drop_the_locks_that_this_process_has(home: Path) -> None:
    with Checkpoints.open(home):
        pass
    path = Layout.of(home).catalog
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN IMMEDIATE")
        assert "locked" in run_python(WRITE, path).stderr
        assert examine(home).findings is not None
        assert "locked" in run_python(WRITE, path).stderr
