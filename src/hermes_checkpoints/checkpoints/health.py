"""Looks at a base and mends it, without opening it: a damaged one may not open.

``Checkpoints.open`` mends some things by itself; these two look before it does.
"""

from __future__ import annotations

from hermes_checkpoints.base.arguments import PathLike, flag, instance, layout
from hermes_checkpoints.config import Config
from hermes_checkpoints.doctor import look
from hermes_checkpoints.doctor import repair as repairing
from hermes_checkpoints.doctor.look import Progress
from hermes_checkpoints.model.doctor import Diagnosis, Repaired


def examine(
    home: PathLike | None = None,
    *,
    base: PathLike | None = None,
    deep: bool = False,
    progress: Progress | None = None,
) -> Diagnosis:
    """Look whether the checkpoints under ``home`` (default: HERMES_HOME, else ``~/.hermes``) are as
    they must be; nothing is changed, locked or mended.

    ``base`` names the checkpoint folder itself instead. ``deep`` reads every object, which takes
    about as long as copying the store. ``progress`` is told the name of each check as it begins.
    What could not be looked at is in ``not_looked``, with the reason.

    >>> from hermes_checkpoints import examine
    >>> taken = project.take()
    >>> examine().sound
    True

    Raises:
        BadRequest: when a path is none.
        BaseUnwritable: when the base cannot be reached, or there is no folder for temporary files.
    """
    where = layout(home, base)
    return look.examine(where, deep=flag(deep, "deep"), progress=progress)


def repair(
    home: PathLike | None = None,
    *,
    base: PathLike | None = None,
    config: Config | None = None,
    deep: bool = False,
    diagnosis: Diagnosis | None = None,
    progress: Progress | None = None,
) -> Repaired:
    """Mend what ``diagnosis``, that of ``examine``, found, or what a look finds now; then look
    again. What is wrong is swapped for what is right and kept aside, and nothing is deleted that
    can be restored. The arguments are those of ``examine``; ``config`` replaces ``config.yaml`` for
    what an opening does by its rules.

    >>> from hermes_checkpoints import repair
    >>> taken = project.take()
    >>> repair().done
    ()

    Raises:
        BadRequest: when a path or the configuration is none.
        BaseUnwritable: when the base can only be read.
        LockHeld: when others use it for too long; what was done by then stays.
        CheckpointError: when it cannot be opened even so.
    """
    instance(config, Config, "config")
    found = instance(diagnosis, Diagnosis, "diagnosis")
    where = layout(home, base)
    deep = flag(deep, "deep")
    if found is None:
        found = look.examine(where, deep=deep, progress=progress)
        if found.sound:
            return Repaired((), found)
    return repairing.repair(where, found, config=config, deep=deep, progress=progress)
