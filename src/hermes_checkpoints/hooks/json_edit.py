"""Changes a JSON document where it is to be changed, and leaves every other byte as it is.

A document that people and programs share has a layout, and often comments, that a program which
writes it anew would lose. So it is parsed, and text is put in or cut out at the places found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.errors import BadRequest

if TYPE_CHECKING:
    from tree_sitter import Node

EMPTY = b"{\n}\n"
_UNIT = "  "


class Document:
    """A JSON object as text. Comments are allowed; what is no JSON otherwise is refused.

    >>> from hermes_checkpoints.hooks.json_edit import Document
    >>> document = Document(b'{\\n  // mine\\n  "model": "opus"\\n}\\n')
    >>> print(document.with_member((), "hooks", {"Stop": []}).text.decode(), end="")
    {
      // mine
      "model": "opus",
      "hooks": {
        "Stop": []
      }
    }

    Raises:
        BadRequest: when it is no JSON object, or has a key twice.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text if text.strip() else EMPTY
        try:
            self._root = _parsed(self.text)
            self.value: dict[str, Any] = _value(self._root)
        except RecursionError as error:
            raise BadRequest("it is nested too deeply") from error

    @property
    def first_comment(self) -> int | None:
        """The number of the line in which the first comment begins, or None."""
        nodes, lines = [self._root.parent or self._root], list[int]()
        while nodes:
            node = nodes.pop()
            if node.type == "comment":
                lines.append(node.start_point[0] + 1)
            nodes += node.named_children
        return min(lines, default=None)

    def with_member(self, place: tuple[str, ...], key: str, value: object) -> Document:
        """Return it with one more member behind those of the object at ``place``."""
        return self._with(self._at(place), value, key)

    def with_element(self, place: tuple[str, ...], value: object) -> Document:
        """Return it with one more element behind those of the array at ``place``."""
        return self._with(self._at(place), value, None)

    def without(self, place: tuple[str | int, ...]) -> Document:
        """Return it without the member or element at ``place``."""
        node = self._at(place)
        found = node.parent if isinstance(place[-1], str) else node
        assert found is not None and found.parent is not None  # noqa: S101 - the root is no member
        siblings = [*_children(found.parent)]
        number = siblings.index(found)
        start, end = found.start_byte, found.end_byte
        if number:
            start = siblings[number - 1].end_byte
        elif len(siblings) > 1:
            end = siblings[1].start_byte
        else:
            start, end = found.parent.start_byte + 1, found.parent.end_byte - 1
        comments = (one for one in found.parent.named_children if one.type == "comment")
        if any(start <= one.start_byte < end for one in comments):
            return self._without_among_comments(found, found.parent)
        return Document(self.text[:start] + self.text[end:])

    # --- inside ------------------------------------------------------------------------------

    def _without_among_comments(self, found: Node, container: Node) -> Document:
        """Return it without a member or element, and its comma, where comments stand beside it:
        those stay, since nothing tells what they are about."""
        nodes = container.children
        number = nodes.index(found)
        commas = [node for node in nodes[number:] if node.type == ","][:1]
        commas = commas or [node for node in nodes[:number] if node.type == ","][-1:]
        text = self.text
        for node in sorted([found, *commas], key=lambda node: node.start_byte)[::-1]:
            before, behind = text[: node.start_byte], text[node.end_byte :]
            line, _, rest = behind.partition(b"\n")
            if rest and not line.strip() and before.rpartition(b"\n")[2].isspace():
                before, behind = before[: before.rfind(b"\n") + 1], rest  # nothing else is there
            text = before + behind
        return Document(text)

    def _with(self, container: Node, value: object, key: str | None) -> Document:
        children = [*_children(container)]
        base = self._indent_of(container.start_byte)
        if not children:
            inner = base + self._unit
            new = f"\n{inner}{_rendered(value, key, inner, self._unit)}\n{base}"
            start, end = container.start_byte + 1, container.end_byte - 1
            return self._replaced(start, end, new)
        last = children[-1]
        if b"\n" not in self.text[container.start_byte : last.start_byte]:
            return self._replaced(last.end_byte, last.end_byte, f", {_rendered(value, key)}")
        inner = self._indent_of(last.start_byte)
        new = f",\n{inner}{_rendered(value, key, inner, self._unit)}"
        return self._replaced(last.end_byte, last.end_byte, new)

    def _replaced(self, start: int, end: int, new: str) -> Document:
        lines = "\r\n" if b"\r\n" in self.text else "\n"
        put = new.replace("\n", lines).encode()
        return Document(self.text[:start] + put + self.text[end:])

    def _indent_of(self, place: int) -> str:
        """Return the white space that the line of a place begins with."""
        line = self.text[self.text.rfind(b"\n", 0, place) + 1 : place].decode()
        return line[: len(line) - len(line.lstrip())]

    @property
    def _unit(self) -> str:
        """How much further one level stands to the right."""
        first = next(_children(self._root), None)
        return (self._indent_of(first.start_byte) if first is not None else "") or _UNIT

    def _at(self, place: tuple[str | int, ...]) -> Node:
        node = self._root
        for step in place:
            if isinstance(step, int):
                node = [*_children(node)][step]
            else:
                pairs = (pair for pair in _children(node) if _key(pair) == step)
                node = _field(next(pairs), "value")
        return node


def _parsed(text: bytes) -> Node:
    import tree_sitter_json
    from tree_sitter import Language, Parser

    if text.startswith(b"\xef\xbb\xbf"):
        raise BadRequest("it begins with a byte order mark")
    root = Parser(Language(tree_sitter_json.language())).parse(text).root_node
    found = [*_children(root)]
    if root.has_error:
        raise BadRequest(f"it is no JSON object: line {_first_error(root)} cannot be read")
    if len(found) != 1 or found[0].type != "object":
        raise BadRequest("it is no JSON object")
    return found[0]


def _first_error(root: Node) -> int:
    """Return the number of the line in which the first error stands."""
    node: Node | None = root
    while node is not None:
        line = node.start_point[0] + 1
        node = next((one for one in node.children if one.has_error or one.is_missing), None)
    return line


def _children(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children if child.type != "comment")


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    if found is None:
        raise BadRequest("it is no JSON object")
    return found


def _key(pair: Node) -> str:
    key: str = _scalar(_field(pair, "key"))
    return key


def _value(node: Node) -> Any:
    if node.type == "object":
        found: dict[str, Any] = {}
        for pair in _children(node):
            key = _key(pair)
            if key in found:
                raise BadRequest(f"it has the key {key!r} twice")
            found[key] = _value(_field(pair, "value"))
        return found
    if node.type == "array":
        return [_value(child) for child in _children(node)]
    return _scalar(node)


def _scalar(node: Node) -> Any:
    try:
        return json.loads((node.text or b"").decode())
    except ValueError as error:
        raise BadRequest(f"it is no JSON: {error}") from error


def _rendered(value: object, key: str | None, indent: str | None = None, unit: str = _UNIT) -> str:
    """Return a value, behind its key, in lines that stand at ``indent``, or in one line."""
    text = json.dumps(value, ensure_ascii=False, indent=None if indent is None else unit)
    text = text if indent is None else text.replace("\n", f"\n{indent}")
    return text if key is None else f"{json.dumps(key, ensure_ascii=False)}: {text}"
