"""The index of a fleet has what remotes have, whatever it had before; on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from fleet.conftest import Database, rows, take
from fleet.planted import commit, cursor, message, plant, planted, ref, remove
from hermes_checkpoints import BadRequest, Checkpoints, FleetIndexed, RemoteOff
from hermes_checkpoints.fleet.rows import url_hash
from hermes_checkpoints.fleet.server import connected, try_lock
from remote.servers import bare, git, refs_of

pytestmark = pytest.mark.campaign

Make = Callable[..., Checkpoints]


def made_anew(admin: Checkpoints, database: Database, *urls: str) -> dict[str, list[Any]]:
    """Return what the index says after it was lost and made anew."""
    database.do("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    assert all(one.error is None for one in admin.index_fleet(urls))
    return rows(database)


def counts(results: list[FleetIndexed]) -> list[tuple[int, int, int, int]]:
    assert [one.error for one in results if one.error] == []
    return [(one.listed, one.added, one.gone, one.malformed) for one in results]


# --- what it has ---------------------------------------------------------------------------------


def test_two_remotes_indexed_twice_and_after_a_loss_give_the_same_rows(
    admin: Checkpoints, machine: Make, database: Database, undo: Path, tmp_path: Path
) -> None:
    second = bare(tmp_path / "second.git")
    urls = [str(undo), str(second)]
    take(machine("laptop"), tmp_path / "app", "one", "two")
    take(machine("server", second), tmp_path / "app", "three")
    assert counts(admin.index_fleet(urls)) == [(2, 2, 0, 0), (1, 1, 0, 0)]
    known = rows(database)
    assert [len(each) for each in known.values()] == [2, 2, 1, 2, 3]
    assert counts(admin.index_fleet(urls)) == [(2, 0, 0, 0), (1, 0, 0, 0)]
    assert rows(database) == known
    assert made_anew(admin, database, *urls) == known


def test_a_checkpoint_is_told_as_its_machine_told_it(
    admin: Checkpoints, machine: Make, database: Database, undo: Path, tmp_path: Path
) -> None:
    laptop = machine("ada's laptop")
    [first, second] = take(laptop, tmp_path / "app", "one", "two")
    [result] = admin.index_fleet()  # the remote of config.yaml
    assert result.url == str(undo)
    [newest, _] = database.ask(
        "SELECT commit_id, machine_name, reason, workdir, created_at, files, bytes, kind, remote, "
        "ref FROM fleet_checkpoint_list ORDER BY created_at DESC"
    )
    taken = laptop.project(tmp_path / "app").list()[0]
    assert newest == (
        *(second, "ada's laptop", "two", str(tmp_path / "app"), taken.created_at),
        *(taken.file_count, taken.logical_bytes, "manual", str(undo)),
        next(name for name, id_ in refs_of(undo).items() if id_ == second),
    )
    assert first != second


def test_what_is_gone_there_goes_with_its_sums(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    refs = dict(planted(number, workdir=f"/w/{number % 2}", Bytes=1 << number) for number in (1, 2))
    refs |= dict([planted(3, workdir="/w/1", Bytes=8), planted(4, 2, "/w/1", Bytes=16)])
    names = [*refs]
    plant(undo, refs)
    admin.index_fleet()
    sums = "SELECT workdir, machines, checkpoints, bytes FROM fleet_projects ORDER BY workdir"
    assert database.ask(sums) == [("/w/0", 1, 1, 4), ("/w/1", 2, 3, 26)]
    remove(undo, names[1], names[2])
    assert counts(admin.index_fleet()) == [(2, 0, 2, 0)]
    assert database.ask(sums) == [("/w/1", 2, 2, 18)]
    known = rows(database)
    assert made_anew(admin, database) == known
    remove(undo, names[0], names[3])
    assert counts(admin.index_fleet()) == [(0, 0, 2, 0)]
    assert [len(each) for each in rows(database).values()] == [1, 0, 0, 0, 0]


def test_the_same_place_of_a_repository_is_one_project_and_so_is_the_same_path_without_one(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    app = {"Repository": "github.com/org/app", "Subdirectory": ""}
    web = {"Repository": "github.com/org/app", "Subdirectory": "web"}
    refs = [
        planted(1, 1, "/home/ada/app", **app),
        planted(2, 2, "/srv/app", **app),
        planted(3, 2, "/srv/app/web", **web),
        planted(4, 3, "/workspace"),
        planted(5, 4, "/workspace"),
    ]
    plant(undo, dict(refs))
    admin.index_fleet()
    assert database.ask(
        "SELECT repository, subdirectory, workdir, machines FROM fleet_projects ORDER BY newest_at"
    ) == [
        ("github.com/org/app", "", "/home/ada/app", 2),
        ("github.com/org/app", "web", "/srv/app/web", 1),
        (None, None, "/workspace", 2),
    ]
    [(project,)] = database.ask("SELECT DISTINCT project FROM fleet_holders WHERE machine ~ '3$'")
    assert project == "/workspace"


def test_a_directory_is_the_project_that_its_newest_checkpoint_says_with_all_its_history(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    plant(undo, dict([planted(1), planted(2)]))
    admin.index_fleet()
    newer = planted(3, Repository="github.com/org/app", Subdirectory="")
    plant(undo, dict([newer]))
    assert counts(admin.index_fleet()) == [(3, 1, 0, 0)]
    held = "SELECT project, checkpoints FROM fleet_holders"
    assert database.ask(held) == [("github.com/org/app", 3)]
    known = rows(database)
    assert made_anew(admin, database) == known
    remove(undo, newer[0])
    admin.index_fleet()
    assert database.ask(held) == [("/home/ada/app", 2)]
    known = rows(database)
    assert made_anew(admin, database) == known


def test_a_commit_that_two_machines_or_remotes_have_counts_once_for_the_project(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path
) -> None:
    second = bare(tmp_path / "second.git")
    name, told = planted(1)
    other = name.replace(f"{1:012x}", f"{2:012x}")
    plant(undo, {name: told, other: told, f"{name}-again": told})
    plant(second, {name: told})
    results = admin.index_fleet([str(undo), str(second)])
    assert counts(results) == [(2, 2, 0, 0), (1, 1, 0, 0)]
    assert database.ask("SELECT machines, checkpoints, bytes FROM fleet_projects") == [(2, 1, 100)]
    assert admin.fleet_status().checkpoints == 1


def test_both_namespaces_are_read(
    admin: Checkpoints, machine: Make, database: Database, undo: Path, tmp_path: Path
) -> None:
    take(machine("laptop"), tmp_path / "app", "one")
    take(machine("server", namespace="heads"), tmp_path / "app", "two")
    assert counts(admin.index_fleet()) == [(2, 2, 0, 0)]
    listed = database.ask("SELECT machine_name, ref FROM fleet_checkpoint_list ORDER BY 1")
    assert [name for name, _ in listed] == ["laptop", "server"]
    assert {ref for _, ref in listed} <= {*refs_of(undo)}
    assert listed[1][1].startswith("refs/heads/checkpoints/")


def test_a_machine_is_called_as_it_calls_itself_where_it_sent_last(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    plant(undo, dict([planted(1, workdir="/a"), planted(2, workdir="/b")]))
    admin.index_fleet()
    named = "SELECT name FROM fleet_machines"
    assert database.ask(named) == [(None,)]
    plant(undo, dict([cursor(1, "/a", "former"), cursor(1, "/b", "latter")]))
    assert counts(admin.index_fleet()) == [(2, 0, 0, 0)]
    assert database.ask(named) == [("latter",)]
    remove(undo, cursor(1, "/b", "")[0])
    admin.index_fleet()
    assert database.ask(named) == [("former",)]
    known = rows(database)
    assert made_anew(admin, database) == known


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_the_index_is_what_it_would_be_if_it_were_new(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same each time
    second = bare(tmp_path / "second.git")
    remotes = [undo, second]
    origins = [{}, {"Repository": "github.com/org/app", "Subdirectory": ""}]
    origins += [{"Repository": "github.com/org/app", "Subdirectory": "web\\x"}]
    there: dict[Path, dict[str, bytes]] = {one: {} for one in remotes}
    for step in range(8):
        for remote in remotes:
            known = there[remote]
            going = chance.sample(sorted(known), k=min(len(known), chance.randrange(4)))
            coming = dict(
                planted(
                    chance.randrange(60),
                    chance.randrange(3),
                    chance.choice(["/a", "/b", "/c\udcff"]),
                    Bytes=chance.randrange(1000),
                    **chance.choice(origins),
                )
                for _ in range(chance.randrange(6))
            )
            coming |= dict([cursor(chance.randrange(3), "/a", f"name {chance.randrange(2)}")])
            if going:
                remove(remote, *going)
            plant(remote, coming)
            there[remote] = {k: v for k, v in known.items() if k not in going} | {
                k: v for k, v in coming.items() if "cursor" not in k
            }
        admin.index_fleet(map(str, remotes if step % 2 else remotes[::-1]))
    known_rows = rows(database)
    assert len(known_rows["fleet_checkpoints"]) == sum(map(len, there.values()))
    assert made_anew(admin, database, *map(str, remotes)) == known_rows


# --- what is hostile -----------------------------------------------------------------------------


def test_what_is_malformed_is_counted_and_what_is_odd_is_kept_as_text(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    at = {"number": 0}

    def one(workdir: str = "/w", **trailers: Any) -> tuple[str, bytes]:
        at["number"] += 1
        return ref(1, workdir, f"20261101T000000Z-{at['number']:08x}"), message(workdir, **trailers)

    bad = [
        one(Time="9999-12-31T23:59:59-05:00"),
        one(Time="-0500-01-01T00:00:00+00:00"),
        one(Time="2026-11-01T00:00:00"),
        one(Workdir="/elsewhere"),
        one(Workdir="/a\0b"),
        one(Bytes=1 << 64),
        one(Kind="nothing of ours"),
        one(Reason="x" * (64 << 10)),
        (one()[0], b"no checkpoint"),
    ]
    odd = [
        one(Time="9999-12-31T23:59:59+00:00", Bytes=(1 << 63) - 1, Files=(1 << 63) - 1),
        one(Time="0001-01-01T00:00:00+00:00", Bytes=(1 << 63) - 1, Turn=-(1 << 63) + 1),
        one(Reason="NUL \0, half \udcff, \x1b[31m", Session="s\0\ud800" * 3000, Turn=3),
        one("/w\udcff\\", Repository="r\0\udcff" * 3000, Subdirectory="d\udcff\\"),
        one("/negative", Bytes=-5, Files=-5),
        one("/long", Repository="x" * 50_000, Reason="y" * 300),
    ]
    names = [cursor(1, "/w", "\0\x1b]0;name\x07" * 2000)]
    plant(undo, dict([*bad, *odd, *names]))
    assert counts(admin.index_fleet()) == [(len(odd), len(odd), 0, len(bad))]
    assert counts(admin.index_fleet()) == [(len(odd), 0, 0, len(bad))]
    told = database.ask(
        "SELECT workdir, reason, bytes FROM fleet_checkpoint_list ORDER BY right(ref, 8)"
    )
    assert [row[0] for row in told] == [*["/w"] * 3, r"/w\xff\\", "/negative", "/long"]
    assert told[2][1] == "NUL \\x00, half \\udcff, \x1b[31m"
    assert (len(told[5][1]), told[5][1][-1]) == (200, "…")
    assert told[4][2] == -5
    assert max(bytes_ for (bytes_,) in database.ask("SELECT bytes FROM fleet_places")) == 2**63 - 1
    known = rows(database)
    found = admin.fleet_status()
    assert (found.machines, found.machine_list[0].ahead) == (1, True)
    assert made_anew(admin, database) == known


def test_a_commit_with_a_nul_and_one_of_another_kind_are_malformed(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    git("hash-object", "-t", "tree", "-w", "--stdin", at=undo)
    raw = {
        "1" * 8: ("commit", commit(message().replace(b"planted", b"plan\0ted"))),
        "2" * 8: ("commit", commit(message().replace(b'"auto"', b'"au\0to"'))),
        "3" * 8: ("blob", message()),
        "4" * 8: ("blob", b"x" * (1 << 20)),
        "6" * 8: ("commit", commit(message()).replace(b"author", b"nobody")),
        "7" * 8: ("commit", commit(message()).replace(b" 1700000000 ", b" -99999999999999999999 ")),
        "8" * 8: ("commit", commit(message()).replace(b" +0000", b" +99999999999999")),
    }
    for digits, (kind, data) in raw.items():
        words = ("hash-object", "-t", kind, "-w", "--literally", "--stdin")
        id_ = git(*words, at=undo, stdin=data).strip()
        name = ref(1, "/home/ada/app", f"20261101T000000Z-{digits}")
        git("update-ref", name, id_, at=undo)
    assert counts(admin.index_fleet()) == [(1, 1, 0, 6)]
    assert len(database.ask("SELECT FROM fleet_checkpoints")) == 1


def test_refs_that_are_none_of_ours_are_left_alone(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    refs = dict([planted(1)])
    for name in ("refs/heads/main", "refs/checkpoints/x", "refs/checkpoints/a/b/c"):
        refs[name] = message()
    plant(undo, refs)
    assert counts(admin.index_fleet()) == [(1, 1, 0, 0)]


# --- what goes wrong -----------------------------------------------------------------------------


def test_a_remote_that_is_away_keeps_its_rows_and_is_told_and_the_others_go_on(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path
) -> None:
    second = bare(tmp_path / "second.git")
    plant(undo, dict([planted(1)]))
    plant(second, dict([planted(2, 2)]))
    urls = [str(undo), str(second)]
    admin.index_fleet(urls)
    undo.rename(tmp_path / "away.git")
    plant(second, dict([planted(3, 2)]))
    away, other = admin.index_fleet(urls)
    assert (away.complete, away.code, other.complete, other.added) == (
        *(False, "remote-unreachable"),
        *(True, 1),
    )
    assert len(database.ask("SELECT FROM fleet_checkpoints")) == 3
    admin.index_fleet(urls)
    first, last = admin.fleet_status().remote_list
    assert (first.url, first.failures, first.code, first.checkpoints) == (
        *(urls[0], 2, "remote-unreachable"),
        1,
    )
    assert first.indexed_at is not None
    assert first.failed_at is not None
    assert first.failed_at > first.indexed_at
    assert (last.failures, last.error) == (0, None)
    (tmp_path / "away.git").rename(undo)
    assert counts(admin.index_fleet(urls[0])) == [(1, 0, 0, 0)]
    assert all(one.failures == 0 for one in admin.fleet_status().remote_list)


def test_a_password_in_an_address_of_a_remote_is_nowhere_in_the_index(
    admin: Checkpoints, database: Database
) -> None:
    url = "https://me:tell-nobody@127.0.0.1:1/undo.git?token=tell-nobody"
    [result] = admin.index_fleet(url)
    assert result.url == "https://127.0.0.1:1/undo.git"
    assert "tell-nobody" not in f"{result}{admin.fleet_status()}"
    for name in ("remotes", "machines", "projects", "places", "checkpoints"):
        assert "tell-nobody" not in str(database.ask(f"TABLE fleet_{name}"))
    home = admin.home
    found = subprocess.run(["grep", "-r", "tell-nobody", str(home)], check=False)
    assert found.returncode == 1


@pytest.mark.parametrize("damage", ["gone", "objects gone", "lock left", "refs of nothing"])
def test_a_damaged_cache_costs_one_fetch_and_no_row(
    admin: Checkpoints, database: Database, undo: Path, damage: str
) -> None:
    plant(undo, dict(planted(number) for number in range(5)))
    admin.index_fleet()
    known = rows(database)
    cache = admin.home / "checkpoints/fleet" / f"{url_hash(str(undo))}.git"
    kinds = git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)", at=cache)
    assert {*kinds.split()} == {"commit"}
    if damage == "gone":
        shutil.rmtree(cache)
    elif damage == "objects gone":
        shutil.rmtree(cache / "objects")
        (cache / "objects").mkdir()
    elif damage == "lock left":
        (cache / "packed-refs.lock").touch()
        (cache / "refs/listed/checkpoints").mkdir(parents=True, exist_ok=True)
        (cache / "refs/listed/checkpoints/x.lock").touch()
    else:
        (cache / "packed-refs").write_text(f"{'ab' * 20} refs/listed/checkpoints/x\n")
    plant(undo, dict([planted(9)]))
    assert counts(admin.index_fleet()) == [(6, 1, 0, 0)]
    assert made_anew(admin, database) != known
    assert len(rows(database)["fleet_checkpoints"]) == 6


def test_an_address_that_is_none_and_one_of_a_project_are_refused(
    admin: Checkpoints, database: Database, tmp_path: Path
) -> None:
    for url in ("relative.git", "", "/srv/{project}.git", "ext::sh -c 'touch /tmp/x'"):
        with pytest.raises(BadRequest, match="address"):
            admin.index_fleet(url)
    alike = ("https://one@example.org/x.git", "https://two@example.org/x.git")
    with pytest.raises(BadRequest, match=r"one remote; name it once"):
        admin.index_fleet(alike)
    with pytest.raises(RemoteOff, match="the remote would be the base itself"):
        admin.index_fleet(str(admin.home / "checkpoints/store"))
    assert database.ask("SELECT to_regclass('fleet_remotes')") == [(None,)]


# --- several at once, and killed -----------------------------------------------------------------


def test_a_second_one_leaves_a_remote_that_is_being_indexed(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path
) -> None:
    from sqlalchemy import make_url

    second = bare(tmp_path / "second.git")
    plant(undo, dict([planted(1)]))
    plant(second, dict([planted(2)]))
    with connected(make_url(database.url)) as connection:
        with try_lock(connection, "remote", url_hash(str(undo))) as had:
            assert had
            held, other = admin.index_fleet([str(undo), str(second)])
            assert (held.code, other.complete) == ("lock-held", True)
            assert "another process is indexing" in str(held.error)
        assert counts(admin.index_fleet(str(undo))) == [(1, 1, 0, 0)]
    [first, _] = admin.fleet_status().remote_list
    assert first.failures == 0


def forked(work: Callable[[], object]) -> int:
    """Run something in a process of its own, and return its id; it ends with 0 where it worked."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - the child ends here
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def index_elsewhere(home: Path, database: Database, *urls: str, held: bool = False) -> None:
    """Index from a home of its own."""
    with Checkpoints.open(home) as checkpoints:
        for one in checkpoints.index_fleet(urls, catalog=database.url):
            assert one.complete or (held and one.code == "lock-held"), one


