"""The calls of the manager that answer with the dicts that hosts know: lists, diffs, restores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hermes_checkpoints.agent.guard import Facade, Result
from hermes_checkpoints.agent.shapes import entry, restore_result
from hermes_checkpoints.model import Action, Mode

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints


class Answers(Facade):
    """Lists, compares and restores checkpoints; never raises."""

    def list_checkpoints(self, working_dir: str) -> list[Result]:
        """Return the checkpoints of a directory, newest first, at most ``max_snapshots``.

        Each is a dict with ``hash``, ``short_hash``, ``timestamp`` (ISO 8601 with the zone in
        which it was taken), ``reason``, ``files_changed``, ``insertions``, ``deletions`` and
        ``skipped`` (how many paths were not captured).
        """
        if not self._base_exists():
            return []
        directory = self._placed(working_dir)

        def listing(checkpoints: Checkpoints) -> list[Result]:
            return [entry(c) for c in checkpoints.project(directory).list(limit=self.max_snapshots)]

        return self._quietly(f"checkpoints of {working_dir} cannot be listed", listing, [])

    def list_all_checkpoints(self) -> list[Result]:
        """Return the checkpoints of every directory, newest first, at most ``max_snapshots`` of
        each: the dicts of ``list_checkpoints`` with ``working_dir``."""
        if not self._base_exists():
            return []

        def listing(checkpoints: Checkpoints) -> list[Result]:
            counts: Counter[str] = Counter()
            found = []
            for checkpoint in checkpoints.list_all():
                counts[checkpoint.working_dir] += 1
                if counts[checkpoint.working_dir] <= self.max_snapshots:
                    found.append(entry(checkpoint) | {"workdir": checkpoint.working_dir})
            return found

        return self._quietly("checkpoints cannot be listed", listing, [])

    def diff(self, working_dir: str, commit_hash: str) -> Result:
        """Compare a checkpoint with the present working directory.

        Returns ``success`` with ``stat`` and ``diff`` (text), or with ``error``.
        """
        directory = self._placed(working_dir)

        def compare(checkpoints: Checkpoints) -> Result:
            found = checkpoints.project(directory).diff(commit_hash)
            return {"success": True, "stat": found.stat.rstrip("\n"), "diff": found.text}

        return self._answer(compare)

    def session_diff(self, working_dir: str) -> Result:
        """Compare the first checkpoint of this session with the present working directory: all
        that the session has changed there. Without a ``session_id``, the oldest checkpoint.

        Returns what ``diff`` returns, with ``baseline`` (the checkpoint's id), and ``empty``
        where there is no such checkpoint or no change.
        """
        nothing: Result = {"success": True, "stat": "", "diff": "", "empty": True}
        if not self._base_exists():
            return nothing
        directory = self._placed(working_dir)

        def compare(checkpoints: Checkpoints) -> Result:
            found = checkpoints.project(directory).list(session_id=self.session_id)
            if not found:
                return nothing
            diff = checkpoints.project(directory).diff(found[-1].id)
            result: Result = {
                "success": True,
                "stat": diff.stat.rstrip("\n"),
                "diff": diff.text,
                "baseline": found[-1].id,
            }
            return result if diff.changes else result | {"empty": True}

        return self._answer(compare)

    def safe_restore_plan(self, working_dir: str, commit_hash: str) -> Result:
        """Tell what ``restore`` with ``safe`` would do.

        Returns ``success`` with the lists of paths ``restore`` (brought back or deleted) and
        ``skipped`` (kept), or with ``error``.
        """
        directory = self._placed(working_dir)

        def plan(checkpoints: Checkpoints) -> Result:
            found = checkpoints.project(directory).plan_restore(commit_hash, mode=Mode.KEEP_EDITS)
            kept = found.of(Action.KEEP)
            return {
                "success": True,
                "restore": [step.path for step in found.steps if step not in kept],
                "skipped": [step.path for step in kept],
            }

        return self._answer(plan)

    def restore(
        self,
        working_dir: str,
        commit_hash: str,
        file_path: str | None = None,
        safe: bool = False,
    ) -> Result:
        """Bring a directory, or one file of it, back to a checkpoint.

        Without ``safe``, every captured file is brought back and nothing is deleted. With it,
        only what the agent changed is brought back, files that it made are deleted, and what
        the user changed is kept. A safety checkpoint comes first.

        Returns ``success``, ``restored_to`` (8 digits), ``reason``, ``directory``, ``safety``
        (the id of the safety checkpoint), and ``file`` if one was named; with ``safe`` also the
        lists of paths ``restored_files``, ``deleted_files``, ``skipped_user_edits``,
        ``skipped_oversize`` and ``failed_deletes``. If something went wrong, ``success`` is
        False and there is ``error`` and, if some paths failed, ``failed``.
        """
        directory = self._placed(working_dir)

        def bring_back(checkpoints: Checkpoints) -> Result:
            done = checkpoints.project(directory).restore(
                commit_hash,
                [file_path] if file_path is not None else None,
                mode=Mode.KEEP_EDITS if safe else Mode.OVERLAY,
            )
            result = restore_result(done, details=safe)
            if file_path is not None:
                result["file"] = file_path
            return result

        return self._answer(bring_back)
