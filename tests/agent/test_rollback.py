"""/rollback inside a session: texts to the letter, numbers that do not shift, files and
conversation that move together."""

from __future__ import annotations

import os
import re
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.agent.conversation import Extent, Message, Scope
from hermes_checkpoints.agent.rollback import Reply, Rollback
from hermes_checkpoints.errors import CheckpointPruned, CheckpointUnknown, NothingToUndo
from hermes_checkpoints.model import RestoreRole
from support import files


class Session:
    """A host's session: an agent that works in turns, a conversation, and /rollback."""

    def __init__(self, project: Path, *, in_chat: bool = True) -> None:
        self.project = project
        self.in_chat = in_chat
        self.messages: list[Message] = [{"role": "system", "content": "You help."}]
        self.manager = CheckpointManager(enabled=True, session_id="s1")
        self.rollback = Rollback(
            project, session_id="s1", enabled=True, zone=timezone(timedelta(hours=3))
        )

    def turn(self, request: str, **written: str) -> None:
        """The user asks, the agent writes, and its turn ends."""
        self.messages.append({"role": "user", "content": request})
        self.manager.new_turn(self.messages if self.in_chat else None)
        self.manager.ensure_checkpoint(str(self.project), "before write_file")
        call = {"id": f"c{len(self.messages)}", "type": "function", "function": {"name": "w"}}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        for name, content in written.items():
            (self.project / name.replace("_", ".")).write_text(content)
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": "ok"})
        self.messages.append({"role": "assistant", "content": "done"})
        self.manager.end_turn()

    def __call__(self, typed: str = "", **options: Any) -> Reply:
        """Type a /rollback; the conversation follows."""
        reply = self.rollback.run(f"/rollback {typed}".strip(), self.messages, **options)
        if reply.conversation is not None:
            self.messages = list(reply.conversation.kept)
        return reply

    def contents(self, name: str) -> str:
        return (self.project / name).read_text()


@pytest.fixture
def session(home: Path, project: Path) -> Session:
    session = Session(project)
    session.turn("Write one", a_txt="one\n")
    session.turn("Write two", a_txt="two\n")
    session.turn("Write three\nplease", a_txt="three\n", b_txt="new\n")
    return session


def test_what_is_shown_is_that_of_the_user_guide(session: Session, tmp_path: Path) -> None:
    reply = session()
    assert reply.ok
    assert [c.reason for c in reply.listed] == ["before write_file"] * 3
    lines = reply.text.splitlines()
    assert lines[0] == f"📸 Checkpoints for {session.project}:"
    pattern = r"  1\. [0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d  before write_file  \(1 file, \+1/-1\)"
    assert re.fullmatch(pattern, lines[2])
    zone = timezone(timedelta(hours=3))
    assert f"{reply.listed[0].created_at.astimezone(zone):%Y-%m-%d %H:%M}" in lines[2]
    assert lines[-3:] == [
        "  /rollback <N>             restore to checkpoint N",
        "  /rollback diff <N>        preview changes since checkpoint N",
        "  /rollback <N> <file>      restore a single file from checkpoint N",
    ]

    show = session("show 1").text
    assert "before write_file" in show
    assert "Session:  s1, turn 3" in show
    assert "    M  a.txt" in show
    assert session("99").text == "❌ Invalid checkpoint number. Use 1-3."
    assert isinstance(session("99").error, CheckpointUnknown)
    assert not session("zzz").ok
    assert not session("dead").ok
    shown = session(f"show {reply.listed[1].short_id}").checkpoint
    assert shown is not None
    assert shown.id == reply.listed[1].id
    related = Rollback(tmp_path, enabled=True).run("")
    assert related.text == (
        f"No checkpoints found for {tmp_path}\nThere are some of: {session.project}"
    )


