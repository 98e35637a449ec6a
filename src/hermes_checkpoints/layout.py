"""Where everything lies on disk, and how a project is named.

A ``Layout`` is made from a home directory that the caller gives or that is looked up when the
layout is made, never at import: two homes in one process stay apart. Nothing here touches the
disk except ``create_base``.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hermes_checkpoints.errors import BadRequest, BaseUnwritable

if TYPE_CHECKING:
    from datetime import datetime

LEGACY_PREFIX = "legacy-"
LOCKS = "locks"
"""The folder in a base that holds its locks."""
CATALOG_LOCK = "catalog.lock"
MACHINE = "machine.json"
REF_PREFIX = "refs/checkpoints/"
FETCHED_PREFIX = "refs/fetched/"
"""Below it hang checkpoints of remotes whose contents are in the store."""
SCRATCH_PREFIX = "scratch-"
"""How the names of folders begin that live as long as one look, in the base or the store."""


def default_home() -> Path:
    """Return HERMES_HOME with ``~`` resolved, or ``~/.hermes`` where that is unset or blank.

    Raises:
        BaseUnwritable: when nobody's home directory is where the ``~`` leads.
    """
    named = os.environ.get("HERMES_HOME", "").strip() or "~/.hermes"
    try:
        return Path(named).expanduser()
    except RuntimeError as error:
        raise BaseUnwritable(
            f"the home {named} cannot be resolved ({error}); choose another with --home or "
            "HERMES_HOME"
        ) from error


def resolve_working_dir(path: str | os.PathLike[str]) -> Path:
    """Return the absolute path with ``~`` and links resolved, as v1 and v2 named projects."""
    return Path(path).expanduser().resolve()


def project_hash(working_dir: Path) -> str:
    """Return the first 16 hex digits of the SHA-256 of a resolved working directory."""
    return hashlib.sha256(os.fsencode(working_dir)).hexdigest()[:16]


def imported_ref(project: str, created_at: datetime, former_id: str) -> str:
    """Return the ref of the checkpoint that a commit of an earlier version becomes: the same each
    time that it is imported."""
    return f"{REF_PREFIX}{project}/{created_at:%Y%m%dT%H%M%S%fZ}-{former_id[:16]}"


def _require_names_in_utf8() -> None:
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise BadRequest(
            f"this Python reads names of files as {encoding}, and the catalog has them as UTF-8; "
            "set PYTHONUTF8=1"
        )


class _Places(NamedTuple):
    home: Path
    base: Path
    stands_for: Path | None = None
    aside: Path | None = None


class Layout(_Places):
    """Paths under one home directory. ``base`` is the folder that holds all checkpoints.

    ``stands_for`` is set where ``base`` is a temporary folder in the place of one that does not
    exist: the path of that one. ``aside`` is set where the base cannot be written: a temporary
    folder that takes what a look needs to write.
    """

    # Made once: they are asked for before each use of a base that is kept open.

    @cached_property
    def config(self) -> Path:
        return self.home / "config.yaml"

    @cached_property
    def catalog(self) -> Path:
        return self.base / "catalog.db"

    @cached_property
    def store(self) -> Path:
        return self.base / "store"

    @classmethod
    def of(cls, home: str | os.PathLike[str] | None = None) -> Layout:
        """Make the layout of ``home``, or of the default home; ``~`` and links are resolved.

        Raises:
            BaseUnwritable: as ``default_home``.
            BadRequest: when this Python cannot read names of files as the catalog has them.
        """
        _require_names_in_utf8()
        resolved = (Path(home).expanduser() if home else default_home()).resolve()
        base = resolved / "checkpoints"
        return cls(resolved, base.resolve() if os.path.islink(base) else base)

    @classmethod
    def of_base(cls, base: str | os.PathLike[str]) -> Layout:
        """Make the layout of a base that has any name; its parent is the home.

        Raises:
            BadRequest: as ``of``.
        """
        _require_names_in_utf8()
        resolved = Path(base).expanduser().resolve()
        return cls(resolved.parent, resolved)

    @property
    def named(self) -> Path:
        """The checkpoint folder as people know it, whether or not it exists."""
        return self.stands_for or self.base

    @property
    def machine(self) -> Path:
        """The file that names this base among those that share checkpoints."""
        return self.base / MACHINE

    @property
    def remote_cache(self) -> Path:
        """What is known of the refs of the remote: a bare repository, which can be deleted."""
        return self.base / "remote.git"

    @property
    def fleet(self) -> Path:
        """What is known of the refs of the remotes that are indexed: a bare repository for each,
        which can be deleted."""
        return self.base / "fleet"

    @property
    def indexes(self) -> Path:
        return self.store / "indexes"

    def index_of(self, project: str) -> Path:
        """Return the git index of a project, a cache that is rebuilt when missing."""
        return self.indexes / project

    @property
    def scratch(self) -> Path:
        """Where a look may write what it needs: the base, if that can be written."""
        return self.aside or self.base

    # Locks lie inside the base, so that whoever sees the base sees them: also a container into
    # which only the base is mounted. `clear` removes them last, and only where nobody holds one.

    @property
    def locks(self) -> Path:
        return self.scratch / LOCKS

    @property
    def catalog_lock(self) -> Path:
        return self.locks / CATALOG_LOCK

    @property
    def machine_lock(self) -> Path:
        """Held while ``machine`` is made."""
        return self.locks / "machine.lock"

    @property
    def clear_lock(self) -> Path:
        """Held while what `clear` moved away is deleted."""
        return self.locks / "clear.lock"

    @property
    def store_lock(self) -> Path:
        return self.locks / "store.lock"

    @property
    def prune_lock(self) -> Path:
        """Held for the whole of a prune, of which there is one at a time."""
        return self.locks / "prune.lock"

    @property
    def cap_lock(self) -> Path:
        """Held by the one process at a time that holds the size cap in the background."""
        return self.locks / "cap.lock"

    @property
    def sending_lock(self) -> Path:
        """Held by the one process at a time that sends checkpoints by itself after a turn."""
        return self.locks / "sending.lock"

    def push_lock(self, remote: str) -> Path:
        """Held while something is sent to a remote, which is told by its address."""
        digest = hashlib.sha256(remote.encode("utf-8", "surrogateescape")).hexdigest()
        return self.locks / f"push-{digest[:16]}.lock"

    @property
    def pull_lock(self) -> Path:
        """Held while the list of the remote is read."""
        return self.locks / "pull.lock"

    def fleet_lock(self, remote: str) -> Path:
        """Held while a remote, which is told by the digits of its cache, is indexed."""
        return self.locks / f"fleet-{remote}.lock"

    @property
    def legacy_lock(self) -> Path:
        """Held while history of earlier versions is imported, or its archives are removed."""
        return self.locks / "legacy.lock"

    def project_lock(self, project: str) -> Path:
        return self.locks / f"{project}.lock"

    def ref_prefix(self, project: str) -> str:
        return f"{REF_PREFIX}{project}/"

    def create_base(self) -> None:
        """Create the base for this user only (mode 0700). Whoever locks makes the folder of locks.

        Raises:
            BaseUnwritable: when it cannot be made, with the reason of the system.
        """
        try:
            self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.base.stat().st_mode & 0o077 and os.name == "posix":
                self.base.chmod(0o700)
        except OSError as error:
            raise BaseUnwritable(
                f"the checkpoint base {self.base} cannot be created ({error.strerror}); "
                "make its parent writable or choose another home with --home or HERMES_HOME"
            ) from error


def former_locks(base: Path) -> Path:
    """Return the folder beside a base in which earlier programs hold its locks."""
    return base.with_name(f".{base.name}.locks")


def former_catalog_lock(base: Path) -> Path:
    """Return the file beside a base that earlier programs lock to make or upgrade its catalog."""
    return base.with_name(f".{base.name}.lock")
