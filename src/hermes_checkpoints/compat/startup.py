"""Lets the agent's own programs find the stand-ins for its checkpoint modules.

`adopt` of hermes-checkpoints writes this file into site-packages, and `adopt --undo` removes it.
Every Python of that environment runs it at its start, so it imports nothing but ``sys``, does
something in the agent's own programs only, and goes on without a word where hermes-checkpoints is
gone. The agent loads no plugin for ``hermes checkpoints`` and ``hermes console``: they need it.
"""

import sys

_PROGRAMS = ("hermes", "hermes-agent", "hermes-acp", "cli", "run_agent")
_SUFFIXES = (".exe", "-script.pyw", "-script.py", ".pyw", ".py")
_MODULES = ("hermes_cli", "gateway", "tui_gateway", "acp_adapter", "cron", "cli", "run_agent")
_VERBS = {"checkpoints", "console", "completion"}
_REPLACED = (
    "tools.checkpoint_manager",
    "tools.checkpoint_maintenance",
    "tools.checkpoint_pruning",
    "hermes_cli.checkpoints",
)


class Finder:
    """Finds the stand-ins; everything else is left to the finders behind it."""

    finds_the_stand_ins = True

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:  # noqa: ARG004
        """Return where the module ``name`` is, if it is one of the agent's that is replaced."""
        if name not in _REPLACED:
            return None
        # Whatever it is asked for, the agent's program loads the module of this verb, only to have
        # its parser. Sessions get another one from the plugin.
        if name == "hermes_cli.checkpoints" and not _VERBS.intersection(sys.argv):
            return None
        try:
            from hermes_checkpoints.compat.finding import spec_of

            return spec_of(name, path)
        except Exception:  # noqa: BLE001 - the agent works without it, too
            return None


def start() -> None:
    """Put the finder before all others, once, where this is a program of the agent."""
    if not _is_the_agent(getattr(sys, "argv", None) or [""], getattr(sys, "orig_argv", [])):
        return
    for finder in sys.meta_path:
        if getattr(finder, "finds_the_stand_ins", False):
            return
    finders: list = sys.meta_path  # type: ignore[type-arg] # nothing of typing is loaded for it
    finders.insert(0, Finder())


def _is_the_agent(words: list[str], typed: list[str]) -> bool:
    """Tell whether Python runs a script, or with ``-m`` a module, that is the agent's."""
    if words[0] != "-m":
        return _is_of_the_agents(words[0]) or _is_of_the_agents(_led_to(words[0]))
    name = typed[-len(words)] if len(words) < len(typed) else ""
    if name[:1] == "-":  # as in -mhermes_cli.main
        name = name.partition("m")[2]
    return name.partition(".")[0] in _MODULES


def _is_of_the_agents(program: str) -> bool:
    name = program.replace("\\", "/").rpartition("/")[2].partition("@")[0]  # pipx: hermes@019
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.lower() in _PROGRAMS


def _led_to(program: str) -> str:
    """Return where a link leads, "" for what is none."""
    try:
        return str(sys.modules["os"].readlink(program))
    except (AttributeError, KeyError, OSError, ValueError):  # no link, among others
        return ""


start()
