"""Random histories over the whole typed API, with a model of what must then be there.

The model keeps, for each checkpoint, the tree that it was taken of, as the test itself saw it.
After each step plain git and SQL (oracle.py) say what is there. HYPOTHESIS_EXAMPLES sets how many
histories are played; shrinking takes minutes, HYPOTHESIS_NO_SHRINK=1 leaves it out.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from campaigns import oracle, preload, trees
from campaigns.preload import Action
from campaigns.trees import Tree
from campaigns.world import World
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.checkpoints.project import Project
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointError, CheckpointPruned, NothingToUndo
from hermes_checkpoints.model import Mode, Policy, Restored, Taken, Unchanged
from hermes_checkpoints.retention.plan import PruneOptions
from history.old_bases import grown
from support import examples

NAMES = ("a", "b", "dir/c", "dir/deep/d", "e.log", "dir/link", "odd ü name")
LABELS = ("one", "two")
COMMITS = 4
KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0, auto_prune=False)
SHRINKS = "HYPOTHESIS_NO_SHRINK" not in os.environ
number = st.integers(0, 10**6)


class Machine(RuleBasedStateMachine):
    """A project, its base, and what the test knows of them."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=self.world.place)).resolve()
        self.home, self.dir = self.folder / "home", self.folder / "project"
        self.dir.mkdir()
        (self.dir / ".gitignore").write_text("*.log\n")
        (self.dir / "first").write_text("first\n")
        self.live: dict[str, Tree] = {}
        self.partial: set[str] = set()
        self.old: set[str] = set()
        self.gone: set[str] = set()
        self.pins: set[str] = set()
        self.labels: dict[str, str] = {}
        self.held: dict[str, set[bytes]] = {}
        self.read: set[str] = set()
        self.last: tuple[str, Tree, Tree] | None = None
        self.imported = False
        self.dropped_since = False
        self.written = 0
        self.opened = self.open()

    # --- of the test ------------------------------------------------------------------------------

    def open(self) -> Checkpoints:
        return Checkpoints.open(self.home, config=KEEP_ALL)

    def reopen_base(self) -> None:
        self.opened.close()
        self.opened = self.open()

    @property
    def project(self) -> Project:
        return self.opened.project(self.dir)

    def tree(self) -> Tree:
        return trees.look(self.dir)

    def choice(self, which: int) -> str | None:
        ids = list(self.live)
        return ids[which % len(ids)] if ids else None

    def add(self, id_: str, tree: Tree, *, partial: bool = False) -> None:
        self.live[id_] = tree
        if partial:
            self.partial.add(id_)
        for path, entry in tree.items():
            if entry[0] != "dir":
                self.held.setdefault(path, set()).add(entry[2])

    def remove(self, ids: set[str]) -> None:
        for id_ in ids:
            assert id_ in self.live, "only what was there is dropped"
            del self.live[id_]
            self.gone.add(id_)
            self.pins.discard(id_)
        self.labels = {name: id_ for name, id_ in self.labels.items() if id_ not in ids}
        self.dropped_since = self.dropped_since or bool(ids)

    def content(self) -> bytes:
        self.written += 1
        return b"content %d\n" % self.written * (1 + self.written % 40)

    def took(self, outcome: object, tree: Tree, *, partial: bool = False) -> None:
        assert isinstance(outcome, Taken | Unchanged), outcome
        if isinstance(outcome, Taken):
            self.add(outcome.checkpoint.id, tree, partial=partial)
        else:
            assert outcome.checkpoint.id in self.live

    def restored(self, done: Restored, before: Tree) -> Tree:
        """Note the safety checkpoint of a restore: it has all that was there."""
        if done.safety.id not in self.live:
            self.add(done.safety.id, before, partial=done.safety.partial)
        assert not done.failed, done.failed
        after = self.tree()
        assert not [path for path in after if trees.LEFTOVER in path]
        return after

    # --- a person and an agent ------------------------------------------------------------------

    @rule(name=st.sampled_from(NAMES), agent=st.booleans())
    def write(self, name: str, agent: bool) -> None:
        path = self.dir / name
        if path.parent.is_symlink() or (path.parent.exists() and not path.parent.is_dir()):
            return
        told = agent and bool(self.live.keys() - self.old)
        if told:
            self.project.begin_turn(session_id="s")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif os.path.lexists(path):
            path.unlink()
        path.write_bytes(self.content())
        if told:
            self.project.record_agent_write(name, session_id="s", tool="write_file")
            self.project.end_turn(session_id="s")

    @rule(seed=number)
    def mutate(self, seed: int) -> None:
        trees.mutate(self.dir, random.Random(seed), 2)  # noqa: S311

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        path = self.dir / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif os.path.lexists(path):
            path.unlink()

    # --- checkpoints ----------------------------------------------------------------------------

    @rule(label=st.sampled_from((None, *LABELS)))
    def take(self, label: str | None) -> None:
        tree = self.tree()
        outcome = self.project.take(label=label, move_label=True)
        self.took(outcome, tree)
        assert isinstance(outcome, Taken | Unchanged)
        if label is not None:
            self.labels[label] = outcome.checkpoint.id

    @rule(name=st.sampled_from(NAMES))
    def take_alone(self, name: str) -> None:
        path = self.dir / name
        if path.is_dir() and not path.is_symlink():
            return
        tree = self.tree()
        outcome = self.project.take(about=name, alone=True)
        if isinstance(outcome, Taken | Unchanged):
            self.took(outcome, tree, partial=True)

    @precondition(lambda self: self.live)
    @rule(
        which=number,
        mode=st.sampled_from([mode.value for mode in Mode]),
        path=st.sampled_from((None, None, *NAMES)),
    )
    def restore(self, which: int, mode: str, path: str | None) -> None:
        id_ = self.choice(which)
        assert id_ is not None
        before, wanted = self.tree(), trees.captured(self.live[id_])
        if self.project_of(id_) != str(self.dir):
            return
        if path is not None and path not in wanted:
            return
        try:
            done = self.project.restore(id_, path, mode=mode)
        except CheckpointError as error:
            note(f"refused: {error}")
            assert self.tree() == before, "a refused restore changes nothing"
            return
        after = self.restored(done, before)
        if done.done:  # else there is nothing that an undo could take back
            self.last, self.dropped_since = ("restore", before, after), False
        if mode == "exact" and path is None and id_ not in self.partial:
            assert trees.differing(trees.captured(after), wanted) == []
        elif mode != "keep-edits" and path is not None and not done.kept:
            assert after[path] == wanted[path]
        kept = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
        known = {p for p in kept if after.get(p) not in (before.get(p), wanted.get(p))}
        assert not {p for p in known if after.get(p, ("", 0, b""))[0] != "dir"}, known

    @precondition(lambda self: self.live)
    @rule(which=number)
    def restore_into(self, which: int) -> None:
        id_ = self.choice(which)
        assert id_ is not None
        if id_ in self.partial or self.project_of(id_) != str(self.dir):
            return
        into = Path(tempfile.mkdtemp(dir=self.folder))
        done = self.project.restore(id_, into=into, mode="exact")
        self.add(done.safety.id, {})
        assert trees.look(into).keys() >= trees.captured(self.live[id_]).keys()
        assert trees.differing(trees.captured(trees.look(into)), self.captured_of(id_)) == []

    def captured_of(self, id_: str) -> Tree:
        return trees.captured(self.live[id_])

    def project_of(self, id_: str) -> str:
        return str(self.opened.find(id_).working_dir)

    def back(self, kind: str, act: Callable[[], Restored], after_: tuple[str, ...]) -> None:
        """Undo or redo: where nothing was changed since, the former tree is there again."""
        before = self.tree()
        try:
            done = act()
        except NothingToUndo:
            assert self.tree() == before
            assert self.dropped_since or not (self.last and self.last[0] in after_)
            return
        except CheckpointError as error:
            note(f"{kind} refused: {error}")
            assert self.tree() == before
            return
        after = self.restored(done, before)
        if self.last is not None and self.last[0] in after_ and self.last[2] == before:
            assert trees.differing(after, self.last[1]) == []
        self.last = (kind, before, after)

    @rule()
    def undo(self) -> None:
        if self.live:
            self.back("undo", self.project.undo, ("restore", "redo"))

    @rule()
    def redo(self) -> None:
        if self.live:
            self.back("redo", self.project.redo, ("undo",))

    # --- what goes and stays ----------------------------------------------------------------------

    @rule(keep=st.integers(1, 4))
    def prune(self, keep: int) -> None:
        policy = Policy(max_snapshots=keep, max_safety_snapshots=2, delete_orphans=False)
        done = self.opened.prune(plan=self.opened.plan_prune(policy=policy), options=PruneOptions())
        assert done.errors == ()
        dropped = {one.checkpoint.id for one in done.dropped}
        assert not dropped & (self.pins | set(self.labels.values()))
        self.remove(dropped)

    @precondition(lambda self: self.live)
    @rule(which=number)
    def drop(self, which: int) -> None:
        id_ = self.choice(which)
        assert id_ is not None
        if self.project_of(id_) != str(self.dir):
            return
        done = self.project.drop(id_)
        assert done.errors == ()
        dropped = {one.checkpoint.id for one in done.dropped}
        assert dropped <= {id_} - self.pins - set(self.labels.values())
        self.remove(dropped)

    @precondition(lambda self: self.live)
    @rule(which=number, on=st.booleans())
    def pin(self, which: int, on: bool) -> None:
        id_ = self.choice(which)
        assert id_ is not None
        project = self.opened.project(self.project_of(id_))
        (project.pin if on else project.unpin)(id_)
        (self.pins.add if on else self.pins.discard)(id_)

    @precondition(lambda self: self.live)
    @rule(which=number, name=st.sampled_from(LABELS))
    def label(self, which: int, name: str) -> None:
        id_ = self.choice(which)
        assert id_ is not None
        if self.project_of(id_) == str(self.dir):
            self.project.label(id_, name, move=True)
            self.labels[name] = id_

    @precondition(lambda self: self.labels)
    @rule(name=st.sampled_from(LABELS))
    def unlabel(self, name: str) -> None:
        if name in self.labels:
            self.project.unlabel(self.labels.pop(name), name)

    @precondition(lambda self: self.live)
    @rule(name=st.sampled_from(NAMES))
    def forget(self, name: str) -> None:
        try:
            done = self.project.forget(name)
        except CheckpointError as error:
            note(f"refused: {error}")
            return
        assert done.errors == (), done.errors
        contents = {
            data
            for path, some in self.held.items()
            if path == name or path.startswith(f"{name}/")
            for data in some
        }
        for old, new in done.replaced.items():
            tree = self.live.pop(old)
            self.gone.add(old)
            self.live[new] = {
                path: entry
                for path, entry in tree.items()
                if entry[0] == "dir" or entry[2] not in contents
            }
            for marks in (self.pins, self.partial):
                if old in marks:
                    marks.remove(old)
                    marks.add(new)
            self.labels = {k: new if v == old else v for k, v in self.labels.items()}
        self.dropped_since = True

    @precondition(lambda self: self.live)
    @rule()
    def rebind(self) -> None:
        new = self.folder / f"moved-{self.written}-{len(self.live)}"
        if new.exists() or not self.project_list():
            return
        self.dir.rename(new)
        self.opened.rebind(self.dir, new)
        self.dir = new

    def project_list(self) -> bool:
        return any(one.working_dir == self.dir for one in self.opened.projects())

    @precondition(lambda self: not self.imported)
    @rule()
    def import_old(self) -> None:
        """A repository of version 1 with a few commits of one file."""
        self.imported = True
        home = grown(self.folder / "old", COMMITS)
        done = self.opened.import_legacy(home)
        assert (done.checkpoints, done.errors) == (COMMITS, ())
        found = self.opened.project(self.folder / "old" / "grown").list()
        for count, one in enumerate(reversed(found)):
            self.add(one.id, {"file.txt": ("file", 0o644, b"%04d" % count)})
            self.old.add(one.id)  # of another project

    # --- what happens to a base -------------------------------------------------------------------

    @rule()
    def reopen(self) -> None:
        self.reopen_base()

    @rule(
        what=st.sampled_from(("indexes", "garbled indexes", "HEAD", "config", "ref", "empty ref")),
        pick=number,
    )
    def damage(self, what: str, pick: int) -> None:
        """Something that the next opening, take or prune heals."""
        store = oracle.store_of(self.home)
        if not (store / "HEAD").exists():
            return
        self.opened.close()
        if what in ("HEAD", "config"):
            (store / what).write_bytes(b"[garbled\n")
        elif what.endswith("ref"):
            refs = sorted(path for path in store.glob("refs/checkpoints/*/*") if path.is_file())
            for ref in refs[pick % len(refs) :][:1] if refs else []:
                ref.unlink()
                if what == "empty ref":
                    ref.touch()
        else:
            for path in store.glob("indexes/*"):
                path.unlink()
                if what == "garbled indexes":
                    path.write_bytes(b"garbled")
        self.opened = self.open()
        if what == "empty ref":  # it is put right before anything is collected
            plan = self.opened.plan_prune(policy=Policy(delete_orphans=False))
            assert self.opened.prune(plan=plan, options=PruneOptions()).errors == ()

    @rule()
    def pack(self) -> None:
        """Plain git packs the store."""
        store = oracle.store_of(self.home)
        if (store / "HEAD").exists():
            oracle.git(store, "pack-refs", "--all")
            oracle.git(store, "repack", "-a", "-d", "-q")

    @rule(
        act=st.sampled_from(("take", "restore", "undo", "prune", "pin", "forget")),
        point=st.integers(1, 500),
        way=st.sampled_from((Action.KILL_ALL, Action.KILL_LEADER)),
        which=number,
    )
    def crash(self, act: str, point: int, way: Action, which: int) -> None:
        """Another process is killed while it does something."""
        id_ = self.choice(which)
        if act != "take" and (id_ is None or self.project_of(id_) != str(self.dir)):
            return
        step: dict[str, Any] = {"do": act, "project": str(self.dir), "ref": id_}
        step |= {"mode": "overlay"} if act == "restore" else {}
        step |= {"path": NAMES[which % len(NAMES)]} if act == "forget" else {}
        step |= {"keep": 3} if act == "prune" else {}
        before, former = self.tree(), dict(self.live)
        control = self.world.control
        control.at(point, way)
        played = self.world.play([step], home=self.home)
        control.nothing()
        note(f"{act} {point}: {played.ended} {played.last}")
        assert not played.unforeseen, played.unforeseen
        self.reopen_base()
        found = oracle.facts(self.home)
        self.dropped_since = True
        now = self.tree()
        if act in ("restore", "undo"):
            for path in before.keys() | now.keys():
                assert trees.LEFTOVER not in path
            notes = self.opened.status().notes
            if act == "restore" and (now != before or any("interrupted" in n for n in notes)):
                self.project.undo()
                assert trees.differing(self.tree(), before) == []
            self.last = None
        else:
            assert now == before
        self.adopt(act, step, oracle.facts(self.home), before, former)
        assert found.running == 0

    def adopt(
        self,
        act: str,
        step: dict[str, Any],
        found: oracle.Facts,
        before: Tree,
        former: dict[str, Tree],
    ) -> None:
        """Take over what a killed process may have done: its checkpoint, or what it dropped."""
        for id_ in found.live - former.keys():
            replaced = [row.id for row in found.rows.values() if row.replaced_by == id_]
            with oracle.Reader(oracle.store_of(self.home)) as reader:
                held = reader.checkpoint(id_)
            if replaced:
                known = next(former[old] for old in replaced if old in former)
                assert act == "forget"
                assert held.items() <= known.items()
                self.live[id_] = held
                for old in replaced:
                    if old in self.live:
                        del self.live[old]
                        self.gone.add(old)
                    for marks in (self.pins, self.partial):
                        if old in marks:
                            marks.remove(old)
                            marks.add(id_)
                    self.labels = {k: id_ if v == old else v for k, v in self.labels.items()}
                continue
            assert act in ("take", "restore", "undo"), act
            tree = before if not oracle.wrong_contents(held, before) else self.tree()
            if oracle.wrong_contents(held, tree):
                # The safety checkpoint of the undo that followed: the tree that was half restored.
                assert act != "take"
                tree = held
            self.add(id_, tree)
        went = self.live.keys() - found.live
        if went:
            assert act in ("prune", "forget"), (act, went)
            assert not went & (self.pins | set(self.labels.values()))
            self.remove(set(went))
        if act == "pin" and step["ref"] in found.rows and found.rows[step["ref"]].pinned:
            self.pins.add(step["ref"])

    # --- what must hold --------------------------------------------------------------------------

    @invariant()
    def all_is_there(self) -> None:
        found = oracle.facts(self.home)
        assert found.live == self.live.keys()
        assert oracle.broken_invariants(self.home, found) == []
        assert not [row.id for row in found.rows.values() if row.id in self.live and row.lost]
        assert {row.id for row in found.rows.values() if row.pinned} & found.live == self.pins
        assert {(name, id_) for name, id_ in found.labels if id_ in found.live} == set(
            self.labels.items()
        )
        for id_ in self.gone:
            assert found.rows[id_].state == "pruned"
        self.compare(self.live.keys() - self.read)
        self.read |= self.live.keys()

    def compare(self, ids: Any) -> None:
        """Compare checkpoints with the trees that they were taken of."""
        if not ids:
            return
        with oracle.Reader(oracle.store_of(self.home)) as reader:
            for id_ in ids:
                held = reader.checkpoint(id_)
                partial = id_ in self.partial or "file.txt" in held
                wrong = oracle.wrong_contents(held, self.live[id_], partial=partial)
                assert not wrong, f"{id_[:8]}: {wrong}"

    def teardown(self) -> None:
        try:
            self.compare(self.live.keys())
            for id_ in list(self.gone)[:5]:
                with pytest.raises(CheckpointPruned):
                    self.opened.find(id_)
            listed = {one.id for one in self.opened.list_all()}
            assert listed == self.live.keys()
            self.opened.status()
        finally:
            self.opened.close()
            subprocess.run(["chmod", "-R", "u+rwX", self.folder], check=True)
            shutil.rmtree(self.folder)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as name:
        try:
            made = World.make(Path(name), corpus=False)
        except preload.Unavailable as error:
            pytest.skip(str(error))
        yield made
        made.close()


def play(world: World, histories: int, steps: int) -> None:
    Machine.world = world
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples(histories),
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[one for one in Phase if one is not Phase.shrink or SHRINKS],
        ),
    )


@pytest.mark.slow
def test_short_histories_have_what_was_taken(world: World) -> None:
    play(world, 3, 10)


@pytest.mark.campaign
def test_long_histories_have_what_was_taken(world: World) -> None:
    play(world, 6, 25)
