"""Answers what the whole base holds, from the catalog and one look at each project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.disk import allocated, directory_bytes
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout
from hermes_checkpoints.model import MB, FailureRun, ProjectStatus, StoreStatus
from hermes_checkpoints.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.base.presence import Seen
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.model import LegacyArchive, LegacyRecord, StoreSizes, StoreSummary


_MOST_PENDING = 5
_TOLD = timedelta(days=14)
_TOLD_OF_NO_PROJECT = timedelta(days=1)


def status(base: Base, limit: int | None = None, only: Target | None = None) -> StoreStatus:
    """Return the figures of the base, with no process and no walk over the store.

    ``store_bytes`` is as measured at ``measured_at`` plus what takes found that the store has
    grown by since; where that is None it was never measured. The rest of ``total_bytes`` is what
    the files beside the store take now. ``limit`` bounds the projects that are listed, newest
    first; ``only`` lists one, and the failures of it alone. The directories of those that are
    listed are looked at, and no others.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    from hermes_checkpoints.base.presence import look_at, record_if_possible

    with base.catalog.at_one_moment():
        listed = base.catalog.status.projects(limit, only=only.hash if only else None)
        every = limit is None and only is None
        seen = look_at(base, None if every else [one.project.hash for one in listed])
    record_if_possible(base, seen)
    sizes = _sizes(base)
    with base.catalog.at_one_moment():
        return _status(base, tuple(_as_seen(one, seen) for one in listed), sizes, only)


def _status(
    base: Base, projects: tuple[ProjectStatus, ...], sizes: StoreSizes, only: Target | None
) -> StoreStatus:
    from hermes_checkpoints.retention.sight import last_look

    failures = failing(base, None if only is None else only.name)
    project_count, checkpoint_count = base.catalog.status.totals()
    return StoreStatus(
        base=base.layout.named,
        store_bytes=sizes.store_bytes,
        legacy_bytes=sizes.legacy_bytes,
        total_bytes=sizes.total_bytes,
        measured_at=sizes.measured_at,
        journal_mode=base.catalog.journal_mode,
        projects=projects,
        archives=sizes.archives,
        project_count=project_count,
        checkpoint_count=checkpoint_count,
        last_success_at=base.catalog.operations.last_success(),
        failures=tuple(failures),
        interrupted=len(base.catalog.operations.running()),
        notes=(
            *([base.refusal] if base.read_only and base.refusal else []),
            *base.config.warnings,
            *_interrupted(base),
            *_agreement(base),
            *_lost(base),
            *_partly_lost(base),
            *_over_cap(base, sizes.store_bytes),
            *_cap_prune(base),
            *_pending(base),
            *_forgetting(base),
            *_arriving(base),
            *_only_archived(base),
        ),
        settings=base.config.settings(),
        looked=last_look(base),
    )


