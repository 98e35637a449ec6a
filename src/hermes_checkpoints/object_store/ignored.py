"""Tells which paths files of rules, as they once were, would leave out. Git itself answers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.git import Git

_ALWAYS = ".hermes-always"


def matching_rules(git: Git, rules: Mapping[str, str], paths: Iterable[str]) -> set[str]:
    """Return the paths that rules leave out. ``rules`` are the contents of files of rules, by
    the path of each ``.gitignore``.

    Raises:
        GitFailed, StoreDamaged: when the contents cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        with git.blobs() as reader:
            for path, blob in rules.items():
                _place(Path(folder, path), reader.read(blob)[2])
        _place(Path(folder, _ALWAYS, ".gitignore"), b"*\n")  # git ends with 1 where nothing matches
        asked = [f"{_ALWAYS}/x", *paths]
        output = replace(git, work_tree=Path(folder), unblock=None).run(
            *("check-ignore", "--no-index", "-z", "--stdin"),
            stdin=b"".join(os.fsencode(path) + b"\0" for path in asked),
        )
    return {os.fsdecode(path) for path in output.split(b"\0") if path} - {asked[0]}


def _place(file: Path, contents: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(contents)
