"""What the rules leave out: built-in, the project's own, and those of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.oracle import State, check_restored
from capture.roundtrip import clock_ahead, paths, skipped, taken, write
from capture.trees import git, listing, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Action, Checkpoint, Mode, SkipReason, Taken, Unchanged
from hermes_checkpoints.object_store import ObjectStore, list_tree
from support import OrdinaryUserLike

FOLDERS = (
    *("node_modules", "dist", "__pycache__", ".cache", ".next", ".nuxt", ".pytest_cache"),
    *(".venv", "venv", ".mypy_cache", ".ruff_cache", ".tox"),
    *(".nox", ".gradle", ".terraform", ".worktrees", ".hg", ".svn", "x.egg-info", ".turbo"),
)
FILES = (
    *(".env", ".env.local", ".env.production", "x.pyc", "x.pyo", ".DS_Store", "x.log", "x.so"),
    *("x.dylib", "x.dll", "x.o", "x.a", "x.jar", "x.class", "x.exe", "x.obj", "x.mp4", "x.mov"),
    *("x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.7z", "x.rar", "x.iso", "id_rsa", "id_ed25519"),
    *(".ENV", ".Env.Local", "ID_RSA", "Server.PEM", "Credentials.JSON"),
    *("server.pem", "server.key", ".npmrc", ".pypirc", ".netrc", "Thumbs.db", ".coverage"),
)


def held(store: Checkpoints, checkpoint: Checkpoint) -> set[str]:
    """Return the paths that a checkpoint holds."""
    return set(list_tree(ObjectStore(Layout.of(store.home)).git, checkpoint.tree_id))


def test_built_in_excludes_are_left_out_and_counted(store: Checkpoints, tree: Path) -> None:
    names = [*(f"{name}/inside" for name in FOLDERS), *FILES]
    write(tree, {"kept.py": "k\n", "deep/er/kept.py": "k\n"})
    write(tree, dict.fromkeys(names, "i\n"))
    write(tree, {f"deep/er/{name}": "i\n" for name in names})
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {"kept.py", "deep/er/kept.py"}
    assert checkpoint.complete
    assert checkpoint.ignored_count == 2 * len(names)


@pytest.mark.parametrize("include", [(), (".hermes*",)])
def test_what_a_killed_restore_left_is_never_captured_whatever_rules_show(
    tree: Path, home: Path, include: tuple[str, ...]
) -> None:
    left = ".hermes-restore-0123456789abcdef"
    write(tree, dict.fromkeys((left, f"deep/{left}", f"{left}-01234567", f"{left}s"), "x\n"))
    write(tree, {".gitignore": "" if include else "!.*\n"})
    with Checkpoints.open(home, config=Config(include=include)) as store:
        for _ in range(2):
            checkpoint = taken(store.project(tree).take())
            assert held(store, checkpoint) - {"f"} == {".gitignore", f"{left}s"}
            write(tree, {"f": "x\n"})


def test_files_with_the_name_of_an_excluded_folder_are_captured(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"build": "a script\n", "bin/env": "e\n", "src/environment/x": "x\n"})
    assert held(store, taken(store.project(tree).take())) == {
        "build",
        "bin/env",
        "src/environment/x",
    }


def test_gitignore_files_hold_at_every_level_and_the_deeper_one_wins(
    store: Checkpoints, tree: Path
) -> None:
    write(
        tree,
        {
            ".gitignore": "*.tmp\n/only-here\n!kept.log\nsecret/\n",
            "a.tmp": "",
            "kept.log": "",
            "only-here": "",
            "secret/x": "",
            "sub/.gitignore": "!*.tmp\nlocal\n",
            "sub/b.tmp": "",
            "sub/local": "",
            "sub/only-here": "",
            "sub/deep/c.tmp": "",
        },
    )
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {
        ".gitignore",
        "kept.log",
        "sub/.gitignore",
        "sub/b.tmp",
        "sub/only-here",
        "sub/deep/c.tmp",
    }
    assert checkpoint.ignored_count == 4


def test_the_excludes_of_the_clone_are_read_and_those_of_the_user_are_not(
    store: Checkpoints, tree: Path
) -> None:
    git(tree, "init", "-q")
    write(tree, {".git/info/exclude": "# mine\n/scratch/\n*.tmp\n!kept.log\n"})
    git(tree, "config", "core.excludesFile", str(tree / "everything"))
    write(tree, {"everything": "*\n", "file": "f\n", "scratch/x": "", "a/scratch/y": ""})
    write(tree, {"x.tmp": "", "kept.log": "", "a/.gitignore": "!y.tmp\n", "a/y.tmp": ""})
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {
        *("everything", "file", "a/scratch/y", "kept.log", "a/.gitignore", "a/y.tmp")
    }
    assert store.project(tree).coverage().ignored == ("scratch/", "x.tmp")
    (tree / ".git/info/exclude").write_text("")
    assert "scratch/x" in held(store, taken(store.project(tree).take()))


def test_new_excludes_reach_old_stores_and_own_lines_stay(home: Path, tree: Path) -> None:
    write(tree, {"a.one": "", "b.two": "", "c.three": "", "d": ""})
    with Checkpoints.open(home) as store:
        assert held(store, taken(store.project(tree).take())) == {"a.one", "b.two", "c.three", "d"}
    exclude = home / "checkpoints/store/info/exclude"
    exclude.write_text(exclude.read_text() + "# mine\n*.three\n")
    with Checkpoints.open(home, config=Config(exclude=("*.one",))) as store:
        assert held(store, taken(store.project(tree).take())) == {"b.two", "d"}
    with Checkpoints.open(home, config=Config(exclude=("*.two",))) as store:
        assert held(store, taken(store.project(tree).take())) == {"a.one", "d"}
    assert "# mine\n*.three\n" in exclude.read_text()
    assert "*.one" not in exclude.read_text()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("how", ["config.yaml", "gitignore"])
def test_newly_ignored_paths_are_dropped_and_never_deleted(
    home: Path, tree: Path, how: str
) -> None:
    write(tree, {"data/one": "1\n", "data/two": "2\n", "file": "f\n"})
    with Checkpoints.open(home) as store:
        first = taken(store.project(tree).take())
    if how == "gitignore":
        write(tree, {".gitignore": "data/\n"})
    else:
        (home / "config.yaml").write_text("checkpoints:\n  exclude:\n    - data/\n")
    write(tree, {"data/one": "edited\n", "data/three": "3\n", "file": "edited\n"})
    with Checkpoints.open(home) as store:
        second = taken(store.project(tree).take())
        assert held(store, second) - {".gitignore"} == {"file"}
        assert second.ignored_count == 1
        now = State.of(tree, None)
        for mode in (Mode.OVERLAY, Mode.EXACT):
            restored = store.project(tree).restore(first.id, mode=mode)
            # What the checkpoint holds comes back; what it lacks and a rule ignores now stays.
            assert (tree / "data/one").read_text() == "1\n"
            assert (tree / "data/three").read_text() == "3\n"
            assert "data/one" in paths(restored.done) or mode is Mode.EXACT
            assert (tree / "file").read_text() == "f\n"
        (tree / "data/two").unlink()
        store.project(tree).restore(second.id, mode=Mode.EXACT)
    if how == "gitignore":
        assert set(listing(tree)) == set(now.entries) - {"data/two"}


def test_what_a_rule_ignored_then_is_not_deleted_when_the_rule_is_gone(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {".gitignore": "local/\n*.tmp\n", "local/notes": "n\n", "x.tmp": "t\n"})
    checkpoint = taken(store.project(tree).take())
    then = State.of(tree, None)
    (tree / ".gitignore").write_text("")
    write(tree, {"made/since": "s\n"})
    now = State.of(tree, None)
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert (tree / "local/notes").read_text() == "n\n"
    assert {"local/notes", "x.tmp"} <= paths(restored.kept)
    assert not (tree / "made").exists()
    check_restored(then, now, State.of(tree, None))


INCLUDES = {
    "a file": ("*.log", {"x.log": True, "sub/y.log": True, "node_modules/z.log": True}),
    "a folder": (
        "dist/",
        {"dist/app.js": True, "dist/deep/x.log": True, "sub/dist/a": True, "venv/b": False},
    ),
    "a path in an ignored folder": (
        "node_modules/mine/",
        {"node_modules/mine/a": True, "node_modules/other/b": False, "sub/node_modules/c": False},
    ),
    "one file in an ignored folder": (
        "/vendor.d/keep.txt",
        {"vendor.d/keep.txt": True, "vendor.d/other": False, "sub/vendor.d/keep.txt": False},
    ),
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("kind", INCLUDES)
def test_an_include_rescues_what_any_rule_ignores(fresh_home: Path, tree: Path, kind: str) -> None:
    pattern, files = INCLUDES[kind]
    write(tree, {".gitignore": "vendor.d/\n", **{name: f"{name}\n" for name in files}})
    (fresh_home).mkdir(parents=True)
    (fresh_home / "config.yaml").write_text(f"checkpoints:\n  include: ['{pattern}']\n")
    wanted = {name for name, rescued in files.items() if rescued}
    with Checkpoints.open(fresh_home) as store:
        checkpoint = taken(store.project(tree).take())
        assert held(store, checkpoint) == wanted | {".gitignore"}
        assert isinstance(store.project(tree).take(), Unchanged)
        for name in files:
            (tree / name).write_text("edited\n")
        taken(store.project(tree).take())
        restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
        assert paths(restored.done, Action.WRITE) == wanted
        for name in wanted:
            (tree / name).unlink()
        store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
        assert {name for name in files if (tree / name).exists()} == set(files)
    with Checkpoints.open(fresh_home, config=Config()) as store:
        outcome = store.project(tree).take()
        assert isinstance(outcome, Taken | Unchanged)
        assert held(store, outcome.checkpoint) == {".gitignore"}


def test_a_rescued_path_with_a_refused_name_is_listed(home: Path, tree: Path) -> None:
    write(tree, {"dist/kept.txt/.GIT": "g\n", "dist/kept.txt/a": "a\n", "dist/b": "b\n"})
    with Checkpoints.open(home, config=Config(include=("kept.txt",))) as store:
        checkpoint = taken(store.project(tree).take())
        assert held(store, checkpoint) == {"dist/kept.txt/a"}
        assert skipped(store, checkpoint) == {"dist/kept.txt/.GIT": SkipReason.UNSUPPORTED_NAME}
        assert isinstance(store.project(tree).take(), Unchanged)


def test_ignored_entries_go_with_their_directory(store: Checkpoints, tree: Path) -> None:
    write(tree, {".gitignore": "*.tmp\ncache/\n", "a/x.tmp": "", "a/cache/y": "", "a/z": "z\n"})
    assert taken(store.project(tree).take()).ignored_count == 2
    wipe(tree / "a")
    checkpoint = taken(store.project(tree).take())
    assert checkpoint.ignored_count == 0
    (tree / ".gitignore").write_text("")
    write(tree, {"a/x.tmp": "made since\n", "a/cache/y": "made since\n"})
    store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert set(listing(tree)) == {".gitignore"}


def test_an_ignored_file_in_the_place_of_another_is_listed(store: Checkpoints, tree: Path) -> None:
    write(tree, {"a/x.log": "1", "a/kept": "2"})
    project = store.project(tree)
    taken(project.take())
    (tree / "a/x.log").rename(tree / "a/y.log")
    assert project.coverage().ignored == ("a/y.log",)
    assert isinstance(project.take(), Unchanged)
    (tree / "a/y.log").unlink()
    write(tree, {"a/z.pyc": "", "a/kept": "3"})
    taken(project.take())
    assert project.coverage().ignored == ("a/z.pyc",)


def test_a_repository_of_which_rules_leave_out_all_files_does_not_change_the_count(
    store: Checkpoints, tree: Path
) -> None:
    git(tree, "init", "-q")
    write(tree, {".git/info/exclude": "*\n!*/\n!*.py\n", "kept.py": ""})
    for name in ("one", "two"):
        (tree / name).mkdir()
        git(tree / name, "init", "-q")
    project = store.project(tree)
    assert project.coverage().file_count == 1
    assert taken(project.take()).file_count == 1
    assert project.coverage().file_count == 1


def test_what_a_repository_inside_leaves_out_is_listed_though_that_is_all_it_has(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"inner/.gitignore": "*\n", "inner/a/b": "", "build/inner/x.log": "", "x": ""})
    for name in ("inner", "build/inner"):
        git(tree / name, "init", "-q")
    project = store.project(tree)
    listed = ("build/inner/x.log", "inner/.gitignore", "inner/a/")
    assert project.coverage().ignored == listed
    assert taken(project.take()).ignored_count == len(listed)
    assert project.coverage().ignored == listed


def test_what_rules_come_to_leave_out_of_a_repository_inside_is_listed(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"inner/a": "a\n", "inner/in/b": "b\n", "whole/c": "c\n", "x": ""})
    for name in ("inner", "inner/in", "whole"):
        git(tree / name, "init", "-q")
    project = store.project(tree)
    assert held(store, taken(project.take())) == {"inner/a", "inner/in/b", "whole/c", "x"}
    write(tree, {".gitignore": "a\nb\nwhole/\n"})
    assert held(store, taken(project.take())) == {".gitignore", "x"}
    assert project.coverage().ignored == ("inner/a", "inner/in/b", "whole/")


def test_rules_that_cannot_be_read_hide_nothing_and_delete_nothing(
    store: Checkpoints, tree: Path
) -> None:
    """A .gitignore that is no file has no say; what it named before stays."""
    write(tree, {".gitignore": "local/\n", "local/notes": "n\n"})
    checkpoint = taken(store.project(tree).take())
    (tree / ".gitignore").unlink()
    (tree / ".gitignore").mkdir()
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert (tree / "local/notes").read_text() == "n\n"
    assert (tree / ".gitignore").read_text() == "local/\n"
    assert "local/notes" in paths(restored.kept)


@pytest.mark.campaign
def test_very_many_ignored_paths_make_a_restore_keep_rather_than_guess(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {f"{number}.log": "" for number in range(2001)})
    write(tree, {"file": "f\n"})
    checkpoint = taken(store.project(tree).take())
    assert checkpoint.ignored_count == 2001
    (tree / ".gitignore").write_text("!*.log\n")
    write(tree, {"new": "n\n"})
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert restored.failed == ()
    assert len(list(tree.glob("*.log"))) == 2001


def test_the_base_inside_a_project_is_never_captured(tree: Path) -> None:
    write(tree, {"file": "f\n", ".hermes/notes": "n\n"})
    with Checkpoints.open(tree / ".hermes") as store:
        first = taken(store.project(tree).take())
        assert held(store, first) == {"file", ".hermes/notes"} | {
            path for path in held(store, first) if path.startswith(".hermes/.checkpoints")
        }
        assert not any("checkpoints/" in path for path in held(store, first))
        write(tree, {"file": "edited\n"})
        assert store.project(tree).restore(first.id, mode=Mode.EXACT).failed == ()
        assert (tree / "file").read_text() == "f\n"
        assert store.project(tree).list()


def test_files_absent_by_a_sparse_checkout_are_neither_deleted_nor_made(
    store: Checkpoints, tree: Path
) -> None:
    git(tree, "init", "-q", "-b", "main")
    write(tree, {"in/file": "i\n", "out/file": "o\n"})
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "one")
    git(tree, "sparse-checkout", "set", "in")
    assert not (tree / "out").exists()
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {"in/file"}
    write(tree, {"in/file": "edited\n"})
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert paths(restored.done) == {"in/file"}
    assert not (tree / "out").exists()


# --- as an ordinary user -------------------------------------------------------------------


def _closed_and_ignored(tmp: Path, mode: int, seconds: float) -> None:
    tree, kept = tmp / "tree", ("ignored/deep/kept.log", "ignored/kept.log")
    write(tree, {".gitignore": "ignored/\n", "file": "one\n", "ignored/other": "o\n"})
    write(tree, dict.fromkeys(kept, "k\n"))
    with Checkpoints.open(tmp / "user/.hermes", config=Config(include=("kept.log",))) as store:
        first = taken(store.project(tree).take())
        assert (first.file_count, first.complete) == (4, True)
        with clock_ahead(seconds):
            write(tree, {"file": "two\n"})
            taken(store.project(tree).take())
        (tree / "ignored").chmod(mode)
        for number in range(2):
            write(tree, {"file": f"{number}\n"})
            second = taken(store.project(tree).take())
            assert skipped(store, second) == dict.fromkeys(kept, SkipReason.UNREADABLE)
            assert second.file_count == 4
            assert store.project(tree).coverage().ignored == ("ignored/",)
            assert isinstance(store.project(tree).take(), Unchanged)
        (tree / "ignored").chmod(0o755)
        assert taken(store.project(tree).take()).complete
        write(tree, dict.fromkeys(kept, "newer\n"))
        restored = store.project(tree).restore(second.id, mode=Mode.EXACT)
        assert {step.path for step in restored.kept} == set(kept)
        restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
        assert {step.path for step in restored.done} == {*kept, "file"}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", [0, 0o444])
@pytest.mark.parametrize("seconds", [0, 2.5])
def test_included_files_in_an_ignored_directory_that_was_closed_are_listed(
    user: OrdinaryUserLike, mode: int, seconds: float
) -> None:
    user(_closed_and_ignored, user.tmp, mode, seconds)
