"""Measures this package beside the real hermes-agent 0.19.0 and bare git, and judges it.

    python -m benchmarks [--quick] [--only CASE …] [--rounds N] [--json FILE] [--folder DIR]
    python -m benchmarks --list
    python -m benchmarks --report FILE docs/performance.md

It makes trees and stores, installs the agent in an environment of its own (`--agent-env` takes one
that has it), and lets the contestants take turns. The medians and ratios are printed as a table;
the exit code is 1 where a budget is missed, 2 where a case cannot be measured. Everything that it
makes is removed, also after Ctrl-C. `--json` with `--only` puts the cases measured in place of the
same ones in a file that is there. `--report` fills a page from the figures of a run.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

from benchmarks.budgets import judge
from benchmarks.contestants import BenchmarkError, contestants, tell
from benchmarks.measuring import Figures
from benchmarks.report import fill_page, machine, merged, print_table


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--quick", action="store_true", help="small trees and few rounds: 2 minutes")
    made.add_argument("--only", nargs="+", metavar="CASE", default=[], help="these cases only")
    made.add_argument("--rounds", type=int, help="so many rounds of each case")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    made.add_argument("--folder", type=Path, help="where to work (default: temporary)")
    made.add_argument("--agent-env", type=Path, metavar="DIR", help="an environment with the agent")
    made.add_argument("--adopted-env", type=Path, metavar="DIR", help="one that adopted this, too")
    made.add_argument("--cpu", action="store_true", help="judge processor time: a busy machine")
    made.add_argument("--list", action="store_true", help="list the cases and their budgets")
    made.add_argument("--report", nargs=2, type=Path, metavar=("FILE", "PAGE"))
    return made


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments say; return the exit code."""
    from benchmarks.cases.catalogue import NAMES

    args = parser().parse_args(argv)
    unknown = sorted(set(args.only) - set(NAMES))
    if unknown:
        tell(f"no such case: {', '.join(unknown)}; --list names them")
        return 2
    if args.list:
        return _list()
    wrong = _wrong(args)
    if wrong:
        tell(f"benchmarks: {wrong}")
        return 2
    if args.report:
        try:
            fill_page(*args.report)
        except (BenchmarkError, OSError, ValueError) as error:
            tell(f"benchmarks: {error}")
            return 2
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    start = time.monotonic()
    try:
        found = _measure(args)
    except BenchmarkError as error:
        tell(f"benchmarks: {error}")
        return 2
    except KeyboardInterrupt:
        tell("interrupted")
        return 130
    tell(f"measured in {time.monotonic() - start:.0f} s")
    if args.cpu:
        for figures in found:
            figures.use_processor()
    verdicts = judge(found)
    print_table(found, verdicts)
    if args.json:
        _keep(args, found)
    if any(verdict.holds is False for verdict in verdicts):
        return 1
    return 2 if any(figures.failed for figures in found) else 0


def _keep(args: argparse.Namespace, found: list[Figures]) -> None:
    """Write the figures into their file; those of some cases among the others that are there."""
    document = {
        "machine": machine(),
        "quick": args.quick,
        "clock": "processor" if args.cpu else "wall",
        "cases": [figures.plain() for figures in found],
    }
    if args.only and args.json.is_file():
        document = merged(json.loads(args.json.read_text(encoding="utf-8")), document)
    args.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _wrong(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the arguments, before anything is measured, and what to do."""
    if args.rounds is not None and args.rounds < 1:
        return f"--rounds {args.rounds} measures nothing; give 1 or more"
    if args.json and not args.json.absolute().parent.is_dir():
        return f"{args.json.absolute().parent} is no folder; make it, or name another --json"
    if args.folder and not args.folder.is_dir():
        return f"{args.folder} is no folder; make it, or name another --folder"
    for given in filter(None, (args.agent_env, args.adopted_env)):
        if not (given / "bin" / "python").exists():
            return f"{given} has no bin/python; give an environment with hermes-agent 0.19.0"
    return None


def _measure(args: argparse.Namespace) -> list[Figures]:
    from benchmarks.cases.bench import Bench
    from benchmarks.cases.catalogue import run

    with tempfile.TemporaryDirectory(
        prefix="benchmarks-", dir=args.folder, ignore_cleanup_errors=True
    ) as made:
        folder = Path(made).resolve()
        with contestants(folder, args.agent_env, args.adopted_env) as who:
            bench = Bench(folder, who, quick=args.quick, rounds=args.rounds)
            return run(bench, frozenset(args.only))


def _list() -> int:
    from benchmarks.budgets import BUDGETS
    from benchmarks.cases.catalogue import ENTRIES

    for entry in ENTRIES:
        for case in entry.cases:
            bounds = "; ".join(one.text() for one in BUDGETS if one.case == case.name)
            print(f"{case.name:<24} {case.title:<50} {bounds}".rstrip())
    return 0


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