def test_diffs_are_capped_and_the_rest_is_counted(session: Session) -> None:
    reply = session("diff 2")
    assert reply.text.startswith(" a.txt | 2 +-\n b.txt | 1 +\n 2 files changed")
    assert "\n\ndiff --git a/a.txt b/a.txt\n" in reply.text
    assert "\n-one\n+three\n" in reply.text
    assert reply.diff is not None
    assert len(reply.diff.changes) == 2
    (session.project / "long.txt").write_text("".join(f"{n}\n" for n in range(500)))
    text = session("diff 1").text
    diff = text[text.index("diff --git") :].splitlines()
    whole = session("diff 1").diff
    assert whole is not None
    rest = len(whole.text.splitlines()) - 80
    assert len(diff) == 82
    assert diff[-1] == f"  ... ({rest} more lines, showing first 80)"


def test_a_restore_undoes_the_turn_that_the_checkpoint_interrupted(session: Session) -> None:
    before = list(session.messages)
    reply = session("1")
    assert reply.restored is not None
    assert reply.text == (
        f"✅ Restored to checkpoint {reply.restored.checkpoint.short_id}: before write_file\n"
        "A pre-rollback snapshot was saved automatically.\n"
        "Wrote 1 path:\n  a.txt\nDeleted 1 path:\n  b.txt\n"
        '(^_^)b Undid 4 message(s). Removed: "Write three please"\n'
        "9 message(s) remaining in history.\n"
        "Chat turn undone to match restored file state.\n(1 turn, up to this checkpoint.)"
    )
    assert session.contents("a.txt") == "two\n"
    assert not (session.project / "b.txt").exists(), "the agent made it"
    assert session.messages == before[:9]


def test_without_a_known_place_the_last_turn_goes_and_the_text_says_so(project: Path) -> None:
    session = Session(project, in_chat=False)
    session.turn("one", a_txt="one\n")
    session.turn("two", a_txt="two\n")
    reply = session("2")
    assert reply.conversation is not None
    assert reply.conversation.extent is Extent.LAST_TURN
    assert len(session.messages) == 5
    assert "Chat turn undone to match restored file state." in reply.text
    assert "(The last turn: where in the chat this checkpoint belongs is not known.)" in reply.text


def test_numbers_mean_the_list_last_seen(session: Session) -> None:
    seen = session().listed
    session.turn("Write four", a_txt="four\n")
    reply = session("1")
    assert reply.checkpoint is not None
    assert reply.checkpoint.id == seen[0].id
    again = session("1")
    assert again.checkpoint is not None
    assert again.checkpoint.id == seen[0].id, "the safety checkpoint shifts nothing"
    assert session().listed[0].id != seen[0].id
    # One that was pruned since never comes to mean another.
    seen = session().listed
    with Checkpoints.open() as checkpoints:
        checkpoints.project(session.project).drop(seen[-1])
    before = files(session.project)
    reply = session(f"{len(seen)}")
    assert isinstance(reply.error, CheckpointPruned)
    assert reply.text.startswith(f"❌ checkpoint {seen[-1].short_id} was pruned on ")
    assert files(session.project) == before


def test_edits_of_the_user_are_kept_and_named(session: Session) -> None:
    (session.project / "README.md").write_text("mine\n")
    (session.project / "a.txt").write_text("mine\n")
    reply = session("1")
    assert session.contents("README.md") == "mine\n"
    assert session.contents("a.txt") == "mine\n"
    assert not (session.project / "b.txt").exists()
    lines = reply.text.splitlines()
    assert lines[2:5] == ["Deleted 1 path:", "  b.txt", "Kept 2 paths as they are now:"]
    assert "  README.md  (you changed it)" in lines
    assert "  a.txt  (you changed it after the agent)" in lines
    assert "/rollback 1 --all brings edits back, too." in lines
    session("1 --all")
    assert session.contents("a.txt") == "two\n"
    assert session.contents("README.md") == "# Sample\n\nA project to break.\n"

    (session.project / "mine.txt").write_text("mine\n")
    session("1 --all")
    assert (session.project / "mine.txt").exists()
    session("1 --exact")
    assert not (session.project / "mine.txt").exists()


