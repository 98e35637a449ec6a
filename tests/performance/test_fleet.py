"""The simulation of a fleet: it measures with the real program, and its page says what it measured
and what follows."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from benchmarks.fleet import FULL, SMALL, is_sound, main, measured
from benchmarks.paper import Assumed, Measured, Paper, filled, size

CHECKOUT = Path(__file__).parent.parent.parent
PAGE = CHECKOUT / "docs" / "scale.md"
MEASURED = CHECKOUT / "docs" / "scale" / "measured.json"


def test_the_page_has_the_figures_that_were_kept_and_what_follows_from_them() -> None:
    document = json.loads(MEASURED.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    assert filled(document, text, Assumed()) == text
    assert not document["small"]
    assert is_sound(document)
    assert [one["checkpoints"] for one in document["refs"]] == [*FULL.refs]
    assert document["machines"]["machines"] == FULL.machines == 100
    assert [one["pushers"] for one in document["crowd"]] == [n for n, _ in FULL.crowds]


def test_a_crowd_is_measured_and_nothing_is_left(tmp_path: Path) -> None:
    kept, work = tmp_path / "kept.json", tmp_path / "work"
    work.mkdir()
    kept.write_text(json.dumps({"small": True, "refs": ["of an earlier run"]}))
    asked = ["--small", "--only", "crowd", "--json", str(kept), "--folder", str(work)]
    assert main(asked) == 0
    assert list(work.iterdir()) == []
    document = json.loads(kept.read_text(encoding="utf-8"))
    assert document["refs"] == ["of an earlier run"]
    [crowd] = document["crowd"]
    assert (crowd["pushers"], crowd["pushes"], crowd["arrived"]) == (2, 2, 2)
    assert (crowd["failures"], crowd["refs"], crowd["whole"]) == (0, 4, True)
    assert 0 < crowd["median_seconds"] <= crowd["p99_seconds"]


@pytest.mark.campaign
def test_a_small_fleet_is_measured_and_its_page_is_filled(tmp_path: Path) -> None:
    kept, work, page = tmp_path / "kept.json", tmp_path / "work", tmp_path / "page.md"
    work.mkdir()
    assert main(["--small", "--json", str(kept), "--folder", str(work)]) == 0
    document = json.loads(kept.read_text(encoding="utf-8"))
    [beside] = document["refs"]
    assert (beside["refs"], beside["listed"]) == (51, 52)
    assert beside["first"]["sent"] > beside["incremental"]["sent"] > 500
    assert 51 * 100 < beside["advertised"] <= beside["incremental"]["received"]
    assert beside["pull_project"]["received"] < beside["pull_all"]["received"]
    assert document["machines"]["whole"]
    assert document["machines"]["checkpoints"] == 4
    [crowd] = document["crowd"]
    assert (crowd["arrived"], crowd["failures"], crowd["whole"]) == (2, 0, True)
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["--report", str(kept), str(page), "--assume", "projects=2000"]) == 0
    text = page.read_text(encoding="utf-8")
    assert text != PAGE.read_text(encoding="utf-8")
    assert "| `projects` | 2,000 |" in text
    assert "A tiny run" in text


def test_the_size_of_the_index_is_that_of_its_page() -> None:
    page = (CHECKOUT / "docs" / "fleet.md").read_text(encoding="utf-8")
    assert f"| a checkpoint | {Assumed().index_row:g} bytes with its indexes" in page


def test_what_follows_is_what_a_reader_gets_by_hand() -> None:
    assumed = replace(
        Assumed(),
        projects=10,
        checkpoints=990,
        machines=5,
        keep_days=1,
        larger=2,
        pulls=0.5,
        index_row=100,
        most_index=50_000,
    )
    paper = Paper(
        Measured(ref_bytes=100, first=1000, later=10, pulled=40, per_second=0.01), assumed
    )
    assert paper.pushes_per_second == 990 / 86_400
    assert paper.servers == 5  # four times that, by a hundredth
    assert paper.stored == 2 * (10 * 1000 + 980 * 10)
    assert (paper.indexed, paper.index_parts) == (99_000, 2)
    assert (paper.refs(1), paper.refs(10), paper.told(10)) == (1000, 100, 10_000)
    assert paper.leaving(10) == pytest.approx(990 * 30 * (10_000 + 0.5 * 40))
    costs = {what: amount for what, _, amount in paper.costs()}
    assert costs["servers"] == 5 * assumed.server_price
    assert costs["disk"] == pytest.approx(paper.stored / 1e9 * assumed.disk_price)


def test_every_assumption_is_on_the_page_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(MEASURED.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    for one in fields(Assumed):
        other = replace(Assumed(), **{one.name: getattr(Assumed(), one.name) * 3})
        lines = zip(text.splitlines(), filled(document, text, other).splitlines(), strict=True)
        changed = [line for line, before in lines if line != before]
        assert any(line.startswith(f"| `{one.name}` |") for line in changed), one.name
        assert len(changed) > 1, one.name


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--json", "missing/x.json"], "is no folder"),
        (["--folder", "missing"], "is no folder"),
        (["--report", "missing.json", "page.md"], "missing.json"),
        (["--report", "x.json", "page.md", "--assume", "disk_price"], "NAME=NUMBER"),
        (["--report", "x.json", "page.md", "--assume", "disk_price=-1"], "NAME=NUMBER"),
        (["--report", "x.json", "page.md", "--assume", "price=1"], "there are projects, "),
        (["--report", "x.json", "page.md"], "lacks machines, crowd"),
        (["--json", "x.json", "--only", "refs"], "another size"),
        (["--small", "--json", "page.md", "--only", "refs"], "Expecting value"),
    ],
)
def test_wrong_arguments_are_refused_and_change_nothing(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.json").write_text(json.dumps({"small": True, "runs": {}, "refs": []}))
    (tmp_path / "page.md").write_text("a page\n")
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert (output.out, told in output.err) == ("", True)
    assert (tmp_path / "page.md").read_text() == "a page\n"


def test_parts_may_be_measured_alone() -> None:
    found = measured(replace(SMALL, crowds=()), ["crowd"])
    assert found.keys() == {"runs", "crowd"}
    assert not is_sound({"crowd": [{"whole": True, "failures": 1}]})
    assert not is_sound({"crowd": [{"whole": False, "failures": 0}]})


def test_bytes_are_told_with_three_digits() -> None:
    told = [size(number) for number in (0, 999, 1000, 12_499_467, 999_600, 6.7e11, 3e18)]
    assert told == ["0 B", "999 B", "1.00 KB", "12.5 MB", "1.00 MB", "670 GB", "3.00 EB"]
