"""Which error it is that git could not do what it was asked of a server.

Git tells that by one status, 128, and in words. They are asked for in English (``LC_ALL=C.UTF-8``)
and decide no more than which error is raised and what it advises: not what has been sent.
"""

from __future__ import annotations

import re

from hermes_checkpoints.errors import (
    CheckpointError,
    RemoteDenied,
    RemoteFailed,
    RemoteRefused,
    RemoteUnreachable,
)
from hermes_checkpoints.remote.words import by_hand

_HOST_KEY = re.compile(r"Host key verification failed|IDENTIFICATION HAS CHANGED")
_DENIED = re.compile(
    r"terminal prompts disabled|could not read (?:Username|Password)|Authentication failed"
    r"|Permission denied \(|Permission to \S+ denied|Access denied|Access is denied"
    r"|returned error: 40[137]|Invalid username or|insufficient permission|Too many authentication"
)
_REDIRECTED = re.compile(r"returned error: 30\d|unable to update url base from redirection")
_PROTOCOL = re.compile(r"transport '([\w+.-]*)' not allowed|protocol '([\w+.-]*)' .*not supported")
_REFUSED = re.compile(
    r"remote rejected|hook declined|dubious ownership|remote error: |unpacker error"
    r"|unpack failed|shallow update not allowed|insufficient storage|No space left"
)
_UNREACHABLE = re.compile(
    r"Could not resolve|Connection (?:refused|timed out|closed|reset)|Failed to connect|"
    r"Couldn't connect|Network is unreachable|No route to host|Could not read from remote"
    r"|does not appear to be a git repository|not found|returned error: \d\d\d"
    r"|remote end hung up|[Tt]imed? ?out|SSL|TLS|certificate|early EOF|Empty reply|unable to access"
    r"|does not exist|is this a git repository",
    re.IGNORECASE,
)


def failure(what: str, shown: str, words: str) -> CheckpointError:
    """Return the error of a git that could not do ``what`` with the server at an address, of which
    ``shown`` may be shown, by its words, which may be shown, too."""
    told = words or "no message"
    tried = by_hand(shown)
    if _HOST_KEY.search(words):
        return RemoteDenied(
            f"{what} {shown} is not possible, since ssh does not know its key or knows another "
            f"({told}); connect once by hand, with `{tried}`, and compare the key",
            hint=tried,
        )
    if _DENIED.search(words):
        return RemoteDenied(
            f"{what} {shown} is denied ({told}); nobody is asked for a password here: set up a "
            f"credential helper of git or a key of ssh, until `{tried}` asks nothing",
            hint=tried,
        )
    if _REDIRECTED.search(words):
        return RemoteRefused(
            f"{what} {shown} leads elsewhere ({told}), and no redirection is followed: write the "
            "address to which it leads into checkpoints.remote.url"
        )
    if found := _PROTOCOL.search(words):
        return RemoteRefused(
            f"{what} {shown} needs the protocol {found[1] or found[2]}, which is not allowed "
            f"({told}); add it to checkpoints.remote.protocols if it is meant"
        )
    if _REFUSED.search(words):
        return RemoteRefused(
            f"{what} {shown} is refused by the server ({told}); its owner can tell why"
        )
    if _UNREACHABLE.search(words):
        return RemoteUnreachable(
            f"{what} {shown} is not possible ({told}); `{tried}` tells whether git reaches it, and "
            "whether the repository exists",
            hint=tried,
        )
    return RemoteFailed(f"{what} {shown} failed ({told}); try `{tried}`", hint=tried)


def silence(what: str, shown: str, why: str) -> RemoteUnreachable:
    """Return the error of a server that gave no answer within the limit."""
    tried = by_hand(shown)
    return RemoteUnreachable(
        f"{what} {shown} was stopped: {why}; where the line is slow, raise "
        f"checkpoints.remote.timeout_seconds; `{tried}` tells whether git reaches it",
        hint=tried,
    )
