"""``hermes checkpoints``: status, prune, clear and the other verbs.

The module of the package hermes-checkpoints takes the place of this one, so that what is assigned
or patched here has an effect there, ``CHECKPOINT_BASE`` above all.
"""

import sys
from typing import TYPE_CHECKING

import hermes_checkpoints.compat.command_line as _served

if TYPE_CHECKING:
    from hermes_checkpoints.compat.command_line import *  # noqa: F403

sys.modules[__name__] = _served
