"""Originals stay until nothing is lost with them, or until somebody deletes them knowingly."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from catalog.records import journal
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.cli.program import main
from hermes_checkpoints.model import LegacyState, Taken
from hermes_checkpoints.retention.plan import PruneOptions
from history.old_bases import all_commits, assert_imported, git, grown, records, states

KEPT = {"00d0a0d0a0d0a0d0", "broken-session.yaml"}


def later(checkpoints: Checkpoints, days: float) -> Checkpoints:
    """The same checkpoints, so many days from now."""
    base = checkpoints._base
    return Checkpoints(replace(base, now=lambda: base.now() + timedelta(days=days)))


@pytest.mark.campaign
def test_what_was_not_imported_never_expires(v2_home: Path) -> None:
    base = v2_home / "checkpoints"
    commits = all_commits(v2_home)
    policy_days = 7
    with Checkpoints.open(v2_home) as checkpoints:
        assert not checkpoints.plan_prune().archives
        assert not later(checkpoints, policy_days - 0.1).plan_prune().archives
        then = later(checkpoints, policy_days + 0.1)
        policy = replace(then.policy, retention_days=policy_days)
        plan = then.plan_prune(policy=policy)
        assert {record.name for record in plan.archives} == set(states(checkpoints)) - KEPT
        never = then.plan_prune(policy=replace(policy, retention_days=0))
        assert not never.archives
        result = then.prune(plan=replace(plan, drop=()))
        assert set(result.archives) >= set(result.archives)
        assert len(result.archives) == len(plan.archives) == 7
        assert result.freed_bytes >= sum(record.size_bytes for record in plan.archives) > 0
        left = {path.name for path in base.glob("legacy-*/*")}
        assert left == KEPT
        assert states(checkpoints) == {
            name: "archived" if name in KEPT else "cleared" for name in states(checkpoints)
        }
        assert_imported(checkpoints, commits)
        (archive,) = checkpoints.status().archives
        assert len(archive.not_imported) == len(KEPT)


@pytest.mark.campaign
def test_an_imported_project_is_not_stale_at_once(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        policy = replace(checkpoints.policy, retention_days=7)
        assert not checkpoints.plan_prune(policy=policy).drop
        assert not later(checkpoints, 6.9).plan_prune(policy=policy).drop


@pytest.mark.campaign
def test_an_archive_in_the_plan_that_is_no_longer_whole_stays(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        then = later(checkpoints, 8)
        plan = then.plan_prune(policy=replace(then.policy, retention_days=7))
        record = plan.archives[0]
        checkpoints._base.catalog.archives.note(record, error="a doubt")
        result = then.prune(plan=replace(plan, drop=()))
        assert record.name not in {removed.name for removed in result.archives}
        assert (v1_home / "checkpoints" / record.path).exists()


@pytest.mark.campaign
def test_clear_legacy_says_what_is_lost_and_remembers_it(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        commits = sum(r.imported_checkpoints for r in records(checkpoints))
        (archive,) = checkpoints.legacy_archives()
        assert {text.partition(":")[0] for text in archive.not_imported} == KEPT
        cleared = checkpoints.clear_legacy()
        assert (cleared.archives, cleared.errors) == (1, ())
        assert cleared.freed_bytes > 0
        assert {r.state for r in records(checkpoints)} == {LegacyState.CLEARED}
        assert not checkpoints.status().archives
        assert checkpoints.status().checkpoint_count == commits
    with Checkpoints.open(v1_home) as checkpoints:
        assert not checkpoints.import_legacy().records


@pytest.mark.campaign
def test_session_files_that_are_kept_in_step_are_no_archives(v1_home: Path) -> None:
    (v1_home / "config.yaml").write_text("sessions:\n  mirror_yaml: true\n", encoding="utf-8")
    with Checkpoints.open(v1_home) as checkpoints:
        assert (v1_home / "checkpoints/finished-session.yaml").exists()
        assert "finished-session.yaml" not in states(checkpoints)
        assert not checkpoints.status().notes


def overfull(tmp_path: Path) -> tuple[Path, Path]:
    """A base with 25 checkpoints to import of one directory, five more than are kept."""
    home = grown(tmp_path, 25)
    (tmp_path / "grown/file.txt").write_text("now\n", encoding="utf-8")
    return home, tmp_path / "grown"


@pytest.mark.campaign
def test_a_take_that_trims_imported_history_says_so_and_nothing_is_nowhere(tmp_path: Path) -> None:
    home, project = overfull(tmp_path)
    commits = all_commits(home)
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.status().checkpoint_count == 25
        outcome = checkpoints.project(project).take()
        assert isinstance(outcome, Taken)
        assert outcome.imported_dropped == 6
        told = [o.message or "" for o in journal(checkpoints._base.catalog, 5)]
        assert any("6 over max_snapshots (20), 6 of them imported" in text for text in told)
        (archived,) = [r for r in records(checkpoints) if r.layout == "v1"]
        (note,) = checkpoints.status().notes
        assert f"6 in {archived.path}" in note
        then = later(checkpoints, 8)
        plan = then.plan_prune()
        assert plan.archives == ()
        (why,) = plan.kept_archives
        assert why.startswith(f"{archived.path} stays: 6 imported checkpoints")
        going = {d.checkpoint.id for d in plan.drop}
        listed = {c.id for c in checkpoints.project(project).list()} - going
        then.prune(plan=plan)
        left = {c.id for c in checkpoints.project(project).list()}
        assert left <= listed
        kept = home / "checkpoints" / archived.path
        assert len(commits) == 25
        for commit in commits:
            assert git(kept, "cat-file", "-t", commit.id).strip() == "commit"
        second = checkpoints.project(project).take()
        assert not isinstance(second, Taken) or second.imported_dropped == 0


@pytest.mark.campaign
def test_an_archive_goes_once_a_person_agreed_to_what_was_dropped(tmp_path: Path) -> None:
    home, _ = overfull(tmp_path)
    with Checkpoints.open(home) as checkpoints:
        plan = checkpoints.plan_prune()
        assert len(plan.drop) == 5
        checkpoints.prune(plan=plan, options=PruneOptions(agreed=True))
        oldest = checkpoints.list_all()[-1]
        checkpoints.project(oldest.working_dir).drop(oldest)
        assert not checkpoints.status().notes
        plan = later(checkpoints, 8).plan_prune()
        assert len(plan.archives) == 1
        assert plan.kept_archives == ()


@pytest.mark.campaign
def test_a_prune_that_nobody_agreed_to_keeps_the_archive_of_what_it_drops(tmp_path: Path) -> None:
    home, _ = overfull(tmp_path)
    with Checkpoints.open(home) as checkpoints:
        then = later(checkpoints, 8)
        plan = then.plan_prune()
        assert len(plan.archives) == 1  # all is live when it is made
        result = then.prune(plan=plan)
        assert len(result.dropped) == 24  # nobody touched the project for a week
        assert result.archives == ()
        assert "24 imported checkpoints" in then.plan_prune().kept_archives[0]


@pytest.mark.campaign
def test_what_only_the_store_in_use_had_is_not_said_to_be_in_an_archive(
    v2_home: Path, tmp_path: Path
) -> None:
    with Checkpoints.open(v2_home) as checkpoints:
        for number, project in enumerate(checkpoints.projects()):
            (tmp_path / f"there-{number}").mkdir()  # what cannot be seen is never pruned
            checkpoints.rebind(project.working_dir, tmp_path / f"there-{number}")
        policy = replace(checkpoints.policy, max_snapshots=1)
        plan = checkpoints.plan_prune(policy=policy)
        assert checkpoints.prune(plan=plan).dropped
        alone = checkpoints._base.catalog.arriving.only_in_archives()
        by_path = {record.path: record for record in records(checkpoints)}
        assert {by_path[one].layout for one, _ in alone} == {"v1"}
        for one, count in alone:
            assert 0 < count < by_path[one].imported_checkpoints + 1


@pytest.mark.campaign
def test_the_command_line_names_what_stays_and_lets_go_what_was_agreed_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, project = overfull(tmp_path)
    assert main(["take", "--home", str(home), str(project)]) == 0
    assert "6 imported checkpoints dropped" in capsys.readouterr().out
    with Checkpoints.open(home) as checkpoints:
        base = checkpoints._base
        (archived,) = [r for r in records(checkpoints) if r.layout == "v1"]
        base.catalog.archives.note(archived, archived_at=base.now() - timedelta(days=8))
    assert main(["prune", "--dry-run", "--home", str(home)]) == 0
    assert f"{archived.path} stays: 6 imported checkpoints" in capsys.readouterr().out
    assert main(["prune", "--max-snapshots", "15", "--home", str(home)]) == 0  # no terminal
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints._base.catalog.arriving.only_in_archives() == [(archived.path, 11)]
    assert main(["prune", "-f", "--max-snapshots", "10", "--home", str(home)]) == 0
    with Checkpoints.open(home) as checkpoints:
        alone = checkpoints._base.catalog.arriving.only_in_archives()
        assert alone == [(archived.path, 11)]  # the five that a person agreed to are let go
        assert (home / "checkpoints" / archived.path).exists()


CLAIMED = """
INSERT INTO projects (id, hash, workdir, created_at, last_touch) VALUES
    (1, 'aaaaaaaaaaaaaaaa', '/srv/a', '2025-01-01 00:00:00.000000', '2025-01-01 00:00:00.000000'),
    (2, 'bbbbbbbbbbbbbbbb', '/srv/b', '2025-01-01 00:00:00.000000', '2025-01-01 00:00:00.000000'),
    (3, 'cccccccccccccccc', '/new/c', '2025-01-01 00:00:00.000000', '2025-01-01 00:00:00.000000');
