"""Nothing that a host calls raises, whatever it is given and whatever is wrong with the base; and
each failure is told, once."""

from __future__ import annotations

import ast
import logging
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import (
    CheckpointManager,
    Checkpoints,
    CheckpointStore,
    Rollback,
    clear_all,
    clear_legacy,
    footprint_notice,
    format_checkpoint_list,
    maybe_auto_prune_checkpoints,
    plugin,
    prune_checkpoints,
    store_status,
)
from hermes_checkpoints.agent import maintenance
from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.compat import agent_manager, checkpoint_manager
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat.bridge import Bridge
from hermes_checkpoints.errors import LockHeld, SessionChanged
from support import OrdinaryUserLike

HOPELESS: dict[str, Any] = {
    "none": None,
    "bytes": b"bytes",
    "nobody": "~no-such-user/x",
    "nul": "nul\0",
    "number": 5,
    "object": object(),
}
NO_PRUNE = {
    **dict.fromkeys(("scanned", "deleted_orphan", "deleted_stale", "deleted_capped"), 0),
    **dict.fromkeys(("deleted_over_limit", "bytes_freed"), 0),
    "errors": 1,
}
NOT_CLEARED = {"bytes_freed": 0, "deleted": False, "kept_sessions": 0}
NOTHING_HELD = {
    **dict.fromkeys(("store_size_bytes", "legacy_size_bytes", "total_size_bytes"), 0),
    "project_count": 0,
    "projects": [],
    "pre_v2_projects": [],
    "legacy_archives": [],
}

Call = Callable[[Any], Any]
Answers = list[tuple[str, Any, Any]]


class Broken:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __str__ = __repr__


