"""``admin`` shows the catalog to whoever opened its link first, lets nobody change it, and is in
nobody's way."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote_plus, urlencode, urlsplit

import pytest

import browser
from catalog.sent import OTHER, OWN, pushed, remote_checkpoint, send, sent_by
from documents import validate
from hermes_checkpoints import Checkpoints, Taken
from hermes_checkpoints.catalog.table_comments import HIDDEN
from hermes_checkpoints.model import PushState
from interpreters import PROGRAM
from pages.blocks import only
from support import Run, make_project

HOST = "127.0.0.1"
ODD = "a\u202egnp.txt"
"""A name that turns round what follows it, so that it looks like ``atxt.png``."""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
ON_ITS_PAGE = only("docs/admin.md", "text").splitlines()
OPENED = b"The catalog of the checkpoints"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """What stands in the page, without what browsers are told."""
        told = r"(?s)<(script|style)\b.*?</\1>|<[^>]*>"
        return unescape(re.sub(r"\s+", " ", re.sub(told, " ", self.body.decode())))


class Shown:
    """A catalog that is shown by a process of its own."""

    def __init__(self, home: Path, *words: str, **environment: str) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "--home", str(home), "admin", *words],
            env={**os.environ, "HOME": str(home), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        if "--json" in words:
            validate("admin", json.loads(first))
            first = json.loads(first)["url"]
        self.link = first.strip()
        where = urlsplit(self.link)
        assert where.hostname == HOST
        self.port, self.root, self.query = where.port or 0, where.path, where.query
        self.cookie: str | None = None

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """Ask for exactly a path, with these headers and no others."""
        with closing(HTTPConnection(HOST, self.port, timeout=60)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": f"{HOST}:{self.port}", **headers}.items():
                if value:
                    connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, told, answer.read())

    def get(self, page: str, status: int = 200, **values: str) -> Answer:
        """Return a page as who was let in sees it."""
        asked = f"{self.root}{page}{'?' if values else ''}{urlencode(values)}"
        found = self.ask(asked, Cookie=self.cookie or "")
        assert found.status == status, found.text
        return found

    def rows(self, page: str, **values: str) -> list[dict[str, object]]:
        given = {"_shape": "objects", "_size": "max", **values}
        found = json.loads(self.get(f"{page}.json", 200, **given).body)
        rows: list[dict[str, object]] = found["rows"]
        return rows

    def enter(self) -> Answer:
        """Open the link; be who was let in from now on."""
        found = self.ask(f"{self.root}?{self.query}")
        self.cookie = found.headers.get("set-cookie", "").partition(";")[0]
        return found

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; return the exit code and what was said of it."""
        self.process.send_signal(number)
        assert self.process.stdout is not None and self.process.stderr is not None
        with self.process.stdout as out, self.process.stderr as err:
            said = out.read() + err.read()
        return self.process.wait(timeout=60), said


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a project of two checkpoints, of which an agent changed one."""
    folder = tmp_path_factory.mktemp("admin")
    project = make_project(folder / "project")
    with Checkpoints.open(folder / "home") as checkpoints:
        one = checkpoints.project(project)
        one.take("as it was", label="good")
        one.begin_turn(session_id="s1", turn=1)
        (project / ODD).write_text("new\n" * 3000)
        one.take("<b>after</b>")
        one.end_turn(session_id="s1")
        newest, oldest = one.list()
        send(
            checkpoints._base.catalog,
            pushed(oldest, PushState.SENT),
            pushed(newest, PushState.REFUSED),
            found=[sent_by(OWN, oldest), remote_checkpoint(OTHER, 1)],
        )
    return folder / "home"


@pytest.fixture(scope="module")
def shown(base: Path) -> Iterator[Shown]:
    """The catalog, opened by its link. Its end by Ctrl-C is clean."""
    found = Shown(base)
    found.enter()
    yield found
    code, said = found.end()
    assert (code, said) == (0, f"{ON_ITS_PAGE[2]}\n")


@pytest.fixture(scope="module")
def alone(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """One whose link nobody has opened, of a base that nobody else uses, with things beside
    Datasette that leave a file where they are run. Its end by a signal is clean, and waits for no
    query that is being answered."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copytree(base, folder / "home")
    code = f"open({str(folder / 'home/ran')!r}, 'w').close()\n"
    for name in ("plugin.py", "pysqlite3.py"):
        (folder / name).write_text(code)
    facts = folder / "plugin-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[datasette]\nplugin = plugin\n")
    found = Shown(folder / "home", "--json", PYTHONPATH=str(folder))
    yield found
    endless = f"{found.root}catalog?sql={quote_plus(ENDLESS)}"
    with suppress(OSError, HTTPException), closing(HTTPConnection(HOST, found.port)) as asking:
        asking.request("GET", endless, headers={"Cookie": found.cookie or ""})
    assert found.end(signal.SIGTERM) == (0, "")


