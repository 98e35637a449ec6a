"""The lock of the checkpoint store.

The module of the package hermes-checkpoints takes the place of this one, so that what is assigned
or patched here has an effect there, ``CHECKPOINT_BASE`` above all.
"""

import sys
from typing import TYPE_CHECKING

import hermes_checkpoints.compat.checkpoint_pruning as _served

if TYPE_CHECKING:
    from hermes_checkpoints.compat.checkpoint_pruning import *  # noqa: F403

sys.modules[__name__] = _served
