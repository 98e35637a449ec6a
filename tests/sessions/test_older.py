"""What an older program writes to the file of a session is read through, whenever it does."""

from __future__ import annotations

import logging
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog.records import journal
from hermes_checkpoints import Checkpoints, CheckpointStore, Sessions
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import SessionChanged, SessionUnknown
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.sessions.files import file_name
from hermes_checkpoints.sessions.older import OlderPrograms
from history.old_bases import extracted, states

_opened: list[str] = []
_listening: list[bool] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening and event == "open" and str(arguments[0]).endswith(".yaml"):
        _opened.append(Path(str(arguments[0])).name)


sys.addaudithook(_hear)


@pytest.fixture
def opened() -> Any:
    """The session files that are opened from now on."""
    _opened.clear()
    _listening.append(True)
    yield _opened
    _listening.clear()


def older_write(base: Base, session_id: str, document: dict[str, Any], seconds: float = 60) -> Path:
    """Write a session as the YAML store of the agent does, so many seconds from now."""
    at = datetime.now().astimezone() + timedelta(seconds=seconds)
    path = base.layout.base / f"{file_name(session_id)}.yaml"
    text = yaml.safe_dump({**document, "updated": at.replace(tzinfo=None).isoformat()})
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at.timestamp() + 0.01,) * 2)
    return path


@pytest.fixture
def real(home: Path) -> Any:
    """The sessions of a home, with the clock of the machine."""
    with Sessions.open(home) as sessions:
        yield sessions


def test_a_file_that_is_new_is_a_session(real: Sessions) -> None:
    older_write(real._base, "s", {"task": "new", "n": 1})
    assert real.ids() == ["s"]
    assert real.read("s").document["n"] == 1
    assert len(real.list()) == 1
    with CheckpointStore(real._base.layout.base) as store:
        older_write(real._base, "t", {"n": 2})
        found = store.read("t")
        assert found is not None
        assert found["n"] == 2
        assert store.version("t") == 1
        assert store.list_sessions() == ["s", "t"]


def test_a_newer_file_is_the_newest_state_and_the_former_one_is_kept(real: Sessions) -> None:
    real.write("s", {"n": 1})
    path = older_write(real._base, "s", {"n": 2})
    assert real.read("s").document["n"] == 2
    assert real.read("s", version=1).document["n"] == 1
    assert path.exists()  # the older program reads it
    older_write(real._base, "s", {"n": 3}, seconds=90)
    assert real.history("s")[0].version == 3
    older_write(real._base, "s", {"n": 4}, seconds=120)
    with pytest.raises(SessionChanged):
        real.write("s", {"n": 5}, if_version=3)
    assert real.write("s", {"n": 5}).version == 5
    assert [v.version for v in real.history("s")] == [5, 4, 3, 2, 1]


def test_an_older_file_is_not(real: Sessions) -> None:
    older_write(real._base, "s", {"n": 0}, seconds=-600)
    assert real.read("s").document["n"] == 0
    real.write("s", {"n": 1})
    older_write(real._base, "s", {"n": 2}, seconds=-60)
    assert real.read("s").document["n"] == 1
    assert len(real.history("s")) == 2


def test_a_file_is_opened_once_for_each_of_its_states(real: Sessions, opened: list[str]) -> None:
    real.write("s", {"n": 1})
    real.write("other", {"n": 1})
    assert opened == []
    older_write(real._base, "s", {"n": 2})
    opened.clear()
    for _ in range(3):
        assert real.read("s").document["n"] == 2
        assert real.ids() == ["other", "s"]
        real.read("other")
    assert opened == ["s.yaml"]
    older_write(real._base, "s", {"n": 3}, seconds=90)
    opened.clear()
    assert len(real.list()) == 2
    assert opened == ["s.yaml"]
    assert real.read("s").document["n"] == 3


@pytest.mark.parametrize("session_id", ["../up", "a%b", "é\u0301 space", "x" * 250])
def test_any_id_finds_its_file(real: Sessions, session_id: str) -> None:
    real.write(session_id, {"n": 1})
    older_write(real._base, session_id, {"n": 2})
    assert real.ids() == [session_id]
    assert real.read(session_id).document["n"] == 2


