"""Checkpoints are added whole, listed by one statement, and never deleted."""

from __future__ import annotations

from datetime import timedelta

import pytest

from catalog.records import Maker, added, counted, hex_id, journal, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.errors import BadRequest, CheckpointError
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    SkippedPath,
    SkipReason,
)

CHANGES = [
    added("src/new.py", 100, 40, lines=10),
    Change(
        "src/caf\udce9\\x",
        ChangeStatus.MODIFIED,
        old_blob=hex_id("old"),
        new_blob=hex_id("new"),
        old_mode=0o100644,
        new_mode=0o100755,
        old_bytes=5,
        new_bytes=6,
        stored_bytes=3,
        insertions=2,
        deletions=1,
    ),
    Change("gone.bin", ChangeStatus.DELETED, old_blob=hex_id("gone"), old_mode=0o100644),
    Change("link", ChangeStatus.TYPE_CHANGED, new_mode=0o120000, new_blob=hex_id("l")),
]
COPIED = (
    "project_hash",
    "working_dir",
    "id",
    "tree_id",
    "state_id",
    "ref_name",
    "kind",
    "reason",
    "label",
    "created_at",
    "utc_offset_minutes",
    "session_id",
    "turn",
    "message_count",
    "file_count",
    "logical_bytes",
    "ignored_count",
)
SKIPPED = (
    SkippedPath("big.iso", SkipReason.OVERSIZE, 5_000_000_000),
    SkippedPath("pipe\udcff", SkipReason.SPECIAL),
)