def manager(**options: Any) -> CheckpointManager:
    return CheckpointManager(enabled=True, **options)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the log has been told since the last look."""
    found = [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and record.name.startswith("hermes_checkpoints")
    ]
    caplog.clear()
    return found


def without_words(answer: Any) -> Any:
    """Return an answer without the words that name the error."""
    words = ("error", "code", "debug", "messages", "base")
    return (
        {key: value for key, value in answer.items() if key not in words}
        if isinstance(answer, dict)
        else answer
    )


def refused(answer: Any) -> bool:
    return answer["success"] is False and bool(answer["error"])


# --- hopeless arguments ---------------------------------------------------------------------

# Behind a * None is no hopeless argument: it means the default.
CALLS: dict[str, tuple[Call, Any]] = {
    "ensure_checkpoint": (lambda bad: manager().ensure_checkpoint(bad), False),
    "ensure_checkpoint in *": (
        lambda bad: manager(working_dir=bad).ensure_checkpoint("x"),
        False,
    ),
    "ensure_checkpoint home *": (lambda bad: manager(home=bad).ensure_checkpoint("/x"), False),
    "ensure_before_command in *": (
        lambda bad: manager().ensure_before_command("rm x", bad),
        False,
    ),
    "record_agent_write": (lambda bad: manager().record_agent_write(bad), None),
    "get_working_dir_for_path": (lambda bad: manager().get_working_dir_for_path(bad), ""),
    "list_checkpoints": (lambda bad: manager().list_checkpoints(bad), []),
    "list_all_checkpoints *": (lambda bad: manager(home=bad).list_all_checkpoints(), []),
    "diff": (lambda bad: manager().diff(bad, "latest"), {"success": False}),
    "session_diff": (lambda bad: manager().session_diff(bad), {"success": False}),
    "safe_restore_plan": (
        lambda bad: manager().safe_restore_plan(bad, "latest"),
        {"success": False},
    ),
    "restore": (lambda bad: manager().restore(bad, "latest"), {"success": False}),
    "trigger *": (lambda bad: manager(home=bad).trigger.value, "always"),
    "from_config *": (lambda bad: CheckpointManager.from_config(home=bad).enabled, False),
    "prune_checkpoints *": (lambda bad: prune_checkpoints(checkpoint_base=bad), NO_PRUNE),
    "maybe_auto_prune_checkpoints *": (
        lambda bad: maybe_auto_prune_checkpoints(checkpoint_base=bad),
        {"skipped": False},
    ),
    "clear_all *": (clear_all, NOT_CLEARED),
    "clear_legacy *": (
        clear_legacy,
        {"bytes_freed": 0, "deleted": 0, "errors": 1},
    ),
    "footprint_notice *": (footprint_notice, None),
    "store_status *": (store_status, NOTHING_HELD),
    "CheckpointStore *": (lambda bad: CheckpointStore(bad).close(), None),
    "format_checkpoint_list": (lambda bad: format_checkpoint_list([{"hash": bad}], "/x"), ""),
}


@pytest.mark.parametrize("kind", HOPELESS)
@pytest.mark.parametrize("name", CALLS)
def test_hopeless_arguments_get_the_default_and_one_line_in_the_log(
    home: Path, caplog: pytest.LogCaptureFixture, name: str, kind: str
) -> None:
    if name.endswith("*") and kind == "none":
        return  # it means the default
    (call, default), bad = CALLS[name], HOPELESS[kind]
    assert without_words(call(bad)) == default
    assert len(told(caplog)) == 1


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("bad", [None, b"x", "", "-p", "\0", 5, ["latest"]], ids=repr)
def test_a_hopeless_reference_or_file_is_refused(home: Path, project: Path, bad: Any) -> None:
    one = manager()
    assert one.ensure_checkpoint(str(project))
    (project / "README.md").write_text("edited\n")
    for answer in (
        one.diff(str(project), bad),
        one.safe_restore_plan(str(project), bad),
        one.restore(str(project), bad),
        one.restore(str(project), bad, safe=True),
        *([one.restore(str(project), "latest", bad)] if bad is not None and bad != "-p" else []),
    ):
        assert refused(answer), answer
    assert (project / "README.md").read_text() == "edited\n"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("bad", [None, b"x", 5, object(), Broken()], ids=type)
def test_a_hopeless_rest_never_raises(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture, bad: Any
) -> None:
    one = manager(max_snapshots=bad, max_total_size_mb=bad, max_file_size_mb=bad)
    assert one.ensure_before_command(bad, str(project)) is False
    assert one.ensure_checkpoint(str(project), bad) is False
    assert told(caplog)
    for session_id in (object(), [bad]):
        odd: Any = session_id
        manager(session_id=odd).ensure_checkpoint(str(project))
    assert prune_checkpoints(retention_days=Broken())["errors"] == 1  # type: ignore[arg-type]
    assert maybe_auto_prune_checkpoints(retention_days=Broken())["error"]  # type: ignore[arg-type]
    assert format_checkpoint_list(bad, bad) == "" or bad is None
    store = CheckpointStore()
    store.write("s", bad)
    store.write(bad, {"n": bad})
    assert store.read(bad) is None
    assert store.version(bad) == 0
    store.delete(bad)
    assert store.garbage_collect(bad) == [] or isinstance(bad, int)
    assert store.list_sessions() == []
    store.close()
    for rollback in (Rollback(project, enabled=True), Rollback(bad, enabled=True)):
        for typed in (bad, "/rollback", "/rollback 1", "/rollback latest x"):
            reply = rollback.run(typed, bad)
            assert reply.text


def test_a_turn_begins_whatever_the_conversation_is(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = manager()
    hopeless: list[Any] = [5, [None], [{"role": "assistant", "tool_calls": 5}, 7], object()]
    for number, messages in enumerate(hopeless):
        one.new_turn(messages)
        assert len(told(caplog)) == 1
        (project / "f").write_text(f"{number}\n")
        assert one.ensure_checkpoint(str(project)), "a turn like any other"
    with Checkpoints.open() as checkpoints:
        places = [(c.turn, c.message_count) for c in checkpoints.project(project).list()]
    assert places == [(4, None), (3, None), (2, None), (1, None)]


def test_arguments_that_a_call_does_not_have(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    newer: Any = manager()
    assert newer.ensure_checkpoint(str(project), "x", depth=3) is False
    assert newer.diff() == {
        "success": False,
        "error": "TypeError: CheckpointManager.diff() missing 2 required positional arguments: "
        "'working_dir' and 'commit_hash'",
    }
    assert "CheckpointManager.ensure_checkpoint was called with" in told(caplog)[0]


# --- a broken base --------------------------------------------------------------------------


def garbage(home: Path) -> None:
    (home / "checkpoints").mkdir(parents=True)
    (home / "checkpoints" / "catalog.db").write_bytes(b"this is no database" * 100)


def base_is_a_file(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "checkpoints").write_text("x")


def home_is_a_file(home: Path) -> None:
    home.write_text("x")


def home_is_closed(home: Path) -> None:
    home.mkdir(parents=True)
    home.chmod(0)


class Collected(logging.Handler):
    """What the log was told, also where pytest does not listen."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def answers_on(home: Path, project: Path) -> list[tuple[str, Any, list[str]]]:
    """Make every call of a host on a home; return name, answer and log of each."""
    where, one = str(project), manager(home=home)
    base = home / "checkpoints"
    store = CheckpointStore(base)
    rollback = Rollback(project, home=home, enabled=True)
    calls: dict[str, Callable[[], Any]] = {
        "ensure_checkpoint": lambda: one.ensure_checkpoint(where),
        "ensure_before_command": lambda: one.ensure_before_command("rm x", where),
        "record_agent_write": lambda: one.record_agent_write(f"{where}/README.md", "patch"),
        "list_checkpoints": lambda: one.list_checkpoints(where),
        "list_all_checkpoints": one.list_all_checkpoints,
        "diff": lambda: without_words(one.diff(where, "latest")),
        "session_diff": lambda: without_words(one.session_diff(where)),
        "safe_restore_plan": lambda: without_words(one.safe_restore_plan(where, "latest")),
        "restore": lambda: without_words(one.restore(where, "latest")),
        "get_working_dir_for_path": lambda: one.get_working_dir_for_path(f"{where}/README.md"),
        "write": lambda: store.write("s", {}),
        "read": lambda: store.read("s"),
        "version": lambda: store.version("s"),
        "delete": lambda: store.delete("s"),
        "list_sessions": store.list_sessions,
        "garbage_collect": store.garbage_collect,
        "prune_checkpoints": lambda: without_words(prune_checkpoints(checkpoint_base=base)),
        "maybe_auto_prune_checkpoints": lambda: without_words(
            maybe_auto_prune_checkpoints(checkpoint_base=base)
        ),
        "clear_all": lambda: clear_all(base),
        "clear_legacy": lambda: clear_legacy(base),
        "footprint_notice": lambda: footprint_notice(base, enabled=True),
        "store_status": lambda: without_words(store_status(base)),
        "/rollback": lambda: rollback.run("/rollback").ok,
        "/rollback 1": lambda: rollback.run("/rollback 1").ok,
    }
    handler = Collected()
    logging.getLogger("hermes_checkpoints").addHandler(handler)
    found = []
    try:
        for name, call in calls.items():
            handler.lines.clear()
            found.append((name, call(), list(handler.lines)))
        one.new_turn()
        store.close()
    finally:
        logging.getLogger("hermes_checkpoints").removeHandler(handler)
    return found


