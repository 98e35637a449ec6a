"""What a word means: a checkpoint, a path or a directory; what is both or neither is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from support import Run, crossed, make_project

BOTH = "and a path in it; -- separates"
NEITHER = "is neither a checkpoint"


def prepare(project: Path) -> None:
    """Give a project, which is the current directory, its checkpoints and paths. It then has

    - checkpoints 4, 3 (label ``start``), 2 (label ``old.txt``) and 1 (label ``docs``),
    - the file ``4``, and ``gone.txt``, which checkpoint 2 alone holds,
    - ``old.txt``, which 3 and 2 hold and is gone.
    """
    assert main(["take", "-m", "before the edit"]) == 0
    (project / "old.txt").write_text("old\n", encoding="utf-8")
    assert main(["take", "-m", "first", "--label", "start"]) == 0
    (project / "gone.txt").write_text("gone\n", encoding="utf-8")
    assert main(["take", "-m", "second", "--label", "old.txt"]) == 0
    (project / "gone.txt").unlink()
    (project / "old.txt").unlink()
    (project / "4").write_text("four\n", encoding="utf-8")
    assert main(["take", "-m", "third", "--label", "docs"]) == 0
    (project / "README.md").write_text("changed\n", encoding="utf-8")
    (project / "src/app.py").write_text("changed\n", encoding="utf-8")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared ``project`` and its ``home``, for tests that change neither."""
    folder = tmp_path_factory.mktemp("words").resolve()
    project = make_project(folder / "project")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HERMES_HOME", str(folder / "home"))
        monkeypatch.chdir(project)
        prepare(project)
    return folder


