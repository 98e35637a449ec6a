"""``completion``: a shell completes verbs, options, checkpoints and what they hold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli.completion import SHELLS
from support import Run, files

Complete = Callable[..., list[str]]
WITHOUT_THE_LIBRARY = """
import sys
sys.modules["argcomplete"] = None
from hermes_checkpoints.cli import main
sys.exit(main())
"""


@pytest.fixture
def project(home: Path, tmp_path: Path, run: Run) -> Path:
    """A project whose file src/gone.py only the older checkpoint holds, which is labelled."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "empty").mkdir()
    for name in ("gone.py", "here.py", "two words.py", "naïve.py"):
        (folder / "src" / name).write_text(name)
    (folder / ".github").mkdir()
    (folder / ".github" / "ci.yml").write_text("on: push")
    run("take", folder, "--label", "good", "--session", "s-1")
    (folder / "src" / "gone.py").unlink()
    run("take", folder)
    return folder


@pytest.fixture
def complete(home: Path, project: Path, tmp_path: Path) -> Complete:
    """Ask the program what the last word of a line may become, as a shell does."""

    def ask(
        line: str,
        *,
        cwd: Path = project,
        of: str = "fish",
        run: Sequence[str] = ("-m", "hermes_checkpoints"),
    ) -> list[str]:
        answer = tmp_path / "answer"
        answer.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, *run],
            cwd=cwd,
            env={
                **os.environ,
                "_ARGCOMPLETE": "1",
                "_ARGCOMPLETE_SHELL": of,
                "_ARGCOMPLETE_IFS": "\n",
                "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
                "COMP_LINE": line,
                "COMP_POINT": str(len(line.encode())),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("", "")
        lines = answer.read_text().splitlines() if answer.exists() else []
        return [line.split("\t")[0].rstrip(" ") for line in lines]

    return ask


@pytest.mark.campaign
def test_verbs_and_options(complete: Complete) -> None:
    assert complete("hcp re") == ["restore", "redo", "rebind", "remote"]
    assert complete("hcp restore --mo") == ["--mode"]
    assert complete("hcp restore good --mode ") == ["keep-edits", "overlay", "exact"]
    assert complete("hcp completion ") == ["bash", "zsh", "fish"]


@pytest.mark.campaign
def test_hermes_is_completed_by_the_other_program(complete: Complete) -> None:
    assert complete("hermes ch") == ["checkpoints"]
    assert complete("hermes checkpoints re") == ["restore", "redo", "rebind", "remote"]
    assert complete("hermes checkpoints restore go") == ["good"]
    assert complete("/opt/bin/hermes checkpoints restore good src/g") == ["src/gone.py"]


@pytest.mark.campaign
def test_hermes_answers_itself_where_another_completion_runs_it(complete: Complete) -> None:
    """Also where an agent is installed, whose program would otherwise be started by a TAB."""
    started = "from hermes_checkpoints.cli import hermes; hermes()"
    assert complete("hermes checkpoints res", run=["-c", started]) == ["restore"]


@pytest.mark.parametrize(
    ("folders", "agent", "registered"),
    [(("one", "one"), False, True), (("one", "two"), False, False), (("one", "one"), True, False)],
)
@pytest.mark.parametrize("shell", SHELLS)
def test_only_our_own_hermes_is_completed(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: str,
    folders: tuple[str, str],
    agent: bool,
    registered: bool,
) -> None:
    for name, folder in zip(("hermes", "hermes-checkpoints"), folders, strict=True):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).touch(mode=0o755)
    path = os.pathsep.join(str(tmp_path / folder) for folder in ("one", "two"))
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    if agent:
        (tmp_path / "site" / "hermes_cli").mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path / "site")
    lines = run("completion", shell).out
    assert bool(re.search(r"(?m)^\s*(complete|compdef) .*\bhermes( |$)", lines)) is registered
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=lines, text=True, check=True, timeout=60)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("verb", ["restore", "cat", "show", "pin", "drop", "diff --stat"])
def test_labels_and_ids_where_a_checkpoint_stands(
    complete: Complete, project: Path, verb: str
) -> None:
    with Checkpoints.open() as checkpoints:
        newest, older = checkpoints.project(project).list()
    found = complete(f"hcp {verb} ")
    assert found[:4] == ["latest", "good", newest.short_id, older.short_id]
    assert complete(f"hcp {verb} go") == ["good"]
    assert complete(f"hcp {verb} {older.short_id[:6]}") == [older.short_id]


