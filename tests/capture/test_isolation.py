"""Nothing of the user, the system, the environment or the workspace reaches git."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from capture.roundtrip import comes_back, taken, write
from capture.trees import Repositories, git, listing
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Mode, Unchanged
from hermes_checkpoints.object_store import ObjectStore


def hostile(folder: Path, marker: Path) -> str:
    """Return a git configuration that would start programs and change bytes."""
    (folder / "ignore").write_text("*\n")
    (folder / "attributes").write_text("* text eol=crlf ident filter=evil\n")
    touch = f"touch {marker}"
    return f"""
[core]
	autocrlf = true
	eol = crlf
	safecrlf = true
	fsmonitor = "{touch}"
	hooksPath = {folder}
	excludesFile = {folder}/ignore
	attributesFile = {folder}/attributes
	pager = "{touch}"
	editor = "{touch}"
	fileMode = false
	symlinks = false
	ignoreCase = true
	precomposeUnicode = true
	trustctime = false
	checkStat = minimal
	quotePath = true
	bigFileThreshold = 1
	sparseCheckout = true
[user]
	name = Somebody Else
	email = else@example.org
	signingKey = nobody
[commit]
	gpgSign = true
	template = {folder}/ignore
[gpg]
	program = {marker}-gpg
[init]
	templateDir = {folder}
	defaultObjectFormat = sha256
[filter "evil"]
	clean = "{touch}; tr a-z A-Z"
	smudge = "{touch}"
	required = true
[diff]
	external = "{touch}"
	renames = copies
	noprefix = true
	mnemonicPrefix = true
[status]
	showUntrackedFiles = no
[gc]
	auto = 1
[alias]
	ls-files = "!{touch}"
[url "https://example.invalid/"]
	insteadOf = /
"""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that only a started program makes."""
    return tmp_path / "executed"


def check(store: Checkpoints, tree: Path, marker: Path) -> None:
    """Take, change, restore and compare; nothing was started, nothing foreign was used."""
    write(tree, {"text": "one\r\ntwo\n$Id$\n", "Dir/file": "a\n", "x.orig": "x\n"})
    (tree / "text").chmod(0o750)
    (tree / "link").symlink_to("text")
    comes_back(store, tree, lambda: write(tree, {"text": "changed\n", "new": "n\n"}))
    checkpoint = store.project(tree).list()[-1]
    objects = ObjectStore(Layout.of(store.home))
    commit = objects.git.run("cat-file", "commit", checkpoint.id).decode()
    assert "author Hermes Checkpoint <hermes@local>" in commit
    assert "committer Hermes Checkpoint <hermes@local>" in commit
    assert "gpgsig" not in commit
    assert len(checkpoint.id) == 40
    assert "diff --git a/text b/text" in store.project(tree).diff(checkpoint.id).text or (
        store.project(tree).diff(checkpoint.id).changes == ()
    )
    assert not marker.exists()


def test_configuration_of_the_user_has_no_effect(
    store: Checkpoints, tree: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    for hook in ("pre-commit", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (folder / hook).write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
        (folder / hook).chmod(0o755)
    config = hostile(folder, marker)
    user = Path(os.environ["HOME"])
    (user / ".gitconfig").write_text(config)
    for name in ("ignore", "attributes"):
        (user / ".config/git").mkdir(parents=True, exist_ok=True)
        (user / f".config/git/{name}").write_text((folder / name).read_text())
        xdg = Path(os.environ["XDG_CONFIG_HOME"]) / "git"
        xdg.mkdir(parents=True, exist_ok=True)
        (xdg / name).write_text((folder / name).read_text())
    (user / ".config/git/config").write_text(config)
    system = tmp_path / "system"
    system.write_text(config)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(system))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(system))
    check(store, tree, marker)