@pytest.fixture
def words(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The prepared project as the current directory, only to be looked at."""
    monkeypatch.setenv("HERMES_HOME", str(shared / "home"))
    monkeypatch.chdir(shared / "project")
    return shared / "project"


@pytest.fixture
def own(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prepared project of the test's own, as the current directory."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    prepare(project)
    return project


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize(
    ("arguments", "numbers", "paths"),
    [
        ([], [1], ["README.md", "src/app.py"]),
        (["1"], [1], ["README.md", "src/app.py"]),
        (["latest", "src"], [1], ["src/app.py"]),
        (["src"], [1], ["src/app.py"]),
        (["./src/../src"], [1], ["src/app.py"]),
        (["src/app.py", "README.md"], [1], ["README.md", "src/app.py"]),
        (["3", "2"], [3, 2], ["gone.txt"]),
        (["2", "3"], [2, 3], ["gone.txt"]),
        (["start", "latest"], [3, 1], ["4", "old.txt"]),
        (["start", "latest", "old.txt"], [3, 1], ["old.txt"]),
        (["start", "1", "--", "4"], [3, 1], ["4"]),
        (["gone.txt"], [], NEITHER),  # the newest does not hold it
        (["2", "gone.txt"], [2], ["gone.txt"]),
        (["old.txt"], [], BOTH),  # a label, and a path that its checkpoint holds
        (["docs"], [], BOTH),
        (["docs", "--"], [1], ["README.md", "src/app.py"]),
        (["--", "docs"], [1], []),
        (["4"], [], BOTH),
        (["4", "--", "4"], [4], ["4"]),
        (["--", "4"], [1], []),
        (["2", "docs"], [], BOTH),
        (["2", "docs", "--"], [2, 1], ["4", "gone.txt", "old.txt"]),
        (["2", "--", "docs"], [2], []),
        (["nosuch"], [], NEITHER),
        (["2", "nosuch"], [], NEITHER),
        (["2", "1", "nosuch"], [], "neither checkpoint"),
        (["2", "--", "nosuch"], [], "neither checkpoint"),
        (["nosuch", "--"], [], "no checkpoint of"),
        (["src", "--"], [], "is a path, and a checkpoint was expected"),
        (["src", "2"], [], "stand before the paths"),
        (["3", "2", "1"], [], "stand before the paths"),
        ([""], [], "empty"),
        (["2", ""], [], "empty"),
        (["--", ""], [], "empty"),
        (["--", "--"], [], "neither checkpoint"),
        (["*.md"], [], NEITHER),
        (["größe"], [], NEITHER),
        (["../x"], [], NEITHER),
        (["--", "../x"], [], "leaves the project"),
    ],
)
def test_diff(
    run: Run, words: Path, arguments: list[str], numbers: list[int], paths: list[str] | str
) -> None:
    if isinstance(paths, str):
        answer = run("diff", "--stat", *arguments, code=2)
        assert paths in answer.err
        assert answer.out == ""
        return
    ids = [one["id"] for one in run("log", "--json").json["checkpoints"]]
    document = run("diff", "--stat", "--json", *arguments).json
    found = [one["id"] for one in (document["checkpoint"], document["against"]) if one]
    assert found == [ids[number - 1] for number in numbers]
    assert [change["path"] for change in document["changes"]] == paths


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["2"], "checkpoint 2"),
        (["2", "gone.txt"], "checkpoint 2"),
        (["start"], "checkpoint 3"),
        (["docs"], BOTH),
        (["docs", "--"], "checkpoint 1"),
        (["docs", "--", "docs"], "checkpoint 1"),
        (["old.txt"], BOTH),  # the label of a checkpoint that holds such a path
        (["README.md"], "'README.md' is a path, and a checkpoint was expected"),
        (["nosuch"], "no checkpoint of"),
        (["2", "nosuch"], "holds no path 'nosuch'"),
        (["2", "1"], "holds no path '1'"),
        (["2", "--", "2"], "holds no path '2'"),
    ],
)
def test_restore(run: Run, words: Path, arguments: list[str], answer: str) -> None:
    if not answer.startswith("checkpoint "):
        assert answer in run("restore", "--dry-run", *arguments, code=2).err
        return
    listed = run("log", "--json").json["checkpoints"]
    number = int(answer.split()[1])
    document = run("restore", "--dry-run", "--json", *arguments).json
    assert document["checkpoint"]["id"] == listed[number - 1]["id"]


NO_DIRECTORIES = [
    ("nosuch", "'nosuch' is no directory: "),
    ("README.md", "README.md is a file, and a directory was expected"),
    ("start", "'start' is no directory but checkpoint "),
    ("1", "'1' is no directory but checkpoint "),
    ("4", "/4 is a file, and a directory was expected"),
    ("", "is empty"),
    ("a\0b", "NUL"),
    ("~nobody-of-this-name/x", "cannot be resolved"),
    ("x" * 300, "cannot be resolved"),
]


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("verb", "refused"),
    crossed(5, ["log", "take", "undo", "redo", "coverage", "prune"], NO_DIRECTORIES),
)
def test_what_is_no_directory_is_refused_and_no_failure(
    run: Run, words: Path, verb: str, refused: tuple[str, str]
) -> None:
    word, message = refused
    for arguments in ([word], ["--dir", word], ["--", word]):
        answer = run(verb, *arguments, code=2)
        assert (message in answer.err, answer.out) == (True, ""), answer
    assert "WARNING" not in run("status").out
    assert len(run("log", "--json").json["checkpoints"]) == 4


@pytest.mark.campaign
def test_a_directory_that_has_the_name_of_a_label_is_the_directory(run: Run, own: Path) -> None:
    assert run("log", "docs").lines[0] == f"Checkpoints of {own} that changed docs:"
    run("take", "docs")
    assert run("log", "docs").lines[0] == f"Checkpoints for {own / 'docs'}:"


def test_a_project_that_was_deleted_is_still_named(
    run: Run, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own.parent)
    own.rename(own.with_name("away"))
    assert run("log", own).lines[0] == f"Checkpoints for {own}:"
    assert "does not exist" in run("take", own, code=2).err
    assert "WARNING" not in run("status").out


@pytest.mark.parametrize("verb", ["log", "take", "coverage", "undo"])
def test_two_different_directories_are_refused(run: Run, words: Path, verb: str) -> None:
    for arguments in (["src", "--dir", "docs"], ["--dir", "src", "--dir", "docs"]):
        answer = run(verb, *arguments, code=64)
        assert f"named: {words / 'src'} and {words / 'docs'}\n" in answer.err
        assert answer.err.startswith(f"usage: hermes-checkpoints {verb} ")


def test_the_same_directory_may_be_named_twice(run: Run, own: Path) -> None:
    answer = run("-C", own.parent, "log", own.name, "--dir", own, "-n", "1")
    assert answer.lines[0] == f"Checkpoints for {own}:"


@pytest.mark.campaign
def test_a_start_changes_where_words_and_the_search_begin(
    run: Run, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = ("-C", own.parent, "-C", f"{own.name}/src")
    assert run(*where, "log").lines[0] == f"Checkpoints for {own}:"
    document = run(*where, "diff", "app.py", "../README.md", "--json").json
    assert [change["path"] for change in document["changes"]] == ["README.md", "src/app.py"]
    assert run(*where, "cat", "1", own / "README.md").out.startswith("# Sample")
    plan = run(*where, "restore", "1", "--dry-run", "--json").json
    assert plan["paths"] == [{"path": "src"}]
    done = run(*where, "restore", "1", "-f", "--mode", "overlay")
    assert done.lines[-1].endswith(f"hermes checkpoints undo {own}")
    assert (
        run(*where, "--home", "elsewhere", "status")
        .lines[0]
        .endswith(f"{own}/src/elsewhere/checkpoints")
    )
    for verb in (["log"], ["status"], ["clear", "-f"]):
        assert "named by -C, is no directory" in run("-C", "nosuch", *verb, code=2).err
        assert "is empty" in run("-C", "", *verb, code=2).err


def test_a_path_may_lead_through_a_link_to_the_project(run: Run, own: Path) -> None:
    link = own.parent / "link"
    link.symlink_to(own)
    assert run("cat", "1", link / "src/app.py").out.startswith("def main")
    assert "is absolute" in run("cat", "1", own.parent / "other/x", code=2).err


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "typed",
    [
        "../README.md",
        "{}/src/../README.md",
        "{}/README.md",
        "../../link/README.md",
        ".././README.md",
    ],
)
def test_a_path_is_made_plain_from_where_it_was_typed_and_then_judged(
    run: Run, own: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    (own.parent / "link").symlink_to(own)
    monkeypatch.chdir(own / "src")
    path, held = typed.format(own), (own / "README.md").read_bytes()
    assert run("take").code == 0
    (own / "README.md").write_text("after\n", encoding="utf-8")
    assert run("cat", "1", path).out.encode() == held
    assert run("restore", "1", path, "--stdout").out.encode() == held
    assert "README.md" in run("diff", "1", path).out
    assert "README.md" in run("diff", "2", "1", path).out
    assert run("who", path).code == 0
    assert run("restore", "1", path, "-f").code == 0
    assert (own / "README.md").read_bytes() == held


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(
    ("typed", "verb"),
    crossed(
        3,
        ["nosuch", "../nosuch", "{}/nosuch", "~/nosuch", "./nosuch/"],
        [
            *("diff 1", "diff 2 1", "restore 1 -f", "restore 1 --stdout"),
            *("restore 1 --dry-run", "cat 1", "who"),
        ],
    ),
)
def test_a_path_that_no_side_has_is_refused_in_every_verb(
    run: Run, words: Path, monkeypatch: pytest.MonkeyPatch, verb: str, typed: str
) -> None:
    monkeypatch.chdir(words / "src")
    said = run(*verb.split(), typed.format(words), code=2).err
    assert "nosuch" in said


@pytest.mark.parametrize("typed", ["../../nosuch", "{}/../nosuch", "/etc/passwd"])
@pytest.mark.parametrize("verb", ["diff 2 1", "restore 1 -f", "cat 1", "who"])
def test_a_path_outside_is_said_to_leave_the_project(
    run: Run, words: Path, monkeypatch: pytest.MonkeyPatch, verb: str, typed: str
) -> None:
    monkeypatch.chdir(words / "src")
    assert "the project" in run(*verb.split(), typed.format(words), code=2).err


def test_a_start_that_is_a_link_in_a_circle_or_too_long_is_refused_by_name(
    run: Run, tmp_path: Path
) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for start in (circle, "x" * 5000):
        assert f"{start}, named by -C, cannot be resolved" in run("-C", start, "log", code=2).err
    assert "named by -C, is no directory" in run("-C", "~nobody-of-this-name", "log", code=2).err


def test_a_time_is_a_checkpoint_where_one_can_stand(run: Run, words: Path) -> None:
    newest = run("show", "latest", "--json").json["id"]
    assert run("show", "@0s", "--json").json["id"] == newest
    assert run("diff", "@0s", "--json").json["checkpoint"]["id"] == newest
    assert run("cat", "@23:59", "run.sh").out == run("cat", "latest", "run.sh").out
    plan = run("restore", "@{0s}", "--dry-run", "--json").json
    assert plan["checkpoint"]["id"] == newest


def test_why_a_time_means_nothing_is_said_by_every_verb(run: Run, words: Path) -> None:
    for verb in ("show", "diff", "restore", "pin", "unpin", "drop"):
        answer = run(verb, "@2020-01-01", code=2)
        assert "no checkpoint of" in answer.err, verb
        assert "the nearest is the oldest, number 4 (" in answer.err, verb
        assert "is no time; give @45s" in run(verb, "@soon", code=2).err, verb
    assert "is no time; give @45s" in run("label", "@soon", "name", code=2).err
    assert "the nearest is the oldest" in run("cat", "@2020-01-01", "run.sh", code=2).err


@pytest.mark.campaign
def test_a_file_of_such_a_name_is_a_path(run: Run, own: Path) -> None:
    (own / "@types").mkdir()
    (own / "@types/index.d.ts").write_text("export {}\n", encoding="utf-8")
    (own / "@0s").write_text("new\n", encoding="utf-8")
    document = run("diff", "@types", "--json").json
    assert [change["path"] for change in document["changes"]] == ["@types/index.d.ts"]
    assert BOTH in run("diff", "@0s", code=2).err
    document = run("diff", "--json", "--", "@0s").json
    assert [change["path"] for change in document["changes"]] == ["@0s"]
