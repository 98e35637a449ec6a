"""What a run tells: a table on the terminal, and the figures of a page in docs/."""

from __future__ import annotations

import json
import os
import platform
import re
import sqlite3
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.budgets import Verdict, judge
from benchmarks.contestants import GIT, OURS, PYTHON, V2, WALK, BenchmarkError
from benchmarks.measuring import DISK, MEMORY, TIME, Figures

MB = 1_000_000
HEAD = ("case", "ours", "v2", "git", "v2 / ours", "ours / git", "budget")


def machine() -> dict[str, Any]:
    """Return what figures depend on: processors, system, and versions."""
    git = subprocess.run(["git", "version"], check=True, capture_output=True, text=True)
    return {
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "git": git.stdout.split()[2],
        "sqlite": sqlite3.sqlite_version,
    }


def figure(value: float | None, quantity: str) -> str:
    """Return a figure with three digits or so, in milliseconds or MB."""
    if value is None:
        return ""
    if quantity in (DISK, MEMORY):
        return f"{value / MB:,.1f} MB"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float | None) -> str:
    """Return how many times, with two or three digits."""
    if value is None:
        return ""
    return f"{value:.0f}x" if value >= 20 else f"{value:.1f}x" if value >= 3 else f"{value:.2f}x"


def bounds(case: str, quantity: str, verdicts: Iterable[Verdict]) -> str:
    """Say which bounds hold for a quantity of a case, and whether they are met."""
    marks = {True: "met", False: "MISSED", None: "not judged"}
    return "; ".join(
        f"{one.budget.text()}: {marks[one.holds]}"
        for one in verdicts
        if one.budget.case == case and one.budget.quantity == quantity
    )


def rows(found: Iterable[Figures], verdicts: Sequence[Verdict]) -> list[tuple[str, ...]]:
    """Return the rows of the table: one for each quantity of a case that says something."""
    made: list[tuple[str, ...]] = []
    for figures in found:
        judged = {one.budget.quantity for one in verdicts if one.budget.case == figures.case}
        shown = [q for q in figures.samples if q in judged or q in (TIME, DISK, MEMORY)] or [TIME]
        for quantity in shown:
            what = figures.title if quantity == TIME else f"{figures.title}: {quantity}"
            other = GIT if PYTHON not in figures.samples.get(quantity, {}) else PYTHON
            made.append(
                (
                    what,
                    figure(figures.median(quantity, OURS), quantity),
                    figure(figures.median(quantity, V2), quantity),
                    figure(figures.median(quantity, other), quantity),
                    ratio(figures.ratio(quantity, V2, OURS)),
                    ratio(figures.ratio(quantity, OURS, other)),
                    bounds(figures.case, quantity, verdicts)
                    or (figures.note if not figures.samples else ""),
                )
            )
    return made


def print_table(found: Sequence[Figures], verdicts: Sequence[Verdict]) -> None:
    """Print the table, what was left out or not judged, and the budgets that are missed."""
    table = [HEAD, *rows(found, verdicts)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:6], widths[1:6], strict=True)]
        print("  ".join([*cells, row[6]]).rstrip())
    print("\nMedians; milliseconds where no unit is given; beside a process: python -c pass.")
    for figures in found:
        if figures.note:
            print(f"{figures.case}: {figures.note}")
    unjudged = sorted({one.budget.case for one in verdicts if one.holds is None})
    if unjudged:
        print(f"Not judged: {', '.join(unjudged)}")
    missed = [one for one in verdicts if one.holds is False]
    for one in missed:
        absolute = one.budget.faster is None and one.budget.than is None
        got = figure(one.measured, one.budget.quantity) if absolute else ratio(one.measured)
        print(f"MISSED  {one.budget.case}: {one.budget.text()}, measured {got}")
    if not missed:
        print("Every budget that was judged is met.")


# --- the page ---------------------------------------------------------------------------------


