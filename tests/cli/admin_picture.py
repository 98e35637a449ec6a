"""Draws docs/admin.png: what ``admin`` shows first, by the real program in a real browser. Run it
where there is a browser of the Chromium kind, after changing what is shown there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from hermes_checkpoints import Checkpoints

PICTURE = Path(__file__).parents[2] / "docs" / "admin.png"


def draw(folder: Path) -> bytes:
    """Return the picture; the folder is empty."""
    import browser
    from interpreters import PROGRAM
    from support import make_project

    home = folder / "home"
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(make_project(folder / "project")).take("as it was")
    command = [sys.executable, "-c", PROGRAM, "--home", str(home), "admin"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process,
        browser.page(folder / "browser", 900, 640) as page,
    ):
        assert process.stdout is not None
        page.open(process.stdout.readline().strip())
        found = page.picture()
        process.terminate()
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        PICTURE.write_bytes(draw(Path(name)))
