"""Finds the checkpoint that an id, number, label or time means, and refuses all doubtful ones.

An id is validated before anything is looked up and is never given to git as it was typed. One
that belongs to another project is refused, and one that was pruned is answered with when and
why.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import PurePath

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import (
    PROGRAM,
    BadRequest,
    CheckpointAmbiguous,
    CheckpointForeign,
    CheckpointLost,
    CheckpointPruned,
    CheckpointUnknown,
    GitFailed,
    LabelInUse,
    ProjectUnknown,
    StoreDamaged,
)
from hermes_checkpoints.model import LATEST, SHORT_ID, TIME_SIGN, Checkpoint, ProjectRecord
from hermes_checkpoints.text import counted

Reference = str | Checkpoint
"""What names a checkpoint: its id, a unique beginning of it, ``latest``, a label, the number that
``log`` shows, a time as ``as_of`` reads it, each as text, or the checkpoint itself."""

_LEAST_DIGITS = 8
"""How many digits of an id name a checkpoint where no project is given."""

_OF_NO_BASE = "is none of this base: it can be shown, compared, read and restored, and nothing else"
_ID = re.compile(r"[0-9a-f]{4,64}")
_NUMBER = re.compile(r"[0-9]{1,6}")
_LABEL = re.compile(r"\w[\w .:/@+-]{0,99}")


def find_checkpoint(
    base: Base,
    reference: Reference,
    target: Target,
    *,
    lost: bool = False,
    fetched: bool = False,
) -> Checkpoint:
    """Return the checkpoint of one project that ``reference`` means, as it is now.

    A text is a commit id or a unique prefix of at least four digits, ``latest``, a label, the
    number that ``log`` shows (1 is the newest), or a time such as ``@2h``, which means the newest
    that was taken until then. Numbers, times and ``latest`` never mean a safety
    checkpoint. ``"7"`` is the number, ``"7a1c"`` the id; digits
    alone, four or more, are a number where the project has so many, and else an id. With ``lost``
    an id or a label may also mean one that is lost as a whole, which has no number. With
    ``fetched`` it may also be one that was fetched from a remote, as itself: no text means that.

    Raises:
        BadRequest: also when the reference is neither text nor a checkpoint, as a number is.
        CheckpointUnknown, CheckpointAmbiguous, CheckpointForeign, CheckpointPruned,
        CheckpointLost, ProjectUnknown: each says what to do.
    """
    if isinstance(reference, Checkpoint):
        if reference.is_fetched:
            return _fetched(base, reference, allowed=fetched)
        return _by_id(base, reference.id, target, lost=lost)
    return _by_text(base, _text(reference), target, lost=lost)


def _by_text(base: Base, text: str, target: Target, *, lost: bool) -> Checkpoint:
    if not text:
        raise BadRequest("the checkpoint id is empty; `log` lists the ids")
    if text.startswith("-"):
        raise BadRequest(f"invalid checkpoint id {text!r}: it must not start with '-'")
    if text.startswith(TIME_SIGN):
        return _by_time(base, text, target)
    if text.lower() == LATEST or _NUMBER.fullmatch(text):
        found = _by_number(base, text.lower(), target)
        if found is not None:
            return found
    if _ID.fullmatch(text.lower()):
        return _by_id(base, text.lower(), target, lost=lost)
    if _LABEL.fullmatch(text):
        labelled = base.catalog.checkpoints.by_label(target.hash, text)
        if labelled is not None:
            return labelled
        for gone in base.catalog.agreement.lost(target.hash):
            if text in gone.labels and lost:
                return gone
            if text in gone.labels:
                raise _lost(base, gone)
        require_project(base, target)
        raise CheckpointUnknown(
            f"no checkpoint of {target.path} has the id or label {text!r}; `log` lists them"
        )
    raise BadRequest(
        f"invalid checkpoint id {text!r}: give 4 to 64 hexadecimal digits, a number, a label, "
        f"'{LATEST}' or a time such as @2h or @10:00"
    )


def find_anywhere(base: Base, reference: Reference) -> Checkpoint:
    """Return the checkpoint of any project with this id, or with a unique beginning of it.

    Raises:
        BadRequest: when it is no id, or has fewer than eight digits: a number, a label, a time and
            ``latest`` mean something within a project only.
        CheckpointUnknown, CheckpointAmbiguous, CheckpointPruned.
    """
    if isinstance(reference, Checkpoint):
        if reference.is_fetched:
            return _fetched(base, reference, allowed=False)
        return _by_id(base, reference.id, None)
    text = _text(reference).lower()
    if not _ID.fullmatch(text) or len(text) < _LEAST_DIGITS:
        raise BadRequest(
            f"{reference!r} names a checkpoint within a project only; give the directory of the "
            f"project, or at least {_LEAST_DIGITS} digits of the id"
        )
    return _by_id(base, text, None)


@contextlib.contextmanager
def still_kept(base: Base, *found: Checkpoint) -> Iterator[None]:
    """Say of a checkpoint that went while the block read it, by a prune or a forget, that it did:
    what the store lacks then is no damage.

    Raises:
        CheckpointPruned, CheckpointLost: or else what the block raised.
    """
    try:
        yield
    except (StoreDamaged, GitFailed):
        for one in found:
            if one.is_fetched:
                _fetched(base, one, allowed=True)
            else:
                _by_id(base, one.id, None)
        raise


def require_project(base: Base, target: Target) -> ProjectRecord:
    """Return the catalog's record of a project of which a checkpoint was ever taken.

    Raises:
        ProjectUnknown: naming related directories of which some were taken.
    """
    found = base.catalog.projects.get(target.hash)
    if found is None:
        related = base.catalog.projects.related(target.name)
        hint = ""
        if related:
            hint = "; there are some of " + ", ".join(one.working_dir for one in related[:3])
        raise ProjectUnknown(f"No checkpoints exist for this directory ({target.path}){hint}")
    return found


def clean_label(label: str) -> str:
    """Return a label in the form in which ``find_checkpoint`` finds it.

    Raises:
        BadRequest: when it has another form, or reads as an id, a number or ``latest``.
    """
    if not isinstance(label, str):
        raise BadRequest(f"a label is text, not {label!r}")
    text = label.strip()
    reads_otherwise = (
        text.lower() == LATEST or _NUMBER.fullmatch(text) or _ID.fullmatch(text.lower())
    )
    if not _LABEL.fullmatch(text) or reads_otherwise:
        raise BadRequest(
            f"invalid label {label!r}: give up to 100 letters, digits, spaces or . : / @ + -, "
            "beginning with a letter, that are no id and no number"
        )
    return text


def name_checkpoint(base: Base, found: Checkpoint, label: str, *, move: bool = False) -> None:
    """Give a live checkpoint a label, which leaves another one only if it is to ``move``.

    Raises:
        LabelInUse: when another one of the project has it.
    """
    row = base.catalog.labels.give(found._row, label, move=move)
    holder = None if row is None else base.catalog.checkpoints.get(row)
    if holder is not None:
        raise label_in_use(holder, label)


def label_in_use(holder: Checkpoint, label: str) -> LabelInUse:
    """Return the error that says which checkpoint has a label."""
    return LabelInUse(
        f"checkpoint {holder.short_id} of {holder.local_time:%Y-%m-%d %H:%M} has the label "
        f"{label!r}; choose another one, or move it with --move"
    )


def _by_number(base: Base, text: str, target: Target) -> Checkpoint | None:
    number = 1 if text == LATEST else int(text)
    listed = base.catalog.checkpoints.list(target.hash, limit=max(1, number), safety=False)
    if len(listed) == number:
        return listed[-1]
    if text != LATEST and len(text) >= 4:
        return None  # perhaps the prefix of an id
    if not listed:
        require_project(base, target)
        if arriving := base.catalog.arriving.count(target.hash):
            raise CheckpointUnknown(
                f"{counted(arriving, 'checkpoint')} of {target.path} from an earlier version "
                f"{'is' if arriving == 1 else 'are'} still arriving; "
                f"`{PROGRAM} import-legacy` goes on with the import"
            )
        if base.catalog.checkpoints.last(target.hash) is not None:
            raise CheckpointUnknown(
                f"{target.path} has safety checkpoints only, which `log` lists and no number or "
                f"'{LATEST}' means; name one by its id, or `take` a checkpoint"
            )
        raise CheckpointUnknown(
            f"No checkpoints exist for this directory ({target.path}) any more; `take` makes one"
        )
    if number == 0:
        raise CheckpointUnknown("there is no number 0: 1 is the newest; `log` lists them")
    raise CheckpointUnknown(
        f"{target.path} has {counted(len(listed), 'checkpoint')}, so there is no number {text}; "
        "`log` lists them"
    )


def _by_time(base: Base, text: str, target: Target) -> Checkpoint:
    """Return the newest checkpoint that was taken until a time. One that is ahead of now means the
    newest of all, whatever the clock was when that was taken."""
    from hermes_checkpoints.base.as_of import read_as_of

    now = base.now()
    when = read_as_of(text, now)
    found = base.catalog.checkpoints.as_of(target.hash, when) if when <= now else None
    if found is not None:
        return found
    newest = _by_number(base, LATEST, target)  # or refuses a project that has none at all
    if newest is not None and when > now:
        return newest
    listed = base.catalog.checkpoints.list(target.hash, safety=False)
    oldest = min(listed, key=lambda one: (one.created_at, one._row))
    at = oldest.created_at.astimezone(when.tzinfo)
    raise CheckpointUnknown(
        f"no checkpoint of {target.path} was taken at or before {when:%Y-%m-%d %H:%M:%S %z} "
        f"({text}); the nearest is the oldest, number {listed.index(oldest) + 1} "
        f"({oldest.short_id}) of {at:%Y-%m-%d %H:%M:%S %z}"
    )


def _by_id(base: Base, prefix: str, target: Target | None, *, lost: bool = False) -> Checkpoint:
    found = base.catalog.checkpoints.find(prefix)
    own = [c for c in found if target is None or c.project_hash == target.hash]
    live = [c for c in own if c.pruned_at is None and not c._arriving]
    if len(own) > 1:
        ids = ", ".join(c.id[:12] for c in own[:5])
        raise CheckpointAmbiguous(f"the id {prefix} is ambiguous ({ids}); give more digits")
    if live:
        return live[0]
    if own and own[0]._arriving:
        raise CheckpointUnknown(_arriving(base, own[0], prefix))
    if own:
        gone = own[0]
        if gone.lost_at is not None and lost:
            return gone
        if gone.lost_at is not None:
            raise _lost(base, gone)
        if heir := base.catalog.forgetting.successor(gone._row):
            raise CheckpointPruned(
                f"checkpoint {gone.short_id} was replaced by {heir[:SHORT_ID]} on "
                f"{gone.pruned_at:%Y-%m-%d}, since {gone.prune_reason}; that one has the rest of it"
            )
        raise CheckpointPruned(
            f"checkpoint {gone.short_id} was pruned on {gone.pruned_at:%Y-%m-%d} because "
            f"{gone.prune_reason or 'it was no longer kept'}; `log` lists what is left"
        )
    if found:
        raise CheckpointForeign(
            f"checkpoint {prefix} belongs to {found[0].working_dir}, not to "
            f"{target.path if target else 'this project'}; name that project with --dir, or "
            "`restore` it elsewhere on purpose with --into"
        )
    if target is not None:
        require_project(base, target)
    if base.catalog.fetched.find(prefix) or base.catalog.elsewhere.find(prefix):
        raise CheckpointUnknown(
            f"checkpoint {prefix} is on the remote, and {_OF_NO_BASE}; {_LEAST_DIGITS} digits of "
            "its id name it then"
        )
    raise CheckpointUnknown(f"Checkpoint '{prefix}' not found; `log` lists the ids")


def _fetched(base: Base, found: Checkpoint, *, allowed: bool) -> Checkpoint:
    """Return a checkpoint that was fetched from a remote, as it is now."""
    from hermes_checkpoints.base.fetched import fetched_checkpoint

    if not allowed:
        raise CheckpointForeign(
            f"checkpoint {found.short_id} was fetched from a remote, and {_OF_NO_BASE}"
        )
    return fetched_checkpoint(base, found.id)


def _lost(base: Base, gone: Checkpoint) -> CheckpointLost:
    return CheckpointLost(
        f"checkpoint {gone.short_id}, taken on {gone.local_time:%Y-%m-%d}, is lost: "
        f"{gone.prune_reason} (found on {gone.lost_at:%Y-%m-%d}). Once a backup of "
        f"{base.layout.store} is put back that has it, it can be restored again; `log` "
        "lists what is left"
    )


def _arriving(base: Base, found: Checkpoint, prefix: str) -> str:
    source = base.catalog.arriving.source(found._row)
    elsewhere = f" {source}" if source is not None and PurePath(source).is_absolute() else ""
    return (
        f"checkpoint {prefix} of {found.working_dir}, taken by an earlier version on "
        f"{found.local_time:%Y-%m-%d}, is still arriving: its import has not ended. "
        f"`{PROGRAM} import-legacy{elsewhere}` goes on with it, and `status` says what is "
        "in its way"
    )


def _text(reference: object) -> str:
    if isinstance(reference, int) and not isinstance(reference, bool):
        raise BadRequest(
            f"the number {reference} is no reference to a checkpoint; give the number that `log` "
            f'shows as text ("{reference}"), the id, a label, or the Checkpoint itself'
        )
    if not isinstance(reference, str):
        raise BadRequest(
            f"{reference!r} is no reference to a checkpoint; give its id, a label or the number "
            "that `log` shows as text, or the Checkpoint itself"
        )
    return reference.strip()
