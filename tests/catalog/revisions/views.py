"""Prints the views as a revision holds them, or writes them into one: views.py [REVISION FILE]

A change of what a view is made of needs a new revision that drops the view and makes it again with
this text. Written into are the constants that the file has already, so a revision that is not
released yet follows a change by one call.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hermes_checkpoints.catalog.views import definitions

_WIDTH = 98
_PARTS = re.compile(r"(CREATE VIEW \w+ AS)\s*(/\*.*?\*/)?\s*(.*)", re.DOTALL)
_TOKENS = re.compile(r"'(?:[^']|'')*'|\s+|[^'\s]+")


def plain(sql: str) -> str:
    """Return the SQL of a view in one line, with single spaces outside of its texts."""
    head, comment, body = parts(sql)
    return " ".join(found for found in (head, " ".join(comment.split()), _plain(body)) if found)


def parts(sql: str) -> tuple[str, str, str]:
    """Return what creates a view, the comment that stands behind it, and the query."""
    found = _PARTS.fullmatch(sql.strip())
    assert found, sql
    return found[1], found[2] or "", found[3]


def _plain(sql: str) -> str:
    return "".join(
        " " if token.isspace() else token for token in _TOKENS.findall(sql.strip())
    ).replace("( ", "(")


def laid_out(sql: str) -> str:
    """Return SQL in lines that can be read; texts and the comment are never broken."""
    lines, line, depth = [], "", 0
    head, comment, body = parts(sql)
    for token in _TOKENS.findall(_plain(body)):
        if token.isspace():
            listed = line.endswith(",") and (depth == 0 or (depth == 1 and len(line) > _WIDTH // 2))
            if listed or len(line) > _WIDTH * 2 // 3:
                lines.append(line)
                line = "  " * (depth + 1)
                continue
            line += " " if line.strip() else ""
            continue
        starts = token in ("FROM", "WHERE", "ORDER", "WITH", "UNION") and depth <= 1
        if line.strip() and (starts or len(line) + len(token) > _WIDTH):
            lines.append(line.rstrip())
            line = "  " * depth
        line += token
        if not token.startswith("'"):
            depth += token.count("(") - token.count(")")
    return "\n".join([head, comment, *(found.rstrip() for found in (*lines, line))])


def constants() -> dict[str, str]:
    """Return the constants of a revision by name."""
    return {
        name.upper(): f'{name.upper()} = """\n{laid_out(sql)}\n"""'
        for name, sql in definitions().items()
    }


def main() -> None:
    if not sys.argv[1:]:
        print("\n\n".join(constants().values()))
        return
    file = Path(sys.argv[1])
    text = file.read_text(encoding="utf-8")
    for name, constant in constants().items():
        old = re.compile(rf'^{name} = """\n.*?\n"""$', re.MULTILINE | re.DOTALL)
        text = old.sub(lambda _, new=constant: new, text)  # type: ignore[misc]
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
