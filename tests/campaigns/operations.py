"""The operations that are killed and made to fail, each with the state that it begins from."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from campaigns import oracle
from campaigns.older import make_older
from campaigns.script import Step
from campaigns.world import (
    PLAIN,
    RESTORED,
    RESTORED_KEEPING,
    RESTORED_OVER,
    UNDONE,
    UNDONE_KEEPING,
    UNDONE_OVER,
    WRITTEN,
    World,
)
from damages import DAMAGES


@dataclass(frozen=True)
class Operation:
    """``steps`` makes what a process does. ``home`` is the home, where it is another than the
    world's. ``before`` prepares the world, ``harm`` then makes of the base what the operation is to
    mend: what it held before that must be there afterwards. ``writes`` says that the operation may
    change the working directory: then an undo takes that back, or, for ``ahead``, finishes it."""

    name: str
    steps: Callable[[World], list[Step]]
    state: str = PLAIN
    home: str = ""
    before: Callable[[World], None] = lambda _: None
    harm: Callable[[World], None] = lambda _: None
    writes: bool = False
    ahead: bool = False
    forgets: str = ""
    job: dict[str, Any] = field(default_factory=dict)
    retake: bool = True

    def home_in(self, world: World) -> Path:
        return world.place / self.home if self.home else world.home


def _alpha(act: str, **more: Any) -> Callable[[World], list[Step]]:
    return lambda world: [{"do": act, "project": str(world.alpha), **more}]


def _takes(world: World) -> list[Step]:
    alpha = str(world.alpha)
    return [
        {"do": "see", "project": alpha},
        {"do": "take", "project": alpha, "label": "now", "move": True},
        {"do": "mutate", "project": alpha, "seed": 21},
        {"do": "take", "project": alpha},
    ]


def _partial(world: World) -> list[Step]:
    alpha = str(world.alpha)
    return [
        {"do": "see", "project": alpha},
        {"do": "take", "project": alpha, "about": ["src/app.py", "new/file"]},
    ]


def _seen(**more: Any) -> Callable[[World], list[Step]]:
    def steps(world: World) -> list[Step]:
        alpha = str(world.alpha)
        return [{"do": "see", "project": alpha}, {"project": alpha, **more}]

    return steps


def _into(world: World) -> list[Step]:
    alpha, into = str(world.alpha), str(world.place / "into")
    return [
        {"do": "restore", "project": alpha, "ref": "first", "into": into, "mode": "exact"},
    ]


def _old(version: str) -> Callable[[World], None]:
    def before(world: World) -> None:
        world.old_home(version)

    return before


def _import(version: str) -> Callable[[World], list[Step]]:
    return lambda world: [{"do": "import", "folder": str(world.place / f"home-{version}")}]


def _older(revision: str) -> Operation:
    """Return the opening that upgrades a catalog of an earlier revision."""
    return Operation(
        f"upgrade-{revision}",
        lambda _: [{"do": "status"}],
        harm=lambda world: make_older(oracle.catalog_of(world.home), revision),
    )


def _salvage(name: str, damage: str) -> Operation:
    """Return the repair of a catalog to which a damage of the table was done."""
    (found,) = (one for one in DAMAGES if one.name == damage)
    return Operation(
        name,
        lambda _: [{"do": "repair"}],
        harm=lambda world: found.apply(world.home, random.Random(damage)),  # noqa: S311
        job={"unopened": True},
    )


def _back(state: str, act: str) -> Operation:
    """Return the undo or redo of a restore of another mode than the plain one."""
    mode = state.partition(" ")[0]
    return Operation(f"{act}-{mode}", _seen(do=act), state, writes=True, ahead=act == "undo")


def _moved(world: World) -> None:
    world.alpha.rename(world.moved)


def _session(world: World) -> list[Step]:
    return [
        {"do": "session_write", "session": "s1", "document": {"task": "killed", "n": [1] * 50}},
        {"do": "session_write", "session": "s9", "document": {"task": "new"}},
    ]


FEW_FILES = {"max_files": 3, "max_snapshots": 0}
"""A configuration with which the directory as a whole is refused."""

OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("take", _takes),
        Operation("take-partial", _partial, job={"config": FEW_FILES}),
        Operation(
            "restore-keep-edits",
            _seen(do="restore", ref="latest", mode="keep-edits"),
            WRITTEN,
            writes=True,
        ),
        Operation("restore-overlay", _seen(do="restore", ref="4", mode="overlay"), writes=True),
        Operation("restore-exact", _seen(do="restore", ref="first", mode="exact"), writes=True),
        Operation(
            "restore-paths",
            _seen(do="restore", ref="first", paths=["src", "README.md", "run.sh"]),
            writes=True,
        ),
        Operation("restore-into", _into, before=lambda world: (world.place / "into").mkdir()),
        Operation("undo", _seen(do="undo"), RESTORED, writes=True, ahead=True),
        Operation("redo", _seen(do="redo"), UNDONE, writes=True),
        _back(RESTORED_KEEPING, "undo"),
        _back(RESTORED_OVER, "undo"),
        _back(UNDONE_KEEPING, "redo"),
        _back(UNDONE_OVER, "redo"),
        Operation("prune", lambda _: [{"do": "prune", "keep": 2}]),
        Operation("drop", _alpha("drop", ref="5"), retake=False),
        Operation("forget", _alpha("forget", path="data.bin"), forgets="data.bin", retake=False),
        Operation("clear", lambda _: [{"do": "clear"}]),
        Operation("clear-all", lambda _: [{"do": "clear", "sessions": True}]),
        Operation(
            "rebind",
            lambda w: [{"do": "rebind", "project": str(w.alpha), "new": str(w.moved)}],
            before=_moved,
            retake=False,
        ),
        Operation("import-v1", _import("v1"), before=_old("v1")),
        Operation("import-v2", _import("v2"), before=_old("v2")),
        Operation("adopt-v1", lambda _: [{"do": "status"}], home="home-v1", before=_old("v1")),
        Operation("adopt-v2", lambda _: [{"do": "status"}], home="home-v2", before=_old("v2")),
        Operation("session-write", _session),
        Operation("session-gc", lambda _: [{"do": "session_gc"}]),
        Operation("label", _alpha("label", ref="2", name="first", move=True)),
        Operation("unlabel", _alpha("unlabel", ref="first"), retake=False),
        Operation("pin", _alpha("pin", ref="1")),
        Operation("unpin", _alpha("unpin", ref="2")),
        Operation("turn", _alpha("turn", session="s4", path="README.md")),
        *(_older(revision) for revision in ("0001", "0006", "0011")),
        _salvage("salvage-header", "header of the catalog garbled"),
        _salvage("salvage-page", "page of the catalog garbled"),
        _salvage("salvage-cut", "catalog cut short"),
        _salvage("salvage-none", "catalog removed"),
    )
}


def nth(number: int) -> Operation:
    """Return the operation of a round: they take turns."""
    return list(OPERATIONS.values())[number % len(OPERATIONS)]
