"""Keeps secrets that stand in a command line out of reasons, which are stored and shown."""

from __future__ import annotations

import re

HIDDEN = "[redacted]"

# Each pattern tries a word once, from its beginning: a command line may hold a file of many kB.
_NAMED = re.compile(
    r"(?i)((?<![\w-])(?=[\w-]*(?:password|passwd|passphrase|passcode|secret|token|api[_-]?key"
    r"|access[_-]?key|private[_-]?key))[\w-]+[\"']?\s*[=:]\s*|--(?:password|token|secret|api-key)\s+"
    r"|(?<![\w-])(?:pwd\s*[=:]\s*(?![/.~$])|pass=))"  # PWD is a directory
    r"(\"[^\"]*\"|'[^']*'|[^\s\"'&|;]+)"
)
_SAID = re.compile(
    r"(?i)(?<![\w-])((?:(?P<whose>my|our|your|his|her|their)\s+(?:\w+\s+)?)?"
    r"(?:(?:with|using|use)\s+(?:(?:the|this|my|our)\s+)?(?:KEY)"
    r"|(?:KEY)(?:\s+(?:for|of|to|on|in|at)\s+\S+(?:\s+\S+)?)?\s+(?:is|was|will be|should be))\s+)"
    r"(\"[^\"]+\"|'[^']+'|\S+)(?=(?P<more>\s+\w)?)".replace(
        "KEY",
        r"password|passwd|passphrase|passcode|pwd|pin|token|secret|api[ _-]?key|access[ _-]?key",
    )
)
_AUTHORIZATION = re.compile(r"(?i)\b((?:bearer|basic)\s+)[a-z0-9+/=._~-]{8,}")
_SHAPED = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,1000}\.[\w-]{10,}\.[\w-]{5,})"
)
_ODD_WORD = r"(?s)(?=.*\d).{4,}|.*[@#%^&*+=~].*|[^.]+[!?$][^.]*"
"""What is said of a password and is one, as it has digits or signs. Other words say something of
it (`is wrong`), unless it is somebody's, and nothing follows."""
_PLAIN = (
    r"(?i).*(?:ed|ing|able)|wrong|right|(?:in)?correct|(?:in)?valid|missing|empty|weak|strong|fine"
    r"|ok|okay|broken|lost|gone|stolen|leaking|secret|safe|here|there|short|long|old|new|not|known"
    r"|unknown|public|private|null|none|below|above|stale|hidden|bad|good|it|this|that|what|the"
    r"|in|on|at|too|always|never|still|now|an?"
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
    text = _SAID.sub(_without_the_said, text)
    return _SHAPED.sub(HIDDEN, text)


def _without_the_said(found: re.Match[str]) -> str:
    """Return what a sentence says of a password, without that password."""
    said = found[3]
    word = said.strip("\"'`").rstrip(".,;:!?)")
    if not word or word[0] in "/$<{[" or word == HIDDEN.rstrip("]"):
        return found[0]
    somebodys = found["whose"] and not found["more"] and not re.fullmatch(_PLAIN, word)
    if not somebodys and not re.fullmatch(_ODD_WORD, word):
        return found[0]
    end = said[said.rindex(word) + len(word) :].lstrip("\"'`")
    return f"{found[1]}{HIDDEN}{end}"
