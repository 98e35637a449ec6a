"""The only way to the terminal: results on stdout, complaints on stderr.

Lines are made of values that come from disks and agents. So each line passes through
``text.shown``: it stays one line and moves no cursor. No character can make printing fail: what
the stream's encoding lacks is written as a backslash escape.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, TextIO

from hermes_checkpoints.cli.exits import OutputLost
from hermes_checkpoints.cli.text import shown
from hermes_checkpoints.errors import PROGRAM, BadRequest

if TYPE_CHECKING:
    from rich.console import Console


def encodable(text: str, stream: TextIO) -> str:
    """Return ``text`` as a stream can take it: what its encoding lacks is escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def say(line: str = "", style: str = "") -> None:
    """Print one line of the result, on a terminal that has colours in those of ``style``."""
    say_spans([(line, style)])


def say_spans(spans: Iterable[tuple[str, str]]) -> None:
    """Print one line of the result: texts, each with the colours that it has on a terminal, in the
    words of rich: ``red``, ``bold``, ``dim``, or nothing."""
    parts = [(encodable(shown(text), sys.stdout), style) for text, style in spans]
    with _told():
        if any(style for _, style in parts) and has_colours():
            _print_coloured(parts)
        else:
            print("".join(text for text, _ in parts))


def say_text(text: str) -> None:
    """Print lines of this program's own words, as of a help."""
    with _told():
        print(encodable(text, sys.stdout), end="")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Raise ``OutputLost`` where standard output takes nothing more, as on a full disk.

    A reader that is gone is none of that: it stays ``BrokenPipeError``.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"the output cannot be written: {error.strerror or error}") from error


def flush() -> None:
    """Write what is buffered for standard output, which may be closed."""
    if sys.stdout is not None:
        with _told():
            sys.stdout.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a standard stream is a terminal; one that is closed, or None, is not."""
    return stream is not None and not getattr(stream, "closed", False) and stream.isatty()


def is_dumb() -> bool:
    """Return whether the terminal says that it cannot move its cursor, nor show colours."""
    return os.environ.get("TERM", "" if os.name == "posix" else "console") in ("", "dumb")


def has_colours() -> bool:
    """Return whether what is printed may be coloured: standard output is a terminal that can, and
    nobody has switched it off by ``NO_COLOR``."""
    return is_terminal(sys.stdout) and not is_dumb() and not os.environ.get("NO_COLOR")


def width() -> int | None:
    """Return how many columns the terminal has, None where standard output is none: there nothing
    is cropped. ``COLUMNS`` says another number."""
    import shutil

    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def place(path: object) -> str:
    """Return a directory as it is printed: on a terminal with ``~`` for the home of the user."""
    return below_home(path) if is_terminal(sys.stdout) else str(path)


def below_home(path: object) -> str:
    """Return a path with ``~`` for the home of the user."""
    text = str(path)
    home = os.path.expanduser("~")
    for one in dict.fromkeys((home, os.path.realpath(home))):
        if one != os.sep and (text == one or text.startswith(one + os.sep)):
            return "~" + text[len(one) :]
    return text


def ellipsis() -> str:
    """Return the mark of what was cropped, as the encoding of standard output has it."""
    mark = "…"
    return mark if encodable(mark, sys.stdout) == mark else "..."


def column_width(longest: int, *, beside: int, usual: int = 60, least: int = 20) -> int:
    """Return how wide a column of texts is: ``usual``, as version 2 prints it, where the output
    is no terminal. On one it is as wide as the terminal leaves room beside the ``beside``
    characters of the other columns, but no wider than the ``longest`` text needs.
    """
    wide = width()
    if wide is None:
        return usual
    room = wide - beside
    return max(least, min(room, max(usual, longest)))


def complain(message: str) -> None:
    """Print one line on stderr, after the name of the program."""
    _print_error(shown(f"{PROGRAM}: {message}") + "\n")


def interruption(stop: BaseException | None) -> list[str]:
    """Return what there is to say of an interruption: the notes on it, and, where it was
    interrupted itself, on those before it, oldest first."""
    if stop is None:
        return []
    return [*interruption(stop.__context__), *getattr(stop, "__notes__", ())]


def complain_in_json(value: Mapping[str, Any]) -> None:
    """Print a JSON document on stderr, as one line."""
    from hermes_checkpoints.cli.json.values import text_of

    _print_error(text_of(value) + "\n")


def complain_of_usage(usage: str, message: str) -> None:
    """Print on stderr how a verb is used, and what is wrong."""
    _print_error(usage)
    complain(message)


def _print_error(text: str) -> None:
    if sys.stderr is None:  # which would be stdout to ``print``
        return
    try:
        print(encodable(text, sys.stderr), end="", file=sys.stderr, flush=True)
    except OSError:  # nobody can be told: how the command ends says it
        drop(sys.stderr)


def drop(stream: TextIO) -> None:
    """Let the interpreter flush what is left of a stream to nowhere, instead of failing again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def document(value: Mapping[str, Any]) -> None:
    """Print the one JSON document of a command, in ASCII, so that any encoding holds it."""
    from hermes_checkpoints.cli.json.values import text_of

    with _told():
        print(text_of(value, indent=2))


