"""What a process imports: no more than it uses. Counts and names, never times."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints.catalog.direct.reader import Reader
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.cli import main

DATABASE = {"sqlalchemy", "alembic"}
TERMINAL = {"rich", "pygments"}
NEVER_TO_LOOK = {
    *DATABASE,
    *TERMINAL,
    *("asyncio", "email", "importlib.metadata", "multiprocessing", "socket", "ssl", "subprocess"),
    *("psycopg", "typing_extensions", "tree_sitter", "yaml"),
    *(f"hermes_checkpoints.{name}" for name in ("agent", "attribution", "capture", "compat")),
    *(f"hermes_checkpoints.{name}" for name in ("doctor", "fleet", "git", "restore", "sessions")),
    *("hermes_checkpoints.catalog.schema", "hermes_checkpoints.history.importing"),
    *("hermes_checkpoints.object_store.staging", "hermes_checkpoints.retention.run"),
}
"""What neither ``status`` nor ``log`` may load."""

MOST_TO_LOOK = 100
"""How many modules of ours each of them may load."""


def loaded(code: str) -> set[str]:
    """Return the modules that an interpreter has loaded after some code, which prints nothing."""
    ending = "\nimport sys; sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code + ending], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def of_verb(*words: str) -> set[str]:
    return loaded(
        "import contextlib, io\n"
        "from hermes_checkpoints.cli import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()):\n    assert main({list(words)!r}) == 0"
    )


def within(modules: set[str], names: set[str]) -> set[str]:
    """Return which modules are those named, or lie in one that is."""
    return {one for one in modules if any(one == n or one.startswith(f"{n}.") for n in names)}


def ours(modules: set[str]) -> set[str]:
    return {one for one in modules if one.startswith("hermes_checkpoints")}


@pytest.fixture
def known(project: Path, home: Path) -> Path:
    """A project with three checkpoints, one of them a safety checkpoint."""
    with Checkpoints.open() as checkpoints:
        of = checkpoints.project(project)
        of.take("first")
        (project / "later.txt").write_text("later")
        of.take("second")
        (project / "later.txt").write_text("by hand")
        of.restore("latest", mode="exact")
    return project


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        [],
        ["list", "-n", "1"],
        ["status", "--json"],
        ["status", "DIR"],
        ["log", "DIR"],
        ["log", "DIR", "--json"],
        ["log", "DIR", "-n", "1"],
        ["log", "DIR", "--flat"],
        ["log", "--dir", "DIR", "--session", "s"],
    ],
    ids=" ".join,
)
def test_status_and_log_load_neither_database_nor_what_changes_anything(
    words: list[str], known: Path
) -> None:
    found = of_verb(*(str(known) if word == "DIR" else word for word in words))
    assert within(found, NEVER_TO_LOOK) == set()
    assert len(ours(found)) <= MOST_TO_LOOK


def test_status_and_log_say_the_same_through_the_whole_catalog(
    known: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A catalog with a view of somebody's own is unusual, and so is opened the whole way."""

    def said() -> list[str]:
        texts = []
        for words in (["status", str(known)], ["log", str(known)], ["log", str(known), "--flat"]):
            assert main(words) == 0
            texts.append(re.sub(r" *\d+s( ago)?\b", " now", capsys.readouterr().out))
        return texts

    path = home / "checkpoints" / "catalog.db"
    said()  # which writes down what it saw, so that the next ones find the same base
    directly = said()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE VIEW my_own AS SELECT * FROM projects")
    assert Reader.open(path) is None
    assert said() == directly


def test_the_package_itself_loads_nothing(known: Path) -> None:
    assert ours(loaded("import hermes_checkpoints")) == {"hermes_checkpoints"}


def test_a_host_that_imports_the_manager_loads_no_database(known: Path) -> None:
    found = loaded("from hermes_checkpoints import CheckpointManager; CheckpointManager()")
    assert within(found, DATABASE | TERMINAL | {"subprocess", "ssl", "asyncio", "yaml"}) == set()
    assert len(ours(found)) <= 30


def test_the_stand_in_of_the_agent_loads_no_database_until_it_is_used(known: Path) -> None:
    found = loaded("from hermes_checkpoints.compat import checkpoint_manager")
    assert within(found, DATABASE | {"hermes_checkpoints.catalog.schema"}) == set()
    assert len(ours(found)) <= 45


