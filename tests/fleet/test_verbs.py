"""``fleet index`` and ``fleet status`` as people and scripts meet them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents import validate
from fleet.conftest import Database
from fleet.planted import cursor, plant, planted
from fleet.postgres import PASSWORD
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli.text import columns
from remote.servers import bare
from support import Run

pytestmark = pytest.mark.campaign


@pytest.fixture
def filled(admin: Checkpoints, database: Database, undo: Path) -> Path:
    """The home of the administrator, with something to be indexed."""
    app = {"Repository": "github.com/org/" + "a long name of an app " * 5, "Subdirectory": "web"}
    refs = [planted(n, n, f"/home/user {n}/app", **app) for n in range(25)]
    refs += [planted(n, n, f"/w/{'x' * 100}/{n}", Time=f"2025-01-{n + 1:02}T00:00:00+00:00")
             for n in range(25)]  # fmt: skip
    refs += [cursor(3, "/home/user 3/app", "odd \x1b[31m\nname " * 4)]
    refs += [planted(99, 99, "/ahead", Time="9999-12-31T23:59:59+00:00")]
    plant(undo, dict(refs))
    return admin.home


def test_both_verbs_say_what_is_so_in_80_columns(
    run: Run, filled: Path, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = run("--home", filled, "fleet", "index")
    assert answer.lines[1] == "  51 checkpoints indexed, 51 new, 0 gone"
    away = str(tmp_path / "away.git")
    again = run("--home", filled, "fleet", "index", away, code=3)
    assert f"Of {away}:" in again.out
    assert "git ls-remote" in again.err
    told = run("--home", filled, "fleet", "status")
    assert told.lines[0].startswith("Index:       127.0.0.1:")
    assert "Machines:    26" in told.lines
    assert PASSWORD not in told.out
    assert "\x1b" not in told.out
    assert "clock is ahead" in told.out
    assert re.search(rf"failed \d+s ago: reading from {re.escape(away)} is not", told.out)
    assert "  and 6 machines more: give -n 26" in told.lines
    few = run("--home", filled, "fleet", "status", "-n", "2")
    assert "  and 23 projects more: give -n 25" in few.lines
    assert len(few.lines) < 25
    monkeypatch.setattr("hermes_checkpoints.cli.table.width", lambda: 80)
    narrow = run("--home", filled, "fleet", "status")
    assert max(map(columns, narrow.lines)) == 80
    assert "…" in narrow.out


def test_the_documents_are_as_declared(run: Run, filled: Path, tmp_path: Path) -> None:
    other = bare(tmp_path / "other.git")
    remotes = (str(tmp_path / "undo.git"), str(tmp_path / "away.git"), str(other))
    document = run("--home", filled, "fleet", "index", *remotes, "--json", code=3).json
    validate("fleet-index", document)
    assert [one["complete"] for one in document["remotes"]] == [True, False, True]
    assert document["remotes"][1]["code"] == "remote-unreachable"
    told = run("--home", filled, "fleet", "status", "--json").json
    validate("fleet-status", told)
    assert (told["machines"], told["remotes"], told["stale_projects"]) == (26, 3, 25)
    assert told["machine_list"][0]["newest_at"] == "9999-12-31T23:59:59.000000Z"
    assert told["remote_list"][0]["failures"] == 1


def test_the_catalog_can_be_named(run: Run, filled: Path, database: Database) -> None:
    config = filled / "config.yaml"
    config.write_text(config.read_text().replace('"fleet"', '"flet"'))
    assert "fleet-off" not in run("--home", filled, "fleet", "status", code=2).out
    words = ("--home", filled, "fleet", "index", "--catalog", database.url)
    assert "51 new" in run(*words).out
