"""The recipes of docs/remote.md, with the servers and helpers that they are for. The commands of
the page are run by tests/pages."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks.paper import size
from benchmarks.remotes import bytes_in

from hermes_checkpoints import Checkpoints, git
from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Taken
from hermes_checkpoints.remote import network_git, push, reading
from hermes_checkpoints.remote.cache import make_bare
from pages.blocks import CHECKOUT, PAGES, blocks
from remote.conftest import Configure
from remote.packages import program
from remote.servers import bare, first_on_path, refs_of
from remote.servers import git as asked_of
from support import Run

PAGE = "docs/remote.md"
KEY_LINE = blocks(PAGE, "text")[1].text.strip()
GCRYPT, S3 = (yaml.safe_load(one.text)["checkpoints"]["remote"] for one in blocks(PAGE, "yaml")[1:])


def take(opened: Checkpoints, project: Path, text: str) -> str:
    (project / "README.md").write_text(text, encoding="utf-8")
    taken = opened.project(project).take(text)
    assert isinstance(taken, Taken)
    return taken.checkpoint.id


def another_home(home: Path, section: dict[str, Any]) -> Path:
    home.mkdir()
    text = json.dumps({"checkpoints": {"remote": section}})
    (home / "config.yaml").write_text(text, encoding="utf-8")
    return home


def sends_and_lists(project: Path, elsewhere: Path) -> list[str]:
    """Send two checkpoints from the home, and list them in another; return their ids."""
    ids = []
    with Checkpoints.open() as here:
        assert here.check_remote().works
        for text in ("one", "two"):
            ids.append(take(here, project, text))
            [result] = here.push()
            assert (result.error, result.waiting, len(result.sent)) == (None, (), 1)
        assert [one for one in here.push() if one.sent] == []
    with Checkpoints.open(elsewhere) as reader:
        [pulled] = reader.pull(working_dir=project)
        assert (pulled.error, pulled.listed, pulled.malformed) == (None, 2, 0)
        assert [one.id for one in reader.remote_list()] == ids[::-1]
    return ids


# --- a bare repository over ssh -------------------------------------------------------------------


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """The repository of the recipe, in the home of the user whom machines log in as."""
    settings = re.findall(r"team\.git config (\S+) (\S+)$", PAGES[PAGE], re.MULTILINE)
    assert dict(settings) == {"uploadpack.allowFilter": "true", "receive.fsckObjects": "true"}
    return bare(tmp_path / "server/team.git", *settings)


def test_the_line_of_a_key_lets_checkpoints_through_and_nothing_else(
    home: Path, project: Path, team: Path, configure: Configure, tmp_path: Path
) -> None:
    """With a stand-in for ssh and its server that does what sshd does with such a line."""
    found = re.fullmatch(r'restrict,command="((?:[^"\\]|\\.)*)" ssh-ed25519 AAAA… undo', KEY_LINE)
    assert found, KEY_LINE
    forced = found[1].replace('\\"', '"')
    ssh = tmp_path / "ssh"
    ssh.write_text(
        "#!/bin/sh\nunset GIT_PROTOCOL GIT_DIR\n"
        'for SSH_ORIGINAL_COMMAND in "$@"; do :; done\nexport SSH_ORIGINAL_COMMAND\n'
        f"export HOME={shlex.quote(str(team.parent))}\nexec sh -c {shlex.quote(forced)}\n",
        encoding="utf-8",
    )
    ssh.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_SSH_COMMAND", shlex.quote(str(ssh)))
        configure("ssh://git@git.example.org/~/team.git")
        elsewhere = another_home(
            tmp_path / "other", {"url": "ssh://git@git.example.org/~/team.git"}
        )
        ids = sends_and_lists(project, elsewhere)
        with Checkpoints.open() as opened:
            assert opened.check_remote().protocol == 2
    assert set(ids) <= set(refs_of(team).values())
    cache = elsewhere / "checkpoints/remote.git"
    kinds = asked_of("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)", at=cache)
    assert set(kinds.split()) == {"commit"}
    for words in ("ls", f"rm -rf {team}", "git-upload-archive '/'"):
        done = subprocess.run([ssh, "host", words], check=False, capture_output=True)
        assert done.returncode != 0, words


@pytest.mark.campaign
def test_a_real_ssh_server_with_that_line_takes_checkpoints(
    home: Path,
    project: Path,
    team: Path,
    configure: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ssh", "ssh-keygen"):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} here")
    for name in ("key", "host"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(command, check=True)
    public = (tmp_path / "key.pub").read_text(encoding="ascii").split()[1]
    (tmp_path / "keys").write_text(KEY_LINE.replace("AAAA…", public) + "\n", encoding="ascii")
    with ssh_server(tmp_path) as (user, port):
        ssh = (
            f"ssh -i {tmp_path}/key -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new "
            f"-o UserKnownHostsFile={tmp_path}/known -F none"
        )
        monkeypatch.setenv("GIT_SSH_COMMAND", ssh)
        section = {"url": f"ssh://{user}@127.0.0.1:{port}{team}"}
        configure(section["url"])
        ids = sends_and_lists(project, another_home(tmp_path / "other", section))
        words = [*ssh.split(), "-p", str(port), f"{user}@127.0.0.1", "ls"]
        assert subprocess.run(words, check=False, capture_output=True).returncode != 0
        with Checkpoints.open() as opened:
            assert opened.check_remote().protocol == 2
    assert set(ids) <= set(refs_of(team).values())


@contextmanager
def ssh_server(folder: Path) -> Iterator[tuple[str, int]]:
    """Run sshd on loopback, which knows the keys in ``keys``; return whom to log in as, and where.

    As root it wants a user ``sshd``. Where there is none it gets one in mounts of its own.
    """
    sshd = program("sshd", folder / "packages", "openssh-server", "libwrap0")
    user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/keys\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\n",
        encoding="utf-8",
    )
    passwd = folder / "passwd"
    known = Path("/etc/passwd").read_text(encoding="utf-8")
    passwd.write_text(f"{known}sshd:x:4990:65534::/run/sshd:/bin/false\n", encoding="utf-8")
    words = [str(sshd.path), "-D", "-e", "-f", str(folder / "sshd_config")]
    if os.geteuid() == 0:
        script = (
            "mount -t tmpfs none /run && mkdir /run/sshd && "
            f'mount --bind {passwd} /etc/passwd && exec env LD_LIBRARY_PATH={sshd.libraries} "$@"'
        )
        words = ["unshare", "-m", "sh", "-c", script, "sh", *words]
    environment = {**os.environ, "LD_LIBRARY_PATH": sshd.libraries}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        if "listening" not in first:
            pytest.skip(f"sshd does not run here: {first}{server.stderr.read()}")
        try:
            yield user, port
        finally:
            server.terminate()


# --- encryption, S3 -------------------------------------------------------------------------------


@pytest.fixture
def gpg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A key without a passphrase, and git-remote-gcrypt, which uses it."""
    for name in ("gpg", "gpgconf"):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} here")
    gcrypt = program("git-remote-gcrypt", tmp_path / "packages", "git-remote-gcrypt")
    folder = Path("/tmp") / f"gpg-{os.getpid()}"
    folder.mkdir(mode=0o700)
    try:
        monkeypatch.setenv("GNUPGHOME", str(folder))
        monkeypatch.setenv("PATH", first_on_path(gcrypt.path.parent))
        making = ["gpg", "--batch", "--passphrase", "", "--quick-gen-key"]
        subprocess.run([*making, "undo@example.org"], check=True, capture_output=True)
        settings = tmp_path / "gitconfig"
        settings.write_text(
            "[gcrypt]\nparticipants = undo@example.org\n[user]\nsigningkey = undo@example.org\n"
        )
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        yield
        subprocess.run(["gpgconf", "--kill", "all"], check=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.campaign
@pytest.mark.usefixtures("gpg")
def test_gcrypt_keeps_checkpoints_that_the_server_cannot_read(
    home: Path,
    project: Path,
    configure: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    assert (GCRYPT["protocols"], GCRYPT["url"]) == (
        ["ssh", "gcrypt"],
        "gcrypt::ssh://git@git.example.org/~/undo-{machine}.git",
    )
    for number in range(300):
        (project / f"file{number}.txt").write_text(f"{number} {os.urandom(40).hex()}\n")
    machine = machine_of(Layout.of(), 30).id
    undo = bare(tmp_path / f"undo-{machine}.git")
    configure(f"gcrypt::{tmp_path}/undo-{{machine}}.git", protocols=["file", "gcrypt"])
    section = {"url": f"gcrypt::{undo}", "protocols": ["file", "gcrypt"]}
    elsewhere = another_home(tmp_path / "other", section)
    ids = sends_and_lists(project, elsewhere)
    with monkeypatch.context() as patch:
        patch.setenv("HERMES_HOME", str(elsewhere))
        patch.chdir(project)
        assert run("cat", ids[0], "README.md").out == "one"
    assert list(refs_of(undo)) == ["refs/heads/master"]  # one, of gcrypt
    kinds = asked_of("rev-list", "--objects", "--all", at=undo)
    assert all(id_ not in kinds for id_ in ids)
    assert all(name.startswith("refs/checkpoints/") for name in refs_of(home / "checkpoints/store"))
    before = bytes_in(undo)
    with Checkpoints.open() as opened:
        take(opened, project, "three")
        [result] = opened.push()
        assert result.complete
    assert 0 < bytes_in(undo) - before < before / 2
    work = tmp_path / "work.git"
    make_bare(work, borrowing=home / "checkpoints/store/objects")
    ref = next(one for one in listed(work, undo) if one.startswith("refs/checkpoints-cursor/"))
    lease = f"--force-with-lease={ref}:{'1' * 40}"
    moving = ["git", "push", "--porcelain", lease, "--", f"gcrypt::{undo}", f"{ids[0]}:{ref}"]
    environment = {**os.environ, "GIT_DIR": str(work)}
    done = subprocess.run(moving, env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, "[rejected] (stale info)" in done.stdout) == (1, True)


def listed(work: Path, undo: Path) -> list[str]:
    """Return the refs that gcrypt has in a repository."""
    lines = asked_of("ls-remote", f"gcrypt::{undo}", at=work).splitlines()
    return [line.split()[1] for line in lines]


@pytest.mark.campaign
@pytest.mark.usefixtures("gpg")
def test_gcrypt_over_rclone_keeps_them_in_a_bucket(
    home: Path,
    project: Path,
    configure: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moto = shutil.which("moto_server")
    if moto is None:
        pytest.skip("no moto_server here, which stands in for S3: pip install 'moto[server]'")
    rclone = program("rclone", tmp_path / "packages", "rclone")
    monkeypatch.setenv("PATH", first_on_path(rclone.path.parent))
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = tmp_path / "rclone.conf"
    settings.write_text(
        f"[s3]\ntype = s3\nprovider = Other\nenv_auth = true\nendpoint = http://127.0.0.1:{port}\n"
    )
    for name, value in (
        ("RCLONE_CONFIG", str(settings)),
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"),
        ("AWS_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([moto, "-H", "127.0.0.1", "-p", str(port)], **quiet) as server:
        try:
            making = ["rclone", "--retries", "1", "mkdir", "s3:bucket"]
            deadline = time.monotonic() + 60
            while subprocess.run(making, check=False, **quiet).returncode:
                assert time.monotonic() < deadline, "moto does not answer"
            configure(S3["url"], protocols=S3["protocols"])
            machine = machine_of(Layout.of(), 30).id or ""
            section = {**S3, "url": S3["url"].replace("{machine}", machine)}
            sends_and_lists(project, another_home(tmp_path / "other", section))
        finally:
            server.terminate()


# --- limits ---------------------------------------------------------------------------------------


def test_the_limits_of_the_page_are_those_that_hold() -> None:
    table = PAGES[PAGE].partition("### Limits in numbers\n")[2]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE)
    told = {what: number for what, number, _ in rows}
    assert told["refs sent at once"] == str(network_git.MOST_REFS)
    assert told["new contents sent at once"] == f"{push.MOST_BYTES >> 20} MB"
    assert told["a commit in a pull"] == f"{reading.MOST_BYTES >> 10} KB"
    assert told["what a server may tell of refs"] == f"{git._MOST_TOLD >> 20} MB"
    measured = json.loads((CHECKOUT / "docs/scale/measured.json").read_text(encoding="utf-8"))
    [first] = [then for what, _, then in rows if what == "refs of one repository"]
    few, some, many = (size(one["advertised"]) for one in measured["refs"][1:])
    assert f"[{few}, {some} or {many}](scale.md)" in first