def document_line(value: Mapping[str, Any]) -> None:
    """Print one of several JSON documents, each on its own line, at once."""
    from hermes_checkpoints.cli.json.values import text_of

    with _told():
        print(text_of(value), flush=True)


def document_in_lines(lines: Iterable[str]) -> None:
    """Print a JSON document that is too large to be had at once, in ASCII."""
    for line in lines:
        with _told():
            print(line)


def patch(text: str) -> None:
    """Print git's text of a diff: coloured on a terminal, byte for byte elsewhere.

    ``text`` is decoded with surrogate escapes. Elsewhere than on a terminal it arrives
    unchanged, so that what is redirected to a file is a patch that git applies.
    """
    if is_terminal(sys.stdout):
        _coloured(text)
    else:
        exactly(text)


def exactly(text: str) -> None:
    """Print text with its own ends of lines, which may have surrogate escapes for bytes: byte for
    byte, but on a terminal escaped as all that is printed there."""
    if is_terminal(sys.stdout):
        for line in text.removesuffix("\n").split("\n"):
            say(line.removesuffix("\r"))
        return
    if sys.stdout is None:  # closed: nobody reads, as of every line
        return
    if getattr(sys.stdout, "buffer", None) is None:
        sys.stdout.write(encodable(text, sys.stdout))
        return
    raw(text.encode("utf-8", "surrogateescape"))


def raw(content: bytes) -> None:
    """Print bytes as they are.

    Raises:
        BadRequest: when standard output takes text only.
    """
    with raw_output() as stream:
        stream.write(content)


@contextlib.contextmanager
def raw_output() -> Iterator[IO[bytes]]:
    """Yield standard output as a stream of bytes.

    Raises:
        BadRequest: when standard output takes text only.
        OutputLost: when it takes nothing more.
    """
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        raise BadRequest("the standard output of this host takes no bytes")
    with _told():
        sys.stdout.flush()
        yield stream
        stream.flush()


def _coloured(text: str) -> None:
    coloured = has_colours()
    for line in text.split("\n")[: -1 if text.endswith("\n") else None]:
        visible = "\t".join(shown(part) for part in line.split("\t"))
        visible = encodable(visible, sys.stdout)
        with _told():
            if coloured and (style := diff_style(line)):
                _print_coloured([(visible, style)])
            else:
                print(visible)


def _print_coloured(spans: Iterable[tuple[str, str]]) -> None:
    from rich.text import Text

    _console(sys.stdout).print(Text.assemble(*spans))


@functools.lru_cache(1)
def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class Loud(Console):
        def on_broken_pipe(self) -> None:
            """Let the verb end as where any reader is gone; rich would end the host."""
            raise  # noqa: PLE0704 - in the handler of BrokenPipeError

    return Loud(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def diff_style(line: str) -> str:
    """Return how a line of git's text of a diff is drawn, in the words of rich; "" for plainly."""
    if line.startswith(("diff ", "index ", "--- ", "+++ ", "old mode ", "new mode ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def on_a_terminal() -> bool:
    """Return whether somebody sees what is printed and can answer: input and output are terminals.

    Neither holds where a script, a pipe or the agent's console captures what is printed.
    """
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)
