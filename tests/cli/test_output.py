"""Printing: nothing can make it fail, and a diff stays a patch unless people look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from hermes_checkpoints.cli import asking, output
from hermes_checkpoints.errors import BadRequest
from interpreters import on_a_terminal

PATCH = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\x1b[2J\n+caf\udce9\tx\n"


def run(statement: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", f"from hermes_checkpoints.cli import asking, output; {statement}"],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )


def written_by(statement: str, **options: Any) -> bytes:
    """Return what ``statement`` writes to a terminal."""
    code, written = on_a_terminal(
        code=f"from hermes_checkpoints.cli import asking, output; {statement}", **options
    )
    assert code == 0, written
    return written


def test_what_the_encoding_lacks_is_escaped() -> None:
    answer = run(
        "output.say('a — 文 \\udce9'); output.complain('größe')", PYTHONIOENCODING="ascii:strict"
    )
    assert answer.stdout == b"a \\u2014 \\u6587 \\xe9\n"
    assert answer.stderr == b"hermes checkpoints: gr\\xf6\\xdfe\n"


def test_a_line_stays_a_line_and_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("name\nwith\x1b[2Jmore")
    output.complain("name\rwith\u202emore")
    captured = capsys.readouterr()
    assert captured.out == "name\\nwith\\x1b[2Jmore\n"
    assert captured.err == "hermes checkpoints: name\\rwith\\u202emore\n"


def test_a_document_is_ascii() -> None:
    answer = run("output.document({'a': '文'})", PYTHONIOENCODING="ascii:strict")
    assert answer.stdout == b'{\n  "schema": 1,\n  "a": "\\u6587"\n}\n'


def test_a_redirected_patch_is_byte_for_byte() -> None:
    answer = run(f"output.say('first'); output.patch({PATCH!r})", PYTHONIOENCODING="ascii:strict")
    assert answer.stdout == b"first\n" + PATCH.encode("utf-8", "surrogateescape")


def test_a_patch_without_a_byte_stream_is_printed_all_the_same() -> None:
    statement = (
        f"import io, sys; sys.stdout = text = io.StringIO(); output.patch({PATCH!r}); "
        "sys.__stdout__.write(text.getvalue())"
    )
    assert rb"+caf\udce9" in run(statement).stdout


def test_a_patch_on_a_terminal_is_coloured_and_harmless() -> None:
    written = written_by(f"output.patch({PATCH!r})")
    assert b"\x1b[31m-old\\x1b[2J\x1b[0m" in written
    assert b"\x1b[32m+caf\\xe9" in written
    assert b"\x1b[2J" not in written


def test_no_color_is_respected() -> None:
    written = written_by(f"output.patch({PATCH!r})", NO_COLOR="1")
    assert b"\x1b[3" not in written
    assert b"+caf\\xe9" in written


def test_without_a_standard_input_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadRequest, match="use -f"):
        asking.confirm("Restore?")


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [(b"y\n", True), (b"YES\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)],
)
def test_only_a_yes_is_a_yes(typed: bytes, agreed: bool) -> None:
    written = written_by(
        "print(asking.confirm('Restore\\x1b[2J?'))", prompt=b"[y/N]: ", typed=typed
    )
    assert b"Restore\\x1b[2J? [y/N]: " in written
    assert written.rstrip().endswith(str(agreed).encode())
