"""Commits and their times are read as git means them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.git_time import format_time, parse_time
from hermes_checkpoints.object_store.raw_commit import RawCommit, parse_commit

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
HEAD = b"tree " + EMPTY_TREE.encode() + b"\n"
PEOPLE = b"author A <a@b> 1772600767 +0000\ncommitter C <c@d> 1 +0000\n"

moments = st.integers(0, 1 << 34).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@given(moments, st.integers(-1439, 1439))
def test_a_time_is_read_as_it_was_written(at: datetime, offset: int) -> None:
    assert parse_time(format_time(at, offset).encode()) == (at, offset)


def test_times_have_the_form_that_git_documents() -> None:
    assert format_time(WHEN, 0) == "1772600767 +0000"
    assert format_time(WHEN.replace(microsecond=999_999), -210) == "1772600767 -0330"
    assert parse_time(b"-1 +0545") == (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), 345)


def test_an_offset_that_no_place_has_is_none() -> None:
    assert parse_time(b"1772600767 +9959") == (WHEN, 0)


@pytest.mark.parametrize(
    "text", [b"", b"1", b"1 +00", b"1 +051800", b"x +0000", b"9" * 30 + b" +0000"]
)
def test_what_is_no_time_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        parse_time(text)


def test_a_commit_that_git_wrote_is_read(git: Git) -> None:
    variables = {
        "GIT_AUTHOR_NAME": "A > B",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_AUTHOR_DATE": "1772600767 -0330",
        "GIT_COMMITTER_NAME": "C",
        "GIT_COMMITTER_EMAIL": "c@d",
        "GIT_COMMITTER_DATE": "1800000000 +0000",
    }
    git = replace(git, variables=variables)
    first = git.run("commit-tree", EMPTY_TREE, stdin=b"one\n\ntree x\n").decode().strip()
    parents = ("-p", first)
    second = git.run("commit-tree", EMPTY_TREE, *parents, stdin="zwei äöü\n".encode()).decode()
    with git.blobs() as reader:
        one, two = (parse_commit(*reader.read(name.strip())) for name in (first, second))
    assert one == RawCommit(EMPTY_TREE, (), WHEN, -210, "one\n\ntree x\n")
    assert two == RawCommit(EMPTY_TREE, (first,), WHEN, -210, "zwei äöü\n")


@pytest.mark.parametrize(
    ("encoding", "body", "text"),
    [
        (b"ISO-8859-1", b"\xe4", "ä"),
        (b"UTF-8", b"\xe4", "\\xe4"),
        (b"no-such", b"\xe4", "\\xe4"),
    ],
)
def test_a_message_is_decoded_as_declared(encoding: bytes, body: bytes, text: str) -> None:
    data = HEAD + PEOPLE + b"encoding " + encoding + b"\n\n" + body
    assert parse_commit("name", "commit", data).message == text


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("blob", HEAD + PEOPLE + b"\nm"),
        ("commit", PEOPLE + b"\nm"),
        ("commit", HEAD + b"\n" + PEOPLE),
        ("commit", HEAD + PEOPLE.replace(b"1772600767", b"9" * 30) + b"\nm"),
    ],
)
def test_what_is_no_commit_is_an_error_of_the_store(kind: str, data: bytes) -> None:
    with pytest.raises(StoreDamaged, match="name"):
        parse_commit("name", kind, data)
