"""Edits of a working directory as data, so that Hypothesis can draw, shrink and print them."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from capture.oracle import RESCUED
from capture.trees import REPOSITORIES, Repositories, wipe

CAP = 1 << 20
"""The size limit of the tests, in bytes."""

LONG = "l" * 255
COMMON = ("a", "b", "c", "d")
ODD = (
    *(" lead", "trail ", "new\nline", "tab\there", "-dash", 'quo"te', "it's", "back\\slash"),
    *(":(top)", "*", "[a]", "a?", "!bang", "#hash", "~", "...", "-", "A", "é", "e\u0301", "🙂"),
    *(os.fsdecode(b"\xff\xfe"), os.fsdecode(b"caf\xe9"), LONG, "nul", "con.txt", "a:b", "d."),
    *(".GIT", ".gitmodules", "git~1", ".git ", "HEAD", "refs", ".gitkeep"),
)
RULED = (
    *("x.log", "x.tmp", "kept.tmp", RESCUED, "node_modules", "gone", "only", "named"),
    ".gitattributes",
)
RULES = (
    *("*.tmp", "!kept.tmp", "gone/", "/only", "named", "!x.log", "!node_modules/"),
    *("a", "d/", "/b", "!*.tmp", "!gone/"),
)
ATTRIBUTES = (
    b"* text=auto eol=crlf\n",
    b"* ident\n* working-tree-encoding=UTF-16\n",
    b"* filter=lfs -text\n",
    b"* text eol=lf\n",
)
CONTENTS = (
    *(b"", b"one\n", b"two\n", b"one\r\ntwo\r\n", b"$Id$\n", b"\0\1\2", b"no end"),
    *(b"\xff\xfeU\0", b"#!/bin/sh\n", *ATTRIBUTES),
)
FILE_MODES = (0o644, 0o644, 0o755, 0o600, 0o444, 0o000, 0o640, 0o4755, 0o200, 0o711)
DIRECTORY_MODES = (0o755, 0o755, 0o700, 0o555, 0o000, 0o300, 0o500, 0o2775, 0o1777, 0o444)
TARGETS = ("a", "missing", ".", "..", "/", "loop", "/dev/null", "d/x", os.fsdecode(b"\xff"), "é")

names = st.one_of(
    st.sampled_from(COMMON), st.sampled_from(COMMON), st.sampled_from(RULED), st.sampled_from(ODD)
)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@dataclass(frozen=True)
class Edit:
    """One edit. What its verb does not need stays unused; what is impossible is left undone."""

    verb: str
    path: str
    other: str = ""
    data: bytes = b""
    mode: int = 0

    def apply(self, root: Path, repositories: Repositories) -> None:
        """Do it below ``root``."""
        with contextlib.suppress(OSError):
            getattr(self, f"_{self.verb}")(root, repositories)

    # --- verbs ---------------------------------------------------------------------------

    def _place(self, root: Path) -> Path:
        """Make way for the path: parents become directories, and what lies there goes."""
        place = root
        for part in self.path.split("/")[:-1]:
            place /= part
            if place.is_symlink() or not place.is_dir():
                wipe(place)
                place.mkdir()
        place /= self.path.rpartition("/")[2]
        wipe(place)
        return place

    def _found(self, root: Path) -> Path:
        """Return the path if no parent of it is a link."""
        place = root
        for part in self.path.split("/"):
            if place.is_symlink():
                raise FileNotFoundError(place)
            place /= part
        return place

    def _write(self, root: Path, repositories: Repositories) -> None:
        place = self._place(root)
        place.write_bytes(self.data)
        place.chmod(self.mode)

    def _sized(self, root: Path, repositories: Repositories) -> None:
        place = self._place(root)
        with place.open("wb") as file:
            file.truncate(self.mode)

    def _grow(self, root: Path, repositories: Repositories) -> None:
        place = self._found(root)
        if place.is_file() and not place.is_symlink():
            os.truncate(place, self.mode)

    def _mkdir(self, root: Path, repositories: Repositories) -> None:
        place = self._place(root)
        place.mkdir()
        place.chmod(self.mode)

    def _link(self, root: Path, repositories: Repositories) -> None:
        os.symlink(self.other, self._place(root))

    def _fifo(self, root: Path, repositories: Repositories) -> None:
        os.mkfifo(self._place(root))

    def _socket(self, root: Path, repositories: Repositories) -> None:
        os.mknod(self._place(root), 0o600 | stat.S_IFSOCK)

    def _device(self, root: Path, repositories: Repositories) -> None:
        os.mknod(self._place(root), 0o600 | stat.S_IFCHR, os.makedev(1, 3))

    def _hard(self, root: Path, repositories: Repositories) -> None:
        source = root / self.other
        if source.is_file() and not source.is_symlink():
            os.link(source, self._place(root))

    def _repository(self, root: Path, repositories: Repositories) -> None:
        place = self._found(root)
        if not place.is_dir():
            place = self._place(root)
            place.mkdir()
        repositories.put(self.other, place)

    def _rules(self, root: Path, repositories: Repositories) -> None:
        place = self._found(root)
        if place.is_dir():
            wipe(place / ".gitignore")
            (place / ".gitignore").write_bytes(self.data)

    def _remove(self, root: Path, repositories: Repositories) -> None:
        wipe(self._found(root))

    def _unrepository(self, root: Path, repositories: Repositories) -> None:
        wipe(self._found(root) / ".git")

    def _rename(self, root: Path, repositories: Repositories) -> None:
        os.rename(self._found(root), root / self.other)

    def _chmod(self, root: Path, repositories: Repositories) -> None:
        place = self._found(root)
        if not place.is_symlink():
            place.chmod(self.mode)

    def _retouch(self, root: Path, repositories: Repositories) -> None:
        """Edit a file without changing its size or time."""
        place = self._found(root)
        if place.is_file() and not place.is_symlink():
            info = place.stat()
            if 0 < info.st_size <= CAP:
                data = place.read_bytes()
                place.write_bytes(bytes([data[0] ^ 1]) + data[1:])
                os.utime(place, ns=(info.st_atime_ns, info.st_mtime_ns))


def _lines(patterns: list[str]) -> bytes:
    return "".join(f"{pattern}\n" for pattern in patterns).encode()


sizes = st.sampled_from((CAP - 1, CAP, CAP + 1, CAP + 1, 1 << 36))
rules = st.lists(st.sampled_from(RULES), max_size=4).map(_lines)
makers = st.one_of(
    st.builds(
        Edit,
        st.just("write"),
        paths,
        st.just(""),
        st.sampled_from(CONTENTS),
        st.sampled_from(FILE_MODES),
    ),
    st.builds(
        Edit, st.just("write"), paths, st.just(""), st.sampled_from(CONTENTS), st.just(0o644)
    ),
    st.builds(
        Edit, st.just("mkdir"), paths, st.just(""), st.just(b""), st.sampled_from(DIRECTORY_MODES)
    ),
    st.builds(Edit, st.just("link"), paths, st.sampled_from(TARGETS)),
    st.builds(Edit, st.sampled_from(("fifo", "socket", "device")), paths),
    st.builds(Edit, st.just("hard"), paths, paths),
    st.builds(Edit, st.just("repository"), paths, st.sampled_from(REPOSITORIES)),
    st.builds(Edit, st.just("rules"), st.one_of(st.just("."), paths), st.just(""), rules),
    st.builds(Edit, st.just("sized"), paths, st.just(""), st.just(b""), sizes),
)
changers = st.one_of(
    makers,
    st.builds(Edit, st.just("remove"), paths),
    st.builds(Edit, st.just("remove"), st.sampled_from(COMMON)),
    st.builds(Edit, st.just("rename"), paths, paths),
    st.builds(Edit, st.just("retouch"), paths),
    st.builds(
        Edit,
        st.just("chmod"),
        paths,
        st.just(""),
        st.just(b""),
        st.sampled_from(FILE_MODES + DIRECTORY_MODES),
    ),
    st.builds(Edit, st.just("grow"), paths, st.just(""), st.just(b""), sizes),
    st.builds(Edit, st.just("unrepository"), paths),
)
trees = st.lists(makers, max_size=12)
edits = st.lists(changers, max_size=8)
