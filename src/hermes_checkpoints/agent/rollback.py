"""``/rollback``: what a person types inside a session to list, compare and restore checkpoints.

Files and conversation move together or not at all: what fails half way is taken back. Numbers
mean the list that the person saw last, so a checkpoint that is taken in between does not shift
them. One ``Rollback`` belongs to one session of a host. It answers with a text and a typed result
and prints nothing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path

from hermes_checkpoints.agent.conversation import (
    Extent,
    Message,
    Scope,
    Undone,
    put_back,
    turn_starts,
    undo_to,
)
from hermes_checkpoints.agent.guard import guarded, reason
from hermes_checkpoints.agent.limits import limited
from hermes_checkpoints.agent.rollback_request import (
    COMMAND,
    OPTION_OF,
    Limit,
    Request,
    Verb,
    parse,
    typed,
)
from hermes_checkpoints.agent.rollback_text import (
    NOT_ENABLED,
    chat_stays_text,
    chat_text,
    diff_text,
    help_text,
    is_edit,
    kept_all_text,
    lacking_text,
    none_text,
    nothing_text,
    plan_text,
    restored_text,
    show_text,
    taken_back_text,
    told_text,
    went_on_text,
    wider_text,
)
from hermes_checkpoints.agent.shapes import Result, entry, list_text
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.base.opened import utc_now
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.checkpoints.lent import lent
from hermes_checkpoints.checkpoints.way_out import Asked, way_out
from hermes_checkpoints.config import load_config
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointUnknown,
    DirectoryReplaced,
)
from hermes_checkpoints.fs.named_path import path_in
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import (
    TIME_SIGN,
    Checkpoint,
    Diff,
    Kind,
    Mode,
    Moment,
    Restored,
    heads_moved,
    safety_below,
)
from hermes_checkpoints.text import shown

logger = logging.getLogger(__name__)

Apply = Callable[[list[Message]], object]
_REMEMBERED = 20
"""How many conversations are kept for undo and redo."""


@dataclass(frozen=True)
class Reply:
    """The answer to one ``/rollback``. ``listed`` are the checkpoints that have numbers.

    ``text`` is for the person. ``conversation`` is what the conversation has become, None where
    it stays as it is; ``restored`` is what happened to the files, None where nothing did.

    >>> taken = project.take("before the clean-up")
    >>> reply = Rollback(".", enabled=True).run("/rollback diff 7")
    >>> reply.ok, reply.error.code
    (False, 'checkpoint-unknown')
    """

    text: str
    ok: bool = True
    request: Request | None = None
    listed: tuple[Checkpoint, ...] = ()
    checkpoint: Checkpoint | None = None
    diff: Diff | None = None
    restored: Restored | None = None
    conversation: Undone | None = None
    error: CheckpointError | None = None


@dataclass(frozen=True)
class _Talk:
    """The conversation of the moment of a safety checkpoint, and how many turns of the user it had
    ``after`` the restore that the checkpoint belongs to."""

    then: tuple[Message, ...]
    after: int


class _NotStored(Exception):
    """The host could not store the conversation; ``error`` is its own, and goes back to it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True)
class _Call:
    """One ``/rollback`` on an opened project. ``spoken`` is the conversation, None where the host
    gave none; ``limit`` is how many checkpoints a list has."""

    project: Project
    request: Request
    limit: int | None
    scope: Scope
    spoken: Sequence[Message] | None
    apply: Apply | None

    @property
    def messages(self) -> Sequence[Message] | None:
        """The conversation where it follows the files."""
        return None if self.scope is Scope.FILES else self.spoken

    def store(self, undone: Undone) -> None:
        """Hand the new conversation to the host."""
        if self.apply is None:
            return
        try:
            self.apply(list(undone.kept))
        except Exception as error:
            raise _NotStored(error) from error

    def take_back(self) -> str:
        """Undo what was restored, and say what became of it."""
        try:
            back = self.project.undo()
        except CheckpointError as error:
            return f"taking it back failed, too: {error}"
        return "everything was taken back" if back.complete else "it was taken back in part"


