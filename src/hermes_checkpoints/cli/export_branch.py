"""``export --branch``: what was committed, or would be, and what not."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_branch
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.cli.words import checkpoint_of
from hermes_checkpoints.model import ExportedBranch, WithheldReason, head_text

_NAMED = 10
"""How many paths are told for each reason; ``--json`` has all."""

_WHY = {
    WithheldReason.IGNORED: "git ignores it",
    WithheldReason.SECRET_NAME: "its name is one of secrets",
    WithheldReason.NOT_CAPTURED: "the checkpoint left it out",
    WithheldReason.FILTERED: "git would make it by a filter, or in another encoding",
    WithheldReason.SUBMODULE: "a submodule",
    WithheldReason.NESTED_REPOSITORY: "a repository of its own",
    WithheldReason.SPARSE: "a sparse checkout leaves it out",
    WithheldReason.IN_THE_WAY: "what stays of HEAD is in its place",
    WithheldReason.UNUSABLE_NAME: "git refuses its name",
    WithheldReason.LOST: "the object store lacks its contents",
}


def export_branch(args: argparse.Namespace, word: str) -> int:
    """Commit the checkpoint that ``word`` means, and say what is not in the commit."""
    with target(args) as what:
        found = checkpoint_of(what, word, anywhere=True, remote=False)
        project = found.what.project
        make = project.plan_export_branch if args.dry_run else project.export_branch
        done = make(found.checkpoint, args.branch)
    if args.json:
        document(of_branch(done))
    else:
        for line in _lines(done):
            say(line)
    then = done.checkpoint.stood_at
    if then.moved_to(done.parent):
        complain(
            f"HEAD moved since the checkpoint: {head_text(then)} → {head_text(done.parent)}; what "
            "came between is taken back in it"
        )
    if not done.own_author:
        complain(f"git has no user.name and user.email here: the commit is by {done.author}")
    for line in _withheld(done):
        complain(line)
    lost = any(one.reason is WithheldReason.LOST for one in done.withheld)
    return Exit.IN_PART if lost else Exit.DONE


def _lines(done: ExportedBranch) -> Iterator[str]:
    checkpoint, where = done.checkpoint.short_id, f"of {place(done.repository)}"
    parent = "as its first commit"
    if done.parent.commit is not None:
        parent = f"on top of HEAD ({head_text(done.parent)})"
    changes = counted(len(done.changes), "path")
    if done.commit is None:
        yield f"Checkpoint {checkpoint} as the new branch {done.branch} {where}, {parent}:"
        for change in done.changes:
            yield f"  {change.status}  {change.path}"
        yield f"Plan: {changes}"
    else:
        yield f"{done.branch}: checkpoint {checkpoint}, {changes}, {parent} {where}"
        yield f"Look at it by: git show {done.commit[:12]}"


def _withheld(done: ExportedBranch) -> Iterator[str]:
    for reason in WithheldReason:
        some = [one for one in done.withheld if one.reason is reason]
        for one in some[:_NAMED]:
            why = _WHY[reason] + (f" ({one.skipped})" if one.skipped is not None else "")
            begin = "as in HEAD" if one.kept else "not in it"
            yield f"{begin}: {one.path}  {why}"
        if len(some) > _NAMED:
            yield f"and {len(some) - _NAMED} more: {_WHY[reason]}; --json has all"
