"""What each view and each column of it means: the one place of these texts.

A view carries its text in a comment, so that ``.schema VIEW`` explains it, and docs/catalog.md has
the same as a table. They are Markdown; a comment has what is left without the links.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_WIDTH = 98
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


@dataclass(frozen=True)
class Comment:
    """What one ``row`` of a view is, and what each of its ``columns`` means, in their order."""

    row: str
    columns: dict[str, str]


def comment_of(name: str) -> str:
    """Return the comment that stands in the statement of a view, in lines.

    >>> comment_of("store_packing").splitlines()[2].split()[:4]
    ['through', 'the', 'row', 'in']
    """
    found = COMMENTS[name]
    wide = max(map(len, found.columns))
    lines = textwrap.wrap(plain(found.row), _WIDTH - 3)
    for column, meaning in found.columns.items():
        head = f"{column:<{wide}}  "
        indent = " " * len(head)
        lines += textwrap.wrap(
            plain(meaning), _WIDTH - 3, initial_indent=head, subsequent_indent=indent
        )
    return "/* " + "\n   ".join(lines) + " */"


def plain(text: str) -> str:
    """Return a text of this module without what is Markdown in it."""
    return _LINK.sub(r"docs/\1" if ".md" in text else r"\1", text).replace("`", "")


_PROJECT = "first 16 hex digits of the SHA-256 of the working directory"
_WORKDIR = "the absolute path of the directory, links resolved"
_SHORT = "its name, the first 8 hex digits"
_ADDED = "bytes that its live checkpoints added to the store, as measured when each was taken"
_HELD = (
    "bytes that its live checkpoints hold in the store now, each content once; an estimate, "
    "corrected by the last repack as in `du`; what other projects hold, too, is in each of them"
)
_LIVE = "how many live checkpoints it has"
_CHECKED = "when somebody last looked at the directory, on which `state` rests"
_SECONDS = "when it began"
_REMOTE = "its address, without what gives access"

OPERATIONS = (
    "`take`, `restore`, `prune`, `gc`, `migration`, `rebuild`, `forget`, `push`, `pull`, "
    "`fetch` or `remote-prune`"
)
"""The kinds of operations that the journal has, in words."""

COMMENTS = {
    "project_status": Comment(
        "One row for each project, newest touch first. A project whose directory is gone and whose "
        "checkpoints are all pruned is left out, here and below.",
        {
            "project": _PROJECT,
            "working_directory": _WORKDIR,
            "state": "`live`; `orphan`: its parent is there and it is not; `unreachable`: it "
            "cannot be told, as with an unmounted volume",
            "checked_at": _CHECKED,
            "checkpoints": _LIVE,
            "added_bytes": _ADDED,
            "held_bytes": _HELD,
            "last_checkpoint_at": "when the newest of them was taken",
            "last_touch": "when an agent last worked here, with or without a new checkpoint",
            "created_at": "when it was first seen",
            "missing_since": "the first look that did not find it",
        },
    ),
    "checkpoint_list": Comment(
        "One row for each checkpoint that can be restored, by directory and newest first.",
        {
            "working_directory": _WORKDIR,
            "number": "position in the project, 1 for the newest, safety checkpoints not counted; "
            "NULL for those; changes as checkpoints come and go",
            "checkpoint": f"{_SHORT}; never changes",
            "taken_at": "when",
            "kind": "`auto`: by the agent; `manual`: on request; `safety`: before a restore; "
            "`imported`: from an earlier layout",
            "reason": "why it was taken",
            "labels": "the names that people gave it, with `, ` between them",
            "pinned": "`yes`: never pruned",
            "files": "how many files it holds",
            "logical_bytes": "the sum of their sizes",
            "added_bytes": "bytes that it added to the store, as measured when it was taken",
            "files_changed": "how many paths differ from the checkpoint before it",
            "insertions": "lines of text files that came",
            "deletions": "lines of text files that went",
            "held_bytes": "bytes that the store needs now for what it added: an estimate, "
            "corrected by the last repack",
            "skipped": "how many paths it does not hold in spite of the rules",
            "partial": "`yes` where it tells of a few named files alone, since the directory is "
            "refused as a whole",
            "complete": "`yes` when none, and it is not partial",
            "session_id": "in which conversation",
            "turn": "in which turn of it",
            "turn_title": "what the agent was asked for when this was the state, cut to one line",
            "head": "the commit at which the repository of the directory stood; NULL: not known",
            "branch": "the branch of that; NULL: not known, or HEAD was detached",
            "project": _PROJECT,
            "commit_id": "its name in full",
        },
    ),
    "store_totals": Comment(
        "One row: sums over the whole store.",
        {
            "projects": "how many there are",
            "orphaned_projects": "of these, how many whose directory is gone",
            "unreachable_projects": "of these, how many of which that cannot be told",
            "checkpoints": "how many live ones there are",
            "pinned": "of these, how many are pinned",
            "arriving": "checkpoints of earlier versions whose objects are not here yet",
            "pruned": "the number of tombstones",
            "added_bytes": "bytes that the live checkpoints added to the store, as measured when "
            "each was taken",
            "held_bytes": "bytes that the live checkpoints hold in the store now, what several "
            "projects share counted once; an estimate, corrected by the last repack as in `du`",
            "superseded_bytes": "bytes of the contents that they replaced or deleted, as measured "
            "when these came",
            "oldest_checkpoint_at": "when the oldest live one was taken",
            "newest_checkpoint_at": "when the newest live one was taken",
        },
    ),
    "store_packing": Comment(
        "One row: by how much sizes are corrected that were measured before the last repack, for "
        "it is then that git finds out how small it can make things.",
        {
            "through": "the row in `checkpoints` of the newest one that was packed then; 0: none",
            "ratio": "bytes that git needed then for each byte that the rows said",
        },
    ),
    "stale_projects": Comment(
        "One row for each project without a touch for as many days as the setting "
        "`retention_days` says, stalest first; none where that is 0.",
        {
            "project": _PROJECT,
            "working_directory": _WORKDIR,
            "state": "as in `project_status`",
            "last_touch": "when an agent last worked here",
            "days_untouched": "whole days since then",
            "retention_days": "the setting in force",
            "checkpoints": _LIVE,
            "added_bytes": _ADDED,
            "held_bytes": _HELD,
        },
    ),
    "orphaned_projects": Comment(
        "One row for each project whose directory is gone, longest first. Unreachable ones are not "
        "among them.",
        {
            "project": _PROJECT,
            "working_directory": _WORKDIR,
            "missing_since": "the first look that did not find it",
            "last_seen_at": "the last look that found it",
            "checked_at": "when somebody last looked",
            "checkpoints": _LIVE,
            "added_bytes": _ADDED,
            "held_bytes": _HELD,
        },
    ),
    "recent_failures": Comment(
        "One row for each operation that failed, or was done only in part, in the last 14 days, "
        "newest first; unresolved ones however old they are.",
        {
            "started_at": _SECONDS,
            "operation": OPERATIONS,
            "outcome": "`failed`, `partial`, or `skipped` for a take that a guard refused",
            "working_directory": "where",
            "code": "the kind of failure, in one word",
            "message": "what was wrong, and what to do",
            "duration_ms": "how long it took, in milliseconds",
            "session_id": "for which conversation",
            "turn": "in which turn of it",
            "unresolved": "`yes` for a take that failed or was refused and after which none of "
            "that directory has worked; of these `status` warns, more than 14 days later only "
            "while the directory is there",
        },
    ),
    "take_health": Comment(
        "One row for each directory of which takes were tried, and each project, by path: whether "
        "takes work there. It rests on the journal: 7,000 rows, and the newest success of each.",
        {
            "working_directory": "the absolute path of the directory",
            "last_success_at": "when the last take ended that worked, with or without a new "
            "checkpoint; NULL: none has",
            "last_failure_at": "when the last take began that failed",
            "last_failure_code": "the kind of that failure, in one word",
            "last_failure_message": "what was wrong, and what to do",
            "failures_since_success": "how many takes have failed since the last that worked",
            "refusals_since_success": "how many takes a guard has refused since then",
            "takes_in_7_days": "how many takes worked in the last 7 days",
            "median_ms": "milliseconds within which half of these were done",
            "p95_ms": "milliseconds within which 95 of a hundred of these were done",
        },
    ),
    "retention_policy": Comment(
        "One row: the rules that the settings make at this moment, for a prune that nobody "
        "watches. The views of decisions judge by it.",
        {
            "now": "the present time",
            "max_snapshots": "the setting of this name; 0 is off, here and below",
            "max_safety_snapshots": "the setting of this name",
            "retention_days": "the setting of this name",
            "stale_before": "a project that was touched last at this time or earlier is stale; "
            "NULL: none is",
            "delete_orphans": "the setting of this name, 0 or 1",
            "orphan_before": "an orphan goes if its absence was first seen at this time or earlier",
            "orphan_grace_seconds": "that is so many seconds ago",
            "keep_last": "the setting of this name",
            "keep_hourly": "the setting of this name",
            "keep_daily": "the setting of this name",
            "keep_weekly": "the setting of this name",
            "keep_monthly": "the setting of this name",
            "within_since": "what was taken at this time or later is kept (`keep_within`); NULL: "
            "nothing is for that",
            "include_pinned": "0 here: what a person may ask for",
            "only_limit": "0 here: what a take asks for",
            "cap_bytes": "`max_total_size_mb` in bytes",
            "reclaim_bytes": "0 here: what the size cap asks for, in bytes",
            "own_limits": "1: the `max_snapshots` of a project, where it has one, replaces the "
            "general one",
        },
    ),
    "retention_decisions": Comment(
        "One row for each live checkpoint, by directory and newest first: what a prune that nobody "
        "watches would do with it now, by the settings in force (table `settings`). It is the "
        "statement by which the program decides. `prune` by hand asks a person, so for it an "
        "orphan needs no grace, and it looks at all directories anew first; `prune --dry-run` is "
        "its preview. The size cap comes after these decisions, see `size_cap_candidates`.",
        {
            "commit_id": "its name in full",
            "checkpoint": _SHORT,
            "working_directory": "whose it is",
            "taken_at": "when",
            "decision": "`keep` or `drop`",
            "rule": "what decided, see [retention.md](retention.md): `unfinished-restore`, "
            "`pinned`, `labelled`, `unreachable`, `newest`, `last-restore`, `keep-rule` and "
            "`within-limits` keep; `orphan`, `stale`, `over-limit` and `no-keep-rule` drop",
            "reason": 'why, in words that end a sentence beginning with "because"',
            "bytes": "what the store loses with it, where the older ones go first: an estimate, "
            "corrected by the last repack",
        },
    ),
    "prune_preview": Comment(
        "One row for each directory, decision and rule: the sums of `retention_decisions`.",
        {
            "working_directory": "whose checkpoints they are",
            "decision": "`keep` or `drop`",
            "rule": "what decided",
            "checkpoints": "how many",
            "bytes": "what the store loses with them, as in `retention_decisions`",
        },
    ),
    "size_cap_candidates": Comment(
        "One row for each checkpoint that the size cap may drop, in the order in which it would: "
        "only what `retention_decisions` keeps as `within-limits`, the oldest of each project in "
        "turn, first those in temporary directories and git worktrees.",
        {
            "place": "1 goes first",
            "commit_id": "its name in full",
            "checkpoint": _SHORT,
            "working_directory": "whose it is",
            "taken_at": "when",
            "bytes": "what it frees, as in `retention_decisions`",
            "running_bytes": "what it frees together with all before it",
        },
    ),
    "file_history": Comment(
        "One row for each change of each file that is on record, newest first: what `who` tells, "
        "and the changes that checkpoints recorded where nobody was seen to make them. Ask for one "
        "`path`, and for one `working_directory`. A prune keeps, between two checkpoints, the last "
        "change of each of those who made some.",
        {
            "working_directory": _WORKDIR,
            "path": "from there, with `/`",
            "changed_at": "when it was seen that the file had changed",
            "change": "`created`, `changed`, `permissions changed`, `replaced` (by an entry of "
            "another type) or `deleted`",
            "changed_by": "`agent`; `person`; `since`: somebody after a checkpoint taken by hand; "
            "`restore`; `unrecorded`: of a time without a record; `unknown`",
            "session_id": "in which conversation of the agent",
            "turn": "in which turn of it",
            "tool": "the tool that reported the write; NULL: through the shell, or by a person",
            "reason": "why nobody knows more",
            "last_good": "the newest live checkpoint that was taken between the change before this "
            "one and this one, and so has the file as it was: its first 8 hex digits; NULL: there "
            "is none",
            "last_good_taken_at": "when that was taken",
            "project": _PROJECT,
        },
    ),
    "session_activity": Comment(
        "One row for each conversation (session) and each project that it worked in, the last seen "
        "first, as far as the record goes that prunes leave.",
        {
            "session_id": "of the agent",
            "working_directory": _WORKDIR,
            "turns": "how many of its numbered turns are known here",
            "first_seen_at": "the first turn, checkpoint or change of it",
            "last_seen_at": "the last of these",
            "checkpoints": "how many live checkpoints were taken for it",
            "files_changed": "how many files the agent changed in it",
            "files_left_to_people": "of these, how many were changed after the agent by a person, "
            "or by nobody knows whom: a restore of the session leaves them as they are",
            "tools": "the tools that reported these changes, with commas; NULL: none did",
            "project": _PROJECT,
        },
    ),
    "session_list": Comment(
        "One row for each session checkpoint, newest first.",
        {
            "session_id": "whose it is",
            "status": "what the document says; `in_progress` where it has none",
            "task": "what the document says",
            "updated_at": "when it was last written",
            "created_at": "when it was first written",
            "size_bytes": "of the document",
            "version": "how often it was written",
            "previous_versions": "how many former states are kept",
            "checkpoints": "how many live checkpoints of files the session has",
            "turns": "how many turns are known of it",
        },
    ),
    "legacy_list": Comment(
        "One row for each repository, store and session file of an earlier version that was found.",
        {
            "path": "where it is now: from the base, or absolute where it lies elsewhere",
            "layout": "what wrote it: `v1`, `v2` or `session-file`",
            "working_directory": "of which directory it is",
            "state": "`found`, `imported`, `archived` (moved aside), `cleared` (deleted)",
            "imported": "`yes`, `in part` or `no`; only what says `yes` is ever deleted by a prune",
            "checkpoints": "how many of its commits are checkpoints",
            "size_bytes": "the space that only it took when it was archived",
            "error": "what was not imported or moved, and why",
            "found_at": "when it was found",
            "imported_at": "when it was imported",
        },
    ),
    "restore_list": Comment(
        "One row for each restore, undo and redo, newest first.",
        {
            "working_directory": "where",
            "role": "`restore`, `undo` or `redo`",
            "state": "`writing`, `done`, `partial` (some paths failed) or `interrupted` (killed "
            "while it wrote)",
            "mode": "`keep-edits`, `overlay` or `exact`, see [restore.md](restore.md)",
            "whole": "`yes`: of the whole directory; `no`: of some paths or one session",
            "target": "the checkpoint that it went to",
            "safety": "the checkpoint that has the state before it",
            "started_at": "when it began",
            "finished_at": "when it ended, or was found to be killed",
            "planned": "how many paths it was to bring back or to delete",
            "written": "of these, how many it has brought back or deleted",
            "kept": "how many paths beside these it was to leave as they were",
            "failed": "how many of the planned could not be brought back or deleted",
            "not_done": "how many of the planned it has not come to: those of a restore that runs, "
            "or was killed",
            "first_error": "why the first of the failed failed",
            "undone": "`yes` where it was taken back",
            "undone_by": "the `restore_id` of what took it back",
            "undo_of": "the `restore_id` of what it is to take back",
            "restore_id": "its number in `restore_path_list`",
        },
    ),
    "restore_path_list": Comment(
        "One row for each path of each restore, the newest restore first, in the order of writing.",
        {
            "restore_id": "of which restore",
            "path": "from the working directory, with `/`",
            "action": "`write`, `delete`, `chmod`, `mkdir` or `keep`",
            "reason": "why",
            "outcome": "`planned` until it ends, then `done`, `kept` or `failed`",
            "error": "why it failed",
            "blob": "git's name of the contents that were to be written",
            "mode": "git's mode that was to be written, as a decimal number",
        },
    ),
    "operation_list": Comment(
        "One row for each row of the journal, newest first.",
        {
            "started_at": _SECONDS,
            "operation": OPERATIONS,
            "outcome": "`running`, `done`, `unchanged` (nothing to capture), `skipped` (a guard "
            "refused), `partial` or `failed`",
            "working_directory": "where",
            "checkpoint": "what came of it: the first 8 hex digits",
            "duration_ms": "how long it took, in milliseconds",
            "session_id": "for which conversation",
            "turn": "in which turn of it",
            "code": "why it failed, in one word",
            "message": "why, in a sentence; or what was done",
        },
    ),
    "running_operations": Comment(
        "One row for each operation that runs now, or was interrupted and is not settled yet, "
        "oldest first.",
        {
            "operation": OPERATIONS,
            "working_directory": "where",
            "pid": "the number of its process",
            "started_at": _SECONDS,
            "session_id": "for which conversation",
            "turn": "in which turn of it",
        },
    ),
    "push_status": Comment(
        "One row for each remote and each project with live checkpoints, or of which the remote "
        "has some, by remote and directory: how far the remote has them. A checkpoint that the "
        "store has lost in part is not among the unsent ones.",
        {
            "remote": _REMOTE,
            "project": _PROJECT,
            "working_directory": _WORKDIR,
            "unsent": "how many live checkpoints the next push would send",
            "waiting": "of these, how many a push has tried that the remote did not take",
            "sent": "how many the remote has confirmed and not removed, pruned ones too",
            "refused": "how many live ones were not offered, as they hold what looks like a secret "
            "(`refused_paths`)",
            "removed": "how many live ones were sent and removed there since",
            "oldest_unsent_at": "when the first unsent one was taken",
            "last_sent_at": "when the remote last confirmed one",
        },
    ),
    "remote_list": Comment(
        "One row for each directory of each machine that has checkpoints on a remote, as the last "
        "pull found it, by repository and directory. This machine is one of them.",
        {
            "remote": _REMOTE,
            "repository": "the git repository that the directory belongs to; NULL: none that "
            "another machine knows",
            "subdirectory": "where it lies in that",
            "working_directory": "the absolute path of the directory on that machine",
            "machine": "its id, 12 hex digits",
            "machine_name": "what people call it; NULL: not known",
            "checkpoints": "how many it has there",
            "here": "of these, how many this base has, too",
            "fetched": "of how many the contents were brought here",
            "oldest_at": "when the machine took the oldest, by its own clock",
            "newest_at": "when it took the newest, by its own clock",
            "last_seen": "when a pull of this base last found something new of the machine",
            "project": f"{_PROJECT}, as on that machine",
        },
    ),
}
"""By view, in the order in which docs/catalog.md has them."""
