"""A home whose configuration names a remote, a bare repository, and a server on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from remote.servers import HttpServer, bare, http_server

Configure = Callable[..., None]


@pytest.fixture(scope="session")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with http_server(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture
def server(one_server: HttpServer, tmp_path: Path) -> Iterator[HttpServer]:
    """A server on loopback with a repository ``undo.git``, which answers everybody."""
    fresh = HttpServer(tmp_path / "served", one_server.address)
    bare(fresh.root / "undo.git")
    vars(one_server).update(vars(fresh))
    yield one_server
    one_server.closing.set()


@pytest.fixture
def undo(tmp_path: Path) -> Path:
    """A bare repository."""
    return bare(tmp_path / "undo.git")


@pytest.fixture
def configure(home: Path) -> Configure:
    """Write the section ``remote:`` into the configuration of the home."""

    def configure(url: object = "", **settings: Any) -> None:
        section = {"url": str(url), **settings} if url != "" else settings
        text = json.dumps({"checkpoints": {"remote": section}})  # JSON is YAML
        (home / "config.yaml").write_text(text, encoding="utf-8")

    return configure


@pytest.fixture
def other(tmp_path: Path, undo: Path) -> Iterator[Checkpoints]:
    """Another machine, with the same remote."""
    home = tmp_path / "other-home"
    home.mkdir()
    text = json.dumps({"checkpoints": {"remote": {"url": str(undo)}}})
    (home / "config.yaml").write_text(text, encoding="utf-8")
    with Checkpoints.open(home) as opened:
        yield opened


@pytest.fixture
def here(home: Path, undo: Path, configure: Configure) -> Iterator[Checkpoints]:
    configure(undo)
    with Checkpoints.open() as opened:
        yield opened
