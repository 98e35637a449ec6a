"""What the typed API takes for a reference or a path, and that every method refuses the rest."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import BadRequest, Checkpoints, Failed, Project, Taken

REFERENCES: list[Any] = [3, 0, True, 1.0, None, b"latest", Path("latest"), ["latest"], {"id": 1}]
"""No one reference; a list of them is one where several may be named."""

PATHS: list[Any] = [3, True, 1.5, b"README.md", [b"README.md"], ["README.md", 3], [None], {"a": 1}]
"""No path and no list of paths."""

BY_REFERENCE = {"ref", "refs", "other"}
BY_PATH = {"path", "paths", "working_dir", "into", "folder", "old", "new", "home", "base"}


def methods(kind: type, names: set[str]) -> list[tuple[str, str]]:
    return [
        (name, parameter)
        for name, method in inspect.getmembers(kind, callable)
        if not name.startswith("_") or name == "__init__"
        for parameter in inspect.signature(method).parameters
        if parameter in names
    ]


def call(on: Any, name: str, parameter: str, value: Any) -> Callable[[], object]:
    """Return a call that is good but for one argument."""
    good = {"ref": "latest", "refs": "latest", "path": "README.md", "paths": "README.md"}
    good |= {"name": "good", "old": ".", "new": "."}
    method = getattr(on, name)
    given: dict[str, Any] = {
        p.name: good.get(p.name, "latest")
        for p in inspect.signature(method).parameters.values()
        if p.default is p.empty
    }
    return lambda: method(**(given | {parameter: value}))


@pytest.fixture
def own(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(project)
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        yield checkpoints.project(project), checkpoints


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize("value", REFERENCES, ids=repr)
def test_a_reference_is_text_or_a_checkpoint_in_every_method(own: Any, value: Any) -> None:
    asked = 0
    for on in own:
        for name, parameter in methods(type(on), BY_REFERENCE):
            default = inspect.signature(getattr(on, name)).parameters[parameter].default
            if (default is None and value is None) or (parameter == "refs" and value == ["latest"]):
                continue
            with pytest.raises(BadRequest):
                call(on, name, parameter, value)()
            asked += 1
    assert asked >= 14
    assert len(own[0].list()) == 1


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize("value", PATHS, ids=repr)
def test_a_path_is_text_or_a_path_object_in_every_method(own: Any, value: Any) -> None:
    asked = 0
    for on in own:
        for name, parameter in methods(type(on), BY_PATH):
            if name in ("__init__", "open"):
                continue
            with pytest.raises(BadRequest):
                call(on, name, parameter, value)()
            asked += 1
    assert asked >= 16
    with pytest.raises(BadRequest):
        Checkpoints.open(value)
    with pytest.raises(BadRequest):
        Checkpoints.open(base=value)


def test_the_number_of_a_list_is_refused_with_what_to_do(own: Any) -> None:
    with pytest.raises(BadRequest, match=r'as text \("3"\), the id, a label, or the Checkpoint'):
        own[0].restore(3)


def test_text_is_one_path_and_a_path_object_is_another_way_to_say_it(
    own: tuple[Project, Checkpoints],
) -> None:
    project, _ = own
    for name in ("a", "b", "ab"):
        (project.working_dir / name).write_text("then\n")
    taken = project.take()
    assert not isinstance(taken, Failed)
    for paths in ("ab", Path("ab"), ["ab"], (Path("ab"),), {"ab"}, iter(["ab"])):
        for name in ("a", "b", "ab"):
            (project.working_dir / name).write_text("now\n")
        restored = project.restore("latest", paths, mode="overlay")
        assert [step.path for step in restored.done] == ["ab"]


def test_the_id_of_a_checkpoint_is_its_commit_and_names_it_everywhere(
    own: tuple[Project, Checkpoints],
) -> None:
    project, checkpoints = own
    (listed,) = project.list()
    assert len(listed.id) == 40
    public = {name for name in vars(listed) if not name.startswith("_")}
    assert not [name for name in public if isinstance(getattr(listed, name), int) and "row" in name]
    assert project.get(listed.id) == project.get(listed) == checkpoints.find(listed.id) == listed
    assert project.restore(listed.id, mode="exact").checkpoint == listed
