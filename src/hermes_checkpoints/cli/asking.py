"""Questions, and their answers.

A question stands on stdout and its answer comes from stdin, also through a pipe:
``echo y | hermes checkpoints clear`` clears, as it did in version 2. Where stdin is a terminal and
stdout is none, as in a redirection, both are on the terminal, and with ``beside_questions`` so is
all that is printed between questions. Nothing here needs a terminal that can move its cursor: a
question is a line, and so is its answer.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO

from hermes_checkpoints.cli.output import complain, encodable, flush, is_terminal, say
from hermes_checkpoints.cli.text import shown
from hermes_checkpoints.errors import BadRequest

_NOBODY = "there is nobody to ask; use -f to go on without being asked"
_NOBODY_CHOOSES = "there is nobody to ask: standard input or output is closed"
_ELSEWHERE = "(what is asked about is in the output, which is redirected)"


def confirm(question: str) -> bool:
    """Ask, and return whether the answer is y or yes. Anything else is a no, and ``Aborted.`` is
    printed: another answer, the end of the input, and Ctrl-C.

    Raises:
        BadRequest: when there is nothing to read an answer from, as where a host keeps stdin, or
            the question cannot be seen because stdout was closed.
    """
    agreed = False
    try:
        agreed = _answer(f"{question} [y/N]: ", _NOBODY).lower() in {"y", "yes"}
    except EOFError:
        say()
        complain("nobody answered; use -f to go on without being asked")
    except KeyboardInterrupt:
        say()
    if not agreed:
        say_aborted("Aborted.")
    return agreed


def say_aborted(line: str) -> None:
    """Print a line that says that somebody has left; also on stderr, where whoever was asked on the
    terminal would not see it."""
    say(line)
    if _is_beside():
        complain(line[:1].lower() + line[1:].removesuffix("."))


@contextlib.contextmanager
def beside_questions() -> Iterator[None]:
    """Print what is printed inside where questions are asked: on the terminal, also where the
    output is redirected.

    Raises:
        BadRequest: when that is so and there is no terminal to be asked on.
    """
    if not _is_beside():
        yield
        return
    from hermes_checkpoints.fs.system import terminal

    flush()
    with contextlib.ExitStack() as stack:
        try:
            _, screen = stack.enter_context(terminal())
        except OSError as error:
            raise BadRequest(_NOBODY_CHOOSES) from error
        stack.enter_context(contextlib.redirect_stdout(screen))
        yield


def ask(question: str) -> str | None:
    """Print a question and return the line that answers it, without the spaces around it; None
    where the input has ended.

    Raises:
        BadRequest: as ``confirm``.
        KeyboardInterrupt: for Ctrl-C; the line of the question is ended then.
    """
    try:
        word = _answer(question, _NOBODY_CHOOSES)
    except EOFError:
        say()
        return None
    except KeyboardInterrupt:
        say()
        raise
    if not is_terminal(sys.stdin):
        say(word)  # as a terminal shows what is typed
    return word


def one_of(question: str, answers: dict[str, str]) -> str | None:
    """Ask until the answer is one of some letters; None where the input has ended. ``answers`` has
    what each letter means, which ``?`` and any other answer print.

    Raises:
        BadRequest, KeyboardInterrupt: as ``ask``.
    """
    while True:
        word = ask(f"{question} [{','.join([*answers, '?'])}]? ")
        if word is None:
            return None
        if word.lower() in answers:
            return word.lower()
        for letter, meaning in answers.items():
            say(f"{letter} - {meaning}")
        say("? - say what the letters mean")


def _is_beside() -> bool:
    """Tell whether questions are on the terminal although the output is not."""
    return is_terminal(sys.stdin) and not is_terminal(sys.stdout)


def _answer(question: str, nobody: str) -> str:
    """Return the line that answers a question; what is no text in the encoding of the input is
    U+FFFD, which answers nothing.

    Raises:
        EOFError: when the input has ended.
        BadRequest: with the text ``nobody``, when there is nobody to ask.
    """
    if sys.stdin is None or sys.stdout is None:
        raise BadRequest(nobody)
    try:
        if _is_beside():
            return _answer_on_the_terminal(shown(question)).strip()
        text = encodable(shown(question), sys.stdout)
        with _shown_again(sys.stdout, text):
            return input(text).strip()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
    except OSError as error:  # a standard input that is closed, or that the host keeps
        raise BadRequest(nobody) from error


@contextlib.contextmanager
def _shown_again(screen: TextIO, question: str) -> Iterator[None]:
    """Show a question anew when it goes on to wait for its answer: after Ctrl-Z and ``fg`` the
    lines of the shell stand below it."""
    import signal
    import threading

    goes_on = getattr(signal, "SIGCONT", None)
    of_the_host = threading.current_thread() is not threading.main_thread()
    if goes_on is None or of_the_host or not is_terminal(sys.stdin):
        yield
        return

    def show(*_: object) -> None:
        screen.write(question)
        screen.flush()

    before = signal.signal(goes_on, show)
    try:
        yield
    finally:
        signal.signal(goes_on, signal.SIG_DFL if before is None else before)


def _answer_on_the_terminal(question: str) -> str:
    from hermes_checkpoints.fs.system import terminal

    flush()
    with terminal() as (keys, screen):
        line = ""
        try:
            screen.write(f"{_ELSEWHERE}\n{question}")
            screen.flush()
            with _shown_again(screen, question):
                line = keys.readline()
        finally:
            if not line:  # what is said next begins a line
                screen.write("\n")
                screen.flush()
    if not line:
        raise EOFError
    return line
