"""Tries whether the agent of this environment uses this package.

The agent's own programs answer, in a home that is there for the trial alone: ``hermes checkpoints
status`` for what leads it to the stand-ins, and its search for plugins for the sessions, without
any of that.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from hermes_checkpoints.compat.environment import program_to_run
from hermes_checkpoints.compat.plugin_list import PLUGIN, with_plugin
from hermes_checkpoints.fs.system import run_within

_SECONDS = 120.0
_LINES_TOLD = 3
_ASKED = """
import json, sys
from hermes_cli.plugins import discover_plugins, get_plugin_manager
discover_plugins()
from tools import checkpoint_manager
found = None
for plugin in get_plugin_manager().list_plugins():
    if plugin["name"] == sys.argv[1]:
        found = [plugin["enabled"], str(plugin["error"] or ""), checkpoint_manager.__file__]
print("\\n" + json.dumps([found]))
"""
_LEFT_OUT = ("HERMES_SAFE_MODE", "HERMES_HOME", "PYTHONSTARTUP", "PYTHONINSPECT")


def fault() -> str | None:
    """Return why the agent would not use this package in its next start, None where it would."""
    with tempfile.TemporaryDirectory(prefix="hermes-checkpoints-") as made:
        folder = Path(made).resolve()
        (folder / "config.yaml").write_bytes(with_plugin(b""))
        return _verb(folder) or _plugin(folder)


def _verb(home: Path) -> str | None:
    words = [*program_to_run(), "checkpoints", "status", "--json"]
    answer, why = _answer(home, words)
    if why is None and (not isinstance(answer, dict) or answer.get("base") is None):
        why = "it is not answered by this package"
    return why and f"`hermes checkpoints status`: {why}"


def _plugin(home: Path) -> str | None:
    answer, why = _answer(home, [sys.executable, "-c", _ASKED, PLUGIN])
    if why is None and isinstance(answer, list):
        enabled, error, module = answer[0] or (False, "it is not found", "")
        here = os.path.dirname(os.path.abspath(__file__))
        if not enabled:
            why = error or "it is not loaded"
        elif os.path.dirname(module) != here:
            why = f"the agent's checkpoint manager is that of {module}"
    return why and f"the plugin {PLUGIN}: {why}"


def _answer(home: Path, words: list[str]) -> tuple[object, str | None]:
    """Return the JSON that a program of the agent wrote last, or why there is none."""
    environment = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    environment |= {"HERMES_HOME": str(home), "NO_COLOR": "1", "PYTHONUTF8": "1"}
    try:
        status, out, errors = run_within(words, environment, home, _SECONDS)
    except OSError as error:
        return None, f"{words[0]} cannot be started ({error.strerror})"
    if status is None:
        return None, f"no answer within {_SECONDS:.0f} seconds"
    written = out.decode("utf-8", "replace")
    for start in ("{", "["):
        for place in _line_starts(written, start):
            try:
                return json.loads(written[place:]), None
            except ValueError:
                continue
    said = (errors.decode("utf-8", "replace").strip() or written.strip()).splitlines()
    told = " / ".join(line.strip() for line in said[-_LINES_TOLD:]) or "nothing"
    return None, f"no answer of this package; exit code {status}, and it said: {told}"


def _line_starts(text: str, first: str) -> list[int]:
    return [
        place
        for place, sign in enumerate(text)
        if sign == first and text[:place][-1:] in ("", "\n")
    ]