def test_eight_at_once_that_share_projects_and_machines_count_what_all_have(
    admin: Checkpoints, database: Database, tmp_path: Path
) -> None:
    remotes = [bare(tmp_path / f"{number}.git") for number in range(8)]
    for round_ in range(3):
        for number, remote in enumerate(remotes):
            start = 100 * round_ + 10 * number
            refs = [planted(start + n, n % 3, f"/w/{n % 4}", Bytes=n) for n in range(10)]
            plant(remote, dict(refs))
            if round_:
                remove(remote, planted(start - 100 + 3, 0, "/w/3")[0])
        homes = [tmp_path / f"home-{number}" for number in range(8)]
        children = [
            forked(lambda home=home, remote=remote: index_elsewhere(home, database, str(remote)))  # type: ignore[misc]
            for home, remote in zip(homes, remotes, strict=True)
        ]
        assert [ended(child) for child in children] == [0] * 8
    known = rows(database)
    assert len(known["fleet_checkpoints"]) == 8 * (3 * 10 - 2)
    assert made_anew(admin, database, *map(str, remotes)) == known


def test_eight_at_once_on_the_same_remotes_leave_what_one_would(
    admin: Checkpoints, database: Database, tmp_path: Path
) -> None:
    remotes = [bare(tmp_path / f"{number}.git") for number in range(2)]
    urls = [*map(str, remotes)]
    for number, remote in enumerate(remotes):
        plant(remote, dict(planted(n, n % 3, f"/w/{n % 4}") for n in range(number, 40, 2)))
    children = [
        forked(
            lambda n=n: index_elsewhere(  # type: ignore[misc]
                tmp_path / f"home-{n % 5}", database, *urls[:: 1 if n % 2 else -1], held=True
            )
        )
        for n in range(8)
    ]
    assert [ended(child) for child in children] == [0] * 8
    admin.index_fleet(urls)
    known = rows(database)
    assert made_anew(admin, database, *urls) == known


