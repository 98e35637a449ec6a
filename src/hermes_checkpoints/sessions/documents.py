"""Session documents as text: what was written is read back as it was, or is refused.

The text is YAML. A document of plain values (the values of JSON) becomes one line that is JSON
as well, which is read fifty times faster and which SQLite's JSON functions understand; any
other becomes block YAML, and is accepted only after it was read back and found the same.
"""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime, timedelta
from typing import Any

from hermes_checkpoints import plain_yaml
from hermes_checkpoints.errors import BadDocument, SessionDamaged

MAX_DEPTH = 200
"""How deep collections may be nested, so that a reader with less stack can read what was kept."""

_PLAIN_KEY_LENGTH = 100
"""YAML looks no further than 1024 characters for the end of a key; escaped, this is less."""

# What a line of JSON may contain so that YAML reads the same: no character that YAML refuses in
# a stream, and none that it takes for a line break.
_NOT_YAML = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_SCALARS = (type(None), bool, int, float, str, bytes, date, datetime)
_YAML_OPTIONS: dict[str, Any] = {
    "default_flow_style": False,
    "allow_unicode": True,
    "sort_keys": False,
}
_ASCII_OPTIONS = {**_YAML_OPTIONS, "allow_unicode": False}
_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")


def encode(document: dict[Any, Any]) -> str:
    """Return the text of a document.

    A tuple comes back as a list, a time of a named zone with the offset that it had.

    Raises:
        BadDocument: for what safe YAML cannot carry, and for a collection that contains itself;
            the message says where.
    """
    survey = _Survey()
    try:
        survey.visit(document, 0)
        if survey.plain:
            text = json.dumps(document, ensure_ascii=False, allow_nan=False)
            if not _NOT_YAML.search(text):
                return text
        return _block(document)
    except _Refused as refused:
        raise BadDocument(f"the document cannot be kept: {refused}") from None
    except RecursionError:
        raise BadDocument("the document cannot be kept: it is nested too deeply") from None
    except ValueError as error:  # an integer with too many digits to print
        raise BadDocument(f"the document cannot be kept: {error}") from error


def decode(text: str) -> dict[Any, Any]:
    """Return the document of a text.

    Raises:
        SessionDamaged: when it is no YAML, or no mapping; the message says which.
    """
    if text.startswith("{"):  # block YAML begins with a key
        try:
            return _mapping(json.loads(text))
        except (ValueError, RecursionError):
            pass
    return from_yaml(text)


def from_yaml(text: str) -> dict[Any, Any]:
    """Return the mapping that a YAML text is.

    Raises:
        SessionDamaged: when it is no YAML, or no mapping; the message says which.
    """
    return _mapping(_load(text))


def _mapping(document: object) -> dict[Any, Any]:
    if not isinstance(document, dict):
        raise SessionDamaged(f"it is no mapping but {_kind(document)}")
    return document


def yaml_text(document: dict[Any, Any]) -> str:
    """Return the YAML that the agent's own ``CheckpointStore.write`` puts into a file.

    A document with one of Unicode's own line breaks, which are lost in that, is written in ASCII
    instead.
    """
    import yaml

    text: str = yaml.dump(document, Dumper=yaml.SafeDumper, **_YAML_OPTIONS)
    if _LINE_BREAKS.search(text):
        text = yaml.dump(document, Dumper=yaml.SafeDumper, **_ASCII_OPTIONS)
    return text


def _load(text: str) -> object:
    try:
        return plain_yaml.load(text)
    except plain_yaml.Refused as error:
        raise SessionDamaged(f"it is no YAML ({error})") from error


def _block(document: dict[Any, Any]) -> str:
    import yaml

    ways: list[tuple[Any, dict[str, Any]]] = [
        (yaml.SafeDumper, _YAML_OPTIONS),
        (yaml.SafeDumper, _ASCII_OPTIONS),
    ]
    if yaml.__with_libyaml__:
        ways.insert(0, (yaml.CSafeDumper, _YAML_OPTIONS))
    for dumper, options in ways:
        try:
            text: str = yaml.dump(document, Dumper=dumper, **options)
            if not text.startswith("{") and _same(document, decode(text), {}):
                return text
        except (yaml.YAMLError, UnicodeEncodeError, SessionDamaged):
            continue
    raise BadDocument("the document cannot be kept: YAML does not give it back as it is")


