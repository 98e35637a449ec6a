"""What other machines have on remotes is listed, and counts in nothing of this base."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hermes_checkpoints
from catalog.records import START, Maker, added, counted, hex_id, journal, shell
from catalog.sent import (
    OTHER,
    OWN,
    THIRD,
    Sending,
    pushed,
    remote_checkpoint,
    sent_by,
)
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.model import (
    FetchedRef,
    OperationKind,
    Policy,
    ProjectKey,
    PushState,
    RemoteCheckpoint,
    RemoteScope,
)
from support import examples

APP = "github.com/org/app"


def ids(found: Iterable[Any]) -> list[str]:
    return [one.id for one in found]


# --- what a pull leaves --------------------------------------------------------------------------


def test_a_pull_lists_what_is_there_and_the_same_once_more_changes_nothing(make: Maker) -> None:
    sending = Sending.to(make)
    there = [
        remote_checkpoint(
            OTHER, 1, "/home/caf\udce9/app", repository=APP, subdirectory="w\udce9b", turn=3
        ),
        remote_checkpoint(THIRD, 2, reason="by a\nperson \ud800", session_id="s", head="9" * 40),
    ]
    assert sending.pull(there, names={OTHER: "laptop"}) == (2, 0)
    newest, oldest = make.catalog.elsewhere.list()
    assert (oldest.working_dir, oldest.subdirectory) == ("/home/caf\udce9/app", "w\udce9b")
    assert (oldest.machine_name, oldest.turn, oldest.is_here) == ("laptop", 3, False)
    assert (newest.reason, newest.created_at) == (
        "by a\nperson \\ud800",
        START + timedelta(minutes=2),
    )
    assert [row.kind for row in journal(make.catalog, 1)] == [OperationKind.PULL]
    tables = ("remote_checkpoints", "machines", "pushes")
    before = [shell(make.catalog.path, f"SELECT * FROM {name}") for name in tables]  # noqa: S608
    assert sending.pull(there) == (0, 0)
    after = [shell(make.catalog.path, f"SELECT * FROM {name}") for name in tables]  # noqa: S608
    assert after == before
    (remote,) = make.catalog.remotes.all()
    assert remote.pulled_at == START + timedelta(minutes=make.minutes)


def test_what_the_remote_has_no_longer_goes_and_local_checkpoints_stay(make: Maker) -> None:
    sending, own = Sending.to(make), make.checkpoint(make.project())
    gone, stays = remote_checkpoint(OTHER, 1), remote_checkpoint(THIRD, 2)
    sending.pull([gone, stays, sent_by(OTHER, own)])
    assert sending.pull([stays]) == (0, 2)
    assert ids(make.catalog.elsewhere.list()) == [stays.id]
    assert ids(make.catalog.checkpoints.live()) == [own.id]
    assert ids(make.catalog.elsewhere.machines()) == [THIRD], "a machine goes with its last one"


def test_a_ref_that_names_another_commit_is_another_checkpoint(make: Maker) -> None:
    sending, one = Sending.to(make), remote_checkpoint(OTHER, 1)
    sending.pull([one])
    make.catalog.fetched.add(FetchedRef(one.id, "refs/fetched/one", make.now()))
    other = remote_checkpoint(OTHER, 2, ref_name=one.ref_name)
    assert sending.pull([other]) == (1, 1)
    (found,) = make.catalog.elsewhere.list()
    assert (found.id, found.fetched_at) == (other.id, None)


def test_a_ref_is_known_by_every_byte_of_its_name(make: Maker) -> None:
    """Git allows names that are no UTF-8: whoever sends one does not have it read at each pull."""
    sending = Sending.to(make)
    odd = [remote_checkpoint(OTHER, n, ref_name=f"refs/x/{n}-\udce9\udcff") for n in range(2)]
    assert sending.pull(odd) == (2, 0)
    assert sending.pull(odd) == (0, 0)
    scope = RemoteScope(prefix="refs/x/1-\udce9")
    assert make.catalog.elsewhere.refs(sending.remote, scope) == {odd[1].ref_name: odd[1].id}


def test_a_ref_of_which_nothing_is_told_is_not_listed(make: Maker) -> None:
    """A malformed commit is counted by the pull and left; so is what is not among the refs."""
    sending = Sending.to(make)
    good, bad = remote_checkpoint(OTHER, 1), remote_checkpoint(OTHER, 2)
    strange = remote_checkpoint(OTHER, 3)
    told = make.catalog.elsewhere.record_pull(
        sending.remote,
        {good.ref_name: good.id, bad.ref_name: bad.id},
        [good, strange],
        sending.entry(OperationKind.PULL),
        now=make.now(),
    )
    assert told == (1, 0)
    assert make.catalog.elsewhere.refs(sending.remote) == {good.ref_name: good.id}


def test_a_pull_of_a_part_says_nothing_of_the_rest(make: Maker) -> None:
    sending, project = Sending.to(make), make.project()
    own = [make.checkpoint(project) for _ in range(2)]
    sending.push(*(pushed(one, PushState.SENT) for one in own))
    there = [remote_checkpoint(OTHER, 1), remote_checkpoint(THIRD, 2, "/home/ci/b")]
    sending.pull([*there, *(sent_by(OWN, one) for one in own)])
    for scope in (
        RemoteScope(machine=OTHER),
        RemoteScope(project_hashes=[there[0].project_hash]),
        RemoteScope(prefix=f"refs/checkpoints/{OTHER}/"),
    ):
        assert make.catalog.elsewhere.refs(sending.remote, scope) == {
            there[0].ref_name: there[0].id
        }
        assert sending.pull([], scope=scope) == (0, 1)
        assert sending.pull(there[:1], scope=scope) == (1, 0)
    assert sending.pull([], scope=RemoteScope(prefix="refs/heads/checkpoints/")) == (0, 0)
    assert {*sending.states().values()} == {"sent"}
    assert len(make.catalog.elsewhere.list()) == 4


_PULLS = st.lists(
    st.tuples(
        st.sets(st.integers(0, 7)),
        st.sampled_from([None, OWN, OTHER]),
    ),
    max_size=6,
)


@settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(_PULLS, st.sets(st.integers(0, 3)))
def test_after_any_pulls_the_list_is_what_the_remote_had_last(
    catalog: Catalog, pulls: list[Any], sent: set[int]
) -> None:
    """And what this base has sent is sent, or removed, as the remote has it or not."""
    catalog.retention.erase()
    make = Maker(catalog)
    sending, project = Sending.to(make), make.project()
    live = [make.checkpoint(project) for _ in range(4)]
    sending.push(*(pushed(live[number], PushState.SENT) for number in sent))
    every = [sent_by(OWN, one) for one in live] + [remote_checkpoint(OTHER, n) for n in range(4)]
    listed: dict[str, str] = {}
    states = {live[number].id: "sent" for number in sent}
    for numbers, machine in pulls:
        there = [every[n] for n in numbers if machine in (None, every[n].machine)]
        sending.pull(there, scope=RemoteScope(machine=machine))
        judged = [one for one in every if machine in (None, one.machine)]
        for one in judged:
            listed.pop(one.ref_name, None)
            if states.get(one.id) == "sent":
                states[one.id] = "removed"
        for one in there:
            listed[one.ref_name] = one.id
            if one.machine == OWN:
                states[one.id] = "sent"
    assert catalog.elsewhere.refs(sending.remote) == listed
    assert sorted(ids(catalog.elsewhere.list())) == sorted(listed.values())
    assert sending.states() == states
    assert set(sending.unsent()) == {one.id for one in live} - states.keys()


# --- what it says of what was sent ---------------------------------------------------------------


def test_what_is_sent_while_a_pull_looks_is_not_called_removed(make: Maker) -> None:
    sending = Sending.to(make)
    one = make.checkpoint(make.project())
    began = make.now()
    sending.push(pushed(one, PushState.SENT))
    entry = sending.entry(OperationKind.PULL)
    make.catalog.elsewhere.record_pull(
        sending.remote, {}, [], entry, machine=OWN, now=make.now(), began=began
    )
    assert sending.states() == {one.id: "sent"}
    sending.pull([])
    assert sending.states() == {one.id: "removed"}


def test_a_pull_after_a_lost_catalog_knows_what_was_sent(make: Maker) -> None:
    """Of a checkpoint that is not here any more it says nothing."""
    sending, project = Sending.to(make), make.project()
    there, fresh = make.checkpoint(project), make.checkpoint(project)
    sending.push(pushed(fresh, PushState.WAITING))
    sending.pull([sent_by(OWN, there), remote_checkpoint(OWN, 1, project.working_dir)])
    assert sending.states() == {there.id: "sent", fresh.id: "waiting"}
    assert sending.unsent() == [fresh.id]
    (sent,) = make.catalog.remotes.pushed(sending.remote, [PushState.SENT], machine=OWN)
    assert sent.ref_name == sent_by(OWN, there).ref_name


def test_what_another_machine_has_of_it_is_not_sent_by_this_one(make: Maker) -> None:
    """Each machine's refs are its own to remove, so the same commit below two ids lives on."""
    sending, own = Sending.to(make), make.checkpoint(make.project())
    sending.pull([sent_by(OTHER, own)])
    assert sending.unsent() == [own.id]
    (found,) = make.catalog.elsewhere.list()
    assert (found.is_here, found.machine) == (True, OTHER)


