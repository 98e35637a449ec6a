"""What is removed from the remote, what never is, and what is said of it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import BadRequest, Checkpoints, CheckpointUnknown
from hermes_checkpoints.base.opened import utc_now
from hermes_checkpoints.errors import LockHeld
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.object_store.fast_import import AUTHOR
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from remote.conftest import Configure
from remote.servers import PASSWORD, HttpServer, allow, git, refs_of, refuse
from support import Run

OTHER, PLACE = "aaaaaaaaaaaa", "1111111111111111"
OLD = "20260101T000000000000Z"


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


def at(checkpoints: Checkpoints, days: float) -> Checkpoints:
    """The same base so many days later, or earlier."""
    later = timedelta(days=days)
    return Checkpoints(replace(checkpoints._base, now=lambda: utc_now() + later))


def sent(checkpoints: Checkpoints, project: Path, *texts: str, days: float = 0) -> list[str]:
    """Take checkpoints so many days ago and send them; return their ids."""
    project.mkdir(exist_ok=True)
    before, found = at(checkpoints, -days), []
    for text in texts:
        (project / "file.txt").write_text(text, encoding="utf-8")
        found.append(before.project(project).take(text).checkpoint.id)  # type: ignore[union-attr]
    assert checkpoints.push()[0].complete
    return found


def there(repository: Path) -> set[str]:
    """The checkpoints that a repository has."""
    return {id_ for name, id_ in refs_of(repository).items() if "cursor" not in name}


def ref_of(repository: Path, id_: str) -> str:
    [found] = [name for name, at in refs_of(repository).items() if at == id_]
    return found


def cursors(repository: Path) -> dict[str, str]:
    return {name: id_ for name, id_ in refs_of(repository).items() if "cursor" in name}


def is_within_reach(repository: Path, id_: str) -> bool:
    return id_ in git("rev-list", "--all", at=repository).split()


def let_others_send(repository: Path, stamp: str = OLD, machine: str = OTHER) -> str:
    """Let another machine have sent a checkpoint at a time; return its ref."""
    data = f"tree {EMPTY_TREE}\nauthor {AUTHOR} 1 +0000\ncommitter {AUTHOR} 1 +0000\n\n{stamp}\n"
    kind = ("hash-object", "-t", "commit", "-w", "--stdin")
    commit = git(*kind, at=repository, stdin=data.encode()).strip()
    name = f"refs/checkpoints/{machine}/{PLACE}/{stamp}-01234567"
    cursor = f"refs/checkpoints-cursor/{machine}/{PLACE}"
    lines = "".join(f"update {one} {commit}\n" for one in (name, cursor))
    git("update-ref", "--stdin", at=repository, stdin=lines.encode())
    return name


# --- what goes, and what stays ------------------------------------------------------------------


def test_what_is_old_goes_there_alone_and_pins_labels_and_the_newest_stay(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(undo)
    ids = sent(checkpoints, project, "one", "two", "pinned", "labelled", days=40)
    only = sent(checkpoints, tmp_path / "other", "only", days=40)
    young = sent(checkpoints, project, "young")
    foreign = let_others_send(undo)
    own = checkpoints.project(project)
    own.pin(ids[2])
    own.label(ids[3], "good")
    before, local = refs_of(undo), {one.id for one in own.list()}
    [plan] = checkpoints.plan_prune_remote()
    assert [one.id for one in plan.remove] == ids[:2]
    assert all(one.is_here for one in plan.remove)
    configure(undo, keep_days=0)
    assert checkpoints.plan_prune_remote()[0].nothing_to_remove
    configure(undo)
    assert refs_of(undo) == before
    own.drop([ids[0]])
    [plan] = checkpoints.plan_prune_remote()
    assert [one.is_here for one in plan.remove] == [False, True]
    [done] = checkpoints.prune_remote(plan=[plan])
    assert ([one.id for one in done.removed], done.complete) == (ids[:2], True)
    assert there(undo) == {*ids[2:], *only, *young, before[foreign]}
    assert {one.id for one in own.list()} == local - {ids[0]}
    assert checkpoints.push()[0].removed == 1
    assert there(undo) == {*ids[2:], *only, *young, before[foreign]}
    kinds = [row[0] for row in checkpoints.ask("SELECT kind FROM operations ORDER BY id DESC")]
    assert "remote-prune" in kinds


def test_a_cursor_stays_so_that_the_project_is_found_and_leads_to_nothing_removed(
    checkpoints: Checkpoints, other: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    git("config", "receive.unpackLimit", "1", at=undo)
    for number in range(20):
        (project / f"{number}.txt").write_text(str(number))
    [first] = sent(checkpoints, project, "one", days=40)
    [second] = sent(checkpoints, project, "two")
    assert is_within_reach(undo, first)
    assert git("log", "-1", "--format=%P", *cursors(undo).values(), at=undo).strip() == first
    checkpoints.prune_remote()
    assert len(cursors(undo)) == 1
    assert not is_within_reach(undo, first)
    other.pull(working_dir=project)
    assert [one.id for one in other.remote_list()] == [second]
    packs = {*(undo / "objects/pack").glob("*.idx")}
    sent(checkpoints, project, "three")
    assert git("log", "-1", "--format=%P", *cursors(undo).values(), at=undo).strip() == second
    [index] = {*(undo / "objects/pack").glob("*.idx")} - packs
    assert len(git("show-index", stdin=index.read_bytes()).splitlines()) <= 8


def test_machines_that_have_sent_nothing_for_long_go_as_a_whole_with_consent_alone(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    [id_] = sent(checkpoints, project, "one")
    dead = let_others_send(undo)
    now = datetime.now(UTC)
    live = let_others_send(undo, f"{now:%Y%m%dT%H%M%S%fZ}", machine="b" * 12)
    future = let_others_send(undo, "29990101T000000Z", machine="c" * 12)
    odd = let_others_send(undo, "no-time-at-all", machine="d" * 12)
    git("update-ref", f"refs/checkpoints-cursor/{'e' * 12}/{PLACE}", id_, at=undo)
    git("update-ref", "refs/checkpoints/probe", id_, at=undo)
    before = refs_of(undo)
    [plan] = checkpoints.plan_prune_remote()
    assert (plan.nothing_to_remove, plan.unknown) == (True, 1)
    checkpoints.prune_remote()
    assert refs_of(undo) == before
    configure(undo, keep_dead_days=0)
    assert checkpoints.plan_prune_remote(others=True)[0].nothing_to_remove
    configure(undo)
    [plan] = checkpoints.plan_prune_remote(others=True)
    assert ([one.ref_name for one in plan.remove], plan.machines) == ([dead], (OTHER, "e" * 12))
    [done] = checkpoints.prune_remote(plan=[plan])
    assert done.complete
    gone = before.keys() - refs_of(undo).keys()
    theirs = (f"refs/checkpoints-cursor/{one}/{PLACE}" for one in (OTHER, "e" * 12))
    assert gone == {dead, *theirs}
    assert {live, future, odd} <= refs_of(undo).keys()


# --- what changes between the plan and the removal ---------------------------------------------


def test_a_ref_that_moved_or_was_pinned_since_stays_and_is_told(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    ids = sent(checkpoints, project, "moved", "pinned", "gone", "old", days=40)
    [newest] = sent(checkpoints, project, "newest")
    plans = checkpoints.plan_prune_remote()
    moved, gone = ref_of(undo, ids[0]), ref_of(undo, ids[2])
    git("update-ref", moved, newest, at=undo)
    git("update-ref", "-d", gone, at=undo)
    checkpoints.project(project).pin(ids[1])
    [done] = checkpoints.prune_remote(plan=plans)
    assert [one.id for one in done.removed] == [ids[2], ids[3]]
    assert [(one.id, "moved" in one.reason, "pin" in one.reason) for one in done.kept] == [
        (ids[1], False, True),
        (ids[0], True, False),
    ]
    assert not done.complete
    assert refs_of(undo)[moved] == newest
    assert ref_of(undo, ids[1])


def test_a_machine_that_has_sent_something_since_the_plan_stays(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    sent(checkpoints, project, "one")
    let_others_send(undo)
    plans = checkpoints.plan_prune_remote(others=True)
    let_others_send(undo, f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    before = refs_of(undo)
    [done] = checkpoints.prune_remote(plan=plans)
    assert (done.removed, len(done.kept), done.cursors) == ((), 1, ())
    assert refs_of(undo) == before


def test_a_plan_is_for_one_remote_and_a_push_goes_first(
    checkpoints: Checkpoints, project: Path, undo: Path, tmp_path: Path, configure: Configure
) -> None:
    configure(undo)
    sent(checkpoints, project, "one", "two", days=40)
    plans = checkpoints.plan_prune_remote()
    lock = checkpoints._base.layout.push_lock(str(undo))
    with exclusive(lock, purpose="sending", timeout=0), pytest.raises(LockHeld):
        checkpoints.prune_remote(plan=plans)
    configure(tmp_path / "another.git")
    with pytest.raises(BadRequest, match="make another plan"):
        checkpoints.prune_remote(plan=plans)
    assert len(there(undo)) == 2


# --- a server that does not let it go ---------------------------------------------------------


def test_a_server_that_forbids_it_loses_nothing_and_each_ref_is_told(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure, run: Run
) -> None:
    configure(undo, namespace="heads")
    for name in ("denyDeletes", "denyNonFastForwards"):
        git("config", f"receive.{name}", "true", at=undo)
    ids = sent(checkpoints, project, "one", "two", "three", days=40)
    before = refs_of(undo)
    answer = run("remote", "prune", "--all", "-f", "--json", code=3)
    [done] = answer.json["remotes"]
    assert [one["commit"] for one in done["refused"]] == ids[:2]
    assert all("does not let it go" in one["reason"] for one in done["refused"])
    assert (done["removed"], done["cursors"], done["cursors_left"], done["left"]) == ([], [], [], 0)
    assert refs_of(undo) == before
    assert checkpoints.remote_status()[0].projects[0].removed == 0
    for name in ("denyDeletes", "denyNonFastForwards"):
        git("config", f"receive.{name}", "false", at=undo)
    refuse(undo, "not for you")
    [hooked] = checkpoints.prune_remote()
    assert all("not for you" in one.reason for one in hooked.refused)
    allow(undo)
    assert checkpoints.prune_remote()[0].complete
    assert there(undo) == {ids[2]}


def test_a_remote_that_is_away_is_told_with_3_and_without_its_password(
    run: Run,
    project: Path,
    server: HttpServer,
    home: Path,
    configure: Configure,
    checkpoints: Checkpoints,
) -> None:
    configure(server.url("undo.git", f"me:{PASSWORD}"), protocols=["http"])
    undo = server.root / "undo.git"
    sent(checkpoints, project, "one", "two", days=40)
    plans = checkpoints.plan_prune_remote()
    undo.rename(server.root / "away.git")
    [done] = checkpoints.prune_remote(plan=plans)
    assert (done.code, done.left, done.removed) == ("remote-unreachable", 1, ())
    answer = run("remote", "prune", "--all", "--dry-run", code=3)
    assert "is not possible" in answer.err
    assert PASSWORD not in answer.out + answer.err + str(done)
    (server.root / "away.git").rename(undo)
    assert checkpoints.prune_remote(plan=plans)[0].complete
    assert len(there(undo)) == 1
    assert PASSWORD.encode() not in (home / "checkpoints/catalog.db").read_bytes()


# --- what is named ----------------------------------------------------------------------------


def test_what_is_named_goes_whatever_its_age_and_nothing_else(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo)
    first, second, third = sent(checkpoints, project, "one", "two", "three")
    checkpoints.project(project).pin(third)
    foreign = let_others_send(undo)
    git("update-ref", foreign, first, at=undo)
    for wrong in ("latest", "12345", first[:7]):
        with pytest.raises(BadRequest, match="at least 8"):
            checkpoints.plan_prune_remote(ids=[wrong])
    with pytest.raises(CheckpointUnknown, match="nothing was removed"):
        checkpoints.plan_prune_remote(ids=["01234567"])
    [plan] = checkpoints.plan_prune_remote(ids=[first[:9], third])
    assert [one.id for one in plan.remove] == [first]
    assert {(one.rule.value, one.machine) for one in plan.kept} == {
        ("pinned", plan.machine),
        ("foreign", OTHER),
    }
    [done] = checkpoints.prune_remote(plan=[plan])
    assert (len(done.removed), done.complete) == (1, True)
    assert refs_of(undo)[foreign] == first
    checkpoints.project(project).unpin(third)
    [done] = checkpoints.prune_remote(ids=[second, third])
    assert len(done.removed) == 2
    assert [one for one in refs_of(undo) if plan.machine in one] == []  # the cursor, too


def test_what_was_forgotten_here_is_told_of_and_can_be_removed_there(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo)
    monkeypatch.chdir(project)
    (project / "secret.txt").write_text("hunter22", encoding="utf-8")
    blob = git("hash-object", "secret.txt").strip()
    ids = sent(checkpoints, project, "one", "two")
    told = run("forget", "secret.txt", "-f").out
    assert f"still lies in {undo}, in 2 checkpoints" in told
    [by_id] = [line for line in told.splitlines() if "remote prune" in line]
    [by_git] = [line for line in told.splitlines() if "git push" in line]
    assert all(id_[:8] in by_id for id_ in ids)
    words = by_git.partition("git push ")[2].split()
    assert words[:2] == [str(undo), "--delete"]
    assert {*words[2:]} == refs_of(undo).keys()
    run(*by_id[by_id.index("remote prune") :].split(), "-f")
    git("gc", "-q", "--prune=now", at=undo)
    assert blob not in git("cat-file", "--batch-all-objects", "--batch-check", at=undo)
    [result] = checkpoints.push()
    assert (len(result.sent), result.complete) == (2, True)


# --- the question -----------------------------------------------------------------------------


def test_it_asks_first_and_no_is_no(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo)
    ids = sent(checkpoints, project, "one", "two", days=40)
    foreign = let_others_send(undo)
    before = refs_of(undo)
    for answers in ("n\n", ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        answer = run("remote", "prune", "--all", "--others", code=1)
        assert "1 checkpoint of this machine and 1 checkpoint of 1 other machine" in answer.out
    assert refs_of(undo) == before
    assert "--json cannot ask" in run("remote", "prune", "--all", "--json", code=2).err
    assert "leave the directory out" in run("remote", "prune", "--all", project, code=64).err
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    answer = run("remote", "prune", "--all")
    assert f"Removed 1 checkpoint from {undo}" in answer.out
    assert there(undo) == {ids[1], before[foreign]}