class _Refused(Exception):
    """What is wrong with a value; ``path`` grows on the way out to where it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path: list[str] = []

    def __str__(self) -> str:
        where = "".join(reversed(self.path)).removeprefix(".")
        return f"{where or 'it'} {self.args[0]}"


class _Survey:
    """One look at every value: may it be kept, and is it plain?"""

    def __init__(self) -> None:
        self.plain = True
        self._above: set[int] = set()
        self._seen: set[int] = set()

    def visit(self, value: object, depth: int) -> None:
        kind = type(value)
        if kind is str or kind is int or kind is bool or value is None:
            return
        if kind in _SCALARS:
            self._scalar(value)
        elif kind in (dict, list, tuple, set):
            self._collection(value, kind, depth)
        else:
            raise _Refused(f"is {_kind(value)}, which safe YAML cannot carry")

    def _scalar(self, value: object) -> None:
        if type(value) is float:
            digits = repr(value)
            # YAML 1.1 takes 1e+16 for text and knows 1.0e+16 only.
            if not math.isfinite(value) or ("e" in digits and "." not in digits):
                self.plain = False
            return
        self.plain = False
        if type(value) is datetime:
            offset = value.utcoffset()
            if offset is not None and offset % timedelta(minutes=1):
                raise _Refused("is a time whose offset from UTC is no whole number of minutes")

    def _collection(self, value: Any, kind: type, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise _Refused(f"is nested more than {MAX_DEPTH} deep")
        key = id(value)
        if key in self._above:
            raise _Refused("contains itself")
        if key in self._seen:  # once for all its places; an alias keeps them one
            self.plain = False
            return
        self._seen.add(key)
        self._above.add(key)
        if kind is dict:
            for name, item in value.items():
                self._key(name)
                self._step(item, f".{name}" if type(name) is str else f"[{name!r}]", depth)
        elif kind is set:
            self.plain = False
            for item in value:
                self._key(item)
        else:
            for number, item in enumerate(value):
                self._step(item, f"[{number}]", depth)
        self._above.discard(key)

    def _step(self, value: object, where: str, depth: int) -> None:
        try:
            self.visit(value, depth + 1)
        except _Refused as refused:
            refused.path.append(where)
            raise

    def _key(self, key: object) -> None:
        kind = type(key)
        if kind is str:
            if len(key) > _PLAIN_KEY_LENGTH:  # type: ignore[arg-type]
                self.plain = False
            return
        self.plain = False
        if kind not in _SCALARS:
            raise _Refused(f"has {_kind(key)} as a key, which safe YAML cannot carry")
        self._scalar(key)


def _same(one: Any, other: Any, pairs: dict[tuple[int, int], bool]) -> bool:
    """Tell whether two documents without cycles are alike: values, types, order, and NaN is NaN."""
    if isinstance(one, dict | list | tuple):
        pair = (id(one), id(other))
        if pair not in pairs:
            pairs[pair] = _same_collections(one, other, pairs)
        return pairs[pair]
    if type(one) is not type(other):
        return False
    if isinstance(one, set):
        return len(one) == len(other) and {_token(item) for item in one} == {
            _token(item) for item in other
        }
    return _token(one) == _token(other)


def _same_collections(one: Any, other: Any, pairs: dict[tuple[int, int], bool]) -> bool:
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and len(one) == len(other)
            and all(
                _same(key, other_key, pairs) and _same(value, other_value, pairs)
                for (key, value), (other_key, other_value) in zip(
                    one.items(), other.items(), strict=True
                )
            )
        )
    return (
        isinstance(other, list)
        and len(one) == len(other)
        and all(_same(a, b, pairs) for a, b in zip(one, other, strict=True))
    )


def _token(value: object) -> tuple[type, object]:
    if isinstance(value, datetime):
        return datetime, (value.replace(tzinfo=None, fold=0), value.utcoffset())
    return type(value), repr(value) if isinstance(value, float) else value


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"