def test_a_copy_of_a_base_sends_its_own_once_the_owner_has_removed_them(make: Maker) -> None:
    sending, own = Sending.to(make), make.checkpoint(make.project())
    sending.push(pushed(own, PushState.SENT, ref_name=sent_by(OTHER, own).ref_name), machine=OTHER)
    sending.pull([sent_by(OTHER, own)], machine=OWN)
    assert sending.unsent() == [], "the copy has it from the base that it is a copy of"
    sending.pull([], machine=OWN)
    assert sending.unsent() == [own.id]
    sending.push(pushed(own, PushState.SENT))
    sending.pull([], machine=OWN)
    assert (sending.unsent(), sending.states()) == ([], {own.id: "removed"})


def test_a_copy_of_a_base_sends_its_own_once_it_has_removed_those_of_the_other(make: Maker) -> None:
    sending, project = Sending.to(make), make.project()
    own, of_the_other = make.checkpoint(project), make.checkpoint(project)
    there = [sent_by(OWN, own).ref_name, sent_by(OTHER, of_the_other).ref_name]
    sending.push(pushed(own, PushState.SENT))
    told = pushed(of_the_other, PushState.SENT, ref_name=there[1])
    sending.push(told, machine=OTHER)
    entry = sending.entry(OperationKind.REMOTE_PRUNE)
    make.catalog.remotes.record_removal(sending.remote, there, entry, machine=OWN, now=make.now())
    assert (sending.unsent(), sending.states()) == ([of_the_other.id], {own.id: "removed"})


