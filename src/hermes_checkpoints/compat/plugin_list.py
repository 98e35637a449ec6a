"""Adds our plugin to the list in a configuration of the agent, and takes it away.

A person wrote that file: layout, comments and quotes are theirs. So nothing is written anew.
Characters are put in at a place that the parser gives, and the result is parsed again: it must be
what the file said before, and the plugin, or the file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_checkpoints import plain_yaml
from hermes_checkpoints.errors import BadRequest

if TYPE_CHECKING:
    from yaml import Node

PLUGIN = "hermes-checkpoints"
"""The name of the entry point, by which the agent's configuration enables it."""

_WITH_A_LIST = 21
"""The version of the agent's configuration from which on plugins are loaded if a list has them."""
_MOST_CHARACTERS = 1024 * 1024
_MOST_VALUES = 100_000
_STEP = "  "
_END = re.compile(r"\r\n|\n|\r")
_OUR_ITEM = re.compile(rf"[ \t]*- +(['\"]?){PLUGIN}\1[ \t]*")
_OUR_KEY = re.compile(r"[ \t]*(plugins|enabled):[ \t]*")


def is_enabled_in(config: Path) -> bool:
    """Tell whether a configuration enables the plugin; one that is missing, or none, does not.

    Raises:
        OSError: when it cannot be read.
    """
    if not config.is_file():
        return False
    content = config.read_bytes()
    if PLUGIN.encode() not in content:  # the usual answer of a home that is not adopted
        return False
    try:
        return is_enabled(plain_yaml.load(content.decode("utf-8")))
    except (UnicodeDecodeError, plain_yaml.Refused):
        return False  # the check of the configuration tells of it


def is_enabled(document: object) -> bool:
    """Tell whether a configuration, as it was parsed, enables the plugin."""
    plugins = document.get("plugins") if isinstance(document, dict) else None
    if not isinstance(plugins, dict):
        return False
    enabled, disabled = plugins.get("enabled"), plugins.get("disabled")
    off = isinstance(disabled, list) and PLUGIN in disabled
    return isinstance(enabled, list) and PLUGIN in enabled and not off


def is_list_due(content: bytes) -> bool:
    """Tell whether the agent will make the list of enabled plugins itself, of those that it loaded
    before there was one, when it brings this configuration up to date. It does not where a list is
    there by then.

    Raises:
        BadRequest: as ``with_plugin``.
    """
    document = _load(_text(content))
    plugins = document.get("plugins")
    version = document.get("_config_version")
    is_older = not isinstance(version, int) or version < _WITH_A_LIST
    return is_older and not (isinstance(plugins, dict) and "enabled" in plugins)


def with_plugin(content: bytes) -> bytes:
    """Return a configuration that enables the plugin, and is otherwise the same.

    Raises:
        BadRequest: when it is none, or has a form that cannot be added to.
    """
    text = _text(content)
    document = _load(text)
    if is_enabled(document):
        return content
    expected = _with(document)
    for changed in _additions(text):
        if _says(changed, expected):
            return changed.encode("utf-8")
    raise BadRequest(
        f"it has a form that cannot be added to; add {PLUGIN} to plugins.enabled there by hand"
    )


def without_plugin(content: bytes) -> bytes:
    """Return a configuration that does not enable the plugin, and is otherwise the same. What was
    there for it alone goes, too.

    Raises:
        BadRequest: when it is none, or has a form that cannot be taken from.
    """
    text = _text(content)
    document = _load(text)
    plugins = document.get("plugins") if isinstance(document, dict) else None
    enabled = plugins.get("enabled") if isinstance(plugins, dict) else None
    if not isinstance(enabled, list) or PLUGIN not in enabled:
        return content
    for changed in _removals(text):
        if any(_says(changed, expected) for expected in _without(document)):
            return changed.encode("utf-8")
    raise BadRequest(
        f"it has a form that cannot be taken from; remove {PLUGIN} from plugins.enabled there by "
        "hand"
    )


# --- what it is to say ------------------------------------------------------------------------


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(f"it is not UTF-8 (at byte {error.start})") from None


def _load(text: str) -> Any:
    if len(text) > _MOST_CHARACTERS:
        raise BadRequest(f"it has more than {_MOST_CHARACTERS} characters")
    try:
        document = plain_yaml.load(text, _MOST_VALUES)
    except plain_yaml.Refused as error:
        raise BadRequest(f"it is no YAML that can be read: {error}") from None
    if document is not None and not isinstance(document, dict):
        raise BadRequest("it is no mapping")
    return _apart({} if document is None else document)


