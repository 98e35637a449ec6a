"""How a prune plan and its result read: what goes, what stays, why, and how many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hermes_checkpoints.cli.output import complain, place, say
from hermes_checkpoints.cli.table import say_parts
from hermes_checkpoints.cli.text import counted, minute, size
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import Decision, PrunePlan, PruneResult, Rule

LISTED = 40
"""How many lines of what is kept stand before the question. All that goes stands first."""


def show_plan(plan: PrunePlan, *, all_of_it: bool, command: Callable[..., str]) -> None:
    """Print every checkpoint that a plan drops, and what it keeps; ``all_of_it`` lists that, too,
    whatever its length. ``command`` makes a command of its words."""
    for group in _groups(plan.drop):
        _say_group(group)
        for line in _way_back(group, command):
            say(line)
    kept = [
        f"  keep {group.count} of {place(group.project.working_dir)}: {group.reason}"
        for group in plan.kept
        if group.project is not None
    ]
    _print(kept, None if all_of_it else LISTED)
    say(
        f"Plan: drop {counted(len(plan.drop), 'checkpoint')} "
        f"(about {size(plan.freed_bytes)}), keep {plan.keep_count}"
    )
    for record in plan.archives:
        what = place(record.working_dir or record.name)
        say(f"  remove the archived original of {what} ({size(record.size_bytes)}): imported")
    for why in plan.kept_archives:
        say(f"  {why}")
    if plan.fetched:
        what = counted(len(plan.fetched), "checkpoint")
        taken = size(sum(one.stored_bytes for one in plan.fetched))
        say(f"  remove the contents of {what} that was fetched from the remote ({taken})")
    show_cap(plan)


def show_cap(plan: PrunePlan) -> None:
    """Print what is known about the size cap, where the store is over it."""
    cap = plan.cap
    if cap is None or cap.store_bytes <= cap.goal_bytes:
        return
    goal = size(cap.goal_bytes)
    if cap.tried:
        say(f"The store stays over {goal}: this was tried before, and nothing has changed since")
    elif not cap.reachable:
        say(f"The store cannot be brought below {goal}: what is left is protected by the rules")
    else:
        say(f"The store takes {size(cap.store_bytes)}; expected then: {size(cap.expected_bytes)}")


def _groups(decisions: Iterable[Decision]) -> list[list[Decision]]:
    """Return the decisions by project, rule and reason, in the order of the plan."""
    groups: dict[tuple[int, Rule, str], list[Decision]] = {}
    for one in decisions:
        groups.setdefault((one.project.id, one.rule, one.reason), []).append(one)
    return list(groups.values())


def _say_group(group: Sequence[Decision]) -> None:
    """Print what goes for one reason: a line for each checkpoint."""
    first = group[0]
    about = size(sum(d.checkpoint.freed_bytes for d in group))
    where = place(first.project.working_dir)
    say(f"  drop {len(group)} of {where}, about {about}: {first.reason}", "red")
    for decision in group:
        one = decision.checkpoint
        taken = minute(one.created_at.astimezone())
        say_parts([one.short_id, taken, one.reason], indent=4, style="red")


def _way_back(group: Sequence[Decision], command: Callable[..., str]) -> list[str]:
    """Return what brings a directory back that is gone, by the newest checkpoint of it."""
    if group[0].rule is not Rule.ORPHAN:
        return []
    newest = max((one.checkpoint for one in group), key=lambda one: one.created_at)
    words = ("restore", newest.short_id, "--dir", group[0].project.working_dir)
    return [f"    to bring that directory back before: {command(*words)}"]


def _print(lines: Sequence[str], limit: int | None) -> None:
    for line in lines[:limit]:
        say(line, "yellow")
    if limit is not None and len(lines) > limit:
        say(f"  … and {len(lines) - limit} more lines: --dry-run lists all")


def show_result(result: PruneResult) -> None:
    """Print what a prune did as version 2 does, and below it what that does not count."""
    say(f"Scanned:         {result.scanned}")
    say(f"Deleted orphan:  {result.projects_of(Rule.ORPHAN)}")
    say(f"Deleted stale:   {result.projects_of(Rule.STALE)}")
    say(f"Errors:          {len(result.errors)}")
    say(f"Bytes reclaimed: {size(result.freed_bytes)}")
    say(f"Deleted capped:  {result.count_of(Rule.SIZE_CAP)}")
    say(f"Over the limit:  {result.count_of(Rule.OVER_LIMIT, Rule.NO_KEEP_RULE)}")
    for text in result.mended:
        say(f"Mended: {text}")
    if result.plan.fetched:
        what = counted(len(result.plan.fetched), "checkpoint")
        say(f"Removed the contents of {what} from the remote; the next use fetches them again")
    for skipped in result.skipped:
        say(
            f"Kept after all: {skipped.checkpoint.short_id} of {place(skipped.project.working_dir)}"
        )


def show_dropped(result: PruneResult) -> None:
    """Print how many checkpoints a person dropped, and what came back."""
    went = counted(len(result.dropped), "checkpoint")
    say(f"Dropped {went}; {size(result.freed_bytes)} reclaimed")
    for name in result.purged:
        say(f"Purged: {name}, where the store kept what was damaged")
    for text in result.mended:
        say(f"Mended: {text}")


def complain_of(result: PruneResult) -> None:
    """Print on stderr what went wrong, and that the store stays over its cap."""
    for error in result.errors:
        complain(error)
    cap = result.plan.cap
    if cap is None or not result.over_cap:
        return
    over = f"the store takes {size(result.after_bytes)}, more than {size(cap.goal_bytes)}"
    if cap.reachable:
        complain(
            f"{over}: takes came in meanwhile, or what is kept of damaged checkpoints takes the "
            f"rest; prune once more, and see {PROGRAM} du"
        )
    else:
        complain(
            f"{over}, and the rules protect what is left; unpin or drop checkpoints, or raise "
            f"the cap. It is not tried again until something changes; see {PROGRAM} du"
        )
