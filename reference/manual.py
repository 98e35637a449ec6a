"""The manual page, made of the parser: what all verbs have in common stands in it once, and no line
of it depends on how this Python's argparse lays help out. It is ASCII in the macros of man(7).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator

from hermes_checkpoints import __version__
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.help import VERBS
from hermes_checkpoints.cli.parser import COMMON
from hermes_checkpoints.cli.program import DESCRIPTION, parser_of
from hermes_checkpoints.errors import PROGRAM

NAME = "hermes-checkpoints"
SHORT = "hcp"

_COMMON_WORDS = """
.SH FILES
.TP
.I ~/.hermes/checkpoints
the catalog and the object store
.TP
.I ~/.hermes/config.yaml
the configuration
.SH ENVIRONMENT
.TP
.B HERMES_HOME
the Hermes home, instead of ~/.hermes
.TP
.B NO_COLOR
if set, nothing is coloured
.SH SEE ALSO
.BR git (1)
"""


def files() -> dict[str, str]:
    """Return the contents of each manual page by its name."""
    return {f"{NAME}.1": manual(), f"{SHORT}.1": f".so man1/{NAME}.1\n"}


def manual() -> str:
    """Return the manual page of the program."""
    parser = parser_of()
    lines = [
        '.\\" made by `python -m reference`',
        f'.TH {_roff(NAME.upper())} 1 "" "{_roff(NAME)} {__version__}"',
        ".SH NAME",
        f"{_roff(NAME)}, {SHORT} \\- {_roff(DESCRIPTION[0].lower() + DESCRIPTION[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        *_synopsis(NAME, "[OPTION …] [COMMAND [ARGUMENT …]]"),
        ".br",
        *_synopsis(PROGRAM, "[OPTION …] [COMMAND [ARGUMENT …]]"),
        ".SH DESCRIPTION",
        _roff(f"{DESCRIPTION} Without a command the status is shown."),
        ".SH OPTIONS",
        *_options(parser, parser._optionals._group_actions),
        ".SH OPTIONS OF EVERY COMMAND",
        *_common(parser),
        ".SH COMMANDS",
    ]
    for name, one in _verbs(parser):
        lines += _verb(name, one)
    lines.append(".SH EXIT STATUS")
    for code in Exit:
        lines += [".TP", f".B {code.value}", _roff(code.meaning)]
    return "\n".join(lines) + _COMMON_WORDS


def _verbs(
    parser: argparse.ArgumentParser, above: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the verbs below a parser, each with those below it, without other names of the same."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name in (choice.dest for choice in action._choices_actions):
                bare = name.partition(" ")[0]
                yield f"{above}{bare}", action.choices[bare]
                yield from _verbs(action.choices[bare], f"{above}{bare} ")


def _verb(name: str, parser: argparse.ArgumentParser) -> list[str]:
    lines = [f'.SS "{_roff(name)}"', *_synopsis(name, _usage(parser)), ".PP"]
    lines.append(_roff(parser.description or ""))
    for group in parser._action_groups:
        if group.title == COMMON:
            continue
        if group not in (parser._positionals, parser._optionals):
            lines += [".PP", _roff(f"{group.title}: {group.description}")]
        lines += _options(
            parser, [action for action in group._group_actions if not _is_help(action)]
        )
    lines += [".PP", "Examples:", ".PP", ".nf", ".RS"]
    lines += [_roff(f"{PROGRAM} {example}") for example in VERBS[name].examples]
    return [*lines, ".RE", ".fi"]


def _synopsis(command: str, rest: str) -> list[str]:
    return [f"\\fB{_roff(command)}\\fR {_roff(rest)}".rstrip()]


def _usage(parser: argparse.ArgumentParser) -> str:
    if parser.usage is not None:
        return parser.usage.removeprefix("%(prog)s ")
    words = []
    for action in parser._positionals._group_actions:
        if isinstance(action, argparse._SubParsersAction):
            words.append("[COMMAND]")
            continue
        form = {"?": "[{}]", "*": "[{} …]", "+": "{} …"}.get(str(action.nargs), "{}")
        words.append(form.format(_value(action)))
    return " ".join([*words, "[OPTION …]"])


def _common(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of every verb, as one has them that is about a directory."""
    one = dict(_verbs(parser))["take"]
    (group,) = (group for group in one._action_groups if group.title == COMMON)
    of_help = [action for action in one._actions if _is_help(action)]
    return _options(one, [*of_help, *group._group_actions])


def _is_help(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction)


def _options(parser: argparse.ArgumentParser, actions: Iterable[argparse.Action]) -> list[str]:
    lines: list[str] = []
    for action in actions:
        if action.help is argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in action.option_strings)
        value = "" if action.nargs == 0 else f"\\fI{_roff(_value(action))}\\fR"
        lines += [".TP", f"{names} {value}".strip()]
        lines.append(_roff(parser._get_formatter()._expand_help(action)))
    return lines


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return str(action.metavar)
    if action.choices is not None:
        return "|".join(str(one) for one in action.choices)
    return action.dest.upper()


def _roff(text: str) -> str:
    """Return text so that no character of it is read as a command; what stands between backticks
    is bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in text)
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
