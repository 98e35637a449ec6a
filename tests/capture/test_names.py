"""Every name that a disk can hold goes through take, diff, restore, JSON and SQL unharmed."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import unicodedata
from pathlib import Path

import pytest

from capture.roundtrip import comes_back, paths, skipped, taken, write
from hermes_checkpoints.catalog.encoding import decode_path
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Action, Mode, SkipReason, Unchanged

NAMES = {
    "leading space": " lead",
    "trailing space": "trail ",
    "only a space": " ",
    "newline": "new\nline",
    "trailing newline": "line\n",
    "carriage return": "a\rb",
    "tab": "tab\there",
    "escape": "esc\x1b[31m",
    "dash": "-rf",
    "option": "--stdin",
    "double quote": 'quo"te',
    "single quote": "it's",
    "backslash": "back\\slash",
    "octal escape": "\\303\\251",
    "pathspec": ":(top)x",
    "exclude pathspec": ":!x",
    "star": "*",
    "brackets": "[a-z]",
    "question mark": "a?b",
    "bang": "!x",
    "hash": "#x",
    "tilde": "~",
    "dollar": "$HOME",
    "percent": "%s%n",
    "dots": "...",
    "at": "@{u}",
    "latin-1": os.fsdecode(b"caf\xe9"),
    "no encoding": os.fsdecode(b"\xff\xfe\x80"),
    "a surrogate in UTF-8": os.fsdecode(b"\xed\xa0\x80"),
    "emoji": "🙂👩‍👩‍👧",
    "decomposed": unicodedata.normalize("NFD", "é"),
    "composed": unicodedata.normalize("NFC", "é"),
    "upper case": "README",
    "lower case": "readme",
    "255 bytes": "n" * 255,
    "255 bytes of UTF-8": "é" * 127 + "n",
    "windows device": "con",
    "windows device with suffix": "nul.txt",
    "colon": "a:b",
    "trailing dot": "dot.",
    "git's own short name": "git~1",
    "git with a space": ".git ",
    "git attributes": ".gitattributes",
    "git modules": ".gitmodules",
    "byte order mark": "\ufeffbom",
    "right to left": "\u202eabc",
    "zero width": "a\u200bb",
}


@pytest.mark.campaign
def test_all_names_at_once_come_back(store: Checkpoints, tree: Path) -> None:
    write(tree, {name: f"{kind}\n" for kind, name in NAMES.items()})
    write(tree, {f"in/{name}/{name}": f"{kind}\n" for kind, name in NAMES.items()})

    def change() -> None:
        for name in NAMES.values():
            (tree / name).write_text("changed\n")
            os.unlink(tree / "in" / name / name)
            os.rmdir(tree / "in" / name)

    restored = comes_back(store, tree, change)
    assert paths(restored.done, Action.WRITE) == {
        *NAMES.values(),
        *(f"in/{name}/{name}" for name in NAMES.values()),
    }


def test_names_are_the_same_in_changes_json_and_sql(
    store: Checkpoints, tree: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree, dict.fromkeys(NAMES.values(), "one\n"))
    checkpoint = taken(store.project(tree).take())
    names = set(NAMES.values())
    assert {
        change.path for change in store.project(checkpoint.working_dir).changes(checkpoint)
    } == names
    assert main(["show", checkpoint.id, "--dir", str(tree), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    exact = {
        base64.b64decode(change["path_base64"])
        if "path_base64" in change
        else change["path"].encode()
        for change in document["changes"]
    }
    assert exact == {os.fsencode(name) for name in names}
    database = sqlite3.connect(home / "checkpoints/catalog.db")
    rows = database.execute("SELECT path FROM checkpoint_changes").fetchall()
    database.close()
    assert {decode_path(row[0]) for row in rows} == names


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "kind",
    ["newline", "dash", "option", "octal escape", "pathspec", "star", "no encoding", "composed"],
)
def test_one_name_is_compared_and_restored_alone(store: Checkpoints, tree: Path, kind: str) -> None:
    name = NAMES[kind]
    write(tree, dict.fromkeys(NAMES.values(), "one\n"))
    taken(store.project(tree).take())
    write(tree, dict.fromkeys(NAMES.values(), "two\n"))
    diff = store.project(tree).diff("latest", paths=[name])
    assert [change.path for change in diff.changes] == [name]
    assert diff.text.count("+two") == 1
    restored = store.project(tree).restore("latest", [name], mode=Mode.OVERLAY)
    assert paths(restored.done) == {name}
    assert {p for p in NAMES.values() if (tree / p).read_text() == "one\n"} == {name}


def test_quoted_and_plain_names_are_different_files(store: Checkpoints, tree: Path) -> None:
    write(tree, {"é": "plain\n", '"\\303\\251"': "quoted\n", "\\303\\251": "escaped\n"})
    comes_back(store, tree, lambda: write(tree, {"é": "changed\n"}))
    assert (tree / '"\\303\\251"').read_text() == "quoted\n"


def test_names_that_differ_in_case_only_are_different_paths(store: Checkpoints, tree: Path) -> None:
    write(tree, {"Readme": "upper\n", "dir/a": "a\n"})

    def rename() -> None:
        os.rename(tree / "Readme", tree / "README")
        os.rename(tree / "dir", tree / "DIR")

    comes_back(store, tree, rename)
    assert {path.name for path in tree.iterdir()} == {"Readme", "dir"}


def test_names_that_git_refuses_are_skipped_and_listed(store: Checkpoints, tree: Path) -> None:
    write(tree, {"file": "one\n", ".GIT/config": "c\n", "sub/.Git": "g\n"})
    (tree / ".gitmodules").symlink_to("file")
    checkpoint = taken(store.project(tree).take())
    assert skipped(store, checkpoint) == dict.fromkeys(
        (".GIT", "sub/.Git", ".gitmodules"), SkipReason.UNSUPPORTED_NAME
    )
    assert isinstance(store.project(tree).take(), Unchanged)
    (tree / ".gitmodules").unlink()
    write(tree, {".gitmodules": "a file\n"})
    held = taken(store.project(tree).take())
    (tree / ".gitmodules").unlink()
    (tree / ".gitmodules").symlink_to("file")
    assert ".gitmodules" in skipped(store, taken(store.project(tree).take()))
    restored = store.project(tree).restore(held.id, mode=Mode.EXACT)
    assert {step.path for step in restored.kept} == {".gitmodules"}
    assert (tree / ".gitmodules").is_symlink()
    assert (tree / ".GIT/config").read_text() == "c\n"


def test_paths_of_more_than_1000_bytes(store: Checkpoints, tree: Path) -> None:
    deep = "/".join(f"{i:03}" + "d" * 200 for i in range(12))
    write(tree, {f"{deep}/file": "one\n", "top": "t\n"})
    assert len(deep) > 2400
    comes_back(store, tree, lambda: write(tree, {f"{deep}/file": "two\n", f"{deep}/new": "n"}))


def _beyond_the_limit(tree: Path) -> None:
    """Make a path that no single call of the system can name."""
    here = os.open(".", os.O_RDONLY)
    os.chdir(tree)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    Path("file").write_text("deep\n")
    os.fchdir(here)
    os.close(here)


def test_paths_longer_than_the_system_can_name_are_listed_and_cost_only_themselves(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"file": "one\n"})
    _beyond_the_limit(tree)
    checkpoint = taken(store.project(tree).take())
    assert not checkpoint.complete
    write(tree, {"file": "two\n"})
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert restored.failed == ()
    assert (tree / "file").read_text() == "one\n"


@pytest.mark.campaign
def test_30000_changed_paths_are_taken_and_restored(home: Path, tree: Path) -> None:
    with Checkpoints.open(home, config=Config(max_files=100_000)) as store:
        first = taken(store.project(tree).take())
        for folder in range(300):
            place = tree / f"folder-{folder:03}"
            place.mkdir()
            for number in range(100):
                (place / f"a file with a rather long name, number {number:05}.txt").touch()
        second = taken(store.project(tree).take())
        assert second.files_changed == 30_000
        assert len(store.project(second.working_dir).changes(second)) == 30_000
        restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert restored.failed == ()
    assert len(paths(restored.done, Action.DELETE)) == 30_000 + 300
    assert list(tree.iterdir()) == []
