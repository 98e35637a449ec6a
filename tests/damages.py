"""What may happen to a base on disk, as a table: each damage with the kind of finding that `doctor`
must tell of it.

Power cuts leave empty and torn files, backups bring one side back and not the other, people and
other programs delete, truncate and write. Each damage is done to a base that nobody has open, with
plain git, SQLite and files.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

Apply = Callable[[Path, random.Random], None]


@dataclass(frozen=True)
class Damage:
    """One damage. ``apply`` does it to the base of a home; ``kind`` is what `doctor` must find, as
    ``Finding.kind``. ``deep`` says that only a look which reads every object finds it."""

    name: str
    apply: Apply
    kind: str
    deep: bool = False


@dataclass(frozen=True)
class Row:
    """What the catalog says of a live checkpoint."""

    id: int
    commit: str
    tree: str
    ref: str
    pinned: bool
    project: int


# --- what there is to damage -------------------------------------------------------------------


def store_of(home: Path) -> Path:
    return home / "checkpoints" / "store"


def catalog_of(home: Path) -> Path:
    return home / "checkpoints" / "catalog.db"


def git(home: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run plain git on the store; return what it prints."""
    command = ["git", f"--git-dir={store_of(home)}", *arguments]
    done = subprocess.run(command, input=stdin, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def rows(home: Path) -> list[Row]:
    """Return the live checkpoints, oldest first."""
    query = (
        "SELECT id, commit_id, tree_id, ref_name, pinned, project_id FROM checkpoints"
        " WHERE state = 'live' ORDER BY id"
    )
    with closing(sqlite3.connect(catalog_of(home))) as connection:
        return [Row(*row) for row in connection.execute(query)]


def pick(home: Path, which: str, rng: random.Random) -> Row:
    """Return the newest, the oldest, a pinned or any checkpoint; any one where none is pinned."""
    every = rows(home)
    if which == "newest":
        return every[-1]
    if which == "oldest":
        return every[0]
    pinned = [row for row in every if row.pinned]
    return rng.choice(pinned if which == "pinned" and pinned else every)


def object_of(home: Path, row: Row, part: str, rng: random.Random) -> str:
    """Return the id of a part of a checkpoint: ``commit``, ``outer`` (the tree that holds all),
    ``tree`` (the captured one), ``subtree``, ``blob`` or ``facts``. Where there is no such part,
    the next above it is taken."""
    if part == "commit":
        return row.commit
    if part == "facts":
        return git(home, "rev-parse", f"{row.commit}:meta.json")
    below = [line.split() for line in git(home, "ls-tree", "-r", "-t", row.tree).splitlines()]
    trees = sorted({line[2] for line in below if line[1] == "tree"})
    blobs = sorted({line[2] for line in below if line[1] == "blob"})
    if part == "blob" and blobs:
        return rng.choice(blobs)
    if part in ("blob", "subtree") and trees:
        return rng.choice(trees)
    if part == "outer":
        return git(home, "rev-parse", f"{row.commit}^{{tree}}")
    return row.tree


def loose(home: Path, object_id: str) -> Path:
    return store_of(home) / "objects" / object_id[:2] / object_id[2:]


def packs(home: Path) -> list[Path]:
    return sorted((store_of(home) / "objects" / "pack").glob("pack-*.pack"))


def make_loose(home: Path) -> None:
    """Take all objects out of their packs."""
    for pack in packs(home):
        aside = store_of(home) / pack.name
        contents = pack.read_bytes()
        for path in pack.parent.glob(f"{pack.stem}.*"):
            path.chmod(0o644)
            path.unlink()
        git(home, "unpack-objects", "-q", stdin=contents)
        assert not aside.exists()


def make_packed(home: Path) -> Path:
    """Put all objects into one pack, and all refs into one file; return the pack."""
    git(home, "repack", "-a", "-d", "-q")
    git(home, "pack-refs", "--all", "--prune")
    (pack,) = packs(home)
    return pack


def sql(home: Path, *statements: str) -> None:
    """Change the catalog behind the back of the program; rows that refer to others may stay."""
    with closing(sqlite3.connect(catalog_of(home), isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


# --- what is done to a file --------------------------------------------------------------------


def _writable(path: Path) -> None:
    if path.is_file():
        path.chmod(0o644)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def empty(path: Path) -> None:
    _writable(path)
    path.write_bytes(b"")


def truncate(path: Path) -> None:
    _writable(path)
    size = path.stat().st_size
    os.truncate(path, max(1, size * 2 // 3))


def nulls(path: Path) -> None:
    """What a journalling filesystem leaves: the size is right, and nothing was written."""
    _writable(path)
    path.write_bytes(bytes(path.stat().st_size))


def garbage(path: Path, rng: random.Random) -> None:
    _writable(path)
    path.write_bytes(rng.randbytes(max(64, path.stat().st_size if path.exists() else 64)))


def pipe_instead(path: Path) -> None:
    remove(path)
    os.mkfifo(path)


def link_instead(path: Path, aside: Path) -> None:
    """Let a file lie elsewhere, and a link to it in its place."""
    path.rename(aside)
    path.symlink_to(aside)


def folder_instead(path: Path) -> None:
    remove(path)
    (path / "in the way").mkdir(parents=True)


def flip_bit(path: Path, rng: random.Random, start: int = 0, end: int | None = None) -> None:
    _writable(path)
    data = bytearray(path.read_bytes())
    place = rng.randrange(start, len(data) if end is None else end)
    data[place] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(data))


def _inflated(data: bytes) -> bytes | None:
    try:
        inflate = zlib.decompressobj()
        found = inflate.decompress(data)
    except zlib.error:
        return None
    return found if inflate.eof and not inflate.unused_data else None


def flip_in_object(path: Path, rng: random.Random) -> None:
    """Flip a bit that counts: a few of a compressed stream mean nothing."""
    before = path.read_bytes()
    while _inflated(path.read_bytes()) == _inflated(before):
        _writable(path)
        path.write_bytes(before)
        flip_bit(path, rng)


def other_object(home: Path, path: Path, rng: random.Random) -> None:
    """Put a sound file of another object in the place of one."""
    others = [
        other
        for other in (store_of(home) / "objects").glob("??/*")
        if other != path and other.is_file() and other.stat().st_size
    ]
    contents = rng.choice(sorted(others)).read_bytes()
    _writable(path)
    path.write_bytes(contents)


# --- objects -----------------------------------------------------------------------------------

PARTS = ("commit", "outer", "tree", "subtree", "blob", "facts")
WHICH = ("newest", "oldest", "pinned")

MANNERS: dict[str, tuple[Callable[[Path, Path, random.Random], None], str, bool]] = {
    "removed": (lambda _, path, __: remove(path), "checkpoint-incomplete", False),
    "emptied": (lambda _, path, __: empty(path), "object-empty", False),
    "cut short": (lambda _, path, __: truncate(path), "object-damaged", True),
    "full of nulls": (lambda _, path, __: nulls(path), "object-damaged", True),
    "with a bit flipped": (lambda _, path, rng: flip_in_object(path, rng), "object-damaged", True),
    "with garbage in it": (lambda _, path, rng: garbage(path, rng), "object-damaged", True),
    "in which another one lies": (other_object, "object-damaged", True),
    "with a folder in its place": (lambda _, path, __: folder_instead(path), "object-empty", False),
}
"""What may happen to a loose object, with what is found, and whether it must be read for that."""


def _of_loose(part: str, which: str, act: Callable[[Path, Path, random.Random], None]) -> Apply:
    def apply(home: Path, rng: random.Random) -> None:
        make_loose(home)
        found = object_of(home, pick(home, which, rng), part, rng)
        act(home, loose(home, found), rng)

    return apply


def _loose_objects() -> Iterator[Damage]:
    for number, part in enumerate(PARTS):
        for turn, (manner, (act, kind, deep)) in enumerate(MANNERS.items()):
            which = WHICH[(number + turn) % len(WHICH)]
            name = f"loose {part} of the {which} {manner}"
            yield Damage(name, _of_loose(part, which, act), kind, deep)


def _of_packed(part: str, which: str) -> Apply:
    """Flip a bit of an object in the pack that has all."""

    def apply(home: Path, rng: random.Random) -> None:
        found = object_of(home, pick(home, which, rng), part, rng)
        pack = make_packed(home)
        lines = git(home, "verify-pack", "-v", str(pack.with_suffix(".idx"))).splitlines()
        fields = next(line.split() for line in lines if line.startswith(found))
        size, offset = int(fields[3]), int(fields[4])
        flip_bit(pack, rng, offset, offset + size)

    return apply


def _of_pack(act: Callable[[Path, random.Random], None], ending: str = "pack") -> Apply:
    def apply(home: Path, rng: random.Random) -> None:
        act(make_packed(home).with_suffix(f".{ending}"), rng)

    return apply


def _two_packs(home: Path, rng: random.Random) -> None:
    """Cut short one pack of two, so that only some checkpoints lose something."""
    make_loose(home)
    every = rows(home)
    half = "".join(f"{row.commit}\n" for row in every[: len(every) // 2]).encode()
    place = store_of(home) / "objects" / "pack" / "pack"
    git(home, "pack-objects", "-q", "--revs", str(place), stdin=half)
    git(home, "prune-packed", "-q")
    truncate(rng.choice(packs(home)))


def _kept_object_removed(home: Path, rng: random.Random) -> None:
    """Remove what all checkpoints of the store lie in."""
    shutil.rmtree(store_of(home) / "objects")


def _fan_out_removed(home: Path, rng: random.Random) -> None:
    make_loose(home)
    row = pick(home, "newest", rng)
    remove(loose(home, row.tree).parent)


def _packs() -> Iterator[Damage]:
    for number, part in enumerate(PARTS):
        which = WHICH[number % len(WHICH)]
        yield Damage(
            f"packed {part} of the {which} with a bit flipped",
            _of_packed(part, which),
            "pack-damaged",
            deep=True,
        )
    yield Damage("pack removed", _of_pack(lambda p, _: remove(p)), "pack-half")
    yield Damage("pack emptied", _of_pack(lambda p, _: empty(p)), "pack-half")
    yield Damage("pack cut short", _of_pack(lambda p, _: truncate(p)), "pack-damaged")
    yield Damage("pack full of nulls", _of_pack(lambda p, _: nulls(p)), "pack-damaged")
    yield Damage("one pack of two cut short", _two_packs, "pack-damaged")
    yield Damage(
        "header of the pack garbled", _of_pack(lambda p, r: flip_bit(p, r, 0, 4)), "pack-damaged"
    )
    yield Damage("end of the pack garbled", _of_pack(_flip_end), "pack-damaged")
    yield Damage("idx removed", _of_pack(lambda p, _: remove(p), "idx"), "pack-half")
    yield Damage("idx emptied", _of_pack(lambda p, _: empty(p), "idx"), "pack-half")
    yield Damage(
        "folder in place of an idx", _of_pack(lambda p, _: folder_instead(p), "idx"), "pack-half"
    )
    yield Damage("idx cut short", _of_pack(lambda p, _: truncate(p), "idx"), "pack-damaged")
    yield Damage("idx full of nulls", _of_pack(lambda p, _: nulls(p), "idx"), "pack-damaged")
    yield Damage("idx with a bit flipped", _of_pack(flip_bit, "idx"), "pack-damaged", deep=True)
    yield Damage("folder of objects removed", _kept_object_removed, "checkpoint-incomplete")
    yield Damage("some loose objects removed", _fan_out_removed, "checkpoint-incomplete")


def _flip_end(path: Path, rng: random.Random) -> None:
    size = path.stat().st_size
    flip_bit(path, rng, size - 20, size)


# --- refs --------------------------------------------------------------------------------------


def _loose_ref(home: Path, rng: random.Random, which: str) -> Path:
    """Return the file of a ref, which lies loose from now on."""
    row = pick(home, which, rng)
    path = store_of(home) / row.ref
    if not path.is_file():
        git(home, "update-ref", "-d", row.ref)
        git(home, "update-ref", row.ref, row.commit)
    return path


def _to_ref(act: Callable[[Path, Path, random.Random], None], which: str) -> Apply:
    def apply(home: Path, rng: random.Random) -> None:
        act(home, _loose_ref(home, rng, which), rng)

    return apply


def _other_commit(home: Path, path: Path, rng: random.Random) -> None:
    now = path.read_text().strip()
    path.write_text(rng.choice([row.commit for row in rows(home) if row.commit != now]) + "\n")


def _packed_refs(act: Callable[[Path, random.Random], None]) -> Apply:
    def apply(home: Path, rng: random.Random) -> None:
        git(home, "pack-refs", "--all", "--prune")
        act(store_of(home) / "packed-refs", rng)

    return apply


def _missing_ids(path: Path, rng: random.Random) -> None:
    lines = path.read_text().splitlines(keepends=True)
    place = rng.choice([n for n, line in enumerate(lines) if " refs/checkpoints/" in line])
    lines[place] = f"{rng.randbytes(20).hex()} {lines[place].partition(' ')[2]}"
    path.write_text("".join(lines))


def _line_gone(path: Path, rng: random.Random) -> None:
    lines = path.read_text().splitlines(keepends=True)
    del lines[rng.choice([n for n, line in enumerate(lines) if " refs/checkpoints/" in line])]
    path.write_text("".join(lines))


def _write(name: str, contents: str) -> Apply:
    """Write a file of the store; ``{commit}`` stands for that of a checkpoint, ``{project}`` for
    the folder of the refs of its project."""

    def apply(home: Path, rng: random.Random) -> None:
        row = pick(home, "any", rng)
        words = {"commit": row.commit, "project": row.ref.rpartition("/")[0]}
        words["blob"] = object_of(home, row, "facts", rng)
        path = store_of(home) / name.format(**words)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.format(**words))

    return apply


def _commit_from_elsewhere(home: Path, rng: random.Random) -> None:
    tree = git(home, "write-tree")
    name = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid")
    commit = git(home, *name, "commit-tree", "-m", "from elsewhere", tree)
    git(home, "update-ref", "refs/checkpoints/elsewhere/one", commit)


def _all_refs_gone(home: Path, rng: random.Random) -> None:
    make_packed(home)
    (store_of(home) / "packed-refs").unlink()


def _refs() -> Iterator[Damage]:
    yield Damage("ref removed", _to_ref(lambda _, p, __: remove(p), "newest"), "ref-missing")
    yield Damage("pinned ref removed", _to_ref(lambda _, p, __: remove(p), "pinned"), "ref-missing")
    yield Damage("ref emptied", _to_ref(lambda _, p, __: empty(p), "oldest"), "ref-broken")
    yield Damage("ref full of nulls", _to_ref(lambda _, p, __: nulls(p), "newest"), "ref-broken")
    yield Damage("ref cut short", _to_ref(lambda _, p, __: truncate(p), "pinned"), "ref-broken")
    yield Damage("ref with garbage", _to_ref(lambda _, p, r: garbage(p, r), "any"), "ref-broken")
    yield Damage(
        "pipe in place of a ref", _to_ref(lambda _, p, __: pipe_instead(p), "newest"), "ref-broken"
    )
    yield Damage(
        "link to a ref in place of a ref",
        _to_ref(lambda home, p, __: link_instead(p, home.with_name("aside")), "any"),
        "ref-broken",
    )
    yield Damage("ref of another commit", _to_ref(_other_commit, "any"), "ref-differs")
    yield Damage("ref of a blob", _write("{project}/strange", "{blob}\n"), "ref-dangling")
    yield Damage(
        "folder in place of a ref",
        _to_ref(lambda _, p, __: folder_instead(p), "oldest"),
        "ref-missing",
    )
    yield Damage("ref to nothing", _write("{project}/nothing", "1" * 40 + "\n"), "ref-dangling")
    yield Damage(
        "ref of a name that git refuses", _write("{project}/two..dots", "{commit}\n"), "ref-broken"
    )
    yield Damage(
        "second ref of a checkpoint", _write("{project}/second", "{commit}\n"), "ref-unlisted"
    )
    yield Damage(
        "ref outside that leads nowhere",
        _write("refs/heads/nothing", "2" * 40 + "\n"),
        "ref-dangling",
    )
    yield Damage("commit from elsewhere below the refs", _commit_from_elsewhere, "ref-unlisted")
    yield Damage("all refs gone", _all_refs_gone, "ref-missing")
    yield Damage(
        "folder of refs removed", lambda home, _: remove(store_of(home) / "refs"), "store-frame"
    )
    yield Damage("packed-refs removed", _packed_refs(lambda p, _: remove(p)), "ref-missing")
    yield Damage("packed-refs emptied", _packed_refs(lambda p, _: empty(p)), "ref-missing")
    yield Damage(
        "packed-refs full of nulls", _packed_refs(lambda p, _: nulls(p)), "packed-refs-broken"
    )
    yield Damage("packed-refs cut short", _packed_refs(_cut_in_a_line), "packed-refs-broken")
    yield Damage("packed-refs with garbage", _packed_refs(garbage), "packed-refs-broken")
    yield Damage("packed-refs with missing ids", _packed_refs(_missing_ids), "ref-differs")
    yield Damage("a line of packed-refs gone", _packed_refs(_line_gone), "ref-missing")
    yield Damage(
        "folder in place of packed-refs",
        _packed_refs(lambda p, _: folder_instead(p)),
        "packed-refs-broken",
    )


def _cut_in_a_line(path: Path, rng: random.Random) -> None:
    os.truncate(path, path.stat().st_size - rng.randrange(2, 40))


# --- the frame of the store ----------------------------------------------------------------------


def _in_store(name: str, act: Callable[[Path, random.Random], None]) -> Apply:
    return lambda home, rng: act(store_of(home) / name, rng)


def _config_cut(path: Path, rng: random.Random) -> None:
    text = path.read_text()
    path.write_text(text[: text.index("[core]", text.index("# hermes-checkpoints"))])


def _config_appended(path: Path, rng: random.Random) -> None:
    path.write_text(path.read_text() + "[core]\n\tfsmonitor = /bin/false\n")


def _store_moved(home: Path, rng: random.Random) -> None:
    shutil.rmtree(store_of(home))


def _store_a_file(home: Path, rng: random.Random) -> None:
    shutil.rmtree(store_of(home))
    store_of(home).write_text("no store\n")


def _frame() -> Iterator[Damage]:
    for name, kind in (("HEAD", "store-frame"), ("config", "store-config")):
        yield Damage(f"{name} removed", _in_store(name, lambda p, _: remove(p)), kind)
        yield Damage(f"{name} emptied", _in_store(name, lambda p, _: empty(p)), kind)
        yield Damage(f"{name} garbled", _in_store(name, garbage), kind)
    yield Damage("config cut short", _in_store("config", _config_cut), "store-config")
    yield Damage(
        "config with another's settings", _in_store("config", _config_appended), "store-config"
    )
    for name in ("info", "info/attributes", "indexes"):
        yield Damage(f"{name} removed", _in_store(name, lambda p, _: remove(p)), "store-frame")
    yield Damage("attributes garbled", _in_store("info/attributes", garbage), "store-frame")
    yield Damage(
        "alternates to another store",
        _write("objects/info/alternates", "/nowhere/objects\n"),
        "store-alternates",
    )
    yield Damage("grafts", _write("info/grafts", "{commit}\n"), "store-grafts")
    yield Damage("shallow", _write("shallow", "no id\n"), "store-shallow")
    yield Damage("commondir", _write("commondir", "../elsewhere\n"), "store-elsewhere")
    yield Damage("store removed", _store_moved, "store-missing")
    yield Damage("a file in place of the store", _store_a_file, "store-missing")


# --- the indexes of projects ---------------------------------------------------------------------


def _index(act: Callable[[Path, random.Random], None]) -> Apply:
    def apply(home: Path, rng: random.Random) -> None:
        found = [p for p in (store_of(home) / "indexes").iterdir() if len(p.name) == 16]
        act(rng.choice(sorted(found)), rng)

    return apply


def _caches() -> Iterator[Damage]:
    yield Damage("index emptied", _index(lambda p, _: empty(p)), "index-damaged")
    yield Damage("index cut short", _index(lambda p, _: truncate(p)), "index-damaged")
    yield Damage("index with a bit flipped", _index(flip_bit), "index-damaged")
    yield Damage("index with garbage", _index(garbage), "index-damaged")
    yield Damage(
        "folder in place of an index", _index(lambda p, _: folder_instead(p)), "index-damaged"
    )


# --- the catalog -------------------------------------------------------------------------------


def _catalog(act: Callable[[Path, random.Random], None]) -> Apply:
    return lambda home, rng: act(catalog_of(home), rng)


def _garbled_page(path: Path, rng: random.Random) -> None:
    """Garble a page that has rows of the table of checkpoints in it."""
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'checkpoints'"
        page = connection.execute(query).fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : (page - 1) * size + 512] = rng.randbytes(512)
    path.write_bytes(bytes(data))


def _garbled_header(path: Path, rng: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(rng.randbytes(100) + data[100:])


def _garbled_schema(path: Path, rng: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + rng.randbytes(400) + data[500:])


def _text_for_a_catalog(path: Path, rng: random.Random) -> None:
    path.write_text("no database\n" * 100)


_CHILDREN = (
    "DELETE FROM checkpoint_changes WHERE checkpoint_id IN ({ids})",
    "DELETE FROM skipped_paths WHERE checkpoint_id IN ({ids})",
    "DELETE FROM labels WHERE checkpoint_id IN ({ids})",
    "DELETE FROM path_events WHERE checkpoint_id IN ({ids}) OR target_id IN ({ids})",
    (
        "DELETE FROM restore_paths WHERE restore_id IN (SELECT id FROM restores"
        " WHERE target_id IN ({ids}) OR safety_id IN ({ids}))"
    ),
    "DELETE FROM restores WHERE target_id IN ({ids}) OR safety_id IN ({ids})",
    "UPDATE turns SET start_checkpoint_id = NULL WHERE start_checkpoint_id IN ({ids})",
    "UPDATE turns SET end_checkpoint_id = NULL WHERE end_checkpoint_id IN ({ids})",
    "UPDATE operations SET checkpoint_id = NULL WHERE checkpoint_id IN ({ids})",
    "UPDATE checkpoints SET previous_id = NULL WHERE previous_id IN ({ids})",
    "DELETE FROM former_ids WHERE checkpoint_id IN ({ids})",
    "DELETE FROM checkpoints WHERE id IN ({ids})",
)
"""What takes rows of checkpoints out of a catalog as if they had never been there."""


def _older_catalog(home: Path, rng: random.Random) -> None:
    """Let the catalog be a backup from before the last checkpoints."""
    ids = ", ".join(str(row.id) for row in rows(home)[-2:])
    sql(home, *(statement.format(ids=ids) for statement in _CHILDREN))


def _older_store(home: Path, rng: random.Random) -> None:
    """Let the store be a backup from before the last checkpoints."""
    make_loose(home)
    for row in rows(home)[-2:]:
        git(home, "update-ref", "-d", row.ref)
    git(home, "prune", "--expire=now")


def _row(statement: str, which: str = "any", *, also: str = "") -> Apply:
    """Run a statement about a checkpoint: ``{id}``, and ``{other}`` for another one's."""

    def apply(home: Path, rng: random.Random) -> None:
        row = pick(home, which, rng)
        other = rng.choice([one for one in rows(home) if one.id != row.id])
        words = {"id": row.id, "other": other.id, "hex": rng.randbytes(20).hex()}
        for text in filter(None, (statement, also)):
            sql(home, text.format(**words))

    return apply


def _many_outside(home: Path, rng: random.Random) -> None:
    """Add more paths than a look names, one with a NUL among them."""
    row = pick(home, "any", rng)
    names = [f"'../outside-{number}'" for number in range(12)] + ["'../a' || char(0)"]
    insert = "INSERT INTO skipped_paths (checkpoint_id, path, reason)"
    sql(home, *(f"{insert} VALUES ({row.id}, {name}, 'oversize')" for name in names))


def _other_project(home: Path, rng: random.Random) -> None:
    row = pick(home, "any", rng)
    others = sorted({one.project for one in rows(home)} - {row.project})
    sql(home, _SET.format(what=f"project_id = {rng.choice(others)}").format(id=row.id))


_SET = "UPDATE checkpoints SET {what} WHERE id = {{id}}"
_LOST = "state = 'pruned', pruned_at = created_at, lost_at = created_at, prune_reason = 'lost'"
_PRUNED = "state = 'pruned', pruned_at = created_at, prune_reason = 'older than'"
_CHANGE = (
    "INSERT INTO checkpoint_changes (checkpoint_id, path, status, new_blob, new_mode)"
    " VALUES ({{id}}, '{path}', 'A', '{{hex}}', 33188)"
)


def _catalogs() -> Iterator[Damage]:
    yield Damage("catalog removed", _catalog(lambda p, _: remove(p)), "catalog-missing")
    yield Damage("catalog emptied", _catalog(lambda p, _: empty(p)), "catalog-damaged")
    yield Damage("catalog cut short", _catalog(lambda p, _: truncate(p)), "catalog-damaged")
    yield Damage("catalog full of nulls", _catalog(lambda p, _: nulls(p)), "catalog-damaged")
    yield Damage("catalog with garbage", _catalog(garbage), "catalog-damaged")
    yield Damage("text in place of the catalog", _catalog(_text_for_a_catalog), "catalog-damaged")
    yield Damage(
        "folder in place of the catalog",
        _catalog(lambda p, _: folder_instead(p)),
        "catalog-damaged",
    )
    yield Damage("header of the catalog garbled", _catalog(_garbled_header), "catalog-damaged")
    yield Damage("schema of the catalog garbled", _catalog(_garbled_schema), "catalog-damaged")
    yield Damage("page of the catalog garbled", _catalog(_garbled_page), "catalog-damaged")
    yield Damage(
        "catalog of another program",
        lambda home, _: sql(home, "PRAGMA application_id = 77"),
        "catalog-damaged",
    )
    yield Damage("catalog older than the store", _older_catalog, "ref-unlisted")
    yield Damage("store older than the catalog", _older_store, "checkpoint-incomplete")
    yield Damage(
        "revision unknown",
        lambda home, _: sql(home, "UPDATE alembic_version SET version_num = '9999'"),
        "catalog-newer",
    )
    yield Damage(
        "revision gone", lambda home, _: sql(home, "DELETE FROM alembic_version"), "catalog-damaged"
    )
    for table in ("labels", "path_events", "settings", "operations"):
        yield Damage(f"table {table} gone", _dropped("TABLE", table), "catalog-damaged")
    for index in ("ix_checkpoints_lost", "ix_checkpoint_changes_new_blob"):
        yield Damage(f"{index} gone", _dropped("INDEX", index), "catalog-schema")
    for view in ("checkpoint_list", "store_totals"):
        yield Damage(f"view {view} gone", _dropped("VIEW", view), "catalog-schema")
    yield Damage("view that tells other sums", _other_view, "catalog-schema")
    yield Damage(
        "trigger",
        lambda home, _: sql(
            home, "CREATE TRIGGER own AFTER DELETE ON labels BEGIN DELETE FROM settings; END"
        ),
        "catalog-schema",
    )
    yield Damage(
        "virtual table",
        lambda home, _: sql(home, "CREATE VIRTUAL TABLE own USING fts5(words)"),
        "catalog-damaged",
    )
    yield Damage(
        "table in place of a view",
        lambda home, _: sql(
            home, "DROP VIEW store_totals", "CREATE TABLE store_totals (projects INTEGER)"
        ),
        "catalog-damaged",
    )
    yield Damage("index that lacks a row", _index_lacks, "catalog-damaged", deep=True)


def _dropped(kind: str, name: str) -> Apply:
    return lambda home, _: sql(home, f"DROP {kind} {name}")


def _other_view(home: Path, rng: random.Random) -> None:
    with closing(sqlite3.connect(catalog_of(home))) as connection:
        query = "SELECT sql FROM sqlite_master WHERE name = 'store_totals'"
        (text,) = connection.execute(query).fetchone()
    head, _, body = text.partition(" AS\n")
    sql(home, "DROP VIEW store_totals", f"{head} AS\nSELECT * FROM (\n{body}\n) WHERE 0")


def _index_lacks(home: Path, rng: random.Random) -> None:
    """Take a row out of an index behind the back of SQLite."""
    text = "CREATE INDEX ix_labels_checkpoint_id_label ON labels (checkpoint_id, label)"
    away = f"{text} WHERE checkpoint_id < 0"
    name = "name = 'ix_labels_checkpoint_id_label'"
    row = pick(home, "any", rng)
    with closing(sqlite3.connect(catalog_of(home), isolation_level=None)) as connection:
        query = f"SELECT sql FROM sqlite_master WHERE {name}"  # noqa: S608
        (whole,) = connection.execute(query).fetchone()
        connection.execute("PRAGMA writable_schema = ON")
        update = f"UPDATE sqlite_master SET sql = ? WHERE {name}"  # noqa: S608
        connection.execute(update, (away,))
    insert = "INSERT INTO labels (project_id, label, checkpoint_id) VALUES (?, ?, ?)"
    with closing(sqlite3.connect(catalog_of(home), isolation_level=None)) as connection:
        connection.execute(insert, (row.project, "behind the back", row.id))
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(update, (whole,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _rows() -> Iterator[Damage]:
    def of(what: str, which: str = "any") -> Apply:
        return _row(_SET.format(what=what), which)

    yield Damage(
        "row removed alone",
        _row("DELETE FROM checkpoints WHERE id = {id}", "oldest"),
        "row-dangling",
    )
    yield Damage("row of another commit", of("commit_id = '{hex}'"), "ref-differs")
    yield Damage("row of another ref", of("ref_name = ref_name || '-other'"), "ref-missing")
    yield Damage("row of another tree", of("tree_id = '{hex}'"), "row-differs")
    yield Damage("row of another state", of("state_id = '{hex}'"), "row-differs")
    yield Damage("row of another project", _other_project, "row-elsewhere")
    yield Damage(
        "row that is being pruned", of("state = 'pruning', pruned_at = created_at"), "unsettled"
    )
    yield Damage("row that is arriving", of("state = 'arriving'"), "unsettled")
    yield Damage("whole checkpoint marked as lost", of(_LOST, "pinned"), "whole-again")
    yield Damage("live checkpoint marked as pruned", of(_PRUNED, "newest"), "ref-unlisted")
    for path in ("../outside", "/absolute", "a/../../b", ""):
        yield Damage(
            f"change of the path {path!r}", _row(_CHANGE.format(path=path)), "path-outside"
        )
    yield Damage("many paths outside", _many_outside, "path-outside")
    yield Damage(
        "skipped path outside",
        _row(
            "INSERT INTO skipped_paths (checkpoint_id, path, reason)"
            " VALUES ({id}, '../x', 'oversize')"
        ),
        "path-outside",
    )
    yield Damage(
        "changes of a checkpoint gone",
        _row("DELETE FROM checkpoint_changes WHERE checkpoint_id = {id}", "newest"),
        "changes-differ",
        deep=True,
    )
    yield Damage(
        "change that names another content",
        _row(
            "UPDATE checkpoint_changes SET new_blob = '{hex}' WHERE checkpoint_id = {id}"
            " AND new_blob IS NOT NULL",
            "newest",
        ),
        "changes-differ",
        deep=True,
    )
    yield Damage(
        "change that never was",
        _row(_CHANGE.format(path="never/was")),
        "changes-differ",
        deep=True,
    )
    yield Damage(
        "label of no checkpoint",
        _row("INSERT INTO labels (project_id, label, checkpoint_id) VALUES (1, 'strange', 99999)"),
        "row-dangling",
    )
    yield Damage(
        "push to no remote",
        _row(
            "INSERT INTO pushes (remote_id, commit_id, state, at, machine_id, project_hash)"
            " VALUES (99999, '{hex}', 'waiting', '2026-01-01 00:00:00.000000', '0a1b2c3d4e5f', 'x')"
        ),
        "row-dangling",
    )
    yield Damage(
        "refused file of no push",
        _row(
            "INSERT INTO refused_paths (remote_id, commit_id, path, reason)"
            " VALUES (99999, '{hex}', '.env', 'its name')"
        ),
        "row-dangling",
    )
    yield Damage(
        "turn of no project",
        _row(
            "INSERT INTO turns (project_id, started_at)"
            " VALUES (99999, '2026-01-01 00:00:00.000000')"
        ),
        "row-dangling",
    )
    yield Damage(
        "project that names another directory",
        lambda home, _: sql(
            home,
            "UPDATE projects SET workdir = workdir || '-moved'"
            " WHERE id = (SELECT min(id) FROM projects)",
        ),
        "row-elsewhere",
    )


DAMAGES: tuple[Damage, ...] = (
    *_loose_objects(),
    *_packs(),
    *_refs(),
    *_frame(),
    *_caches(),
    *_catalogs(),
    *_rows(),
)
"""Every damage, by name once."""
