"""A base that can only be read answers every question, and refuses the rest with the cause."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import BaseUnwritable, Checkpoints, Failed, Kind, Taken
from hermes_checkpoints.agent.manager import CheckpointManager
from hermes_checkpoints.cli.program import main
from support import OrdinaryUserLike, everything

LOOKING = {
    "log": "manual",
    "show 1": "Reason: manual",
    "cat 1 a": "two",
    "restore 1 a --stdout": "two",
    "restore 1 --dry-run": "Plan: 1 write",
    "diff": "+three",
    "diff 2 1": "+two",
    "diff @0s --name-status": "M\ta",
    "diff --head": "+three",
    "diff --head 1": "+two",
    "diff --session s": "+zero",
    "diff --turn 1 --stat": "1 file changed",
    "who a": "changed by",
    "status": "can only be read",
    "status --check": "fine: last successful take",
    "sql --question space-by-project": "project",
    "sql --schema settings": "updated_at",
    "du": "Held by checkpoints",
    "du --measure": "as git says",
    "coverage": "would hold 1 file",
    "sessions list": "No session",
}
WRITING = (
    "take",
    "restore 1 -f",
    "restore 1 a -f",
    "restore 1 --into ../into --mode overlay -f",
    "undo -f",
    "pin 1",
    "label 1 good",
    "drop 1 -f",
    "prune -f",
    "clear -f",
    "import-legacy",
    "sessions gc -f",
)


def _base(tmp: Path) -> Path:
    """Make a home whose base has two checkpoints of a project, and a restore to undo; return the
    project."""
    project = tmp / "project"
    project.mkdir()
    with Checkpoints.open(tmp / "home") as checkpoints:
        one = checkpoints.project(project)
        (project / "a").write_text("nothing\n")
        identity = "-c", "user.name=me", "-c", "user.email=me@here"
        for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
            subprocess.run(["git", *words], cwd=project, check=True)
        assert isinstance(one.take(kind=Kind.AUTO, session_id="s", turn=1), Taken)
        (project / "a").write_text("zero\n")
        assert one.end_turn(session_id="s")
        for text in ("one", "two"):
            (project / "a").write_text(f"{text}\n")
            assert isinstance(one.take(), Taken)
        (project / "a").write_text("lost\n")
        one.restore("latest", mode="exact")
    (project / "a").write_text("three\n")
    return project


@contextlib.contextmanager
def _closed(home: Path) -> Iterator[None]:
    """Take away the right to write in a home, and see that nothing in it changes."""
    folders = [home, *(Path(top) for top, _, _ in os.walk(home))]
    modes = {path: path.stat().st_mode for path in folders}
    files = {path: path.stat().st_mode for path in home.rglob("*") if path.is_file()}
    try:
        for path in (*files, *folders):
            path.chmod(path.stat().st_mode & ~0o222)
        before = everything(home)
        yield
        assert everything(home) == before
    finally:
        for path, mode in (modes | files).items():
            path.chmod(mode)


def _call(home: Path, words: str) -> tuple[int, str]:
    """Return exit code and output of a command."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        raw = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(raw):
            code = main(["--home", str(home), *words.split()])
            raw.flush()
        said.write(raw.buffer.getvalue().decode())
    return code, said.getvalue()


def _all_verbs(tmp: Path) -> dict[str, tuple[int, str]]:
    project, home, temporary = _base(tmp), tmp / "home", tmp / "temporary"
    temporary.mkdir()
    (tmp / "into").mkdir()
    tempfile.tempdir = str(temporary)
    os.chdir(project)
    with _closed(home):
        before = everything(project)
        answers = {words: _call(home, words) for words in (*LOOKING, *WRITING)}
        assert everything(project) == before
    assert list(temporary.iterdir()) == [], "nothing is left"
    assert list((tmp / "into").iterdir()) == []
    return answers


@pytest.mark.campaign
def test_every_look_is_answered_and_what_needs_writing_is_refused(
    as_user: OrdinaryUserLike,
) -> None:
    answers = as_user(_all_verbs, as_user.tmp)
    for words, expected in LOOKING.items():
        code, said = answers[words]
        assert code == 0, (words, said)
        assert expected in said, (words, said)
    for words in WRITING:
        code, said = answers[words]
        assert code == 2, (words, said)
        assert "can only be read (permission denied)" in said, (words, said)
        assert "copy the whole folder to a place that can be written" in said


