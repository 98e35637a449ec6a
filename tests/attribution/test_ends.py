"""What the end of a turn costs, and what it separates: an edit after it is a person's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.catalog.direct.reader import Reader
from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.object_store import Survey

Git = Any


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the surveys, and the transactions that write: those that wait for the disk apart."""
    counts: Counter[str] = Counter()
    surveying, writing = Workspace.surveying, Transactions.writing
    directly = Reader.writing

    def counted(self: Workspace) -> AbstractContextManager[Callable[[], Survey]]:
        counts["surveys"] += 1
        return surveying(self)

    @contextmanager
    def noted(self: Transactions, *, durable: bool = True, **options: Any) -> Iterator[Any]:
        if self._begun() is None:
            counts["durable" if durable else "quick"] += 1
        with writing(self, durable=durable, **options) as connection:
            yield connection

    @contextmanager
    def noted_directly(self: Reader, *, durable: bool) -> Iterator[None]:
        if not self._connection.in_transaction:
            counts["durable" if durable else "quick"] += 1
        with directly(self, durable=durable):
            yield

    monkeypatch.setattr(Workspace, "surveying", counted)
    monkeypatch.setattr(Reader, "writing", noted_directly)
    monkeypatch.setattr(Transactions, "writing", noted)
    return counts


@pytest.fixture
def agent(home: Path, project: Path, git_processes: Git) -> CheckpointManager:
    """The manager of a session whose turn is open in the project."""
    manager = CheckpointManager(enabled=True, session_id="s1", working_dir=project)
    for _ in range(2):
        manager.new_turn()
        manager.ensure_checkpoint(str(project), "before")
    return manager


def stays(project: Path) -> set[str]:
    """Take the session's work back to its first checkpoint; return the paths that stayed."""
    with Checkpoints.open() as checkpoints:
        oldest = checkpoints.project(project).list()[-1]
    reply = Rollback(project, session_id="s1", enabled=True).run(f"/rollback {oldest.id}")
    assert reply.restored is not None, reply.text
    return {step.path for step in reply.restored.kept}


def test_the_end_of_a_turn_is_one_survey_that_waits_for_no_disk(
    agent: CheckpointManager, costs: Counter[str], git_processes: Git
) -> None:
    git_processes.reset()
    agent.end_turn()
    assert costs == {"surveys": 1, "quick": 1}
    assert git_processes.count() == 2, "those of the survey"


def test_a_take_without_a_change_is_one_survey_and_waits_for_the_disk_once(
    agent: CheckpointManager, project: Path, costs: Counter[str], git_processes: Git
) -> None:
    agent.new_turn()
    costs.clear()
    git_processes.reset()
    assert not agent.ensure_checkpoint(str(project))
    assert costs == {"surveys": 1, "durable": 1}
    assert git_processes.count() == 2, "those of the survey"


def test_an_end_without_a_turn_writes_nothing_and_looks_at_nothing(
    agent: CheckpointManager, costs: Counter[str], git_processes: Git
) -> None:
    agent.end_turn()
    costs.clear()
    git_processes.reset()
    for _ in range(3):
        agent.new_turn()
        agent.end_turn()
    assert not costs
    assert not git_processes.count()


def test_an_edit_between_the_end_of_a_turn_and_the_next_take_is_a_persons(
    agent: CheckpointManager, project: Path
) -> None:
    (project / "README.md").write_text("agent\n")
    agent.new_turn()
    (project / "src/app.py").write_text("mine\n")
    assert agent.ensure_checkpoint(str(project))
    assert stays(project) == {"src/app.py"}


def test_an_edit_that_takes_the_agents_back_between_two_turns_is_an_edit(
    agent: CheckpointManager, project: Path
) -> None:
    """The next take sees nothing of it: only the look at the end of the turn does."""
    before = (project / "README.md").read_bytes()
    (project / "README.md").write_text("agent\n")
    (project / "made.txt").write_text("agent\n")
    agent.new_turn()
    (project / "README.md").write_bytes(before)
    (project / "made.txt").unlink()
    assert not agent.ensure_checkpoint(str(project)), "all is as it was"
    (project / "README.md").write_text("agent again\n")
    (project / "made.txt").write_text("agent again\n")
    agent.end_turn()
    assert stays(project) == {"README.md", "made.txt"}


def test_nothing_between_two_turns_is_the_agents_in_both(
    agent: CheckpointManager, project: Path
) -> None:
    (project / "README.md").write_text("agent\n")
    agent.new_turn()
    assert agent.ensure_checkpoint(str(project))
    (project / "src/app.py").write_text("agent\n")
    agent.end_turn()
    assert stays(project) == set()
