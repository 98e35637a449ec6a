"""The limits of a manager: what its host gives it, else what ``config.yaml`` says at each use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.config import Config, load_config
from hermes_checkpoints.layout import Layout


class _Limited(Protocol):
    """What has limits: those that it was given by name, and where the others are configured."""

    _given: dict[str, int | None]

    def _configured(self) -> Config: ...


class Limit:
    """A limit of a manager: the one that was given, else what ``config.yaml`` says now. 0 is no
    limit."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, manager: _Limited | None, owner: type) -> int:
        if manager is None:
            raise AttributeError(f"{self._name} is known of a manager only")
        given = manager._given[self._name]
        if given is not None:
            return given
        configured: int = getattr(manager._configured(), self._name)
        return configured

    def __set__(self, manager: _Limited, value: int | None) -> None:
        number = None if value is None else _number(value)
        manager._given[self._name] = None if number is None else max(0, number)


def limited(config: Config, given: Mapping[str, int | None]) -> Config:
    """Return a configuration with the limits that a manager was given, by name."""
    limits: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(config, **limits) if limits else config


@guarded("{value} is no number of checkpoints or MB; it is as configured", lambda _: None)
def _number(value: Any) -> int | None:
    return int(value)


@guarded("the configuration of {home} cannot be read", lambda _: Config())
def configuration(home: str | os.PathLike[str] | None) -> Config:
    """Return what ``config.yaml`` says, the defaults where there can be no such file."""
    return load_config(Layout.of(home).config)
