"""What is known here of a remote's refs: a bare repository beside the store, with commits alone.

It can be deleted at any time: the next pull fills it again. It is a partial clone by itself, so
that the store never is one. Git is told by variables which remote that is, so that no address is
written down.
"""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import base_errors
from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.git import Git, quoted
from hermes_checkpoints.object_store.frame import config_of
from hermes_checkpoints.remote.elected import Elected
from hermes_checkpoints.remote.network_git import NetworkGit

REMOTE = "elected"
"""By which name git knows the remote there."""

FILTER = "tree:0"
"""Commits, and neither trees nor contents."""


def cache(base: Base) -> Git:
    """Return git for the cache, which is made where it is missing or not ours.

    Raises:
        BaseUnwritable, NoSpace: when it cannot be made.
    """
    place = base.layout.remote_cache
    with base_errors(place):
        make_bare(place)
    return Git(place, base.lock_timeout)


def make_bare(place: Path, *, borrowing: Path | None = None) -> None:
    """Make a bare repository that obeys nothing but what is written here. It reads the folder of
    objects ``borrowing``, too: by a file, since remote helpers replace the variable for that.

    Raises:
        OSError: when it cannot be made.
    """
    for name in ("objects", "refs", "info"):
        (place / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    if borrowing is not None:
        (place / "objects/info").mkdir(exist_ok=True, mode=0o700)
        write_atomically(place / "objects/info/alternates", os.fsencode(f"{quoted(borrowing)}\n"))
    config = config_of(place, "").encode("utf-8", "surrogateescape")
    for name, contents in (("config", config), ("HEAD", b"ref: refs/heads/none\n")):
        file = place / name
        if not file.is_file() or file.is_symlink() or file.read_bytes() != contents:
            write_atomically(file, contents)


def is_damaged(git: Git) -> bool:
    """Tell whether a cache has a ref that leads nowhere, as after a loss of power.

    Raises:
        GitMissing, GitTimedOut, LockLost.
    """
    status, _, words = git.talk("for-each-ref", "--format=%(objecttype)")
    return bool(status or words)


def listing(to: Elected, git: Git) -> NetworkGit:
    """Return git that fetches commits alone from the remote ``REMOTE`` into a cache. It does not
    judge them: one that is malformed would hold up all others, and of a server that sends contents
    along, so would a file. Who reads them does, and nothing else in a cache is used.

    Raises:
        GitMissing, GitFailed: as ``NetworkGit.of``.
    """
    return to.git(git).with_settings(
        {
            "core.fsync": "objects",  # a wait for each ref is most of the time; see ``is_damaged``
            "fetch.negotiationAlgorithm": "noop",  # there is no history to agree on, ref by ref
            f"remote.{REMOTE}.url": to.url,
            f"remote.{REMOTE}.promisor": "true",
            f"remote.{REMOTE}.partialCloneFilter": FILTER,
            "fetch.fsckObjects": "false",
        }
    )
