"""What safe YAML can carry comes back as it was; anything else is refused with its place."""

from __future__ import annotations

import json
import math
import re
from collections import OrderedDict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hermes_checkpoints.errors import BadDocument, SessionDamaged
from hermes_checkpoints.sessions.documents import MAX_DEPTH, decode, encode, yaml_text
from support import examples

LOOK_ALIKES = [
    "", "~", "null", "Null", "true", "Yes", "no", "on", "off", "y", "1", "0x1f", "0o7", "017",
    "1_000", "1:30", "190:20:30", "1.5", ".5", "1e5", "1e+16", "1.0e+16", ".inf", "-.INF", ".nan",
    "2026-11-20", "2026-11-20 12:00:00", "2026-11-20T12:00:00Z", "=", "<<", "!!str x", "&a", "*a",
    "- a", "a: b", "a #b", "# a", "{a}", "[a]", "'", '"', "|", ">", "%", "@", "`", "---", "...",
    " lead", "trail ", "a\nb", "a\n\n b\n", "\n", "\t", "a\tb", "\r\n", "\x00", "\x1b[0m", "\x7f",
    "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "\ud800", "\udfff",
    "\ud83d\ude00", "😀", "\U0010ffff", "é", "e\u0301", "x" * 5000, "word " * 300, "é" * 200,
    "\\", "\\n", "a\\", "\"quoted\"", "key: 'v'\n  - x\n",
]  # fmt: skip
FLOATS = [0.0, -0.0, 1e16, 1e-7, 1.5e300, 5e-324, math.inf, -math.inf, math.nan, 0.1, 1e22]

texts = st.sampled_from(LOOK_ALIKES) | st.text() | st.text(st.characters(codec=None), max_size=8)
offsets = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))
times = st.datetimes() | st.datetimes(timezones=st.just(UTC) | offsets)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(FLOATS)
    | texts
    | st.binary()
    | st.dates()
    | times
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
# A mapping cannot tell two NaN apart; one as a key is refused when it is not alone.
keys = scalars.filter(lambda key: not (isinstance(key, float) and math.isnan(key)))
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
    ),
    max_leaves=12,
)