@pytest.mark.campaign
@pytest.mark.parametrize(
    "before", ["restore good", "cat good", "diff good", "restore good -f", "diff --stat good"]
)
def test_what_a_checkpoint_holds_where_a_path_stands(complete: Complete, before: str) -> None:
    assert [word for word in complete(f"hcp {before} ") if "/" in word] == [
        *(".github/", "empty/", "src/")
    ]
    assert complete(f"hcp {before} .github/") == [".github/ci.yml"]
    assert complete(f"hcp {before} src/g") == ["src/gone.py"]
    assert complete(f"hcp {before} src/") == [
        *("src/gone.py", "src/here.py", "src/naïve.py", "src/two words.py")
    ]


@pytest.mark.campaign
def test_of_no_checkpoint_the_newest_tells(complete: Complete) -> None:
    for verb in ("who", "forget", "diff"):
        assert complete(f"hcp {verb} src/g") == []
        assert complete(f"hcp {verb} src/h") == ["src/here.py"]
    assert complete("hcp restore no-such-checkpoint src/h") == ["src/here.py"]


@pytest.mark.campaign
def test_paths_are_read_from_where_one_stands(complete: Complete, project: Path) -> None:
    assert complete("hcp restore good g", cwd=project / "src") == ["gone.py"]
    assert complete("hcp -C src cat good g") == ["gone.py"]
    assert complete("hcp restore good ../e", cwd=project / "src") == ["../empty/"]


@pytest.mark.campaign
def test_a_name_that_no_shell_reads_hides_no_other(
    complete: Complete, project: Path, run: Run
) -> None:
    for name in (b"bad\xff", b"a\nb", b"escape\x1b[2J"):
        Path(os.fsdecode(bytes(project / "src") + b"/" + name)).write_text("")
    (project / "src/文字").write_text("")
    run("take", project)
    found = complete("hermes-checkpoints cat latest src/")
    assert found == ["src/here.py", "src/naïve.py", "src/two words.py", "src/文字"]


@pytest.mark.campaign
def test_sessions(complete: Complete) -> None:
    assert complete("hcp log --session ") == ["s-1"]
    assert complete("hcp diff --session s") == ["s-1"]


@pytest.mark.campaign
def test_questions(complete: Complete) -> None:
    assert complete("hcp sql --question takes-") == ["takes-failing", "takes-late", "takes-slow"]


def test_where_nothing_is_known_nothing_is_offered(
    complete: Complete, home: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert complete("hcp restore ", cwd=elsewhere) == []
    shutil.rmtree(home)
    assert complete("hcp restore ") == []
    assert not home.exists()


@pytest.mark.campaign
def test_a_name_of_two_words_stays_one_word_of_bash(complete: Complete) -> None:
    assert complete("hcp restore good src/tw", of="bash") == ["src/two\\ words.py"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_lines_for_a_shell_are_read_by_it(run: Run, shell: str) -> None:
    lines = run("completion", shell).out
    assert "hermes-checkpoints" in lines and "hcp" in lines
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=lines, text=True, check=True, timeout=60)


@pytest.mark.campaign
def test_bash_completes_a_line(complete: Complete, project: Path, run: Run) -> None:
    script = (
        f"{run('completion', 'bash').out}\n"
        'hcp() { "$PYTHON" -m hermes_checkpoints "$@"; }; export -f hcp\n'
        'COMP_LINE="hcp restore go" COMP_POINT=14 COMP_TYPE=9 COMP_WORDS=(hcp restore go)\n'
        "COMP_CWORD=2; _python_argcomplete hcp go restore; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    done = subprocess.run(
        ["bash", "--norc"],
        input=script,
        cwd=project,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "good \n"


def test_without_the_library_no_verb_runs(home: Path, project: Path) -> None:
    before = files(home)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_LIBRARY, "clear", "-f"],
        cwd=project,
        env={**os.environ, "_ARGCOMPLETE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert files(home) == before


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    answer = run("completion", "bash", code=2)
    assert "python -m pip install 'hermes-checkpoints[completion]'" in answer.err
