"""A power cut takes back what did not wait for the disk; the next opening finds it out.

The catalog is what the disk had of it then: a copy that is made before a transaction that does not
wait begins. The store is as git left it, since what it writes is durable.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catalog.records import integrity_problems, shell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.capture import publishing
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Kind, Unchanged
from retention.histories import History


@contextmanager
def disk(monkeypatch: pytest.MonkeyPatch, base: Path, copies: Path) -> Iterator[list[Path]]:
    """Copy the base before each transaction that does not wait for the disk, and note the
    copies."""
    found: list[Path] = []
    together = Catalog.together

    def copied(catalog: Catalog, *, durable: bool = True) -> Any:
        if not durable:
            found.append(copies / str(len(found)))
            shutil.copytree(base, found[-1] / "checkpoints", symlinks=True)
        return together(catalog, durable=durable)

    with monkeypatch.context() as patch:
        patch.setattr(Catalog, "together", copied)
        yield found


def put_back(catalog: Path, copy: Path) -> None:
    """Put the catalog of a copy, with its log, into the place of another one."""
    for end in ("", "-wal", "-shm"):
        catalog.with_name(catalog.name + end).unlink(missing_ok=True)
        file = copy / f"checkpoints/catalog.db{end}"
        if file.exists() and end != "-shm":
            shutil.copy(file, catalog.with_name(catalog.name + end))


def test_a_take_of_which_only_the_ref_is_left_is_adopted(
    history: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = history.project()
    history.takes(folder, 2, kind=Kind.AUTO)
    (folder / "data").write_bytes(b"the third")
    project = history.checkpoints.project(folder)
    before = [one.id for one in project.list()]

    class PowerCut(BaseException):
        """Nothing catches it."""

    def cut(*_: object, **__: object) -> None:
        raise PowerCut

    base = history.home / "checkpoints"
    with disk(monkeypatch, base, tmp_path) as copies, pytest.raises(PowerCut):
        monkeypatch.setattr(publishing, "add_checkpoint", cut)
        project.take(kind=Kind.AUTO)
    monkeypatch.undo()
    history.checkpoints.close()
    (copy,) = copies
    put_back(base / "catalog.db", copy)
    assert not shell(base / "catalog.db", "SELECT * FROM operations WHERE outcome = 'running'")
    with Checkpoints.open(history.home) as again:
        after = again.project(folder).list()
        assert [one.id for one in after[1:]] == before
        assert again.project(folder).read_file(after[0].id, "data") == b"the third"
        assert again._base.catalog.checkpoints.ref_names() == set(history.refs())
        assert isinstance(again.project(folder).take(kind=Kind.AUTO), Unchanged)
    assert integrity_problems(base / "catalog.db") == []


def test_a_trim_of_which_only_the_mark_is_left_is_finished(
    history: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, base = history.project(), history.home / "checkpoints"
    kept = Config(max_snapshots=2)
    with Checkpoints.open(history.home, config=kept) as checkpoints:
        project = checkpoints.project(folder)
        for number in range(2):
            (folder / "data").write_text(str(number))
            project.take(kind=Kind.AUTO)
        (folder / "data").write_text("2")
        with disk(monkeypatch, base, tmp_path) as copies:
            project.take(kind=Kind.AUTO)
        wanted = [one.id for one in project.list()]
        states = "SELECT state FROM checkpoints ORDER BY id"
        ended = shell(base / "catalog.db", states)
        assert [row["state"] for row in ended] == ["pruned", "live", "live"]
    _begun, marked = copies
    put_back(base / "catalog.db", marked)
    left = shell(base / "catalog.db", states)
    assert [row["state"] for row in left] == ["pruning", "live", "live"]
    with Checkpoints.open(history.home, config=kept) as again:
        assert [one.id for one in again.project(folder).list()] == wanted
        assert again._base.catalog.checkpoints.ref_names() == set(history.refs())
    assert shell(base / "catalog.db", states) == ended
    assert integrity_problems(base / "catalog.db") == []
