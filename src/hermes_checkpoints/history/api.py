"""The part of the typed API that brings history in from earlier versions, and takes it back."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_sessions_config
from hermes_checkpoints.history import export
from hermes_checkpoints.history import run as running
from hermes_checkpoints.history.export import Exported
from hermes_checkpoints.history.find import is_repository
from hermes_checkpoints.history.progress import Reporter
from hermes_checkpoints.history.refs import loose_refs
from hermes_checkpoints.model.history import (
    LegacyImport,
    LegacyLayout,
    LegacyState,
)

PathLike = str | os.PathLike[str]


class Legacy:
    """What ``Checkpoints`` can do with the history of earlier versions."""

    _base: Base

    def import_legacy(
        self, folder: PathLike | None = None, *, reporter: Reporter | None = None
    ) -> LegacyImport:
        """Import what lies in a folder: a home, a base or a part of one, of versions 1 and 2, or
        a base of this version from elsewhere. Without one, import what lies in this base and
        was not imported yet. What is here already is not imported again.

        Raises:
            BadDirectory: when the folder cannot be read.
            LockHeld: when another process imports for too long.
            CheckpointError: when catalog or store cannot be used.
        """
        path = None if folder is None else Path(folder).expanduser()
        return running.import_path(self._base, path, reporter)

    def former_ids(self, checkpoint_ids: list[int]) -> dict[int, list[str]]:
        """Return by catalog id the ids that checkpoints had before they were imported."""
        return self._base.catalog.archives.former_ids(checkpoint_ids)

    def _legacy_notes(self) -> list[str]:
        """Tell what an earlier version left in the base since the last import. Reads the names
        in the base, and those of the chains that a store of version 2 has."""
        layout = self._base.layout
        records = self._base.catalog.archives.all()
        known = {record.path for record in records if record.state is not LegacyState.CLEARED}
        mirrored = load_sessions_config(layout.config).mirror_yaml
        count = sum(
            is_repository(entry) or (entry.suffix == ".yaml" and not mirrored)
            for entry in layout.base.iterdir()
            if entry.name not in known
        )
        # What is left in the store of chains that cannot be read is told with its archive.
        if not any(r.layout is LegacyLayout.V2 and not r.whole for r in records):
            count += len(loose_refs(layout.store, "hermes"))
        if not count:
            return []
        text = f"{count} history(s) of an earlier version were written here after the import; "
        return [text + "`hermes checkpoints import-legacy` brings them in"]

    def export_v2(self, folder: PathLike) -> Exported:
        """Write all live checkpoints into a new folder, as a base that version 2 can use.

        Raises:
            BadRequest: when the folder is not empty, or there are no checkpoints.
            NoSpace, BaseUnwritable: when it cannot be written.
        """
        return export.export_v2(self._base, Path(folder).expanduser())
