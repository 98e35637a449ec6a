"""A prune removes what only pruned checkpoints needed, and nobody who asks gets another answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from catalog.records import START, Maker, added, counted, hex_id, integrity_problems, shell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.folding import fold
from hermes_checkpoints.catalog import BY_HOST, Catalog
from hermes_checkpoints.catalog.sqlite import connect
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.errors import CheckpointError, PathUnknown
from hermes_checkpoints.model import (
    Actor,
    Change,
    ChangeStatus,
    Kind,
    Mode,
    PathEvent,
    ProjectRecord,
)
from retention.histories import AT_ONCE, History
from support import examples

PATHS = ("a.txt", "b.txt", "sub/c.txt", "sub/d.txt")


def prune(catalog: Catalog, *ids: int) -> None:
    catalog.checkpoints.mark_pruning(dict.fromkeys(ids, "it was dropped by hand"), START)
    catalog.checkpoints.mark_pruned(ids)


def rows(file: Path, table: str) -> int:
    return int(shell(file, f"SELECT count(*) AS n FROM {table}")[0]["n"])  # noqa: S608


# --- nobody gets another answer ---------------------------------------------------------------


def play(project: Project, folder: Path, dice: random.Random) -> None:
    """Do something that an agent or a person does."""
    session = dice.choice(("s1", "s2"))

    def edit() -> str:
        name = dice.choice(PATHS)
        path = folder / name
        if path.exists() and dice.random() < 0.2:
            path.unlink()
        elif path.exists() and dice.random() < 0.1:
            path.chmod(dice.choice((0o644, 0o755)))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(dice.choice("ABCD") * dice.randrange(1, 4))
        return name

    action = dice.randrange(10)
    if action < 5:
        project.take(kind=Kind.AUTO, session_id=session, turn=dice.randrange(1, 9))
        for _ in range(dice.randrange(3)):
            name = edit()
            if dice.random() < 0.5:
                project.record_agent_write(name, session_id=session, turn=1, tool="write_file")
        if dice.random() < 0.7:
            project.end_turn(session_id=session)
    elif action < 8:
        edit()
    elif action == 8:
        project.take("by hand")
    elif project.list():
        chosen = dice.choice(project.list())
        project.restore(chosen, mode=dice.choice([*Mode]))


def since(checkpoints: Checkpoints, project: Project) -> str:
    """The moment at which the oldest checkpoint was taken and all before it was seen."""
    oldest = min((c._row for c in project.list()), default=0)
    found = shell(
        checkpoints._base.layout.catalog,
        "SELECT c.id, max(c.created_at, coalesce(max(e.at), '')) AS moment"
        " FROM checkpoints AS c LEFT JOIN path_events AS e"
        " ON e.project_id = c.project_id AND e.checkpoint_id < c.id GROUP BY c.id",
    )
    return {row["id"]: str(row["moment"]) for row in found}.get(oldest, "")


def answers(
    checkpoints: Checkpoints, projects: Sequence[Project], moments: Sequence[str]
) -> dict[str, Any]:
    """All that anybody may ask: who takes how much space, who changed what, what would be
    restored and why, and what became of each id."""
    found: dict[str, Any] = {"usage": replace(checkpoints.usage(), catalog_bytes=0)}
    for project, moment in zip(projects, moments, strict=True):
        name = project.working_dir.name
        for checkpoint in project.list():
            for mode in (Mode.KEEP_EDITS, Mode.EXACT):  # overlay asks no more than exact
                plan = project.plan_restore(checkpoint, mode=mode)
                found[f"{name} {mode} {checkpoint.id}"] = plan.steps
            one = project.plan_restore(checkpoint, session_id="s1")
            found[f"{name} session {checkpoint.id}"] = one.steps
            found[f"{name} changes {checkpoint.id}"] = [  # sizes move to another row
                replace(change, stored_bytes=0) for change in project.changes(checkpoint)
            ]
        for path in PATHS:
            try:
                events = project.who(path)
            except PathUnknown:
                events = []
            found[f"{name} who {path}"] = [
                event for event in events if f"{event.at:%Y-%m-%d %H:%M:%S.%f}" > moment
            ]
    for row in shell(checkpoints._base.layout.catalog, "SELECT commit_id FROM checkpoints"):
        try:
            checkpoints.find(row["commit_id"])
            said = "live"
        except CheckpointError as error:
            said = str(error)
        found[row["commit_id"]] = said
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(examples(1)))
def test_every_answer_is_the_same_before_and_after(history: History, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secret
    checkpoints = history.checkpoints
    catalog = checkpoints._base.catalog
    folders = [history.project(name) for name in ("alpha", "beta")]
    projects = [checkpoints.project(folder) for folder in folders]
    for folder in folders:
        (folder / "stays").touch()
    removed = folded = 0
    for _ in range(3):
        for _ in range(25):
            which = dice.randrange(2)
            play(projects[which], folders[which], dice)
        for project in projects:
            listed = project.list()
            going = listed[dice.randrange(2, 5) :]
            if dice.random() < 0.3:
                going = dice.sample(listed, len(listed) // 2)
            for checkpoint in going:
                project.drop(checkpoint, options=replace(AT_ONCE, reclaim=False))
        checkpoints.prune(options=replace(AT_ONCE, reclaim=False))
        moments = [since(checkpoints, project) for project in projects]
        before = answers(checkpoints, projects, moments)
        file = checkpoints._base.layout.catalog
        size = rows(file, "checkpoint_changes") + rows(file, "path_events")
        catalog.shrink()
        assert answers(checkpoints, projects, moments) == before
        removed += size - rows(file, "checkpoint_changes") - rows(file, "path_events")
        assert catalog.shrinking.shrink() == 0
        folded += fold(catalog)
        now = answers(checkpoints, projects, moments)
        assert {key: now[key] for key in now if " who " not in key} == {
            key: before[key] for key in before if " who " not in key
        }
        assert fold(catalog) == 0
        assert integrity_problems(file) == []
    assert removed > 10
    assert folded > 0


# --- what goes and what stays -----------------------------------------------------------------


def changed(path: str, number: int, **fields: Any) -> Change:
    return replace(added(path, number), status=ChangeStatus.MODIFIED, **fields)


def changes_of(catalog: Catalog) -> list[tuple[int, str]]:
    found = shell(catalog.path, "SELECT checkpoint_id, path FROM checkpoint_changes ORDER BY 1, 2")
    return [(row["checkpoint_id"], row["path"]) for row in found]


def test_the_last_change_of_each_path_stays_for_the_oldest(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    make.checkpoint(project, changes=[added("a"), added("b"), added("c")])
    make.checkpoint(project, changes=[changed("a", 2)])
    gone = Change("b", ChangeStatus.DELETED, old_blob=hex_id("b", 10))
    bits = Change("c", ChangeStatus.MODIFIED, old_mode=0o100644, new_mode=0o100755)
    make.checkpoint(project, changes=[gone, bits])
    make.checkpoint(project, changes=[changed("a", 3)])
    make.checkpoint(project, changes=[changed("a", 4)])
    prune(catalog, 1, 2, 3, 4)
    before = catalog.usage.rows()
    assert catalog.shrinking.shrink() == 5
    assert changes_of(catalog) == [(1, "a"), (1, "c"), (5, "a")]
    assert catalog.usage.rows() == before
    catalog.checkpoints.mark_pruning({5: "by hand"}, START)
    catalog.checkpoints.mark_pruned([5])
    assert catalog.shrinking.shrink() == 3
    assert changes_of(catalog) == []
    assert shell(catalog.path, "SELECT count(*) AS n FROM checkpoints") == [{"n": 5}]


def test_a_tombstone_keeps_its_answer_alone(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    first, second, third = (
        make.checkpoint(project, session_id="s1", branch="x", head="1", changes=[added(name)])
        for name in "abc"
    )
    prune(catalog, first._row, second._row)
    catalog.shrinking.shrink()
    (found,) = catalog.checkpoints.find(second.id)
    assert (found.id, found.pruned_at, found.prune_reason) == (
        second.id,
        START,
        "it was dropped by hand",
    )
    assert (found.kind, found.created_at) == (second.kind, second.created_at)
    assert (found.tree_id, found.state_id, found.ref_name, found.session_id) == ("", "", "", None)
    assert (found.head, found.branch) == (None, None)
    assert catalog.checkpoints.get(third._row) == third


def test_what_an_unfinished_restore_needs_stays(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    rows_ = [make.checkpoint(project, changes=[changed("a", n)]) for n in range(1, 6)]
    make.restore(project, rows_[1], safety=rows_[4])
    prune(catalog, *(row._row for row in rows_[:4]))
    catalog.shrinking.shrink()
    assert changes_of(catalog) == [(1, "a"), (2, "a"), (3, "a"), (4, "a"), (5, "a")]


@pytest.mark.parametrize("together", [1, 2, 100])
def test_projects_are_shrunk_together_each_by_what_it_needs(
    catalog: Catalog, make: Maker, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr("hermes_checkpoints.catalog.shrinking._PROJECTS", together)
    alpha, beta, gamma = (make.project(f"/srv/{name}") for name in ("alpha", "beta", "gamma"))
    rows_ = [
        [make.checkpoint(one, changes=[changed("x", n)]) for one in (alpha, beta, gamma)]
        for n in range(1, 6)
    ]
    make.restore(gamma, rows_[1][2], safety=rows_[4][2])
    prune(catalog, *(row._row for row in (*(r for rs in rows_[:4] for r in rs), rows_[4][1])))
    catalog.shrinking.shrink()
    of_alpha, of_gamma = [1, 13], [3, 6, 9, 12, 15]
    assert changes_of(catalog) == [(row, "x") for row in sorted([*of_alpha, *of_gamma])]
    assert integrity_problems(catalog.path) == []


def test_many_projects_cost_one_statement_each(catalog: Catalog, make: Maker) -> None:
    counts = []
    for projects in (1, 20):
        for number in range(projects):
            project = make.project(f"/srv/{projects}-{number}")
            ids = [make.checkpoint(project, changes=[changed("x", n)])._row for n in range(1, 4)]
            prune(catalog, *ids[:2])
        with counted(catalog) as statements:
            catalog.shrinking.shrink()
        counts.append(len(statements))
    assert counts[1] - counts[0] == 20 - 1


def test_the_size_of_a_content_goes_to_another_row_that_names_it(
    catalog: Catalog, make: Maker
) -> None:
    project, other = make.project(), make.project("/srv/beta")
    make.checkpoint(project, changes=[added("a", stored=400)])
    make.checkpoint(project, changes=[changed("a", 2)])
    make.checkpoint(project, changes=[changed("a", 3)])
    same = replace(added("a", stored=0), path="copy")
    make.checkpoint(other, changes=[same])
    assert same.new_blob is not None
    known = catalog.checkpoints.blob_sizes([same.new_blob])
    prune(catalog, 1, 2)
    catalog.shrinking.shrink()
    assert changes_of(catalog) == [(1, "a"), (3, "a"), (4, "copy")]
    assert catalog.checkpoints.blob_sizes([same.new_blob]) == known
    assert tuple(known[same.new_blob]) == (10, 400, True)


def test_turns_and_events_of_the_time_before_go(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    for number in range(1, 4):
        taken = make.checkpoint(project, changes=[changed("a", number)])
        work(catalog, project, taken._row, make)
    catalog.turns.record_write(
        project.id, "a", session_id="s", turn=1, tool="t", blob=None, now=make.now()
    )
    prune(catalog, 1, 2)
    catalog.shrinking.shrink()
    assert [one.after for one in catalog.events.since(project.id, None)] == [3]
    ends = shell(catalog.path, "SELECT end_checkpoint_id AS ended FROM turns")
    assert ends == [{"ended": 3}]
    assert [write.path for write in catalog.turns.writes(project.id)] == ["a"]  # no look saw it
    prune(catalog, 3)
    catalog.shrinking.shrink()
    assert rows(catalog.path, "path_events") == rows(catalog.path, "turns") == 0


def test_an_open_turn_and_what_its_tools_told_stay(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    first = make.checkpoint(project)
    begin(catalog, project, first._row, make)
    catalog.turns.begin_tool(project.id, "s", "run 1", "terminal", 5)
    prune(catalog, first._row)
    catalog.shrinking.shrink()
    (open_,) = catalog.turns.open(project.id)
    assert [run.tool for run in catalog.turns.tool_runs(open_.id)] == ["terminal"]


def begin(catalog: Catalog, project: ProjectRecord, checkpoint_id: int, make: Maker) -> None:
    catalog.turns.begin(
        project.id,
        start_checkpoint_id=checkpoint_id,
        session_id="s",
        turn=1,
        actor=Actor.AGENT,
        now=make.now(),
    )


def work(catalog: Catalog, project: ProjectRecord, checkpoint_id: int, make: Maker) -> None:
    """Live through a turn in which a file was changed."""
    begin(catalog, project, checkpoint_id, make)
    event = PathEvent("a", ChangeStatus.MODIFIED, Actor.AGENT, "s", 1, None, None, None, make.now())
    catalog.events.add(project.id, checkpoint_id, [event])
    catalog.turns.end(
        catalog.turns.open(project.id), by=BY_HOST, checkpoint_id=checkpoint_id, now=make.now()
    )


@pytest.mark.campaign
def test_free_pages_go_back_to_the_disk(catalog: Catalog, make: Maker) -> None:
    project, empty = make.project(), catalog.bytes
    for number in range(60):
        names = [f"folder/file {n} with quite a long name" for n in range(100)]
        make.checkpoint(project, changes=[changed(name, number) for name in names])
    prune(catalog, *range(1, 60))
    before = catalog.bytes - empty
    assert catalog.shrink() is None
    assert catalog.bytes - empty < before / 4
    assert shell(catalog.path, "PRAGMA freelist_count") == [{"freelist_count": 0}]
    assert shell(catalog.path, "PRAGMA auto_vacuum") == [{"auto_vacuum": 2}]
    assert catalog.path.with_name("catalog.db-wal").stat().st_size < 20_000
    assert integrity_problems(catalog.path) == []


def test_an_older_file_is_written_anew_once(catalog: Catalog, make: Maker) -> None:
    make.checkpoint(make.project(), changes=[added("a")])
    with closing(connect(catalog.path)) as connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
    assert shell(catalog.path, "PRAGMA auto_vacuum") == [{"auto_vacuum": 0}]
    with catalog._transactions.reading():  # somebody reads: nothing is lost, and it is said
        pass
    assert catalog.shrink() is None
    assert shell(catalog.path, "PRAGMA auto_vacuum") == [{"auto_vacuum": 2}]
    assert changes_of(catalog) == [(1, "a")]


def test_no_transaction_is_long(
    catalog: Catalog, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_checkpoints.catalog.shrinking._AT_ONCE", 50)
    project = make.project()
    for number in range(250):
        make.checkpoint(project, changes=[changed("a", number)])
    prune(catalog, *range(1, 250))
    sizes: list[int] = []

    def note(connection: Connection) -> None:
        sizes.append(0)

    engine = catalog._transactions.engine
    event.listen(engine, "begin", note)
    catalog.shrinking.shrink()
    event.remove(engine, "begin", note)
    assert len(sizes) >= 3
    assert changes_of(catalog) == [(1, "a"), (250, "a")]


def test_that_an_agent_was_at_work_stays_known_where_its_turns_are_gone(
    catalog: Catalog, make: Maker
) -> None:
    """Else what a person did since would pass for what is to come back, and a restore would take
    it back."""
    project = make.project()
    ids = [make.checkpoint(project, changes=[added("a")])._row for _ in range(5)]
    assert not catalog.turns.agent_since(project.id, ids[0])
    for id_ in ids[:3]:
        work(catalog, project, id_, make)
    prune(catalog, *ids[1:3])
    before = [catalog.turns.agent_since(project.id, id_) for id_ in ids]
    assert before == [True, True, True, False, False]
    assert catalog.turns.fold([project.id]) == 1
    assert [catalog.turns.agent_since(project.id, id_) for id_ in ids] == before
    assert catalog.turns.fold([project.id]) == 0
    prune(catalog, ids[0])
    catalog.shrinking.shrink()
    assert rows(catalog.path, "turns") == 0
    assert not catalog.turns.agent_since(project.id, ids[3])
