"""What cannot be read costs itself only: it is named, kept, and never taken for whole."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from catalog.records import journal
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import BadDirectory, CheckpointUnknown
from hermes_checkpoints.model import Taken
from hermes_checkpoints.model.history import LegacyRecord
from history.old_bases import all_commits, assert_imported, extracted, git, history, records, states

ALPHA = "/home/dev/projects/alpha"
NAME = "5b0ca1eb8975e26b"


def record_of(checkpoints: Checkpoints, name: str) -> LegacyRecord:
    (found,) = [r for r in records(checkpoints) if r.name == name]
    return found


def object_file(repository: Path, name: str) -> Path:
    return repository / "objects" / name[:2] / name[2:]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", ["missing", "empty", "overwritten"])
def test_a_damaged_object_costs_the_commits_that_need_it(v1_home: Path, damage: str) -> None:
    repository = v1_home / "checkpoints" / NAME
    commits = history(repository, "HEAD", ALPHA)
    blob = git(repository, "rev-parse", f"{commits[2].id}:src/app.py").strip()
    file = object_file(repository, blob)
    file.chmod(0o644)
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(b"" if damage == "empty" else b"no zlib at all")
    with Checkpoints.open(v1_home) as checkpoints:
        listed = checkpoints.project(ALPHA).list()
        assert [c.reason for c in listed[::-1]] == [
            c.message for i, c in enumerate(commits) if i != 2
        ]
        with pytest.raises(CheckpointUnknown):
            checkpoints.project(ALPHA).get(commits[2].id)
        record = record_of(checkpoints, NAME)
        assert (record.imported_checkpoints, record.whole) == (5, False)
        assert record.error is not None
        assert f"commit {commits[2].id[:12]}" in record.error
        assert states(checkpoints)[NAME] == "archived"
        git(v1_home / "checkpoints/store", "fsck", "--full", "--no-dangling")


@pytest.mark.campaign
def test_a_sound_copy_from_elsewhere_is_not_shadowed_by_a_damaged_one(
    v1_home: Path, tmp_path: Path
) -> None:
    sound = extracted("v1", tmp_path / "sound")
    commits = all_commits(sound)
    repository = v1_home / "checkpoints" / NAME
    blob = git(repository, "rev-parse", "HEAD:src/app.py").strip()
    object_file(repository, blob).chmod(0o644)
    object_file(repository, blob).write_bytes(b"damaged")
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project(ALPHA).list()) == 5
        checkpoints.import_legacy(sound)
        assert_imported(checkpoints, commits)


@pytest.mark.campaign
def test_a_damaged_pack_and_a_missing_first_commit(v1_home: Path) -> None:
    base = v1_home / "checkpoints"
    for name in (NAME, "563eb325a54562c9"):
        git(base / name, "repack", "-adq")
    pack = next((base / NAME / "objects/pack").glob("*.pack"))
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 0xFF
    pack.write_bytes(data)
    with Checkpoints.open(v1_home) as checkpoints:
        assert not checkpoints.project(ALPHA).list()
        record = record_of(checkpoints, NAME)
        assert record.error is not None
        assert record.error.startswith("1 damaged object, the first pack-")
        assert record.imported_at is None
        assert (base / record.path / "objects/pack" / pack.name).exists()
        assert len(checkpoints.project("/home/dev/projects/beta").list()) == 3
        assert record_of(checkpoints, "563eb325a54562c9").whole


@pytest.mark.campaign
def test_a_chain_of_version_2_that_cannot_be_read_keeps_its_ref(v2_home: Path) -> None:
    store = v2_home / "checkpoints/store"
    ref = "refs/hermes/acfb0daf3329c324"
    tip = git(store, "rev-parse", ref).strip()
    blob = git(store, "ls-tree", "-r", ref).split()[2]
    object_file(store, blob).unlink()
    with Checkpoints.open(v2_home) as checkpoints:
        record = record_of(checkpoints, "store")
        assert record.imported_checkpoints == 8
        assert record.error is not None
        assert git(store, "for-each-ref", "--format=%(refname)", "refs/hermes").split() == [ref]
        assert git(store, "rev-parse", ref).strip() == tip
        assert not checkpoints.status().notes


@pytest.mark.campaign
def test_nothing_says_of_which_directory_a_repository_is(v1_home: Path) -> None:
    base = v1_home / "checkpoints"
    (base / NAME / "HERMES_WORKDIR").unlink()  # its configuration says it, too
    (base / "563eb325a54562c9" / "HERMES_WORKDIR").unlink()
    (base / "563eb325a54562c9" / "config").unlink()
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project(ALPHA).list()) == 6
        record = record_of(checkpoints, "563eb325a54562c9")
        assert record.error == "nothing says of which directory 563eb325a54562c9 is"
        assert (base / record.path / "objects").is_dir()


@pytest.mark.campaign
def test_links_to_nested_repositories_are_named_as_not_captured(live_home: Path) -> None:
    project = live_home.parent / "projects/alpha"
    nested = project / "vendored"
    nested.mkdir()
    (nested / "inside.txt").write_text("inside\n", encoding="utf-8")
    repository = next(
        r
        for r in (live_home / "checkpoints").iterdir()
        if r.is_dir() and (r / "HERMES_WORKDIR").read_text(encoding="utf-8") == f"{project}\n"
    )
    for where, command in (
        (nested, ["init", "-q"]),
        (nested, ["add", "-A"]),
        (nested, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "nested"]),
        (project, ["add", "-A"]),
        (project, ["commit", "-qm", "with a nested repository"]),
    ):
        environment = {"GIT_DIR": str(repository), "GIT_WORK_TREE": str(project)}
        subprocess.run(
            ["git", *command],
            cwd=where,
            env={**os.environ, **(environment if where == project else {})},
            check=True,
            capture_output=True,
        )
    with Checkpoints.open(live_home) as checkpoints:
        newest = checkpoints.project(project).list()[0]
        assert newest.reason == "with a nested repository"
        assert [s.path for s in checkpoints.project(newest.working_dir).skipped(newest)] == [
            "vendored"
        ]
        (project / "src/app.py").unlink()
        assert checkpoints.project(project).restore(newest.id, mode="overlay").complete
        assert (nested / "inside.txt").exists()
        assert (project / "src/app.py").exists()


@pytest.mark.campaign
def test_a_path_that_leads_out_of_a_project_is_refused(v1_home: Path) -> None:
    repository = v1_home / "checkpoints" / NAME
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=b"evil").strip()
    inner = git(repository, "mktree", stdin=f"100755 blob {blob}\tpost-checkout\n".encode())
    tree = git(repository, "mktree", stdin=f"040000 tree {inner.strip()}\t.GIT\n".encode())
    commit = git(repository, "commit-tree", tree.strip(), "-p", "HEAD", "-m", "evil").strip()
    git(repository, "update-ref", "refs/heads/master", commit)
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project(ALPHA).list()) == 6
        error = record_of(checkpoints, NAME).error
        assert error is not None
        assert "leads out of a project" in error


def test_the_configuration_and_hooks_of_a_repository_are_not_obeyed(
    v1_home: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    repository = v1_home / "checkpoints" / NAME
    script = repository / "hooks" / "evil"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("reference-transaction", "post-index-change"):
        shutil.copy(script, repository / "hooks" / name)
    with (repository / "config").open("a", encoding="utf-8") as config:
        config.write(f"[core]\n\tfsmonitor = {script}\n\thooksPath = {script.parent}\n[include]\n")
    with Checkpoints.open(v1_home) as checkpoints:
        assert len(checkpoints.project(ALPHA).list()) == 6
    assert not trap.exists()


@pytest.mark.campaign
def test_a_taken_name_leaves_both_in_place_until_it_is_free(v1_home: Path) -> None:
    base = v1_home / "checkpoints"
    copy = v1_home / "copy"
    shutil.copytree(base / NAME, copy)
    with Checkpoints.open(v1_home) as checkpoints:
        (archive,) = base.glob("legacy-*")
        shutil.copytree(copy, base / NAME)
        now = checkpoints._base.now()
        checkpoints._base.catalog.settings.set("legacy_folder", archive.name, now)
        done = checkpoints.import_legacy()
        (error,) = [text for text in done.errors if text.startswith(f"{NAME}: ")]
        assert "not moved" in error
        assert "that name is taken" in error
        assert (base / NAME).is_dir()
        assert (archive / NAME).is_dir()
        assert any(NAME in note for note in checkpoints.status().notes)
    (archive / NAME).rename(v1_home / "aside")
    with Checkpoints.open(v1_home) as checkpoints:
        assert not (base / NAME).exists()
        assert (archive / NAME).is_dir()
        assert len(checkpoints.project(ALPHA).list()) == 6
        moved = [r for r in records(checkpoints) if r.name == NAME and r.whole]
        assert len(moved) == 2


@pytest.mark.campaign
def test_without_git_checkpoints_open_and_the_import_waits(
    v1_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commits = all_commits(v1_home)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    for _ in range(2):
        with Checkpoints.open(v1_home) as checkpoints:
            assert checkpoints.status().checkpoint_count == 0
            assert any("git was not found" in note for note in checkpoints.status().notes)
            recorded = journal(checkpoints._base.catalog, 20)
            assert sum(o.kind == "migration" for o in recorded) == 1
    monkeypatch.setenv("PATH", path)
    with Checkpoints.open(v1_home) as checkpoints:
        assert_imported(checkpoints, commits)


@pytest.mark.campaign
def test_a_full_disk_leaves_all_in_place(tmp_path: Path, project: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this process may not mount a small file system")
    try:
        home = extracted("v1", disk)
        before = sorted(p.name for p in (home / "checkpoints").iterdir())
        with Checkpoints.open(home) as checkpoints:
            assert not checkpoints.project(ALPHA).list()
            assert any("free some" in note for note in checkpoints.status().notes)
            assert set(before) >= {NAME} <= {p.name for p in (home / "checkpoints").iterdir()}
            assert isinstance(checkpoints.project(project).take(), Taken)
        subprocess.run(["mount", "-o", "remount,size=80m", str(disk)], check=True)
        with Checkpoints.open(home) as checkpoints:
            assert len(checkpoints.project(ALPHA).list()) == 6
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_folder_that_is_none_is_refused(home: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        with pytest.raises(BadDirectory):
            checkpoints.import_legacy(tmp_path / "missing")
        assert not checkpoints.import_legacy(tmp_path).records
