"""``python -m tests.agent.conformance``: see side_by_side.py."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from agent.conformance.side_by_side import main

    sys.exit(main())
