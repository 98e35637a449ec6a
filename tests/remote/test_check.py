"""``check_remote``: what it finds of servers that work and of those that do not, and that it leaves
nothing there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import (
    BadRequest,
    Checkpoints,
    RemoteCheck,
    RemoteFinding,
    RemoteOff,
    RemoteStanding,
    Taken,
    git_program,
)
from hermes_checkpoints.layout import project_hash
from remote.conftest import Configure
from remote.servers import PASSWORD, HttpServer, Manner, bare, first_on_path, git, refs_of, refuse
from support import files

FINE, NOTE, WARNING, FAILED = RemoteStanding
HTTP = ["http"]


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home) as opened:
        yield opened


def by_name(found: RemoteCheck) -> dict[str, RemoteFinding]:
    names = [one.check for one in found.findings]
    assert len(names) == len(set(names))
    return {one.check: one for one in found.findings}


def standings(found: RemoteCheck) -> dict[str, RemoteStanding]:
    return {name: one.standing for name, one in by_name(found).items()}


def test_a_repository_in_a_folder_works_and_is_left_as_it_was(
    checkpoints: Checkpoints, configure: Configure, undo: Path, home: Path
) -> None:
    configure(undo)
    found = checkpoints.check_remote()
    assert found.works
    assert (found.url, found.refs, found.own_refs, found.protocol) == (str(undo), 0, 0, 2)
    assert found.machine == json.loads((home / "checkpoints/machine.json").read_text())["machine"]
    assert standings(found) == {
        **dict.fromkeys(("reach", "read", "size", "write", "delete"), FINE),
        **dict.fromkeys(("filter", "rewrite"), NOTE),
    }
    assert "uploadpack.allowFilter true" in by_name(found)["filter"].remedy
    assert f"refs/checkpoints/{found.machine}/probe" in by_name(found)["write"].text
    assert refs_of(undo) == {}
    assert not [*(home / "checkpoints").glob("scratch-*")]


def test_what_is_there_is_counted_and_nothing_of_it_is_touched(
    checkpoints: Checkpoints, configure: Configure, undo: Path
) -> None:
    configure(undo)
    machine = checkpoints.check_remote().machine
    tree = git("mktree", "--missing", at=undo).strip()
    commit = git(
        *("-c", "user.name=a", "-c", "user.email=a", "commit-tree", tree, "-m", "x"), at=undo
    ).strip()
    names = (f"refs/checkpoints/{machine}/p/1", "refs/checkpoints/ffffffffffff/p/1", "refs/heads/m")
    for name in names:
        git("update-ref", name, commit, at=undo)
    found = checkpoints.check_remote()
    assert (found.works, found.refs, found.own_refs) == (True, 3, 1)
    assert found.advertised_bytes == sum(46 + len(name) for name in names)
    assert refs_of(undo) == dict.fromkeys(names, commit)


@pytest.mark.parametrize("namespace", ["checkpoints", "heads"])
def test_a_server_that_protects_branches_is_told_and_its_probe_is_used_again(
    checkpoints: Checkpoints, configure: Configure, undo: Path, namespace: str
) -> None:
    """As measured: ``receive.denyDeletes`` and ``denyNonFastForwards`` guard branches alone."""
    for name in ("denyDeletes", "denyNonFastForwards"):
        git("config", f"receive.{name}", "true", at=undo)
    configure(undo, namespace=namespace)
    for turn in range(3):
        found = checkpoints.check_remote()
        assert found.works
        told = standings(found)
        if namespace == "checkpoints":
            assert (told["rewrite"], told["delete"]) == (NOTE, FINE)
            assert refs_of(undo) == {}
        else:
            assert (told["rewrite"], told["delete"]) == (FINE, NOTE)
            assert "nobody rewrite a ref" in by_name(found)["rewrite"].text
            (left,) = refs_of(undo)
            assert left == f"refs/heads/checkpoints/{found.machine}/probe"
            assert found.own_refs == min(turn, 1)
    if namespace == "heads":
        assert git("rev-list", "--count", left, at=undo).strip() == "3"


def test_a_check_that_was_killed_leaves_a_probe_that_the_next_one_removes(
    checkpoints: Checkpoints, configure: Configure, undo: Path
) -> None:
    configure(undo)
    machine = checkpoints.check_remote().machine
    probe = f"refs/checkpoints/{machine}/probe"
    for object_id in git(
        *("cat-file", "--batch-check=%(objecttype) %(objectname)", "--batch-all-objects"), at=undo
    ).splitlines():
        kind, name = object_id.split()
        if kind == "commit":
            git("update-ref", probe, name, at=undo)
            assert checkpoints.check_remote().works
            assert refs_of(undo) == {}


def test_a_ref_of_somebody_else_in_its_place_is_left_alone(
    checkpoints: Checkpoints, configure: Configure, undo: Path
) -> None:
    configure(undo)
    machine = checkpoints.check_remote().machine
    tree = git("mktree", "--missing", at=undo).strip()
    other = git(
        *("-c", "user.name=a", "-c", "user.email=a", "commit-tree", tree, "-m", "x"), at=undo
    ).strip()
    git("update-ref", f"refs/checkpoints/{machine}/probe", other, at=undo)
    found = checkpoints.check_remote()
    assert not found.works
    assert "is none of this program, so it was left alone" in by_name(found)["write"].text
    assert refs_of(undo) == {f"refs/checkpoints/{machine}/probe": other}


def test_a_remote_that_takes_nothing_is_readable_and_fails_at_writing(
    checkpoints: Checkpoints, configure: Configure, undo: Path
) -> None:
    configure(undo)
    refuse(undo, "the quota is used up\x1b[2J")
    git("config", "uploadpack.allowFilter", "true", at=undo)
    found = checkpoints.check_remote()
    fine = dict.fromkeys(("reach", "read", "size", "filter"), FINE)
    assert standings(found) == {**fine, "write": FAILED}
    told = by_name(found)["write"]
    assert told.code == "remote-refused"
    assert "the quota is used up" in told.text
    assert "\x1b" not in told.text
    assert refs_of(undo) == {}


@pytest.mark.parametrize(
    ("url", "check", "code"),
    [
        ("/nowhere/undo.git", "reach", "remote-unreachable"),
        ("ssh://127.0.0.1:1/x", "reach", "remote-unreachable"),
        ("closed", "read", "remote-denied"),
        ("silent", "reach", "remote-unreachable"),
        ("elsewhere", "read", "remote-refused"),
    ],
)
def test_what_cannot_be_reached_or_read_is_told_and_nothing_more_is_tried(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer, url: str, check: str,
    code: str,
) -> None:  # fmt: skip
    if not url.startswith(("/", "ssh")):
        server.manner = Manner[url.upper()]
        server.elsewhere = "http://127.0.0.1:1"
        configure(server.url("undo.git"), protocols=HTTP, timeout_seconds=1)
    else:
        configure(url)
    found = checkpoints.check_remote()
    failed = [one for one in found.findings if one.standing is FAILED]
    assert [(one.check, one.code) for one in failed] == [(check, code)]
    assert not found.works
    assert (found.refs, found.protocol, found.advertised_bytes) == (None, None, None)
    assert len(server.requests) == (0 if url.startswith(("/", "ssh")) else 1)


def test_a_repository_that_everybody_can_read_is_warned_of(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer
) -> None:
    configure(server.url("undo.git"), protocols=HTTP)
    found = checkpoints.check_remote()
    assert found.works
    told = by_name(found)
    assert told["public"].standing is WARNING
    assert "make the repository private" in told["public"].remedy
    assert told["encryption"].standing is WARNING
    assert told["filter"].standing is NOTE
    last = server.requests[-1]
    assert "Authorization" not in last.headers


@pytest.mark.parametrize("place", ["url", "helper", "netrc", "insteadof", "header"])
def test_one_that_wants_a_password_is_not_public_wherever_that_stands(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer, place: str
) -> None:
    server.manner = Manner.PRIVATE
    user, url = Path.home(), server.url("undo.git")
    host = server.address.partition(":")[0]
    if place == "helper":
        helper = f'"!f() {{ echo username=me; echo password={PASSWORD}; }}; f"'
        (user / ".gitconfig").write_text(f"[credential]\n\thelper = {helper}\n")
    elif place == "netrc":
        (user / ".netrc").write_text(f"machine {host} login me password {PASSWORD}\n")
    elif place == "insteadof":
        real = f"http://me:{PASSWORD}@{server.address}/"
        (user / ".gitconfig").write_text(
            f'[url "{real}"]\n\tinsteadOf = http://{server.address}/\n'
        )
    elif place == "header":
        basic = "bWU6dGVsbG5vYm9keQ=="
        (user / ".gitconfig").write_text(
            f"[http]\n\textraHeader = Authorization: Basic {basic}\n\tproxy =\n"
        )
    else:
        url = server.url("undo.git", user=f"me:{PASSWORD}")
    configure(url, protocols=HTTP)
    found = checkpoints.check_remote()
    assert found.works, found
    told = by_name(found)
    assert told["public"].standing is FINE
    assert ("password" in told) == (place == "url")
    assert ("address" in told) == (place == "insteadof")
    assert PASSWORD not in repr(found)


def test_without_a_remote_it_is_off_and_says_where_to_name_one(
    checkpoints: Checkpoints, configure: Configure, home: Path
) -> None:
    with pytest.raises(RemoteOff, match="no remote is configured; set url") as off:
        checkpoints.check_remote()
    assert str(home / "config.yaml") in str(off.value)
    configure("/srv/undo.git", psuh="turn")
    with pytest.raises(RemoteOff, match="unknown key 'psuh'"):
        checkpoints.check_remote()
    configure("/srv/{who}.git")
    with pytest.raises(RemoteOff, match="a placeholder that is unknown"):
        checkpoints.check_remote()
    assert not (home / "checkpoints/machine.json").exists()


def test_each_project_or_machine_may_have_a_remote_of_its_own(
    checkpoints: Checkpoints, configure: Configure, undo: Path, project: Path
) -> None:
    configure(undo)
    machine = checkpoints.check_remote().machine
    configure(undo.parent / "{machine}" / "{project}.git")
    own = bare(undo.parent / machine / f"{project_hash(project.resolve())}.git")
    with pytest.raises(BadRequest, match="each project has a remote of its own"):
        checkpoints.check_remote()
    assert checkpoints.check_remote(working_dir=project).url == str(own)


def test_nothing_in_a_project_or_in_the_base_leads_elsewhere(
    checkpoints: Checkpoints, configure: Configure, undo: Path, project: Path, home: Path,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Whoever can write in a project, an agent among others, can write all of this."""
    other = bare(tmp_path / "other.git")
    text = f'[url "{other}"]\n\tinsteadOf = {undo}\n[core]\n\tsshCommand = touch {tmp_path}/ran\n'
    git("init", "-q", str(project))
    with (project / ".git/config").open("a") as file:
        file.write(text)
    section = json.dumps({"checkpoints": {"remote": {"url": str(other)}}})
    for folder in (project, project / ".hermes", project / "checkpoints", home / "checkpoints"):
        folder.mkdir(exist_ok=True)
        (folder / "config.yaml").write_text(section)
        (folder / ".gitconfig").write_text(text)
        (folder / "config").write_text(text)
    monkeypatch.chdir(project)
    configure(undo)
    checkpoints.project(project).take()
    found = checkpoints.check_remote(working_dir=project)
    assert found.works
    assert found.url == str(undo)
    assert not [*(other / "objects").glob("??")]
    assert [*(undo / "objects").glob("??")]
    configure()
    with pytest.raises(RemoteOff):
        checkpoints.check_remote(working_dir=project)
    assert not (tmp_path / "ran").exists()


