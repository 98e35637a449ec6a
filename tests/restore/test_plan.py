"""The rules of the planner, each by itself: what is done to a path, and the words for why.

A plan is read as lines, one a step, such as ``delete a: created since``.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.model import Action, Change, ChangeStatus, Mode, SkippedPath, SkipReason
from hermes_checkpoints.model.paths import parents
from hermes_checkpoints.object_store import TreeMeta
from hermes_checkpoints.restore.plan import plan_steps
from hermes_checkpoints.restore.situation import Situation

OVERSIZE, UNREADABLE, SPECIAL = SkipReason.OVERSIZE, SkipReason.UNREADABLE, SkipReason.SPECIAL
AGENTS = Verdict(True, "agent changed (patch)")
YOURS = Verdict(False, "you changed it")
NOBODYS = "no record of who changed it"
LINK = "leads to "


@dataclass(frozen=True)
class State:
    """A working directory at one time, as a checkpoint sees it.

    ``files`` maps paths to contents, or to ``leads to X`` for a link; ``directories`` are those
    besides the ones above a file, or those with other permissions than 755. What is ``skipped``
    or ``ignored`` lies there, too, but is captured only if it is among the files: then as an
    earlier version. ``bits`` are the permissions of files other than 644. Not ``listed``, the
    names of what is ignored are unknown.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    directories: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, SkipReason] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    bits: Mapping[str, int] = field(default_factory=dict)
    listed: bool = True

    def folders(self) -> dict[str, int]:
        captured = (*self.files, *self.directories, *self.skipped, *self.ignored)
        above = {folder: 0o755 for path in captured for folder in parents(path)}
        ignored = set(self.ignored)
        kept = {p: b for p, b in above.items() if not {p, *parents(p)} & ignored}
        return {**kept, **self.directories}

    def meta(self) -> TreeMeta:
        names = [f"{path}/" if self.is_directory(path) else path for path in self.ignored]
        return TreeMeta(
            directories=self.folders(),
            skipped=tuple(SkippedPath(path, why) for path, why in self.skipped.items()),
            ignored_paths=tuple(names) if self.listed else (),
            ignored=len(names) if self.listed else len(names) + 1,
        )

    def mode(self, path: str) -> int:
        if self.files[path].startswith(LINK):
            return stat.S_IFLNK | 0o777
        return stat.S_IFREG | self.bits.get(path, 0o644)

    def lies(self) -> set[str]:
        """All that is there, captured or not."""
        paths = {*self.files, *self.directories, *self.skipped, *self.ignored}
        return paths | {folder for path in paths for folder in parents(path)}

    def is_directory(self, path: str) -> bool:
        return path in self.folders() or any(path in parents(other) for other in self.lies())

    def inside(self, path: str) -> list[str] | None:
        if not self.is_directory(path) or path in self.skipped:
            return None
        below = (other.rpartition("/") for other in sorted(self.lies()))
        return [name for folder, _, name in below if folder == path]


def change(path: str, now: State, then: State) -> Change:
    old, new = now.files.get(path), then.files.get(path)
    old_mode = None if old is None else now.mode(path)
    new_mode = None if new is None else then.mode(path)
    if old is None:
        status = ChangeStatus.ADDED
    elif new is None:
        status = ChangeStatus.DELETED
    else:
        status = ChangeStatus.MODIFIED
    old_size = None if old is None else len(old)
    new_size = None if new is None else len(new)
    return Change(path, status, old, new, old_mode, new_mode, old_size, new_size)


def situation(
    now: State,
    then: State,
    verdicts: Mapping[str, Verdict] | None = None,
    *,
    directories: bool = True,
) -> Situation:
    """Return the situation in which ``now`` is to become ``then``. Without ``verdicts`` all
    that differs is the agent's."""
    changes = {
        path: change(path, now, then)
        for path in (*then.files, *(now.files.keys() - then.files.keys()))
        if path not in now.files
        or path not in then.files
        or (now.files[path], now.mode(path)) != (then.files[path], then.mode(path))
    }
    return Situation(
        changes,
        now.meta(),
        then.meta(),
        lambda path: path in now.lies(),
        now.is_directory,
        now.inside,
        dict.fromkeys(changes, AGENTS) if verdicts is None else verdicts,
        directories,
    )


