"""The command line: one module for each verb. Nothing else in this package prints."""

from hermes_checkpoints.cli.program import hermes, main, register_cli

__all__ = ["hermes", "main", "register_cli"]
