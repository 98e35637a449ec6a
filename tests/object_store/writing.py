"""Writes trees of real files for the tests of git's formats."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_index import encode_paths


def write_tree(git: Git, files: Mapping[str, bytes | str | None]) -> str:
    """Make these the only files of the working directory and return their tree. A text is where
    a link leads, None a commit of another repository; a name with ``!`` is executable."""
    assert git.work_tree is not None
    assert git.index is not None
    git.index.unlink(missing_ok=True)
    names = []
    links = []
    for name, content in files.items():
        path = git.work_tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if isinstance(content, str):
            os.symlink(content, path)
        elif content is not None:
            path.write_bytes(content)
            path.chmod(0o755 if "!" in name else 0o644)
        else:
            links.append(f"160000 {'1' * 40} 0\t{name}")
            continue
        names.append(name)
    git.run("update-index", "-z", "--add", "--stdin", stdin=encode_paths(names))
    git.run("update-index", "-z", "--index-info", stdin=encode_paths(links))
    return git.run("write-tree").decode().strip()
