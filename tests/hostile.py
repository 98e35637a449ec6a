"""Hostile bases: what somebody else may hand over as a home, a backup, or a workspace.

``HOSTILE`` is a table of them. Each makes a home, and beside it a tree ``outside`` that nothing may
touch; whatever runs a command that the base names makes the file ``outside/executed``. Nothing here
opens what it made. ``work`` beside the home is the working directory of its history, and exists.

>>> for case in HOSTILE:
...     case.build(home, outside)
...     before = everything(outside)
...     ...  # open, take, import, restore, prune, clear
...     assert everything(outside) == before and not executed(outside)
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.layout import project_hash

ARCHIVE = "legacy-20250101-000000"
"""The archive in the base in which a repository of version 1 and a store of version 2 lie."""

_RAN = "executed"
_REASON = "before write_file"
_HOOKS = (
    *("reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout", "pre-commit"),
    *("post-commit", "post-rewrite", "update", "pre-receive", "post-receive", "post-update"),
    *("fsmonitor-watchman", "proc-receive", "push-to-checkout", "sendemail-validate"),
)


@dataclass(frozen=True)
class Case:
    """A hostile base: ``build`` makes it as ``home``, and the tree ``outside``."""

    name: str
    build: Callable[[Path, Path], None]


@dataclass(frozen=True)
class _Place:
    """Where a repository lies: ``path`` in the home, and what is outside of it."""

    path: Path
    home: Path
    outside: Path

    @property
    def command(self) -> str:
        """A command that leaves its trace outside."""
        return str(self.outside / "canary")


def executed(outside: Path) -> bool:
    """Tell whether something ran that the base names."""
    return (outside / _RAN).exists()


def work(home: Path) -> Path:
    """Return the working directory whose history a hostile base holds."""
    return home.parent / "work"


def make_outside(outside: Path) -> None:
    """Make the tree that nothing may touch."""
    for name in ("folder", "objects/pack", "objects/info", "refs/heads", "hooks"):
        (outside / name).mkdir(parents=True, exist_ok=True)
    (outside / "folder" / "precious.txt").write_text("precious\n")
    (outside / "precious.yaml").write_text("task: precious\n")
    (outside / "HEAD").write_text("ref: refs/heads/main\n")
    canary = outside / "canary"
    canary.write_text(f"#!/bin/sh\ntouch '{outside / _RAN}'\ncat\n")
    canary.chmod(0o755)
    (outside / "included").write_text(_executing(str(canary)))


def make_work(home: Path) -> Path:
    """Make the working directory, and return it."""
    folder = work(home)
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "work"\n')
    (folder / "src" / "app.py").write_text("print('now')\n")
    return folder


# --- repositories, before anything is hostile in them ----------------------------------------


def run_git(repository: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git on a repository that is not hostile yet."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_DIR": str(repository),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(
        ["git", *arguments], env=environment, input=stdin, capture_output=True, check=True
    ).stdout


def make_repository(path: Path, ref: str, commits: int = 2) -> None:
    """Make a bare repository with some commits of which each changes one file, as loose objects."""
    for name in ("objects/info", "objects/pack", "refs/heads", "info", "hooks"):
        (path / name).mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/master\n")
    (path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    stream = b"".join(
        b"commit %s\nauthor a <a@b> %d +0100\ncommitter a <a@b> %d +0100\ndata %d\n%s\n"
        b"M 100644 inline src/app.py\ndata 12\nprint('%03d')\nM 100644 inline notes.txt\n"
        b"data 6\nnotes\n\n"
        % (
            os.fsencode(ref),
            1_760_000_000 + 60 * number,
            1_760_000_000 + 60 * number,
            len(_REASON),
            _REASON.encode(),
            number,
        )
        for number in range(commits)
    )
    run_git(path, "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", stdin=stream)


def _v1(home: Path, outside: Path, *, archive: bool = False) -> _Place:
    base = home / "checkpoints"
    folder = base / ARCHIVE if archive else base
    working_dir = make_work(home)
    path = folder / project_hash(working_dir.resolve())
    make_repository(path, "refs/heads/master")
    (path / "HERMES_WORKDIR").write_text(f"{working_dir.resolve()}\n")
    return _Place(path, home, outside)


def _v2_at(path: Path, home: Path) -> None:
    working_dir = make_work(home)
    name = project_hash(working_dir.resolve())
    make_repository(path, f"refs/hermes/{name}")
    (path / "projects").mkdir()
    (path / "indexes").mkdir()
    facts = {"workdir": str(working_dir.resolve()), "created_at": 1.76e9, "last_touch": 1.76e9}
    (path / "projects" / f"{name}.json").write_text(json.dumps(facts))


def _v2(home: Path, outside: Path) -> _Place:
    _v2_at(home / "checkpoints" / "store", home)
    return _Place(home / "checkpoints" / "store", home, outside)


def _v1_archive(home: Path, outside: Path) -> _Place:
    return _v1(home, outside, archive=True)


def _v2_archive(home: Path, outside: Path) -> _Place:
    path = home / "checkpoints" / ARCHIVE / "store"
    _v2_at(path, home)
    return _Place(path, home, outside)


def _own(home: Path, outside: Path) -> _Place:
    working_dir = make_work(home)
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(working_dir)
        project.take("first")
        (working_dir / "src" / "app.py").write_text("print('later')\n")
        project.take("second")
    return _Place(home / "checkpoints" / "store", home, outside)


PLACES: dict[str, Callable[[Path, Path], _Place]] = {
    "v1": _v1,
    "v2": _v2,
    "v1-archive": _v1_archive,
    "v2-archive": _v2_archive,
    "own": _own,
}


# --- kinds: what is hostile in a repository ----------------------------------------------------


def _executing(command: str) -> str:
    """A configuration in which everything that git would run is the command."""
    return f"""[core]
