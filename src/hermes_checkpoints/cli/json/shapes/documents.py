"""Which document is printed by which command line."""

from __future__ import annotations

from typing import NamedTuple

from hermes_checkpoints.cli.json.shapes import (
    answer,
    checkpoints,
    doctor,
    error,
    fleet,
    found,
    history,
    remote,
    remote_state,
    restores,
    retention,
    sessions,
    status,
)


class Document(NamedTuple):
    """A document: its name, which is that of its schema file, what declares it, and the command
    lines that print it, each beginning with the verb."""

    name: str
    shape: type
    printed_by: tuple[str, ...]


DOCUMENTS = (
    Document("status", status.Status, ("status", "list", "")),
    Document("check", status.Check, ("status --check",)),
    Document("doctor", doctor.Diagnosis, ("doctor", "doctor --repair")),
    Document("take", checkpoints.Take, ("take", "watch")),
    Document("log", checkpoints.Log, ("log [DIR]",)),
    Document("path-log", found.PathLog, ("log PATH",)),
    Document("find", found.Find, ("find",)),
    Document("show", checkpoints.Show, ("show",)),
    Document("coverage", checkpoints.Coverage, ("coverage",)),
    Document("diff", checkpoints.Diff, ("diff", "export --patch FILE")),
    Document("head-diff", checkpoints.HeadDiff, ("diff --head",)),
    Document("agent-diff", checkpoints.AgentDiff, ("diff --session ID", "diff --turn N")),
    Document("cat", checkpoints.Contents, ("cat",)),
    Document(
        "restore-plan",
        restores.RestorePlan,
        ("restore --dry-run", "undo --dry-run", "redo --dry-run"),
    ),
    Document("restore", restores.Restore, ("restore -f", "undo -f", "redo -f")),
    Document("who", checkpoints.Who, ("who",)),
    Document("sessions", sessions.Sessions, ("sessions", "sessions list")),
    Document("session", sessions.Session, ("sessions show",)),
    Document("session-history", sessions.SessionHistory, ("sessions history",)),
    Document("session-export", sessions.SessionExport, ("sessions export",)),
    Document("session-state", sessions.SessionState, ("sessions restore",)),
    Document("sessions-removed", sessions.RemovedSessions, ("sessions delete", "sessions gc")),
    Document("sessions-imported", sessions.ImportedSessions, ("sessions import",)),
    Document("du", status.Usage, ("du",)),
    Document("sql", answer.Rows, ("sql QUERY", "sql --question NAME")),
    Document("sql-questions", answer.Questions, ("sql --questions",)),
    Document("sql-schema", answer.Relations, ("sql --schema",)),
    Document("admin", answer.Shown, ("admin",)),
    Document("checkpoint", checkpoints.Checkpoint, ("pin", "unpin", "label")),
    Document("prune-plan", retention.PrunePlan, ("prune --dry-run", "drop --dry-run")),
    Document("prune", retention.Prune, ("prune -f", "drop -f")),
    Document("forget-plan", retention.ForgetPlan, ("forget --dry-run",)),
    Document("forget", retention.Forget, ("forget -f",)),
    Document("rebind", history.Rebind, ("rebind",)),
    Document("clear", retention.Clear, ("clear", "clear-legacy")),
    Document("import-legacy", history.Import, ("import-legacy",)),
    Document("export-tar", checkpoints.Archive, ("export --tar FILE",)),
    Document("export-branch", checkpoints.ExportedBranch, ("export --branch NAME",)),
    Document("export-layout", history.Export, ("export --layout v2",)),
    Document("adopt", history.Adopt, ("adopt",)),
    Document("pull", remote.PullResults, ("pull",)),
    Document("remote-list", remote.RemoteList, ("log --remote",)),
    Document("push", remote.PushResults, ("push",)),
    Document("push-plan", remote.PushPlans, ("push --dry-run",)),
    Document("remote-check", remote.RemoteCheck, ("remote check",)),
    Document("fleet-index", fleet.FleetIndexed, ("fleet index",)),
    Document("fleet-status", fleet.FleetStatus, ("fleet status",)),
    Document("remote-status", remote_state.RemoteStatus, ("remote status",)),
    Document("remote-prune-plan", remote_state.RemotePrunePlans, ("remote prune --dry-run",)),
    Document("remote-prune", remote_state.RemotePrune, ("remote prune -f",)),
    Document("hook-install", history.HookInstall, ("hook install",)),
    Document("hook-print", history.HookPrint, ("hook install --print",)),
    Document("completion", history.Completion, ("completion",)),
    Document("demo", history.Demo, ("demo",)),
    Document("error", error.Error, ()),
)
"""All of them, in the order of the help. An error is printed on stderr, by any verb."""

WITHOUT = {
    "browse": "it draws on the whole terminal; `--json` is refused, and `log --json` has the list",
    "fleet": "it has no answer of its own; its verbs have documents",
    "hook": "agents speak with it, each in its own form of JSON; `hook install` has a document",
    "remote": "it has no answer of its own; its verbs have documents",
    "mcp": "it speaks the Model Context Protocol; `--json` is refused",
}
"""The verbs that print no document, and why."""
