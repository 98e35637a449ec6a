"""The parts of docs/json.md that are made of the code: which verb prints which document, its keys,
and the codes of errors. What stands between the marks of a part is written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_checkpoints import errors
from hermes_checkpoints.cli.exits import BadUsage
from hermes_checkpoints.cli.json.shapes.documents import DOCUMENTS, WITHOUT
from hermes_checkpoints.cli.problem import OTHER_CODES
from hermes_checkpoints.errors import CheckpointError
from reference.schemas import schema_of

_PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_TOPS = {one.shape.__name__: one.name for one in DOCUMENTS}


def with_parts(page: str) -> str:
    """Return the page with all its parts made anew."""
    parts = {"documents": _documents, "objects": _objects, "codes": _codes}
    return _PART.sub(lambda found: f"{found[1]}\n{parts[found[2]]()}\n{found[3]}", page)


def _documents() -> str:
    rows = ["| document | printed by |", "|---|---|"]
    for one in DOCUMENTS:
        lines = ", ".join(f"`{line} --json`".replace("` --", "`--") for line in one.printed_by)
        rows.append(f"| [{one.name}](#{one.name}) | {lines or 'any verb, on stderr'} |")
    rows += [f"| none | `{verb}`: {why} |" for verb, why in WITHOUT.items()]
    parts = ["\n".join(rows) + "\n"]
    for one in DOCUMENTS:
        schema = schema_of(one)
        parts.append(
            f"### {one.name}\n\n{schema['description']} "
            f"[Schema](schema/{one.name}.json).\n\n{_table(schema)}"
        )
    return "\n".join(parts)


def _objects() -> str:
    found: dict[str, Mapping[str, Any]] = {}
    for one in DOCUMENTS:
        for name, schema in schema_of(one).get("$defs", {}).items():
            if found.setdefault(name, schema) != schema:
                raise LookupError(f"two objects are called {name}")
    parts = []
    for name, schema in sorted(found.items()):
        if "enum" in schema or name in _TOPS:
            continue
        said = schema.get("description")
        parts.append(f"### {name}\n\n{f'{said}{2 * chr(10)}' if said else ''}{_table(schema)}")
    return "\n".join(parts)


def _table(schema: Mapping[str, Any]) -> str:
    rows = ["| key | value | meaning |", "|---|---|---|"]
    known = schema.get("$defs", {})
    keys = schema["properties"]
    for name, of_key in keys.items():
        if name == "schema" or (name.endswith("_base64") and name.removesuffix("_base64") in keys):
            continue
        optional = "" if name in schema["required"] else ", may be missing"
        what = _kind(of_key, known).replace("|", "\\|")
        rows.append(f"| `{name}` | {what}{optional} | {of_key['description']} |")
    return "\n".join(rows) + "\n"


def _kind(value: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return in a few words what may stand in a place."""
    if "anyOf" in value:
        return " or ".join(_kind(one, known) for one in value["anyOf"])
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        of_it = known.get(name) or _enumerations()[name]
        return _values(of_it["enum"]) if "enum" in of_it else f"[{name}](#{_place(name)})"
    if "const" in value or "enum" in value:
        return _values(value.get("enum", [value.get("const")]))
    if isinstance(value["type"], list):
        return " or ".join(value["type"])
    if value["type"] == "array":
        return f"array of {_kind(value['items'], known)}"
    if isinstance(value.get("additionalProperties"), dict) and value["additionalProperties"]:
        return f"object of {_kind(value['additionalProperties'], known)}"
    return str(value["type"])


def _place(name: str) -> str:
    """Return where the page tells of an object: where it is a document of its own, there."""
    return _TOPS.get(name, name.lower())


def _enumerations() -> dict[str, Any]:
    return {
        name: schema
        for one in DOCUMENTS
        for name, schema in schema_of(one).get("$defs", {}).items()
    }


def _values(values: Sequence[Any]) -> str:
    words = {True: "true", False: "false"}
    return ", ".join(f"`{words[one] if isinstance(one, bool) else one}`" for one in values)


def _codes() -> str:
    rows = ["| code | exit code | meaning |", "|---|---|---|"]
    kinds = [kind for kind in _kinds(CheckpointError) if kind.__module__ == errors.__name__]
    kinds.append(BadUsage)
    for kind in kinds:
        said = " ".join((kind.__doc__ or "").partition("\n\n")[0].split()).replace("``", "`")
        rows.append(f"| `{kind.code}` | {int(kind.exit_code)} | {said} |")
    for code, (said, ends) in OTHER_CODES.items():
        rows.append(f"| `{code}` | {int(ends)} | {said} |")
    return "\n".join(rows) + "\n"


def _kinds(kind: type[CheckpointError]) -> Iterator[type[CheckpointError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
