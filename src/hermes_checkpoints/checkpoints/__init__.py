"""The typed API: ``Checkpoints`` over one home, and ``Project`` for one working directory.

It starts no thread and keeps no global state; two homes in one process stay apart. Errors are
``CheckpointError``; a take answers with a typed outcome instead.
"""

from hermes_checkpoints.base.arguments import PathLike, Paths
from hermes_checkpoints.base.lookup import Reference
from hermes_checkpoints.checkpoints.project import Project
from hermes_checkpoints.checkpoints.whole import Checkpoints

__all__ = ["Checkpoints", "PathLike", "Paths", "Project", "Reference"]
