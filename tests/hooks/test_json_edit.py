"""A JSON document is changed where it is to be changed; every other byte stays."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import AGENTS
from hermes_checkpoints.hooks.install import hooks_of, plan_install, plan_removal
from hermes_checkpoints.hooks.json_edit import Document

SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
HANDLERS = st.lists(
    st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["a", "b c"])}),
    min_size=1,
    max_size=2,
)
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": HANDLERS}, optional={"matcher": st.just("Bash")}),
    min_size=1,
    max_size=2,
)
EVENTS = [event for agent in AGENTS.values() for event in agent.events] + ["Other", "enabled"]
HOOKS = st.dictionaries(st.sampled_from(EVENTS), GROUPS, min_size=1, max_size=4)
SETTINGS = st.tuples(
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), VALUES, max_size=3),
    st.none() | HOOKS,
).map(lambda pair: pair[0] if pair[1] is None else {**pair[0], "hooks": pair[1]})
LAYOUTS: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
    {"indent": 2, "ensure_ascii": False},
]


@pytest.mark.campaign
@given(
    settings=SETTINGS,
    layout=st.sampled_from(LAYOUTS),
    ending=st.sampled_from(["", "\n", "\n\n"]),
    windows=st.booleans(),
    agent=st.sampled_from([*AGENTS.values()]),
)
def test_hooks_come_and_go_and_all_else_stays_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    settings: dict[str, Any],
    layout: dict[str, Any],
    ending: str,
    windows: bool,
    agent: Any,
) -> None:
    file = tmp_path_factory.mktemp("agent") / "settings.json"
    text = json.dumps(settings, **layout) + ending
    content = text.replace("\n", "\r\n").encode() if windows else text.encode("utf-8")
    file.write_bytes(content)

    plan_install(agent, file, "hermes-checkpoints hook --agent x").make()
    found = json.loads(file.read_bytes())
    wanted = hooks_of(agent, "hermes-checkpoints hook --agent x")
    before = settings.get("hooks", {})
    assert {key: value for key, value in found.items() if key != "hooks"} == {
        key: value for key, value in settings.items() if key != "hooks"
    }
    assert found["hooks"] == {
        **before,
        **{event: [*before.get(event, []), *groups] for event, groups in wanted.items()},
    }
    assert not plan_install(agent, file, "hermes-checkpoints hook --agent x").changes

    plan_install(agent, file, "/elsewhere/hermes-checkpoints hook --agent x").make()
    assert json.loads(file.read_bytes())["hooks"].keys() == found["hooks"].keys()

    plan_removal(agent, file).make()
    if layout["indent"] is not None and settings:
        assert file.read_bytes() == content
    assert json.loads(file.read_bytes()) == settings
    assert not plan_removal(agent, file).changes


def test_comments_stay_where_they_are() -> None:
    text = b'{\n  // before\n  "a": 1 // behind\n  /* last */\n}\n'
    document = Document(text).with_member((), "b", [1])
    assert document.text == (
        b'{\n  // before\n  "a": 1,\n  "b": [\n    1\n  ] // behind\n  /* last */\n}\n'
    )
    assert document.value == {"a": 1, "b": [1]}
    assert document.without(("b",)).text == text


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"3",
        b"{",
        b'{"a": 1,}',
        b'{"a" 1}',
        b"{'a': 1}",
        b'{"a": 1} {"b": 2}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 2}}',
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": \xff}',
        b'{"a": "\xff"}',
        b"key: value",
    ],
)
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(BadRequest):
        Document(text)


@pytest.mark.parametrize("text", [b"", b"  \n"])
def test_a_file_that_is_empty_is_one_without_settings(text: bytes, tmp_path: Path) -> None:
    assert Document(text).value == {}
    file = tmp_path / "settings.json"
    file.write_bytes(text)
    plan_install(AGENTS["codex"], file, "hermes-checkpoints hook").make()
    assert json.loads(file.read_bytes()).keys() == {"hooks"}


@pytest.mark.parametrize(
    ("text", "place", "left"),
    [
        ("[\n  1, // one\n  2, // two\n  // three\n  3\n]", 1, ["// one", "// two", "// three"]),
        ("[\n  // one\n  1,\n  // two\n  2\n]", 0, ["// one", "// two"]),
        ("[\n  // one\n  1,\n  // two\n  2\n]", 1, ["// one", "// two"]),
        ("[1 /* one */, 2 /* two */]", 1, ["/* one */", "/* two */"]),
        ("[ // a list\n  1\n]", 0, ["// a list"]),
    ],
)
def test_what_goes_leaves_the_comments_beside_it(text: str, place: int, left: list[str]) -> None:
    document = Document(b'{"a": %s}' % text.encode())
    after = document.without(("a", place))
    assert re.findall(r"// [a-z ]+|/\*.*?\*/", after.text.decode()) == left
    expected = document.value["a"]
    del expected[place]
    assert after.value["a"] == expected


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(BadRequest, match="too deeply"):
        Document(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
