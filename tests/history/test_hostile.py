"""Odd items of an earlier version are judged one by one, with limits: what cannot be read is listed
with the reason and left, everything else is imported, and checkpoints are taken as ever."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.history.waiting import SETTING
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import Taken
from hostile import SESSIONS, make_outside, make_repository, make_work, run_git, work
from support import crossed, every

Capture = pytest.CaptureFixture[str]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_hang")]

_GOOD = "before write_file"


# --- what is odd -----------------------------------------------------------------------------


def put(repository: Path, kind: str, data: bytes) -> str:
    """Write an object, whatever is in it; return its id."""
    whole = f"{kind} {len(data)}".encode() + b"\0" + data
    name = hashlib.sha1(whole).hexdigest()  # noqa: S324
    file = repository / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(whole, 1))
    return name


def tree(repository: Path, *entries: tuple[bytes, bytes, str]) -> str:
    """Write a tree of modes, names and ids."""
    lines = [mode + b" " + name + b"\0" + bytes.fromhex(found) for mode, name, found in entries]
    return put(repository, "tree", b"".join(lines))


def commit(
    repository: Path,
    root: str,
    *,
    message: bytes = b"odd",
    when: bytes = b"1760000500 +0000",
    head: bytes = b"",
) -> None:
    """Put a commit on top of the two good ones."""
    parent = run_git(repository, "rev-parse", "master").strip()
    data = b"tree %s\nparent %s\nauthor a <a@b> %s\ncommitter a <a@b> %s\n%s\n%s"
    name = put(
        repository, "commit", data % (root.encode(), parent, when, when, head, message + b"\n")
    )
    (repository / "refs" / "heads" / "master").write_text(f"{name}\n")


def of_tree(*entries: tuple[bytes, bytes, bytes]) -> Callable[[Path], None]:
    """A commit with a tree of modes, names and contents."""

    def build(repository: Path) -> None:
        found = [(mode, name, put(repository, "blob", data)) for mode, name, data in entries]
        commit(repository, tree(repository, *found))

    return build


def nested(depth: int, *beside: tuple[bytes, bytes, str]) -> Callable[[Path], None]:
    """A commit with a file below so many folders, and what lies ``beside`` it."""

    def build(repository: Path) -> None:
        found = tree(repository, (b"100644", b"f", put(repository, "blob", b"deep\n")), *beside)
        for _ in range(depth):
            found = tree(repository, (b"40000", b"d", found))
        commit(repository, found)

    return build


def bomb(repository: Path) -> None:
    """Ten trees that stand for ten thousand million files."""
    found = tree(repository, (b"100644", b"f", put(repository, "blob", b"many\n")))
    for _ in range(10):
        found = tree(repository, *((b"40000", b"%d" % n, found) for n in range(10)))
    commit(repository, found)


def of_commit(**facts: bytes) -> Callable[[Path], None]:
    def build(repository: Path) -> None:
        found = tree(repository, (b"100644", b"f", put(repository, "blob", b"x\n")))
        commit(repository, found, **facts)

    return build


def inflated(repository: Path) -> None:
    """An object of more than a gigabyte in a megabyte."""
    size = 1100 << 20
    digest = hashlib.sha1(b"blob %d\0" % size)  # noqa: S324
    packer = zlib.compressobj(9)
    parts = [packer.compress(b"blob %d\0" % size)]
    piece = bytes(1 << 20)
    for _ in range(1100):
        digest.update(piece)
        parts.append(packer.compress(piece))
    name = digest.hexdigest()
    file = repository / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"".join([*parts, packer.flush()]))
    assert file.stat().st_size < 2 << 20
    commit(repository, tree(repository, (b"100644", b"zeros", name)))


def no_hex(repository: Path) -> None:
    commit(repository, "zz" * 20)


def many_refs(repository: Path) -> None:
    name = run_git(repository, "rev-parse", "master").strip().decode()
    lines = [f"{name} refs/heads/b{number}\n" for number in range(100_000)]
    (repository / "packed-refs").write_text("".join(lines))


OBJECTS: dict[str, tuple[Callable[[Path], None], str | None]] = {
    "nested-1000": (nested(1000), None),
    "nested-1000-link": (nested(1000, (b"160000", b"module", "1" * 40)), None),
    "nested-3000": (nested(3000), "missing or damaged|nested too deeply"),
    "tree-bomb": (bomb, "more than 250000 paths"),
    "above": (of_tree((b"100644", b"..", b"x")), "leads out of a project"),
    "here": (of_tree((b"100644", b".", b"x")), "leads out of a project"),
    "git": (of_tree((b"100644", b".GIT", b"x")), "leads out of a project"),
    "absolute": (of_tree((b"100644", b"/tmp/x", b"x")), "leads out of a project"),
    "twice": (of_tree((b"100644", b"a", b"x"), (b"100644", b"a", b"y")), "twice"),
    "case": (of_tree((b"100644", b"A", b"x"), (b"100644", b"a", b"y")), None),
    "mode-9": (of_tree((b"999", b"a", b"x")), "damaged"),
    "mode-device": (of_tree((b"20644", b"a", b"x")), "mode|damaged"),
    "no-utf-8": (of_tree((b"100644", b"\xff\xfe", b"x")), None),
    "long-link": (of_tree((b"120000", b"link", b"x" * 10_000_000)), None),
    "empty-file": (of_tree((b"100644", b"empty", b"")), None),
    "parents": (of_commit(head=b"parent " + b"1" * 40 + b"\n" + (b"parent 1\n" * 9)), "cannot be"),
    "parents-100000": (of_commit(head=(b"parent " + b"1" * 40 + b"\n") * 100_000), "parents"),
    "message": (of_commit(message=b"x" * 2_000_000), "characters"),
    "time-huge": (of_commit(when=b"99999999999999999999 +0000"), "time that cannot be"),
    "time-far": (of_commit(when=b"253402300799 +1400"), "time that cannot be"),
    "time-old": (of_commit(when=b"-62135596800 -1200"), "time that cannot be"),
    "time-zone": (of_commit(when=b"1760000500 +9999"), None),
    "encoding": (of_commit(head=b"encoding punycode\n", message=b"x-" * 100_000), None),
    "encoding-undefined": (of_commit(head=b"encoding undefined\n"), None),
    "no-hex": (no_hex, "cannot be read"),
    "refs-100000": (many_refs, None),
    "inflated": (inflated, "damaged"),
}


def base_of_v1(home: Path) -> Path:
    repository = home / "checkpoints" / project_hash(make_work(home).resolve())
    make_repository(repository, "refs/heads/master")
    (repository / "HERMES_WORKDIR").write_text(f"{work(home).resolve()}\n")
    return repository


def use(capsys: Capture, home: Path, *, restore: bool = True) -> dict[str, str]:
    """Use a base as people do; return what each verb said. Nothing fails in a way that was not
    foreseen, and a checkpoint is taken."""
    where, folder = ["--home", str(home)], str(work(home))
    said: dict[str, str] = {}
    verbs = [["status"], ["take", folder], ["log", folder], ["import-legacy"], ["status"]]
    verbs += [["restore", "1", "--dir", folder, "-f"]] if restore else []
    verbs += [["clear-legacy", "-f"], ["status"]]
    for verb in verbs:
        code = main([*verb, *where])
        answer = capsys.readouterr()
        assert code in (0, 1, 2, 3), (verb, code, answer)
        if verb[0] in ("take", "log"):
            assert code == 0, answer
        said.setdefault(verb[0], answer.out + answer.err)
    return said


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [*OBJECTS][:: every(3)])
def test_an_odd_object_costs_its_commit_only(tmp_path: Path, capsys: Capture, name: str) -> None:
    home = tmp_path / "home"
    repository = base_of_v1(home)
    build, problem = OBJECTS[name]
    build(repository)
    with Checkpoints.open(home) as checkpoints:
        reasons = [one.reason for one in checkpoints.project(work(home)).list()]
        (record,) = checkpoints._base.catalog.archives.all()
        error = record.error or ""
    if problem is None:
        assert record.whole, error
        assert len(reasons) == (2 if name == "refs-100000" else 3)
    else:
        assert any(word in error for word in problem.split("|")), error
        if name != "parents":  # that commit is one, of parents that are none
            assert reasons == [_GOOD, _GOOD]
    said = use(capsys, home)
    if problem is not None:
        assert "not imported" in said["status"]


@pytest.mark.campaign
def test_what_an_odd_commit_holds_can_be_brought_back(tmp_path: Path, capsys: Capture) -> None:
    home = tmp_path / "home"
    nested(200)(base_of_v1(home))
    with Checkpoints.open(home) as checkpoints:
        odd = checkpoints.project(work(home)).list()[0]
    where = ["--dir", str(work(home)), "--home", str(home)]
    assert main(["restore", odd.id, *where, "-f"]) == 0, capsys.readouterr()
    assert (work(home) / ("d/" * 200) / "f").read_bytes() == b"deep\n"


# --- frames --------------------------------------------------------------------------------------


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def socket_file(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def circle(path: Path) -> None:
    path.symlink_to(path.name)


IN_PLACE = [pipe, device, folder, socket_file, circle]
PARTS = ["HEAD", "HERMES_WORKDIR", "config", "packed-refs", "x.yaml"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("part", "kind"), crossed(4, PARTS, IN_PLACE))
def test_what_is_no_file_is_neither_waited_for_nor_read(
    tmp_path: Path, capsys: Capture, part: str, kind: Callable[[Path], None]
) -> None:
    home = tmp_path / "home"
    repository = base_of_v1(home)
    place = repository / part if part != "x.yaml" else home / "checkpoints" / part
    place.unlink(missing_ok=True)
    kind(place)
    use(capsys, home)


DIRECTORIES: dict[str, bytes] = {
    "nul": b"/a\0b\n",
    "relative": b"../x\n",
    "long": b"/" + b"x" * 100_000,
    "huge": b"/" + b"x" * 20_000_000,
    "lines": b"/a\nb\n",
    "no-utf-8": b"/\xff\xfe\n",
    "empty": b"\n",
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [*DIRECTORIES][:: every(2)])
def test_a_directory_that_cannot_be_is_listed(tmp_path: Path, capsys: Capture, name: str) -> None:
    home = tmp_path / "home"
    repository = base_of_v1(home)
    (repository / "HERMES_WORKDIR").write_bytes(DIRECTORIES[name])
    said = use(capsys, home)["status"]
    named = name in ("nul", "lines", "no-utf-8")
    assert ("2 checkpoints imported" if named else "nothing says of which directory") in said


FACTS: dict[str, bytes] = {
    "nested": b"[" * 100_000,
    "nested-in": b'{"workdir": ' + b"[" * 100_000,
    "nul": b'{"workdir": "/a\\u0000b"}',
    "half": b'{"workdir": "/a\\ud800"}',
    "number": b'{"workdir": ' + b"9" * 5000 + b"}",
    "nan": b'{"workdir": "/x", "created_at": NaN, "last_touch": 1e999}',
    "twice": b'{"workdir": "/x", "workdir": "/y", "last_touch": 1}',
    "list": b"[1, 2]",
    "no-utf-8": b"\xff\xfe\x00",
    "above": b'{"workdir": "../../outside"}',
    "huge": b'{"workdir": "/' + b"x" * 5_000_000 + b'"}',
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [*FACTS][:: every(3)])
def test_facts_of_a_project_that_cannot_be_stop_nothing(
    tmp_path: Path, capsys: Capture, name: str
) -> None:
    home = tmp_path / "home"
    project = project_hash(make_work(home).resolve())
    store = home / "checkpoints" / "store"
    make_repository(store, f"refs/hermes/{project}")
    (store / "projects").mkdir()
    facts = FACTS[name]
    try:
        named = json.loads(facts)["workdir"]
        odd = project_hash(Path(named))
    except (ValueError, TypeError, RecursionError):
        odd = "0" * 16
    for file in (odd, "f" * 16, project):
        (store / "projects" / f"{file}.json").write_bytes(facts)
    os.mkfifo(store / "projects" / f"{'a' * 16}.json")
    use(capsys, home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [*SESSIONS][:: every(3)])
def test_a_session_file_that_cannot_be_read_stops_nothing(
    tmp_path: Path, capsys: Capture, name: str
) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    make_outside(outside)
    SESSIONS[name](home, outside)
    use(capsys, home)
    assert not (outside / "executed").exists()


@pytest.mark.campaign
@pytest.mark.parametrize("text", [b"a: 0x" + b"f" * 4000, b"status: 1" + b":00" * 400 + b".5"])
def test_a_number_that_no_one_prints_is_held_back_from_the_upgrade(
    tmp_path: Path, capsys: Capture, text: bytes
) -> None:
    home = tmp_path / "home"
    base_of_v1(home)
    (home / "checkpoints" / "odd.yaml").write_bytes(text.replace(b"a:", b"task:") + b"\n")
    assert "not imported: odd.yaml: " in use(capsys, home)["status"]
    assert not (home / "checkpoints" / ".held-back").exists()


@pytest.mark.campaign
def test_what_was_held_back_when_an_opening_was_killed_is_brought_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    base_of_v1(home)
    held = home / "checkpoints" / ".held-back"
    held.mkdir()
    (held / "session.yaml").write_text("task: found again\n")
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.sessions.read("session").document["task"] == "found again"
    assert not held.exists()


@pytest.mark.campaign
def test_a_link_in_the_place_of_an_archive_is_not_entered(tmp_path: Path, capsys: Capture) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    repository = base_of_v1(home)
    elsewhere.mkdir()
    repository.rename(elsewhere / repository.name)
    (home / "checkpoints" / "legacy-20250101-000000").symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    use(capsys, home)
    assert sorted(elsewhere.rglob("*")) == before


@pytest.mark.campaign
def test_an_attempt_that_took_long_in_vain_is_not_repeated_at_once(tmp_path: Path) -> None:
    from hermes_checkpoints.history.waiting import Waiting

    home = tmp_path / "home"
    base_of_v1(home)
    with Checkpoints.open(home) as checkpoints:
        base = checkpoints._base
        (record,) = base.catalog.archives.all()
        waiting = Waiting(base)
        waiting.note(record, 0.1)  # as a full disk
        assert waiting.due([record]) == [record]
        waiting.note(record, 30.0)
        assert waiting.due([record]) == []
        base.catalog.settings.set(
            SETTING, json.dumps({str(record.id): "9999-01-01T00:00:00+00:00"}), base.now()
        )
        assert waiting.due([record]) == [record]  # a clock that was wrong
        base.catalog.settings.set(SETTING, "[nonsense", base.now())
        assert waiting.due([record]) == [record]


# --- a store that is taken over in place ---------------------------------------------------------


@pytest.mark.campaign
def test_the_configuration_of_a_former_store_is_kept_and_not_obeyed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    project = project_hash(make_work(home).resolve())
    store = home / "checkpoints" / "store"
    make_repository(store, f"refs/hermes/{project}")
    (store / "projects").mkdir()
    facts = {"workdir": str(work(home).resolve())}
    (store / "projects" / f"{project}.json").write_text(json.dumps(facts))
    text = f'[remote "evil"]\n\turl = ext::touch% {tmp_path / "executed"}\n\tpromisor = true\n'
    with (store / "config").open("a") as file:
        file.write(text)
    former = (store / "config").read_text()
    (store / "hooks" / "pre-auto-gc").write_text("#!/bin/sh\nexit 1\n")
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(work(home)).take(), Taken)
        assert len(checkpoints.project(work(home)).list()) == 3
    assert "evil" not in (store / "config").read_text()
    (archive,) = (home / "checkpoints").glob("legacy-*/v2-store")
    assert (archive / "config.former").read_text() == former
    assert (archive / "former" / "hooks" / "pre-auto-gc").exists()
    assert not (tmp_path / "executed").exists()
