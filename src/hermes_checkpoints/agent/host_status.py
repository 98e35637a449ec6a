"""What the store holds, as the dict that hosts know."""

from __future__ import annotations

import os
from typing import Any

from hermes_checkpoints.layout import Layout

Result = dict[str, Any]


def store_status(checkpoint_base: str | os.PathLike[str] | None = None) -> Result:
    """Return what the store holds, with the keys that hosts know.

    ``base``, ``store_size_bytes``, ``legacy_size_bytes``, ``total_size_bytes``,
    ``project_count``, ``projects`` (``hash``, ``working_dir``, ``exists``, ``state``,
    ``created_at`` and ``last_touch`` in seconds since 1970, ``commits``) and
    ``legacy_archives`` (``name``, ``size_bytes``, ``mtime``). Sizes are bytes on disk.
    ``checkpoint_base`` is a checkpoint folder; default is that of HERMES_HOME.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    layout = Layout.of() if checkpoint_base is None else Layout.of_base(checkpoint_base)
    result: Result = {
        "base": str(layout.base),
        "store_size_bytes": 0,
        "legacy_size_bytes": 0,
        "total_size_bytes": 0,
        "project_count": 0,
        "projects": [],
        "legacy_archives": [],
    }
    if not layout.base.exists():
        return result
    from hermes_checkpoints.checkpoints import Checkpoints

    with Checkpoints.open(base=layout.base) as checkpoints:
        status = checkpoints.status()
    result |= {
        "store_size_bytes": status.store_bytes,
        "legacy_size_bytes": status.legacy_bytes,
        "total_size_bytes": status.total_bytes,
        "project_count": status.project_count,
        "projects": [
            {
                "hash": row.project.hash,
                "workdir": row.project.working_dir,
                "exists": row.project.state == "live",
                "state": row.project.state.value,
                "created_at": row.project.created_at.timestamp(),
                "last_touch": row.project.last_touch.timestamp(),
                "commits": row.checkpoints,
            }
            for row in status.projects
        ],
        "legacy_archives": [
            {"name": a.name, "size_bytes": a.size_bytes, "mtime": a.mtime} for a in status.archives
        ],
    }
    return result
