"""What a query of the catalog is answered with, as JSON."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import SCHEMA, Document, ascii_of, exactly

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.asking import Answer
    from hermes_checkpoints.cli.json.shapes import answer as shapes
    from hermes_checkpoints.model import Question, Relation
    from hermes_checkpoints.model.queries import Value


def lines_of_answer(answer: Answer) -> Iterator[str]:
    """Yield the lines of the document: ``columns``, ``rows`` as objects, and whether there are
    ``more`` than were asked for. A name that several columns have gets ``:1`` and so on, as in
    SQLite."""
    names = _different(answer.columns, ())
    others = _different([f"{name}_base64" for name in names], names)
    yield "{"
    yield f'  "schema": {SCHEMA},'
    yield f'  "columns": {ascii_of(names)},'
    yield '  "rows": ['
    former = None
    for row in answer:
        if former is not None:
            yield f"{former},"
        former = f"    {ascii_of(_of_row(names, others, row))}"
    if former is not None:
        yield former
    yield "  ],"
    yield f'  "more": {ascii_of(answer.more)}'
    yield "}"


def _of_row(names: Sequence[str], others: Sequence[str], row: Sequence[Value]) -> Document:
    found: Document = {}
    for name, other, value in zip(names, others, row, strict=True):
        if isinstance(value, bytes):
            found[name] = value.decode("utf-8", "replace")
            found[other] = base64.b64encode(value).decode("ascii")
        elif isinstance(value, str):
            document = exactly(name, value)
            found[name] = document[name]
            if len(document) > 1:
                found[other] = document[f"{name}_base64"]
        elif isinstance(value, float) and math.isinf(value):
            found[name] = infinity(value)
        else:
            found[name] = value
    return found


def infinity(value: float) -> str:
    """Return the word for a number that is larger than any, which JSON has not."""
    return "Infinity" if value > 0 else "-Infinity"


def _different(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    known, found = set(taken), list[str]()
    for name in names:
        one, number = name, 0
        while one in known:
            number += 1
            one = f"{name}:{number}"
        known.add(one)
        found.append(one)
    return found


def of_questions(questions: Sequence[Question]) -> shapes.Questions:
    """Return the questions that come with the package, with their queries."""
    return {
        "questions": [
            {
                "name": one.name,
                "asks": one.asks,
                "about": one.about,
                "parameters": [
                    {"name": given.name, "about": given.about, "needed": given.needed}
                    for given in one.parameters
                ],
                "query": one.query,
            }
            for one in questions
        ]
    }


def of_relations(relations: Sequence[Relation]) -> shapes.Relations:
    """Return views and tables with their columns."""
    return {
        "relations": [
            {
                "name": one.name,
                "kind": one.kind,
                "about": one.about,
                "columns": [
                    {"name": column.name, "type": column.type, "about": column.about}
                    for column in one.columns
                ],
            }
            for one in relations
        ]
    }
