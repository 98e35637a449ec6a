"""What is in a base, by plain SQL and plain git: nothing of the program is asked.

The invariants are those of docs/architecture.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from campaigns.trees import Tree, captured

GIT = shutil.which("git") or "git"


class Unreadable(Exception):
    """The store cannot give an object; the text says which."""


@dataclass(frozen=True)
class Row:
    """A checkpoint of the catalog."""

    id: str
    number: int
    ref: str | None
    state: str
    kind: str
    partial: bool
    lost: bool
    pinned: bool
    workdir: str
    replaced_by: str | None


@dataclass
class Facts:
    """What a catalog says."""

    rows: dict[str, Row] = field(default_factory=dict)
    labels: set[tuple[str, str]] = field(default_factory=set)
    sessions: dict[str, int] = field(default_factory=dict)
    running: int = 0
    former: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def live(self) -> set[str]:
        return {row.id for row in self.rows.values() if row.state == "live"}

    @property
    def marks(self) -> set[tuple[str, ...]]:
        """Pins and labels, of checkpoints that are live."""
        pins = {("pin", row.id) for row in self.rows.values() if row.pinned and row.id in self.live}
        return pins | {("label", *pair) for pair in self.labels if pair[1] in self.live}


def project_hash(workdir: str) -> str:
    """Return the part of a ref that names a working directory, as docs/format.md has it."""
    return hashlib.sha256(os.fsencode(workdir)).hexdigest()[:16]


def store_of(home: Path) -> Path:
    return home / "checkpoints" / "store"


def catalog_of(home: Path) -> Path:
    return home / "checkpoints" / "catalog.db"


def git(store: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run plain git on a store.

    Raises:
        Unreadable: with git's words.
    """
    done = subprocess.run(
        [GIT, f"--git-dir={store}", *arguments], input=stdin, capture_output=True, check=False
    )
    if done.returncode:
        raise Unreadable(f"git {arguments[0]}: {os.fsdecode(done.stderr)[:300]}")
    return done.stdout


def refs_of(home: Path) -> dict[str, str]:
    """Return the commit of each checkpoint's ref by its name."""
    if not (store_of(home) / "HEAD").exists():
        return {}
    lines = git(store_of(home), "for-each-ref", "--format=%(refname) %(objectname)")
    pairs = [line.split(" ") for line in lines.decode().splitlines()]
    return {name: commit for name, commit in pairs if name.startswith("refs/checkpoints/")}


def facts(home: Path) -> Facts:
    """Read a catalog; its own consistency is among the ``problems``."""
    file = catalog_of(home)
    if not file.exists():
        return Facts()
    found = Facts()
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        ask = connection.execute
        for text in ask("PRAGMA quick_check"):
            if text[0] != "ok":
                found.problems.append(f"quick_check: {text[0]}")
        found.problems += [f"foreign key: {row}" for row in ask("PRAGMA foreign_key_check")]
        found.problems += _sums(connection)
        ids = dict(ask("SELECT id, commit_id FROM checkpoints").fetchall())
        for number, commit, ref, state, kind, partial, lost, pinned, workdir, replaced in ask(
            "SELECT c.id, commit_id, ref_name, c.state, kind, partial, lost_at IS NOT NULL, pinned,"
            " workdir, replaced_by FROM checkpoints c JOIN projects p ON p.id = c.project_id"
        ):
            found.rows[commit] = Row(
                commit,
                number,
                ref,
                state,
                kind,
                bool(partial),
                bool(lost),
                bool(pinned),
                workdir,
                ids.get(replaced),
            )
        labels = "SELECT label, commit_id FROM labels l JOIN checkpoints c ON c.id = checkpoint_id"
        found.labels = set(ask(labels))
        found.sessions = dict(ask("SELECT session_id, version FROM session_checkpoints"))
        running = "SELECT count(*) FROM operations WHERE outcome = 'running'"
        (found.running,) = ask(running).fetchone()
        found.former = dict(
            ask(
                "SELECT former_id, commit_id FROM former_ids f JOIN checkpoints c"
                " ON c.id = f.checkpoint_id"
            )
        )
        for (path,) in ask(
            "SELECT path FROM checkpoint_changes UNION SELECT path FROM skipped_paths"
            " UNION SELECT path FROM restore_paths"
        ):
            if path.startswith("/") or ".." in path.split("/"):
                found.problems.append(f"a path leaves its project: {path!r}")
    return found


def _sums(connection: sqlite3.Connection) -> list[str]:
    """Compare what the views of the catalog sum up with the rows."""
    connection.row_factory = sqlite3.Row
    problems = []
    totals = dict(connection.execute("SELECT * FROM store_totals").fetchone())
    rows = {
        "checkpoints": "SELECT count(*) FROM checkpoints WHERE state = 'live'",
        "pinned": "SELECT count(*) FROM checkpoints WHERE state = 'live' AND pinned",
        "pruned": "SELECT count(*) FROM checkpoints WHERE state = 'pruned'",
        "added_bytes": "SELECT coalesce(sum(added_bytes), 0) FROM checkpoints WHERE state = 'live'",
    }
    for name, statement in rows.items():
        (counted,) = connection.execute(statement).fetchone()
        if totals[name] != counted:
            problems.append(f"store_totals.{name} is {totals[name]}, the rows have {counted}")
    connection.row_factory = None
    return problems


