"""What `doctor` finds in a base."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing in a base that is not as it must be, or that people should know.

    ``kind`` is its stable name, such as ``empty-object``; ``where`` the path, ref, id or setting
    that it is about; ``text`` says what is wrong, ``remedy`` what to do. ``repairs`` tells whether
    `doctor --repair` does that. A ``note`` is no fault: nothing has to be done about it. ``check``
    is the name of the check that found it.

    >>> found = Finding("empty-object", "objects/4b/825dc6", "it has no contents", "run it", True)
    >>> found.note
    False
    """

    kind: str
    where: str
    text: str
    remedy: str
    repairs: bool = False
    note: bool = False
    check: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """All that one look at a base found.

    ``looked`` are the names of the checks that were made; ``not_looked`` those that could not be
    made, each with the reason. Where the second is not empty, no findings prove nothing.

    >>> Diagnosis((), ("catalog", "refs"), {}).sound
    True
    """

    findings: tuple[Finding, ...]
    looked: tuple[str, ...]
    not_looked: dict[str, str]

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that something has to be done about."""
        return tuple(one for one in self.findings if not one.note)

    @property
    def sound(self) -> bool:
        """Tell whether everything was looked at and nothing is at fault."""
        return not self.faults and not self.not_looked


@dataclass(frozen=True)
class Repaired:
    """What a repair did, in words for people, and what a look found afterwards.

    >>> Repaired(("2 refs written again",), Diagnosis((), ("refs",), {})).left.sound
    True
    """

    done: tuple[str, ...]
    left: Diagnosis