def test_one_that_is_killed_at_any_statement_leaves_what_the_next_makes_right(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path
) -> None:
    app = {"Repository": "github.com/org/app", "Subdirectory": ""}
    plant(undo, dict(planted(n, n % 3, f"/w/{n % 4}") for n in range(20)))
    home = tmp_path / "home"
    index_elsewhere(home, database, str(undo))

    def killed_at(number: int) -> None:
        run, at = Connection.exec_driver_sql, iter(range(1000))

        def dying(self: Connection, *words: Any, **more: Any) -> Any:
            if next(at) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return run(self, *words, **more)

        Connection.exec_driver_sql = dying  # type: ignore[method-assign]
        index_elsewhere(home, database, str(undo))

    kills = 0
    for number in range(0, 60, 2):
        remove(undo, *[*refs_of(undo)][:1])
        plant(undo, dict([planted(100 + number, number % 3, f"/w/{number % 4}", **app)]))
        code = ended(forked(lambda number=number: killed_at(number)))  # type: ignore[misc]
        if code == 0:
            break
        assert code == -signal.SIGKILL
        kills += 1
        while True:  # its session on the server may take a moment to end
            [result] = admin.index_fleet()
            if result.code != "lock-held":
                break
        assert result.complete, result
        known = rows(database)
        if number % 6 == 0:
            assert made_anew(admin, database) == known
    assert kills > 15


# --- the homes -----------------------------------------------------------------------------------


def test_only_the_home_and_the_caller_say_what_is_indexed(
    admin: Checkpoints, database: Database, undo: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    project, trap = tmp_path / "project", bare(tmp_path / "trap.git")
    for place in (project, project / ".hermes"):
        place.mkdir()
        told = {"checkpoints": {"remote": {"url": str(trap)}, "fleet": {"catalog": "x://y"}}}
        (place / "config.yaml").write_text(json.dumps(told))
    plant(trap, dict([planted(1)]))
    monkeypatch.chdir(project)
    [result] = admin.index_fleet()
    assert (result.url, result.listed) == (str(undo), 0)