def _apart(value: Any) -> Any:
    """Return a copy whose parts are shared with nothing, as an alias shares them."""
    if isinstance(value, dict):
        return {key: _apart(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_apart(one) for one in value]
    return value


def _with(document: dict[Any, Any]) -> dict[Any, Any]:
    expected = _apart(document)
    if expected.get("plugins") is None:
        expected["plugins"] = {}
    plugins = expected["plugins"]
    if not isinstance(plugins, dict):
        raise BadRequest("plugins is no mapping in it")
    if plugins.get("enabled") is None:
        plugins["enabled"] = []
    if not isinstance(plugins["enabled"], list):
        raise BadRequest("plugins.enabled is no list in it")
    if isinstance(plugins.get("disabled"), list):
        plugins["disabled"] = [one for one in plugins["disabled"] if one != PLUGIN]
    if PLUGIN not in plugins["enabled"]:
        plugins["enabled"].append(PLUGIN)
    return expected  # type: ignore[no-any-return]


def _without(document: dict[Any, Any]) -> Iterator[Any]:
    """Yield what a configuration may say without the plugin, with and without what is empty."""
    expected = _apart(document)
    plugins = expected["plugins"]
    plugins["enabled"] = [one for one in plugins["enabled"] if one != PLUGIN]
    yield expected
    if not plugins["enabled"]:
        for nothing in (None, ...):
            expected = _apart(expected)
            if nothing is None:
                expected["plugins"]["enabled"] = None
            else:
                del expected["plugins"]["enabled"]
            yield expected
        if not expected["plugins"]:
            yield {**expected, "plugins": None}
            yield {key: value for key, value in expected.items() if key != "plugins"}


def _says(text: str, expected: Any) -> bool:
    try:
        found = plain_yaml.load(text, _MOST_VALUES)
    except plain_yaml.Refused:
        return False
    return _is_same({} if found is None else found, expected)


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same: 1 is not true, and no number equals itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other or (one != one and other != other))  # noqa: PLR0124 - .nan


# --- where it is said ---------------------------------------------------------------------------