def test_a_checkpoint_comes_back_as_it_was_added(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    first = make.checkpoint(project)
    facts = make.facts(
        project,
        kind=Kind.MANUAL,
        label="before ü",
        session_id="s-1",
        turn=3,
        message_count=9,
        utc_offset_minutes=-150,
        file_count=12,
        logical_bytes=6_000_000_000,
        ignored_count=4,
        skipped=SKIPPED,
    )
    found = catalog.checkpoints.add(
        project,
        facts,
        changes=CHANGES,
        added_bytes=43,
        superseded_bytes=5,
        previous_id=first._row,
        operation_id=None,
        now=facts.created_at,
    )
    for name in COPIED:
        assert getattr(found, name) == getattr(facts, name), name
    assert (found.files_changed, found.insertions, found.deletions) == (4, 12, 1)
    assert (found.added_bytes, found.superseded_bytes, found._previous_row) == (43, 5, first._row)
    assert (found.skipped_count, found.complete, found.pinned) == (2, False, False)
    assert catalog.checkpoints.get(found._row) == found
    assert catalog.checkpoints.of_commit(found.id) == found
    assert catalog.checkpoints.last(project.hash) == found
    assert catalog.checkpoints.changes(found._row) == sorted(CHANGES, key=lambda one: one.path)
    assert catalog.checkpoints.skipped(found._row) == list(SKIPPED)
    project_now = catalog.projects.get(project.hash)
    assert project_now is not None
    assert project_now.last_touch == facts.created_at


def test_adding_ends_the_operation(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    operation = catalog.operations.begin(JournalEntry(OperationKind.TAKE, make.now(), "/x"))
    checkpoint = make.checkpoint(project, operation_id=operation)
    (row,) = journal(catalog, 5)
    assert row.outcome is OperationOutcome.DONE
    assert (row.checkpoint_id, row.project_hash) == (checkpoint._row, project.hash)
    assert row.duration_ms == 60_000


def test_the_same_commit_is_added_once(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    first = make.checkpoint(project, changes=CHANGES, id="c" * 40)
    operation = catalog.operations.begin(JournalEntry(OperationKind.REBUILD, make.now()))
    again = make.checkpoint(project, id="c" * 40, operation_id=operation)
    assert again == first
    assert catalog.operations.running() == []
    assert len(catalog.checkpoints.changes(first._row)) == 4


def test_a_checkpoint_of_another_project_is_refused(catalog: Catalog, make: Maker) -> None:
    alpha, beta = make.project("/a"), make.project("/b")
    with pytest.raises(BadRequest):
        make.checkpoint(alpha, project_hash=beta.hash)


def test_a_failed_add_leaves_nothing(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    operation = catalog.operations.begin(JournalEntry(OperationKind.TAKE, make.now()))
    twice = [added("same"), added("same")]
    with pytest.raises(CheckpointError, match="UNIQUE constraint failed"):
        make.checkpoint(project, changes=twice, operation_id=operation)
    assert catalog.checkpoints.last(project.hash) is None
    assert [row.id for row in catalog.operations.running()] == [operation]
    assert shell(catalog.path, "SELECT * FROM checkpoint_changes") == []


def test_listing_is_one_statement_however_many_there_are(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    other = make.project("/other")
    make.checkpoint(other)
    made = [make.checkpoint(project, session_id=f"s{number % 2}") for number in range(30)]
    with counted(catalog) as statements:
        found = catalog.checkpoints.list(project.hash)
    assert found == made[::-1]
    assert len(statements) == 1
    assert catalog.checkpoints.list(project.hash, limit=2) == made[:-3:-1]
    assert catalog.checkpoints.list(project.hash, session_id="s1") == made[::-1][::2]
    assert catalog.checkpoints.list("0" * 16) == []
    assert len(catalog.checkpoints.live()) == 31


def test_find_takes_hex_prefixes_only(catalog: Catalog, make: Maker) -> None:
    alpha, beta = make.project("/a"), make.project("/b")
    one = make.checkpoint(alpha, id="abc1" + "0" * 36)
    two = make.checkpoint(beta, id="abc2" + "f" * 36)
    catalog.checkpoints.mark_pruning({one._row: "count"}, make.now())
    find = catalog.checkpoints.find
    assert [found._row for found in find("abc")] == [two._row, one._row]
    assert [found._row for found in find("abc2")] == [two._row]
    assert [found._row for found in find("abc1" + "0" * 36)] == [one._row]
    assert [find(text) for text in ("", "ABC", "ab%", "a_c", "abd", "g", "abc1 ", "a" * 65)] == [
        []
    ] * 8
    for number in range(30):
        make.checkpoint(alpha, id=f"dd{number:038}")
    assert len(find("dd")) == 20


def test_two_of_a_name_are_told_apart_and_the_newest_has_it(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    first = make.checkpoint(project, label="good")
    second = make.checkpoint(project, label="good")
    make.checkpoint(make.project("/b"), label="good")
    assert catalog.checkpoints.by_label(project.hash, "good") == second
    assert catalog.checkpoints.by_label(project.hash, "bad") is None
    assert catalog.checkpoints.by_label(project.hash, "good-2") == catalog.checkpoints.get(
        first._row
    )
    assert catalog.labels.give(second._row, "odd\udcff") is None
    found = catalog.checkpoints.by_label(project.hash, "odd\udcff")
    assert found is not None
    assert found._row == second._row


def test_pruning_goes_through_a_mark_to_a_tombstone(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one, two, three, four = (make.checkpoint(project) for _ in range(4))
    catalog.checkpoints.set_pinned(four._row, True)
    moment = make.now()
    catalog.checkpoints.mark_pruning(
        {one._row: "older than 7 days", two._row: "count", four._row: "pinned, so it stays"}, moment
    )
    assert [found._row for found in catalog.checkpoints.pruning()] == [one._row, two._row]
    assert [found._row for found in catalog.checkpoints.list(project.hash)] == [
        four._row,
        three._row,
    ]
    assert catalog.checkpoints.ref_names() == {three.ref_name, four.ref_name}
    catalog.checkpoints.mark_pruned([one._row, three._row])
    assert [found._row for found in catalog.checkpoints.pruning()] == [two._row]
    tombstone = catalog.checkpoints.get(one._row)
    assert tombstone is not None
    assert (tombstone.pruned_at, tombstone.prune_reason) == (moment, "older than 7 days")
    marked = catalog.checkpoints.get(two._row)
    assert marked is not None
    assert (marked.pruned_at, marked.prune_reason) == (moment, "count")
    assert catalog.checkpoints.last(project.hash) == catalog.checkpoints.get(four._row)
    with_pruned = catalog.checkpoints.list(project.hash, include_pruned=True)
    assert [found._row for found in with_pruned] == [four._row, three._row, two._row, one._row]
    assert len(catalog.checkpoints.known_commits()) == 4
    catalog.checkpoints.mark_pruned([])
    catalog.checkpoints.mark_pruning({}, moment)


def test_history_of_a_path_spans_pruned_checkpoints(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one = make.checkpoint(project, changes=[added("a\udcff"), added("b")])
    make.checkpoint(project, changes=[added("b", 3)])
    three = make.checkpoint(project, changes=[added("a\udcff", 4)])
    make.checkpoint(make.project("/b"), changes=[added("a\udcff")])
    catalog.checkpoints.mark_pruning({one._row: "age"}, make.now())
    found = catalog.checkpoints.history(project.hash, "a\udcff")
    assert [(checkpoint._row, change.new_bytes) for checkpoint, change in found] == [
        (three._row, 4),
        (one._row, 10),
    ]


def test_blob_sizes_come_in_chunks(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    changes = [added(f"file {number}", number, number // 2) for number in range(1, 1300)]
    make.checkpoint(project, changes=changes)
    again = added("file 7", 7, 0)  # the store had these contents already
    make.checkpoint(project, changes=[again, CHANGES[2]])
    wanted = [change.new_blob for change in changes if change.new_blob] + ["unknown"]
    with counted(catalog) as statements:
        sizes = catalog.checkpoints.blob_sizes(iter(wanted))
    assert len(statements) == 3
    assert {blob: tuple(size) for blob, size in sizes.items()} == {
        change.new_blob: (change.new_bytes, change.stored_bytes, True) for change in changes
    }
    assert catalog.checkpoints.blob_sizes([]) == {}


def test_a_clock_that_goes_back_does_not_change_the_order(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one = make.checkpoint(project)
    two = make.checkpoint(project, created_at=one.created_at - timedelta(days=3))
    assert [found._row for found in catalog.checkpoints.list(project.hash)] == [two._row, one._row]
