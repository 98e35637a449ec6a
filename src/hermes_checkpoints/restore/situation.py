"""What every decision of a restore rests on: two states, what lies there now, and who did what.

The two rules that stand above every mode are asked for here, so that each has one wording:

- What the safety checkpoint does not hold is neither overwritten nor deleted
  (``Basis.uncaptured_now``).
- That the checkpoint lacks a path, or has only an earlier version of it, is no proof of what was
  there (``Basis.unknown_then``, ``Basis.outdated_then``).

Nothing here decides or changes anything; a reason is returned where one exists, else None.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field

from hermes_checkpoints.attribution.verdict import NO_RECORD, Verdict
from hermes_checkpoints.fs.forks import once
from hermes_checkpoints.model import Change, ChangeStatus, Mode, SkipReason
from hermes_checkpoints.model.paths import at_or_above, parents, within
from hermes_checkpoints.object_store import TreeMeta

_RULES = ".gitignore"


@dataclass(frozen=True)
class Situation:
    """What a decision rests on.

    ``changes`` lead from the present to the checkpoint, by path. ``exists`` tells whether
    anything lies at a path now, ``is_directory`` whether that is a directory, and ``inside``
    names what lies directly in one, or None where it cannot be listed. Links are not followed;
    all know of paths that no checkpoint holds. ``verdicts`` say, where edits are to be kept, of
    each path whether it may be brought back; ``directories``, which have no record of their own,
    whether they may. ``others`` says of what agents of other sessions changed why it stays, in the
    other modes. ``inner`` are the directories that are projects of their own. ``left_out`` are
    paths that a take does not capture, but which the safety checkpoint of this restore holds, each
    with why; ``made`` those that, by its record, the restore touched that is taken back.
    """

    changes: Mapping[str, Change]
    now: TreeMeta
    then: TreeMeta
    exists: Callable[[str], bool]
    is_directory: Callable[[str], bool]
    inside: Callable[[str], Iterable[str] | None]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    directories: bool = True
    others: Mapping[str, str] = field(default_factory=dict)
    inner: frozenset[str] = frozenset()
    left_out: Mapping[str, str] = field(default_factory=dict)
    made: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Basis:
    """A situation, together with what was asked for.

    ``chosen`` limits the restore to these paths and what lies below them, or, ``exactly``, to
    these alone; None chooses everything.
    """

    situation: Situation
    mode: Mode
    chosen: frozenset[str] | None
    exactly: bool

    # --- what was asked for ----------------------------------------------------------------

    def is_chosen(self, path: str) -> bool:
        """Tell whether the restore may touch ``path`` for its own sake: it is wanted, and in no
        project that is left alone."""
        return self.is_wanted(path) and self.left_alone(path) is None

    def is_wanted(self, path: str) -> bool:
        """Tell whether the restore was asked for ``path``.

        With ``chosen`` = ``{"a"}`` both ``a`` and ``a/b`` are chosen; ``exactly``, only ``a``;
        ``ab`` never is.
        """
        if self.chosen is None:
            return True
        return path in self.chosen if self.exactly else within(path, self.chosen)

    @once
    def _at_or_above_chosen(self) -> frozenset[str]:
        return frozenset(at_or_above(self.chosen or ()))

    def left_alone(self, path: str) -> str | None:
        """Return the outermost project inside this one that ``path`` belongs to, if so. It is
        not left alone where it, or a path in it, was named."""
        if not self.situation.inner:
            return None
        alone = [
            name
            for name in (path, *parents(path))
            if name in self.situation.inner and name not in self._at_or_above_chosen
        ]
        return alone[-1] if alone else None

    @property
    def takes_directories(self) -> bool:
        """Whether directories are taken back for their own sake: where edits are kept, only if
        no person's edit is known, since they have no record."""
        return self.mode is not Mode.KEEP_EDITS or self.situation.directories

    # --- who did it ------------------------------------------------------------------------

    def verdict(self, path: str) -> Verdict:
        """Return whether a file may be taken back; only the mode that keeps edits asks who
        changed it, and without a record it may not. Others keep the work of other sessions."""
        if self.mode is not Mode.KEEP_EDITS:
            others = self.situation.others.get(path)
            return Verdict(others is None, others or "")
        return self.situation.verdicts.get(path, Verdict(False, NO_RECORD))

    def refused(self, path: str) -> str | None:
        """Return why a file may not be taken back, if so."""
        if self.left_alone(path) is not None:
            return "it is in a project of its own"
        verdict = self.verdict(path)
        return None if verdict.restore else verdict.reason

    # --- what the present state holds ------------------------------------------------------

    @once
    def present_only(self) -> frozenset[str]:
        """The files and links that the checkpoint lacks."""
        changes = self.situation.changes.items()
        return frozenset(path for path, c in changes if c.status is ChangeStatus.DELETED)

    @once
    def skipped_now(self) -> Mapping[str, SkipReason]:
        """What the safety checkpoint does not hold, with why. A directory speaks for all that
        is in it."""
        return {skipped.path: skipped.reason for skipped in self.situation.now.skipped}

    def uncaptured_now(self, path: str) -> str | None:
        """Return why the safety checkpoint does not hold what lies at ``path``, if so.

        It holds what a take captures and, beside that, what the checkpoint holds and the plan
        overwrites: a file that grew over the size limit, or that a rule ignores since.
        """
        if path in self.situation.left_out:
            return None
        name = nearest(path, self.skipped_now)
        return None if name is None else f"not captured: {self.skipped_now[name]}"

    def inside(self, path: str) -> list[str] | None:
        """Return the paths of all that lies directly in a directory, captured or not, or None
        where it cannot be listed."""
        names = self.situation.inside(path)
        return None if names is None else [f"{path}/{name}" for name in names]

    # --- what the checkpoint holds ---------------------------------------------------------

    @once
    def skipped_then(self) -> Mapping[str, SkipReason]:
        """What the checkpoint does not hold, or only in an earlier version, with why."""
        return {skipped.path: skipped.reason for skipped in self.situation.then.skipped}

    @once
    def left_out_then(self) -> Mapping[str, str]:
        """What the checkpoint left out, as far as it was listed, with why."""
        ignored = (path.rstrip("/") for path in self.situation.then.ignored_paths)
        return {
            **dict.fromkeys(ignored, "ignored by a rule when the checkpoint was taken"),
            **{path: _not_captured_then(reason) for path, reason in self.skipped_then.items()},
        }

    def earlier_then(self, path: str) -> SkipReason | None:
        """Return why the checkpoint has no more than an earlier version of ``path``, if so."""
        name = nearest(path, self.skipped_then)
        return None if name is None else self.skipped_then[name]

    def outdated_then(self, path: str) -> str | None:
        """Return why what lies at ``path`` must not give way to an earlier version, if so.

        A file that could not be read when the checkpoint was taken stays as it is now; if it is
        gone, the version captured last is better than none.
        """
        reason = self.earlier_then(path)
        if reason is None or not self.situation.exists(path):
            return None
        return _not_captured_then(reason)

    def unknown_then(self, path: str) -> str | None:
        """Return why the checkpoint's lack of ``path`` does not prove that it was made since,
        if so.

        It proves nothing where the checkpoint skipped or a rule ignored the path or a directory
        above it, and nothing where the rules of then, or of now, are not known. For example,
        ``a/b`` stays if ``a`` was ignored, or if ``a/.gitignore`` was over the size cap. The record
        of a restore proves it, unless the checkpoint held the path and it was forgotten since.
        """
        reason = self.skipped_then.get(path)
        if reason is SkipReason.FORGOTTEN:
            return _not_captured_then(reason)
        if path in self.situation.made:
            return None
        name = nearest(path, self.left_out_then)
        if name is not None:
            return self.left_out_then[name]
        rules = [*(f"{folder}/{_RULES}" for folder in parents(path)), _RULES]
        if not self.situation.then.ignored_known or any(r in self.skipped_then for r in rules):
            return "perhaps ignored by a rule when the checkpoint was taken"
        unread = next((r for r in rules if r in self.skipped_now), None)
        return None if unread is None else f"perhaps ignored by a rule: {unread} cannot be read"


def nearest(path: str, names: Container[str]) -> str | None:
    """Return the first of ``path`` and the directories above it that is among ``names``."""
    return next((name for name in (path, *parents(path)) if name in names), None)


def _not_captured_then(reason: SkipReason) -> str:
    return f"not captured by the checkpoint: {reason}"
