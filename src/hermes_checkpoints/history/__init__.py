"""What brings history of earlier versions in, and takes history back to one of them.

Needed by whoever has a checkpoint base that version 1 or 2 of the checkpoint manager wrote, a
backup of one, or a wish to go back to version 2. Nothing else depends on it, so it can be deleted
whole, with ``model.history``, once nobody does. docs/legacy.md describes what it does.

Each name is loaded with its module when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.later import names_of

if TYPE_CHECKING:
    from hermes_checkpoints.history.documents import collect
    from hermes_checkpoints.history.export import Exported, export_v2
    from hermes_checkpoints.history.find import unimported_notes
    from hermes_checkpoints.history.progress import Quiet, Reporter
    from hermes_checkpoints.history.run import bring_in, import_path

__all__ = [
    "Exported",
    "Quiet",
    "Reporter",
    "bring_in",
    "collect",
    "export_v2",
    "import_path",
    "unimported_notes",
]

__getattr__ = names_of(
    __name__,
    {
        "Exported": "export",
        "Quiet": "progress",
        "Reporter": "progress",
        "bring_in": "run",
        "collect": "documents",
        "export_v2": "export",
        "import_path": "run",
        "unimported_notes": "find",
    },
)
