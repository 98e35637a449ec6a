"""What other machines do: they take checkpoints and send them."""

from __future__ import annotations

from pathlib import Path

from hermes_checkpoints import Checkpoints
from remote.servers import git


def taken(checkpoints: Checkpoints, place: Path, *texts: str) -> list[str]:
    """Take checkpoints of a directory and send them; return their ids."""
    place.mkdir(exist_ok=True)
    found = []
    for text in texts:
        (place / "file.txt").write_text(text, encoding="utf-8")
        found.append(checkpoints.project(place).take(text).checkpoint.id)  # type: ignore[union-attr]
    [result] = checkpoints.push()
    assert result.complete
    return found


def in_repository(place: Path, origin: str) -> Path:
    """Make a directory the top of a repository."""
    place.mkdir(exist_ok=True)
    git("init", "-q", str(place))
    git("-C", str(place), "remote", "add", "origin", origin)
    return place
