"""The typed API: one object over one home, with a method for each thing that one can do."""

from hermes_checkpoints.checkpoints.whole import Checkpoints

__all__ = ["Checkpoints"]
