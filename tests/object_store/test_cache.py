"""Index and cache are made anew when they are missing, damaged or of another state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Mode, Taken, Unchanged
from hermes_checkpoints.object_store.git_index import index_checksum, index_entries
from hermes_checkpoints.object_store.index_cache import StageState, sealed, unsealed
from hermes_checkpoints.object_store.rules import (
    BUILT_IN_EXCLUDES,
    built_in_lines,
    literal_pattern,
    write_excludes,
)
from support import crossed, files


def spoil(state: Path, **members: object) -> None:
    known = json.loads(unsealed(state.read_bytes()))
    state.write_bytes(sealed(json.dumps(known | members).encode()))


def damage(kind: str, index: Path, state: Path) -> None:
    """Do to the index or its cache what ``kind`` says."""
    match kind.split():
        case ["both", "gone"]:
            index.unlink()
            state.unlink()
        case ["index", how]:
            spoil_bytes(index, how)
        case ["cache", how]:
            spoil_bytes(state, how)
        case ["cache", "of", "another", what]:
            spoil(state, **{{"version": "version", "index": "checksum"}[what]: 0})
        case ["cache", "with", "wrong", "members"]:
            spoil(state, directories=3)
        case _:
            index.with_name(index.name + ".lock").touch()


def spoil_bytes(file: Path, how: str) -> None:
    data = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        damaged = {"empty": b"", "cut": data[:40], "zeroed": bytes(len(data)), "flipped": flipped}
        file.write_bytes(damaged[how])


DAMAGE = (
    *("index gone", "cache gone", "both gone", "index empty", "index cut", "index zeroed"),
    *("index flipped", "cache flipped"),
    *("cache empty", "cache cut", "cache of another version", "cache of another index"),
    *("cache with wrong members", "lock left behind"),
)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("kind", "changed"), crossed(3, DAMAGE, [False, True]))
def test_a_damaged_cache_costs_time_only(
    home: Path, project: Path, kind: str, changed: bool
) -> None:
    (project / "private").write_text("p\n")
    (project / "private").chmod(0o600)
    (project / "empty").mkdir(mode=0o711)
    before = files(project)
    index = Layout.of(home).index_of(project_hash(project))
    state = index.with_name(index.name + ".state")
    with Checkpoints.open(home) as store:
        first = store.project(project).take()
        assert isinstance(first, Taken)
        damage(kind, index, state)
        if changed:
            (project / "README.md").write_text("changed\n")
            second = store.project(project).take()
            assert isinstance(second, Taken)
            assert [
                c.path
                for c in store.project(second.checkpoint.working_dir).changes(second.checkpoint)
            ] == ["README.md"]
        else:
            assert isinstance(store.project(project).take(), Unchanged)
        loaded = StageState.load(index)
        assert loaded is not None
        assert loaded.checksum == index_checksum(index)
        assert index_entries(index) == len(before)
        shutil.rmtree(project)
        project.mkdir()
        store.project(project).restore(first.checkpoint.id, mode=Mode.EXACT)
    assert files(project) == before
    assert (project / "empty").stat().st_mode & 0o777 == 0o711


def test_the_cache_survives_its_file(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as store:
        store.project(project).take()
    index = Layout.of(home).index_of(project_hash(project))
    state = StageState.load(index)
    assert state is not None
    state.save(index)
    assert StageState.load(index) == state


def test_the_block_of_excludes_is_rewritten_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "info/exclude"
    first = write_excludes(file, [])
    assert write_excludes(file, []) == first
    file.write_text("above\n" + file.read_text() + "below \n#comment\n")
    second = write_excludes(file, ["*.x", "!y"])
    lines = file.read_text().splitlines()
    assert second != first
    assert lines[-3:] == ["above", "below ", "#comment"]
    assert lines.index("*.x") < lines.index("!y") < lines.index("above")
    patterns = {pattern for title in BUILT_IN_EXCLUDES for pattern in built_in_lines(title)}
    assert patterns <= set(lines)
    write_excludes(file, [])
    assert "*.x" not in file.read_text()


def test_a_directory_with_pattern_characters_is_meant_literally() -> None:
    assert literal_pattern("a b/[c]*?") == "/a\\ b/\\[c]\\*\\?/"
