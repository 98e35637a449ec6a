"""What may be shown of a server: addresses without passwords, and its words without what would
move a cursor.

A server may be hostile, and git repeats what it says; git also repeats the address with the
password that is in it. So whatever is shown, written down or raised passes through here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from urllib.parse import unquote

from hermes_checkpoints.capture.redact import HIDDEN, redact

_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*::)*([A-Za-z][A-Za-z0-9+.-]*)://")
_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s/'\"]*@")
_SSH = ("ssh", "git+ssh", "ssh+git")
_LEAST = 4
"""A password of fewer characters cannot be told from other words."""
_MOST = 500
_PROGRESS = re.compile(r".*: +\d+% \(\d+/\d+\).*|.*: \d+, done\..*|Total \d+ \(delta.*")
_REMARKS = re.compile(
    r"To \S+|error: failed to push some refs.*|hint: .*|warning: redirecting to.*"
    r"|Warning: Permanently added .*|Please make sure you have the correct access rights"
    r"|and the repository exists\."
)


def url_shown(url: str) -> str:
    """Return an address without what gives access: of ``ssh`` the user stays, of everything else
    nothing before the ``@``; what stands behind ``?`` or ``#`` is cut.

    >>> url_shown("https://me:secret@example.org/undo.git?token=abc")
    'https://[redacted]@example.org/undo.git'
    >>> url_shown("ssh://git@example.org/undo.git")
    'ssh://git@example.org/undo.git'
    """
    found = _SCHEME.match(url)
    if found is None:
        return _plain(url)
    head, rest = url[: found.end()], re.split("[?#]", url[found.end() :], maxsplit=1)[0]
    # A "/" or ":" may have been typed in a password, so the last "@" counts.
    given, at, rest = rest.rpartition("@")
    if at and (found[1].lower() not in _SSH or ":" in given or "/" in given):
        given = HIDDEN
    return _plain(f"{head}{given}{at}{rest}")


def secrets_of(*urls: str) -> frozenset[str]:
    """Return what of some addresses gives access, in each form in which it may be repeated."""
    found: set[str] = set()
    for url in urls:
        match = _SCHEME.match(url)
        if match is None:
            continue
        rest, _, query = url[match.end() :].partition("?")
        given, at, _ = rest.rpartition("@")
        user, colon, password = given.partition(":")
        parts = [query, password]
        if at and not (colon or match[1].lower() in _SSH):
            parts.append(user)
        elif at and colon:
            parts.append(given)
        found |= {form for part in parts for form in (part, unquote(part)) if len(form) >= _LEAST}
    return frozenset(found)


def said(words: bytes, secrets: Iterable[str] = ()) -> str:
    """Return what git and the server said, as one line of at most 500 characters: the end of it,
    where most is told, without progress, passwords and control characters."""
    lines = re.split("[\r\n]+", words.decode("utf-8", "replace"))
    telling = [one for one in map(str.strip, lines) if one and not _PROGRESS.fullmatch(one)]
    chosen = [one for one in telling if not _REMARKS.fullmatch(one)] or telling
    text = hidden("; ".join(dict.fromkeys(map(_plain, chosen))), secrets)
    return text if len(text) <= _MOST else f"…{text[1 - _MOST :]}"


def hidden(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without some secrets, and without what is shaped like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return redact(_USER.sub(_without_user, text))


def by_hand(shown: str) -> str:
    """Return the command by which a person tries whether git reaches an address."""
    return f"git ls-remote {shlex.quote(shown)}"


def _without_user(found: re.Match[str]) -> str:
    scheme, given = found[1], found[0][len(found[1]) : -1]
    if scheme.lower().removesuffix("://") in _SSH and ":" not in given:
        return found[0]
    return f"{scheme}{HIDDEN}@"


def _plain(text: str) -> str:
    """Return a text without what is no printable character: escape sequences among others."""
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)", "", text)
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()
