"""A disk that is full, in bytes or in inodes: what fails says so, and what there was is there.

The world is on a small file system of its own, which is given as much room as it needs and a little
more. Where no such file system can be mounted, and in each fourth round, the size of each file is
limited instead.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from campaigns import namespaces
from campaigns.operations import nth
from campaigns.rounds import Rounds, Verdict, describe
from campaigns.world import World

_LARGE, _MANY = 512 << 20, 200_000


def enter() -> None:
    if not namespaces.obstacle():
        namespaces.enter()


def make(folder: Path) -> World:
    """Make a world on a file system of its own, where that can be."""
    disk = folder / "disk"
    disk.mkdir()
    try:
        namespaces.mount("-t", "tmpfs", "-o", f"size={_LARGE},nr_inodes={_MANY}", "none", disk)
    except Exception:  # noqa: BLE001 - mount says in its own way that it may not
        return World.make(folder)
    world = World.make(disk, reports=folder)
    world.at_close = lambda: namespaces.unmount(disk)
    return world


def _resize(world: World, size: int, inodes: int) -> None:
    namespaces.mount("-o", f"remount,size={size},nr_inodes={inodes}", world.folder)


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Let one operation meet its limit somewhere; the operations take turns."""
    operation = nth(number)
    reference = rounds.reference(operation)
    world = rounds.world
    rounds.begin(operation)
    more = dict(operation.job)
    mounted = os.path.ismount(world.folder)
    room = int(10 ** chance.uniform(2.5, 5.6))
    if not mounted or number % 4 == 3:
        more["file_bytes"] = room
        where = f"files of {room} bytes at most"
    else:
        found = os.statvfs(world.folder)
        page = found.f_frsize
        size = (found.f_blocks - found.f_bfree) * page + room
        inodes = found.f_files - found.f_ffree + 1
        if chance.random() < 0.4:
            inodes += chance.randint(0, 60)
            where = f"{inodes - (found.f_files - found.f_ffree)} inodes free"
            size = _LARGE
        else:
            where = f"{room} bytes free"
            inodes = _MANY
        _resize(world, size, inodes)
    played = world.play(operation.steps(world), home=operation.home_in(world), **more)
    if mounted:
        _resize(world, _LARGE, _MANY)
    usual = describe(reference.answers)
    verdict = Verdict(events=int(describe(played.answers) != usual))
    verdict.told = f"{operation.name}, {where}: {describe(played.answers)}"
    rounds.judge(operation, played, verdict)
    return verdict
