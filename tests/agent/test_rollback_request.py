"""What may be typed after /rollback."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.agent.conversation import Scope
from hermes_checkpoints.agent.rollback_request import Request, Verb, parse, typed
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Mode

RESTORE = Verb.RESTORE


@pytest.mark.parametrize(
    ("typed", "request_"),
    [
        ("", Request(Verb.LIST)),
        ("/rollback", Request(Verb.LIST)),
        ("  /rollback  ", Request(Verb.LIST)),
        ("/rollback 3", Request(RESTORE, "3")),
        ("3", Request(RESTORE, "3")),
        ("/rollback\t4270a8c", Request(RESTORE, "4270a8c")),
        ("/rollback diff 2", Request(Verb.DIFF, "2")),
        ("/rollback DIFF 2", Request(Verb.DIFF, "2")),
        ("/rollback diff 2 src/app.py", Request(Verb.DIFF, "2", "src/app.py")),
        ("/rollback diff 2 'my notes.txt'", Request(Verb.DIFF, "2", "my notes.txt")),
        ("/rollback diff 2 -- 2", Request(Verb.DIFF, "2", "2")),
        ("/rollback show latest", Request(Verb.SHOW, "latest")),
        ("/rollback undo", Request(Verb.UNDO)),
        ("/rollback redo --files", Request(Verb.REDO, scope=Scope.FILES)),
        ("/rollback undo --exact", Request(Verb.UNDO, mode=Mode.EXACT)),
        ("/rollback help", Request(Verb.HELP)),
        ("/rollback help 3", Request(RESTORE, "help", "3")),
        ("/rollback 1 plan", Request(Verb.PLAN, "1")),
        ("/rollback 1 --exact plan", Request(Verb.PLAN, "1", None, Mode.EXACT)),
        ("/rollback 1 -- plan", Request(RESTORE, "1", "plan")),
        ("/rollback 1 plan b", Request(RESTORE, "1", "plan b")),
        ("/rollback 1 src/app.py", Request(RESTORE, "1", "src/app.py")),
        ("/rollback 1 my  notes.txt", Request(RESTORE, "1", "my  notes.txt")),
        ("/rollback 1 'my notes.txt'", Request(RESTORE, "1", "my notes.txt")),
        ('/rollback 1 "my notes.txt" --all', Request(RESTORE, "1", "my notes.txt", Mode.OVERLAY)),
        ("/rollback 1 -- --all", Request(RESTORE, "1", "--all")),
        ("/rollback 1 diff", Request(RESTORE, "1", "diff")),
        ("/rollback 1 --all", Request(RESTORE, "1", None, Mode.OVERLAY)),
        ("/rollback --exact 1", Request(RESTORE, "1", None, Mode.EXACT)),
        ("/rollback 1 --exact --files", Request(RESTORE, "1", None, Mode.EXACT, Scope.FILES)),
        ("/rollback 1 --chat", Request(RESTORE, "1", None, None, Scope.CHAT)),
        ("/rollback @2h", Request(RESTORE, "@2h")),
        ("/rollback @{2026-11-27 18:00}", Request(RESTORE, "@{2026-11-27 18:00}")),
        (
            "/rollback diff @{2026-11-27 18:00} my notes.txt",
            Request(Verb.DIFF, "@{2026-11-27 18:00}", "my notes.txt"),
        ),
        ("/rollback @{2026-11-27 18:00} plan", Request(Verb.PLAN, "@{2026-11-27 18:00}")),
        ("/rollback 1 @{a b}/c", Request(RESTORE, "1", "@{a b}/c")),
        ("/rollback @{a b}/c", Request(RESTORE, "@{a", "b}/c")),
        ("/rollback 1 --all src dir", Request(RESTORE, "1", "src dir", Mode.OVERLAY)),
    ],
)
def test_forms(typed: str, request_: Request) -> None:
    assert parse(typed) == request_


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("diff", "Usage: /rollback diff <N>"),
        ("diff 1 2", "Usage: /rollback diff <N>"),
        ("show", "Usage: /rollback show <N>"),
        ("undo 3", "Usage: /rollback undo"),
        ("redo --all", "Usage: /rollback redo"),
        ("--all", "Usage: /rollback <N>"),
        ("-rf", "Usage: /rollback <N>"),
        ("1 --all --exact", "exclude each other"),
        ("1 --files --chat", "exclude each other"),
        ("--all 1 --exact", "exclude each other"),
        ("--all 1 --exact file", "once"),
        ("1 --chat file", "leaves the files alone"),
        ("1 --chat --all", "leaves the files alone"),
        ('1 ""', "the path is empty"),  # and not the whole project
        ("1 -- ''", "the path is empty"),
    ],
)
def test_wrong_forms_say_what_is_right(typed: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message.replace("(", r"\(")):
        parse(typed)


@given(st.text())
def test_any_text_is_understood_or_refused(typed: str) -> None:
    try:
        request = parse(typed)
    except BadRequest:
        return
    assert request.verb is Verb.LIST or request.reference or request.verb in {Verb.UNDO, Verb.REDO}


@pytest.mark.parametrize(
    "path", ["plan", "--all", "a --all", "-- a", "'a'", " a ", "a", "src/a b", '"']
)
def test_a_path_is_typed_so_that_it_is_read_again(path: str) -> None:
    assert parse(f"/rollback 1 {typed(path)}") == Request(RESTORE, "1", path)
    assert parse(f"/rollback 1 --all {typed(path)}") == Request(RESTORE, "1", path, Mode.OVERLAY)
