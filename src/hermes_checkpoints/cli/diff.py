"""``diff``: what differs between a checkpoint and now, between two checkpoints, from HEAD, and what
an agent did."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.cli.arguments import add_paths, whole
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.checkpoints import of_agent_diff, of_diff, of_head_diff
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.cli.text import git_quoted, minute
from hermes_checkpoints.cli.who import event_line
from hermes_checkpoints.cli.words import Found, checkpoints_and_paths, is_path
from hermes_checkpoints.errors import CheckpointForeign, PathUnknown
from hermes_checkpoints.model import (
    LATEST,
    AgentDiff,
    Change,
    Checkpoint,
    Diff,
    HeadDiff,
    SkippedPath,
    head_text,
)
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.text import permissions_line


@dataclass(frozen=True)
class _Printed:
    """A comparison as it is printed. ``heading`` says what is compared, ``notes`` what there is to
    know of single paths, ``nothing`` that nothing differs, and ``complaints`` what could not be
    compared."""

    changes: Sequence[Change]
    stat: str
    text: str
    nothing: str
    heading: str | None = None
    notes: Sequence[str] = field(default_factory=list)
    complaints: Sequence[str] = field(default_factory=list)


def register(verbs: Verbs) -> None:
    """Add ``diff``."""
    parser = verbs.add(
        "diff",
        run,
        "Compare a checkpoint with the working directory, another one or HEAD, or what an agent "
        "did",
        usage="[ID [ID]] [--] [PATH …]",
        paged=True,
    )
    add_paths(
        parser,
        "one checkpoint (default: the newest), or two, as `show` takes them; then the paths to "
        "compare (default: all)",
        name="words",
        metavar="ID|PATH",
    )
    parser.add_argument(
        "--head",
        action="store_true",
        help="compare HEAD of the project's own git repository with the working directory, or with "
        "a checkpoint where one is named",
    )
    parser.add_argument(
        "--session",
        metavar="ID",
        help="what the agent of this session did, without what others did in between",
    )
    parser.add_argument(
        "--turn",
        type=whole,
        metavar="N",
        help="what the agent did in this turn of the session (default: of the session that had a "
        "turn of that number last)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--stat", action="store_true", help="list the files, leave the lines out")
    form.add_argument(
        "--name-status",
        action="store_true",
        help="list git's letter and the path alone: A, D, M or T",
    )


def run(args: argparse.Namespace) -> int:
    """Print git's summary and patch, or the same as one document."""
    of_agent = args.session is not None or args.turn is not None
    if args.head and of_agent:
        raise BadUsage("--head compares states, --session and --turn what an agent did; give one")
    text = not (args.stat or args.name_status)
    found: tuple[Mapping[str, object], _Printed]
    with target(args) as what:
        if of_agent:
            did = _of_agent(what, args)
            found = of_agent_diff(did, text=text), _agent_printed(did, args.session is None)
        elif args.head:
            head = _of_head(what, args)
            found = of_head_diff(head, text=text), _head_printed(head)
        else:
            diff = of_checkpoints(what, args)
            found = of_diff(diff, text=text), _printed(diff)
    if args.json:
        document(found[0])
    else:
        _print(found[1], args)
    return Exit.DONE


def of_checkpoints(what: Target, args: argparse.Namespace, *, binary: bool = False) -> Diff:
    """Compare what the words of a line mean; with ``binary`` the text is for ``git apply``."""
    read = checkpoints_and_paths(what, args.words, args.literal)
    first, second = [*read.checkpoints, None, None][:2]
    if first is not None and second is None:
        require_same(first)
    return (first.what if first is not None else what).project.diff(
        LATEST if first is None else first.checkpoint,
        None if second is None else second.checkpoint,
        paths=read.paths,
        binary=binary,
    )


def require_same(found: Found) -> None:
    """Refuse to compare what was fetched of another project with a directory that nobody has named.

    Raises:
        CheckpointForeign.
    """
    what, checkpoint = found.what, found.checkpoint
    if checkpoint.is_fetched and not what.named and not what.project.is_same(checkpoint):
        raise CheckpointForeign(
            f"checkpoint {checkpoint.short_id} is of {checkpoint.working_dir} on another machine, "
            f"and not of {what.working_dir}; name the directory to compare it with, by --dir DIR"
        )


