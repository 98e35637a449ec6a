"""The checkpoint of a time, against the plainest answer."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.records import START, Maker, counted
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import Kind

_NAMES = itertools.count()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, empty_catalog: Path) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("as_of")
    shutil.copy(empty_catalog, folder / "catalog.db")
    with Catalog.open(folder / "catalog.db", folder / "lock") as opened:
        yield opened


_micros = st.integers(-4, 4)


@pytest.mark.campaign
@given(
    rows=st.lists(
        st.tuples(_micros, st.sampled_from(["live", "live", "safety", "gone"])), max_size=6
    ),
    asked=_micros,
)
def test_it_is_the_last_one_taken_until_then(
    shared: Catalog, rows: list[tuple[int, str]], asked: int
) -> None:
    make = Maker(shared)
    project = make.project(f"/srv/{next(_NAMES)}")
    make.checkpoint(make.project(f"/srv/{next(_NAMES)}"), created_at=START)  # another project's
    live = []
    for micros, what in rows:
        kind = Kind.SAFETY if what == "safety" else Kind.AUTO
        at = START + timedelta(microseconds=micros)
        taken = make.checkpoint(project, kind=kind, created_at=at)
        if what == "live":
            live.append(taken)
        if what == "gone":
            shared.checkpoints.mark_pruning({taken._row: "a test"}, START)
            shared.checkpoints.mark_pruned([taken._row])
    until = START + timedelta(microseconds=asked)
    before = [one for one in live if one.created_at <= until]
    expected = max(before, key=lambda one: (one.created_at, one._row), default=None)
    with counted(shared) as statements:
        found = shared.checkpoints.as_of(project.hash, until)
    assert (found and found.id) == (expected and expected.id)
    assert len(statements) == 1
