"""``python -m tests.campaigns``: see runner.py."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from campaigns.runner import main

    sys.exit(main())
