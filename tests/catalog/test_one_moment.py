"""What is read in one block is of one moment, whoever writes meanwhile."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path

import pytest

from catalog.direct.test_direct import looking
from catalog.records import Maker, added
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.errors import CatalogBusy
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
    with looking(catalog) as reader, Catalog.open(catalog.path, catalog.path) as other:
        with reader.at_one_moment():
            assert counts(reader) == (1, 1, 1)
            assert reader.checkpoints.get(made._row) == made
            assert counts(reader) == (1, 1, 1)
            Maker(other, 10).project("/srv/b")
            assert counts(reader) == (1, 1, 1)
        assert counts(reader) == (2, 1, 2)


def test_what_is_asked_directly_in_a_block_in_another_is_of_the_outer_moment(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with looking(catalog) as reader:
        with reader.at_one_moment():
            assert counts(reader) == (1, 0, 1)
            make.project("/srv/b")
            with reader.at_one_moment():
                assert counts(reader) == (1, 0, 1)
            assert counts(reader) == (1, 0, 1)
        assert reader.direct() is not None
        assert counts(reader) == (2, 0, 2)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_that_leaves_an_inner_block_reads_by_a_connection_of_its_own(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with catalog.at_one_moment():
        assert counts(catalog) == (1, 0, 1)
        with catalog.at_one_moment():
            make.project("/srv/b")
            child = os.fork()
        if not child:
            seen = (0, 0, 0)
            try:
                seen = counts(catalog)
            finally:
                os._exit(0 if seen == (2, 0, 2) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert counts(catalog) == (1, 0, 1)


def test_a_commit_that_is_refused_is_told_as_busy_and_leaves_no_transaction(
    file: Path, lock: Path, catalog: Catalog
) -> None:
    """Without a log, a commit waits until nobody reads."""
    catalog.close()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM projects").fetchone()
        with Catalog.open(file, lock, busy_timeout=0.01) as opened:
            now = Maker(opened).now()
            for durable in (False, True):
                with pytest.raises(CatalogBusy):
                    opened.settings.set("one", "1", now, durable=durable)
            other.execute("COMMIT")
            assert opened.settings.get("one") is None
            opened.settings.set("one", "2", now, durable=False)
            assert opened.settings.get("one") == "2"
