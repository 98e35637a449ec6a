"""The shapes of ``--json``, one module for each part of what the command line tells."""