class _Edits:
    """Changes of a text: each replaces what stands between two places of the text as it was."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[tuple[int, int, str]] = []
        found = _END.search(text)
        self.end = found.group() if found else "\n"

    def replace(self, start: int, stop: int, new: str) -> None:
        self.edits.append((start, stop, new))

    def add_lines(self, place: int, *lines: str) -> None:
        """Add lines where one begins, or at the end of the text: as that ended, so it ends."""
        block = self.end.join(lines)
        unfinished = place == len(self.text) and not _is_line_start(self.text, place)
        self.replace(place, place, self.end + block if unfinished else block + self.end)

    def after_line(self, place: int) -> int:
        """Return where the line after that of a place begins."""
        found = _END.search(self.text, place)
        return found.end() if found else len(self.text)

    def line_start(self, place: int) -> int:
        while not _is_line_start(self.text, place):
            place -= 1
        return place

    def made(self) -> str:
        text = self.text
        for start, stop, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[stop:]
        return text


def _is_line_start(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] in "\r\n" or (place == 1 and text[0] == "\ufeff")


def _root(text: str) -> Node | None:
    import yaml

    try:  # by the parser in Python, whose marks count characters of the text
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise BadRequest(f"it is no YAML that can be read: {reason}") from None


def _member(node: Node | None, name: str) -> tuple[Any, Any]:
    """Return the nodes of key and value of a member of a mapping, the last of that name, which is
    the one that counts; None for both where there is none."""
    found: tuple[Any, Any] = (None, None)
    if _kind(node) == "mapping":
        for key, value in node.value:  # type: ignore[union-attr]
            if _kind(key) == "scalar" and key.value == name:
                found = (key, value)
    return found


def _kind(node: Any) -> str:
    return "" if node is None else str(node.id)


def _is_null(node: Any) -> bool:
    return _kind(node) == "scalar" and node.tag == "tag:yaml.org,2002:null"


def _additions(text: str) -> Iterator[str]:
    """Yield texts that may enable the plugin, the best first."""
    root = _root(text)
    key, plugins = _member(root, "plugins")
    if key is None:
        yield from _with_section(text, root)
        return
    edits = _Edits(text)
    _, disabled = _member(plugins, "disabled")
    if _kind(disabled) == "sequence":
        for number, item in enumerate(disabled.value):
            if item.value == PLUGIN:
                _take_item(edits, disabled, number)
    name, enabled = _member(plugins, "enabled")
    if name is None:
        _add_list(edits, key, plugins)
    elif _is_null(enabled) and enabled.value:
        edits.replace(*_span(enabled), f"[{PLUGIN}]")
    elif _is_null(enabled):
        place = edits.after_line(name.end_mark.index)
        edits.add_lines(place, f"{_indent(name)}{_STEP}- {PLUGIN}")
    elif not any(item.value == PLUGIN for item in enabled.value):
        _add_item(edits, enabled)
    yield edits.made()


def _add_list(edits: _Edits, key: Any, plugins: Any) -> None:
    """Add a list to a section that has none: below its key, where the members of it may begin."""
    if _is_null(plugins) and plugins.value:
        edits.replace(*_span(plugins), f"{{enabled: [{PLUGIN}]}}")
    elif not _is_null(plugins) and plugins.flow_style:
        _add_in_flow(edits, plugins, f"enabled: [{PLUGIN}]")
    else:
        indent = _indent(key) + _STEP if _is_null(plugins) else _indent(plugins)
        lines = (f"{indent}enabled:", f"{indent}{_STEP}- {PLUGIN}")
        edits.add_lines(edits.after_line(key.end_mark.index), *lines)


def _with_section(text: str, root: Node | None) -> Iterator[str]:
    """Yield texts with a section ``plugins``: at the end, or where that would be part of what
    stands there, at the beginning."""
    flow = _kind(root) == "mapping" and root.flow_style  # type: ignore[union-attr]
    if flow:
        edits = _Edits(text)
        _add_in_flow(edits, root, f"plugins: {{enabled: [{PLUGIN}]}}")
        yield edits.made()
        return
    places, indent = [len(text)], ""
    if _kind(root) == "mapping" and root is not None and root.value:
        indent = _indent(root)
        places.insert(0, root.end_mark.index)
        places.append(root.start_mark.index - len(indent))
    section = (f"{indent}plugins:", f"{indent}{_STEP}enabled:", f"{indent}{_STEP * 2}- {PLUGIN}")
    for place in places:
        edits = _Edits(text)
        edits.add_lines(place, *section)
        yield edits.made()


def _add_in_flow(edits: _Edits, mapping: Any, member: str) -> None:
    if not mapping.value:
        start = mapping.start_mark.index + 1
        edits.replace(start, start, member)
    else:
        end = mapping.value[-1][1].end_mark.index
        edits.replace(end, end, f", {member}")


def _add_item(edits: _Edits, sequence: Any) -> None:
    if sequence.flow_style:
        if not sequence.value:
            start = sequence.start_mark.index + 1
            edits.replace(start, start, PLUGIN)
        else:
            end = sequence.value[-1].end_mark.index
            edits.replace(end, end, f", {PLUGIN}")
        return
    place = edits.after_line(sequence.value[-1].end_mark.index)
    edits.add_lines(place, f"{' ' * sequence.start_mark.column}- {PLUGIN}")


def _take_item(edits: _Edits, sequence: Any, number: int) -> None:
    """Take an item out of a sequence, with its line or its comma."""
    start, stop = _span(sequence.value[number])
    alone = len(sequence.value) == 1
    if not sequence.flow_style:
        begin, end = edits.line_start(start), edits.after_line(stop)
        if alone:
            dash = edits.text.rindex("-", begin, start)
            edits.replace(dash, stop, f"{_STEP}[]")
        else:
            if end == len(edits.text) and not _is_line_start(edits.text, end) and begin:
                begin -= len(edits.end)
            edits.replace(begin, end, "")
        return
    text = edits.text
    after = re.compile(r"\s*,[ \t]*").match(text, stop)
    before = re.compile(r",\s*\Z").search(text[:start])
    if before:
        start = before.start()
    elif after:
        stop = after.end()
    edits.replace(start, stop, "")


def _removals(text: str) -> Iterator[str]:
    """Yield texts that may not enable the plugin: those first that take most of what was there for
    it alone."""
    key, plugins = _member(_root(text), "plugins")
    name, enabled = _member(plugins, "enabled")
    if _kind(enabled) != "sequence":
        return
    ours = [number for number, item in enumerate(enabled.value) if item.value == PLUGIN]
    if len(ours) == len(enabled.value) == 1 and not enabled.flow_style:
        edits = _Edits(text)
        item = enabled.value[0]
        first = edits.line_start(name.start_mark.index)
        last = edits.after_line(item.end_mark.index)
        if len(plugins.value) == 1 and key.start_mark.line == name.start_mark.line - 1:
            yield from _without_lines(text, edits.line_start(key.start_mark.index), last)
        yield from _without_lines(text, first, last)
    edits = _Edits(text)
    for number in ours:
        _take_item(edits, enabled, number)
    yield edits.made()


def _without_lines(text: str, first: int, last: int) -> Iterator[str]:
    """Yield a text without some lines, if they hold nothing but what enables the plugin."""
    lines = [line for line in _END.split(text[first:last].removeprefix("\ufeff")) if line]
    if not all(_OUR_KEY.fullmatch(line) or _OUR_ITEM.fullmatch(line) for line in lines):
        return
    if last == len(text) and not _is_line_start(text, last):
        ending = re.search(r"(\r\n|\n|\r)\Z", text[:first])
        first -= len(ending.group()) if ending else 0
    yield text[:first] + text[last:]


def _indent(node: Any) -> str:
    return " " * int(node.start_mark.column)


def _span(node: Any) -> tuple[int, int]:
    return int(node.start_mark.index), int(node.end_mark.index)
