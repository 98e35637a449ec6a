"""What each table and each column of it means: the one place of these texts.

docs/catalog.md has the same, with what else there is to know; ``sql --schema`` and ``admin`` show
them. They are Markdown, as those of the views (``views/comments.py``).
"""

from __future__ import annotations

from hermes_checkpoints.catalog.views.comments import OPERATIONS, Comment

HIDDEN = frozenset(
    {
        *("agent_writes", "alembic_version", "former_ids", "hook_sessions", "restore_paths"),
        *("sqlite_sequence", "sqlite_stat1", "tool_runs"),
    }
)
"""The tables that the program has for itself, and SQLite for itself: they come last."""

_REMOTE = "the remote"
_ID = "the number of the row, never used again; a greater one came later"
_PROJECT = "the project"
_CHECKPOINT = "the checkpoint"
_SESSION = "in which conversation"
_TURN = "in which turn of it"
_PATH = "from the working directory, with `/`"
_SIZE = "the size of its text in bytes of UTF-8"
_WRITTEN = "when it was written first"
_OLD_BLOB = "git's name of the contents before"
_OLD_MODE = "git's mode before, as a decimal number (33188 is 0100644)"

TABLES = {
    "projects": Comment(
        "A working directory of which checkpoints are kept, each once.",
        {
            "id": _ID,
            "hash": "first 16 hex digits of the SHA-256 of the working directory",
            "workdir": "the absolute path of the directory, links resolved",
            "created_at": "when it was first seen",
            "last_touch": "when an agent last worked here, with or without a new checkpoint",
            "state": "`live`, `orphan` or `unreachable`, as in `project_status`",
            "state_checked_at": "the last look at the directory: the state is as of then",
            "last_seen_at": "the last look that found it",
            "missing_since": "the first of those that did not",
            "device": "of the directory while it was seen, as text",
            "inode": "of the directory while it was seen, as text",
            "parent_device": "of the directory above it: it tells a deleted directory from an "
            "unmounted one",
            "parent_inode": "of the directory above it",
            "disposable": "1 for one in a temporary place or a git worktree, which the size cap "
            "takes first",
            "looked_ns": "when the last look at it began that knew the whole directory, in "
            "nanoseconds since 1970",
            "looked_restore": "the row of the last of its `restores` then: of a later one that was "
            "cut short, what it planned counts as the restore's",
            "repository": "the git repository that it belonged to when a checkpoint was last "
            "taken, in the normal form of its origin that [format.md](format.md) has; NULL where "
            "the origin is none that another machine knows, and outside of any",
            "subdirectory": "where it lies in that repository, empty at its top; NULL outside of "
            "any",
            "repository_config": "the SHA-256 of the configuration in which the origin was read: "
            "while that is the same, no git process reads it again",
            "max_snapshots": "the limit that `projects:` of the configuration gives it; NULL where "
            "the general one holds",
        },
    ),
    "checkpoints": Comment(
        "A checkpoint, or what is known of one that is gone. A row is never deleted.",
        {
            "id": "the order of taking; what was imported into an older place of a history has a "
            "negative one that keeps the order",
            "project_id": _PROJECT,
            "commit_id": "its name in full: git's name of the commit",
            "tree_id": "git's name of its files",
            "state_id": "name of the whole captured state, with permissions and empty directories",
            "ref_name": "the ref that keeps its objects",
            "previous_id": "the checkpoint that its figures of change are against",
            "kind": "`auto`, `manual`, `safety` or `imported`, as in `checkpoint_list`",
            "reason": "why it was taken",
            "pinned": "1: never pruned",
            "session_id": _SESSION,
            "turn": _TURN,
            "message_count": "how far the conversation had come",
            "created_at": "when it was taken",
            "utc_offset_minutes": "the offset of local time from UTC then, in minutes",
            "file_count": "how many files it holds",
            "logical_bytes": "the sum of their sizes",
            "added_bytes": "what the store grew by",
            "superseded_bytes": "stored size of the contents that it replaced or deleted",
            "stored_bytes": "stored size of the contents that came with it; `added_bytes` has its "
            "trees and facts, too",
            "held_bytes": "stored size of all contents that it holds",
            "files_changed": "how many rows of `checkpoint_changes` it has",
            "insertions": "lines of text files that came: the sum over `checkpoint_changes`",
            "deletions": "lines of text files that went: the sum over `checkpoint_changes`",
            "skipped_count": "paths that it does not hold in spite of the rules",
            "ignored_count": "paths that it does not hold by the rules",
            "state": "`arriving`, `live`, `pruning` (the refs are about to be deleted) or `pruned`",
            "pruned_at": "when it was pruned",
            "prune_reason": "the rule that dropped it, or what of it is gone",
            "partial": "1: it holds a few named paths and tells nothing of others, since the "
            "directory could not be captured as a whole; nothing is compared with it",
            "device": "of the working directory at that moment, as text; NULL where nobody saw it",
            "inode": "of the working directory at that moment, as text: another one is another "
            "directory in its place later",
            "generation": "of that inode, as text; NULL where the file system has none",
            "lost_at": "when the object store was found to lack part of it; NULL where it does not",
            "head": "the commit at which the git repository of the directory stood; NULL before "
            "the first commit, and where nothing is known",
            "branch": "the branch of that; NULL where HEAD was detached, and where nothing is "
            "known",
            "replaced_by": "of a tombstone: the checkpoint that took its place when a content was "
            "forgotten that it held; NULL of all others",
        },
    ),
    "checkpoint_changes": Comment(
        "One row for each path that differs from the checkpoint before.",
        {
            "checkpoint_id": _CHECKPOINT,
            "path": _PATH,
            "status": "git's letter: `A` added, `M` modified, `D` deleted, `T` changed its type",
            "old_blob": f"{_OLD_BLOB}; NULL for added paths",
            "new_blob": "git's name of the contents now; NULL for deleted paths",
            "old_mode": _OLD_MODE,
            "new_mode": "git's mode now",
            "old_bytes": "the size before",
            "new_bytes": "the size now",
            "stored_bytes": "the space that the new contents take, 0 where the store had them "
            "already",
            "insertions": "lines that came; NULL for binary contents",
            "deletions": "lines that went; NULL for binary contents",
        },
    ),
    "labels": Comment(
        "A name of a checkpoint, once in a project. One that has a name is not pruned.",
        {
            "project_id": _PROJECT,
            "label": "the name",
            "checkpoint_id": "whose name it is; a checkpoint may have several",
        },
    ),
    "skipped_paths": Comment(
        "A path that lies in the working directory and not in the checkpoint. The rows go with "
        "their checkpoint.",
        {
            "checkpoint_id": _CHECKPOINT,
            "path": _PATH,
            "reason": "`oversize`, `over-budget` (more than the bytes of a take), `unreadable`, "
            "`special` (a socket, pipe or device), `vanished` (while it was read), "
            "`unsupported-name`, `ignored-by-rule` or `forgotten` (by `forget`)",
            "bytes": "its size, where known",
        },
    ),
    "turns": Comment(
        "A stretch of work of a session in a project. One of a session is open at most in a "
        "project.",
        {
            "id": _ID,
            "project_id": _PROJECT,
            "session_id": _SESSION,
            "turn": "its number in the conversation",
            "start_checkpoint_id": "the checkpoint that it began at",
            "end_checkpoint_id": "the last checkpoint when it ended",
            "ended_by": "`host` (it said so), `next` (the next turn of the session began) or "
            "`gone` (its process was seen to be gone)",
            "actor": "`agent`, or whose the work is while no agent has a turn: `since` (what "
            "follows a checkpoint taken by hand), `unrecorded` (what follows an imported one) or "
            "`unknown` (what follows one that was read back from the store after the catalog was "
            "lost)",
            "started_at": "when it began",
            "ended_at": "when it ended; NULL while it is open",
            "owner": "the process of the agent as JSON (`host`, `boot`, `pid`, `started`); NULL "
            "where nobody knows it",
            "tools_told": "1 where the host tells when each tool begins and ends",
            "title": "the first line of what the agent was asked for, without what is shaped like "
            "a secret and cut to 120 characters; NULL where the host does not say it",
        },
    ),
    "hook_sessions": Comment(
        "A session of an agent that tells of itself by hooks ([hooks.md](hooks.md)), since each "
        "event is a process of its own. A row goes when its session ends, or 30 days after its "
        "last prompt.",
        {
            "session_id": "the conversation",
            "agent": "`claude`, `codex` or `gemini`",
            "turn": "the number of its last prompt",
            "title": "that prompt's, as in `turns`",
            "prompted_at": "when that was",
            "told": "what the person was told about checkpoints that are off; NULL where nothing "
            "was",
        },
    ),
    "tool_runs": Comment(
        "When a tool of an open turn ran. The rows go when the turn ends: a look has seen then "
        "what the tools did.",
        {
            "id": _ID,
            "turn_id": "the turn",
            "run": "the name that the host gave this run",
            "tool": "which tool",
            "began_ns": "when it began, in nanoseconds since 1970",
            "ended_ns": "when it ended; NULL while it runs",
            "record": "the file in which the agent writes the conversation, where it has one",
        },
    ),
    "agent_writes": Comment(
        "What a tool reported to have written, in open turns and where no look has seen it yet. "
        "The rows go when the turn ends, those of no turn at the next look; what they said stays "
        "in `path_events`.",
        {
            "id": _ID,
            "project_id": _PROJECT,
            "turn_id": "the open turn of the session; NULL where it had none",
            "session_id": _SESSION,
            "turn": _TURN,
            "path": _PATH,
            "tool": "the tool that reported it",
            "written_at": "when",
            "blob": "git's name of what was written; NULL where that is no file or too large",
            "seen": "1 once a look came after it",
        },
    ),
    "path_events": Comment(
        "What happened to a path, as looks at the directory found it: takes, begins and ends of "
        "turns, restores. A verdict of a restore rests on these rows alone.",
        {
            "id": "the order in which it was seen",
            "project_id": _PROJECT,
            "checkpoint_id": "the last checkpoint before the look: what happened since a "
            "checkpoint are the rows with its number or a greater one",
            "path": f"{_PATH}; `.` stands for the directories of the project",
            "status": "git's letter, as in `checkpoint_changes`",
            "actor": "`agent`, `person`, `since` (after a checkpoint taken by hand), `restore`, "
            "`unrecorded` (of a time without a record) or `unknown`",
            "session_id": "of the agent",
            "turn": "of the agent",
            "tool": "the tool that reported the write; NULL: it was done through the shell, or by "
            "a person",
            "overlaps": "another session that was at work, too",
            "reason": "why it is `unknown`",
            "old_blob": _OLD_BLOB,
            "blob": "git's name of the contents after; empty where the path is there and is not "
            "captured any more",
            "old_mode": _OLD_MODE,
            "mode": "git's mode after",
            "at": "when the look was",
            "target_id": "the checkpoint that a restore brought back: the path has its past of "
            "then",
        },
    ),
    "restores": Comment(
        "A restore, undo or redo of a project.",
        {
            "id": _ID,
            "project_id": _PROJECT,
            "operation_id": "its row of the journal",
            "role": "`restore`, `undo` or `redo`",
            "state": "`writing`, `done`, `partial` or `interrupted` (its process was killed while "
            "it wrote)",
            "mode": "how far it went, see [restore.md](restore.md)",
            "whole": "1 for the whole directory, 0 for some paths or one session",
            "target_id": "the checkpoint that it went to; NULL where that was fetched from a "
            "remote",
            "target_commit": "the commit of that then",
            "safety_id": "the checkpoint that it saved first",
            "undo_of": "the restore that it is to take back",
            "undone_by": "the one that took this one back without a failure",
            "started_at": "when it began",
            "finished_at": "when it ended; NULL while it writes",
        },
    ),
    "restore_paths": Comment(
        "What a restore planned for a path, and what came of it.",
        {
            "restore_id": "the restore",
            "position": "its place in the order",
            "path": _PATH,
            "action": "what was to be done",
            "reason": "why",
            "blob": "git's name of what was to be written",
            "mode": "git's mode of that",
            "outcome": "`planned` until the restore ends, then `done`, `kept` or `failed`",
            "error": "what failed",
        },
    ),
    "session_checkpoints": Comment(
        "Where a session stands, to resume it ([sessions.md](sessions.md)).",
        {
            "session_id": "the conversation",
            "version": "how often it was written",
            "status": "what the document says of it",
            "created_at": _WRITTEN,
            "updated_at": "when it was written last",
            "size_bytes": _SIZE,
            "task": "what the document says that it is about",
            "document": "YAML; of plain values it is one line that is JSON as well, so that "
            "SQLite's JSON functions read it",
        },
    ),
    "session_checkpoint_versions": Comment(
        "A former state of a session. The newest five are kept; they go with their session.",
        {
            "session_id": "the conversation",
            "version": "the number that it had",
            "status": "as in `session_checkpoints`, here and below",
            "created_at": _WRITTEN,
            "updated_at": "when this state was written",
            "size_bytes": _SIZE,
            "task": "what it was about",
            "document": "what it said",
        },
    ),
    "legacy_archives": Comment(
        "A store of an earlier layout ([legacy.md](legacy.md)).",
        {
            "id": _ID,
            "name": "what it is called",
            "path": "where it is, relative to the base for what lies in it",
            "layout": "`v1`, `v2`, `archive` or `session-file`",
            "project_hash": "of the project, where it is of one",
            "workdir": "the directory of that project",
            "state": "`found`, `imported`, `archived` or `cleared`",
            "size_bytes": "what it takes on the disk",
            "imported_checkpoints": "how many checkpoints came of it",
            "error": "why it could not be imported",
            "found_at": "when it was found",
            "imported_at": "when it was imported; NULL where it was archived without that",
            "archived_at": "when it was put among the archives",
            "cleared_at": "when it was deleted",
        },
    ),
    "former_ids": Comment(
        "Which checkpoint a commit of an earlier version is now, or will be once that has "
        "arrived. Several may lead to one: version 2 wrote commits anew when it pruned.",
        {
            "former_id": "the commit",
            "checkpoint_id": _CHECKPOINT,
            "layout": "`v1` or `v2`",
            "archive_id": "the archive in which the commit lies; NULL where that is not known: "
            "every archive of its directory may be the one",
            "let_go_at": "set once a person dropped the checkpoint, or agreed to the prune that "
            "did: no archive stays for its sake",
        },
    ),
    "operations": Comment(
        "The journal. At most 7,000 rows are kept; those that run and the newest success of each "
        "project and kind are never removed.",
        {
            "id": _ID,
            "kind": OPERATIONS,
            "outcome": "`running` until it ended, then `done`, `unchanged` (nothing to capture), "
            "`skipped` (a guard refused), `partial` or `failed`; one that still says `running` "
            "when its process is gone was interrupted",
            "project_id": "of which project",
            "workdir": "where",
            "checkpoint_id": "what came of it",
            "session_id": "for which conversation",
            "turn": "for which turn of it",
            "started_at": "when it began",
            "finished_at": "when it ended; NULL while it runs",
            "duration_ms": "how long it took, in milliseconds",
            "code": "the kind of failure, in one word",
            "message": "what was wrong, and what to do",
            "pid": "the number of its process",
            "detail": "the rest, as JSON",
        },
    ),
    "machines": Comment(
        "A base that has checkpoints on a remote; this one, too, once it has sent some. A row goes "
        "when the last of them does.",
        {
            "id": "12 hex digits, as in its `machine.json`",
            "name": "what people call it; NULL: not known",
            "first_seen": "when this base first met it",
            "last_seen": "when this base last found something new of it, or sent something as it",
        },
    ),
    "remotes": Comment(
        "A git repository that checkpoints were sent to, or read from. The address that was given "
        "is nowhere in the catalog, since it may hold a password.",
        {
            "id": _ID,
            "url_hash": "first 16 hex digits of the SHA-256 of `url_shown`: another password or "
            "token makes no other remote",
            "url_shown": "its address, without what gives access",
            "added_at": "when it was first used",
            "last_success_at": "when the last push ended that the remote answered; NULL: none has",
            "last_failure_at": "when the last push ended that failed; NULL: none has",
            "last_code": "the kind of that failure, in one word",
            "last_error": "what was wrong then, and what to do",
            "failures": "how many pushes have failed since the last that did not",
            "pulled_at": "when the list of it, or of a part of it, was last read; NULL: never",
        },
    ),
    "pushes": Comment(
        "What became of a checkpoint on a remote. A live checkpoint without a row is unsent. A row "
        "names the commit: one from which a content was forgotten since was never sent.",
        {
            "remote_id": _REMOTE,
            "commit_id": "the commit of the checkpoint",
            "state": "`waiting` (tried, and not taken), `sent` (the remote has confirmed its ref), "
            "`refused` (it holds what looks like a secret) or `removed` (it was sent, and is not "
            "there any more). All but `sent` go when the checkpoint is not live any more",
            "at": "since when",
            "reason": "what the remote or the check said",
            "machine_id": "the machine below whose id it lies there: this base, or the one that "
            "this base is a copy of",
            "project_hash": "the project below whose hash it lies there",
            "ref_name": "its ref there",
            "cursor_id": "the commit at the project's cursor there after it was sent, or changed "
            "since by a removal, empty where there was none; NULL where it was not the newest of "
            "its push",
        },
    ),
    "refused_paths": Comment(
        "A file for which a checkpoint was not offered to a remote.",
        {
            "remote_id": _REMOTE,
            "commit_id": "the commit of the checkpoint",
            "path": _PATH,
            "reason": "what it looks like",
        },
    ),
    "remote_checkpoints": Comment(
        "A checkpoint on a remote, as its commit tells of it: a list that each pull brings up to "
        "date. It counts in no sum and no rule of this base.",
        {
            "remote_id": _REMOTE,
            "ref_name": "its ref there",
            "machine_id": "the machine that sent it",
            "project_hash": "first 16 hex digits of the SHA-256 of the working directory",
            "repository": "the git repository that the directory belonged to, in the normal form "
            "of [format.md](format.md); NULL: none that another machine knows",
            "subdirectory": "where it lay in that, empty at its top",
            "workdir": "the absolute path of the directory, on that machine",
            "commit_id": "the commit, the same on every machine",
            "state_id": "git's name of the state, as in `checkpoints`",
            "kind": "as in `checkpoints`, here and below",
            "reason": "why it was taken",
            "session_id": _SESSION,
            "turn": _TURN,
            "created_at": "when it was taken, by the clock of that machine",
            "utc_offset_minutes": "its time zone then",
            "file_count": "how many files it holds",
            "logical_bytes": "the sum of their sizes",
            "partial": "1 where it tells of a few named files alone",
            "head": "the commit at which the repository stood",
            "branch": "the branch of that",
        },
    ),
    "fetched_checkpoints": Comment(
        "A checkpoint on a remote whose contents are in the store. It is none of this base, and "
        "counts in no sum and no rule; a prune removes it some days later.",
        {
            "commit_id": "the commit, the same on every machine",
            "ref_name": "the ref in the store that leads to it, below `refs/fetched/`",
            "fetched_at": "when its contents were brought here",
            "stored_bytes": "what that added to the store",
        },
    ),
    "settings": Comment(
        "A setting in force, or something that the program has noted.",
        {
            "name": "a key of the configuration ([agent.md](agent.md)), or a name of the "
            "program's own",
            "value": "a number, `true` or `false`, an age such as `12h`, `7d` or `2w`, or what "
            "the program noted",
            "updated_at": "when it was written",
        },
    ),
    "alembic_version": Comment(
        "The revision of the tables.",
        {"version_num": "its number"},
    ),
}
