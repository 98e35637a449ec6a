"""Entries that are no plain files cost themselves at most; the rest is always captured."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from capture.oracle import State, check_restored
from capture.roundtrip import clock_ahead, comes_back, paths, skipped, taken, write
from capture.trees import listing, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.fs import inspect
from hermes_checkpoints.git import end_blocked_reads
from hermes_checkpoints.model import Action, Failed, Mode, SkipReason, Taken, Unchanged
from support import OrdinaryUserLike

ROOT = os.getuid() == 0


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(path))  # the name of a socket has at most 107 bytes


def make_device(path: Path) -> None:
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))


SPECIAL = [
    pytest.param(make_fifo, id="fifo"),
    pytest.param(make_socket, id="socket"),
    pytest.param(
        make_device,
        id="device",
        marks=pytest.mark.skipif(not ROOT, reason="only root makes devices"),
    ),
]


@pytest.mark.parametrize("make", SPECIAL)
def test_special_files_never_block_nor_abort(
    store: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tree)
    write(tree, {"file": "one\n", "sub/file": "one\n"})
    make(tree / "odd")
    make(tree / "sub/odd")
    checkpoint = taken(store.project(tree).take())
    assert skipped(store, checkpoint) == {
        "odd": SkipReason.SPECIAL,
        "sub/odd": SkipReason.SPECIAL,
    }
    assert not checkpoint.complete
    assert checkpoint.file_count == 2
    before = listing(tree)["odd"]
    write(tree, {"file": "two\n"})
    restored = store.project(tree).restore("latest", mode=Mode.EXACT)
    assert paths(restored.done) == {"file"}
    assert listing(tree)["odd"] == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("make", SPECIAL)
@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_special_files_with_a_name_that_git_reads_do_not_block(
    store: Checkpoints,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    name: str,
) -> None:
    monkeypatch.chdir(tree)
    write(tree, {"file": "one\n", "sub/file": "one\n"})
    make(tree / "sub" / name)
    checkpoint = taken(store.project(tree).take())
    assert skipped(store, checkpoint) == {f"sub/{name}": SkipReason.SPECIAL}
    assert checkpoint.file_count == 2
    write(tree, {"sub/file": "two\n"})
    assert paths(store.project(tree).restore("latest", mode=Mode.EXACT).done) == {"sub/file"}
    assert (tree / "sub/file").read_text() == "one\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("make", SPECIAL)
def test_a_tracked_file_becomes_special_and_a_file_again(
    store: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tree)
    write(tree, {"thing": "one\n", "other": "o\n"})
    first = taken(store.project(tree).take())
    (tree / "thing").unlink()
    make(tree / "thing")
    second = taken(store.project(tree).take())
    assert skipped(store, second) == {"thing": SkipReason.SPECIAL}
    restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert {step.path: step.reason for step in restored.kept} == {"thing": "not captured: special"}
    assert listing(tree)["thing"].is_special
    (tree / "thing").unlink()
    store.project(tree).restore(first.id, mode=Mode.OVERLAY)
    assert (tree / "thing").read_text() == "one\n"
    # What the second checkpoint skipped stays, although it is a file now.
    restored = store.project(tree).restore(second.id, mode=Mode.EXACT)
    assert (tree / "thing").read_text() == "one\n"
    assert paths(restored.kept) == {"thing"}


TYPES: dict[str, Callable[[Path], object]] = {
    "file": lambda path: path.write_text("file\n"),
    "directory": lambda path: write(path, {"deep/inside": "i\n"}),
    "empty directory": lambda path: path.mkdir(),
    "link to a directory": lambda path: path.symlink_to("full", target_is_directory=True),
    "loop": lambda path: path.symlink_to(path.name),
    "nothing": wipe,
}


@pytest.mark.campaign
def test_every_type_becomes_every_other_and_back(store: Checkpoints, tree: Path) -> None:
    write(tree, {"other": "o\n", "full/file": "f\n"})
    states, checkpoints = {}, {}
    for name, make in TYPES.items():
        wipe(tree / "thing")
        make(tree / "thing")
        states[name] = State.of(tree, None)
        checkpoints[name] = taken(store.project(tree).take(name)).id

    def become(name: str) -> None:
        now = State.of(tree, None)
        assert store.project(tree).restore(checkpoints[name], mode=Mode.EXACT).failed == ()
        check_restored(states[name], now, State.of(tree, None))

    for first, second in itertools.combinations(TYPES, 2):
        for name in (first, second, first):
            become(name)


def test_a_link_that_leads_out_is_captured_and_never_followed(
    store: Checkpoints, tree: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    write(outside, {"file": "precious\n"})
    write(tree, {"dir/file": "inside\n"})
    first = taken(store.project(tree).take())
    wipe(tree / "dir")
    (tree / "dir").symlink_to(outside)
    second = taken(store.project(tree).take())
    store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert (tree / "dir/file").read_text() == "inside\n"
    assert not (tree / "dir").is_symlink()
    store.project(tree).restore(second.id, mode=Mode.EXACT)
    assert (tree / "dir").is_symlink()
    assert {p: s.data for p, s in listing(outside).items()} == {"file": b"precious\n"}


def test_hard_links_come_back_as_equal_files_and_other_names_stay(
    store: Checkpoints, tree: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("shared\n")
    outside.chmod(0o640)
    for name in ("one", "two"):
        os.link(outside, tree / name)
    checkpoint = taken(store.project(tree).take())
    outside.chmod(0o600)
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
    assert paths(restored.done, Action.CHMOD) == {"one", "two"}
    for name in ("one", "two"):
        assert listing(tree)[name].what == (stat.S_IFREG | 0o640, b"shared\n")
    assert outside.stat().st_mode & 0o777 == 0o600  # a name outside of the project
    os.unlink(tree / "one")
    os.link(outside, tree / "one")
    outside.write_text("changed through another name\n")
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
    assert (tree / "one").read_text() == "shared\n"
    assert outside.read_text() == "changed through another name\n"


def test_sparse_files_have_their_bytes(store: Checkpoints, tree: Path) -> None:
    with (tree / "sparse").open("wb") as file:
        file.seek(3 << 20)
        file.write(b"end")
    comes_back(store, tree, lambda: write(tree, {"sparse": "short"}))
    assert (tree / "sparse").stat().st_size == (3 << 20) + 3


def test_empty_directories_come_back_with_their_modes(store: Checkpoints, tree: Path) -> None:
    for name, mode in (("a", 0o700), ("a/b", 0o755), ("a/b/c", 0o1777), ("d", 0o2775)):
        (tree / name).mkdir()
        (tree / name).chmod(mode)

    def change() -> None:
        wipe(tree / "a")
        (tree / "d").chmod(0o711)
        (tree / "e/f").mkdir(parents=True)

    comes_back(store, tree, change)
    assert (tree / "a/b/c").stat().st_mode & 0o7777 == 0o1777
    assert not (tree / "e").exists()


def test_an_empty_checkpoint_can_be_restored(store: Checkpoints, tree: Path) -> None:
    comes_back(store, tree, lambda: write(tree, {"new/file": "n"}))
    assert list(tree.iterdir()) == []


# --- as an ordinary user -------------------------------------------------------------------


def _unreadable(tmp: Path) -> None:
    tree = tmp / "tree"
    write(tree, {"open": "o\n", "closed": "secret\n", "dir/file": "f\n", "dir/sub/file": "s\n"})
    write(tree, {"list only/file": "l\n", "enter only/file": "e\n"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        first = taken(store.project(tree).take())
        assert first.complete
        (tree / "closed").chmod(0)
        (tree / "dir").chmod(0)
        (tree / "list only").chmod(0o444)
        (tree / "enter only").chmod(0o311)
        write(tree, {"open": "changed\n", "new": "n"})
        second = taken(store.project(tree).take())
        assert skipped(store, second) == dict.fromkeys(
            ("closed", "dir", "list only", "enter only"), SkipReason.UNREADABLE
        )
        assert not second.complete
        assert second.file_count == first.file_count + 1
        assert isinstance(store.project(tree).take(), Unchanged)
        restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
        assert restored.failed == ()
        assert (tree / "open").read_text() == "o\n"
        assert not (tree / "new").exists()
        store.project(tree).restore(restored.safety.id, mode=Mode.EXACT)
        modes = {"dir": 0, "list only": 0o444, "enter only": 0o311}
        assert {name: stat.S_IMODE((tree / name).stat().st_mode) for name in modes} == modes
        for name in ("closed", *modes):
            (tree / name).chmod(0o755)
        assert (tree / "closed").read_text() == "secret\n"
        # A version that the second checkpoint could not read is not replaced by an older one.
        write(tree, {"closed": "newest\n", "dir/file": "newest\n"})
        restored = store.project(tree).restore(second.id, mode=Mode.EXACT)
        assert {name: stat.S_IMODE((tree / name).stat().st_mode) for name in modes} == modes
        for name in modes:
            (tree / name).chmod(0o755)
        assert (tree / "closed").read_text() == "newest\n"
        assert (tree / "dir/file").read_text() == "newest\n"
        assert {s.path for s in restored.kept} >= {"closed", "dir/file"}


@pytest.mark.campaign
def test_unreadable_paths_cost_only_themselves(user: OrdinaryUserLike) -> None:
    user(_unreadable, user.tmp)


def stat_says_so(info: os.stat_result) -> bool:
    return stat.S_ISREG(info.st_mode)


def _closed_by_another_rule(tmp: Path) -> None:
    # As bits are that some other rule overrides; this is a process of its own.
    inspect.owner_may_read = stat_says_so  # type: ignore[attr-defined]
    tree = tmp / "tree"
    write(tree, {"closed": "secret\n", "open": "o\n"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        first = taken(store.project(tree).take())
        write(tree, {"new": "n", "closed": "more\n", "open": "changed\n", "closed too": "n"})
        (tree / "closed").chmod(0)
        (tree / "closed too").chmod(0)
        second = taken(store.project(tree).take())
        unread = dict.fromkeys(("closed", "closed too"), SkipReason.UNREADABLE)
        assert skipped(store, second) == unread
        assert second.file_count == first.file_count + 1
        assert isinstance(store.project(tree).take(), Unchanged)


def test_what_only_git_finds_unreadable_costs_only_itself(user: OrdinaryUserLike) -> None:
    user(_closed_by_another_rule, user.tmp)


def _many_closed_by_another_rule(tmp: Path) -> None:
    inspect.owner_may_read = stat_says_so  # type: ignore[attr-defined]
    started: list[str] = []
    sys.addaudithook(lambda event, _: started.append(event) if "Popen" in event else None)
    tree = tmp / "tree"
    write(tree, {"open": "0\n"})
    processes: list[int] = []
    descriptors: list[int] = []
    with Checkpoints.open(tmp / "user/.hermes") as store:
        store.project(tree).take()  # what is done once is done
        for number in (1, 10, 10):
            write(tree, {f"closed/{len(processes)}/{n}": "secret\n" for n in range(number)})
            for path in (tree / f"closed/{len(processes)}").iterdir():
                path.chmod(0)
            write(tree, {"open": f"{len(processes) + 1}\n"})
            started.clear()
            found = skipped(store, taken(store.project(tree).take()))
            processes.append(len(started))
            descriptors.append(len(os.listdir("/dev/fd")))
            assert {*found.values()} == {SkipReason.UNREADABLE}
    assert len(found) == 21
    assert len({*processes}) == len({*descriptors}) == 1


def test_what_only_git_finds_unreadable_costs_few_processes_however_much_it_is(
    user: OrdinaryUserLike,
) -> None:
    user(_many_closed_by_another_rule, user.tmp)


def _closed_at_once(tmp: Path) -> None:
    tree = tmp / "tree"
    write(tree, {"sub/closed": "one\n", "other": "o\n"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        store.project(tree).take()  # what is done once is done
        write(tree, {"sub/closed": "two\n"})
        os.utime(tree / "sub/closed", (0, 0))
        first = taken(store.project(tree).take())
        assert first.complete
        (tree / "sub/closed").chmod(0)
        second = taken(store.project(tree).take())
        assert skipped(store, second) == {"sub/closed": SkipReason.UNREADABLE}
        for turn, mode in enumerate((0o755, 0, 0o755), 1):
            (tree / "sub").chmod(mode)
            with clock_ahead(turn * 2.5):
                for number in range(2):
                    write(tree, {"other": f"{mode} {number}\n"})
                    path = "sub/closed" if mode else "sub"
                    assert skipped(store, taken(store.project(tree).take())) == {
                        path: SkipReason.UNREADABLE
                    }
        (tree / "sub/closed").chmod(0o644)
        assert taken(store.project(tree).take()).complete


@pytest.mark.campaign
def test_a_file_that_is_closed_within_the_second_of_a_take_stays_unreadable(
    user: OrdinaryUserLike,
) -> None:
    """Git compares whole seconds and takes the file for the one that it knows."""
    user(_closed_at_once, user.tmp)


def _in_place_of_an_unreadable_directory(tmp: Path, inside: tuple[str, ...]) -> None:
    tree = tmp / "tree"
    write(tree, {"other": "one\n"})
    (tree / "d").mkdir()
    write(tree, {f"d/{name}": "x\n" for name in inside})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        store.project(tree).take()
        (tree / "d").chmod(0o444)
        write(tree, {"other": "two\n"})
        unread = taken(store.project(tree).take())
        assert skipped(store, unread)["d"] == SkipReason.UNREADABLE
        (tree / "d").chmod(0o755)
        wipe(tree / "d")
        write(tree, {"d": "mine\n", "other": "three\n"})
        done = store.project(tree).restore(unread.id, mode=Mode.EXACT)
        assert [step.path for step in done.done] == ["other"]
        assert (tree / "d").read_text() == "mine\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("inside", [(), ("x",)], ids=["empty", "with a file"])
def test_what_stands_in_place_of_an_unreadable_directory_stays(
    user: OrdinaryUserLike, inside: tuple[str, ...]
) -> None:
    user(_in_place_of_an_unreadable_directory, user.tmp, inside)


def _full_store(tmp: Path) -> None:
    tree, objects = tmp / "tree", tmp / "user/.hermes/checkpoints/store/objects"
    write(tree, {"a": "one\n", "b": "one\n"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        first = taken(store.project(tree).take())
        folders = [objects, *(path for path in objects.iterdir() if path.is_dir())]
        for folder in folders:
            folder.chmod(0o500)
        write(tree, {"a": "two\n", "b": "two\n"})
        outcome = store.project(tree).take()
        assert isinstance(outcome, Failed), outcome
        for folder in folders:
            folder.chmod(0o700)
        assert [c.id for c in store.project(tree).list()] == [first.id]
        second = taken(store.project(tree).take())
        assert second.complete
        assert [change.path for change in store.project(second.working_dir).changes(second)] == [
            "a",
            "b",
        ]
        store.project(tree).restore(first.id, mode=Mode.EXACT)
        store.project(tree).restore(second.id, mode=Mode.EXACT)
        assert (tree / "b").read_text() == "two\n"


def test_a_store_that_takes_nothing_more_yields_no_checkpoint(
    user: OrdinaryUserLike,
) -> None:
    user(_full_store, user.tmp)


def _closed_directories(tmp: Path) -> None:
    tree = tmp / "tree"
    write(tree, {"ro/file": "one\n", "ro/gone": "g\n", "ro/sub/deep": "d\n"})
    for name in ("ro/sub", "ro"):
        (tree / name).chmod(0o555)
    with Checkpoints.open(tmp / "user/.hermes") as store:
        checkpoint = taken(store.project(tree).take())
        assert checkpoint.complete
        for name in ("ro", "ro/sub"):
            (tree / name).chmod(0o755)
        write(tree, {"ro/file": "two\n", "ro/new": "n\n"})
        wipe(tree / "ro/gone")
        wipe(tree / "ro/sub")
        (tree / "ro").chmod(0o555)
        restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
        assert restored.failed == ()
    found = {p: (s.mode & 0o777, s.data) for p, s in listing(tree).items()}
    assert found == {
        "ro": (0o555, b""),
        "ro/file": (0o644, b"one\n"),
        "ro/gone": (0o644, b"g\n"),
        "ro/sub": (0o555, b""),
        "ro/sub/deep": (0o644, b"d\n"),
    }


def test_directories_closed_to_writing_are_restored(user: OrdinaryUserLike) -> None:
    user(_closed_directories, user.tmp)


def _another_owner(tmp: Path) -> None:
    with Checkpoints.open(tmp / "user/.hermes") as store:
        checkpoint = taken(store.project(tmp / "theirs").take())
        assert checkpoint.file_count == 2
        assert checkpoint.complete


@pytest.mark.skipif(not ROOT, reason="only root makes files of another owner")
def test_another_owner_of_the_directory_is_no_obstacle(user: OrdinaryUserLike) -> None:
    write(user.tmp / "theirs", {"file": "f\n", "sub/file": "s\n"})
    subprocess.run(["git", "init", "-q"], cwd=user.tmp / "theirs", check=True)
    user(_another_owner, user.tmp)


# --- while something else writes --------------------------------------------------------------

WRITER = """
import os, sys
root = sys.argv[1]
print("ready", flush=True)
number = 0
while True:
    number += 1
    for i in range(20):
        path = os.path.join(root, f"f{i}")
        with open(path, "w") as file:
            file.write(f"{number}" * 2000)
        other = os.path.join(root, f"g{i}")
        os.rename(path, other)
        os.unlink(other)
        os.makedirs(os.path.join(root, f"d{i}"), exist_ok=True)
        with open(os.path.join(root, f"d{i}", "x"), "w") as file:
            file.write("x" * number)
        os.unlink(os.path.join(root, f"d{i}", "x"))
        os.rmdir(os.path.join(root, f"d{i}"))