def plan(
    given: Situation, mode: Mode, chosen: Sequence[str] | None = None, *, exactly: bool = False
) -> list[str]:
    steps = plan_steps(given, mode, chosen, exactly=exactly)
    return [f"{step.action} {step.path}: {step.reason}" for step in steps]


# --- above every mode ------------------------------------------------------------------------


NOT_HELD = {
    "a file over the size cap is not overwritten": (
        State(skipped={"a": OVERSIZE}),
        State({"a": "one"}),
        "keep a: not captured: oversize",
    ),
    "nor one that cannot be read now": (
        State({"a": "two"}, skipped={"a": UNREADABLE}),
        State({"a": "one"}),
        "keep a: not captured: unreadable",
    ),
    "nor what is in a directory that cannot be read now": (
        State({"a/b": "two"}, skipped={"a": UNREADABLE}),
        State({"a/b": "one"}),
        "keep a/b: not captured: unreadable",
    ),
    "nor a file that a rule ignores now": (
        State(ignored=["a"]),
        State({"a": "one"}),
        "keep a: not captured: ignored by a rule now",
    ),
    "nor a directory that a rule ignores now": (
        State(ignored=["a", "a/b"]),
        State({"a": "one"}),
        "keep a: not captured: ignored by a rule now",
    ),
    "a special file does not go for a directory": (
        State(skipped={"a": SPECIAL}),
        State({"a/b": "one"}),
        "keep a/b: not captured: special",
    ),
    "nor does an ignored file": (
        State(ignored=["a"]),
        State({"a/b": "one"}),
        "keep a/b: a is in the way: not captured",
    ),
    "a directory does not go for a file with what is not captured in it": (
        State({"a/b": "two"}, skipped={"a/c/d": OVERSIZE}),
        State({"a": "one"}),
        "keep a: a/c/d is in the way: not captured: oversize",
    ),
    "nor with what is ignored in it": (
        State({"a/b": "two"}, ignored=["a/c"]),
        State({"a": "one"}),
        "keep a: a/c is in the way: not captured",
    ),
    "nor one that cannot be listed": (
        State(directories={"a": 0o000}, skipped={"a": UNREADABLE}),
        State({"a": "one"}),
        "keep a: not captured: unreadable",
    ),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("now", "then", "line"), NOT_HELD.values(), ids=NOT_HELD.keys())
def test_what_the_safety_checkpoint_does_not_hold_does_not_give_way(
    now: State, then: State, line: str, mode: Mode
) -> None:
    assert plan(situation(now, then), mode, [*then.files], exactly=True) == [line]


@pytest.mark.parametrize("mode", Mode)
def test_no_directory_is_made_in_a_place_that_cannot_be_read(mode: Mode) -> None:
    now = State(directories={"a": 0o000}, skipped={"a": UNREADABLE})
    assert plan(situation(now, State(directories={"a": 0o000, "a/b": 0o755})), mode) == []


def test_a_directory_that_cannot_be_read_is_not_removed() -> None:
    now = State(directories={"a": 0o000}, skipped={"a": UNREADABLE})
    assert plan(situation(now, State()), Mode.EXACT) == ["keep a: not captured: unreadable"]


@pytest.mark.parametrize("mode", [Mode.KEEP_EDITS, Mode.EXACT])
@pytest.mark.parametrize("closed", ["a/b", "a"])
def test_a_file_of_which_only_an_earlier_version_is_held_is_not_removed(
    closed: str, mode: Mode
) -> None:
    now = State({"a/b": "earlier"}, skipped={closed: UNREADABLE})
    lines = plan(situation(now, State(), {"a/b": AGENTS}), mode)
    assert "keep a/b: not captured: unreadable" in lines
    assert not [line for line in lines if line.startswith("delete")]


