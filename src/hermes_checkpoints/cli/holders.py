"""The command that brings a path back from a checkpoint that holds it, as it is typed where this
one was started."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.plans import command, named_for_reverse
from hermes_checkpoints.errors import PathUnknown

if TYPE_CHECKING:
    from hermes_checkpoints.cli.target import Target
    from hermes_checkpoints.model import FoundPath


def bring_back(
    args: argparse.Namespace, what: Target, found: FoundPath, *words: str, path: str | None = None
) -> str:
    """Return the command for a path, or another ``path`` instead; ``words`` are the verb,
    ``restore`` by default, with its options. It names the checkpoint by its id, since numbers move
    with each take, and the directory only where it is found by that alone."""
    verb, *options = words or ("restore",)
    checkpoint, name = found.checkpoint, found.path if path is None else path
    own = checkpoint.working_dir == str(what.working_dir)
    if own and named_for_reverse(what, args) is None:
        where = []
        if what.start != PurePath():
            name = os.path.relpath(name, what.start)
    else:
        where = ["--dir", checkpoint.working_dir]
    return command(args, verb, checkpoint.short_id, *options, *where, "--", name)


def lost_line(found: FoundPath) -> str:
    """Return what is to be said of a path that is lost, in place of a command."""
    return (
        f"lost: the object store lacks object {found.blob}; it can be restored once a backup of "
        "the store that has it is put back"
    )


@contextmanager
def telling_the_command(args: argparse.Namespace, what: Target, *words: str) -> Iterator[None]:
    """Let an error that names the last checkpoint that has a path end with the command for it."""
    try:
        yield
    except PathUnknown as error:
        if error.held is None or error.held.lost:
            raise
        line = bring_back(args, what, error.held, *words, path=error.path)
        raise PathUnknown(f"{error}: {line}", error.path, hint=line) from error
