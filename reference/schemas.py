"""JSON Schema (draft 2020-12) of each document that ``--json`` prints, made of its declaration."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, get_args

from pydantic import TypeAdapter
from typing_extensions import get_original_bases, get_type_hints, is_typeddict

from hermes_checkpoints.cli.json.shapes.documents import DOCUMENTS, Document
from hermes_checkpoints.cli.json.values import SCHEMA

_EXACT = "_base64"
_KEPT = ("description", "type", "enum", "const", "$ref", "anyOf", "items", "properties", "required")


@cache
def schema_of(document: Document) -> dict[str, Any]:
    """Return the schema of a document. Keys that it does not name may come."""
    declared = _declared(document.shape)
    number = {
        "const": SCHEMA,
        "description": "The number of the form; another one where a key goes or changes.",
    }
    objects = {name: _object(name, declared) for name in sorted(declared["$defs"])}
    top = _object(None, declared)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:hermes-checkpoints:json:{SCHEMA}:{document.name}",
        "title": document.name,
        **top,
        "properties": {"schema": number, **top["properties"]},
        "required": ["schema", *top["required"]],
        **({"$defs": objects} if objects else {}),
    }


def text_of(document: Document) -> str:
    """Return the schema file of a document."""
    return json.dumps(schema_of(document), indent=2) + "\n"


def files() -> dict[str, str]:
    """Return the contents of each schema file by its name."""
    return {f"{document.name}.json": text_of(document) for document in DOCUMENTS}


# --- out of what pydantic makes of a TypedDict ---------------------------------------------------


def _declared(shape: type) -> dict[str, Any]:
    found = TypeAdapter(shape).json_schema()
    found.setdefault("$defs", {})
    for one in _shapes(shape):
        of_it = found if one is shape else found["$defs"].get(one.__name__)
        for name, of_key in (of_it or {}).get("properties", {}).items():
            of_key["description"] = _said(one, name)
    return found


def _shapes(shape: type) -> Iterator[type]:
    """Yield a declaration, and those that its keys name."""
    seen: set[type] = set()
    waiting: list[Any] = [shape]
    while waiting:
        one = waiting.pop()
        waiting += get_args(one)
        if is_typeddict(one) and one not in seen:
            seen.add(one)
            yield one
            waiting += _hints(one).values()


@cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)


def _said(shape: type, name: str) -> str:
    """Return the sentence below a key, which may be inherited."""
    exact = name.removesuffix(_EXACT)
    if exact != name and exact in _hints(shape):
        return f"The exact bytes of `{exact}`, in base64, where they are no valid UTF-8."
    waiting = [shape]
    while waiting:
        one = waiting.pop(0)
        if said := _sentences(one.__module__).get((one.__name__, name)):
            return said
        waiting += [base for base in get_original_bases(one) if is_typeddict(base)]
    raise LookupError(f"nothing is said of the key {name} of {shape.__name__}")


@cache
def _sentences(module: str) -> dict[tuple[str, str], str]:
    """Return what stands below the keys of the declarations of a module, by class and key."""
    found = {}
    tree = ast.parse(inspect.getsource(import_module(module)))
    for one in (one for one in tree.body if isinstance(one, ast.ClassDef)):
        for key, below in pairwise(one.body):
            match key, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[one.name, name] = " ".join(text.split())
    return found


def _object(name: str | None, declared: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = _plain(declared if name is None else declared["$defs"][name])
    return found


def _plain(value: dict[str, Any]) -> Any:
    """Return a part of a schema without what only pydantic has a use for."""
    found: dict[str, Any] = {}
    for key in _KEPT:
        if key not in value:
            continue
        one = value[key]
        if key == "properties":
            one = {name: _plain(of_key) for name, of_key in one.items()}
        elif key == "items":
            one = _plain(one)
        elif key == "anyOf":
            one = [_plain(branch) for branch in one]
        elif key == "description":
            one = " ".join(one.partition(">>>")[0].split())
        found[key] = one
    if isinstance(value.get("additionalProperties"), dict):
        found["additionalProperties"] = _plain(value["additionalProperties"])
    if all(one.keys() == {"type"} for one in found.get("anyOf", [{}])):
        found["type"] = [one["type"] for one in found.pop("anyOf")]
    return found
