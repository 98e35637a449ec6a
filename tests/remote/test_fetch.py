"""A checkpoint that only the remote has is fetched whole when somebody names it, once, and is none
of this base: it can be shown, compared, read and restored, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints, Config, cli
from hermes_checkpoints.catalog.fetched import Fetched
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointAmbiguous,
    CheckpointForeign,
    CheckpointUnknown,
    LockHeld,
    RemoteFailed,
    RemoteOff,
    RemoteRefused,
)
from hermes_checkpoints.fs.writer import WITHOUT_POWERS
from hermes_checkpoints.model import Action, FetchedRef, KeepRules, Mode, Policy
from hermes_checkpoints.remote.network_git import NetworkGit
from hermes_checkpoints.retention.plan import PruneOptions
from remote.conftest import Configure
from remote.machines import in_repository, taken
from remote.servers import HttpServer, Manner, bare, git, refs_of
from remote.test_push import prune_to_one
from support import Run, deadly_git, everything, make_project


def sent(other: Checkpoints, here: Checkpoints, place: Path, *texts: str) -> list[str]:
    """Let another machine send checkpoints, and list them here; return their ids."""
    ids = taken(other, place, *texts)
    here.pull()
    return ids


def cursor_of(undo: Path) -> str:
    [name] = [name for name in refs_of(undo) if "-cursor/" in name]
    return name


def fetched_refs(home: Path) -> list[str]:
    return [name for name in refs_of(home / "checkpoints/store") if "refs/fetched/" in name]


def later(checkpoints: Checkpoints, **time: float) -> Checkpoints:
    """Return the same checkpoints at another time."""
    return Checkpoints(
        replace(checkpoints._base, now=lambda: datetime.now(UTC) + timedelta(**time))
    )


def rows(checkpoints: Checkpoints, query: str) -> list[tuple[Any, ...]]:
    with checkpoints.connection() as connection:
        return [tuple(row) for row in connection.execute(query)]


def has(home: Path, object_id: str) -> bool:
    store = home / "checkpoints/store"
    words = ["git", f"--git-dir={store}", "cat-file", "-e", object_id]
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


# --- restoring -----------------------------------------------------------------------------------


def test_it_is_restored_elsewhere_byte_by_byte_and_the_directory_is_made(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, run: Run
) -> None:
    project = make_project(tmp_path / "theirs")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o750)
    (project / "empty").mkdir(mode=0o700)
    (project / "bad-\udcff").write_bytes(bytes(range(256)))
    [id_] = sent(other, here, project, "one")
    into = tmp_path / "q"
    plan = run("restore", id_[:8], "--into", into, "--dry-run")
    assert "(overlay)" in plan.out
    assert f"{into} is not there and is made" in plan.out
    assert f"fetched from the remote: it was taken of {project}" in plan.out
    assert not into.exists()
    run("restore", id_[:8], "--into", into, "-f")
    assert everything(into) == everything(project)
    run("undo", into, "-f")
    assert [*into.iterdir()] == []
    run("redo", into, "-f")
    assert everything(into) == everything(project)
    query = "SELECT target, state, mode FROM restore_list WHERE role = 'restore'"
    assert rows(here, query) == [(id_[:8], "done", "overlay")]


def test_what_lies_there_is_saved_first_and_nothing_is_deleted_unless_it_is_said(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "theirs")
    into = tmp_path / "q"
    into.mkdir()
    (into / "mine.txt").write_text("mine")
    (into / "file.txt").write_text("as it was here")
    project, found = here.project(into), here.fetch(id_)
    done = project.restore(found, into=into)
    assert (into / "mine.txt").read_text() == "mine"
    assert (into / "file.txt").read_text() == "theirs"
    assert project.read_file(done.safety, "file.txt") == b"as it was here"
    project.restore(found, into=into, mode="exact")
    assert [one.name for one in into.iterdir()] == ["file.txt"]
    project.undo()
    project.undo()
    assert (into / "mine.txt").read_text() == "mine"
    assert (into / "file.txt").read_text() == "as it was here"


def test_nobody_knows_whose_the_changes_since_are(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "theirs")
    into = tmp_path / "q"
    into.mkdir()
    found = here.fetch(id_)
    for told in ({"mode": Mode.KEEP_EDITS}, {"session_id": "s", "mode": "overlay"}):
        with pytest.raises(BadRequest, match="two projects or machines"):
            here.project(into).plan_restore(found, into=into, **told)


def test_in_the_same_place_of_the_same_repository_no_directory_need_be_named(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = in_repository(tmp_path / "theirs", "https://example.org/org/app")
    mine = in_repository(tmp_path / "mine", "git@example.org:org/app.git")
    another = in_repository(tmp_path / "another", "git@example.org:org/other.git")
    [id_] = sent(other, here, theirs, "theirs")
    monkeypatch.chdir(another)
    refused = run("restore", id_[:8], "-f", code=2)
    assert "is not the project" in refused.err
    assert "--into" in refused.err
    refused = run("diff", id_[:8], code=2)
    assert "name the directory to compare it with" in refused.err
    monkeypatch.chdir(mine)
    assert "file.txt" in run("diff", id_[:8]).out
    run("restore", id_[:8], "-f")
    assert (mine / "file.txt").read_text() == "theirs"
    run("undo", "-f")
    assert not (mine / "file.txt").exists()


def test_what_was_pruned_here_comes_back_from_the_remote(
    here: Checkpoints, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = taken(here, project, "one", "two")
    prune_to_one(here)
    assert not has(here.home, first)
    monkeypatch.chdir(project)
    assert "was pruned" in run("show", first[:8], code=2).err
    here.pull()
    run("restore", first[:8], "-f")
    assert (project / "file.txt").read_text() == "one"
    run("undo", "-f")
    assert (project / "file.txt").read_text() == "two"


def test_a_restore_that_is_killed_while_it_writes_is_taken_back(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    place = tmp_path / "theirs"
    place.mkdir()
    for number in range(40):
        (place / f"{number}.txt").write_text(f"theirs {number}")
    [id_] = sent(other, here, place, "one")
    into = tmp_path / "q"
    into.mkdir()
    (into / "7.txt").write_text("mine")
    before = everything(into)
    script = (
        "import os, signal, sys\n"
        "from hermes_checkpoints import Checkpoints\n"
        "def hook(event, args):\n"
        "    if event == 'os.rename' and str(args[1]).endswith('29.txt'):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "c = Checkpoints.open()\n"
        "p, found = c.project(sys.argv[1]), c.fetch(sys.argv[2])\n"
        "sys.addaudithook(hook)\n"
        "p.restore(found, into=sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, into, id_], check=False)
    assert done.returncode == -9
    with Checkpoints.open() as again:
        again.project(into).undo()
    assert everything(into) == before


# --- reading -------------------------------------------------------------------------------------


def test_it_is_shown_compared_read_and_exported(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "theirs"
    place.mkdir()
    (place / "big.bin").write_bytes(bytes(11 << 20))
    first, second = sent(other, here, place, "one\n", "two\n")
    monkeypatch.chdir(tmp_path)
    shown = run("show", first[:8]).out
    assert f"Working directory: {place}" in shown
    assert "Fetched from the remote: what it changed is known where it was taken" in shown
    assert "big.bin  oversize (11.0 MB)" in shown
    assert run("cat", first[:8], "file.txt").out == "one\n"
    assert "+two" in run("diff", first[:8], second[:8]).out
    assert "big.bin" in run("show", first[:8], "--json").out
    run("export", first[:8], "--tar", tmp_path / "one.tar")
    listed = subprocess.run(["tar", "tf", tmp_path / "one.tar"], check=True, capture_output=True)
    assert b"file.txt" in listed.stdout
    (tmp_path / "elsewhere").mkdir()
    assert "deleted file" in run("diff", first[:8], "--dir", tmp_path / "elsewhere").out
    assert run("cat", first[:8], "nosuch.txt", code=2).err


def test_nothing_else_can_be_done_with_it(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    mine = tmp_path / "mine"
    taken(here, mine, "mine")
    project, found = here.project(mine), here.fetch(id_)
    refused: list[Callable[[], object]] = [
        lambda: project.get(found),
        lambda: project.pin(found),
        lambda: project.label(found, "name"),
        lambda: project.plan_drop(found),
        lambda: project.changes(found),
        lambda: project.former_ids(found),
        lambda: project.plan_export_branch(found, "branch"),
        lambda: here.find(found),
    ]
    for call in refused:
        with pytest.raises(CheckpointForeign, match="none of this base"):
            call()
    for text in (id_, id_[:8]):
        with pytest.raises(CheckpointUnknown):
            project.get(text)
        with pytest.raises(CheckpointUnknown):
            project.restore(text)
        with pytest.raises(CheckpointUnknown):
            here.find(text)


# --- what comes over the line --------------------------------------------------------------------


def test_all_of_it_comes_at_once_by_one_process_and_then_nobody_is_asked(
    here: Checkpoints,
    other: Checkpoints,
    tmp_path: Path,
    undo: Path,
    server: HttpServer,
    configure: Configure,
    git_processes: GitProcesses,
) -> None:
    place = tmp_path / "theirs"
    for number in range(1000):
        folder = place / f"folder-{number % 25}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(f"{number}\n" * 3)
    taken(other, place, "one")
    shutil.copytree(undo, server.root / "undo.git", dirs_exist_ok=True)
    configure(server.url("undo.git"), protocols=["http"])
    here.pull()
    [one] = here.remote_list()
    server.requests.clear()
    git_processes.reset()
    into = tmp_path / "q"
    here.project(into).restore(here.fetch(one.id), into=into)
    assert everything(into) == everything(place)
    asking = [words for words in git_processes.commands() if "fetch" in words]
    assert len(asking) == 1
    assert len(server.requests) <= 3, "where refs are, which are wanted, what they hold"
    server.manner = Manner.CLOSED
    server.requests.clear()
    for _ in range(2):
        assert here.project(into).read_file(here.fetch(one.id[:9]), "folder-3/3.txt") == b"3\n" * 3
        here.project(into).diff(here.fetch(one.id))
        here.project(into).restore(here.fetch(one.id), into=into)
    assert server.requests == []


def test_what_is_here_already_does_not_come_again(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    place = tmp_path / "theirs"
    place.mkdir()
    noise = bytes((number * 7919 + number // 251) % 256 for number in range(300_000))
    (place / "noise.bin").write_bytes(noise)
    first, second = sent(other, here, place, "one", "two")
    here.fetch(first)
    here.fetch(second)
    both = {one.id: one.stored_bytes for one in here._base.catalog.fetched.all()}
    assert both[second] <= 32 << 10 < both[first] + (32 << 10)


def test_a_remote_that_has_it_no_longer_says_so_and_nothing_is_changed(
    here: Checkpoints, other: Checkpoints, undo: Path, home: Path, tmp_path: Path, run: Run
) -> None:
    first, second = sent(other, here, tmp_path / "theirs", "one", "two")
    names = {id_: name for name, id_ in refs_of(undo).items()}
    git("update-ref", "-d", names[first], at=undo)
    with pytest.raises(RemoteRefused, match=r"not on .*undo\.git any more; .*pull"):
        here.fetch(first)
    git("update-ref", names[second], refs_of(undo)[cursor_of(undo)], at=undo)
    with pytest.raises(RemoteRefused, match="any more"):
        here.fetch(second)
    undo.rename(undo.with_name("away.git"))
    refused = run("restore", second[:8], "--into", tmp_path / "q", "-f", code=2)
    assert "reading from" in refused.err
    assert not (tmp_path / "q").exists()
    assert fetched_refs(home) == []
    told = rows(here, "SELECT code FROM operation_list WHERE operation = 'fetch'")
    assert told == [("remote-unreachable",), ("remote-refused",), ("remote-refused",)]


def test_only_what_is_in_the_list_of_the_one_remote_is_asked_for(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, configure: Configure
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    for wrong in ("latest", "1", id_[:7], "-x", ""):
        with pytest.raises(BadRequest, match="at least 8 digits"):
            here.fetch(wrong)
    with pytest.raises(CheckpointUnknown, match="pull"):
        here.fetch("0" * 40)
    configure(bare(tmp_path / "second.git"))
    with pytest.raises(RemoteOff, match="another remote"):
        here.fetch(id_)
    configure()
    with pytest.raises(RemoteOff):
        here.fetch(id_)


def test_an_id_that_two_begin_with_is_ambiguous(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = sent(other, here, tmp_path / "theirs", "one", "two")
    elsewhere = here._base.catalog.elsewhere
    both = elsewhere.list()
    monkeypatch.setattr(elsewhere, "find", lambda _: both)
    with pytest.raises(CheckpointAmbiguous, match="more digits"):
        here.fetch(first[:8])


# --- what this base says of it -------------------------------------------------------------------


def test_no_rule_and_no_figure_of_this_base_counts_it(
    home: Path, other: Checkpoints, undo: Path, configure: Configure, tmp_path: Path, run: Run
) -> None:
    configure(undo)
    place, mine = tmp_path / "theirs", tmp_path / "mine"
    place.mkdir()
    noise = b"".join(hash((1, number)).to_bytes(8, "big", signed=True) for number in range(400_000))
    (place / "noise.bin").write_bytes(noise)
    config = Config(max_total_size_mb=1)
    with Checkpoints.open(config=config) as here:
        taken(here, mine, *map(str, range(5)))
        here.prune()
        [id_] = sent(other, here, place, "one")

        def figures() -> list[Any]:
            status = here.status()
            plan = here.plan_prune()
            return [
                (status.store_bytes, status.projects, here.capped_bytes()),
                (plan.drop, plan.kept, plan.scanned, plan.freed_bytes),
                [one.id for one in here.list_all()],
                here.working_dirs(),
                [(one.hash, one.checkpoints) for one in here.usage().projects],
            ]

        before = figures()
        here.fetch(id_)
        assert sum(one.stat().st_size for one in (home / "checkpoints").rglob("*.pack")) > 3 << 20
        assert figures() == before
        result = here.prune()
        assert (result.dropped, result.over_cap) == ((), False)
        assert figures()[1:] == before[1:]
        assert abs(figures()[0][0] - before[0][0]) < 100_000
        here.fetch(id_)
    assert "No fault" in run("doctor").out
    assert "ref" not in run("doctor").out.partition("disk:")[0].replace("prefer", "")


def test_it_goes_again_with_a_prune_after_a_week_or_as_long_as_others_are_kept(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path, run: Run
) -> None:
    place = tmp_path / "theirs"
    [id_] = sent(other, here, place, "one")
    found = here.fetch(id_)
    assert later(here, days=6).plan_prune().fetched == ()
    later(here, days=6).prune()
    assert has(home, id_)
    week = later(here, days=8)
    longer = Policy(keep=KeepRules(within=timedelta(days=10)))
    assert week.plan_prune(policy=longer).fetched == ()
    [going] = week.plan_prune().fetched
    assert going.id == id_
    week.prune()
    assert not has(home, id_)
    assert fetched_refs(home) == []
    with pytest.raises(CheckpointUnknown, match="not here"):
        here.project(tmp_path).read_file(found, "file.txt")
    assert run("cat", id_[:8], "file.txt", "--dir", tmp_path).out == "one"


def test_a_plan_of_a_prune_says_that_it_goes(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, run: Run
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    here.fetch(id_)
    [one] = here._base.catalog.fetched.all()
    ago = datetime.now(UTC) - timedelta(days=8)
    here._base.catalog.fetched.add(replace(one, fetched_at=ago))
    assert "contents of 1 checkpoint that was fetched" in run("prune", "--dry-run").out


def test_a_ref_that_no_row_knows_goes_with_the_next_prune(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    here.fetch(id_)
    here._base.catalog.fetched.remove(fetched_refs(home))
    here.prune()
    assert fetched_refs(home) == []
    here.fetch(id_)
    git("update-ref", "-d", *fetched_refs(home), at=home / "checkpoints/store")
    assert here.fetch(id_).id == id_, "what is not whole any more is fetched again"
    assert len(fetched_refs(home)) == 1


def test_what_is_forgotten_here_stays_in_no_fetched_checkpoint(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    taken(here, mine, "a secret", "something else")
    [id_] = sent(other, here, tmp_path / "theirs", "a secret")
    here.fetch(id_)
    done = here.project(mine).forget("file.txt")
    assert (done.fetched, done.errors) == (1, ())
    blob = git("hash-object", "--stdin", stdin=b"a secret").strip()
    assert not has(home, blob)
    assert fetched_refs(home) == []


# --- bad days ------------------------------------------------------------------------------------


def tree_of(undo: Path, *entries: tuple[str, str, str]) -> str:
    """Write a tree of modes, names and ids, whatever they are."""
    data = b"".join(
        f"{mode} {name}".encode() + b"\0" + bytes.fromhex(id_) for mode, name, id_ in entries
    )
    write = ("hash-object", "-w", "--literally", "-t", "tree", "--stdin")
    return git(*write, at=undo, stdin=data).strip()


def blob_of(undo: Path, data: bytes) -> str:
    return git("hash-object", "-w", "--stdin", at=undo, stdin=data).strip()


def forged(undo: Path, id_: str, *entries: tuple[str, str, str], **facts: object) -> str:
    """Move the ref of a checkpoint on the remote to another one with a tree of these entries, and
    other facts beside it; return its id."""
    [ref] = [one for one, at in refs_of(undo).items() if at == id_ and "-cursor/" not in one]
    meta = json.loads(git("cat-file", "blob", f"{id_}:meta.json", at=undo)) | facts
    tree = tree_of(undo, *entries)
    beside = blob_of(undo, json.dumps(meta).encode())
    top = tree_of(undo, ("100644", "meta.json", beside), ("40000", "tree", tree))
    _, _, message = git("cat-file", "commit", id_, at=undo).partition("\n")
    write = ("hash-object", "-w", "-t", "commit", "--stdin")
    made = git(*write, at=undo, stdin=f"tree {top}\n{message}".encode()).strip()
    git("update-ref", ref, made, at=undo)
    return made


@pytest.mark.parametrize("name", ["..", ".git", ".", "a/b", ".GIT"])
def test_a_remote_cannot_make_it_write_elsewhere(
    here: Checkpoints, other: Checkpoints, undo: Path, home: Path, tmp_path: Path, name: str
) -> None:
    """The commit of a checkpoint is made anew on the remote with a hostile tree below it."""
    git("config", "uploadpack.allowFilter", "true", at=undo)
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    inner = tree_of(undo, ("100644", name, blob_of(undo, b"gotcha")))
    made = forged(undo, id_, ("40000", "sub", inner))
    here.pull()
    into = tmp_path / "deep" / "q"
    into.parent.mkdir()
    before = everything(tmp_path)
    with pytest.raises((RemoteFailed, BadRequest)):
        here.project(into).restore(here.fetch(made), into=into)
    assert {k: v for k, v in everything(tmp_path).items() if "deep" in k} == {
        k: v for k, v in before.items() if "deep" in k
    }
    assert fetched_refs(home) == []


def test_what_cannot_be_written_fails_alone(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    made = forged(
        undo,
        id_,
        ("120000", "link", blob_of(undo, b"a\0b")),
        ("160000", "module", "12" * 20),
        ("100644", "x.txt", blob_of(undo, b"theirs")),
    )
    here.pull()
    into = tmp_path / "q"
    done = here.project(into).restore(here.fetch(made), into=into)
    assert sorted(one.path for one in done.failed) == ["link", "module"]
    assert [one.name for one in into.iterdir()] == ["x.txt"]
    here.project(into).undo()
    assert [*into.iterdir()] == []


def test_a_ref_that_the_remote_moved_leads_to_what_is_there_now(
    here: Checkpoints, other: Checkpoints, undo: Path, home: Path, tmp_path: Path
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    old = here.fetch(id_)
    made = forged(undo, id_, ("100644", "new.txt", blob_of(undo, b"new")))
    here.pull()
    project, found = here.project(tmp_path), here.fetch(made)
    assert (found.id, project.read_file(found, "new.txt")) == (made, b"new")
    assert [one.id for one in here._base.catalog.fetched.all()] == [made]
    assert len(fetched_refs(home)) == 1
    with pytest.raises(CheckpointUnknown):
        project.read_file(old, "file.txt")


def test_set_id_bits_of_another_machine_are_given_to_nobody(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    """Whoever is user 0 there, or is said to be, is not root here."""
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    made = forged(
        undo,
        id_,
        ("100755", "tool", blob_of(undo, b"#!/bin/sh\n")),
        files={"tool": 0o6755},
        owners={"tool": [os.getuid(), os.getgid()]},
    )
    here.pull()
    into = tmp_path / "q"
    project, found = here.project(into), here.fetch(made)
    [step] = project.plan_restore(found, into=into).of(Action.WRITE)
    assert (step.mode, step.reason.endswith(WITHOUT_POWERS)) == (0o100755, True)
    project.restore(found, into=into)
    assert (into / "tool").stat().st_mode & 0o7777 == 0o755


def test_no_file_that_a_project_may_have_keeps_its_checkpoints_back(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    """Git refuses such files from a remote; some of them another system takes for ``.git``."""
    place = tmp_path / "theirs"
    (place / "git~1").mkdir(parents=True)
    for name in (".git ", "git~1/hook", ".g\u200cit", ".git:x"):
        (place / name).write_text("theirs")
    (place / ".gitmodules").write_text('[submodule "../x"]\npath = -x\nurl = -u./payload\n')
    (place / ".gitattributes").write_text("x" * 3000 + " text\n")
    [id_] = sent(other, here, place, "one")
    into = tmp_path / "q"
    project, found = here.project(into), here.fetch(id_)
    plan = project.plan_restore(found, into=into)
    kept = {one.path for one in plan.of(Action.KEEP)}
    assert kept >= {".git ", "git~1/hook", ".g\u200cit", ".git:x"}
    project.restore(found, into=into, plan=plan)
    assert sorted(everything(into)) == [".gitattributes", ".gitmodules", "file.txt"]
    assert project.read_file(found, "git~1/hook") == b"theirs"
    project.undo()
    assert everything(into) == {}


def test_no_prune_comes_between_its_ref_and_its_row(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    add, tried = Fetched.add, []

    def adding(self: Fetched, found: FetchedRef) -> None:
        with pytest.raises(LockHeld):
            here.prune(options=PruneOptions(lock_timeout=0))
        tried.append(found)
        add(self, found)

    monkeypatch.setattr(Fetched, "add", adding)
    assert here.fetch(id_).id == id_
    assert len(tried) == 1


def test_what_is_damaged_of_it_is_let_go_and_nothing_of_it_is_kept(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    place, store = tmp_path / "theirs", home / "checkpoints/store"
    mine = tmp_path / "mine"
    taken(here, mine, "mine")
    [id_] = sent(other, here, place, "one")
    here.fetch(id_)
    for pack in (store / "objects/pack").glob("*.pack"):
        data = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        git("unpack-objects", "-q", at=store, stdin=data)
    blob = git("rev-parse", f"{id_}:tree/file.txt", at=store).strip()
    (store / "objects" / blob[:2] / blob[2:]).unlink()
    result = here.prune()
    assert (result.errors, result.quarantined) == ((), ())
    assert any("let go" in told for told in result.mended)
    assert (fetched_refs(home), here._base.catalog.fetched.all()) == ([], [])
    assert [*store.glob("quarantine"), *store.rglob("*.keep")] == []
    assert here.project(tmp_path).read_file(here.fetch(id_), "file.txt") == b"one"


def test_what_both_hold_is_counted_as_of_this_base(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    """Nothing tells the remote what is here already of another machine, so it comes once more."""
    noise = b"".join(hash((2, number)).to_bytes(8, "big", signed=True) for number in range(25_000))
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "noise.bin").write_bytes(noise)
    taken(here, tmp_path / "mine", "mine")
    here.prune()
    before = here.status().store_bytes
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    here.fetch(id_)
    known = here._base.catalog.fetched
    assert known.all()[0].stored_bytes > len(noise)
    here.prune()
    assert abs(here.status().store_bytes - before) < 32 << 10
    assert known.all()[0].stored_bytes < 32 << 10
    (tmp_path / "theirs" / "noise.bin").write_bytes(noise[::-1])
    here.fetch(sent(other, here, tmp_path / "theirs", "two")[0])
    for one in known.all():  # as where a lost catalog knew of them, and they were fetched again
        known.add(replace(one, stored_bytes=0))
    here.prune()
    assert abs(here.status().store_bytes - before) < 32 << 10


def test_verbs_that_do_nothing_with_it_ask_nobody_and_say_so(
    here: Checkpoints,
    other: Checkpoints,
    tmp_path: Path,
    configure: Configure,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine = tmp_path / "mine"
    old, _ = taken(here, mine, "one", "two")
    [id_] = sent(other, here, tmp_path / "theirs", "theirs")
    here.project(mine).drop(old)
    monkeypatch.chdir(mine)
    asked: list[tuple[str, ...]] = []
    with monkeypatch.context() as watched:
        watched.setattr(NetworkGit, "run", lambda _, *words, **__: asked.append(words))
        for words in (("pin",), ("label", "x"), ("drop", "-f"), ("export", "--branch", "x")):
            refused = run(*words[:1], id_[:8], *words[1:], code=2)
            assert "is on the remote, and is none of this base" in refused.err
        assert run("show", id_[:7], code=2).err.endswith("8 digits of its id name it then\n")
    assert asked == []
    configure()
    assert "was pruned" in run("show", old[:8], code=2).err


def test_a_commit_with_parents_is_none_of_a_checkpoint(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    first, second = taken(other, tmp_path / "theirs", "one", "two")
    names = {id_: name for name, id_ in refs_of(undo).items()}
    head, rest = git("cat-file", "commit", second, at=undo).split("\n", 1)
    made = git(
        *("hash-object", "-w", "-t", "commit", "--stdin"),
        at=undo,
        stdin=f"{head}\nparent {first}\n{rest}".encode(),
    ).strip()
    git("update-ref", names[second], made, at=undo)
    [result] = here.pull()
    assert (result.listed, result.malformed) == (1, 1)


@pytest.mark.parametrize(
    ("command", "after"), [("fetch", False), ("fetch", True), ("rev-list", True)]
)
def test_a_fetch_that_is_killed_is_done_by_the_next(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path, command: str, *, after: bool
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    done = subprocess.run(
        [sys.executable, "-m", "hermes_checkpoints", "cat", id_[:8], "file.txt"],
        env=deadly_git(tmp_path / "shim", command, after=after),
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    assert done.returncode == -9, done
    assert here.project(tmp_path).read_file(here.fetch(id_), "file.txt") == b"one"
    here.prune()
    assert [*(home / "checkpoints").glob("scratch-*")] == []
    assert cli.main(["doctor"]) == 0


@pytest.mark.parametrize("after", [False, True])
def test_what_a_prune_sweeps_away_meanwhile_is_fetched_once_more(
    here: Checkpoints,
    other: Checkpoints,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    after: bool,
) -> None:
    [id_] = sent(other, here, tmp_path / "theirs", "one")
    swept: list[tuple[str, ...]] = []
    run = NetworkGit.run

    def sweeping(self: NetworkGit, *words: str, sends: bool = False) -> bytes:
        if swept:
            return run(self, *words, sends=sends)
        swept.append(words)
        answer = run(self, *words, sends=sends) if after else b""
        here.prune()
        return answer if after else run(self, *words, sends=sends)

    monkeypatch.setattr(NetworkGit, "run", sweeping)
    assert here.project(tmp_path).read_file(here.fetch(id_), "file.txt") == b"one"
    assert swept
