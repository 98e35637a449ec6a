"""Some parts of a file brought back, the others left: by the machinery of every restore."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_checkpoints import Action, Actor, BadRequest, Checkpoints, TreeChanged
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.aside import Aside
from hermes_checkpoints.restore.parts import compared
from interpreters import run
from restore.both_changed import NAME, agent_writes, lines_of, poem, prepare, write
from support import everything, examples


@pytest.fixture
def poems(home: Path, project: Path) -> Iterator[Project]:
    """A project whose poem the agent changed at 5 and 20, and a person at 1 and 35."""
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        prepare(of)
        agent_writes(of, {NAME: poem(5, 20, by="agent")})
        write(project, {NAME: poem(1, 35, text=lines_of(poem(5, 20, by="agent")))})
        yield of


def test_the_parts_are_told_apart_by_whose_they_are_and_come_back_one_by_one(
    poems: Project,
) -> None:
    file = poems.working_dir / NAME
    before = everything(poems.working_dir)
    plan = poems.plan_restore("latest", to_choose=True)
    found = poems.parts_of(plan, NAME)
    assert found is not None
    assert [part.now for part in found.parts] == [1, 5, 20, 35]
    assert [part.now for part in found.parts if part in found.agents] == [5, 20]
    assert [part.now for part in found.parts if part in found.others] == [1, 35]
    assert [[part.now for part in group] for group in found.together()] == [[1, 5], [20], [35]]
    chosen = plan.writing(NAME, found.taking([found.parts[1]]), "1 of 4 parts").only([NAME])
    restored = poems.restore("latest", plan=chosen)
    assert [(step.path, step.reason) for step in restored.done] == [(NAME, "1 of 4 parts")]
    assert file.read_text() == poem(1, 35, text=lines_of(poem(20, by="agent")))
    assert poems.who(NAME)[0].actor is Actor.PERSON  # whoever chooses parts edits the file
    assert poems.plan_restore("latest").of(Action.WRITE) == ()
    poems.undo()
    assert everything(poems.working_dir) == before
    poems.redo()
    assert file.read_text() == poem(1, 35, text=lines_of(poem(20, by="agent")))
    write(poems.working_dir, {"README.md": "later\n"})
    poems.undo(exact=True)  # of what was chosen alone
    assert file.read_text() != poem(1, 35, text=lines_of(poem(20, by="agent")))
    assert (poems.working_dir / "README.md").read_text() == "later\n"


@pytest.mark.campaign
def test_all_parts_of_a_file_are_what_the_checkpoint_has(poems: Project) -> None:
    plan = poems.plan_restore("latest", to_choose=True)
    found = poems.parts_of(plan, NAME)
    assert found is not None
    assert found.taking(found.parts) == poem().encode()
    restored = poems.restore("latest", plan=plan.only([NAME]))
    assert restored.complete
    assert (poems.working_dir / NAME).read_text() == poem()
    assert poems.who(NAME)[0].actor is Actor.RESTORE


@pytest.mark.campaign
def test_what_changed_since_the_plan_is_left_and_the_rest_restored(poems: Project) -> None:
    (poems.working_dir / "run.sh").unlink()
    plan = poems.plan_restore("latest", to_choose=True)
    chosen = plan.writing(NAME, b"chosen\n", "chosen").only([NAME, "run.sh"])
    write(poems.working_dir, {NAME: "later\n"})
    with pytest.raises(TreeChanged, match=f"{NAME} changed after the plan was made"):
        poems.parts_of(plan, NAME)
    restored = poems.restore("latest", plan=chosen)
    assert [(one.path, one.error) for one in restored.failed] == [
        (NAME, "it changed after the plan was made; it was left as it is")
    ]
    assert [step.path for step in restored.done] == ["run.sh"]
    assert (poems.working_dir / NAME).read_text() == "later\n"
    poems.undo()
    assert not (poems.working_dir / "run.sh").exists()
    (poems.working_dir / "run.sh").write_text("mine\n")
    with pytest.raises(TreeChanged):  # all of it changed
        poems.restore("latest", plan=chosen)


def test_a_plan_to_choose_from_offers_everything_and_what_is_chosen_brings_what_it_needs(
    poems: Project,
) -> None:
    folder = poems.working_dir
    before = everything(folder)
    for path in ("src/app.py", "src/data.bin"):
        (folder / path).unlink()
    (folder / "src").rmdir()
    write(folder, {"src": "in the way\n", "mine/a": "a", "mine/b": "b"})
    (folder / "docs/notes.txt").unlink()
    (folder / "docs/notes.txt").mkdir()
    plan = poems.plan_restore("latest", to_choose=True)
    assert not [step for step in plan.steps if step.action is Action.KEEP]

    def only(*paths: str) -> list[tuple[str, str]]:
        return [(step.action.value, step.path) for step in plan.only(paths).steps]

    assert only("src/app.py") == [("delete", "src"), ("mkdir", "src"), ("write", "src/app.py")]
    assert only("docs/notes.txt") == [("delete", "docs/notes.txt"), ("write", "docs/notes.txt")]
    assert only("mine/a") == [("delete", "mine/a")]
    assert only("mine/a", "mine/b") == [
        ("delete", "mine/a"),
        ("delete", "mine/b"),
        ("delete", "mine"),
    ]
    assert only("nothing") == []
    now = everything(folder)
    assert poems.restore("latest", plan=plan.only(["src/app.py"])).complete
    assert (folder / "src/app.py").exists()
    assert not (folder / "src/data.bin").exists()
    assert (folder / "mine/a").exists()
    poems.undo()
    assert everything(folder) == now
    assert poems.restore("latest", plan=plan).complete
    assert {**everything(folder), NAME: None} == {**before, NAME: None}


def test_contents_get_no_set_id_bits_and_permissions_are_chosen_apart(poems: Project) -> None:
    file = poems.working_dir / NAME
    file.chmod(0o4755)
    plan = poems.plan_restore("latest", to_choose=True)
    poems.restore("latest", plan=plan.writing(NAME, b"mine\n", "chosen").only([NAME]))
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"mine\n", 0o755)
    plan = poems.plan_restore("latest", to_choose=True)
    chosen = plan.writing(NAME, b"more\n", "chosen", mode=0o640)
    poems.restore("latest", plan=chosen.only([NAME]))
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"more\n", 0o640)


def test_what_has_no_parts_goes_as_a_whole(poems: Project) -> None:
    folder = poems.working_dir
    write(folder, {"src/data.bin": b"\0other", "new.txt": "new\n", "README.md": None})
    (folder / "run.sh").chmod(0o600)
    (folder / "src/app.py").unlink()
    (folder / "src/app.py").symlink_to("../run.sh")
    plan = poems.plan_restore("latest", to_choose=True)
    for path in ("src/data.bin", "new.txt", "README.md", "run.sh", "src/app.py"):
        assert poems.parts_of(plan, path) is None, path
    with pytest.raises(BadRequest, match="no path 'other'"):
        poems.parts_of(plan, "other")
    for path in ("new.txt", "README.md", "src/app.py", "other"):
        with pytest.raises(ValueError, match="no file"):
            plan.writing(path, b"", "")


def test_a_file_is_not_read_through_a_link_that_came_since(poems: Project, tmp_path: Path) -> None:
    plan = poems.plan_restore("latest", to_choose=True)
    secret = tmp_path / "secret"
    secret.write_bytes((poems.working_dir / NAME).read_bytes())
    (poems.working_dir / NAME).unlink()
    (poems.working_dir / NAME).symlink_to(secret)
    with pytest.raises(TreeChanged):
        poems.parts_of(plan, NAME)
    with pytest.raises(TreeChanged):
        poems.restore("latest", plan=plan.writing(NAME, b"x", "x").only([NAME]))
    assert secret.read_text() != "x"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "arguments",
    [
        {"merge": True, "to_choose": True},
        {"to_choose": True, "mode": "exact"},
        {"merge": True, "session_id": "s"},
        {"merge": True, "into": "elsewhere"},
        {"merge": "yes"},
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused(poems: Project, arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        poems.plan_restore("latest", **arguments)  # type: ignore[arg-type]


KILLED = """
import os, signal, sys
from hermes_checkpoints import Checkpoints