def catalog(home: Path) -> bytes:
    return (home / "checkpoints" / "catalog.db").read_bytes()


# --- who sees it ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_prints_what_its_page_says(shown: Shown) -> None:
    assert ON_ITS_PAGE[0] == "$ hermes checkpoints admin"
    differs = r":\d+/[0-9a-f]{16}/\?token=[\w-]+…?"
    link, told = (re.sub(differs, ":…", one) for one in (shown.link, ON_ITS_PAGE[1]))
    assert link == told == f"http://{HOST}:…"


def test_the_link_lets_in_who_opens_it_first_and_nobody_else(alone: Shown) -> None:
    """A look at its head alone does not use it up."""
    link = f"{alone.root}?{alone.query}"
    assert alone.ask(link, "HEAD").status == 403
    assert alone.ask(f"{alone.root}?token=wrong").status == 403
    entered = alone.enter()
    assert (entered.status, entered.headers["location"]) == (303, f"{alone.root}catalog")
    cookie = entered.headers["set-cookie"]
    assert cookie.endswith(f"; Path={alone.root}; HttpOnly; SameSite=Strict")
    assert alone.ask(link).status == 403
    assert alone.ask(link, Cookie=alone.cookie or "").status == 303  # who is in, stays in
    assert OPENED in alone.get("catalog").body


def test_what_is_installed_beside_datasette_is_not_run(alone: Shown) -> None:
    alone.cookie or alone.enter()
    (ours,) = json.loads(alone.get("-/plugins.json").body)
    assert ours["name"] == "hermes_checkpoints.cli.admin.cells"
    assert not (alone.home / "ran").exists()


@pytest.mark.campaign
def test_a_port_that_is_in_use_is_said(alone: Shown, run: Run) -> None:
    said = run("--home", alone.home, "admin", "--port", str(alone.port), code=2).err
    assert f"port {alone.port} is in use; leave --port out for one that is free" in said


def test_a_catalog_that_was_replaced_is_not_shown(alone: Shown) -> None:
    alone.cookie or alone.enter()
    assert "as it was" in alone.get("catalog/checkpoint_list").text
    other = alone.home / "other.db"
    other.write_bytes(catalog(alone.home))
    other.rename(alone.home / "checkpoints" / "catalog.db")
    assert "moved away or replaced" in alone.get("catalog/checkpoint_list", 503).text


PATHS = (
    *("", "catalog", "catalog.json", "catalog/settings", "catalog/settings.json"),
    *("catalog/settings.csv", "catalog/settings/max_snapshots.json", "catalog.db"),
    *("catalog/space-by-project", "catalog?sql=select+1", "catalog.json?sql=select+1"),
    *("-/metadata.json", "-/databases.json", "-/versions", "-/static/app.css", "favicon.ico"),
    *("-/auth-token", "-/logout", "-/allow-debug", "nothing"),
)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_who_was_not_let_in_is_refused_everything(shown: Shown, path: str) -> None:
    wrong = "hermes-checkpoints-admin=wrong; ds_actor=root"
    for cookie in ("", wrong, (shown.cookie or "")[:-1]):
        found = shown.ask(f"{shown.root}{path}", Cookie=cookie)
        assert (found.status, b"closed to you" in found.body) == (403, True)
    outside = shown.ask(f"/{path}", Cookie=shown.cookie or "")
    assert outside.status == 403


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:{0}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:{0}"]
)
def test_a_name_that_was_made_to_lead_here_is_shown_nothing(shown: Shown, host: str) -> None:
    found = shown.ask(
        f"{shown.root}catalog", Host=host.format(shown.port), Cookie=shown.cookie or ""
    )
    assert found.status in {400, 421}
    assert OPENED not in found.body


