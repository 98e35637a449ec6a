"""``hook``: does what an event of an agent calls for; with ``install``, lets an agent tell of them.

The agent reads what this prints and how it ends, and may show both to its model. So an event ends
with 0 whatever happens, and nothing is printed but what the agent expects.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.hooks.agents import AGENTS
from hermes_checkpoints.hooks.event import read_event, sender_of

if TYPE_CHECKING:
    import argparse

    from hermes_checkpoints.cli.parser import Verbs
    from hermes_checkpoints.hooks.agents import Agent

_OPTIONS = ("--agent", "--home")


def register(verbs: Verbs) -> None:
    """Add ``hook`` with its own verbs; without one it reads an event."""
    from hermes_checkpoints.cli import hook_install

    parser = verbs.add(
        "hook",
        run,
        "Do what an event of Claude Code, Codex or Gemini CLI calls for, read as JSON from stdin",
        base=True,
    )
    parser.add_argument(
        "--agent", choices=AGENTS, help="whose event it is (default: what the event looks like)"
    )
    hook_install.register(verbs.below(parser, "hook"))


def is_event(words: Sequence[str]) -> bool:
    """Tell whether the arguments behind the verb are those of a hook, which needs no parser."""
    return _options(words) is not None and sys.stdin is not None and not sys.stdin.isatty()


def run(args: argparse.Namespace) -> int:
    """Read an event, where one can come."""
    from hermes_checkpoints.cli.exits import BadUsage
    from hermes_checkpoints.cli.output import is_terminal

    if is_terminal(sys.stdin):
        raise BadUsage(
            "agents run `hook` with an event on its standard input; to let an agent do that: "
            f"hook install {'|'.join(AGENTS)}"
        )
    words = [f"--agent={args.agent}"] if args.agent else []
    return answer([*words, *([f"--home={args.checkpoints_home}"] if args.checkpoints_home else [])])


def answer(words: Sequence[str]) -> int:
    """Read one event on standard input, do what it calls for, and say what the agent expects. The
    answer is always 0: another one may stop the agent's tool.

    ``words`` are the arguments behind the verb.
    """
    given = _options(words) or {}
    agent, home = AGENTS.get(given.get("--agent", "")), given.get("--home")
    document = b""
    said: str | None = None
    try:
        document = _read()
        said = _worked(document, agent, home)
    except KeyboardInterrupt:
        pass  # the person has interrupted the agent, and this with it
    _say(agent or sender_of(document), said)
    return 0


def _read() -> bytes:
    """Return what stands on standard input; nothing where it cannot be read, which is no event."""
    try:
        return sys.stdin.buffer.read()
    except (OSError, AttributeError, ValueError):  # it is closed, or the host keeps it
        return b""


def _options(words: Sequence[str]) -> dict[str, str] | None:
    """Return the options among arguments by name, None where there is something else."""
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name not in _OPTIONS:
            return None
        given = value if equals else next(rest, None)
        if given is None or (name == "--agent" and given not in AGENTS):
            return None
        found[name] = given
    return found


def _worked(document: bytes, agent: Agent | None, home: str | None) -> str | None:
    """Do what an event calls for; return what the person is to be told, or None."""
    try:
        event = read_event(document, agent)
        if event is None:
            return None
        from hermes_checkpoints.hooks.light import is_over
        from hermes_checkpoints.layout import Layout

        layout = Layout.of(home)
        if is_over(event, layout):
            return None
        from hermes_checkpoints.hooks.work import work

        return work(event, layout, sys.argv[1:])
    except Exception as error:
        import logging

        from hermes_checkpoints.hooks.work import be_silent

        be_silent()
        logging.getLogger(__name__).exception("an event is not worked off")
        return _journaled(error, home)


def _journaled(error: Exception, home: str | None) -> str | None:
    """Write a failure that nobody foresaw to the journal; where there is none, the person is
    told."""
    import logging

    from hermes_checkpoints.hooks.work import note_failure
    from hermes_checkpoints.layout import Layout

    try:
        note_failure(Layout.of(home), os.getcwd(), error)
    except Exception:
        logging.getLogger(__name__).exception("nor is it in the journal")
        return f"hermes-checkpoints: no checkpoint was taken: {error}"
    return None


def _say(agent: Agent | None, said: str | None) -> None:
    """Print what the agent expects: nothing, or the one field that each of them shows a person."""
    if said is not None:
        text = json.dumps({"systemMessage": said})
    else:
        text = agent.silence if agent is not None else ""
    if not text or sys.stdout is None:
        return
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads it
