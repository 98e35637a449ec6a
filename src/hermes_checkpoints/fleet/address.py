"""Where the index is: the address of a PostgreSQL database, and what of it may be shown."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from hermes_checkpoints.config import load_fleet_config
from hermes_checkpoints.errors import BadRequest, FleetOff

DRIVER = "postgresql+psycopg"
_NAMES = frozenset({DRIVER, "postgresql", "postgres"})
_LEAST = 4


def address_of(given: str | None, config: Path) -> URL:
    """Return the address that was given, else that of ``fleet:`` in a configuration, which is that
    of the home.

    Raises:
        FleetOff: when there is none, or the section is wrong.
        BadRequest: when it is none of a PostgreSQL database. It may hold a password, so that no
            message has it.
    """
    if given is not None:
        return _parsed(given, "the address of the index")
    found = load_fleet_config(config)
    if found.warnings:
        raise FleetOff("; ".join(found.warnings))
    if not found.catalog:
        raise FleetOff(
            f"no index is configured; set catalog of fleet: of checkpoints: in {config}, or give "
            "--catalog postgresql+psycopg://HOST/NAME (docs/fleet.md)"
        )
    return _parsed(found.catalog, f"catalog of fleet: in {config}")


def _parsed(text: str, what: str) -> URL:
    example = f"is no address such as {DRIVER}://host/name"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise BadRequest(f"{what} {example}") from None
    if url.drivername not in _NAMES:
        raise BadRequest(f"{what} {example}: the index is in PostgreSQL")
    if "\0" in text or not text.isprintable():
        raise BadRequest(f"{what} {example}: it holds a character that none has")
    return url.set(drivername=DRIVER)


def shown(url: URL) -> str:
    """Return an address without user, password and options.

    >>> shown(make_url("postgresql://me:secret@db.example.org:5433/fleet?password=secret"))
    'db.example.org:5433/fleet'
    """
    host = url.host or str(url.query.get("host", "")) or "local"
    port = f":{url.port}" if url.port else ""
    return f"{host}{port}/{url.database or ''}"


def secrets_of(url: URL) -> frozenset[str]:
    """Return what of an address gives access."""
    words = [str(url.password or "")]
    for name in ("password", "sslpassword", "passfile", "oauth_client_secret"):
        value = url.query.get(name, "")
        words += [value] if isinstance(value, str) else [*value]
    return frozenset(one for one in words if len(one) >= _LEAST)