def test_a_session_that_is_deleted_or_collected_takes_its_file_along(real: Sessions) -> None:
    for name in ("deleted", "collected"):
        older_write(real._base, name, {"status": "completed"}, seconds=-3 * 86_400)
    assert real.delete("deleted")
    assert [one.session_id for one in real.gc().sessions] == ["collected"]
    assert real.ids() == []
    assert not list(real._base.layout.base.glob("*.yaml"))
    with pytest.raises(SessionUnknown):
        real.read("deleted")


def test_a_file_that_was_written_since_the_look_stays(real: Sessions) -> None:
    older_write(real._base, "s", {"n": 1})
    files = OlderPrograms(real._base, None)
    files.look_all()
    stored = real.read("s")
    path = older_write(real._base, "s", {"n": 2}, seconds=90)
    files.remove("s", stored.updated_at)
    assert path.exists()
    files.look("s")
    files.remove("s", stored.updated_at)
    assert not path.exists()
    assert real.read("s").document["n"] == 2


def test_what_is_no_session_is_left_alone(real: Sessions, caplog: pytest.LogCaptureFixture) -> None:
    base = real._base.layout.base
    os.mkfifo(base / "pipe.yaml")
    (base / "folder.yaml").mkdir()
    (base / "link.yaml").symlink_to(base / "catalog.db")
    (base / "broken.yaml").write_text("- no mapping\n", encoding="utf-8")
    (base / "\x01.yaml").write_text("a: 1\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert real.ids() == []
    assert len([r for r in caplog.records if "cannot be taken in" in r.message]) == 1
    for name in ("pipe", "folder", "link", "broken"):
        with pytest.raises(SessionUnknown):
            real.read(name)
        assert not real.delete(name)
        assert os.path.lexists(base / f"{name}.yaml")


def test_a_file_without_a_time_is_of_the_time_of_the_file(real: Sessions) -> None:
    written = real.write("s", {"n": 1}).updated_at.timestamp()
    path = older_write(real._base, "s", {})
    path.write_text("n: 2\n", encoding="utf-8")
    os.utime(path, (written - 60,) * 2)
    assert real.read("s").document["n"] == 1
    os.utime(path, (written + 60,) * 2)
    assert real.read("s").document == {"n": 2}


def test_with_the_mirror_on_a_newer_file_is_read_through_as_well(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("sessions:\n  mirror_yaml: true\n", encoding="utf-8")
    with Sessions.open(home) as sessions:
        sessions.write("s", {"n": 1})
        older_write(sessions._base, "s", {"n": 2})
        assert sessions.read("s").document["n"] == 2
        assert sessions.write("s", {"n": 3}).version == 3
        text = (sessions._base.layout.base / "s.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(text)["n"] == 3


@pytest.mark.campaign
def test_what_was_written_between_the_upgrade_and_the_archive_is_taken_in(tmp_path: Path) -> None:
    home = extracted("v1", tmp_path)
    base = Base.open(Layout.of(home))  # the upgrade made the files rows
    name = "finished-session"
    older_write(base, name, {"n": "late"})
    base.catalog.close()
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.sessions.read(name).document["n"] == "late"
        assert states(checkpoints)[f"{name}.yaml"] == "archived"
        assert not (home / "checkpoints" / f"{name}.yaml").exists()


@pytest.mark.campaign
def test_a_session_that_was_deleted_before_its_file_was_archived_leaves_no_record(
    tmp_path: Path,
) -> None:
    home = extracted("v1", tmp_path)
    name = "finished-session"
    with Sessions.open(home) as sessions:
        assert sessions.delete(name)
    with Checkpoints.open(home) as checkpoints:
        assert name not in checkpoints.sessions.ids()
        assert f"{name}.yaml" not in states(checkpoints)
        assert not [o for o in journal(checkpoints._base.catalog, 9) if name in (o.message or "")]
