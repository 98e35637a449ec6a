"""What ``config.yaml`` says of places beyond this machine: the sections ``remote:`` and ``fleet:``
of ``checkpoints:``.

They decide what leaves the machine. So, unlike everywhere else, a doubt is no reason for a default:
one wrong value or unknown key switches the whole section off, and the warning says so. No warning
repeats a value that may hold a password.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

PLACEHOLDERS = ("{machine}", "{project}")
"""What is replaced in the address: the id of the base (12 hex digits) and of the project (16)."""

_MOST_URL = 2048
_DAYS = 36_500
_SECONDS = 86_400
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_HELPER = re.compile(r"([a-z][a-z0-9+.-]*)::.+")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://.+")
_SCP = re.compile(r"[^/:]+:.+|[^/:@]+@\[[0-9A-Fa-f:.]+\]:.+|\[[0-9A-Fa-f:.]+\]:.+")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_KEY = re.compile(r"[A-Za-z_-]{1,40}")
_NAME = re.compile(r"[a-z][a-z0-9+.-]*")
_SAME = {"git+ssh": "ssh", "ssh+git": "ssh"}


class PushWhen(enum.StrEnum):
    """When checkpoints are sent to the remote.

    >>> PushWhen("turn") is PushWhen.TURN
    True
    """

    MANUAL = "manual"  # by `push` alone
    TURN = "turn"  # when a host says that a turn has ended
    SESSION = "session"  # when it says that of a session


class SecretCheck(enum.StrEnum):
    """What is done with a checkpoint that seems to hold a secret.

    >>> RemoteConfig().secrets
    <SecretCheck.REFUSE: 'refuse'>
    """

    REFUSE = "refuse"  # it is not sent
    ALLOW = "allow"


class RefNamespace(enum.StrEnum):
    """Where in the remote the refs of checkpoints lie.

    >>> RefNamespace.HEADS.prefix
    'refs/heads/checkpoints/'
    """

    CHECKPOINTS = "checkpoints"
    HEADS = "heads"  # for servers that take or protect branches alone

    @property
    def prefix(self) -> str:
        """What the names of these refs begin with."""
        return "refs/heads/checkpoints/" if self is RefNamespace.HEADS else "refs/checkpoints/"

    @property
    def cursor_prefix(self) -> str:
        """What the names of the refs begin with that say what was sent last."""
        heads = self is RefNamespace.HEADS
        return "refs/heads/checkpoints-cursor/" if heads else "refs/checkpoints-cursor/"


@dataclass(frozen=True)
class RemoteConfig:
    """The one remote, and how it is used: the section ``remote:`` of ``checkpoints:``.

    Where ``url`` is empty nothing leaves the machine; ``warnings`` say why, where that is not what
    the file says. ``url`` may hold a password and is in no ``repr``. ``protocols`` are those that
    git may use, no others; times are in days and seconds, and 0 days is for ever.

    >>> config = RemoteConfig(url="ssh://git@example.org/srv/undo/{project}.git")
    >>> config.is_on, config.push.value, RemoteConfig().is_on
    (True, 'manual', False)
    """

    url: str = field(default="", repr=False)
    push: PushWhen = PushWhen.MANUAL
    min_interval_seconds: int = 60
    secrets: SecretCheck = SecretCheck.REFUSE
    keep_days: int = 30
    keep_dead_days: int = 30
    namespace: RefNamespace = RefNamespace.CHECKPOINTS
    protocols: tuple[str, ...] = ("file", "ssh", "https")
    timeout_seconds: int = 60
    warnings: tuple[str, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether there is a remote."""
        return bool(self.url)

    @property
    def is_of_project(self) -> bool:
        """Whether each project has a remote of its own."""
        return "{project}" in self.url

    def address(self, machine: str, project: str | None) -> str:
        """Return the address of the remote for a base and a project, which are told by their ids.

        Raises:
            ValueError: when the address needs a project and none is told, or there is no remote.

        >>> RemoteConfig(url="/srv/{machine}/undo.git").address("0123456789ab", None)
        '/srv/0123456789ab/undo.git'
        """
        if not self.url or (self.is_of_project and project is None):
            raise ValueError("there is no remote, or each project has one of its own")
        return self.url.replace("{machine}", machine).replace("{project}", project or "")


@dataclass(frozen=True)
class FleetConfig:
    """Where the index over many machines lies: the section ``fleet:`` of ``checkpoints:``.

    ``catalog`` is an address as SQLAlchemy has them, empty where there is none; it may hold a
    password and is in no ``repr``. ``warnings`` name what was wrong in the file.

    >>> FleetConfig().catalog
    ''
    """

    catalog: str = field(default="", repr=False)
    warnings: tuple[str, ...] = ()


def read_remote(section: Any, where: str) -> RemoteConfig:
    """Return what a section ``remote`` says, None where there is none; off where anything of it is
    wrong. ``where`` names the file in warnings."""
    values, problems = _read(section, _REMOTE)
    if not problems:
        known = dict(values)
        problem = _of_protocol(known.get("url", ""), known.get("protocols", _DEFAULT.protocols))
        problems = [] if problem is None else [problem]
    if problems:
        return RemoteConfig(warnings=(_off("remote", problems, where),))
    return RemoteConfig(**values)


def read_fleet(section: Any, where: str) -> FleetConfig:
    """Return what a section ``fleet`` says, as ``read_remote``."""
    values, problems = _read(section, {"catalog": _catalog})
    if problems:
        return FleetConfig(warnings=(_off("fleet", problems, where),))
    return FleetConfig(**values)


