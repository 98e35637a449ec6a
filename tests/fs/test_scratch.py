"""Folders for a moment go, and what cannot be removed is no failure of the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.fs.scratch import scratch_folder
from support import OrdinaryUserLike


def test_a_scratch_folder_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with pytest.raises(KeyError), scratch_folder(place, "scratch-") as folder:
        (folder / "a").mkdir()
        (folder / "a" / "b").touch()
        raise KeyError
    assert list(place.iterdir()) == []


def test_a_scratch_folder_that_cannot_be_removed_is_left(as_user: OrdinaryUserLike) -> None:
    def work() -> int:
        place = as_user.tmp / "place"
        place.mkdir()
        with scratch_folder(place) as folder:
            (folder / "a").touch()
            place.chmod(0o500)
        return len(list(place.iterdir()))

    assert as_user(work) == 1
    (as_user.tmp / "place").chmod(0o700)
