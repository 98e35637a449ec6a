"""Looks at loose objects without a process: one file each, named by the id of what is in it.

Git takes a file of that name for the object, whatever is in it: an empty or garbled one keeps
git from writing the object anew. So what is here to be relied on is read whole, and compared
with its name.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

from hermes_checkpoints.errors import StoreDamaged

_FAN_OUT = 2
_PIECE = 1 << 18


def loose_path(store: Path, object_id: str) -> Path:
    """Return where an object of the store lies if it lies loose."""
    return store / "objects" / object_id[:_FAN_OUT] / object_id[_FAN_OUT:]


def is_loose(store: Path, object_id: str) -> bool:
    """Tell whether an object lies loose, having read and checked all of it.

    False where no file has its name: the object may be in a pack, or nowhere.

    Raises:
        StoreDamaged: when the file cannot be read, or is not what its name says.
    """
    digest, inflate = hashlib.sha1(usedforsecurity=False), zlib.decompressobj()
    try:
        with loose_path(store, object_id).open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(inflate.decompress(piece))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreDamaged(
            f"object {object_id} of the object store cannot be read ({error.strerror})"
        ) from error
    except zlib.error as error:
        raise StoreDamaged(f"object {object_id} of the object store is damaged") from error
    if not inflate.eof or inflate.unused_data or digest.hexdigest() != object_id:
        raise StoreDamaged(f"object {object_id} of the object store is damaged")
    return True
