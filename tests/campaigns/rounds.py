"""One round: a state of the world, an operation with something that happens to it, and the verdict.

The verdict compares with a run of the same operation to which nothing happened: what it leaves
alone must be as before, what it changes must be as before or as after, and whatever was reported as
done must be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from campaigns import oracle, script, trees
from campaigns.operations import Operation
from campaigns.oracle import Facts
from campaigns.preload import Action, Call
from campaigns.trees import Tree
from campaigns.world import Played, World


@dataclass
class Verdict:
    """What a round found. ``events`` is how many kills, faults or damages really happened."""

    events: int = 0
    lost: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    told: str = ""

    @property
    def good(self) -> bool:
        return not (self.lost or self.false or self.executed or self.outside)


@dataclass
class Reference:
    """What an operation does to which nothing happens."""

    calls: int
    kinds: dict[Call, int]
    seconds: float
    before: Facts
    after: Facts
    tree_before: Tree
    tree_after: Tree
    answers: list[tuple[int, script.Answer]]
    former: dict[str, Tree]


class Rounds:
    """The rounds of one worker."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.references: dict[str, Reference] = {}

    def begin(self, operation: Operation) -> None:
        """Bring the world into the state that an operation begins from."""
        self.world.put_back(operation.state)
        operation.before(self.world)
        operation.harm(self.world)

    def reference(self, operation: Operation) -> Reference:
        """Return what the operation does undisturbed; it is played once."""
        found = self.references.get(operation.name)
        if found is not None:
            return found
        world = self.world
        world.put_back(operation.state)
        operation.before(world)
        home = operation.home_in(world)
        before, tree_before = oracle.facts(home), trees.look(world.alpha)
        operation.harm(world)
        world.control.at(0, Action.COUNT)
        played = world.play(operation.steps(world), home=home, **operation.job)
        calls = world.control.count
        kinds = {call: world.control.count_of(call) for call in Call}
        assert played.ended.code == 0, (operation.name, played.unforeseen)
        for _, answer in played.answers:
            if "tree" in answer:
                continue
            assert answer["answer"] not in ("failed", "refused"), (operation.name, answer)
            assert answer["answer"] == "imported" or not answer.get("errors"), answer
        after = oracle.facts(home)
        assert oracle.broken_invariants(home, after) == [], operation.name
        former: dict[str, Tree] = {}
        if after.former:
            with oracle.Reader(oracle.store_of(home)) as reader:
                former = {old: reader.checkpoint(new) for old, new in after.former.items()}
        found = Reference(
            calls,
            kinds,
            played.ended.seconds,
            before,
            after,
            tree_before,
            trees.look(world.alpha),
            played.answers,
            former,
        )
        self.references[operation.name] = found
        return found

    # --- the verdict -----------------------------------------------------------------------------

    def judge(self, operation: Operation, played: Played, verdict: Verdict) -> None:
        """Judge the world after an operation to which something happened; nothing happens any
        more."""
        world, reference = self.world, self.reference(operation)
        world.control.nothing()
        home = operation.home_in(world)
        if played.unforeseen:
            verdict.false.append(f"unforeseen: {played.unforeseen}")
        if played.ended.hung:
            verdict.false.append("it hung")
        self._of_working_dir(operation, verdict)
        seen = world.play([{"do": "status"}], home=home)
        if operation.job.get("unopened") and seen.last.get("code") == "catalog-damaged":
            world.play(operation.steps(world), home=home, **operation.job)  # as the refusal says
            seen = world.play([{"do": "status"}], home=home)
        if not opens(seen, verdict):
            return
        answer = seen.last
        found = oracle.facts(home)
        verdict.false += oracle.broken_invariants(home, found)
        self._of_checkpoints(operation, played, found, verdict)
        self._of_marks(reference, found, verdict)
        if not operation.home:
            self._of_sessions(operation, answer, verdict)
        if set(answer["all"]) != found.live:
            verdict.false.append("list and catalog differ")
        self._go_on(operation, played, answer, verdict)
        sentinel = world.outside / "sentinel"
        if trees.look(world.outside).keys() != {"sentinel"} or sentinel.read_text() != "outside\n":
            verdict.outside.append(f"outside: {sorted(trees.look(world.outside))}")

    def _of_working_dir(self, operation: Operation, verdict: Verdict) -> None:
        """Right after the kill each path is as before or as after, and nobody else's changed."""
        world, reference = self.world, self.reference(operation)
        now = trees.without_leftovers(trees.look(world.alpha))
        allowed = [reference.tree_before, reference.tree_after]
        allowed += [a["tree"] for _, a in reference.answers if "tree" in a]
        for path in now.keys() | reference.tree_before.keys():
            entry = now.get(path)
            if all(tree.get(path) != entry for tree in allowed) and not (
                entry and entry[0] == "dir" and operation.writes
            ):
                verdict.lost.append(
                    f"{path} in the working directory is neither as before nor after"
                )

    def _of_checkpoints(
        self, operation: Operation, played: Played, found: Facts, verdict: Verdict
    ) -> None:
        reference = self.reference(operation)
        before, after = reference.before.live, reference.after.live
        for id_ in sorted((before & after) - found.live):
            state = found.rows[id_].state if id_ in found.rows else "unknown"
            verdict.lost.append(f"checkpoint {id_[:8]} was live and is {state}")
        reported = self._reported(operation, played, found, verdict)
        for id_ in sorted(before - after - found.live):
            row = found.rows.get(id_)
            cleared = operation.name.startswith("clear")
            if not cleared and (row is None or row.state != "pruned"):
                verdict.lost.append(f"checkpoint {id_[:8]} is not known any more")
        if operation.name.startswith("clear") and before & found.live not in (before, set()):
            verdict.lost.append("a clear was carried out in part")
        if not (oracle.store_of(self.home(operation)) / "HEAD").exists():
            if found.live:
                verdict.lost.append("there is no store")
            return
        with oracle.Reader(oracle.store_of(self.home(operation))) as reader:
            for id_ in sorted(found.live):
                self._read(operation, reader, found, id_, reported.get(id_), verdict)

    def home(self, operation: Operation) -> Path:
        return operation.home_in(self.world)

    def _read(
        self,
        operation: Operation,
        reader: oracle.Reader,
        found: Facts,
        id_: str,
        tree: Tree | None,
        verdict: Verdict,
    ) -> None:
        """Read a live checkpoint back and compare it with the tree that it was taken of."""
        world, row, reference = self.world, found.rows[id_], self.reference(operation)
        if row.lost:
            verdict.lost.append(f"checkpoint {id_[:8]} is marked as lost")
            return
        try:
            held = reader.checkpoint(id_)
        except oracle.Unreadable as error:
            verdict.lost.append(f"checkpoint {id_[:8]}: {error}")
            return
        former = [old for old, new in found.former.items() if new == id_]
        if former:
            if not any(reference.former.get(old) == held for old in former):
                verdict.false.append(f"imported {id_[:8]} is not what it was imported from")
            return
        options = [tree] if tree is not None else []
        if id_ in world.known:
            options = [world.known[id_]]
        elif not options:
            replaced = [row.id for row in found.rows.values() if row.replaced_by == id_]
            options = [world.known[old] for old in replaced if old in world.known]
            if row.workdir == str(world.place / "into"):
                options = [{}]
            options = options or [
                *(a["tree"] for _, a in reference.answers if "tree" in a),
                reference.tree_before,
            ]
        wrong = [
            oracle.wrong_contents(held, one, partial=row.partial, forgotten=operation.forgets)
            for one in options
        ]
        if all(wrong):
            verdict.false.append(f"checkpoint {id_[:8]} ({row.kind}): {wrong[0]}")

    def _reported(
        self, operation: Operation, played: Played, found: Facts, verdict: Verdict
    ) -> dict[str, Tree]:
        """Return the trees of the checkpoints that were reported as taken, which must be live."""
        now, reported = {}, {}
        steps = operation.steps(self.world)
        for number, answer in played.answers:
            project = steps[number].get("project", "") if number >= 0 else ""
            if "tree" in answer:
                now[project] = answer["tree"]
            taken = answer.get("answer") == "taken" and answer["id"]
            taken = taken or (answer.get("answer") == "restored" and answer["safety"])
            if taken:
                tree = now.get(project, self.reference(operation).tree_before)
                if "into" in steps[number]:
                    tree = {}
                reported[taken] = tree
                if taken not in found.live:
                    verdict.lost.append(f"{taken[:8]} was reported as taken and is not there")
            for id_ in answer.get("dropped", ()):
                if id_ in found.live and not answer["errors"]:
                    verdict.false.append(f"{id_[:8]} was reported as dropped and is there")
        return reported

    def _of_marks(self, reference: Reference, found: Facts, verdict: Verdict) -> None:
        """Pins and labels are those of before or after."""
        if found.live & reference.before.live:
            before = {m for m in reference.before.marks if m[-1] in found.live}
            after = {m for m in reference.after.marks if m[-1] in found.live}
            for mark in sorted((before & after) - found.marks):
                verdict.lost.append(f"{mark[0]} of {mark[-1][:8]} is gone")
            known = reference.before.live
            for mark in sorted(found.marks - before - reference.after.marks):
                if mark[-1] in known:
                    verdict.false.append(f"{mark[0]} of {mark[-1][:8]} came from nowhere")

    def _of_sessions(self, operation: Operation, answer: script.Answer, verdict: Verdict) -> None:
        kept = self.reference(operation).after.sessions
        written = [s for s in operation.steps(self.world) if s["do"] == "session_write"]
        for name in self.world.sessions.keys() & kept.keys():
            document = self.world.sessions[name]
            now = {k: v for k, v in answer["sessions"].get(name, {}).items() if k != "updated"}
            options = [document, *(s["document"] for s in written if s["session"] == name)]
            if now not in options:
                verdict.lost.append(f"session {name} is {str(now)[:80]}")

    def _go_on(
        self, operation: Operation, played: Played, status: script.Answer, verdict: Verdict
    ) -> None:
        """Take a restore back, and do the operation again: it must come to its end."""
        world, reference, home = self.world, self.reference(operation), self.home(operation)
        if operation.writes:
            self._back(operation, played, status, verdict)
        elif operation.name != "take" and trees.differing(
            trees.look(world.alpha), reference.tree_after
        ):
            verdict.lost.append("the working directory changed")
        if not operation.retake:
            return
        again = world.play(operation.steps(world), home=home, **operation.job)
        wanted = {"failed", "refused", "unforeseen"} & {
            str(answer.get("answer")) for _, answer in again.answers
        }
        if wanted or again.ended.code:
            self._refused_again(operation, again, verdict)
            return
        for _, answer in again.answers:
            if answer.get("answer") == "repaired" and answer["errors"]:
                verdict.false.append(f"repaired, and not sound: {answer['errors']}")
        if operation.writes and not operation.ahead:
            left = trees.without_leftovers(trees.look(world.alpha))
            # Where the safety checkpoint was read back from the store, whose the changes before it
            # were is not on record: they are kept, and named.
            told = {path for _, answer in again.answers for path in answer.get("kept", ())}
            different = [
                path
                for path in trees.differing(left, reference.tree_after)
                if not any(one == path or one.startswith(f"{path}/") for one in told)
            ]
            if different and not operation.name.startswith("redo"):
                verdict.false.append(f"done again, it has other results: {different[:4]}")

    def _refused_again(self, operation: Operation, again: Played, verdict: Verdict) -> None:
        answers = [a for _, a in again.answers if a.get("answer") in ("failed", "refused")]
        codes = {str(a.get("code")) for a in answers}
        if operation.name.startswith(("undo", "redo")) and codes == {"nothing-to-undo"}:
            return
        verdict.false.append(f"it cannot be done again: {again.unforeseen or answers}")

    def _back(
        self, operation: Operation, played: Played, status: script.Answer, verdict: Verdict
    ) -> None:
        """After a restore that was cut short, undo gives the former tree back; after an undo that
        was, another finishes it. Names of a restore may be left only where it said that paths
        failed: it may delete nothing then."""
        world, reference = self.world, self.reference(operation)
        alpha = str(world.alpha)
        first, goal = reference.tree_before, reference.tree_after
        now = trees.look(world.alpha)
        if any(trees.LEFTOVER in path for path in now):
            if not any(answer.get("failed") for _, answer in played.answers):
                verdict.false.append("names of a restore are left")
            now = trees.without_leftovers(now)
        interrupted = any("interrupted" in note for note in status["notes"])
        wanted = goal if operation.ahead else first
        if operation.ahead and not interrupted and now in (first, goal):
            return  # it did not begin, or it ended
        if now != wanted or interrupted:
            done = world.play([{"do": "undo", "project": alpha}])
            left = trees.without_leftovers(trees.look(world.alpha))
            different = trees.differing(left, wanted)
            if different:
                verdict.lost.append(f"undo does not give back {different[:4]}: {done.last}")


def opens(seen: Played, verdict: Verdict) -> bool:
    """Tell whether a base could be opened, by what a question for its status gave."""
    if seen.last.get("answer") == "status":
        return True
    verdict.lost.append(f"it cannot be opened: {seen.unforeseen or seen.last}")
    return False


def compare(
    world: World, ids: Iterable[str], read: Callable[[str], Tree], verdict: Verdict
) -> None:
    """Checkpoints of which it is known hold what they were taken of."""
    for id_ in world.known.keys() & ids:
        wrong = oracle.wrong_contents(read(id_), world.known[id_])
        if wrong:
            verdict.false.append(f"{id_[:8]} is another state now: {wrong}")


def describe(answers: Sequence[tuple[int, script.Answer]]) -> str:
    """Return the answers in a few words."""
    words = [
        str(a["answer"]) + (f" {a['code']}" if "code" in a else "")
        for _, a in answers
        if "answer" in a
    ]
    return ", ".join(words) or "no answer"