PERHAPS = "perhaps ignored by a rule when the checkpoint was taken"
NO_PROOF = {
    "it was skipped": (State(skipped={"a/b": OVERSIZE}), "oversize"),
    "a directory above it was skipped": (
        State(directories={"a": 0}, skipped={"a": UNREADABLE}),
        "unreadable",
    ),
    "it was ignored": (State(ignored=["a/b"]), None),
    "a directory above it was ignored": (State(ignored=["a", "a/x"]), None),
}


@pytest.mark.parametrize("mode", [Mode.KEEP_EDITS, Mode.EXACT])
@pytest.mark.parametrize(("then", "skipped"), NO_PROOF.values(), ids=NO_PROOF.keys())
def test_what_the_checkpoint_left_out_is_not_taken_for_created_since(
    then: State, skipped: str | None, mode: Mode
) -> None:
    why = "ignored by a rule when the checkpoint was taken"
    if skipped is not None:
        why = f"not captured by the checkpoint: {skipped}"
    lines = plan(situation(State({"a/b": "two"}), then), mode, ["a/b"])
    assert lines == [f"keep a/b: {why}"]


UNKNOWN_RULES = {
    "ignored paths were too many to be listed": (
        State({"a/b": "two"}),
        State(listed=False),
        PERHAPS,
    ),
    "a file of rules was skipped": (
        State({"a/b": "two"}),
        State(skipped={"a/.gitignore": OVERSIZE}),
        PERHAPS,
    ),
    "a file of rules cannot be read now": (
        State({"a/b": "two"}, skipped={".gitignore": UNREADABLE}),
        State(),
        "perhaps ignored by a rule: .gitignore cannot be read",
    ),
    "several cannot, and the nearest is named": (
        State({"a/b": "two"}, skipped={".gitignore": UNREADABLE, "a/.gitignore": UNREADABLE}),
        State(),
        "perhaps ignored by a rule: a/.gitignore cannot be read",
    ),
}


@pytest.mark.parametrize("mode", [Mode.KEEP_EDITS, Mode.EXACT])
@pytest.mark.parametrize(("now", "then", "why"), UNKNOWN_RULES.values(), ids=UNKNOWN_RULES.keys())
def test_where_the_rules_are_not_known_nothing_is_taken_for_created_since(
    now: State, then: State, why: str, mode: Mode
) -> None:
    assert plan(situation(now, then), mode, ["a/b"]) == [f"keep a/b: {why}"]


def test_rules_of_another_directory_say_nothing_about_a_path() -> None:
    given = situation(State({"a/b": "two"}), State(skipped={"c/.gitignore": OVERSIZE}))
    assert plan(given, Mode.EXACT, ["a/b"]) == ["delete a/b: created since"]


@pytest.mark.parametrize("mode", Mode)
def test_an_earlier_version_takes_no_ones_place_but_is_better_than_none(mode: Mode) -> None:
    then = State({"a": "zero"}, skipped={"a": UNREADABLE})
    stays = ["keep a: not captured by the checkpoint: unreadable"]
    assert plan(situation(State({"a": "two"}), then), mode) == stays
    verdicts = {"a": Verdict(True, "")}
    assert plan(situation(State(), then, verdicts), mode) == [
        "write a: missing now; the version captured last"
    ]


@pytest.mark.parametrize("mode", Mode)
def test_no_earlier_version_of_a_directory_takes_the_place_of_a_file(mode: Mode) -> None:
    then = State({"a/b": "zero"}, {"a": 0o755}, {"a": UNREADABLE})
    lines = plan(situation(State({"a": "two"}), then), mode)
    why = "not captured by the checkpoint: unreadable"
    assert f"keep a/b: a is in the way: {why}" in lines
    assert {line.split()[0] for line in lines} == {"keep"}