"""


@pytest.mark.campaign
def test_files_that_change_and_vanish_while_being_read_cost_only_themselves(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {f"calm/{i}": f"{i}\n" for i in range(50)})
    (tree / "busy").mkdir()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tree / "busy")], stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        for number in range(8):
            write(tree, {f"calm/{number}": f"turn {number}\n"})
            checkpoint = taken(store.project(tree).take())
            reasons = set(skipped(store, checkpoint).values())
            assert reasons <= {SkipReason.VANISHED, SkipReason.UNREADABLE}
            assert all(path.startswith("busy/") for path in skipped(store, checkpoint))
            assert checkpoint.file_count >= 50
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        if writer.stdout is not None:
            writer.stdout.close()
    then = State.of(tree, None)
    outcome = store.project(tree).take()
    assert isinstance(outcome, Taken | Unchanged)
    checkpoint = outcome.checkpoint
    assert set(skipped(store, checkpoint).values()) <= {SkipReason.VANISHED}
    for i in range(50):
        write(tree, {f"calm/{i}": "broken"})
    now = State.of(tree, None)
    store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    check_restored(then, now, State.of(tree, None))


def test_a_restore_beside_a_writer_says_what_it_could_not_do(
    store: Checkpoints, tree: Path
) -> None:
    """The lock keeps takes and restores apart; a foreign writer is answered by path."""
    write(tree, {"a": "one\n", "b/c": "two\n"})
    checkpoint = taken(store.project(tree).take())
    write(tree, {"a": "changed\n", "b/c": "changed\n"})
    plan = store.project(tree).plan_restore(checkpoint.id)
    wipe(tree / "b")
    (tree / "b").symlink_to("elsewhere")
    with pytest.raises(Exception, match="changed after the plan was made"):
        store.project(tree).restore(checkpoint.id, plan=plan)
    assert (tree / "a").read_text() == "changed\n"


@pytest.mark.campaign
def test_a_tree_of_more_levels_than_python_calls_is_taken_and_restored(
    store: Checkpoints, tmp_path: Path
) -> None:
    """Also while git takes long, when pipes are looked for in all of it."""
    root = tmp_path / "deep"
    root.mkdir()

    def write_at_the_bottom(text: bytes) -> None:
        above = os.open(root, os.O_RDONLY)
        for _ in range(1100):
            with contextlib.suppress(FileExistsError):
                os.mkdir("d", dir_fd=above)
            below = os.open("d", os.O_RDONLY, dir_fd=above)
            os.close(above)
            above = below
        file = os.open("f", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, dir_fd=above)
        os.write(file, text)
        os.close(file)
        os.close(above)

    try:
        write_at_the_bottom(b"one")
        assert not end_blocked_reads(str(root))
        project = store.project(root)
        first = taken(project.take())
        write_at_the_bottom(b"two")
        restored = project.restore(first.id, mode=Mode.EXACT)
        undone = project.restore(restored.safety.id, mode=Mode.EXACT)
        for done in (restored.done, undone.done):
            assert [step.path for step in done] == ["d/" * 1100 + "f"]
    finally:
        subprocess.run(["rm", "-rf", root], check=True)  # pytest calls itself for each level
