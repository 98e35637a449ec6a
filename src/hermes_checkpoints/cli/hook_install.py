"""``hook install``: an agent tells of its events from now on, or, with ``--undo``, no more."""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.projects import require_own_place
from hermes_checkpoints.cli.arguments import add_dry_run, add_force
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import BadUsage, Exit, refuse_silent_question
from hermes_checkpoints.cli.json.values import exact
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import home_of, target
from hermes_checkpoints.hooks.agents import AGENTS
from hermes_checkpoints.layout import Layout

if TYPE_CHECKING:
    from hermes_checkpoints.hooks.install import Edit
    from hermes_checkpoints.hooks.switches import Switch


def register(verbs: Verbs) -> None:
    """Add ``install``."""
    parser = verbs.add("install", run, "Let an agent take checkpoints, by hooks in its settings")
    parser.add_argument("agent", choices=AGENTS, metavar="|".join(AGENTS), help="which agent")
    parser.add_argument(
        "--project",
        action="store_true",
        help="in the settings of the project, for all who work in it, instead of your own",
    )
    parser.add_argument("--undo", action="store_true", help="take the hooks out again")
    parser.add_argument(
        "--print", action="store_true", help="print the hooks, to be added by hand; change nothing"
    )
    add_dry_run(parser, "show what would change in the file, change nothing")
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Show what would change in the agent's settings, ask, and change it."""
    from hermes_checkpoints.hooks import install
    from hermes_checkpoints.hooks.switches import switched_off

    agent = AGENTS[args.agent]
    if args.undo and args.print:
        raise BadUsage("--undo and --print: choose one of them")
    if not args.project and getattr(args, "dirs", None):
        raise BadUsage("--dir goes with --project: your own settings are those of every directory")
    project = _project(args) if args.project else None
    file = install.settings_of(agent, project)
    command = install.command_of(agent, home_of(args), shared=args.project)
    if args.print:
        return _print(args, file, {"hooks": install.hooks_of(agent, command)})
    if args.undo:
        edit = install.plan_removal(agent, file)
    else:
        edit = install.plan_install(agent, file, command)
    if edit.changes:
        refuse_silent_question(args, "change them", "what would change")
    made = edit.changes and not args.dry_run
    if not args.json:
        _show(edit)
    if made and not args.force and not confirm("Proceed?"):
        return Exit.NO
    if made:
        edit.make()
    off = None if args.undo else switched_off(agent, project)
    if args.json:
        document(
            {
                "agent": agent.name,
                **exact("file", file),
                "changed": made,
                "would_change": edit.changes,
                "undone": args.undo,
                "switched_off_by": None if off is None else off.name,
            }
        )
        return Exit.DONE
    _report(args, edit, project, off, made=made)
    return Exit.DONE


def _project(args: argparse.Namespace) -> Path:
    """Return the project whose settings are meant. One of which no checkpoint can be taken, such as
    the home, is refused, but for an undo.

    Raises:
        BadDirectory.
    """
    with target(args) as found:
        if not args.undo:
            require_own_place(found.working_dir, Layout.of(home_of(args)))
        return found.working_dir


def _print(args: argparse.Namespace, file: Path, hooks: dict[str, object]) -> int:
    if args.json:
        document({"agent": args.agent, **exact("file", file), **hooks})
        return Exit.DONE
    say(f"For {file}:")
    for line in json.dumps(hooks, indent=2, ensure_ascii=False).splitlines():
        say(line)
    return Exit.DONE


def _show(edit: Edit) -> None:
    """Print what changes in the file."""
    if not edit.changes:
        return
    old = (edit.before or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True)
    new = edit.after.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    name = str(edit.file)
    lines = difflib.unified_diff(old, new, name, name)
    patch("".join(line if line.endswith("\n") else f"{line}\n" for line in lines))


def _report(
    args: argparse.Namespace, edit: Edit, project: Path | None, off: Switch | None, *, made: bool
) -> None:
    from hermes_checkpoints.hooks.install import install_words

    agent = edit.agent
    if args.undo:
        say(
            f"{agent.title} takes no checkpoints by {edit.file} any more; the checkpoints stay."
            if made
            else f"Nothing was changed in {edit.file}."
            if edit.changes
            else f"No hooks of ours stand in {edit.file}."
        )
        return
    if args.dry_run:
        say("Nothing was changed.")
        return
    if off is None:
        say(
            f"{agent.title} {'takes' if made else 'already takes'} checkpoints by the hooks in "
            f"{edit.file}."
        )
    else:
        say(f"The hooks of {agent.title} stand in {edit.file}.")
        complain(
            f"{agent.title} takes no checkpoints: it runs no hooks, by its setting `{off.name}` in "
            f"{off.file}; take that out"
        )
    if made:
        say(agent.afterwards)
        say(f"To take them out: {install_words(agent, project, '--undo')}")
    if args.project and shutil.which("hermes-checkpoints") is None:
        complain(
            "the hooks run `hermes-checkpoints`, which is not on your PATH: whoever works in this "
            "project needs it there"
        )
