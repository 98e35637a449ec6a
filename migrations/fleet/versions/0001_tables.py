"""the tables: remotes, machines, projects, places and, in 64 partitions, checkpoints"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

PARTITIONS = 64

TABLES = """
CREATE TABLE fleet_remotes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url_hash text NOT NULL UNIQUE,
    url text NOT NULL,
    indexed_at timestamptz,
    failed_at timestamptz,
    failures bigint NOT NULL DEFAULT 0,
    code text,
    error text,
    checkpoints bigint NOT NULL DEFAULT 0,
    malformed bigint NOT NULL DEFAULT 0
);
CREATE TABLE fleet_machines (
    id text PRIMARY KEY,
    name text,
    projects bigint NOT NULL DEFAULT 0,
    checkpoints bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    oldest_at timestamptz,
    newest_at timestamptz
);
CREATE INDEX fleet_machines_newest ON fleet_machines (newest_at);
CREATE TABLE fleet_projects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL UNIQUE,
    repository text,
    subdirectory text,
    project_hash text,
    workdir text,
    machines bigint NOT NULL DEFAULT 0,
    checkpoints bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    oldest_at timestamptz,
    newest_at timestamptz
);
CREATE INDEX fleet_projects_repository ON fleet_projects USING hash (repository);
CREATE INDEX fleet_projects_newest ON fleet_projects (newest_at);
CREATE TABLE fleet_places (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    remote_id bigint NOT NULL REFERENCES fleet_remotes (id),
    project_id bigint NOT NULL REFERENCES fleet_projects (id),
    machine_id text NOT NULL REFERENCES fleet_machines (id),
    project_hash text NOT NULL,
    prefix text NOT NULL,
    machine_name text,
    workdir text NOT NULL,
    checkpoints bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    oldest_at timestamptz,
    newest_at timestamptz,
    UNIQUE (remote_id, machine_id, project_hash, prefix)
);
CREATE INDEX fleet_places_project ON fleet_places (project_id);
CREATE INDEX fleet_places_machine ON fleet_places (machine_id);
CREATE TABLE fleet_checkpoints (
    project_id bigint NOT NULL,
    place_id bigint NOT NULL,
    created_at timestamptz NOT NULL,
    files bigint NOT NULL,
    bytes bigint NOT NULL,
    turn bigint,
    commit_id bytea NOT NULL,
    ref text NOT NULL,
    kind text NOT NULL,
    session_id text,
    reason text NOT NULL,
    partial boolean NOT NULL,
    PRIMARY KEY (commit_id, project_id, place_id)
) PARTITION BY HASH (project_id);
CREATE INDEX fleet_checkpoints_newest ON fleet_checkpoints (project_id, created_at);
CREATE INDEX fleet_checkpoints_place ON fleet_checkpoints (place_id);
CREATE INDEX fleet_checkpoints_session ON fleet_checkpoints USING hash (session_id);
"""

COMMENTS = {
    "fleet_revision": "Which revision of the tables this is; one row.",
    "fleet_remotes": "A git repository that checkpoints of machines were sent to.",
    "fleet_remotes.id": "Its number here.",
    "fleet_remotes.url_hash": "The first 16 digits of the SHA-256 of url.",
    "fleet_remotes.url": "Its address without password, token and query.",
    "fleet_remotes.indexed_at": "When it was last indexed, by the clock of who did; null: never.",
    "fleet_remotes.failed_at": "When that failed last; null where it has not since it last worked.",
    "fleet_remotes.failures": "How often it has failed since it last worked.",
    "fleet_remotes.code": "Of the last of these failures, what it was, in a word.",
    "fleet_remotes.error": "That in words, with what to do.",
    "fleet_remotes.checkpoints": "How many checkpoints it had when it was last indexed.",
    "fleet_remotes.malformed": "How many refs were left out then: their commits are malformed.",
    "fleet_machines": "A machine that has sent checkpoints, with sums over what is indexed of it.",
    "fleet_machines.id": "Its id: 12 hexadecimal digits.",
    "fleet_machines.name": "What people call it, by what it sent last; null where nothing tells.",
    "fleet_machines.projects": "Of how many projects it has checkpoints.",
    "fleet_machines.checkpoints": "How many checkpoints it has, on each remote that has them.",
    "fleet_machines.bytes": "Bytes of the files of all of them; what they share counts in each.",
    "fleet_machines.oldest_at": "When it took the oldest, by its own clock.",
    "fleet_machines.newest_at": "When it took the newest, by its own clock.",
    "fleet_projects": "A project with sums: the same place of the same repository on all machines;"
    " where there is no repository, the same path.",
    "fleet_projects.id": "Its number here.",
    "fleet_projects.key": "The SHA-256 of what it is known by.",
    "fleet_projects.repository": "The origin of its repository, without protocol and user; null"
    " where it belongs to none.",
    "fleet_projects.subdirectory": "The place in the repository; empty for the top.",
    "fleet_projects.project_hash": "Where there is no repository, the first 16 digits of the"
    " SHA-256 of the path.",
    "fleet_projects.workdir": "A directory in which a machine has it: the first in their order.",
    "fleet_projects.machines": "How many machines have checkpoints of it.",
    "fleet_projects.checkpoints": "How many checkpoints there are, each counted once.",
    "fleet_projects.bytes": "Bytes of the files of all of them; what they share counts in each.",
    "fleet_projects.oldest_at": "When the oldest was taken, by the clock of the machine.",
    "fleet_projects.newest_at": "When the newest was taken, by the clock of the machine.",
    "fleet_places": "A directory of a machine of which a remote has checkpoints, with sums.",
    "fleet_places.id": "Its number here.",
    "fleet_places.remote_id": "The remote.",
    "fleet_places.project_id": "The project that it is, by the newest checkpoint.",
    "fleet_places.machine_id": "The machine.",
    "fleet_places.project_hash": "The name of the project on the remote: 16 hexadecimal digits.",
    "fleet_places.prefix": "What its refs begin with: refs/checkpoints/ or, below branches,"
    " refs/heads/checkpoints/.",
    "fleet_places.machine_name": "What the machine called itself when it last sent this.",
    "fleet_places.workdir": "The directory, by the newest checkpoint. A backslash is doubled, and a"
    " byte that is no text is an escape such as \\xff.",
    "fleet_places.checkpoints": "How many checkpoints it has.",
    "fleet_places.bytes": "Bytes of the files of all of them; what they share counts in each.",
    "fleet_places.oldest_at": "When the oldest was taken, by the clock of the machine.",
    "fleet_places.newest_at": "When the newest was taken, by the clock of the machine.",
    "fleet_checkpoints": "A checkpoint in a place, as its commit tells; no contents. One that is in"
    " several places has a row for each.",
    "fleet_checkpoints.project_id": "The project, by which the rows are divided.",
    "fleet_checkpoints.place_id": "The place. Not a foreign key, which each row would pay for.",
    "fleet_checkpoints.created_at": "When it was taken, by the clock of the machine.",
    "fleet_checkpoints.files": "How many files it holds.",
    "fleet_checkpoints.bytes": "How many bytes these have.",
    "fleet_checkpoints.turn": "The turn of the session; null where it belongs to none.",
    "fleet_checkpoints.commit_id": "The id of the commit, which is that of the checkpoint.",
    "fleet_checkpoints.ref": "The last part of the name of its ref.",
    "fleet_checkpoints.kind": "Why it was taken: auto, manual, safety or imported.",
    "fleet_checkpoints.session_id": "The session of an agent; null where it belongs to none.",
    "fleet_checkpoints.reason": "Why it was taken, in words: the first 200 characters.",
    "fleet_checkpoints.partial": "Whether it holds a few named paths alone.",
}


def upgrade() -> None:
    for statement in TABLES.split(";"):
        if statement.strip():
            op.execute(statement)
    for number in range(PARTITIONS):
        op.execute(
            f"CREATE TABLE fleet_checkpoints_{number:02} PARTITION OF fleet_checkpoints "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        )
    for name, text in COMMENTS.items():
        kind = "COLUMN" if "." in name else "TABLE"
        quoted = text.replace("'", "''")
        op.execute(f"COMMENT ON {kind} {name} IS '{quoted}'")


def downgrade() -> None:
    raise RuntimeError("an index is never downgraded: drop it, and index again")