def _library(tmp: Path) -> None:
    project, home = _base(tmp), tmp / "home"
    with _closed(home), Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert len(one.list()) == 3
        outcome = one.take()
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, BaseUnwritable)
        for call in (
            lambda: one.begin_turn(session_id="s"),
            lambda: one.pin("1"),
            lambda: one.restore("1"),
        ):
            with pytest.raises(BaseUnwritable, match="can only be read"):
                call()
        with pytest.raises(BaseUnwritable, match="can only be read"):
            checkpoints.sessions.write("s", {"a": 1})
        assert checkpoints.status().journal_mode == "wal"
    with _closed(home):
        os.environ["HERMES_HOME"] = str(home)
        manager = CheckpointManager(enabled=True)
        assert manager.ensure_checkpoint(str(project), "before a tool") is False
        assert len(manager.list_checkpoints(str(project))) == 4


@pytest.mark.campaign
def test_the_library_and_the_manager_read_it_and_refuse_to_write(
    as_user: OrdinaryUserLike,
) -> None:
    as_user(_library, as_user.tmp)


def _with_a_log(tmp: Path) -> tuple[str | None, list[str]]:
    """Copy a base while its last changes are in the log of the catalog, as a backup does."""
    project, home, copy = _base(tmp), tmp / "home", tmp / "copy"
    temporary = tmp / "temporary"
    temporary.mkdir()
    tempfile.tempdir = str(temporary)
    catalog = home / "checkpoints" / "catalog.db"
    with closing(sqlite3.connect(catalog)) as keeps_the_log:
        keeps_the_log.execute("SELECT count(*) FROM projects").fetchall()
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).label("1", "in the log")
        shutil.copytree(home, copy)
    copied = copy / "checkpoints" / "catalog.db"
    copied.with_name("catalog.db-shm").unlink()
    assert copied.with_name("catalog.db-wal").stat().st_size > 0
    with _closed(copy), Checkpoints.open(copy) as checkpoints:
        found = checkpoints.project(project).get("1").label
        with pytest.raises(BaseUnwritable, match="can only be read"):
            checkpoints.project(project).unlabel("1")
    return found, [entry.name for entry in temporary.iterdir()]


@pytest.mark.campaign
def test_the_last_changes_are_read_though_they_are_in_a_log_only(
    as_user: OrdinaryUserLike,
) -> None:
    assert as_user(_with_a_log, as_user.tmp) == ("in the log", [])


def _beside_a_writer(tmp: Path) -> str | None:
    """Read a base that somebody else has open and writes to, as through a read-only mount."""
    project, home = _base(tmp), tmp / "home"
    with Checkpoints.open(home) as writer:
        writer.project(project).label("1", "just now")
        base = home / "checkpoints"
        base.chmod(0o500)
        try:
            with Checkpoints.open(home) as reader:
                return reader.project(project).get("1").label
        finally:
            base.chmod(0o700)


@pytest.mark.campaign
def test_what_another_process_writes_is_read(as_user: OrdinaryUserLike) -> None:
    assert as_user(_beside_a_writer, as_user.tmp) == "just now"


def _older(tmp: Path) -> str:
    home = tmp / "home"
    Checkpoints.open(home).close()
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    with _closed(home), pytest.raises(BaseUnwritable) as refused:
        Checkpoints.open(home)
    return str(refused.value)


def test_a_catalog_of_an_older_revision_is_refused_with_the_remedy(
    as_user: OrdinaryUserLike,
) -> None:
    said = as_user(_older, as_user.tmp)
    assert "has revision 0001 and must be upgraded" in said
    assert "copy the whole folder to a place that can be written" in said


@pytest.mark.campaign
def test_on_a_read_only_mount_the_file_system_is_named(tmp_path: Path) -> None:
    project, home = _base(tmp_path), tmp_path / "home"
    mount = f'mount --bind "{home}" "{home}" && mount -o remount,ro,bind "{home}" && exec "$@"'
    namespace = ["unshare", "-rm", "sh", "-c", mount, "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*namespace, "true"], check=False, stderr=subprocess.DEVNULL).returncode
    ):
        pytest.skip("no mount can be made in a namespace of this user")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "hermes_checkpoints", "--home", str(home), *words]
        return subprocess.run(
            [*namespace, *program], check=False, capture_output=True, text=True, cwd=project
        )

    assert call("cat", "1", "a").stdout == "two\n"
    refused = call("take")
    assert refused.returncode == 2
    assert "can only be read (read-only file system)" in refused.stderr


@pytest.mark.skipif(os.name != "posix", reason="Windows has its own places for temporary files")
def test_a_project_is_no_place_for_temporary_files(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no other folder can be written, Python takes the current directory."""
    before = everything(project)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    monkeypatch.setattr(tempfile, "tempdir", str(project))
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken), "it is no shared folder"
    with pytest.raises(BaseUnwritable, match="set TMPDIR"):
        Checkpoints.open(home.with_name("another"), create=False)
    assert everything(project) == before