@pytest.mark.parametrize("is_on", [True, False])
def test_a_first_take_loads_its_modules_without_a_look_for_garbage(
    is_on: bool, known: Path
) -> None:
    """So the objects of a large host are not gone through; the collector is as before after it."""
    code = f"""
        import gc
        from hermes_checkpoints.loading import load_lending, load_takes
        gc.{"enable" if is_on else "disable"}()
        gc.set_threshold(100, 2, 1)
        for load in (load_lending, load_takes):
            gc.collect()
            before = gc.get_stats()[2]["collections"]
            load()
            assert gc.get_stats()[2]["collections"] - before <= 1, "but for one behind the block"
            assert gc.isenabled() is {is_on}
        import hermes_checkpoints.capture.take
    """
    loaded(textwrap.dedent(code))


def test_a_failed_import_leaves_the_collector_on() -> None:
    code = """
        import gc
        from hermes_checkpoints import loading
        try:
            loading._load(("hermes_checkpoints.no_such_module",))
        except ModuleNotFoundError:
            assert gc.isenabled()
        else:
            raise AssertionError("it was loaded")
    """
    loaded(textwrap.dedent(code))


TAKE = """
import sys
import textwrap
from hermes_checkpoints import CheckpointManager
manager = CheckpointManager(enabled=True)
manager.new_turn()
assert manager.ensure_checkpoint({project!r}, "before an edit") is {taken}
"""


@pytest.mark.parametrize("changed", [True, False])
def test_a_first_take_loads_no_migrations_and_nothing_that_only_restores_or_prunes(
    changed: bool, known: Path
) -> None:
    if changed:
        (known / "later.txt").write_text("changed again")
    else:
        with Checkpoints.open() as checkpoints:
            checkpoints.project(known).take()
    found = loaded(TAKE.format(project=str(known), taken=changed))
    never = {*DATABASE, "hermes_checkpoints.catalog.schema", "tree_sitter", "yaml", *TERMINAL}
    never |= {
        f"hermes_checkpoints.{name}"
        for name in (
            *("catalog.sessions", "catalog.shrinking", "catalog.usage", "doctor", "sessions"),
            *("history.importing", "restore", "retention.run"),
            *("model.history", "model.restore"),
        )
    }
    assert within(found, never) == set()
    assert len(ours(found)) <= 170


def test_a_session_in_several_threads_and_over_its_limit_loads_no_database_nor_its_restore(
    project: Path, fresh_home: Path
) -> None:
    """From the first take of a new base on, for as long as nothing is pruned by hand."""
    found = loaded(
        f"""
import threading
from pathlib import Path
from hermes_checkpoints import CheckpointManager

manager = CheckpointManager(True, 2, session_id="s")

def turn(number):
    manager.new_turn()
    assert manager.ensure_checkpoint({str(project)!r}, "before an edit") is True
    manager.begin_tool("write_file", "run")
    Path({str(project)!r}, "new.txt").write_text(str(number))
    manager.record_agent_write({str(project / "new.txt")!r}, "write_file")
    manager.end_tool("run")
    manager.end_turn()

for number in range(4):
    thread = threading.Thread(target=turn, args=(number,))
    thread.start()
    thread.join()
    listed = manager.list_checkpoints({str(project)!r})
    assert len(listed) == min(number + 1, 2)
assert manager.restore({str(project)!r}, listed[0]["hash"])["success"]
"""
    )
    assert within(found, DATABASE) == set()


@pytest.mark.parametrize("new", [True, False])
def test_a_turn_begins_to_load_what_its_first_take_needs(
    new: bool, project: Path, fresh_home: Path, request: pytest.FixtureRequest
) -> None:
    if not new:
        request.getfixturevalue("known")
    code = f"""
import sys, threading
from hermes_checkpoints import CheckpointManager
manager = CheckpointManager(True)
manager.new_turn()
for thread in threading.enumerate():
    if thread.name == "hermes-checkpoints loads":
        thread.join()
before = set(sys.modules)
assert manager.ensure_checkpoint({str(project)!r}) in (True, False)
late = set(sys.modules) - before
assert not [one for one in late if one.startswith("hermes_checkpoints.")], late
"""
    loaded(code)


@pytest.mark.parametrize("in_git", [True, False])
def test_a_session_of_the_agent_loads_what_its_tools_need_while_the_model_answers_and_no_database(
    in_git: bool, project: Path, fresh_home: Path
) -> None:
    if in_git:
        subprocess.run(["git", "init", "-q", project], check=True)
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: true\n", encoding="utf-8")
    found = loaded(
        f"""
import os, sys, threading
os.environ["TERMINAL_CWD"] = {str(project)!r}
from hermes_checkpoints.compat.bridge import bridge
said = {{"session_id": "s", "user_message": "go"}}
bridge.pre_llm_call(conversation_history=[{{"role": "user", "content": "go"}}], **said)
for thread in threading.enumerate():
    if thread.name == "hermes-checkpoints loads":
        thread.join()
before = set(sys.modules)
call = {{"tool_name": "write_file", "args": {{"path": "new.txt"}}, "session_id": "s"}}
bridge.pre_tool_call(tool_call_id="1", **call)
bridge.post_tool_call(tool_call_id="1", status="ok", **call)
late = set(sys.modules) - before
bridge.on_session_end(session_id="s")
assert not [one for one in late if one.startswith("hermes_checkpoints.")], late
from hermes_checkpoints.compat.agent_manager import CheckpointManager
assert len(CheckpointManager().list_checkpoints({str(project)!r})) == 1
"""
    )
    assert within(found, DATABASE) == set()


