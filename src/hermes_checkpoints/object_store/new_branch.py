"""Adds objects and a branch to another repository, by its files alone: no git runs there, so that
no hook and no setting of it is obeyed.

The objects come first, as a pack; the branch is made last, in one step, and only where there is
none of its name. Whoever is killed in between leaves objects that nothing refers to, and files
named as those that git's own gc removes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import BadRequest, BranchRefused
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.repository import Repository
from hermes_checkpoints.fs.system import copy_contents, sync_directory
from hermes_checkpoints.fs.walking import walk, walk_up
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.object_store import ref_files

_BRANCHES = "refs/heads/"
_MOST_PACKED = 1 << 28
_MOST_HEAD = 1 << 13
_NO_LINKS = {
    errno.EPERM,
    errno.EXDEV,
    errno.EMLINK,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    getattr(errno, "ENOTSUP", errno.EOPNOTSUPP),
}


def require_free(repository: Repository, name: str) -> None:
    """Refuse the name of a branch that is there already, or that git could not have beside those
    that are: one above or below it. So is one that HEAD of a working directory names although it
    has no commit yet: to make it would move that HEAD.

    Raises:
        BadRequest: when the name is too long for this disk.
        BranchRefused: also when the branches cannot be read.
    """
    try:
        _require_free(repository, name)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise BadRequest(
                f"the name of the branch is too long for a file of git here ({len(name)} "
                "characters); choose a shorter one"
            ) from error
        raise BranchRefused(
            f"the branches of {repository.top} are not known: {error.filename} cannot be read "
            f"({error.strerror})"
        ) from error


def _require_free(repository: Repository, name: str) -> None:
    ref = _BRANCHES + name
    for head in _heads(repository):
        symbolic, _, named = small_contents(head, _MOST_HEAD).partition(b":")
        if symbolic == b"ref" and named.strip() == os.fsencode(ref):
            raise BranchRefused(
                f"{name!r} is the branch that HEAD of {repository.top} names already; choose a new "
                "name"
            )
    packed = small_contents(repository.common_dir / ref_files.PACKED, _MOST_PACKED)
    if not packed and _has_bytes(repository.common_dir / ref_files.PACKED):
        raise BranchRefused(
            f"the branches of {repository.top} are not known, since its packed-refs cannot be read"
        )
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.lstat(repository.common_dir / f"{ref}.lock")  # git makes it whenever it changes a branch
    above = [_BRANCHES + folder for folder in sorted(folders_above([name]))]
    for one in (*above, ref):
        place = repository.common_dir / one
        is_folder = place.is_dir() and not place.is_symlink()
        if _is_packed(packed, f"{one}\n") or (os.path.lexists(place) and not is_folder):
            raise _taken(repository, one, ref)
    below = next(_files_below(repository.common_dir / ref), None)
    if below is not None or _is_packed(packed, f"{ref}/"):
        raise BranchRefused(
            f"{repository.top} has a branch below {name}/, so that git cannot have {name!r}, too; "
            "choose another name"
        )


def add_pack(repository: Repository, pack: Path) -> None:
    """Copy a pack with its index into a repository.

    Raises:
        OSError: when it cannot be written, with the path.
        BranchRefused: when its folder of objects is a link.
    """
    folder = repository.objects / "pack"
    _require_plain(repository, repository.objects, folder)
    folder.mkdir(exist_ok=True)
    parts = [pack, pack.with_suffix(".idx")]  # git looks for a pack by its index
    if all((folder / part.name).exists() for part in parts):
        return
    for part in parts:
        with _temporary(folder) as (place, descriptor):
            source = os.open(part, os.O_RDONLY)
            try:
                copy_contents(source, descriptor)
            finally:
                os.close(source)
            os.fsync(descriptor)
            os.replace(place, folder / part.name)
    sync_directory(str(folder))


def add_branch(repository: Repository, name: str, commit: str) -> None:
    """Make a new branch.

    Raises:
        OSError: when it cannot be written, with the path.
        BranchRefused: as ``require_free``, or when a folder of its name is a link.
    """
    require_free(repository, name)
    ref = _BRANCHES + name
    place = repository.common_dir / ref
    for level in sorted(folders_above([ref])):
        folder = repository.common_dir / level
        _require_plain(repository, folder)
        folder.mkdir(exist_ok=True)
    _remove_empty(place)
    if os.path.lexists(f"{place}.lock"):
        raise BranchRefused(
            f"{place}.lock is there: another git makes this branch, or was killed when it did; "
            "remove that file if no git runs"
        )
    pack = repository.objects / "pack"
    with _temporary(pack, 0o666) as (temporary, descriptor):
        os.write(descriptor, f"{commit}\n".encode())
        os.fsync(descriptor)
        try:
            os.link(temporary, place)
        except FileExistsError:
            raise _taken(repository, ref, ref) from None
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            ref_files.create(repository.common_dir, ref, commit)
    sync_directory(str(place.parent))


# --- inside --------------------------------------------------------------------------------------


def _taken(repository: Repository, there: str, wanted: str) -> BranchRefused:
    name, new = there.removeprefix(_BRANCHES), wanted.removeprefix(_BRANCHES)
    if name == new:
        return BranchRefused(
            f"{repository.top} has a branch {name!r} already, which is left as it is; choose a new "
            f"name, or remove it by `git branch -D {name}`"
        )
    return BranchRefused(
        f"{repository.top} has a branch {name!r}, so that git cannot have {new!r} below it; choose "
        "another name"
    )


def _heads(repository: Repository) -> Iterator[Path]:
    yield repository.common_dir / "HEAD"
    with contextlib.suppress(OSError), os.scandir(repository.common_dir / "worktrees") as found:
        for entry in found:
            yield Path(entry.path) / "HEAD"


def _is_packed(packed: bytes, end: str) -> bool:
    return b" " + os.fsencode(end) in packed


def _has_bytes(file: Path) -> bool:
    return os.path.lexists(file) and not (file.is_file() and file.stat().st_size == 0)


def _files_below(folder: Path) -> Iterator[str]:
    for above, _, names in walk(str(folder)):
        yield from (os.path.join(above, name) for name in names)


def _remove_empty(folder: Path) -> None:
    """Remove a directory that holds nothing but directories, as git leaves them behind."""
    for one, _, _ in walk_up(str(folder)):
        os.rmdir(one)


def _require_plain(repository: Repository, *folders: Path) -> None:
    for folder in folders:
        if folder.is_symlink():
            raise BranchRefused(
                f"{folder} is a link, and nothing is written behind links of {repository.top}; "
                "use `git worktree` for a second working directory"
            )


@contextlib.contextmanager
def _temporary(folder: Path, mode: int = 0o444) -> Iterator[tuple[Path, int]]:
    """Yield a new file, and its descriptor, whose name git's gc takes for one left behind; it is
    gone at the end unless it was renamed."""
    place = folder / f"tmp_hermes_{secrets.token_hex(8)}"
    descriptor = os.open(
        place, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
    )
    try:
        yield place, descriptor
    finally:
        os.close(descriptor)
        with contextlib.suppress(OSError):
            place.unlink()