def test_browsers_are_told_to_keep_it_to_themselves(shown: Shown) -> None:
    for page in ("catalog", "catalog/settings.json", "-/static/app.css", "nothing"):
        headers = shown.ask(f"{shown.root}{page}", Cookie=shown.cookie or "").headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


# --- what it shows --------------------------------------------------------------------------------


@pytest.mark.campaign
def test_every_table_and_view_is_shown_and_explained(shown: Shown) -> None:
    before = catalog(shown.home)
    first = shown.get("catalog").text
    with Checkpoints.open(shown.home, create=False) as checkpoints:
        for one in checkpoints.relations():
            assert (f" {one.name} " in first) == (one.name not in HIDDEN), one.name
            page = shown.get(f"catalog/{one.name}").text
            assert " ".join(one.about.split()) in page
            assert all(" ".join(column.about.split()) in page for column in one.columns)
            (rows,) = checkpoints.ask(f"SELECT count(*) FROM {one.name}")  # noqa: S608
            assert len(shown.rows(f"catalog/{one.name}")) == rows[0]
    hidden = shown.get("catalog", _show_hidden="1").text
    assert all(f" {name} (hidden)" in hidden for name in ("alembic_version", "tool_runs"))
    assert catalog(shown.home) == before


@pytest.mark.slow
def test_each_question_answers_as_sql_does(shown: Shown) -> None:
    given = {"checkpoint": "", "path": ODD, "session": "s1"}
    with Checkpoints.open(shown.home, create=False) as checkpoints:
        given["checkpoint"] = checkpoints.projects()[0].get().short_id
        for one in checkpoints.questions():
            values = {name.name: given[name.name] for name in one.parameters if name.needed}
            asked = checkpoints.ask(one, values=values)
            rows = [dict(zip(asked.columns, row, strict=True)) for row in asked]
            assert shown.rows(f"catalog/{one.name}", **values) == rows, one.name
            assert (
                one.asks in shown.get(f"catalog/{one.name}").text
            )  # the form, before it is filled
            about = [f"{name.name}: {name.about}".replace("`", "") for name in one.parameters]
            assert all(text in shown.get(f"catalog/{one.name}").text for text in about)


def test_a_value_that_does_not_fit_is_refused_and_not_answered_with_nothing(shown: Shown) -> None:
    said = shown.get("catalog/growth-by-day", 400, days="last week").text
    assert "the value of :days is a whole number of at most six digits, not 'last week'" in said


def test_a_person_reads_times_sizes_and_names_and_programs_the_values(shown: Shown) -> None:
    (row, *_) = shown.rows("catalog/checkpoints", _sort_desc="id")
    page = shown.get("catalog/checkpoints").body.decode()
    assert f">{str(row['created_at'])[:19]}</span>" in page
    assert f">{row['logical_bytes']:,}</span>" in page
    assert "&lt;b&gt;after&lt;/b&gt;" in page
    previous = shown.rows(f"catalog/checkpoints/{row['previous_id']}")[0]["commit_id"]
    assert f'title="{previous}">{str(previous)[:8]}</a>&nbsp;<em>{row["previous_id"]}</em>' in page
    directory = shown.home.parent / "project"
    assert f'title="{directory}">{directory}</a>&nbsp;<em>1</em>' in page
    changes = shown.get("catalog/checkpoint_changes").body.decode()
    assert "a\\u202egnp.txt" in changes
    assert "\u202e" not in changes
    assert ODD in [one["path"] for one in shown.rows("catalog/checkpoint_changes")]
    assert ODD in shown.get("catalog/checkpoint_changes.csv").body.decode()


def test_a_wrong_address_or_query_is_said_and_nothing_of_the_inside(shown: Shown) -> None:
    assert "Table not found" in shown.get("catalog/nothing", 404).text
    assert "no such column: x" in shown.get("catalog", 400, sql="select x").text
    assert "Table not found" in json.loads(shown.get("catalog/nothing.json", 404).body)["error"]
    for page in ("_internal", "-/permissions", "catalog.db"):
        shown.get(page, 403)
    redirected = shown.get("catalog/", 302)
    assert redirected.headers["location"] == f"{shown.root}catalog"