def fill_page(source: Path, page: Path) -> None:
    """Write the figures of a run between the markers of a page, and its plots beside it.

    Raises:
        BenchmarkError: when the plots cannot be drawn here.
        OSError, ValueError: when a file cannot be read or written, or has other contents.
    """
    from benchmarks.plots import draw

    document = json.loads(source.read_text(encoding="utf-8"))
    text = filled(document, page.read_text(encoding="utf-8"))
    try:
        draw([Figures.read(one) for one in document["cases"]], page.parent / page.stem)
    except ModuleNotFoundError as error:
        raise BenchmarkError(
            f"{error.name} is not installed, which draws the plots: pip install -e '.[plots]'"
        ) from error
    page.write_text(text, encoding="utf-8")


def filled(document: dict[str, Any], text: str) -> str:
    """Return the text of a page with the figures of a run between its markers."""
    found = [Figures.read(one) for one in document["cases"]]
    blocks = {
        "run": run_told(document),
        "table": markdown_table(found),
        "behind": behind(found),
        "limit": limit(found),
    }
    return with_blocks(text, blocks)


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """Return the text of a page with blocks between the markers of their names."""
    for name, block in blocks.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        text, count = re.subn(pattern, rf"\g<1>{block}\n\g<2>", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"the page has {count} places for the {name}")
    return text


def run_told(document: dict[str, Any]) -> str:
    """Say which run the figures are of, and which of them were measured apart from it."""
    kind = "A quick run, with smaller trees and stores" if document["quick"] else "A full run"
    lines = [f"{kind}: {_where_told(document)}."]
    apart: dict[str, list[str]] = {}
    for figures in map(Figures.read, document["cases"]):
        if figures.apart:
            apart.setdefault(figures.apart, []).append(figures.title)
    lines += [f"Apart from it, {when}: {'; '.join(titles)}." for when, titles in apart.items()]
    return "\n\n".join(lines)


def _where_told(document: dict[str, Any]) -> str:
    there = document["machine"]
    clock = "processor time" if document["clock"] == "processor" else "time by the clock"
    return (
        f"{there['system']}, {there['processors']} processors, Python {there['python']}, "
        f"git {there['git']}, SQLite {there['sqlite']}; medians of {clock}"
    )


def merged(document: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Return a document of figures with the cases of a later run in it, in the order of the list of
    cases; each of them says when and where it was measured."""
    from benchmarks.cases.catalogue import NAMES

    size = "a quick run, " if later["quick"] else ""
    apart = f"on {datetime.now(UTC):%Y-%m-%d} ({size}{_where_told(later)})"
    found = {one["case"]: one for one in document["cases"]}
    found |= {one["case"]: {**one, "apart": apart} for one in later["cases"]}
    return {**document, "cases": [found[name] for name in NAMES if name in found]}


def markdown_table(found: Sequence[Figures]) -> str:
    """Return the table of a page; a case that a run made smaller has its size beside it."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|--:|--:|--:|--:|--:|---|"]
    verdicts = judge(found)
    for figures in found:
        for row in rows([figures], verdicts):
            title = row[0] if figures.full_size else f"{row[0]} ({figures.size})"
            lines.append(f"| {' | '.join((title, *row[1:]))} |")
    return "\n".join(lines)


def behind(found: Iterable[Figures]) -> str:
    """List the cases in which version 2 takes no longer than this package."""
    lines = []
    for figures in found:
        times = figures.ratio(TIME, V2, OURS)
        if times is not None and times < 1:
            size = "" if figures.full_size else f" ({figures.size})"
            lines.append(f"- {figures.title}{size}: {times:.2f}x")
    return "\n".join(lines) or "None."


def limit(found: Iterable[Figures]) -> str:
    """Return how far an unchanged take is from a walk that looks at each path once."""
    lines = ["| tree | walk | git status | unchanged take | take / walk |", "|---|--:|--:|--:|--:|"]
    for figures in found:
        if figures.median(TIME, WALK) is not None:
            cells = [figure(figures.median(TIME, who), TIME) for who in (WALK, GIT, OURS)]
            lines.append(
                f"| {figures.size} | {' | '.join(cells)} | "
                f"{ratio(figures.ratio(TIME, OURS, WALK))} |"
            )
    return "\n".join(lines)
