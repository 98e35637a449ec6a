"""What an agent did, against the plainest record of a made-up history."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_checkpoints import Checkpoints, Kind
from support import examples

PATHS = ["f", "g", "d/h"]
ACTORS = ["A", "B", None]

_steps = st.lists(
    st.tuples(
        st.sampled_from(ACTORS),
        st.dictionaries(st.sampled_from(PATHS), st.none() | st.integers(0, 2), min_size=1),
    ),
    min_size=1,
    max_size=6,
)
State = dict[str, str | None]


def apply(folder: Path, changes: Mapping[str, int | None]) -> None:
    for path, text in changes.items():
        file = folder / path
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{path} {text}\n", encoding="utf-8")


def state(folder: Path) -> State:
    there = ((path, folder / path) for path in PATHS)
    return {path: f.read_text(encoding="utf-8") if f.exists() else None for path, f in there}


def expected(
    history: list[tuple[str | None, State, State]], session: str
) -> tuple[dict[str, list[tuple[str | None, str | None]]], set[tuple[str, str | None]]]:
    """Return the stretches of a session by path, and the paths that others changed in between,
    with who did."""
    stretches: dict[str, list[tuple[str | None, str | None]]] = {}
    between: set[tuple[str, str | None]] = set()
    for path in PATHS:
        own: list[tuple[str | None, str | None]] = []
        others: list[str | None] = []
        seen: set[tuple[str, str | None]] = set()
        for who, before, after in history:
            old, new = before[path], after[path]
            if old == new:
                continue
            if who != session:
                others.append(who)
                continue
            if own:
                seen |= {(path, other) for other in others}
            others = []
            if own and own[-1][1] == old:
                own[-1] = own[-1][0], new
            else:
                own.append((old, new))
        own = [one for one in own if one[0] != one[1]]
        if own:
            stretches[path] = own
            between |= seen
    return stretches, between


@pytest.mark.campaign
@settings(max_examples=examples(15))
@given(_steps)
def test_it_is_what_the_session_changed_and_nothing_else(
    steps: list[tuple[str | None, dict[str, int | None]]],
) -> None:
    with tempfile.TemporaryDirectory() as name, Checkpoints.open(Path(name) / "home") as opened:
        folder = Path(name) / "project"
        folder.mkdir()
        (folder / "keep").write_text("kept\n", encoding="utf-8")
        project = opened.project(folder)
        project.take(kind=Kind.AUTO, session_id="first")
        project.end_turn(session_id="first")
        history: list[tuple[str | None, State, State]] = []
        for number, (who, changes) in enumerate(steps):
            if who is not None:
                project.take(kind=Kind.AUTO, session_id=who, turn=number)
            before = state(folder)
            apply(folder, changes)
            history.append((who, before, state(folder)))
            if who is not None:
                project.end_turn(session_id=who)
        for session in {who for who, _ in steps if who is not None}:
            stretches, between = expected(history, session)
            diff = project.agent_diff(session_id=session)
            assert [change.path for change in diff.changes] == sorted(stretches)
            assert {(one.path, one.session_id) for one in diff.between} == between
            lines = [one for one in diff.text.splitlines() if one[:2] in ("+d", "+f", "+g")]
            lines += [one for one in diff.text.splitlines() if one[:2] in ("-d", "-f", "-g")]
            wanted = [f"+{new}" for own in stretches.values() for _, new in own if new]
            wanted += [f"-{old}" for own in stretches.values() for old, _ in own if old]
            assert sorted(lines) == sorted(one.strip() for one in wanted)
            assert not diff.folded
            assert not diff.lost
