"""``CheckpointStore``: what the agent's own store promises, and that it never raises."""

from __future__ import annotations

import gc
import logging
import os
import stat
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointStore
from hermes_checkpoints.errors import SessionChanged
from support import OrdinaryUserLike

NOTHING: list[Any] = [0]


def test_write_read_list_delete(store: CheckpointStore) -> None:
    data = {"task": "x", "progress": {"done": [1, 2]}, "when": datetime(2026, 1, 2)}  # noqa: DTZ001
    assert store.write("b", data) is None
    store.write("a", {})
    assert "updated" not in data
    before = datetime.now()  # noqa: DTZ005 - the agent's time is local, without a zone
    store.write("b", data)
    found = store.read("b")
    assert found is not None
    assert before <= datetime.fromisoformat(found.pop("updated")) <= datetime.now()  # noqa: DTZ005
    assert found == data
    assert store.list_sessions() == ["a", "b"]
    store.delete("b")
    store.delete("b")
    assert store.read("b") is None
    assert store.list_sessions() == ["a"]


def test_the_folder_is_made_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down" / "base"
    store = CheckpointStore(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert store.directory == folder
    assert list(folder.iterdir()) == []  # the catalog is opened when it is needed
    store.write("s", {})
    assert stat.S_IMODE((folder / "catalog.db").stat().st_mode) == 0o600
    store.close()
    assert store.list_sessions() == ["s"]
    store.close()


def test_the_default_is_below_the_home_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        monkeypatch.setenv("HERMES_HOME", str(tmp_path / name))
        with CheckpointStore() as store:
            store.write(name, {})
            assert store.directory == tmp_path / name / "checkpoints"
            assert store.list_sessions() == [name]


def test_wrong_documents_and_ids_are_logged_and_change_nothing(
    store: CheckpointStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.write("s", {"n": 1})
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    wrong: list[tuple[Any, Any, str]] = [
        ("s", {"n": object()}, "n is an object"),
        ("s", cyclic, "contains itself"),
        ("s", [], "a mapping, not list"),
        ("s", None, "a mapping, not NoneType"),
        ("", {}, "the session id is empty"),
        ("x" * 256, {}, "at most 255"),
        ("a\nb", {}, "U+000A"),
        (None, {}, "a session id is text"),
    ]
    for session_id, data, message in wrong:
        caplog.clear()
        store.write(session_id, data)
        assert message in caplog.text
        assert caplog.records[-1].levelno == logging.WARNING
    assert store.list_sessions() == ["s"]
    found = store.read("s")
    assert found is not None
    assert found["n"] == 1
    for session_id in ("", "a\nb", None, 5):
        assert store.read(session_id) is None  # type: ignore[arg-type]
        store.delete(session_id)  # type: ignore[arg-type]


def test_a_stale_writer_is_the_one_error_that_is_raised(store: CheckpointStore) -> None:
    assert store.version("s") == 0
    store.write("s", {"n": 1}, if_version=0)
    assert store.version("s") == 1
    with pytest.raises(SessionChanged):
        store.write("s", {"n": 2}, if_version=0)
    store.write("s", {"n": 2}, if_version=1)
    assert store.version("s") == 2


def test_stale_sessions_are_collected_and_wrong_ages_collect_nothing(
    store: CheckpointStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "hermes_checkpoints.agent.session_store")
    store.write("b", {})
    store.write("a", {})
    assert store.garbage_collect() == []
    assert caplog.text == ""
    assert store.garbage_collect(max_age_days=0) == ["a", "b"]
    assert "removed 2 stale session(s)" in caplog.text
    assert store.garbage_collect(max_age_days="soon") == []  # type: ignore[arg-type]
    assert store.garbage_collect(10**12) == []


def test_a_base_that_cannot_be_is_logged(
    as_user: OrdinaryUserLike, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    store = CheckpointStore(file / "base")
    store.write("s", {})
    assert store.read("s") is None
    assert store.list_sessions() == []
    assert store.garbage_collect() == []
    assert store.version("s") == 0
    store.delete("s")
    assert len(caplog.records) == 7
    assert as_user(_in_a_closed_folder, as_user.tmp)


def _in_a_closed_folder(tmp: Path) -> bool:
    folder = tmp / "base"
    store = CheckpointStore(folder)
    store.write("s", {"n": 1})
    store.close()
    (folder / "catalog.db").chmod(0o400)
    try:
        store.write("s", {"n": 2})
        return store.read("s") is None  # a catalog in use must be writable
    finally:
        store.close()


def test_a_damaged_catalog_is_logged_and_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "catalog.db").write_bytes(b"this is no database" * 100)
    with CheckpointStore(folder) as store:
        store.write("s", {})
        assert store.read("s") is None
    assert "is damaged" in caplog.text
    assert (folder / "catalog.db").read_bytes() == b"this is no database" * 100


def test_a_catalog_moved_away_while_open_is_opened_again(tmp_path: Path) -> None:
    with CheckpointStore(tmp_path / "base") as store:
        store.write("s", {"n": 1})
        aside = tmp_path / "aside"
        (tmp_path / "base").rename(aside)
        store.write("t", {"n": 2})
        assert store.list_sessions() == ["t"]
    with CheckpointStore(aside) as store:
        assert store.list_sessions() == ["s"]


def test_no_connection_is_left_open_without_close(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "base")
    store.write("s", {})
    opened = store._sessions
    assert opened is not None
    transactions = opened._base.catalog._transactions
    del store, opened
    gc.collect()
    assert transactions._closed


def test_threads_share_a_store(store: CheckpointStore) -> None:
    def work(number: int) -> None:
        for turn in range(20):
            store.write(f"s{number % 3}", {"n": number, "turn": turn, "text": "x" * 2000})
            found = store.read(f"s{number % 3}")
            assert found is not None
            assert len(found["text"]) == 2000

    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(store.version(f"s{number}") for number in range(3)) == 120


@pytest.mark.skipif(sys.platform == "win32", reason="a path of bytes")
def test_any_path_names_a_base(tmp_path: Path) -> None:
    with CheckpointStore(os.fspath(tmp_path / "a ? # % b")) as store:
        store.write("s", {})
        assert store.list_sessions() == ["s"]
