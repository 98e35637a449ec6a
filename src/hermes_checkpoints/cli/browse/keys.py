"""What each key does, for the help and docs/browse.md."""

from __future__ import annotations

KEYS = (
    ("↑ ↓  j k", "move; further: PgUp PgDn, Home End, g G"),
    ("→  Enter", "into the files of a checkpoint, into the difference"),
    ("←  Esc", "back"),
    ("Tab", "the next pane; Shift+Tab: the one before"),
    ("z", "the pane alone on the whole terminal, and back"),
    ("v", "what followed the checkpoint, or all until now"),
    ("/", "only paths with this text in them; Esc ends it"),
    ("R", "restore: all, or the marked or chosen files"),
    ("P", "restore by parts: choose what of each file comes back"),
    ("Space", "mark a file for R and P"),
    ("u", "undo the last restore; right after one, unasked"),
    ("U", "redo the last undo"),
    ("t", "take a checkpoint, with a reason if you like"),
    ("p", "pin, so that no rule prunes it; unpin"),
    ("l", "label, or take one of its labels away"),
    ("r  F5", "look again"),
    ("?", "this help"),
    ("q", "quit"),
)
"""Keys with what they do, in the order in which they are learned."""
