"""What holds without a server: the extra is missing, nothing is configured, nobody answers."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import make_url

from hermes_checkpoints import BadRequest, Checkpoints, FleetOff, FleetUnreachable
from hermes_checkpoints.fleet import upgrading
from hermes_checkpoints.fleet.address import DRIVER, address_of, secrets_of, shown
from support import Run

VERSIONS = Path(__file__).parents[2] / "migrations/fleet/versions"
SECRET = "tell-nobody"  # noqa: S105 - of nobody


def configure(home: Path, catalog: object) -> None:
    told = {"checkpoints": {"remote": {"url": "/srv/undo.git"}, "fleet": {"catalog": catalog}}}
    (home / "config.yaml").write_text(json.dumps(told))


def test_without_the_extra_it_says_what_installs_it(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(home, f"{DRIVER}://127.0.0.1:1/fleet")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for verb in ("index", "status"):
        answer = run("fleet", verb, code=2)
        assert "python -m pip install 'hermes-checkpoints[fleet]'" in answer.err
    with Checkpoints.open() as checkpoints:
        for call in (checkpoints.index_fleet, checkpoints.fleet_status):
            with pytest.raises(BadRequest, match=r"hermes-checkpoints\[fleet\]"):
                call()


def test_what_is_not_configured_or_wrong_is_off_and_makes_no_base(
    run: Run, fresh_home: Path
) -> None:
    fresh_home.mkdir()
    for told, words in (
        ({}, "no index is configured; set catalog of fleet:"),
        ({"fleet": {"catalog": 7}}, "fleet is off and there is no index"),
        ({"fleet": {"catalogue": "x"}}, "did you mean catalog?"),
    ):
        (fresh_home / "config.yaml").write_text(json.dumps({"checkpoints": told}))
        for verb in ("index", "status"):
            assert words in run("fleet", verb, code=2).err
    configure(fresh_home, f"{DRIVER}://127.0.0.1:1/fleet")
    (fresh_home / "config.yaml").write_text(
        json.dumps({"checkpoints": {"fleet": {"catalog": f"{DRIVER}://127.0.0.1:1/fleet"}}})
    )
    assert "no remote is configured" in run("fleet", "index", code=2).err
    assert [one.name for one in fresh_home.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    "wrong",
    [f"sqlite:///{SECRET}", f"mysql://me:{SECRET}@host/x", SECRET, f"postgresql://h:{SECRET}/x"],
)
def test_an_address_that_is_none_is_refused_without_being_repeated(
    run: Run, home: Path, wrong: str
) -> None:
    answer = run("fleet", "status", "--catalog", wrong, code=2)
    assert "is no address such as postgresql+psycopg://host/name" in answer.err
    assert SECRET not in answer.err


def test_a_server_that_is_not_there_is_told_and_the_password_is_not(run: Run, home: Path) -> None:
    url = f"postgresql://me:{SECRET}@127.0.0.1:1/fleet?sslpassword={SECRET}2"
    configure(home, url)
    for verb in ("index", "status"):
        answer = run("fleet", verb, "--json", code=2)
        told = json.loads(answer.err)["error"]
        assert told["code"] == "fleet-unreachable"
        assert "127.0.0.1:1/fleet" in told["message"]
        assert SECRET not in answer.err
    with Checkpoints.open() as checkpoints, pytest.raises(FleetUnreachable):
        checkpoints.index_fleet("/srv/undo.git")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("undo.git", "is neither an absolute path nor an address"),
        ("", "is empty"),
        ("/srv/{project}.git", "has a placeholder"),
        ("ext::sh -c true", "needs the protocol ext, which is not among protocols"),
        (f"https://me:{SECRET}@host/x\n", "holds a line break"),
    ],
)
def test_an_address_of_a_remote_that_is_none_is_refused_before_anybody_is_asked(
    run: Run, home: Path, url: str, told: str
) -> None:
    configure(home, f"{DRIVER}://127.0.0.1:1/fleet")
    answer = run("fleet", "index", url, code=2)
    assert told in answer.err
    assert SECRET not in answer.err


@pytest.mark.parametrize("url", ["postgres://h/x", "postgresql://h/x", f"{DRIVER}://h/x"])
def test_the_usual_forms_of_an_address_lead_to_one_driver(tmp_path: Path, url: str) -> None:
    assert address_of(url, tmp_path / "config.yaml").drivername == DRIVER


def test_what_is_shown_of_an_address_gives_no_access() -> None:
    url = make_url(f"{DRIVER}://me:{SECRET}@h:5/x?password={SECRET}2&sslmode=require")
    assert shown(url) == "h:5/x"
    assert secrets_of(url) == {SECRET, f"{SECRET}2"}
    assert shown(make_url(f"{DRIVER}:///x?host=/run/pg")) == "/run/pg/x"


def test_the_address_is_that_of_the_home_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(tmp_path, f"{DRIVER}://elsewhere/x")
    monkeypatch.chdir(tmp_path)
    with Checkpoints.open() as checkpoints, pytest.raises(FleetOff):
        checkpoints.fleet_status()


def test_the_group_asks_for_one_of_its_verbs(run: Run, home: Path) -> None:
    assert "give one: index, status" in run("fleet", code=64).err


def test_the_revisions_are_those_of_the_folder_in_their_order() -> None:
    files = sorted(file.name for file in VERSIONS.glob("0*.py"))
    assert [name[:4] for name in files] == [*upgrading.REVISIONS]


def test_alembic_prints_the_statements_and_does_nothing_else() -> None:
    printed = io.StringIO()
    config = Config(
        str(VERSIONS.parents[2] / "alembic.ini"), ini_section="fleet", output_buffer=printed
    )
    command.upgrade(config, "head", sql=True)
    assert "CREATE TABLE fleet_checkpoints_63 PARTITION OF fleet_checkpoints" in printed.getvalue()
    with pytest.raises(CommandError, match="is made and upgraded by"):
        command.upgrade(config, "head")
