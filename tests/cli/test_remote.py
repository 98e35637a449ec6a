"""``remote``: what its verbs print, and how they end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interpreters import on_a_terminal
from remote.conftest import Configure, configure, one_server, server, undo
from remote.servers import PASSWORD, HttpServer, Manner
from support import Run

__all__ = ["configure", "one_server", "server", "undo"]


def test_check_says_in_sentences_what_works(run: Run, configure: Configure, undo: Path) -> None:
    configure(undo)
    lines = run("remote", "check").lines
    assert lines[0] == f"Remote:  {undo}"
    assert "fine     read     it has 0 refs, 0 of them of this machine, by version 2" in lines[5]
    assert lines[-1] == "It works"
    found = run("remote", "check", "--json").json
    assert (found["works"], found["url"], found["refs"]) == (True, str(undo), 0)
    assert {one["check"]: one["standing"] for one in found["findings"]}["write"] == "fine"


def test_without_a_remote_check_ends_with_2_and_makes_nothing(
    run: Run, fresh_home: Path, project: Path
) -> None:
    for words in (["remote", "check"], ["remote", "check", project, "--json"]):
        answer = run(*words, code=2)
        assert "no remote is configured; set url of remote: of checkpoints: in" in answer.err
    assert not fresh_home.exists()
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: {remote: {url: undo.git}}\n")
    assert "neither an absolute path nor an address" in run("remote", "check", code=2).err
    assert [*fresh_home.iterdir()] == [fresh_home / "config.yaml"]


def test_what_fails_ends_with_3_and_its_code_and_remedy(
    run: Run, configure: Configure, server: HttpServer
) -> None:
    server.manner = Manner.CLOSED
    url = server.url("undo.git", user=f"me:{PASSWORD}")
    configure(url, protocols=["http"])
    answer = run("remote", "check", code=3)
    assert answer.lines[-1] == "1 failure, 2 warnings"
    assert answer.err == ""
    found = run("remote", "check", "--json", code=3)
    codes = [one["code"] for one in found.json["findings"] if one["standing"] == "failed"]
    assert codes == ["remote-denied"]
    assert found.json["refs"] is None
    assert PASSWORD not in answer.out + found.out


@pytest.mark.slow
def test_nobody_is_asked_on_a_terminal(
    configure: Configure, server: HttpServer, home: Path, tmp_path: Path
) -> None:
    server.manner = Manner.CLOSED
    configure(server.url("undo.git"), protocols=["http"])
    helper = f"!f() {{ touch {tmp_path}/ran; (: </dev/tty) && touch {tmp_path}/has-terminal; }}; f"
    (Path.home() / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')
    code, written = on_a_terminal("remote", "check", HERMES_HOME=str(home))
    assert code == 3
    assert b"Username" not in written.replace(b"could not read Username", b"")
    assert b"remote-denied" not in written  # a code is for programs
    assert b"is denied" in written
    assert (tmp_path / "ran").exists()
    assert not (tmp_path / "has-terminal").exists()


def test_a_project_is_named_where_each_has_a_remote(
    run: Run, configure: Configure, undo: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(undo.parent / "{project}.git")
    monkeypatch.chdir(project)
    here = run("remote", "check", "--json", code=3).json["url"]
    there = run("remote", "check", project.parent, "--json", code=3).json["url"]
    assert here != there
    assert os.path.dirname(here) == os.path.dirname(there) == str(undo.parent)
    assert run("remote", "check", "--dir", project, "--json", code=3).json["url"] == here


def test_remote_alone_says_which_verbs_it_has(run: Run) -> None:
    assert (
        "`remote` has verbs of its own; give one: check, status, prune"
        in run("remote", code=64).err
    )
