"""Lets single checks look at a base, as `doctor` does, and sees that they change nothing in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.doctor.patient import Check, Patient
from hermes_checkpoints.errors import CatalogDamaged
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding
from support import everything

Mend = Callable[[Layout, Sequence[Finding]], list[str]]


def look(
    check: Check, home: Path, *, catalog: bool = True, now: datetime | None = None
) -> list[Finding]:
    """Return what a check finds in the base of a home, and prove that it leaves all as it was.
    Without ``catalog`` there is none that could be read, and no git."""
    layout = Layout.of(home)
    before = _lasting(home)
    with tempfile.TemporaryDirectory() as folder:
        patient = Patient(layout, None, None, Path(folder), now or datetime.now(UTC))
        if catalog:
            git = Git(layout.store)
            with Catalog.open_to_read(layout.catalog, Path(folder), refusal="a look") as opened:
                found = list(check(replace(patient, catalog=opened, git=git)))
        else:
            found = list(check(replace(patient, unread=CatalogDamaged("it cannot be read"))))
    assert _lasting(home) == before
    for one in found:
        assert one.text, one
        assert one.remedy, one
    return found


def kinds(check: Check, home: Path, *, catalog: bool = True) -> list[str]:
    """Return the kinds of what a check finds."""
    return [one.kind for one in look(check, home, catalog=catalog)]


def mended(check: Check, mend: Mend, home: Path) -> list[str]:
    """Let a check look, and what it found be mended; return what was said to be done."""
    found, layout = look(check, home), Layout.of(home)
    with exclusive(layout.store_lock, purpose="repair"):
        return mend(layout, found)


def _lasting(home: Path) -> dict[str, object]:
    """Return all of a home but the files that SQLite has beside an open catalog."""
    passing = ("-wal", "-shm")
    return {name: one for name, one in everything(home).items() if not name.endswith(passing)}