# --- modes -----------------------------------------------------------------------------------

NOW = State({"changed": "two", "created": "two", "same": "one"})
THEN = State({"changed": "one", "missing": "one", "same": "one"})


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.OVERLAY, ["write changed: changed since", "write missing: missing now"]),
        (
            Mode.EXACT,
            [
                "write changed: changed since",
                "write missing: missing now",
                "delete created: created since",
            ],
        ),
        (
            Mode.KEEP_EDITS,
            [
                "write changed: agent changed (patch)",
                f"keep missing: {YOURS.reason}",
                f"keep created: {NOBODYS}",
            ],
        ),
    ],
)
def test_only_the_mode_that_keeps_edits_asks_who_did_it_and_overlay_deletes_nothing(
    mode: Mode, expected: list[str]
) -> None:
    verdicts = {"changed": AGENTS, "missing": YOURS}
    assert plan(situation(NOW, THEN, verdicts), mode) == expected


def test_other_permissions_need_no_writing_but_another_type_does() -> None:
    then = State({"a": "x", "b": "x", "c": f"{LINK}a"})
    now = State({"a": "x", "b": "y", "c": "x"}, bits={"a": 0o600, "b": 0o600})
    assert plan(situation(now, then), Mode.OVERLAY) == [
        "write b: changed since",
        "write c: changed since",
        "chmod a: permissions changed since",
    ]


def test_a_file_that_becomes_a_link_with_the_same_contents_is_written() -> None:
    old = Change(
        "a", ChangeStatus.TYPE_CHANGED, "x", "x", stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777
    )
    bare = situation(State({"a": "x"}), State({"a": "x"}))
    given = Situation({"a": old}, bare.now, bare.then, bare.exists, bare.is_directory, bare.inside)
    assert plan(given, Mode.OVERLAY) == ["write a: changed since"]


def test_a_step_has_the_facts_of_the_checkpoint_or_of_what_goes() -> None:
    now, then = State({"goes": "four"}, bits={"goes": 0o600}), State({"comes": "three"})
    comes, goes = plan_steps(situation(now, then), Mode.EXACT, None)
    assert (comes.blob, comes.mode, comes.bytes) == ("three", stat.S_IFREG | 0o644, 5)
    assert (goes.blob, goes.mode, goes.bytes) == ("four", stat.S_IFREG | 0o600, 4)


# --- chosen ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "exactly", "expected"),
    [
        (["a"], False, ["write a/b", "delete a/c"]),
        (["a/b"], False, ["write a/b"]),
        (["a/b", "ab"], False, ["write a/b", "write ab"]),
        (["a"], True, []),
        (["a/c"], True, ["delete a/c"]),
        ([], False, []),
        (None, False, ["write a/b", "write ab", "delete a/c"]),
    ],
)
def test_a_chosen_path_stands_for_what_lies_below_it_unless_exactly(
    chosen: list[str] | None, exactly: bool, expected: list[str]
) -> None:
    given = situation(State({"a/b": "2", "a/c": "2", "ab": "2"}), State({"a/b": "1", "ab": "1"}))
    lines = plan(given, Mode.EXACT, chosen, exactly=exactly)
    assert [line.split(":")[0] for line in lines] == expected


# --- obstacles -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
def test_what_stands_in_the_way_of_a_directory_goes_though_it_was_not_chosen(mode: Mode) -> None:
    given = situation(State({"a": "two"}), State({"a/b": "one", "a/c": "one"}))
    assert plan(given, mode, ["a/b", "a/c"])[:3] == [
        "delete a: in the way of a/b",
        "mkdir a: missing now",
        f"write a/b: {AGENTS.reason if mode is Mode.KEEP_EDITS else 'missing now'}",
    ]