def test_nothing_done_although_files_differ_is_not_ok_and_names_the_way_out(
    project: Path,
) -> None:
    session = Session(project)
    session.turn("Look around")
    (project / "README.md").write_text("mine\n")
    (project / "mine.txt").write_text("mine\n")
    before = list(session.messages)
    reply = session("1")
    assert not reply.ok
    short = session().listed[-1].short_id
    assert reply.text.splitlines() == [
        f"❌ Nothing was restored to checkpoint {short}.",
        "Kept 2 paths as they are now:",
        "  README.md  (you changed it)",
        "  mine.txt  (you changed it)",
        "To restore all the same: /rollback 1 --all",
    ]
    assert (reply.conversation, session.messages) == (None, before)
    assert session(f"{short} --all").ok
    last = session(short)
    assert (last.ok, last.text.splitlines()[-1]) == (
        False,
        f"To restore all the same: /rollback {short} --exact",
    )
    assert session(f"{short} --exact").ok
    assert not (project / "mine.txt").exists()
    assert "Nothing to restore: " in session(f"{short} --files").text


def test_one_file_with_spaces_and_the_chat_stays(session: Session) -> None:
    name = "my notes.txt"
    (session.project / name).write_text("agent\n")
    session.turn("change it")
    (session.project / name).write_text("mine\n")
    before = list(session.messages)
    reply = session(f"1 {name}")
    assert reply.text.startswith(f"✅ Restored {name} from checkpoint ")
    assert session.contents(name) == "agent\n", "a file that is named is restored"
    assert session.messages == before
    assert reply.conversation is None
    assert reply.restored is not None
    assert reply.restored.safety.message_count == len(before)
    assert session.contents("a.txt") == "three\n"
    assert not session("1 missing.txt").ok
    assert "leaves the project" in session("1 ../x").text


def test_a_path_is_read_from_where_the_session_works_in_every_form(session: Session) -> None:
    project = session.project
    (project / "src").mkdir(exist_ok=True)
    (project.parent / "link").symlink_to(project)
    session.turn("change it")
    (project / "a.txt").write_text("mine\n")
    inner = Rollback(project / "src", enabled=True)
    for typed in (
        "../a.txt",
        f"{project}/src/../a.txt",
        f"{project.parent}/link/a.txt",
        "./../a.txt",
    ):
        diff = inner.run(f"diff 1 {typed}").diff
        assert diff is not None
        assert [change.path for change in diff.changes] == ["a.txt"], typed
        reply = inner.run(f"1 {typed}")
        assert reply.text.startswith("✅ Restored a.txt from checkpoint "), (typed, reply.text)
        (project / "a.txt").write_text("mine\n")
    for typed in ("../../x", "/etc/passwd", f"{project}/../x"):
        for verb in ("1", "diff 1"):
            assert "leaves the project" in inner.run(f"{verb} {typed}").text


def test_a_path_that_neither_side_has_is_refused(session: Session) -> None:
    session.turn("change it")
    for typed in ("1 nosuch", "diff 1 nosuch", "1 ~nobody-has-this-name/x"):
        reply = session(typed)
        assert not reply.ok
        assert "nosuch" in reply.text or "~nobody" in reply.text
        assert "Unexpected" not in reply.text


def test_what_is_no_text_is_said_to_be_none(session: Session) -> None:
    wrong: list[Any] = [None, 1, b"1"]
    for typed in wrong:
        reply = session.rollback.run(typed)
        assert not reply.ok, typed
        assert f"what was typed behind /rollback is text, not {typed!r}" in reply.text


