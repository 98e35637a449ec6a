"""Lists, writes and deletes refs by the files that hold them, without a process, and tells whether
those changed and which are broken.

One broken line of ``packed-refs`` makes every git command fail, and an empty file below ``refs/``
every gc. Both are what a power cut or a full disk leaves.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.layout import REF_PREFIX
from hermes_checkpoints.object_store.loose import in_folder
from hermes_checkpoints.object_store.quarantine import copy_aside, set_aside

PACKED = "packed-refs"
NEW_PACKED = f"{PACKED}.new"
"""What git writes beside the packed refs, under their lock, before it is renamed."""
MOST_BYTES = 1 << 30
"""No larger file of packed refs is read."""

_LOOSE = re.compile(rb"(?:[0-9a-f]{40}|ref: refs/\S+)\s*")
_SYMBOLIC = "ref: "
_LINE = re.compile(rb"[0-9a-f]{40} refs/[^\s\0-\x1f\x7f~^:?*\[\\]+")
_ENTRY = re.compile(_LINE.pattern + rb"\n(?:\^[0-9a-f]{40}\n)?")
_PEELED = re.compile(rb"\^[0-9a-f]{40}")
_FORBIDDEN = re.compile(rb"[\0-\x20\x7f~^:?*\[\\]|\.\.|@\{|\.(?:/|\Z)|\.lock/")
"""What no name of a ref has, by git-check-ref-format(1), without hidden files, which git skips."""

_HEADER = b"# pack-refs with:"
_HEADER_LINE = re.compile(re.escape(_HEADER) + rb"[^\n\r]*\n")
_ID_DIGITS = 40


def sign(store: Path) -> str:
    """Return a short text that is another one once checkpoints' refs came or went, whoever did it.

    It is made of what the system says of ``packed-refs`` and of the folders of loose refs: inode
    and times, which a backup that is put back does not bring along. It costs one look at each
    project with loose refs. A store without refs and one that does not exist have the same sign.
    """
    known: list[str] = []
    with contextlib.suppress(OSError):
        packed = os.lstat(f"{store}/{PACKED}")
        known.append(f"{_stamp(PACKED, packed)} {packed.st_size}")
    with contextlib.suppress(OSError), os.scandir(f"{store}/{REF_PREFIX}") as found:
        for entry in found:
            with contextlib.suppress(OSError):
                known.append(_stamp(entry.name, entry.stat(follow_symlinks=False)))
    return hashlib.sha256("\n".join(sorted(known)).encode("utf-8", "backslashreplace")).hexdigest()


def _stamp(name: str, info: os.stat_result) -> str:
    return f"{name} {info.st_ino} {info.st_mtime_ns} {info.st_ctime_ns}"


def packed(store: Path) -> bytes:
    """Return what the file of packed refs says; nothing where there is none."""
    return small_contents(store / PACKED, MOST_BYTES)


def is_packed(contents: bytes, ref: str) -> bool:
    """Tell whether packed refs, as ``packed`` returns them, have a ref."""
    return f" {ref}\n".encode() in contents


def leads_to(store: Path, ref: str) -> str | None:
    """Return the object id that a ref names, None where there is no such ref; no other is read.

    Raises:
        OSError: when its file cannot be read.
    """
    path = store / ref
    if os.path.lexists(path):
        contents = _loose(path)
        return None if contents is None else contents.decode().strip()
    return _packed(store)[0].get(ref)


def create(store: Path, ref: str, object_id: str) -> None:
    """Write a new ref in the way of git: into its lock file, which is made durable and renamed.
    Its name must be one that no packed ref has.

    Raises:
        FileExistsError: when a file of such a ref or a lock of it is there.
        OSError: when it cannot be written, with the path.
    """
    path = store / ref
    lock = path.with_name(path.name + ".lock")
    with in_folder(path.parent, lambda: open(lock, "xb"), parents=True) as file:
        try:
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            file.write(f"{object_id}\n".encode())
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.replace(lock, path)
        except BaseException:
            with contextlib.suppress(OSError):
                lock.unlink()
            raise


def delete(store: Path, refs: Collection[str]) -> list[str]:
    """Delete refs in the way of git, first the packed ones, all at once and durably, then those in
    files of their own, each under its lock; return those that git must delete, because somebody
    else has a lock of them. Those that are gone already are no error.

    All is done under the lock of the packed refs: a ``git pack-refs`` of somebody else could else
    put back what is deleted from a file of its own.

    Raises:
        OSError: when one cannot be deleted; others may be gone.
    """
    if not refs:
        return []
    lock = store / f"{PACKED}.lock"
    try:
        held = lock.open("xb")
    except FileExistsError:
        return [*refs]
    try:
        with held:  # open, so that it can be seen that somebody works in the store
            _delete_packed(store, {ref.encode() for ref in refs})
            return _delete_loose(store, refs)
    finally:
        lock.unlink()


def _delete_packed(store: Path, refs: Collection[bytes]) -> None:
    """Write the file of packed refs anew without some of them, if it has any.

    Raises:
        OSError: when it cannot be read or written; it is as it was.
    """
    path = store / PACKED
    if _is_no_file(path):
        return
    try:
        contents = path.read_bytes()
    except FileNotFoundError:
        return
    kept = _without(contents, refs)
    if kept != contents:
        _write_packed(store, kept)


def _write_packed(store: Path, contents: bytes) -> None:
    """Replace the file of packed refs, durable, in the way of git.

    Raises:
        OSError: when it cannot be written, with the path; it is as it was.
    """
    path, new = store / PACKED, store / NEW_PACKED
    new.unlink(missing_ok=True)
    try:
        with new.open("xb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        new.unlink(missing_ok=True)


def _without(contents: bytes, refs: Collection[bytes]) -> bytes:
    """Return packed refs without some of them; a line that begins with ``^`` belongs to the ref
    above it."""
    kept: list[bytes] = []
    going = False
    for line in contents.splitlines(keepends=True):
        if not line.startswith(b"^"):
            going = line[_ID_DIGITS + 1 :].rstrip(b"\n") in refs
        if not going:
            kept.append(line)
    return b"".join(kept)


def _delete_loose(store: Path, refs: Iterable[str]) -> list[str]:
    """Delete those refs that are in files of their own; return those that git must delete."""
    others = []
    for ref in refs:
        name = f"{store}/{ref}"
        if not os.path.lexists(name):
            continue
        path = Path(name)
        lock = path.with_name(path.name + ".lock")
        if path.is_symlink() or path.is_dir():
            others.append(ref)
            continue
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            others.append(ref)
            continue
        try:
            path.unlink(missing_ok=True)
        finally:
            lock.unlink()
    return others


def any_loose(store: Path, *, least: int = 1) -> bool:
    """Tell whether any ref, or what may be one, lies in a file of its own, or ``least`` of them."""
    return sum(1 for _ in itertools.islice(_files(store), least)) == least


def any_checkpoint(store: Path) -> bool:
    """Tell whether a store has a ref of a checkpoint, or a file that may have been one."""
    if f" {REF_PREFIX}".encode() in packed(store):
        return True
    return any(names for _, _, names in walk(store / REF_PREFIX))


def checkpoints(store: Path, prefix: str = REF_PREFIX) -> dict[str, str]:
    """Return the object ids of the refs that begin with ``prefix``, those of checkpoints by
    default, by name, as ``git for-each-ref`` lists them where nothing is broken.

    Raises:
        OSError: when a file cannot be read.
    """
    named = read(store).named
    return {
        name: id_ for name, id_ in named.items() if name.startswith(prefix) and "/." not in name
    }


@dataclass(frozen=True)
class RefFiles:
    """What the files of refs say: ``named`` has the object id by ref, a loose one before a packed
    one; ``broken`` are the files that git does not read as refs, by their names from the store."""

    named: dict[str, str]
    broken: tuple[str, ...]


def read(store: Path) -> RefFiles:
    """Read all refs of a store without git, which ends at the first broken file.

    Raises:
        OSError: when a file cannot be read.
    """
    named, broken = _packed(store)
    symbolic: dict[str, str] = {}
    for path in _files(store):
        contents = _loose(path) if _is_named(store, path) else None
        if contents is None:
            broken.append(_shown(path.relative_to(store)))
            continue
        name, text = path.relative_to(store).as_posix(), contents.decode("ascii", "replace").strip()
        if text.startswith(_SYMBOLIC):
            symbolic[name] = text.removeprefix(_SYMBOLIC)
        else:
            named[name] = text
    for name, target in symbolic.items():
        if target in named:
            named[name] = named[target]
        else:
            broken.append(name)
    return RefFiles(dict(sorted(named.items())), tuple(sorted(broken)))


def _packed(store: Path) -> tuple[dict[str, str], list[str]]:
    path = store / PACKED
    if _is_no_file(path):
        return {}, [PACKED]
    try:
        contents = path.read_bytes()
    except FileNotFoundError:
        return {}, []
    good = _good(contents)
    lines = [line for line in good.decode().split("\n") if line and line[0] not in "#^"]
    named = {line[_ID_DIGITS + 1 :]: line[:_ID_DIGITS] for line in lines}
    return named, [PACKED] if good != contents else []


def set_aside_broken(store: Path) -> list[str]:
    """Move what git does not read as a ref aside; return the names, from the store.

    Of ``packed-refs`` a copy is kept, and the lines that can be read stay in force. The caller
    has the store alone, so that no ref is being written.

    Raises:
        OSError: when a file cannot be moved or written.
    """
    broken = [path for path in _files(store) if not (_is_named(store, path) and _is_ref(path))]
    for path in broken:
        set_aside(store, path)
    names = [_shown(path.relative_to(store)) for path in broken]
    return [*names, *_mended_packed(store)]


def _shown(path: Path) -> str:
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _files(store: Path) -> Iterator[Path]:
    for folder, _, names in walk(store / "refs"):
        yield from (Path(folder, name) for name in names if not name.endswith(".lock"))


def _is_named(store: Path, path: Path) -> bool:
    """Tell whether the name of a file can be that of a ref."""
    name = os.fsencode(path.relative_to(store))
    return _is_text(name) and not _FORBIDDEN.search(name)


def _is_text(name: bytes) -> bool:
    """Tell whether a name is UTF-8; no other is ever given, and none could be told to git."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_ref(path: Path) -> bool:
    try:
        return _loose(path) is not None
    except OSError:
        return True  # what cannot be read now is not known to be broken


