"""What leads the agent's programs to the stand-ins, in a Python with site-packages of its own and
packages that are called as the agent's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints.compat import STAND_INS, checkpoint_manager, environment, startup

OURS = Path(checkpoint_manager.__file__).parent
CONFIG = "plugins:\n  enabled:\n    - hermes-checkpoints\n"
LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that enables the plugin, and in ``site`` what adopt writes and what the agent has."""
    folder = tmp_path_factory.mktemp("started")
    site = folder / "site"
    for name in STAND_INS:
        file = site / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text("")
    (site / "hermes_constants.py").write_text("")
    (site / "hermes_cli" / "main.py").write_text("from probe import main\nmain()\n")
    (site / "probe.py").write_text(
        "def main():\n"
        "    import json, sys, tools.checkpoint_manager as a, hermes_cli.checkpoints as b\n"
        "    finder = any(hasattr(one, 'finds_the_stand_ins') for one in sys.meta_path)\n"
        "    print(json.dumps([a.__file__, b.__file__, a.__name__, finder]))\n"
    )
    for path, content in environment.startup_files().items():
        (site / path.name).write_bytes(content)
    (folder / "bin").mkdir()
    for name in ("hermes", "other"):
        (folder / "bin" / name).write_text("from probe import main\nmain()\n")
    (folder / "home").mkdir()
    (folder / "home" / "config.yaml").write_text(CONFIG)
    return folder


