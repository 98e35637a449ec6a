"""Holds back what the upgrade of a catalog would choke on, and brings it back afterwards.

The revision that enters what earlier versions left reads their small files by itself, in one
transaction, and never changes. One file that it cannot get over would make every opening fail. So
such files are moved into ``.held-back`` in the base before, and back to their places after: the
import that follows judges them one by one, within limits, and lists what cannot be read. A process
may be killed between the two; the next opening brings them back.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hermes_checkpoints import plain_yaml
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BadDirectory
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.system import place_of, rename_new
from hermes_checkpoints.fs.walking import walk_up
from hermes_checkpoints.model import MB, LegacyLayout

HELD = ".held-back"

_MOST_SESSION = MB // 4
"""The revision reads YAML with the parser in Python: so much takes it a second."""
_MOST_FACTS = MB
_MOST_NOTE = MB // 16


def hold_back(base: Path) -> None:
    """Move away what the revision cannot read, of a base that it has not seen yet.

    Raises:
        OSError: when something cannot be moved.
    """
    for path in list(_unreadable(base)):
        target = base / HELD / path.relative_to(base)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rename_new(place_of(path), place_of(target))


def is_left(base: Base) -> bool:
    """Tell whether something was held back and not brought back."""
    return os.path.lexists(f"{base.layout.base}/{HELD}")


def bring_back(base: Base) -> None:
    """Bring back what was held back, and list it as found. What has a successor in its place by now
    waits until that is imported. Costs one look where there is nothing."""
    if not is_left(base):
        return
    from hermes_checkpoints.base.inside import inside

    root = base.layout.base / HELD
    for folder, _, names in walk_up(root):
        for name in names:
            source = Path(folder, name)
            path = source.relative_to(root)
            with suppress(OSError, BadDirectory):
                place = inside(base.layout.base, path.as_posix())
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                rename_new(place_of(source), place_of(place))
                if path.suffix == ".yaml":
                    base.catalog.archives.add(
                        path.as_posix(),
                        path.name,
                        LegacyLayout.SESSION_FILE,
                        project_hash=None,
                        working_dir=None,
                        now=base.now(),
                    )
        with suppress(OSError):
            os.rmdir(folder)


def _unreadable(base: Path) -> Iterator[Path]:
    from hermes_checkpoints.history.find import in_base

    for one in in_base(base):
        if one.layout is LegacyLayout.SESSION_FILE and not _is_session(one.path):
            yield one.path
        elif one.layout is LegacyLayout.V1 and _size(note := one.path / "HERMES_WORKDIR") > (
            _MOST_NOTE
        ):
            yield note
    facts = base / "store" / "projects"
    with suppress(OSError):
        for file in sorted(facts.iterdir()):
            if not _is_of_project(file):
                yield file
    if _size(base / ".last_prune") > _MOST_NOTE:
        yield base / ".last_prune"


def _size(path: Path) -> int:
    """Return the bytes of a regular file, also at the end of a link; none of anything else, which
    the revision does not open."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _is_session(file: Path) -> bool:
    """Tell whether the revision gets over a file, whether or not it is a session."""
    if file.is_symlink() or not _size(file):
        return True  # it does not open that
    if _size(file) > _MOST_SESSION:
        return False
    try:
        document = plain_yaml.load(small_contents(file).decode("utf-8"))
        if isinstance(document, dict):
            str(document.get("status")), str(document.get("task"))
    except plain_yaml.Refused as error:
        # It gets over what is no YAML, and not over a limit, or what is too large for a number.
        return error.__cause__ is not None and not isinstance(error.__cause__, ArithmeticError)
    except UnicodeDecodeError:
        return True
    except (ValueError, RecursionError):  # a number of more digits than Python prints
        return False
    return True


def _is_of_project(file: Path) -> bool:
    from hermes_checkpoints.history.find import is_directory_name

    if _size(file) > _MOST_FACTS:
        return False
    try:
        document = json.loads(small_contents(file))
    except RecursionError:
        return False
    except ValueError:
        return True
    working_dir = document.get("workdir") if isinstance(document, dict) else None
    return not isinstance(working_dir, str) or is_directory_name(working_dir)
