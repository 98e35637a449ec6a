"""Runs inside the agent's environment: the gateway's own start and /rollback handler. Prints
what they did as JSON on the last line."""

from __future__ import annotations

import asyncio
import json
import sys

import gateway.run
from gateway.platforms.base import MessageEvent


def main() -> dict[str, object]:
    runner = gateway.run.GatewayRunner()  # prunes at its start
    answers = {
        text: asyncio.run(runner._handle_rollback_command(MessageEvent(text=text)))
        for text in ("/rollback", "/rollback 99", "/rollback 1")
    }
    return {"answers": answers, "module": sys.modules["tools.checkpoint_manager"].__file__}


if __name__ == "__main__":
    outcome = main()
    sys.stdout.write("\n" + json.dumps(outcome) + "\n")
