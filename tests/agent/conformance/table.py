"""The public behaviour of the checkpoint calls of hermes-agent: calls and the answers to expect.

A **story** is a list of rows that are done one after the other in a folder of their own. A **row**
is a call and its answer, as JSON. ``answer`` is what the newest source says (its commit stands in
tests/agent/upstream.toml), ``before`` what 0.19.0 says where that is another answer, and ``ours``
what this package says where that is another than ``answer``: such rows are listed in
docs/agent.md with the reason. A row of ``since="newest"`` is a call that 0.19.0 does not have.

Nothing here was copied: the answers were observed, and 0.19.0 is asked each time that the agent is
there (test_conformance.py); of the newest, the source was read.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.conformance.case import Case, environment, lacks, some

Call = Callable[[Case], Any]

SAME: Any = object()
"""That the answer is the same as that of the newest."""


@dataclass(frozen=True)
class Row:
    """A call, what it is called in the documents, and its answers; ``first`` is what is done before
    it."""

    def asked(self, case: Case) -> Any:
        """Do what comes first, and return what the call is answered."""
        self.first(case)
        return self.call(case)

    name: str
    call: Call
    answer: Any
    before: Any = SAME
    ours: Any = SAME
    since: str = "0.19.0"
    first: Callable[[Case], object] = lambda _: None

    def wanted(self, side: str) -> Any:
        """Return the answer that is expected of a side: ``newest``, ``0.19.0`` or ``ours``."""
        other = {"0.19.0": self.before, "ours": self.ours}.get(side, SAME)
        return self.answer if other is SAME else other


@dataclass(frozen=True)
class Story:
    """Rows that share a folder, in order."""

    name: str
    rows: tuple[Row, ...]


STORIES: list[Story] = []


def story(name: str, *rows: Row) -> None:
    """Add a story; its rows are called after it."""
    named = (replace(row, name=f"{name}: {row.name}") for row in rows)
    STORIES.append(Story(name, tuple(named)))


def newest(name: str, call: Call, answer: Any, **more: Any) -> Row:
    """Return a row of a call that 0.19.0 does not have."""
    return Row(name, call, answer, since="newest", **more)


# --- taking ------------------------------------------------------------------------------------


def _changed(case: Case) -> bool:
    case.write("main.py", "print('changed')\n")
    return case.take("second")


def _in_a_tilde(case: Case) -> bool:
    with environment(HOME=str(case.folder / "user")):
        done: bool = case.m.ensure_checkpoint("~/tilde", "by tilde")
    return done


story(
    "taking",
    Row(
        "a manager is off unless told",
        lambda c: [
            c.module.CheckpointManager().enabled,
            c.module.CheckpointManager().ensure_checkpoint(str(c.project)),
            c.base.exists(),
        ],
        [False, False, False],
    ),
    Row("the first of a turn", lambda c: c.m.ensure_checkpoint(str(c.project), "first"), True),
    Row(
        "the second of a turn",
        lambda c: [c.m.ensure_checkpoint(str(c.project)), c.reasons()],
        [False, ["first"]],
        first=lambda c: c.write("main.py", "2\n"),
    ),
    Row(
        "another directory of a turn",
        lambda c: c.m.ensure_checkpoint(str(c.other("other")), "elsewhere"),
        True,
    ),
    Row("a new turn with a change", _changed, True),
    Row("a new turn without a change", lambda c: c.take("third"), False),
    Row("newest first", lambda c: c.reasons(), ["second", "first"]),
    Row(
        "the reason that is not given",
        lambda c: [c.m.ensure_checkpoint(str(c.project)), c.reasons()[0]],
        [True, "auto"],
        first=lambda c: (c.write("main.py", "auto\n"), c.m.new_turn()),
    ),
    Row("a directory by its tilde", _in_a_tilde, True, first=lambda c: c.other("tilde")),
    Row(
        "the project has no .git of it",
        lambda c: (c.project / ".git").exists(),
        False,
    ),
)


# --- guards ------------------------------------------------------------------------------------


def _home(case: Case) -> bool:
    with environment(HOME=str(case.project)):
        done: bool = case.m.ensure_checkpoint(str(case.project), "home")
    return done


def _too_many(case: Case) -> bool:
    case.allow(5)
    folder = case.other("many")
    for number in range(9):
        (folder / str(number)).write_text("x")
    return case.take("many", folder)


def _too_large(case: Case) -> list[bool]:
    manager = case.manager(max_file_size_mb=1)
    case.write("small.bin", size=1024 * 1024)
    case.write("large.bin", size=1024 * 1024 + 1)
    case.take("sizes", manager=manager)
    for name in ("small.bin", "large.bin"):
        (case.project / name).unlink()
    manager.restore(str(case.project), case.ids[0])
    return [(case.project / name).exists() for name in ("small.bin", "large.bin")]


def _empty(case: Case) -> bool:
    (case.folder / "user" / "empty").mkdir()
    return case.take("nothing", case.folder / "user" / "empty")


def _no_git(case: Case) -> list[Any]:
    case.write("main.py", "without git\n")
    with environment(PATH=str(case.folder)):
        case.m.new_turn()
        return [case.m.ensure_checkpoint(str(case.project), "no git")]


story(
    "guards",
    Row("a file over the limit of size", _too_large, [True, False]),
    Row("the root", lambda c: c.take("root", Path("/")), False),
    Row("the home", _home, False),
    Row("a directory that is missing", lambda c: c.take("gone", c.folder / "no such"), False),
    Row("an empty directory", _empty, False, ours=True),
    Row("more files than allowed", _too_many, False),
    Row("git is missing", _no_git, [False]),
    Row("git is there again", lambda c: c.take("with git"), True),
)


# --- lists -------------------------------------------------------------------------------------

_FIGURES = ("files_changed", "insertions", "deletions")


def _two(case: Case) -> object:
    case.take("first")
    case.write("main.py", "print('one')\nprint('two')\n")
    return case.take("second")


def _kept(case: Case) -> list[Any]:
    manager = case.manager(max_snapshots=3)
    for number in range(4):
        case.write("main.py", f"{number}\n")
        case.take(f"step {number}", manager=manager)
    return case.reasons(manager)


def _same_id(case: Case) -> bool:
    """Whether a checkpoint has the id that it had before an older one went."""
    manager = case.manager(max_snapshots=3)
    before = manager.list_checkpoints(str(case.project))[0]
    case.write("main.py", "one more\n")
    case.take("one more", manager=manager)
    after = manager.list_checkpoints(str(case.project))[1]
    return bool(before["reason"] == after["reason"] and before["hash"] == after["hash"])


story(
    "listing",
    Row("a project without any", lambda c: c.m.list_checkpoints(str(c.project)), []),
    Row(
        "the keys",
        lambda c: [
            lacks(one, "hash", "short_hash", "timestamp", "reason", *_FIGURES)
            for one in c.m.list_checkpoints(str(c.project))
        ],
        [[], []],
        first=_two,
    ),
    Row(
        "the figures of what changed",
        lambda c: [
            [one[name] for name in _FIGURES] for one in c.m.list_checkpoints(str(c.project))
        ],
        [[1, 2, 1], [0, 0, 0]],
    ),
    Row("an id has 40 digits", lambda c: {len(one) for one in c.ids} == {40}, True),
    Row(
        "the short id",
        lambda c: [
            one["hash"].startswith(one["short_hash"]) and len(one["short_hash"])
            for one in c.m.list_checkpoints(str(c.project))
        ],
        [7, 7],
        ours=[8, 8],
    ),
    Row(
        "the time, with its zone",
        lambda c: (
            c.m.list_checkpoints(str(c.project))[0]["timestamp"][10:11]
            + str(len(c.m.list_checkpoints(str(c.project))[0]["timestamp"]))
        ),
        "T25",
    ),
    Row("at most max_snapshots", _kept, ["step 3", "step 2", "step 1"]),
    Row("ids after a trim", _same_id, False, ours=True),
    Row(
        "another project's are not listed",
        lambda c: [c.take("elsewhere", c.other("other")), "elsewhere" in c.reasons()],
        [True, False],
    ),
    newest(
        "of all projects",
        lambda c: [
            one["reason"]
            for one in c.m.list_all_checkpoints()
            if one["workdir"] == str(c.folder / "user" / "other")
        ],
        ["elsewhere"],
    ),
    newest(
        "of all projects, newest first",
        lambda c: [
            [one["timestamp"] for one in c.m.list_all_checkpoints()]
            == sorted((one["timestamp"] for one in c.m.list_all_checkpoints()), reverse=True),
            len(c.m.list_all_checkpoints()),
        ],
        [True, 4],
    ),
)


# --- the list as text --------------------------------------------------------------------------

_ENTRY = {
    "hash": "0123456789" * 4,
    "short_hash": "01234567",
    "timestamp": "2026-11-20T18:05:09+01:00",
    "reason": "before patch",
    "files_changed": 2,
    "insertions": 3,
    "deletions": 1,
    "workdir": "/srv/site",
}


def _shown(directory: str, **given: Any) -> Call:
    return lambda c: c.module.format_checkpoint_list([_ENTRY | given], directory).splitlines()


_FOOT = [
    "",
    "  /rollback <N>             restore to checkpoint N",
    "  /rollback diff <N>        preview changes since checkpoint N",
    "  /rollback <N> <file>      restore a single file from checkpoint N",
]

story(
    "the list as text",
    Row(
        "none",
        lambda c: c.module.format_checkpoint_list([], "/srv/site"),
        "No checkpoints found for /srv/site",
    ),
    Row(
        "one",
        _shown("/srv/site"),
        [
            "📸 Checkpoints for /srv/site:",
            "",
            "  1. 01234567  2026-11-20 18:05  before patch  (2 files, +3/-1)",
            *_FOOT,
        ],
    ),
    Row(
        "one file",
        lambda c: _shown("/srv/site", files_changed=1)(c)[2],
        "  1. 01234567  2026-11-20 18:05  before patch  (1 file, +3/-1)",
    ),
    Row(
        "no figures",
        lambda c: _shown("/srv/site", files_changed=0)(c)[2],
        "  1. 01234567  2026-11-20 18:05  before patch",
    ),
    Row(
        "of all directories, with the project's name",
        lambda c: _shown("all directories")(c)[2],
        "  1. 01234567  2026-11-20 18:05  [site]  before patch  (2 files, +3/-1)",
        before="  1. 01234567  2026-11-20 18:05  before patch  (2 files, +3/-1)",
    ),
)


# --- comparing ---------------------------------------------------------------------------------


def _diff(case: Case) -> Any:
    return case.m.diff(str(case.project), case.ids[0])


story(
    "comparing",
    Row(
        "without a base",
        lambda c: c.error(c.m.diff(str(c.project), "abcd")),
        [False, "No checkpoints exist for this directory"],
    ),
    Row(
        "without a base, an id that is none",
        lambda c: c.error(c.m.diff(str(c.project), "-p")),
        [False, "Invalid commit hash (must not start with '-'): '-p'"],
    ),
    Row(
        "nothing changed",
        lambda c: [_diff(c)["stat"], _diff(c)["diff"]],
        ["", ""],
        first=lambda c: c.take(),
    ),
    Row(
        "the keys",
        lambda c: lacks(_diff(c), "success", "stat", "diff"),
        [],
        first=lambda c: c.write("main.py", "print('two')\n"),
    ),
    Row(
        "the summary",
        lambda c: _diff(c)["stat"].splitlines(),
        ["main.py | 2 +-", " 1 file changed, 1 insertion(+), 1 deletion(-)"],
    ),
    Row(
        "the lines",
        lambda c: [line for line in _diff(c)["diff"].splitlines() if line[:1] in "+-"],
        ["--- a/main.py", "+++ b/main.py", "-print('hello')", "+print('two')"],
    ),
    Row("the last line end", lambda c: _diff(c)["diff"].endswith("\n"), False, ours=True),
    Row(
        "a file that is new",
        lambda c: "+new" in _diff(c)["diff"].splitlines(),
        True,
        first=lambda c: c.write("new.py", "new\n"),
    ),
    Row(
        "an id that is unknown",
        lambda c: c.error(c.m.diff(str(c.project), "deadbeef1234")),
        [False, "Checkpoint 'deadbeef1234' not found"],
    ),
    Row("no id", lambda c: c.error(c.m.diff(str(c.project), "")), [False, "Empty commit hash"]),
    Row(
        "a blank id",
        lambda c: c.error(c.m.diff(str(c.project), "  ")),
        [False, "Empty commit hash"],
    ),
    Row(
        "an option as an id",
        lambda c: c.error(c.m.diff(str(c.project), "--output=x")),
        [False, "Invalid commit hash (must not start with '-'): '--output=x'"],
    ),
    Row(
        "a command as an id",
        lambda c: c.error(c.m.diff(str(c.project), "abc; rm -rf /")),
        [False, "Invalid commit hash (expected 4-64 hex characters): 'abc; rm -rf /'"],
    ),
    Row(
        "a label as an id",
        lambda c: c.error(c.m.diff(str(c.project), "green"))[1].partition(":")[0],
        "Invalid commit hash (expected 4-64 hex characters)",
    ),
)


# --- restoring ---------------------------------------------------------------------------------


def _to_restore(case: Case) -> bool:
    done = case.take("before patch")
    case.write("main.py", "broken\n")
    case.write("README.md", "broken\n")
    case.write("made.py", "made\n")
    return done


def _restored(case: Case) -> dict[str, Any]:
    case.write("main.py", "again\n")
    done = case.restore(case.ids[0])
    kept = some(done, "success", "reason", "directory")
    return kept | {
        "restored_to": done["restored_to"] == case.ids[0][:8],
        "directory": done["directory"] == str(case.project),
    }


story(
    "restoring",
    Row(
        "without a base",
        lambda c: c.error(c.restore("abcd")),
        [False, "No checkpoints exist for this directory"],
    ),
    Row(
        "without a base, a path that leaves",
        lambda c: c.error(c.restore("abcd", "../x")),
        [False, "File path escapes the working directory via traversal: '../x'"],
    ),
    Row(
        "one file",
        lambda c: [
            _to_restore(c),
            some(c.restore(c.ids[0], "main.py"), "success", "file", "reason"),
            c.read("main.py"),
            c.read("README.md"),
        ],
        [
            True,
            {"success": True, "file": "main.py", "reason": "before patch"},
            "print('hello')\n",
            "broken\n",
        ],
    ),
    Row(
        "the snapshot before it",
        lambda c: c.reasons(),
        ["pre-rollback snapshot (restoring to <short>)", "before patch"],
    ),
    Row(
        "everything",
        _restored,
        {"success": True, "reason": "before patch", "directory": True, "restored_to": True},
    ),
    Row(
        "what was captured is back",
        lambda c: [c.read("main.py"), c.read("README.md")],
        ["print('hello')\n", "# Project\n"],
    ),
    Row("what was made since stays", lambda c: c.read("made.py"), "made\n"),
    Row("a whole restore names no file", lambda c: "file" in c.restore(c.ids[0]), False),
    Row(
        "a file by a longer way",
        lambda c: c.restore(c.ids[0], "src/../main.py")["success"],
        True,
        first=lambda c: c.write("main.py", "y\n"),
    ),
    Row(
        "a file that the checkpoint lacks",
        lambda c: c.error(c.restore(c.ids[0], "made.py"))[1].partition(":")[0],
        "Restore failed",
    ),
    Row(
        "a path that leaves",
        lambda c: c.error(c.restore(c.ids[0], "../neighbour/x")),
        [False, "File path escapes the working directory via traversal: '../neighbour/x'"],
    ),
    Row(
        "an absolute path",
        lambda c: c.error(c.restore(c.ids[0], "/etc/passwd")),
        [False, "File path must be relative, got absolute path: '/etc/passwd'"],
    ),
    Row(
        "an empty path",
        lambda c: c.restore(c.ids[0], "")["success"],
        True,
        ours=False,
    ),
    Row(
        "a blank path",
        lambda c: c.error(c.restore(c.ids[0], " ")),
        [False, "Empty file path"],
    ),
    Row(
        "an id that is unknown",
        lambda c: [c.error(c.restore("deadbeef1234")), lacks(c.restore("deadbeef1234"), "debug")],
        [[False, "Checkpoint 'deadbeef1234' not found"], []],
    ),
    Row("no id", lambda c: c.error(c.restore("")), [False, "Empty commit hash"]),
    Row(
        "an option as an id",
        lambda c: c.error(c.restore("-p")),
        [False, "Invalid commit hash (must not start with '-'): '-p'"],
    ),
    Row(
        "a beginning of an id",
        lambda c: [c.restore(c.ids[0][:12])["success"], c.read("main.py")],
        [True, "print('hello')\n"],
        first=lambda c: c.write("main.py", "z\n"),
    ),
)


# --- restoring what the agent changed ----------------------------------------------------------


def _agent_and_user(case: Case) -> dict[str, Any]:
    case.take("before patch")
    case.m.new_turn()
    case.write("main.py", "agent\n")
    case.write("made.py", "agent\n")
    for name in ("main.py", "made.py"):
        case.m.record_agent_write(str(case.project / name))
    end = getattr(case.m, "end_turn", None)
    if end is not None:
        end()  # from here on the user works
    case.write("README.md", "mine\n")
    done = case.restore(case.ids[0], safe=True)
    kept = some(done, "success", "skipped_user_edits", "skipped_oversize", "failed_deletes")
    return kept | {"restored_files": sorted(done["restored_files"])}


def _after_the_agent(case: Case) -> list[Any]:
    case.take("before another patch")
    case.m.new_turn()
    case.write("main.py", "agent\n")
    case.m.record_agent_write(str(case.project / "main.py"))
    end = getattr(case.m, "end_turn", None)
    if end is not None:
        end()
    case.write("main.py", "mine now\n")
    done = case.restore(case.ids[0], safe=True)
    return [done["success"], done["skipped_user_edits"], case.read("main.py")]


def _in_an_open_turn(case: Case) -> list[Any]:
    folder = case.other("open turn")
    case.take("before write_file", folder)
    (folder / "file").write_text("agent\n")
    case.m.record_agent_write(str(folder / "file"))
    (folder / "file").write_text("edited while the agent works\n")
    done = case.m.restore(str(folder), case.m.list_checkpoints(str(folder))[0]["hash"], safe=True)
    return [done["success"], (folder / "file").read_text()]


def _after_the_turn(case: Case) -> list[Any]:
    folder = case.other("later")
    case.take("first", folder)
    case.m.new_turn()
    (folder / "file").write_text("changed, and nobody said by whom\n")
    done = case.m.restore(str(folder), case.m.list_checkpoints(str(folder))[0]["hash"], safe=True)
    return [done["success"], (folder / "file").read_text()]


def _gone_again(case: Case) -> list[Any]:
    folder = case.other("gone again")
    case.take("first", folder)
    case.m.new_turn()
    (folder / "file").write_text("agent\n")
    case.m.record_agent_write(str(folder / "file"))
    (folder / "file").unlink()
    done = case.m.restore(str(folder), case.m.list_checkpoints(str(folder))[0]["hash"], safe=True)
    return [done["success"], (folder / "file").exists()]


def _too_large_to_restore(case: Case) -> dict[str, Any]:
    manager = case.manager(max_file_size_mb=1)
    case.write("large.bin", size=1_100_000)
    case.take("before the large one", manager=manager)
    case.write("large.bin", size=1_200_000)
    case.write("main.py", "agent\n")
    for name in ("large.bin", "main.py"):
        manager.record_agent_write(str(case.project / name))
    done = manager.restore(str(case.project), case.ids[0], safe=True)
    return some(done, "success", "restored_files", "skipped_oversize")


def _without_a_record(case: Case) -> list[Any]:
    folder = case.other("unrecorded")
    case.take("first", folder)
    (folder / "file").write_text("changed, and nobody said by whom\n")
    done = case.m.restore(str(folder), case.m.list_checkpoints(str(folder))[0]["hash"], safe=True)
    return [done["success"], (folder / "file").read_text()]


story(
    "restoring what the agent changed",
    newest(
        "its files, not the user's",
        _agent_and_user,
        {
            "success": True,
            "restored_files": ["made.py", "main.py"],
            "skipped_user_edits": ["README.md"],
            "skipped_oversize": [],
        },
    ),
    newest(
        "what becomes of the files",
        lambda c: [c.read("main.py"), c.read("made.py"), c.read("README.md")],
        ["print('hello')\n", None, "mine\n"],
    ),
    newest(
        "nothing but the user's",
        _after_the_agent,
        [True, ["main.py"], "mine now\n"],
        ours=[False, ["main.py"], "mine now\n"],
    ),
    newest("where nothing was recorded", _without_a_record, [True, "unrecorded"]),
    newest(
        "an edit of the agent's file while its turn is open",
        _in_an_open_turn,
        [True, "edited while the agent works\n"],
        ours=[True, "open turn"],
    ),
    newest(
        "where nothing was recorded, after the turn",
        _after_the_turn,
        [True, "later"],
        ours=[False, "changed, and nobody said by whom\n"],
    ),
    newest(
        "a file of the agent that somebody deleted after the turn",
        _gone_again,
        [True, True],
        ours=[False, False],
    ),
    newest(
        "a file that is too large for a checkpoint",
        _too_large_to_restore,
        {"success": True, "restored_files": ["main.py"], "skipped_oversize": ["large.bin"]},
    ),
    newest(
        "a manager that is off records nothing",
        lambda c: c.module.CheckpointManager().record_agent_write(str(c.project / "main.py")),
        None,
    ),
    newest(
        "the terminal works here",
        lambda c: c.m.unsupported_backend_reason(),
        None,
    ),
)


# --- which directory ---------------------------------------------------------------------------


def _place(case: Case, name: str) -> str:
    return case.said(case.m.get_working_dir_for_path(str(case.folder / "user" / name)))


def _marked(case: Case, marker: str) -> str:
    folder = case.folder / "user" / f"with {marker.strip('.')}"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / marker).mkdir() if marker == ".git" else (folder / marker).write_text("")
    return _place(case, f"{folder.name}/src/deep/x.py")


story(
    "which directory",
    Row("below a .git", lambda c: _marked(c, ".git"), "<folder>/user/with git"),
    Row(
        "below a pyproject.toml",
        lambda c: _marked(c, "pyproject.toml"),
        "<folder>/user/with pyproject.toml",
    ),
    Row("below a go.mod", lambda c: _marked(c, "go.mod"), "<folder>/user/with go.mod"),
    Row("no marker", lambda c: _place(c, "neighbour/x.py"), "<folder>/user/neighbour"),
    Row("a directory", lambda c: _place(c, "neighbour"), "<folder>/user/neighbour"),
    Row(
        "a project that has checkpoints, in one that is marked",
        lambda c: [
            (c.folder / "user" / "package.json").write_text("{}"),
            c.take("own"),
            c.m.new_turn(),
            _place(c, "project/src/x.py"),
        ][3],
        "<project>",
        before="<folder>/user",
    ),
)


# --- the session -------------------------------------------------------------------------------


def _session(case: Case) -> dict[str, Any]:
    return some(case.m.session_diff(str(case.project)), "success", "stat", "diff", "empty")


story(
    "the changes of a session",
    newest("no checkpoint", _session, {"success": True, "stat": "", "diff": "", "empty": True}),
    newest(
        "no change",
        _session,
        {"success": True, "stat": "", "diff": "", "empty": True},
        first=lambda c: c.take("first"),
    ),
    newest(
        "since the oldest",
        lambda c: [
            c.m.session_diff(str(c.project))["diff"].splitlines()[-2:],
            c.m.session_diff(str(c.project))["baseline"] == c.ids[-1],
            "empty" in c.m.session_diff(str(c.project)),
        ],
        [["-print('hello')", "+2"], True, False],
        first=lambda c: (c.write("main.py", "1\n"), c.take("second"), c.write("main.py", "2\n")),
    ),
)


# --- the store ---------------------------------------------------------------------------------

_SIZES = ("store_size_bytes", "legacy_size_bytes", "total_size_bytes")

story(
    "status of the store",
    Row(
        "without a base",
        lambda c: some(
            c.module.store_status(), *_SIZES, "project_count", "projects", "legacy_archives"
        ),
        {**dict.fromkeys(_SIZES, 0), "project_count": 0, "projects": [], "legacy_archives": []},
    ),
    Row("looking makes no base", lambda c: c.base.exists(), False),
    Row("the base", lambda c: c.said(c.module.store_status()["base"]), "<folder>/home/checkpoints"),
    Row(
        "a project",
        lambda c: [
            c.take("first"),
            some(c.module.store_status()["projects"][0], "workdir", "exists", "commits")
            | {"workdir": c.module.store_status()["projects"][0]["workdir"] == str(c.project)},
        ],
        [True, {"workdir": True, "exists": True, "commits": 1}],
    ),
    Row(
        "the keys of a project",
        lambda c: lacks(
            c.module.store_status()["projects"][0],
            *("hash", "workdir", "exists", "created_at", "last_touch", "commits"),
        ),
        [],
    ),
    Row(
        "how a project is named",
        lambda c: (
            c.module.store_status()["projects"][0]["hash"] == c.module._project_hash(str(c.project))
        ),
        True,
    ),
    Row("its size", lambda c: c.module.store_status()["store_size_bytes"] > 1000, True),
    Row(
        "an archive",
        lambda c: [
            c.archive().name,
            [some(one, "name") for one in c.module.store_status()["legacy_archives"]],
            c.module.store_status()["legacy_size_bytes"] >= 5000,
        ],
        ["legacy-20200101-000000", [{"name": "legacy-20200101-000000"}], True],
    ),
    Row(
        "a project that is gone",
        lambda c: c.module.store_status()["projects"][0]["exists"],
        False,
        first=lambda c: c.remove(),
    ),
    newest("repositories of version 1", lambda c: c.module.store_status()["pre_v2_projects"], []),
)


# --- pruning -----------------------------------------------------------------------------------

_COUNTS = ("scanned", "deleted_orphan", "deleted_stale", "errors")


def _pruned(case: Case, **given: Any) -> list[int]:
    done = case.module.prune_checkpoints(**{"retention_days": 0, **given})
    return [done[name] for name in _COUNTS]


def _allowed(case: Case) -> list[Any]:
    seen, unseen = case.other("seen"), case.other("unseen")
    for folder in (seen, unseen):
        case.take("first", folder)
        case.remove(folder)
    known = {one["workdir"]: one["hash"] for one in case.module.store_status()["projects"]}
    done = _pruned(case, orphan_allowlist={known[str(seen)]})
    left = {one["workdir"] for one in case.module.store_status()["projects"]}
    return [done, str(seen) in left, str(unseen) in left]


def _unmounted(case: Case) -> list[int]:
    volume = case.folder / "volume"
    (volume / "deep").mkdir(parents=True)
    (volume / "deep" / "file").write_text("x")
    case.take("first", volume / "deep")
    shutil.rmtree(volume)
    return _pruned(case)


def _alone(case: Case) -> list[int]:
    volume = case.folder / "alone"
    (volume / "deep").mkdir(parents=True)
    (volume / "deep" / "file").write_text("x")
    case.take("first", volume / "deep")
    shutil.rmtree(volume / "deep")
    return _pruned(case)


def _over_the_cap(case: Case) -> list[Any]:
    folder = case.other("large")
    for number in range(4):
        (folder / "blob").write_bytes(b"%d" % number + case.write("x", size=600_000).read_bytes())
        case.take(f"large {number}", folder)
    before = len(case.m.list_checkpoints(str(folder)))
    case.module.prune_checkpoints(retention_days=0, max_total_size_mb=1)
    after = len(case.m.list_checkpoints(str(folder)))
    return [before, 1 <= after < before]


story(
    "pruning",
    Row("without a base", _pruned, [0, 0, 0, 0]),
    Row(
        "the keys",
        lambda c: lacks(c.module.prune_checkpoints(), *_COUNTS, "bytes_freed"),
        [],
    ),
    Row("a project that is there", _pruned, [1, 0, 0, 0], first=lambda c: c.take("first")),
    Row(
        "orphans that are kept",
        lambda c: _pruned(c, delete_orphans=False),
        [1, 0, 0, 0],
        first=lambda c: c.remove(),
    ),
    Row("an orphan", _pruned, [1, 1, 0, 0]),
    Row("its checkpoints", lambda c: c.m.list_checkpoints(str(c.project)), []),
    Row(
        "a directory whose parent is gone, too",
        _unmounted,
        [1, 0, 0, 0],
        before=[1, 1, 0, 0],
    ),
    newest("orphans that nobody saw", _allowed, [[3, 1, 0, 0], False, True]),
    Row(
        "a base that is named",
        lambda c: _pruned(c, checkpoint_base=c.folder / "no base"),
        [0, 0, 0, 0],
    ),
)

story(
    "pruning in an empty folder",
    Row(
        "a directory whose parent is empty now",
        _alone,
        [1, 0, 0, 0],
        before=[1, 1, 0, 0],
        ours=[1, 1, 0, 0],
    ),
)

story(
    "pruning by age",
    Row(
        "a project untouched for long",
        lambda c: _pruned(c, retention_days=30)[2],
        1,
        ours=0,
        first=lambda c: (c.take("first"), c.age(60)),
    ),
    Row("its newest checkpoint", lambda c: c.reasons(), [], ours=["first"]),
    Row(
        "an archive that is young",
        lambda c: [_pruned(c, retention_days=30)[3], len([*c.base.glob("legacy-*")])],
        [0, 1],
        first=lambda c: c.archive(),
    ),
    Row(
        "an archive that is old",
        lambda c: [
            _pruned(c, retention_days=30)[2],
            (c.base / "legacy-20190101-000000").exists(),
        ],
        [1, False],
        ours=[0, True],
        first=lambda c: c.archive("legacy-20190101-000000", days=60),
    ),
    Row("over the cap, the oldest go", _over_the_cap, [4, True]),
)


# --- pruning by itself -------------------------------------------------------------------------


def _auto(case: Case, **given: Any) -> dict[str, Any]:
    done = case.module.maybe_auto_prune_checkpoints(**given)
    return some(done, "skipped") | {"result": "result" in done, "error": "error" in done}


_RAN = {"skipped": False, "result": True, "error": False}
_LEFT = {"skipped": True, "result": False, "error": False}

story(
    "pruning by itself",
    Row("without a base", _auto, _RAN),
    Row("looking makes no base", lambda c: c.base.exists(), False),
    Row(
        "a note of the last time that is none",
        lambda c: [
            c.take("first"),
            (c.base / ".last_prune").write_text("never"),
            _auto(c),
        ][2],
        _RAN,
    ),
    Row("again, within the interval", _auto, _LEFT),
    Row("again, without an interval", lambda c: _auto(c, min_interval_hours=0), _RAN),
    Row(
        "its note of the last time",
        lambda c: (c.base / ".last_prune").read_text() == "never",
        False,
        ours=True,
    ),
    newest(
        "as configured",
        lambda c: c.module.auto_prune_from_config()["skipped"],
        True,
    ),
    newest(
        "what is to be told of its size", lambda c: c.module.checkpoint_footprint_notice(), None
    ),
)


# --- clearing ----------------------------------------------------------------------------------

story(
    "clearing",
    Row(
        "without a base",
        lambda c: some(c.module.clear_all(), "bytes_freed", "deleted"),
        {"bytes_freed": 0, "deleted": False},
    ),
    Row(
        "archives, without a base",
        lambda c: some(c.module.clear_legacy(), "bytes_freed", "deleted", "errors"),
        {"bytes_freed": 0, "deleted": 0, "errors": 0},
        before={"bytes_freed": 0, "deleted": 0},
    ),
    Row(
        "archives alone",
        lambda c: [
            c.module.clear_legacy()["deleted"],
            len([*c.base.glob("legacy-*")]),
            c.reasons(),
        ],
        [1, 0, ["first"]],
        first=lambda c: (c.take("first"), c.archive()),
    ),
    Row(
        "everything",
        lambda c: [
            c.module.clear_all()["deleted"],
            c.base.exists(),
            c.m.list_checkpoints(str(c.project)),
        ],
        [True, False, []],
    ),
    Row(
        "again",
        lambda c: some(c.module.clear_all(), "bytes_freed", "deleted"),
        {"bytes_freed": 0, "deleted": False},
    ),
    Row("a take after it", lambda c: c.take("anew"), True),
)


# --- the command line --------------------------------------------------------------------------

_PRUNING: dict[str, Any] = {"retention_days": 0, "max_size_mb": 0, "keep_orphans": False}


def _among(answer: dict[str, Any], *lines: str) -> list[Any]:
    """Return the code, the lines that are missing, and what was left of standard input."""
    return [answer["code"], [one for one in lines if one not in answer["lines"]], answer["left"]]


_UNREAD = ["", "status"]

story(
    "the command line",
    Row(
        "clear, without a base",
        lambda c: c.run("cmd_clear", force=False),
        {
            "code": 0,
            "lines": ["Nothing to clear — checkpoint base does not exist."],
            "left": _UNREAD,
        },
    ),
    Row(
        "clear-legacy, without a base",
        lambda c: c.run("cmd_clear_legacy", force=False),
        {"code": 0, "lines": ["No legacy archives to clear."], "left": _UNREAD},
    ),
    Row(
        "status, without a base",
        lambda c: _among(
            c.run("cmd_status", limit=20),
            "Checkpoint base: <folder>/home/checkpoints",
            "Total size:      <size>",
            "  store/         <size>",
            "  legacy-*       <size>",
            "Projects:        0",
        ),
        [0, [], _UNREAD],
    ),
    Row(
        "status",
        lambda c: [
            c.take("first"),
            *_among(
                c.run("cmd_status", limit=20),
                "Projects:        1",
                f"  {'WORKDIR':<60}  {'COMMITS':>7}  {'LAST TOUCH':>12}  STATE",
            ),
        ],
        [True, 0, [], _UNREAD],
    ),
    Row(
        "list",
        lambda c: _among(c.verb("list"), "Projects:        1"),
        [0, [], _UNREAD],
    ),
    Row(
        "no verb",
        lambda c: c.verb()["lines"][:1] == c.verb("status", "--limit", "5")["lines"][:1],
        True,
    ),
    Row(
        "prune, by words",
        lambda c: _among(
            c.verb("prune", "--retention-days", "3", "--max-size-mb", "200", "--keep-orphans"),
            "  retention_days:    3",
            "  delete_orphans:    False",
            "  max_total_size_mb: 200",
            "Scanned:         1",
        ),
        [0, [], _UNREAD],
    ),
    Row(
        "prune",
        lambda c: _among(
            c.run("cmd_prune", force=True, **_PRUNING),
            "Pruning checkpoint store…",
            "  retention_days:    0",
            "  delete_orphans:    True",
            "  max_total_size_mb: 0",
            "Scanned:         1",
            "Deleted orphan:  1",
            "Deleted stale:   0",
            "Errors:          0",
            "Bytes reclaimed: <size>",
        ),
        [0, [], _UNREAD],
        first=lambda c: c.remove(),
    ),
    newest(
        "prune where orphans would be asked about, without a terminal",
        lambda c: [
            c.run("cmd_prune", "n", force=False, **_PRUNING)["code"],
            c.module.store_status()["project_count"],
        ],
        [1, 1],
        ours=[0, 0],
        first=lambda c: (c.take("first", c.other("x")), c.remove(c.folder / "user" / "x")),
    ),
    newest(
        "the next line of standard input after it",
        lambda c: c.run("cmd_prune", "n", force=False, **_PRUNING)["left"],
        ["status"],
        ours=["n", "status"],
        first=lambda c: (c.take("first", c.other("y")), c.remove(c.folder / "user" / "y")),
    ),
    Row(
        "clear-legacy",
        lambda c: _among(
            c.run("cmd_clear_legacy", force=True),
            "Found 1 legacy archive(s), total <size>:",
            "Deleted 1 archive(s), reclaimed <size>.",
        ),
        [0, [], _UNREAD],
        first=lambda c: (c.take("again", c.other("other")), c.archive()),
    ),
    Row(
        "clear, and no",
        lambda c: _among(c.run("cmd_clear", "n", force=False), "Proceed? [y/N]: Aborted."),
        [1, [], ["status"]],
    ),
    Row(
        "clear, and an answer that is neither",
        lambda c: _among(c.run("cmd_clear", "sure", force=False), "Proceed? [y/N]: Aborted."),
        [1, [], ["status"]],
    ),
    Row(
        "clear",
        lambda c: [
            *_among(
                c.run("cmd_clear", force=True),
                "This will delete the ENTIRE checkpoint base at <folder>/home/checkpoints",
                "  size:        <size>",
                "  projects:    1",
                "  legacy dirs: 0",
                "All /rollback history for every working directory will be lost.",
                "Cleared. Reclaimed <size>.",
            ),
            c.base.exists(),
        ],
        [0, [], _UNREAD, False],
    ),
)
