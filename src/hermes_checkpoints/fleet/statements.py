"""The statements by which the index comes to have what a remote has, for PostgreSQL alone.

They work on temporary tables: ``fleet_now`` are the refs that the remote has, ``fleet_gone`` the
rows that it has no more, ``fleet_new`` what new commits tell, ``fleet_facts`` what places are now,
``fleet_named`` what machines call themselves, and ``fleet_touched`` are the places whose sums are
to be counted anew, with the project and the machine of each, before and after.
"""

from __future__ import annotations

TEMPORARY = (
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_now (
        prefix text, machine_id text, project_hash text, ref text, commit_id bytea
    )
    """,
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_gone (
        project_id bigint, place_id bigint, commit_id bytea
    )
    """,
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_named (
        prefix text, machine_id text, project_hash text, machine_name text
    )
    """,
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_facts (
        prefix text, machine_id text, project_hash text, workdir text, key bytea, repository text,
        subdirectory text, path_hash text
    )
    """,
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_new (
        prefix text, machine_id text, project_hash text, ref text, commit_id bytea,
        created_at timestamptz, files bigint, bytes bigint, turn bigint, kind text,
        session_id text, reason text, partial boolean
    )
    """,
    """
    CREATE TEMPORARY TABLE IF NOT EXISTS fleet_touched (
        place_id bigint, project_id bigint, machine_id text
    )
    """,
    "TRUNCATE fleet_now, fleet_gone, fleet_named, fleet_facts, fleet_new, fleet_touched",
)

# --- comparing -----------------------------------------------------------------------------------

FIND_GONE = """
INSERT INTO fleet_gone
SELECT c.project_id, c.place_id, c.commit_id
FROM fleet_places p JOIN fleet_checkpoints c ON c.place_id = p.id AND c.project_id = p.project_id
WHERE p.remote_id = %(remote)s AND NOT EXISTS (
    SELECT FROM fleet_now n
    WHERE n.commit_id = c.commit_id AND n.ref = c.ref AND n.prefix = p.prefix
        AND n.machine_id = p.machine_id AND n.project_hash = p.project_hash
)
"""

FRESH = """
SELECT n.prefix, n.machine_id, n.project_hash, n.ref, encode(n.commit_id, 'hex')
FROM fleet_now n
WHERE NOT EXISTS (
    SELECT FROM fleet_places p
    JOIN fleet_checkpoints c ON c.place_id = p.id AND c.project_id = p.project_id
    WHERE p.remote_id = %(remote)s AND c.commit_id = n.commit_id AND c.ref = n.ref
        AND p.prefix = n.prefix AND p.machine_id = n.machine_id
        AND p.project_hash = n.project_hash
)
"""

PLACES_GONE = """
SELECT prefix, machine_id, project_hash FROM fleet_places
WHERE id IN (SELECT place_id FROM fleet_gone)
"""

# --- writing: first all that is touched is locked, projects by key, then machines by id ----------

TOUCH = """
INSERT INTO fleet_touched
SELECT p.id, p.project_id, p.machine_id
FROM fleet_places p
WHERE p.remote_id = %(remote)s AND (
    p.id IN (SELECT place_id FROM fleet_gone)
    OR EXISTS (
        SELECT FROM fleet_facts f WHERE f.machine_id = p.machine_id
            AND f.project_hash = p.project_hash AND f.prefix = p.prefix
    )
    OR p.machine_name IS DISTINCT FROM (
        SELECT f.machine_name FROM fleet_named f WHERE f.machine_id = p.machine_id
            AND f.project_hash = p.project_hash AND f.prefix = p.prefix
    )
)
"""

LOCK_PROJECTS = """
INSERT INTO fleet_projects (key, repository, subdirectory, project_hash)
SELECT DISTINCT ON (key) key, repository, subdirectory, project_hash FROM (
    SELECT key, repository, subdirectory, path_hash AS project_hash FROM fleet_facts
    UNION ALL
    SELECT key, repository, subdirectory, project_hash FROM fleet_projects
    WHERE id IN (SELECT project_id FROM fleet_touched)
) wanted
ORDER BY key
ON CONFLICT (key) DO UPDATE SET key = excluded.key
"""

LOCK_MACHINES = """
INSERT INTO fleet_machines (id)
SELECT machine_id FROM fleet_facts UNION SELECT machine_id FROM fleet_touched
ORDER BY machine_id
ON CONFLICT (id) DO UPDATE SET id = excluded.id
"""

DELETE = """
DELETE FROM fleet_checkpoints c USING fleet_gone g
WHERE c.commit_id = g.commit_id AND c.project_id = g.project_id AND c.place_id = g.place_id
"""

PLACES = """
INSERT INTO fleet_places AS known
    (remote_id, project_id, machine_id, project_hash, prefix, workdir)
SELECT %(remote)s, p.id, f.machine_id, f.project_hash, f.prefix, f.workdir
FROM fleet_facts f JOIN fleet_projects p ON p.key = f.key
ORDER BY f.machine_id, f.project_hash, f.prefix
ON CONFLICT (remote_id, machine_id, project_hash, prefix)
    DO UPDATE SET project_id = excluded.project_id, workdir = excluded.workdir
    WHERE (known.project_id, known.workdir) IS DISTINCT FROM (excluded.project_id, excluded.workdir)
"""

MOVE = """
UPDATE fleet_checkpoints c SET project_id = p.project_id
FROM fleet_touched t JOIN fleet_places p ON p.id = t.place_id
WHERE t.project_id <> p.project_id AND c.project_id = t.project_id AND c.place_id = t.place_id
"""

INSERT = """
INSERT INTO fleet_checkpoints (project_id, place_id, created_at, files, bytes, turn, commit_id, ref,
    kind, session_id, reason, partial)
SELECT p.project_id, p.id, n.created_at, n.files, n.bytes, n.turn, n.commit_id, n.ref, n.kind,
    n.session_id, n.reason, n.partial
FROM fleet_new n
JOIN fleet_places p ON p.remote_id = %(remote)s AND p.machine_id = n.machine_id
    AND p.project_hash = n.project_hash AND p.prefix = n.prefix
ORDER BY p.project_id, n.created_at
"""

RENAME = """
UPDATE fleet_places p SET machine_name = (
    SELECT f.machine_name FROM fleet_named f WHERE f.machine_id = p.machine_id
        AND f.project_hash = p.project_hash AND f.prefix = p.prefix
)
WHERE p.id IN (SELECT place_id FROM fleet_touched)
"""

# --- sums: counted anew, of what was touched ------------------------------------------------------

SUMS = (
    """
    UPDATE fleet_places p SET checkpoints = s.checkpoints, bytes = s.bytes,
        oldest_at = s.oldest_at, newest_at = s.newest_at
    FROM (
        SELECT place_id, count(*) AS checkpoints, min(created_at) AS oldest_at,
            max(created_at) AS newest_at,
            least(greatest(sum(bytes), 0), 9223372036854775807)::bigint AS bytes
        FROM fleet_checkpoints WHERE place_id IN (SELECT place_id FROM fleet_touched)
        GROUP BY place_id
    ) s
    WHERE s.place_id = p.id
    """,
    """
    DELETE FROM fleet_places p
    WHERE p.id IN (SELECT place_id FROM fleet_touched)
        AND NOT EXISTS (SELECT FROM fleet_checkpoints c WHERE c.place_id = p.id)
    """,
    """
    UPDATE fleet_projects p SET checkpoints = s.checkpoints, bytes = s.bytes,
        oldest_at = s.oldest_at, newest_at = s.newest_at
    FROM (
        SELECT project_id, count(*) AS checkpoints, min(created_at) AS oldest_at,
            max(created_at) AS newest_at,
            least(greatest(sum(bytes), 0), 9223372036854775807)::bigint AS bytes
        FROM (
            SELECT DISTINCT ON (project_id, commit_id) project_id, bytes, created_at
            FROM fleet_checkpoints WHERE project_id IN (SELECT project_id FROM fleet_touched)
        ) once
        GROUP BY project_id
    ) s
    WHERE s.project_id = p.id
    """,
    """
    UPDATE fleet_projects p SET machines = s.machines, workdir = s.workdir
    FROM (
        SELECT project_id, count(DISTINCT machine_id) AS machines,
            min(workdir COLLATE "C") AS workdir
        FROM fleet_places WHERE project_id IN (SELECT project_id FROM fleet_touched)
        GROUP BY project_id
    ) s
    WHERE s.project_id = p.id
    """,
    """
    DELETE FROM fleet_projects p
    WHERE p.id IN (SELECT project_id FROM fleet_touched)
        AND NOT EXISTS (SELECT FROM fleet_places l WHERE l.project_id = p.id)
    """,
    """
    UPDATE fleet_machines m SET projects = s.projects, checkpoints = s.checkpoints,
        bytes = s.bytes, oldest_at = s.oldest_at, newest_at = s.newest_at, name = s.name
    FROM (
        SELECT machine_id, count(DISTINCT project_id) AS projects,
            sum(checkpoints)::bigint AS checkpoints,
            least(sum(bytes), 9223372036854775807)::bigint AS bytes,
            min(oldest_at) AS oldest_at, max(newest_at) AS newest_at,
            (array_agg(machine_name ORDER BY newest_at DESC, machine_name COLLATE "C")
                FILTER (WHERE machine_name IS NOT NULL))[1] AS name
        FROM fleet_places WHERE machine_id IN (SELECT machine_id FROM fleet_touched)
        GROUP BY machine_id
    ) s
    WHERE s.machine_id = m.id
    """,
    """
    DELETE FROM fleet_machines m
    WHERE m.id IN (SELECT machine_id FROM fleet_touched)
        AND NOT EXISTS (SELECT FROM fleet_places l WHERE l.machine_id = m.id)
    """,
)

ANALYZE = "ANALYZE fleet_machines, fleet_projects, fleet_places, fleet_checkpoints"

# --- the remote -----------------------------------------------------------------------------------

REMOTE = """
INSERT INTO fleet_remotes (url_hash, url) VALUES (%(digits)s, %(url)s)
ON CONFLICT (url_hash) DO UPDATE SET url = excluded.url RETURNING id
"""

INDEXED = """
UPDATE fleet_remotes r SET indexed_at = now(), failed_at = NULL, failures = 0, code = NULL,
    error = NULL, malformed = %(malformed)s, checkpoints = (
        SELECT coalesce(sum(p.checkpoints), 0) FROM fleet_places p WHERE p.remote_id = r.id
    )
WHERE r.id = %(remote)s
RETURNING checkpoints
"""

FAILED = """
UPDATE fleet_remotes SET failed_at = now(), failures = failures + 1, code = %(code)s,
    error = %(error)s
WHERE id = %(remote)s
"""
