"""What became of checkpoints on remotes, and what is to be sent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.records import Maker, counted, hex_id, integrity_problems, journal, shell
from catalog.sent import OTHER, OWN, URL, Sending, pushed, remote_checkpoint, sent_by
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import (
    Checkpoint,
    FileIdentity,
    OperationKind,
    OperationOutcome,
    PushState,
    RefusedPath,
    SkippedPath,
    SkipReason,
)
from hermes_checkpoints.remote.words import redacted_url
from support import examples

SENT, WAITING = PushState.SENT, PushState.WAITING
REFUSED, REMOVED = PushState.REFUSED, PushState.REMOVED


def prune(catalog: Catalog, make: Maker, *going: Checkpoint) -> None:
    catalog.checkpoints.mark_pruning({one._row: "over-limit" for one in going}, make.now())
    catalog.checkpoints.mark_pruned([one._row for one in going])


# --- which remote --------------------------------------------------------------------------------


def test_a_remote_is_known_by_what_is_shown_of_its_address(make: Maker) -> None:
    """So another password makes no other remote."""
    remotes = make.catalog.remotes
    assert remotes.find(URL) is None
    shown = [redacted_url(f"https://me:{word}@example.org/saves.git") for word in ("one", "two")]
    first, again = (remotes.register(one, make.now()) for one in shown)
    odd = remotes.register("/srv/caf\udce9\ud800.git", make.now())
    assert first == again == remotes.find(URL)
    assert odd == remotes.find("/srv/caf\udce9\ud800.git") == remotes.find(odd.url)
    assert remotes.all() == [first, odd]
    assert (first.url, first.added_at < odd.added_at) == (URL, True)


# --- what is to be sent --------------------------------------------------------------------------


def test_all_that_is_live_is_unsent_oldest_first(make: Maker) -> None:
    alpha, beta = make.project("/srv/alpha"), make.project("/srv/beta")
    taken = [make.checkpoint(project) for project in (alpha, beta, alpha, beta)]
    sending = Sending.to(make)
    assert sending.unsent() == [one.id for one in taken]
    assert sending.unsent(project_hash=beta.hash) == [taken[1].id, taken[3].id]
    assert sending.unsent(limit=2) == [taken[0].id, taken[1].id]
    assert sending.unsent(limit=2, after=taken[1]) == [taken[2].id, taken[3].id]
    sending.push(pushed(taken[0], SENT), pushed(taken[1], WAITING), pushed(taken[2], REFUSED))
    assert sending.unsent() == [taken[1].id, taken[3].id]
    assert sending.unsent(also=[REFUSED]) == [one.id for one in taken[1:]]
    other = Sending.to(make, "/srv/other.git")
    assert len(other.unsent()) == 4, "what one remote has says nothing of another"


def test_what_the_store_has_lost_in_part_cannot_be_sent(make: Maker) -> None:
    project = make.project()
    lost, whole = make.checkpoint(project), make.checkpoint(project)
    make.catalog.agreement.mark_partly([lost._row], make.now())
    assert Sending.to(make).unsent() == [whole.id]


def test_what_is_unsent_is_asked_by_one_statement(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    for _ in range(30):
        make.checkpoint(project)
    with counted(make.catalog) as statements:
        assert len(sending.unsent()) == 30
        make.catalog.remotes.status()
    assert len(statements) == 2


def test_a_checkpoint_of_which_a_content_was_forgotten_was_never_sent(make: Maker) -> None:
    """Its row has another commit then, of which the remote knows nothing, and still has the old."""
    project, sending = make.project(), Sending.to(make)
    old = make.checkpoint(project)
    sending.push(pushed(old, SENT))
    skipped = SkippedPath("key", SkipReason.FORGOTTEN)
    heir = replace(make.facts(project), replaces=old.id, skipped=(skipped,))
    assert make.catalog.forgetting.replace([heir], "forgotten", make.now()) == 1
    assert sending.unsent() == [heir.id]
    (there,) = make.catalog.remotes.pushed(sending.remote, [SENT])
    assert (there.id, there.working_dir) == (old.id, project.working_dir)


# --- what came of it -----------------------------------------------------------------------------


def test_a_push_is_recorded_with_its_row_of_the_journal(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    taken = [make.checkpoint(project) for _ in range(3)]
    told = (RefusedPath("caf\udce9.pem", "begins as a private key"), RefusedPath(".env", "a name"))
    sending.push(
        pushed(taken[0], SENT),
        pushed(taken[1], REFUSED, reason="secrets", paths=told),
        pushed(taken[2], WAITING, reason="pre-receive hook declined"),
        outcome=OperationOutcome.PARTIAL,
        message="1 sent",
    )
    (refused,) = make.catalog.remotes.pushed(sending.remote, [REFUSED])
    assert sorted(refused.paths, key=str) == sorted(told, key=str)
    assert (refused.id, refused.working_dir, refused.machine) == (taken[1].id, "/srv/alpha", OWN)
    (waiting,) = make.catalog.remotes.pushed(sending.remote, [WAITING])
    assert waiting.reason == "pre-receive hook declined"
    (row,) = journal(make.catalog, 1)
    assert (row.kind, row.outcome, row.message) == (
        OperationKind.PUSH,
        OperationOutcome.PARTIAL,
        "1 sent",
    )
    (machine,) = make.catalog.elsewhere.machines()
    assert (machine.id, machine.name, machine.checkpoints) == (OWN, "laptop", 0)


def test_a_push_of_which_a_part_cannot_be_recorded_is_not_recorded(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    good, bad = make.checkpoint(project), make.checkpoint(project)
    before = journal(make.catalog, 9)
    with pytest.raises(CheckpointError):
        sending.push(pushed(good, SENT), pushed(bad, SENT, ref_name=None))
    assert sending.states() == {}
    assert journal(make.catalog, 9) == before
    assert make.catalog.remotes.all() == [sending.remote]


def test_success_and_failures_are_counted_per_remote(make: Maker) -> None:
    sending, other = Sending.to(make), Sending.to(make, "/srv/other.git")
    failed: dict[str, Any] = {
        "outcome": OperationOutcome.FAILED,
        "code": "remote-denied",
        "message": "no access",
    }
    for count in (1, 2):
        assert sending.push(**failed).failures == count
    assert (sending.remote.last_code, sending.remote.last_error) == ("remote-denied", "no access")
    assert sending.remote.last_success_at is None
    remote = sending.push(outcome=OperationOutcome.UNCHANGED)
    assert remote.failures == 0
    assert remote.last_success_at is not None
    assert remote.last_failure_at is not None
    assert remote.last_failure_at < remote.last_success_at
    assert make.catalog.remotes.all() == [sending.remote, other.remote]
    (failures,) = shell(make.catalog.path, "SELECT count(*) AS n FROM recent_failures")
    assert failures["n"] in (0, 1), "of the last 14 days, and the clock of the test is fixed"


def test_what_was_sent_stays_sent_whatever_is_told_later(make: Maker) -> None:
    """A remote has it: only a look at the remote, or a removal there, says otherwise."""
    sending, checkpoint = Sending.to(make), make.checkpoint(make.project())
    for state, known in ((WAITING, "waiting"), (REFUSED, "refused"), (SENT, "sent")):
        sending.push(pushed(checkpoint, state))
        assert sending.states() == {checkpoint.id: known}
    for state in (WAITING, REFUSED, REMOVED):
        sending.push(pushed(checkpoint, state))
        assert sending.states() == {checkpoint.id: "sent"}
    assert shell(make.catalog.path, "SELECT * FROM refused_paths") == []


def test_a_prune_here_removes_nothing_there(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    taken = [make.checkpoint(project) for _ in range(4)]
    told = zip(taken, (SENT, WAITING, REFUSED, SENT), strict=True)
    sending.push(*(pushed(one, state) for one, state in told))
    prune(make.catalog, make, *taken[:3])
    make.catalog.shrinking.shrink()
    sending.push()
    assert sending.states() == {taken[0].id: "sent", taken[3].id: "sent"}
    assert shell(make.catalog.path, "SELECT * FROM refused_paths") == []
    own = make.catalog.remotes.pushed(sending.remote, [SENT], machine=OWN)
    assert [one.ref_name for one in own] == [sent_by(OWN, one).ref_name for one in own_of(taken)]
    assert make.catalog.remotes.pushed(sending.remote, [SENT], machine=OTHER) == []


def own_of(taken: list[Checkpoint]) -> list[Checkpoint]:
    return sorted([taken[0], taken[3]], key=lambda one: one.id)


def test_what_was_sent_is_known_of_a_directory_that_was_moved(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    sent, refused, fresh = (make.checkpoint(project) for _ in range(3))
    sending.push(pushed(sent, SENT), pushed(refused, REFUSED))
    moved, place = hex_id("/srv/moved")[:16], FileIdentity("1", "2")
    make.catalog.retention.rebind(project.hash, moved, "/srv/moved", place, place)
    assert sending.unsent(project_hash=moved) == [fresh.id]
    told = make.catalog.remotes.pushed(sending.remote, [SENT, REFUSED], project_hash=moved)
    assert {one.id: one.working_dir for one in told} == {
        sent.id: "/srv/moved",
        refused.id: "/srv/moved",
    }
    (status,) = make.catalog.remotes.status(project_hash=moved)
    assert (status.unsent, status.sent, status.refused) == (1, 1, 1)
    assert make.catalog.remotes.pushed(sending.remote, [SENT], project_hash=project.hash) == []


def test_what_was_removed_there_is_not_sent_again_unless_that_is_asked_for(make: Maker) -> None:
    project, sending = make.project(), Sending.to(make)
    gone, stays = make.checkpoint(project), make.checkpoint(project)
    sending.push(pushed(gone, SENT), pushed(stays, SENT))
    sending.pull([sent_by(OWN, gone), sent_by(OWN, stays)])
    make.catalog.remotes.record_removal(
        sending.remote,
        [sent_by(OWN, gone).ref_name],
        sending.entry(OperationKind.REMOTE_PRUNE, message="older than 30 days"),
        now=make.now(),
    )
    assert sending.states() == {gone.id: "removed", stays.id: "sent"}
    assert [one.id for one in make.catalog.elsewhere.list()] == [stays.id]
    assert sending.unsent() == []
    assert sending.unsent(also=[REMOVED]) == [gone.id]
    assert journal(make.catalog, 1)[0].kind is OperationKind.REMOTE_PRUNE
    sending.push(pushed(gone, SENT))
    assert sending.states()[gone.id] == "sent"
    prune(make.catalog, make, gone)
    (status,) = make.catalog.remotes.status(sending.remote)
    assert (status.sent, status.removed, status.unsent) == (2, 0, 0)


def test_a_remote_goes_with_all_that_is_known_of_it(make: Maker) -> None:
    sending = Sending.to(make)
    sending.push(pushed(make.checkpoint(make.project()), REFUSED))
    sending.pull([remote_checkpoint(OTHER, 1)])
    with make.catalog._transactions.writing() as connection:
        connection.exec_driver_sql("DELETE FROM remotes")
    for table in ("pushes", "refused_paths", "remote_checkpoints"):
        assert shell(make.catalog.path, f"SELECT * FROM {table}") == []  # noqa: S608
    assert integrity_problems(make.catalog.path) == []


def test_what_was_done_while_everything_was_cleared_is_recorded(make: Maker) -> None:
    sending, checkpoint = Sending.to(make), make.checkpoint(make.project())
    there = sent_by(OWN, checkpoint)
    make.catalog.retention.erase()
    sending.push(pushed(checkpoint, SENT))
    assert sending.states() == {checkpoint.id: "sent"}
    make.catalog.retention.erase()
    assert sending.pull([there]) == (1, 0)
    make.catalog.retention.erase()
    make.catalog.remotes.record_removal(
        sending.remote, [], sending.entry(OperationKind.REMOTE_PRUNE), now=make.now()
    )
    assert [one.url for one in make.catalog.remotes.all()] == [URL]


# --- against a model -----------------------------------------------------------------------------

_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "take", "push", "prune", "lose", "remove"]),
        st.integers(0, 5),
        st.sampled_from(list(PushState)),
        st.booleans(),
    ),
    max_size=30,
)


@settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(_STEPS)
def test_unsent_and_status_are_what_a_model_says(catalog: Catalog, steps: list[Any]) -> None:
    """In any order of takes, pushes to two remotes, prunes and removals."""
    catalog.retention.erase()
    make = Maker(catalog)
    remotes = [Sending.to(make), Sending.to(make, "/srv/other.git")]
    live: list[Checkpoint] = []
    lost: set[str] = set()
    model: list[dict[str, PushState]] = [{}, {}]
    for what, number, state, which in steps:
        chosen = live[number % len(live)] if live else None
        if what == "take":
            live.append(make.checkpoint(make.project(f"/srv/{number % 2}")))
        elif chosen is None:
            continue
        elif what == "push":
            remotes[which].push(pushed(chosen, state))
            if model[which].get(chosen.id) is not SENT:
                model[which][chosen.id] = state
        elif what == "prune":
            prune(catalog, make, chosen)
            live.remove(chosen)
        elif what == "lose":
            catalog.agreement.mark_partly([chosen._row], make.now())
            lost.add(chosen.id)
        elif model[which].get(chosen.id) is SENT:
            entry = remotes[which].entry(OperationKind.REMOTE_PRUNE)
            refs = [sent_by(OWN, chosen).ref_name]
            catalog.remotes.record_removal(remotes[which].remote, refs, entry, now=make.now())
            model[which][chosen.id] = REMOVED
    able = [one for one in live if one.id not in lost]
    for sending, known in zip(remotes, model, strict=True):
        assert_told(sending, known, live, able)
    viewed = shell(catalog.path, "SELECT remote, project, unsent, waiting, sent FROM push_status")
    both = catalog.remotes.status()
    assert [tuple(row.values()) for row in viewed] == [
        (one.remote, one.project_hash, one.unsent, one.waiting, one.sent) for one in both
    ]


def assert_told(
    sending: Sending,
    known: dict[str, PushState],
    live: list[Checkpoint],
    able: list[Checkpoint],
) -> None:
    """What the catalog says of one remote is what is ``known`` of it."""
    catalog = sending.make.catalog
    hash_of = {row["commit_id"]: row["hash"] for row in shell(catalog.path, _HASHES)}
    fresh = [one.id for one in able if known.get(one.id) in (None, WAITING)]
    assert sending.unsent() == fresh
    for project in {*hash_of.values()}:
        assert sending.unsent(project_hash=project) == [
            id_ for id_ in fresh if hash_of[id_] == project
        ]
    counts = Counter((hash_of[id_], "unsent") for id_ in fresh)
    for id_, state in known.items():
        if state is SENT or id_ in {one.id for one in live}:
            counts[hash_of[id_], state.value] += 1
    told = catalog.remotes.status(sending.remote)
    names = ("unsent", "sent", "refused", "removed")
    got = {(one.project_hash, name): getattr(one, name) for one in told for name in names}
    assert got == {key: counts[key] for key in got}
    assert {hash_ for hash_, _ in +counts} <= {one.project_hash for one in told}


_HASHES = "SELECT c.commit_id, p.hash FROM checkpoints AS c JOIN projects AS p ON p.id = project_id"


def test_ids_that_nothing_here_has_are_kept_only_where_they_were_sent(make: Maker) -> None:
    """A checkpoint may be dropped between its push and the record of that."""
    sending, checkpoint = Sending.to(make), make.checkpoint(make.project())
    unknown = replace(pushed(checkpoint, SENT), id=hex_id("dropped"))
    refused = replace(pushed(checkpoint, REFUSED), id=hex_id("dropped, too"))
    sending.push(unknown, refused)
    assert sending.states() == {unknown.id: "sent"}
    assert shell(make.catalog.path, "SELECT * FROM refused_paths") == []