@pytest.mark.parametrize("mode", Mode)
def test_a_directory_in_the_way_of_a_file_goes_with_all_that_is_in_it(mode: Mode) -> None:
    given = situation(State({"a/b/c": "two"}, {"a/d": 0o755}), State({"a": "one"}))
    assert [line.split(":")[0] for line in plan(given, mode)] == [
        "delete a/b/c",
        "delete a/d",
        "delete a/b",
        "delete a",
        "write a",
    ]


def test_of_a_directory_with_one_file_that_stays_nothing_goes_to_make_room() -> None:
    now, then = State({"a/b": "two", "a/c": "two"}), State({"a": "one"})
    verdicts = {"a": AGENTS, "a/b": AGENTS, "a/c": YOURS}
    assert plan(situation(now, then, verdicts), Mode.KEEP_EDITS) == [
        "delete a/b: agent changed (patch)",  # for its own sake
        f"keep a: a/c is in the way: {YOURS.reason}",
        f"keep a/c: {YOURS.reason}",
    ]
    assert plan(situation(now, then, verdicts), Mode.KEEP_EDITS, ["a"], exactly=True) == [
        f"keep a: a/c is in the way: {YOURS.reason}"
    ]


@pytest.mark.parametrize(
    ("verdict", "why"), [(YOURS, YOURS.reason), (None, NOBODYS)], ids=["edited", "unknown"]
)
def test_a_file_that_may_not_be_taken_back_is_an_obstacle(
    verdict: Verdict | None, why: str
) -> None:
    verdicts = {"a/b": AGENTS} | ({} if verdict is None else {"a": verdict})
    given = situation(State({"a": "two"}), State({"a/b": "one"}), verdicts)
    assert plan(given, Mode.KEEP_EDITS) == [
        f"keep a/b: a is in the way: {why}",
        f"keep a: {why}",
    ]


def test_an_empty_directory_is_an_obstacle_unless_directories_are_the_agents_too() -> None:
    now, then = State(directories={"a": 0o755}), State({"a": "one"})
    assert plan(situation(now, then, directories=False), Mode.KEEP_EDITS) == [
        f"keep a: a is in the way: {NOBODYS}"
    ]
    goes = "delete a: in the way of a"
    assert goes in plan(situation(now, then, directories=True), Mode.KEEP_EDITS)
    assert goes in plan(situation(now, then, directories=False), Mode.OVERLAY)


# --- directories -----------------------------------------------------------------------------


def test_where_directories_have_no_record_only_those_are_made_that_a_file_needs() -> None:
    then = State({"a/b/c": "one", "d/e": "one"}, {"a/empty": 0o755})
    verdicts = {"a/b/c": AGENTS, "d/e": YOURS}
    given = situation(State(), then, verdicts, directories=False)
    assert plan(given, Mode.KEEP_EDITS) == [
        "mkdir a: missing now",
        "mkdir a/b: missing now",
        "write a/b/c: agent changed (patch)",
        f"keep d/e: {YOURS.reason}",
    ]


@pytest.mark.parametrize("mode", Mode)
def test_else_those_come_back_that_are_chosen_with_those_above(mode: Mode) -> None:
    given = situation(State(), State(directories={"a": 0o755, "a/b": 0o700, "a/c": 0o755}))
    assert plan(given, mode, ["a/b"]) == ["mkdir a: missing now", "mkdir a/b: missing now"]
    steps = plan_steps(given, mode, ["a/b"])
    assert steps[1].mode == stat.S_IFDIR | 0o700


@pytest.mark.parametrize("mode", Mode)
def test_a_directory_that_a_rule_ignores_now_needs_no_making(mode: Mode) -> None:
    now, then = State(ignored=["a", "a/x"]), State({"a/b": "one"}, {"a": 0o700})
    assert [line.split(":")[0] for line in plan(situation(now, then), mode)] == ["write a/b"]


