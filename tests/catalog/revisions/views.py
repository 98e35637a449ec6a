"""Print the views as a revision holds them: python tests/catalog/revisions/views.py

A change of what a view is made of needs a new revision that drops the view and makes it again with
this text.
"""

from __future__ import annotations

import re

from hermes_checkpoints.catalog.views import definitions

_WIDTH = 98
_TOKENS = re.compile(r"'(?:[^']|'')*'|\s+|[^'\s]+")


def plain(sql: str) -> str:
    """Return SQL in one line, with single spaces outside of its texts."""
    return "".join(
        " " if token.isspace() else token for token in _TOKENS.findall(sql.strip())
    ).replace("( ", "(")


def laid_out(sql: str) -> str:
    """Return SQL in lines that can be read; texts are never broken."""
    lines, line, depth = [], "", 0
    head, _, body = plain(sql).partition(" AS ")
    for token in _TOKENS.findall(body):
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
    return "\n".join([f"{head} AS", *(found.rstrip() for found in (*lines, line))])


def constants() -> str:
    """Return the constants of a revision."""
    return "\n\n".join(
        f'{name.upper()} = """\n{laid_out(sql)}\n"""' for name, sql in definitions().items()
    )


if __name__ == "__main__":
    print(constants())
