"""Session checkpoints: the state from which an agent resumes a task after a restart.

Each session has one document. A write replaces it whole or not at all, and keeps the former
ones, so that a bad write can be undone. Checkpoints of files live in the same catalog, and
neither pruning nor clearing them touches a session.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

from hermes_checkpoints.admin.rebuild import fill
from hermes_checkpoints.base.arguments import (
    PathLike,
    days,
    directory,
    flag,
    instance,
    layout,
    number,
    number_or_none,
    text_or_none,
    time_or_none,
)
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import SessionsConfig, load_sessions_config
from hermes_checkpoints.errors import (
    BadRequest,
    SessionDamaged,
    SessionUnknown,
)
from hermes_checkpoints.model import (
    GC_MAX_AGE_DAYS,
    KEEP_VERSIONS,
    Checkpoint,
    Collected,
    GcRule,
    ImportedFile,
    SessionCheckpoint,
    SessionListed,
    SessionSummary,
    StoredSession,
)
from hermes_checkpoints.sessions import gc as session_gc
from hermes_checkpoints.sessions import importing as session_import
from hermes_checkpoints.sessions.documents import decode, encode
from hermes_checkpoints.sessions.fields import (
    check_id,
    columns_of,
    gc_rule,
    in_local_time,
    stamped,
)
from hermes_checkpoints.sessions.files import yaml_file
from hermes_checkpoints.sessions.mirror import Mirror
from hermes_checkpoints.sessions.older import OlderPrograms

_VERSION = "the version of a session"


class Sessions:
    """All session checkpoints under one home. Use it as a context manager, or ``close`` it.

    Safe to share between threads. Besides what each method names, every one of them may raise
    ``CatalogBusy``, ``CatalogDamaged``, ``BaseUnwritable`` and ``NoSpace``, and ``BadRequest``
    for an argument of a wrong type or form: an id, for example, that is empty, longer than 255
    characters, or has control characters.

    >>> from hermes_checkpoints import Sessions
    >>> with Sessions.open() as sessions:
    ...     written = sessions.write("20261120_ab12", {"task": "port the parser", "step": 1})
    ...     written = sessions.write("20261120_ab12", {"task": "port the parser", "step": 2})
    ...     sessions.read("20261120_ab12").document["step"], written.version
    ...     sessions.read("20261120_ab12", version=1).document["step"]
    (2, 2)
    1
    """

    def __init__(self, base: Base, config: SessionsConfig | None = None) -> None:
        self._base = base
        self.config = config or load_sessions_config(base.layout.config)
        self._mirror = Mirror(base) if self.config.mirror_yaml else None
        if self._mirror is not None:
            self._mirror.catch_up()
        self._older = OlderPrograms(base, self._mirror)

    @classmethod
    def open(
        cls,
        home: PathLike | None = None,
        *,
        base: PathLike | None = None,
        config: SessionsConfig | None = None,
        create: bool = True,
    ) -> Sessions:
        """Open the sessions under ``home`` (default: HERMES_HOME, else ``~/.hermes``).

        ``base`` names the checkpoint folder itself instead. Where it does not exist it is made;
        without ``create`` the home stays as it is, and there are no sessions. ``config`` replaces
        what ``config.yaml`` says.

        Raises:
            BadRequest: when a path or the configuration is none.
            BaseUnwritable, CatalogNewer, CatalogDamaged, CatalogBusy, LockHeld, NoSpace.
        """
        instance(config, SessionsConfig, "config")
        opened = Base.open(layout(home, base), create=flag(create, "create"))
        try:
            if not opened.read_only:
                fill(opened)
            return cls(opened, config)
        except BaseException:
            opened.close()
            raise

    # --- one session -------------------------------------------------------------------------

    def write(
        self, session_id: str, document: Mapping[Any, Any], *, if_version: int | None = None
    ) -> SessionSummary:
        """Replace the document of a session durably; return what is kept of it.

        The document is kept with ``updated``, the time of the write in UTC; the caller's own is
        not modified. The five states before it are kept. With ``if_version`` the write happens
        only if that version is the present one; 0 means that there must be none.

        Raises:
            BadDocument: for values that safe YAML cannot carry, and data that contains itself.
            SessionChanged: when ``if_version`` is not the present version.
        """
        self._base.require_kept()
        check_id(session_id)
        number_or_none(if_version, _VERSION)
        if not isinstance(document, Mapping):
            raise BadRequest(f"a session document is a mapping, not {type(document).__name__}")
        now = self._base.now()
        whole = stamped(dict(document), now)
        text = encode(whole)
        if self._mirror is not None:
            self._mirror.take_over(session_id)
        else:
            self._older.look(session_id)
        stored = self._base.catalog.sessions.write(
            session_id,
            text,
            **columns_of(whole),
            updated_at=now,
            keep=KEEP_VERSIONS,
            if_version=if_version,
        )
        if self._mirror is not None:
            self._mirror.refresh(session_id)
        return stored.summary

    def read(self, session_id: str, *, version: int | None = None) -> SessionCheckpoint:
        """Return the present state of a session, or a former one that is kept.

        Raises:
            SessionUnknown: when there is none.
            SessionDamaged: when its document cannot be read.
        """
        stored = self._stored(session_id, version)
        return SessionCheckpoint(**vars(stored.summary), document=self._document(stored))

    def document_in_local_time(self, session_id: str) -> dict[Any, Any]:
        """Return the document as the agent's YAML store read it: ``updated`` is local time,
        without a zone.

        Raises:
            SessionUnknown, SessionDamaged: as ``read``.
        """
        stored = self._stored(session_id)
        return in_local_time(self._document(stored), stored)

    def export(self, session_id: str, *, version: int | None = None) -> str:
        """Return the YAML file that the agent's own store would have written for a session.

        Raises:
            SessionUnknown, SessionDamaged: as ``read``.
        """
        stored = self._stored(session_id, version)
        self._document(stored)
        return yaml_file(stored)

    def history(self, session_id: str) -> builtins.list[SessionSummary]:
        """Return the states that are kept of a session, the present one first.

        Raises:
            SessionUnknown: when there is none.
        """
        self._older.look(check_id(session_id))
        found = self._base.catalog.sessions.history(session_id)
        if not found:
            raise _unknown(session_id)
        return found

    def restore(
        self, session_id: str, version: int, *, if_version: int | None = None
    ) -> SessionSummary:
        """Write a former state of a session once more, as its newest version.

        Raises:
            SessionUnknown, SessionDamaged: as ``read``; nothing was changed then.
            SessionChanged: as ``write``.
        """
        number_or_none(if_version, _VERSION)
        former = self.read(session_id, version=number(version, _VERSION))
        return self.write(session_id, former.document, if_version=if_version)

    def delete(self, session_id: str) -> bool:
        """Remove a session and its former states; return whether there was one."""
        self._older.look(check_id(session_id))
        with self._older.locked():
            stored = self._base.catalog.sessions.read(session_id)
            self._older.remove(session_id, stored.updated_at if stored else None)
            return self._base.catalog.sessions.delete(session_id)

    def checkpoints(self, session_id: str) -> builtins.list[Checkpoint]:
        """Return the live checkpoints of files of a session, of any project, newest first."""
        return self._base.catalog.sessions.checkpoints(check_id(session_id))

    def turns(self, session_id: str) -> builtins.list[int]:
        """Return the turns that are known of a session, in order."""
        return self._base.catalog.sessions.turns(check_id(session_id))

    # --- all sessions ------------------------------------------------------------------------

    def ids(self) -> builtins.list[str]:
        """Return the ids of all sessions, sorted."""
        self._older.look_all()
        return self._base.catalog.sessions.ids()

    def list(
        self, *, status: str | None = None, limit: int | None = None
    ) -> builtins.list[SessionListed]:
        """Return all sessions, or those of one status, newest first, with the number of their
        checkpoints and turns; no document is read but what an older program wrote since."""
        self._older.look_all()
        return self._base.catalog.sessions.list(
            status=text_or_none(status, "the status of a session"),
            limit=number_or_none(limit, "the limit of a list"),
        )

    def import_folder(self, folder: PathLike) -> builtins.list[ImportedFile]:
        """Read the files ``<session_id>.yaml`` of a folder; return what became of each.

        The files stay. A session of which the catalog has a state of the same time or a newer
        one is kept as it is.

        Raises:
            BadDirectory: when the folder is missing or cannot be listed.
        """
        self._base.require_kept()
        done = session_import.import_folder(self._base, directory(folder))
        if self._mirror is not None:
            for one in done:
                if one.reason is None and not one.kept:
                    self._mirror.refresh(one.session_id)
        return done

    def plan_gc(
        self, *, max_age_days: float | None = None, now: datetime | None = None
    ) -> Collected:
        """Return what ``gc`` would remove, and change nothing.

        Raises:
            BadRequest: when ``max_age_days`` is no number from 0 on, or ``now`` has no time zone.
        """
        rule = self._rule(max_age_days, now)
        self._older.look_all()
        return session_gc.plan(self._base, rule)

    def gc(
        self,
        *,
        max_age_days: float | None = None,
        now: datetime | None = None,
        plan: Collected | None = None,
    ) -> Collected:
        """Remove stale sessions, as of the time ``now`` (default: now).

        Removed is what was last written more than ``max_age_days`` days ago (7 by default), or
        is completed and was last written more than one day ago; and what cannot be read, once
        its text is in a file in ``unreadable-sessions/`` in the base. With ``plan``, that of
        ``plan_gc``, its age and time count: what was written since stays, and nothing is
        removed if the rules would by now remove a session that the plan does not show.

        Raises:
            BadRequest: when ``max_age_days`` is no number from 0 on, or ``now`` has no time zone.
                Also for an age or a time beside a plan, and for what is no plan of ``plan_gc``.
            SessionChanged: when more than the plan shows would be removed; make a new plan.
        """
        made = instance(plan, Collected, "plan")
        if made is None:
            rule = self._rule(max_age_days, now)
        elif max_age_days is None and now is None:
            rule = session_gc.rule_of(made)
        else:
            raise BadRequest("a plan has its own age and time; give the plan alone")
        self._older.look_all()
        return session_gc.collect(self._base, rule, self._older, made)

    def close(self) -> None:
        """Close the catalog."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- inside ------------------------------------------------------------------------------

    def _rule(self, max_age_days: float | None, now: datetime | None) -> GcRule:
        at = time_or_none(now, "the time of a collection") or self._base.now()
        age = GC_MAX_AGE_DAYS if max_age_days is None else max_age_days
        return gc_rule(days(age, "the age of a stale session"), at)

    def _stored(self, session_id: str, version: int | None = None) -> StoredSession:
        sessions = self._base.catalog.sessions
        check_id(session_id)
        number_or_none(version, _VERSION)
        self._older.look(session_id)
        found = sessions.read(session_id)
        if version is not None and (found is None or found.version != version):
            found = sessions.former(session_id, version)
        if found is None:
            raise _unknown(session_id, version)
        return found

    def _document(self, stored: StoredSession) -> dict[Any, Any]:
        try:
            return decode(stored.document)
        except SessionDamaged as error:
            raise SessionDamaged(
                f"version {stored.version} of session {stored.session_id} cannot be read: {error}; "
                "its history lists the other versions"
            ) from error


def _unknown(session_id: str, version: int | None = None) -> SessionUnknown:
    what = "no state" if version is None else f"no version {version}"
    return SessionUnknown(f"{what} of session {session_id} is kept")
