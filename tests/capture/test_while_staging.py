"""What happens to files and to git while a take stages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, Failed, Mode, SkipReason, Taken, TakeOutcome
from hermes_checkpoints.object_store.bulk import BULK

GIT = shutil.which("git") or "git"


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


@pytest.fixture
def shim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git on PATH that sources this script before and after it stages files; $input has the
    paths that it is given, $when is ``before`` or ``after``."""
    folder = tmp_path / "shim"
    folder.mkdir()
    script = folder / "script"
    script.write_text("")
    (folder / "git").write_text(
        f"""#!/bin/sh
case "$*" in
*update-index*--add*) input='{folder}/input'; cat >"$input" ;;
*) exec '{GIT}' "$@" ;;
esac
when=before; . '{script}'
'{GIT}' "$@" <"$input" || exit
when=after; . '{script}'
"""
    )
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return script


def many_files(tree: Path, number: int, text: str) -> None:
    for i in range(number):
        (tree / f"f{i}").write_text(f"{text} {i}\n")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("number", [3, BULK + 10])
@pytest.mark.parametrize("known", [False, True])
def test_a_file_that_changes_once_while_it_is_staged_is_staged_anew(
    store: Checkpoints, tree: Path, shim: Path, number: int, known: bool
) -> None:
    if known:
        many_files(tree, number, "first")
        store.project(tree).take()
    many_files(tree, number, "half-")
    written = shim.with_name("written")
    shim.write_text(
        f"[ $when = after ] && ! [ -e '{written}' ] && "
        f"{{ echo written >>'{tree}/f1'; touch '{written}'; }}; true\n"
    )
    checkpoint = taken(store.project(tree).take())
    assert checkpoint.complete
    assert store.project(tree).read_file(checkpoint, "f1") == b"half- 1\nwritten\n"
    assert written.exists()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("number", [3, BULK + 10])
@pytest.mark.parametrize("known", [False, True])
def test_a_file_that_changes_on_and_on_is_listed_however_many_there_are(
    store: Checkpoints, tree: Path, shim: Path, number: int, known: bool
) -> None:
    if known:
        many_files(tree, number, "first")
        store.project(tree).take()
    many_files(tree, number, "then")
    shim.write_text(f"echo $when >>'{tree}/f1'\n")
    checkpoint = taken(store.project(tree).take())
    (skipped,) = store.project(tree).skipped(checkpoint)
    assert (skipped.path, skipped.reason) == ("f1", SkipReason.UNREADABLE)
    assert checkpoint.file_count == number
    shim.write_text("")
    after = taken(store.project(tree).take())
    assert after.complete
    assert store.project(tree).read_file(after, "f1") == (tree / "f1").read_bytes()
    assert [c.path for c in store.project(tree).changes(after)] == ["f1"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("number", [3, BULK + 10])
@pytest.mark.parametrize("known", [False, True])
def test_a_file_that_goes_or_becomes_something_else_while_it_is_staged_is_no_file(
    store: Checkpoints, tree: Path, shim: Path, number: int, known: bool
) -> None:
    if known:
        many_files(tree, number, "first")
        store.project(tree).take()
    many_files(tree, number, "then")
    shim.write_text(
        f"[ $when = after ] && [ -f '{tree}/f1' ] && "
        f"{{ rm '{tree}/f0' '{tree}/f1' && mkdir '{tree}/f1'; }}; true\n"
    )
    checkpoint = taken(store.project(tree).take())
    reasons = {s.path: s.reason for s in store.project(tree).skipped(checkpoint)}
    assert reasons.pop("f1") is SkipReason.VANISHED
    assert reasons == ({} if known else {"f0": SkipReason.VANISHED})
    assert checkpoint.file_count == number - 2
    shim.write_text("")
    after = taken(store.project(tree).take())
    assert (after.complete, after.file_count) == (True, number - 2)
    (tree / "f2").write_text("broken")
    assert store.project(tree).restore(after, mode=Mode.EXACT).complete
    assert (tree / "f1").is_dir()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("victim", ["f1", ""])
def test_a_git_that_dies_while_it_stages_is_a_failure_and_no_name_is_blamed(
    store: Checkpoints, tree: Path, shim: Path, victim: str
) -> None:
    many_files(tree, 5, "first")
    shim.write_text(f"grep -qa '{victim}' \"$input\" && kill -9 $$\n")
    outcome = store.project(tree).take()
    assert isinstance(outcome, Failed), outcome
    assert outcome.error.code == "git-failed"
    assert store.project(tree).list() == []
    shim.write_text("")
    checkpoint = taken(store.project(tree).take())
    assert (checkpoint.complete, checkpoint.file_count) == (True, 5)
