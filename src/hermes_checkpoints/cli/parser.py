"""The parsers: which options every verb has, and how wrong usage is answered.

A verb is given everything behind its name. What it does not know is refused by the verb itself,
with the verb's own usage and exit code 64, also where the verbs are mounted on a host's parser;
what a host's own parser refuses ends as that host wants it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from itertools import takewhile
from typing import Any, NoReturn

from hermes_checkpoints.cli.exits import BadUsage, Exit, OutputLost
from hermes_checkpoints.cli.help import epilog
from hermes_checkpoints.cli.output import drop, flush, say_text
from hermes_checkpoints.cli.problem import OUTPUT_LOST, Problem, tell
from hermes_checkpoints.text import nearest

Handler = Callable[[argparse.Namespace], int]
Guarded = Callable[[Handler, argparse.ArgumentParser], Handler]


COMMON = "options of every verb"
"""The title of the options that all verbs have."""

_MEANT = re.compile(r"; did you mean (.+)\?$")

_as_json = ContextVar("_as_json", default=False)
"""Whether wrong usage is told in JSON: a parser below another one knows only its own words."""


def asks_for_json(words: Sequence[str]) -> bool:
    """Tell whether a command line asks for JSON, also one that cannot be parsed."""
    options = takewhile(lambda word: word != "--", words)
    return any(len(word) > 2 and "--json".startswith(word) for word in options)


class Parser(argparse.ArgumentParser):
    """Answers wrong usage with exit code 64, and says what may have been meant."""

    def error(self, message: str) -> NoReturn:
        meant = _MEANT.search(message)
        problem = Problem(BadUsage.code, message, Exit.USAGE, meant and meant[1])
        tell(problem, as_json=_as_json.get(), usage=self.format_usage())
        raise SystemExit(int(Exit.USAGE))

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002
        """Print help or the version, which end before any verb guards what is printed."""
        try:
            say_text(message)
            flush()
        except OutputLost as error:
            drop(sys.stdout)
            problem = Problem(OUTPUT_LOST, str(error), Exit.UNFORESEEN)
            tell(problem, as_json=_as_json.get())
            raise SystemExit(int(Exit.UNFORESEEN)) from error
        except BrokenPipeError as error:
            drop(sys.stdout)
            raise SystemExit(int(Exit.PIPE_CLOSED)) from error

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        words = sys.argv[1:] if args is None else list(args)
        before = _as_json.set(_as_json.get() or asks_for_json(words))
        try:
            namespace, extras = self.parse_words(words, namespace)
            if extras:
                self.refuse(extras)
        finally:
            _as_json.reset(before)
        return namespace, []

    def parse_words(self, words: list[str], namespace: Any) -> tuple[Any, list[str]]:
        """Parse ``words``; return the namespace and what nobody knew."""
        self._refuse_unknown_options(
            takewhile(lambda word: word.startswith("-") and word != "--", words)
        )
        return super().parse_known_args(words, namespace)

    def _refuse_unknown_options(self, words: Iterable[str]) -> None:
        """Refuse a mistyped option before anything is said to be missing or wrong."""
        for word in words:
            name = word.partition("=")[0]
            if not name.startswith("--") or " " in word or name in self._option_string_actions:
                continue
            if self.allow_abbrev and any(o.startswith(name) for o in self._option_string_actions):
                continue
            self.refuse([word])

    def refuse(self, extras: Sequence[str]) -> NoReturn:
        """End with what was not understood, and the option that is most like it."""
        options = [extra.partition("=")[0] for extra in extras if extra.startswith("-")]
        hint = did_you_mean(options[0], self._option_string_actions) if options else ""
        self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), names) or f" (choose from {', '.join(names)})"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")


class VerbParser(Parser):
    """The parser of one verb. ``behind`` names where words go that stand behind ``--``.

    With ``paths`` or ``words`` as a list argument, it also takes words behind options, as in
    ``restore 1 -f src/app.py``: the standard parser gives a list all that it gets before the
    first option, even nothing, and refuses the rest. ``namespace.literal`` holds the words
    behind ``--``, None where there was none.
    """

    behind: str | None = None
    listed: str | None = None

    def parse_words(self, words: list[str], namespace: Any) -> tuple[Any, list[str]]:
        if self._subparsers is not None:
            return super().parse_words(words, namespace)
        split = words.index("--") if "--" in words else len(words)
        self._refuse_unknown_options(words[:split])
        if self.behind is None:
            alone = words[split:] == ["--"]
            return super().parse_words(words[:split] if alone else words, namespace)
        namespace, extras = super().parse_words(words[:split], namespace)
        if self.listed is not None and not any(extra.startswith("-") for extra in extras):
            setattr(namespace, self.listed, [*getattr(namespace, self.listed), *extras])
            extras = []
        namespace.literal = words[split + 1 :] if split < len(words) else None
        if namespace.literal and not extras:
            self._keep_literal(namespace)
        return namespace, extras

    def _keep_literal(self, namespace: argparse.Namespace) -> None:
        given = getattr(namespace, self.behind or "", None)
        if self.behind == self.listed:
            return  # the verb looks at `literal` itself
        if self.behind == "directory" and given is None and len(namespace.literal) == 1:
            namespace.directory = namespace.literal[0]
            return
        self.refuse(["--", *namespace.literal])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean --force?``, or nothing where no known word is like ``word``."""
    names = {name.lstrip("-"): name for name in known}
    near = nearest(word.lstrip("-"), names)
    return "" if near is None else f"; did you mean {names[near]}?"