def test_a_directory_whose_way_is_not_free_stays_away_and_says_why() -> None:
    now, then = State({"a": "two"}), State(directories={"a": 0o755, "a/b": 0o755})
    assert plan(situation(now, then, {"a": YOURS}), Mode.KEEP_EDITS) == [
        f"keep a: {YOURS.reason}",
        f"keep a/b: a is in the way: {YOURS.reason}",
    ]


def test_a_directory_made_since_goes_once_it_is_empty_the_deepest_first() -> None:
    now = State({"a/b/c": "two", "d/e": "two"}, ignored=["d/f"])
    expected = [
        "delete a/b/c: created since",
        "delete d/e: created since",
        "delete a/b: created since",
        "delete a: created since",
        "keep d: paths that stay are in it",
    ]
    assert plan(situation(now, State()), Mode.EXACT) == expected
    assert plan(situation(now, State()), Mode.OVERLAY) == []


def test_what_is_in_a_directory_of_no_record_goes_and_only_what_is_empty_then() -> None:
    """An empty one may be a person's, and one that holds it does not become empty."""
    now = State({"a/b": "two", "c/d": "two"}, {"c/empty": 0o755})
    given = situation(now, State(), directories=False)
    assert [line.split(":")[0] for line in plan(given, Mode.KEEP_EDITS)] == [
        "delete a/b",
        "delete c/d",
        "delete a",
    ]


@pytest.mark.parametrize(
    ("then", "why"),
    [
        (State(ignored=["a", "a/x"]), "ignored by a rule when the checkpoint was taken"),
        (State(listed=False), PERHAPS),
    ],
)
def test_a_directory_that_was_perhaps_there_stays(then: State, why: str) -> None:
    given = situation(State(directories={"a": 0o755}), then)
    assert plan(given, Mode.EXACT) == [f"keep a: {why}"]
    assert plan(given, Mode.KEEP_EDITS) == []


def test_permissions_of_directories_come_back_last_and_the_deepest_first() -> None:
    now = State({"a/b/c": "two"}, {"a": 0o755, "a/b": 0o755})
    then = State({"a/b/c": "one"}, {"a": 0o500, "a/b": 0o500})
    assert plan(situation(now, then), Mode.OVERLAY) == [
        "write a/b/c: changed since",
        "chmod a/b: permissions changed since",
        "chmod a: permissions changed since",
    ]
    assert len(plan(situation(now, then, directories=False), Mode.KEEP_EDITS)) == 1
    assert plan(situation(now, then), Mode.OVERLAY, ["a/b"], exactly=True) == [
        "chmod a/b: permissions changed since"
    ]


def test_the_mode_of_a_closed_directory_comes_back_but_not_of_what_lies_in_it() -> None:
    shut = State({}, {"a": 0o000, "a/b": 0o700}, {"a": UNREADABLE})
    opened = State({}, {"a": 0o755, "a/b": 0o755})
    assert plan(situation(shut, opened), Mode.EXACT) == ["chmod a: permissions changed since"]
    assert plan(situation(opened, shut), Mode.EXACT) == ["chmod a: permissions changed since"]


# --- the order -------------------------------------------------------------------------------


def test_steps_come_in_the_order_in_which_they_can_be_carried_out() -> None:
    now = State(
        {"block": "2", "dir/x": "2", "made/y": "2", "bits": "1", "mine": "2"},
        {"modes": 0o700},
        {"big": OVERSIZE},
        bits={"bits": 0o600},
    )
    then = State({"block/z": "1", "dir": "1", "bits": "1", "big": "1"}, {"modes": 0o755})
    assert plan(situation(now, then), Mode.EXACT) == [
        "delete block: in the way of block/z",
        "delete dir/x: in the way of dir",
        "delete dir: in the way of dir",
        "mkdir block: missing now",
        "write block/z: missing now",
        "write dir: missing now",
        "chmod bits: permissions changed since",
        "delete made/y: created since",
        "delete mine: created since",
        "delete made: created since",
        "chmod modes: permissions changed since",
        "keep big: not captured: oversize",
    ]


