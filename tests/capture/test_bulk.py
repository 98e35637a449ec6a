"""Takes of many files: their objects come into packs before git stages them."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import Checkpoint, Mode, Taken, TakeOutcome, Unchanged
from hermes_checkpoints.object_store import bulk
from hermes_checkpoints.object_store.bulk import BULK, trees_of
from hermes_checkpoints.object_store.incompressible import LARGE
from support import files

GIT = shutil.which("git") or "git"
MANY = 3 * BULK

TRAPS = (
    b"a-b/x", b"a.b/x", b"a/x", b"a0/x", b"a/x.y/z", b"a/x-y/z", b"a/xy/z", b"a.c", b"a-c", b"a!",
    b"line\nfeed/tab\there", b'"quoted"/\\back', b"\xff\xfe/\x80", b" ", b"deep/" * 30 + b"end",
    b".gitmodules", b".gitattributes", b"-dash", b"\xc3\xa9/e\xcc\x81",
)  # fmt: skip


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def write(root: Path, name: bytes, data: bytes) -> None:
    path = os.fsencode(root) + b"/" + name
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def fill(root: Path, number: int, text: str, *, folders: int = MANY) -> None:
    for i in range(number):
        write(root, b"d%d/f%d" % (i % folders, i), f"{text} {i}\n".encode())


def objects(home: Path) -> tuple[set[str], set[str]]:
    """Return the names of the loose objects and of the packs of a store."""
    place = home / "checkpoints" / "store" / "objects"
    loose = {p.parent.name + p.name for p in place.glob("??/*")}
    return loose, {p.name for p in place.glob("pack/*.pack")}


def plain_tree(root: Path, folder: Path) -> str:
    """Return the tree that ``git add`` makes of a directory."""
    folder.mkdir()
    environment = {**os.environ, "GIT_DIR": str(folder / "g"), "GIT_WORK_TREE": str(root)}
    (folder / "attributes").write_text("* -text -ident -filter -eol -working-tree-encoding\n")
    for command in (
        ("init", "-q"),
        ("config", "core.attributesFile", str(folder / "attributes")),
        ("config", "core.protectNTFS", "false"),
        ("add", "-f", "-A"),
        ("write-tree",),
    ):
        done = subprocess.run(
            [GIT, *command], cwd=root, env=environment, check=True, stdout=subprocess.PIPE
        )
    return done.stdout.decode().strip()


@pytest.mark.campaign
def test_a_first_take_of_many_files_writes_packs_and_the_tree_that_git_would(
    store: Checkpoints, home: Path, tree: Path, tmp_path: Path
) -> None:
    fill(tree, 1200, "text")
    for name in TRAPS:
        write(tree, name, b"of " + name)
    write(tree, b"empty", b"")
    os.chmod(tree / "d1" / "f1", 0o744)
    os.symlink("d1/f1", tree / "link")
    os.symlink("nowhere", tree / "d2" / "dangling")
    checkpoint = taken(store.project(tree).take())
    assert (checkpoint.complete, checkpoint.file_count) == (True, 1200 + len(TRAPS) + 3)
    assert checkpoint.tree_id == plain_tree(tree, tmp_path / "plain")
    loose, packs = objects(home)
    assert len(loose) < BULK  # links, and what a checkpoint has beside its tree
    assert 2 <= len(packs) <= 5
    before = files(tree)
    shutil.rmtree(tree / "d1")
    (tree / "a.c").write_bytes(b"broken")
    assert store.project(tree).restore(checkpoint, mode=Mode.EXACT).complete
    assert files(tree) == before


def test_the_take_after_a_large_one_hashes_nothing(
    store: Checkpoints, home: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tree, MANY, "text")
    taken(store.project(tree).take())
    before = objects(home)
    assert isinstance(store.project(tree).take(), Unchanged)
    write(tree, b"d1/f1", b"another")
    ran: list[str] = []
    run = Git.run

    def counted(self: Git, *arguments: str, **options: object) -> bytes:
        ran.append(arguments[0])
        return run(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", counted)
    taken(store.project(tree).take())
    assert [name for name in ran if name in ("update-index", "write-tree")] == [
        "update-index",
        "write-tree",
    ]
    assert not {"fast-import", "index-pack", "cat-file"} & set(ran[: ran.index("write-tree")])
    assert objects(home)[1] == before[1]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("sample", [10, 200])
@pytest.mark.parametrize("packed", [True, False])
def test_of_files_whose_times_alone_change_nothing_is_written(
    store: Checkpoints,
    home: Path,
    tree: Path,
    packed: bool,
    sample: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(tree, MANY, "text")
    if not packed:
        monkeypatch.setattr(bulk, "BULK", 10_000)
    taken(store.project(tree).take())
    monkeypatch.undo()
    before = objects(home)
    assert bool(before[1]) == packed
    monkeypatch.setattr(bulk, "_SAMPLE", sample)
    for path in tree.glob("*/*"):
        os.utime(path, (1, 1))
    assert isinstance(store.project(tree).take(), Unchanged)
    assert objects(home) == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("sample", [10, 200])
def test_of_a_second_project_only_what_is_new_is_written(
    store: Checkpoints,
    home: Path,
    tree: Path,
    tmp_path: Path,
    sample: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "_SAMPLE", sample)
    fill(tree, MANY, "text")
    first = taken(store.project(tree).take())
    loose, packs = objects(home)
    other = tmp_path / "other"
    shutil.copytree(tree, other)
    assert taken(store.project(other).take()).tree_id == first.tree_id
    assert objects(home)[1] == packs
    assert len(objects(home)[0] - loose) <= 4  # the commit and what it has beside the tree


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("most", "expected"), [(bulk._MOST_CHANGED, 1), (0, 2)])
def test_half_of_the_files_rewritten_become_one_pack_or_one_of_contents_and_one_of_trees(
    store: Checkpoints,
    home: Path,
    tree: Path,
    most: int,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "_MOST_CHANGED", most)
    fill(tree, 2 * MANY, "text")
    taken(store.project(tree).take())
    loose, packs = objects(home)
    fill(tree, MANY, "other")
    after = taken(store.project(tree).take())
    assert len(objects(home)[1] - packs) == expected
    assert len(objects(home)[0] - loose) <= 4
    assert store.project(tree).read_file(after, "d7/f7") == b"other 7\n"
    listing = Git(home / "checkpoints" / "store").run("count-objects", "-v").decode().split()
    inside = int(listing[listing.index("in-pack:") + 1])
    assert inside == 2 * MANY + (MANY + 1) + MANY + (MANY + 1)  # nothing twice


def test_the_trees_of_changes_of_every_kind_are_worked_out_of_the_former_ones(
    store: Checkpoints, home: Path, tree: Path, tmp_path: Path
) -> None:
    for path in TRAPS:
        write(tree, path, b"before")
    for number in range(MANY):
        write(tree, b"kept/d%d/f%d" % (number % 7, number), b"%d" % number)
    for path in (b"gone/deep/er/f", b"emptied/f", b"file", b"folder/in/f", b"folder/g", b"mode"):
        write(tree, path, path)
    os.symlink("nowhere", tree / "link")
    taken(store.project(tree).take())
    loose, packs = objects(home)
    for number in range(BULK):
        write(tree, b"kept/d%d/f%d" % (number % 7, number), b"another %d" % number)
    for path in TRAPS[:5]:
        write(tree, path, b"after")
    for number in range(4):
        write(tree, b"new/%d/below/f" % number, b"same")
    shutil.rmtree(tree / "gone")
    (tree / "emptied" / "f").unlink()
    (tree / "file").unlink()
    write(tree, b"file/is/a/folder", b"now")
    shutil.rmtree(tree / "folder")
    write(tree, b"folder", b"is a file now")
    (tree / "mode").chmod(0o755)
    (tree / "link").unlink()
    os.symlink("elsewhere", tree / "link")
    checkpoint = taken(store.project(tree).take())
    assert checkpoint.tree_id == plain_tree(tree, tmp_path / "plain")
    assert len(objects(home)[1] - packs) == 1
    assert len(objects(home)[0] - loose) <= 4  # the link, the commit and what it has beside


def test_contents_that_lie_loose_are_not_packed_again(
    store: Checkpoints, home: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tree, MANY, "text", folders=1)
    monkeypatch.setattr(bulk, "BULK", 10_000)
    taken(store.project(tree).take())
    monkeypatch.undo()
    for path in tree.glob("*/*"):
        os.utime(path, (1, 1))
    for i in range(BULK):
        write(tree, b"new/f%d" % i, b"new %d" % i)
    taken(store.project(tree).take())
    listing = Git(home / "checkpoints" / "store").run("count-objects", "-v").decode().split()
    assert int(listing[listing.index("in-pack:") + 1]) == BULK + 2  # with their directory's tree
    assert int(listing[listing.index("prune-packable:") + 1]) == 0


def _shim(folder: Path, command: str, script: str) -> str:
    """Return a PATH with a git that runs a script instead of one command."""
    folder.mkdir()
    (folder / "git").write_text(
        f"#!/bin/sh\ncase \"$*|\" in *'{command}'*) {script} ;; esac\nexec '{GIT}' \"$@\"\n"
    )
    (folder / "git").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "command", ["fast-import --quiet --depth", "index-pack", "--batch-check=%(objectname)|"]
)
@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$"])
def test_where_packs_cannot_be_written_git_writes_all_by_itself(
    home: Path, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: str, script: str,
) -> None:  # fmt: skip
    with Checkpoints.open(home) as store:
        fill(tree, 1200, "text")
        expected = plain_tree(tree, tmp_path / "plain")
        before = os.environ["PATH"]
        monkeypatch.setenv("PATH", _shim(tmp_path / "shim", command, script))
        monkeypatch.setattr(bulk, "_SAMPLE", 10)
        checkpoint = taken(store.project(tree).take())
        monkeypatch.setenv("PATH", before)
        assert (checkpoint.tree_id, checkpoint.file_count) == (expected, 1200)
        assert store.project(tree).read_file(checkpoint, "d7/f7") == b"text 7\n"


@pytest.mark.parametrize(
    ("command", "blocks"), [("fast-import --quiet --depth", 64), ("index-pack", 1)]
)
def test_half_a_pack_that_the_disk_has_no_room_for_does_not_stay_on_it(
    home: Path, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: str, blocks: int,
) -> None:  # fmt: skip
    for i in range(MANY):
        write(tree, b"d%d/f" % i, os.urandom(1000))
    limited = f"mkdir -p '{tmp_path}/met'; ulimit -f {blocks}"
    monkeypatch.setenv("PATH", _shim(tmp_path / "shim", command, limited))
    with Checkpoints.open(home) as store:
        checkpoint = taken(store.project(tree).take())
        assert (tmp_path / "met").exists()
        assert (checkpoint.complete, checkpoint.file_count) == (True, MANY)
    place = home / "checkpoints" / "store"
    assert len(objects(home)[1]) == 1, "the other pack"
    assert [*place.glob("objects/**/tmp_*"), *place.glob("scratch-*")] == []


def test_half_a_pack_of_changes_that_the_disk_has_no_room_for_does_not_stay_on_it(
    home: Path, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tree, MANY, "text")
    with Checkpoints.open(home) as store:
        taken(store.project(tree).take())
        for path in tree.rglob("f*"):
            path.write_bytes(os.urandom(1000))
        limited = f"mkdir -p '{tmp_path}/met'; ulimit -f 1"
        monkeypatch.setenv("PATH", _shim(tmp_path / "shim", "index-pack", limited))
        checkpoint = taken(store.project(tree).take())
        assert (tmp_path / "met").exists()
        assert (checkpoint.complete, checkpoint.file_count) == (True, MANY)
    place = home / "checkpoints" / "store"
    assert [*place.glob("objects/**/tmp_*"), *place.glob("scratch-*")] == []


def test_a_pack_whose_index_was_lost_comes_back_with_the_same_contents(
    store: Checkpoints, home: Path, tree: Path, tmp_path: Path
) -> None:
    fill(tree, MANY, "text")
    checkpoint = taken(store.project(tree).take())
    before = objects(home)[1]
    for index in (home / "checkpoints" / "store" / "objects" / "pack").glob("*.idx"):
        index.unlink()
    shutil.copytree(tree, tmp_path / "other")
    assert taken(store.project(tmp_path / "other").take()).tree_id == checkpoint.tree_id
    assert objects(home)[1] == before
    assert store.project(tree).read_file(checkpoint, "d7/f7") == b"text 7\n"


def test_a_file_that_changes_after_it_was_packed_is_held_as_it_is_then(
    home: Path, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tree, MANY, "text")
    change = f"'{GIT}' \"$@\"; e=$?; echo then >'{tree}/d7/f7'; rm -f '{tree}/d8/f8'; exit $e"
    monkeypatch.setenv("PATH", _shim(tmp_path / "shim", "fast-import --quiet --depth", change))
    with Checkpoints.open(home) as store:
        checkpoint = taken(store.project(tree).take())
        assert store.project(tree).read_file(checkpoint, "d7/f7") == b"then\n"
        assert checkpoint.file_count == MANY - 1
        assert [s.path for s in store.project(tree).skipped(checkpoint)] == ["d8/f8"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("command", ["fast-import --quiet --depth", "index-pack", "write-tree"])
@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.campaign)])
def test_a_take_killed_between_its_packs_leaves_nothing_that_a_prune_does_not_remove(
    home: Path, tree: Path, tmp_path: Path, command: str, after: bool
) -> None:
    fill(tree, 1200, "text")
    first = f"'{GIT}' \"$@\"; " if after else "head -c 2000 >/dev/null; "
    path = _shim(tmp_path / "shim", command, f"{first} kill -9 $PPID; exit 1")
    program = (
        "import sys; from hermes_checkpoints import Checkpoints\n"
        "with Checkpoints.open(sys.argv[1]) as s: s.project(sys.argv[2]).take()"
    )
    killed = subprocess.run(
        [sys.executable, "-c", program, str(home), str(tree)],
        env={**os.environ, "PATH": path},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    with Checkpoints.open(home) as store:
        checkpoint = taken(store.project(tree).take())
        assert (checkpoint.complete, checkpoint.file_count) == (True, 1200)
        place = home / "checkpoints" / "store"
        (place / "fast_import_crash_1").touch()
        store.prune()
        assert store.project(tree).read_file(checkpoint, "d7/f7") == b"text 7\n"
        left = [*place.glob("fast_import_crash_*"), *place.glob("objects/**/tmp_*")]
        assert left == []
        assert not place.with_name(f"{project_hash(tree)}.lock").exists()


def test_trees_are_those_that_git_writes_whatever_the_names(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in TRAPS:
        write(root, name, b"of " + name)
    Git(tmp_path).run("init", "-q", "--bare", str(tmp_path / "store"), outside=True)
    git = Git(tmp_path / "store").at(root, tmp_path / "index")
    names = b"".join(name + b"\0" for name in TRAPS)
    git.run("update-index", "-z", "--add", "--stdin", stdin=names)
    found = {path: name for path, name, _ in trees_of(git.run("ls-files", "-z", "--stage"))}
    tree = git.run("write-tree").decode().strip()
    listed = git.run("ls-tree", "-z", "-r", "-d", tree).split(b"\0")[:-1]
    expected = {line.partition(b"\t")[2]: line.split()[2].decode() for line in listed}
    assert found == {b"": tree, **expected}


def test_an_index_without_files_has_the_empty_tree() -> None:
    assert [*trees_of(b"")] == [(b"", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", b"")]


def test_a_git_that_takes_no_input_is_stopped_and_one_that_ends_loses_its_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = Git(tmp_path / "base" / "store", timeout=0.2)
    git.repository.mkdir(parents=True)
    before = os.environ["PATH"]
    pieces = [bytes([i]) * 70_000 for i in range(64)]
    monkeypatch.setenv("PATH", _shim(tmp_path / "deaf", "fast-import", "exec tail -f /dev/null"))
    with pytest.raises(GitTimedOut, match="took no input"):
        git.spread("fast-import", pieces=pieces, processes=2)
    monkeypatch.setenv("PATH", before)
    once = f"mkdir '{tmp_path}/first' 2>/dev/null && exit 3; cat >'{tmp_path}/got'; exit 0"
    monkeypatch.setenv("PATH", _shim(tmp_path / "mortal", "fast-import", once))
    with pytest.raises(GitFailed, match="ended with 3"):
        replace(git, timeout=30.0).spread("fast-import", pieces=pieces, processes=2)
    got = (tmp_path / "got").read_bytes()
    runs = [bytes([i]) * 70_000 for i in range(64) if bytes([i]) in got]
    assert got == b"".join(runs)  # whole pieces, in order
    assert len(runs) >= 62


@pytest.mark.campaign
def test_a_large_file_of_noise_is_stored_as_it_is_under_the_id_that_git_gives_it(
    store: Checkpoints, home: Path, tree: Path, tmp_path: Path
) -> None:
    noise = random.Random(16).randbytes(LARGE + 5)  # noqa: S311 - no secret
    write(tree, b"noise", noise)
    write(tree, b"text", b"all work and no play\n" * (LARGE // 20))
    checkpoint = taken(store.project(tree).take())
    assert checkpoint.tree_id == plain_tree(tree, tmp_path / "plain")
    sizes = sorted(
        path.stat().st_size for path in (home / "checkpoints" / "store" / "objects").glob("??/*")
    )
    assert LARGE < sizes[-1] < len(noise) * 1.001
    assert sizes[-2] < LARGE / 10
    before = files(tree)
    write(tree, b"noise", b"less")
    assert store.project(tree).restore(checkpoint).complete
    assert files(tree) == before
