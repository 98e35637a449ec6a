"""Walks the syntax tree of a shell command and adds up what its parts do.

The tree comes from tree-sitter, so quotes, heredocs, comparisons and comments are what the shell
takes them for. The walk is a loop and nested scripts are limited: no input exhausts the stack.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hermes_checkpoints.triggers.effect import Effect
from hermes_checkpoints.triggers.words import UNKNOWN_WORD, Word, masked, text_of, word_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_LENGTH = 200_000
"""Characters of a command beyond which it is not looked at, but taken for unknown."""

MAX_NESTING = 8
"""How many scripts within scripts are looked at: ``sh -c "sh -c …"``."""

_NO_ARGUMENT = frozenset(
    {
        "command_name",
        "comment",
        "file_redirect",
        "heredoc_redirect",
        "herestring_redirect",
        "variable_assignment",
    }
)
_OWN_DIRECTORY = frozenset({"subshell", "command_substitution", "process_substitution"})


@dataclass(frozen=True)
class Call:
    """One program that is started: its words, and what a script on its standard input says.

    ``stdin`` is None where there is no heredoc and no here-string. ``evaluate`` returns the
    effect of a script, ``call`` that of another program.
    """

    words: tuple[Word, ...]
    stdin: Word | None
    evaluate: Callable[[Word], Effect]
    call: Callable[[Sequence[Word]], Effect]

    @property
    def arguments(self) -> tuple[Word, ...]:
        return self.words[1:]


Evaluator = Callable[[Call], Effect]


@dataclass
class Walk:
    """One walk over one script."""

    program: Evaluator
    depth: int = 0
    source: str = ""
    directory: str | None = ""
    functions: dict[str, Node] = field(default_factory=dict)
    running: frozenset[str] = frozenset()

    def script(self, text: str) -> Effect:
        """Return the effect of running a script."""
        if len(text) > MAX_LENGTH or self.depth > MAX_NESTING:
            return Effect.UNKNOWN
        self.source = text
        root = syntax_of(text)
        effect = Effect.UNKNOWN if root.has_error else Effect.NONE
        self._find_functions(root)
        return effect | self._run(root)

    def _find_functions(self, root: Node) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            if node.type == "function_definition":
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if name is not None and body is not None:
                    self.functions[self._word(name).text] = body
            stack.extend(node.named_children)

    def _run(self, root: Node) -> Effect:
        effect = Effect.NONE
        stack: list[Node | tuple[str | None]] = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, tuple):
                (self.directory,) = node
                continue
            if node.type == "function_definition":
                continue  # its body runs where it is called
            if node.type in _OWN_DIRECTORY:
                stack.append((self.directory,))
            if node.type == "command":
                effect |= self._command(node)
            elif node.type == "file_redirect":
                effect |= self._redirect(node)
            stack.extend(reversed(node.named_children))
        return effect

    # --- one program --------------------------------------------------------------------------

    def _command(self, node: Node) -> Effect:
        name = node.child_by_field_name("name")
        if name is None:
            return Effect.NONE  # assignments and redirections only
        words = [self._word(name.named_children[0] if name.named_children else name)]
        words += [
            self._word(child) for child in node.named_children if child.type not in _NO_ARGUMENT
        ]
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        outer = node.parent
        if outer is not None and outer.type == "redirected_statement":
            redirects += [c for c in outer.named_children if c.type.endswith("_redirect")]
        stdin = None
        for redirect in redirects:
            if redirect.type == "file_redirect":
                # What stands after the first word behind `>` are arguments of the program.
                words += [self._word(child) for child in _destinations(redirect)[1:]]
            else:
                stdin = self._input(redirect)
        return self._call(tuple(words), stdin)

    def _call(self, words: tuple[Word, ...], stdin: Word | None) -> Effect:
        name = words[0]
        if not name.literal:
            return Effect.UNKNOWN
        if name.text in {"cd", "pushd"}:
            return self._change_directory(words[1:])
        if name.text in self.functions and name.text not in self.running:
            inside = Walk(
                self.program,
                self.depth + 1,
                self.source,
                self.directory,
                self.functions,
                self.running | {name.text},
            )
            if inside.depth > MAX_NESTING:
                return Effect.UNKNOWN
            effect = inside._run(self.functions[name.text])
            self.directory = inside.directory
            return effect
        call = Call(words, stdin, self._nested, lambda other: self._call_other(other, stdin))
        return self._entered(self._placed(self.program(call)))

    def _call_other(self, words: Sequence[Word], stdin: Word | None) -> Effect:
        if not words:
            return Effect.NONE
        if self.depth >= MAX_NESTING:
            return Effect.UNKNOWN
        # The caller joins the paths with the directory.
        inside = Walk(self.program, self.depth + 1, self.source, "", self.functions, self.running)
        return inside._call(tuple(words), stdin)

    def _nested(self, script: Word) -> Effect:
        if not script.literal:
            return Effect.UNKNOWN
        return Walk(self.program, self.depth + 1).script(script.text)

    def _change_directory(self, operands: Sequence[Word]) -> Effect:
        named = [word for word in operands if not word.is_option]
        path = named[0].path if named and not named[0].glob else None
        if path is None or path == "-" or self.directory is None:
            self.directory = None
        else:
            self.directory = posixpath.join(self.directory, path)
        return Effect.NONE

    def _placed(self, effect: Effect) -> Effect:
        """Return an effect with its paths seen from where the whole command starts."""
        if self.directory == "" or not (effect.paths or effect.directories):
            return effect
        paths, directories = self._all(effect.paths), self._all(effect.directories)
        bounded = effect.bounded and len(paths) == len(effect.paths)
        return Effect(effect.kind, paths, bounded, directories)

    def _all(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Return paths seen from where the whole command starts, as far as that is known."""
        if self.directory is None:
            return tuple(path for path in paths if path.startswith(("/", "~")))
        return tuple(self._joined(path) for path in paths)

    def _entered(self, effect: Effect) -> Effect:
        """Return an effect with the directory in which it takes place, where one was entered."""
        if not self.directory or effect == Effect.NONE:
            return effect
        entered = dict.fromkeys([posixpath.normpath(self.directory), *effect.directories])
        return replace(effect, directories=tuple(entered))

    def _joined(self, path: str) -> str:
        if path.startswith("~"):
            return path
        return posixpath.normpath(posixpath.join(self.directory or "", path))

    # --- redirections -------------------------------------------------------------------------

    def _redirect(self, node: Node) -> Effect:
        operator = "".join(
            text_of(child, self.source) for child in node.children if not child.is_named
        ) + "".join(">" for child in node.children if child.type == "ERROR")
        targets = _destinations(node)
        if ">" not in operator or not targets:
            return Effect.NONE
        target = targets[0]
        if target.type == "process_substitution":
            return Effect.NONE  # its own commands are looked at
        if operator.startswith(">&") and target.type != "word":
            return Effect.NONE  # another name of an open file
        word = self._word(target)
        if word.is_sink or (operator.startswith(">&") and word.text.isdigit()):
            return Effect.NONE
        return self._placed(Effect.changes([word.path]))

    def _input(self, redirect: Node) -> Word:
        if redirect.type == "herestring_redirect":
            named = redirect.named_children
            return self._word(named[0]) if named else UNKNOWN_WORD
        for child in redirect.named_children:
            if child.type == "heredoc_body":
                expands = any(c.type != "heredoc_content" for c in child.named_children)
                return Word(text_of(child, self.source), not expands)
        return Word("")

    def _word(self, node: Node) -> Word:
        return word_of(node, self.source)


def _destinations(redirect: Node) -> list[Node]:
    return [c for c in redirect.named_children if c.type not in {"file_descriptor", "ERROR"}]


def syntax_of(script: str) -> Node:
    """Return the syntax tree of a script; a place in it is found in the script by ``text_of``."""
    return _parser().parse(masked(script)).root_node


@functools.cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
