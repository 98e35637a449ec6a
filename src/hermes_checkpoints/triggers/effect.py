"""What running a command may do to files, as a value that can be added up."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar


class EffectKind(enum.StrEnum):
    """How much is known about a command."""

    NONE = "none"  # it changes no file
    UNKNOWN = "unknown"  # a program that may do anything
    CHANGES = "changes"  # it creates, changes or deletes files


@dataclass(frozen=True)
class Effect:
    """What a command may do to files.

    ``paths`` are those that it names, as the command wrote them: relative to the directory in
    which it runs, a pattern shortened to the directory above it. ``bounded`` says that nothing
    else can change. ``directories`` are those that it enters, by ``cd``, and runs in what may
    change files.
    """

    kind: EffectKind
    paths: tuple[str, ...] = ()
    bounded: bool = True
    directories: tuple[str, ...] = field(default=(), compare=False)

    NONE: ClassVar[Effect]
    UNKNOWN: ClassVar[Effect]

    @classmethod
    def changes(cls, paths: Iterable[str | None] = ()) -> Effect:
        """Return a change of these paths; None, or no path at all, is one that is not known."""
        named = list(paths)
        known = tuple(dict.fromkeys(path for path in named if path is not None))
        return cls(EffectKind.CHANGES, known, bool(known) and None not in named)

    @property
    def is_change(self) -> bool:
        """Whether the command surely is one that changes files."""
        return self.kind is EffectKind.CHANGES

    def __or__(self, other: Effect) -> Effect:
        """Return the effect of running both."""
        order = list(EffectKind)
        return Effect(
            max(self.kind, other.kind, key=order.index),
            tuple(dict.fromkeys(self.paths + other.paths)),
            self.bounded and other.bounded,
            tuple(dict.fromkeys(self.directories + other.directories)),
        )


Effect.NONE = Effect(EffectKind.NONE)
Effect.UNKNOWN = Effect(EffectKind.UNKNOWN, bounded=False)
