"""In a session a restore takes that session's work back; another session's stays and is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import interpreters
from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback
from hermes_checkpoints.model import Action, Kind, Taken


def session(name: str) -> CheckpointManager:
    return CheckpointManager(enabled=True, session_id=name)


@pytest.fixture
def both(home: Path, project: Path) -> Path:
    """A and B work in one directory; A writes a.py, B writes b.py, each reported by a tool."""
    for name in ("a.py", "b.py"):
        (project / name).write_text("as it was\n")
    managers = {name: session(name) for name in ("A", "B")}
    for manager in managers.values():
        manager.new_turn()
        manager.ensure_checkpoint(str(project), "before patch")
    for name, manager in managers.items():
        file = project / f"{name.lower()}.py"
        file.write_text(f"by {name}\n")
        manager.record_agent_write(str(file), "patch")
    for manager in managers.values():
        manager.end_turn()
    return project


def contents(project: Path) -> tuple[str, str]:
    return (project / "a.py").read_text(), (project / "b.py").read_text()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("options", ["", " --all"])
def test_rollback_keeps_and_names_the_work_of_another_session(both: Path, options: str) -> None:
    reply = Rollback(both, session_id="A", enabled=True).run(f"/rollback 1{options}")
    assert reply.ok
    assert contents(both) == ("as it was\n", "by B\n")
    assert "  b.py  (B session changed it)" in reply.text.splitlines()
    more = "/rollback 1 --everyone takes back what other sessions changed, too."
    assert more in reply.text.splitlines()
    assert "--all brings edits back" not in reply.text


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("options", ["--everyone", "--exact", "--all --everyone"])
def test_rollback_for_everyone_takes_it_back(both: Path, options: str) -> None:
    reply = Rollback(both, session_id="A", enabled=True).run(f"/rollback 1 {options}")
    assert reply.ok
    assert contents(both) == ("as it was\n", "as it was\n")
    assert "session changed it" not in reply.text


def test_outside_of_sessions_a_rollback_is_for_everyone(both: Path) -> None:
    assert Rollback(both, enabled=True).run("/rollback 1").ok
    assert contents(both) == ("as it was\n", "as it was\n")


def test_a_file_that_is_named_comes_back_whoever_changed_it(both: Path) -> None:
    assert Rollback(both, session_id="A", enabled=True).run("/rollback 1 b.py").ok
    assert contents(both) == ("by A\n", "as it was\n")
    target = session("B").list_checkpoints(str(both))[-1]["hash"]
    assert session("B").restore(str(both), target, "a.py")["success"]
    assert contents(both) == ("as it was\n", "as it was\n")


def test_where_only_others_changed_something_nothing_is_done_and_the_way_out_is_named(
    both: Path,
) -> None:
    rollback = Rollback(both, session_id="C", enabled=True)
    reply = rollback.run("/rollback 1")
    assert not reply.ok
    assert contents(both) == ("by A\n", "by B\n")
    assert reply.text.splitlines()[-1] == "To restore all the same: /rollback 1 --everyone"
    assert rollback.run("/rollback 1 --everyone").ok
    assert contents(both) == ("as it was\n", "as it was\n")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("safe", [True, False])
def test_the_manager_keeps_and_names_the_work_of_another_session(both: Path, safe: bool) -> None:
    manager = session("A")
    target = manager.list_checkpoints(str(both))[0]["hash"]
    if safe:
        plan = manager.safe_restore_plan(str(both), target)
        assert (plan["restore"], plan["skipped"]) == (["a.py"], ["b.py"])
    done = manager.restore(str(both), target, safe=safe)
    assert done["success"]
    assert done["kept"] == [{"path": "b.py", "reason": "B session changed it"}]
    assert contents(both) == ("as it was\n", "by B\n")


def test_overlay_in_a_session_brings_a_persons_edit_back(both: Path) -> None:
    (both / "README.md").write_text("mine\n")
    reply = Rollback(both, session_id="A", enabled=True).run("/rollback 1 --all")
    assert reply.ok
    assert contents(both) == ("as it was\n", "by B\n")
    assert (both / "README.md").read_text() != "mine\n"


def test_the_work_of_a_session_whose_process_is_gone_is_nobody_elses(
    home: Path, project: Path
) -> None:
    work = (
        "import sys; from pathlib import Path; from hermes_checkpoints import CheckpointManager\n"
        "m = CheckpointManager(enabled=True, session_id='yesterday'); p = Path(sys.argv[1])\n"
        "m.ensure_checkpoint(str(p)); (p / 'README.md').write_text('agent'); m.end_turn()"
    )
    assert interpreters.run(work, project).returncode == 0
    reply = Rollback(project, session_id="today", enabled=True).run("/rollback 1")
    assert reply.ok, reply.text
    assert (project / "README.md").read_text() != "agent"


def test_the_undo_of_a_sessions_rollback_leaves_the_others_work(both: Path) -> None:
    rollback = Rollback(both, session_id="A", enabled=True)
    assert rollback.run("/rollback 1").ok
    assert rollback.run("/rollback undo").ok
    assert contents(both) == ("by A\n", "by B\n")


def test_the_typed_api_keeps_it_too(both: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(both)
        for mode in ("keep-edits", "overlay"):
            plan = project.plan_restore("latest", mode=mode, session_id="B")
            assert [(s.path, s.action.value) for s in plan.steps] == [
                ("b.py", "write"),
                ("a.py", "keep"),
            ]


@pytest.mark.campaign
def test_a_session_that_is_over_stays_over_when_its_checkpoints_are_pruned(
    home: Path, project: Path
) -> None:
    """Its last turn says which process it was, for as long as its work may be taken back."""
    agent = interpreters.start("import sys; sys.stdin.read()")
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="A")
        (project / "between").write_text("by A\n")
        pruned = own.take(kind=Kind.AUTO, session_id="B", owner=agent.pid)
        (project / "README.md").write_text("by B\n")
        own.record_agent_write("README.md", session_id="B", tool="patch")
        own.end_turn(session_id="B")
        agent.finish()
        (project / "run.sh").write_text("by A\n")
        own.take(kind=Kind.AUTO, session_id="A")
        (project / "run.sh").write_text("by A again\n")
        own.take(kind=Kind.AUTO, session_id="A")
        oldest = own.list()[-1]
        before = own.plan_restore(oldest, session_id="A").steps
        assert isinstance(pruned, Taken)
        own.drop([pruned.checkpoint, own.list()[1]])
        checkpoints.prune()
        assert len(own.list()) == 2
        assert own.plan_restore(oldest, session_id="A").steps == before
        assert "README.md" in {step.path for step in before if step.action is Action.WRITE}


def test_what_a_session_was_elsewhere_does_not_say_that_it_is_over_here(
    home: Path, project: Path, tmp_path: Path
) -> None:
    """Its process there has ended; what it reports here, without a turn, is of one nobody knows."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    agent = interpreters.start("import sys; sys.stdin.read()")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(elsewhere).take(kind=Kind.AUTO, session_id="A", owner=agent.pid)
        checkpoints.project(elsewhere).end_turn(session_id="A")
        agent.finish()
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="B")
        (project / "README.md").write_text("by A\n")
        own.record_agent_write("README.md", session_id="A", tool="patch")
        (step,) = own.plan_restore("latest", session_id="B").steps
        assert (step.action, step.reason) == (Action.KEEP, "A session changed it")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ["", "no\0thing", "\udc80", "a\nb", "é" * 500])
def test_a_session_may_have_any_text_for_an_id(home: Path, project: Path, name: str) -> None:
    manager = session(name)
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))
    (project / "README.md").write_text("agent\n")
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.project(project).has_turn(session_id=name)
    manager.end_turn()
    (project / "run.sh").write_text("mine\n")
    answer = manager.restore(str(project), "1", safe=True)
    assert (answer["restored_files"], answer["skipped_user_edits"]) == (["README.md"], ["run.sh"])
