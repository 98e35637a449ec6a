"""Tells what an earlier version left in the base since the last import."""

from __future__ import annotations

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_sessions_config
from hermes_checkpoints.history.find import is_repository
from hermes_checkpoints.history.refs import loose_refs
from hermes_checkpoints.model import LegacyLayout, LegacyState


def unimported_notes(base: Base) -> list[str]:
    """Return a note for `status` where an earlier version wrote into the base after the import.

    Reads the names in the base, and those of the chains that a store of version 2 has.
    """
    layout = base.layout
    records = base.catalog.archives.all()
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
