"""A bounded slice of each campaign, the same rounds each time, and that the campaigns see what they
look for. ``python -m tests.campaigns`` runs the whole."""

from __future__ import annotations

import errno
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import kills, oracle, preload, runner, trees
from campaigns.operations import OPERATIONS
from campaigns.preload import Action
from campaigns.rounds import Rounds, Verdict, describe
from campaigns.world import World

pytestmark = pytest.mark.campaign

SEED = 15
ROUNDS = {"kills": 10, "faults": 3, "full": 3, "hostile": 3}
"""How many rounds each slice has; the rest have one."""


@pytest.fixture(scope="module")
def rounds() -> Iterator[Rounds]:
    with tempfile.TemporaryDirectory() as name:
        try:
            world = World.make(Path(name))
        except preload.Unavailable as error:
            pytest.skip(str(error))
        yield Rounds(world)
        world.close()


@pytest.mark.parametrize("campaign", list(runner.SHARES))
def test_nothing_is_lost_and_nothing_false_is_told(campaign: str) -> None:
    """In a process of its own: some campaigns have mounts of their own."""
    found = runner.run(campaign, SEED, rounds=ROUNDS.get(campaign, 1))
    if found.skipped and not found.rounds:
        pytest.skip(found.skipped[0])
    assert found.rounds == ROUNDS.get(campaign, 1)
    assert found.good, found.failures[:2]
    assert found.events or campaign == "full"  # where it fails depends on the room that is left


def test_a_round_is_the_same_whatever_was_played_before(rounds: Rounds) -> None:
    number = list(OPERATIONS).index("session-write")
    seed = next(s for s in range(99) if random.Random(s).choice(kills.WAYS) is not None)  # noqa: S311
    told = []
    for before in (None, "label", "pin"):
        if before is not None:
            kills.play(rounds, random.Random(0), list(OPERATIONS).index(before))  # noqa: S311
        told.append(kills.play(rounds, random.Random(seed), number))  # noqa: S311
    assert told[0] == told[1] == told[2]
    assert told[0].told.startswith("session-write, kill_")


def test_a_disk_that_was_full_is_no_obstacle_to_the_next_restore(rounds: Rounds) -> None:
    """Git ends with success where a folder of its objects could not be made, and its index names
    the tree all the same."""
    operation, world = OPERATIONS["restore-overlay"], rounds.world
    made, refused = rounds.reference(operation).kinds[preload.Call.MKDIR], 0
    for point in range(1, made + 1):
        rounds.begin(operation)
        world.control.at(point, Action.FAIL, error=errno.ENOSPC, calls=preload.Call.MKDIR)
        refused += world.play(operation.steps(world)).last["answer"] == "refused"
        world.control.nothing()
        assert world.play(operation.steps(world)).last["answer"] == "restored", point
    assert refused


def test_a_new_file_that_cannot_be_deleted_gets_no_name_that_people_see(rounds: Rounds) -> None:
    operation, world = OPERATIONS["undo"], rounds.world
    rounds.begin(operation)
    world.control.at(1, Action.FAIL, error=errno.EIO, stays=True, calls=preload.Call.UNLINK)
    played = world.play(operation.steps(world))
    world.control.nothing()
    assert played.last["failed"]
    assert not [path for path in trees.look(world.alpha) if ".kept-" in path]
    assert world.play(operation.steps(world)).last["complete"]
    assert (
        trees.without_leftovers(trees.look(world.alpha)) == rounds.reference(operation).tree_after
    )


# --- they see what they look for ---------------------------------------------------------------


def judged(rounds: Rounds, name: str, harm: object) -> Verdict:
    """Play an operation to which nothing happens, do harm to what it left, and judge."""
    operation, world, verdict = OPERATIONS[name], rounds.world, Verdict()
    rounds.reference(operation)
    rounds.begin(operation)
    played = world.play(operation.steps(world), home=operation.home_in(world))
    assert callable(harm)
    harm(world)
    rounds.judge(operation, played, verdict)
    return verdict


def test_what_nothing_happened_to_is_good(rounds: Rounds) -> None:
    verdict = judged(rounds, "pin", lambda _: None)
    assert verdict.good, verdict


def test_a_lost_checkpoint_is_seen(rounds: Rounds) -> None:
    def harm(world: World) -> None:
        store = oracle.store_of(world.home)
        for path in store.glob("objects/??/*"):
            path.chmod(0o644)
            path.write_bytes(b"")

    assert judged(rounds, "pin", harm).lost


def test_a_changed_file_of_a_person_is_seen(rounds: Rounds) -> None:
    def harm(world: World) -> None:
        (world.alpha / "run.sh").write_text("something else\n")

    assert judged(rounds, "pin", harm).lost


def test_a_touched_file_outside_is_seen(rounds: Rounds) -> None:
    sentinel = rounds.world.outside / "sentinel"
    verdict = judged(rounds, "pin", lambda _: sentinel.write_text("touched\n"))
    sentinel.write_text("outside\n")
    assert verdict.outside


def test_other_contents_of_a_checkpoint_are_seen() -> None:
    full = {"a": ("file", 0o644, b"1"), "b.log": ("file", 0o644, b"2"), "d": ("dir", 0o755, b"")}
    held = trees.captured(full)
    assert oracle.wrong_contents(held, full) == ""
    assert oracle.wrong_contents(full, full) == ""
    assert "missing" in oracle.wrong_contents({"a": held["a"]}, full)
    assert "it was" in oracle.wrong_contents({**held, "a": ("file", 0o755, b"1")}, full)
    assert "it was missing" in oracle.wrong_contents({**held, "c": held["a"]}, full)


@pytest.mark.parametrize("way", [Action.KILL_ALL, Action.KILL_LEADER])
def test_a_kill_is_a_kill(rounds: Rounds, way: Action) -> None:
    operation, world = OPERATIONS["take"], rounds.world
    reference = rounds.reference(operation)
    rounds.begin(operation)
    world.control.at(reference.calls // 3, way)
    played = world.play(operation.steps(world))
    assert (played.ended.code, world.control.happened) == (-9, 1)
    assert describe(played.answers) in ("no answer", "taken")


def test_a_failing_round_names_the_command_that_repeats_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines: list[str] = []
    told = {"round": 3, **vars(Verdict(events=1, lost=["a checkpoint"], told="take"))}
    runner._say(told, "kills", 7, lines.append, always=False)
    assert lines[-1] == "    again: python -m tests.campaigns kills --seed 7 --round 3"
    total = runner.Total("kills", 7)
    total.add(told)
    assert not total.good
    monkeypatch.setattr(runner, "run", lambda *_, **__: total)
    report = tmp_path / "report.json"
    assert runner.main(["kills", "--seed", "7", "--rounds", "1", "--json", str(report)]) == 1
    assert json.loads(report.read_text())["campaigns"][0]["lost"] == 1


def test_a_kill_by_the_clock_happens_at_a_time(rounds: Rounds) -> None:
    began = time.monotonic()
    operation = OPERATIONS["take"]
    rounds.begin(operation)
    played = rounds.world.play(operation.steps(rounds.world), kill_after=0.0)
    assert played.ended.code == -9
    assert time.monotonic() - began < 30
