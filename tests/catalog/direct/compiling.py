"""Writes the statements of ``catalog/direct``: python tests/catalog/direct/compiling.py

Each is what the catalog really sends to the driver when the method is called that is named here,
with values in place of which ``:name`` is written. Format the file with ruff afterwards.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Connection, event
from sqlalchemy.types import TypeEngine

from hermes_checkpoints.catalog import (
    Catalog,
    changes,
    checkpoints,
    direct,
    events,
    hooks,
    operations,
    plans,
    projects,
    restores,
    schema,
    settings,
    turns,
)
from hermes_checkpoints.catalog.direct.reader import Statement
from hermes_checkpoints.catalog.engine import insert_into
from hermes_checkpoints.catalog.labels import _Names
from hermes_checkpoints.catalog.new_rows import checkpoint_of, owner_of
from hermes_checkpoints.catalog.policy_values import parameters
from hermes_checkpoints.catalog.types import JsonText, Member, PathText, PlainText, UtcDateTime
from hermes_checkpoints.model import (
    Action,
    Actor,
    Change,
    ChangeStatus,
    CheckpointFacts,
    FileIdentity,
    JournalEntry,
    Kind,
    Mode,
    OperationKind,
    OperationOutcome,
    Origin,
    Owner,
    PathEvent,
    Policy,
    ProjectState,
    RestoreRole,
    RestoreState,
    SkippedPath,
    SkipReason,
    Turn,
)

FILE = Path(direct.__file__).with_name("statements.py")

_HEADER = '''"""Statements of the catalog as SQLAlchemy compiles them, and what it consists of.

