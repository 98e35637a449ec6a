"""Tests with the marker ``agent`` run only where ``-m`` names it: they install a whole program."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "agent" in (config.option.markexpr or ""):
        return
    left = [item for item in items if item.get_closest_marker("agent") is not None]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