def test_git_is_told_of_no_null_device(
    store: Checkpoints, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim, seen = tmp_path / "shim", tmp_path / "seen"
    shim.mkdir()
    (shim / "git").write_text(
        f'#!/bin/sh\n{{ env; echo "$@"; }} >> "{seen}"\nexec "{shutil.which("git")}" "$@"\n'
    )
    (shim / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim}{os.pathsep}{os.environ['PATH']}")
    write(tree, {"file": "one\n"})
    checkpoint = taken(store.project(tree).take())
    write(tree, {"file": "two\n"})
    store.project(tree).diff(checkpoint.id)
    store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    told = seen.read_text().splitlines()
    empty = {line.partition("=")[2] for line in told if line.startswith("GIT_CONFIG_GLOBAL=")}
    assert len(empty) == 1
    assert not Path(empty.pop()).exists()
    assert not [line for line in told if os.devnull in line]


def test_inherited_variables_have_no_effect(
    store: Checkpoints, tree: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "hostile"
    (folder / "hooks").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere, {"file": "f\n"})
    git(elsewhere, "init", "-q")
    before = listing(elsewhere)
    touch = f"touch {marker}"
    values = {
        "GIT_DIR": str(elsewhere / ".git"),
        "GIT_WORK_TREE": str(elsewhere),
        "GIT_INDEX_FILE": str(elsewhere / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(elsewhere / ".git/objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(elsewhere / ".git/objects"),
        "GIT_COMMON_DIR": str(elsewhere / ".git"),
        "GIT_QUARANTINE_PATH": str(elsewhere),
        "GIT_NAMESPACE": "other",
        "GIT_CEILING_DIRECTORIES": "/",
        "GIT_CONFIG": str(folder / "config"),
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": touch,
        "GIT_CONFIG_KEY_1": "core.autocrlf",
        "GIT_CONFIG_VALUE_1": "true",
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={touch}' 'core.worktree=/nowhere'",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TEMPLATE_DIR": str(folder),
        "GIT_EXEC_PATH": str(folder),
        "GIT_EXTERNAL_DIFF": touch,
        "GIT_DIFF_OPTS": "--unified=0",
        "GIT_PAGER": touch,
        "GIT_EDITOR": touch,
        "GIT_ASKPASS": touch,
        "GIT_SSH_COMMAND": touch,
        "GIT_AUTHOR_NAME": "Somebody Else",
        "GIT_COMMITTER_NAME": "Somebody Else",
        "GIT_COMMITTER_DATE": "1970-01-01T00:00:00Z",
        "GIT_ICASE_PATHSPECS": "1",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_ATTR_SOURCE": "HEAD",
        "GIT_TRACE": str(marker),
        "GIT_TRACE2": str(marker),
        "GIT_FLUSH": "0",
        "GIT_INDEX_VERSION": "2",
        "GIT_TEST_SPLIT_INDEX": "1",
        "PAGER": touch,
        "EDITOR": touch,
        "LANG": "tr_TR.UTF-8",
        "LANGUAGE": "de",
        "LC_ALL": "tr_TR.UTF-8",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    check(store, tree, marker)
    assert listing(elsewhere) == before


def test_the_workspaces_own_git_config_starts_nothing(
    store: Checkpoints, tree: Path, tmp_path: Path, marker: Path
) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    git(tree, "init", "-q", "-b", "main")
    with (tree / ".git/config").open("a") as file:
        file.write(hostile(folder, marker))
    before = {path: seen for path, seen in listing(tree).items() if path.startswith(".git/")}
    check(store, tree, marker)
    assert before == {p: s for p, s in listing(tree).items() if p.startswith(".git/")}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "pointer", ["gitdir: {0}/.git\n", "gitdir: /nonexistent\n", "nonsense", ""]
)
def test_what_the_workspaces_git_pointer_names_is_not_touched(
    store: Checkpoints, tree: Path, tmp_path: Path, repositories: Repositories, pointer: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    repositories.put("committed", other)
    (other / ".git/info/exclude").write_text("")
    before = listing(other)
    (tree / ".git").write_text(pointer.format(other))
    write(tree, {"file": "one\n"})
    comes_back(store, tree, lambda: write(tree, {"file": "two\n"}))
    assert (tree / ".git").read_text() == pointer.format(other)
    assert listing(other) == before


def test_no_identity_is_needed(
    store: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("USER", raising=False)
    monkeypatch.delenv("LOGNAME", raising=False)
    monkeypatch.setenv("HOME", "/nonexistent")
    write(tree, {"file": "one\n"})
    taken(store.project(tree).take())


def test_the_store_is_private_whatever_the_umask(tmp_path: Path, tree: Path) -> None:
    write(tree, {"file": "one\n"})
    before = os.umask(0)
    try:
        with Checkpoints.open(tmp_path / "open-home") as store:
            taken(store.project(tree).take())
    finally:
        os.umask(before)
    base = tmp_path / "open-home/checkpoints"
    assert stat.S_IMODE(base.stat().st_mode) == 0o700
    assert stat.S_IMODE((base / "catalog.db").stat().st_mode) == 0o600


def test_a_foreign_locale_changes_nothing(
    store: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    write(tree, {"datei": "eins\n"})
    checkpoint = taken(store.project(tree).take())
    assert isinstance(store.project(tree).take(), Unchanged)
    write(tree, {"datei": "zwei\n"})
    assert "1 file changed" in store.project(tree).diff("latest").stat
    store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert (tree / "datei").read_text() == "eins\n"
