"""Secrets are kept out of reasons and titles, and what is said of them is not."""

from __future__ import annotations

import pytest

from hermes_checkpoints.capture.redact import HIDDEN, redact, title_of


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ("my password is hunter2", "hunter2"),
        ('My password is "correct horse"', "correct horse"),
        ("the password is hunter2.", "hunter2"),
        ("the root password is s3cr3t! please", "s3cr3t"),
        ("password for the db is hunter2, use it", "hunter2"),
        ("our api key is ABCD1234EFGH", "ABCD1234EFGH"),
        ("log in with password hunter2 and look", "hunter2"),
        ("token: abcdef", "abcdef"),
        ("pwd=hunter2", "hunter2"),
        ("Server=db;Uid=sa;Pwd=hunter2;", "hunter2"),
        ("passphrase: opensesame", "opensesame"),
        ("my password is swordfish", "swordfish"),
        ("The PIN is 1234", "1234"),
        ("mysql pass=hunter2", "hunter2"),
        ("use the token f00ba4baz to push", "f00ba4baz"),
        ("password was Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("my db password is swordfish.", "swordfish"),
        ("the secret is a+b=c", "a+b=c"),
        ("password is `hunter2`", "hunter2"),
    ],
)
def test_a_password_that_is_told_in_words_is_hidden(said: str, secret: str) -> None:
    found = redact(said)
    assert found == said.replace(secret, HIDDEN).replace(f'"{HIDDEN}"', HIDDEN).replace("`", "")
    assert redact(found) == found
    assert title_of(said) == found


@pytest.mark.parametrize(
    "said",
    [
        "the password is wrong",
        "make sure the password is hashed",
        "the token is expired, refresh it",
        "Fix it where the token is missing in the header",
        "my password is not accepted",
        "my token is invalid",
        "our secret is stored in vault.yml",
        "the secret is in /etc/app",
        "password is required",
        "the token is $TOKEN",
        "the password is <your password>",
        "my password is too short, tell me",
        "check that the password is at least 8 characters",
        "the token was null?",
        "cd; PWD=/home/ada make",
        "pwd: /srv/site",
        "the pin is loose",
        "use the token from the header",
        "use token auth",
        "my password is the one of the wiki",
        "the token is userToken",
        "explain what the api key is",
        "the password is case-sensitive",
        "the secret is read_only",
    ],
)
def test_a_sentence_about_a_password_stays(said: str) -> None:
    assert redact(said) == said
