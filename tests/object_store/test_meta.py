"""The facts beside a tree: canonical, exact, and equal exactly when the states are."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.object_store.git_objects import EXECUTABLE_MODE, FILE_MODE
from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes
from hermes_checkpoints.object_store.meta import usual_modes as most_usual

names = st.binary(min_size=1, max_size=12).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)
parts = names.filter(
    lambda name: "/" not in name and name not in (".", "..") and name.lower() != ".git"
)
paths = st.lists(parts, min_size=1, max_size=3).map("/".join)
bits = st.integers(0, 0o7777)
metas = st.builds(
    TreeMeta,
    st.builds(UsualModes, bits, bits, bits),
    st.dictionaries(paths, bits, max_size=4),
    st.dictionaries(paths, bits, max_size=4),
    st.lists(
        st.builds(
            SkippedPath,
            names,
            st.sampled_from([reason for reason in SkipReason if reason != SkipReason.IGNORED]),
            st.none() | st.integers(0, 1 << 50),
        ),
        max_size=4,
        unique_by=lambda skipped: skipped.path,
    ).map(lambda paths: tuple(sorted(paths, key=lambda s: (s.path, s.reason)))),
    st.lists(names, max_size=4).map(tuple),
    st.integers(0, 5_000),
)


@given(metas)
def test_what_is_encoded_is_decoded(meta: TreeMeta) -> None:
    assert TreeMeta.decode(meta.encode()) == meta


@given(metas)
def test_the_form_does_not_depend_on_the_order_of_insertion(meta: TreeMeta) -> None:
    turned = replace(
        meta,
        files=dict(reversed(list(meta.files.items()))),
        directories=dict(reversed(list(meta.directories.items()))),
        skipped=tuple(reversed(meta.skipped)),
    )
    assert turned.encode() == meta.encode()
    assert turned.state_id("t") == meta.state_id("t")


def test_the_state_id_tells_what_is_a_change() -> None:
    base = TreeMeta(
        files={"a": 0o600},
        directories={"d": 0o755},
        skipped=(SkippedPath("log", SkipReason.OVERSIZE, 10),),
    )
    name = base.state_id("t")
    same = [
        replace(base, ignored=3, ignored_paths=("x",)),
        replace(base, skipped=(SkippedPath("log", SkipReason.OVERSIZE, 99),)),
        replace(base, skipped=(*base.skipped, SkippedPath("gone", SkipReason.VANISHED))),
    ]
    other = [
        replace(base, files={"a": 0o640}),
        replace(base, directories={"d": 0o700}),
        replace(base, directories={"d": 0o755, "e": 0o755}),
        replace(base, skipped=()),
        replace(base, skipped=(SkippedPath("log", SkipReason.UNREADABLE, 10),)),
    ]
    assert {meta.state_id("t") for meta in same} == {name}
    assert name not in {meta.state_id("t") for meta in other} | {base.state_id("u")}


def test_bits_go_without_saying_where_they_are_usual() -> None:
    meta = TreeMeta(UsualModes(0o640, 0o750, 0o700), files={"a": 0o600})
    assert meta.bits("a", FILE_MODE) == 0o600
    assert meta.bits("b", FILE_MODE) == 0o640
    assert meta.bits("b", EXECUTABLE_MODE) == 0o750


def test_the_most_common_bits_are_the_usual_ones() -> None:
    usual = most_usual([0o600, 0o600, 0o644, 0o755, 0o711, 0o711], [0o700])
    assert usual == UsualModes(0o600, 0o711, 0o700)
    assert most_usual([], []) == UsualModes()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b'{"version": "1"}',
        json.dumps(json.loads(TreeMeta().encode()) | {"skipped": [["a", "no-reason", 1]]}).encode(),
        json.dumps(json.loads(TreeMeta().encode()) | {"usual": [1]}).encode(),
        json.dumps(json.loads(TreeMeta().encode()) | {"directories": 1}).encode(),
    ],
)
def test_damaged_facts_are_an_error_of_the_store(data: bytes) -> None:
    with pytest.raises(StoreDamaged):
        TreeMeta.decode(data)


def changed(**facts: object) -> bytes:
    return json.dumps(json.loads(TreeMeta().encode()) | facts).encode()


@pytest.mark.parametrize(
    "path",
    ["/a", "../a", "a/../b", "a//b", "", ".", "a/.", ".git", "a/.GIT/hooks", "a\0b", "\ud800"],
)
@pytest.mark.parametrize("named", ["files", "directories"])
def test_no_path_leads_out_of_what_was_captured(named: str, path: str) -> None:
    facts = {"files": {"x": 0o600, path: 0o600}, "directories": ["x", path]}
    with pytest.raises(StoreDamaged):
        TreeMeta.decode(changed(**{named: facts[named]}))
    TreeMeta.decode(changed(files={".gitignore": 0o600}, directories=["..a", "a./b", ".git-x"]))


@pytest.mark.parametrize(
    "data",
    [
        changed(files={"a": "rwx"}),
        changed(files={"a": -1}),
        changed(files={"a": 1 << 70}),
        changed(files={"a": True}),
        changed(files=["a"]),
        changed(usual=["a", 1, 1]),
        changed(directory_modes={"a": 0o10000}),
        changed(directories="ab"),
        changed(directories=[5]),
        changed(skipped=[[5, "oversize", 1]]),
        changed(skipped=[["a", "oversize", -1]]),
        changed(ignored=-1),
        changed(ignored_paths="ab"),
        changed(absent=[None]),
        changed(owners={"a": ["root", 0]}),
        changed(owners={"a": [-1, 1 << 70]}),
        b"[" * 100_000,
        b'{"version": ' + b"9" * 10_000 + b"}",
    ],
)
def test_facts_that_are_none_are_an_error_of_the_store(data: bytes) -> None:
    with pytest.raises(StoreDamaged):
        TreeMeta.decode(data)


def test_facts_of_a_newer_version_are_refused_with_the_remedy() -> None:
    newer = json.dumps(json.loads(TreeMeta().encode()) | {"version": 2}).encode()
    with pytest.raises(StoreDamaged, match="upgrade the package"):
        TreeMeta.decode(newer)
