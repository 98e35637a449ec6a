"""What the store takes, and whether it has grown, as rows alone say it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.records import START
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.keys import MEASURED, PRUNED, STORE_GROWTH
from retention.rows import facts, fill, new_catalog, project, row

AT = START.isoformat()
ODD = [
    *("", "null", "7", "[]", "{", '"x"', "{}", '{"bytes": 1}'),
    '{"bytes": 1, "through": 1, "at": "x"}',
    *(json.dumps({"bytes": 1, "growth": 0, "at": at}) for at in ("x", "12:00", None, 7, "now")),
    *(json.dumps({"bytes": one, "growth": 0, "at": AT}) for one in (None, "1", 1.5, [1])),
    json.dumps({"bytes": 1, "growth": None, "at": AT}),
]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory, empty_catalog: Path) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("store")
    shutil.copy(empty_catalog, folder)
    with new_catalog(folder) as opened:
        listed = [row(1, added=30), row(2, added=5, state="pruned"), row(3, 2, added=7)]
        fill(opened, facts([project(), project(2)], listed))
        yield opened


SMALL = st.integers(0, 9)


@given(
    st.one_of(st.none(), st.tuples(SMALL, SMALL)),
    st.one_of(st.none(), SMALL),
    st.one_of(st.none(), SMALL),
)
def test_the_store_takes_what_was_measured_and_what_takes_added_since(
    catalog: Catalog, measured: tuple[int, int] | None, growth: int | None, pruned: int | None
) -> None:
    told = None
    if measured is not None:
        told = json.dumps({"bytes": measured[0], "growth": measured[1], "at": AT})
    values = {MEASURED: told, STORE_GROWTH: growth, PRUNED: pruned}
    for name, value in values.items():
        catalog.settings.set(name, "" if value is None else str(value), START)
    size, at, grown = catalog.usage.store()
    if measured is None:
        assert (size, at) == (None, None)
    else:
        assert (size, at) == (max(0, measured[0] + (growth or 0) - measured[1]), AT)
    assert grown is (pruned is None or pruned != (growth or 0))


@pytest.mark.parametrize("told", ODD)
def test_what_is_no_measure_counts_for_none(catalog: Catalog, told: str) -> None:
    catalog.settings.set(MEASURED, told, START)
    assert catalog.usage.store()[:2] == (None, None)
    assert catalog.usage.added() == 42, "this counts then: what all checkpoints ever added"


def test_a_catalog_without_any_of_the_settings_has_grown_by_nothing(
    tmp_path: Path, empty_catalog: Path
) -> None:
    shutil.copy(empty_catalog, tmp_path)
    with new_catalog(tmp_path) as opened:
        assert opened.usage.store() == (None, None, True), "no prune was ever planned for the cap"
