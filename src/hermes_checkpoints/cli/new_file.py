"""Files that a verb writes where a person wants them: whole or not at all, and over no other."""

from __future__ import annotations

import argparse
import bz2
import gzip
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hermes_checkpoints.base.projects import require_own_place
from hermes_checkpoints.cli.output import raw_output
from hermes_checkpoints.cli.target import layout_of, path_of
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.fs.system import rename_new

STDOUT = "-"


@contextmanager
def new_file(args: argparse.Namespace, word: str) -> Iterator[IO[bytes]]:
    """Open the file that a word names, to be written; ``-`` is standard output. It gets its name
    once the block has ended well, and is compressed as its name says (``.gz``, ``.tgz``, ``.bz2``,
    ``.xz``).

    Raises:
        BadRequest: when something lies there, or nothing can be written.
        BadDirectory: when it would lie in the base.
    """
    if word == STDOUT:
        with raw_output() as stream:
            yield stream
        return
    path = path_of(args, word, "file")
    require_own_place(path, layout_of(args))
    _require_free(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        file = temporary.open("xb")
    except OSError as error:
        raise BadRequest(f"{path} cannot be written ({error.strerror})") from error
    try:
        with file:
            with _compressed(path.name, file) as stream:
                yield stream
            file.flush()
            os.fsync(file.fileno())
        try:
            rename_new((str(path.parent), temporary.name), (str(path.parent), path.name))
        except FileExistsError:
            _require_free(path)
            raise
    except OSError as error:
        raise BadRequest(f"{path} cannot be written ({error.strerror})") from error
    except KeyboardInterrupt as stop:
        stop.add_note(f"interrupted: {path} was not written")
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _require_free(path: Path) -> None:
    if os.path.lexists(path):
        raise BadRequest(f"{path} is there already, and is left as it is; name a new file")


@contextmanager
def _compressed(name: str, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Compress by the ending of a name; the bytes do not depend on name and time."""
    if name.endswith((".gz", ".tgz")):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif name.endswith(".bz2"):
        with bz2.BZ2File(file, "wb") as packed_bz2:
            yield packed_bz2
    elif name.endswith(".xz"):
        with lzma.LZMAFile(file, "wb") as packed_xz:
            yield packed_xz
    else:
        yield file