def test_from_a_subdirectory_the_project_is_meant_and_paths_are_relative(session: Session) -> None:
    inner = Rollback(session.project / "src", enabled=True)
    assert inner.run("").text.startswith(f"📸 Checkpoints for {session.project}:")
    (session.project / "src/app.py").write_text("agent\n")
    reply = inner.run("1 app.py")
    assert reply.ok, reply.text
    assert "src/app.py" in reply.text
    assert "hello" in session.contents("src/app.py")
    assert inner.run("1 ../a.txt").ok
    assert session.contents("a.txt") == "two\n"


def test_undo_and_redo_bring_the_conversation_along(session: Session) -> None:
    whole, tree = list(session.messages), files(session.project)
    reply = session("2")
    assert reply.conversation is not None
    assert (reply.conversation.turns, reply.conversation.extent) == (2, Extent.CHECKPOINT)
    assert session.contents("a.txt") == "one\n"
    assert len(session.messages) == 5
    rolled_back, rolled_back_tree = list(session.messages), files(session.project)
    reply = session("undo")
    assert reply.restored is not None
    assert reply.restored.role is RestoreRole.UNDO
    assert "Chat put back to match restored file state." in reply.text
    assert (session.messages, files(session.project)) == (whole, tree)
    session("redo")
    assert (session.messages, files(session.project)) == (rolled_back, rolled_back_tree)
    session("undo")
    assert (session.messages, files(session.project)) == (whole, tree)
    assert isinstance(session("undo").error, NothingToUndo)
    # Another process knows no conversation of before, and says so.
    session("1")
    short = list(session.messages)
    session.rollback = Rollback(session.project, session_id="s1", enabled=True)
    reply = session("undo")
    assert reply.ok
    assert "The chat stays as it is" in reply.text
    assert session.messages == short
    assert session.contents("a.txt") == "three\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("by", ["id", "undo"])
def test_a_safety_checkpoint_brings_files_and_chat_of_its_moment_back(
    session: Session, by: str
) -> None:
    """As the user guide teaches it: the pre-rollback snapshot undoes the rollback."""
    whole, tree = list(session.messages), files(session.project)
    first = session("1")
    assert first.restored is not None
    safety = first.restored.safety
    assert (safety.session_id, safety.turn, safety.message_count) == ("s1", 3, len(whole))
    assert len(session.messages) == 9
    session.turn("Another three", a_txt="another\n", c_txt="c\n")
    session.turn("And a fourth")
    grown, grown_tree = list(session.messages), files(session.project)
    listed = session()
    assert safety.id not in [one.id for one in listed.listed]
    assert f"       {safety.short_id}  " in listed.text, "below what was restored, without a number"
    reply = session("undo --exact" if by == "undo" else safety.short_id)
    assert reply.ok
    assert (session.messages, files(session.project)) == (whole, tree)
    assert reply.conversation is not None
    assert reply.conversation.extent is Extent.WHOLE
    assert len(reply.conversation.removed) == len(grown) - 9
    assert reply.text.splitlines()[-2:] == [
        f"{len(whole)} message(s) in history.",
        "Chat put back to match restored file state.",
    ]
    assert session("redo" if by == "undo" else "undo").ok
    assert (session.messages, files(session.project)) == (grown, grown_tree)


def test_the_chat_alone_goes_back_to_a_safety_checkpoint(session: Session) -> None:
    whole = list(session.messages)
    first = session("2 --files")
    assert first.restored is not None
    session.turn("Go on", a_txt="on\n")
    tree = files(session.project)
    reply = session(f"{first.restored.safety.short_id} --chat")
    assert reply.ok
    assert (session.messages, files(session.project)) == (whole, tree)