NAMES = st.sampled_from(["a", "b", "a/a", "a/b", "b/a", "a/a/a", "a/a/b", "b/a/a"])


@st.composite
def states(draw: st.DrawFn) -> State:
    """A state in which no path lies below a file."""
    files: dict[str, str] = {}
    folders: dict[str, int] = {}
    skipped: dict[str, SkipReason] = {}
    ignored: list[str] = []
    taken: set[str] = set()
    for path in draw(st.lists(NAMES, unique=True)):
        above = set(parents(path))
        if above & taken or any(path in parents(other) for other in taken | folders.keys()):
            continue
        kind = draw(st.sampled_from(["file", "file", "link", "directory", "skipped", "ignored"]))
        if kind == "directory":
            folders[path] = draw(st.sampled_from([0o755, 0o700]))
            continue
        taken.add(path)
        if kind == "skipped":
            skipped[path] = OVERSIZE
        elif kind == "ignored":
            ignored.append(path)
        else:
            contents = draw(st.sampled_from(["1", "2"]))
            files[path] = contents if kind == "file" else f"{LINK}{contents}"
    return State(files, folders, skipped, ignored)


class Model:
    """A working directory in which each step is refused that could not be carried out."""

    def __init__(self, state: State) -> None:
        self.folders = {path for path in state.lies() if state.is_directory(path)}
        self.files = {path: state.files.get(path) for path in state.lies() - self.folders}

    def carry_out(self, action: Action, path: str, contents: str | None, mode: int) -> None:
        assert all(folder in self.folders for folder in parents(path))
        if action is Action.MKDIR:
            assert path not in self.files and path not in self.folders
            self.folders.add(path)
        elif action is Action.WRITE:
            assert path not in self.folders
            self.files[path] = contents
        elif action is Action.DELETE and stat.S_ISDIR(mode):
            assert not any(path in parents(other) for other in (*self.files, *self.folders))
            self.folders.remove(path)
        elif action is Action.DELETE:
            del self.files[path]


@given(
    now=states(),
    then=states(),
    mode=st.sampled_from(Mode),
    chosen=st.none() | st.lists(NAMES, max_size=2),
    exactly=st.booleans(),
    directories=st.booleans(),
    data=st.data(),
)
def test_every_plan_can_be_carried_out_and_leaves_alone_what_it_keeps(
    now: State,
    then: State,
    mode: Mode,
    chosen: list[str] | None,
    exactly: bool,
    directories: bool,
    data: st.DataObject,
) -> None:
    paths = sorted({*now.files, *then.files})
    verdicts = {path: data.draw(st.sampled_from([AGENTS, YOURS]), path) for path in paths}
    given_ = situation(now, then, verdicts, directories=directories)
    steps = plan_steps(given_, mode, chosen, exactly=exactly)
    before, after = Model(now), Model(now)
    for step in steps:
        if step.action is not Action.KEEP:
            after.carry_out(step.action, step.path, step.blob, step.mode or 0)
    kept = {step.path: step.mode or 0 for step in steps if step.action is Action.KEEP}
    stays = {path for path, bits in kept.items() if not stat.S_ISDIR(bits)}
    if mode is Mode.KEEP_EDITS:
        stays |= {path for path, verdict in verdicts.items() if verdict is YOURS}
    for path in {*stays, *now.skipped, *now.ignored}:
        assert after.files.get(path) == before.files.get(path)
    for path in kept.keys() - stays:
        assert (path in after.folders) == (path in before.folders)
    comes = {step.path for step in steps if step.action in (Action.WRITE, Action.MKDIR)}
    for step in steps:
        _, in_the_way, needed_by = step.reason.partition("in the way of ")
        if step.action is Action.DELETE and (in_the_way or mode is Mode.OVERLAY):
            assert needed_by in comes
    if chosen is None and mode is Mode.EXACT and not kept:
        assert {p: c for p, c in after.files.items() if c is not None} == then.files
