"""Homes with bases of earlier versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from history.old_bases import extracted, made


@pytest.fixture
def v1_home(tmp_path: Path) -> Path:
    """The base of version 1, whose working directories do not exist."""
    return extracted("v1", tmp_path / "v1")


@pytest.fixture
def v2_home(tmp_path: Path) -> Path:
    """The base that the real version 2 made of that, and then used."""
    return extracted("v2", tmp_path / "v2")


@pytest.fixture
def live_home(tmp_path: Path) -> Path:
    """A base of version 1 with its working directories, in ``projects`` beside the home."""
    return made(tmp_path / "live")
