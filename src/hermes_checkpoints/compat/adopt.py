"""Makes an installed hermes-agent use this package, and takes that back.

Two switches, and no file of the agent: a line in site-packages, which lets every program of the
environment find the stand-ins (the agent loads no plugins for ``hermes checkpoints``), and the
name of our plugin in ``plugins.enabled`` of the home's ``config.yaml``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from hermes_checkpoints import plain_yaml
from hermes_checkpoints.errors import BadRequest, BaseUnwritable
from hermes_checkpoints.layout import Layout

PLUGIN = "hermes-checkpoints"
"""The name of the entry point, by which the agent's configuration enables it."""

AGENT = "hermes-agent"
TESTED = "0.19."
"""The versions of the agent that the stand-ins are made for."""

_FILE = "hermes_checkpoints_adopted.pth"
_LINE = (
    "import importlib.util as u; "
    "u.find_spec('hermes_checkpoints') and __import__('hermes_checkpoints.compat.startup')\n"
)


@dataclass(frozen=True)
class Adopted:
    """How things stand. ``agent`` is the agent's version, ``hook`` the file in site-packages,
    ``config`` the configuration that enables the plugin; ``changed`` says whether this call did
    anything."""

    agent: str
    hook: Path
    config: Path
    changed: bool

    @property
    def tested(self) -> bool:
        """Whether this version of the agent is one that the stand-ins are made for."""
        return self.agent.startswith(TESTED)


@dataclass(frozen=True)
class Standing:
    """How an environment and a home stand, without a change of either. ``agent`` is the version of
    the agent that is installed, or None; ``hook`` tells whether its file in site-packages is as
    ``adopt`` writes it, None where there is none; ``enabled`` whether the home's configuration
    enables the plugin."""

    agent: str | None
    hook: bool | None
    enabled: bool
    place: Path


def standing(config: Path) -> Standing:
    """Return how this environment and the home with this configuration stand.

    Raises:
        OSError: when a file cannot be read.
    """
    try:
        agent: str | None = _agent_version()
    except BadRequest:
        agent = None
    hook = _hook()
    written = hook.read_text(encoding="utf-8", errors="replace") if hook.exists() else None
    as_written = None if written is None else written == _LINE
    return Standing(agent, as_written, _is_enabled(config), hook)


def _is_enabled(config: Path) -> bool:
    if not config.is_file():
        return False
    try:
        document = plain_yaml.load(config.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, plain_yaml.Refused):
        return False  # the check of the configuration tells of it
    plugins = document.get("plugins") if isinstance(document, dict) else None
    if not isinstance(plugins, dict):
        return False
    enabled, disabled = plugins.get("enabled"), plugins.get("disabled")
    off = isinstance(disabled, list) and PLUGIN in disabled
    return isinstance(enabled, list) and PLUGIN in enabled and not off


def adopt(home: str | os.PathLike[str] | None = None) -> Adopted:
    """Let the agent of this environment use our modules, and enable the plugin in a home.

    Raises:
        BadRequest: when the agent is not installed beside this package, or the configuration
            has a form that cannot be added to.
        BaseUnwritable: when site-packages or the configuration cannot be written.
    """
    version = _agent_version()
    layout = Layout.of(home)
    changed = _switch_plugin(layout.config, on=True)
    hook = _hook()
    if not hook.is_file() or hook.read_text(encoding="utf-8") != _LINE:
        _write(hook, _LINE)
        changed = True
    return Adopted(version, hook, layout.config, changed)


def abandon(home: str | os.PathLike[str] | None = None) -> Adopted:
    """Let the agent use its own modules again. Checkpoints stay where they are.

    Raises:
        BadRequest, BaseUnwritable: as for ``adopt``.
    """
    layout = Layout.of(home)
    hook = _hook()
    changed = _switch_plugin(layout.config, on=False)
    if hook.exists():
        try:
            hook.unlink()
        except OSError as error:
            raise BaseUnwritable(f"{hook} cannot be removed ({error.strerror})") from error
        changed = True
    with contextlib.suppress(BadRequest):
        return Adopted(_agent_version(), hook, layout.config, changed)
    return Adopted("", hook, layout.config, changed)


def agent_is_here() -> bool:
    """Tell whether the agent is installed in this environment."""
    return importlib.util.find_spec("hermes_cli") is not None


def agent_main() -> Callable[[], object] | None:
    """Return the agent's own ``hermes`` program, where the agent is installed here."""
    if not agent_is_here():
        return None
    main: Callable[[], object] = import_module("hermes_cli.main").main
    return main


def _hook() -> Path:
    return Path(sysconfig.get_path("purelib")) / _FILE


def _agent_version() -> str:
    try:
        return metadata.version(AGENT)
    except metadata.PackageNotFoundError:
        raise BadRequest(
            f"{AGENT} is not installed in {sys.prefix}; install this package with the agent's own "
            "Python and run `adopt` there"
        ) from None


def _switch_plugin(config: Path, *, on: bool) -> bool:
    """Add our plugin to ``plugins.enabled`` or take it away; comments and order stay."""
    text = config.read_text(encoding="utf-8") if config.is_file() else ""
    try:
        yaml = import_module("ruamel.yaml").YAML()
    except ImportError:
        if not on:
            return False  # the agent, which brings it, is gone
        raise BadRequest(f"{AGENT} is not complete: ruamel.yaml is missing") from None
    yaml.preserve_quotes = True
    yaml.width = 4096
    document = yaml.load(text)
    if document is None:
        document = {}
    if not isinstance(document, dict):
        raise BadRequest(f"{config} is no mapping; enable the plugin {PLUGIN} there by hand")
    if not (_enable(document, config) if on else _disable(document)):
        return False
    if not document and not on:
        return _remove(config)
    out = io.StringIO()
    yaml.dump(document, out)
    config.parent.mkdir(parents=True, exist_ok=True)
    _write(config, out.getvalue())
    return True


def _enable(document: Any, config: Path) -> bool:
    plugins = document.setdefault("plugins", {})
    enabled = plugins.setdefault("enabled", []) if isinstance(plugins, dict) else None
    if not isinstance(enabled, list):
        raise BadRequest(f"plugins.enabled in {config} is no list; add {PLUGIN} there by hand")
    disabled = plugins.get("disabled")
    if isinstance(disabled, list) and PLUGIN in disabled:
        disabled.remove(PLUGIN)
    elif PLUGIN in enabled:
        return False
    if PLUGIN not in enabled:
        enabled.append(PLUGIN)
    return True


def _disable(document: Any) -> bool:
    plugins = document.get("plugins")
    enabled = plugins.get("enabled") if isinstance(plugins, dict) else None
    if not isinstance(enabled, list) or PLUGIN not in enabled:
        return False
    enabled.remove(PLUGIN)
    if not enabled:
        del plugins["enabled"]
    if not plugins:
        del document["plugins"]
    return True


def _remove(config: Path) -> bool:
    try:
        config.unlink()
    except OSError as error:
        raise BaseUnwritable(f"{config} cannot be written ({error.strerror})") from error
    return True


def _write(path: Path, text: str) -> None:
    """Replace a file as a whole, with its permissions."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise BaseUnwritable(f"{path} cannot be written ({error.strerror})") from error
