"""``browse``: what is to be read, what the keys and the mouse do, and that a restore asks first."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from cli.browse.conftest import Afternoon
from cli.browse.driving import Driver, drive
from hermes_checkpoints import Checkpoints, Kind
from hermes_checkpoints.cli.browse.app import Browse
from hermes_checkpoints.cli.browse.keys import KEYS
from hermes_checkpoints.cli.browse.parts import PartsDialog
from hermes_checkpoints.cli.browse.rows import Lines
from hermes_checkpoints.cli.browse.words import Clean
from support import files


def test_it_reads_as_a_conversation_with_files_and_their_differences(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        assert [line[10:] for line in driver.timeline] == [
            "agent        4 files  › Print the receipt in two columns",
            "restore      0 files  before the restore to 2",
            "agent        6 files  › Rename Cart to Basket everywhere",
            "agent        2 files  › The total is wrong by a cent: round as the …",
            "agent+you    4 files  › Members get 10 % off; add a test, too",
            "you           1 file  before the agent comes     [label: good-start]",
        ]
        await driver.press("down", "down", "down")
        assert driver.files == [" A debug.txt          +1 agent", " M src/shop/prices.py    agent"]
        await driver.press("right", "down")
        assert " ".join(" ".join(driver.diff[:2]).split()) == (
            "changed by the agent's Edit session 5f1c-shop, turn 2"
        )
        assert driver.diff[2:] == [
            "@@ -2,7 +2,7 @@ TAX = 0.19",
            " def with_tax(price):",
            "-    return price * (1 + TAX)",
            "+    return round(price * (1 + TAX), 2)",
            " def shown(price):",
        ]
        await driver.press("end", "escape", "home", "right", "end", "right")
        assert driver.app.focused is driver.app.panes.diff

    drive(told.home, told.project, steps)


@pytest.mark.campaign
def test_all_until_now_says_what_a_restore_would_keep_and_why(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("down", "down", "v", "right", "home")
        assert driver.files[0] == " M README.md       +1 -1 stays"
        letters = "".join(line.split()[0] for line in driver.files)
        assert letters == "MDAADDMAD"  # debug.txt, out.txt, basket.py, cart.py, members.py …
        assert driver.diff[0] == "restore keeps it: you changed it"
        await driver.press("v")
        assert len(driver.files) == 6

    drive(told.home, told.project, steps)


@pytest.mark.campaign
def test_a_part_of_a_path_leaves_what_touches_it(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("slash", *"CART", "enter")
        titles = [line.partition("› ")[2] for line in driver.timeline]
        assert titles == [
            "Print the receipt in two columns",  # what follows the newest is not on record
            "Rename Cart to Basket everywhere",
            "Members get 10 % off; add a test, too",
        ]
        await driver.press("down")
        assert [line.split()[1] for line in driver.files] == [
            "src/shop/cart.py",
            "tests/test_cart.py",
        ]
        await driver.press("escape")
        assert len(driver.timeline) == 6
        await driver.press("slash", "escape")  # the field is left, whether or not it says something
        assert driver.app.focused is driver.app.panes.timeline

    drive(told.home, told.project, steps)


def test_a_restore_shows_its_plan_asks_and_is_taken_back_by_one_key(copied: Afternoon) -> None:
    before = files(copied.project)

    async def steps(driver: Driver) -> None:
        await driver.press("down", "down", "R")
        plan = driver.read()
        assert plan[0] == "Asked for then: Rename Cart to Basket everywhere"
        acts = [line.split()[0] for line in plan[1:]]
        assert acts == [*["delete"] * 3, *["write"] * 5, "Kept", "README.md"]
        assert "Kept (you changed it):" in plan
        assert driver.said("sum") == "Plan: 5 write, 3 delete; 1 path kept"
        await driver.press("n")
        assert files(copied.project) == before

        await driver.press("R", "y")
        assert (copied.project / "src/shop/cart.py").exists()
        assert files(copied.project)["README.md"] == before["README.md"]
        said = driver.read()
        assert said[0].startswith("Restored to checkpoint ")
        assert said[-4:-2] == ["Kept (you changed it):", "  README.md"]
        assert said[-1] == "u takes this back, and later `hermes checkpoints undo`."
        await driver.press("u")
        assert files(copied.project) == before
        assert driver.read()[0].startswith("The last restore of")
        await driver.press("enter")
        assert len(driver.timeline) > 6
        assert [line.split()[0] for line in driver.app.told] == ["Restored", "The", "To"]
        assert driver.app.told[-1] == "To go back: hermes checkpoints redo"

    drive(copied.home, copied.project, steps)


@pytest.mark.campaign
def test_marked_files_alone_are_restored_and_the_mode_can_be_another(copied: Afternoon) -> None:
    before = files(copied.project)

    async def steps(driver: Driver) -> None:
        while not driver.app.panes.timeline.chosen or driver.app.panes.timeline.chosen.number != 2:
            await driver.press("down")
        await driver.press("right", "down", "space", "down", "space")
        assert driver.files[1].startswith("*A src/shop/basket.py")
        await driver.press("R")
        assert driver.read() == [
            "Asked for then: Rename Cart to Basket everywhere",
            "Limited to src/shop/basket.py, src/shop/receipt.py",
            "delete  src/shop/basket.py  (created by a restore, +0/-10)",
            "write   src/shop/receipt.py  (agent changed (Write), 142 B, +3/-9)",
        ]
        await driver.press("m")
        assert "mode exact deletes it" in " ".join(driver.read())
        await driver.press("m")
        assert driver.said("sum") == "Plan: 1 write, 1 delete"
        await driver.press("y", "enter")
        assert not (copied.project / "src/shop/basket.py").exists()
        await driver.press("escape", "u", "y", "enter")
        assert files(copied.project) == before
        await driver.press("U")
        assert driver.said("heading").startswith("Taking back the last undo of ")
        await driver.press("n")

    drive(copied.home, copied.project, steps)


@pytest.mark.slow
def test_parts_of_files_are_marked_and_come_back_alone(copied: Afternoon) -> None:
    before = files(copied.project)

    async def steps(driver: Driver) -> None:
        await driver.press("end", "P")
        dialog = driver.app.screen
        assert isinstance(dialog, PartsDialog)
        items, shown = dialog.items, dialog.query_one("#part", Lines)
        assert driver.said("heading").startswith("What differs in /")
        assert driver.offers()[0] != "y  Restore these"
        await driver.press("y")
        assert files(copied.project) == before  # nothing is marked
        rows = driver.read(items)
        assert rows[0] == "[ ] README.md  (you changed it)"
        assert rows[1].startswith("    [ ] (1 of 1) Bring this part back  +")
        assert driver.read(shown)[0].startswith("@@ -1,")
        await driver.press("down", "s", "space")
        rows = driver.read(items)
        assert [row.partition(" Bring")[0] for row in rows[:3]] == [
            "[-] README.md  (you changed it)",
            "    [x] (1 of 2)",
            "    [ ] (2 of 2)",
        ]
        said = driver.said("sum")
        assert said.startswith("Chosen: 1, 1 part of ")
        await driver.press("a", "a")
        assert driver.said("sum").startswith("Chosen: nothing of")
        await driver.press("home", "down", "space", "y")
        assert driver.read()[0].startswith("Restored what was chosen from checkpoint ")
        now = files(copied.project)
        assert {path for path in now if now[path] != before[path]} == {"README.md"}
        text = (copied.project / "README.md").read_text()
        assert text == "# Shop\n\nPrices, baskets and receipts.\n\nMembers get 10 % off.\n"
        await driver.press("u")
        assert files(copied.project) == before
        await driver.press("enter")

    drive(copied.home, copied.project, steps)


@pytest.mark.campaign
def test_parts_of_the_chosen_file_alone_and_of_one_that_changes_meanwhile(
    copied: Afternoon,
) -> None:
    receipt = copied.project / "src/shop/receipt.py"
    before = receipt.read_bytes()

    async def steps(driver: Driver) -> None:
        while not driver.app.panes.timeline.chosen or driver.app.panes.timeline.chosen.number != 2:
            await driver.press("down")
        await driver.press("right", "down", "down", "down", "P")
        dialog = driver.app.screen
        assert isinstance(dialog, PartsDialog)
        rows = driver.read(dialog.items)
        assert "src/shop/receipt.py" in rows[0]
        assert not any("README" in row for row in rows)
        await driver.press("space")
        receipt.write_text("meanwhile\n")
        await driver.press("y")
        assert "changed after the plan was made" in driver.said("heading")
        assert driver.said("sum").startswith("Chosen: nothing")
        assert receipt.read_text() == "meanwhile\n"
        await driver.press("escape")
        assert driver.app.screen_stack[-1] is driver.app.screen_stack[0]

    try:
        drive(copied.home, copied.project, steps)
    finally:
        receipt.write_bytes(before)


@pytest.mark.slow
def test_a_checkpoint_is_taken_with_a_reason_or_none_and_unchanged_is_said(
    home: Path, project: Path
) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("t", "escape")
        assert not driver.app.panes.timeline.rows
        await driver.press("t", *"why", "enter")
        assert driver.timeline[0].endswith("why")
        await driver.press("P", "space", "a", "s", "y")
        assert isinstance(driver.app.screen, PartsDialog)
        assert driver.read(driver.app.screen.items)[0].startswith("Nothing to restore:")
        await driver.press("escape")
        await driver.press("t", "enter")
        assert "Unchanged since checkpoint" in [*driver.app._notifications][-1].message
        (project / "README.md").write_text("changed\n")
        await driver.press("t", "enter")
        assert driver.timeline[0].endswith("manual")
        assert driver.timeline[1].endswith("why")
        project.rename(project.with_name("away"))
        await driver.press("t", "enter")
        assert "does not exist" in [*driver.app._notifications][-1].message

    drive(home, project, steps)


@pytest.mark.campaign
def test_the_mouse_chooses_opens_and_presses(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        app = driver.app
        row = next(y for y, line in enumerate(driver.timeline) if "by a cent" in line)
        await driver.click("#timeline", (20, row + 1))
        assert app.panes.timeline.chosen and app.panes.timeline.chosen.number == 3
        await driver.click("#files", (5, 2))
        assert app.panes.files.chosen and app.panes.files.chosen.path == "src/shop/prices.py"
        await driver.press("R")
        assert driver.offers() == ["y  Restore", "n  Cancel", "m  Another mode"]
        await driver.click("#no")
        assert app.screen_stack[-1] is app.screen_stack[0]

    drive(told.home, told.project, steps, size=(200, 50))


@pytest.mark.campaign
def test_pins_and_labels_are_given_moved_and_taken_away(copied: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        app = driver.app

        async def label(name: str) -> None:
            await driver.press("l")
            app.screen.query_one(Input).value = name
            await driver.press("enter")

        await driver.press("p")
        assert driver.timeline[0].endswith("[pinned]")
        await driver.press("p")
        assert not driver.timeline[0].endswith("[pinned]")
        await label("good-start")
        assert "Enter once more moves it here" in driver.said("wrong")
        await driver.press("enter")
        assert driver.timeline[0].endswith("[label: good-start]")
        assert not driver.timeline[-1].endswith("[label: good-start]")
        await label("good-start")
        assert not driver.timeline[0].endswith("[label: good-start]")
        await driver.press("end")
        await label("good-start")
        await label("no label: 1 2 3 4 5 6 7 8 9".replace(" ", "\n"))
        assert driver.said("wrong")
        await driver.press("escape")

    drive(copied.home, copied.project, steps)


def test_what_others_do_shows_without_a_key(copied: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("down")
        chosen = driver.app.panes.timeline.chosen
        with Checkpoints.open(copied.home) as checkpoints:
            checkpoints.project(copied.project).pin("latest")
            await driver.app.panes.look_whether_changed()
            await driver.settle()
            assert driver.timeline[0].endswith("[pinned]")
            checkpoints.project(copied.project).unpin("latest")
        assert driver.app.panes.timeline.chosen and chosen
        assert driver.app.panes.timeline.chosen.checkpoint == chosen.checkpoint
        await driver.press("r")
        assert not driver.timeline[0].endswith("[pinned]")

    drive(copied.home, copied.project, steps)


@pytest.mark.campaign
def test_one_pane_can_have_the_whole_terminal_and_all_sizes_are_drawn(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        app = driver.app
        await driver.press("right", "right", "z")
        assert [pane.display for pane in app.panes.all] == [False, False, True]
        assert app.panes.diff.size.width > 70
        await driver.press("escape")
        assert [pane.display for pane in app.panes.all] == [True, True, True]
        for size in ((20, 6), (200, 50), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
        await driver.press("question_mark")
        assert len(driver.read()) == len(KEYS)
        await driver.press("escape")

    drive(told.home, told.project, steps)


@pytest.mark.campaign
def test_a_terminal_without_utf8_is_written_in_ascii_alone(told: Afternoon) -> None:
    async def steps(driver: Driver) -> None:
        app: Browse = driver.app
        for y in range(app.size.height):
            line = app.screen._compositor.render_strips()[y]
            for used in app.get_line_filters():
                line = line.apply_filter(used, app.screen.background_colors[1])
            assert line.text.isascii(), line.text

    drive(told.home, told.project, steps, clean=Clean(ascii_only=True))


@pytest.mark.campaign
def test_pages_are_read_as_the_end_comes_into_sight(told: Afternoon, tmp_path: Path) -> None:
    home, directory = tmp_path / "home", tmp_path / "many"
    directory.mkdir()
    home.mkdir()
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 0}\n")
    with Checkpoints.open(home) as checkpoints:
        for number in range(9):
            (directory / "file").write_text(str(number))
            checkpoints.project(directory).take(f"take {number}")

    async def steps(driver: Driver) -> None:
        assert len(driver.app.panes.timeline.rows) == 3
        await driver.press("down")
        assert len(driver.app.panes.timeline.rows) == 6
        await driver.press("end", "end")
        assert driver.timeline[-1].split()[-2:] == ["take", "0"]

    drive(home, directory, steps, page=3)


@pytest.mark.campaign
def test_a_project_without_checkpoints_says_how_to_take_one(home: Path, project: Path) -> None:
    async def steps(driver: Driver) -> None:
        assert driver.timeline[0].startswith("No checkpoints found for")
        assert "Take one: hermes checkpoints take" in driver.timeline
        await driver.press("R", "P", "right", "space", "v", "p", "l", "z", "u")
        assert "no checkpoint" in driver.read()[0].lower()

    drive(home, project, steps, size=(120, 30))


def test_hostile_names_are_escaped_and_mean_no_markup(home: Path, tmp_path: Path) -> None:
    directory = tmp_path / "hostile"
    directory.mkdir()
    names = [
        "[red]x",
        "new\nline",
        "esc\x1b[31m",
        "bidi\u202egpj",
        "byte\udcff",
        "[/",
        "b\\[u]",
    ]
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(directory)
        project.take(
            "[bold]why[/bold]\x1b]0;t\x07", kind=Kind.AUTO, session_id="[i]s", title="[@click]"
        )
        for name in names:
            (directory / name).write_text("[blink]text[/blink]\x1b[2J\n")
        project.end_turn(session_id="[i]s")
        project.take("[/nothing]")

    async def steps(driver: Driver) -> None:
        assert "[/nothing]" in driver.timeline[0]
        assert "› [@click]" in driver.timeline[1]
        await driver.press("down", "right")
        found = "\n".join(driver.files)
        for shown in (r"[red]x", r"new\nline", r"esc\x1b[31m", r"bidi\u202egpj", r"byte\xff"):
            assert shown in found
        assert driver.diff[-1] == r"+[blink]text[/blink]\x1b[2J"
        await driver.press("left", "P")
        assert isinstance(driver.app.screen, PartsDialog)
        assert r"[ ] new\nline  (shell created)" in driver.read(driver.app.screen.items)
        await driver.press("escape", "R")
        assert r"delete  new\nline  (shell created, +0/-1)" in driver.read()
        await driver.press("y")
        assert driver.read()[0].startswith("Restored to checkpoint")
        await driver.press("u", "enter")

    before = sorted(directory.iterdir())
    drive(home, directory, steps, size=(120, 40))
    assert sorted(directory.iterdir()) == before


@pytest.mark.campaign
def test_what_goes_wrong_is_said_where_it_happens(copied: Afternoon, tmp_path: Path) -> None:
    home, project = copied.home, copied.project
    catalog = home / "checkpoints/catalog.db"
    kept = tmp_path / "aside"

    async def steps(driver: Driver) -> None:
        project.rename(kept)
        await driver.press("r")
        assert driver.files, driver.files
        await driver.press("down", "down", "v", "right")
        assert "does not exist" in " ".join(" ".join(driver.diff).split())
        await driver.press("left", "R")
        assert "is not there and is made" in " ".join(" ".join(driver.read()).split())
        await driver.press("n")
        kept.rename(project)

        await driver.press("R")
        (project / "src/shop/receipt.py").write_text("meanwhile")
        await driver.press("y")
        assert "changed after the plan was made" in driver.said("heading")
        await driver.press("n")

        catalog.rename(tmp_path / "catalog.db")
        await driver.press("r")
        assert "catalog" in " ".join(driver.timeline)
        await driver.press("u")
        assert "catalog" in " ".join(driver.read())

    before = (project / "src/shop/receipt.py").read_bytes()
    try:
        drive(home, project, steps, size=(120, 30))
    finally:
        if kept.exists():
            kept.rename(project)
        (project / "src/shop/receipt.py").write_bytes(before)
