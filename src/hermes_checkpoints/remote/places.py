"""Where a checkpoint lies on a remote: the names of refs there.

    <prefix><machine>/<project>/<time>-<8 hex digits>   the checkpoint's own commit
    <cursor prefix><machine>/<project>                  what a machine sent last of a project

The last two parts are those of the checkpoint's ref in the store. Only a machine writes below its
own id, so nobody needs to be asked.
"""

from __future__ import annotations

from hermes_checkpoints.layout import REF_PREFIX
from hermes_checkpoints.model import Checkpoint
from hermes_checkpoints.remote_config import RefNamespace


def ref_of(checkpoint: Checkpoint, machine: str, namespace: RefNamespace) -> str:
    """Return the ref of a checkpoint on a remote, below the id of a machine."""
    return f"{namespace.prefix}{machine}/{checkpoint.ref_name.removeprefix(REF_PREFIX)}"


def cursor_of(project_hash: str, machine: str, namespace: RefNamespace) -> str:
    """Return the ref of what a machine sent last of a project."""
    return f"{namespace.cursor_prefix}{machine}/{project_hash}"
