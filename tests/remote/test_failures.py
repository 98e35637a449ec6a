"""Which error the words of git and of servers lead to, and that each says what to do."""

from __future__ import annotations

import pytest

from hermes_checkpoints.errors import (
    RemoteDenied,
    RemoteFailed,
    RemoteRefused,
    RemoteUnreachable,
)
from hermes_checkpoints.remote.failures import failure, silence

DENIED = [
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    "git@github.com: Permission denied (publickey).; fatal: Could not read from remote repository.",
    "fatal: Authentication failed for 'https://example.org/undo.git/'",
    "fatal: unable to access 'https://example.org/x/': The requested URL returned error: 403",
    "remote: Permission to org/app.git denied to me.; fatal: unable to access 'https://x': no",
    "remote: HTTP Basic: Access denied; fatal: Authentication failed for 'https://gitlab.com/x'",
    "Host key verification failed.; fatal: Could not read from remote repository.",
]
UNREACHABLE = [
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    "ssh: connect to host 127.0.0.1 port 1: Connection refused; fatal: Could not read from remote",
    "fatal: '/srv/undo.git' does not appear to be a git repository",
    "remote: Repository not found.; fatal: repository 'https://github.com/x/y/' not found",
    "fatal: unable to access 'https://x/': The requested URL returned error: 503",
    "fatal: unable to access 'https://x/': server certificate verification failed",
    "fatal: the remote end hung up unexpectedly",
]
REFUSED = [
    "fatal: unable to access 'http://x/': The requested URL returned error: 301",
    "fatal: transport 'ext' not allowed",
    "fatal: remote error: access is limited to business hours",
    "fatal: detected dubious ownership in repository at '/srv/undo.git'",
]
CASES = [
    *((words, RemoteDenied) for words in DENIED),
    *((words, RemoteUnreachable) for words in UNREACHABLE),
    *((words, RemoteRefused) for words in REFUSED),
    ("fatal: something new", RemoteFailed),
    ("", RemoteFailed),
]


@pytest.mark.parametrize(("words", "kind"), CASES)
def test_the_words_decide_which_error_it_is_and_stand_in_it(
    words: str, kind: type[RemoteFailed]
) -> None:
    error = failure("reading from", "https://example.org/undo.git", words)
    assert type(error) is kind
    assert (words or "no message") in str(error)
    assert "https://example.org/undo.git" in str(error)


def test_each_says_what_to_do() -> None:
    told = {words: str(failure("sending to", "ssh://h/x", words)) for words, _ in CASES}
    assert "set up a credential helper of git or a key of ssh" in told[DENIED[0]]
    assert "connect once by hand, with `git ls-remote ssh://h/x`" in told[DENIED[-1]]
    assert "`git ls-remote ssh://h/x` tells whether" in told[UNREACHABLE[0]]
    assert "write the address to which it leads into checkpoints.remote.url" in told[REFUSED[0]]
    assert "needs the protocol ext" in told[REFUSED[1]]
    assert "add it to checkpoints.remote.protocols" in told[REFUSED[1]]
    assert "try `git ls-remote ssh://h/x`" in told[""]
    late = silence("reading from", "ssh://h/x", "git ls-remote gave no answer for 60 s")
    assert "raise checkpoints.remote.timeout_seconds" in str(late)
    assert late.hint == "git ls-remote ssh://h/x"
