"""Draws docs/browse.svg by the program itself, on the afternoon of ``sample.py``: run it after a
change of how ``browse`` looks.

    python tests/cli/browse/picture.py [FILE]
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
PICTURE = CHECKOUT / "docs" / "browse.svg"
SIZE = 104, 30

if __name__ == "__main__":
    sys.path[:0] = [str(CHECKOUT / "tests")]


async def drawn(home: Path, project: Path) -> str:
    """Return the picture: the rename is chosen, and one of its files."""
    from cli.browse.driving import opened

    async with opened(home, project, size=SIZE) as driver:
        await driver.press("down", "down", "right", "down", "down", "down")
        picture = driver.app.export_screenshot(title="hermes checkpoints browse")
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # nothing from elsewhere
    return re.sub(r"terminal-\d+-", "terminal-", picture)  # a number that differs each time


def main(file: Path) -> None:
    """Write the picture."""
    from cli.browse import sample

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        os.environ["HOME"] = str(home)
        project = sample.tell(home / ".hermes", home / "shop")
        file.write_text(asyncio.run(drawn(home / ".hermes", project)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