def _loose(path: Path) -> bytes | None:
    """Return what a file of a loose ref says, or None where that is no ref, or it is no file: a
    pipe would be waited for, and a link leads elsewhere.

    Raises:
        OSError: when it cannot be read.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        return None
    contents = path.read_bytes()
    return contents if _LOOSE.fullmatch(contents) else None


def _is_no_file(path: Path) -> bool:
    """Tell whether what lies in the place of ``packed-refs`` is none, or would be waited for."""
    return path.is_dir() or path.is_fifo()


def _mended_packed(store: Path) -> list[str]:
    path = store / PACKED
    if _is_no_file(path):
        set_aside(store, path)
        return [PACKED]
    try:
        contents = path.read_bytes()
    except OSError:
        return []
    good = _good(contents)
    if good == contents:
        return []
    copy_aside(store, path)
    _write_packed(store, good)
    return [PACKED]


def _good(contents: bytes) -> bytes:
    """Return packed refs without what git does not read in them."""
    header = _HEADER_LINE.match(contents)
    start = header.end() if header else 0
    if _is_text(contents) and b"".join(_ENTRY.findall(contents, start)) == contents[start:]:
        return contents
    lines = contents.splitlines(keepends=True)
    return b"".join(line for number, line in enumerate(lines) if _is_line(number, line, lines))


def _is_line(number: int, line: bytes, lines: list[bytes]) -> bool:
    if not line.endswith(b"\n"):
        return False
    text = line[:-1]
    if text.startswith(_HEADER):
        return number == 0
    if _PEELED.fullmatch(text):
        return number > 0 and _LINE.fullmatch(lines[number - 1][:-1]) is not None
    return _LINE.fullmatch(text) is not None and _is_text(text)