def _off(name: str, problems: Iterable[str], where: str) -> str:
    left = {"remote": "nothing leaves this machine", "fleet": "there is no index"}[name]
    return f"{where}: {name} is off and {left} until this is corrected there: {'; '.join(problems)}"


class _Wrong(ValueError):
    """What is wrong with a value, to stand behind the name of its key."""


_Reader = Callable[[Any], Any]


def _read(section: Any, readers: dict[str, _Reader]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a section by key, and all that is wrong in it."""
    if section is None:
        return {}, []
    if not isinstance(section, dict):
        return {}, ["it is no mapping of keys to values"]
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in section.items():
        if not isinstance(key, str) or key not in readers:
            problems.append(_unknown(key, readers))
            continue
        try:
            values[key] = readers[key](value)
        except _Wrong as wrong:
            problems.append(f"{key} {wrong}")
    return values, problems


def _unknown(key: Any, known: Iterable[str]) -> str:
    from hermes_checkpoints.text import nearest

    if not isinstance(key, str) or not _KEY.fullmatch(key):  # it may be an address
        return "unknown key"
    near = nearest(key, sorted(known))
    return f"unknown key {key!r}{'' if near is None else f' (did you mean {near}?)'}"


def _choice(kind: type[enum.StrEnum]) -> _Reader:
    def read(value: Any) -> enum.StrEnum:
        names = [str(one) for one in kind]
        if not isinstance(value, str) or value not in names:
            raise _Wrong(f"is none of {', '.join(names)}")
        return kind(value)

    return read


def _number(least: int, most: int) -> _Reader:
    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise _Wrong(f"is no whole number from {least} to {most}")
        return value

    return read


def _protocols(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    good = isinstance(names, list) and all(
        isinstance(name, str) and _NAME.fullmatch(name) for name in names
    )
    if not good or not names:
        raise _Wrong("is no list of names of protocols, such as [file, ssh, https]")
    return tuple(dict.fromkeys(names))


def _url(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong('is no text; put it in quotes, or write "" for none')
    if not value:
        return ""
    if len(value) > _MOST_URL:
        raise _Wrong(f"has more than {_MOST_URL} characters")
    if value != value.strip() or not value.isprintable():
        raise _Wrong("begins or ends with a space, or holds a line break or another odd character")
    if not {*_BRACES.findall(value)} <= {*PLACEHOLDERS}:
        raise _Wrong(
            f"has a placeholder that is unknown; there are {' and '.join(PLACEHOLDERS)}, and %7B "
            "stands for a brace"
        )
    if protocol_of(value) is None:
        raise _Wrong(
            "is neither an absolute path nor an address as git has them: give /srv/undo.git, "
            "host:path, ssh://host/path, https://host/path or HELPER::ADDRESS"
        )
    return value


def wrong_with(url: str, protocols: Iterable[str]) -> str | None:
    """Return what is wrong with an address that does not come from the configuration, to stand
    behind its name; None where nothing is. It does not repeat the address.

    >>> wrong_with("ext::sh -c true", ("file", "ssh"))
    'needs the protocol ext, which is not among protocols [file, ssh]; add it there if it is meant'
    >>> wrong_with("/srv/undo.git", ("file", "ssh")) is None
    True
    """
    try:
        _url(url)
    except _Wrong as wrong:
        return str(wrong)
    return None if (told := _of_protocol(url, protocols)) is None else told.removeprefix("url ")


def _of_protocol(url: str, protocols: Iterable[str]) -> str | None:
    protocol = protocol_of(url) if url else None
    if protocol is None or protocol in protocols:
        return None
    return (
        f"url needs the protocol {protocol[:40]}, which is not among protocols "
        f"[{', '.join(protocols)}]; add it there if it is meant"
    )


def protocol_of(url: str) -> str | None:
    """Return the name by which git allows or forbids what reaches an address; None for what is no
    address by itself, such as a relative path.

    >>> [protocol_of(url) for url in ("/srv/undo.git", "git@example.org:undo.git", "ext::sh -c x")]
    ['file', 'ssh', 'ext']
    >>> protocol_of("undo.git") is None
    True
    """
    if url.startswith("-"):
        return None
    if url.startswith("/"):
        return "file"
    if _DRIVE.match(url):
        return "file" if os.name == "nt" else None
    found = _HELPER.fullmatch(url) or _SCHEME.fullmatch(url)
    if found is not None:
        return _SAME.get(found[1], found[1])
    is_other = "://" in url or "::" in url.partition("[")[0]
    return "ssh" if _SCP.fullmatch(url) and not is_other else None


def _catalog(value: Any) -> str:
    if not isinstance(value, str) or (value and "://" not in value) or not value.isprintable():
        raise _Wrong("is no address such as postgresql+psycopg://host/name")
    return value


_DEFAULT = RemoteConfig()
_REMOTE: dict[str, _Reader] = {
    "url": _url,
    "push": _choice(PushWhen),
    "min_interval_seconds": _number(0, _SECONDS),
    "secrets": _choice(SecretCheck),
    "keep_days": _number(0, _DAYS),
    "keep_dead_days": _number(0, _DAYS),
    "namespace": _choice(RefNamespace),
    "protocols": _protocols,
    "timeout_seconds": _number(1, _SECONDS),
}
