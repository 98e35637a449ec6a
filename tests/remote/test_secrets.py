"""What looks like a secret, by name and by contents."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.remote.secrets import (
    _KINDS,
    LOOKED_AT,
    suspicious_contents,
    suspicious_name,
)

_BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"


def a_key(kind: str = "", body: str = _BASE64, newline: str = "\n") -> bytes:
    """A private key, made here so that this file looks like none."""
    return f"-----BEGIN {kind}PRIVATE KEY-----{newline}{body}{newline}".encode()


@pytest.mark.parametrize(
    "name",
    [
        *(".env", "web/.env.production", "prod.env", ".ENV", "keys/id_ed25519", "a/server.PEM"),
        *(".ssh/config", "home/.aws/credentials", ".kube/config", "x/.docker/config.json"),
        *("terraform.tfstate", "secrets.yaml", "client_secret_1.json", ".git-credentials"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert suspicious_name(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        *(
            "src/app.py",
            ".env.example",
            "a/.env.sample",
            "env/settings.py",
            "key.py",
            "id_ed25519.pub",
        ),
        *(
            "id_ed25519.pub",
            "kube/config",
            "docs/.env.template",
            "secrets.py",
            "monkey.txt",
            "environment.yml",
        ),
    ],
)
def test_names_of_what_is_none(name: str) -> None:
    assert suspicious_name(name) is None


@pytest.mark.parametrize(
    "found",
    [
        a_key(),
        a_key("RSA "),
        a_key("OPENSSH ", newline="\\n"),
        a_key("ENCRYPTED ", newline="\r\n"),
        a_key("RSA ", f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{_BASE64}"),
        a_key("PGP ", f"Comment: of a-b\r\n\r\n{_BASE64}").replace(b"KEY-", b"KEY BLOCK-"),
        b"x = 'AKIA" + b"Q3EGRT7PZLMK4WXY'",
        b"gh" + b"p_" + b"a1B2c3D4e5F6" * 3,
        b"github_" + b"pat_" + b"a1B2c3D4e5F6" * 4,
        b"glpat" + b"-a1B2c3D4e5F6g7H8i9J0",
        b"xoxb" + b"-123456789012-abcdefghij",
        b"sk-" + b"proj-a1B2c3D4e5F6g7H8i9J0k1L2",
        b"sk-" + b"or-v1-" + b"0123456789abcdef" * 4,
        b"AIza" + b"SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
        b"npm" + b"_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        b"eyJ" + b"hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ],
)
def test_what_services_give_out_is_found_and_what_only_looks_like_it_is_not(found: bytes) -> None:
    assert suspicious_contents(found) is not None
    assert suspicious_contents(b"binary\0" + found) is not None
    assert suspicious_contents(b"x" * (LOOKED_AT - 3) + b"\n" + found) is None


@pytest.mark.parametrize(
    "innocent",
    [
        b"",
        b"if '-----BEGIN RSA PRIVATE KEY-----' in text: pass",
        b"aws = 'AKIAIOSFODNN7EXAMPLE'",
        b"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        b"class='sk-loading-indicator-wrapper-left'",
        b"token = get_token()",
        b"eyJhbGciOiJIUzI1NiJ9 alone",
    ],
)
def test_what_is_no_secret(innocent: bytes) -> None:
    assert suspicious_contents(innocent) is None


@given(st.binary(max_size=3000), st.binary(max_size=300))
def test_a_secret_is_found_between_any_bytes(before: bytes, after: bytes) -> None:
    secret = b"AKIA" + b"Q3EGRT7PZLMK4WXY"
    assert suspicious_contents(before + b"'" + secret + b"'" + after) is not None


def test_a_part_of_a_longer_word_is_no_secret() -> None:
    word = b"AKIA" + b"Q3EGRT7PZLMK4WXY"
    assert suspicious_contents(b"x" + word) is None
    assert suspicious_contents(word + b"x") is None


@given(st.text(string.printable, max_size=60))
def test_any_name_is_looked_at_in_any_case(name: str) -> None:
    assert (suspicious_name(name) is None) == (suspicious_name(name.swapcase()) is None)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_secret_is_found_in_a_text_of_two_bytes_a_character(encoding: str) -> None:
    text = "\ufeff" if encoding.endswith("-be") else ""
    contents = f"{text}key = AKIA" + "Q3EGRT7PZLMK4WXY\r\n"
    assert suspicious_contents(contents.encode(encoding)) is not None


def test_a_placeholder_hides_no_secret_beside_it() -> None:
    placeholder = b"AKIA" + b"IOSFODNN7EXAMPLE"
    assert suspicious_contents(placeholder * 3 + b" " + b"AKIA" + b"Q3EGRT7PZLMK4WXY") is not None
    assert suspicious_contents(b"ghp_" + b"example_" * 200) is None


def test_no_form_of_a_secret_is_without_an_end() -> None:
    """One that is tried to the end of the file at each place takes days for a megabyte of it."""
    for _, begin, form in _KINDS:
        classes_apart = re.sub(rb"\[[^]]*\]", b"C", form.pattern)
        assert not re.search(rb"[*]|(?<!\})[+]|,\}", classes_apart), (begin, form)


@pytest.mark.parametrize("unit", [b"-eyJ", b"sk-", b"_ghp_example_", b"-----BEGIN A A A "])
def test_a_file_that_is_all_begins_of_secrets_has_none(unit: bytes) -> None:
    assert suspicious_contents(unit * (100_000 // len(unit))) is None