# --- questions -----------------------------------------------------------------------------------


def test_a_project_is_found_by_its_repository_or_without_one_by_its_path(make: Maker) -> None:
    sending = Sending.to(make)
    here = remote_checkpoint(OWN, 1, "/home/me/app")
    there = remote_checkpoint(OTHER, 2, "/home/ci/app", repository=APP, subdirectory="")
    below = remote_checkpoint(OTHER, 3, "/home/ci/app/web", repository=APP, subdirectory="web")
    same_path = remote_checkpoint(OTHER, 4, "/home/me/app")
    sending.pull([here, there, below, same_path])
    find = make.catalog.elsewhere.list
    key = ProjectKey(OWN, here.project_hash, APP, "")
    assert ids(find(key)) == [there.id, here.id]
    assert ids(find(ProjectKey(OWN, here.project_hash))) == [same_path.id, here.id]
    assert ids(find(ProjectKey(None, here.project_hash, APP, "web"))) == [below.id]
    assert ids(find()) == [same_path.id, below.id, there.id, here.id]
    assert ids(find(limit=2)) == [same_path.id, below.id]
    assert ids(find(machine=OWN)) == [here.id]
    assert ids(find(key, machine=OTHER)) == [there.id]


def test_what_several_refs_lead_to_is_listed_once_with_what_is_here(make: Maker) -> None:
    sending, other = Sending.to(make), Sending.to(make, "/srv/other.git")
    own = make.checkpoint(make.project())
    twice = [sent_by(OTHER, own), sent_by(THIRD, own)]
    sending.pull(twice)
    other.pull([*twice, remote_checkpoint(THIRD, 500, session_id="s1")])
    first, second = make.catalog.elsewhere.list()
    assert (second.id, second.is_here, first.is_here) == (own.id, True, False)
    assert ids(make.catalog.elsewhere.list(remote=sending.remote)) == [own.id]
    assert ids(make.catalog.elsewhere.list(session_id="s1")) == [first.id]
    assert [(one.id, one.checkpoints) for one in make.catalog.elsewhere.machines()] == [
        (THIRD, 2),
        (OTHER, 1),
    ]


