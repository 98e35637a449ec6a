"""Stored text is readable and exact."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import DateTime
from sqlalchemy.dialects.sqlite.pysqlite import dialect

from hermes_checkpoints.catalog.encoding import decode_path, encode_path, read_moment
from hermes_checkpoints.catalog.types import JsonText, Member, PlainText, UtcDateTime
from hermes_checkpoints.model import Kind

SQLITE = dialect()
names = st.binary(max_size=40).filter(lambda raw: b"\0" not in raw)


@given(names)
def test_any_bytes_of_a_path_come_back(raw: bytes) -> None:
    path = raw.decode("utf-8", "surrogateescape")
    text = encode_path(path)
    text.encode("utf-8")  # storable
    assert decode_path(text) == path
    assert os.fsencode(decode_path(text)) == raw


@given(names, names)
def test_distinct_paths_have_distinct_texts(one: bytes, other: bytes) -> None:
    texts = [encode_path(raw.decode("utf-8", "surrogateescape")) for raw in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.text())
def test_the_text_of_a_prefix_is_a_prefix_of_the_text(one: str, other: str) -> None:
    assert encode_path(one + other) == encode_path(one) + encode_path(other)
    assert decode_path(encode_path(one + other)) == one + other


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/größe.py", "src/größe.py"),
        ("a\\b", "a\\\\b"),
        ("caf\udce9", "caf\\xe9"),
        ("\\xe9", "\\\\xe9"),
        ("windows\ud800", "windows\\ud800"),
        ("line\nbreak", "line\nbreak"),
    ],
)
def test_paths_are_stored_readably(path: str, text: str) -> None:
    assert encode_path(path) == text
    assert decode_path(text) == path


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_times_come_back_in_utc(naive: datetime, offset: int) -> None:
    zone = timezone(timedelta(minutes=offset))
    moment = naive.replace(year=min(max(naive.year, 2), 9998), tzinfo=zone)
    stored = UtcDateTime().process_bind_param(moment, SQLITE)
    assert stored is not None
    assert stored.tzinfo is None
    write = DateTime().dialect_impl(SQLITE).bind_processor(SQLITE)
    assert write is not None
    back = UtcDateTime().result_processor(SQLITE, None)(write(stored))
    assert back == moment
    assert back is not None
    assert back.tzinfo is UTC


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), SQLITE)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        *((text, 0) for text in ("2026-11-20", "20261120", "2026-W47-5")),
        *((f"2026-11-20 {time}", 12) for time in ("12", "12:00", "12:00:00.000000", "12:00Z")),
        *((f"2026-11-20T12:00{zone}", 10) for zone in ("+02:00", ":00 +02:00")),
    ],
)
def test_a_time_that_somebody_wrote_is_read_in_utc(text: str, hour: int) -> None:
    moment = read_moment(text)
    assert moment == datetime(2026, 11, 20, hour, tzinfo=UTC)
    assert moment.tzinfo is UTC


@pytest.mark.parametrize("text", ["", "now", "0001-01-01 00:00+02:00", "9999-12-31 23:00-02:00"])
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"isoformat|out of range"):
        read_moment(text)


def test_text_that_utf_8_lacks_is_escaped() -> None:
    assert PlainText().process_bind_param("a\udcff\0b ü", SQLITE) == "a\\udcff\\x00b ü"


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.none(), st.booleans())))
def test_json_comes_back(value: dict[str, object]) -> None:
    assert JsonText().process_result_value(
        JsonText().process_bind_param(value, SQLITE), SQLITE
    ) == (value)


def test_json_keeps_surrogates_and_stays_readable() -> None:
    text = JsonText().process_bind_param({"path": "caf\udce9 ü"}, SQLITE)
    assert text == '{"path": "caf\\udce9 ü"}'
    assert JsonText().process_result_value(text, SQLITE) == {"path": "caf\udce9 ü"}


def test_a_member_is_itself_in_python_and_text_in_the_database() -> None:
    column = Member(Kind, 16)
    assert column.process_bind_param(Kind.SAFETY, SQLITE) == "safety"
    assert column.process_bind_param("safety", SQLITE) == "safety"
    assert column.result_processor(SQLITE, None)("safety") is Kind.SAFETY
    with pytest.raises(ValueError, match="sideways"):
        column.result_processor(SQLITE, None)("sideways")
    with pytest.raises(ValueError, match="sideways"):
        column.process_bind_param("sideways", SQLITE)