EXPECTED: dict[str, Any] = {
    "ensure_checkpoint": False,
    "ensure_before_command": False,
    "record_agent_write": None,
    "list_checkpoints": [],
    "list_all_checkpoints": [],
    "diff": {"success": False},
    "session_diff": {"success": False},
    "safe_restore_plan": {"success": False},
    "restore": {"success": False},
    "write": None,
    "read": None,
    "version": 0,
    "delete": None,
    "list_sessions": [],
    "garbage_collect": [],
    "prune_checkpoints": NO_PRUNE,
    "maybe_auto_prune_checkpoints": {"skipped": False},
    "clear_all": NOT_CLEARED,
    "clear_legacy": {"bytes_freed": 0, "deleted": 0, "errors": 1},
    "footprint_notice": None,
    "store_status": NOTHING_HELD,
    "/rollback": False,
    "/rollback 1": False,
}


def check_answers(answers: list[tuple[str, Any, list[str]]], project: Path) -> None:
    wanted = {**EXPECTED, "get_working_dir_for_path": str(project)}
    assert {name: answer for name, answer, _ in answers} == wanted
    # What is wrong with the configuration is a failure of its own, told once for a manager. The
    # answer of a /rollback is a text, which tells of errors of this package by itself.
    for name, _, lines in answers:
        failures = [line for line in lines if "config.yaml cannot be read" not in line]
        assert len(failures) == (0 if name.startswith("/rollback") else 1), (name, lines)


@pytest.mark.parametrize("break_it", [garbage, base_is_a_file, home_is_a_file])
def test_a_broken_base_gets_the_defaults_and_the_log(
    fresh_home: Path, project: Path, break_it: Callable[[Path], None]
) -> None:
    fresh_home.parent.mkdir(parents=True, exist_ok=True)
    break_it(fresh_home)
    check_answers(answers_on(fresh_home, project), project)


def _in_a_closed_home(tmp: Path) -> list[tuple[str, Any, list[str]]]:
    project, home = tmp / "project", tmp / "closed"
    project.mkdir()
    (project / "README.md").write_text("x")
    home_is_closed(home)
    try:
        return answers_on(home, project)
    finally:
        home.chmod(0o700)


def test_a_home_that_is_closed_to_the_user(as_user: OrdinaryUserLike) -> None:
    check_answers(as_user(_in_a_closed_home, as_user.tmp), as_user.tmp / "project")


class Hopeless(str):
    """What passes for text, and fails where it is used."""

    def replace(self, *arguments: Any) -> str:
        raise AttributeError("hopeless")


