"""The command that measures: its cases and budgets, its verdicts, and the page that it fills."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.budgets import BUDGETS, Budget, judge
from benchmarks.cases import catalogue
from benchmarks.cases.bench import Bench
from benchmarks.contestants import GIT, OURS, PYTHON, V2, BenchmarkError, require_the_agents_own
from benchmarks.measuring import DISK, MEMORY, TIME, Figures
from benchmarks.plots import PLOTS, draw
from benchmarks.report import filled, merged, run_told

CHECKOUT = Path(__file__).parent.parent.parent
PAGE = CHECKOUT / "docs" / "performance.md"
MEASURED = CHECKOUT / "docs" / "performance" / "measured.json"


def figures(case: str, quantity: str = TIME, **medians: float) -> Figures:
    """What was measured of a case: twice the same for each contestant."""
    found = Figures(case, case)
    for contestant, median in medians.items():
        found.add(quantity, contestant, median)
        found.add(quantity, contestant, median)
    return found


def test_the_command_lists_every_case_with_its_budgets() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--list"],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
    )
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert list(lines) == catalogue.NAMES
    assert lines["unchanged-10k"].endswith(">= 18x v2; <= 1.2x git")
    assert lines["one-event"].endswith("<= 60 ms more than python")


def test_every_budget_and_every_point_of_a_plot_is_of_a_case() -> None:
    assert {budget.case for budget in BUDGETS} <= set(catalogue.NAMES)
    points = {case for plot in PLOTS for _, cases in plot.panels for case in cases}
    assert points <= set(catalogue.NAMES)
    assert len(catalogue.NAMES) == len(set(catalogue.NAMES))


@pytest.mark.parametrize(
    ("budget", "found", "holds"),
    [
        (Budget("a", faster=2), figures("a", ours=50, v2=100), True),
        (Budget("a", faster=2), figures("a", ours=51, v2=100), False),
        (Budget("a", at_most=1.5, than=GIT), figures("a", ours=15, git=10), True),
        (Budget("a", at_most=1.5, than=GIT), figures("a", ours=16, git=10), False),
        (
            Budget("a", at_most=0.5, than=GIT, quantity=DISK),
            figures("a", DISK, ours=6, git=10),
            False,
        ),
        (Budget("a", at_most=20, quantity=MEMORY), figures("a", MEMORY, ours=20), True),
        (Budget("a", at_most=20, quantity=MEMORY), figures("a", MEMORY, ours=21), False),
        (Budget("a", at_most=60, more_than=PYTHON), figures("a", ours=79, python=20), True),
        (Budget("a", at_most=60, more_than=PYTHON), figures("a", ours=81, python=20), False),
        (Budget("a", faster=2), figures("a", ours=50), None),
        (Budget("a", faster=2), replace(figures("a", ours=50, v2=60), full_size=False), None),
    ],
)
def test_a_budget_is_judged_by_medians(budget: Budget, found: Figures, holds: bool | None) -> None:
    [verdict] = judge([found], [budget])
    assert verdict.holds is holds
    assert bool(verdict.why) == (holds is None)


def test_a_case_that_was_not_asked_for_is_not_judged() -> None:
    assert judge([figures("a", ours=1, v2=9)], [Budget("b", faster=2)]) == []


@pytest.mark.parametrize(("v2", "code"), [(900.0, 1), (1900.0, 0)])
def test_the_exit_code_is_1_where_a_budget_is_missed(
    v2: float,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def measured(_bench: Bench, found: Figures) -> None:
        found.samples = figures("unchanged-10k", ours=100, v2=v2, git=100).samples

    [unchanged] = [e for e in catalogue.ENTRIES if e.cases[0].name == "unchanged-10k"]
    monkeypatch.setattr(catalogue, "ENTRIES", (replace(unchanged, run=measured),))
    kept, work = tmp_path / "kept.json", tmp_path / "work"
    work.mkdir()
    arguments = ["--only", "unchanged-10k", "--json", str(kept), "--folder", str(work)]
    assert main(arguments) == code
    printed = capsys.readouterr().out
    missed = "MISSED  unchanged-10k: >= 18x v2, measured 9.0x"
    assert (missed in printed) == (code == 1)
    assert ("Every budget that was judged is met." in printed) == (code == 0)
    [case] = json.loads(kept.read_text(encoding="utf-8"))["cases"]
    assert case["samples"]["time"]["v2"] == [v2, v2]
    assert list(work.iterdir()) == []


def test_a_case_that_cannot_be_measured_is_told_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refused(_bench: Bench, found: Figures) -> None:
        found.add(TIME, OURS, 1)
        raise BenchmarkError("v2 took no checkpoint")

    def measured(_bench: Bench, found: Figures) -> None:
        found.samples = figures("status-1", ours=100, v2=900).samples

    entries = {e.cases[0].name: e for e in catalogue.ENTRIES}
    changed = (replace(entries["turn"], run=refused), replace(entries["status-1"], run=measured))
    monkeypatch.setattr(catalogue, "ENTRIES", changed)
    assert main(["--folder", str(tmp_path)]) == 2
    printed = capsys.readouterr().out
    assert "turn: not measured: v2 took no checkpoint" in printed
    assert ">= 1x v2: met" in printed


@pytest.mark.parametrize(
    ("module", "theirs"),
    [
        ("lib/site-packages/tools/checkpoint_manager.py", True),
        ("lib/site-packages/hermes_checkpoints/compat/checkpoint_manager.py", False),
        ("../elsewhere/tools/checkpoint_manager.py", False),
    ],
)
def test_version_2_is_the_agents_own_program(module: str, theirs: bool, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    refused = nullcontext() if theirs else pytest.raises(BenchmarkError, match="adopt --undo")
    with refused:
        require_the_agents_own(environment / "bin" / "python", environment / module)


def test_an_unknown_case_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "unchanged"]) == 2
    assert "no such case: unchanged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rounds", "0"], "give 1 or more"),
        (["--json", "missing/x.json"], "is no folder"),
        (["--folder", "missing"], "is no folder"),
        (["--agent-env", "missing"], "has no bin/python"),
        (["--report", "missing.json", "page.md"], "missing.json"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_measured(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert (output.out, told in output.err) == ("", True)


def test_the_page_has_every_case_and_only_the_figures_that_were_kept() -> None:
    document = json.loads(MEASURED.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    assert filled(document, text) == text
    assert [case["case"] for case in document["cases"]] == catalogue.NAMES
    table = text.partition("<!-- table -->")[2].partition("<!-- end of table -->")[0]
    for entry in catalogue.ENTRIES:
        for case in entry.cases:
            assert f"\n| {case.title}" in table, case.name


def test_cases_that_were_measured_apart_take_the_places_of_the_same_ones_and_say_so() -> None:
    machine = {"system": "S", "processors": 2, "python": "3", "git": "2", "sqlite": "3"}
    first, second = catalogue.NAMES[:2]
    run = {"machine": machine, "quick": False, "clock": "wall"}
    document = {**run, "cases": [figures(second, ours=1).plain()]}
    later = {**run, "clock": "processor", "quick": True}
    found = merged(document, {**later, "cases": [figures(first, ours=2).plain()]})
    assert [one["case"] for one in found["cases"]] == [first, second]
    apart, own = map(Figures.read, found["cases"])
    assert own.apart == ""
    assert re.fullmatch(
        r"on \d{4}-\d\d-\d\d \(a quick run, S, 2 processors, .*processor time\)", apart.apart
    )
    assert run_told(found).splitlines()[2:] == [f"Apart from it, {apart.apart}: {first}."]
    again = merged(found, {**run, "cases": [figures(second, ours=3).plain()]})
    assert [Figures.read(one).median(TIME, OURS) for one in again["cases"]] == [2, 3]


def test_the_page_shows_every_plot() -> None:
    shown = re.findall(r"!\[.*?\]\(performance/(.*?)\.svg\)", PAGE.read_text(encoding="utf-8"))
    assert shown == [plot.name for plot in PLOTS]
    assert all((PAGE.parent / "performance" / f"{name}.svg").is_file() for name in shown)


@pytest.mark.campaign
def test_the_same_figures_make_the_same_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plots`")
    found = []
    for number, case in enumerate(("list-5", "list-20", "list-100")):
        one = figures(case, ours=10 + number, v2=100 * (1 + number))
        one.scale["checkpoints"] = 5 * 4**number
        found.append(one)
    first = [file.read_bytes() for file in draw(found, tmp_path / "first")]
    second = [file.read_bytes() for file in draw(found, tmp_path / "second")]
    assert [plot.name for plot in PLOTS if plot.scale == "checkpoints"] == ["checkpoints"]
    assert len(first) == 1
    assert first == second
    assert {OURS, V2} == found[0].samples[TIME].keys()


@pytest.mark.campaign
def test_a_case_is_measured_and_nothing_is_left(tmp_path: Path) -> None:
    kept, work = tmp_path / "kept.json", tmp_path / "work"
    work.mkdir()
    command = ["--only", "process-log", "--rounds", "1", "--json", str(kept), "--folder", str(work)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *command],
        cwd=CHECKOUT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    [_, case] = json.loads(kept.read_text(encoding="utf-8"))["cases"]
    assert case["case"] == "process-log"
    assert case["samples"]["processor"]["ours"][0] > case["samples"]["processor"]["python"][0] > 0
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    command = ["--only", "process-log", "--folder", str(tmp_path / "work")]
    (tmp_path / "work").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *command],
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "process-log" in process.stderr.readline()
        process.send_signal(number)
        assert process.stderr.read() == "interrupted\n"
    assert process.returncode == 130
    assert list((tmp_path / "work").iterdir()) == []
