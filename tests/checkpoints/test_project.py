"""The handle of a project and the base as a whole, asked as somebody asks who does not know them:
wrong types, unknown projects, plans of something else, directories that moved."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import (
    BadDirectory,
    BadRequest,
    Checkpoint,
    CheckpointError,
    CheckpointForeign,
    CheckpointPruned,
    Checkpoints,
    CheckpointUnknown,
    Failed,
    Mode,
    PathRefused,
    PathUnknown,
    Policy,
    Project,
    ProjectUnknown,
    PruneOptions,
    Skipped,
    Taken,
    TreeChanged,
    Unchanged,
)
from support import files, make_project

Call = Callable[[Any], object]


def taken(project: Project, reason: str = "manual", **options: Any) -> Checkpoint:
    """Take a checkpoint, which must be a new one."""
    outcome = project.take(reason, **options)
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def refused(outcome: object) -> str:
    """Return why a take was refused for a wrong argument."""
    assert isinstance(outcome, Failed), outcome
    assert isinstance(outcome.error, BadRequest), outcome
    return str(outcome.error)


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home) as opened:
        yield opened


def made_handle(checkpoints: Checkpoints, project: Path) -> Project:
    """Return a project with two checkpoints, between which src/app.py changed, and one change
    since."""
    made = checkpoints.project(project)
    taken(made, "first")
    (project / "src/app.py").write_text("second\n")
    taken(made, "second")
    (project / "src/app.py").write_text("present\n")
    return made


@pytest.fixture
def handle(checkpoints: Checkpoints, project: Path) -> Project:
    """A project as ``made_handle`` makes it."""
    return made_handle(checkpoints, project)


@dataclass(frozen=True)
class Shared:
    """Open checkpoints with a handle as ``handle`` and one as ``other``, for tests that change
    neither."""

    checkpoints: Checkpoints
    handle: Project
    other: Project


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("shared").resolve()
    with Checkpoints.open(folder / "home") as opened:
        handle = made_handle(opened, make_project(folder / "project"))
        other = opened.project(make_project(folder / "other"))
        taken(other, "of the other")
        yield Shared(opened, handle, other)


@pytest.fixture
def other(checkpoints: Checkpoints, tmp_path: Path) -> Project:
    """Another project with one checkpoint."""
    made = checkpoints.project(make_project(tmp_path / "other"))
    taken(made, "of the other")
    return made


# --- references --------------------------------------------------------------------------------

BY_REFERENCE: dict[str, Callable[[Project, Any], object]] = {
    "get": lambda p, ref: p.get(ref),
    "changes": lambda p, ref: p.changes(ref),
    "skipped": lambda p, ref: p.skipped(ref),
    "left_out": lambda p, ref: p.left_out(ref),
    "former_ids": lambda p, ref: p.former_ids(ref),
    "diff": lambda p, ref: p.diff(ref),
    "diff with another": lambda p, ref: p.diff("latest", ref),
    "read_file": lambda p, ref: p.read_file(ref, "src/app.py"),
    "plan_restore": lambda p, ref: p.plan_restore(ref),
    "restore": lambda p, ref: p.restore(ref),
    "pin": lambda p, ref: p.pin(ref),
    "unpin": lambda p, ref: p.unpin(ref),
    "label": lambda p, ref: p.label(ref, "name"),
    "unlabel": lambda p, ref: p.unlabel(ref),
    "plan_drop": lambda p, ref: p.plan_drop(ref),
    "plan_drop of several": lambda p, ref: p.plan_drop(["latest", ref]),
    "drop": lambda p, ref: p.drop(ref),
}


@pytest.mark.parametrize("method", BY_REFERENCE)
def test_what_is_no_reference_is_refused_and_changes_nothing(shared: Shared, method: str) -> None:
    handle = shared.handle
    before, listed = files(handle.working_dir), handle.list()
    for reference in (1, -1, None, True, 1.0, b"1", Path("latest"), object(), handle):
        if reference is None and method == "diff with another":
            continue  # the working directory
        with pytest.raises(BadRequest, match="no reference to a checkpoint"):
            BY_REFERENCE[method](handle, reference)
    assert (files(handle.working_dir), handle.list()) == (before, listed)


@pytest.mark.parametrize("method", BY_REFERENCE)
def test_a_checkpoint_of_another_project_is_refused(shared: Shared, method: str) -> None:
    handle, other = shared.handle, shared.other
    with pytest.raises(CheckpointForeign, match=str(other.working_dir)):
        BY_REFERENCE[method](handle, other.get())


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("method", BY_REFERENCE)
def test_a_checkpoint_that_was_pruned_is_refused(handle: Project, method: str) -> None:
    former = handle.get("2")
    handle.drop(former, options=PruneOptions(reclaim=False))
    with pytest.raises(CheckpointPruned, match="dropped by hand"):
        BY_REFERENCE[method](handle, former)


def test_a_checkpoint_is_told_as_it_is_now_not_as_it_was(handle: Project) -> None:
    before = handle.get()
    handle.label(before, "release")
    assert before.label is None
    assert handle.get(before).label == "release"


def test_references_come_as_one_or_several(handle: Project) -> None:
    newest, oldest = handle.list()
    for references in (oldest, oldest.id, "2", [oldest], (r for r in ["2"]), {"2"}):
        assert [d.checkpoint.id for d in handle.plan_drop(references).drop] == [oldest.id]
    assert {d.checkpoint.id for d in handle.plan_drop(["1", "2"]).drop} == {newest.id, oldest.id}
    assert handle.plan_drop([]).drop == ()


# --- paths ---------------------------------------------------------------------------------------

SEVERAL: dict[str, Callable[[Project, Any], list[str]]] = {
    "diff": lambda p, paths: [c.path for c in p.diff("2", paths=paths).changes],
    "plan_restore": lambda p, paths: [s.path for s in p.plan_restore("2", paths).steps],
    "restore": lambda p, paths: [s.path for s in p.restore("2", paths, mode="exact").done],
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("method", SEVERAL)
def test_paths_come_as_one_or_several(handle: Project, method: str) -> None:
    app = handle.working_dir / "src/app.py"
    for paths in ("src/app.py", "src", Path("src/app.py"), ["src/app.py"], ("src/app.py",),
                  (p for p in [Path("src/app.py")]), {"src/app.py"}):  # fmt: skip
        app.write_text("present\n")
        assert SEVERAL[method](handle, paths) == ["src/app.py"]


@pytest.mark.parametrize("method", SEVERAL)
def test_an_empty_list_of_paths_is_none_of_them(handle: Project, method: str) -> None:
    before = files(handle.working_dir)
    assert SEVERAL[method](handle, []) == []
    assert files(handle.working_dir) == before


@pytest.mark.campaign
def test_a_diff_of_a_path_that_neither_side_has_is_refused(handle: Project) -> None:
    root = handle.working_dir
    with (root / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    (root / "empty").mkdir()
    newest = taken(handle)
    (root / "new.txt").write_text("new\n")
    for path in ("src", "src/app.py", "empty", "new.txt", "huge.dat"):
        handle.diff(newest, paths=path)
    for path in ("nosuch", "src/nosuch", "*.py", "src/app.py/x"):
        with pytest.raises(PathUnknown, match=r"neither checkpoint .* nor the working directory"):
            handle.diff(newest, paths=["src", path])
    with pytest.raises(PathUnknown, match=r"neither checkpoint .* nor checkpoint .* holds"):
        handle.diff(newest, "2", paths="new.txt")
    assert handle.diff(newest, "2", paths="empty").skipped == ()


def test_what_a_checkpoint_holds(handle: Project) -> None:
    (handle.working_dir / "empty").mkdir()
    newest = taken(handle)
    for path in ("src", "src/", Path("src/app.py"), "empty"):
        assert handle.holds(newest, path)
    assert not handle.holds("2", "empty")
    for path in ("nosuch", "src/*", "src/app.py/x"):
        assert not handle.holds(newest, path)
    with pytest.raises(PathRefused):
        handle.holds(newest, "../src")


def test_the_text_of_a_diff_of_no_path_is_empty(handle: Project) -> None:
    found = handle.diff("2", paths=[])
    assert (found.stat, found.text) == ("", "")
    assert handle.diff("2").text


@pytest.mark.parametrize("method", SEVERAL)
@pytest.mark.parametrize("paths", [1, 1.5, b"src", object(), [1], [None], [b"src"], ["src", 1]])
def test_what_is_no_path_is_refused(shared: Shared, method: str, paths: Any) -> None:
    handle = shared.handle
    before = files(handle.working_dir)
    with pytest.raises(BadRequest, match="no path"):
        SEVERAL[method](handle, paths)
    assert files(handle.working_dir) == before


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("path", "error"),
    [
        (1, BadRequest),
        (None, BadRequest),
        (b"src/app.py", BadRequest),
        (["src/app.py"], BadRequest),
        ("", BadRequest),
        ("a\0b", BadRequest),
        ("\ud800", BadRequest),
        ("..", PathRefused),
        (Path("/etc/passwd"), PathRefused),
        ("src/nothing.py", PathUnknown),
    ],
)
def test_one_path_is_text_or_a_path_object(
    handle: Project, path: Any, error: type[CheckpointError]
) -> None:
    for action in (handle.who, lambda one: handle.read_file("latest", one)):
        with pytest.raises(error):
            action(path)
    if error is not PathUnknown:
        with pytest.raises(error):
            handle.record_agent_write(path)


# --- other arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["nonsense", "EXACT", "", 1, b"exact", []])
def test_what_is_no_mode_is_refused_with_the_modes(shared: Shared, mode: Any) -> None:
    handle = shared.handle
    for action in (handle.plan_restore, handle.restore):
        with pytest.raises(BadRequest, match="keep-edits, overlay, exact"):
            action("2", mode=mode)


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"reason": None}, "the reason of a checkpoint is text"),
        ({"reason": b"x"}, "the reason of a checkpoint is text"),
        ({"kind": "nonsense"}, "no kind of checkpoint"),
        ({"kind": None}, "no kind of checkpoint"),
        ({"label": 7}, "a label is text"),
        ({"label": b"x"}, "a label is text"),
        ({"label": "latest"}, "invalid label"),
        ({"label": "12"}, "invalid label"),
        ({"label": "abcd"}, "invalid label"),
        ({"session_id": 7}, "the id of a session is text"),
        ({"turn": "1"}, "a turn is a whole number"),
        ({"turn": -1}, "a turn is a whole number"),
        ({"turn": True}, "a turn is a whole number"),
        ({"message_count": 1.5}, "the number of messages is a whole number"),
        ({"message_count": 2**63}, "the number of messages is too large"),
    ],
)
def test_a_take_with_a_wrong_argument_fails_and_is_in_the_journal(
    checkpoints: Checkpoints, handle: Project, options: dict[str, Any], reason: str
) -> None:
    listed = handle.list()
    assert reason in refused(handle.take(**options))
    assert handle.list() == listed
    failures = {run.working_dir: run for run in checkpoints.status().failures}
    assert reason in failures[str(handle.working_dir)].last_error
    assert isinstance(handle.take("and then a good one"), Taken)


def test_a_label_that_is_given_with_a_take_finds_it(handle: Project) -> None:
    made = taken(handle, label=" before release ")
    assert made.label == "before release"
    assert handle.get("before release") == made


@pytest.mark.parametrize("name", [7, None, b"x", Path("x"), "", "latest", "12", "abcd", "x" * 101])
def test_a_label_that_could_not_be_found_is_refused(shared: Shared, name: Any) -> None:
    handle = shared.handle
    with pytest.raises(BadRequest, match="label"):
        handle.label("latest", name)
    assert handle.get().label is None


@pytest.mark.parametrize("limit", ["2", -1, 1.5, True, b"2"])
def test_a_limit_is_a_whole_number(shared: Shared, limit: Any) -> None:
    checkpoints, handle = shared.checkpoints, shared.handle
    for action in (lambda: handle.list(limit=limit), lambda: checkpoints.status(limit=limit)):
        with pytest.raises(BadRequest, match="the limit of a list is a whole number"):
            action()
    assert len(handle.list(limit=1)) == 1
    assert handle.list(limit=0) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.list(session_id=7),
        lambda p: p.plan_restore("2", session_id=7),
        lambda p: p.restore("2", session_id=b"x"),
        lambda p: p.end_turn(session_id=7),
        lambda p: p.record_agent_write("src/app.py", session_id=7),
        lambda p: p.record_agent_write("src/app.py", turn="1"),
        lambda p: p.record_agent_write("src/app.py", tool=7),
        lambda p: p.plan_restore("2", into=7, mode="overlay"),
        lambda p: p.restore("2", plan="plan"),
        lambda p: p.restore("2", plan={}),
        lambda p: p.restore("2", plan=p.plan_drop("2")),
        lambda p: p.drop("2", include_pinned="no"),
        lambda p: p.drop("2", plan=False),
        lambda p: p.drop("2", plan=p.plan_restore("2")),
        lambda p: p.drop("2", options=7),
    ],
)
def test_any_other_wrong_type_is_refused_and_changes_nothing(shared: Shared, call: Call) -> None:
    handle = shared.handle
    before, listed = files(handle.working_dir), handle.list()
    with pytest.raises(BadRequest):
        call(handle)
    assert (files(handle.working_dir), handle.list()) == (before, listed)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.prune(plan={}),
        lambda c: c.prune(plan=0),
        lambda c: c.prune(plan="latest"),
        lambda c: c.prune(options="quick"),
        lambda c: c.plan_prune(policy={}),
        lambda c: c.plan_prune(policy=7),
        lambda c: c.plan_prune(options={}),
        lambda c: c.plan_prune(reclaim_bytes=-1),
        lambda c: c.plan_prune(reclaim_bytes="1"),
        lambda c: c.find(12345678),
        lambda c: c.clear(plan={}),
        lambda c: c.clear(plan=c.plan_prune()),
        lambda c: c.clear(sessions="no"),
        lambda c: c.plan_clear(sessions=1),
        lambda c: c.clear_legacy(plan=False),
        lambda c: c.rebind("nowhere", ".", plan={}),
        lambda c: c.usage(measure="no"),
        lambda c: c.find(None),
        lambda c: c.open(0),
        lambda c: c.open(False),
    ],
)
def test_a_wrong_type_for_the_whole_base_is_refused_too(shared: Shared, call: Call) -> None:
    checkpoints, handle = shared.checkpoints, shared.handle
    listed = handle.list()
    with pytest.raises(BadRequest):
        call(checkpoints)
    assert handle.list() == listed


def test_any_checkpoint_is_found_by_itself_or_by_its_id(
    checkpoints: Checkpoints, handle: Project, other: Project
) -> None:
    for project in (handle, other):
        newest = project.get()
        for reference in (newest, newest.id, newest.id[:8], newest.short_id.upper()):
            assert checkpoints.find(reference) == newest


@pytest.mark.parametrize("path", [7, None, 1.5, b"x", "a\0b", "\ud800", "~nobody-has-this-name/x"])
def test_what_is_no_directory_name_is_refused(checkpoints: Checkpoints, path: Any) -> None:
    calls: list[Call] = [
        checkpoints.project,
        checkpoints.project_of,
        lambda one: checkpoints.rebind(one, "."),
        lambda one: checkpoints.rebind("nowhere", one),
        checkpoints.export_v2,
    ]
    if path is not None:  # which means the default for these
        calls += [
            lambda one: checkpoints.plan_prune(working_dir=one),
            checkpoints.import_legacy,
            Checkpoints.open,
            lambda one: Checkpoints.open(base=one),
        ]
    for call in calls:
        with pytest.raises(BadRequest, match="path"):
            call(path)


@pytest.mark.parametrize("config", [7, {}, {"enabled": True}, "config.yaml"])
def test_a_configuration_is_a_config(home: Path, config: Any) -> None:
    with pytest.raises(BadRequest, match="config is a Config"):
        Checkpoints.open(home, config=config)


# --- a project without checkpoints -----------------------------------------------------------

NEEDS_A_PROJECT: dict[str, Callable[[Project], object]] = {
    **{
        f"{name}({ref!r})": functools.partial(lambda call, ref, p: call(p, ref), call, ref)
        for name, call in BY_REFERENCE.items()
        for ref in ("latest", "2", "abcd", "a label")
    },
    "plan_undo": lambda p: p.plan_undo(),
    "undo": lambda p: p.undo(),
    "plan_redo": lambda p: p.plan_redo(),
    "redo": lambda p: p.redo(),
    "who": lambda p: p.who("src/app.py"),
    "record_agent_write": lambda p: p.record_agent_write("src/app.py"),
    "plan_drop of none": lambda p: p.plan_drop([]),
    "drop of none": lambda p: p.drop([]),
}


@pytest.mark.parametrize("what", NEEDS_A_PROJECT)
def test_an_unknown_project_is_one_error_that_names_its_relatives(
    shared: Shared, what: str
) -> None:
    known = shared.handle.working_dir
    unknown = shared.checkpoints.project(known / "src")
    with pytest.raises(ProjectUnknown) as caught:
        NEEDS_A_PROJECT[what](unknown)
    assert str(caught.value) == _unknown(unknown.working_dir, known)


def test_the_whole_base_knows_an_unknown_project_by_the_same_error(
    checkpoints: Checkpoints, project: Path
) -> None:
    taken(checkpoints.project(project))
    calls: list[Callable[[Path], object]] = [
        lambda one: checkpoints.plan_prune(working_dir=one),
        lambda one: checkpoints.rebind(one, project),
    ]
    for call in calls:
        with pytest.raises(ProjectUnknown) as caught:
            call(project / "src")
        assert str(caught.value) == _unknown(project / "src", project)


def _unknown(working_dir: Path, relative: Path) -> str:
    return f"No checkpoints exist for this directory ({working_dir}); there are some of {relative}"


def test_what_needs_no_checkpoint_works_in_an_unknown_project(
    checkpoints: Checkpoints, project: Path
) -> None:
    unknown = checkpoints.project(project)
    assert unknown.list() == []
    assert unknown.related() == []
    assert unknown.end_turn() is False
    assert unknown.coverage().file_count == 6
    assert checkpoints.projects() == []
    assert isinstance(unknown.take(), Taken)


def test_the_id_of_another_project_is_foreign_also_in_an_unknown_one(
    checkpoints: Checkpoints, handle: Project, tmp_path: Path
) -> None:
    with pytest.raises(CheckpointForeign, match=str(handle.working_dir)):
        checkpoints.project(tmp_path / "nowhere").get(handle.get().id)


def test_a_project_whose_checkpoints_were_all_pruned_is_known(
    checkpoints: Checkpoints, handle: Project
) -> None:
    former = handle.list()
    handle.drop(former, options=PruneOptions(reclaim=False))
    assert handle.list() == []
    for reference in ("latest", "1", "abcd", "a label"):
        with pytest.raises(CheckpointUnknown):
            handle.get(reference)
    with pytest.raises(CheckpointUnknown, match="any more"):
        handle.get()
    plan = checkpoints.plan_prune(working_dir=handle.working_dir)
    assert (plan.drop, plan.keep_count) == ((), 0)
    assert isinstance(handle.take(), Taken)


# --- plans ---------------------------------------------------------------------------------------


def test_a_plan_of_another_project_is_refused(handle: Project, other: Project) -> None:
    (other.working_dir / "src/app.py").write_text("present\n")
    before, kept = files(handle.working_dir), files(other.working_dir)
    with pytest.raises(CheckpointForeign, match=str(other.working_dir)):
        handle.restore("latest", plan=other.plan_restore("latest", mode="exact"))
    with pytest.raises(CheckpointForeign, match=str(other.working_dir)):
        handle.drop("latest", plan=other.plan_drop("latest"))
    assert (files(handle.working_dir), files(other.working_dir)) == (before, kept)
    assert (len(handle.list()), len(other.list())) == (2, 1)


def test_a_plan_for_another_checkpoint_is_refused(handle: Project) -> None:
    before = files(handle.working_dir)
    with pytest.raises(CheckpointForeign, match=handle.get("1").short_id):
        handle.restore("1", plan=handle.plan_restore("2", mode="exact"))
    with pytest.raises(CheckpointForeign, match="not named here"):
        handle.drop("1", plan=handle.plan_drop(["1", "2"]))
    assert files(handle.working_dir) == before
    assert len(handle.list()) == 2


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("planned", "asked", "what"),
    [
        ({}, {"paths": "src/app.py"}, "paths"),
        ({"paths": "src"}, {"paths": "docs"}, "paths"),
        ({"mode": "exact"}, {"mode": "keep-edits"}, "mode"),
        ({"mode": "overlay"}, {"mode": Mode.EXACT}, "mode"),
        ({}, {"session_id": "s1"}, "session_id"),
        ({"mode": "exact"}, {"paths": "src", "mode": "overlay"}, "paths, mode"),
    ],
)
def test_a_plan_is_never_wider_than_what_is_asked(
    handle: Project, planned: dict[str, Any], asked: dict[str, Any], what: str
) -> None:
    before = files(handle.working_dir)
    plan = handle.plan_restore("2", **planned)
    with pytest.raises(BadRequest, match=f"made for another {what};"):
        handle.restore("2", plan=plan, **asked)
    assert files(handle.working_dir) == before


def test_a_plan_is_executed_as_it_is(handle: Project) -> None:
    plan = handle.plan_restore("2", ["src/"], mode="exact")
    done = handle.restore("2", Path("src"), mode="exact", plan=plan)
    assert (done.done, done.kept) == (plan.of(*(s.action for s in plan.steps)), ())
    assert (handle.working_dir / "src/app.py").read_text() == "def main():\n    return 'hello'\n"


@pytest.mark.campaign
def test_a_plan_of_undo_is_for_undo_alone(handle: Project) -> None:
    handle.restore("2", mode="exact")
    before = files(handle.working_dir)
    undo = handle.plan_undo()
    with pytest.raises(BadRequest, match="a plan of undo"):
        handle.restore(undo.checkpoint, plan=undo)
    with pytest.raises(BadRequest, match="a plan of restore"):
        handle.undo(plan=handle.plan_restore(undo.checkpoint, mode="exact"))
    assert files(handle.working_dir) == before
    handle.undo(plan=undo)
    assert (handle.working_dir / "src/app.py").read_text() == "present\n"
    with pytest.raises(BadRequest, match="a plan of undo"):
        handle.redo(plan=undo)
    redone = handle.redo(plan=handle.plan_redo())
    assert files(handle.working_dir) == before
    assert redone.role == "redo"


def test_a_plan_made_before_the_directory_changed_is_refused(handle: Project) -> None:
    plan = handle.plan_restore("2", mode="exact")
    (handle.working_dir / "src/app.py").write_text("and later\n")
    with pytest.raises(TreeChanged, match="changed after the plan"):
        handle.restore("2", plan=plan)
    assert (handle.working_dir / "src/app.py").read_text() == "and later\n"


def test_a_plan_to_drop_skips_what_was_pinned_since(handle: Project) -> None:
    plan = handle.plan_drop(["1", "2"])
    pinned = handle.pin("2")
    done = handle.drop(["1", "2"], plan=plan, options=PruneOptions(reclaim=False))
    assert [d.checkpoint.id for d in done.skipped] == [pinned.id]
    assert handle.list() == [pinned]


def test_a_plan_to_prune_drops_nothing_that_appeared_since(
    checkpoints: Checkpoints, handle: Project
) -> None:
    plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    newest = taken(handle)
    done = checkpoints.prune(plan=plan, options=PruneOptions(reclaim=False))
    assert len(done.dropped) == 1
    assert newest in handle.list()
    assert len(handle.list()) == 2


# --- two homes -----------------------------------------------------------------------------------


def test_two_homes_in_one_process_stay_apart(
    checkpoints: Checkpoints, handle: Project, tmp_path: Path
) -> None:
    with Checkpoints.open(tmp_path / "second") as second:
        there = second.project(handle.working_dir)
        assert there != handle
        assert there.list() == []
        with pytest.raises(ProjectUnknown):
            there.get("latest")
        own = [taken(there, "there")]
        (handle.working_dir / "src/app.py").write_text("more\n")
        own.append(taken(there, "there, too"))
        with pytest.raises(CheckpointUnknown):
            there.get(handle.get())
        with pytest.raises(CheckpointForeign):
            there.restore("latest", plan=handle.plan_restore("latest"))
        assert there.list() == own[::-1]
    assert [c.reason for c in handle.list()] == ["second", "first"]


def test_a_plan_of_another_home_drops_nothing_here(
    checkpoints: Checkpoints, handle: Project, tmp_path: Path
) -> None:
    with Checkpoints.open(tmp_path / "second") as second:
        there = second.project(handle.working_dir)
        taken(there, "there")
        (handle.working_dir / "src/app.py").write_text("more\n")
        taken(there, "there, too")
        plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
        assert {d.checkpoint._row for d in plan.drop} & {c._row for c in there.list()}
        assert second.prune(plan=plan, options=PruneOptions(reclaim=False)).dropped == ()
        assert len(there.list()) == 2


# --- closed --------------------------------------------------------------------------------------


def test_closed_checkpoints_say_so(handle: Project, checkpoints: Checkpoints) -> None:
    ref = handle.get()
    sessions = checkpoints.sessions
    checkpoints.close()
    checkpoints.close()
    calls: list[Callable[[], object]] = [
        handle.list,
        handle.diff,
        handle.undo,
        lambda: handle.restore(ref),
        lambda: handle.drop(ref),
        lambda: handle.who("src/app.py"),
        checkpoints.projects,
        checkpoints.status,
        checkpoints.usage,
        checkpoints.prune,
        checkpoints.list_all,
        sessions.ids,
    ]
    for call in calls:
        with pytest.raises(CheckpointError, match="was closed; open it again"):
            call()
    for outcome in (handle.take(), handle.take(reason=None)):  # type: ignore[arg-type]
        assert isinstance(outcome, Failed)
    assert repr(handle) == f"Project({str(handle.working_dir)!r})"


# --- the directory -------------------------------------------------------------------------------


def test_a_handle_is_equal_to_another_of_the_same_directory(
    checkpoints: Checkpoints, handle: Project, other: Project
) -> None:
    assert checkpoints.project(str(handle.working_dir) + "/src/..") == handle
    assert {*checkpoints.projects()} == {handle, other}
    assert handle != other
    assert handle != str(handle.working_dir)


def test_a_directory_that_vanished_can_be_read_but_not_compared(handle: Project) -> None:
    shutil.rmtree(handle.working_dir)
    assert len(handle.list()) == 2
    assert handle.read_file("latest", "src/app.py") == b"second\n"
    assert [c.path for c in handle.diff("2", "1").changes] == ["src/app.py"]
    assert handle.pin("latest").pinned
    for call in (handle.diff, handle.coverage):
        with pytest.raises(BadDirectory, match="does not exist"):
            call()
    outcome = handle.take()
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, BadDirectory)
    assert handle.plan_restore("latest").missing
    assert not handle.working_dir.exists()
    assert handle.restore("latest").complete
    assert (handle.working_dir / "src/app.py").read_bytes() == b"second\n"


def test_a_directory_that_vanished_comes_back_into_an_empty_one(handle: Project) -> None:
    handle.take("third")
    before = files(handle.working_dir)
    shutil.rmtree(handle.working_dir)
    handle.working_dir.mkdir()
    handle.restore("latest", mode="overlay")
    assert files(handle.working_dir) == before


def test_a_directory_by_way_of_a_link_is_the_same_project(
    checkpoints: Checkpoints, handle: Project, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(handle.working_dir)
    assert checkpoints.project(link) == handle
    assert checkpoints.project_of(link / "src/app.py") == handle


def test_a_directory_that_became_a_link_is_not_entered(
    checkpoints: Checkpoints, handle: Project, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    handle.working_dir.rename(moved)
    handle.working_dir.symlink_to(moved)
    before = files(moved)
    assert checkpoints.projects() == [handle]
    assert len(handle.list()) == 2
    for call in (handle.diff, handle.coverage, lambda: handle.restore("2", mode="exact")):
        with pytest.raises(BadDirectory, match=f"is now a link to {moved}"):
            call()
    outcome = handle.take()
    assert isinstance(outcome, Failed)
    assert "is now a link" in str(outcome.error)
    assert files(moved) == before
    assert len(handle.list()) == 2


def test_the_home_is_not_entered_through_a_link_that_came_later(
    checkpoints: Checkpoints, handle: Project
) -> None:
    handle.working_dir.rename(handle.working_dir.with_name("away"))
    handle.working_dir.symlink_to(Path.home())
    assert isinstance(handle.take(), Failed | Skipped)
    assert len(handle.list()) == 2


def test_a_tilde_is_the_users_home(checkpoints: Checkpoints) -> None:
    make_project(Path.home() / "work")
    assert checkpoints.project("~/work").working_dir == (Path.home() / "work").resolve()
    taken(checkpoints.project("~/work"))
    assert len(checkpoints.project(Path.home() / "work").list()) == 1


def test_a_relative_directory_is_resolved_when_the_handle_is_made(
    checkpoints: Checkpoints, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = make_project(tmp_path / "elsewhere" / "project")
    monkeypatch.chdir(project.parent)
    made = checkpoints.project("project")
    monkeypatch.chdir(elsewhere.parent)
    assert made.working_dir == project
    assert taken(made).working_dir == str(project)
    (elsewhere / "src/app.py").write_text("elsewhere\n")
    assert isinstance(made.take(), Unchanged)
    assert checkpoints.project("project").list() == []


def test_into_another_directory_is_resolved_too(
    handle: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "into").mkdir()
    monkeypatch.chdir(tmp_path)
    plan = handle.plan_restore("1", into="into", mode="overlay")
    assert plan.working_dir == tmp_path / "into"
    with pytest.raises(CheckpointForeign, match="the plan is for"):
        handle.restore("1", plan=plan)
    handle.restore("1", plan=plan, into="into")
    assert files(tmp_path / "into") == {
        **files(handle.working_dir),
        "src/app.py": (0o644, b"second\n"),
    }


def test_a_plan_is_a_value_that_can_be_narrowed(handle: Project) -> None:
    """What an embedder leaves out of a plan is not done."""
    plan = replace(handle.plan_restore("2", mode="exact"), steps=())
    assert handle.restore("2", plan=plan).done == ()
    assert (handle.working_dir / "src/app.py").read_text() == "present\n"
