"""What the terminal must be, and what it can show."""

from __future__ import annotations

import locale
import os
import sys

from hermes_checkpoints.cli.output import is_terminal
from hermes_checkpoints.errors import PROGRAM, BadRequest

_INSTEAD = f"`{PROGRAM} log`, `show`, `diff` and `restore` do the same line by line"


def require_terminal() -> None:
    """Refuse what nothing can be drawn on. Keys come from standard input, and the application is
    drawn on standard error, as the library does it; standard output must be a terminal, too, since
    who redirects it wants text.

    Raises:
        BadRequest: saying what does the same without a terminal.
    """
    for name in ("stdin", "stdout", "stderr"):
        own = getattr(sys, name) is getattr(sys, f"__{name}__")  # no host keeps it to itself
        if not (own and is_terminal(getattr(sys, name))):
            raise BadRequest(
                f"`browse` needs a terminal, and {name} is none; {_INSTEAD}", hint=_INSTEAD
            )
    if os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
        raise BadRequest(
            f"`browse` needs a terminal that can move its cursor, and TERM says that this one "
            f"cannot; {_INSTEAD}",
            hint=_INSTEAD,
        )


def writes_ascii_only() -> bool:
    """Tell whether lines and letters beyond ASCII may come out wrong: the locale or standard error
    has another encoding than UTF-8."""
    known = {locale.getencoding(), getattr(sys.__stderr__, "encoding", None) or ""}
    return any(name.lower().replace("-", "") not in ("utf8", "cp65001") for name in known)
