"""A base with a clock that the test moves, and the sessions in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointStore
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import SessionsConfig
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.sessions.sessions import Sessions


@dataclass
class Clock:
    """Tells the time that it was given, one microsecond later at each look."""

    moment: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(microseconds=1)
        return self.moment

    def go(self, **duration: float) -> None:
        self.moment += timedelta(**duration)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(home: Path, clock: Clock) -> Iterator[Base]:
    opened = replace(Base.open(Layout.of(home)), now=clock)
    yield opened
    opened.catalog.close()


@pytest.fixture
def sessions(base: Base) -> Sessions:
    return Sessions(base)


@pytest.fixture
def mirrored(base: Base) -> Sessions:
    return Sessions(base, SessionsConfig(mirror_yaml=True))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CheckpointStore]:
    with CheckpointStore(tmp_path / "base") as opened:
        yield opened
