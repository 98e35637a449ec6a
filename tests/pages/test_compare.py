"""What a page prints may differ from what is printed in nothing but what differs each time."""

from __future__ import annotations

import pytest

from pages.session import HOME, Reader, Step, compare

TOLD = """\
Checkpoint 5898dd4d taken of /home/ada/poems: by hand (3 files, 16 B)
  1. 5898dd4d  2026-11-28 10:03   4s  by hand
  "id": "5898dd4d6a456863095ee8a57fdf8a47223e1f21",
  store/         744.0 KB, 2h ago
"""
PRINTED = """\
Checkpoint 1439886d taken of /tmp/p1/ada/poems: by hand (3 files, 16 B)
  1. 1439886d  2026-11-29 20:23  14m  by hand
  "id": "1439886d9f9428a6cf652e7fac347fd4ce11f289",
  store/         1.2 MB, 3d ago
"""


def check(told: str, printed: str) -> None:
    step = Step("page:1", "a command", told.splitlines())
    compare(step, printed.splitlines(), Reader(HOME), Reader("/tmp/p1/ada"))


def test_ids_times_ages_sizes_and_the_home_may_be_others() -> None:
    check(TOLD, PRINTED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3 files", "4 files"),
        ("16 B", "17 B"),
        ("by hand (", "by hend ("),
        ("/poems", "/poem"),
        ("  1. 1439886d", "  1. 2439886d"),
        ('"1439886d9', '"2439886d9'),
        ("fac347fd4ce11f289", "fac347fd4ce11f28"),
        ("2026-11-29 20:23", "yesterday"),
        ("3d ago", "ago"),
        ("1.2 MB", "1.2"),
        ("  store/", "   store/"),
        ("  store/", "note\n  store/"),
        ('  "id"', 'note\n  "id"'),
    ],
)
def test_anything_else_is_a_difference(old: str, new: str) -> None:
    assert old in PRINTED
    with pytest.raises(AssertionError, match=r"page:1: a command"):
        check(TOLD, PRINTED.replace(old, new))


def test_an_ellipsis_stands_for_something_in_its_line_and_alone_for_lines() -> None:
    check("a … c\n  …\nend\n", "a b c\n1\n2\nend\n")
    check("a … c\n…\nend\n", "a b c\n\nend\n")
    for printed in ("a b d\n1\nend\n", "a b c\n1\nend\nmore\n", "a\nb c\n1\nend\n"):
        with pytest.raises(AssertionError):
            check("a … c\n…\nend\n", printed)
