"""The plugin in a configuration of the agent that a person wrote: put in, and taken out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.compat.plugin_list import (
    PLUGIN,
    is_enabled,
    is_enabled_in,
    is_list_due,
    with_plugin,
    without_plugin,
)
from hermes_checkpoints.errors import BadRequest

SECTION = f"plugins:\n  enabled:\n    - {PLUGIN}\n"

ADDED = [
    ("", SECTION),
    ("# mine\n", f"# mine\n{SECTION}"),
    ("a: 1", f"a: 1\n{SECTION.rstrip()}"),
    ("a: 'x'   # why\n\n\n", f"a: 'x'   # why\n\n\n{SECTION}"),
    ("a: |+\n  text\n\n", f"a: |+\n  text\n\n{SECTION}"),
    ("a: |\n  text", f"{SECTION}a: |\n  text"),
    ("---\na: 1\n...\n", f"---\na: 1\n{SECTION}...\n"),
    ("\ufeffa: 1\n", f"\ufeffa: 1\n{SECTION}"),
    ("a: 1\r\nb: 2", "a: 1\r\nb: 2\r\n" + SECTION.rstrip().replace("\n", "\r\n")),
    ("  a: 1\n", f"  a: 1\n  plugins:\n    enabled:\n      - {PLUGIN}\n"),
    ("plugins:\n", SECTION),
    ("plugins: # none yet\n", f"plugins: # none yet\n  enabled:\n    - {PLUGIN}\n"),
    ("plugins: ~ # none\n", f"plugins: {{enabled: [{PLUGIN}]}} # none\n"),
    ("plugins: {}\n", f"plugins: {{enabled: [{PLUGIN}]}}\n"),
    ("plugins: {a: 1}\n", f"plugins: {{a: 1, enabled: [{PLUGIN}]}}\n"),
    (
        "plugins:\n    # where\n    dir: x\nb: 2\n",
        f"plugins:\n    enabled:\n      - {PLUGIN}\n    # where\n    dir: x\nb: 2\n",
    ),
    ("plugins:\n  enabled:\n", SECTION),
    ("plugins:\n  enabled: null\n", f"plugins:\n  enabled: [{PLUGIN}]\n"),
    ("plugins:\n  enabled: []\n", f"plugins:\n  enabled: [{PLUGIN}]\n"),
    ("plugins:\n  enabled: [a, 'b'] # c\n", f"plugins:\n  enabled: [a, 'b', {PLUGIN}] # c\n"),
    (
        "plugins:\n  enabled: [\n    a, # x\n    b # y\n  ]\n",
        f"plugins:\n  enabled: [\n    a, # x\n    b, {PLUGIN} # y\n  ]\n",
    ),
    (
        'plugins:\n  enabled:\n  - a\n  - "b" # c\n\n# d\nz: 1\n',
        f'plugins:\n  enabled:\n  - a\n  - "b" # c\n  - {PLUGIN}\n\n# d\nz: 1\n',
    ),
    ("plugins:\n  enabled:\n    - a", f"plugins:\n  enabled:\n    - a\n    - {PLUGIN}"),
    (
        "plugins:\n  enabled:\n    - >\n      a\n",
        f"plugins:\n  enabled:\n    - >\n      a\n    - {PLUGIN}\n",
    ),
    ("? ''\n: []\n", f"? ''\n: []\n{SECTION}"),
    ("{a: 1}\n", f"{{a: 1, plugins: {{enabled: [{PLUGIN}]}}}}\n"),
    (
        "plugins: {}\nplugins:\n  enabled:\n  - a\n",
        f"plugins: {{}}\nplugins:\n  enabled:\n  - a\n  - {PLUGIN}\n",
    ),
    (
        f"plugins:\n  disabled:\n    - a\n    - {PLUGIN} # no\n  enabled: [b]\n",
        f"plugins:\n  disabled:\n    - a\n  enabled: [b, {PLUGIN}]\n",
    ),
    (
        f"plugins:\n  disabled:\n  - {PLUGIN} # no\n",
        f"plugins:\n  enabled:\n    - {PLUGIN}\n  disabled:\n    [] # no\n",
    ),
    (
        f"plugins: {{disabled: [{PLUGIN}, a], enabled: [b]}}\n",
        f"plugins: {{disabled: [a], enabled: [b, {PLUGIN}]}}\n",
    ),
    ("x: .nan\ny: é😀\n", f"x: .nan\ny: é😀\n{SECTION}"),
]


@pytest.mark.parametrize(("before", "after"), ADDED)
def test_it_is_added_and_every_other_byte_stays(before: str, after: str) -> None:
    assert with_plugin(before.encode()).decode() == after
    assert is_enabled(yaml.safe_load(after))
    assert with_plugin(after.encode()).decode() == after, "once is enough"
    without = without_plugin(after.encode())
    assert not is_enabled(yaml.safe_load(without))
    assert without_plugin(without) == without


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[", "no YAML"),
        ("a: 1\n---\nb: 2\n", "no YAML"),
        ("a:\n\t- b\n", "no YAML"),
        ("\0", "no YAML"),
        ("!!python/object:x {}\n", "no YAML"),
        ("- a\n", "no mapping"),
        ("plugins: 7\n", "plugins is no mapping"),
        ("plugins:\n  enabled: x\n", "plugins.enabled is no list"),
        ("x: &a [q]\nplugins:\n  enabled: *a\n", "by hand"),
        ("plugins:\n  enabled: &a [q]\nx: *a\n", "by hand"),
        ("plugins: &p\nx: *p\n", "by hand"),
        ("b: &b\n  plugins: {enabled: [q]}\n<<: *b\n", "by hand"),
        ("null\n", "by hand"),
        ("# " + "x" * 1024 * 1024, "more than 1048576 characters"),
    ],
)
def test_a_form_that_cannot_be_added_to_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        with_plugin(text.encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadRequest, match="not UTF-8"):
        with_plugin(b"a: \xff\n")


def test_what_was_added_since_stays_when_it_is_taken_out() -> None:
    text = with_plugin(b"# mine\na: 1\n") + b"b: 2 # since\n"
    assert without_plugin(text) == b"# mine\na: 1\nb: 2 # since\n"
    text = f"plugins:\n  enabled:\n    - {PLUGIN} # a word of mine\n".encode()
    assert without_plugin(text) == b"plugins:\n  enabled:\n      [] # a word of mine\n"
    text = f"plugins:\n  enabled:\n    - {PLUGIN}\n    - '{PLUGIN}'\n    - a\n".encode()
    assert without_plugin(text) == b"plugins:\n  enabled:\n    - a\n"


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=6), st.floats())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
LISTS = st.lists(st.sampled_from(["a", "b c", PLUGIN, "'"]), max_size=3)
PLUGINS = st.fixed_dictionaries(
    {}, optional={"enabled": st.none() | LISTS, "disabled": LISTS, "dir": SCALARS}
)


@given(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    st.none() | st.just(...) | PLUGINS,
    st.booleans() | st.none(),
    st.sampled_from([(2, False), (4, False), (2, True)]),
    st.booleans(),
)
def test_whatever_a_library_wrote_can_be_switched_and_says_the_same_otherwise(
    document: dict[str, Any], plugins: Any, flow: bool | None, style: tuple[int, bool], cut: bool
) -> None:
    if plugins is not ...:
        document["plugins"] = plugins
    else:
        document.pop("plugins", None)
    indent, explicit = style
    text = yaml.safe_dump(
        document,
        default_flow_style=flow,
        indent=indent,
        explicit_start=explicit,
        allow_unicode=True,
        sort_keys=False,
    )
    before = (text.rstrip("\n") if cut else text).encode()
    try:
        after = with_plugin(before)
    except BadRequest:
        assert cut, "a text that has to end where the file does"
        return
    said, was = yaml.safe_load(after), yaml.safe_load(before) or {}
    assert is_enabled(said)
    said_plugins, was_plugins = said.pop("plugins"), was.pop("plugins", None) or {}
    assert repr(said) == repr(was)
    assert set(said_plugins["enabled"]) == {*(was_plugins.get("enabled") or ()), PLUGIN}
    back = yaml.safe_load(without_plugin(after)) or {}
    assert not is_enabled(back)
    back.pop("plugins", None)
    assert repr(back) == repr(was)


def test_a_file_that_is_no_configuration_enables_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    assert not is_enabled_in(config)
    for content in (b"[", b"\xff", f"# {PLUGIN}\n".encode(), f"- {PLUGIN}".encode()):
        config.write_bytes(content)
        assert not is_enabled_in(config)
    config.write_bytes(with_plugin(b""))
    assert is_enabled_in(config)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("", True),
        ("_config_version: 20\n", True),
        ("_config_version: 21\n", False),
        ("plugins: {enabled: []}\n", False),
        ("_config_version: old\nplugins:\n", True),
    ],
)
def test_the_agent_is_about_to_make_the_list_itself(text: str, due: bool) -> None:
    assert is_list_due(text.encode()) is due
