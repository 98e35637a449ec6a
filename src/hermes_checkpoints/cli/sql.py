"""``sql``: asks the catalog, which nothing that is asked can change."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_limit
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.output import (
    document,
    document_in_lines,
    exactly,
    is_terminal,
    say,
    width,
)
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import GAP, Cell, Column, fitted, say_row, say_wrapped
from hermes_checkpoints.cli.target import opened
from hermes_checkpoints.cli.text import columns, padded, shown
from hermes_checkpoints.errors import PROGRAM, BadRequest, QueryRefused

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.asking import Answer
    from hermes_checkpoints.model import Question, Relation
    from hermes_checkpoints.model.queries import Value

_LEAST = 8
"""The least width to which a column is cut on a terminal."""
_PATHS = re.compile(r"(^|_)(path|directory|file|into)$", re.IGNORECASE)
"""Names of columns of which the end is told apart, not the beginning."""
_PARAMETER = re.compile(r":?([^\W\d]\w*)=(.*)", re.DOTALL)
_MOST_BYTES = 4_000_000


def register(verbs: Verbs) -> None:
    """Add ``sql``."""
    parser = verbs.add(
        "sql",
        run,
        "Ask the catalog in SQL, without being able to change it",
        usage="[QUERY | --question NAME | --questions | --schema [NAME]]",
        base=True,
        paged=True,
    )
    parser.add_argument(
        "query",
        nargs="?",
        metavar="QUERY",
        help="one query (default: what comes through a pipe); with --schema a table or view",
    )
    parser.add_argument(
        "--question", metavar="NAME", help="ask one of the questions of docs/sql.md"
    )
    parser.add_argument("--questions", action="store_true", help="list these questions")
    parser.add_argument(
        "--schema", action="store_true", help="list views and tables with their columns"
    )
    parser.add_argument(
        "--param",
        dest="params",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value of :NAME in the query, as text; may be repeated",
    )
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")
    add_limit(parser, "print at most N rows (default: all)")


def run(args: argparse.Namespace) -> int:
    """Print the rows that answer a query, or what can be asked."""
    _check_usage(args)
    if args.questions:
        _list_questions(args)
        return Exit.DONE
    query = None if args.schema or args.question is not None else _query(args.query)
    values = _values(args.params)
    with opened(args) as checkpoints:
        if args.schema:
            _list_relations(args, checkpoints.relations(args.query))
            return Exit.DONE
        asked = checkpoints.question(args.question) if query is None else query
        with checkpoints.ask(asked, values=values, limit=args.limit) as answer:
            if args.json:
                from hermes_checkpoints.cli.json.answer import lines_of_answer

                document_in_lines(lines_of_answer(answer))
            elif args.csv:
                _print_csv(answer)
            else:
                _print_table(answer)
    return Exit.DONE


def _check_usage(args: argparse.Namespace) -> None:
    if args.csv and args.json:
        raise BadUsage("--csv and --json: give one of them")
    wanted = [
        name
        for name, given in (
            ("QUERY", args.query is not None and not args.schema),
            ("--question", args.question is not None),
            ("--questions", args.questions),
            ("--schema", args.schema),
        )
        if given
    ]
    if len(wanted) > 1:
        raise BadUsage(f"{' and '.join(wanted)}: give one of them")
    if args.questions or args.schema:
        for name, given in (("--csv", args.csv), ("--param", args.params), ("-n", args.limit)):
            if given:
                raise BadUsage(f"{name} goes with a query")


def _query(word: str | None) -> str:
    """Return the query that was given, or what comes through a pipe.

    Raises:
        BadUsage: when there is neither.
        QueryRefused: when what comes is too long, or no text.
    """
    if word is not None and word != "-":
        return word
    if word is None and is_terminal(sys.stdin):
        raise BadUsage(
            "give a QUERY, or pipe one in; --questions lists questions that can be asked by name, "
            "--schema the views and tables"
        )
    try:
        stream = getattr(sys.stdin, "buffer", None)
        text = sys.stdin.read(_MOST_BYTES + 1) if stream is None else stream.read(_MOST_BYTES + 1)
    except (AttributeError, OSError, ValueError) as error:  # closed, or kept by the host
        raise BadRequest("there is no standard input to read a query from; give a QUERY") from error
    if len(text) > _MOST_BYTES:
        raise QueryRefused("what comes through the pipe is too long for a query")
    try:
        return text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QueryRefused("the query is not valid UTF-8") from error


def _values(params: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in params:
        match = _PARAMETER.fullmatch(one)
        if match is None:
            raise BadUsage(f"--param {one}: give NAME=VALUE")
        if match[1] in found:
            raise BadUsage(f"--param {match[1]} is given twice")
        found[match[1]] = match[2]
    return found


# --- rows ---------------------------------------------------------------------------------------


def _print_csv(answer: Answer) -> None:
    """Print values as RFC 4180 has them; bytes of text are as they are."""
    _print_csv_rows([answer.columns])
    for block in answer.blocks():
        _print_csv_rows([[_plain(value) for value in row] for row in block])


def _print_csv_rows(rows: Sequence[Sequence[str]]) -> None:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text).writerows(rows)
    exactly(text.getvalue())


def _print_table(answer: Answer) -> None:
    """Print rows in columns. On a terminal these are cut so that lines fit, elsewhere nothing is;
    where there are too many for it, each row is a list of its values. An answer that is too large
    to be had at once may have wider columns further down."""
    names = [shown(name) for name in answer.columns]
    if _too_many(len(names)):
        _print_lists(answer, names)
        return
    paths = [_PATHS.search(name) is not None for name in names]
    widths = [columns(name) for name in names]
    head = True
    for block in answer.blocks():
        cells = [[shown(_plain(value)) for value in row] for row in block]
        widths = _fitting(
            [
                max(width, *(columns(cell) for cell in column))
                for width, column in zip(widths, zip(*cells, strict=True), strict=True)
            ]
        )
        right = [
            all(value is None or isinstance(value, int | float) for value in column)
            for column in zip(*block, strict=True)
        ]
        if head:
            _say_row(names, widths, right, [False] * len(names))
            say(GAP.join("-" * width for width in widths))
            head = False
        for row in cells:
            _say_row(row, widths, right, paths)
    if head:
        _say_row(names, widths, [False] * len(names), [False] * len(names))
    _say_end(answer, rows=not head)


def _say_end(answer: Answer, *, rows: bool) -> None:
    if not rows:
        say("(no rows)")
    if answer.more:
        say("… and more: -n N prints N of them")


def _too_many(count: int) -> bool:
    """Tell whether so many columns do not fit the terminal, however they are cut."""
    wide = width()
    return wide is not None and count > 1 and count * (_LEAST + len(GAP)) - len(GAP) > wide


def _print_lists(answer: Answer, names: Sequence[str]) -> None:
    """Print each row as a list of its columns with their values, which are whole."""
    wide = max(map(columns, names))
    any_rows = False
    for block in answer.blocks():
        for row in block:
            if any_rows:
                say()
            any_rows = True
            for name, value in zip(names, row, strict=True):
                say(f"{padded(name, wide)}  {_plain(value)}".rstrip())
    _say_end(answer, rows=any_rows)


def _fitting(widths: list[int]) -> list[int]:
    """Return widths that fit side by side on the terminal, where the output is one."""
    wide = width()
    room = None if wide is None else max(wide - len(GAP) * (len(widths) - 1), _LEAST)
    return fitted(widths, room, [_LEAST] * len(widths))


def _say_row(
    cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], paths: Sequence[bool]
) -> None:
    heads = [Column("", right=of, path=path) for of, path in zip(right, paths, strict=True)]
    say_row([Cell(cell, "") for cell in cells], heads, widths)


def _plain(value: Value) -> str:
    """Return a value as text: nothing for NULL, and bytes as SQL writes them."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return str(value).replace("inf", "Infinity") if isinstance(value, float) else str(value)


