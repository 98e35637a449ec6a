"""Keeps a take within its budget of bytes: judges, before anything is hashed into the store, which
files are left out.

Only bytes that are new to the store count. What was left out stays out while it is as it was and
not everything fits; else each take would add a budget more of the same files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import SkipReason
from hermes_checkpoints.object_store.surveyed import Survey


def keep_within(git: Git, found: Survey, *, known: bool = True) -> None:
    """Leave out of a survey what is more than the budget of its rules: files that the project's
    own git does not track first, the largest first, until the rest fits; then tracked ones, the
    largest first.

    ``git`` can read the store. ``known`` says that the store may hold contents of the project;
    else none is read to find out.

    With a budget of 10 MB, and files of 6, 5 and 1 MB that are new, the one of 6 MB is left out;
    where the store has its contents already, nothing is.

    Raises:
        GitFailed: when git cannot tell what the store has.
    """
    most = found.rules.max_take_bytes
    sizes = {path: e.size for path, e in found.stage.items() if e.kind is EntryKind.FILE}
    if most is None or sum(sizes.values()) <= most:
        return
    stay = {path for path in sizes if _stays_out(found, path, most)}
    costs = {path: size for path, size in sizes.items() if path not in stay}
    if known:
        for path in _held(git, costs):
            del costs[path]
    left = sum(costs.values())
    if left + sum(sizes[path] for path in stay) <= most:
        return
    tracked = found.tracked.paths
    for path in sorted(costs, key=lambda p: (p in tracked, -costs[p], p)):
        if left <= most:
            break
        left -= costs[path]
        stay.add(path)
    leave_out(found, stay)


def leave_out(found: Survey, paths: Collection[str]) -> None:
    """Leave staged paths out of a survey, as more than its budget. As with a file that is too
    large, an older content does not stand for the present one."""
    for path in paths:
        entry = found.stage.pop(path)
        found.skip(path, SkipReason.OVER_BUDGET, entry.size)
        if path in found.added:
            found.added.discard(path)
        else:
            found.drop.add(path)
        found.over_budget[path] = entry.stamp


def _stays_out(found: Survey, path: str, most: int) -> bool:
    """Tell whether the last look left a path out, by a budget that was no smaller, and it is as it
    was."""
    state = found.state
    if state is None or most > state.max_take_bytes:
        return False
    return state.over_budget.get(path) == found.stage[path].stamp


def _held(git: Git, sizes: Mapping[str, int]) -> list[str]:
    """Return the paths whose contents the store has. They are read, and nothing is written.

    Contents are hashed as they are, as staging does, which applies no filters.
    """
    ids: dict[str, str] = {}
    look = Inspector(str(git.work_tree))
    for path in sizes:
        try:
            ids[path] = content_id(look.spot(path))
        except OSError:
            continue  # staging finds out what became of it
    if not ids:
        return []
    asked = "".join(f"{name}\n" for name in ids.values()).encode()
    answers = git.run("cat-file", "--batch-check", stdin=asked, patience=4).decode().splitlines()
    return [
        path for path, answer in zip(ids, answers, strict=True) if answer.split()[1:2] == ["blob"]
    ]
