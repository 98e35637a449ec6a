"""The process that holds the size cap: ``python -m hermes_checkpoints.checkpoints.hold_cap``.

Started by ``retention.background`` with a base and the configuration in force. It prunes by these
rules, as for a run that nobody watches, until the store is below its cap or has not grown since it
was pruned. At most one works on a base at a time: whoever finds the lock held leaves it to the
holder, which judges once more after it has let the lock go.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from hermes_checkpoints.base.cap import CapPrune, is_due, is_vain, note_run, remember
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.checkpoints.whole import Checkpoints
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import lower_priority
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome
from hermes_checkpoints.retention.background import loaded
from hermes_checkpoints.retention.plan import PruneOptions

CODE = "size-cap-held"
"""The code of its entries in the journal."""

_LOCK_TIMEOUT = 2.0
_PRUNE_LOCK_TIMEOUT = 60.0
_PATIENCE = 4


def main(argv: Sequence[str]) -> None:
    """Hold the cap of the base ``argv[0]`` by the configuration ``argv[1]``.

    Raises:
        CheckpointError: when the base cannot be opened or its journal not be written.
    """
    lower_priority()
    with Checkpoints.open(base=Path(argv[0]), config=loaded(argv[1])) as checkpoints:
        base = checkpoints._base
        with contextlib.suppress(LockHeld):
            note_run(base)
            while is_due(base):
                lock = base.layout.cap_lock
                with exclusive(lock, purpose="holding the size cap", timeout=_LOCK_TIMEOUT):
                    note_run(base)
                    if is_due(base) and not _prune(checkpoints, base):
                        return


def _prune(checkpoints: Checkpoints, base: Base) -> bool:
    """Prune once, and tell what came of it; return whether it is worth another look."""
    started, cap = base.now(), base.config.max_total_bytes
    options = PruneOptions(lock_timeout=_PRUNE_LOCK_TIMEOUT, patience=_PATIENCE)
    outcome, code = OperationOutcome.DONE, CODE
    try:
        plan = checkpoints.plan_prune(options=options)
        if is_vain(base, plan):
            return False
        done = checkpoints.prune(plan=plan, options=options)
    except CheckpointError as error:
        found = CapPrune(started.isoformat(), cap, error=str(error))
        outcome, code = OperationOutcome.FAILED, error.code
    else:
        # Where takes came in between, it is over the cap as well, and the next look finds that.
        vain = done.over_cap and plan.cap is not None and not plan.cap.reachable
        found = CapPrune(
            started.isoformat(),
            cap,
            len(done.dropped),
            done.freed_bytes,
            done.after_bytes,
            vain,
            "; ".join(done.errors) or None,
        )
        if done.errors or vain:
            outcome = OperationOutcome.PARTIAL
    entry = JournalEntry(
        OperationKind.PRUNE,
        started,
        str(base.layout.base),
        outcome=outcome,
        code=code,
        message=found.text,
    )
    base.journal(entry)
    remember(base, found)
    return outcome is not OperationOutcome.FAILED


if __name__ == "__main__":
    main(sys.argv[1:])
