"""The agent's changes taken out of a file that a person has changed, too."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Action, Actor, BadRequest, Checkpoints, TreeChanged
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Kind, RestorePlan, Taken
from hermes_checkpoints.restore.merging import FOLDED, MERGED
from restore.both_changed import NAME, agent_writes, lines_of, poem, prepare, write
from support import everything


@pytest.fixture
def begun(home: Path, project: Path) -> Iterator[Project]:
    """A project with a poem, and the checkpoint with which the agent began."""
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        prepare(of, NAME, "other.txt")
        yield of


def merged(project: Project, *paths: str) -> RestorePlan:
    oldest = project.list()[-1]
    return project.plan_restore(oldest, paths or None, merge=True)


def reason(plan: RestorePlan, path: str = NAME) -> str:
    step = plan.step_of(path)
    assert step is not None
    return f"{step.action}: {step.reason}"


def test_the_agents_changes_go_and_a_persons_stay(begun: Project) -> None:
    folder = begun.working_dir
    agent_writes(begun, {NAME: poem(5, 20, by="agent"), "other.txt": "agent\n", "new.txt": "new"})
    write(folder, {NAME: poem(1, 35, text=lines_of(poem(5, 20, by="agent"))), "mine.txt": "m"})
    before = everything(folder)
    assert begun.plan_restore("latest").of(Action.WRITE)[0].path == "other.txt"
    plan = merged(begun)
    assert {s.path: s.reason for s in plan.of(Action.WRITE)}[NAME] == MERGED
    restored = begun.restore(plan.checkpoint, plan=plan)
    assert restored.complete
    assert (folder / NAME).read_text() == poem(1, 35)
    assert (folder / "other.txt").read_text() == poem()
    assert not (folder / "new.txt").exists()
    assert (folder / "mine.txt").exists()
    assert begun.who(NAME)[0].actor is Actor.PERSON
    assert reason(merged(begun)).endswith(
        "; not merged: nothing of what the agent did is left in it"
    )
    begun.undo()
    assert everything(folder) == before
    begun.redo()
    assert (folder / NAME).read_text() == poem(1, 35)


@pytest.mark.campaign
def test_a_restore_merges_without_a_plan_of_its_own(begun: Project) -> None:
    agent_writes(begun, {NAME: poem(5, by="agent")})
    write(begun.working_dir, {NAME: poem(1, text=lines_of(poem(5, by="agent")))})
    with pytest.raises(BadRequest, match="give `merge` to `plan_restore`"):
        begun.restore("latest", plan=merged(begun), merge=True)
    assert [step.reason for step in begun.restore("latest", merge=True).done] == [MERGED]
    assert (begun.working_dir / NAME).read_text() == poem(1)


def test_each_stretch_of_the_agents_work_is_taken_out_by_itself(begun: Project) -> None:
    """The agent, a person, the agent again, and the person: also at the same line."""
    first = poem(5, by="agent")
    agent_writes(begun, {NAME: first})
    second = poem(10, text=lines_of(first))
    write(begun.working_dir, {NAME: second})
    third = poem(10, 30, by="agent", text=lines_of(second))
    agent_writes(begun, {NAME: third})
    write(begun.working_dir, {NAME: poem(35, text=lines_of(third))})
    plan = merged(begun)
    assert plan.contents == {NAME: poem(10, 35).encode()}


def test_what_a_person_wrote_before_the_agent_comes_back(begun: Project) -> None:
    begun.end_turn(session_id="s")
    write(begun.working_dir, {NAME: poem(3)})
    begun.take(kind=Kind.AUTO, session_id="s")
    agent_writes(begun, {NAME: "all of it is the agent's\n"})
    assert merged(begun).contents == {NAME: poem(3).encode()}


def test_what_a_person_takes_over_from_the_agent_by_hand_is_theirs(begun: Project) -> None:
    """Merged out, or put back by hand, and then typed again: also a mode, and a line deleted."""
    agents = lines_of(poem(5, 20, by="agent"))
    del agents[30]
    agent_writes(begun, {NAME: "".join(agents)}, mode=0o755)
    write(begun.working_dir, {NAME: poem(1, text=agents)})
    plan = merged(begun)
    assert begun.restore(plan.checkpoint, plan=plan).complete
    typed = lines_of(poem(1, text=lines_of(poem(5, by="agent"))))
    del typed[30]
    write(begun.working_dir, {NAME: "".join(typed)}, mode=0o755)
    assert reason(merged(begun)).endswith(
        "; not merged: nothing of what the agent did is left in it"
    )
    agent_writes(begun, {NAME: poem(10, by="agent", text=typed)})
    plan = merged(begun)
    assert plan.contents == {NAME: "".join(typed).encode()}
    step = plan.step_of(NAME)
    assert step is not None
    assert step.mode == stat.S_IFREG | 0o755


def test_named_files_are_merged_and_not_overwritten(begun: Project) -> None:
    files = {NAME: poem(5, by="agent"), "other.txt": poem(5, by="agent")}
    agent_writes(begun, {**files})
    write(begun.working_dir, {name: poem(1, text=lines_of(text)) for name, text in files.items()})
    assert merged(begun, NAME).contents == {NAME: poem(1).encode()}
    restored = begun.restore("latest", plan=merged(begun, NAME))
    assert [step.path for step in restored.done] == [NAME]


def test_conflicts_are_kept_unless_they_are_chosen(begun: Project) -> None:
    agent_writes(begun, {NAME: poem(5, 20, by="agent")})
    write(begun.working_dir, {NAME: poem(5, 35, text=lines_of(poem(20, by="agent")))})
    before = everything(begun.working_dir)
    plan = merged(begun)
    assert plan.keeps_all
    assert reason(plan) == (
        "keep: you changed it after the agent; not merged: 1 conflict with what the agent changed"
    )
    restored = begun.restore(plan.checkpoint, plan=plan)
    assert restored.kept_all
    assert everything(begun.working_dir) == before
    conflict = plan.conflicts[NAME]
    chosen = plan.writing(NAME, conflict.contents, "chosen", mode=conflict.mode)
    assert not chosen.conflicts
    assert begun.restore(plan.checkpoint, plan=chosen).complete
    written = (begun.working_dir / NAME).read_text()
    assert "<<<<<<< as it is now\nme 5\n=======\nline 5\n>>>>>>> before the agent" in written
    assert ("line 20\n" in written, "me 35\n" in written) == (True, True)
    begun.undo()
    assert everything(begun.working_dir) == before


def test_a_file_that_changes_after_the_plan_is_not_written(begun: Project) -> None:
    agent_writes(begun, {NAME: poem(5, by="agent")})
    write(begun.working_dir, {NAME: poem(1, text=lines_of(poem(5, by="agent")))})
    plan = merged(begun)
    write(begun.working_dir, {NAME: "later\n"})
    with pytest.raises(TreeChanged):
        begun.restore(plan.checkpoint, plan=plan)
    assert (begun.working_dir / NAME).read_text() == "later\n"


def test_what_is_no_text_stays_and_says_why(begun: Project) -> None:
    agent_writes(begun, {NAME: b"\0agent"})
    write(begun.working_dir, {NAME: b"\0mine"})
    assert reason(merged(begun)).endswith("; not merged: it is no text")


@pytest.mark.campaign
def test_what_is_very_large_is_neither_merged_nor_shown_by_parts(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=50)) as checkpoints:
        of = checkpoints.project(project)
        prepare(of)
        agent_writes(of, {NAME: b"agent\n" * (3 << 20)})
        write(project, {NAME: b"mine\n"})
        assert reason(merged(of)).endswith("; not merged: it is too large")
        write(project, {NAME: b"large\n" * (3 << 20)})
        assert of.parts_of(of.plan_restore("latest", to_choose=True), NAME) is None


def test_contents_that_the_store_lost_are_not_guessed(begun: Project, home: Path) -> None:
    agent_writes(begun, {NAME: poem(5, by="agent")})
    write(begun.working_dir, {NAME: poem(1, text=lines_of(poem(5, by="agent")))})
    blob = begun.who(NAME)[0].blob
    assert blob is not None
    (home / "checkpoints/store/objects" / blob[:2] / blob[2:]).unlink()
    assert reason(merged(begun)).endswith(
        "; not merged: the object store lacks what the agent left or found there"
    )


@pytest.mark.campaign
def test_where_checkpoints_in_between_were_pruned_nothing_is_taken_for_the_agents(
    begun: Project,
) -> None:
    """The record is folded then: a person's change before the agent's is in the agent's event."""
    begun.end_turn(session_id="s")
    write(begun.working_dir, {NAME: poem(1)})
    second = begun.take(kind=Kind.AUTO, session_id="s")
    assert isinstance(second, Taken)
    agent_writes(begun, {NAME: poem(5, by="agent", text=lines_of(poem(1)))})
    write(begun.working_dir, {NAME: poem(1, 35, text=lines_of(poem(5, by="agent")))})
    begun.take()
    assert merged(begun).contents == {NAME: poem(1, 35).encode()}
    begun.drop([second.checkpoint])
    assert reason(merged(begun)).endswith(f"; not merged: {FOLDED}")
    plan = begun.plan_restore(begun.list()[-1], to_choose=True)
    found = begun.parts_of(plan, NAME)
    assert found is not None
    assert (len(found.parts), found.agents, found.others) == (3, frozenset(), frozenset())


