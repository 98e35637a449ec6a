"""Originals stay until nothing is lost with them, or until somebody deletes them knowingly."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model.history import LegacyState
from history.old_bases import all_commits, assert_imported, records, states

KEPT = {"00d0a0d0a0d0a0d0", "broken-session.yaml"}


def later(checkpoints: Checkpoints, days: float) -> Checkpoints:
    """The same checkpoints, so many days from now."""
    base = checkpoints._base
    return Checkpoints(replace(base, now=lambda: base.now() + timedelta(days=days)))


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


def test_an_imported_project_is_not_stale_at_once(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        policy = replace(checkpoints.policy, retention_days=7)
        assert not checkpoints.plan_prune(policy=policy).drop
        assert not later(checkpoints, 6.9).plan_prune(policy=policy).drop


def test_an_archive_in_the_plan_that_is_no_longer_whole_stays(v1_home: Path) -> None:
    with Checkpoints.open(v1_home) as checkpoints:
        then = later(checkpoints, 8)
        plan = then.plan_prune(policy=replace(then.policy, retention_days=7))
        record = plan.archives[0]
        checkpoints._base.catalog.archives.note(record, error="a doubt")
        result = then.prune(plan=replace(plan, drop=()))
        assert record.name not in {removed.name for removed in result.archives}
        assert (v1_home / "checkpoints" / record.path).exists()


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


def test_session_files_that_are_kept_in_step_are_no_archives(v1_home: Path) -> None:
    (v1_home / "config.yaml").write_text("sessions:\n  mirror_yaml: true\n", encoding="utf-8")
    with Checkpoints.open(v1_home) as checkpoints:
        assert (v1_home / "checkpoints/finished-session.yaml").exists()
        assert "finished-session.yaml" not in states(checkpoints)
        assert not checkpoints.status().notes
