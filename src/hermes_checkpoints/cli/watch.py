"""``watch``: takes a checkpoint whenever files have changed and then been quiet, until it is ended.

For agents that tell of nothing, and for people. What the rules leave out changes nothing, so that a
take which finds no other change adds no checkpoint.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.ending import until_ended
from hermes_checkpoints.cli.exits import Exit, without_extra
from hermes_checkpoints.cli.json.checkpoints import of_take
from hermes_checkpoints.cli.output import document_line, flush, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.problem import Problem, tell
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.cli.text import counted, minute, statistics
from hermes_checkpoints.errors import BadDirectory, CheckpointError
from hermes_checkpoints.model import Failed, Skipped, Taken
from hermes_checkpoints.model.paths import is_git_name

QUIET_SECONDS = 3.0
LONGEST_SECONDS = 300.0
"""Where files never become quiet, a checkpoint is taken this long after the first change."""

_REASON = "watch"
_GONE = "{} is gone; the checkpoints stay"


def register(verbs: Verbs) -> None:
    """Add ``watch``."""
    parser = verbs.add(
        "watch", run, "Take a checkpoint whenever files have changed and then been quiet"
    )
    add_directory(parser)
    parser.add_argument(
        "--quiet-for",
        type=_seconds,
        default=QUIET_SECONDS,
        metavar="SECONDS",
        help=f"how long nothing must have changed (default: {QUIET_SECONDS:g})",
    )
    parser.add_argument(
        "--poll",
        action="store_true",
        help="look again and again, where the system cannot tell of changes, as on a network disk",
    )


def run(args: argparse.Namespace) -> int:
    """Watch until a signal ends it; what changed last is captured, too."""
    watch = _library()
    with target(args, create=True) as what, until_ended() as ended:
        if not what.working_dir.is_dir():
            raise BadDirectory(f"{what.working_dir} does not exist, so nothing can be watched")
        watched = _Watched(what, args.json)
        if not watched.take():
            return Exit.ERROR
        watched.since = time.monotonic()  # what changes before the first look counts, too
        changes = watch(
            what.working_dir,
            watch_filter=_filter(what),
            stop_event=ended,
            rust_timeout=round(args.quiet_for * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=True if args.poll else None,
            debounce=round(min(args.quiet_for, 1) * 1000),
        )
        try:
            watched.follow(changes, args.quiet_for)
        except OSError as error:
            raise BadDirectory(_unwatchable(what.working_dir, error)) from error
        watched.end()
    return Exit.DONE


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0.1 <= found <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0.1 to 3600")
    return found


def _library() -> Callable[..., Iterable[set[Any]]]:
    try:
        from watchfiles import watch
    except ImportError as error:
        raise without_extra("watch", "watchfiles") from error
    return watch


def _filter(what: Target) -> Callable[[object, str], bool]:
    """Return what tells whether a change counts: not one of git's own, nor of the checkpoints."""
    base = f"{what.checkpoints.home / 'checkpoints'}{os.sep}"

    def counts(_change: object, path: str) -> bool:
        return not path.startswith(base) and not any(map(is_git_name, Path(path).parts))

    return counts


def _unwatchable(directory: Path, error: OSError) -> str:
    if not directory.is_dir():
        return _GONE.format(directory)
    return (
        f"{directory} cannot be watched: {error}; the system tells of so many directories at most "
        "(on Linux, fs.inotify.max_user_watches), or not of this disk: try --poll"
    )


@dataclass
class _Watched:
    """A directory that is watched, and what was said of it. ``since`` is when the first change came
    that no take has seen."""

    what: Target
    json: bool
    taken: int = 0
    since: float | None = None

    def follow(self, changes: Iterable[set[Any]], quiet: float) -> None:
        """Take a checkpoint once nothing changes any more, or after the longest time."""
        for found in changes:
            if found and self.since is None:
                self.since = time.monotonic()
            if self.since is None:
                continue
            if not self.what.working_dir.is_dir():
                raise BadDirectory(_GONE.format(self.what.working_dir))
            if not found or time.monotonic() - self.since > max(LONGEST_SECONDS, quiet):
                self.take()

    def end(self) -> None:
        """Capture what changed last, and say how it went."""
        if self.since is not None and self.what.working_dir.is_dir():
            self.take()
        if not self.json:
            of = place(self.what.working_dir)
            say(f"Ended: {counted(self.taken, 'checkpoint')} taken of {of}")

    def take(self) -> bool:
        """Take a checkpoint and say so, where something had changed; False where none can be."""
        self.since = None
        outcome = self.what.project.take(_REASON)
        if isinstance(outcome, Failed | Skipped):
            error = outcome.error if isinstance(outcome, Failed) else outcome
            why = error if isinstance(error, CheckpointError) else error.reason
            message = f"no checkpoint taken of {self.what.working_dir}: {why}"
            tell(Problem(error.code, message, Exit.ERROR), as_json=self.json)
            return False
        if isinstance(outcome, Taken):
            self.taken += 1
            self.what.checkpoints.hold_cap()
        if self.json:
            if isinstance(outcome, Taken):
                lacks = self.what.project.left_out(outcome.checkpoint)
                document_line(of_take(outcome, lacks))
        elif isinstance(outcome, Taken):
            one = outcome.checkpoint
            stats = statistics(one.files_changed, one.insertions, one.deletions)
            say(f"{minute(one.local_time)}  {one.short_id}  {stats}".rstrip())
        elif not self.taken:
            say(
                f"Watching {place(self.what.working_dir)}, which is as checkpoint "
                f"{outcome.checkpoint.short_id} has it"
            )
        flush()
        return True