def python(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run Python as one whose site-packages are those of ``folder``."""
    site = folder / "site"
    start = f"import site; site.addsitedir({str(site)!r})"
    customised = folder / "customised"
    customised.mkdir(exist_ok=True)
    (customised / "sitecustomize.py").write_text(start)
    return subprocess.run(
        [sys.executable, *words],
        env={
            **os.environ,
            "PYTHONPATH": f"{customised}",
            "HERMES_HOME": str(folder / "home"),
            **env,
        },
        check=False,
        capture_output=True,
        text=True,
    )


def found(folder: Path, *words: str, **env: str) -> list[object]:
    """Return from where a program loads the agent's modules, and whether there is a finder."""
    done = python(folder, *words, **env)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


def own(folder: Path, name: str) -> str:
    return str(folder / "site" / f"{name.replace('.', '/')}.py")


def test_the_agents_program_gets_the_stand_ins(folder: Path) -> None:
    program = str(folder / "bin" / "hermes")
    both = [str(OURS / "checkpoint_manager.py"), str(OURS / "command_line.py")]
    expected = [*both, "tools.checkpoint_manager", True]
    assert found(folder, program, "checkpoints", "status") == expected
    assert found(folder, "-m", "hermes_cli.main", "console") == expected
    assert found(folder, "-Xutf8", "-mhermes_cli.main", "checkpoints") == expected


def test_another_verb_has_the_agents_own_parser_of_checkpoints(folder: Path) -> None:
    manager, verbs, _, _ = found(folder, str(folder / "bin" / "hermes"), "--version")
    assert manager == str(OURS / "checkpoint_manager.py")
    assert verbs == own(folder, "hermes_cli.checkpoints")


@pytest.mark.parametrize(
    "words",
    [["bin/other", "checkpoints"], ["-c", "from probe import main; main()", "hermes"]],
)
def test_other_programs_get_no_finder(folder: Path, words: list[str]) -> None:
    first = str(folder / words[0]) if words[0] != "-c" else "-c"
    assert found(folder, first, *words[1:])[3] is False


def test_safe_mode_and_a_home_without_the_plugin_have_the_agents_own(
    folder: Path, tmp_path: Path
) -> None:
    words = (str(folder / "bin" / "hermes"), "checkpoints")
    theirs = [own(folder, "tools.checkpoint_manager"), own(folder, "hermes_cli.checkpoints")]
    assert found(folder, *words, HERMES_SAFE_MODE="1")[:2] == theirs
    assert found(folder, words[0], "--safe-mode", "checkpoints")[:2] == theirs
    assert found(folder, *words, HERMES_HOME=str(tmp_path))[:2] == theirs
    (tmp_path / "config.yaml").write_text(f"{CONFIG}  disabled: [hermes-checkpoints]\n")
    assert found(folder, *words, HERMES_HOME=str(tmp_path))[:2] == theirs


def test_packages_that_happen_to_have_the_names_are_left_alone(folder: Path) -> None:
    mark = folder / "site" / "hermes_constants.py"
    mark.rename(folder / "aside")
    try:
        manager, *_ = found(folder, str(folder / "bin" / "hermes"), "checkpoints")
    finally:
        (folder / "aside").rename(mark)
    assert manager == own(folder, "tools.checkpoint_manager")


def test_without_this_package_nothing_is_said_and_the_agents_own_are_used(folder: Path) -> None:
    gone = folder / "gone"
    gone.mkdir(exist_ok=True)
    (gone / "hermes_checkpoints.py").write_text("raise ImportError('uninstalled')")
    (folder / "customised").mkdir(exist_ok=True)
    env = {"PYTHONPATH": f"{folder / 'customised'}{os.pathsep}{gone}"}
    manager, *_ = found(folder, str(folder / "bin" / "hermes"), "checkpoints", **env)
    assert manager == own(folder, "tools.checkpoint_manager")


def test_the_start_of_every_program_loads_this_module_and_no_other(folder: Path) -> None:
    (folder / "plain").mkdir(exist_ok=True)
    bare = python(folder, "-c", LOADED, PYTHONPATH=str(folder / "plain")).stdout
    loaded = set(json.loads(python(folder, "-c", LOADED).stdout)) - set(json.loads(bare))
    assert loaded <= {"sitecustomize", environment.NAME}
    assert environment.NAME in loaded
    source = (folder / "site" / f"{environment.NAME}.py").read_text()
    assert [line for line in source.splitlines() if line.startswith(("import ", "from "))] == [
        "import sys"
    ]


@pytest.mark.parametrize(
    ("words", "typed", "expected"),
    [
        (["/opt/bin/hermes", "chat"], ["python", "/opt/bin/hermes", "chat"], True),
        (["C:\\env\\Scripts\\hermes.exe"], ["python.exe", "C:\\env\\Scripts\\hermes.exe"], True),
        (["/opt/bin/hermes-agent"], ["python", "/opt/bin/hermes-agent"], True),
        (["/home/ada/.local/bin/hermes@019"], ["python", "/home/ada/.local/bin/hermes@019"], True),
        (["-m", "gateway"], ["python", "-m", "hermes_cli.main", "gateway"], True),
        (["-m"], ["python", "-X", "utf8", "-mhermes_cli.main"], True),
        (["-m", "hermes_cli"], ["python", "-m", "json.tool", "hermes_cli"], False),
        (["-m"], ["-m"], False),
        (["-c", "hermes"], ["python", "-c", "pass", "hermes"], False),
        ([""], ["python"], False),
        (["/home/hermes/run.py"], ["python", "/home/hermes/run.py"], False),
    ],
)
def test_which_program_is_the_agents(words: list[str], typed: list[str], expected: bool) -> None:
    assert startup._is_the_agent(words, typed) is expected


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "h").symlink_to("/opt/agent/bin/hermes")
    (tmp_path / "other").symlink_to("/opt/other/bin/other")
    assert startup._is_the_agent([str(tmp_path / "h")], [])
    assert not startup._is_the_agent([str(tmp_path / "other")], [])


def test_a_second_start_puts_no_second_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.15 runs the entry points of a virtual environment twice."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "argv", ["/opt/bin/hermes"])
    before = len(sys.meta_path)
    startup.start()
    startup.start()
    assert len(sys.meta_path) == before + 1


def test_the_files_are_those_that_every_python_reads() -> None:
    lines = {path.suffix: content for path, content in environment.startup_files().items()}
    assert lines[".pth"] == f"import {environment.NAME}\n".encode()
    assert lines[".start"] == f"{environment.NAME}:start\n".encode()
    assert lines[".py"] == Path(startup.__file__).read_bytes()
    assert [*lines] == [".py", ".start", ".pth"], "none names one that is not there yet"


def test_the_finder_answers_for_the_modules_that_are_replaced_and_no_other() -> None:
    assert set(startup._REPLACED) == STAND_INS.keys()
