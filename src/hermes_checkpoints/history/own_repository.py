"""The repository that a project lies in, as one that a commit is to be made in: whether that can
be, and what its settings say of names, ignored files and line ends.

Its settings are read for that and not obeyed otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import PROGRAM, BranchRefused, GitFailed
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.repository import Repository, enclosing
from hermes_checkpoints.fs.system import root_in_place_of
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Head, head_text
from hermes_checkpoints.model.paths import GIT_NAME
from hermes_checkpoints.object_store.bench import Manners
from hermes_checkpoints.object_store.git_objects import is_object_id

FALLBACK = ("Hermes Checkpoint", "hermes@local")
"""Name and address where git has none of the user."""

_MOST_POINTER = 1 << 13
_NO_CRUD = re.compile(r"[^\x00-\x20.,:;<>\"\\']")
"""What git leaves of a name; one without any is none to it."""
_KNOWN_EXTENSIONS = frozenset(
    {"noop", "objectformat", "partialclone", "preciousobjects", "refstorage", "relativeworktrees"}
    | {"worktreeconfig"}
)


@dataclass(frozen=True)
class OwnRepository:
    """The repository, where it stands, and where in it the project lies: ``prefix`` is "" at its
    top and ends in ``/`` elsewhere. ``all_there`` is false for a partial clone."""

    repository: Repository
    head: Head
    prefix: str
    settings: Mapping[str, str]

    @property
    def all_there(self) -> bool:
        """Whether no object may be missing."""
        promisors = (
            value == "true"
            for name, value in self.settings.items()
            if name.startswith("remote.") and name.endswith(".promisor")
        )
        return "extensions.partialclone" not in self.settings and not any(promisors)

    @property
    def keeps_modes(self) -> bool:
        """Whether the permissions of files tell whether they are executable."""
        return self.settings.get("core.filemode", "true").lower() not in ("false", "no", "off", "0")

    def person(self, role: str) -> tuple[str, str, bool]:
        """Return name and address of the ``author`` or ``committer``, and whether both are the
        user's own."""
        found: list[str] = []
        own = True
        for key, fallback in zip(("name", "email"), FALLBACK, strict=True):
            value = self.settings.get(f"{role}.{key}") or self.settings.get(f"user.{key}") or ""
            own = own and _NO_CRUD.search(value) is not None
            found.append(value if _NO_CRUD.search(value) else fallback)
        return found[0], found[1], own

    def manners(self) -> Manners:
        """Return what says which files git ignores here and how it commits text."""
        autocrlf = self.settings.get("core.autocrlf", "false").lower()
        if autocrlf in ("yes", "on", "1"):
            autocrlf = "true"
        eol = self.settings.get("core.eol", "native").lower()
        info = self.repository.common_dir / "info"
        return Manners(
            small_contents(info / "exclude"),
            self._of_user("core.excludesfile", "ignore"),
            small_contents(info / "attributes"),
            self._of_user("core.attributesfile", "attributes"),
            autocrlf if autocrlf in ("true", "input") else "false",
            eol if eol in ("lf", "crlf") else "native",
        )

    def _of_user(self, setting: str, usual: str) -> bytes:
        named = self.settings.get(setting)
        if named is None:
            folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
            named = f"{folder}/git/{usual}"
        path = os.path.expanduser(named)
        return small_contents(self.repository.top / path) if path else b""


def own_repository(git: Git, directory: Path) -> OwnRepository:
    """Return the repository that a resolved directory lies in, if a commit can be made in it.

    Raises:
        BranchRefused: when there is none, or it is none that a commit can be made in; the message
            says what to do.
        GitTimedOut.
    """
    if not directory.is_dir():
        raise BranchRefused(f"{directory} does not exist, so that it lies in no git repository")
    found = enclosing(directory)
    if found is None:
        raise BranchRefused(
            f"{directory} belongs to no git repository that could have a branch; `git init` makes "
            "one, and --tar and --patch need none"
        )
    owner = root_in_place_of(found.common_dir)
    if owner is not None:
        raise BranchRefused(
            f"{found.top} is a repository of {owner}, and what root writes there only root could "
            f"change; run this as that user, as by `sudo -u {owner}`"
        )
    try:
        settings = git.settings_in(found.git_dir)
    except GitFailed as error:
        raise BranchRefused(f"the settings of {found.top} cannot be read: {error}") from error
    _require_bound(found, settings)
    _require_known_format(found, settings)
    head = found.head()
    if head.commit is None:
        _require_unborn(found, head)
    elif not is_object_id(head.commit):
        raise BranchRefused(_OTHER_HASH.format(found.top))
    below = found.subdirectory(directory)
    return OwnRepository(found, head, f"{below}/" if below else "", settings)


_OTHER_HASH = (
    "{0} is a repository of SHA-256, which cannot hold the objects of checkpoints; `hermes "
    "checkpoints restore ID --into DIR` writes the files for you to commit"
)


def _require_bound(repository: Repository, settings: Mapping[str, str]) -> None:
    """Refuse a repository that does not itself say that this is its working directory: a file or
    a link in a project may point to any."""
    top, git_dir, common = repository.top, repository.git_dir, repository.common_dir
    bound = git_dir == top / GIT_NAME
    named = settings.get("core.worktree")
    if common != git_dir:
        back = small_contents(git_dir / "gitdir", _MOST_POINTER).strip()
        points = git_dir / os.fsdecode(back) if b"\0" not in back else git_dir
        bound = common / "worktrees" == git_dir.parent
        bound = bound and Path(os.path.realpath(points)) == top / GIT_NAME
    elif named is not None:
        bound = os.path.realpath(git_dir / os.path.expanduser(named)) == str(top)
    if not bound:
        raise BranchRefused(
            f"{top / GIT_NAME} leads to {git_dir}, which does not say that {top} is its working "
            "directory, so that nothing is written there; `git worktree repair` mends a moved "
            f"worktree, and `git config core.worktree {top}` names another"
        )


def _require_known_format(repository: Repository, settings: Mapping[str, str]) -> None:
    extensions = {
        name.partition(".")[2]: value.lower()
        for name, value in settings.items()
        if name.startswith("extensions.")
    }
    if extensions.get("objectformat", "sha1") != "sha1":
        raise BranchRefused(_OTHER_HASH.format(repository.top))
    tables = extensions.get("refstorage", "files") != "files"
    if tables or (repository.common_dir / "reftable").is_dir():
        raise BranchRefused(
            f"{repository.top} keeps its branches as reftables, in which none can be made here; "
            f"`{PROGRAM} restore ID --into DIR` writes the files for you to commit"
        )
    unknown = sorted(extensions.keys() - _KNOWN_EXTENSIONS)
    # Git leaves out the settings of a repository whose format it does not know.
    version = settings.get("core.repositoryformatversion")
    if version not in ("0", "1") or (version == "1" and unknown):
        raise BranchRefused(
            f"the repository {repository.top} is of a format that is not known here"
            f"{f' (extension {unknown[0]})' if unknown else ''}; `git status` there tells whether "
            "this git knows it"
        )


def _require_unborn(repository: Repository, head: Head) -> None:
    """Refuse a HEAD without a commit that cannot be read, as of a damaged repository."""
    name = head.branch
    if name is None or os.path.lexists(repository.common_dir / "refs" / "heads" / name):
        raise BranchRefused(
            f"HEAD of {repository.top} ({head_text(head)}) names no commit that can be read; `git "
            "fsck` there tells what is damaged"
        )
