"""Which repository a directory belongs to: one name for all forms of its URL, nothing secret in it,
and nothing obeyed that stands in the configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capture.trees import git
from conftest import GitProcesses
from hermes_checkpoints.capture.origin import repository_name
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import Origin, Taken

ONE_AND_THE_SAME = [
    "git@github.com:org/app.git",
    "git@github.com:/org/app.git",
    "github.com:org/app",
    "ssh://git@github.com/org/app.git",
    "ssh://git@github.com:22/org/app",
    "git+ssh://github.com/org/app",
    "https://github.com/org/app",
    "https://github.com/org/app/",
    "https://github.com/org/app.git/",
    "https://GitHub.Com:443/org/app.git",
    "HTTPS://github.com./org//app.git",
    "http://github.com:80/org/app",
    "git://github.com:9418/org/app",
    "https://me@github.com/org/app",
    "https://me:secret@github.com/org/app.git",
    "https://me:sec@ret@github.com/org/app.git",
    "me:secret@github.com:org/app.git",
    "https://github.com/org/app.git?token=secret",
    "https://github.com/org/app.git?a=b/secret#secret",
    "https://github.com/org/app.git#secret",
    "https://github.com/%6Frg/app.git",
    "[git@github.com:22]:org/app.git",
    "  https://github.com/org/app \n",
]


@pytest.mark.parametrize("url", ONE_AND_THE_SAME)
def test_all_forms_of_a_url_are_one_repository(url: str) -> None:
    assert repository_name(url) == "github.com/org/app"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("ssh://git@example.org:2222/app.git", "example.org:2222/app"),
        ("http://example.org:443/app", "example.org:443/app"),
        ("https://example.org/Org/App.git", "example.org/Org/App"),
        ("https://example.org/app.git.git", "example.org/app.git"),
        ("https://example.org/~me/app", "example.org/~me/app"),
        ("https://example.org/@scope/app", "example.org/@scope/app"),
        ("https://example.org/größe/a%20b", "example.org/größe/a b"),
        ("ssh://[2001:DB8::1]:2222/app.git", "[2001:db8::1]:2222/app"),
        ("git@[2001:db8::1]:app.git", "[2001:db8::1]/app"),
        ("git@[example.org:2222]:app.git", "example.org:2222/app"),
        ("ssh://example.org/srv/app/.git", "example.org/srv/app"),
        ("work:org/app", "work/org/app"),
    ],
)
def test_what_tells_repositories_apart_stays(url: str, name: str) -> None:
    assert repository_name(url) == name


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            " ",
            "/srv/app.git",
            "../app",
            "./a:b",
            "app",
            "C:\\app",
            "C:/app",
            "file:///srv/app",
        ),
        *("https://localhost/app", "http://127.0.0.1:3000/app", "ssh://[::1]/app", "localhost:app"),
        *("gcrypt::https://me:secret@example.org/app", "ext::sh -c 'touch x'", "https://"),
        *("https://example.org", "https://example.org/", "https://example.org/.git", "a:"),
        *("https://exa mple.org/app", "https://example.org:port/app", "https://[x/app"),
        *("https://me:sec/ret@example.org/app", "https://sec/ret@example.org/app"),
        *("https://me:sec#ret@example.org/app", "https://sec?ret@example.org/app"),
        *("me:sec/ret@example.org:app", "https://s/ec/ret@example.org/app"),
        *("https://example.org/%3Ftoken=secret", "https://example.org/a/%6De:secret@example.org"),
        *("https://example.org/a\nb", "https://example.org/a%0Ab", "https://example.org/%1b[2J"),
        *(
            "https://example.org/a\udcff",
            "https://example.org/%ff",
            "https://example.org/" + "a" * 4096,
        ),
    ],
)
def test_what_another_machine_cannot_know_has_no_name(url: str) -> None:
    assert repository_name(url) is None


@pytest.mark.parametrize("url", ONE_AND_THE_SAME)
def test_no_password_and_no_token_is_kept(url: str) -> None:
    assert "sec" not in (repository_name(url) or "")


# --- from a real repository -----------------------------------------------------------------------


@pytest.fixture
def cloned(tree: Path) -> Path:
    git(tree, "init", "-q", "-b", "main")
    git(tree, "remote", "add", "origin", "https://me:secret@Example.org/org/app.git")
    (tree / "notes.txt").write_text("one\n")
    return tree


def taken(store: Checkpoints, folder: Path, text: str = "one\n") -> Taken:
    (folder / "notes.txt").write_text(text)
    outcome = store.project(folder).take()
    assert isinstance(outcome, Taken), outcome
    return outcome


def origin(store: Checkpoints, folder: Path) -> Origin:
    return store._base.catalog.projects.origin(store.project(folder)._target.hash)


def asked(processes: GitProcesses) -> int:
    return sum("remote.origin.url" in command for command in processes.commands())


def message(store: Checkpoints, outcome: Taken) -> str:
    with store._base.store.git.blobs() as reader:
        return reader.read(outcome.checkpoint.id)[2].decode()


def test_the_commit_and_the_project_name_repository_and_place(
    store: Checkpoints, cloned: Path
) -> None:
    inside = cloned / "pkg" / "größe"
    inside.mkdir(parents=True)
    outcome = taken(store, inside)
    text = message(store, outcome)
    assert 'Hermes-Repository: "example.org/org/app"\n' in text
    assert 'Hermes-Subdirectory: "pkg/gr\\u00f6\\u00dfe"\n' in text
    assert "secret" not in text
    found = origin(store, inside)
    assert (found.repository, found.subdirectory) == ("example.org/org/app", "pkg/größe")
    at_top = message(store, taken(store, cloned))
    assert 'Hermes-Subdirectory: ""\n' in at_top
    assert origin(store, cloned).subdirectory == ""


def test_a_linked_worktree_is_of_the_same_repository(store: Checkpoints, cloned: Path) -> None:
    git(cloned, "commit", "-q", "--allow-empty", "-m", "one")
    git(cloned, "worktree", "add", "-q", "../other")
    taken(store, cloned.parent / "other")
    found = origin(store, cloned.parent / "other")
    assert (found.repository, found.subdirectory) == ("example.org/org/app", "")


def test_git_is_asked_once_for_a_configuration(
    store: Checkpoints, cloned: Path, home: Path, git_processes: GitProcesses
) -> None:
    taken(store, cloned)
    assert asked(git_processes) == 1
    git_processes.reset()
    taken(store, cloned, "two\n")
    with_repository = git_processes.count()
    with Checkpoints.open(home) as again:  # another process
        taken(again, cloned, "three\n")
    assert asked(git_processes) == 0
    git(cloned, "remote", "set-url", "origin", "git@example.org:org/other")
    git_processes.reset()
    again_asked = taken(store, cloned, "four\n")
    assert (asked(git_processes), git_processes.count()) == (1, with_repository + 1)
    assert 'Hermes-Repository: "example.org/org/other"\n' in message(store, again_asked)
    assert origin(store, cloned).repository == "example.org/org/other"


def test_a_take_outside_of_repositories_costs_no_process_more(
    store: Checkpoints, cloned: Path, git_processes: GitProcesses
) -> None:
    taken(store, cloned)
    git_processes.reset()
    taken(store, cloned, "two\n")
    inside = git_processes.count()
    (cloned / ".git").rename(cloned.parent / "away")
    taken(store, cloned, "three\n")  # which follows the rules that are others now
    git_processes.reset()
    outside = taken(store, cloned, "four\n")
    assert git_processes.count() == inside
    assert "Hermes-Repository" not in message(store, outside)
    assert "Hermes-Subdirectory" not in message(store, outside)
    assert origin(store, cloned) == Origin()


def test_an_unchanged_take_asks_nothing(
    store: Checkpoints, cloned: Path, git_processes: GitProcesses
) -> None:
    taken(store, cloned)
    git(cloned, "remote", "set-url", "origin", "git@example.org:org/other")
    git_processes.reset()
    store.project(cloned).take()
    assert asked(git_processes) == 0


HOSTILE = {
    "include": '[include]\n\tpath = {trap}\n[includeIf "gitdir:/**"]\n\tpath = {trap}\n',
    "programs": "[core]\n\tfsmonitor = touch {ran}\n\tpager = touch {ran}\n"
    "\tsshCommand = touch {ran}\n\thooksPath = {trap}\n[alias]\n\tconfig = !touch {ran}\n",
    "insteadOf": '[url "https://evil.org/"]\n\tinsteadOf = https://\n',
    "worktree": "[core]\n\tworktree = /\n\tbare = true\n[extensions]\n\tworktreeConfig = true\n",
}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_in_the_configuration_is_obeyed(
    store: Checkpoints, cloned: Path, tmp_path: Path, kind: str
) -> None:
    trap, ran = tmp_path / "trap", tmp_path / "ran"
    trap.write_text('[remote "origin"]\n\turl = https://evil.org/x\n')
    with (cloned / ".git" / "config").open("a") as config:
        config.write(HOSTILE[kind].format(trap=trap, ran=ran))
    taken(store, cloned)
    assert origin(store, cloned).repository == "example.org/org/app"
    assert not ran.exists()


def test_of_several_urls_it_is_the_one_that_git_fetches_from(
    store: Checkpoints, cloned: Path
) -> None:
    git(cloned, "remote", "set-url", "--add", "origin", "https://mirror.org/app")
    taken(store, cloned)
    assert origin(store, cloned).repository == "example.org/org/app"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "config",
    [
        b"",
        b"\0\xff garbage",
        b"[remote",
        b'[remote "origin"]\n\turl\n',
        b'[remote "origin"]\n\turl =\n',
        b'[remote "origin"]\n\turl = https://example.org/' + b"a" * (1 << 19) + b"\n",
        b'[remote "origin"]\n\turl = https://example.org/' + b"a" * (1 << 21) + b"\n",
        b'[remote "upstream"]\n\turl = https://example.org/app\n',
    ],
)
def test_a_configuration_without_a_sound_url_names_no_repository(
    store: Checkpoints, cloned: Path, config: bytes
) -> None:
    (cloned / ".git" / "config").write_bytes(config)
    outcome = taken(store, cloned)
    assert "Hermes-Repository" not in message(store, outcome)
    found = origin(store, cloned)
    assert (found.repository, found.subdirectory) == (None, "")


def test_a_pipe_for_a_configuration_is_not_waited_for(store: Checkpoints, cloned: Path) -> None:
    (cloned / ".git" / "config").unlink()
    os.mkfifo(cloned / ".git" / "config")
    taken(store, cloned)
    assert origin(store, cloned).repository is None