def test_a_session_that_does_not_know_the_conversation_says_that_it_stays(
    session: Session,
) -> None:
    first = session("1")
    assert first.restored is not None
    safety, short, tree = first.restored.safety, list(session.messages), files(session.project)
    session.rollback = Rollback(session.project, session_id="s1", enabled=True)
    stays = "The chat stays as it is: the 13 message(s) that it had then are not known here."
    refused = session(f"{safety.short_id} --chat")
    assert (refused.ok, refused.text) == (False, f"❌ {stays}")
    reply = session(safety.short_id)
    assert (reply.ok, reply.conversation, session.messages) == (True, None, short)
    assert session.contents("a.txt") == "three\n"
    assert reply.text.splitlines()[-1] == stays
    assert "match restored file state" not in reply.text
    assert session("undo").ok
    assert (session.messages, files(session.project)) == (short, tree)


def test_scopes(session: Session) -> None:
    whole, tree = list(session.messages), files(session.project)
    reply = session("1 --chat")
    assert files(session.project) == tree
    assert (len(session.messages), reply.restored) == (9, None)
    session.messages = whole
    reply = session("1", scope=Scope.FILES)
    assert session.messages == whole
    assert "message(s)" not in reply.text
    assert session.contents("a.txt") == "two\n"
    assert not session.rollback.run("/rollback 1 --chat").ok, "there is no conversation"


def test_nothing_to_restore_leaves_an_unsure_conversation(project: Path) -> None:
    session = Session(project, in_chat=False)
    session.turn("look around")
    before = list(session.messages)
    reply = session("1")
    assert reply.text.startswith("Nothing to restore: the files are as checkpoint ")
    assert session.messages == before


@pytest.mark.campaign
def test_an_undo_is_never_of_a_rollback_that_did_nothing(session: Session) -> None:
    whole = list(session.messages)
    assert session("1").ok
    again = session("1")
    assert again.text.startswith("Nothing to restore")
    (session.project / "mine.txt").write_text("an hour of work\n")
    assert not session("1").ok  # the edit is kept, and nothing is left to do
    assert session("undo", scope=Scope.FILES).ok
    assert session.contents("a.txt") == "three\n"
    assert session("redo", scope=Scope.FILES).ok
    assert (session.contents("a.txt"), session.contents("mine.txt")) == (
        "two\n",
        "an hour of work\n",
    )
    assert session("undo").ok
    assert len(session.messages) <= len(whole)


def test_a_rollback_that_moved_only_the_conversation_can_be_undone(project: Path) -> None:
    session = Session(project)
    session.turn("Write one", a_txt="one\n")
    session.turn("Look around")
    whole, tree = list(session.messages), files(project)
    session("1 --files")
    assert session("1").conversation is not None
    assert len(session.messages) < len(whole)
    session("undo")
    assert session.messages == whole
    assert files(project) == tree


def test_what_is_no_conversation_is_refused_before_a_file_is_touched(session: Session) -> None:
    tree = files(session.project)
    wrong: list[Any] = [[object()], [None], ["text"], "text", 5, {"role": "user"}, iter(())]
    for messages in wrong:
        for typed in ("1", "undo", "redo", "1 a.txt", "1 --all"):
            reply = session.rollback.run(f"/rollback {typed}", messages)
            assert not reply.ok, (typed, messages)
            assert "messages must be a list of dicts" in reply.text, (typed, messages)
        assert files(session.project) == tree, messages
        assert session.rollback.run("/rollback diff 1", messages).ok, messages


def test_if_the_host_cannot_store_the_conversation_the_files_go_back(
    session: Session,
) -> None:
    tree = files(session.project)

    def refuse(messages: list[Message]) -> None:
        assert session.contents("a.txt") == "two\n"
        raise RuntimeError("the session is read-only")

    with pytest.raises(RuntimeError, match="read-only"):
        session("1", apply=refuse)
    assert files(session.project) == tree
    with pytest.raises(RuntimeError):
        session("1 --chat", apply=refuse_always)
    assert files(session.project) == tree
    stored: list[list[Message]] = []
    session("1", apply=stored.append)
    assert stored == [session.messages]


def refuse_always(messages: list[Message]) -> None:
    raise RuntimeError("no")