def test_the_beginning_of_an_id_finds_at_most_so_many(make: Maker) -> None:
    sending = Sending.to(make)
    many = [remote_checkpoint(OTHER, n, id=f"ab{n:06x}".ljust(40, "0")) for n in range(25)]
    one = remote_checkpoint(OTHER, 30, id="cd" * 20)
    sending.pull([*many, one])
    find = make.catalog.elsewhere.find
    assert ids(find("cd")) == ids(find("cd" * 20)) == [one.id]
    assert ids(find("ab")) == ids(reversed(many))[:20]
    for nothing in ("", "CD", "cd%", "ce", "x", "cd" * 40):
        assert find(nothing) == []


def test_machines_have_their_names_and_when_something_new_was_found(make: Maker) -> None:
    sending = Sending.to(make)
    first = remote_checkpoint(OTHER, 1)
    sending.pull([first], names={OTHER: "laptop", THIRD: "nothing of it is there"})
    (met,) = make.catalog.elsewhere.machines()
    assert (met.name, met.first_seen, met.checkpoints) == ("laptop", met.last_seen, 1)
    sending.pull([first])
    assert make.catalog.elsewhere.machines() == [met]
    sending.pull([first, remote_checkpoint(OTHER, 9)], names={OTHER: "desk"})
    (now,) = make.catalog.elsewhere.machines(sending.remote)
    assert (now.name, now.first_seen, now.checkpoints) == ("desk", met.first_seen, 2)
    assert now.last_seen > met.last_seen
    assert now.newest_at == START + timedelta(minutes=9)


def test_what_was_fetched_is_known_until_it_is_said_to_be_gone(make: Maker) -> None:
    sending = Sending.to(make)
    old, new = remote_checkpoint(OTHER, 1), remote_checkpoint(OTHER, 2)
    sending.pull([old, new])
    fetched, early = make.catalog.fetched, make.now()
    fetched.add(FetchedRef(old.id, "refs/fetched/old", early, 100))
    fetched.add(FetchedRef(new.id, "refs/fetched/new", make.now(), 20))
    assert (ids(fetched.all()), make.catalog.usage.fetched()) == ([old.id, new.id], 120)
    assert ids(fetched.all(early)) == ids(fetched.find(old.id[:8])) == [old.id]
    assert fetched.get(old.id) == FetchedRef(old.id, "refs/fetched/old", early, 100)
    assert [one.fetched_at is None for one in make.catalog.elsewhere.list()] == [False, False]
    fetched.remove(["refs/fetched/old"])
    assert (ids(fetched.all()), fetched.get(old.id)) == ([new.id], None)
    fetched.add(FetchedRef(new.id, "refs/fetched/elsewhere", make.now(), 5))
    assert (make.catalog.usage.fetched(), len(fetched.all())) == (5, 1), (
        "once more is no second one"
    )
    (row,) = shell(make.catalog.path, "SELECT checkpoints, fetched, here FROM remote_list")
    assert row == {"checkpoints": 2, "fetched": 1, "here": 0}


def test_the_view_has_a_row_for_each_directory_of_each_machine(make: Maker) -> None:
    sending, own = Sending.to(make), make.checkpoint(make.project())
    sending.pull(
        [
            remote_checkpoint(OTHER, 1, repository=APP, subdirectory=""),
            remote_checkpoint(OTHER, 2, repository=APP, subdirectory=""),
            remote_checkpoint(THIRD, 3, repository=APP, subdirectory=""),
            sent_by(OWN, own),
        ],
        names={OTHER: "laptop"},
    )
    columns = "repository, machine, machine_name, checkpoints, here, newest_at"
    rows = shell(make.catalog.path, f"SELECT {columns} FROM remote_list")  # noqa: S608
    assert [tuple(row.values()) for row in rows] == [
        (None, OWN, None, 1, 1, f"{own.created_at:%F %T}"),
        (APP, OTHER, "laptop", 2, 0, "2026-11-20 12:02:00"),
        (APP, THIRD, None, 1, 0, "2026-11-20 12:03:00"),
    ]


# --- must never: foreign checkpoints count in local status, cap, orphan or retention rules -------


