"""Tells which paths files of rules, as they once were, would leave out. Git itself answers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.git import Git

_ALWAYS = ".hermes-always"
_HERE = b"./"


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
        # The command knows no literal paths: one that begins with a colon would be a pattern.
        variables = {**git.variables, "GIT_LITERAL_PATHSPECS": None}
        output = replace(git, work_tree=Path(folder), variables=variables, unblock=None).run(
            *("check-ignore", "--no-index", "-z", "--stdin"),
            stdin=b"".join(_HERE + os.fsencode(path) + b"\0" for path in asked),
            patience=4,
        )
    found = (path.removeprefix(_HERE) for path in output.split(b"\0") if path)
    return {os.fsdecode(path) for path in found} - {asked[0]}


def _place(file: Path, contents: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(contents)
