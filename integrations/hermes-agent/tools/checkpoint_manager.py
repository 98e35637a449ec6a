"""Filesystem checkpoints: the manager, and the list of ``/rollback``.

The module of the package hermes-checkpoints takes the place of this one, so that what is assigned
or patched here has an effect there, ``CHECKPOINT_BASE`` above all.
"""

import sys
from typing import TYPE_CHECKING

import hermes_checkpoints.compat.checkpoint_manager as _served

if TYPE_CHECKING:
    from hermes_checkpoints.compat.checkpoint_manager import *  # noqa: F403

sys.modules[__name__] = _served
