"""A loose object is what its name says, or it is damage, whoever looks."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.object_store.git_objects import object_id
from hermes_checkpoints.object_store.loose import is_loose, is_sound, loose_path

DATA = b"contents\n" * 50
NAME = object_id("blob", DATA)
WHOLE = zlib.compress(b"blob %d\0" % len(DATA) + DATA)


@pytest.mark.parametrize(
    ("written", "sound"),
    [
        (WHOLE, True),
        (WHOLE + b"more", False),
        (WHOLE[:-3], False),
        (b"", False),
        (b"garbage", False),
        (zlib.compress(b"blob 5\0other"), False),
    ],
    ids=["whole", "too long", "cut short", "empty", "garbled", "another"],
)
def test_whoever_takes_or_heals_or_borrows_agrees(
    tmp_path: Path, written: bytes, sound: bool
) -> None:
    path = loose_path(tmp_path, NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(written)
    assert is_sound(path, NAME) is sound
    if sound:
        assert is_loose(tmp_path, NAME)
    else:
        with pytest.raises(StoreDamaged, match=NAME):
            is_loose(tmp_path, NAME)
