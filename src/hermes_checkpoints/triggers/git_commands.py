"""Which subcommands of git change files of the working tree.

``.git`` is no part of a checkpoint, so what only changes the index, refs or objects changes no
file here. Subcommands that run hooks, and unknown ones, which may be aliases, are unknown.
"""

from __future__ import annotations

from collections.abc import Callable

from hermes_checkpoints.triggers.effect import Effect
from hermes_checkpoints.triggers.shell import Call
from hermes_checkpoints.triggers.words import Arguments, Word, names, parse_arguments

_GLOBAL = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}

_HARMLESS = names(
    """
    add annotate blame branch bundle cat-file check-attr check-ignore check-mailmap
    check-ref-format cherry config count-objects credential describe diff diff-files diff-index
    diff-tree fast-export fetch for-each-ref fsck gc get-tar-commit-id grep hash-object help init
    interpret-trailers log ls-files ls-remote ls-tree mailinfo maintenance merge-base merge-tree
    mktag mktree name-rev notes pack-objects pack-refs patch-id prune range-diff reflog remote
    repack rerere rev-list rev-parse shortlog show show-branch show-index show-ref status
    stripspace symbolic-ref tag unpack-objects update-index update-ref update-server-info var
    verify-commit verify-pack verify-tag version whatchanged write-tree
    """
)
_WHOLE_TREE = names(
    """
    am checkout-index cherry-pick filter-branch filter-repo lfs merge pull read-tree rebase revert
    sparse-checkout
    """
)
_UNBOUNDED = Effect.changes(())
_Subcommand = Callable[[Arguments], Effect]


def git(call: Call) -> Effect:
    """Return what a call of git does to files of the working tree."""
    given = parse_arguments(call.arguments, _GLOBAL, stop_at_operand=True)
    if not given.operands:
        return Effect.NONE
    name, rest = given.operands[0], given.operands[1:]
    if not name.literal:
        return Effect.UNKNOWN
    if any(word.text in {"-h", "--help"} for word in rest[:1]):
        return Effect.NONE
    elsewhere = given.has("-C", "--git-dir", "--work-tree")
    effect = _subcommand(name.text, rest)
    return _UNBOUNDED if elsewhere and effect.is_change else effect


def _subcommand(name: str, words: tuple[Word, ...]) -> Effect:
    texts = [word.text for word in words]
    if name == "checkout" and "--" in texts[:-1]:
        return _paths(words[texts.index("--") + 1 :])
    if name in _SPECIAL:
        return _SPECIAL[name](parse_arguments(words, _VALUED.get(name, ())))
    if name in _WHOLE_TREE:
        return _UNBOUNDED
    if name in _HARMLESS:
        outputs = parse_arguments(words, {"--output"}).values("--output")
        return Effect.changes(word.path for word in outputs) if outputs else Effect.NONE
    return Effect.UNKNOWN


def _paths(words: tuple[Word, ...]) -> Effect:
    return Effect.changes(word.path for word in words) if words else _UNBOUNDED


def _whole_tree(_: Arguments) -> Effect:
    return _UNBOUNDED


def _operands(given: Arguments) -> Effect:
    return _paths(given.operands)


def _unless(*options: str, otherwise: _Subcommand = _whole_tree) -> _Subcommand:
    """Return a subcommand that changes nothing where one of these options is given."""
    return lambda given: Effect.NONE if given.has(*options) else otherwise(given)


def _new_branch(*options: str) -> _Subcommand:
    """Return a subcommand that changes no file where all it does is to make a branch."""

    def effect(given: Arguments) -> Effect:
        only_a_branch = given.has(*options) and not given.operands
        return Effect.NONE if only_a_branch else _UNBOUNDED

    return effect


def _by_action(default: str, harmless: str, unknown: str | None = None) -> _Subcommand:
    """Return a subcommand whose first operand says what it does; without one it does the
    ``default``."""

    def effect(given: Arguments) -> Effect:
        what = given.operands[0].text if given.operands else default
        if what == unknown:
            return Effect.UNKNOWN
        return Effect.NONE if what in names(harmless) else _UNBOUNDED

    return effect


def _restore(given: Arguments) -> Effect:
    if given.has("-S", "--staged") and not given.has("-W", "--worktree"):
        return Effect.NONE
    return _paths(given.operands)


def _apply(given: Arguments) -> Effect:
    looks = given.has("--check", "--stat", "--numstat", "--summary", "--cached")
    return Effect.NONE if looks and not given.has("--apply") else _UNBOUNDED


def _clone(given: Arguments) -> Effect:
    if len(given.operands) > 1:
        return _paths(given.operands[1:2])
    source = given.operands[0].text.rstrip("/") if given.operands else ""
    name = source.rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    return Effect.changes([name or None])


def _worktree(given: Arguments) -> Effect:
    what = given.operands[0].text if given.operands else "list"
    if what in {"add", "move", "remove"}:
        return _paths(given.operands[1:2])
    return Effect.NONE


def _archive(given: Arguments) -> Effect:
    outputs = given.values("-o", "--output")
    return Effect.changes(word.path for word in outputs) if outputs else Effect.NONE


def _format_patch(given: Arguments) -> Effect:
    if given.has("--stdout"):
        return Effect.NONE
    outputs = given.values("-o", "--output-directory")
    return Effect.changes([word.path for word in outputs] or ["."])


_SPECIAL: dict[str, _Subcommand] = {
    "apply": _apply,
    "archive": _archive,
    "bisect": _by_action("help", "help log terms view visualize", unknown="run"),
    "checkout": _new_branch("-b", "-B", "--orphan"),
    "clean": _unless("-n", "--dry-run", otherwise=_operands),
    "clone": _clone,
    "format-patch": _format_patch,
    "mv": _unless("-n", "--dry-run", otherwise=_operands),
    "reset": _unless("--soft"),
    "restore": _restore,
    "rm": _unless("--cached", "-n", "--dry-run", otherwise=_operands),
    "stash": _by_action("push", "list show drop clear create store"),
    "submodule": _by_action("status", "status summary init sync", unknown="foreach"),
    "switch": _new_branch("-c", "-C", "--create"),
    "worktree": _worktree,
}
_VALUED: dict[str, set[str]] = {
    "archive": {"-o", "--output", "--format", "--prefix"},
    "checkout": {"-b", "-B", "--orphan"},
    "clean": {"-e", "--exclude"},
    "clone": {"-b", "--branch", "--depth", "-o", "--origin", "--reference", "-c", "-j", "--filter"},
    "format-patch": {"-o", "--output-directory"},
    "restore": {"-s", "--source"},
    "switch": {"-c", "-C", "--create", "--orphan"},
    "worktree": {"-b", "-B"},
}