def _of_head(what: Target, args: argparse.Namespace) -> HeadDiff:
    read = checkpoints_and_paths(what, args.words, args.literal, elsewhere=True)
    if len(read.checkpoints) > 1:
        raise BadUsage("HEAD is compared with one checkpoint, and two are named")
    if not read.checkpoints:
        return what.project.head_diff(paths=read.paths)
    [found] = read.checkpoints
    require_same(found)
    return found.what.project.head_diff(found.checkpoint, paths=read.paths)


def _of_agent(what: Target, args: argparse.Namespace) -> AgentDiff:
    words = [*args.words, *(args.literal or ())]
    paths = [what.path(word) for word in words]
    diff = what.project.agent_diff(
        session_id=args.session, turn=args.turn, paths=paths if words else None
    )
    for word, path in zip(words, paths, strict=True):
        changed = any(within(change.path, [path]) for change in diff.changes)
        if not changed and not is_path(what, word, []):
            raise PathUnknown(
                f"{word!r} is no path of {what.working_dir}, nor of its newest checkpoint, and the "
                "agent changed none of that name; with --session or --turn only paths can be named"
            )
    return diff


# --- what is printed ------------------------------------------------------------------------------


def _print(found: _Printed, args: argparse.Namespace) -> None:
    if args.name_status:
        for line in found.notes:
            complain(line)
        patch("".join(f"{one.status}\t{git_quoted(one.path)}\n" for one in found.changes))
    elif not found.changes:
        say(found.nothing)
    else:
        for line in [*([found.heading] if found.heading else []), *found.notes]:
            say(line)
        for change in found.changes:
            if change.bits is not None:
                say(permissions_line(change.path, *change.bits))
        if found.stat:
            patch(found.stat if found.stat.endswith("\n") else f"{found.stat}\n")
        if found.text and not args.stat:
            patch(f"\n{found.text}")
    for line in found.complaints:
        complain(line)


def _printed(diff: Diff) -> _Printed:
    first = _named(diff.checkpoint)
    nothing = f"No changes since {first}"
    if diff.against is not None:
        nothing = f"No changes from {first} to {_named(diff.against)}"
    skipped = not_compared(diff.skipped)
    return _Printed(diff.changes, diff.stat, diff.text, nothing, complaints=skipped)


def _head_printed(diff: HeadDiff) -> _Printed:
    other = "the working directory" if diff.checkpoint is None else _named(diff.checkpoint)
    sides = f"from HEAD ({head_text(diff.head)}) to {other}"
    modules = [
        f"not compared: {path}  submodule, with a HEAD of its own" for path in diff.submodules
    ]
    return _Printed(
        diff.changes,
        diff.stat,
        diff.text,
        f"No changes {sides}",
        f"Changes {sides}:",
        complaints=[*not_compared(diff.skipped), *modules],
    )


def _agent_printed(diff: AgentDiff, any_session: bool) -> _Printed:
    name = "a session without a name" if diff.session_id is None else f"session {diff.session_id}"
    which = name if diff.turn is None else f"turn {diff.turn} of {name}"
    began = "" if diff.began_at is None else minute(diff.began_at.astimezone())
    ended = "now, still open" if diff.ended_at is None else minute(diff.ended_at.astimezone())
    of_any = f"; the last turn {diff.turn} of any session" if any_session else ""
    what = f"{which} ({began} to {ended}{of_any})"
    notes = [
        *(f"in between, and left out: {one.path}  {event_line(one)}" for one in diff.between),
        *(f"perhaps another session's: {one.path}  {event_line(one)}" for one in diff.shared),
    ]
    unseen = (
        "the working directory cannot be looked at, so that what the open turn changed since the "
        "last look is missing"
    )
    folded = (
        "checkpoints of that time were pruned, and much of the record with them: earlier changes "
        "of the agent may be missing"
    )
    return _Printed(
        diff.changes,
        diff.stat,
        diff.text,
        f"The agent changed nothing in {what}",
        f"What the agent did in {what}:",
        notes,
        [*([unseen] if diff.unseen else []), *([folded] if diff.folded else [])],
    )


def _named(checkpoint: Checkpoint) -> str:
    return f"checkpoint {checkpoint.short_id} of {minute(checkpoint.local_time)}"


def not_compared(skipped: Sequence[SkippedPath]) -> list[str]:
    """Return a line for each path that a comparison left out, with the reason."""
    return [f"not compared: {skipped_line(path)}" for path in skipped]