def test_an_unforeseen_failure_of_a_take_is_in_the_journal(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = manager()
    for _ in range(2):
        assert one.ensure_checkpoint(str(project), Hopeless("hopeless")) is False
        (line,) = told(caplog)
        assert line.startswith(f"no checkpoint of {str(project)!r}: AttributeError: ")
    with Checkpoints.open() as checkpoints:
        (run,) = checkpoints.status().failures
    assert (run.working_dir, run.count) == (str(project), 2)
    assert "AttributeError" in run.last_error
    assert one.ensure_checkpoint(str(project)), "the turn is not used up by a failure"


def test_a_take_that_is_told_nonsense_is_in_the_journal(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    no_text: Any = 5
    assert manager().ensure_checkpoint(str(project), no_text) is False
    (line,) = told(caplog)
    assert "the reason of a checkpoint is text, not 5" in line
    with Checkpoints.open() as checkpoints:
        (run,) = checkpoints.status().failures
    assert (run.working_dir, run.count) == (str(project), 1)
    assert "is text, not 5" in run.last_error


def test_a_failure_of_a_take_that_was_foreseen_is_told_once(
    home: Path, project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    missing = str(tmp_path / "missing")
    assert manager().ensure_checkpoint(missing) is False
    (line,) = told(caplog)
    assert "missing" in line
    with Checkpoints.open() as checkpoints:
        (run,) = checkpoints.status().failures
    assert (run.working_dir, run.count) == (missing, 1)


# --- the agent's side -----------------------------------------------------------------------


def test_hooks_never_raise(
    home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bridge: Any = Bridge()
    monkeypatch.setattr(bridges, "bridge", bridge)
    one = agent_manager.CheckpointManager(enabled=True)
    bridge.pre_llm_call("s", "go", [5])
    one.new_turn()
    assert told(caplog) == []
    calls: list[tuple[str, tuple[Any, ...], int]] = [
        ("pre_llm_call", ("s", [], "one", "two", "three", "too many"), 1),
        ("pre_tool_call", ("terminal", "rm x", "s"), 0),
        ("pre_tool_call", ("terminal", {"command": "rm x", "workdir": 5}, "s"), 0),
        ("pre_tool_call", ("write_file", {"path": "nul\0"}, "s"), 0),
        ("pre_tool_call", (5, {5: 5}, "s"), 1),
        ("pre_tool_call", ("mcp_x", {"paths": [["/" * 5000, {"a": "~nobody/x"}]]}, None), 0),
        ("post_tool_call", ("patch", "no mapping", "s"), 0),
        ("post_tool_call", ("patch", {"patch": 5}, "s"), 0),
        ("post_tool_call", ("write_file", {"path": "nul\0"}, "s"), 0),
        ("pre_tool_call", ([], {}, "s"), 1),
        ("on_session_end", ([5],), 1),
        ("on_session_finalize", ([5],), 1),
        ("subagent_start", ("s", [5]), 1),
        ("subagent_start", ("s", None), 0),
        ("subagent_stop", ([5],), 1),
        ("pre_llm_call", ([5], "go"), 1),
    ]
    for name, args, lines in calls:
        assert getattr(bridge, name)(*args) is None
        assert len(told(caplog)) == lines, (name, args)
    alone = agent_manager.CheckpointManager(enabled=True)
    monkeypatch.setattr(bridges, "bridge", Bridge())
    alone.new_turn()
    assert alone.ensure_checkpoint(str(project)), "without hooks it works alone"


def test_a_home_that_the_agent_cannot_tell(
    monkeypatch: pytest.MonkeyPatch, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def no_home() -> str:
        raise RuntimeError("no profile")

    constants = types.SimpleNamespace(get_hermes_home=no_home)
    monkeypatch.setitem(sys.modules, "hermes_constants", constants)
    one = agent_manager.CheckpointManager(enabled=True)
    compat = checkpoint_manager
    answers: dict[str, tuple[Callable[[], Any], Any]] = {
        "ensure": (lambda: one.ensure_checkpoint(str(project)), False),
        "list": (lambda: one.list_checkpoints(str(project)), []),
        "restore": (lambda: one.restore(str(project), "latest"), {"success": False}),
        "prune": (compat.prune_checkpoints, NO_PRUNE),
        "auto": (compat.maybe_auto_prune_checkpoints, {"skipped": False}),
        "status": (compat.store_status, NOTHING_HELD),
        "clear": (compat.clear_all, NOT_CLEARED),
        "archives": (compat.clear_legacy, {"bytes_freed": 0, "deleted": 0, "errors": 1}),
        "/checkpoint": (lambda: plugin.rollback("1"), "❌ RuntimeError: no profile"),
    }
    for name, (call, default) in answers.items():
        assert without_words(call()) == default, name
        (line,) = told(caplog)
        assert "no profile" in line


# --- one guard, on everything ---------------------------------------------------------------


def public(thing: type | types.ModuleType) -> dict[str, Any]:
    """Return the functions that a class or module defines for others, by name."""
    found = {}
    for name, value in vars(thing).items():
        function = value.fget if isinstance(value, property) else value
        own = getattr(function, "__module__", "") == getattr(thing, "__module__", thing.__name__)
        if isinstance(function, types.FunctionType) and own and not name.startswith("_"):
            found[name] = function
    return found


@pytest.mark.parametrize(
    ("thing", "unguarded"),
    [
        # These look at nothing, or are what the guarded calls stand on.
        (CheckpointManager, {"layout", "session_dir"}),
        (CheckpointStore, {"directory"}),
        (Bridge, {"here", "asks_again", "is_done", "session_of"}),
        (maintenance, set()),
    ],
)
def test_what_hosts_call_is_guarded(thing: type | types.ModuleType, unguarded: set[str]) -> None:
    found = public(thing)
    assert len(found) > len(unguarded) + 3
    assert {name for name, function in found.items() if not is_guarded(function)} == unguarded


def is_guarded(function: Any) -> bool:
    wrapped = getattr(function, "__wrapped__", None)
    return wrapped is not None and function.__code__.co_filename.endswith("guard.py")


def test_what_overrides_a_guarded_call_only_asks_where_the_files_are() -> None:
    overridden = public(agent_manager.CheckpointManager)
    assert set(overridden) == {
        *("enabled", "layout", "session_dir", "new_turn", "ensure_checkpoint"),
        *("get_working_dir_for_path", "record_agent_write", "diff", "restore"),
    }
    assert {name for name in overridden if is_guarded(overridden[name])} == {"new_turn", "restore"}


def test_there_is_one_broad_handler() -> None:
    """Handlers that clean up and raise are not meant; what stands alone in site-packages has one
    of its own."""
    package = Path(maintenance.__file__).parents[1]
    broad = []
    files = [*package.glob("agent/*.py"), *package.glob("compat/*.py"), package / "plugin.py"]
    assert len(files) > 15
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ExceptHandler)
                and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
                and not isinstance(node.body[-1], ast.Raise)
            ):
                broad.append(file.name)
    assert broad == ["guard.py", "startup.py"]


# --- what goes through ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interruption_goes_through(
    home: Path, project: Path, kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Directory(os.PathLike[str]):
        def __fspath__(self) -> str:
            raise kind

    one, path = manager(working_dir=Directory()), str(project)
    for call in (one.ensure_checkpoint, one.list_checkpoints, one.session_diff):
        with pytest.raises(kind):
            call("x")
    with pytest.raises(kind):
        prune_checkpoints(checkpoint_base=Directory())
    assert told(caplog) == []
    assert manager().ensure_checkpoint(path)


def test_errors_that_a_call_promises_go_on_unlogged(caplog: pytest.LogCaptureFixture) -> None:
    @guarded("{what} went wrong", lambda _: 0, passes=(SessionChanged,))
    def act(what: str, error: Exception) -> int:
        raise error

    with pytest.raises(SessionChanged):
        act("it", SessionChanged("changed"))
    assert caplog.records == []
    assert act("it", LockHeld("held by 7")) == 0
    assert act(what="all", error=ValueError("odd")) == 0
    warning, failure = caplog.records
    assert (warning.levelname, warning.getMessage()) == (
        "WARNING",
        "'it' went wrong: held by 7",
    )
    assert warning.exc_info is None
    assert (failure.levelname, failure.getMessage()) == (
        "ERROR",
        "'all' went wrong: ValueError: odd",
    )
    assert failure.exc_info is not None, "with a traceback, because nobody foresaw it"


@pytest.mark.campaign
def test_the_errors_of_apply_go_to_the_host_whatever_they_are(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    talk: list[Any] = [{"role": "user", "content": "go"}]
    one = manager(session_id="s")
    one.new_turn(talk)
    one.ensure_checkpoint(str(project))
    (project / "made.txt").write_text("agent\n")
    one.end_turn()
    rollback = Rollback(project, session_id="s", enabled=True)
    for error in (ValueError("full"), LockHeld("the session is locked"), KeyboardInterrupt()):

        def apply(_: object, error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)) as raised:
            rollback.run("/rollback 1", talk, apply=apply)
        assert raised.value is error
        assert (project / "made.txt").read_text() == "agent\n"
        (line,) = told(caplog)
        assert line == "the host did not store the conversation; everything was taken back"