@pytest.mark.parametrize(
    "spoilt",
    [
        'threading.Thread.start = fail(RuntimeError("can\'t start new thread"))',
        "threading.Thread.start = fail(MemoryError())",
        "loading._FOUNDS = ('no_such_module',)",
        "loading.import_module = fail(OSError(5, 'Input/output error'))",
    ],
)
def test_what_keeps_a_turn_from_loading_ahead_is_left_to_the_take(
    spoilt: str, project: Path, fresh_home: Path
) -> None:
    """Nothing is told of it on standard error, which is not ours, nor in the log."""
    code = f"""
        import contextlib, gc, io, threading
        from hermes_checkpoints import CheckpointManager, loading
        def fail(error):
            def failing(*_):
                raise error
            return failing
        manager = CheckpointManager(True)
        usual = loading._FOUNDS, loading.import_module, threading.Thread.start
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            {spoilt}
            manager.new_turn()
            for thread in threading.enumerate():
                if thread.name == "hermes-checkpoints loads":
                    thread.join()
        assert not said.getvalue(), said.getvalue()
        loading._FOUNDS, loading.import_module, threading.Thread.start = usual
        assert gc.isenabled()
        assert manager.ensure_checkpoint({str(project)!r}) is True
    """
    loaded(textwrap.dedent(code))


def test_the_plugin_loads_what_a_first_take_needs_while_the_agent_starts(fresh_home: Path) -> None:
    """Where the configuration says that checkpoints are taken; else nobody may ever need it."""
    code = """
        import sys, threading
        from hermes_checkpoints import plugin

        class Context:
            register_hook = register_command = lambda *_, **__: None

        plugin.register(Context())
        for thread in threading.enumerate():
            if thread.name == "hermes-checkpoints loads":
                thread.join()
        print("hermes_checkpoints.capture.take" in sys.modules, "sqlalchemy" in sys.modules)
    """
    config = fresh_home / "config.yaml"
    fresh_home.mkdir(parents=True, exist_ok=True)
    for text, expected in (
        ("", "False False\n"),
        ("checkpoints:\n  enabled: false\n", "False False\n"),
        ("checkpoints:\n  enabled: true\n", "True False\n"),
    ):
        config.write_text(text, encoding="ascii")
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, expected, "")


def test_a_process_that_ends_as_a_turn_begins_ends_at_once_and_says_nothing(
    fresh_home: Path,
) -> None:
    code = """
        import sys, threading
        from hermes_checkpoints import CheckpointManager
        manager = CheckpointManager(True)
        thread = threading.Thread(target=manager.new_turn)
        thread.start()
        thread.join()
    """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(code)]
    for _ in range(3):
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_names_of_a_package_are_those_that_it_lists(known: Path) -> None:
    for package in ("catalog", "history", "model", "object_store"):
        loaded(
            f"import hermes_checkpoints.{package} as package\n"
            "for name in package.__all__: getattr(package, name)\n"
            "from importlib.util import find_spec\n"
            "assert not [n for n in package.__all__ if find_spec(package.__name__ + '.' + n)]"
        )


def test_what_a_host_works_with_is_loaded_before_its_work_begins(project: Path, home: Path) -> None:
    """So that no fork beside it cuts an import in two: the child would wait for it for ever."""
    code = """
        import sys
        from pathlib import Path
        from hermes_checkpoints import Checkpoints, Config
        from hermes_checkpoints.loading import load_restores, load_takes

        def ours():
            return {name for name in sys.modules if name.startswith("hermes_checkpoints")}

        file = Path(sys.argv[1], "file")
        with Checkpoints.open(config=Config(max_snapshots=2)) as checkpoints:
            load_takes()
            of, before = checkpoints.project(file.parent), ours()
            for text in "abcd":
                file.write_text(text)
                of.take()
            of.take()
            print(sorted(ours() - before))
            load_restores()
            before = ours()
            of.restore(of.list()[1].id)
            of.undo()
            print(sorted(ours() - before))
    """
    arguments = [sys.executable, "-c", textwrap.dedent(code), str(project)]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert answer.stdout == "[]\n[]\n", answer.stderr
