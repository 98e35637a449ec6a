"""``/rollback``: what a person types inside a session to list, compare and restore checkpoints.

One ``Rollback`` belongs to one session of a host. It answers with a text and a typed result and
prints nothing. Numbers mean the list that the person saw last, so a checkpoint that is taken in
between does not shift them. Files and conversation move together or not at all: what fails
half way is taken back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path

from hermes_checkpoints.agent.conversation import Extent, Message, Scope, Undone, undo_to
from hermes_checkpoints.agent.rollback_request import COMMAND, Request, Verb, parse
from hermes_checkpoints.agent.rollback_text import (
    NOT_ENABLED,
    chat_text,
    diff_text,
    failed_lines,
    restored_text,
    show_text,
)
from hermes_checkpoints.agent.shapes import entry, format_checkpoint_list
from hermes_checkpoints.checkpoints import Checkpoints, Project
from hermes_checkpoints.config import Config, load_config
from hermes_checkpoints.errors import BadRequest, CheckpointError, CheckpointUnknown, PathRefused
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Action, Checkpoint, Diff, Mode, Restored
from hermes_checkpoints.text import shown

Apply = Callable[[list[Message]], object]
_REMEMBERED = 20
"""How many conversations are kept for undo and redo."""


@dataclass(frozen=True)
class Reply:
    """The answer to one ``/rollback``.

    ``text`` is for the person. ``conversation`` is what the conversation has become, None where
    it stays as it is; ``restored`` is what happened to the files, None where nothing did.
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


