"""Shows in pages what would hide or turn round other characters.

Names come from disks and reasons from agents. Markup is escaped by whoever makes a page; what is
left are characters that are none to read: those that turn the direction of writing, controls, and
such. The same is done with all that is printed on a terminal. What a form or a link has to send
back stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from hermes_checkpoints.cli.admin.access import App, Message, Receive, Send
from hermes_checkpoints.text import shown

_NO_TEXT = re.compile(
    r"(<(script|style|textarea)\b.*?</\2>|<!--.*?-->|<[^>]*>)", re.DOTALL | re.IGNORECASE
)
_SPACES = re.compile(r"([\t\r\n]+)")


def plain(page: str) -> str:
    """Return a page of HTML with escapes in the place of such characters.

    >>> plain('<a href="/\\u202eb">a\\u202eb</a>') == '<a href="/\\u202eb">a\\\\u202eb</a>'
    True
    """
    parts: list[str] = []
    end = 0
    for found in _NO_TEXT.finditer(page):
        parts += _shown(page[end : found.start()]), found[0]
        end = found.end()
    return "".join((*parts, _shown(page[end:])))


def _shown(text: str) -> str:
    return "".join(
        part if number % 2 else shown(part) for number, part in enumerate(_SPACES.split(text))
    )


def readable(app: App) -> App:
    """Return ``app`` with its pages made plain."""

    async def answers(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        is_page = False

        async def sends(message: Message) -> None:
            nonlocal is_page
            if message["type"] == "http.response.start":
                headers = {name.lower(): value for name, value in message["headers"]}
                is_page = headers.get(b"content-type", b"").startswith(b"text/html")
            elif is_page:
                page = message.get("body", b"").decode("utf-8", "surrogateescape")
                message = {**message, "body": plain(page).encode("utf-8", "surrogateescape")}
            await send(message)

        await app(scope, receive, sends)

    return answers