INSERT INTO legacy_archives (id, name, path, layout, project_hash, workdir, state, found_at) VALUES
    (1, 'a', 'legacy-1/a', 'v1', 'aaaaaaaaaaaaaaaa', '/srv/a', 'archived', '2025-01-01 00:00:00'),
    (2, 'a', 'legacy-2/a', 'v1', 'aaaaaaaaaaaaaaaa', '/srv/a', 'archived', '2025-01-01 00:00:00'),
    (3, 'b', 'legacy-1/b', 'v1', 'bbbbbbbbbbbbbbbb', '/srv/b', 'archived', '2025-01-01 00:00:00'),
    (4, 'b', '/backup/b', 'v1', 'bbbbbbbbbbbbbbbb', '/srv/b', 'imported', '2025-01-01 00:00:00'),
    (5, 'c', 'legacy-1/c', 'v1', 'dddddddddddddddd', '/old/c', 'archived', '2025-01-01 00:00:00');
UPDATE legacy_archives SET imported_at = '2025-01-01 00:00:00.000000';
INSERT INTO checkpoints (id, project_id, commit_id, tree_id, state_id, ref_name, kind, reason,
        created_at, state, pruned_at, prune_reason) VALUES
    (1, 1, 'c1', 't', 't', 'refs/checkpoints/aaaaaaaaaaaaaaaa/1', 'imported', '',
        '2025-01-01 00:00:00.000000', 'pruned', '2025-01-02 00:00:00.000000', 'age'),
    (2, 2, 'c2', 't', 't', 'refs/checkpoints/bbbbbbbbbbbbbbbb/2', 'imported', '',
        '2025-01-01 00:00:00.000000', 'pruned', '2025-01-02 00:00:00.000000', 'age'),
    (3, 3, 'c3', 't', 't', 'refs/checkpoints/dddddddddddddddd/3', 'imported', '',
        '2025-01-01 00:00:00.000000', 'pruned', '2025-01-02 00:00:00.000000', 'age');
INSERT INTO former_ids (former_id, checkpoint_id, layout) VALUES
    ('f1', 1, 'v1'), ('f2', 2, 'v1'), ('f3', 3, 'v1');
"""


@pytest.mark.campaign
def test_an_upgrade_claims_no_archive_too_few(tmp_path: Path) -> None:
    """Two archives of one directory, a copy elsewhere that was imported later, and a directory
    that was moved since: each archive that may alone have something stays."""
    file, lock = tmp_path / "catalog.db", tmp_path / "lock"
    revisions = schema.REVISIONS[: schema.REVISIONS.index("0005") + 1]
    Catalog.open(file, lock, scripts=Scripts(revisions=revisions, expected=frozenset())).close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(CLAIMED)
    with Catalog.open(file, lock) as catalog:
        assert catalog.arriving.only_in_archives() == [
            *(("legacy-1/a", 1), ("legacy-2/a", 1), ("legacy-1/b", 1), ("legacy-1/c", 1))
        ]
