"""A push while something else goes on, or was damaged before: what is whole leaves, nothing is
recorded that is not there, and nobody is blamed for what is not theirs."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from campaigns.older import make_older
from conftest import GitProcesses, Statements
from hermes_checkpoints import Checkpoints, cli
from hermes_checkpoints.catalog import schema
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import PushState
from hermes_checkpoints.remote import push as pushing
from remote.conftest import Configure
from remote.servers import HttpServer, allow, git, refs_of, refuse
from remote.test_push import checkpoints, is_whole, prune_to_one, sent_to, take
from support import deadly_git, make_project

__all__ = ["checkpoints"]


def object_of(home: Path, name: str) -> Path:
    """Return the file of an object that lies alone in the store."""
    id_ = git("rev-parse", name, at=home / "checkpoints/store").strip()
    return home / "checkpoints/store/objects" / id_[:2] / id_[2:]


def journal(home: Path) -> list[tuple[str, str | None, str]]:
    """Return outcome, code and message of the pushes of a journal, oldest first."""
    with Checkpoints.open(home) as opened, opened.connection() as connection:
        query = "SELECT outcome, code, message FROM operations WHERE kind = 'push' ORDER BY id"
        return [tuple(row) for row in connection.execute(query)]


def assert_sent_once(home: Path, undo: Path) -> None:
    """Hold that a remote has every live checkpoint of a home once, is whole, and that nothing is
    recorded as sent that it lacks."""
    refs = {name: id_ for name, id_ in refs_of(undo).items() if "-cursor/" not in name}
    with Checkpoints.open(home) as opened:
        live = [one.id for one in opened.list_all()]
        remotes = opened._base.catalog.remotes
        for remote in remotes.all():
            for one in remotes.pushed(remote, {PushState.SENT}):
                assert refs.get(str(one.ref_name)) == one.id
    there = list(refs.values())
    assert len(there) == len(set(there))
    assert set(live) <= set(there)
    assert is_whole(undo)


# --- damage ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["lost", "garbled"])
@pytest.mark.parametrize("part", ["", "^{tree}", ":tree/src", ":tree/README.md"])
@pytest.mark.parametrize("checked", [True, False])
def test_what_is_damaged_here_holds_up_nothing_else_and_the_remote_is_not_blamed(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    part: str,
    how: str,
    checked: bool,
) -> None:
    configure(undo)
    ids = []
    for text in ("one", "two", "three"):
        (project / "src/app.py").write_text(text)
        ids.append(take(checkpoints, project, text))
    harmed = object_of(home, f"{ids[1]}{part}")
    harmed.chmod(0o644)
    harmed.unlink() if how == "lost" else harmed.write_bytes(b"garbage")
    [plan] = checkpoints.plan_push(allow_secrets=not checked)
    if checked and part != "^{tree}":  # what is not read before it is sent is found out by sending
        assert [one.id for one in plan.damaged] == [ids[1]]
        assert [one.id for one in plan.checkpoints] == [ids[0], ids[2]]
    for _ in range(2):
        [result] = checkpoints.push(allow_secrets=not checked)
        assert sent_to(undo) == [ids[0], ids[2]]
        [(id_, reason)] = [(one.id, str(one.reason)) for one in result.waiting]
        assert id_ == ids[1]
        assert "doctor --deep --repair" in reason
        assert "the remote did not take it" not in reason
        assert not result.complete
    assert is_whole(undo)


def test_a_damaged_checkpoint_that_was_sent_is_built_on_no_more(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    configure(undo)
    first = take(checkpoints, project, "one")
    checkpoints.push()
    object_of(home, f"{first}^{{tree}}").unlink()
    second = take(checkpoints, project, "two")
    [result] = checkpoints.push()
    assert ([one.id for one in result.sent], result.complete) == ([second], True)
    assert is_whole(undo)


def test_the_command_tells_what_is_damaged_and_ends_with_3(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure(undo)
    id_ = take(checkpoints, project, "one")
    object_of(home, id_).unlink()
    for words in (["push", "--all", "--dry-run"], ["push", "--all"]):
        assert cli.main(words) == 3
        told = " ".join(capsys.readouterr().out.split())
        assert f"not sent {id_[:8]}: the store of this base" in told.replace("would not be", "not")


def test_what_has_lost_a_file_here_and_was_not_sent_is_told_as_not_sent(
    project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    configure(undo)
    with Checkpoints.open() as opened:
        take(opened, project, "one")
        opened.push()
        second = take(opened, project, "two")
        third = take(opened, project, "three")
    object_of(home, f"{second}:tree/README.md").unlink()
    cli.main(["doctor", "--deep", "--repair"])
    for sent in ([third], []):
        with Checkpoints.open() as opened:
            [plan] = opened.plan_push()
            [result] = opened.push()
        assert [one.id for one in plan.damaged] == [second]
        assert [one.id for one in result.waiting] == [second]
        assert [one.id for one in result.sent] == sent
        assert not result.complete


# --- beside each other -----------------------------------------------------------------------


def forget(others: Checkpoints, project: Path) -> None:
    others.project(project).forget("README.md")


Act = Callable[[Checkpoints, Path], object]


@pytest.mark.parametrize("act", [lambda others, _: prune_to_one(others), forget])
@pytest.mark.parametrize("step", ["_offer", "_cursors", "_record"])
def test_what_goes_while_it_is_sent_is_left_out_and_the_rest_is_sent(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    act: Act,
    step: str,
) -> None:
    """Before the batch is sent, when git is about to read it, and before it is recorded."""
    configure(undo)
    for text in ("one", "two"):
        take(checkpoints, project, text)
        checkpoints.push()
    for text in ("three", "four"):
        take(checkpoints, project, text)
    real = getattr(pushing.Push, step)
    done: list[str] = []

    def beside(self: Any, *arguments: Any, **more: Any) -> Any:
        found = real(self, *arguments, **more) if step == "_cursors" else None
        if not done:
            done.append(step)
            with Checkpoints.open() as others:
                act(others, project)
        return found if step == "_cursors" else real(self, *arguments, **more)

    monkeypatch.setattr(pushing.Push, step, beside)
    [result] = checkpoints.push()
    assert (result.waiting, result.error) == ((), None) or step == "_record"
    monkeypatch.undo()
    checkpoints.push()
    assert_sent_once(home, undo)


# --- kills -----------------------------------------------------------------------------------

_PUSH = "import sys; from hermes_checkpoints import cli; sys.exit(cli.main(['push', '--all']))"


def started(environment: Mapping[str, str] = os.environ) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _PUSH],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("command", "after"), [("diff-tree", False), ("push", False), ("push", True)]
)
def test_a_push_that_was_killed_is_done_by_the_next(
    project: Path,
    undo: Path,
    home: Path,
    tmp_path: Path,
    configure: Configure,
    command: str,
    after: bool,
) -> None:
    configure(undo)
    with Checkpoints.open() as opened:
        take(opened, project, "one")
        opened.push()
        for text in ("two", "three"):
            take(opened, project, text)
    dying = started({**os.environ, **deadly_git(tmp_path / "bin", command, after=after)})
    assert (dying.communicate()[0], dying.returncode) == (b"", -signal.SIGKILL)
    with Checkpoints.open() as opened:
        [result] = opened.push()
        assert (len(result.sent), result.complete) == (2, True)
    assert_sent_once(home, undo)


@pytest.mark.slow
@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("seed", range(20))
def test_a_push_that_was_killed_at_any_moment_is_done_by_the_next(
    project: Path, undo: Path, home: Path, configure: Configure, seed: int
) -> None:
    """Of Python alone, whose git may go on, or of its process group."""
    configure(undo)
    chance = random.Random(seed)  # noqa: S311
    with Checkpoints.open() as opened:
        take(opened, project, "zero")
        opened.push()
        for number in range(6):
            (project / f"{number}.bin").write_bytes(chance.randbytes(200_000))
            take(opened, project, str(number))
    dying = started()
    try:
        dying.communicate(timeout=chance.uniform(0.1, 1.2))
    except subprocess.TimeoutExpired:
        (os.kill if seed % 2 else os.killpg)(dying.pid, signal.SIGKILL)
        dying.communicate()
    with Checkpoints.open() as opened:
        take(opened, project, "after")
        for result in (*opened.push(), *opened.push()):
            assert result.error is None
    assert_sent_once(home, undo)


# --- many ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("homes", "pushes"),
    [(3, 2), pytest.param(8, 40, marks=[pytest.mark.slow, pytest.mark.campaign])],
)
def test_many_machines_push_at_once_to_one_remote(
    undo: Path, home: Path, tmp_path: Path, configure: Configure, homes: int, pushes: int
) -> None:
    configure(undo)

    def one(number: int) -> None:
        own, project = tmp_path / f"home{number}", make_project(tmp_path / f"project{number}")
        own.mkdir()
        shutil.copy2(home / "config.yaml", own)
        with Checkpoints.open(own) as opened:
            for push in range(pushes):
                take(opened, project, f"{number} {push}")
                [result] = opened.push()
                assert result.complete, result

    with ThreadPoolExecutor(homes) as pool:
        list(pool.map(one, range(homes)))
    assert len(sent_to(undo)) == homes * pushes
    assert is_whole(undo)


def test_the_processes_and_statements_of_a_push_do_not_grow_with_the_checkpoints(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    git_processes: GitProcesses,
    statements: Statements,
) -> None:
    configure(undo)
    take(checkpoints, project, "zero")
    checkpoints.push()
    counts = []
    for many in (2, 12):
        for number in range(many):
            take(checkpoints, project, f"{many} {number}")
        git_processes.reset()
        statements.reset()
        with Checkpoints.open() as others:
            [result] = others.push()
        assert len(result.sent) == many
        asked = sum(one.lstrip().startswith(("SELECT", "WITH")) for one in statements.executed)
        counts.append((git_processes.count(), asked, statements.writes))
    assert counts[0] == counts[1]
    assert counts[0][0] <= 8


# --- what there is to send -------------------------------------------------------------------


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("revision", schema.REVISIONS)
def test_the_checkpoints_of_a_catalog_of_any_revision_can_be_sent(
    project: Path, undo: Path, home: Path, configure: Configure, revision: str
) -> None:
    configure(undo)
    with Checkpoints.open() as opened:
        ids = [take(opened, project, text) for text in ("one", "two")]
    make_older(Layout.of().catalog, revision)
    with Checkpoints.open() as opened:
        [result] = opened.push()
        assert result.complete
    assert sent_to(undo) == ids
    assert_sent_once(home, undo)


def test_odd_files_are_sent_as_they_are(
    checkpoints: Checkpoints, tmp_path: Path, undo: Path, home: Path, configure: Configure
) -> None:
    """Names that are not UTF-8, links, repositories inside, an empty directory, partial ones."""
    configure(undo)
    empty, odd = tmp_path / "empty", tmp_path / "odd"
    empty.mkdir()
    odd.mkdir()
    checkpoints.project(empty).take("nothing")
    (odd / os.fsdecode(b"na\xffme\n\x1b[31m")).write_text("x")
    (odd / "link").symlink_to("/etc/passwd")
    git("init", "-q", str(odd / "inner"))
    (odd / "inner/file").write_text("y")
    (odd / os.fsdecode(b"\xfe.pem")).write_text("z")
    checkpoints.project(odd).take("odd")
    for result in (*checkpoints.push(allow_secrets=True), *checkpoints.push()):
        assert result.complete
    assert_sent_once(home, undo)


def test_another_address_is_another_remote_and_gets_everything(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    other = tmp_path / "other.git"
    git("init", "-q", "--bare", str(other))
    ids: list[str] = []
    for place in (undo, other, undo):
        configure(place)
        ids.append(take(checkpoints, project, f"{len(ids)}"))
        [result] = checkpoints.push()
        assert result.complete
        assert sent_to(place) == ids
    assert sent_to(other) == ids[:2]


# --- the journal -----------------------------------------------------------------------------


def test_a_push_that_fails_again_and_again_is_one_row_of_the_journal(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    """Its rows would push those of failed takes out of what people see."""
    configure(undo)
    take(checkpoints, project, "one")
    refuse(undo)
    for _ in range(3):
        checkpoints.push()
    away = undo.rename(undo.with_name("away.git"))
    for _ in range(3):
        checkpoints.push()
    [remote] = checkpoints._base.catalog.remotes.all()
    assert remote.failures == 3
    told = journal(home)
    assert [row[:2] for row in told] == [("partial", None), ("failed", "remote-unreachable")]
    away.rename(undo)
    allow(undo)
    checkpoints.push()
    take(checkpoints, project, "two")
    undo.rename(away)
    checkpoints.push()
    assert [row[0] for row in journal(home)] == ["partial", "failed", "done", "failed"]


def test_what_took_nothing_is_no_success(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    take(checkpoints, project, "one")
    refuse(undo)
    checkpoints.push()
    [remote] = checkpoints._base.catalog.remotes.all()
    assert remote.last_success_at is None
    allow(undo)
    checkpoints.push()
    [remote] = checkpoints._base.catalog.remotes.all()
    assert remote.last_success_at is not None


def test_a_server_that_is_none_of_git_is_not_reached(
    checkpoints: Checkpoints, project: Path, server: HttpServer, configure: Configure
) -> None:
    """As a portal that answers every address with a page of its own."""
    hello = server.root / "hello"
    hello.mkdir()
    configure(server.url("hello"), protocols=["http"])
    take(checkpoints, project, "one")
    [result] = checkpoints.push()
    assert (result.waiting, result.unsent) == ((), 1)
    assert result.code == "remote-unreachable"
