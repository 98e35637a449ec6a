"""What git obeys in the store beside what this program writes: settings, hooks, and files that
change what git takes for the contents of the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_checkpoints.base.plain import LEADS_AWAY
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.doctor.needed import not_imported
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import below, examples, is_inside, moved_aside, quoted, within
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import frame
from hermes_checkpoints.object_store.configuration import foreign
from hermes_checkpoints.text import counted

_REPAIR = f"`{PROGRAM} doctor --repair`"
_CONFIG = ("store-config", "store-setting")
_ALTERNATES = "objects/info/alternates"
_PATIENCE = 40
_ASIDE = ("store-elsewhere", "store-hook", "store-grafts", "store-shallow", "store-promisor-pack")


def check(patient: Patient) -> Iterator[Finding]:
    """Read the files by which the store tells git what to do.

    Raises:
        OSError: when they cannot be read.
    """
    layout, store = patient.layout, patient.layout.store
    if not store.is_dir():
        return
    if store.is_symlink():
        yield Finding(
            "store-link",
            within(layout, store),
            f"it is a link that leads to {os.path.realpath(store)}: whoever made it decides what a "
            "restore brings back",
            f"if you made it, move the folder itself here: rm {quoted(store)} && mv "
            f"{quoted(Path(os.path.realpath(store)))} {quoted(store)}; else look at who did",
        )
        return
    if not not_imported(patient):  # an import writes a configuration of its own
        yield from _settings(patient)
    hooks = [path for path in _files(store / "hooks") if path.suffix != ".sample"]
    for path in hooks:
        yield Finding(
            "store-hook",
            within(layout, path),
            "a hook lies in the store; it is not run as long as core.hooksPath leads elsewhere, "
            "and the store needs none",
            f"{_REPAIR} moves it aside",
            repairs=True,
        )
    alternates = store / _ALTERNATES
    if os.path.lexists(alternates):
        yield Finding(
            "store-alternates",
            within(layout, alternates),
            "objects of this store are read from other places: "
            f"{examples(_places(alternates)) or 'none is named'}; what is deleted there is lost "
            "here",
            f"{_REPAIR} copies what checkpoints need into this store, and moves the file aside",
            repairs=True,
        )
    for path in (store / name for name in LEADS_AWAY if name != _ALTERNATES):
        if os.path.lexists(path):
            yield Finding(
                "store-elsewhere",
                within(layout, path),
                "it leads git out of the store, or to a configuration of another; nothing is done "
                "in the base for as long as it is there",
                f"{_REPAIR} moves it aside",
                repairs=True,
            )
    for kind, path, what in (
        ("store-grafts", store / "info" / "grafts", "it changes which commits have which parents"),
        ("store-shallow", store / "shallow", "it hides parents of commits"),
    ):
        if path.exists():
            yield Finding(
                kind,
                within(layout, path),
                f"{what}; checkpoints have no parents, and no store of ours has such a file",
                f"{_REPAIR} moves it aside",
                repairs=True,
            )
    replaced = _replace_refs(store)
    if replaced:
        yield Finding(
            "store-replace-refs",
            replaced[0],
            f"{counted(len(replaced), 'ref')} below refs/replace/ show other objects in the place "
            f"of those that checkpoints hold ({examples(replaced)}); git is told to pass them "
            "over, but keeps what they name",
            f"delete each: git --git-dir={quoted(store)} update-ref -d {replaced[0]}",
            note=True,
        )
    for path in sorted((store / "objects" / "pack").glob("*.promisor")):
        yield Finding(
            "store-promisor-pack",
            within(layout, path),
            "it says that objects which the pack needs can be fetched from elsewhere, so git does "
            "not tell that they are missing",
            f"{_REPAIR} moves it aside",
            repairs=True,
        )


def mend(layout: Layout, findings: Sequence[Finding]) -> list[str]:
    """Write the configuration anew, having kept the former one, and move aside what git must not
    obey; return what was done. The caller holds the store alone.

    Raises:
        OSError: when something cannot be written or moved.
        GitFailed: when what lies in other places cannot be copied; it is used from there then.
    """
    done = []
    if any(one.kind in _CONFIG for one in findings) and is_inside(layout, layout.store / "config"):
        config = layout.store / "config"
        present = _text(config)
        done.append("store/config was written anew")
        for line in moved_aside(layout, within(layout, config)):
            done[-1] += f"; {line}"
        frame.write(layout.store, present)
    if any(one.kind == "store-alternates" for one in findings):
        done += _without_alternates(layout)
    for one in findings:
        if one.kind in _ASIDE:
            done += moved_aside(layout, one.where)
    return done


def _settings(patient: Patient) -> Iterator[Finding]:
    config = patient.layout.store / "config"
    where = within(patient.layout, config)
    text = _text(config)
    own = frame.config_of(patient.layout.store, text)
    if text == own:
        return
    if frame.is_of_another_place(patient.layout.store):
        yield Finding(
            "store-moved",
            where,
            "the configuration of the store was written where the base had another path",
            "nothing: the next command writes it anew",
            note=True,
        )
        return
    others = list(dict.fromkeys(one.name for one in foreign(text, own)))
    if not (others or os.path.lexists(patient.layout.store / "git-program.json")):
        return  # a store of version 2, as it made it
    what = "is missing" if not os.path.lexists(config) else "is not what this program writes"
    yield Finding(
        "store-config",
        where,
        f"the configuration of the store {what}",
        f"{_REPAIR} writes it anew, as the next command does",
        repairs=True,
    )
    for name in others:
        yield Finding(
            "store-setting",
            where,
            f"git would obey a setting that the store does not need, and that may make it read, "
            f"fetch or run something: {name}",
            f"{_REPAIR} writes the file anew without it, and keeps a copy, as the next command "
            "does",
            repairs=True,
        )


def _text(config: Path) -> str:
    return small_contents(config, 1 << 20).decode("utf-8", "surrogateescape")


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder; a link in its place counts as one."""
    if folder.is_symlink():
        return [folder]
    return sorted(path for path in folder.glob("*") if path.is_file() or path.is_symlink())


def _places(alternates: Path) -> list[str]:
    """Return the folders of objects that a file names."""
    lines = small_contents(alternates, 1 << 16).decode("utf-8", "surrogateescape").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _without_alternates(layout: Layout) -> list[str]:
    """Copy what refs reach in other places into the store, and move aside what names them."""
    alternates = layout.store / _ALTERNATES
    if not is_inside(layout, alternates):
        return []
    done = []
    if any((layout.store / "objects" / place).is_dir() for place in _places(alternates)):
        Git(layout.store, git_timeout()).run("repack", "-a", "-d", "-q", patience=_PATIENCE)
        done.append("what checkpoints need of other places was copied into the store")
    return done + moved_aside(layout, within(layout, alternates))


def _replace_refs(store: Path) -> list[str]:
    """Return the names of the refs that replace objects."""
    folder = store / "refs" / "replace"
    loose = [str(path.relative_to(store)) for path in below(folder)]
    packed = small_contents(store / "packed-refs").decode("utf-8", "replace").split("\n")
    names = [line.partition(" ")[2] for line in packed if " refs/replace/" in line]
    return sorted({*loose, *names})
