"""``export``: checkpoints out of the store, in forms that need nothing of ours: a tar archive, a
patch, a branch of the project's own repository, or the base of an earlier version."""

from __future__ import annotations

import argparse
import os
import sys

from hermes_checkpoints.cli.arguments import add_dry_run, add_paths
from hermes_checkpoints.cli.diff import of_checkpoints
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.export_branch import export_branch
from hermes_checkpoints.cli.json.checkpoints import of_archived, of_diff
from hermes_checkpoints.cli.json.history import of_export
from hermes_checkpoints.cli.new_file import STDOUT, new_file
from hermes_checkpoints.cli.output import complain, document, is_terminal, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.target import opened, path_of, target
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.cli.words import checkpoint_of
from hermes_checkpoints.errors import PROGRAM, BadRequest
from hermes_checkpoints.text import permissions_line


def register(verbs: Verbs) -> None:
    """Add ``export``."""
    parser = verbs.add(
        "export",
        run,
        "Write a checkpoint as an archive, a patch or a branch, or all for an earlier version",
        usage="(ID --tar FILE | [ID [ID]] [PATH …] --patch FILE | ID --branch NAME [--dry-run] | "
        "DIR --layout v2)",
    )
    add_paths(
        parser,
        "the checkpoint; for a patch, what `diff` takes; with --layout, a new folder",
        name="words",
        metavar="ID|PATH|DIR",
    )
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument(
        "--tar",
        metavar="FILE",
        help="write what the checkpoint holds as a tar archive, compressed where FILE ends in .gz, "
        ".bz2 or .xz; - is standard output",
    )
    form.add_argument(
        "--patch",
        metavar="FILE",
        help="write what `diff` shows as a patch for `git apply`; - is standard output",
    )
    form.add_argument(
        "--branch",
        metavar="NAME",
        help="commit what the checkpoint holds on the new branch NAME of the project's own git "
        "repository, on top of HEAD; HEAD, index and files stay as they are",
    )
    form.add_argument(
        "--layout", choices=["v2"], help="write all checkpoints for this earlier version to use"
    )
    add_dry_run(parser, "with --branch: print what would be committed, write nothing")


def run(args: argparse.Namespace) -> int:
    """Write it, and say what is not in it."""
    if args.json and STDOUT in (args.tar, args.patch):
        raise BadUsage("--json prints a document where the file would go; name a FILE")
    if args.dry_run and args.branch is None:
        raise BadUsage(
            "--dry-run goes with --branch: the other forms write a new file, and no more"
        )
    if args.layout is not None:
        return _layout(args)
    if args.branch is not None:
        return export_branch(args, only_word(args, "ID"))
    return _patch(args) if args.tar is None else _tar(args)


def only_word(args: argparse.Namespace, what: str) -> str:
    """Return the one word that the arguments have.

    Raises:
        BadUsage: when they have none, or more.
    """
    words = [*args.words, *(args.literal or ())]
    if len(words) != 1:
        raise BadUsage(f"give exactly one {what}")
    return str(words[0])


def _tar(args: argparse.Namespace) -> int:
    word = only_word(args, "ID")
    if args.tar == STDOUT and is_terminal(sys.stdout):
        raise BadRequest("an archive is nothing for a terminal; redirect it, or name a FILE")
    with target(args) as what:
        found = checkpoint_of(what, word, anywhere=True)
        with new_file(args, args.tar) as file:
            done = found.what.project.write_tar(found.checkpoint, file)
    if args.json:
        document(of_archived(done))
    elif args.tar != STDOUT:
        say(
            f"{args.tar}: checkpoint {done.checkpoint.short_id}, {counted(done.files, 'file')}, "
            f"{size(done.bytes)}"
        )
    for skipped in done.skipped:
        complain(f"not in it: {skipped_line(skipped)}")
    for path in done.lost:
        complain(f"not in it: {path}  the object store lacks its contents")
    return Exit.IN_PART if done.lost else Exit.DONE


def _patch(args: argparse.Namespace) -> int:
    with target(args) as what:
        diff = of_checkpoints(what, args, binary=True)
        if diff.text:
            with new_file(args, args.patch) as file:
                file.write(os.fsencode(diff.text))
    if args.json:
        document(of_diff(diff, text=False))
    elif not diff.text:
        complain("no contents differ: nothing was written")
    elif args.patch != STDOUT:
        changes = sum(change.bits is None for change in diff.changes)
        say(f"{args.patch}: {counted(changes, 'path')}, from checkpoint {diff.checkpoint.short_id}")
    for change in diff.changes:
        if change.bits is not None:
            complain(f"not in it: {permissions_line(change.path, *change.bits)}")
    for one in diff.skipped:
        complain(f"not in it: {skipped_line(one)}")
    return Exit.DONE


def _layout(args: argparse.Namespace) -> int:
    """Write the store, and say how it is put to use."""
    word = only_word(args, "DIR")
    if args.dirs:
        raise BadUsage("--dir: `export --layout` is about no single directory")
    with opened(args) as checkpoints:
        done = checkpoints.export_v2(path_of(args, word, "folder"))
    if args.json:
        document(of_export(done))
        return Exit.DONE
    say(
        f"Exported {counted(done.checkpoints, 'checkpoint')} of "
        f"{counted(done.projects, 'project')} to {done.base}."
    )
    say("To use them, move this folder to `checkpoints` in the home of the earlier version.")
    say(f"Sessions are exported by: {PROGRAM} sessions export ID")
    return Exit.DONE
