"""the views for people: who holds what, what is stale, who is silent, and each checkpoint"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VIEWS = {
    "fleet_holders": """
    SELECT
        CASE WHEN fleet_projects.repository IS NULL THEN fleet_projects.workdir
            ELSE rtrim(fleet_projects.repository || ' ' || fleet_projects.subdirectory)
        END AS project,
        fleet_places.machine_id AS machine,
        fleet_machines.name AS machine_name,
        fleet_places.workdir,
        fleet_places.checkpoints,
        fleet_places.bytes,
        fleet_places.oldest_at,
        fleet_places.newest_at,
        fleet_remotes.url AS remote,
        fleet_projects.repository,
        fleet_projects.subdirectory,
        fleet_places.project_id
    FROM fleet_places
    JOIN fleet_projects ON fleet_projects.id = fleet_places.project_id
    JOIN fleet_machines ON fleet_machines.id = fleet_places.machine_id
    JOIN fleet_remotes ON fleet_remotes.id = fleet_places.remote_id""",
    "fleet_stale": """
    SELECT
        CASE WHEN fleet_projects.repository IS NULL THEN fleet_projects.workdir
            ELSE rtrim(fleet_projects.repository || ' ' || fleet_projects.subdirectory)
        END AS project,
        fleet_projects.newest_at,
        now() - fleet_projects.newest_at AS age,
        fleet_projects.machines,
        fleet_projects.checkpoints,
        fleet_projects.repository,
        fleet_projects.subdirectory,
        fleet_projects.workdir,
        fleet_projects.id AS project_id
    FROM fleet_projects
    WHERE fleet_projects.newest_at < now() - interval '30 days'""",
    "fleet_silent_machines": """
    SELECT
        fleet_machines.id AS machine,
        fleet_machines.name AS machine_name,
        fleet_machines.newest_at,
        now() - fleet_machines.newest_at AS silent_for,
        fleet_machines.newest_at > now() + interval '1 day' AS clock_ahead,
        fleet_machines.projects,
        fleet_machines.checkpoints,
        (SELECT min(fleet_remotes.indexed_at) FROM fleet_places
            JOIN fleet_remotes ON fleet_remotes.id = fleet_places.remote_id
            WHERE fleet_places.machine_id = fleet_machines.id) AS indexed_at
    FROM fleet_machines
    WHERE fleet_machines.newest_at < now() - interval '7 days'
        OR fleet_machines.newest_at > now() + interval '1 day'""",
    "fleet_checkpoint_list": """
    SELECT
        CASE WHEN fleet_projects.repository IS NULL THEN fleet_projects.workdir
            ELSE rtrim(fleet_projects.repository || ' ' || fleet_projects.subdirectory)
        END AS project,
        fleet_checkpoints.created_at,
        fleet_places.machine_id AS machine,
        fleet_machines.name AS machine_name,
        fleet_checkpoints.kind,
        fleet_checkpoints.reason,
        fleet_checkpoints.session_id,
        fleet_checkpoints.turn,
        encode(fleet_checkpoints.commit_id, 'hex') AS commit_id,
        fleet_remotes.url AS remote,
        fleet_places.prefix || fleet_places.machine_id || '/' || fleet_places.project_hash || '/'
            || fleet_checkpoints.ref AS ref,
        fleet_places.workdir,
        fleet_checkpoints.files,
        fleet_checkpoints.bytes,
        fleet_checkpoints.partial,
        fleet_projects.repository,
        fleet_projects.subdirectory,
        fleet_checkpoints.project_id
    FROM fleet_checkpoints
    JOIN fleet_places ON fleet_places.id = fleet_checkpoints.place_id
    JOIN fleet_projects ON fleet_projects.id = fleet_checkpoints.project_id
    JOIN fleet_machines ON fleet_machines.id = fleet_places.machine_id
    JOIN fleet_remotes ON fleet_remotes.id = fleet_places.remote_id""",
}

COMMENTS = {
    "fleet_holders": "Who holds what: each directory of which a remote has checkpoints.",
    "fleet_stale": "Projects of which nothing was taken for 30 days.",
    "fleet_silent_machines": "Machines of which nothing that is newer than 7 days was sent, and"
    " those whose clock is ahead, of which nobody knows.",
    "fleet_checkpoint_list": "Each checkpoint in each place with names, and where to fetch it.",
}


def upgrade() -> None:
    for name, query in VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS {query}")
        op.execute(f"COMMENT ON VIEW {name} IS '{COMMENTS[name]}'")


def downgrade() -> None:
    raise RuntimeError("an index is never downgraded: drop it, and index again")
