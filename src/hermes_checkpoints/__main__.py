"""``python -m hermes_checkpoints`` is ``hermes-checkpoints``."""

import sys

from hermes_checkpoints.cli import main

if __name__ == "__main__":
    sys.exit(main())
