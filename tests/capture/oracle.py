"""Says what a checkpoint must hold and what a restore must leave behind, independently.

Nothing here asks the package or git: the rules of a small vocabulary are evaluated by hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from capture.trees import BUILT_IN_DIRECTORIES, BUILT_IN_FILES, Seen, listing

RESCUED = "rescued.log"
"""The one name that the configuration of the tests includes."""

GIT, IGNORED = "git", "ignored-by-rule"


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


@dataclass(frozen=True)
class State:
    """A working directory at one time. ``cap`` is the size limit in bytes, or None."""

    entries: Mapping[str, Seen]
    cap: int | None

    @classmethod
    def of(cls, root: Path, cap: int | None) -> State:
        return cls(listing(root), cap)

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Why each path is not captured; a path that is has no entry."""
        found: dict[str, str] = {}
        for path in self.entries:
            reason = self._reason(path)
            if reason is not None:
                found[path] = reason
        return found

    def captured(self, path: str) -> bool:
        return path in self.entries and path not in self.reasons

    def knows_mode(self, path: str) -> bool:
        """Whether the permission bits of a directory are known, though it may be closed."""
        seen = self.entries.get(path)
        if seen is None or not seen.is_dir or self._closed(path) is not None:
            return False
        return self.reasons.get(path) in (None, "unreadable")

    @property
    def doubtful(self) -> bool:
        """Whether a rescued name lies in a nested repository inside an ignored directory, or in
        a closed one, where an include reaches it only if it was captured before."""
        for path in self.entries:
            if RESCUED in path.split("/"):
                above = [*parents(path)]
                nested = any(f"{parent}/.git" in self.entries for parent in above)
                if (nested or self._closed(path)) and any(self._matched(p) for p in above):
                    return True
        return False

    def below(self, path: str) -> list[str]:
        return [name for name in self.entries if name.startswith(path + "/")]

    # --- inside --------------------------------------------------------------------------

    def _reason(self, path: str) -> str | None:
        parts = path.split("/")
        seen = self.entries[path]
        if ".git" in parts:
            return GIT
        closed = self._closed(path)
        if closed is not None:
            return IGNORED if self._ignored(closed) else "unreadable"
        if self._ignored(path):
            return IGNORED
        if any(part.lower() == ".git" for part in parts):
            return "unsupported-name"
        if seen.is_link and any(part.lower() == ".gitmodules" for part in parts):
            return "unsupported-name"
        if seen.is_special:
            return "special"
        if seen.is_file and self.cap is not None and seen.size > self.cap:
            return "oversize"
        return None if seen.open else "unreadable"

    def _closed(self, path: str) -> str | None:
        """Return the highest directory above a path that this user cannot read, if any."""
        closed = [parent for parent in parents(path) if not self.entries[parent].open]
        return closed[-1] if closed else None

    def _ignored(self, path: str) -> bool:
        seen = self.entries[path]
        if (seen.is_file or seen.is_link) and RESCUED in path.split("/"):
            return False
        above = [*parents(path)]
        return any(self._matched(name) for name in (*above, path))

    def _matched(self, path: str) -> bool:
        """Whether the rules leave out this very entry."""
        name = path.rpartition("/")[2]
        if RESCUED in path.split("/"):
            return False
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            verdict = self._by_file(folder, path)
            if verdict is not None:
                return verdict
        return name.endswith(BUILT_IN_FILES) or (
            name in BUILT_IN_DIRECTORIES and self.entries[path].is_dir
        )

    def _by_file(self, folder: str, path: str) -> bool | None:
        rules = self.entries.get(f"{folder}/.gitignore" if folder else ".gitignore")
        if rules is None or not rules.is_file or not rules.open:
            return None
        verdict = None
        inside = path[len(folder) + 1 :] if folder else path
        name = path.rpartition("/")[2]
        for line in os.fsdecode(rules.data).splitlines():
            pattern = line.removeprefix("!")
            if pattern.endswith("/"):
                matches = name == pattern[:-1] and self.entries[path].is_dir
            elif pattern.startswith("/"):
                matches = inside == pattern[1:]
            elif pattern.startswith("*"):
                matches = name.endswith(pattern[1:])
            else:
                matches = name == pattern
            if matches:
                verdict = not line.startswith("!")
        return verdict


