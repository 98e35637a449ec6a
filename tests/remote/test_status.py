"""How the remote stands: what is said of it, also where it cannot be reached."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints, cli
from hermes_checkpoints.errors import RemoteOff
from hermes_checkpoints.model import RemoteScope
from remote.conftest import Configure
from remote.servers import PASSWORD, HttpServer, Manner, git, refs_of
from support import Run

KEY = "AKIAQ3EGRT7PZLMK4WXY"


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


def take(checkpoints: Checkpoints, project: Path, text: str, name: str = "README.md") -> str:
    (project / name).write_text(text, encoding="utf-8")
    return checkpoints.project(project).take(text).checkpoint.id  # type: ignore[union-attr]


def test_it_says_what_is_unsent_refused_and_sent_and_what_lies_there(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    git_processes: GitProcesses,
) -> None:
    configure(undo)
    take(checkpoints, project, "one")
    checkpoints.push()
    held_up = take(checkpoints, project, f"key = {KEY}", "key.py")
    checkpoints.push()
    (project / "key.py").unlink()
    take(checkpoints, project, "two")
    commit = refs_of(undo).popitem()[1]
    for name in (
        "checkpoints/aaaaaaaaaaaa/1111111111111111/20261101T000000Z-01234567",
        "checkpoints-cursor/aaaaaaaaaaaa/1111111111111111",
        "heads/main",
    ):
        git("update-ref", f"refs/{name}", commit, at=undo)
    git_processes.reset()
    [found] = checkpoints.remote_status(working_dir=project)
    reached = [one for one in git_processes.commands() if "ls-remote" in one or "push" in one]
    assert len(reached) == 1
    assert (found.remote.url, found.unsent, found.error) == (str(undo), 1, None)
    [of_project] = found.projects
    assert (of_project.sent, of_project.refused, of_project.removed) == (1, 1, 0)
    assert [(one.id, one.paths[0].path) for one in found.refused] == [(held_up, "key.py")]
    assert found.remote.last_success_at is not None
    there = found.contents
    assert there is not None
    assert (there.checkpoints, there.cursors) == (1, 1)
    assert (there.foreign_checkpoints, there.foreign_cursors, there.machines) == (1, 1, 1)
    assert (there.other_refs, there.refs) == (1, len(refs_of(undo)))
    said = len(git("for-each-ref", "--format=%(objectname) %(refname)", at=undo))
    assert said <= there.advertised_bytes <= said + 10 * there.refs


def test_without_the_server_all_that_is_known_here_is_told_and_it_ends_with_3(
    run: Run,
    project: Path,
    server: HttpServer,
    configure: Configure,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(project)
    configure(server.url("undo.git", f"me:{PASSWORD}"), protocols=["http"])
    run("take")
    server.manner = Manner.CLOSED
    run("push", code=3)
    answer = run("remote", "status", code=3)
    assert "is denied" in answer.err
    assert "Last success: none" in answer.out
    assert "1 failure since" in answer.out
    found = run("remote", "status", "--json", code=3).json["remotes"]
    assert (found[0]["contents"], found[0]["code"]) == (None, "remote-denied")
    assert (found[0]["projects"][0]["unsent"], found[0]["last_code"]) == (1, "remote-denied")
    assert PASSWORD not in answer.out + answer.err + json.dumps(found)
    assert PASSWORD.encode() not in (home / "checkpoints/catalog.db").read_bytes()


def test_what_is_gone_there_is_recorded_as_removed_and_sent_again_on_purpose_alone(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo)
    ids = [take(checkpoints, project, text) for text in ("one", "two")]
    checkpoints.push()
    [ref] = [name for name, id_ in refs_of(undo).items() if id_ == ids[0]]
    git("update-ref", "-d", ref, at=undo)
    monkeypatch.chdir(project)
    assert cli.main(["remote", "status"]) == 0
    told = capsys.readouterr().out
    assert f"1 checkpoint had been sent and is not there any more: {ids[0][:8]}" in told
    assert "push --again` sends what was" in told
    [again] = checkpoints.remote_status()
    assert (again.removed, again.projects[0].removed) == ((), 1)
    [result] = checkpoints.push()
    assert (result.sent, result.removed, result.complete) == ((), 1, True)
    assert ref not in refs_of(undo)
    [plan] = checkpoints.plan_push(again=True)
    assert [one.id for one in plan.checkpoints] == [ids[0]]
    [result] = checkpoints.push(again=True)
    assert ([one.id for one in result.sent], result.removed) == ([ids[0]], 0)
    assert refs_of(undo)[ref] == ids[0]


def test_what_is_sent_while_it_looks_is_not_called_removed(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    base = checkpoints._base
    take(checkpoints, project, "one")
    began = base.now()
    checkpoints.push()
    remote = base.catalog.remotes.all()[0]
    gone = base.catalog.elsewhere.record_look(
        remote, {}, scope=RemoteScope(), machine="0" * 12, now=base.now(), began=began
    )
    assert gone == []
    assert checkpoints.remote_status()[0].projects[0].sent == 1


def test_each_project_may_have_a_remote_and_one_of_them_may_be_away(
    checkpoints: Checkpoints, project: Path, tmp_path: Path, configure: Configure
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    configure(f"{tmp_path}/{{project}}.git")
    assert checkpoints.remote_status() == []
    for place in (project, other):
        take(checkpoints, place, "one")
    [one, two] = [one.remote.url for one in checkpoints.remote_status()]
    git("init", "-q", "--bare", one)
    found = {each.remote.url: each for each in checkpoints.remote_status()}
    assert (found[one].code, found[two].code) == (None, "remote-unreachable")
    assert all(len(each.projects) == 1 and each.unsent == 1 for each in found.values())
    results = {each.url: each for each in checkpoints.prune_remote(ids=["01234567"])}
    assert (results[one].complete, results[two].code) == (True, "remote-unreachable")
    assert checkpoints.plan_prune_remote(working_dir=tmp_path)[0].code == "remote-unreachable"
    [alone] = checkpoints.remote_status(working_dir=other)
    assert alone.projects[0].working_dir == str(other)


def test_without_a_remote_it_is_refused(checkpoints: Checkpoints, project: Path) -> None:
    for ask in (checkpoints.remote_status, checkpoints.plan_prune_remote, checkpoints.prune_remote):
        with pytest.raises(RemoteOff, match="set url of remote"):
            ask()