def test_a_password_in_the_address_is_written_nowhere(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer, home: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    server.manner = Manner.PRIVATE
    for name in ("undo.git", "none.git"):
        configure(server.url(name, user=f"me:{PASSWORD}"), protocols=HTTP)
        assert PASSWORD not in repr(checkpoints.check_remote())
    written = files(home)
    assert written.pop("config.yaml")
    assert not [name for name, (_, data) in written.items() if PASSWORD.encode() in data]
    assert PASSWORD not in caplog.text


def test_the_base_itself_is_no_remote(
    checkpoints: Checkpoints, configure: Configure, home: Path, project: Path, tmp_path: Path
) -> None:
    checkpoints.project(project).take()
    store = home / "checkpoints/store"
    (tmp_path / "link.git").symlink_to(store)
    before = refs_of(store)
    for url in (store, f"file://{store}", f"file://{str(store).replace('t', '%74')}",
                tmp_path / "link.git", home / "checkpoints"):  # fmt: skip
        configure(url)
        with pytest.raises(RemoteOff, match="the remote would be the base itself"):
            checkpoints.check_remote()
    assert refs_of(store) == before


def test_a_home_in_a_project_names_no_remote(undo: Path, project: Path) -> None:
    home = project / ".hermes"
    home.mkdir()
    (home / "config.yaml").write_text(f"checkpoints: {{remote: {{url: {undo}}}}}\n")
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        with pytest.raises(RemoteOff, match="no file of a project decides where checkpoints go"):
            checkpoints.check_remote()
    assert not [*(undo / "objects").glob("??")]


def test_no_program_of_a_project_gets_the_credentials_of_the_user(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer, project: Path,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """PATH often leads into projects, as to what is installed there."""
    checkpoints.project(project).take()
    for name in ("ssh", "git-credential-mine"):
        program = project / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        program.chmod(0o755)
    monkeypatch.setattr(git_program, "_distrusted", set())
    monkeypatch.setenv("PATH", first_on_path(project / "bin"))
    (Path.home() / ".gitconfig").write_text("[credential]\n\thelper = mine\n")
    server.manner = Manner.CLOSED
    configure(server.url("undo.git"), protocols=HTTP)
    assert by_name(checkpoints.check_remote())["read"].code == "remote-denied"
    configure("ssh://127.0.0.1:1/undo.git")
    assert by_name(checkpoints.check_remote())["reach"].code == "remote-unreachable"
    assert not (tmp_path / "ran").exists()
    assert not git_program._distrusted  # what is run elsewhere in this process stays as it was


def test_two_checks_at_once_end_well_or_say_that_the_ref_moved(
    checkpoints: Checkpoints, configure: Configure, undo: Path
) -> None:
    configure(undo)
    checkpoints.check_remote()
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: checkpoints.check_remote(), range(4))]
    for one in found:
        failed = [told for told in one.findings if told.standing is FAILED]
        assert all("moved meanwhile" in told.text for told in failed), failed
    assert checkpoints.check_remote().works
    assert refs_of(undo) == {}


def test_a_server_is_asked_five_times_and_no_more(
    checkpoints: Checkpoints, configure: Configure, server: HttpServer, git_processes: GitProcesses
) -> None:
    configure(server.url("undo.git"), protocols=HTTP)
    assert checkpoints.check_remote().works
    commands = [words for words in git_processes.commands() if "--get-url" not in words]
    asked = [words[0] for words in commands if words[0] != "http-backend"]
    assert asked == ["config", "--version", "ls-remote", "push", "push", "push", "ls-remote"]
