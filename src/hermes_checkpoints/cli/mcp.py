"""``mcp``: serves the checkpoints of one working directory to an agent, by the Model Context
Protocol on standard input and output.

Nothing but the protocol is printed there. The agent may look and take; a restore is offered only
where the configuration says so, and is done only after the client has asked the person.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import BadUsage, Exit, without_extra
from hermes_checkpoints.cli.output import is_terminal
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import layout_of, target
from hermes_checkpoints.config import load_mcp_config
from hermes_checkpoints.errors import BadDirectory, BadRequest

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def register(verbs: Verbs) -> None:
    """Add ``mcp``."""
    parser = verbs.add(
        "mcp", run, "Serve the checkpoints of a working directory to an agent (MCP, on stdio)"
    )
    add_directory(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until the client goes."""
    if args.json:
        raise BadRequest("what `mcp` prints is the protocol; leave --json out")
    if sys.stdin is None or sys.stdout is None:
        raise BadRequest("`mcp` speaks on standard input and output, and one of them is closed")
    if is_terminal(sys.stdin):
        raise BadUsage("an agent starts `mcp` and speaks with it; docs/mcp.md tells how")
    server = server_of(args)
    server.run("stdio")
    return Exit.DONE


def server_of(args: argparse.Namespace) -> MCPServer:
    """Return the server for the directory that the arguments name.

    Raises:
        BadDirectory: when there is no such directory.
        BadRequest: when the library is not there.
    """
    try:
        mcp_server = import_module("hermes_checkpoints.cli.mcp_server")
    except ImportError as error:
        raise without_extra("mcp", "mcp") from error
    with target(args) as what:
        directory = what.working_dir
    if not directory.is_dir():
        raise BadDirectory(f"{directory} does not exist")
    layout = layout_of(args)
    allowed = load_mcp_config(layout.config).restore
    server: MCPServer = mcp_server.make(directory, layout, restore=allowed)
    return server
