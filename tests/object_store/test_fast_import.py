"""Commits that fast-import wrote: to the letter, since an import must give the same id again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hermes_checkpoints.errors import GitFailed, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import CheckpointFacts, Kind
from hermes_checkpoints.object_store import TreeMeta, commits, fast_import, ref_files
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, FILE_MODE, TREE_MODE
from hermes_checkpoints.object_store.loose import loose_path
from hermes_checkpoints.object_store.maintenance import delete_refs
from hermes_checkpoints.object_store.proof import prove
from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree
from object_store.writing import write_tree

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
FILES: dict[str, bytes | str | None] = {"a": b"1\n", "folder/b": b"2\n"}


def checkpoint(tree_id: str) -> CheckpointFacts:
    return CheckpointFacts(
        project_hash="0123456789abcdef",
        working_dir="/a/project",
        id="",
        tree_id=tree_id,
        state_id=TreeMeta().state_id(tree_id),
        ref_name="refs/checkpoints/0123456789abcdef/one",
        kind=Kind.MANUAL,
        reason='before "it" äöü\n\nMore',
        created_at=WHEN,
        utc_offset_minutes=-210,
        file_count=2,
        logical_bytes=4,
    )


def test_a_checkpoint_has_the_same_id_wherever_it_is_written(git: Git) -> None:
    facts = checkpoint(write_tree(git, FILES))
    (name,) = fast_import.run(git, commits.commands(facts, TreeMeta()), patience=1)
    assert name == "1486dca551de5d2fad63782a21143ff9e1212d36"
    assert git.run("rev-parse", facts.ref_name).decode().strip() == name
    with git.blobs() as reader:
        commit = parse_commit(*reader.read(name))
        entries = {e.path: e for e in parse_tree(reader.read(commit.tree_id)[2])}
        assert reader.read(entries["meta.json"].object_id)[2] == TreeMeta().encode()
    assert entries["tree"] == (TREE_MODE, "tree", facts.tree_id)
    assert (commit.created_at, commit.utc_offset_minutes, commit.parents) == (WHEN, -210, ())
    assert commits.trailers_of(commit.message)["Reason"] == facts.reason


@pytest.mark.parametrize("empty", [False, True])
def test_a_take_writes_to_the_letter_what_an_import_writes(git: Git, empty: bool) -> None:
    facts = checkpoint(EMPTY_TREE if empty else write_tree(git, FILES))
    meta = TreeMeta(files={"a": 0o600}, ignored_paths=("x/",), ignored=1)
    name = commits.write(git.repository, facts, meta)
    objects = [name, *commits.objects_beside(facts.tree_id, meta)]
    prove(git, objects)
    written = [loose_path(git.repository, one) for one in objects]
    assert all(path.stat().st_mode & 0o777 == 0o444 for path in written)
    for path in written:
        path.unlink()
    if empty:
        commits.write_roots(git, [(facts.tree_id, meta)])
    assert fast_import.run(git, commits.commands(facts, meta), patience=1) == [name]
    assert commits.write(git.repository, facts, meta) == name  # what is there is left as it is
    if not empty:  # which is built into git, and that is all that fsck misses
        git.run("fsck", "--strict", name)
    written[0].chmod(0o600)
    written[0].write_bytes(b"")
    with pytest.raises(StoreDamaged, match=name):
        commits.write(git.repository, facts, meta)


def test_a_ref_is_new_or_refused_and_leaves_no_lock(git: Git) -> None:
    commit = commits.write(git.repository, checkpoint(write_tree(git, FILES)), TreeMeta())
    ref = "refs/checkpoints/0123456789abcdef/two"
    ref_files.create(git.repository, ref, commit)
    assert git.run("rev-parse", ref).decode().strip() == commit
    with pytest.raises(FileExistsError):
        ref_files.create(git.repository, ref, "1" * 40)
    assert git.run("rev-parse", ref).decode().strip() == commit
    assert [path.name for path in (git.repository / ref).parent.iterdir()] == ["two"]
    lock = git.repository / f"{ref[:-3]}three.lock"
    lock.write_bytes(b"")  # another writes it now
    with pytest.raises(FileExistsError):
        ref_files.create(git.repository, f"{ref[:-3]}three", commit)
    assert lock.exists()


def test_commits_of_one_ref_are_a_chain_and_one_entry_can_be_the_whole_tree(git: Git) -> None:
    one, two = write_tree(git, FILES), write_tree(git, {"c": b"3\n"})
    stream = [
        fast_import.commit(
            "refs/x/chain",
            b"message\n",
            [TreeEntry(TREE_MODE, "", tree)],
            at=WHEN,
            offset_minutes=0,
        )
        for tree in (one, two)
    ]
    assert fast_import.run(git, stream, patience=1) == []
    with git.blobs() as reader:
        newest = parse_commit(*reader.read("refs/x/chain"))
        (parent,) = newest.parents
        first = parse_commit(*reader.read(parent))
    assert (first.tree_id, newest.tree_id) == (one, two)
    assert (first.parents, newest.message) == ((), "message\n")


def test_contents_are_written_to_the_letter(git: Git) -> None:
    data = b"commit refs/x/y\n\0done\n"
    stream = [fast_import.blob(data, 7), fast_import.get_mark(7)]
    (name,) = fast_import.run(git, stream, patience=1)
    with git.blobs() as reader:
        assert reader.read(name) == (name, "blob", data)


def test_what_cannot_be_written_is_an_error(git: Git) -> None:
    missing = TreeEntry(FILE_MODE, "file", "1" * 40)
    with pytest.raises(GitFailed):
        fast_import.run(
            git,
            [fast_import.commit("refs/x/y", b"m", [missing], at=WHEN, offset_minutes=0)],
            patience=1,
        )


def test_refs_are_deleted_wherever_they_lie_and_locked_ones_left_to_git(git: Git) -> None:
    commit = commits.write(git.repository, checkpoint(write_tree(git, FILES)), TreeMeta())
    folder = "refs/checkpoints/0123456789abcdef"
    packed, both, stays, loose, locked = (f"{folder}/{name}" for name in "abcde")
    for ref in (packed, both, stays):
        ref_files.create(git.repository, ref, commit)
    who = ("user.name=n", "user.email=e")
    git.run("tag", "-a", "-m", "m", "peeled", commit, config=who)
    git.run("pack-refs", "--all")
    for ref in (loose, locked):
        ref_files.create(git.repository, ref, commit)
    git.run("update-ref", both, commit)
    lock = git.repository / f"{locked}.lock"
    lock.write_bytes(b"")
    refs = [packed, both, loose, locked, f"{folder}/gone", "refs/tags/peeled"]
    assert ref_files.delete(git.repository, refs) == [locked]
    assert git.run("for-each-ref", "--format=%(refname)").decode().split() == [stays, locked]
    assert [path for path in (git.repository / folder).iterdir() if path.suffix] == [lock]
    with pytest.raises(GitFailed, match=r"e\.lock"):
        delete_refs(git, [locked])
    lock.unlink()
    delete_refs(git, refs)
    assert git.run("for-each-ref", "--format=%(refname)").decode().split() == [stays]
    git.run("pack-refs", "--all")
    delete_refs(git, [stays])
    assert git.run("for-each-ref", folder) == b""


def test_packed_refs_that_somebody_else_locks_are_left_as_they_are(git: Git) -> None:
    commit = commits.write(git.repository, checkpoint(write_tree(git, FILES)), TreeMeta())
    ref = "refs/checkpoints/0123456789abcdef/a"
    ref_files.create(git.repository, ref, commit)
    git.run("pack-refs", "--all")
    before = ref_files.packed(git.repository)
    (git.repository / "packed-refs.lock").touch()
    assert ref_files.delete(git.repository, [ref]) == [ref]
    assert ref_files.packed(git.repository) == before
    (git.repository / "packed-refs.lock").unlink()
    assert ref_files.delete(git.repository, [ref]) == []
    assert git.run("for-each-ref") == b""
