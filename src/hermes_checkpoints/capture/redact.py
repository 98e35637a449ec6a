"""Keeps secrets that stand in a command line out of reasons, which are stored and shown."""

from __future__ import annotations

import re

HIDDEN = "[redacted]"

# Each pattern tries a word once, from its beginning: a command line may hold a file of many kB.
_NAMED = re.compile(
    r"(?i)((?<![\w-])(?=[\w-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key))[\w-]+[\"']?\s*[=:]\s*|--(?:password|token|secret|api-key)\s+)"
    r"(\"[^\"]*\"|'[^']*'|[^\s\"'&|;]+)"
)
_AUTHORIZATION = re.compile(r"(?i)\b((?:bearer|basic)\s+)[a-z0-9+/=._~-]{8,}")
_SHAPED = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,1000}\.[\w-]{10,}\.[\w-]{5,})"
)
_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://[^/\s:@]+:)[^/\s@]+(@)", re.IGNORECASE)


TITLE_CHARACTERS = 120
"""How long the title of a turn is at most."""


def title_of(prompt: str) -> str | None:
    """Return the title of a turn: the first line of what was asked for that says something, without
    what is shaped like a secret, in one line of at most 120 characters; None where there is none.

    >>> from hermes_checkpoints.capture.redact import title_of
    >>> title_of("\\nFix  the login\\nIt fails with token=abc")
    'Fix the login'
    """
    line = next((line for line in prompt[:_MOST_READ].splitlines() if line.strip()), "")
    words = " ".join(redact(line).split())
    plain = "".join(c for c in words if c.isprintable())
    if len(plain) > TITLE_CHARACTERS:
        plain = f"{plain[: TITLE_CHARACTERS - 1].rstrip()}…"
    return plain or None


_MOST_READ = 20_000
"""How many characters of a prompt are looked at for its title."""


def redact(text: str) -> str:
    """Return a reason without what is shaped like a secret and without NUL characters."""
    text = text.replace("\0", "")
    text = _IN_URL.sub(rf"\g<1>{HIDDEN}\g<2>", text)
    text = _AUTHORIZATION.sub(rf"\g<1>{HIDDEN}", text)
    text = _NAMED.sub(rf"\g<1>{HIDDEN}", text)
    return _SHAPED.sub(HIDDEN, text)