def _work(project: Path) -> list[Message]:
    (project / "closed").mkdir(parents=True)
    (project / "closed/x.txt").write_text("1")
    session = Session(project)
    session.messages.append({"role": "user", "content": "write"})
    session.manager.new_turn(session.messages)
    session.manager.ensure_checkpoint(str(project))
    (project / "closed/x.txt").write_text("2")
    (project / "y.txt").write_text("2")
    session.manager.end_turn()
    return session.messages


def _roll_back(project: Path, messages: list[Message]) -> tuple[bool, str, bool]:
    session = Session(project)
    session.messages = list(messages)
    before = files(project)
    reply = session("1")
    return reply.ok, reply.text, (session.messages, files(project)) == (messages, before)


def test_a_restore_in_part_moves_neither_files_nor_chat(as_user: Any) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    project = as_user.tmp / "project"
    messages = as_user(_work, project)
    os.chown(project / "closed", 0, 0)
    (project / "closed").chmod(0o755)
    ok, text, same = as_user(_roll_back, project, messages)
    assert not ok
    assert "could not be restored in full; everything was taken back." in text
    assert "Not restored: closed/x.txt" in text
    assert same


def test_not_enabled_and_no_base(fresh_home: Path, project: Path, git_processes: Any) -> None:
    rollback = Rollback(project)
    assert rollback.run("/rollback").text == (
        "Checkpoints are not enabled.\n"
        "Enable with: hermes chat --checkpoints\n"
        "Or in config.yaml: checkpoints: { enabled: true }"
    )
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: true\n")
    assert rollback.run("/rollback").text == f"No checkpoints found for {project}"
    assert not rollback.run("/rollback 1").ok
    assert [entry.name for entry in fresh_home.iterdir()] == ["config.yaml"]
    assert git_processes.count() == 0


def test_control_characters_reach_no_terminal(project: Path) -> None:
    manager = CheckpointManager(enabled=True)
    manager.ensure_checkpoint(str(project), "before terminal: echo\n\x1b[2J")
    rollback = Rollback(project, enabled=True)
    (project / "\x1b[31mred.txt").write_text("\x1b[2Jx\n")
    for typed in ("", "diff 1", "show 1", "1 \x1b[31mred.txt", "\x1b[2J"):
        text = rollback.run(typed).text
        assert "\x1b" not in text
        assert "\\x1b" in text


# --- what was done is named -----------------------------------------------------------------------


def test_a_rollback_names_what_it_wrote_deleted_and_kept_and_the_plan_says_it_before(
    session: Session,
) -> None:
    session.messages.append({"role": "user", "content": "Make many"})
    session.manager.new_turn(session.messages)
    session.manager.ensure_checkpoint(str(session.project), "before write_file")
    for folder, count in (("many", 12), ("some", 2)):
        (session.project / folder).mkdir()
        for n in range(count):
            (session.project / folder / f"m{n:02}").write_text("m")
    (session.project / "a.txt").write_text("four\n")
    session.manager.end_turn()
    (session.project / "b.txt").write_text("mine\n")
    names = [f"  many/m{n:02}" for n in range(10)]
    rest = ["  … and 2 more in many/", "  … and 2 more in some/"]
    before = files(session.project)

    plan = session("1 plan")
    assert plan.ok
    first = session().listed[0]
    assert plan.text.splitlines() == [
        f"Plan for checkpoint {first.short_id}: before write_file",
        "Would write 1 path:",
        "  a.txt",
        "Would delete 14 paths:",
        *names,
        *rest,
        "Would keep 1 path as it is now:",
        "  b.txt  (you changed it)",
        "Nothing was changed. To do it: /rollback 1",
    ]
    assert files(session.project) == before
    assert session("1 --exact plan").text.endswith("To do it: /rollback 1 --exact")

    done = session("1 --files").text.splitlines()
    assert done[1:] == [
        "A pre-rollback snapshot was saved automatically.",
        "Wrote 1 path:",
        "  a.txt",
        "Deleted 14 paths:",
        *names,
        *rest,
        "Kept 1 path as it is now:",
        "  b.txt  (you changed it)",
        "/rollback 1 --all brings edits back, too.",
    ]
    undone = session("undo --files").text.splitlines()
    assert undone[2:5] == ["Wrote 15 paths:", "  a.txt", "  many/m00"]


