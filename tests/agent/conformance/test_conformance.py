"""Both sides of the table, and the list of differences in docs/agent.md."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.conformance.running import answers
from agent.conformance.side_by_side import differing, lines, of_the_agent
from agent.conformance.table import STORIES, Story
from hermes_checkpoints.compat import checkpoint_manager, command_line

AGENT_ENV = os.environ.get("HERMES_AGENT_ENV")  # no test sees variables of this beginning

CHECKOUT = Path(__file__).parents[3]
ROWS = [row for story in STORIES for row in story.rows]


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading of a page, without its head."""
    text = (CHECKOUT / "docs" / page).read_text(encoding="utf-8")
    part = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in rows]


@pytest.fixture(autouse=True)
def _the_base_is_not_kept_assigned() -> Iterator[None]:
    before = checkpoint_manager.CHECKPOINT_BASE
    yield
    checkpoint_manager.CHECKPOINT_BASE = before


SLOW = ("taking", "listing", "restoring what the agent changed", "pruning", "pruning by age")


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (one.name in SLOW))
        for one in STORIES
    ],
)
def test_this_package_answers_as_the_table_says(story: Story, tmp_path: Path) -> None:
    (tmp_path / "story").mkdir()
    found = answers(
        story, tmp_path / "story", checkpoint_manager, command_line, ["0.19.0", "newest"]
    )
    assert found == {row.name: row.wanted("ours") for row in story.rows}


def test_the_differences_are_those_that_the_page_lists_with_a_reason() -> None:
    listed = {cells[0]: cells[1] for cells in table("agent.md", "Where answers differ")}
    assert set(listed) == {row.name for row in differing()}
    subjects = {row[0] for row in table("contract.md", "What differs, and why")}
    assert {subject for subject in listed.values() if subject not in subjects} == set()


def test_a_row_says_another_answer_only_where_there_is_one() -> None:
    assert len(ROWS) == len({row.name for row in ROWS}) >= 120
    for row in ROWS:
        for side in ("ours", "0.19.0"):
            given = row.ours if side == "ours" else row.before
            assert row.wanted(side) is row.answer or given != row.answer, row.name


def test_all_columns_are_printed_and_differences_are_marked() -> None:
    recorded = {row.name: row.wanted("ours") for row in ROWS}
    printed = list(lines(None, recorded))
    for row in ROWS:
        other = row.wanted("ours") != row.answer
        other = other or (row.since == "0.19.0" and row.wanted("0.19.0") != row.answer)
        marks = [line[:2] for line in printed if line[2:].split("  ")[0] == row.name]
        assert marks == ["≠ " if other else "  "]
    assert sum(line.startswith("      here") for line in printed) == sum(
        line.startswith("≠") for line in printed
    )


@pytest.mark.agent
def test_the_agents_own_module_answers_as_the_table_says(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    environment = Path(AGENT_ENV) if AGENT_ENV else tmp_path_factory.mktemp("agent") / "env"
    if not AGENT_ENV:
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "pip"), "install", "-q", "hermes-agent==0.19.0"]
        subprocess.run(pip, check=True)
    wanted = {row.name: row.wanted("0.19.0") for row in ROWS if row.since == "0.19.0"}
    assert of_the_agent(environment) == wanted
