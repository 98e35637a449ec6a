"""Files of an older store are read and left alone; what is not imported is told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from hermes_checkpoints import Sessions
from hermes_checkpoints.errors import BadDirectory
from sessions.conftest import Clock
from support import files


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    folder.mkdir()
    return folder


@pytest.fixture
def east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "XXX-11")  # eleven hours east
    time.tzset()
    yield
    monkeypatch.delenv("TZ")
    time.tzset()


def write(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(
        yaml.dump(document, default_flow_style=False, allow_unicode=True, sort_keys=False),
        encoding="utf-8",
    )
    return path


def test_naive_times_are_local_and_the_export_is_the_old_file(
    sessions: Sessions, old: Path, east: None
) -> None:
    document = {"task": "é", "updated": "2026-05-04T03:02:01.000005", "set": {1}, "status": "x"}
    path = write(old, "s 1.yaml", document)
    (done,) = sessions.import_folder(old)
    assert (done.session_id, done.version, done.kept, done.reason) == ("s 1", 1, False, None)
    found = sessions.read("s 1")
    assert found.updated_at == datetime(2026, 5, 3, 16, 2, 1, 5, tzinfo=UTC)
    assert found.document == {**document, "updated": "2026-05-03T16:02:01.000005+00:00"}
    assert (found.status, found.task) == ("x", "é")
    assert sessions.export("s 1") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("updated", "expected"),
    [
        ("2026-05-04T03:02:01+02:00", datetime(2026, 5, 4, 1, 2, 1, tzinfo=UTC)),
        ("2026-05-04", datetime(2026, 5, 3, 13, 0, tzinfo=UTC)),
        (datetime(2026, 5, 4, 3, 2, 1), datetime(2026, 5, 3, 16, 2, 1, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(2026, 5, 4, tzinfo=UTC).date(), datetime(2026, 5, 3, 13, 0, tzinfo=UTC)),
    ],
)
def test_other_forms_of_time(
    sessions: Sessions, old: Path, east: None, updated: object, expected: datetime
) -> None:
    write(old, "s.yaml", {"updated": updated})
    sessions.import_folder(old)
    found = sessions.read("s")
    assert found.updated_at == expected
    assert found.document == {"updated": updated}


@pytest.mark.parametrize("updated", [None, "", "soon", 5, [], "0001-01-01", "9999-12-31T23:59:59"])
def test_no_time_is_no_proof_of_age(
    sessions: Sessions, old: Path, clock: Clock, east: None, updated: object
) -> None:
    document = {"updated": updated, "status": "completed"}
    path = write(old, "s.yaml", document)
    os.utime(path, (0, 0))
    (done,) = sessions.import_folder(old)
    assert done.version == 1
    assert sessions.read("s").document == document
    if updated in (None, "", "soon", 5, [], "0001-01-01"):
        assert sessions.read("s").updated_at == clock.moment
        assert sessions.gc().sessions == ()


def test_what_is_no_session_is_listed_with_the_reason(sessions: Sessions, old: Path) -> None:
    write(old, "list.yaml", [1])
    (old / "empty.yaml").touch()
    (old / "broken.yaml").write_text("a: [", encoding="utf-8")
    (old / "latin.yaml").write_bytes(b"a: \xe9\n")
    (old / "tag.yaml").write_text("a: !!python/tuple [1]\n", encoding="utf-8")
    (old / "folder.yaml").mkdir()
    (old / "line\nbreak.yaml").write_text("a: 1\n", encoding="utf-8")
    (old / ".yaml").write_text("a: 1\n", encoding="utf-8")
    (old / os.fsdecode(b"byte\xff.yaml")).write_text("a: 1\n", encoding="utf-8")
    (old / "loop.yaml").write_text("a: &x [*x]\n", encoding="utf-8")
    os.mkfifo(old / "pipe.yaml")
    (old / "gone.yaml").symlink_to("nowhere")
    (old / "notes.txt").write_text("a: 1\n", encoding="utf-8")
    write(old, "good.yaml", {"a": 1})
    before = files(old)
    found = {one.path.name: one.reason for one in sessions.import_folder(old)}
    assert found.pop("good.yaml") is None
    assert "notes.txt" not in found
    assert sessions.ids() == ["good"]
    assert files(old) == before
    expected = {
        "list.yaml": "it is no mapping but a list",
        "empty.yaml": "it is no mapping but a NoneType",
        "broken.yaml": "it is no YAML",
        "latin.yaml": "it is no UTF-8",
        "tag.yaml": "it is no YAML",
        "folder.yaml": "it is no regular file",
        "line\nbreak.yaml": "control characters",
        ".yaml": "the session id is empty",
        os.fsdecode(b"byte\xff.yaml"): "U+DCFF",
        "loop.yaml": "contains itself",
        "pipe.yaml": "it is no regular file",
        "gone.yaml": "it is no regular file",
    }
    assert found.keys() == expected.keys()
    for name, reason in expected.items():
        assert reason in (found[name] or ""), name


def test_importing_again_changes_nothing(sessions: Sessions, old: Path) -> None:
    write(old, "s.yaml", {"n": 1, "updated": "2026-05-04T03:02:01"})
    write(old, "t.yaml", {"n": 1})
    assert not [one for one in sessions.import_folder(old) if one.kept]
    assert [one.kept for one in sessions.import_folder(old)] == [True, True]
    assert [one.version for one in sessions.history("s")] == [1]


def test_the_newer_state_wins_and_the_other_is_kept(
    sessions: Sessions, old: Path, clock: Clock
) -> None:
    sessions.write("s", {"n": "catalog"})
    local = clock.moment.astimezone().replace(tzinfo=None)
    write(old, "s.yaml", {"n": "older", "updated": (local - timedelta(hours=1)).isoformat()})
    (done,) = sessions.import_folder(old)
    assert done.kept
    assert sessions.read("s").document["n"] == "catalog"
    write(old, "s.yaml", {"n": "newer", "updated": (local + timedelta(hours=1)).isoformat()})
    (done,) = sessions.import_folder(old)
    assert (done.kept, done.version) == (False, 2)
    assert sessions.read("s").document["n"] == "newer"
    assert sessions.read("s", version=1).document["n"] == "catalog"


def test_a_missing_folder_is_told(sessions: Sessions, tmp_path: Path) -> None:
    with pytest.raises(BadDirectory, match="does not exist"):
        sessions.import_folder(tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(BadDirectory, match="not a directory"):
        sessions.import_folder(tmp_path / "file")
