"""The view of the settings in force: the rules of a prune that nobody watches, at this moment."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Select,
    String,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    null,
    select,
    table,
)
from sqlalchemy.types import BigInteger, Integer

from hermes_checkpoints.catalog.policy import POLICY
from hermes_checkpoints.catalog.schema import settings
from hermes_checkpoints.catalog.views.sql import moment
from hermes_checkpoints.config import RETENTION_KEYS, Config
from hermes_checkpoints.model import MB

_OF_THE_HOST = ("auto_prune", "min_interval_hours")
"""They say when a host prunes, not what."""

_HOURS = {"h": 1, "d": 24, "w": 168}
_DAY_SECONDS = 86_400


def retention_policy() -> Select[Any]:
    """The retention rules that the settings make, now: one row with the columns of
    ``policy.POLICY``, as ``retention.delete.policy_of`` makes them for a run that nobody
    watches. A setting that the catalog lacks has the default of the configuration."""
    setting = _settings()
    days, grace = _number(setting, "retention_days"), _number(setting, "orphan_grace_days")
    within = _hours(setting.c.keep_within)
    off: ColumnElement[int] = literal_column("0")
    columns: dict[str, ColumnElement[Any]] = {
        "now": moment(),
        "stale_before": case((days > 0, moment(days, "days")), else_=null()),
        "delete_orphans": setting.c.delete_orphans == "true",
        "orphan_before": moment(grace, "days"),
        "orphan_grace_seconds": grace * _DAY_SECONDS,
        "within_since": case((within > 0, moment(within, "hours")), else_=null()),
        "include_pinned": off,
        "only_limit": off,
        "cap_bytes": cast(setting.c.max_total_size_mb, BigInteger) * MB,
        "reclaim_bytes": off,
        "own_limits": literal_column("1"),
    }
    numbers = {name: _number(setting, name) for name in POLICY if name not in columns}
    made = {**columns, **numbers}
    return select(*(made[name].label(name) for name in POLICY))


IN_FORCE = table("retention_policy", *(column(name, kind) for name, kind in POLICY.items()))
"""The view of these rules, from which the others read them."""


def _settings() -> CTE:
    """Return the settings that decide as one row of text, with the defaults."""
    defaults = Config().settings()
    deciding = [key for key in RETENTION_KEYS if key not in _OF_THE_HOST]

    def value(key: str) -> ColumnElement[str]:
        kept = func.max(case((settings.c.name == key, settings.c.value)))
        return func.coalesce(kept, literal(defaults[key], String)).label(key)

    return select(*map(value, deciding)).cte("setting")


def _number(setting: CTE, key: str) -> ColumnElement[int]:
    return cast(setting.c[key], Integer)


def _hours(age: ColumnElement[str]) -> ColumnElement[int]:
    """Return the hours of an age such as ``12h``, ``7d`` or ``2w``; 0 for the empty text."""
    unit = case(
        *((func.substr(age, -1) == letter, hours) for letter, hours in _HOURS.items()), else_=0
    )
    return cast(age, Integer) * unit
