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


def redact(text: str) -> str:
    """Return a reason without what is shaped like a secret and without NUL characters."""
    text = text.replace("\0", "")
    text = _IN_URL.sub(rf"\g<1>{HIDDEN}\g<2>", text)
    text = _AUTHORIZATION.sub(rf"\g<1>{HIDDEN}", text)
    text = _NAMED.sub(rf"\g<1>{HIDDEN}", text)
    return _SHAPED.sub(HIDDEN, text)
