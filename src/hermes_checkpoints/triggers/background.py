"""Whether a shell command may leave something running behind it."""

from __future__ import annotations

import posixpath
import re

_LEAVES = frozenset({"nohup", "setsid", "disown", "daemonize", "screen", "tmux"})
_MAY = re.compile(rf"(?<![&>|<])&(?![&>])|\b(?:{'|'.join(sorted(_LEAVES))})\b")
_RUNS_TEXT = frozenset({"busybox", "eval", "ssh", "su", "trap", "parallel", "watch"})
"""Programs beside shells for which a quoted text or a heredoc may be a script of its own."""


def goes_on(command: str) -> bool:
    """Tell whether something of a shell command may run on after it has answered. What stands in
    quotes, heredocs and comments starts nothing, unless a shell may read it.

    >>> from hermes_checkpoints.triggers.background import goes_on
    >>> goes_on("make && ls"), goes_on("npm run dev &"), goes_on("curl 'http://host/?a=1&b=2'")
    (False, True, False)
    """
    if not _MAY.search(command):
        return False
    from hermes_checkpoints.triggers.shell import MAX_LENGTH, syntax_of
    from hermes_checkpoints.triggers.words import text_of
    from hermes_checkpoints.triggers.wrappers import SHELLS

    if len(command) > MAX_LENGTH:
        return True
    root = syntax_of(command)
    if root.has_error:
        return True
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "&" and node.parent is not None and node.parent.type != "binary_expression":
            return True
        if node.type == "word":
            name = posixpath.basename(text_of(node, command))
            if name in _LEAVES | _RUNS_TEXT | SHELLS:
                return True
        stack.extend(node.children)
    return False
