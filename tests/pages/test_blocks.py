"""Every block of a page is run by a test, or is what a test looks at, which is named here."""

from __future__ import annotations

import ast

import pytest

from pages.blocks import CHECKOUT, PAGES, blocks, with_blocks
from pages.samples import SAMPLES

RUN = {
    "console": "tests/pages/test_sessions.py::test_the_commands_of_a_page_do_what_it_says",
    "sh": "tests/pages/test_sessions.py::test_the_commands_of_a_page_do_what_it_says",
    "python": "tests/pages/test_python.py::test_the_examples_of_a_page_run",
}
"""What runs the blocks of a language, on whatever page."""

LOOKED_AT = {
    ("README.md", "text"): "tests/pages/test_used.py::test_the_home_is_as_the_readme_shows_it",
    ("docs/admin.md", "text"): "tests/cli/test_admin.py::test_it_prints_what_its_page_says",
    ("docs/agent.md", "yaml"): "tests/pages/test_used.py::test_the_keys_of_a_project_are_read",
    ("docs/architecture.md", "mermaid"): "tests/test_architecture.py::"
    "test_the_picture_has_every_layer_above_what_it_imports",
    ("docs/catalog.md", "ini"): "tests/catalog/test_alembic.py::"
    "test_two_lines_are_enough_where_the_package_is_installed",
    ("docs/catalog.md", "sql"): "tests/catalog/test_document.py::test_the_queries_run",
    ("docs/fleet.md", "sql"): "tests/fleet/test_pages.py::"
    "test_the_queries_of_the_page_answer_what_it_says",
    ("docs/fleet.md", "text"): "tests/fleet/test_pages.py::"
    "test_the_way_of_the_page_shows_a_file_of_a_candidate",
    ("docs/fleet.md", "yaml"): "tests/fleet/test_pages.py::"
    "test_the_configuration_of_the_page_is_read",
    ("docs/format.md", "text"): "tests/pages/test_used.py::test_the_store_is_as_its_page_shows_it",
    ("docs/remote.md", "text"): "tests/pages/test_used.py::test_the_remote_is_as_its_page_shows_it",
    ("docs/remote.md", "yaml"): "tests/pages/test_used.py::test_the_remote_of_the_page_is_read",
    ("docs/retention.md", "text"): "tests/pages/test_used.py::test_the_note_of_a_prune_is_so",
    ("docs/sessions.md", "yaml"): "tests/pages/test_used.py::test_sessions_are_mirrored",
    ("docs/sql.md", "sql"): "tests/catalog/test_questions.py::"
    "test_the_page_has_the_questions_and_there_are_twenty_seven",
}
"""What looks at the blocks of a page in any other language."""

ELSEWHERE = {
    "docs/agent.md": "tests/compat/test_real_agent.py::"
    "test_the_agent_runs_on_the_catalog_and_goes_back",
}
"""Pages whose commands need a program that is not here, and what runs them where it is."""


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_run_or_looked_at(page: str) -> None:
    for block in blocks(page):
        told = block.language in RUN or (page, block.language) in LOOKED_AT
        assert told, f"{block}: no test runs this block of {block.language or 'no language'}"


def test_every_page_with_commands_has_a_sample() -> None:
    assert with_blocks("console", "sh") == [*filter((SAMPLES | ELSEWHERE).__contains__, PAGES)]
    assert not SAMPLES.keys() & ELSEWHERE.keys()


def test_what_is_named_here_is_there() -> None:
    assert all(blocks(page, language) for page, language in LOOKED_AT)
    for name in {*RUN.values(), *LOOKED_AT.values(), *ELSEWHERE.values()}:
        file, _, test = name.partition("::")
        tree = ast.parse((CHECKOUT / file).read_text(encoding="utf-8"))
        assert any(isinstance(one, ast.FunctionDef) and one.name == test for one in tree.body), name
