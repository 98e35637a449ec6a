"""The sections of ``config.yaml``, read by one loader for every entry point.

A wrong value never stops the safety net: it is named in a warning and the default is used. Only
what leaves the machine is off where anything of it is wrong (``remote_config.py``).
"""

from __future__ import annotations

import enum
import errno
import functools
import os
import re
import reprlib
import stat
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_checkpoints import plain_yaml
from hermes_checkpoints.model import MB

if TYPE_CHECKING:
    from hermes_checkpoints.remote_config import FleetConfig, RemoteConfig

TIMEOUT_VARIABLE = "HERMES_CHECKPOINT_TIMEOUT"
_MOST_SHOWN = 200
_TIMEOUT_SECONDS = (10, 30, 60)  # least, default, most: as in version 2


class Trigger(enum.StrEnum):
    """Before which shell commands a checkpoint is taken.

    >>> from hermes_checkpoints import Checkpoints, Config, Trigger
    >>> with Checkpoints.open(config=Config(trigger=Trigger.DESTRUCTIVE)) as checkpoints:
    ...     checkpoints.config.trigger
    <Trigger.DESTRUCTIVE: 'destructive'>
    """

    ALWAYS = "always"
    DESTRUCTIVE = "destructive"  # only before those that surely change files


@dataclass(frozen=True)
class ProjectSettings:
    """What ``projects:`` of the file says of one directory and all that lies below: ``path`` with
    ``~`` and links resolved, and the ``values`` of keys of ``Config``.

    >>> from hermes_checkpoints import Checkpoints, Config, ProjectSettings
    >>> own = ProjectSettings(str(Path.cwd()), (("exclude", ("*.txt",)),))
    >>> with Checkpoints.open(config=Config(projects=(own,))) as checkpoints:
    ...     checkpoints.project(".").settings.exclude
    ('*.txt',)
    """

    path: str
    values: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Config:
    """How checkpoints are taken.

    ``trigger`` says before which shell commands.

    0 is no limit, for each ``max_*``; it switches ``retention_days`` and each ``keep_*`` off, too.
    Where ``max_take_mb`` is None, a take may add half of ``max_total_size_mb`` to the store.
    ``exclude`` and ``include`` are patterns in the syntax of .gitignore; an ``include`` rescues a
    path that a rule ignores. ``projects`` are settings of single projects. ``warnings`` name what
    was wrong in the file. What a prune drops is in docs/retention.md.

    >>> from hermes_checkpoints import Checkpoints, Config
    >>> with Checkpoints.open(config=Config(max_snapshots=5, exclude=("*.log",))) as checkpoints:
    ...     checkpoints.policy.max_snapshots
    5
    """

    enabled: bool = False
    max_snapshots: int = 20
    max_safety_snapshots: int = 20
    max_total_size_mb: int = 500
    max_take_mb: int | None = None
    retention_days: int = 7
    delete_orphans: bool = True
    orphan_grace_days: int = 7
    auto_prune: bool = True
    min_interval_hours: int = 24
    keep_last: int = 0
    keep_hourly: int = 0
    keep_daily: int = 0
    keep_weekly: int = 0
    keep_monthly: int = 0
    keep_within: str = ""
    max_file_size_mb: int = 10
    max_files: int = 50_000
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    trigger: Trigger = Trigger.ALWAYS
    projects: tuple[ProjectSettings, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def enabled_somewhere(self) -> bool:
        """Whether checkpoints are taken: of all projects, or of those that say so themselves."""
        return self.enabled or any(dict(own.values).get("enabled") for own in self.projects)

    def own_of(self, path: Path) -> dict[str, Any]:
        """Return what the settings say of the project at a resolved path itself: those of it, else
        of the nearest directory above it that has some."""
        if not self.projects:
            return {}
        known = {own.path: own for own in self.projects}
        nearest = next((str(up) for up in (path, *path.parents) if str(up) in known), None)
        return {} if nearest is None else dict(known[nearest].values)

    def of_project(self, path: Path) -> Config:
        """Return the configuration in force for the project at a resolved path. A list of its own
        adds to the general one; any other value replaces it.

        >>> from hermes_checkpoints import Config, ProjectSettings
        >>> own = ProjectSettings("/srv/site", (("exclude", ("*.iso",)), ("max_files", 9)))
        >>> config = Config(exclude=("*.log",), projects=(own,)).of_project(Path("/srv/site/www"))
        >>> config.exclude, config.max_files
        (('*.log', '*.iso'), 9)
        """
        own = self.own_of(path)
        lists = {
            key: (*getattr(self, key), *value)
            for key, value in own.items()
            if isinstance(value, tuple)
        }
        return replace(self, **own | lists) if own else self

    def own_limit(self, path: Path) -> int | None:
        """Return how many checkpoints the settings of the project at a resolved path itself want
        kept, bounded as in ``bounded``; None where they say nothing of it."""
        own = self.own_of(path).get("max_snapshots")
        return None if own is None else min(own, _MOST)

    @property
    def warning(self) -> str:
        """All that was wrong in the file as one text; empty where nothing was."""
        return "; ".join(self.warnings)

    @property
    def max_file_bytes(self) -> int | None:
        """The size in bytes over which a file is left out, or None."""
        return self.max_file_size_mb * MB if self.max_file_size_mb > 0 else None

    @property
    def max_total_bytes(self) -> int:
        """The size in bytes that pruning aims at, or 0."""
        return self.max_total_size_mb * MB

    @property
    def max_take_bytes(self) -> int | None:
        """How many bytes that are new to the store one take may add, or None.

        >>> from hermes_checkpoints import Config
        >>> Config(max_total_size_mb=10).max_take_bytes
        5242880
        """
        if self.max_take_mb is None:
            return self.max_total_bytes // 2 or None
        return self.max_take_mb * MB or None

    @property
    def keep_within_time(self) -> timedelta:
        """The age up to which every checkpoint is kept; nothing where that is off."""
        return duration(self.keep_within) or timedelta()

    def bounded(self) -> Config:
        """Return the same with retention values that calendar and catalog can hold: a century of
        days, 10**9 of anything else, and ``keep_within`` as a number and its unit."""
        numbers = {
            key: max(0, min(getattr(self, key), _MOST_DAYS if key in _DAYS else _MOST))
            for key in RETENTION_KEYS
            if type(getattr(self, key)) is int
        }
        return replace(self, **numbers, keep_within=_bounded_age(self.keep_within))

    def settings(self) -> dict[str, str]:
        """Return the keys of retention with their bounded values, as the catalog keeps them:
        numbers, ``true`` or ``false``, and ages such as ``12h``.

        >>> from hermes_checkpoints import Config
        >>> Config(max_snapshots=5, keep_within="2W").settings()["keep_within"]
        '2w'
        """
        bounded = self.bounded()
        found = {key: getattr(bounded, key) for key in RETENTION_KEYS}
        return {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in found.items()
        }


RETENTION_KEYS = (
    "max_snapshots",
    "max_safety_snapshots",
    "max_total_size_mb",
    "retention_days",
    "delete_orphans",
    "orphan_grace_days",
    "auto_prune",
    "min_interval_hours",
    "keep_last",
    "keep_hourly",
    "keep_daily",
    "keep_weekly",
    "keep_monthly",
    "keep_within",
)
"""The keys that say what a prune drops, and when a host prunes."""

OF_ALL_PROJECTS = frozenset(RETENTION_KEYS) - {"max_snapshots"} | {"trigger"}
"""The keys that hold for all projects alike: a single project has none of its own."""

_DAYS = ("retention_days", "orphan_grace_days")
_MOST_DAYS = 36_500
_MOST = 10**9

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DURATION = re.compile(r"\s*(\d{1,6})\s*([hdw])\s*", re.IGNORECASE)


def duration(text: str) -> timedelta | None:
    """Read a time such as ``12h``, ``7d`` or ``2w``; None where it is none."""
    match = _DURATION.fullmatch(text)
    return int(match[1]) * _UNITS[match[2].lower()] if match else None


def _bounded_age(text: str) -> str:
    match = _DURATION.fullmatch(text)
    if match is None:
        return ""
    number, unit = int(match[1]), match[2].lower()
    most = timedelta(days=_MOST_DAYS)
    return f"{number}{unit}" if number * _UNITS[unit] <= most else f"{_MOST_DAYS}d"


@dataclass(frozen=True)
class SessionsConfig:
    """How session checkpoints are kept: the section ``sessions:``.

    ``mirror_yaml`` keeps a ``<session_id>.yaml`` in the base in step with each session, for
    programs that read such files. ``warnings`` name what was wrong in the file.

    >>> from hermes_checkpoints import Sessions, SessionsConfig
    >>> with Sessions.open(config=SessionsConfig(mirror_yaml=True)) as sessions:
    ...     written = sessions.write("20261120_ab12", {"task": "port the parser"})
    >>> (checkpoints.home / "checkpoints" / "20261120_ab12.yaml").exists()
    True
    """

    mirror_yaml: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class HookConfig:
    """What hooks of agents do: the section ``hook:``.

    ``enabled`` says that their events take checkpoints; whoever installed them wants that. With
    ``titles`` the first line of each prompt is kept as the title of its turn. ``warnings`` name
    what was wrong in the file.

    >>> HookConfig().titles
    True
    """

    enabled: bool = True
    titles: bool = True
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class McpConfig:
    """What the server for agents offers (``mcp``): the section ``mcp:``.

    ``restore`` says that an agent may ask for a restore, to which the person must agree each time.
    ``warnings`` name what was wrong in the file.

    >>> McpConfig().restore
    False
    """

    restore: bool = False
    warnings: tuple[str, ...] = ()


T = TypeVar("T", Config, SessionsConfig, HookConfig, McpConfig)


def git_timeout() -> float:
    """Return the time limit of one git call in seconds, from HERMES_CHECKPOINT_TIMEOUT."""
    least, default, most = _TIMEOUT_SECONDS
    try:
        wanted = int(os.environ.get(TIMEOUT_VARIABLE, default))
    except ValueError:
        wanted = default
    return float(max(least, min(most, wanted)))


def load_config(path: Path) -> Config:
    """Read the section ``checkpoints:`` of a file; a missing file means the defaults. Its warnings
    name what is wrong in ``remote:`` and ``fleet:``, too."""
    section, wrong = _section(path, "checkpoints")
    if isinstance(section, bool):
        return Config(enabled=section)
    if section is not None and not isinstance(section, dict):
        wrong = f"checkpoints: in {path} is neither true, false nor a mapping; defaults are used"
    where = f"checkpoints: in {path}"
    if wrong is not None or section is None:
        return _read(Config(), section, wrong, where)
    general = {key: value for key, value in section.items() if key not in _APART}
    config = _read(Config(), general, None, where)
    found, problems = _projects(section.get("projects"))
    told = [*config.warnings]
    if problems:
        told.append(f"{where}: {'; '.join(problems)}")
    told += _wrong_beyond(section, where)
    return replace(config, projects=found, warnings=tuple(told))


def _wrong_beyond(section: dict[Any, Any], where: str) -> tuple[str, ...]:
    """Return what is wrong in the sections of what lies beyond this machine."""
    if "remote" not in section and "fleet" not in section:
        return ()
    from hermes_checkpoints.remote_config import read_fleet, read_remote

    remote = read_remote(section.get("remote"), where)
    return (*remote.warnings, *read_fleet(section.get("fleet"), where).warnings)


def load_remote_config(path: Path) -> RemoteConfig:
    """Read ``remote:`` of the section ``checkpoints:`` of a file, which is that of the home: no
    file of a working directory and no variable has a say. It is off where there is none, or where
    anything of it is wrong.
    """
    from hermes_checkpoints.remote_config import RemoteConfig, read_remote

    section, wrong, where = _part(path, "remote")
    return RemoteConfig(warnings=(wrong,)) if wrong else read_remote(section, where)


def sends_by_itself(path: Path) -> bool:
    """Tell whether ``remote:`` of a file asks for checkpoints to be sent by themselves, after a
    turn or a session. Whether it is right in all else is not looked at: that is for whoever sends.
    Where nothing is to be sent, this is all that the end of a turn costs, and it loads nothing."""
    section, wrong, _ = _part(path, "remote")
    return (
        wrong is None and isinstance(section, dict) and section.get("push") in ("turn", "session")
    )


def speaks_of_remote(path: Path) -> bool:
    """Tell whether a file has a section ``remote:`` of ``checkpoints:``, right or wrong."""
    return _part(path, "remote")[0] is not None


def load_fleet_config(path: Path) -> FleetConfig:
    """Read ``fleet:`` of the section ``checkpoints:`` of a file, as ``load_remote_config``."""
    from hermes_checkpoints.remote_config import FleetConfig, read_fleet

    section, wrong, where = _part(path, "fleet")
    return FleetConfig(warnings=(wrong,)) if wrong else read_fleet(section, where)


def _part(path: Path, name: str) -> tuple[Any, str | None, str]:
    """Return a part of the section ``checkpoints:``, None where there is none; what is wrong with
    all of it; and how it is named."""
    where = f"checkpoints: in {path}"
    section, wrong = _section(path, "checkpoints")
    if wrong is None and section is not None and not isinstance(section, bool | dict):
        wrong = f"{where} is neither true, false nor a mapping; {name} is off"
    return section.get(name) if isinstance(section, dict) else None, wrong, where


def _projects(given: Any) -> tuple[tuple[ProjectSettings, ...], list[str]]:
    """Return the settings of single projects, and all that is wrong in them."""
    if given is None:
        return (), []
    if not isinstance(given, dict):
        return (), ["projects is no mapping of paths to settings"]
    found: dict[str, ProjectSettings] = {}
    problems: list[str] = []
    for name, section in given.items():
        path = _path(name)
        values = {"enabled": section} if isinstance(section, bool) else section
        if path is None or not isinstance(values, dict):
            what = "is no absolute path" if path is None else "has no mapping of settings"
            problems.append(f"{name!r} of projects {what}")
            continue
        own: dict[str, Any] = {}
        for key, value in values.items():
            problem = _of_one(key, value, own)
            if problem is not None:
                problems.append(f"{problem} (of project {name})")
        if path in found:
            problems.append(f"{name!r} of projects names a directory again; the last one counts")
        found[path] = ProjectSettings(path, tuple(own.items()))
    return tuple(found.values()), problems


def _of_one(key: Any, value: Any, own: dict[str, Any]) -> str | None:
    """Add a setting of a single project to ``own``, or return what is wrong with it."""
    known = _known(Config())
    if key in OF_ALL_PROJECTS:
        return f"{key} is not per project"
    if key not in known:
        return _unknown(key, known.keys() - OF_ALL_PROJECTS)
    checked = _value(value, known[key])
    if checked is None:
        return f"{key} is {_shown(value)}, using the general one"
    own[key] = checked
    return None


def _path(name: Any) -> str | None:
    """Return an absolute path with ``~`` and links resolved, or None where it is none."""
    try:
        path = Path(name).expanduser()
        return str(path.resolve()) if path.is_absolute() else None
    except (TypeError, ValueError, OSError, RuntimeError):  # no text, a NUL, a loop, `~nobody`
        return None


def load_sessions_config(path: Path) -> SessionsConfig:
    """Read the section ``sessions:`` of a file; a missing file means the defaults."""
    return _load(path, "sessions", SessionsConfig())


def load_hook_config(path: Path) -> HookConfig:
    """Read the section ``hook:`` of a file; a missing file means the defaults."""
    return _load(path, "hook", HookConfig())


def load_mcp_config(path: Path) -> McpConfig:
    """Read the section ``mcp:`` of a file; a missing file means the defaults."""
    return _load(path, "mcp", McpConfig())


def _load(path: Path, name: str, defaults: T) -> T:
    section, wrong = _section(path, name)
    if section is not None and not isinstance(section, dict):
        wrong = f"{name}: in {path} is no mapping; defaults are used"
    return _read(defaults, section, wrong, f"{name}: in {path}")


def _section(path: Path, name: str) -> tuple[Any, str | None]:
    """Return a section, None where there is none; or what is wrong with the whole file."""
    try:
        text = _text(path)
    except FileNotFoundError:
        return None, None
    except (OSError, UnicodeDecodeError) as error:
        return None, f"{path} cannot be read ({error}); defaults are used"
    document, wrong = _parsed(text)
    if wrong is not None:
        return None, f"{path} is no valid YAML ({wrong}); defaults are used"
    if document is not None and not isinstance(document, dict):
        return None, f"{path} is no mapping of keys to values; defaults are used"
    return (document or {}).get(name), None


def _text(path: Path) -> str:
    """Return the text of a regular file, also at the end of a link; a pipe is not waited for.

    Raises:
        OSError, UnicodeDecodeError: when it cannot be read, or is no file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), encoding="utf-8") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if found.st_size > plain_yaml.MOST_CHARACTERS:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return file.read()


@functools.lru_cache(maxsize=4)
def _parsed(text: str) -> tuple[Any, str | None]:
    """Return the document of a text, which nobody may change, or what is wrong with it.

    A host's file is large, and is asked for before every command; parsing it again each time
    would cost more than a checkpoint.
    """
    try:
        return plain_yaml.load(text, plain_yaml.MOST_VALUES), None
    except plain_yaml.Refused as error:
        return None, str(error)


def _read(defaults: T, section: Any, wrong: str | None, where: str) -> T:
    """Return the values of a section that have the form of their defaults, with one warning that
    names all that is wrong; only the defaults where the section as a whole is ``wrong``."""
    if wrong is not None:
        return replace(defaults, warnings=(wrong,))
    known: dict[str, Any] = _known(defaults)
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in (section or {}).items():
        if key not in known:
            problems.append(_unknown(key, (*known, *_apart(defaults))))
            continue
        checked = _value(value, known[key])
        if checked is None:
            used = repr(getattr(known[key], "value", known[key]))
            default = "the default" if known[key] is None else used
            problems.append(f"{key} is {_shown(value)}, using {default}")
        else:
            values[key] = checked
    if problems:
        values["warnings"] = (f"{where}: {'; '.join(problems)}",)
    return replace(defaults, **values)


def _shown(value: Any) -> str:
    """Return the beginning of a value, whatever it is."""
    found = reprlib.repr(value) if isinstance(value, list | dict | set | tuple) else repr(value)
    return found if len(found) <= _MOST_SHOWN else f"{found[:_MOST_SHOWN]}…"


_APART = ("projects", "remote", "fleet")
"""The keys of ``checkpoints:`` that have a form of their own."""


def _apart(defaults: object) -> Iterable[str]:
    return _APART if isinstance(defaults, Config) else ()


def _known(defaults: Config | SessionsConfig | HookConfig | McpConfig) -> dict[str, Any]:
    """Return the keys of a section with their defaults."""
    apart = ("projects", "warnings")
    return {spec.name: spec.default for spec in fields(defaults) if spec.name not in apart}


def _unknown(key: Any, known: Iterable[str]) -> str:
    from hermes_checkpoints.text import nearest

    near = nearest(str(key), sorted(known))
    hint = "" if near is None else f" (did you mean {near}?)"
    return f"unknown key {key!r}{hint}"


def _value(value: Any, default: Any) -> Any:
    """Return a value in the form of its default, or None where it has none."""
    good = False
    if isinstance(default, tuple):
        value = [value] if isinstance(value, str) else value
        good = isinstance(value, list) and all(_is_pattern(item) for item in value)
        value = tuple(value) if good else value
    elif isinstance(default, bool):
        good = isinstance(value, bool)
    elif isinstance(default, enum.Enum):
        good = value in [str(choice) for choice in type(default)]
        value = type(default)(value) if good else value
    elif isinstance(default, str):
        good = isinstance(value, str) and (not value or duration(value) is not None)
    else:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if good else None


def _is_pattern(item: object) -> bool:
    return isinstance(item, str) and bool(item.strip()) and not any(c in item for c in "\n\r\0")
