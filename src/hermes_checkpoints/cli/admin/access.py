"""Who may see the pages of ``admin``: the browser that opened the link first, and nobody else.

Other users, other programs and other pages of the same browser reach a port of this machine, too.
So everything is refused, also a style sheet, but to who sends the cookie that the link was
exchanged for. It goes to the pages of this one run alone, since cookies of a machine are sent to
all its ports. Requests that name another host are refused: a name that somebody made to lead here
has pages of its own. Whatever could change something is refused unread.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

HOST = "127.0.0.1"
_COOKIE = "hermes-checkpoints-admin"
_READING = ("GET", "HEAD")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An application of ASGI."""

_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "object-src 'none'"
)
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
_OURS = {name for name, _ in _HEADERS}


class Access:
    """The one way in to what is served on a port. ``root`` is the path of all pages, ``link`` what
    lets the first who opens it in, and leads to the page ``first`` below ``root``."""

    def __init__(self, port: int, first: str = "") -> None:
        self.root = f"/{secrets.token_hex(8)}/"
        ports = (f":{port}", "") if port == 80 else (f":{port}",)  # browsers leave 80 out
        self._hosts = {f"{name}{at}".encode() for name in (HOST, "localhost") for at in ports}
        self._first = f"{self.root}{first}".encode()
        self._token: str | None = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self.link = f"http://{HOST}:{port}{self.root}?token={self._token}"

    def guard(self, app: App) -> App:
        """Return ``app`` as who is let in sees it, and nobody else."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await app(scope, receive, send)
            elif scope["type"] == "http":
                refused = self._refused(scope)
                if refused is None:
                    await app(self._inside(scope), receive, _with_headers(self._outside(send)))
                else:
                    await _answer(_with_headers(send), *refused)

        return guarded

    def _inside(self, scope: Scope) -> Scope:
        """Return a request as the application sees it: below ``/``."""
        rest = len(self.root) - 1
        return {**scope, "path": scope["path"][rest:], "raw_path": scope["raw_path"][rest:]}

    def _outside(self, send: Send) -> Send:
        """Return ``send`` so that where an answer leads to is below ``root``, too."""
        root = self.root.encode()

        def outside(name: bytes, value: bytes) -> tuple[bytes, bytes]:
            leads = name.lower() == b"location" and value.startswith(b"/")
            return name, root + value[1:] if leads and not value.startswith(root) else value

        async def sends(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [outside(*pair) for pair in message.get("headers", ())]
                message = {**message, "headers": headers}
            await send(message)

        return sends

    def _refused(self, scope: Scope) -> tuple[int, str, tuple[tuple[bytes, bytes], ...]] | None:
        """Return the status, the text and the headers of the answer to who is not let in, or
        None."""
        hosts = [value.lower() for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "This is shown under the address of the link alone.", ()
        if scope["method"] not in _READING:
            return 405, "The catalog is only read here.", ((b"allow", b"GET, HEAD"),)
        known = self._is_known(scope["headers"])
        given = _tokens(scope) if scope["path"] == self.root else []
        if given and (known or self._is_spent_by(given, scope["method"])):
            cookie = f"{_COOKIE}={self._cookie}; Path={self.root}; HttpOnly; SameSite=Strict"
            headers = ((b"location", self._first), (b"set-cookie", cookie.encode()))
            return 303, "Welcome.", headers
        if known and scope["raw_path"].startswith(self.root.encode()):
            return None
        return 403, _CLOSED, ()

    def _is_known(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        for name, value in headers:
            if name != b"cookie":
                continue
            try:
                cookies = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                continue
            if _COOKIE in cookies and _same(cookies[_COOKIE].value, self._cookie):
                return True
        return False

    def _is_spent_by(self, given: list[str], method: str) -> bool:
        """Tell whether this is the token, which is worth nothing afterwards. A look at the head
        alone, as of a program that checks links, does not use it up."""
        if method != "GET" or self._token is None or not _same(given[0], self._token):
            return False
        self._token = None
        return True


_CLOSED = (
    "This page is closed to you. The link that `admin` prints opens it once, in one browser: end "
    "`admin` with Ctrl-C and start it again for another link."
)


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _tokens(scope: Scope) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [])


def _with_headers(send: Send) -> Send:
    """Return ``send`` so that every answer says what browsers may do with it."""

    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            others = [pair for pair in message.get("headers", ()) if pair[0].lower() not in _OURS]
            message = {**message, "headers": [*others, *_HEADERS]}
        await send(message)

    return sends


async def _answer(
    send: Send, status: int, text: str, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    body = f"{text}\n".encode()
    plain = (b"content-type", b"text/plain; charset=utf-8")
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": status, "headers": [plain, length, *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": body})
