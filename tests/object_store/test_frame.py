"""The config of the store is ours to the byte: no setting of another runs a command, and what was
garbled or locked by the dead is healed by whoever comes next."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from capture.roundtrip import write
from hermes_checkpoints import BaseUnwritable, Checkpoints, GitFailed, Taken, Unchanged
from hermes_checkpoints.doctor.look import examine
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.object_store import frame
from hermes_checkpoints.object_store.quarantine import FOLDER
from support import OrdinaryUserLike

ODD = {
    "a promisor remote": """[extensions]
    partialClone = evil
[remote "evil"]
    promisor = true
    url = ext::sh -c 'touch% {mark}'
[protocol "ext"]
    allow = always
""",
    "programs": """[core]
    fsmonitor = {run}
    sshCommand = {run}
    pager = {run}
    editor = {run}
    hooksPath = {hooks}
[diff]
    external = {run}
[gc]
    auto = 1
""",
    "a filter": """[core]
    attributesFile = {hooks}/attributes
[filter "evil"]
    clean = {run}
    smudge = {run}
    required = true
[diff "evil"]
    textconv = {run}
""",
    "an include": """[include]
    path = {hooks}/included
""",
    "nothing that git can read": "[core\0\1garbled",
}


@pytest.fixture
def lost(home: Path, project: Path) -> tuple[Path, str]:
    """Return the store after a take, and the id of a content that it lost since."""
    write(project, {"a": "as it was\n", "b": "lost\n"})
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    store = home / "checkpoints" / "store"
    blob = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"lost\n", capture_output=True, check=True
    ).stdout.decode()
    (store / "objects" / blob[:2] / blob[2:].strip()).unlink()
    return store, blob.strip()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_config_of_another_is_moved_aside_before_git_is_run(
    home: Path, project: Path, tmp_path: Path, lost: tuple[Path, str], odd: str
) -> None:
    store, _ = lost
    hooks, mark = tmp_path / "hooks", tmp_path / "ran"
    hooks.mkdir()
    run = hooks / "run"
    for name in ("run", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    (hooks / "attributes").write_text("* filter=evil diff=evil\n")
    (hooks / "included").write_text(f"[core]\n\tfsmonitor = {run}\n\thooksPath = {hooks}\n")
    ours = (store / "config").read_text()
    text = ours + odd.format(run=run, hooks=hooks, mark=mark)
    (store / "config").write_text(text)
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        write(project, {"a": "oops\n", "b": "oops\n"})
        assert isinstance(one.take(), Taken)
        with pytest.raises(GitFailed, match="unable to read"):
            one.diff("2")
        one.restore("2", mode="exact")
        checkpoints.prune()
    assert (project / "a").read_text() == "as it was\n"
    assert not mark.exists()
    assert (store / "config").read_text() == ours
    assert (store / FOLDER / "config").read_text() == text


@pytest.mark.parametrize("name", ["\x01\r\\\"\n\t\b\x7f'ü", "#;"])
def test_the_config_of_a_home_of_any_name_is_one_that_git_reads(
    name: str, project: Path, tmp_path: Path
) -> None:
    home = tmp_path / name
    home.mkdir()
    write(project, {"a": "as it was\n"})
    for expected in (Taken, Unchanged):
        with Checkpoints.open(home) as checkpoints:
            assert isinstance(checkpoints.project(project).take(), expected)
    assert examine(Layout.of(home)).faults == ()
    store = home / "checkpoints" / "store"
    asked = ["git", "config", "-f", str(store / "config"), "-z", "core.hooksPath"]
    found = subprocess.run(asked, capture_output=True, check=True).stdout
    assert found == os.fsencode(store / "nowhere") + b"\0"


def test_a_base_that_can_only_be_read_obeys_no_config_of_another(as_user: OrdinaryUserLike) -> None:
    as_user(_look_at_a_closed_base, as_user.tmp / "user")


def _look_at_a_closed_base(folder: Path) -> None:
    project, mark = folder / "project", folder / "ran"
    project.mkdir(parents=True)
    write(project, {"a": "as it was\n", "b": "lost\n"})
    with Checkpoints.open(folder / "home") as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    store = folder / "home" / "checkpoints" / "store"
    run = folder / "run"
    run.write_text(f"#!/bin/sh\ntouch {mark}\n")
    run.chmod(0o755)
    with (store / "config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = {run}\n[diff]\n\texternal = {run}\n")
    base = store.parent
    for top, _, _ in os.walk(base):
        os.chmod(top, 0o500)
    try:
        with Checkpoints.open(folder / "home") as checkpoints:
            one = checkpoints.project(project)
            assert one.read_file("latest", "a") == b"as it was\n"
            write(project, {"a": "oops\n"})
            assert [change.path for change in one.diff("latest").changes] == ["a"]
    finally:
        for top, _, _ in os.walk(base):
            os.chmod(top, 0o700)
    assert not mark.exists()


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "name", ["config.lock", "HEAD.lock", "packed-refs.lock", "packed-refs.new"]
)
@pytest.mark.parametrize("garbled", [False, True], ids=["config is ours", "config is garbled"])
def test_the_lock_of_a_dead_git_is_removed_by_the_next_take(
    home: Path, project: Path, name: str, garbled: bool
) -> None:
    store = home / "checkpoints" / "store"
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert isinstance(one.take(), Taken)
        (store / name).write_text("half")
        if garbled:
            (store / "config").write_text("[core\n")
        write(project, {"a": "more\n"})
        assert isinstance(one.take(), Taken)
    assert not (store / name).exists()
    assert frame.is_ours(store)


def test_the_lock_of_a_git_that_lives_is_respected(home: Path, project: Path) -> None:
    store = home / "checkpoints" / "store"
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert isinstance(one.take(), Taken)
        (store / "config.lock").write_text("half")
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE, cwd=store) as living:
            assert isinstance(one.take(), Unchanged)
            assert (store / "config.lock").exists()
            assert living.stdin is not None
        assert isinstance(one.take(), Unchanged)
        assert not (store / "config.lock").exists()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "name", ["config.lock", "packed-refs.lock", "packed-refs.new", "refs/x.lock"]
)
def test_a_prune_leaves_the_locks_of_a_git_that_lives(home: Path, project: Path, name: str) -> None:
    lock = home / "checkpoints" / "store" / name
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        lock.write_text("half")
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE, cwd=lock.parent) as living:
            checkpoints.prune()
            assert lock.exists()
            assert living.stdin is not None
        checkpoints.prune()
        assert not lock.exists()


def test_a_link_that_leads_nowhere_in_the_place_of_the_store_is_named(
    home: Path, project: Path, tmp_path: Path
) -> None:
    (home / "checkpoints").mkdir(parents=True, exist_ok=True)
    store = home / "checkpoints" / "store"
    store.symlink_to(tmp_path / "disk")
    with pytest.raises(BaseUnwritable, match=f"{store} is a link, .* make the whole base a link"):
        Checkpoints.open(home)
    store.unlink()
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)


@pytest.mark.campaign
def test_a_home_whose_path_is_no_text_is_a_home(tmp_path: Path) -> None:
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/h\xe9\xff"))
    work = tmp_path / "work"
    write(work, {"a": "1\n", ".env": "secret\n"})
    for content in ("2\n", "3\n"):
        with Checkpoints.open(home) as checkpoints:
            project = checkpoints.project(work)
            assert isinstance(project.take(), Taken)
            write(work, {"a": content})
            project.restore("latest", "a")
    store = Layout.of(home).store
    assert frame.is_ours(store) and not (store / FOLDER).exists()
    assert not examine(Layout.of(home), deep=True).faults
