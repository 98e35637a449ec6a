"""The verbs: what an import says on stdout, on stderr and on a terminal, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from history.old_bases import all_commits, extracted
from interpreters import on_a_terminal


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_first_command_imports_and_status_lists(
    v2_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--home", v2_home, "log", "/home/dev/projects/alpha")
    assert code == 0
    lines = err.splitlines()
    assert len(lines) == 9  # one for each repository, store and file
    assert "hermes checkpoints: /home/dev/projects/beta: 3 checkpoints imported" in lines
    assert any("damaged: not imported: it has no commits" in line for line in lines)
    assert "  1. " in out
    assert " 11. " in out
    code, out, err = run(capsys, "--home", v2_home, "status")
    assert (code, err) == (0, "")
    assert "Legacy archives (2):" in out
    assert "12 checkpoints imported" in out
    assert "    not imported: broken-session.yaml: it is no mapping but a list" in out


@pytest.mark.campaign
def test_import_legacy_says_what_came(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = extracted("v1", tmp_path / "old")
    code, out, err = run(capsys, "--home", home, "import-legacy", old)
    assert code == 3
    assert out == "Imported 12 checkpoints (0 were here already) and 2 sessions.\n"
    assert err.count("not imported") == 4
    code, out, err = run(capsys, "--home", home, "import-legacy", old / "checkpoints", "--json")
    assert code == 3
    assert '"checkpoints": 0' in out
    assert '"layout": "v1"' in out
    code, out, err = run(capsys, "--home", home, "import-legacy", tmp_path / "user")
    assert (code, out, err) == (0, "Nothing to import was found.\n", "")
    code, out, err = run(capsys, "--home", home, "import-legacy", tmp_path / "none")
    assert (code, out) == (2, "")


@pytest.mark.campaign
def test_former_ids_are_taken_and_shown(
    v1_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = next(c for c in all_commits(v1_home) if c.workdir.endswith("alpha"))
    arguments = ("--home", v1_home, "show", commit.id[:9], "--dir", "/home/dev/projects/alpha")
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert f"Former id: {commit.id}" in out
    assert "Kind: imported" in out


@pytest.mark.campaign
def test_clear_legacy_names_what_is_lost(v1_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--home", v1_home, "status")
    code, out, _ = run(capsys, "--home", v1_home, "clear-legacy", "-f")
    assert code == 0
    assert "not imported, and lost then: 00d0a0d0a0d0a0d0: it has no commits" in out
    assert "Deleted 1 archive(s)" in out


def test_export_says_how_to_go_on(
    home: Path, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "--home", home, "take", project)
    target = tmp_path / "out"
    code, out, err = run(capsys, "--home", home, "export", "--layout", "v2", target)
    assert (code, err) == (0, "")
    assert out.startswith(f"Exported 1 checkpoint of 1 project to {target}.\n")
    code, _, err = run(capsys, "--home", home, "export", "--layout", "v2", target)
    assert code == 2
    assert "is not empty" in err


@pytest.mark.campaign
def test_a_terminal_shows_a_bar(v1_home: Path) -> None:
    code, written = on_a_terminal("--home", v1_home, "status")
    assert code == 0
    assert b"importing history of earlier versions" in written
    assert b"not imported: no" not in written.partition(b"Checkpoint base")[0]
