"""Brings one record of a repository, store or file from found to imported to archived.

Needed by every import. Each step is written down in the catalog once it is done, and can be done
again, so that a process may be killed between any two.
"""

from __future__ import annotations

from pathlib import Path

from hermes_checkpoints.base.inside import inside as require_inside
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_sessions_config
from hermes_checkpoints.errors import base_error
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.history.archive import (
    archive,
    in_an_archive,
    is_gone,
    not_imported,
    note_chains,
)
from hermes_checkpoints.history.find import working_dir_of
from hermes_checkpoints.history.importing import Outcome, import_history
from hermes_checkpoints.history.progress import Reporter
from hermes_checkpoints.model import LegacyLayout, LegacyRecord, LegacyState
from hermes_checkpoints.sessions.files import set_aside
from hermes_checkpoints.sessions.importing import MOST_FILE_BYTES, import_file

_MOST_ERROR = 2_000


class Runner:
    """Brings one record as far as possible."""

    def __init__(self, base: Base, reporter: Reporter) -> None:
        self._base = base
        self._reporter = reporter
        self.added = 0

    def run(self, record: LegacyRecord) -> LegacyRecord:
        """Return the record as it is at the end.

        Raises:
            CheckpointError: when it cannot be worked on now; it stays as it is.
        """
        inside = not Path(record.path).is_absolute()
        if inside:
            require_inside(self._base.layout.base, record.path)
        if inside and record.layout is LegacyLayout.SESSION_FILE:
            if self._is_mirror(record) or is_gone(self._base, record):
                self._base.catalog.archives.forget(record)
                return record
            self._take_in(record)
        error = not_imported(record)
        if record.state is LegacyState.FOUND:
            record, error = self._import(record)
            self._reporter.step(record, "imported")
        if not inside:
            return record
        record = archive(self._base, record, error)
        self._reporter.step(record, "archived")
        return record

    def _take_in(self, record: LegacyRecord) -> None:
        """Take in what an older program wrote since the file was imported, before it is moved."""
        path = self._base.layout.base / record.path
        if record.state is LegacyState.IMPORTED and not in_an_archive(record) and path.is_file():
            import_file(self._base, path, record.name.removesuffix(".yaml"))

    def _is_mirror(self, record: LegacyRecord) -> bool:
        """Tell whether a session file is kept in step with the catalog, and so no archive."""
        mirrored = load_sessions_config(self._base.layout.config).mirror_yaml
        return mirrored and not in_an_archive(record) and record.state is LegacyState.IMPORTED

    # --- found → imported --------------------------------------------------------------------

    def _import(self, record: LegacyRecord) -> tuple[LegacyRecord, str | None]:
        """Import it; return it as imported, or as found with the reason why it cannot be."""
        path = self._base.layout.base / record.path
        if record.layout is LegacyLayout.SESSION_FILE:
            return self._import_session(record, path)
        if record.layout is LegacyLayout.V1 and record.working_dir is None:
            record = self._base.catalog.archives.note(record, workdir=working_dir_of(path))
        outcome = Outcome()
        steps = import_history(self._base, path, record.layout, record.working_dir)
        for number, found in enumerate(steps):
            outcome = found
            self.added = outcome.added
            self._reporter.step(record, f"step {number}")
        inside = not Path(record.path).is_absolute()
        self._base.catalog.arriving.claim(record, outcome.former, inside=inside)
        error = "; ".join(outcome.problems)[:_MOST_ERROR] or None
        if record.layout is LegacyLayout.V2 and path == self._base.layout.store:
            try:
                note_chains(self._base, outcome.refs)
            except OSError as problem:
                raise base_error(problem, path) from problem
        return self._imported(record, path, outcome.checkpoints, error)

    def _imported(
        self, record: LegacyRecord, path: Path, checkpoints: int, error: str | None
    ) -> tuple[LegacyRecord, str | None]:
        size = 0 if path == self._base.layout.store else directory_bytes(path, alone=True)
        archives = self._base.catalog.archives
        facts = {"imported_checkpoints": checkpoints, "size_bytes": size, "error": error}
        nothing = record.layout is LegacyLayout.V1 and not checkpoints
        if nothing and error is not None:
            return archives.note(record, **facts), error
        return archives.set_state(record, LegacyState.IMPORTED, self._base.now(), **facts), error

    def _import_session(self, record: LegacyRecord, path: Path) -> tuple[LegacyRecord, str | None]:
        done = import_file(self._base, path, record.name.removesuffix(".yaml"))
        if done.reason is None:
            return self._imported(record, path, 0, None)
        try:
            text = small_contents(path, MOST_FILE_BYTES)
            if text and record.error != done.reason:  # not aside yet
                set_aside(self._base, done.session_id, text, "found")
        except OSError as problem:
            raise base_error(problem, path) from problem
        return self._base.catalog.archives.note(
            record, error=done.reason, size_bytes=directory_bytes(path)
        ), done.reason
