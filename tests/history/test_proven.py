"""What an import lists is in the store, also where git says so and it is not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.layout import Layout


def forgetful_git(folder: Path, store: Path) -> str:
    """Make a git that once, after it wrote commits, loses the tree of the last of them; return a
    PATH with it first."""
    folder.mkdir()
    git = folder / "git"
    git.write_text(
        f"#!/bin/sh\nreal='{shutil.which('git')}'\n"
        'if [ "$1" != fast-import ] && [ "$3" != fast-import ]; then exec "$real" "$@"; fi\n'
        '"$real" "$@" || exit $?\n'
        f"[ -e '{folder}/done' ] && exit 0\n"
        f"ref=$(\"$real\" --git-dir='{store}' for-each-ref --format='%(refname)' "
        "--sort=-refname --count=1 refs/checkpoints)\n"
        f'tree=$("$real" --git-dir=\'{store}\' rev-parse "$ref^{{tree}}")\n'
        f"rm '{store}'/objects/$(echo $tree | cut -c1-2)/$(echo $tree | cut -c3-) && "
        f"touch '{folder}/done'\n",
        encoding="utf-8",
    )
    git.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.campaign
def test_an_import_whose_tree_git_lost_lists_nothing_of_it_and_is_made_again(
    v2_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Layout.of(v2_home).store
    with monkeypatch.context() as patch:
        patch.setenv("PATH", forgetful_git(tmp_path / "bin", store))
        with Checkpoints.open(v2_home) as checkpoints:
            listed = {one.ref_name for one in checkpoints.list_all()}
        assert (tmp_path / "bin" / "done").exists()
    command = ["git", f"--git-dir={store}", "fsck", "--full", "--no-dangling"]
    subprocess.run(command, check=True, capture_output=True)
    with Checkpoints.open(v2_home) as checkpoints:
        checkpoints.import_legacy()
        assert {one.ref_name for one in checkpoints.list_all()} > listed
    subprocess.run(command, check=True, capture_output=True)
