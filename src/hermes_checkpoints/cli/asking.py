"""Questions that have more answers than yes and no.

The answer comes from standard input, which may be a pipe, as that of ``output.confirm``. Nothing
here needs a terminal that can move its cursor: a question is a line, and so is its answer.
"""

from __future__ import annotations

import sys

from hermes_checkpoints.cli.output import is_terminal, say
from hermes_checkpoints.cli.text import shown
from hermes_checkpoints.errors import BadRequest


def ask(question: str) -> str | None:
    """Print a question and return the line that answers it, without the spaces around it; None
    where the input has ended.

    Raises:
        BadRequest: when there is nothing to read an answer from, or the question cannot be seen.
        KeyboardInterrupt: for Ctrl-C; the line of the question is ended then.
    """
    refusal = BadRequest("there is nobody to ask: standard input or output is closed")
    if sys.stdin is None or sys.stdout is None:
        raise refusal
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        word = input(shown(question).encode(encoding, "backslashreplace").decode(encoding)).strip()
    except EOFError:
        say()
        return None
    except UnicodeDecodeError:
        word = "?"
    except KeyboardInterrupt:
        say()
        raise
    except OSError as error:  # a standard input that is closed, or that the host keeps
        raise refusal from error
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
