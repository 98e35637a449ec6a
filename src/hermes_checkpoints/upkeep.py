"""The part of the typed API that keeps the store small: plan and prune, pin, measure, clear.

What deletes has a plan that can be looked at first, and executes that very plan.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from hermes_checkpoints.admin import clear as clearing
from hermes_checkpoints.admin import rebind as rebinding
from hermes_checkpoints.admin import usage as using
from hermes_checkpoints.admin.clear import Cleared
from hermes_checkpoints.admin.rebind import Rebound
from hermes_checkpoints.admin.status import legacy_archives
from hermes_checkpoints.admin.usage import StoreUsage
from hermes_checkpoints.base import lookup
from hermes_checkpoints.base.lookup import clean_label, find_checkpoint
from hermes_checkpoints.base.measures import store_size
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import CheckpointUnknown
from hermes_checkpoints.layout import resolve_working_dir
from hermes_checkpoints.model import Checkpoint, LegacyArchive, Policy, PrunePlan, PruneResult
from hermes_checkpoints.retention import plan as prune_plan
from hermes_checkpoints.retention import run as prune
from hermes_checkpoints.retention.delete import policy_of
from hermes_checkpoints.retention.plan import Effort

PathLike = str | os.PathLike[str]

LAST_PRUNE = "last_prune"
"""The setting with the time in UTC at which maintenance last ran on its own."""


class Upkeep:
    """What ``Checkpoints`` can do about the store as a whole."""

    _base: Base

    @property
    def policy(self) -> Policy:
        """The retention rules of the configuration, as for a run that nobody watches."""
        return policy_of(self._base.config)

    def prune_plan(
        self,
        policy: Policy | None = None,
        working_dir: PathLike | None = None,
        *,
        reclaim_bytes: int = 0,
        effort: Effort | None = None,
    ) -> PrunePlan:
        """Return for every checkpoint whether a prune would keep or drop it, and why.

        ``policy`` defaults to that of the configuration; ``working_dir`` limits the plan to one
        project. ``reclaim_bytes`` asks for so much space back, whatever the cap. With an
        ``effort``, a store over its cap is packed first, so that the sizes are exact.

        Raises:
            ProjectUnknown: when the directory has no checkpoints.
            CheckpointError: when catalog or store cannot be read.
        """
        only = None
        if working_dir is not None:
            only = self._known(Target.of(resolve_working_dir(working_dir))).hash
        return prune_plan.make_plan(
            self._base, policy or self.policy, only=only, reclaim=reclaim_bytes, effort=effort
        )

    def prune(self, plan: PrunePlan, effort: Effort | None = None) -> PruneResult:
        """Delete what a plan drops, and nothing that appeared since; reclaim the space.

        Raises:
            LockHeld: when another prune runs, or takes go on for too long.
            CheckpointError: when catalog or refs cannot be written.
        """
        return prune.execute(self._base, plan, effort)

    def drop_plan(
        self, checkpoints: Sequence[Checkpoint], *, include_pinned: bool = False
    ) -> PrunePlan:
        """Return the plan that drops just these checkpoints, for ``prune``.

        Pinned and labelled ones are kept unless ``include_pinned``; what an unfinished restore
        needs always is.
        """
        ids = [checkpoint.id for checkpoint in checkpoints]
        policy = Policy(include_pinned=include_pinned)
        return prune_plan.plan_drop(self._base, ids, policy)

    def pin(self, reference: str | int, working_dir: PathLike | None = None) -> Checkpoint:
        """Pin a checkpoint, so that no rule prunes it; return it as it then is.

        Raises:
            CheckpointError: as for ``Checkpoints.get``.
        """
        return self._pin(reference, working_dir, pinned=True)

    def unpin(self, reference: str | int, working_dir: PathLike | None = None) -> Checkpoint:
        """Take the pin from a checkpoint; return it as it then is.

        Raises:
            CheckpointError: as for ``Checkpoints.get``.
        """
        return self._pin(reference, working_dir, pinned=False)

    def set_label(
        self, reference: str | int, label: str | None, working_dir: PathLike | None = None
    ) -> Checkpoint:
        """Give a checkpoint a name by which it is found and which keeps it from being pruned;
        None takes it away. Return the checkpoint as it then is.

        Raises:
            BadRequest: when the label has a form that could not be looked up.
            CheckpointError: as for ``Checkpoints.get``.
        """
        name = None if label is None else clean_label(label)
        found = self._found(reference, working_dir)
        self._base.catalog.checkpoints.set_label(found._row, name)
        return self._again(found)

    def usage(self, *, measure: bool = False) -> StoreUsage:
        """Return who takes how much space: estimates, or with ``measure`` what git says.

        Raises:
            CheckpointError: when catalog or store cannot be read.
        """
        return using.usage(self._base, measure=measure)

    def store_bytes(self) -> int:
        """Return the size of the store on disk: the last measure and what was added since."""
        return store_size(self._base).bytes

    def last_maintenance(self) -> datetime | None:
        """Return when maintenance last ran on its own, or None."""
        found = self._base.catalog.settings.get(LAST_PRUNE)
        try:
            return datetime.fromisoformat(found) if found else None
        except ValueError:
            return None

    def note_maintenance(self) -> None:
        """Write down that maintenance ran just now."""
        now = self._base.now()
        self._base.catalog.settings.set(LAST_PRUNE, now.isoformat(), now)

    def rebind(self, old: PathLike, new: PathLike) -> Rebound:
        """Give the history of the directory ``old`` to ``new``, where it was moved.

        Raises:
            BadRequest, ProjectUnknown, BadDirectory, LockHeld: nothing was changed then.
        """
        return rebinding.rebind(
            self._base, Target.of(resolve_working_dir(old)), Target.of(resolve_working_dir(new))
        )

    def sessions_kept(self) -> int:
        """Return how many session checkpoints ``clear`` would keep."""
        return clearing.sessions_kept(self._base)

    def clear(self, *, sessions: bool = False) -> Cleared:
        """Remove all checkpoints and archives, with ``sessions`` session checkpoints, too.

        Where nothing is left the base itself goes, and this object cannot be used any more.

        Raises:
            LockHeld, BaseUnwritable: nothing was removed then.
        """
        return clearing.clear(self._base, sessions=sessions)

    def legacy_archives(self) -> list[LegacyArchive]:
        """Return the folders that a migration moved aside, by name."""
        return legacy_archives(self._base)

    def clear_legacy(self) -> Cleared:
        """Remove the archives that a migration moved aside, and nothing else."""
        return clearing.clear_legacy(self._base)

    # --- inside ---------------------------------------------------------------------------

    def _known(self, target: Target) -> Target:
        """Return the target if it has a project.

        Raises:
            ProjectUnknown: naming related ones that have.
        """
        if self._base.catalog.projects.get(target.hash) is None:
            raise lookup.no_checkpoints(self._base, target)
        return target

    def _found(self, reference: str | int, working_dir: PathLike | None) -> Checkpoint:
        target = None if working_dir is None else Target.of(resolve_working_dir(working_dir))
        return find_checkpoint(self._base, reference, target)

    def _pin(
        self, reference: str | int, working_dir: PathLike | None, *, pinned: bool
    ) -> Checkpoint:
        found = self._found(reference, working_dir)
        self._base.catalog.checkpoints.set_pinned(found._row, pinned)
        return self._again(found)

    def _again(self, checkpoint: Checkpoint) -> Checkpoint:
        found = self._base.catalog.checkpoints.get(checkpoint._row)
        if found is None:
            raise CheckpointUnknown(f"checkpoint {checkpoint.short_id} is gone")
        return found
