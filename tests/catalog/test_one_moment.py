"""What is read in one block is of one moment, whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest

from catalog.direct.test_direct import looking
from catalog.records import Maker, added
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import ProjectState

Opened = Callable[[Catalog], AbstractContextManager[Catalog]]
WAYS: dict[str, Opened] = {"whole": nullcontext, "direct": looking}


def counts(catalog: Catalog) -> tuple[int, int, int]:
    """Return how many projects and checkpoints there are, by three statements."""
    return (*catalog.status.totals(), len(catalog.projects.all()))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_another_writes_meanwhile_is_seen_after_the_block(
    catalog: Catalog, make: Maker, way: Opened
) -> None:
    make.checkpoint(make.project("/srv/a"), changes=[added("a")])
    with way(catalog) as reader, Catalog.open(catalog.path, catalog.path) as other:
        with reader.at_one_moment():
            assert counts(reader) == (1, 1, 1)
            Maker(other, 10).checkpoint(Maker(other, 20).project("/srv/b"), changes=[added("b")])
            assert counts(reader) == (1, 1, 1)
        assert counts(reader) == (2, 2, 2)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_the_block_itself_writes_is_kept_and_seen_after_it(
    catalog: Catalog, make: Maker, way: Opened
) -> None:
    project = make.project("/srv/a")
    with way(catalog) as reader:
        with reader.at_one_moment():
            before = reader.projects.all()
            reader.projects.set_states({project.hash: ProjectState.UNREACHABLE}, make.now())
        (after,) = reader.projects.all()
    assert [one.state for one in before] == [ProjectState.LIVE]
    assert after.state is ProjectState.UNREACHABLE


def test_a_block_may_lie_in_another_and_in_what_is_written_together(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with catalog.at_one_moment():
        with catalog.at_one_moment():
            assert counts(catalog) == (1, 0, 1)
        make.project("/srv/b")
        assert counts(catalog) == (1, 0, 1), "the outer block is not over"
    with catalog.together():
        make.project("/srv/c")
        with catalog.at_one_moment():
            assert counts(catalog) == (3, 0, 3)
    assert counts(catalog) == (3, 0, 3)


def test_a_question_that_only_the_whole_catalog_answers_is_answered_in_the_block(
    catalog: Catalog, make: Maker
) -> None:
    made = make.checkpoint(make.project("/srv/a"), changes=[added("a")])
    with looking(catalog) as reader, reader.at_one_moment():
        assert counts(reader) == (1, 1, 1)
        assert reader.checkpoints.get(made._row) == made
        assert counts(reader) == (1, 1, 1)
