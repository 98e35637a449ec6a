"""What a restore's own record says of each path, so that an undo takes back that and no more."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_checkpoints.model import Action, Change, ChangeStatus, RecordedStep, RestoreState
from hermes_checkpoints.restore.recorded import CAME_AFTER, Record

FILE = 0o100644


class Counted(list[RecordedStep]):
    """Counts how often somebody went through it."""

    walks = 0

    def __iter__(self) -> Iterator[RecordedStep]:
        self.walks += 1
        return super().__iter__()


def step(number: int) -> RecordedStep:
    return RecordedStep(number, f"f{number}", Action.WRITE, f"b{number}", FILE, "done")


def test_many_paths_are_judged_by_one_walk_through_the_record() -> None:
    steps = Counted(step(number) for number in range(50))
    record = Record(steps, RestoreState.DONE)
    for number in range(50):
        blob = f"b{number}" if number % 2 else "another"
        change = Change(f"f{number}", ChangeStatus.MODIFIED, blob, "before", FILE, FILE)
        verdict = record.verdict(change)
        assert (verdict.restore, verdict.reason) == (
            (True, "") if number % 2 else (False, CAME_AFTER)
        )
    assert record.paths == [f"f{number}" for number in range(50)]
    assert steps.walks == 1