def _require_conversation(messages: object) -> None:
    """Refuse what is no conversation, before a file is touched for its sake."""
    listed = messages if isinstance(messages, Sequence) and not isinstance(messages, str) else None
    if messages is None or (listed is not None and all(isinstance(m, Mapping) for m in listed)):
        return
    raise BadRequest(
        "nothing was restored: messages must be a list of dicts in the form of OpenAI's API, "
        "or None, which restores files only"
    )


def _unforeseen(error: Exception) -> Reply:
    text = f"❌ Unexpected error, see the log: {shown(reason(error))}"
    return Reply(text, ok=False)


class Rollback:
    """The ``/rollback`` of one session that works in ``working_dir``.

    ``home`` defaults to HERMES_HOME, else ``~/.hermes``, ``zone`` to that of the system, and
    ``enabled`` to what ``config.yaml`` says. ``command`` is what the person types to reach it,
    with the sign before it: the answers name it where they say what to type next.

    >>> from hermes_checkpoints import Rollback
    >>> taken = project.take("before the clean-up")
    >>> rollback = Rollback(".", enabled=True)
    >>> [checkpoint.reason for checkpoint in rollback.run("/rollback").listed]
    ['before the clean-up']
    >>> Path("notes.txt").unlink()
    >>> rollback.run("/rollback 1").ok, Path("notes.txt").exists()
    (True, True)
    """

    def __init__(
        self,
        working_dir: str | os.PathLike[str],
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        zone: tzinfo | None = None,
        enabled: bool | None = None,
        max_snapshots: int | None = None,
        command: str = COMMAND,
    ) -> None:
        if isinstance(working_dir, os.PathLike):  # what is no path is for ``run`` to refuse
            working_dir = os.fspath(working_dir)
        self.working_dir = working_dir
        self.session_id = session_id
        self._home = home
        self._zone = zone
        self.enabled = enabled
        self.command = command
        self._max_snapshots = max_snapshots
        self._seen: tuple[Path, tuple[Checkpoint, ...]] | None = None
        self._conversations: dict[str, _Talk] = {}

    def run(
        self,
        typed: str,
        messages: Sequence[Message] | None = None,
        *,
        scope: Scope = Scope.BOTH,
        apply: Apply | None = None,
    ) -> Reply:
        """Execute one ``/rollback`` and return the answer. Raises nothing of its own.

        ``messages`` is the conversation of the session; without it only files are restored.
        ``scope`` is used where the person names none. ``apply`` stores the new conversation;
        if it raises, the files are taken back, and the error goes on to the caller.
        """
        try:
            return self._run(typed, messages, scope, apply)
        except _NotStored as refused:
            error = refused.error
        raise error

    @guarded("{typed} failed", _unforeseen, passes=(_NotStored,))
    def _run(
        self, typed: str, messages: Sequence[Message] | None, scope: Scope, apply: Apply | None
    ) -> Reply:
        request = None
        try:
            request = parse(typed, self.command)
            if request.verb is Verb.HELP:
                text = help_text(self.command, chat=scope is not Scope.FILES)
                return Reply(text, request=request)
            reply = self._answer(request, messages, scope, apply)
        except CheckpointError as error:
            reply = Reply(f"❌ {shown(str(error))}", ok=False, error=error)
        return replace(reply, request=request)

    def _answer(
        self,
        request: Request,
        messages: Sequence[Message] | None,
        scope: Scope,
        apply: Apply | None,
    ) -> Reply:
        layout = Layout.of(self._home)
        config = load_config(layout.config)
        own = config.of_project(resolve_working_dir(self.working_dir))
        if not (own.enabled if self.enabled is None else self.enabled):
            return Reply(NOT_ENABLED, ok=False)
        if not base_exists(layout):
            return Reply(none_text(Path(self.working_dir)), ok=request.verb is Verb.LIST)
        if request.verb in {Verb.RESTORE, Verb.UNDO, Verb.REDO}:
            _require_conversation(messages)
        chosen = request.scope or scope
        given = {"max_snapshots": self._max_snapshots}
        with lent(layout, lambda read: limited(read, given)) as checkpoints:
            project = checkpoints.project_of(self.working_dir)
            return self._execute(
                _Call(
                    project,
                    request,
                    project.settings.max_snapshots or None,
                    chosen,
                    messages,
                    apply,
                )
            )

    def _execute(self, call: _Call) -> Reply:
        project, request = call.project, call.request
        if request.verb is Verb.LIST:
            return self._list(call)
        if request.verb in {Verb.UNDO, Verb.REDO}:
            return self._go_back(call)
        checkpoint = self._resolve(call)
        if request.reference.startswith(TIME_SIGN):  # later, the same time may mean another one
            request = replace(request, reference=checkpoint.short_id)
            call = replace(call, request=request)
        if request.verb is Verb.DIFF:
            typed = request.path
            path = None if typed is None else self._relative(project.working_dir, typed)
            diff = project.diff(checkpoint, paths=path)
            return Reply(diff_text(diff), checkpoint=checkpoint, diff=diff)
        if request.verb is Verb.SHOW:
            changes, skipped = project.changes(checkpoint), project.skipped(checkpoint)
            missing, lost = project.missing(checkpoint), project.lost_paths(checkpoint)
            text = show_text(checkpoint, changes, skipped, self._zone, missing, lost)
            return Reply(text, checkpoint=checkpoint)
        if request.verb is Verb.PLAN:
            asked = self._asked(call, request.mode or Mode.KEEP_EDITS)
            plan = project.plan_restore(
                checkpoint, mode=asked.mode, session_id=asked.session_id, nested=asked.nested
            )
            # In a directory that was replaced, edits cannot be told from the agent's changes.
            mode = request.mode or (Mode.OVERLAY if plan.replaced else None)
            options = [mode, *sorted(request.wider)] if mode else sorted(request.wider)
            words = " ".join(
                [self.command, request.reference, *(OPTION_OF[one] for one in options)]
            )
            text = plan_text(plan, words)
            return Reply(text, checkpoint=checkpoint)
        if request.path is not None:
            return self._restore_path(call, checkpoint, request.path)
        if call.scope is Scope.CHAT:
            return self._undo_chat(call, checkpoint)
        return self._restore(call, checkpoint)

    # --- looking ------------------------------------------------------------------------------

    def _list(self, call: _Call) -> Reply:
        project, listed = call.project, self._look(call)
        if not listed:
            related = [shown(str(one.working_dir)) for one in project.related()]
            hint = f"\nThere are some of: {', '.join(related[:3])}" if related else ""
            return Reply(none_text(project.working_dir) + hint + told_text({}, project.failing()))
        safety = project.safety_checkpoints()
        below = safety_below(listed, safety)
        moved = heads_moved([*listed, *(one.checkpoint for one in safety)])
        entries = [
            self._entry(c, moved)
            | {"safety": [self._entry(s.checkpoint, moved) for s in below.get(c.id, ())]}
            for c in listed
        ]
        text = list_text(entries, str(project.working_dir), self.command)
        told = told_text(project.left_out(listed[0]), project.failing())
        return Reply(text + told, listed=listed)

    def _entry(self, checkpoint: Checkpoint, moved: Mapping[str, str]) -> Result:
        when = checkpoint.created_at.astimezone(self._zone)
        return entry(checkpoint, moved.get(checkpoint.id)) | {"timestamp": when.isoformat()}

    def _look(self, call: _Call) -> tuple[Checkpoint, ...]:
        listed = tuple(call.project.list(limit=call.limit))
        self._seen = (call.project.working_dir, listed)
        return listed

    def _resolve(self, call: _Call) -> Checkpoint:
        """Return the checkpoint that a number in the list last seen, an id or a time means."""
        project, reference = call.project, call.request.reference
        seen, listed = self._seen or (None, ())
        if seen != project.working_dir:  # none was shown, so that the present one is meant
            listed = tuple(project.list(limit=call.limit))
        if reference.isascii() and reference.isdecimal():
            number = int(reference)
            if 1 <= number <= len(listed):
                return project.get(listed[number - 1])
            if len(reference) < 4:
                if not listed:
                    raise CheckpointUnknown(none_text(project.working_dir))
                raise CheckpointUnknown(f"Invalid checkpoint number. Use 1-{len(listed)}.")
        if reference.startswith(TIME_SIGN) and self._zone is not None:  # the list shows that zone
            from hermes_checkpoints.base.as_of import exactly, read_as_of

            reference = exactly(read_as_of(reference, utc_now(), self._zone))
        return project.get(reference)

    # --- restoring ----------------------------------------------------------------------------

    def _restore(self, call: _Call, checkpoint: Checkpoint) -> Reply:
        mode = call.request.mode or Mode.KEEP_EDITS
        undone = self._undone(call, checkpoint)
        # Where the files are there already, the conversation follows only to a sure place.
        sure = undone is not None and undone.extent is not Extent.LAST_TURN
        moment = replace(self._moment(call), follows=sure)
        asked = self._asked(call, mode)
        try:
            restored = call.project.restore(
                checkpoint,
                mode=mode,
                session_id=asked.session_id,
                nested=asked.nested,
                moment=moment,
            )
        except DirectoryReplaced as error:
            command = f"{self.command} {call.request.reference} {OPTION_OF[Mode.OVERLAY]}"
            raise DirectoryReplaced(f"{error}. To restore all the same: {command}") from error
        if restored.kept_all:
            return self._kept_all(call, restored, asked)
        if not restored.done and not restored.failed and not sure:
            text = nothing_text(restored, call.project.left_out(checkpoint))
            return Reply(text, checkpoint=checkpoint, restored=restored)
        all_hint = f"{self.command} {call.request.reference} --all"
        edits = mode is Mode.KEEP_EDITS and any(is_edit(step) for step in restored.kept)
        return self._finish(call, restored, undone, all_hint if edits else None)

    def _go_back(self, call: _Call) -> Reply:
        project, moment = call.project, self._moment(call)
        redo, exact = call.request.verb is Verb.REDO, call.request.mode is Mode.EXACT
        back = project.redo if redo else project.undo
        restored = back(exact=exact, moment=moment)
        exact_hint = f"{self.command} {call.request.verb} {OPTION_OF[Mode.EXACT]}"
        if restored.kept_all:
            return self._nothing_undone(restored, exact_hint)
        undone = self._undone(call, restored.checkpoint)
        if undone is not None and not exact and self._went_on(call, restored.checkpoint):
            return self._finish(call, restored, None, None, went_on_text(exact_hint))
        return self._finish(call, restored, undone, None)

    def _went_on(self, call: _Call, safety: Checkpoint) -> bool:
        """Tell whether the conversation has had a turn since the restore that is taken back. It is
        kept then, like all that came after."""
        talk = self._conversations.get(safety.id)
        return talk is not None and len(turn_starts(call.messages or ())) > talk.after

    def _nothing_undone(self, restored: Restored, exact_hint: str) -> Reply:
        """Answer that every path that was to be taken back has changed since."""
        text = kept_all_text(restored, exact_hint)
        return Reply(text, ok=False, checkpoint=restored.checkpoint, restored=restored)

    def _undone(self, call: _Call, checkpoint: Checkpoint) -> Undone | None:
        """Return the conversation that belongs to a checkpoint, None where it stays as it is."""
        if call.messages is None:
            return None
        former = self._conversations.get(checkpoint.id)
        if checkpoint.kind is Kind.SAFETY or call.request.verb is not Verb.RESTORE:
            return None if former is None else put_back(call.messages, former.then)
        return undo_to(call.messages, checkpoint, session_id=self.session_id)

    def _moment(self, call: _Call) -> Moment:
        """Return where the conversation stands now, which the safety checkpoint records."""
        if call.spoken is None:
            return Moment(self.session_id)
        return Moment(self.session_id, len(turn_starts(call.spoken)), len(call.spoken))

    def _finish(
        self,
        call: _Call,
        restored: Restored,
        undone: Undone | None,
        all_hint: str | None,
        chat_stays: str | None = None,
    ) -> Reply:
        """Let the conversation follow the files, or take the files back. ``chat_stays`` says why
        it stays as it is."""
        checkpoint = restored.checkpoint
        if undone is not None and restored.failed:
            text = taken_back_text(checkpoint, call.take_back(), restored.failed)
            return Reply(text, ok=False, checkpoint=checkpoint)
        lines = restored_text(restored, None, all_hint)
        if call.request.verb is Verb.RESTORE:
            lines += lacking_text(checkpoint, call.project.left_out(checkpoint))
            as_typed = partial(self._shown_path, call.project.working_dir)
            lines += wider_text(restored.kept, f"{self.command} {call.request.reference}", as_typed)
        if undone is not None and call.messages is not None:
            try:
                call.store(undone)
            except BaseException:
                logger.warning("the host did not store the conversation; %s", call.take_back())
                raise
            lines += chat_text(undone)
        elif call.messages is not None:
            lines.append(chat_stays or chat_stays_text(checkpoint))
        if call.spoken is not None:
            left = call.spoken if undone is None else undone.kept
            self._remember(restored.safety.id, call.spoken, left)
        return Reply(
            "\n".join(lines),
            restored.complete,
            checkpoint=checkpoint,
            restored=restored,
            conversation=undone,
        )

    def _restore_path(self, call: _Call, checkpoint: Checkpoint, typed: str) -> Reply:
        project = call.project
        path = self._relative(project.working_dir, typed)
        mode = call.request.mode or Mode.OVERLAY  # the person has named this very file
        nested = Limit.PROJECT in call.request.wider
        moment = self._moment(call)
        restored = project.restore(checkpoint, path, mode=mode, nested=nested, moment=moment)
        if restored.kept_all:
            return self._kept_all(call, restored, Asked(mode, nested=nested), path)
        if not restored.done and not restored.failed:
            text = nothing_text(restored, project.left_out(checkpoint, path))
            return Reply(text, checkpoint=checkpoint, restored=restored)
        lines = restored_text(restored, path, None)
        lines += lacking_text(checkpoint, project.left_out(checkpoint, path))
        return Reply("\n".join(lines), restored.complete, checkpoint=checkpoint, restored=restored)

    def _asked(self, call: _Call, mode: Mode) -> Asked:
        """Return the limits of a restore of the whole project: in a session, what agents of others
        changed stays, unless the person widens it."""
        everyone = Limit.SESSION in call.request.wider or mode is Mode.EXACT
        session = None if everyone else self.session_id
        return Asked(mode, session, nested=Limit.PROJECT in call.request.wider)

    def _kept_all(
        self, call: _Call, restored: Restored, asked: Asked, path: str | None = None
    ) -> Reply:
        """Answer that nothing was restored, with the command that does it all the same."""
        checkpoint = restored.checkpoint
        kept = [step.path for step in restored.kept]
        wider = way_out(call.project, checkpoint, kept, asked, None if path is None else [path])
        command = None
        if wider is not None:
            limited = self.session_id is not None and path is None
            options = [
                OPTION_OF.get(wider.mode, ""),
                OPTION_OF[Limit.SESSION]
                if limited and wider.session_id is None and wider.mode is not Mode.EXACT
                else "",
                OPTION_OF[Limit.PROJECT] if wider.nested else "",
            ]
            shown_path = typed(self._shown_path(call.project.working_dir, path)) if path else ""
            words = [self.command, call.request.reference, *options, shown_path]
            command = " ".join(filter(None, words))
        text = kept_all_text(restored, command)
        return Reply(text, ok=False, checkpoint=checkpoint, restored=restored)

    def _relative(self, project: Path, path: str) -> str:
        """Return a path that was typed in the session's directory, seen from the project."""
        start = resolve_working_dir(self.working_dir)
        if path.startswith("~/") and not os.path.lexists(start / path):  # there is no shell
            path = os.path.expanduser(path)
        return path_in(project, start, path)

    def _shown_path(self, project: Path, path: str) -> str:
        """Return a path of the project as it is typed in the session's directory."""
        start = resolve_working_dir(self.working_dir)
        if not start.is_relative_to(project):
            return path
        return Path(os.path.relpath(project / path, start)).as_posix()

    def _undo_chat(self, call: _Call, checkpoint: Checkpoint) -> Reply:
        if call.messages is None:
            raise BadRequest("there is no conversation to undo")
        undone = self._undone(call, checkpoint)
        if undone is None:
            raise BadRequest(chat_stays_text(checkpoint))
        call.store(undone)
        return Reply("\n".join(chat_text(undone)), checkpoint=checkpoint, conversation=undone)

    def _remember(
        self, commit_id: str, messages: Sequence[Message], left: Sequence[Message]
    ) -> None:
        self._conversations.pop(commit_id, None)
        self._conversations[commit_id] = _Talk(tuple(messages), len(turn_starts(left)))
        while len(self._conversations) > _REMEMBERED:
            del self._conversations[next(iter(self._conversations))]