def test_help_lists_the_forms(project: Path) -> None:
    text = Rollback(project, enabled=False).run("/rollback help").text
    for form in ("<N> plan", "--all", "--exact", "undo", "diff <N>", "show <N>", "<N> <file>"):
        assert form in text


def test_what_to_type_next_is_named_by_the_command_that_was_typed(
    project: Path, session: Session
) -> None:
    """A host may have a `/rollback` of its own, which reads other forms."""
    (project / "b.txt").write_text("by me\n")
    command = Rollback(project, session_id="s1", enabled=True, command="/checkpoint")
    texts = [
        command.run(typed, scope=Scope.FILES).text
        for typed in (
            *("/checkpoint", "help", "1 plan", "1", "1", "undo", "diff", "show", "redo --all"),
            *("-x", "show 1", "99"),
        )
    ]
    assert "/rollback" not in "\n".join(texts)
    assert "  /checkpoint <N>             restore to checkpoint N" in texts[0]
    assert "--chat" not in texts[1]
    assert texts[2].endswith("Nothing was changed. To do it: /checkpoint 1")
    assert "/checkpoint 1 --all brings edits back, too." in texts[3]
    assert "--chat" in command.run("/checkpoint help").text


def test_undo_keeps_the_later_turns_of_the_conversation_with_their_work(session: Session) -> None:
    session("1")
    session.turn("Another", c_txt="c\n")
    messages = list(session.messages)
    reply = session("undo")
    assert reply.ok
    assert reply.text.splitlines()[-1] == (
        "The chat stays as it is: it went on since. "
        "/rollback undo --exact brings files and chat back."
    )
    assert session.messages == messages
    assert session.contents("c.txt") == "c\n"
    assert session.contents("a.txt") == "three\n"


def test_permissions_alone_are_a_change(session: Session) -> None:
    session.turn("first", notes_txt="one")
    (session.project / "README.md").chmod(0o600)
    assert "README.md: permissions 644 → 600" in session("diff @0s").text


# --- as of a time ---------------------------------------------------------------------------------


def test_a_time_means_what_the_list_shows_in_the_zone_of_the_host(session: Session) -> None:
    session.turn("first", notes_txt="one")
    session.turn("second", notes_txt="two")
    newest, oldest, *_ = session().listed
    shown = newest.created_at.astimezone(timezone(timedelta(hours=3)))
    assert session(f"show @{{{shown:%Y-%m-%d %H:%M:%S.%f}}}").checkpoint == newest
    before = shown - timedelta(microseconds=1)
    assert session(f"diff @{{{before:%Y-%m-%d %H:%M:%S.%f}}}").checkpoint == oldest
    assert session("show @0s").checkpoint == newest


def test_a_time_before_all_is_told_in_that_zone_with_the_nearest(session: Session) -> None:
    session.turn("first", notes_txt="one")
    reply = session("@2020-01-01")
    assert not reply.ok
    assert isinstance(reply.error, CheckpointUnknown)
    assert "at or before 2020-01-01 23:59:59 +0300" in reply.text
    listed = session().listed
    assert f"number {len(listed)} ({listed[-1].short_id})" in reply.text


def test_what_is_to_be_typed_next_names_the_checkpoint_and_no_time(session: Session) -> None:
    session.turn("first", notes_txt="one")
    (session.project / "notes.txt").write_text("edited")
    reply = session("@0s")
    assert not reply.ok
    assert f"/rollback {session().listed[0].short_id} --exact" in reply.text
    assert "@0s" not in reply.text