Written by ``python tests/catalog/direct/compiling.py``; not to be edited.
"""

from __future__ import annotations

from hermes_checkpoints.catalog.direct.reader import Statement
'''

_NOW = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
_FRESH = (_NOW, datetime(2001, 2, 3, 4, 5, 7, tzinfo=UTC))
_GIVEN: dict[object, str] = {
    "2001-02-03 04:05:06.000000": "since",
    "2001-02-03 04:05:07.000000": "until",
}
_SINCE: dict[object, str] = {"2001-02-03 04:05:06.000000": "since"}
_WIDTH = 98


class Asked(NamedTuple):
    """What is asked, and the values for which names stand, as the driver gets them."""

    call: Callable[[Catalog], object]
    given: Mapping[object, str] = {}


HASH, TEXT, NUMBER, SECOND = "given-hash", "given-text", 987_001, 987_002
THIRD, FOURTH, FIFTH = 987_003, 987_004, 987_005
OWNER = Owner("given-host", "given-boot", 1, "given-start")
_LATER = _NOW + timedelta(seconds=1)


def _given(*names: str) -> dict[object, str]:
    """Return the texts that stand for some names."""
    return {f"given-{name}": name for name in names}


_IDENTITIES = ("device", "inode", "parent_device", "parent_inode")

_AS_STORED = {"kind", "created_at", "partial"}
_CHECKPOINT = {
    **{
        name: f"given-{name}"
        for name in checkpoint_of(
            0, CheckpointFacts("", "", "", "", "", "", Kind.AUTO, "", _NOW), []
        )
    },
    **{
        name: NUMBER + 10 + place
        for place, name in enumerate(
            (
                *("project_id", "turn", "message_count", "utc_offset_minutes"),
                *("file_count", "logical_bytes", "ignored_count", "skipped_count"),
                *("files_changed", "insertions", "deletions", "stored_bytes"),
                *("added_bytes", "superseded_bytes", "held_bytes", "previous_id"),
            )
        )
    },
    "kind": Kind.AUTO,
    "created_at": _NOW,
    "partial": True,
}
_CHANGE = Change(
    "given-path",
    ChangeStatus.ADDED,
    "given-old_blob",
    "given-new_blob",
    *range(NUMBER, NUMBER + 7),
)
_SKIPPED = SkippedPath("given-path", SkipReason.OVERSIZE, NUMBER)

_NUMBERS = {
    name: NUMBER + place
    for place, name in enumerate(
        (
            *("max_snapshots", "max_safety_snapshots", "retention_days", "keep_last"),
            *("keep_hourly", "keep_daily", "keep_weekly", "keep_monthly", "cap_bytes"),
            *("reclaim_bytes", "orphan_grace_seconds"),
        )
    )
}
_TOLD = {
    **parameters(
        Policy(protect=frozenset(["given-id"]), orphans=frozenset(["given-orphan"])),
        _NOW,
        project=HASH,
        only_limit=True,
    ),
    **_NUMBERS,
}


def _insert(catalog: Catalog, insert: Callable[[Connection], None]) -> None:
    with catalog._transactions.writing() as connection:
        insert(connection)


STATEMENTS: dict[str, Asked] = {
    "SETTING": Asked(lambda c: c.settings.get(TEXT), {TEXT: "name"}),
    "SETTINGS": Asked(lambda c: c.settings.keep({TEXT: ""}, _NOW)),
    "PROJECT": Asked(lambda c: c.projects.get(HASH), {HASH: "hash"}),
    "PROJECT_ORIGIN": Asked(lambda c: c.projects.origin(HASH), {HASH: "hash"}),
    "PROJECTS": Asked(lambda c: c.projects.all()),
    "PROJECTS_WITH_LIMITS": Asked(lambda c: c.projects.keep_limits(None)),
    "PROJECT_LIMITS": Asked(lambda c: c.projects.keep_limits(lambda _: None)),
    "PROJECTS_AT": Asked(
        lambda c: c.projects.at_or_above("/given"), {"/given": "folders", "/": "folders"}
    ),
    "RELATED": Asked(
        lambda c: c.projects.related("/given"),
        {"/": "parents", "/given/": "below", "/given": "itself"},
    ),
    "WORKING_DIRS": Asked(lambda c: c.projects.working_dirs()),
    "LAST_LOOKS": Asked(lambda c: c.retention.last_looks(_FRESH), _GIVEN),
    "SOME_LAST_LOOKS": Asked(
        lambda c: c.retention.last_looks(_FRESH, [HASH]), {**_GIVEN, HASH: "hashes"}
    ),
    "SET_STATE": Asked(
        lambda c: c.projects.set_states({HASH: ProjectState.ORPHAN}, _NOW),
        {HASH: "hashes", "orphan": "state", "2001-02-03 04:05:06.000000": "now"},
    ),
    "PROJECT_FIGURES": Asked(lambda c: c.status.projects(NUMBER), {NUMBER: "limit"}),
    "FIGURES_OF_PROJECT": Asked(
        lambda c: c.status.projects(NUMBER, only=HASH), {NUMBER: "limit", HASH: "hash"}
    ),
    "HELD": Asked(lambda c: c.status.held(_FRESH), _GIVEN),
    "TOTALS": Asked(lambda c: c.status.totals()),
    "ADDED_BYTES": Asked(lambda c: c.usage.added()),
    "FETCHED_BYTES": Asked(lambda c: c.usage.fetched()),
    "STORE_SIZE": Asked(lambda c: c.usage.store()),
    "RUNNING": Asked(lambda c: c.operations.running()),
    "FAILURE_RUNS": Asked(
        lambda c: c.operations.failure_runs("given-dir", since=_NOW), {**_given("dir"), **_SINCE}
    ),
    "LAST_SUCCESS": Asked(lambda c: c.operations.last_success()),
    "LAST_REFUSAL": Asked(lambda c: c.operations.last_refusal("given-dir"), {"given-dir": "dir"}),
    "LISTED": Asked(
        lambda c: c.checkpoints.list(HASH, limit=NUMBER, safety=False),
        {HASH: "hash", NUMBER: "limit"},
    ),
    "LISTED_WITH_SAFETY": Asked(
        lambda c: c.checkpoints.list(HASH, limit=NUMBER), {HASH: "hash", NUMBER: "limit"}
    ),
    "LIVE_ROWS": Asked(lambda c: c.checkpoints.live_rows(HASH), {HASH: "hash"}),
    "SEEN": Asked(
        lambda c: c.events.seen(HASH, NUMBER, SECOND),
        {HASH: "hash", NUMBER: "since", SECOND: "limit"},
    ),
    "PRUNING": Asked(lambda c: c.checkpoints.pruning()),
    "FOUND": Asked(lambda c: c.checkpoints.find("abcd"), {"abcd": "first", "abcdg": "end"}),
    "SKIPPED": Asked(lambda c: c.checkpoints.skipped(NUMBER), {NUMBER: "checkpoint"}),
    "SAFETY": Asked(lambda c: c.restores.safety_of(HASH), {HASH: "hash"}),
    "INTERRUPTED": Asked(lambda c: c.restores.interrupted()),
    "LOST": Asked(lambda c: c.agreement.lost()),
    "LOST_OF": Asked(lambda c: c.agreement.lost(HASH), {HASH: "hash"}),
    "PARTLY_LOST": Asked(lambda c: c.agreement.partly_lost()),
    "ARCHIVES": Asked(lambda c: c.archives.all()),
    "ARCHIVES_PENDING": Asked(lambda c: c.archives.pending()),
    "ARRIVING": Asked(lambda c: c.arriving.count()),
    "ONLY_IN_ARCHIVES": Asked(lambda c: c.arriving.only_in_archives()),
    "OPEN_OF_SESSION": Asked(lambda c: c.turns.open_of_session(TEXT), {TEXT: "session"}),
    "OPEN_TURNS": Asked(lambda c: c.turns.open(NUMBER), {NUMBER: "project"}),
    "RECORD_WRITE": Asked(
        lambda c: c.turns.record_write(
            NUMBER,
            "given-path",
            session_id=TEXT,
            turn=SECOND,
            tool="given-tool",
            blob="given-blob",
            now=_NOW,
        ),
        {
            NUMBER: "project",
            TEXT: "session_id",
            SECOND: "turn",
            **{f"given-{name}": name for name in ("path", "tool", "blob")},
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "TOLD": Asked(
        lambda c: c.turns.begin_tool(NUMBER, TEXT, None, None, 1),
        {NUMBER: "project", TEXT: "session"},
    ),
    "BEGIN_RUN": Asked(
        lambda c: c.turns.begin_tool(
            NUMBER,
            TEXT,
            "given-run",
            "given-tool",
            SECOND,
            every_tool=False,
            record="given-record",
        ),
        {
            "given-record": "record",
            NUMBER: "project",
            TEXT: "session",
            "given-run": "run",
            "given-tool": "tool",
            SECOND: "ns",
        },
    ),
    "END_RUN": Asked(
        lambda c: c.turns.end_tool(NUMBER, TEXT, "given-run", SECOND),
        {NUMBER: "project", TEXT: "session", "given-run": "run", SECOND: "ns"},
    ),
    "END_LAST_RUN": Asked(
        lambda c: c.turns.end_tool(NUMBER, TEXT, None, SECOND),
        {NUMBER: "project", TEXT: "session", SECOND: "ns"},
    ),
    "REFUSED_SINCE": Asked(
        lambda c: c.operations.refused_since("given-dir", _NOW), {**_given("dir"), **_SINCE}
    ),
    "RECORD": Asked(
        lambda c: c.operations.record(
            JournalEntry(
                OperationKind.TAKE,
                _NOW,
                "given-workdir",
                session_id="given-session_id",
                turn=THIRD,
                project_id=NUMBER,
                checkpoint_id=SECOND,
                outcome=OperationOutcome.UNCHANGED,
                code="given-code",
                message="given-message",
                detail={"given": "detail"},
            ),
            now=_LATER,
        ),
        {
            **_given("workdir", "session_id", "code", "message"),
            "take": "kind",
            "unchanged": "outcome",
            "2001-02-03 04:05:06.000000": "started_at",
            "2001-02-03 04:05:07.000000": "finished_at",
            1000: "duration_ms",
            NUMBER: "project_id",
            SECOND: "checkpoint_id",
            THIRD: "turn",
            os.getpid(): "pid",
            '{"given": "detail"}': "detail",
        },
    ),
    "TOUCH": Asked(
        lambda c: c.projects.ensure(
            HASH,
            "given-dir",
            _NOW,
            identity=FileIdentity("given-device", "given-inode"),
            parent=FileIdentity("given-parent_device", "given-parent_inode"),
        ),
        {
            **_given("hash", "device", "inode", "parent_device", "parent_inode"),
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "LAST": Asked(lambda c: c.checkpoints.last(HASH), {HASH: "hash"}),
    "LAST_TWO": Asked(lambda c: c.checkpoints.last_two(HASH), {HASH: "hash"}),
    "NEWEST_ROW": Asked(lambda c: c.checkpoints.newest_row(NUMBER), {NUMBER: "project"}),
    "NEWEST_ROW_BEFORE": Asked(
        lambda c: c.checkpoints.newest_row(NUMBER, before=SECOND),
        {NUMBER: "project", SECOND: "before"},
    ),
    "SAFETY_COUNT": Asked(lambda c: c.checkpoints.safety_count(HASH), {HASH: "hash"}),
    "BEGIN_TURN": Asked(
        lambda c: c.turns.begin(
            NUMBER,
            start_checkpoint_id=SECOND,
            session_id="given-session",
            turn=THIRD,
            actor=Actor.AGENT,
            now=_NOW,
            owner=OWNER,
            tools_told=True,
            title="given-title",
        ),
        {
            **_given("session", "title"),
            NUMBER: "project",
            SECOND: "checkpoint",
            THIRD: "turn",
            "agent": "actor",
            "2001-02-03 04:05:06.000000": "now",
            owner_of(OWNER): "owner",
            1: "told",
        },
    ),
    "END_TURNS": Asked(
        lambda c: c.turns.end(
            [Turn(NUMBER, None, None, Actor.AGENT, _NOW)],
            by="given-by",
            checkpoint_id=SECOND,
            now=_NOW,
        ),
        {
            **_given("by"),
            NUMBER: "ids",
            SECOND: "checkpoint",
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "FORGET_RUNS": Asked(
        lambda c: c.turns._write(turns._FORGET_RUNS, {"ids": [NUMBER]}), {NUMBER: "ids"}
    ),
    "FORGET_WRITES": Asked(
        lambda c: c.turns._write(turns._FORGET_WRITES, {"ids": [NUMBER]}), {NUMBER: "ids"}
    ),
    "WRITES": Asked(lambda c: c.turns.writes(NUMBER), {NUMBER: "project"}),
    "TOOL_RUNS": Asked(lambda c: c.turns.tool_runs(NUMBER), {NUMBER: "turn"}),
    "EVENTS_SINCE": Asked(
        lambda c: c.events.since(NUMBER, SECOND), {NUMBER: "project", SECOND: "checkpoint"}
    ),
    "ADD_EVENT": Asked(
        lambda c: c.events.add(
            NUMBER,
            SECOND,
            [
                PathEvent(
                    "given-path",
                    ChangeStatus.ADDED,
                    Actor.AGENT,
                    "given-session_id",
                    FOURTH,
                    "given-tool",
                    "given-blob",
                    FIFTH,
                    _NOW,
                    "given-overlaps",
                    "given-reason",
                    "given-old_blob",
                    987_006,
                )
            ],
            target=THIRD,
        ),
        {
            **_given("path", "session_id", "tool", "blob", "overlaps", "reason", "old_blob"),
            NUMBER: "project_id",
            SECOND: "checkpoint_id",
            THIRD: "target_id",
            "A": "status",
            "agent": "actor",
            FOURTH: "turn",
            FIFTH: "mode",
            987_006: "old_mode",
            "2001-02-03 04:05:06.000000": "at",
        },
    ),
    "LOOKED": Asked(
        lambda c: c.events.looked(NUMBER, SECOND, reports=False), {NUMBER: "project", SECOND: "ns"}
    ),
    "FORGET_REPORTS": Asked(
        lambda c: c.events._write(events._FORGET_REPORTS, {"of_project": NUMBER}),
        {NUMBER: "project"},
    ),
    "REPORTS_SEEN": Asked(
        lambda c: c.events._write(events._REPORTS_SEEN, {"of_project": NUMBER}),
        {NUMBER: "project"},
    ),
    "LAST_LOOK": Asked(lambda c: c.events.last_look(NUMBER), {NUMBER: "project"}),
    "TOUCH_AND_PLACE": Asked(
        lambda c: c.projects.ensure(
            HASH,
            "given-dir",
            _NOW,
            identity=FileIdentity("given-device", "given-inode"),
            parent=FileIdentity("given-parent_device", "given-parent_inode"),
            origin=Origin("given-repository", "given-subdirectory", "given-config"),
        ),
        {
            **_given("hash", "device", "inode", "parent_device", "parent_inode"),
            **_given("repository", "subdirectory", "config"),
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "ADD_PROJECT": Asked(
        lambda c: c.projects._row(
            projects._ADD,
            {
                "hash": HASH,
                "workdir": "given-workdir",
                "state": ProjectState.LIVE,
                **dict.fromkeys(("created_at", "last_touch", "last_seen_at"), _NOW),
                **{name: f"given-{name}" for name in _IDENTITIES},
            },
        ),
        {**_given("hash", "workdir", *_IDENTITIES), "2001-02-03 04:05:06.000000": "now"},
    ),
    "SET_SETTING": Asked(
        lambda c: c.settings._write(
            settings._SET,
            {"of_name": "given-name", "value": "given-value", "updated_at": _NOW},
        ),
        {**_given("name", "value"), "2001-02-03 04:05:06.000000": "now"},
    ),
    "ADD_SETTING": Asked(
        lambda c: c.settings._write(
            insert_into(schema.settings),
            {"name": "given-name", "value": "given-value", "updated_at": _NOW},
        ),
        {**_given("name", "value"), "2001-02-03 04:05:06.000000": "now"},
    ),
    "INCREASE": Asked(
        lambda c: c.settings._write(
            settings._INCREASE, {"of_name": "given-name", "amount": NUMBER, "updated_at": _NOW}
        ),
        {**_given("name"), NUMBER: "amount", "2001-02-03 04:05:06.000000": "now"},
    ),
    "BLOB_SIZES": Asked(lambda c: c.checkpoints.blob_sizes(["given-blobs"]), _given("blobs")),
    "OF_COMMIT": Asked(lambda c: c.checkpoints.of_commit("given-commit"), _given("commit")),
    "HELD_BEFORE": Asked(
        lambda c: c.checkpoints._row(
            checkpoints._HELD, {"of_previous": NUMBER, "of_project": SECOND}
        ),
        {NUMBER: "previous", SECOND: "project"},
    ),
    "ADD_CHECKPOINT": Asked(
        lambda c: c.checkpoints._write(insert_into(schema.checkpoints), _CHECKPOINT),
        {
            **{value: name for name, value in _CHECKPOINT.items() if name not in _AS_STORED},
            "auto": "kind",
            "2001-02-03 04:05:06.000000": "created_at",
            1: "partial",
        },
    ),
    "ADD_CHANGE": Asked(
        lambda c: _insert(c, lambda connection: changes.insert_changes(connection, 9, [_CHANGE])),
        {
            **{value: name for name, value in vars(_CHANGE).items() if name != "status"},
            "A": "status",
            9: "checkpoint_id",
        },
    ),
    "ADD_SKIPPED": Asked(
        lambda c: _insert(c, lambda connection: changes.insert_skipped(connection, 9, [_SKIPPED])),
        {
            **{value: name for name, value in vars(_SKIPPED).items() if name != "reason"},
            "oversize": "reason",
            9: "checkpoint_id",
        },
    ),
    "TOUCH_AGAIN": Asked(
        lambda c: c.checkpoints._write(checkpoints._TOUCH, {"of_project": NUMBER, "now": _NOW}),
        {NUMBER: "project", "2001-02-03 04:05:06.000000": "now"},
    ),
    "STARTED": Asked(
        lambda c: c.operations._column(operations._STARTED, {"of_id": NUMBER}),
        {NUMBER: "operation"},
    ),
    "FINISH_TAKE": Asked(
        lambda c: c.operations._write(
            operations._FINISH_IN_PROJECT,
            {
                "of_id": NUMBER,
                "outcome": OperationOutcome.DONE,
                "finished_at": _NOW,
                "duration_ms": FIFTH,
                "checkpoint_id": THIRD,
                "project_id": SECOND,
                "of_project": SECOND,
            },
        ),
        {
            NUMBER: "operation",
            SECOND: "project",
            THIRD: "checkpoint",
            FIFTH: "milliseconds",
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "REF_ROWS": Asked(lambda c: c.agreement.rows()),
    "FOLLOW": Asked(
        lambda c: c.agreement.follow("given-before", "given-after", _NOW),
        {**_given("before", "after"), "2001-02-03 04:05:06.000000": "now"},
    ),
    "WITHIN_LIMITS": Asked(
        lambda c: c.plans.is_within(NUMBER, SECOND, HASH),
        {NUMBER: "max_snapshots", SECOND: "max_safety_snapshots", HASH: "project"},
    ),
    "OVER_LIMIT": Asked(
        lambda c: c.plans._rows(
            plans._over_limit(),
            {**_TOLD, "orphan_before": _NOW + timedelta(2), "within_since": _NOW + timedelta(3)},
        ),
        {
            **{value: name for name, value in _NUMBERS.items()},
            HASH: "project",
            '["given-id"]': "protected",
            '["given-orphan"]': "orphans",
            "2001-02-03 04:05:06.000000": "now",
            "2001-02-05 04:05:06.000000": "orphan_before",
            "2001-02-06 04:05:06.000000": "within_since",
        },
    ),
    "ITS_FACTS": Asked(
        lambda c: c.plans._rows(plans._ONE_WITH_CHECKPOINTS, {"project": HASH}), {HASH: "project"}
    ),
    "STANDING": Asked(
        lambda c: c.plans.standing([], ["given-orphan"]),
        {"[]": "decisions", '["given-orphan"]': "orphans"},
    ),
    "MARK_PRUNING": Asked(
        lambda c: c.checkpoints.mark_pruning({NUMBER: "given-why"}, _NOW),
        {NUMBER: "id", **_given("why"), "2001-02-03 04:05:06.000000": "now"},
    ),
    "MARK_PRUNED": Asked(lambda c: c.checkpoints.mark_pruned([NUMBER]), {NUMBER: "id"}),
    "IMPORTED": Asked(lambda c: c.arriving.imported_among([NUMBER]), {NUMBER: "ids"}),
    "AGENT_SINCE": Asked(
        lambda c: c.turns.agent_since(NUMBER, SECOND), {NUMBER: "project", SECOND: "checkpoint"}
    ),
    "OWNERS": Asked(
        lambda c: c.turns.owners(NUMBER, ["given-sessions"]),
        {NUMBER: "project", **_given("sessions")},
    ),
    "OF_STATE": Asked(
        lambda c: c.checkpoints.of_state(HASH, "given-state"), {HASH: "hash", **_given("state")}
    ),
    "FINISH": Asked(
        lambda c: c.operations._write(
            operations._FINISH_IN_PROJECT,
            {
                "of_id": NUMBER,
                "outcome": OperationOutcome.DONE,
                "finished_at": _NOW,
                "duration_ms": FIFTH,
                "checkpoint_id": THIRD,
                "project_id": SECOND,
                "of_project": SECOND,
                "detail": {"given": "detail"},
            },
        ),
        {
            NUMBER: "operation",
            SECOND: "project",
            THIRD: "checkpoint",
            FIFTH: "milliseconds",
            "done": "outcome",
            "2001-02-03 04:05:06.000000": "now",
            '{"given": "detail"}': "detail",
        },
    ),
    "ADD_RESTORE": Asked(
        lambda c: c.restores._write(
            insert_into(schema.restores),
            {
                "project_id": NUMBER,
                "operation_id": SECOND,
                "role": RestoreRole.RESTORE,
                "state": RestoreState.WRITING,
                "mode": Mode.EXACT,
                "whole": True,
                "target_id": THIRD,
                "safety_id": FOURTH,
                "undo_of": FIFTH,
                "started_at": _NOW,
            },
        ),
        {
            NUMBER: "project",
            SECOND: "operation",
            "restore": "role",
            "exact": "mode",
            1: "whole",
            THIRD: "target",
            FOURTH: "safety",
            FIFTH: "undo_of",
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "ADD_RESTORE_PATH": Asked(
        lambda c: c.restores._write(
            insert_into(schema.restore_paths),
            {
                "restore_id": NUMBER,
                "position": SECOND,
                "path": "given-path",
                "action": Action.WRITE,
                "reason": "given-reason",
                "blob": "given-blob",
                "mode": THIRD,
                "outcome": "planned",
            },
        ),
        {
            NUMBER: "restore",
            SECOND: "position",
            THIRD: "mode",
            "write": "action",
            **_given("path", "reason", "blob"),
        },
    ),
    "END_RESTORE": Asked(
        lambda c: c.restores._write(
            restores._END,
            {"of_restore": NUMBER, "state": RestoreState.DONE, "finished_at": _NOW},
        ),
        {NUMBER: "restore", "2001-02-03 04:05:06.000000": "now"},
    ),
    "TAKEN_BACK": Asked(
        lambda c: c.restores._write(
            restores._TAKEN_BACK, {"of_restore": NUMBER, "undone_by": NUMBER}
        ),
        {NUMBER: "restore"},
    ),
    "END_PATHS": Asked(
        lambda c: c.restores._write(restores._END_PATHS, {"of_restore": NUMBER}),
        {NUMBER: "restore"},
    ),
    "CUT_SHORT": Asked(lambda c: c.events.cut_short(NUMBER), {NUMBER: "project"}),
    "LEFT_UNSENT": Asked(
        lambda c: c.remotes.left_unsent("given-shown", _NOW),
        {**_given("shown"), "2001-02-03 04:05:06.000000": "before"},
    ),
    "HOOK_SESSION": Asked(lambda c: c.hooks.session(TEXT), {TEXT: "session"}),
    "HOOK_BEGIN": Asked(
        lambda c: c.hooks.prompted(TEXT, "given-agent", "given-title", _NOW),
        {TEXT: "session", "given-agent": "agent", "2001-02-03 04:05:06.000000": "now"},
    ),
    "HOOK_NEXT": Asked(
        lambda c: c.hooks._write(
            hooks._NEXT,
            {
                "of_session": TEXT,
                "agent": "given-agent",
                "title": "given-title",
                "prompted_at": _NOW,
            },
        ),
        {
            TEXT: "session",
            "given-agent": "agent",
            "given-title": "title",
            "2001-02-03 04:05:06.000000": "now",
        },
    ),
    "HOOK_FORGET": Asked(
        lambda c: c.hooks._write(hooks._FORGET, {"before": _NOW}),
        {"2001-02-03 04:05:06.000000": "before"},
    ),
    "HOOK_TELL": Asked(
        lambda c: c.hooks.tell(TEXT, "given-why"), {TEXT: "session", "given-why": "why"}
    ),
    "HOOK_END": Asked(lambda c: c.hooks.end(TEXT), {TEXT: "session"}),
}
"""What is asked directly, by the names of the constants."""


class _Sent(Exception):
    """The statement was caught on its way to the driver."""


def compiled(catalog: Catalog, asked: Asked) -> Statement:
    """Return the first statement that a call sends."""
    caught: list[Statement] = []

    def catch(_c: Any, _cursor: Any, text: str, parameters: Any, context: Any, many: bool) -> None:
        values = parameters[0] if many else parameters
        caught.append(_statement(context, text, values, asked.given))
        raise _Sent

    engine = catalog._transactions.engine
    event.listen(engine, "before_cursor_execute", catch)
    try:
        with suppress(_Sent):
            asked.call(catalog)
    finally:
        event.remove(engine, "before_cursor_execute", catch)
    (statement,) = caught
    return statement


def _statement(
    context: Any, text: str, values: tuple[object, ...], given: Mapping[object, str]
) -> Statement:
    pieces = text.split("?")
    assert len(pieces) == len(values) + 1, text
    kinds: dict[str, str] = {}
    whole = pieces[0]
    for value, piece, type_ in zip(values, pieces[1:], _types(context), strict=True):
        name = given.get(value)
        if name is None:
            whole += _literal(value)
        else:
            kind = _stored(type_)
            assert kinds.setdefault(name, kind) == kind, f"{name} is stored in two ways"
            whole += f":{name}"
        whole += piece
    assert set(kinds) == set(given.values()), f"{set(given.values())} against {set(kinds)}"
    for name in kinds:  # several values in one list
        whole = re.sub(rf"\(:{name}(, :{name})*\)", f"(:{name})", whole)
    sent = context.compiled
    columns = [] if sent is None else [_read(entry.type) for entry in sent._result_columns]
    return Statement(
        " ".join(whole.split()),
        " ".join(f"{name}:{kind}" for name, kind in kinds.items()),
        " ".join(columns),
    )


def _types(context: Any) -> Iterator[TypeEngine[Any]]:
    """Yield the type of each value, in the order of the statement; those of a list are of one. What
    is compiled may be older than the call, and made for a list of another length."""
    if context.compiled is None:  # one of ``Bulk``, which names its columns
        named = _INSERT.match(context.statement)
        assert named is not None, context.statement
        table, columns = named.groups()
        yield from (schema.metadata.tables[table].c[name].type for name in columns.split(", "))
        return
    for name in context.compiled.positiontup:
        for _ in context._expanded_parameters.get(name, [name]):
            yield context.compiled.binds[name].type


_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w, ]+)\)")


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    assert isinstance(value, str) and "  " not in value, value
    return "'" + value.replace("'", "''") + "'"


def _stored(type_: TypeEngine[Any]) -> str:
    return _named(
        type_,
        {
            PathText: "path",
            PlainText: "text",
            UtcDateTime: "time",
            Member: "member",
            JsonText: "document",
        },
    )


def _named(type_: TypeEngine[Any], kinds: Mapping[type[Any], str]) -> str:
    return next((kind for known, kind in kinds.items() if isinstance(type_, known)), "plain")


def _read(type_: TypeEngine[Any]) -> str:
    if isinstance(type_, Member):
        return type_.members.__name__
    return _named(
        type_,
        {
            PathText: "path",
            UtcDateTime: "time",
            Boolean: "flag",
            JsonText: "document",
            _Names: "names",
        },
    )


def module(catalog: Catalog) -> str:
    """Return the text of the module."""
    parts = [
        _HEADER,
        f'HEAD = "{schema.HEAD}"\nAPPLICATION_ID = {schema.APPLICATION_ID:#X}'.replace("X", "x"),
        _names("TABLES", schema.TABLES),
        _names("VIEWS", schema.VIEWS),
    ]
    for name, asked in STATEMENTS.items():
        made = compiled(catalog, asked)
        lines = _lines(made.text)
        fields = [f'"""\n{lines}\n    """']
        if made.given or made.columns:
            fields.append(_text(made.given))
        if made.columns:
            fields.append(_text(made.columns))
        parts.append(f"{name} = Statement(\n" + "".join(f"    {one},\n" for one in fields) + ")")
    return "\n".join(parts) + "\n"


def _names(name: str, names: frozenset[str]) -> str:
    listed = "".join(f'        "{one}",\n' for one in sorted(names))
    return f"{name} = frozenset(\n    {{\n{listed}    }}\n)"


def _lines(text: str) -> str:
    """Break a text at spaces outside of quoted ones."""
    lines, line = [], ""
    for token in re.findall(r"(?:'(?:[^']|'')*'|[^\s'])+", text):
        if line and len(line) + len(token) > _WIDTH - 5:
            lines.append(line)
            line = ""
        line = f"{line} {token}" if line else f"    {token}"
    return "\n".join([*lines, line])


def _text(words: str) -> str:
    if len(words) <= _WIDTH - 8:
        return f'"{words}"'
    rows, row = [], ""
    for word in words.split():
        if len(row) + len(word) > _WIDTH - 14:
            rows.append(row)
            row = ""
        row += f"{word} "
    listed = "".join(f'        "{one}"\n' for one in [*rows, row.rstrip()])
    return f"(\n{listed}    )"


@contextmanager
def empty_catalog() -> Iterator[Catalog]:
    """Open a new catalog in a folder that goes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalog.db"
        with Catalog.open(file, file.with_suffix(".lock")) as catalog:
            yield catalog


if __name__ == "__main__":
    if not FILE.exists():
        FILE.write_text("", encoding="utf-8")
    with empty_catalog() as opened:
        FILE.write_text(module(opened), encoding="utf-8")
    sys.stdout.write(f"{FILE} has {len(STATEMENTS)} statements\n")
