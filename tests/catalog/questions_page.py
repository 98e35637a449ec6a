"""Writes the questions that come with the package into docs/sql.md: run it after changing one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hermes_checkpoints.catalog.canned import questions
from hermes_checkpoints.model import Question

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
HEADING = "## The twenty-seven questions\n"


def part(listed: Iterable[Question]) -> str:
    """Return what stands below the heading."""
    return "".join(_of(one) for one in listed)


def _of(question: Question) -> str:
    said = " ".join(filter(None, (question.asks, question.about)))
    given = "".join(
        f"- `--param {one.name}=…`: {one.about}{'; it is needed' if one.needed else ''}\n"
        for one in question.parameters
    )
    given = f"{given}\n" if given else ""
    return f"\n### {question.name}\n{said}\n\n{given}```sql\n{question.query}```\n"


if __name__ == "__main__":
    head = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    PAGE.write_text(f"{head}{HEADING}{part(questions().values())}", encoding="utf-8")