def local(make: Maker) -> list[object]:
    """All that the catalog says of this base: every view and table but those of remotes, and what
    status, usage, prunes, the size cap, rebuilds and checks ask."""
    catalog = make.catalog
    tables = schema.TABLES | schema.VIEWS
    apart = {"machines", "remotes", "remote_checkpoints", "remote_list", "operations"}
    apart |= {"fetched_checkpoints"}
    apart |= {"operation_list", "retention_policy"}  # the journal tells of the pull; now() moves
    named = sorted(tables - apart)
    found: list[object] = [
        (name, shell(catalog.path, f"SELECT * FROM {name}"))  # noqa: S608 - names from here
        for name in named
    ]
    now = START + timedelta(days=400)
    policy = Policy(max_snapshots=1, cap_bytes=1, reclaim_bytes=1)
    found += [
        catalog.status.projects(),
        catalog.status.totals(),
        catalog.status.held((START, now)),
        catalog.standing.left(),
        catalog.projects.all(),
        catalog.checkpoints.live(),
        catalog.checkpoints.ref_names(),
        catalog.checkpoints.known_commits(),
        catalog.agreement.rows(),
        catalog.usage.rows(),
        catalog.usage.added(),
        catalog.retention.projects(),
        catalog.retention.live_trees(),
        catalog.plans.plan(policy, now),
        catalog.plans.is_within(2, 2, hex_id("/srv/alpha")[:16]),
        catalog.restores.to_undo(hex_id("/srv/alpha")[:16]),
        catalog.times.later_than(now),
    ]
    return found


def test_nothing_of_this_base_counts_what_is_elsewhere(make: Maker) -> None:
    """Also where the paths, hashes, sessions, commits and the machine are those of this base."""
    project, orphan = make.project(), make.project("/gone")
    taken = [make.checkpoint(project, changes=[added("a")], session_id="s", turn=1)]
    taken += [make.checkpoint(project), make.checkpoint(orphan)]
    make.restore(project, taken[0])
    sending = Sending.to(make)
    before = local(make)
    foreign: list[RemoteCheckpoint] = []
    for number in range(60):
        where = (project.working_dir, orphan.working_dir, "/home/ci/app")[number % 3]
        foreign.append(
            remote_checkpoint(
                (OTHER, THIRD, OWN)[number % 3 if number % 2 else 0],
                number,
                where,
                session_id="s",
                turn=1,
                logical_bytes=2**40,
                file_count=1000,
                created_at=START + timedelta(days=number * 30),
            )
        )
    foreign += [sent_by(OTHER, one) for one in taken]
    sending.pull(foreign, machine=None)
    for one in foreign:
        make.catalog.fetched.add(FetchedRef(one.id, f"refs/fetched/{one.id}", make.now(), 2**40))
    assert local(make) == before
    assert len(shell(make.catalog.path, "SELECT * FROM remote_checkpoints")) == 63


def test_no_other_module_reads_what_is_elsewhere() -> None:
    """So no rule, sum, plan or look can: each names the tables that it asks."""
    package = Path(hermes_checkpoints.__file__).parent
    naming = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if re.search(r"\bremote_checkpoints\b", file.read_text(encoding="utf-8"))
    }
    assert naming == {
        "catalog/direct/statements.py",  # among the names of tables that a catalog has
        "catalog/elsewhere.py",
        "catalog/remotes.py",
        "catalog/removals.py",  # for when they were taken, which decides what goes from a remote
        "catalog/schema.py",
        "catalog/table_comments.py",
    }
    for file in sorted((package / "catalog" / "questions").glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        reads = re.search(r"\bremote_(?:checkpoints|list)\b", text) is not None
        assert reads is file.name.startswith("machines-"), file.name


def test_a_list_of_many_is_one_statement(make: Maker) -> None:
    sending = Sending.to(make)
    sending.pull([remote_checkpoint(OTHER, number) for number in range(200)])
    with counted(make.catalog) as statements:
        assert len(make.catalog.elsewhere.list()) == 200
        make.catalog.elsewhere.find(hex_id("elsewhere", 3)[:8])
        make.catalog.elsewhere.machines()
    assert len(statements) == 3
    with counted(make.catalog) as statements:
        sending.pull([remote_checkpoint(OTHER, number) for number in range(200)])
    assert len(statements) <= 14, "the same once more does not grow with the list"


def test_no_checkpoint_of_this_base_is_found_by_what_is_elsewhere(make: Maker) -> None:
    sending, project = Sending.to(make), make.project()
    own = make.checkpoint(project)
    one = remote_checkpoint(OTHER, 1, project.working_dir)
    sending.pull([one])
    assert make.catalog.checkpoints.find(one.id[:8]) == []
    assert make.catalog.checkpoints.of_commit(one.id) is None
    assert ids(make.catalog.checkpoints.list(project.hash)) == [own.id]
