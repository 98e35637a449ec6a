"""The model of test_model.py where paths stand in each other's way, with links and permissions.

What a person touched stays byte for byte, whatever a restore has to do around it. What was the
agent's comes back, or is kept and named, since something of a person's is in its way.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from attribution.histories import History, runs_unless
from attribution.test_model import Game, Oracle
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution import observing, turns
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Mode
from hermes_checkpoints.model.paths import parents
from support import everything, examples

PATHS = ("a", "a/b", "a/b/c", "d", "d/e")
LINK = "leads to "


@dataclass
class Tangle(Game):
    """A game of paths that stand in each other's way."""

    def now(self) -> dict[str, str | None]:
        return {path: self.state(path) for path in PATHS}

    def state(self, name: str) -> str | None:
        path = self.history.directory / name
        if any((self.history.directory / up).is_symlink() for up in parents(name)):
            return None
        if path.is_symlink():
            return LINK + os.readlink(path)
        if not path.is_file():
            return None
        return f"{stat.S_IMODE(path.stat().st_mode):o} {path.read_text()}"

    def change(self, name: str, edit: str | int | None) -> None:
        """Put contents or a link at a path, whatever is there, or delete or chmod a file."""
        path = self.history.directory / name
        if isinstance(edit, int):
            if self.state(name) and not path.is_symlink():
                path.chmod(edit)
            return
        if edit is None and self.state(name) is None:
            return
        for up in [*reversed(list(parents(name))), name]:
            there = self.history.directory / up
            if there.is_symlink() or (up != name and there.is_file()):
                there.unlink()
        if edit is None:
            path.unlink(missing_ok=True)
            return
        if path.is_dir():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if edit.startswith(LINK):
            path.unlink(missing_ok=True)
            path.symlink_to(edit.removeprefix(LINK))
        else:
            path.write_text(edit)

    def does(self, who: str, name: str, edit: str | int | None, tool: bool) -> None:
        """A session, or a person, changes something; a tool may report it."""
        self.change(name, edit)
        self.oracle.files = self.now()
        if tool:
            self.history.report(who, name)
            self.oracle.reports.setdefault(name, []).append((who, self.oracle.files[name]))
            if who in self.oracle.opened:
                self.oracle.told.add((who, name))

    def restore(self, number: int, mode: Mode) -> None:
        target = self.points[number % len(self.points)]
        before, files = everything(self.history.directory), self.now()
        then = Oracle(files, dict(self.oracle.past), dict(self.oracle.seen))
        then.opened, then.told = dict(self.oracle.opened), set(self.oracle.told)
        then.reports = {path: list(found) for path, found in self.oracle.reports.items()}
        then.by_hand, then.looks = self.oracle.by_hand, self.oracle.looks
        then.at_work = list(self.oracle.at_work)
        then.look()
        done = self.history.project.restore(target.checkpoint, mode=mode)
        assert not done.failed
        now = self.now()
        kept = {step.path for step in done.kept}
        for path in PATHS:
            if mode is Mode.EXACT:
                assert now[path] == target.files[path], done
            elif mode is Mode.OVERLAY:
                assert target.files[path] is None or now[path] == target.files[path], done
            elif files[path] != target.files[path]:
                back = then.comes_back(path, target.look, None, created=target.files[path] is None)
                if now[path] != files[path]:
                    assert back and now[path] == target.files[path], (path, done)
                else:
                    assert path in kept, (path, done)
        self.restores += bool(done.done)
        self.done(done)
        if done.done:
            restored = everything(self.history.directory)
            self.done(self.history.project.undo())
            assert everything(self.history.directory) == before, done
            self.done(self.history.project.redo())
            assert everything(self.history.directory) == restored, done


edits = st.one_of(
    st.sampled_from(["one\n", "two\n", "three\n", f"{LINK}d", f"{LINK}x"]),
    st.none(),
    st.sampled_from([0o600, 0o644, 0o755]),
)
paths = st.sampled_from(PATHS)
steps = st.one_of(
    st.tuples(st.just("does"), st.sampled_from("AB"), paths, edits, st.booleans()),
    st.tuples(st.just("does"), st.sampled_from("AB"), paths, edits, st.just(False)),
    st.tuples(st.just("does"), st.just("you"), paths, edits, st.just(False)),
    st.tuples(st.just("take"), st.sampled_from(["A", "B", None])),
    st.tuples(st.just("end"), st.sampled_from("AB")),
    st.tuples(st.just("kill"), st.sampled_from("AB")),
    st.tuples(st.just("restore"), st.integers(0, 5), st.sampled_from(list(Mode))),
    st.tuples(st.just("restore"), st.integers(0, 5), st.just(Mode.KEEP_EDITS)),
)


@pytest.fixture
def place() -> Iterator[tuple[Path, Checkpoints]]:
    with tempfile.TemporaryDirectory(prefix="tangled-") as folder:
        root = Path(folder).resolve()
        config = Config(max_snapshots=0, max_total_size_mb=0)
        with Checkpoints.open(root / "home", config=config) as base:
            yield root, base


@pytest.mark.slow
@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(steps, min_size=4, max_size=16))
@example(
    history=[
        ("does", "A", "a/b/c", f"{LINK}d", False),
        ("end", "A"),
        ("take", "A"),
        ("end", "A"),
        ("restore", 0, Mode.KEEP_EDITS),
        ("does", "you", "a", None, False),
        ("take", None),
        ("does", "you", "a", "one\n", False),
        ("does", "you", "a", None, False),
        ("take", "A"),
        ("does", "A", "d/e", "one\n", False),
        ("end", "A"),
        ("does", "you", "a/b/c", f"{LINK}d", False),
        ("does", "A", "a/b/c", f"{LINK}d", True),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
def test_what_a_person_touched_stays_whatever_is_in_the_way(
    place: tuple[Path, Checkpoints], history: list[tuple[Any, ...]]
) -> None:
    root, base = place
    directory = Path(tempfile.mkdtemp(dir=root))
    dead: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        for module in (observing, turns):
            patch.setattr(module, "still_runs", runs_unless(dead))
        played = History(base, directory, dead)
        for name in ("a", "d/e"):
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_text("zero\n")
        played.first = played.take("A")
        game = Tangle(played, Oracle({}))
        game.oracle.files = game.now()
        game.oracle.seen = dict(game.oracle.files)
        game.oracle.opened["A"] = True
        game.remember(played.first)
        for name, *arguments in history:
            note(f"{name}({', '.join(map(repr, arguments))})")
            getattr(game, name)(*arguments)
    shutil.rmtree(directory)
