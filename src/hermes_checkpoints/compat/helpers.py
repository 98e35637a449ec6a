"""The steps of the agent's module that its tests and other modules call by name, where they mean
the same here: how a project is named, where things lie, and which words and paths are refused.

All else that begins with an underscore there works on a store of version 2, and is not served:
integrations/hermes-agent/README.md lists it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hermes_checkpoints.agent import answers
from hermes_checkpoints.compat.bases import BasePath, checkpoint_base
from hermes_checkpoints.layout import Layout, project_hash, resolve_working_dir

_BLOCK = 1 << 20


def normalize_path(path_value: str) -> Path:
    """Return the absolute path with ``~`` and links resolved."""
    return resolve_working_dir(path_value)


def project_hash_of(working_dir: str) -> str:
    """Return the 16 digits by which a working directory is named."""
    return project_hash(resolve_working_dir(working_dir))


def store_path(base: BasePath | None = None) -> Path:
    """Return the git repository in a checkpoint folder, by default in the current one."""
    return Layout.of_base(checkpoint_base() if base is None else base).store


def index_path(store: Path, dir_hash: str) -> Path:
    """Return the git index of a project in a store."""
    return Layout.of_base(store.parent).index_of(dir_hash)


def validate_commit_hash(commit_hash: str) -> str | None:
    """Return why a text can be no id of a checkpoint, or None."""
    return answers.no_commit_hash(commit_hash)


def validate_file_path(file_path: str, working_dir: str) -> str | None:
    """Return why a path is none of a file in a working directory, or None."""
    wrong = answers.no_file_path(file_path, working_dir)
    place = resolve_working_dir(working_dir)
    if wrong is None and not (place / file_path).resolve().is_relative_to(place):
        return f"File path escapes the working directory via traversal: {file_path!r}"
    return wrong


def hash_file(path: Path) -> str | None:
    """Return the SHA-256 of a file, or None where it cannot be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()


def dir_size_bytes(path: Path) -> int:
    """Return the sum of the lengths of all files below a directory, 0 where there is none. What
    ``store_status`` tells is the space on disk."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
