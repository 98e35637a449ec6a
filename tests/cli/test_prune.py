"""``prune`` and ``drop``: the plan is shown, asked about and executed as it was shown."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from hermes_checkpoints.cli.prune import size_of
from interpreters import PROGRAM, on_a_terminal, start
from support import Run


@pytest.fixture
def three(run: Run, taken: Path) -> Path:
    """The current directory, with three checkpoints."""
    for number in range(2):
        (taken / "src" / "app.py").write_text(f"x = {number}\n")
        run("take", "-m", f"edit {number}")
    return taken


def ids(run: Run) -> list[str]:
    return [c["id"] for c in run("log", "--json").json["checkpoints"]]


def test_the_words_and_their_order_are_those_of_version_2(run: Run, three: Path) -> None:
    answer = run("prune", "--retention-days", "3", "--max-size-mb", "200", "-f")
    assert answer.lines[:5] == [
        "Pruning checkpoint store…",
        "  retention_days:    3",
        "  delete_orphans:    True",
        "  max_total_size_mb: 200",
        "",
    ]
    assert answer.lines[5:14] == [
        "Plan: drop 0 checkpoints (about 0 B), keep 3",
        "",
        "Scanned:         1",
        "Deleted orphan:  0",
        "Deleted stale:   0",
        "Errors:          0",
        answer.lines[11],
        "Deleted capped:  0",
        "Over the limit:  0",
    ]
    assert re.fullmatch(r"Bytes reclaimed: [\d.]+ K?B", answer.lines[11])


def test_defaults_come_from_the_configuration(run: Run, three: Path, home: Path) -> None:
    (home / "config.yaml").write_text(
        "checkpoints: {retention_days: 30, max_total_size_mb: 9, max_snapshots: 2, "
        "delete_orphans: false}\n"
    )
    answer = run("prune", "--dry-run")
    assert answer.lines[1:4] == [
        "  retention_days:    30",
        "  delete_orphans:    False",
        "  max_total_size_mb: 9",
    ]
    assert "its project has more than 2 (max_snapshots)" in answer.out


def test_a_dry_run_shows_what_why_and_how_much_and_changes_nothing(run: Run, three: Path) -> None:
    before = ids(run)
    answer = run("prune", "--max-snapshots", "1", "--dry-run")
    assert re.search(
        rf"  drop 2 of {re.escape(str(three))}, about [\d.]+ KB: its project has more than 1",
        answer.out,
    )
    assert f"    {before[1][:8]}  " in answer.out
    assert answer.lines[-1].startswith("Plan: drop 2 checkpoints (about ")
    document = run("prune", "--max-snapshots", "1", "--dry-run", "--json").json
    assert [one["id"] for one in document["drop"]] == before[1:]
    kept = [(one["rule"], one["checkpoints"]) for one in document["keep"]]
    assert (kept, document["kept"]) == ([("newest", 1)], 1)
    assert all(one["because"] for one in (*document["drop"], *document["keep"]))
    assert ids(run) == before


def test_without_a_terminal_a_drop_deletes_nothing_unasked(run: Run, three: Path) -> None:
    assert "use -f" in run("drop", "1", code=2).err
    assert "--dry-run" in run("drop", "1", "--json", code=2).err
    assert len(ids(run)) == 3


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("typed", ["", "n\n", "status\n"])
def test_without_a_terminal_a_prune_goes_by_the_rules(run: Run, three: Path, typed: str) -> None:
    before = ids(run)
    process = start(PROGRAM, "prune", "--max-snapshots", "1")
    process.stdin.write(typed)
    ended = process.finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "[y/N]" not in ended.stdout
    assert "Plan: drop 2 checkpoints" in ended.stdout
    assert ended.stdout.endswith("Over the limit:  2\n")
    assert ids(run) == before[:1]


def test_a_prune_in_a_script_leaves_it_the_next_line_of_its_input(three: Path) -> None:
    script = (
        "import os, sys; from hermes_checkpoints.cli import main; "
        "code = main(['prune']); print(os.read(0, 9)); sys.exit(code)"
    )
    process = start(script)
    process.stdin.write("status\n")
    ended = process.finish()
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "b'status\\n'")


def test_a_prune_whose_output_is_captured_does_not_ask_at_the_terminal(
    run: Run, three: Path, tmp_path: Path
) -> None:
    caught = tmp_path / "caught"
    captured = (
        "import contextlib, sys; from hermes_checkpoints.cli import main\n"
        "with open(sys.argv.pop(1), 'w') as f, contextlib.redirect_stdout(f): code = main()\n"
        "sys.exit(code)"
    )
    words = (caught, "prune", "--max-snapshots", "1", "--json")
    code, written = on_a_terminal(*words, code=captured)
    assert (code, b"[y/N]" in written) == (0, False)
    assert len(json.loads(caught.read_text())["dropped"]) == 2
    assert len(ids(run)) == 1


def test_a_prune_as_json_without_a_terminal_goes_by_the_rules(run: Run, three: Path) -> None:
    answer = run("prune", "--max-snapshots", "1", "--json")
    assert (len(answer.json["dropped"]), len(ids(run))) == (2, 1)


def test_a_prune_as_json_on_a_terminal_cannot_ask(run: Run, three: Path) -> None:
    code, written = on_a_terminal("prune", "--max-snapshots", "1", "--json")
    assert (code, b"--dry-run" in written) == (2, True)
    assert len(ids(run)) == 3


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("typed", "code", "left"), [(b"y\n", 0, 1), (b"\n", 1, 3)])
def test_the_question(run: Run, three: Path, typed: bytes, code: int, left: int) -> None:
    words = ("prune", "--max-snapshots", "1")
    found, written = on_a_terminal(*words, prompt=b"[y/N]", typed=typed)
    assert found == code
    assert b"Delete 2 checkpoints? [y/N]" in written
    assert (b"Aborted." in written) == bool(code)
    assert len(ids(run)) == left


def test_what_was_shown_is_what_goes(run: Run, three: Path) -> None:
    plan = run("prune", "--max-snapshots", "2", "--dry-run", "--json").json
    result = run("prune", "--max-snapshots", "2", "-f", "--json").json
    assert [one["id"] for one in result["dropped"]] == [one["id"] for one in plan["drop"]]
    assert (result["deleted_over_limit"], result["errors"], result["over_cap"]) == (1, [], False)
    gone = plan["drop"][0]["id"]
    assert "was pruned on" in run("show", gone, code=2).err
    assert "max_snapshots" in run("show", gone, code=2).err


@pytest.mark.campaign
def test_an_orphan_and_why_it_is_kept(
    run: Run, three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(three.parent)
    shutil.rmtree(three)
    kept = run("prune", "--keep-orphans", "-f")
    assert f"  keep 1 of {three}: its directory is gone" in kept.out
    assert "and orphans are kept" in kept.out
    answer = run("prune", "-f")
    assert "Deleted orphan:  1" in answer.lines
    assert "Projects:        0" in run("status").lines


def test_pins_and_labels(run: Run, three: Path) -> None:
    before = ids(run)
    assert run("pin", "2").out == f"Checkpoint {before[1][:8]} of {three} is pinned\n"
    run("label", "3", "good start")
    answer = run("prune", "--max-snapshots", "1", "-f")
    assert f"  keep 1 of {three}: it is pinned" in answer.lines
    assert f"  keep 1 of {three}: it has the label good start" in answer.lines
    assert ids(run) == before
    assert run("show", "good start", "--json").json["label"] == "good start"
    run("unpin", "2")
    run("label", "good start", "--remove")
    run("prune", "--max-snapshots", "1", "-f")
    assert ids(run) == before[:1]
    assert run("pin", "1", "--json").json["pinned"] is True
    assert "invalid label" in run("label", "1", "latest", code=2).err
    assert "give a NAME" in run("label", "1", code=64).err


@pytest.mark.campaign
def test_drop_by_id_number_and_label(run: Run, three: Path) -> None:
    before = ids(run)
    assert run("drop", "2", "--dry-run").lines[-1].startswith("Plan: drop 1 checkpoint ")
    answer = run("drop", "2", before[2], "-f")
    assert re.fullmatch(r"Dropped 2 checkpoints; \d+\.\d [KM]B reclaimed", answer.lines[-1])
    assert ids(run) == before[:1]
    run("pin", "1")
    assert "is kept because it is pinned" in run("drop", "1", "-f", code=2).err
    assert run("drop", "1", "-f", "--include-pinned", "--json").json["dropped"]
    assert ids(run) == []


def test_keep_rules(run: Run, three: Path) -> None:
    before = ids(run)
    document = run("prune", "--keep-last", "2", "--keep-daily", "1", "-f", "--json").json
    assert [one["rule"] for one in document["dropped"]] == ["no-keep-rule"]
    assert ids(run) == before[:2]
    assert run("prune", "--keep-within", "1h", "-f", "--json").json["dropped"] == []
    (three / "new").write_text("n")
    run("take")
    document = run("prune", "--keep-within", "0h", "--keep-last", "1", "-f", "--json").json
    assert len(document["dropped"]) == 2


def test_never_a_success_over_the_cap(run: Run, three: Path) -> None:
    for number in range(2):
        (three / "big").write_bytes(random.Random(number).randbytes(1_500_000))  # noqa: S311
        run("take")
    for reference in ("1", "2"):
        run("pin", reference)
    answer = run("prune", "--max-size-mb", "1", "-f", code=3)
    assert "cannot be brought below 1.0 MB" in answer.out
    assert "the rules protect what is left" in answer.err
    again = run("prune", "--max-size-mb", "1", "-f", code=3)
    assert "this was tried before" in again.out
    assert "stays over its cap" not in run("status").out  # the configured cap is another
    run("unpin", "2")
    (three / "new").write_text("n")
    run("take")
    run("prune", "--max-size-mb", "4", "--reclaim", "1MB", "-f")


@pytest.mark.campaign
def test_one_directory_alone(run: Run, three: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for number in range(2):
        (other / "f").write_text(str(number))
        run("take", other)
    run("prune", other, "--max-snapshots", "1", "-f")
    assert len(ids(run)) == 3
    assert len(run("log", other, "--json").json["checkpoints"]) == 1
    assert "No checkpoints exist" in run("prune", tmp_path, "-f", code=2).err


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("5k", 5120), ("500MB", 500 << 20), ("1.5 GiB", 3 << 29), ("2g", 2 << 30)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize(
    "option",
    [
        "--reclaim=0",
        "--reclaim=x",
        "--keep-within=soon",
        "--retention-days=-1",
        "--max-size-mb=1.5",
    ],
)
def test_bad_values(run: Run, option: str) -> None:
    with pytest.raises(SystemExit):
        run("prune", option)


def test_an_empty_home(run: Run) -> None:
    assert "Scanned:         0" in run("prune", "-f").lines
