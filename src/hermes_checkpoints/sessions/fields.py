"""What is read out of a session's id and document: columns, and times of old files.

Old files tell the time without a zone, as ``datetime.now().isoformat()``: that is local time.
In the catalog all times are UTC.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import IN_PROGRESS, GcRule, StoredSession

MAX_ID_LENGTH = 255
UPDATED = "updated"
_FIRST = datetime.min.replace(tzinfo=UTC)
_COMPLETED_AGE = timedelta(days=1)  # as in the agent's YAML store: the task is done


def check_id(session_id: object) -> str:
    """Return an id that a session may have; it is never a path, so ``../x`` is one.

    Raises:
        BadRequest: when it is no text, empty, longer than 255 characters, or has control
            characters or what is no character at all.
    """
    if not isinstance(session_id, str):
        raise BadRequest(f"a session id is text, not {type(session_id).__name__}")
    if not session_id:
        raise BadRequest("the session id is empty")
    if len(session_id) > MAX_ID_LENGTH:
        raise BadRequest(
            f"the session id has {len(session_id)} characters; at most {MAX_ID_LENGTH} are allowed"
        )
    for character in session_id:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise BadRequest(
                f"the session id has the character U+{ord(character):04X}; "
                "control characters are not allowed"
            )
    return session_id


def columns_of(document: dict[Any, Any]) -> dict[str, Any]:
    """Return what the catalog shows of a document: ``status`` and ``task``, None where they are
    no text, and ``created_at`` in UTC, None where it tells none.

    A document without a status is in progress, as in the YAML store.
    """
    return {
        "status": _text(document.get("status", IN_PROGRESS)),
        "task": _text(document.get("task")),
        "created_at": moment(document.get("created")),
    }


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    try:
        return str(value) if isinstance(value, bool | int | float | date) else None
    except ValueError:  # a number of more digits than Python prints
        return None


def moment(value: object) -> datetime | None:
    """Return the time that a value of a document means, in UTC; None where it means none.

    Text is read as ISO 8601; a time without a zone is local time.
    """
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time())
        return value.astimezone(UTC) if isinstance(value, datetime) else None
    except (ValueError, OverflowError, OSError):
        return None


def local_text(value: datetime) -> str:
    """Return a time as the agent's YAML store writes it: local, without a zone."""
    return value.astimezone().replace(tzinfo=None).isoformat()


def stamped(document: dict[Any, Any], now: datetime) -> dict[Any, Any]:
    """Return a copy of a document that says when it was written, in UTC."""
    return {**document, UPDATED: now.astimezone(UTC).isoformat()}


def as_stored(document: dict[Any, Any], updated_at: datetime) -> dict[Any, Any]:
    """Return the document of an old file as the catalog keeps it: with its time in UTC."""
    value = document.get(UPDATED)
    if isinstance(value, str) and value == local_text(updated_at):
        return stamped(document, updated_at)
    return document


def in_local_time(document: dict[Any, Any], stored: StoredSession) -> dict[Any, Any]:
    """Return a document as the agent's YAML store has it: its time is local, without a zone."""
    if document.get(UPDATED) == stored.updated_at.isoformat():
        return {**document, UPDATED: local_text(stored.updated_at)}
    return document


def gc_rule(max_age_days: float, now: datetime) -> GcRule:
    """Return which sessions are removed at the time ``now``, as the agent's YAML store decides it.

    ``max_age_days`` is a number from 0 on.
    """
    try:
        age = timedelta(days=max_age_days)
    except OverflowError:
        age = timedelta.max
    return GcRule(_before(now, age), _before(now, _COMPLETED_AGE))


def _before(now: datetime, age: timedelta) -> datetime:
    try:
        return now.astimezone(UTC) - age
    except OverflowError:
        return _FIRST