def summary(base: Base) -> StoreSummary:
    """Return what hosts show of a base, by a look at the directory of each project and a few
    statements, which read no row of a checkpoint.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    from hermes_checkpoints.base.presence import fresh, record_if_possible, see
    from hermes_checkpoints.model import StoreSummary

    projects = base.catalog.status.held(fresh(base))
    seen = see(one.last_look for one in projects)
    record_if_possible(base, seen)
    return StoreSummary(tuple(projects), seen.states, _sizes(base))


def _sizes(base: Base) -> StoreSizes:
    """Return what the parts of the base take. Sizes of archives that were not known are written
    down, which without a log waits for everybody who reads, also for a block ``at_one_moment``."""
    from hermes_checkpoints.base.measures import store_size
    from hermes_checkpoints.model import StoreSizes

    archives = tuple(legacy_archives(base))
    with base.catalog.at_one_moment():
        store = store_size(base)
    return StoreSizes(store.bytes, store.at, archives, _other_bytes(base))


def failing(
    base: Base, working_dir: str | None = None, *, since: datetime | None = None
) -> list[FailureRun]:
    """Return for each directory, or for one, the takes that failed, or that a guard refused, since
    the last that worked; that of the newest comes first. With ``since``, those alone of which the
    newest began then or later.

    One of more than 14 days ago is left out while its directory is not there, and one of more than
    a day ago of a directory that can be no project, such as the home: no take of it ever works, so
    it would be told for ever.
    """
    found = base.catalog.operations.failure_runs(working_dir, since=since)
    return _told(found, base.layout, base.now())


def failing_in(catalog: Catalog, layout: Layout, now: datetime) -> list[FailureRun]:
    """Return the same of a catalog alone."""
    return _told(catalog.operations.failure_runs(), layout, now)


def _told(runs: Sequence[FailureRun], layout: Layout, now: datetime) -> list[FailureRun]:
    return [run for run in runs if _is_told(run, layout, now)]


def is_of_no_project(run: FailureRun, layout: Layout) -> bool:
    """Tell whether takes are refused of a directory that can be no project."""
    from hermes_checkpoints.base.projects import is_never_a_project

    return run.refused and is_never_a_project(Path(run.working_dir), layout)


def _is_told(run: FailureRun, layout: Layout, now: datetime) -> bool:
    if run.last_at is None or run.last_at >= now - _TOLD_OF_NO_PROJECT:
        return True
    if is_of_no_project(run, layout):
        return False
    return run.last_at >= now - _TOLD or Path(run.working_dir).is_dir()


def _as_seen(listed: ProjectStatus, seen: Seen) -> ProjectStatus:
    known = listed.project
    state = seen.states.get(known.hash, known.state)
    return listed if known.state is state else replace(listed, project=replace(known, state=state))


def legacy_archives(base: Base) -> list[LegacyArchive]:
    """Return the folders that a migration moved aside, by name."""
    from hermes_checkpoints.base.measures import archive_bytes
    from hermes_checkpoints.model import LegacyArchive, LegacyState

    folders = archive_folders(base.layout)
    sizes = archive_bytes(base, [folder.name for folder in folders])
    records = base.catalog.archives.all() if folders else []
    archives = []
    for folder in folders:
        inside = [
            record
            for record in records
            if record.path.startswith(f"{folder.name}/") and record.state is not LegacyState.CLEARED
        ]
        archives.append(
            LegacyArchive(
                folder.name,
                sizes[folder.name],
                folder.stat().st_mtime,
                sum(record.imported_checkpoints for record in inside),
                tuple(_not_imported(record) for record in inside if not record.whole),
            )
        )
    return archives


def archive_folders(layout: Layout) -> list[Path]:
    """Return the folders of the base into which imports moved things, by name."""
    found = sorted(layout.base.glob(f"{LEGACY_PREFIX}*"))
    return [folder for folder in found if folder.is_dir()]


def _not_imported(record: LegacyRecord) -> str:
    return f"{record.name}: {record.error or 'not imported yet'}"


def _pending(base: Base) -> list[str]:
    """Tell what of earlier versions lies in the base and was not imported or moved aside."""
    pending = [r for r in base.catalog.archives.pending() if not Path(r.path).is_absolute()]
    notes = [_not_imported(record) for record in pending[:_MOST_PENDING]]
    if len(pending) > len(notes):
        notes.append(f"{len(pending) - len(notes)} more of earlier versions are not imported yet")
    return notes


def _other_bytes(base: Base) -> int:
    """Return what lies in the base beside store and archives: the catalog with its log and
    backups, files of sessions, what is not imported yet, and the folder itself."""
    folder, store = base.layout.named, base.layout.store.name
    try:
        beside = [
            entry
            for entry in folder.iterdir()
            if entry.name != store and not entry.name.startswith(LEGACY_PREFIX)
        ]
        return allocated(folder.stat()) + sum(directory_bytes(entry) for entry in beside)
    except OSError:
        return 0


def _arriving(base: Base) -> list[str]:
    """Tell how many checkpoints of earlier versions are listed and not imported yet."""
    count = base.catalog.arriving.count()
    if not count:
        return []
    arriving = f"{'is' if count == 1 else 'are'} arriving"
    text = f"{counted(count, 'checkpoint')} of earlier versions {arriving}: they can be restored "
    return [text + "once they are imported, which the next command goes on with"]


def _only_archived(base: Base) -> list[str]:
    """Tell of imported checkpoints that rules dropped, and where they still are."""
    held = base.catalog.arriving.only_in_archives()
    if not held:
        return []
    where = ", ".join(f"{count} in {path}" for path, count in held[:_MOST_PENDING])
    more = f" and {len(held) - _MOST_PENDING} more" if len(held) > _MOST_PENDING else ""
    count = sum(count for _, count in held)
    dropped = counted(count, "imported checkpoint", "was")
    text = f"{dropped} dropped by rules such as max_snapshots, and only archives have them now: "
    return [text + f"{where}{more}. No prune removes these; `clear-legacy` does"]


def _agreement(base: Base) -> list[str]:
    """Tell what was done so that rows and refs agree, for as long as people may wonder, and why
    they could not be made to."""
    from hermes_checkpoints.retention.agree import FAILED, last_mended

    notes = []
    failed = base.catalog.settings.get(FAILED)
    if failed:
        notes.append(
            f"catalog and store do not agree, and could not be mended: {failed}; the next command "
            "and the next prune try it again, and nothing is collected before"
        )
    known = last_mended(base)
    if known is not None and base.now() - known.at <= _TOLD:
        when = f"{known.at:%Y-%m-%d %H:%M} UTC"
        notes.append(f"catalog and store did not agree and were mended on {when}: {known.text}")
    return notes


def _lost(base: Base) -> list[str]:
    """Tell of checkpoints of which the store lost something."""
    lost = base.catalog.agreement.lost()
    if not lost:
        return []
    named = ", ".join(
        f"{one.short_id} of {one.working_dir}"
        + (f" ({', '.join(one.labels)})" if one.labels else " (pinned)" if one.pinned else "")
        for one in lost[:_MOST_PENDING]
    )
    more = f" and {len(lost) - _MOST_PENDING} more" if len(lost) > _MOST_PENDING else ""
    count = counted(len(lost), "checkpoint", "is")
    text = f"{count} lost: the store lacks part of them ({named}{more})"
    return [f"{text}. Once a backup of {base.layout.store} is put back, they can be restored again"]


def _partly_lost(base: Base) -> list[str]:
    """Tell of checkpoints of which the store lost the contents of some files."""
    found = base.catalog.agreement.partly_lost()
    if not found:
        return []
    named = ", ".join(f"{one.short_id} of {one.working_dir}" for one in found[:_MOST_PENDING])
    more = f" and {len(found) - _MOST_PENDING} more" if len(found) > _MOST_PENDING else ""
    count = counted(len(found), "checkpoint", "is")
    text = f"{count} partly lost ({named}{more}): the store lacks the contents"
    return [f"{text} of some of their files, which `show` names; a restore brings the others"]


def _over_cap(base: Base, store_bytes: int) -> list[str]:
    from hermes_checkpoints.base.measures import CAP_TRIED, is_over

    cap = base.config.max_total_size_mb
    if cap <= 0 or not is_over(base, store_bytes, cap * MB):
        return []
    if base.catalog.settings.get(CAP_TRIED):
        why = f"what is left is protected; `{PROGRAM} prune --dry-run` says by which rule"
        return [f"the store stays over its cap of {cap} MB: {why}"]
    return [f"the store is over its cap of {cap} MB; `{PROGRAM} prune` brings it below"]


def _cap_prune(base: Base) -> list[str]:
    """Tell what the last prune in the background did, for as long as people may wonder."""
    from hermes_checkpoints.base.cap import last_cap_prune

    found = last_cap_prune(base)
    if found is None or base.now() - datetime.fromisoformat(found.at) > _TOLD:
        return []
    return [found.text]


def _forgetting(base: Base) -> list[str]:
    """Tell of contents that a forget which did not end has left."""
    from hermes_checkpoints.retention.forget import pending as forgetting

    left = len(forgetting(base))
    if not left:
        return []
    what = counted(left, "content")
    return [f"{what} that were to be forgotten are still in the store; run that `forget` again"]


def _interrupted(base: Base) -> list[str]:
    """Tell of restores that were killed while they wrote and are not undone yet."""
    return [
        f"a restore of {found.safety.working_dir} was interrupted at "
        f"{found.started_at:%Y-%m-%d %H:%M} UTC; `{PROGRAM} undo` there brings the "
        "former state back"
        for found in base.catalog.restores.interrupted()
    ]
