"""Checkpoints that are sent to a remote: what is there then, and what must never happen."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, cli
from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.errors import LockHeld, ProjectUnknown, RemoteOff
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Policy, PruneResult, PushResult, PushState
from hermes_checkpoints.remote import push as pushing
from remote.conftest import Configure
from remote.servers import (
    HttpServer,
    Manner,
    allow,
    first_on_path,
    git,
    limit,
    refs_of,
    refuse,
)

KEY = "AKIAQ3EGRT7PZLMK4WXY"


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


def take(checkpoints: Checkpoints, project: Path, text: str, name: str = "README.md") -> str:
    """Change a file and take a checkpoint; return its id."""
    (project / name).write_text(text, encoding="utf-8")
    return checkpoints.project(project).take(text).checkpoint.id  # type: ignore[union-attr]


def prune_to_one(checkpoints: Checkpoints) -> PruneResult:
    """Keep the newest checkpoint of each project."""
    return checkpoints.prune(plan=checkpoints.plan_prune(policy=Policy(max_snapshots=1)))


def sent_to(repository: Path) -> list[str]:
    """Return the checkpoints that a repository has, by their refs."""
    refs = refs_of(repository)
    return [refs[name] for name in sorted(refs) if name.startswith("refs/checkpoints/")]


def bytes_in(repository: Path) -> int:
    """Return how much the objects of a repository take."""
    return sum(one.stat().st_size for one in (repository / "objects").rglob("*") if one.is_file())


def is_whole(repository: Path) -> bool:
    return git("fsck", "--full", "--strict", "--no-dangling", at=repository) == ""


# --- what leaves, and where it goes ----------------------------------------------------------


def test_nothing_leaves_without_a_url(checkpoints: Checkpoints, project: Path, undo: Path) -> None:
    take(checkpoints, project, "one")
    for ask in (checkpoints.push, checkpoints.plan_push):
        with pytest.raises(RemoteOff, match="set url of remote"):
            ask()
    assert refs_of(undo) == {}


def test_a_checkpoint_has_the_same_id_there_below_the_id_of_the_machine(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    configure(undo)
    ids = [take(checkpoints, project, text) for text in ("one", "two")]
    [plan] = checkpoints.plan_push()
    assert [one.id for one in plan.checkpoints] == ids
    assert refs_of(undo) == {}
    [result] = checkpoints.push()
    assert ([one.id for one in result.sent], result.complete) == (ids, True)
    assert result.new_bytes == plan.new_bytes > 0
    machine = json.loads((home / "checkpoints/machine.json").read_text())["machine"]
    local = refs_of(home / "checkpoints/store")
    assert {
        name.replace(f"refs/checkpoints/{machine}/", "refs/checkpoints/"): id_
        for name, id_ in refs_of(undo).items()
        if name.startswith("refs/checkpoints/")
    } == local
    assert is_whole(undo)


def test_what_was_sent_is_not_sent_again_and_the_remote_is_not_even_asked(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    take(checkpoints, project, "one")
    checkpoints.push()
    shutil.rmtree(undo)
    [again] = checkpoints.push()
    assert (again.sent, again.complete, again.error) == ((), True, None)


def test_one_changed_file_of_many_sends_a_few_objects(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    for number in range(1500):
        (project / f"file{number}.txt").write_text(f"{number} {os.urandom(40).hex()}\n")
    take(checkpoints, project, "one")
    checkpoints.push()
    whole = bytes_in(undo)
    take(checkpoints, project, "two")
    checkpoints.push()
    assert bytes_in(undo) - whole < min(50_000, whole / 4)
    second = bytes_in(undo)
    take(checkpoints, project, "three")
    checkpoints.push()
    assert bytes_in(undo) - second < 50_000
    assert is_whole(undo)


def test_only_the_named_project_is_sent_or_all_of_them(
    checkpoints: Checkpoints, project: Path, tmp_path: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    other = tmp_path / "other"
    other.mkdir()
    first, second = take(checkpoints, project, "one"), take(checkpoints, other, "one")
    [result] = checkpoints.push(working_dir=project)
    assert [one.id for one in result.sent] == [first]
    assert sent_to(undo) == [first]
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == [second]
    with pytest.raises(ProjectUnknown):
        checkpoints.push(working_dir=tmp_path)


HELPER = """#!/bin/sh
# git-remote-noting: sends to the repository behind NOTING::, and writes as git-remote-gcrypt does
place=$2
git update-ref refs/noting/seen "$(git commit-tree -m seen "$(git mktree </dev/null)")"
while read -r command && [ -n "$command" ]; do
    case $command in
    capabilities) printf 'push\\n\\n';;
    list*) git ls-remote "$place" | tr '\\t' ' '; echo;;
    push*)
        while [ -n "$command" ]; do
            spec=${command#push }
            GIT_ALTERNATE_OBJECT_DIRECTORIES=/nowhere git push -q "$place" "$spec" >&2 &&
                echo "ok ${spec#*:}"
            read -r command
        done
        echo;;
    esac
done
"""


def test_a_remote_helper_finds_what_is_to_be_sent_and_writes_nothing_into_the_store(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git-remote-noting").write_text(HELPER, encoding="utf-8")
    (programs / "git-remote-noting").chmod(0o755)
    monkeypatch.setenv("PATH", first_on_path(programs))
    configure(f"noting::{undo}", protocols=["file", "noting"])
    ids = [take(checkpoints, project, "one"), take(checkpoints, project, "two")]
    store = home / "checkpoints/store"
    before = (refs_of(store), sorted(os.listdir(store)))
    [result] = checkpoints.push()
    assert (result.error, result.waiting, len(result.sent)) == (None, (), 2)
    assert set(ids) <= set(refs_of(undo).values())
    assert any(name.startswith("refs/checkpoints-cursor/") for name in refs_of(undo))
    assert (refs_of(store), sorted(os.listdir(store))) == before
    assert list((home / "checkpoints").glob("scratch-*")) == []


def test_each_project_may_have_a_remote_of_its_own(
    checkpoints: Checkpoints, project: Path, tmp_path: Path, configure: Configure
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    ids = {project_hash(place): take(checkpoints, place, "one") for place in (project, other)}
    for hash_ in ids:
        git("init", "-q", "--bare", str(tmp_path / f"{hash_}.git"))
    configure(f"{tmp_path}/{{project}}.git")
    results = checkpoints.push()
    assert all(one.complete for one in results)
    for hash_, id_ in ids.items():
        assert sent_to(tmp_path / f"{hash_}.git") == [id_]


def test_what_a_project_says_of_a_remote_is_not_read(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(undo)
    trap = tmp_path / "trap.git"
    git("init", "-q", "--bare", str(trap))
    git("init", "-q", str(project))
    git("-C", str(project), "config", f"url.{trap}.insteadOf", str(undo))
    for name in ("config.yaml", ".hermes/config.yaml", ".hermes.yaml"):
        file = project / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"checkpoints: {{remote: {{url: {trap}}}}}\n")
    id_ = take(checkpoints, project, "one")
    before = os.getcwd()
    os.chdir(project)
    try:
        checkpoints.push()
    finally:
        os.chdir(before)
    assert sent_to(undo) == [id_]
    assert refs_of(trap) == {}


def test_branches_are_used_where_a_server_takes_nothing_else(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo, namespace="heads")
    git("config", "receive.denyNonFastForwards", "true", at=undo)
    git("config", "receive.denyDeletes", "true", at=undo)
    for text in ("one", "two", "three"):
        take(checkpoints, project, text)
        [result] = checkpoints.push()
        assert result.complete, result
    refs = refs_of(undo)
    assert sum(name.startswith("refs/heads/checkpoints/") for name in refs) == 3


# --- secrets ---------------------------------------------------------------------------------


def test_a_secret_holds_up_every_checkpoint_that_has_it_and_no_other(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    first = take(checkpoints, project, "one")
    held_up = [take(checkpoints, project, f"key = {KEY}", "key.py")]
    held_up.append(take(checkpoints, project, "two"))
    (project / "key.py").unlink()
    last = take(checkpoints, project, "three")
    [plan] = checkpoints.plan_push()
    [result] = checkpoints.push()
    for told in (plan.refused, result.refused):
        assert [one.id for one in told] == held_up
        assert {str(path) for one in told for path in one.paths} == {
            "key.py: has what looks like an access key of AWS"
        }
    assert [one.id for one in result.sent] == [first, last]
    assert not result.complete
    blob = git("hash-object", "--stdin", at=undo, stdin=f"key = {KEY}".encode()).strip()
    assert blob not in git("cat-file", "--batch-all-objects", "--batch-check", at=undo)

    [result] = checkpoints.push(allow_secrets=True)
    assert [one.id for one in result.sent] == held_up
    assert result.complete
    assert sorted(sent_to(undo)) == sorted([first, *held_up, last])


def test_what_was_sent_with_consent_holds_up_nothing_after_it(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    take(checkpoints, project, f"key = {KEY}", "key.py")
    checkpoints.push(allow_secrets=True)
    take(checkpoints, project, "two")
    [result] = checkpoints.push()
    assert (len(result.sent), result.complete) == (1, True)
    take(checkpoints, project, f"key = '{KEY}'", "key.py")
    [result] = checkpoints.push()
    assert [one.reason for one in result.refused] == [
        "key.py: has what looks like an access key of AWS"
    ]


def test_a_name_is_enough_and_the_configuration_may_allow_it(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    (project / ".kube").mkdir()
    id_ = take(checkpoints, project, "x", ".kube/config")
    [result] = checkpoints.push()
    assert [str(one.paths[0]) for one in result.refused] == [
        ".kube/config: where programs keep their passwords and keys"
    ]
    configure(undo, secrets="allow")
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == [id_]


# --- a remote that does not take it ----------------------------------------------------------


def test_what_a_remote_refuses_waits_and_is_sent_once_it_takes_it(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    ids = [take(checkpoints, project, text) for text in ("one", "two")]
    refuse(undo, "no space for \x1b[31myou")
    [result] = checkpoints.push()
    assert ([one.id for one in result.waiting], result.complete) == (ids, False)
    assert all("no space for you" in str(one.reason) for one in result.waiting)
    assert refs_of(undo) == {}
    allow(undo)
    [result] = checkpoints.push()
    assert ([one.id for one in result.sent], result.complete) == (ids, True)
    assert sent_to(undo) == ids


def test_a_full_remote_takes_it_once_there_is_room(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    (project / "large.bin").write_bytes(os.urandom(300_000))
    id_ = take(checkpoints, project, "one")
    limit(undo, 100_000)
    [result] = checkpoints.push()
    assert (not result.sent, result.complete) == (True, False)
    git("config", "--unset", "receive.maxInputSize", at=undo)
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == [id_]
    assert sent_to(undo) == [id_]
    assert is_whole(undo)


def test_a_remote_that_is_away_leaves_them_unsent_and_is_told_in_the_journal(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(tmp_path / "later.git")
    id_ = take(checkpoints, project, "one")
    [result] = checkpoints.push()
    assert (result.code, result.unsent, result.complete) == ("remote-unreachable", 1, False)
    [remote] = checkpoints._base.catalog.remotes.all()
    assert (remote.last_code, remote.failures) == ("remote-unreachable", 1)
    undo.rename(tmp_path / "later.git")
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == [id_]
    [remote] = checkpoints._base.catalog.remotes.all()
    assert (remote.failures, remote.last_success_at is not None) == (0, True)


def test_a_remote_that_denies_access_is_answered_at_once_and_asks_nobody(
    checkpoints: Checkpoints,
    project: Path,
    server: HttpServer,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.manner = Manner.CLOSED
    url = server.url("undo.git", "me:hunter22")
    configure(url, protocols=["http"])
    take(checkpoints, project, "one")
    monkeypatch.chdir(project)
    assert cli.main(["push"]) == 3
    told = capsys.readouterr()
    assert "1 checkpoint left unsent" in told.out
    assert "is denied" in told.err
    assert "hunter22" not in told.out + told.err
    [remote] = checkpoints._base.catalog.remotes.all()
    assert remote.last_code == "remote-denied"
    assert b"hunter22" not in (Layout.of().catalog).read_bytes()
    server.manner = Manner.OPEN
    assert cli.main(["push", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True
    assert len(sent_to(server.root / "undo.git")) == 1


def test_a_remote_that_lost_a_ref_of_ours_gets_the_next_ones_all_the_same(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    for text in ("one", "two"):
        take(checkpoints, project, text)
        checkpoints.push()
    for ref in refs_of(undo):
        git("update-ref", "-d", ref, at=undo)
    git("gc", "-q", "--prune=now", at=undo)
    third = take(checkpoints, project, "three")
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == [third]
    assert is_whole(undo)
    fourth = take(checkpoints, project, "four")
    checkpoints.push()
    assert sent_to(undo) == [third, fourth]


def test_a_cursor_that_is_elsewhere_than_remembered_is_learned_anew(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    for text in ("one", "two"):
        take(checkpoints, project, text)
        checkpoints.push()
    [cursor] = [ref for ref in refs_of(undo) if ref.startswith("refs/checkpoints-cursor/")]
    git("update-ref", cursor, sent_to(undo)[0], at=undo)
    take(checkpoints, project, "three")
    [result] = checkpoints.push()
    assert result.complete
    assert refs_of(undo)[cursor] == sent_to(undo)[0]
    take(checkpoints, project, "four")
    [result] = checkpoints.push()
    assert result.complete
    assert refs_of(undo)[cursor] == result.sent[-1].cursor


# --- beside each other -----------------------------------------------------------------------


def test_takes_and_prunes_go_on_while_a_push_waits_for_the_network(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(undo)
    take(checkpoints, project, "one")
    there, on = tmp_path / "there", tmp_path / "go-on"
    for fifo in (there, on):
        os.mkfifo(fifo)
    hook = undo / "hooks/pre-receive"
    hook.write_text(f'#!/bin/sh\nrm "$0"\necho here > {there}\ncat {on} > /dev/null\n')
    hook.chmod(0o755)
    results: list[PushResult] = []
    thread = threading.Thread(target=lambda: results.extend(checkpoints.push()))
    thread.start()
    try:
        assert there.read_text() == "here\n"  # the push is under way
        second = take(checkpoints, project, "two")
        done = prune_to_one(checkpoints)
        assert [one.id for one in checkpoints.project(project).list()] == [second]
        assert not done.errors
        with pytest.raises(LockHeld), Checkpoints.open() as others:
            others.push()
    finally:
        on.write_text("")
        thread.join()
    assert [one.complete for one in results] == [True]
    assert second in sent_to(undo)  # it was taken in time to go with it
    assert is_whole(undo)


def test_what_was_pruned_here_stays_there_and_the_next_push_is_small(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    for number in range(300):
        (project / f"file{number}.txt").write_text(os.urandom(100).hex())
    ids = [take(checkpoints, project, text) for text in ("one", "two", "three")]
    checkpoints.push()
    prune_to_one(checkpoints)
    assert [one.id for one in checkpoints.project(project).list()] == ids[-1:]
    assert sent_to(undo) == ids
    before = bytes_in(undo)
    take(checkpoints, project, "four")
    checkpoints.push()
    assert bytes_in(undo) - before < 30_000
    for id_ in ids:
        assert git("ls-tree", "-r", "--name-only", f"{id_}:tree", at=undo).count("\n") >= 300


def test_a_copied_base_sends_below_an_id_of_its_own(
    home: Path, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(undo)
    with Checkpoints.open() as original:
        ids = [take(original, project, text) for text in ("one", "two")]
        original.push()
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    with Checkpoints.open() as original:
        own = take(original, project, "three")
        [first] = original.push()
    with Checkpoints.open(copy) as copied:
        others = take(copied, project, "four")
        [second] = copied.push()
        assert second.complete
    assert first.machine != second.machine
    refs = refs_of(undo)
    below = {
        machine: {id_ for ref, id_ in refs.items() if f"refs/checkpoints/{machine}/" in ref}
        for machine in (first.machine, second.machine)
    }
    assert below == {first.machine: {*ids, own}, second.machine: {others}}


def test_a_base_whose_refs_are_taken_there_by_another_takes_another_id(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    """As of a virtual machine that was copied as a whole, whose files have the same numbers."""
    configure(undo)
    id_ = take(checkpoints, project, "one")
    machine = machine_of(Layout.of(), 30).id
    tree = git("write-tree", at=undo).strip()
    words = ("-c", "user.name=x", "-c", "user.email=x", "commit-tree", "-m", "x", tree)
    other = git(*words, at=undo).strip()
    ref_name = checkpoints.project(project).get(id_).ref_name
    taken = ref_name.replace("refs/checkpoints/", f"refs/checkpoints/{machine}/")
    git("update-ref", taken, other, at=undo)
    [result] = checkpoints.push()
    assert result.complete
    assert result.machine != machine
    assert machine_of(Layout.of(), 30).id == result.machine
    assert refs_of(undo)[taken] == other


def test_many_are_sent_in_batches_and_each_is_recorded(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo)
    monkeypatch.setattr(pushing, "MOST_REFS", 3)
    ids = [take(checkpoints, project, str(number)) for number in range(8)]
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == ids
    assert sent_to(undo) == ids
    remotes = checkpoints._base.catalog.remotes
    [remote] = remotes.all()
    assert [one.id for one in remotes.pushed(remote, {PushState.SENT})] == ids


def test_large_contents_are_sent_apart(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo)
    monkeypatch.setattr(pushing, "MOST_BYTES", 1000)
    ids = []
    for number in range(3):
        (project / f"{number}.bin").write_bytes(os.urandom(900))
        ids.append(take(checkpoints, project, str(number)))
    [result] = checkpoints.push()
    assert [one.id for one in result.sent] == ids
    assert len(result.sent) == len({one.ref_name for one in result.sent}) == 3


def test_a_catalog_that_was_made_anew_finds_what_is_there(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    configure(undo)
    ids = [take(checkpoints, project, text) for text in ("one", "two")]
    checkpoints.push()
    checkpoints.close()
    for name in ("catalog.db", "catalog.db-wal", "catalog.db-shm"):
        (home / "checkpoints" / name).unlink(missing_ok=True)
    with Checkpoints.open() as anew:
        [result] = anew.push()
        assert [one.id for one in result.sent] == ids
    assert sent_to(undo) == ids
