"""The list of what other machines have sent: what it has, what it costs, and what it never is."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, cli
from hermes_checkpoints.errors import BadRequest, RemoteOff
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.remote.cursors import Cursor
from remote.conftest import Configure
from remote.machines import in_repository, taken
from remote.servers import HttpServer, Manner, git, refs_of

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def ids_of(checkpoints: Checkpoints, place: Path | None = None) -> list[str]:
    return [one.id for one in checkpoints.remote_list(working_dir=place)]


# --- what is listed ----------------------------------------------------------------------------


def test_what_another_machine_sent_is_listed_with_its_id_and_what_it_says(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_MACHINE", "the laptop")
    ids = taken(other, tmp_path / "app", "one", "two")
    [result] = here.pull()
    assert (result.listed, result.added, result.gone, result.complete) == (2, 2, 0, True)
    found = here.remote_list()
    assert [one.id for one in found] == ids[::-1]
    newest = other.project(tmp_path / "app").list()[0]
    for name in ("working_dir", "reason", "kind", "created_at", "file_count", "state_id"):
        assert getattr(found[0], name) == getattr(newest, name), name
    assert {one.machine_name for one in found} == {"the laptop"}
    assert not any(one.is_here for one in found)


def test_contents_stay_there(
    here: Checkpoints, other: Checkpoints, undo: Path, home: Path, tmp_path: Path
) -> None:
    git("config", "uploadpack.allowFilter", "true", at=undo)
    taken(other, tmp_path / "app", "one", "two")
    here.pull()
    cache = home / "checkpoints/remote.git"
    kinds = git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)", at=cache)
    assert set(kinds.split()) == {"commit"}
    assert not (home / "checkpoints/store/refs/checkpoints").exists() or not refs_of(
        home / "checkpoints/store"
    )


def test_a_pull_of_what_is_known_adds_nothing_and_what_is_gone_there_goes(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one", "two", "three")
    here.pull()
    [again] = here.pull()
    assert (again.listed, again.added, again.gone) == (3, 0, 0)
    [ref] = [name for name, id_ in refs_of(undo).items() if id_ == ids[0]]
    git("update-ref", "-d", ref, at=undo)
    [less] = here.pull()
    assert (less.listed, less.added, less.gone) == (2, 0, 1)
    assert ids_of(here) == ids[:0:-1]


def test_the_same_place_of_a_repository_is_the_same_project_wherever_it_lies(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    mine = in_repository(tmp_path / "mine", "git@example.org:org/app.git")
    theirs = in_repository(tmp_path / "theirs", "https://example.org/org/app")
    another = in_repository(tmp_path / "another", "https://example.org/org/another")
    ids = taken(other, theirs, "one")
    taken(other, another, "two")
    [result] = here.pull(working_dir=mine)  # of which there is no checkpoint here
    assert (result.listed, result.added) == (1, 1)
    assert ids_of(here, mine) == ids
    assert ids_of(here) == ids
    here.pull()
    assert ids_of(here, mine) == ids
    assert len(ids_of(here)) == 2


def test_without_a_repository_the_same_path_is_the_same_project(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    place = tmp_path / "workspace"
    ids = taken(other, place, "one")
    taken(other, tmp_path / "elsewhere", "two")
    here.pull(working_dir=place)
    assert ids_of(here, place) == ids
    in_repository(place, "https://example.org/org/app")
    [result] = here.pull(working_dir=place)
    assert result.listed == 0
    assert ids_of(here, place) == []


def test_one_machine_can_be_asked_for(
    here: Checkpoints, other: Checkpoints, tmp_path: Path
) -> None:
    own = taken(here, tmp_path / "app", "one")
    theirs = taken(other, tmp_path / "app", "two")
    [result] = other.push()
    [pulled] = here.pull(machine=result.machine)
    assert (pulled.listed, ids_of(here)) == (1, theirs)
    here.pull()
    assert sorted(ids_of(here)) == sorted(own + theirs)
    assert [one.id for one in here.remote_list() if one.is_here] == own
    for wrong in ("x", "0" * 11, "G" * 12):
        with pytest.raises(BadRequest, match="12 hexadecimal digits"):
            here.pull(machine=wrong)


# --- what it never is ----------------------------------------------------------------------------


def test_what_is_listed_counts_in_no_rule_of_this_base(
    here: Checkpoints, other: Checkpoints, project: Path, tmp_path: Path
) -> None:
    taken(here, project, "one", "two")
    gone = tmp_path / "gone"
    taken(other, gone, *map(str, range(4)))
    shutil.rmtree(gone)

    def told() -> list[object]:
        plan = here.plan_prune()
        status = here.status()
        listed = here.project(project).list()
        return [plan.drop, plan.kept, status.checkpoint_count, status.projects, listed]

    before = told()
    here.pull()
    assert len(ids_of(here)) == 6
    assert told()[0] == before[0]
    assert told()[2:] == before[2:]
    here.project(project).restore(here.project(project).list()[-1].id)
    here.project(project).undo()
    assert (project / "file.txt").read_text() == "two"


def test_nothing_is_asked_without_a_remote(home: Path) -> None:
    with Checkpoints.open() as checkpoints, pytest.raises(RemoteOff):
        checkpoints.pull()


# --- a remote that is away, or hostile ---------------------------------------------------------


def test_a_remote_that_is_away_is_told_and_the_list_stays(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one")
    here.pull()
    undo.rename(tmp_path / "away.git")
    [result] = here.pull()
    assert (result.code, result.complete) == ("remote-unreachable", False)
    assert ids_of(here) == ids


def put(repository: Path, ref: str, message: bytes) -> None:
    """Put a commit with a message at a ref."""
    git("hash-object", "-t", "tree", "-w", "--stdin", at=repository)
    head = f"tree {TREE}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n".encode()
    data = head + message
    words = ("hash-object", "-t", "commit", "-w", "--stdin")
    git("update-ref", ref, git(*words, at=repository, stdin=data).strip(), at=repository)


def test_what_is_malformed_is_counted_and_left(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one")
    [sent] = [ref for ref, id_ in refs_of(undo).items() if id_ == ids[0]]
    good = git("cat-file", "commit", ids[0], at=undo).partition("\n\n")[2].encode()
    below = sent.rpartition("/")[0]
    put(undo, f"{below}/20261120T120000Z-00000001", b"hello")
    put(
        undo,
        f"{below}/20261120T120000Z-00000002",
        good.replace(b'"Files"', b"").replace(b"Hermes-Files: ", b"Hermes-Files: x"),
    )
    put(undo, f"{below}/20261120T120000Z-00000003", good + b"x" * 70_000)
    elsewhere = project_hash(tmp_path / "app").encode()
    put(undo, f"{below}/20261120T120000Z-00000004", good.replace(elsewhere, b"0" * 16))
    words = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
    none = git(*words, at=undo, stdin=f"tree {TREE}\nauthor\n\n".encode() + good).strip()
    git("update-ref", f"{below}/20261120T120000Z-00000005", none, at=undo)
    put(undo, "refs/checkpoints/nobody/x/y", good)
    put(undo, "refs/checkpoints/0a1b2c3d4e5f/0123456789abcdef/../x".replace("..", "z"), good)
    [result] = here.pull()
    assert (result.listed, result.added, result.malformed) == (1, 1, 5)
    assert ids_of(here) == ids
    [again] = here.pull(working_dir=tmp_path / "app")
    assert (again.listed, again.malformed) == (1, 5)


def test_what_one_commit_says_holds_up_no_other(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    [id_] = taken(other, tmp_path / "app", "one")
    [sent] = [ref for ref, found in refs_of(undo).items() if found == id_]
    good = git("cat-file", "commit", id_, at=undo).partition("\n\n")[2].encode()
    lies = [
        ("Files", b"-1"),
        ("Bytes", b"-1"),
        ("Offset", b"1440"),
        ("Time", b'"0001-01-01T00:00:00+00:00"'),
        ("Time", b'"9999-12-31T23:59:59+00:00"'),
        ("Label", b"[" * 50_000),
    ]
    for number, (name, value) in enumerate(lies):
        trailer = f"Hermes-{name}: ".encode()
        kept = [line for line in good.splitlines() if not line.startswith(trailer)]
        bad = b"\n".join([*kept, trailer + value, b""])
        put(undo, f"{sent.rpartition('/')[0]}/20261120T120000Z-0000000{number}", bad)
    [result] = here.pull()
    assert (result.listed, result.malformed) == (1, len(lies))


def test_a_cursor_that_lies_is_no_cursor(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one")
    [real] = [ref for ref in refs_of(undo) if ref.startswith("refs/checkpoints-cursor/")]
    liar = Cursor("f" * 12, "x", "e" * 16, str(tmp_path / "app"))
    for ref in ("refs/checkpoints-cursor/x", f"{real}0", f"refs/checkpoints-cursor/{'f' * 12}/x"):
        put(undo, ref, liar.commit(TREE, None).partition(b"\n\n")[2])
    [result] = here.pull(working_dir=tmp_path / "app")
    assert (result.listed, result.complete) == (1, True)
    assert ids_of(here) == ids


def test_a_cache_that_was_deleted_or_spoilt_is_made_anew(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one")
    here.pull()
    cache = home / "checkpoints/remote.git"
    (cache / "config").write_text("[core]\n\tsshCommand = touch /tmp/owned\n")
    [again] = here.pull()
    assert again.listed == 1
    assert "sshCommand" not in (cache / "config").read_text()
    shutil.rmtree(cache)
    [again] = here.pull()
    assert (again.listed, again.added, ids_of(here)) == (1, 0, ids)


def test_a_cache_that_a_loss_of_power_has_damaged_is_made_anew(
    here: Checkpoints, other: Checkpoints, home: Path, tmp_path: Path
) -> None:
    ids = taken(other, tmp_path / "app", "one")
    here.pull()
    for what in ("refs/cursors", "refs/listed", "objects"):
        for file in (home / "checkpoints/remote.git" / what).rglob("*"):
            if file.is_file():
                file.chmod(0o600)
                file.write_bytes(b"")
        ids += taken(other, tmp_path / "app", what)
        [again] = here.pull()
        assert (again.error, again.added, again.malformed) == (None, 1, 0), what
    assert sorted(ids_of(here)) == sorted(ids)


def test_a_base_that_lost_its_catalog_and_the_cache_has_both_again_by_the_next_pull(
    here: Checkpoints, other: Checkpoints, home: Path, undo: Path, tmp_path: Path
) -> None:
    own = taken(here, tmp_path / "mine", "one", "two")
    theirs = taken(other, tmp_path / "app", "three", "four")
    here.pull()
    before = here.remote_list()
    here.close()
    shutil.rmtree(home / "checkpoints/remote.git")
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    refs = refs_of(undo)
    with Checkpoints.open() as anew:
        assert {one.id for one in anew.project(tmp_path / "mine").list()} == {*own}
        assert anew.remote_list() == []
        [result] = anew.pull()
        assert (result.listed, result.added, result.complete) == (4, 4, True)
        assert anew.remote_list() == before
        assert {one.id for one in before} == {*own, *theirs}
        assert {one.id for one in before if one.is_here} == {*own}
        [pushed] = anew.push()  # learns that they are there
    assert pushed.complete
    assert refs_of(undo) == refs


def test_no_address_with_a_password_is_written_down(
    home: Path, project: Path, server: HttpServer, configure: Configure, tmp_path: Path
) -> None:
    server.manner = Manner.PRIVATE
    configure(server.url("undo.git", "me:tellnobody"), protocols=["http"])
    with Checkpoints.open() as checkpoints:
        taken(checkpoints, project, "one")
        [result] = checkpoints.pull()
        assert result.listed == 1
    for file in (home / "checkpoints").rglob("*"):
        assert not file.is_file() or b"tellnobody" not in file.read_bytes(), file


# --- what it costs -------------------------------------------------------------------------------


def test_takes_go_on_while_a_pull_waits_for_the_network(
    home: Path, project: Path, server: HttpServer, configure: Configure
) -> None:
    server.manner = Manner.SILENT
    asked = threading.Event()
    server.requests = _Told(asked)
    configure(server.url("undo.git"), protocols=["http"], timeout_seconds=30)
    with Checkpoints.open() as checkpoints:
        results: list[object] = []
        thread = threading.Thread(target=lambda: results.extend(checkpoints.pull()))
        thread.start()
        try:
            assert asked.wait(30)
            checkpoints.project(project).take("one")
            assert checkpoints.project(project).list()[0].reason == "one"
            assert not results
        finally:
            server.closing.set()
            thread.join()


class _Told(list):  # type: ignore[type-arg]
    """A list that tells of its first entry."""

    def __init__(self, event: threading.Event) -> None:
        super().__init__()
        self._event = event

    def append(self, one: object) -> None:
        super().append(one)
        self._event.set()


def test_the_command_brings_and_shows_the_list(
    here: Checkpoints,
    other: Checkpoints,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    [id_] = taken(other, tmp_path / "app", "by another")
    assert cli.main(["log", "--remote", "--all"]) == 0
    assert "pull brings the list" in capsys.readouterr().out
    assert cli.main(["pull", "--all"]) == 0
    assert "1 checkpoint listed, 1 new, 0 gone" in capsys.readouterr().out
    assert cli.main(["log", "--remote", "--all"]) == 0
    out = capsys.readouterr().out
    assert id_[:8] in out
    assert "by another" in out
    assert cli.main(["log", "--remote"]) == 0
    assert "Nothing is listed of" in capsys.readouterr().out
    assert cli.main(["log", "--remote", "--all", "--json"]) == 0
    [one] = json.loads(capsys.readouterr().out)["checkpoints"]
    assert (one["id"], one["reason"], one["is_here"]) == (id_, "by another", False)
    for words in (["log", "--all"], ["log", "--remote", "--flat"], ["pull", "--all", "."]):
        assert cli.main(words) == 64
    capsys.readouterr()


# --- what goes, and what is left of dead ones ----------------------------------------------------


def test_a_machine_of_which_all_is_removed_goes_from_the_list_of_its_project(
    here: Checkpoints, other: Checkpoints, undo: Path, tmp_path: Path
) -> None:
    place = tmp_path / "app"
    gone = taken(other, place, "one", "two")
    own = taken(here, place, "three")
    here.pull(working_dir=place)
    assert set(ids_of(here, place)) == {*gone, *own}
    machine = next(one.machine for one in here.remote_list() if one.id == gone[0])
    for name in refs_of(undo):
        if f"/{machine}/" in name:
            git("update-ref", "-d", name, at=undo)
    [result] = here.pull(working_dir=place)
    assert (result.listed, result.gone) == (1, 2)
    assert ids_of(here, place) == own


def test_a_pull_that_finds_nothing_is_on_record(here: Checkpoints, undo: Path) -> None:
    here.pull()
    with here.connection() as connection:
        query = "SELECT outcome FROM operation_list WHERE operation = 'pull'"
        assert connection.execute(query).fetchall() == [("done",)]
    [remote] = here._base.catalog.remotes.all()
    assert remote.pulled_at is not None


def test_what_a_killed_git_left_in_the_cache_is_in_nobodys_way(
    here: Checkpoints, other: Checkpoints, undo: Path, home: Path, tmp_path: Path
) -> None:
    first, second = taken(other, tmp_path / "app", "one", "two")
    here.pull()
    cache = home / "checkpoints/remote.git"
    git("pack-refs", "--all", at=cache)
    (cache / "packed-refs.lock").touch()
    [name] = [name for name, id_ in refs_of(undo).items() if id_ == first]
    git("update-ref", "-d", name, at=undo)
    [result] = here.pull()
    assert (result.complete, result.gone) == (True, 1)
    assert ids_of(here) == [second]


def test_many_refs_are_no_files_of_their_own_in_the_cache(
    here: Checkpoints, other: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_checkpoints.remote.pull._MANY_REFS", 3)
    ids = taken(other, tmp_path / "app", "one", "two", "three")
    for _ in range(2):
        here.pull()
        assert ids_of(here) == ids[::-1]
        refs = here.home / "checkpoints/remote.git/refs"
        assert not any(one.is_file() for one in refs.rglob("*"))
