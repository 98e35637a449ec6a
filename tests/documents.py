"""What ``--json`` prints is held against the schema of its document, and has no key that the schema
does not name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support import Answer

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parent.parent / "docs" / "schema"
WITH_AN_ERROR = (2, 64, 70, 130)
_WITH_A_VALUE = ("-C", "--home")
_GROUPS = ("sessions", "hook", "remote", "fleet")


def check_json(words: Sequence[str], answer: Answer) -> None:
    """Check what a command line has printed, where it asked for JSON."""
    if "--json" not in words[: words.index("--") if "--" in words else None]:
        return
    if answer.code in WITH_AN_ERROR:
        validate("error", json.loads(answer.err.splitlines()[-1]))
    if answer.out:
        fits(verb_of(words), answer.json)


def verb_of(words: Sequence[str]) -> str:
    """Return the verb of a command line, with that below it."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _WITH_A_VALUE:
            next(rest)
        elif not word.startswith("-"):
            found.append(word)
            if len(found) > 1 or word not in _GROUPS:
                break
    return " ".join(found)


def documents_of(verb: str) -> list[str]:
    """Return the names of the documents that a verb prints."""
    from hermes_checkpoints.cli.json.shapes.documents import DOCUMENTS

    return [
        one.name for one in DOCUMENTS if verb in {verb_of(line.split()) for line in one.printed_by}
    ]


def fits(verb: str, document: Any) -> str:
    """Check that a document is one of those of a verb, and return which."""
    wrong = {name: _faults(name, document) for name in documents_of(verb)}
    assert wrong, f"{verb} has no document"
    name = min(wrong, key=lambda one: len(wrong[one]))
    assert not wrong[name], f"{verb}: no {name} document: {wrong[name]}"
    return name


def validate(name: str, document: Any) -> None:
    """Check that a document is the one of that name."""
    assert not (wrong := _faults(name, document)), wrong


def _faults(name: str, document: Any) -> list[str]:
    return [f"{one.json_path}: {one.message}" for one in _validator(name).iter_errors(document)]


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema))


def _closed(value: Any) -> Any:
    """Return a schema that also refuses keys which it does not name."""
    if isinstance(value, list):
        return [_closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: _closed(one) for name, one in value.items()}
    if isinstance(value.get("properties"), dict) and value.get("type") == "object":
        found["additionalProperties"] = False
    return found