# --- what can be asked ----------------------------------------------------------------------------


def _list_questions(args: argparse.Namespace) -> None:
    from hermes_checkpoints.catalog.canned import questions

    listed = tuple(questions().values())
    if args.json:
        from hermes_checkpoints.cli.json.answer import of_questions

        document(of_questions(listed))
        return
    wide = max(len(one.name) for one in listed)
    for one in listed:
        say_wrapped(f"{one.asks}{_given(one)}", begin=f"{one.name:<{wide}}  ")
    say()
    say(f"Ask one with: {PROGRAM} sql --question NAME [--param NAME=VALUE]")


def _given(question: Question) -> str:
    given = [
        f"--param {one.name}=…" if one.needed else f"[--param {one.name}=…]"
        for one in question.parameters
    ]
    return f"  {' '.join(given)}" if given else ""


def _list_relations(args: argparse.Namespace, relations: Sequence[Relation]) -> None:
    if args.json:
        from hermes_checkpoints.cli.json.answer import of_relations

        document(of_relations(relations))
        return
    for number, one in enumerate(relations):
        if number:
            say()
        say(f"{one.kind} {one.name}")
        if one.about:
            say_wrapped(one.about, begin="  ")
        wide = max(len(column.name) for column in one.columns)
        types = max(len(column.type) for column in one.columns)
        for column in one.columns:
            declared = f"{column.type:<{types}}  " if types else ""
            say_wrapped(column.about, begin=f"    {column.name:<{wide}}  {declared}")
    if args.query is None:
        say()
        say("docs/catalog.md says more of them, and answers questions")
