"""A branch for repositories of every form: what cannot have one is refused, nothing of a hostile
one runs, and whoever is killed leaves nothing that counts."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from conftest import GitProcesses
from hermes_checkpoints import (
    BadRequest,
    BranchRefused,
    Checkpoints,
    GitFailed,
    Project,
    StoreDamaged,
)
from history.old_bases import made as old_base
from history.own import committed, differs, exported, git, made, taken, tree, withheld, write
from support import everything


@pytest.fixture
def store(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home) as opened:
        yield opened


@pytest.fixture
def own(tmp_path: Path, store: Checkpoints) -> Project:
    """A project in a repository, changed since its one commit, with a checkpoint."""
    project = store.project(made(tmp_path / "own"))
    change(project)
    return project


def change(project: Project) -> None:
    write(project.working_dir, {"a.txt": b"changed\n", "new.txt": b"new\n"})
    (project.working_dir / "src/b.txt").unlink()
    taken(project)


CHANGED = {"a.txt", "new.txt", "src/b.txt"}


def refused(project: Project, name: str = "rescued") -> str:
    """Export, which is refused and changes nothing; return why."""
    before = everything(project.working_dir)
    for attempt in (project.plan_export_branch, project.export_branch):
        with pytest.raises(BranchRefused) as caught:
            attempt("latest", name)
    assert everything(project.working_dir) == before
    return str(caught.value)


# --- forms of repositories ------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_linked_worktree_has_its_own_head_and_shares_branches(
    own: Project, store: Checkpoints, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(own.working_dir, "worktree", "add", "-q", "-b", "feature", other)
    write(other, {"c.txt": b"c\n"})
    committed(other)
    project = store.project(other)
    change(project)
    done = exported(project)
    assert done.parent.branch == "feature"
    assert differs(other, "rescued") == CHANGED
    assert git(own.working_dir, "branch", "--list", "rescued").strip() == "rescued"
    assert "already" in refused(own)
    git(other, "symbolic-ref", "HEAD", "refs/heads/unborn")
    assert "names already" in refused(own, "unborn")
    assert "names already" in refused(project, "unborn")
    shutil.move(other, tmp_path / "moved")
    moved = store.project(tmp_path / "moved")
    taken(moved)
    assert "git worktree repair" in refused(moved, "again")


@pytest.mark.campaign
def test_clones_that_lack_something_are_whole_afterwards_and_fetch_nothing(
    own: Project, store: Checkpoints, tmp_path: Path
) -> None:
    source = own.working_dir
    git(source, "stash", "-q", "-u")
    write(source, {"c.txt": b"c\r\n", ".gitattributes": b"* text=auto\n"})
    committed(source)
    git(source, "config", "uploadpack.allowFilter", "true")
    for words in (["--depth=1"], ["--shared"], ["--filter=blob:none"], ["--no-tags"]):
        clone = tmp_path / words[0].strip("-").replace(":", "")
        where = source if words == ["--shared"] else f"file://{source}"
        git(tmp_path, "clone", "-q", *words, where, clone)
        if "blob" in words[0]:
            git(clone, "config", "remote.origin.url", "ext::sh -c touch% ran")
            for pack in (clone / ".git/objects/pack").glob("pack-*"):
                pack.chmod(0o644)
        project = store.project(clone)
        write(clone, {"c.txt": b"c\r\nd\r\n", "src/deep/x": b"x\n"})
        change(project)
        exported(project)
        assert differs(clone, "rescued") == {*CHANGED, "c.txt", "src/deep/x"}, words
        git(clone, "fsck", "--full", "--strict")
        assert not list(tmp_path.rglob("ran"))


def test_of_a_partial_clone_without_contents_only_what_differs_is_written(
    own: Project, store: Checkpoints, tmp_path: Path
) -> None:
    git(own.working_dir, "config", "uploadpack.allowFilter", "true")
    words = ("--filter=blob:none", "--no-checkout", f"file://{own.working_dir}", "partial")
    git(tmp_path, "clone", "-q", *words)
    clone = tmp_path / "partial"
    git(clone, "config", "remote.origin.url", "file:///nowhere")
    project = store.project(clone)
    write(clone, {"a.txt": b"changed\n", "src/b.txt": b"two\n", "src/c.txt": b"c\n"})
    taken(project)
    exported(project)
    assert differs(clone, "rescued") == {"a.txt", "src/c.txt"}
    git(clone, "fsck", "--strict")


@pytest.mark.campaign
def test_a_submodule_is_a_repository_of_its_own(
    own: Project, store: Checkpoints, tmp_path: Path
) -> None:
    top = made(tmp_path / "top")
    allowed = ("-c", "protocol.file.allow=always")
    git(top, *allowed, "submodule", "--quiet", "add", own.working_dir, "lib")
    committed(top)
    project = store.project(top / "lib")
    change(project)
    branch = project.export_branch("latest", "rescued")
    assert branch.repository == top / "lib"
    assert differs(top / "lib", "rescued") == CHANGED
    assert "rescued" not in git(top, "branch")
    shutil.rmtree(top / "lib")
    (top / "lib").mkdir()
    write(top, {"lib/x": b"x\n"})
    taken(project)
    assert "lies in the submodule lib" in refused(project, "again")


@pytest.mark.campaign
def test_a_checkpoint_of_version_1_is_exported_as_well(tmp_path: Path) -> None:
    home = old_base(tmp_path / "live")
    with Checkpoints.open(home) as checkpoints:
        found = [one.project.working_dir for one in checkpoints.status().projects]
        folder = next(Path(one) for one in sorted(found) if os.path.isdir(one))
        git(folder, "init", "-q", "-b", "main")
        write(folder, {".gitignore": b"*.tmp\n", "build/x": b"x\n", "gone": b"x", "y.tmp": b"y\n"})
        git(folder, "add", "-f", ".gitignore", "build/x", "gone", "y.tmp")
        git(folder, "-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "x")
        project = checkpoints.project(folder)
        oldest = project.list()[-1]
        done = project.export_branch(oldest, "old")
        held = {one.path for one in project.changes(oldest)}
    assert {path for path, (_, kept) in withheld(done).items() if kept} == {"build/x"}
    assert set(tree(folder, "old")) == held | {"build/x"}
    git(folder, "fsck", "--strict")


@pytest.mark.campaign
def test_a_branch_with_odd_names_above_packed_and_empty_folders(own: Project) -> None:
    folder = own.working_dir
    git(folder, "branch", "a/packed")
    git(folder, "pack-refs", "--all")
    (folder / ".git/refs/heads/gone/below").mkdir(parents=True)
    assert "already" in refused(own, "a/packed")
    assert "cannot have 'a/packed/x' below" in refused(own, "a/packed/x")
    assert "a branch below a/" in refused(own, "a")
    assert "cannot have 'main/x' below" in refused(own, "main/x")
    assert "already" in refused(own, "main")
    made_of = own.export_branch("latest", "gone")
    assert git(folder, "rev-parse", "gone").strip() == made_of.commit
    odd = os.fsdecode(b"g\xc3\xbcn'$(x)/\xff;&")
    own.export_branch("latest", odd)
    assert differs(folder, f"refs/heads/{odd}") == CHANGED
    assert len(git(folder, "branch", "--list").splitlines()) == 4


NO_NAMES = (
    *("", "-x", "a b", "a..b", "@", "@{-1}", "HEAD", "x.lock", "/x", "x/", "a//b", ".x", "a\0b"),
    *("a\nb", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "x/.lock", "a\x7fb", "x."),
)


def test_what_is_no_name_of_a_branch_is_refused(own: Project) -> None:
    before = everything(own.working_dir)
    for name in NO_NAMES:
        with pytest.raises(BadRequest, match="is no name of a branch"):
            own.export_branch("latest", name)
    assert everything(own.working_dir) == before


def test_a_name_that_git_could_not_lock_is_too_long(own: Project) -> None:
    """A file of the name may fit, and that with `.lock` not: git could never change the branch."""
    before = everything(own.working_dir)
    for name in ("x" * 300, "x" * 251, "é" * 126, "y/" * 3000 + "y"):
        for attempt in (own.plan_export_branch, own.export_branch):
            with pytest.raises(BadRequest, match="too long"):
                attempt("latest", name)
    assert everything(own.working_dir) == before
    own.export_branch("latest", "x" * 250)
    git(own.working_dir, "branch", "-D", "x" * 250)


# --- what is refused ------------------------------------------------------------------------------


def test_repositories_of_another_form_are_refused_by_name(own: Project) -> None:
    folder = own.working_dir
    head = (folder / ".git/HEAD").read_bytes()
    config = (folder / ".git/config").read_bytes()
    for settings, told in (
        (["extensions.objectFormat", "sha256"], "of SHA-256"),
        (["extensions.refStorage", "reftable"], "not known here|as reftables"),
        (["extensions.unheardOf", "true"], "is not known here"),
        (["core.worktree", "/nowhere"], "does not say that"),
    ):
        git(folder, "config", "core.repositoryFormatVersion", "1")
        git(folder, "config", *settings)
        assert re.search(told, refused(own))
        (folder / ".git/config").write_bytes(config)
    (folder / ".git/reftable").mkdir()
    assert "as reftables" in refused(own)
    (folder / ".git/reftable").rmdir()
    (folder / ".git/config").write_bytes(config + b"[broken\n")
    assert "settings of" in refused(own)
    (folder / ".git/config").write_bytes(config)
    for text in (b"0" * 64, b"ref: refs/heads/.invalid\n", b"ref: refs/other\n", b"garbage\n"):
        (folder / ".git/HEAD").write_bytes(text)
        with pytest.raises((BranchRefused, GitFailed)):
            own.export_branch("latest", "rescued")
    (folder / ".git/HEAD").write_bytes(head)
    (folder / ".git/refs/heads/main").write_bytes(b"")
    assert "names no commit that can be read" in refused(own)
    shutil.rmtree(folder / ".git")
    assert "belongs to no git repository" in refused(own)
    shutil.rmtree(folder)
    assert "does not exist" in refused_gone(own)


def refused_gone(project: Project) -> str:
    with pytest.raises(BranchRefused) as caught:
        project.export_branch("latest", "rescued")
    return str(caught.value)


def test_a_repository_of_sha256_is_refused_before_its_first_commit_and_after(
    tmp_path: Path, store: Checkpoints
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    git(folder, "init", "-q", "--object-format=sha256")
    write(folder, {"a": b"a\n"})
    project = store.project(folder)
    taken(project)
    assert "is a repository of SHA-256" in refused(project)
    git(folder, "add", "a")
    git(folder, "-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "x")
    assert "is a repository of SHA-256" in refused(project)


@pytest.mark.campaign
def test_nothing_is_written_where_a_pointer_or_a_link_leads(own: Project, tmp_path: Path) -> None:
    folder, victim = own.working_dir, made(tmp_path / "victim")
    aside = tmp_path / "aside"
    shutil.move(folder / ".git", aside)
    before = everything(victim)
    for point in (
        lambda: (folder / ".git").write_text(f"gitdir: {victim / '.git'}\n"),
        lambda: (folder / ".git").symlink_to(victim / ".git"),
    ):
        point()
        assert "nothing is written there" in refused(own)
        (folder / ".git").unlink()
    shutil.copytree(aside, folder / ".git", symlinks=True)
    (folder / ".git/commondir").write_text(f"{victim / '.git'}\n")
    assert "nothing is written there" in refused(own)
    (folder / ".git/commondir").unlink()
    for name in ("refs/heads", "objects/pack", "refs"):
        shutil.move(folder / ".git" / name, tmp_path / "moved")
        (folder / ".git" / name).symlink_to(tmp_path / "moved")
        with pytest.raises(BranchRefused, match="is a link"):
            own.export_branch("latest", "rescued")
        (folder / ".git" / name).unlink()
        shutil.move(tmp_path / "moved", folder / ".git" / name)
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / ".git/refs/heads/evil").symlink_to(outside)
    with pytest.raises(BranchRefused):
        own.export_branch("latest", "evil/x")
    assert everything(victim) == before
    assert list(outside.iterdir()) == []
    git(folder, "config", "core.worktree", folder)
    shutil.rmtree(aside)
    shutil.move(folder / ".git", aside)
    (folder / ".git").write_text(f"gitdir: {aside}\n")
    assert own.export_branch("latest", "rescued").repository == folder


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_root_makes_no_branch_in_a_repository_of_another_user(own: Project) -> None:
    os.chown(own.working_dir / ".git", 65534, 65534)
    assert "run this as that user" in refused(own)


def test_a_lock_of_another_git_is_respected_and_a_full_disk_told(own: Project) -> None:
    folder = own.working_dir
    (folder / ".git/refs/heads/rescued.lock").write_bytes(b"")
    with pytest.raises(BranchRefused, match=r"rescued\.lock is there"):
        own.export_branch("latest", "rescued")
    shutil.rmtree(folder / ".git/objects/pack")
    (folder / ".git/objects/pack").write_bytes(b"")
    with pytest.raises(BranchRefused, match=r"pack cannot be written"):
        own.export_branch("latest", "other")
    assert git(folder, "branch", "--list", "--format=%(refname:short)").split() == ["main"]


# --- what is hostile ------------------------------------------------------------------------------

HOOKS = (
    *("reference-transaction", "pre-commit", "post-commit", "commit-msg", "prepare-commit-msg"),
    *("post-checkout", "post-index-change", "pre-auto-gc", "post-rewrite", "applypatch-msg"),
)
RUNS = (
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass"),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"),
    *("credential.helper", "uploadpack.packObjectsHook", "core.alternateRefsCommand"),
    *("alias.commit-tree", "alias.config", "gpg.program", "gpg.ssh.program", "merge.evil.driver"),
    "hook.e.command",
)


@pytest.mark.campaign
def test_no_hook_filter_or_program_of_any_configuration_runs(
    own: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git_processes: GitProcesses
) -> None:
    folder, sign = own.working_dir, tmp_path / "ran"
    write(folder, {".gitattributes": b"*.evil filter=evil diff=evil merge=evil\n", "x.evil": b"x"})
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {sign}\ncat\n")
    program.chmod(0o755)
    for place in (folder / ".git/hooks", tmp_path / "hooks"):
        place.mkdir(exist_ok=True)
        for hook in HOOKS:
            shutil.copy(program, place / hook)
    taken(own)
    user = Path(os.environ["HOME"]) / ".gitconfig"
    scopes: list[list[str]] = [["--file", str(user)], []]
    for scope in scopes:
        for name in RUNS:
            value = f"!{program}" if name.startswith("alias") else program
            git(folder, "config", *scope, name, str(value))
        for name, value in (
            ("core.hooksPath", tmp_path / "hooks"),
            ("commit.gpgSign", "true"),
            ("filter.evil.required", "true"),
            ("hook.e.event", "reference-transaction"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", f"ext::{program}"),
            ("fetch.fsckObjects", "true"),
            ("core.worktree", folder),
        ):
            git(folder, "config", *scope, name, str(value))
    before = everything(folder)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    for name in ("GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EDITOR", "GIT_PAGER", "GIT_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "somebody else")
    before_it = len(git_processes.commands())
    done = own.export_branch("latest", "rescued")
    asked = git_processes.commands()[before_it:]
    monkeypatch.undo()
    assert not sign.exists()
    assert done.author == "Ada Lovelace <ada@example.org>"
    after = everything(folder)
    assert {path: after[path] for path in before} == before
    assert len(after) == len(before) + 3
    assert not (tmp_path / "elsewhere").exists()
    assert len(asked) <= 24, asked
    shutil.rmtree(folder / ".git/hooks")
    user.unlink()
    for section in ("core", "extensions", "remote.origin", "filter.evil", "hook.e"):
        with suppress(Exception):
            git(folder, "config", "--remove-section", section)
    assert tree(folder, "rescued").keys() == {"a.txt", "new.txt", ".gitattributes"}


def test_pipes_in_the_place_of_files_of_patterns_block_nothing(own: Project, no_hang: None) -> None:
    folder = own.working_dir
    for name in (".git/info/exclude", ".git/info/attributes", ".gitignore"):
        with suppress(FileNotFoundError):
            (folder / name).unlink()
        (folder / name).parent.mkdir(exist_ok=True)
        os.mkfifo(folder / name)
    os.mkfifo(folder / "pipe")
    git(folder, "config", "core.excludesFile", str(folder / "pipe"))
    git(folder, "config", "core.attributesFile", str(folder / "pipe"))
    done = own.export_branch("latest", "rescued")
    assert {change.path for change in done.changes} == CHANGED


def test_a_head_with_paths_that_lead_out_is_refused(own: Project, tmp_path: Path) -> None:
    folder = own.working_dir
    rules = git(folder, "hash-object", "-w", "--stdin", stdin=b"*\n").strip()
    inner = f"100644 blob {rules}\t.gitignore\n".encode()
    below = git(folder, "mktree", stdin=inner).strip()
    entries = b"40000 ..\0" + bytes.fromhex(below)
    command = ("hash-object", "-w", "--literally", "-t", "tree", "--stdin")
    top = git(folder, *command, stdin=entries).strip()
    commit = git(folder, "commit-tree", "-m", "hostile", top).strip()
    git(folder, "update-ref", "HEAD", commit)
    before = everything(tmp_path)
    with pytest.raises(GitFailed, match="cannot be read"):
        own.export_branch("latest", "rescued")
    assert not any(".gitignore" in path for path in everything(tmp_path).keys() - before.keys())


def test_what_git_refuses_to_receive_makes_no_branch(own: Project) -> None:
    folder = own.working_dir
    url = b'[submodule "x"]\n\tpath = x\n\turl = -u./run-me\n'
    write(folder, {".gitmodules": url})
    taken(own)
    before = everything(folder)
    with pytest.raises(GitFailed, match="what git refuses to receive"):
        own.export_branch("latest", "rescued")
    assert everything(folder) == before


def test_damage_of_the_store_makes_no_branch(own: Project, home: Path) -> None:
    folder = own.working_dir
    name = git(folder, "hash-object", "--stdin", stdin=b"new\n").strip()
    place = home / "checkpoints/store/objects" / name[:2] / name[2:]
    wrong = git(folder, "hash-object", "-w", "--stdin", stdin=b"old\n").strip()
    place.chmod(0o644)
    shutil.copy(folder / ".git/objects" / wrong[:2] / wrong[2:], place)
    before = everything(folder)
    with pytest.raises((StoreDamaged, GitFailed)):
        own.export_branch("latest", "rescued")
    place.unlink()
    with pytest.raises((StoreDamaged, GitFailed)):
        own.export_branch("latest", "rescued")
    assert everything(folder) == before


# --- kills and others at work ---------------------------------------------------------------------

EVENTS = ("open", "os.mkdir", "os.rename", "os.link", "os.remove")


def killed_at(project: Project, number: int, *, here: str) -> bool:
    """Export in a process that is killed at the so manieth change of the repository; tell whether
    it was."""
    pid = os.fork()
    if not pid:
        left = number

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal left
            if event in EVENTS and any(here in str(one) for one in arguments[:2]):
                writes = event != "open" or bool(int(arguments[2]) & (os.O_WRONLY | os.O_RDWR))
                left -= writes
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        try:
            project.export_branch("latest", "a/rescued")
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.campaign
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_whoever_is_killed_at_any_moment_leaves_no_branch_or_the_whole(own: Project) -> None:
    folder = own.working_dir
    shutil.copytree(folder / ".git", folder.with_name("saved"), symlinks=True)
    before = everything(folder / ".git")
    whole = False
    for number in range(1, 40):
        was_killed = killed_at(own, number, here=str(folder / ".git"))
        after = everything(folder / ".git")
        assert {path: after[path] for path in before} == before, number
        more = after.keys() - before.keys()
        there = "refs/heads/a/rescued" in more
        allowed = {"refs/heads/a", "refs/heads/a/rescued"}
        debris = {path for path in more - allowed if not path.startswith("objects/pack/")}
        assert not debris, number
        assert all(Path(path).name.startswith(("tmp_", "pack-")) for path in more - allowed), number
        assert not whole or there or was_killed
        if there:
            assert differs(folder, "a/rescued") == CHANGED
            whole = True
        git(folder, "fsck", "--full", "--strict")
        if not was_killed:
            break
        if not there:
            own.export_branch("latest", "a/rescued")
            assert differs(folder, "a/rescued") == CHANGED
        git(folder, "prune", "--expire=now")
        assert not [path for path in everything(folder / ".git") if "tmp_" in path]
        shutil.rmtree(folder / ".git")
        shutil.copytree(folder.with_name("saved"), folder / ".git", symlinks=True)
    else:
        pytest.fail("it never ended")
    assert whole
    assert number > 8


@pytest.mark.campaign
def test_of_many_at_once_one_makes_the_branch_and_the_others_are_refused(
    own: Project, store: Checkpoints, home: Path
) -> None:
    outcomes: list[str] = []

    def attempt() -> None:
        with Checkpoints.open(home) as checkpoints:
            try:
                done = checkpoints.project(own.working_dir).export_branch("latest", "rescued")
                outcomes.append(str(done.commit))
            except BranchRefused as error:
                outcomes.append(error.code)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("branch-refused") == 3
    assert git(own.working_dir, "rev-parse", "rescued").strip() in outcomes


def test_files_in_the_repository_have_the_permissions_that_git_gives(own: Project) -> None:
    mask = os.umask(0o027)
    try:
        own.export_branch("latest", "rescued")
    finally:
        os.umask(mask)
    git_folder = own.working_dir / ".git"
    ref = git_folder / "refs/heads/rescued"
    assert stat.S_IMODE(ref.stat().st_mode) == 0o640
    packs = list((git_folder / "objects/pack").iterdir())
    assert {stat.S_IMODE(pack.stat().st_mode) for pack in packs} == {0o440}
