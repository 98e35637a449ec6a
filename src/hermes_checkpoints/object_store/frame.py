"""The configuration of the store: all of it is ours, so that no setting of another runs a command.

Git obeys what stands in the config of a repository: a promisor remote, ``core.sshCommand``, a
filter or a hook starts programs, ``include.path`` reads other files. So the file is compared byte
by byte with what is written here, before git is run, and where it is another one it is moved aside
and written anew. Of what git finds out about the file system when it makes a repository, the
answers are kept.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.processes import anyone_works_in
from hermes_checkpoints.fs.system import write_atomically

_PROBED = re.compile(
    r"\t(?:filemode|ignorecase|symlinks|precomposeunicode) = (?:true|false)\n", re.ASCII
)
_PLACE = re.compile(r'(\t(?:hooksPath|attributesFile|excludesFile) = )".*/nowhere"')
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\b": "\\b"}
"""What git writes otherwise in a quoted value of its config; all else stands for itself."""
_HEAD = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_OURS = "# hermes-checkpoints: this file is written anew where it is another"
_LOCKS = ("config.lock", "HEAD.lock", "packed-refs.lock", "packed-refs.new")
_STALE_SECONDS = 60.0


def is_ours(store: Path) -> bool:
    """Tell whether the config of a store is what ``config_of`` writes."""
    path = f"{store}/config"
    if os.path.islink(path):
        return False
    text = small_contents(path).decode("utf-8", "surrogateescape")
    return text == config_of(store, text)


def is_of_another_place(store: Path) -> bool:
    """Tell whether the config of a store is what ``config_of`` writes where a store lies elsewhere:
    the base was moved or copied since."""
    text = small_contents(store / "config").decode("utf-8", "surrogateescape")
    return not is_ours(store) and _placeless(text) == _placeless(config_of(store, text))


def _placeless(text: str) -> str:
    return _PLACE.sub(r"\1", text)


@functools.lru_cache(maxsize=8)
def config_of(store: Path, present: str) -> str:
    """Return the config of a store. ``present`` is one that git has just made; what it found out
    about the file system is taken from there."""
    core = present.partition(_OURS)[0]
    probed = dict.fromkeys(match.group() for match in _PROBED.finditer(core))
    nowhere = "".join(_ESCAPED.get(sign, sign) for sign in str(store / "nowhere"))
    return _HEAD + "".join(probed) + _SETTINGS.replace("NOWHERE", f'"{nowhere}"')


def write(store: Path, present: str) -> None:
    """Replace the config of a store by what ``config_of`` says.

    Raises:
        OSError: when it cannot be written.
    """
    write_atomically(store / "config", _bytes_of(config_of(store, present)))


def _bytes_of(config: str) -> bytes:
    return config.encode("utf-8", "surrogateescape")


_SETTINGS = f"""{_OURS}
[gc]
\tauto = 0
[core]
\thooksPath = NOWHERE
\tattributesFile = NOWHERE
\texcludesFile = NOWHERE
\tautocrlf = false
\tsafecrlf = false
\tprotectNTFS = false
\tprotectHFS = false
\tprecomposeUnicode = false
\tfsmonitor = false
\tuntrackedCache = false
\tsplitIndex = false
\tsparseCheckout = false
\tlogAllRefUpdates = false
\tquotePath = false
\tfsync = objects,reference
\tfsyncMethod = batch
[diff]
\tignoreSubmodules = all
\tsuppressBlankEmpty = false
[index]
\tversion = 4
\tskipHash = false
[repack]
\twriteBitmaps = false
[fastimport]
\tunpackLimit = 100
[user]
\tname = Hermes Checkpoint
\temail = hermes@local
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
"""


def stale_locks(store: Path) -> list[Path]:
    """Return the files by which git locks the store as a whole and which nobody holds any more.
    One is what it writes beside the packed refs: while that is there it writes no other.

    Of ours nobody does where the caller has the store's lock alone, because each git inherits it.
    A git that somebody else runs there is respected: on Linux while it has anything open in the
    store, elsewhere for a minute. A file older than that is stale where nobody is seen.
    """
    there = [name for name in _LOCKS if os.path.lexists(f"{store}/{name}")]
    return dead([store / name for name in there], store) if there else []


def dead(locks: Sequence[Path], store: Path) -> list[Path]:
    """Return those of the files by which git locks something in the store that nobody holds any
    more, by the rule of ``stale_locks``."""
    in_use = anyone_works_in(store) if locks else True
    found = []
    for path in locks:
        with contextlib.suppress(OSError):
            age = time.time() - path.lstat().st_mtime
            if in_use is False or (in_use is None and age > _STALE_SECONDS):
                found.append(path)
    return found


def reading_repository(store: Path, folder: Path) -> Path:
    """Make a repository in a temporary folder that reads the objects and refs of a store which
    cannot be written and whose config is not ours; return its path.

    Raises:
        OSError: when it cannot be made.
    """
    repository = folder / "store"
    repository.mkdir(mode=0o700, exist_ok=True)
    for name in ("objects", "refs", "packed-refs"):
        if (store / name).exists() and not os.path.lexists(repository / name):
            (repository / name).symlink_to(store / name)
    (repository / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    (repository / "config").write_bytes(_bytes_of(config_of(repository, "")))
    return repository