with Checkpoints.open() as checkpoints:
    project = checkpoints.project(sys.argv[1])
    plan = project.plan_restore("latest", to_choose=True)
    plan = plan.writing("poem.txt", b"chosen" + bytes([10]), "chosen").only(["poem.txt", "run.sh"])

    def dies(event, arguments):
        if event != "os.kill" and os.path.exists(os.path.join(sys.argv[1], "run.sh")):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(dies)
    project.restore("latest", plan=plan)
"""


@pytest.mark.slow
def test_one_that_is_killed_is_undone_and_what_was_chosen_is_a_persons(
    poems: Project, home: Path
) -> None:
    (poems.working_dir / "run.sh").unlink()
    before = everything(poems.working_dir)
    assert run(KILLED, poems.working_dir).returncode == -9
    with Checkpoints.open(home) as checkpoints:
        again = checkpoints.project(poems.working_dir)
        assert (again.working_dir / NAME).read_text() == "chosen\n"
        assert again.who(NAME)[0].actor is Actor.PERSON
        assert again.who("run.sh")[0].actor is Actor.RESTORE
        again.undo()
    assert everything(poems.working_dir) == before


LINE = st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\xff\n", b"@@ -1 +1 @@\n", b"\r", b"\\ No\n"])
FILE = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(LINE, max_size=12),
    st.sampled_from([b"", b"end", b"\r"]),
)


@pytest.fixture(scope="module")
def aside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aside]:
    folder = tmp_path_factory.mktemp("parts")
    subprocess.run(["git", "init", "-q", "--bare", folder / "store"], check=True)
    with Aside.lent(Git(folder / "store"), folder) as lent:
        yield lent


@settings(max_examples=examples(40))
@given(now=FILE, then=FILE, data=st.data())
def test_each_part_shown_is_a_patch_that_does_what_taking_it_does(
    aside: Aside, now: bytes, then: bytes, data: st.DataObject
) -> None:
    found = compared(aside, "file", now, then)
    assert (found.taking(()), found.taking(found.parts)) == (now, then)
    assert bool(found.parts) == (now != then)
    if not found.parts:
        return
    group = data.draw(st.sampled_from(found.together()))
    group = data.draw(st.sampled_from([group, *((part,) for part in group)]))
    (aside.folder / "file").write_bytes(now)
    subprocess.run(
        ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"],
        cwd=aside.folder,
        input=b"--- a/file\n+++ b/file\n" + found.shown(group),
        check=True,
    )
    file = aside.folder / "file"  # git deletes a file that becomes empty
    assert (file.read_bytes() if file.exists() else b"") == found.taking(group)
