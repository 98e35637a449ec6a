"""``export``: a checkpoint as an archive or a patch, which needs nothing of ours to be read."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from interpreters import on_a_terminal
from pages.blocks import only
from support import Run, everything

BYTES = bytes(range(256)) * 8


@pytest.fixture
def tree(tmp_path: Path, home: Path, run: Run) -> Path:
    """A project of everything that a checkpoint holds; one is taken, and it has changed since."""
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / "empty" / "below").mkdir(parents=True)
    (folder / "empty").chmod(0o700)
    (folder / "src" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "src" / "run.sh").chmod(0o750)
    (folder / "secret").write_text("mine\n")
    (folder / "secret").chmod(0o600)
    (folder / "data.bin").write_bytes(BYTES)
    (folder / "naïve—ü.txt").write_text("ü\n")
    (folder / "long" / ("n" * 120)).mkdir(parents=True)
    (folder / "long" / ("n" * 120) / "file").write_text("deep\n")
    os.symlink("src/run.sh", folder / "link")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.txt")).write_bytes(b"bad\n")
    run("take", folder, "--label", "good")
    (folder / "src" / "run.sh").write_text("#!/bin/sh\necho oops\n")
    (folder / "data.bin").write_bytes(BYTES[::-1])
    (folder / "secret").unlink()
    (folder / "new.txt").write_text("new\n")
    return folder


def contents(folder: Path) -> dict[str, tuple[bool, bytes | str | None]]:
    """What git knows of all files and links: whether they are executable, and what they hold."""
    return {
        path: (bool(mode & 0o100), content)
        for path, (mode, content) in everything(folder).items()
        if content is not None
    }


def test_a_tar_archive_has_the_whole_checkpoint(tree: Path, run: Run, tmp_path: Path) -> None:
    said = run("export", "good", "--dir", tree, "--tar", tmp_path / "good.tar")
    assert said.out.startswith(f"{tmp_path / 'good.tar'}: checkpoint ")
    assert "7 files" in said.out
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xpf", tmp_path / "good.tar", "-C", unpacked], check=True)
    restored = tmp_path / "restored"
    restored.mkdir()
    run("restore", "good", "--dir", tree, "--into", restored, "--mode", "exact", "-f")
    assert everything(unpacked) == everything(restored)
    assert (unpacked / "secret").stat().st_mode & 0o777 == 0o600
    assert (unpacked / "empty" / "below").is_dir()
    with Checkpoints.open() as checkpoints:
        taken = checkpoints.project(tree).get("good").created_at
    assert int((unpacked / "secret").stat().st_mtime) == int(taken.timestamp())


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("ending", ["tar.gz", "tgz", "tar.bz2", "tar.xz", "tar"])
def test_an_archive_is_compressed_as_its_name_says_and_always_the_same(
    tree: Path, run: Run, tmp_path: Path, ending: str
) -> None:
    files = [tmp_path / f"{name}.{ending}" for name in ("one", "two")]
    for file in files:
        run("export", "good", "--dir", tree, "--tar", file)
    assert files[0].read_bytes() == files[1].read_bytes()
    with tarfile.open(files[0]) as archive:
        assert {"secret", "src/run.sh", "empty/below"} < set(archive.getnames())
        assert {member.uid for member in archive} == {0}


def test_an_archive_goes_through_a_pipe(tree: Path) -> None:
    command = [sys.executable, "-m", "hermes_checkpoints", "export", "good", "--tar", "-"]
    done = subprocess.run(command, cwd=tree, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        member = archive.extractfile("data.bin")
        assert member is not None
        assert member.read() == BYTES
    assert done.stderr == b""


def test_what_a_checkpoint_lacks_is_not_in_it_and_said(
    tmp_path: Path, home: Path, run: Run
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text("checkpoints:\n  max_file_size_mb: 1\n")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "small").write_text("x")
    (folder / "large").write_bytes(os.urandom(2 << 20))
    run("take", folder)
    said = run("export", "latest", "--dir", folder, "--tar", tmp_path / "a.tar")
    assert "not in it: large" in said.err
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert archive.getnames() == ["small"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("words", [["good"], ["good", "later"], ["good", "src", "new.txt"]])
def test_a_patch_makes_the_older_state_the_newer(
    tree: Path, run: Run, tmp_path: Path, words: list[str]
) -> None:
    if "later" in words:
        run("take", tree, "--label", "later")
    then = tmp_path / "then"
    then.mkdir()
    run("restore", "good", "--dir", tree, "--into", then, "--mode", "exact", "-f")
    file = tmp_path / "changes.patch"
    run("export", *words, "--dir", tree, "--patch", file)
    apply = ["git", "apply", "--binary", "-p1"]
    subprocess.run([*apply, file], cwd=then, check=True)
    if len(words) < 3:
        assert contents(then) == contents(tree)
    else:
        assert (then / "new.txt").exists() and (then / "secret").exists()
        assert (then / "data.bin").read_bytes() == BYTES
    subprocess.run([*apply, "-R", file], cwd=then, check=True)
    assert not (then / "new.txt").exists()


def test_what_a_patch_cannot_say_is_said(tree: Path, run: Run, tmp_path: Path) -> None:
    run("take", tree, "--label", "later")
    (tree / "src").chmod(0o700)
    (tree / "new.txt").chmod(0o600)
    said = run("export", "later", "--dir", tree, "--patch", tmp_path / "none.patch")
    assert "not in it: new.txt: permissions 644 → 600" in said.err
    assert "no contents differ: nothing was written" in said.err
    assert not (tmp_path / "none.patch").exists()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("form", ["--tar", "--patch"])
def test_no_file_is_written_over_and_none_in_part(
    tree: Path, run: Run, tmp_path: Path, home: Path, form: str
) -> None:
    file = tmp_path / "there"
    file.write_text("mine")
    said = run("export", "good", "--dir", tree, form, file, code=2)
    assert "is left as it is; name a new file" in said.err
    assert file.read_text() == "mine"
    run("export", "good", "--dir", tree, form, tmp_path / "no" / "such", code=2)
    run("export", "nothing", "--dir", tree, form, tmp_path / "new", code=2)
    run("export", "good", "--dir", tree, form, home / "checkpoints" / "a.tar", code=2)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".tmp") == []
    assert not (tmp_path / "new").exists()


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "words",
    [
        ["good"],
        ["--tar", "a.tar"],
        ["good", "good", "--tar", "a.tar"],
        ["good", "--tar", "a", "--patch", "b"],
        ["good", "--tar", "-", "--json"],
        ["--layout", "v2"],
        ["out", "--layout", "v2", "--dir", "."],
    ],
)
def test_wrong_usage_writes_nothing(tree: Path, words: list[str], tmp_path: Path) -> None:
    before = everything(tmp_path)
    try:
        code = main(["export", *words])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 64
    assert everything(tmp_path) == before


@pytest.mark.campaign
def test_lost_contents_are_left_out_of_an_archive_and_said(
    tree: Path, run: Run, tmp_path: Path, home: Path
) -> None:
    blob = (
        subprocess.run(
            ["git", "hash-object", "--stdin"], input=b"mine\n", capture_output=True, check=True
        )
        .stdout.decode()
        .strip()
    )
    object_file = home / "checkpoints" / "store" / "objects" / blob[:2] / blob[2:]
    assert object_file.exists()
    object_file.unlink()
    assert main(["doctor", "--deep", "--repair", "-f"]) in (0, 1, 3)
    said = run("export", "good", "--dir", tree, "--tar", tmp_path / "a.tar.gz", code=3)
    assert "not in it: secret  the object store lacks its contents" in said.err
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        names = archive.getnames()
    assert "secret" not in names
    assert "data.bin" in names
    said = run("export", "good", "--dir", tree, "--patch", tmp_path / "a.patch", code=2)
    assert "lacks the contents of secret; name the other paths" in said.err


def test_the_commands_of_plain_git_in_the_docs_read_a_checkpoint(tree: Path, home: Path) -> None:
    script = only("docs/export.md", "sh")
    unpacked = tree.parent / "plain"
    unpacked.mkdir()
    done = subprocess.run(
        ["bash", "-euo", "pipefail"],
        input=script.replace('"$(mktemp -d)"', str(unpacked)).encode(),
        env={**os.environ, "HERMES_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    assert b"src/run.sh" in done.stdout
    assert (unpacked / "secret").read_text() == "mine\n"
    assert (unpacked / "data.bin").read_bytes() == BYTES


@pytest.mark.campaign
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("form", ["--tar", "--patch"])
def test_an_output_that_takes_nothing_is_said(tree: Path, form: str) -> None:
    command = [sys.executable, "-m", "hermes_checkpoints", "export", "good", form, "-"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=tree, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 70
    assert done.stderr.startswith(b"hermes-checkpoints: the output cannot be written")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.campaign
def test_a_terminal_gets_no_archive(tree: Path) -> None:
    code, said = on_a_terminal("-C", tree, "export", "good", "--tar", "-")
    assert code == 2
    assert b"an archive is nothing for a terminal" in said