def check_skipped(state: State, skipped: Mapping[str, str]) -> None:
    """Compare the skipped paths of a checkpoint with what it cannot hold."""
    wanted = {p: r for p, r in state.reasons.items() if r not in (GIT, IGNORED)}
    for path, reason in wanted.items():
        named = [name for name in (path, *parents(path)) if name in skipped]
        assert named, f"{path!r} is {reason} and nothing says so: {skipped}"
    for path, reason in skipped.items():
        if any(wanted.get(parent) == "unreadable" for parent in parents(path)):
            continue  # what was known of it before its directory was closed
        if state.reasons.get(path) == IGNORED and reason == "special":
            continue  # git evaluates rules for files and directories only
        if reason == "unsupported-name" and reason in map(wanted.get, state.below(path)):
            continue  # the directory speaks for the rescued files in it
        assert wanted.get(path) == reason, f"{path!r}: {reason}, expected {wanted.get(path)}"


def check_restored(then: State, now: State, after: State) -> None:
    """Compare a tree after an exact restore with the state it was to become."""
    for path, seen in now.entries.items():
        if path in now.reasons:
            left = after.entries.get(path)
            assert left is not None, f"{path!r} was lost though {now.reasons[path]}"
            if not (seen.is_dir and then.knows_mode(path)):
                assert left.what == seen.what, f"{path!r} was touched though {now.reasons[path]}"
                assert seen.is_dir or left.mtime == seen.mtime, f"{path!r} was written"
    _check_modes(then, now, after)
    for path, seen in then.entries.items():
        if path in then.reasons or _blocked(path, then, now):
            continue
        left = after.entries.get(path)
        assert left is not None, f"{path!r} is missing"
        assert left.what == seen.what, f"{path!r}: {seen} became {left}"
        before = now.entries.get(path)
        if before is not None and before.what == seen.what and not seen.is_dir:
            assert left.mtime == before.mtime, f"{path!r} was the same and was written"
    for path, seen in now.entries.items():
        if path in now.reasons or then.captured(path):
            continue
        left = after.entries.get(path)
        if path in then.entries:
            if _cleared(path, then, now) or (then.knows_mode(path) and now.knows_mode(path)):
                continue
            assert left is not None, f"{path!r} was lost; then {then.reasons[path]}"
            assert left.what == seen.what, f"{path!r} changed; then {then.reasons[path]}"
        elif not any(parent in then.reasons for parent in parents(path)):
            kept = seen.is_dir and any(name in after.entries for name in now.below(path))
            assert left is None or kept, f"{path!r} was made since and is there"
    for path, seen in after.entries.items():
        # What was unreadable then comes back, if it is missing, as it was captured last.
        known = path in now.entries or then.captured(path) or _was_unreadable(path, then)
        made = seen.is_dir and any(then.captured(name) for name in after.below(path))
        assert known or made, f"{path!r} came from nowhere"


def _check_modes(then: State, now: State, after: State) -> None:
    """The modes of directories come back, whatever is in them."""
    for path, seen in then.entries.items():
        if then.knows_mode(path) and now.knows_mode(path):
            assert after.entries[path].what == seen.what, f"the mode of {path!r} did not come back"


def _was_unreadable(path: str, then: State) -> bool:
    return then.reasons.get(path) == "unreadable"


def _blocked(path: str, then: State, now: State) -> bool:
    """Whether something that is not captured now keeps ``path`` from coming back."""
    if path in now.reasons:
        return True
    for parent in parents(path):
        seen = now.entries.get(parent)
        if seen is None or parent not in now.reasons:
            continue
        if not seen.is_dir or now.reasons[parent] in ("unreadable", "unsupported-name"):
            return True
    present = now.entries.get(path)
    if present is None or not present.is_dir or then.entries[path].is_dir:
        return False
    return any(name in now.reasons for name in now.below(path))


def _cleared(path: str, then: State, now: State) -> bool:
    """Whether ``path``, captured now, may go because it stands where a captured path must."""
    return not now.entries[path].is_dir and any(then.captured(name) for name in then.below(path))
