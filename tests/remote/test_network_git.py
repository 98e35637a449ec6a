"""Git that talks to the network: what it is given, that it asks nobody, and where it goes."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints.errors import (
    GitTimedOut,
    RemoteDenied,
    RemoteFailed,
    RemoteRefused,
    RemoteUnreachable,
)
from hermes_checkpoints.git import Git
from hermes_checkpoints.remote.network_git import NetworkGit, RefChange, network_variables
from hermes_checkpoints.remote.pushed import Answer
from hermes_checkpoints.remote_config import RemoteConfig
from remote.servers import (
    PASSWORD,
    HttpServer,
    Manner,
    bare,
    first_on_path,
    git,
    limit,
    refs_of,
    refuse,
    ssh_here,
)

REF = "refs/checkpoints/0123456789ab/probe"
To = Callable[..., NetworkGit]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A repository of this machine with two commits that have nothing in common."""
    return bare(tmp_path / "base" / "store")


@pytest.fixture
def commits(store: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")
    tree = git("mktree", "--missing", at=store).strip()
    one, two = (git("commit-tree", tree, "-m", word, at=store).strip() for word in ("one", "two"))
    return one, two


@pytest.fixture
def to(store: Path) -> To:
    """Make git for an address."""

    def to(url: object, **settings: object) -> NetworkGit:
        given = {"timeout_seconds": 30, "protocols": ("file", "ssh", "http"), **settings}
        config = RemoteConfig(url=str(url), **given)  # type: ignore[arg-type]
        return NetworkGit.of(Git(store), config, config.url)

    return to


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The home of the user."""
    assert Path.home() == tmp_path / "user"
    return Path.home()


# --- what it is given ------------------------------------------------------------------------


def test_it_has_what_a_persons_git_has_and_nothing_that_leads_git_elsewhere() -> None:
    environ = {
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK", "https_proxy"), "theirs"),
        **dict.fromkeys(("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "MY_TOKEN"), "theirs"),
        **dict.fromkeys(("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_PARAMETERS"), "x"),
        **dict.fromkeys(("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_TRACE"), "x"),
        **dict.fromkeys(("GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL_FROM_USER", "GIT_EXEC_PATH"), "x"),
        **dict.fromkeys(("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"), "x"),
        **dict.fromkeys(("GIT_CONFIG_KEY_77", "GIT_SSL_NO_VERIFY", "GIT_PROXY_COMMAND_X"), "x"),
        **dict.fromkeys(("GIT_ASKPASS", "SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "PWD"), "x"),
        **dict.fromkeys(("PATH", "LC_ALL", "LANGUAGE", "GPG_TTY"), "x"),
    }
    found = network_variables(environ, RemoteConfig(protocols=("ssh", "gcrypt")), "/nowhere")
    assert {name for name, value in found.items() if value == "theirs"} == {
        name for name, value in environ.items() if value == "theirs"
    }
    assert "x" not in found.values()
    assert found["GIT_ALLOW_PROTOCOL"] == "ssh:gcrypt"
    assert (found["GIT_ASKPASS"], found["SSH_ASKPASS_REQUIRE"]) == ("", "never")
    assert found["GIT_CONFIG_GLOBAL"] is None  # where git looks by itself
    settings = {found[f"GIT_CONFIG_KEY_{n}"] for n in range(int(found["GIT_CONFIG_COUNT"] or 0))}
    assert settings >= {"core.askPass", "core.hooksPath", "push.gpgSign", "http.followRedirects"}


def test_no_other_git_can_reach_the_network(store: Path) -> None:
    environment = Git(store)._environment(outside=False)
    assert environment["GIT_ALLOW_PROTOCOL"] == ""
    assert environment["GIT_NO_LAZY_FETCH"] == "1"
    assert environment["HOME"] == str(store / "nowhere")


@pytest.mark.parametrize("where", ["sender", "remote"])
def test_a_strange_environment_of_git_changes_nothing(
    to: To, undo: Path, commits: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:  # fmt: skip
    other = bare(tmp_path / "other.git")
    if where == "sender":
        monkeypatch.setenv("GIT_DIR", str(other))
        monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / "objects"))
        monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_NAMESPACE", "elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{other}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(undo))
    found = to(undo).push([RefChange(REF, commits[0], "")])
    assert found[REF].is_there
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    assert (refs_of(undo), refs_of(other)) == ({REF: commits[0]}, {})


# --- where it goes ---------------------------------------------------------------------------


def test_what_the_user_has_configured_leads_to_another_address_and_is_shown(
    to: To, undo: Path, commits: tuple[str, str], user: Path
) -> None:
    (user / ".gitconfig").write_text(f'[url "{undo.parent}/"]\n\tinsteadOf = http://backup/\n')
    network = to("http://backup/undo.git")
    assert network.effective_url() == str(undo)
    assert network.push([RefChange(REF, commits[0])])[REF].answer is Answer.NEW
    assert network.refs() == refs_of(undo) == {REF: commits[0]}


def test_settings_of_the_user_send_no_more_than_was_asked(
    to: To, undo: Path, commits: tuple[str, str], user: Path, store: Path
) -> None:
    ran = user / "ran"
    hook = user / "hooks" / "pre-push"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (user / ".gitconfig").write_text(
        f"[push]\n\tfollowTags = true\n\tgpgSign = true\n\tpushOption = x\n\tdefault = matching\n"
        f"[core]\n\thooksPath = {hook.parent}\n\taskPass = touch {ran}\n"
        "[remote]\n\tpushDefault = elsewhere\n[submodule]\n\trecurse = true\n"
    )
    git("update-ref", "refs/heads/main", commits[0], at=store)
    git(
        "-c",
        "user.name=a",
        "-c",
        "user.email=a",
        "tag",
        "-a",
        "-m",
        "v1",
        "v1",
        commits[0],
        at=store,
    )
    assert to(undo).push([RefChange(REF, commits[0])])[REF].is_there
    assert refs_of(undo) == {REF: commits[0]}
    assert not ran.exists()


@pytest.mark.parametrize(
    "url", ["ext::sh -c 'touch {ran}; exit 1'", "git://127.0.0.1:1/x", "ftp://127.0.0.1:1/x"]
)
def test_a_protocol_that_is_not_listed_is_refused_also_behind_an_alias(
    to: To, user: Path, tmp_path: Path, url: str
) -> None:
    real = url.format(ran=tmp_path / "ran")
    (user / ".gitconfig").write_text(f'[url "{real}"]\n\tinsteadOf = /srv/undo.git\n')
    for given in (real, "/srv/undo.git"):
        with pytest.raises(RemoteRefused, match=r"checkpoints\.remote\.protocols"):
            to(given).refs()
    assert not (tmp_path / "ran").exists()


def test_no_redirection_is_followed(to: To, server: HttpServer, user: Path) -> None:
    server.manner, server.elsewhere = Manner.ELSEWHERE, "http://127.0.0.1:1"
    with pytest.raises(RemoteRefused, match="leads elsewhere"):
        to(server.url("undo.git")).refs()
    assert [one.path for one in server.requests] == ["/undo.git/info/refs?service=git-upload-pack"]


# --- asking nobody ---------------------------------------------------------------------------


@pytest.mark.parametrize("manner", [Manner.CLOSED, Manner.PRIVATE])
def test_a_server_that_wants_a_password_denies_and_nobody_is_asked(
    to: To, server: HttpServer, commits: tuple[str, str], user: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, manner: Manner,
) -> None:  # fmt: skip
    asked = tmp_path / "asked"
    asking = tmp_path / "ask"
    asking.write_text(f"#!/bin/sh\ntouch {asked}\necho me\n")
    asking.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS", "GIT_TERMINAL_PROMPT"):
        monkeypatch.setenv(name, str(asking) if "ASK" in name else "1")
    monkeypatch.setenv("DISPLAY", ":0")
    (user / ".gitconfig").write_text(f"[core]\n\taskPass = {asking}\n")
    server.manner = manner
    network = to(server.url("undo.git"))
    for attempt in (network.refs, lambda: network.push([RefChange(REF, commits[0])])):
        with pytest.raises(RemoteDenied, match="set up a credential helper"):
            attempt()
    assert not asked.exists()
    assert refs_of(server.root / "undo.git") == {}


def test_a_credential_helper_of_the_user_gives_the_password(
    to: To, server: HttpServer, commits: tuple[str, str], user: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    server.manner = Manner.PRIVATE
    monkeypatch.setenv("UNDO_TOKEN", PASSWORD)  # as CI jobs have it
    helper = '"!f() { echo username=me; echo \\"password=$UNDO_TOKEN\\"; }; f"'
    (user / ".gitconfig").write_text(f"[credential]\n\thelper = {helper}\n")
    network = to(server.url("undo.git"))
    assert network.push([RefChange(REF, commits[0])])[REF].is_there
    assert network.refs() == {REF: commits[0]}


def test_a_password_in_the_address_works_and_is_in_no_error_and_no_text(
    to: To, server: HttpServer, user: Path
) -> None:
    server.manner = Manner.PRIVATE
    network = to(server.url("undo.git", user=f"me:{PASSWORD}"))
    assert network.refs() == {}
    assert PASSWORD not in f"{network!r} {network.shown}"
    for url in (
        server.url("none.git", user=f"me:{PASSWORD}"),
        f"http://me:{PASSWORD}@127.0.0.1:1/undo.git",
        f"ftp://me:{PASSWORD}@127.0.0.1:1/undo.git",
    ):
        with pytest.raises(RemoteFailed) as failed:
            to(url).refs()
        assert PASSWORD not in f"{failed.value} {failed.value.hint}"
        assert "127.0.0.1" in str(failed.value)


def test_a_password_in_the_configuration_of_git_is_in_no_error(to: To, user: Path) -> None:
    real = f"http://oauth2:{PASSWORD}@127.0.0.1:1/"
    (user / ".gitconfig").write_text(f'[url "{real}"]\n\tinsteadOf = http://forge/\n')
    with pytest.raises(RemoteUnreachable) as failed:
        to("http://forge/undo.git").refs()
    assert PASSWORD not in str(failed.value)


def test_the_ssh_of_the_user_is_used_with_nothing_to_read(
    to: To, undo: Path, commits: tuple[str, str], user: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    ssh = ssh_here(tmp_path / "bin")
    monkeypatch.setenv("PATH", first_on_path(ssh.parent))
    assert to(f"ssh://ada@backup{undo}").push([RefChange(REF, commits[0])])[REF].is_there
    called = (ssh.parent / "calls").read_text()
    assert called.startswith("-o BatchMode=yes -o ConnectTimeout=15 ada@backup git-receive-pack ")
    (ssh.parent / "calls").unlink()
    (user / ".gitconfig").write_text(f"[core]\n\tsshCommand = {ssh} -i mine\n")
    assert to(f"ada@backup:{undo}").refs() == {REF: commits[0]}
    called = (ssh.parent / "calls").read_text()
    assert called.startswith("-i mine -o BatchMode=yes -o ConnectTimeout=15 ")
    assert f"ada@backup git-upload-pack '{undo}' pipe:" in called


def test_a_host_that_answers_no_ssh_is_unreachable(to: To) -> None:
    with pytest.raises(RemoteUnreachable, match=r"git ls-remote ssh://127\.0\.0\.1:1/x"):
        to("ssh://127.0.0.1:1/x", timeout_seconds=20).refs()


# --- the limit -------------------------------------------------------------------------------


def test_a_server_that_is_silent_is_left_at_the_limit_with_all_that_git_started(
    to: To, server: HttpServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.manner = Manner.SILENT
    with pytest.raises(RemoteUnreachable, match="gave no answer for 1 s") as failed:
        to(server.url("undo.git"), timeout_seconds=1).refs()
    assert "raise checkpoints.remote.timeout_seconds" in str(failed.value)
    assert len(server.requests) == 1
    assert not _lasting(server.address)


def _lasting(word: str) -> list[str]:
    """Return the command lines of processes that have a word in them, but for those that end within
    seconds: who was killed may take a moment to be gone."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if word not in line:
                continue
            descriptor = os.pidfd_open(int(file.parent.name))
        except OSError:
            continue
        try:
            if not select.select([descriptor], [], [], 5)[0]:
                found.append(line)
        finally:
            os.close(descriptor)
    return found


def test_a_child_that_ignores_its_end_is_killed_with_git(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f"#!/bin/sh\ntrap '' TERM HUP PIPE\nexec tail -f /dev/null {ssh} >/dev/null\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", first_on_path(ssh.parent))
    config = RemoteConfig(url="backup:x", timeout_seconds=1)
    with pytest.raises(RemoteUnreachable, match="gave no answer"):
        NetworkGit.of(Git(store), config, config.url).refs()
    assert not _lasting(str(tmp_path / "bin"))


@pytest.mark.parametrize("is_told", [True, False])
def test_what_goes_on_after_git_with_its_pipes_is_not_waited_for(
    store: Path, undo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    """As an ssh that stays for later connections (``ControlPersist``); also where the system does
    not tell that git has ended."""

    def unknown(_: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    if not is_told:
        monkeypatch.setattr(os, "pidfd_open", unknown)
    ssh = ssh_here(tmp_path / "bin")
    stays = f"tail -f /dev/null {tmp_path}/bin/ssh >/dev/null &\necho $! >{tmp_path}/pid\n"
    ssh.write_text(ssh.read_text().replace("exec sh", f"{stays}exec sh"))
    monkeypatch.setenv("PATH", first_on_path(ssh.parent))
    config = RemoteConfig(url=f"backup:{undo}", timeout_seconds=60)
    network = NetworkGit.of(Git(store), config, config.url)
    try:
        assert network.refs() == {}
        os.kill(int((tmp_path / "pid").read_text()), 0)  # it is there
    finally:
        os.kill(int((tmp_path / "pid").read_text()), 9)


def test_an_answer_without_end_is_not_read_without_end(store: Path, tmp_path: Path) -> None:
    from hermes_checkpoints.errors import GitFailed

    endless = Git(store, timeout=30)
    big = tmp_path / "big"
    big.write_bytes(bytes(1 << 20))
    blob = git("hash-object", "-w", str(big), at=store).strip()
    with pytest.raises(GitFailed, match="wrote more than 1000 bytes"):
        endless.talk("cat-file", "blob", blob, most=1000)
    status, output, _ = endless.talk("cat-file", "blob", blob)
    assert (status, len(output)) == (0, 1 << 20)


def test_a_limit_in_all_holds_also_for_what_is_not_silent(store: Path) -> None:
    busy = Git(store, timeout=30)
    script = "!while :; do echo x; done"
    with pytest.raises(GitTimedOut, match="gave no answer for 1 s"):
        busy.talk("-c", f"alias.busy={script}", "busy", limit=0.6, most=1 << 34)


# --- pushing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("over", ["file", "http"])
def test_each_ref_has_its_own_outcome(
    to: To, server: HttpServer, commits: tuple[str, str], over: str
) -> None:
    one, two = commits
    undo = server.root / "undo.git"
    network = to(undo if over == "file" else server.url("undo.git"))
    a, b = "refs/checkpoints/m/a", "refs/checkpoints/m/b"
    made = network.push([RefChange(a, one, ""), RefChange(b, one, "")])
    assert {ref: found.answer for ref, found in made.items()} == {a: Answer.NEW, b: Answer.NEW}
    changed = network.push([RefChange(a, one), RefChange(b, two, two)])
    assert (changed[a].answer, changed[b].answer) == (Answer.SAME, Answer.REJECTED)
    assert "stale info" in network.said(changed[b].words)
    assert refs_of(undo) == {a: one, b: one}
    moved = network.push([RefChange(a, two), RefChange(b, two, one)])
    assert (moved[a].answer, moved[b].answer) == (Answer.REJECTED, Answer.FORCED)
    gone = network.push([RefChange(a, None, two), RefChange(b, None, two)])
    assert (gone[a].is_gone, gone[b].is_gone) == (False, True)
    assert refs_of(undo) == {a: one}


def test_a_lease_is_never_switched_off_by_a_plus() -> None:
    for change in (
        RefChange(REF, "a" * 40),
        RefChange(REF, "a" * 40, ""),
        RefChange(REF, None, "b"),
    ):
        assert not change.refspec.startswith("+")
        assert (change.lease is None) == (change.expected is None)


@pytest.mark.parametrize("over", ["file", "http"])
@pytest.mark.parametrize("why", ["hook", "size"])
def test_what_a_full_or_unwilling_remote_does_not_take_is_told_by_ref_in_its_words(
    to: To, server: HttpServer, commits: tuple[str, str], over: str, why: str
) -> None:
    undo = server.root / "undo.git"
    if why == "hook":
        refuse(undo, "\x1b[31mno more of https://me:tellnobody@example.org/x\x1b[0m")
    else:
        limit(undo, 10)
    network = to(undo if over == "file" else server.url("undo.git"))
    found = network.push([RefChange(REF, commits[0], "")])[REF]
    assert found.answer is Answer.REJECTED
    said = network.said(found.words)
    assert ("pre-receive hook declined" if why == "hook" else "unpack") in said
    if why == "hook":
        assert "remote: no more of https://[redacted]@example.org/x" in said
    assert refs_of(undo) == {}


def test_locks_are_held_by_git_as_by_every_other(store: Path, undo: Path, tmp_path: Path) -> None:
    from hermes_checkpoints.errors import LockLost
    from hermes_checkpoints.fs.locks import exclusive

    lock = tmp_path / "a.lock"
    with exclusive(lock, purpose="a push") as held:
        config = RemoteConfig(url=str(undo))
        network = NetworkGit.of(Git(store, locks=(held,)), config, config.url)
        assert network.refs() == {}
        lock.unlink()
        with pytest.raises(LockLost):
            network.refs()


@pytest.mark.parametrize("over", ["file", "http"])
def test_what_comes_in_is_checked(
    to: To, server: HttpServer, store: Path, tmp_path: Path, over: str
) -> None:
    """A tree that would write outside of where it is restored (docs/security.md)."""
    undo = server.root / "undo.git"
    blob = git("hash-object", "-w", "--stdin", at=undo, stdin=b"x").strip()
    entry = f"100644 blob {blob}\t"
    for name, ref in (("notes.txt", "good"), ("..", "bad")):
        tree = git("mktree", at=undo, stdin=f"{entry}{name}\n".encode()).strip()
        made = git(
            "-c", "user.name=a", "-c", "user.email=a", "commit-tree", tree, "-m", "x", at=undo
        )
        git("update-ref", f"refs/checkpoints/m/{ref}", made.strip(), at=undo)
    network = to(undo if over == "file" else server.url("undo.git"))

    def fetch(ref: str) -> None:
        spec = f"refs/checkpoints/m/{ref}:refs/fetched/m/{ref}"
        network.run("fetch", "--no-tags", "--progress", "--", network.url, spec)

    fetch("good")
    with pytest.raises(RemoteFailed, match="hasDotdot"):
        fetch("bad")
    assert [*refs_of(store)] == ["refs/fetched/m/good"]
