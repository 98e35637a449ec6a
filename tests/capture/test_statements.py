"""Statements of what happens at every turn are made once: SQLAlchemy needs three to six times as
long to make one as to run it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Executable, event
from sqlalchemy.engine import Engine

from hermes_checkpoints import Checkpoints, Config, Project
from hermes_checkpoints.model import Kind
from retention.histories import History


@contextmanager
def statements() -> Iterator[list[Executable]]:
    """Collect the statements that SQLAlchemy is given, as they are."""
    given: list[Executable] = []

    def note(_connection: object, statement: Executable, *_rest: object) -> None:
        given.append(statement)

    event.listen(Engine, "before_execute", note)
    try:
        yield given
    finally:
        event.remove(Engine, "before_execute", note)


def take(project: Project) -> None:
    (project.working_dir / "data").write_bytes(os.urandom(100))
    project.take(kind=Kind.AUTO, session_id="s1", turn=1)


def unchanged(project: Project) -> None:
    project.take(kind=Kind.AUTO, session_id="s1", turn=1)


def turn(project: Project) -> None:
    project.begin_turn(session_id="s1", turn=1)
    project.begin_tool(session_id="s1", tool="write_file")
    (project.working_dir / "data").write_bytes(os.urandom(100))
    project.record_agent_write("data", session_id="s1", turn=1)
    project.end_tool(session_id="s1")
    project.end_turn(session_id="s1")


def restore(project: Project) -> None:
    take(project)
    project.restore("2", "data")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("work", [take, unchanged, turn, restore, Project.list, Project.diff])
def test_a_second_time_needs_no_new_statement(
    history: History, work: Callable[[Project], object]
) -> None:
    folder = history.project()
    with Checkpoints.open(history.home, config=Config(max_snapshots=3)) as checkpoints:
        project = checkpoints.project(folder)
        for _ in range(5):
            take(project)
        work(project)
        with statements() as first:
            work(project)
        with statements() as second:
            work(project)
    known = {id(one) for one in first}
    assert second
    assert [str(one) for one in second if id(one) not in known] == []


def test_neither_do_status_and_opening(history: History) -> None:
    history.takes(history.project(), 2)
    history.checkpoints.close()

    def work() -> None:
        with Checkpoints.open(history.home) as checkpoints:
            checkpoints.status()

    work()
    with statements() as first:
        work()
    with statements() as second:
        work()
    known = {id(one) for one in first}
    assert [str(one) for one in second if id(one) not in known] == []
    assert len(second) <= 30
