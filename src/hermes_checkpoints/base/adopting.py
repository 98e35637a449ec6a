"""Takes a store that another program made into use, before any git is run in it.

A store of version 2 becomes ours where it lies. Its configuration was written by somebody else, and
git does what a configuration says: it runs hooks and filters, follows alternates, asks a remote
for what is missing. So it is written anew as that of every store (``object_store/frame.py``).
What else git might obey, wait for or be led away by is moved into ``former`` in the store, with
the name that it had. Nothing is deleted: the import moves both into the archive with the rest.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import base_error
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import place_of, rename_new
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.object_store import frame

FORMER = "former"
FORMER_CONFIG = "config.former"

_PROBED = "[core]\n\tfilemode = true\n"
"""What version 2 had of what git finds out about a file system."""
_OURS = "git-program.json"
"""The file that every store has that this program made, or took into use."""
_OBEYED = (
    *("hooks", "config.worktree", "commondir", "gitdir", "shallow", "worktrees", "modules"),
    *("info/grafts", "info/attributes", "info/sparse-checkout", "refs/replace"),
    *("objects/info/alternates", "objects/info/http-alternates"),
    *("objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index"),
)
"""What git obeys or believes beside the configuration; the last ones are caches."""
_BELIEVED = (".promisor", ".bitmap", ".rev", ".mtimes")
"""What lies beside packs and is a cache, or says that objects may be missing."""
_FRAME = ("HEAD", "packed-refs", "objects", "refs", "info", "indexes", "projects", "ledgers")


def adopt(layout: Layout, timeout: float) -> None:
    """Take the store of a base into use, where another program made it. Costs a look or two where
    there is none, or it is ours.

    Raises:
        LockHeld: when others work on it for longer than ``timeout`` seconds.
        BaseUnwritable, NoSpace: when something cannot be moved.
    """
    store = layout.store
    if not is_foreign(store):
        return
    with exclusive(layout.store_lock, purpose="taking a store into use", timeout=timeout):
        try:
            if is_foreign(store):
                _adopt(store)
        except OSError as error:
            raise base_error(error, store) from error


def is_foreign(store: Path) -> bool:
    """Tell whether another program made a store, and none of ours took it into use."""
    try:
        folder = stat.S_ISDIR(os.lstat(store).st_mode)
        if not folder or not os.path.lexists(f"{store}/config"):
            return False
        return not stat.S_ISREG(os.lstat(f"{store}/{_OURS}").st_mode)
    except FileNotFoundError:
        return os.path.lexists(store)
    except OSError:
        return False


def _adopt(store: Path) -> None:
    for name in _OBEYED:
        _move(store, name)
    for name in _FRAME:
        for odd in list(_odd(store, name)):
            _move(store, odd)
    write_config_anew(store)


def write_config_anew(repository: Path) -> None:
    """Give a repository a configuration that starts nothing, and keep its own as
    ``config.former``. A repository without one is left so.

    Raises:
        OSError: when that cannot be done.
    """
    config = repository / "config"
    if not os.path.lexists(config) or frame.is_ours(repository):
        return
    _set_config_aside(config)
    frame.write(repository, _PROBED)


def _set_config_aside(config: Path) -> None:
    """Give the configuration its new name; it keeps the old one as long as it can, for a program of
    version 2 that runs just now."""
    for number in range(1, 1000):
        kept = config.with_name(FORMER_CONFIG + (f"-{number}" if number > 1 else ""))
        try:
            if _regular(config):
                with contextlib.suppress(PermissionError, NotImplementedError):
                    os.link(config, kept, follow_symlinks=False)
                    return
            rename_new(place_of(config), place_of(kept))
        except FileExistsError:
            continue
        return


def _regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _odd(store: Path, name: str) -> Iterator[str]:
    """Yield what is neither a file nor a folder, or a link, of a part of the store."""
    pending = [name]
    while pending:
        relative = pending.pop()
        try:
            mode = (store / relative).lstat().st_mode
            if stat.S_ISDIR(mode):
                with os.scandir(store / relative) as entries:
                    for entry in entries:
                        path = f"{relative}/{entry.name}"
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(path)
                        elif not entry.is_file(follow_symlinks=False) or _believed(path):
                            yield path
            elif not stat.S_ISREG(mode):
                yield relative
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue


def _believed(path: str) -> bool:
    return path.startswith("objects/pack/") and path.endswith(_BELIEVED)


def _move(store: Path, name: str) -> None:
    """Move something into the folder of what was there; two of one name both stay there."""
    source = store / name
    if not os.path.lexists(source):
        return
    target = store / FORMER / name
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = 1
    while True:
        place = target if number == 1 else target.with_name(f"{target.name}-{number}")
        try:
            rename_new(place_of(source), place_of(place))
        except FileExistsError:
            number += 1
        except FileNotFoundError:
            return
        else:
            return
