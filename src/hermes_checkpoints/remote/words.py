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

_URL = re.compile(r"((?:[\w+.-]+::)*)([A-Za-z][\w+.-]*)://([^/?#]*)(.*)", re.DOTALL)
_SHORT_FORM = re.compile(r"((?:[\w+.-]+::)*)[^/\\:@]*:(?!:)([^/]*)@(.*)", re.DOTALL)
_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s/'\"]*@")
_SSH = frozenset({"ssh", "git+ssh", "ssh+git", "sftp"})
"""The schemes in whose addresses the user tells which repository is meant; elsewhere it may be a
token."""
_LEAST = 4
"""A password of fewer characters cannot be told from other words."""
_MOST = 500
_PROGRESS = re.compile(r".*: +\d+% \(\d+/\d+\).*|.*: \d+, done\..*|Total \d+ \(delta.*")
_REMARKS = re.compile(
    r"To \S+|error: failed to push some refs.*|hint: .*|warning: redirecting to.*"
    r"|Warning: Permanently added .*|Please make sure you have the correct access rights"
    r"|and the repository exists\."
)


def redacted_url(url: str) -> str:
    """Return an address without what may give access: password, token, query and fragment. The user
    stays in those of ssh.

    >>> redacted_url("https://me:secret@example.org/undo.git?token=abc")
    'https://example.org/undo.git'
    >>> redacted_url("ssh://git:secret@example.org/undo.git")
    'ssh://git@example.org/undo.git'
    """
    found = _URL.fullmatch(url)
    if found is None:
        short = _SHORT_FORM.fullmatch(url)
        return _plain(url if short is None else short[1] + short[3])
    helpers, scheme, place, path = found.groups()
    if scheme.lower() == "file":
        return _plain(url)
    given, place, path = _apart(place, path)
    user = given.partition(":")[0] if scheme.lower() in _SSH else ""
    rest = re.split("[?#]", place + path)[0]
    return _plain(f"{helpers}{scheme}://{user}{'@' if user else ''}{rest}")


def secrets_of(*urls: str) -> frozenset[str]:
    """Return what of some addresses gives access, in each form in which it may be repeated."""
    found: set[str] = set()
    for url in urls:
        match = _URL.fullmatch(url)
        if match is None:
            short = _SHORT_FORM.fullmatch(url)
            found.add("" if short is None else short[2])
            continue
        given, _, path = _apart(match[3], match[4])
        user, colon, password = given.partition(":")
        parts = [password, path.partition("?")[2].partition("#")[0]]
        if colon:
            parts.append(given)
        elif match[2].lower() not in _SSH:
            parts.append(user)
        found |= {form for part in parts for form in (part, unquote(part))}
    return frozenset(one for one in found if len(one) >= _LEAST)


def _apart(place: str, path: str) -> tuple[str, str, str]:
    """Return the user with the password, the host with its port, and the path of an address. A
    password may have been typed with a "/", "?" or "#" in it: then the last "@" ends it."""
    user, at, host = place.rpartition("@")
    port = host.partition("]")[2] if host.startswith("[") else host
    unsure = bool(at) or (":" in port and not port.partition(":")[2].isdecimal())
    if unsure and "@" in path:
        more, _, rest = path.rpartition("@")
        user = f"{place}{more}"
        host, slash, rest = rest.partition("/")
        path = slash + rest
    return user, host, path


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