def test_where_the_record_has_a_gap_nothing_is_merged(begun: Project) -> None:
    """An agent that was killed: what it and a person did since nobody can tell apart."""
    agent_writes(begun, {NAME: poem(5, by="agent")})
    write(begun.working_dir, {NAME: None})
    begun.take(kind=Kind.AUTO, session_id="s")
    begun.end_turn(session_id="s")
    write(begun.working_dir, {NAME: poem(9)})
    assert reason(merged(begun)).endswith(
        "; not merged: it was no file, or not captured, in between"
    )


def test_line_ends_and_bytes_that_are_no_text_survive(begun: Project) -> None:
    then = b"a\r\nb\r\n\xff\xfe\r\nc\r\nd\r\ne\r\nf"
    write(begun.working_dir, {NAME: then})
    begun.end_turn(session_id="s")
    begun.take()
    begun.take(kind=Kind.AUTO, session_id="s")
    agents = then.replace(b"b\r\n", b"agent\r\n")
    agent_writes(begun, {NAME: agents})
    write(begun.working_dir, {NAME: agents.replace(b"e\r\nf", b"e\r\nmine")})
    plan = begun.plan_restore("latest", merge=True)
    assert plan.contents == {NAME: then.replace(b"e\r\nf", b"e\r\nmine")}


def test_permissions_of_the_agent_go_too_and_set_id_bits_are_never_given(begun: Project) -> None:
    file = begun.working_dir / NAME
    agent_writes(begun, {NAME: poem(5, by="agent")}, mode=0o755)
    write(begun.working_dir, {NAME: poem(1, text=lines_of(poem(5, by="agent")))})
    begun.restore("latest", plan=merged(begun))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (poem(1), 0o644)