# --- what a checkpoint holds ---------------------------------------------------------------------


class Reader:
    """Reads checkpoints from a store by one ``git cat-file --batch``."""

    def __init__(self, store: Path) -> None:
        self._process = subprocess.Popen(
            [GIT, f"--git-dir={store}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._cache: dict[str, bytes] = {}

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # git ended before it read the last name
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def object(self, name: str) -> bytes:
        """Return an object's contents, which are those of its id: git does not compare.

        Raises:
            Unreadable: when it is missing or damaged, or git ends over it.
        """
        if name in self._cache:
            return self._cache[name]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"{name}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Unreadable(f"{name}: git ended") from None
        head = self._process.stdout.readline().split()
        if len(head) != 3:
            raise Unreadable(f"{name}: {head}")
        data = self._process.stdout.read(int(head[2]))
        self._process.stdout.read(1)
        header = b"%s %d\0" % (head[1], len(data))
        if hashlib.sha1(header + data, usedforsecurity=False).hexdigest() != name:
            raise Unreadable(f"{name}: the contents are others")
        self._cache[name] = data
        return data

    def _entries(self, tree: str) -> list[tuple[str, str, str]]:
        data, found, at = self.object(tree), [], 0
        while at < len(data):
            end = data.index(b"\0", at)
            mode, _, name = data[at:end].partition(b" ")
            found.append((mode.decode(), os.fsdecode(name), data[end + 1 : end + 21].hex()))
            at = end + 21
        return found

    def files(self, tree: str, above: str = "") -> dict[str, tuple[str, str]]:
        """Return git's mode and the id of each file below a tree, by path."""
        found: dict[str, tuple[str, str]] = {}
        for mode, name, id_ in self._entries(tree):
            if mode in ("40000", "040000"):
                found |= self.files(id_, f"{above}{name}/")
            else:
                found[f"{above}{name}"] = (mode, id_)
        return found

    def parts(self, commit: str) -> tuple[str | None, dict[str, Any]]:
        """Return the id of the captured tree of a checkpoint, if any, and its meta.json."""
        text = self.object(commit)
        assert text.startswith(b"tree ")
        top = {name: id_ for _, name, id_ in self._entries(text[5:45].decode())}
        return top.get("tree"), json.loads(self.object(top["meta.json"]))

    def checkpoint(self, commit: str) -> Tree:
        """Return what a checkpoint holds: contents, links, and permission bits where recorded.

        Raises:
            Unreadable: when the store lacks part of it.
        """
        tree, meta = self.parts(commit)
        found: Tree = {}
        file, executable, directory = meta["usual"]
        bits, directory_bits = meta["files"], meta["directory_modes"]
        for path, (mode, id_) in (self.files(tree) if tree else {}).items():
            data = self.object(id_)
            if mode == "120000":
                found[path] = ("link", 0, data)
            else:
                usual = executable if mode == "100755" else file
                found[path] = ("file", bits.get(path, usual), data)
        for path in meta["directories"]:
            found[path] = ("dir", directory_bits.get(path, directory), b"")
        return found


def wrong_contents(held: Tree, full: Tree, *, partial: bool = False, forgotten: str = "") -> str:
    """Return how what a checkpoint holds differs from the tree that it was taken of; ``""`` where
    it does not. It must hold what is captured of it, may hold more of it (a safety checkpoint
    does), and nothing else."""
    for path, entry in held.items():
        if full.get(path) != entry:
            return f"{path} is {_told(entry)}, it was {_told(full.get(path))}"
    if not partial:
        for path, entry in captured(full).items():
            if path not in held and path != forgotten:
                return f"{path} is missing, it was {_told(entry)}"
    return ""


def _told(entry: tuple[str, int, bytes] | None) -> str:
    return "missing" if entry is None else f"{entry[0]} {entry[1]:o} {entry[2][:30]!r}"


# --- the invariants ------------------------------------------------------------------------------


def broken_invariants(home: Path, found: Facts) -> list[str]:
    """Return what of the invariants does not hold in a base that nobody works with."""
    problems = list(found.problems)
    if found.running:
        problems.append(f"{found.running} operations of the journal are running, and nobody runs")
    refs = refs_of(home)
    wanted = {
        row.ref: row.id
        for row in found.rows.values()
        if row.state == "live" and not row.lost and row.ref
    }
    for name, commit in wanted.items():
        if refs.get(name) != commit:
            problems.append(f"live checkpoint {commit[:8]}: its ref is {refs.get(name)}")
    tolerated = {row.ref for row in found.rows.values() if row.state in ("live", "pruning")}
    # An import that was cut short has rows that wait for their refs, by another id.
    waiting = {project_hash(r.workdir) for r in found.rows.values() if r.state == "arriving"}
    problems += [
        f"ref {name} is not in the catalog"
        for name in refs
        if name not in tolerated and name.split("/")[2] not in waiting
    ]
    if (store_of(home) / "HEAD").exists():
        done = subprocess.run(
            [GIT, f"--git-dir={store_of(home)}", "fsck", "--connectivity-only", "--no-dangling"],
            capture_output=True,
            check=False,
        )
        if done.returncode:
            said = os.fsdecode(done.stdout + done.stderr)[:300]
            problems.append(f"git fsck --connectivity-only: {done.returncode} {said}")
    return problems
