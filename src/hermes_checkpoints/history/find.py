"""Finds what earlier versions left in a folder, and reads its frame without running git.

Needed by ``import-legacy`` and by status; the first opening of a base finds the same things in
its data migration. Nothing is written here, and no configuration that lies there is obeyed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from hermes_checkpoints.base.adopting import FORMER_CONFIG
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_sessions_config
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.history.refs import head, loose_refs, packed_refs
from hermes_checkpoints.layout import LEGACY_PREFIX, project_hash
from hermes_checkpoints.model import FoundLegacy, LegacyLayout, LegacyState

V2_REFS = "refs/hermes/"
_REPOSITORY = re.compile(r"[0-9a-f]{16}")
_WORKTREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE)
_PARTS = ("HEAD", "HERMES_WORKDIR", "objects")
_CHAIN = re.compile(rf"{V2_REFS}[0-9a-f]{{16}}")
_MOST_PATH = 32_768
_MOST_NOTE = 1 << 16
_MOST_FACTS = 1 << 20


@dataclass(frozen=True)
class Chain:
    """One history: of which directory it is (None where nothing says so), and its newest
    commits."""

    name: str
    working_dir: str | None
    tips: tuple[str, ...]
    ref: str | None = None

    @property
    def nameless(self) -> str:
        """What is said where nothing tells the directory."""
        return f"nothing says of which directory {self.name} is"


def is_directory_name(text: str) -> bool:
    """Tell whether a text is an absolute path, of this system or of another, that a directory can
    have: without a NUL, of characters that are some, and no longer than systems allow."""
    try:
        possible = "\0" not in text and len(os.fsencode(text)) <= _MOST_PATH
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return possible and any(kind(text).is_absolute() for kind in (PurePosixPath, PureWindowsPath))


def find(folder: Path) -> list[FoundLegacy]:
    """Return what lies in a home, a base, an archive of one, a store or a repository, in the
    order in which it is to be imported."""
    if is_repository(folder):
        return [_repository(folder)]
    if is_v2_store(folder):
        return [FoundLegacy(folder, LegacyLayout.V2)]
    found = list(in_base(folder))
    inner = folder / "checkpoints"
    if not found and inner.is_dir():
        found = list(in_base(inner))
    return found


def in_base(base: Path) -> Iterator[FoundLegacy]:
    """Yield what lies in a base, and in its archives, in the order in which it is imported."""
    archives = [e for e in _entries(base) if e.name.startswith(LEGACY_PREFIX) and _is_folder(e)]
    for folder in (*archives, base):
        for entry in _entries(folder):
            if is_repository(entry):
                yield _repository(entry)
            elif entry.suffix == ".yaml" and not entry.is_dir():
                yield FoundLegacy(entry, LegacyLayout.SESSION_FILE)
    if is_v2_store(base / "store"):
        yield FoundLegacy(base / "store", LegacyLayout.V2)


def unimported_notes(base: Base) -> list[str]:
    """Return a note for `status` where an earlier version wrote into the base after the import.

    Reads the names in the base, and those of the chains that a store of version 2 has.
    """
    layout = base.layout
    records = base.catalog.archives.all()
    known = {record.path for record in records if record.state is not LegacyState.CLEARED}
    mirrored = load_sessions_config(layout.config).mirror_yaml
    count = sum(
        is_repository(entry) or (entry.suffix == ".yaml" and not mirrored)
        for entry in layout.base.iterdir()
        if entry.name not in known
    )
    # What is left in the store of chains that cannot be read is told with its archive.
    if not any(r.layout is LegacyLayout.V2 and not r.whole for r in records):
        count += chains_in(layout.store)
    if not count:
        return []
    histories = "1 history" if count == 1 else f"{count} histories"
    text = f"{histories} of an earlier version came here after the import; "
    return [text + f"`{PROGRAM} import-legacy` brings them in"]


def is_repository(path: Path) -> bool:
    """Tell whether a folder is the repository of one directory, as version 1 made them."""
    if not _REPOSITORY.fullmatch(path.name):
        return False
    return any(os.path.lexists(path / part) for part in _PARTS)


def is_v2_store(store: Path) -> bool:
    """Tell whether a folder is a store with chains of version 2, or with its facts of projects."""
    return any(r.startswith(V2_REFS) for r in refs_of(store)) or (store / "projects").is_dir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _repository(path: Path) -> FoundLegacy:
    return FoundLegacy(path, LegacyLayout.V1, path.name, working_dir_of(path))


def working_dir_of(repository: Path) -> str | None:
    """Return the directory of a repository: from its own note, or from its configuration where
    the repository's name proves that it is the one."""
    noted = os.fsdecode(small_contents(repository / "HERMES_WORKDIR", _MOST_NOTE)).rstrip("\r\n")
    if noted:
        return noted
    texts = [small_contents(repository / name, _MOST_FACTS) for name in ("config", FORMER_CONFIG)]
    for match in _WORKTREE.finditer(os.fsdecode(b"\n".join(texts))):
        text = match.group(1).strip('"')
        if is_directory_name(text) and project_hash(Path(text)) == repository.name:
            return text
    return None


def chains(path: Path, layout: LegacyLayout, working_dir: str | None) -> list[Chain]:
    """Return the histories in a repository of version 1 or a store of version 2."""
    refs = refs_of(path)
    if layout is LegacyLayout.V1:
        newest = head(path, refs)
        tips = [newest] if newest else []
        tips += [commit for ref, commit in refs.items() if ref.startswith("refs/heads/")]
        return [Chain(path.name, working_dir, tuple(dict.fromkeys(tips)))]
    working_dirs = {
        name: facts.get("workdir") for name, facts in _documents(path / "projects").items()
    }
    result = []
    for ref, commit in refs.items():
        if _CHAIN.fullmatch(ref):
            name = ref.removeprefix(V2_REFS)
            where = working_dirs.get(name)
            result.append(Chain(name, where if isinstance(where, str) else None, (commit,), ref))
    return result


def refs_of(repository: Path) -> dict[str, str]:
    """Return the commits of all branches and chains of a repository, by the name of the ref."""
    refs = packed_refs(repository)
    for kind in ("heads", "hermes"):
        refs |= loose_refs(repository, kind)
    return dict(sorted(refs.items()))


def chains_in(store: Path) -> int:
    """Return how many chains of version 2 a store has, loose or packed."""
    return sum(ref.startswith(V2_REFS) for ref in refs_of(store))


def _documents(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for file in _entries(folder):
        try:
            document = json.loads(small_contents(file, _MOST_FACTS))
        except (ValueError, RecursionError):
            continue
        if file.suffix == ".json" and isinstance(document, dict):
            found[file.stem] = document
    return found


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
