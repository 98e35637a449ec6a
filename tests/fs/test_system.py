"""What this system does in one step is done in one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints.fs import system

RENAME = """
import sys
from pathlib import Path
from hermes_checkpoints.fs.system import place_of, rename_new
def told(name, args):
    if name in ("os.rename", "os.link", "os.remove"):
        print(name)
sys.addaudithook(told)
rename_new(*(place_of(Path(one)) for one in sys.argv[1:]))
"""


@pytest.mark.skipif(not system.can_exchange(), reason="the system has no renameat2")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_path_gets_a_new_name_in_one_step(tmp_path: Path, kind: str) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir() if kind == "folder" else old.write_text("contents")
    command = [sys.executable, "-c", RENAME, str(old), str(new)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "os.rename\n"
    assert not os.path.lexists(old)
    assert new.exists()


def test_a_new_name_replaces_nothing(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    with pytest.raises(FileExistsError):
        system.rename_new(system.place_of(old), system.place_of(new))
    assert old.is_dir()
    assert new.is_dir()