class Rollback:
    """The ``/rollback`` of one session that works in ``working_dir``.

    ``home`` defaults to HERMES_HOME, else ``~/.hermes``, ``zone`` to that of the system, and
    ``enabled`` to what ``config.yaml`` says.

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
    ) -> None:
        self.working_dir = os.fspath(working_dir)
        self.session_id = session_id
        self._home = home
        self._zone = zone
        self._enabled = enabled
        self._max_snapshots = max_snapshots
        self._seen: tuple[Path, tuple[Checkpoint, ...]] | None = None
        self._conversations: dict[str, tuple[Message, ...]] = {}

    def run(
        self,
        typed: str,
        messages: Sequence[Message] | None = None,
        *,
        scope: Scope = Scope.BOTH,
        apply: Apply | None = None,
    ) -> Reply:
        """Execute one ``/rollback`` and return the answer. Raises no ``CheckpointError``.

        ``messages`` is the conversation of the session; without it only files are restored.
        ``scope`` is used where the person names none. ``apply`` stores the new conversation;
        if it raises, the files are taken back, and the error goes on to the caller.
        """
        try:
            request = parse(typed)
        except BadRequest as error:
            return Reply(f"❌ {shown(str(error))}", ok=False, error=error)
        layout = Layout.of(self._home)
        config = load_config(layout.config)
        if not (config.enabled if self._enabled is None else self._enabled):
            return Reply(NOT_ENABLED, ok=False, request=request)
        if not layout.base.is_dir():
            return Reply(self._none(Path(self.working_dir)), request.verb is Verb.LIST, request)
        try:
            with self._open(config) as checkpoints:
                reply = self._execute(checkpoints, request, messages, scope, apply)
        except CheckpointError as error:
            return Reply(f"❌ {shown(str(error))}", ok=False, request=request, error=error)
        return replace(reply, request=request)

    @contextlib.contextmanager
    def _open(self, config: Config) -> Iterator[Checkpoints]:
        if self._max_snapshots is not None:
            config = replace(config, max_snapshots=self._max_snapshots)
        with Checkpoints.open(self._home, config=config) as checkpoints:
            yield checkpoints

    def _execute(
        self,
        checkpoints: Checkpoints,
        request: Request,
        messages: Sequence[Message] | None,
        scope: Scope,
        apply: Apply | None,
    ) -> Reply:
        project = checkpoints.project_of(self.working_dir)
        if request.verb is Verb.LIST:
            return self._list(checkpoints, project)
        chosen = request.scope or scope
        move = _Move(project, messages if chosen is not Scope.FILES else None, apply)
        if request.verb in {Verb.UNDO, Verb.REDO}:
            return self._go_back(move, redo=request.verb is Verb.REDO)
        checkpoint = self._resolve(checkpoints, project, request.reference)
        if request.verb is Verb.DIFF:
            diff = project.diff(checkpoint)
            return Reply(diff_text(diff), checkpoint=checkpoint, diff=diff)
        if request.verb is Verb.SHOW:
            changes, skipped = project.changes(checkpoint), project.skipped(checkpoint)
            text = show_text(checkpoint, changes, skipped, self._zone)
            return Reply(text, checkpoint=checkpoint)
        if request.path is not None:
            return self._restore_path(project, checkpoint, request)
        if chosen is Scope.CHAT:
            return self._undo_chat(move, checkpoint)
        return self._restore(move, checkpoint, request)

    # --- looking ------------------------------------------------------------------------------

    def _list(self, checkpoints: Checkpoints, project: Project) -> Reply:
        listed = self._look(checkpoints, project)
        if not listed:
            related = [shown(str(one.working_dir)) for one in project.related()]
            hint = f"\nThere are some of: {', '.join(related[:3])}" if related else ""
            return Reply(self._none(project.working_dir) + hint)
        entries = [
            entry(c) | {"timestamp": c.created_at.astimezone(self._zone).isoformat()}
            for c in listed
        ]
        return Reply(format_checkpoint_list(entries, str(project.working_dir)), listed=listed)

    def _look(self, checkpoints: Checkpoints, project: Project) -> tuple[Checkpoint, ...]:
        limit = checkpoints.config.max_snapshots or None
        listed = tuple(project.list(limit=limit))
        self._seen = (project.working_dir, listed)
        return listed

    def _resolve(self, checkpoints: Checkpoints, project: Project, reference: str) -> Checkpoint:
        """Return the checkpoint that a number in the list last seen, or an id, means."""
        if self._seen is None or self._seen[0] != project.working_dir:
            self._look(checkpoints, project)
        listed = self._seen[1] if self._seen is not None else ()
        if reference.isascii() and reference.isdecimal():
            number = int(reference)
            if 1 <= number <= len(listed):
                return project.get(listed[number - 1])
            if len(reference) < 4:
                if not listed:
                    raise CheckpointUnknown(self._none(project.working_dir))
                raise CheckpointUnknown(f"Invalid checkpoint number. Use 1-{len(listed)}.")
        return project.get(reference)

    @staticmethod
    def _none(directory: Path) -> str:
        return f"No checkpoints found for {shown(str(directory))}"

    # --- restoring ----------------------------------------------------------------------------

    def _restore(self, move: _Move, checkpoint: Checkpoint, request: Request) -> Reply:
        mode = request.mode or Mode.KEEP_EDITS
        undone = None
        if move.messages is not None:
            undone = undo_to(move.messages, checkpoint, session_id=self.session_id)
        restored = move.project.restore(checkpoint, mode=mode)
        idle = not restored.done and not restored.failed
        # Where the files are there already, the conversation follows only to a sure place.
        sure = undone is not None and undone.extent is Extent.CHECKPOINT and not restored.kept
        if idle and not sure:
            return Reply(_nothing(restored), checkpoint=checkpoint, restored=restored)
        hint = f"{COMMAND} {request.reference} --all" if mode is Mode.KEEP_EDITS else None
        return self._finish(move, restored, undone, hint)

    def _go_back(self, move: _Move, *, redo: bool) -> Reply:
        restored = move.project.redo() if redo else move.project.undo()
        undone = None
        known = self._conversations.get(restored.checkpoint.id)
        if move.messages is not None and known is not None:
            removed = tuple(m for m in move.messages if m not in known)
            undone = Undone(known, removed, Extent.WHOLE)
        reply = self._finish(move, restored, undone, None)
        if reply.ok and move.messages is not None and undone is None:
            text = f"{reply.text}\nThe chat stays as it is: none was put aside for this state."
            return replace(reply, text=text)
        return reply

    def _finish(
        self, move: _Move, restored: Restored, undone: Undone | None, hint: str | None
    ) -> Reply:
        """Let the conversation follow the files, or take the files back."""
        checkpoint = restored.checkpoint
        if undone is not None and restored.failed:
            back = move.take_back()
            lines = [
                f"❌ Checkpoint {checkpoint.short_id} could not be restored in full; {back}.",
                *failed_lines(restored.failed),
                "The chat is unchanged. --files restores the other files without the chat.",
            ]
            return Reply("\n".join(lines), ok=False, checkpoint=checkpoint)
        lines = restored_text(restored, None, hint)
        if undone is not None and move.messages is not None:
            move.store(undone)
            self._remember(restored.safety.id, move.messages)
            lines += chat_text(undone)
        return Reply(
            "\n".join(lines),
            restored.complete,
            checkpoint=checkpoint,
            restored=restored,
            conversation=undone,
        )

    def _restore_path(self, project: Project, checkpoint: Checkpoint, request: Request) -> Reply:
        path = self._relative(project.working_dir, request.path or "")
        mode = request.mode or Mode.KEEP_EDITS
        if mode is Mode.KEEP_EDITS:
            plan = project.plan_restore(checkpoint, path, mode=mode)
            if any(step.path == path for step in plan.of(Action.KEEP)):
                mode = Mode.OVERLAY  # the person has named this very file
        restored = project.restore(checkpoint, path, mode=mode)
        if not restored.done and not restored.failed:
            return Reply(_nothing(restored), checkpoint=checkpoint, restored=restored)
        hint = f"{COMMAND} {request.reference} --all {path}" if mode is Mode.KEEP_EDITS else None
        return Reply(
            "\n".join(restored_text(restored, path, hint)),
            restored.complete,
            checkpoint=checkpoint,
            restored=restored,
        )

    def _relative(self, project: Path, path: str) -> str:
        """Return a path that was typed in the session's directory, seen from the project."""
        start = resolve_working_dir(self.working_dir)
        joined = Path(os.path.normpath(start / Path(path).expanduser()))
        if not joined.is_relative_to(project):
            raise PathRefused(f"{path!r} leaves the project {project}; give a path below it")
        return joined.relative_to(project).as_posix()

    def _undo_chat(self, move: _Move, checkpoint: Checkpoint) -> Reply:
        if move.messages is None:
            raise BadRequest("there is no conversation to undo")
        undone = undo_to(move.messages, checkpoint, session_id=self.session_id)
        if move.apply is not None:
            move.apply(list(undone.kept))
        return Reply("\n".join(chat_text(undone)), checkpoint=checkpoint, conversation=undone)

    def _remember(self, commit_id: str, messages: Sequence[Message]) -> None:
        self._conversations.pop(commit_id, None)
        self._conversations[commit_id] = tuple(messages)
        while len(self._conversations) > _REMEMBERED:
            del self._conversations[next(iter(self._conversations))]


@dataclass(frozen=True)
class _Move:
    """Files and conversation of one rollback."""

    project: Project
    messages: Sequence[Message] | None
    apply: Apply | None

    def store(self, undone: Undone) -> None:
        """Hand the new conversation to the host; take the restored files back if it refuses."""
        if self.apply is None:
            return
        try:
            self.apply(list(undone.kept))
        except BaseException:
            self.take_back()
            raise

    def take_back(self) -> str:
        """Undo what was restored, and say what became of it."""
        try:
            back = self.project.undo()
        except CheckpointError as error:
            return f"taking it back failed, too: {error}"
        return "everything was taken back" if back.complete else "it was taken back in part"


def _nothing(restored: Restored) -> str:
    if not restored.kept:
        held = f"as checkpoint {restored.checkpoint.short_id} has them"
        return f"Nothing to restore: the files are {held}."
    return "\n".join(["Nothing was restored.", *restored_text(restored, None, None)[2:]])