class Verbs:
    """Registers verbs below a group, each with the arguments that all verbs have."""

    def __init__(
        self,
        group: argparse.ArgumentParser,
        guarded: Guarded,
        *,
        dest: str = "checkpoints_command",
        above: str = "",
    ) -> None:
        self._guarded, self._above = guarded, above
        self._subparsers = group.add_subparsers(
            dest=dest, metavar="COMMAND", parser_class=VerbParser
        )

    def add(
        self,
        name: str,
        handler: Handler,
        summary: str,
        *,
        aliases: Sequence[str] = (),
        usage: str | None = None,
        base: bool = False,
        paged: bool = False,
    ) -> VerbParser:
        """Add the verb ``name``, whose errors end as messages and exit codes.

        ``usage`` is what stands behind the verb, where it says more than what argparse makes of
        the arguments. ``base`` marks a verb that is about no single directory and refuses
        ``--dir``, ``paged`` one whose answer goes through a pager.
        """
        parser = self._subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary}.",
            aliases=list(aliases),
            usage=None if usage is None else f"%(prog)s {usage} [OPTION …]",
            epilog=epilog(f"{self._above}{name}"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        func = self._guarded(handler, parser)
        parser.set_defaults(func=func, directory=None, literal=None, paged=paged)
        common = parser.add_argument_group(COMMON)
        if base:
            common.add_argument("--dir", action=_NoDirectory, help=argparse.SUPPRESS)
        else:
            common.add_argument(
                "--dir",
                dest="dirs",
                action="append",
                metavar="DIR",
                help="the working directory (default: the project of the current directory)",
            )
        add_json(common, default=argparse.SUPPRESS)
        add_home(common, default=argparse.SUPPRESS)
        if paged:
            add_no_pager(common, default=argparse.SUPPRESS)
        return parser

    def below(self, parser: argparse.ArgumentParser, name: str) -> Verbs:
        """Return the verbs below the verb ``name``."""
        return Verbs(parser, self._guarded, dest=f"{name}_command", above=f"{name} ")


class _NoDirectory(argparse.Action):
    """Refuses ``--dir`` where a verb concerns the store as a whole."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> NoReturn:
        parser.error(f"--dir: `{parser.prog.rpartition(' ')[2]}` is about no single directory")


Options = argparse.ArgumentParser | argparse._ArgumentGroup


def add_json(parser: Options, default: bool | str = False) -> None:
    """Add ``--json``; a verb gives no default, so as to keep what was given to the group."""
    parser.add_argument(
        "--json", action="store_true", default=default, help="print one JSON document"
    )


def add_home(parser: Options, default: str | None = None) -> None:
    """Add ``--home``; a verb gives no default, so as to keep the one given to the group."""
    parser.add_argument(
        "--home",
        dest="checkpoints_home",
        metavar="DIR",
        default=default,
        help="the Hermes home (default: HERMES_HOME, else ~/.hermes)",
    )


def add_no_pager(parser: Options, default: bool | str = False) -> None:
    """Add ``--no-pager``, which git has before the verb; a verb gives no default, so as to keep
    what was given to the group."""
    parser.add_argument(
        "--no-pager",
        dest="no_pager",
        action="store_true",
        default=default,
        help="print on the terminal, through no pager (default: HERMES_PAGER, else PAGER, else "
        "less)",
    )


def add_start(parser: argparse.ArgumentParser) -> None:
    """Add ``-C``, which stands before the verb and may be repeated, as git's."""
    parser.add_argument(
        "-C",
        dest="checkpoints_start",
        action="append",
        metavar="DIR",
        help="run as if started in DIR: relative paths and the search for the project begin there",
    )
