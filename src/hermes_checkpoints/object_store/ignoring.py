"""Notes in a survey what the rules leave out. Git tells it, and is asked only where it may be other
than before."""

from __future__ import annotations

import secrets

from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.fs.stamp import COARSE_CLOCK_NS
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.paths import (
    at_or_above,
    folders_above,
    within,
)
from hermes_checkpoints.object_store.directories import names_by_directory
from hermes_checkpoints.object_store.listings import (
    list_ignored,
    list_ignored_as,
)
from hermes_checkpoints.object_store.surveyed import IGNORE_FILE, Survey


def seed_in(repository: str) -> str:
    """Return a path in a repository inside that leads git into it while our index has it."""
    return f"{repository}/.hermes-seed-{secrets.token_hex(8)}"


def rules_touched(result: Survey) -> bool:
    """Tell whether a .gitignore is another than it was, be it captured or left out itself. One that
    cannot be read rules nothing; and one that changed shortly before the last look may have become
    what it is after git had listed by its rules, and before it was staged."""
    recent = result.state.recent if result.state else ()
    touched = (result.stage, result.gone, result.drop, result.carried, recent)
    return result.moved or any(is_rule_file(path) for paths in touched for path in paths)


def is_rule_file(path: str) -> bool:
    """Tell whether git takes rules from a file at a path."""
    return path.endswith(IGNORE_FILE) and path.rpartition("/")[2] == IGNORE_FILE


def ignored_may_differ(result: Survey) -> bool:
    """Tell whether the rules may leave out other paths than at the last look."""
    if result.scan.unknown or rules_touched(result):
        return True
    # What the budget left out last time was there already when its directory was listed.
    there = result.state.over_budget if result.state else {}
    appeared = names_by_directory(path for path in result.added if path not in there)
    vanished = names_by_directory(result.gone)
    return result.scan.shape_changed(appeared, vanished)


def rule_files_moved(result: Survey, look: Inspector) -> bool:
    """Tell whether a .gitignore that a rule leaves out is another than it was: no change of what
    is captured tells of it."""
    known = result.state.rule_files if result.state else {}
    now = {path: look.look(path, try_reading=False).stamp for path in known}
    result.rule_files = dict(known)
    return now != known


def note_ignored(git: Git, result: Survey, protected: set[str], look: Inspector) -> None:
    """Ask git what the rules in force leave out, paths of the index that they now cover too."""
    entries, covered = list_ignored(git, result.rules)
    result.held = result.tracked.held_of(covered - protected)
    out = covered - result.held - result.seeds
    if out or result.places:
        entries = _ignored_as(git, result, out)
    _note_uncounted(git, result, out)
    entries -= protected
    for path in out - protected:
        result.drop.add(path)
        for lesser in (result.stage, result.skipped):
            lesser.pop(path, None)
        result.gone.discard(path)
    entries -= result.stage.keys()
    # A directory is listed with entries below it when only its contents are ignored.
    folders = folders_above(path.rstrip("/") for path in entries)
    result.ignored_paths = tuple(
        sorted(
            path
            for path in entries
            if not path.endswith("/")
            or (path[:-1] not in folders and not within(path[:-1], result.rules.barred))
        )
    )
    files = [path for path in result.ignored_paths if is_rule_file(path)]
    found = {path: look.look(path, try_reading=False) for path in files}
    settled = result.started_ns - COARSE_CLOCK_NS
    result.rule_files = {
        path: entry.stamp if entry.ctime < settled else None for path, entry in found.items()
    }


def _ignored_as(git: Git, result: Survey, out: set[str]) -> set[str]:
    """Return what the rules leave out once ``out`` has left our index. Of a repository inside that
    has no path in the index then, git names nothing: it is led into it, unless it is ignored."""
    entries = list_ignored_as(git, result.rules, result.places, out)
    left = result.repositories.intersection(at_or_above(out))
    closed = {path.rstrip("/") for path in entries if path.endswith("/")}
    seeds = {seed_in(path) for path in left if not within(path, closed)}
    if not seeds:
        return entries
    return list_ignored_as(git, result.rules, result.places | seeds, out)


def _note_uncounted(git: Git, result: Survey, out: set[str]) -> None:
    """Find the repositories inside that a rule leaves out: what they track does not count, so that
    it must not be what keeps git from leaving them out."""
    paths = {p for p in result.held | result.places if within(p, result.repositories)}
    inner = result.tracked.only_inside(paths) if paths else set()
    if inner:
        without = out | inner & result.held
        entries = list_ignored_as(git, result.rules, result.places - inner, without)
        closed = {path.rstrip("/") for path in entries if path.endswith("/")}
        result.uncounted = {path for path in result.repositories if within(path, closed)}