\tfsmonitor = {command}
\tsshCommand = {command}
\tpager = {command}
\teditor = {command}
\taskPass = {command}
\tgitProxy = {command}
\talternateRefsCommand = {command}
[filter "evil"]
\tclean = {command}
\tsmudge = {command}
\tprocess = {command}
\trequired = true
[diff]
\texternal = {command}
[diff "evil"]
\tcommand = {command}
\ttextconv = {command}
[merge "evil"]
\tdriver = {command}
[gpg]
\tprogram = {command}
[commit]
\tgpgSign = true
[credential]
\thelper = !{command}
[gc]
\trecentObjectsHook = {command}
\tauto = 1
\tautoDetach = false
[maintenance]
\tauto = true
[uploadpack]
\tpackObjectsHook = {command}
[interactive]
\tdiffFilter = {command}
[alias]
\tgc = !{command}
\tcat-file = !{command}
[trailer "evil"]
\tcommand = {command}
\tcmd = {command}
"""


def _append(place: _Place, text: str) -> None:
    with (place.path / "config").open("a") as file:
        file.write(text)


def _some_object(place: _Place) -> Path:
    """Return a loose object of the repository: of the first in the order of names."""
    return min((place.path / "objects").glob("[0-9a-f][0-9a-f]/*"))


def _promisor(place: _Place) -> None:
    _append(
        place,
        '[extensions]\n\tpartialClone = evil\n[remote "evil"]\n'
        f"\turl = ext::{place.command}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"
        '[protocol "ext"]\n\tallow = always\n[protocol]\n\tallow = always\n',
    )
    config = place.path / "config"
    text = config.read_text().replace("repositoryformatversion = 0", "repositoryformatversion = 1")
    config.write_text(text)
    for found in [*(place.path / "objects").glob("[0-9a-f][0-9a-f]/*")]:
        if zlib.decompress(found.read_bytes()).startswith(b"blob"):
            found.unlink()


def _hooks(place: _Place) -> None:
    (place.path / "hooks").mkdir(exist_ok=True)
    for name in _HOOKS:
        hook = place.path / "hooks" / name
        hook.write_text(f"#!/bin/sh\nexec '{place.command}'\n")
        hook.chmod(0o755)


def _hooks_path(place: _Place) -> None:
    _hooks(place)
    (place.path / "hooks").rename(place.path / "evil-hooks")
    _append(place, f"[core]\n\thooksPath = {place.path / 'evil-hooks'}\n")


def _hook_of_config(place: _Place) -> None:
    """A git of later versions runs hooks that the configuration names."""
    _append(
        place,
        f'[hook "evil"]\n\tcommand = {place.command}\n'
        + "".join(f"\tevent = {name}\n" for name in _HOOKS),
    )


def _commands(place: _Place) -> None:
    _append(place, _executing(place.command))


def _commands_last(place: _Place) -> None:
    """As the last words of the file, behind what the program itself writes."""
    config = place.path / "config"
    text = config.read_text()
    config.write_text(text + text + _executing(place.command))


def _filters(place: _Place) -> None:
    _commands(place)
    (place.path / "info").mkdir(exist_ok=True)
    (place.path / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil text\n")


def _attributes_file(place: _Place) -> None:
    attributes = place.path / "evil-attributes"
    attributes.write_text("* filter=evil diff=evil merge=evil\n")
    _append(place, _executing(place.command) + f"[core]\n\tattributesFile = {attributes}\n")


def _include(place: _Place) -> None:
    _append(place, f"[include]\n\tpath = {place.outside / 'included'}\n")


def _include_if(place: _Place) -> None:
    _append(
        place,
        f'[includeIf "gitdir:**"]\n\tpath = {place.outside / "included"}\n'
        f'[includeIf "hasconfig:remote.*.url:**"]\n\tpath = {place.outside / "included"}\n',
    )


def _include_pipe(place: _Place) -> None:
    os.mkfifo(place.path / "pipe")
    _append(place, f"[include]\n\tpath = {place.path / 'pipe'}\n")


def _worktree_config(place: _Place) -> None:
    _append(place, "[extensions]\n\tworktreeConfig = true\n")
    (place.path / "config.worktree").write_text(_executing(place.command))


def _worktree(place: _Place) -> None:
    _append(place, f"[core]\n\tbare = false\n\tworktree = {place.outside / 'folder'}\n")


def _unknown_extension(place: _Place) -> None:
    config = place.path / "config"
    text = config.read_text().replace("repositoryformatversion = 0", "repositoryformatversion = 1")
    config.write_text(text + "[extensions]\n\tunheardOf = true\n\tobjectFormat = sha256\n")


def _common_dir(place: _Place) -> None:
    (place.path / "commondir").write_text(f"{place.outside}\n")


def _alternates(place: _Place) -> None:
    (place.path / "objects" / "info").mkdir(exist_ok=True)
    (place.path / "objects" / "info" / "alternates").write_text(f"{place.outside}/objects\n")
    _append(place, f"[core]\n\talternateRefsCommand = {place.command}\n")


def _alternates_chain(place: _Place) -> None:
    (place.path / "objects" / "info").mkdir(exist_ok=True)
    (place.path / "objects" / "info" / "alternates").write_text("../../a/objects\n" * 3)
    folder = place.path / "a" / "objects" / "info"
    folder.mkdir(parents=True)
    (folder / "alternates").write_text(f"{place.outside}/objects\n{place.path}/objects\n")


def _alternates_pipe(place: _Place) -> None:
    (place.path / "objects" / "info").mkdir(exist_ok=True)
    (place.path / "objects" / "info" / "alternates").unlink(missing_ok=True)
    os.mkfifo(place.path / "objects" / "info" / "alternates")


def _replaced(place: _Place, name: str, target: Path | None) -> None:
    """Put a link to ``target`` in the place of something, or a pipe with None."""
    path = place.path / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if target is None:
        os.mkfifo(path)
    else:
        path.symlink_to(target)


def _link(name: str, target: str) -> Callable[[_Place], None]:
    return lambda place: _replaced(place, name, place.outside / target)


def _pipe(name: str) -> Callable[[_Place], None]:
    return lambda place: _replaced(place, name, None)


def _ref_links(place: _Place) -> None:
    for found in [f for f in (place.path / "refs").rglob("*") if f.is_file()]:
        found.unlink()
        found.symlink_to(place.outside / "HEAD")


def _ref_pipes(place: _Place) -> None:
    for found in [f for f in (place.path / "refs").rglob("*") if f.is_file()]:
        found.unlink()
        os.mkfifo(found)


def _symbolic_refs(place: _Place) -> None:
    found = [f for f in (place.path / "refs").rglob("*") if f.is_file()]
    for number, file in enumerate(found):
        file.write_text(f"ref: refs/heads/../../../{place.outside.name}/HEAD{number}\n")


def _loose_pipe(place: _Place) -> None:
    found = _some_object(place)
    found.unlink()
    os.mkfifo(found)


def _loose_link(place: _Place) -> None:
    found = _some_object(place)
    found.unlink()
    found.symlink_to(place.outside / "folder" / "precious.txt")


def _fan_out_link(place: _Place) -> None:
    found = _some_object(place).parent
    shutil.rmtree(found)
    found.symlink_to(place.outside / "folder")


def _pack_link(place: _Place) -> None:
    packs = place.path / "objects" / "pack"
    packs.mkdir(exist_ok=True)
    for name in ("pack-" + "0" * 40, "pack-" + "a" * 40):
        for suffix in (".pack", ".idx", ".keep", ".rev"):
            (packs / f"{name}{suffix}").symlink_to(place.outside / "folder" / "precious.txt")


def _caches(place: _Place) -> None:
    for name in ("info/commit-graph", "pack/multi-pack-index", "info/packs"):
        path = place.path / "objects" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(b"CGPH\1\1\xff\xff" + b"\xff" * 4096)


def _rewriting(place: _Place) -> None:
    """What lets git see other objects than are there: grafts, shallow ends, replacements."""
    some = "0123456789abcdef0123456789abcdef01234567"
    (place.path / "shallow").write_text(f"{some}\n" * 3)
    (place.path / "info").mkdir(exist_ok=True)
    (place.path / "info" / "grafts").write_text(f"{some} {some}\n")
    folder = place.path / "refs" / "replace"
    folder.mkdir(parents=True, exist_ok=True)
    found = _some_object(place)
    name = found.parent.name + found.name
    (folder / name).write_text(f"{name}\n")


def _huge_config(place: _Place) -> None:
    _append(place, "[a]\n" + "\tb = c\n" * 300_000 + _executing(place.command))


def _odd_config(place: _Place) -> None:
    with (place.path / "config").open("ab") as file:
        file.write(b'\0[core\n\tx = "\xff\n[[[' + os.fsencode(_executing(place.command)))


KINDS: dict[str, Callable[[_Place], None]] = {
    "promisor": _promisor,
    "hooks": _hooks,
    "hooks-path": _hooks_path,
    "hook-of-config": _hook_of_config,
    "commands": _commands,
    "commands-last": _commands_last,
    "filters": _filters,
    "attributes-file": _attributes_file,
    "include": _include,
    "include-if": _include_if,
    "include-pipe": _include_pipe,
    "worktree-config": _worktree_config,
    "worktree": _worktree,
    "unknown-extension": _unknown_extension,
    "common-dir": _common_dir,
    "alternates": _alternates,
    "alternates-chain": _alternates_chain,
    "alternates-pipe": _alternates_pipe,
    "config-link": _link("config", "included"),
    "config-pipe": _pipe("config"),
    "config-huge": _huge_config,
    "config-odd": _odd_config,
    "head-link": _link("HEAD", "HEAD"),
    "head-pipe": _pipe("HEAD"),
    "packed-refs-link": _link("packed-refs", "precious.yaml"),
    "packed-refs-pipe": _pipe("packed-refs"),
    "objects-link": _link("objects", "objects"),
    "refs-link": _link("refs", "refs"),
    "ref-links": _ref_links,
    "ref-pipes": _ref_pipes,
    "symbolic-refs": _symbolic_refs,
    "info-link": _link("info", "folder"),
    "hooks-link": _link("hooks", "hooks"),
    "loose-pipe": _loose_pipe,
    "loose-link": _loose_link,
    "fan-out-link": _fan_out_link,
    "pack-link": _pack_link,
    "pack-folder-link": _link("objects/pack", "objects/pack"),
    "caches": _caches,
    "rewriting": _rewriting,
}


# --- bases: what is hostile beside the repositories --------------------------------------------


def _in_base(change: Callable[[_Place], None]) -> Callable[[Path, Path], None]:
    """An own base in whose folder something is changed as it could be in a repository."""

    def build(home: Path, outside: Path) -> None:
        _own(home, outside)
        change(_Place(home / "checkpoints", home, outside))

    return build


def _linked_archive(home: Path, outside: Path) -> None:
    """An archive, a repository and a session file that lie outside, by links."""
    _v1(home, outside)
    (outside / "folder" / ("0" * 16)).mkdir()
    (outside / "folder" / ("0" * 16) / "HEAD").write_text("ref: refs/heads/main\n")
    (outside / "folder" / "session.yaml").write_text("task: not ours\n")
    base = home / "checkpoints"
    (base / ARCHIVE).symlink_to(outside / "folder")
    (base / ("1" * 16)).symlink_to(outside)
    (base / "linked.yaml").symlink_to(outside / "precious.yaml")
    (base / "unreadable-sessions").symlink_to(outside / "folder")


def _linked_next_archive(home: Path, outside: Path) -> None:
    """A clear that was begun, and what it moved, as links."""
    _own(home, outside)
    (home / "checkpoints" / ".cleared").symlink_to(outside / "folder")


def _linked_clearing(home: Path, outside: Path) -> None:
    _own(home, outside)
    (home / "checkpoints" / ".clearing").symlink_to(outside / "folder")


def _index_links(home: Path, outside: Path) -> None:
    place = _own(home, outside)
    for found in [*(place.path / "indexes").iterdir()]:
        found.unlink()
        found.symlink_to(outside / "folder" / "precious.txt")


def _lock_pipes(home: Path, outside: Path) -> None:
    _own(home, outside)
    locks = home / "checkpoints" / "locks"
    for name in ("store.lock", "catalog.lock", f"{project_hash(work(home).resolve())}.lock"):
        (locks / name).unlink(missing_ok=True)
        os.mkfifo(locks / name)


def _configured(text: str) -> Callable[[Path, Path], None]:
    def build(home: Path, outside: Path) -> None:
        _own(home, outside)
        (home / "config.yaml").write_text(text.replace("CANARY", str(outside / "canary")))

    return build


def _config_pipe(home: Path, outside: Path) -> None:
    _own(home, outside)
    os.mkfifo(home / "config.yaml")


BASES: dict[str, Callable[[Path, Path], None]] = {
    "archive-by-link": _linked_archive,
    "cleared-link": _linked_next_archive,
    "clearing-link": _linked_clearing,
    "locks-link": _in_base(_link("locks", "folder")),
    "lock-pipes": _lock_pipes,
    "store-link": _in_base(_link("store", ".")),
    "indexes-link": _in_base(_link("store/indexes", "folder")),
    "index-links": _index_links,
    "catalog-link": _in_base(_link("catalog.db", "folder/precious.txt")),
    "catalog-wal-link": _in_base(_link("catalog.db-wal", "folder/precious.txt")),
    "catalog-pipe": _in_base(_pipe("catalog.db")),
    "machine-link": _in_base(_link("machine.json", "folder/precious.txt")),
    "machine-pipe": _in_base(_pipe("machine.json")),
    "config-yaml-pipe": _config_pipe,
    "config-yaml-object": _configured("checkpoints: !!python/object/apply:os.system ['CANARY']\n"),
    "config-yaml-aliases": _configured(
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n"
            for n in range(9)
        )
        + "checkpoints: {exclude: *j}\n"
    ),
}


# --- catalogs ------------------------------------------------------------------------------------


def _sql(*statements: str) -> Callable[[Path, Path], None]:
    """An own base whose catalog has been changed so. ``OUTSIDE`` stands for that folder, and
    ``ABOVE`` for the way from the base to it."""

    def build(home: Path, outside: Path) -> None:
        _own(home, outside)
        up = os.path.relpath(outside, home / "checkpoints")
        with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog:
            for statement in statements:
                text = statement.replace("OUTSIDE", str(outside)).replace("ABOVE", up)
                catalog.execute(text)
            catalog.commit()

    return build


def _schema(*statements: str) -> Callable[[Path, Path], None]:
    """The same, where the schema itself is written."""
    return _sql("PRAGMA writable_schema = ON", *statements)


_ARCHIVED = (
    "INSERT INTO legacy_archives (name, path, layout, state, size_bytes, found_at, imported_at,"
    " archived_at) VALUES ('folder', 'PATH', 'v1', 'archived', 1, '2020-01-01 00:00:00',"
    " '2020-01-01 00:00:00', '2020-01-01 00:00:00')"
)


def _archived(path: str) -> Callable[[Path, Path], None]:
    return _sql(_ARCHIVED.replace("PATH", path))


CATALOGS: dict[str, Callable[[Path, Path], None]] = {
    "trigger-on-insert": _sql(
        "CREATE TRIGGER evil AFTER INSERT ON operations BEGIN"
        " UPDATE checkpoints SET state = 'pruned'; END"
    ),
    "trigger-on-update": _sql(
        "CREATE TRIGGER evil AFTER UPDATE ON checkpoints BEGIN"
        " UPDATE checkpoints SET ref_name = 'refs/heads/master'; END"
    ),
    "trigger-instead": _sql(
        "CREATE TRIGGER evil BEFORE INSERT ON checkpoints BEGIN SELECT RAISE(IGNORE); END"
    ),
    "trigger-recursive": _sql(
        "CREATE TRIGGER evil AFTER INSERT ON operations BEGIN"
        " INSERT INTO settings (name, value, updated_at)"
        " SELECT hex(randomblob(8)), 'x', '2020-01-01 00:00:00'; END",
        "CREATE TRIGGER evil2 AFTER INSERT ON settings BEGIN"
        " INSERT INTO settings (name, value, updated_at)"
        " SELECT hex(randomblob(8)), 'x', '2020-01-01 00:00:00'; END",
    ),
    "trigger-on-settings": _sql(
        "CREATE TRIGGER evil AFTER UPDATE ON settings BEGIN"
        " UPDATE settings SET value = '0' WHERE name LIKE '%days%'; END"
    ),
    "view-with-load-extension": _sql(
        "DROP VIEW project_status",
        "CREATE VIEW project_status AS SELECT load_extension('OUTSIDE/canary') AS hash",
    ),
    "view-that-never-ends": _sql(
        "DROP VIEW recent_failures",
        "CREATE VIEW recent_failures AS WITH RECURSIVE n(x) AS"
        " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
    ),
    "table-as-view": _schema(
        "UPDATE sqlite_master SET type = 'view', rootpage = 0, sql ="
        " 'CREATE VIEW settings AS SELECT 1 AS name, 2 AS value, 3 AS updated_at'"
        " WHERE name = 'settings' AND type = 'table'",
    ),
    "more-objects": _sql(
        "CREATE TABLE evil (x)",
        "CREATE INDEX evil_index ON checkpoints (reason)",
        "CREATE VIEW evil_view AS SELECT * FROM checkpoints",
    ),
    "virtual-table": _sql("CREATE VIRTUAL TABLE evil USING fts5(x)"),
    "generated-column": _sql("ALTER TABLE settings ADD COLUMN evil AS (upper(value))"),
    "index-on-expression": _sql("CREATE INDEX evil ON settings (lower(value))"),
    "garbled-schema": _schema("UPDATE sqlite_master SET sql = 'no sql' WHERE name = 'turns'"),
    "archive-above": _archived("ABOVE/folder"),
    "archive-absolute": _archived("OUTSIDE/folder"),
    "archive-in-legacy-above": _archived("legacy-x/../ABOVE/folder"),
    "legacy-folder-above": _sql(
        "INSERT OR REPLACE INTO settings (name, value, updated_at)"
        " VALUES ('legacy_folder', 'ABOVE/folder', '2020-01-01 00:00:00')"
    ),
    "ref-above": _sql(
        "UPDATE checkpoints SET ref_name = 'refs/checkpoints/../../ABOVE/HEAD' || id"
    ),
    "ref-option": _sql("UPDATE checkpoints SET ref_name = '--upload-pack=OUTSIDE/canary' || id"),
    "ref-lines": _sql(
        "UPDATE checkpoints SET ref_name = 'refs/checkpoints/x' || char(10) || id || ' create'"
    ),
    "commit-option": _sql("UPDATE checkpoints SET commit_id = '--output=OUTSIDE/HEAD' || id"),
    "tree-option": _sql("UPDATE checkpoints SET tree_id = '--exec=OUTSIDE/canary'"),
    "hash-above": _sql("UPDATE projects SET hash = '../../../outside'"),
    "workdir-of-another": _sql("UPDATE projects SET workdir = 'OUTSIDE/folder'"),
    "workdir-with-nul": _sql("UPDATE projects SET workdir = 'a' || char(0) || 'b'"),
    "workdir-relative": _sql("UPDATE projects SET workdir = '../outside'"),
    "huge-values": _sql("UPDATE checkpoints SET reason = CAST(zeroblob(50000000) AS TEXT)"),
    "wrong-types": _sql(
        "UPDATE checkpoints SET created_at = x'00ff', reason = x'00ff'",
        "UPDATE projects SET last_touch = 'yesterday'",
    ),
    "operation-of-another": _sql(
        "INSERT INTO operations (kind, workdir, started_at, outcome, pid)"
        " VALUES ('restore', 'OUTSIDE/folder', '2020-01-01 00:00:00', 'running', 1)"
    ),
    "session-as-path": _sql(
        "INSERT INTO session_checkpoints (session_id, version, created_at, updated_at, size_bytes,"
        " document) VALUES ('ABOVE/precious', 1, '2030-01-01', '2030-01-01', 10, '{\"task\": 1}')"
    ),
}


# --- sessions ---------------------------------------------------------------------------


def _session(name: str, content: bytes) -> Callable[[Path, Path], None]:
    def build(home: Path, outside: Path) -> None:
        _v1(home, outside)
        file = os.fsencode(home / "checkpoints") + b"/" + os.fsencode(name)
        text = content.replace(b"CANARY", os.fsencode(outside / "canary"))
        with open(file, "wb") as opened:
            opened.write(text)

    return build


def _session_pipe(home: Path, outside: Path) -> None:
    _v1(home, outside)
    os.mkfifo(home / "checkpoints" / "pipe.yaml")


_LAUGHS = b"a0: &a0 lol\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 12)
)

SESSIONS: dict[str, Callable[[Path, Path], None]] = {
    "python-object": _session("object.yaml", b"task: !!python/object/apply:os.system ['CANARY']\n"),
    "python-module": _session("module.yaml", b"task: !!python/name:os.system\n"),
    "laughs": _session("laughs.yaml", _LAUGHS),
    "nested": _session("nested.yaml", b"a: " + b"[" * 100_000),
    "nested-json": _session("json.yaml", b'{"a": ' + b"[" * 100_000),
    "sexagesimal": _session("sixty.yaml", b"a: 1" + b":00" * 100_000 + b"\n"),
    "huge-number": _session("number.yaml", b"a: " + b"9" * 1_000_000 + b"\n"),
    "cyclic": _session("cycle.yaml", b"a: &a\n  b: *a\n"),
    "name-of-control": _session("a\x1b[2Jb\nc.yaml", b"task: x\n"),
    "name-above": _session("..%2F..%2Foutside%2Fprecious.yaml", b"task: x\n"),
    "name-of-option": _session("--help.yaml", b"task: x\n"),
    "pipe": _session_pipe,
}


# --- workspaces ---------------------------------------------------------------------------


def _workspace(change: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    def build(home: Path, outside: Path) -> None:
        _own(home, outside)
        change(work(home), outside)

    return build


def _repository_of(folder: Path, outside: Path) -> None:
    make_repository(folder / ".git", "refs/heads/master")
    place = _Place(folder / ".git", folder, outside)
    _commands(place)
    _hooks(place)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")


def _programs(folder: Path, outside: Path) -> None:
    for name in ("git", "sh", "python3", "git-lfs", "git-remote-ext", "less"):
        shutil.copy(outside / "canary", folder / name)


def _names(folder: Path, _: Path) -> None:
    odd = [
        b"a\nb",
        b"\x1b[2J\x1b]0;x\x07",
        b"--upload-pack=x",
        b"-rf",
        b"\xff\xfe",
        b"\xe2\x80\xae",
    ]
    for number, name in enumerate([*odd, b"'; touch x; '", b"$(touch x)", b":(top)*", b"*", b"~"]):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(b"%d\n" % number)


def _links(folder: Path, outside: Path) -> None:
    (folder / "to-folder").symlink_to(outside / "folder")
    (folder / "to-file").symlink_to(outside / "folder" / "precious.txt")
    shutil.rmtree(folder / "src")
    (folder / "src").symlink_to(outside / "folder")


def _pipes(folder: Path, _: Path) -> None:
    for name in (".gitignore", ".gitattributes", "pipe"):
        os.mkfifo(folder / name)


def _pointer(folder: Path, outside: Path) -> None:
    make_repository(outside / "repository", "refs/heads/master")
    place = _Place(outside / "repository", folder, outside)
    _commands(place)
    _hooks(place)
    (folder / ".git").write_text(f"gitdir: {outside / 'repository'}\n")


def _pointer_pipe(folder: Path, _: Path) -> None:
    os.mkfifo(folder / ".git")


WORKSPACES: dict[str, Callable[[Path, Path], None]] = {
    "repository": _workspace(_repository_of),
    "pointer": _workspace(_pointer),
    "pointer-pipe": _workspace(_pointer_pipe),
    "programs": _workspace(_programs),
    "names": _workspace(_names),
    "links": _workspace(_links),
    "pipes": _workspace(_pipes),
}


def _case(name: str, build: Callable[[Path, Path], None]) -> Case:
    def whole(home: Path, outside: Path) -> None:
        make_outside(outside)
        home.mkdir(parents=True, exist_ok=True)
        build(home, outside)

    return Case(name, whole)


def _repository_case(place: str, kind: str) -> Case:
    return _case(f"{place}-{kind}", lambda home, outside: KINDS[kind](PLACES[place](home, outside)))


HOSTILE: tuple[Case, ...] = (
    *(_repository_case(place, kind) for place in PLACES for kind in KINDS),
    *(_case(f"base-{name}", build) for name, build in BASES.items()),
    *(_case(f"catalog-{name}", build) for name, build in CATALOGS.items()),
    *(_case(f"session-{name}", build) for name, build in SESSIONS.items()),
    *(_case(f"workspace-{name}", build) for name, build in WORKSPACES.items()),
)
