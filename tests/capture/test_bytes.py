"""Bytes, permission bits and times: what comes back is what was there, and no more is touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from capture.roundtrip import comes_back, paths, taken, write
from capture.trees import git, listing
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import Action, Mode, Unchanged

ATTRIBUTES = {
    "text=auto": "* text=auto\n",
    "eol": "* text eol=crlf\n",
    "eol lf": "* text=auto eol=lf\n",
    "ident": "* ident\n",
    "filter": "* filter=lfs diff=lfs merge=lfs -text\n",
    "working-tree-encoding": "* text working-tree-encoding=UTF-16\n",
    "unknown encoding": "* working-tree-encoding=NO-SUCH\n",
    "binary": "* binary\n",
    "crlf": "* crlf=input\n",
    "macro": "[attr]odd text eol=crlf ident\n* odd\n",
    "export-subst": "* export-subst export-ignore\n",
}
CONTENTS = {
    "lf": b"one\ntwo\n",
    "crlf": b"one\r\ntwo\r\n",
    "mixed": b"one\r\ntwo\nthree\r",
    "no newline": b"one",
    "ident": b"$Id$ $Id: 0123456789abcdef $\n",
    "subst": b"$Format:%H$\n",
    "utf-16": "one\ntwo\n".encode("utf-16"),
    "utf-8 bom": b"\xef\xbb\xbfone\r\n",
    "nul": bytes(range(256)) * 4,
    "empty": b"",
    "lfs pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("kind", "place"),
    [*((kind, "file") for kind in ATTRIBUTES), ("eol", "info"), ("filter", "info")],
)
def test_bytes_survive_attributes(store: Checkpoints, tree: Path, kind: str, place: str) -> None:
    if place == "file":
        write(tree, {".gitattributes": ATTRIBUTES[kind], "sub/.gitattributes": ATTRIBUTES[kind]})
    else:
        git(tree, "init", "-q")
        (tree / ".git/info/attributes").write_text(ATTRIBUTES[kind])
    write(tree, {**CONTENTS})
    write(tree, {f"sub/{name}": data for name, data in CONTENTS.items()})

    def change() -> None:
        write(tree, {name: data + b"\r\nchanged $Id$\n" for name, data in CONTENTS.items()})

    comes_back(store, tree, change)
    assert {n: (tree / n).read_bytes() for n in CONTENTS} == CONTENTS
    assert {n: (tree / "sub" / n).read_bytes() for n in CONTENTS} == CONTENTS


def test_every_combination_of_permission_bits_comes_back(store: Checkpoints, tree: Path) -> None:
    modes = [0o600, 0o640, 0o644, 0o664, 0o666, 0o700, 0o755, 0o777, 0o400, 0o444, 0o500]
    modes += [0o4755, 0o2755, 0o6711, 0o1644, 0o610, 0o601, 0o100, 0o644]
    for number, mode in enumerate(modes):
        write(tree, {f"{number}": f"{number}\n"})
        (tree / f"{number}").chmod(mode)
        os.chmod(tree / f"{number}", mode)

    def change() -> None:
        for number in range(len(modes)):
            (tree / f"{number}").chmod(0o644)

    restored = comes_back(store, tree, change)
    assert paths(restored.done) == {f"{n}" for n, mode in enumerate(modes) if mode != 0o644}
    assert all(step.action is Action.CHMOD for step in restored.done)
    for number, mode in enumerate(modes):
        assert stat.S_IMODE((tree / f"{number}").stat().st_mode) == mode


def test_a_private_file_stays_private_while_it_is_written(store: Checkpoints, tree: Path) -> None:
    write(tree, {"secret": "one\n"})
    (tree / "secret").chmod(0o600)
    comes_back(store, tree, (tree / "secret").unlink)
    assert stat.S_IMODE((tree / "secret").stat().st_mode) == 0o600


def test_a_restore_does_not_depend_on_the_umask(store: Checkpoints, tree: Path) -> None:
    write(tree, {"dir/file": "one\n"})
    (tree / "dir").chmod(0o775)
    (tree / "dir/file").chmod(0o664)
    checkpoint = taken(store.project(tree).take())
    (tree / "dir/file").unlink()
    (tree / "dir").rmdir()
    before = os.umask(0o077)
    try:
        store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tree / "dir").stat().st_mode) == 0o775
    assert stat.S_IMODE((tree / "dir/file").stat().st_mode) == 0o664


def test_untouched_files_keep_their_times(store: Checkpoints, tree: Path) -> None:
    write(tree, {f"{i}": f"{i}\n" for i in range(20)})
    for i in range(20):
        os.utime(tree / f"{i}", ns=(i * 10**9 + 7, i * 10**9 + 7))
    checkpoint = taken(store.project(tree).take())
    write(tree, {"3": "changed\n"})
    before = {path: os.lstat(tree / path) for path in listing(tree)}
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert paths(restored.done) == {"3"}
    for path, seen in before.items():
        if path != "3":
            now = os.lstat(tree / path)
            assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (
                seen.st_ino,
                seen.st_mtime_ns,
                seen.st_ctime_ns,
            )


def test_a_same_size_edit_with_a_restored_time_is_seen(store: Checkpoints, tree: Path) -> None:
    write(tree, {"file": "one\n"})
    for number in range(5):
        taken(store.project(tree).take())
        info = (tree / "file").stat()
        (tree / "file").write_bytes(b"%03d\n" % number)
        os.utime(tree / "file", ns=(info.st_atime_ns, info.st_mtime_ns))
    second = taken(store.project(tree).take())
    assert [change.path for change in store.project(second.working_dir).changes(second)] == ["file"]
    assert isinstance(store.project(tree).take(), Unchanged)


def test_renames_are_not_guessed(store: Checkpoints, tree: Path) -> None:
    write(tree, {"old": "the same contents\n" * 50})
    comes_back(store, tree, lambda: os.rename(tree / "old", tree / "new"))
    assert not (tree / "new").exists()


def test_an_unchanged_directory_makes_no_checkpoint_and_a_restore_writes_nothing(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"file": "one\n"})
    checkpoint = taken(store.project(tree).take())
    assert isinstance(store.project(tree).take(), Unchanged)
    assert store.project(tree).restore(checkpoint.id, mode=Mode.EXACT).done == ()