# --- what nobody can do ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_what_could_change_something_is_refused_unread(shown: Shown, method: str) -> None:
    for path in ("catalog", "-/logout", "catalog/settings/max_snapshots"):
        found = shown.ask(f"{shown.root}{path}", method, Cookie=shown.cookie or "")
        assert (found.status, found.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM labels",
        "WITH x AS (SELECT 1) DELETE FROM labels",
        "EXPLAIN DELETE FROM labels",
        "PRAGMA journal_mode = delete",
        "SELECT * FROM pragma_wal_checkpoint",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM labels",
        "ATTACH 'x.db' AS x",
        "VACUUM INTO 'x.db'",
    ],
)
def test_no_query_changes_anything(shown: Shown, query: str) -> None:
    before = catalog(shown.home)
    shown.get("catalog", 400, sql=query)
    assert catalog(shown.home) == before


def test_nobody_waits_for_a_query_and_it_ends_by_itself(shown: Shown) -> None:
    """A take works beside one that has no end, and the next page shows what came of it. The log can
    be written back."""
    answers: list[Answer] = []
    asked = f"{shown.root}catalog?sql={quote_plus(ENDLESS)}&_timelimit=1500"
    asking = threading.Thread(
        target=lambda: answers.append(shown.ask(asked, Cookie=shown.cookie or ""))
    )
    asking.start()
    with Checkpoints.open(shown.home) as checkpoints:
        project = checkpoints.projects()[0]
        (project.working_dir / "README.md").write_text("meanwhile\n")
        assert isinstance(project.take("meanwhile"), Taken)
    assert "meanwhile" in shown.get("catalog/checkpoint_list").text
    asking.join()
    assert answers[0].status == 400
    assert "SQL query took too long" in answers[0].text
    shown.get("catalog", sql=ENDLESS.replace("max(i)", "i") + " LIMIT 5000")  # not read to its end
    with closing(sqlite3.connect(shown.home / "checkpoints/catalog.db")) as connection:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert not busy


# --- how it begins and ends -----------------------------------------------------------------------


@pytest.mark.campaign
@pytest.mark.skipif(browser.found() is None, reason="no browser of the Chromium kind is installed")
def test_a_person_opens_the_link_and_asks_a_question_in_a_browser(
    base: Path, tmp_path: Path
) -> None:
    with Checkpoints.open(base, create=False) as checkpoints:
        wanted = checkpoints.projects()[0].get("good").short_id
    person = Shown(base)
    try:
        with browser.page(tmp_path) as page:
            page.open(person.link)
            assert page.value("location.pathname + location.search") == f"{person.root}catalog"
            assert page.value("getComputedStyle(document.querySelector('header')).color") != ""
            page.click("a[href$='/catalog/checkpoint-fate']")
            assert page.text("h1") == "What became of a checkpoint?"
            page.value(f"document.querySelector('[name=checkpoint]').value = '{wanted}'")
            page.click("input[type=submit]")
            assert "live" in page.text("table")
            page.open(f"http://127.0.0.1:{person.port}{person.root}catalog/path_events")
            box, row = (
                page.value(f"document.querySelector('{name}').getBoundingClientRect().top")
                for name in ("dl", "tbody")
            )
            assert box < row < 800
            page.click("td.col-checkpoint_id a")
            assert "/catalog/checkpoints/" in page.value("location.pathname")
            assert page.picture().startswith(b"\x89PNG")
            page.open(person.link)  # who is in, stays in
            assert page.value("location.pathname") == f"{person.root}catalog"
    finally:
        assert person.end()[0] == 0


def test_a_catalog_of_a_newer_version_is_refused_and_left(
    taken: Path, home: Path, run: Run
) -> None:
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = catalog(home)
    assert "newer" in run("admin", code=2).err
    assert catalog(home) == before


def test_a_missing_library_is_named_with_what_brings_it(
    taken: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hermes_checkpoints.cli.admin.pages", None)
    assert "hermes-checkpoints[admin]" in run("admin", code=2).err


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("port", ["-1", "65536", "x", "", "1.5", "٣"])
def test_what_is_no_port_is_wrong_usage(port: str, run: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        run("admin", "--port", port)
    assert ended.value.code == 64
