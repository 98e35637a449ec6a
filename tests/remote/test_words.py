"""What is shown of a server: no password, and nothing that moves a cursor."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_checkpoints.remote import pausing, pushed, ssh, words
from hermes_checkpoints.remote.words import by_hand, hidden, redacted_url, said, secrets_of


@pytest.mark.parametrize("module", [words, pushed, pausing, ssh])
def test_the_examples_are_true(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/srv/undo.git", "/srv/undo.git"),
        ("file:///srv/a@b.git", "file:///srv/a@b.git"),
        ("git@example.org:undo.git", "git@example.org:undo.git"),
        ("me:pass@example.org:undo.git", "example.org:undo.git"),
        ("gcrypt::git@example.org:undo.git", "gcrypt::git@example.org:undo.git"),
        ("gcrypt::me:pass@example.org:undo.git", "gcrypt::example.org:undo.git"),
        ("/srv/a:b@c.git", "/srv/a:b@c.git"),
        ("https://example.org/undo.git", "https://example.org/undo.git"),
        ("https://example.org:8443/a@b.git", "https://example.org:8443/a@b.git"),
        ("https://ghp_0123@example.org/undo.git", "https://example.org/undo.git"),
        ("ssh://git:pw@example.org:22/x", "ssh://git@example.org:22/x"),
        ("ssh://git@[::1]:22/x", "ssh://git@[::1]:22/x"),
        ("https://me:a/b@example.org/x", "https://example.org/x"),
        ("https://me:a@b@example.org/x", "https://example.org/x"),
        ("https://me:a?b@example.org/x", "https://example.org/x"),
        ("gcrypt::https://me:pw@example.org/x", "gcrypt::https://example.org/x"),
        ("s3://KEY:SECRET@bucket/x#y", "s3://bucket/x"),
        ("https://example.org/x?private_token=abcd", "https://example.org/x"),
    ],
)
def test_an_address_is_shown_without_what_gives_access(url: str, shown: str) -> None:
    assert redacted_url(url) == shown


CREDENTIAL = st.text("abcdefghij0123456789%+-_.!$&*", min_size=8, max_size=20)


@given(CREDENTIAL, CREDENTIAL, st.sampled_from(["https", "http", "s3", "ftp"]))
def test_no_form_of_a_password_is_shown(user: str, password: str, scheme: str) -> None:
    url = f"{scheme}://{user}:{password}@example.org/undo.git"
    assert password not in redacted_url(url)
    told = f"fatal: unable to access '{url}/': no; of {password}".encode()
    assert password not in said(told, secrets_of(url))
    assert password not in hidden(f"it says {password}", secrets_of(url))


def test_a_password_is_hidden_also_as_it_is_decoded() -> None:
    url = "https://me:p%40ss%2Fword@example.org/x"
    assert hidden("tried p@ss/word, and p%40ss%2Fword", secrets_of(url)) == (
        "tried [redacted], and [redacted]"
    )
    assert secrets_of("https://me:a/b@cd@example.org/x?k=token#y") >= {"a/b@cd", "k=token"}
    assert secrets_of("ssh://git@example.org/x", "git@example.org:x", "/srv/x") == set()
    assert secrets_of("me:pass@example.org:x") == {"pass"}


def test_passwords_of_addresses_that_nobody_named_are_hidden_too() -> None:
    told = b"fatal: unable to access 'https://oauth2:glpat-abcdef@gitlab.example/x/': no route"
    assert said(told) == "fatal: unable to access 'https://[redacted]@gitlab.example/x/': no route"
    assert said(b"ssh://git@example.org/x: no") == "ssh://git@example.org/x: no"


@given(st.binary(max_size=300))
@example(b"\x1b[2J\x1b]0;title\x07remote: \xff\xfe\r\nfatal: no")
@example(b"\x9b31mred \xe2\x80\xae right to left")
def test_words_of_a_server_are_one_line_that_moves_no_cursor(raw: bytes) -> None:
    text = said(raw)
    assert len(text) <= 500
    assert all(sign.isprintable() for sign in text)


def test_what_is_told_last_is_kept_and_progress_is_not() -> None:
    raw = (
        b"Enumerating objects: 5, done.\nWriting objects:  50% (1/2)\rWriting objects: 100% (2/2)\r"
        b"Total 2 (delta 0), reused 0 (delta 0)\nremote: no space left\n"
        b"error: failed to push some refs to '/srv/undo.git'\n"
    )
    assert said(raw) == "remote: no space left"
    assert said(b"error: failed to push some refs to 'x'\n") == (
        "error: failed to push some refs to 'x'"
    )
    long = said(b"x" * 1000 + b" the end")
    assert long.startswith("…x") and long.endswith(" the end")
    assert said(b"same\nsame\nsame") == "same"


def test_the_command_by_hand_can_be_typed() -> None:
    assert by_hand("/srv/My Backup/x;y") == "git ls-remote '/srv/My Backup/x;y'"