def exact(value: Any) -> Any:
    """A value whose equality is that of content, type and order; NaN equals NaN."""
    if isinstance(value, dict):
        return dict, [(exact(key), exact(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return list, [exact(item) for item in value]
    if isinstance(value, set):
        return set, {exact(item) for item in value}
    if isinstance(value, float):
        return float, repr(value)
    if isinstance(value, datetime):
        return datetime, value.replace(tzinfo=None), value.utcoffset()
    return type(value), value


def survives(document: dict[Any, Any]) -> str:
    text = encode(document)
    text.encode()  # no half of a surrogate pair
    assert exact(decode(text)) == exact(document)
    assert exact(yaml.safe_load(text)) == exact(document), "the text is YAML, whatever else"
    return text


@pytest.mark.campaign
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(keys, anything, max_size=5))
def test_whatever_safe_yaml_carries_comes_back(document: dict[Any, Any]) -> None:
    survives(document)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(st.dictionaries(texts, plain, max_size=5))
@example({"": "\x85", "\ud800": None})
@example({"a": "x" * 5000, "k" * 99: 1, "k" * 5000: [1e16, 1e-7, -0.0]})
def test_plain_values_come_back(document: dict[Any, Any]) -> None:
    survives(document)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_text_that_looks_like_something_else_stays_text(text: str) -> None:
    survives({text: text, "b": [text, {text: None}]})
    survives({text: text, 1: text})


def test_plain_documents_are_json_as_well() -> None:
    document = {"task": "x \u00e9 😀", "steps": [{"done": True, "n": 1.5}], "none": None}
    text = survives(document)
    assert json.loads(text) == document
    assert "\n" not in text


def test_key_order_and_shared_values_stay() -> None:
    shared = ["once"]
    document: dict[str, Any] = {"z": shared, "a": {"m": shared}, "empty": {}, "none": None}
    found = decode(survives(document))
    assert list(found) == ["z", "a", "empty", "none"]
    assert found["z"] is found["a"]["m"]


def test_a_tuple_comes_back_as_a_list_and_a_zone_as_its_offset() -> None:
    zone = ZoneInfo("Europe/Berlin")
    document = {"pair": (1, "two", ()), "at": datetime(2026, 7, 1, 12, 0, tzinfo=zone)}
    found = decode(encode(document))
    assert found["pair"] == [1, "two", []]
    assert found["at"] == document["at"]
    assert found["at"].utcoffset() == timedelta(hours=2)


def cyclic() -> dict[str, Any]:
    inner: list[Any] = [1]
    inner.append({"back": inner})
    return {"a": {"b": inner}}


def deep(levels: int) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for _ in range(levels):
        document = {"a": document}
    return document


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"a": [0, {"b": Decimal(1)}]}, r"a\[1\]\.b is a Decimal"),
        ({"o": object()}, "o is an object"),
        ({"d": OrderedDict()}, "d is an OrderedDict"),
        ({"t": Text("x")}, "t is a Text"),
        ({"c": 1j}, "c is a complex"),
        ({"b": bytearray(b"x")}, "b is a bytearray"),
        ({"f": frozenset()}, "f is a frozenset"),
        ({"g": (i for i in "")}, "g is a generator"),
        ({("a", 1): 2}, "it has a tuple as a key"),
        ({"s": {("a", 1)}}, "s has a tuple as a key"),
        ({1: {None: len}}, r"\[1\]\[None\] is a builtin_function_or_method"),
        (cyclic(), r"a\.b\[1\]\.back contains itself"),
        (deep(MAX_DEPTH + 1), "is nested more than 200 deep"),
        (deep(5000), "nested"),
        ({"n": 10**5000}, "digits"),
        (
            {"lmt": datetime(1880, 1, 1, tzinfo=ZoneInfo("Europe/Berlin"))},
            "lmt is a time whose offset",
        ),
    ],
)
def test_what_safe_yaml_cannot_carry_is_refused(document: Any, message: str) -> None:
    with pytest.raises(BadDocument, match=message):
        encode(document)


def test_nesting_up_to_the_limit_is_kept() -> None:
    assert decode(encode(deep(MAX_DEPTH - 1))) == deep(MAX_DEPTH - 1)


def test_an_alias_bomb_costs_no_more_than_its_text() -> None:
    bomb: list[Any] = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    text = encode({"bomb": bomb})
    assert len(text) < 20_000
    assert isinstance(decode(text)["bomb"], list)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no mapping but a NoneType"),
        ("- a\n", "no mapping but a list"),
        ("{broken", "no YAML"),
        ("[1, 2", "no YAML"),
        ("a: !!python/object:os.system x\n", "no YAML"),
        ("a: 2026-99-99\n", "no YAML"),
        ("a: !!bool x\n", "no YAML"),
        ("? [a]\n: b\n", "no YAML"),
        ("a: &a [*a", "no YAML"),
    ],
)
def test_an_unreadable_text_is_told(text: str, message: str) -> None:
    with pytest.raises(SessionDamaged, match=message):
        decode(text)


@pytest.mark.campaign
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(texts, anything, max_size=4))
def test_the_export_is_what_the_agents_own_store_writes(document: dict[Any, Any]) -> None:
    expected = yaml.dump(document, default_flow_style=False, allow_unicode=True, sort_keys=False)
    found = yaml_text(document)
    assert found == expected or re.search("[\x85\u2028\u2029]", expected)
    assert exact(yaml.safe_load(found)) == exact(document)


def test_dates_are_not_times() -> None:
    found = decode(encode({"d": date(2026, 1, 2), "t": datetime(2026, 1, 2)}))  # noqa: DTZ001
    assert type(found["d"]) is date
    assert type(found["t"]) is datetime
