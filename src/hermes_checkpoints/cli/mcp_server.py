"""The tools that an agent gets by the Model Context Protocol; the official SDK speaks it.

Every call opens the checkpoints anew, so that others may use them in between. The answers have the
shapes of ``--json``. An error of this package is the answer of the tool, since it says what to do.

The SDK reads the annotations of the tools when they are made, so they are no texts here.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
)
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from hermes_checkpoints import __version__
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.checkpoints import Checkpoints, Project
from hermes_checkpoints.cli.json.checkpoints import of_checkpoint, of_diff, of_take
from hermes_checkpoints.cli.json.found import of_found
from hermes_checkpoints.cli.json.restores import of_restore_plan, of_restored
from hermes_checkpoints.errors import PROGRAM, CheckpointError
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import (
    LATEST,
    Action,
    Failed,
    FoundPath,
    PlannedPath,
    RestorePlan,
    Skipped,
)
from hermes_checkpoints.text import counted, shown, typed

P = ParamSpec("P")
T = TypeVar("T")

MOST_CHARACTERS = 60_000
"""How long the text of a diff may be; what is longer is cut, and says so."""

_SHOWN = 20
"""How many paths of a plan a person is shown who is asked."""

_INSTRUCTIONS = """\
Checkpoints of {directory}: states of its files, taken before changes, also those made by shell
commands. List them, compare one with the present, find a lost file, and take one before you change
much. {restore} Paths are relative to that directory and literal."""

_LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_TAKES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_RESTORES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)

Document = dict[str, Any]


class Confirmation(BaseModel):
    """What a person answers who is asked whether to restore."""

    restore: bool = Field(description="Change these files as planned", default=False)


def make(directory: Path, layout: Layout, *, restore: bool) -> MCPServer:
    """Return a server with the tools for one working directory. Only with ``restore`` one of them
    changes its files, after the person has agreed."""
    offered = (
        "A restore asks the person first."
        if restore
        else f"You cannot restore: tell the person the command `{PROGRAM} restore`."
    )
    tools = _Tools(directory, layout)
    served = [
        _strict(tools.list_checkpoints, _LOOKS),
        _strict(tools.diff, _LOOKS),
        _strict(tools.find_file, _LOOKS),
        _strict(tools.plan_restore, _LOOKS),
        _strict(tools.take_checkpoint, _TAKES),
    ]
    if restore:
        served.append(_strict(_restoring(tools), _RESTORES))
    return MCPServer(
        "hermes-checkpoints",
        instructions=_INSTRUCTIONS.format(directory=directory, restore=offered),
        version=__version__,
        log_level="ERROR",
        tools=served,
    )


def _strict(function: Callable[..., Document], hints: ToolAnnotations) -> Tool:
    """Return a tool that refuses arguments which it does not know. The SDK would drop them, so that
    a restore of one misspelt path became one of everything."""
    tool = Tool.from_function(function, annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema(by_alias=True)
    return tool


def _restoring(tools: "_Tools") -> Callable[..., Document]:
    """Return the tool that restores. The plan that it carries out is the one that the person was
    shown: its state is a part of the question, and another question is asked anew."""

    def plan(
        reference: str, paths: list[str] | None = None, mode: str | None = None
    ) -> RestorePlan:
        return tools.planned(reference, paths, mode)

    def agreement(made: Annotated[RestorePlan, Resolve(plan)]) -> Elicit[Confirmation]:
        return Elicit(_question(made), Confirmation)

    def restore(
        reference: str,
        made: Annotated[RestorePlan, Resolve(plan)],
        answer: Annotated[ElicitationResult[Confirmation], Resolve(agreement)],
        paths: list[str] | None = None,
        mode: str | None = None,
    ) -> Document:
        """Bring files back to a checkpoint, as `plan_restore` says, after the person has agreed. A
        safety checkpoint comes first, so that it can be undone."""
        del reference, paths, mode  # the plan is made of them
        if not (isinstance(answer, AcceptedElicitation) and answer.data.restore):
            raise ToolError("the person did not agree; nothing was changed")
        return tools.carried_out(made)

    return _answering(restore)


def _answering(tool: Callable[P, T]) -> Callable[P, T]:
    """Let an error of this package be what a tool answers."""

    @functools.wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return tool(*args, **kwargs)
        except CheckpointError as error:
            raise ToolError(str(error)) from error

    return call


class _Tools:
    """The tools, as methods of the directory that they are about."""

    def __init__(self, directory: Path, layout: Layout) -> None:
        self._directory, self._layout = directory, layout
        for name in ("list_checkpoints", "diff", "find_file", "plan_restore", "take_checkpoint"):
            setattr(self, name, _answering(getattr(self, name)))

    def list_checkpoints(self, limit: int = 20) -> Document:
        """List the newest checkpoints, each with its number and id, its time, why it was taken, and
        what the agent was asked for after it."""
        with self._project() as project:
            found = project.list(limit=limit)
            return {
                "working_dir": str(self._directory),
                "checkpoints": [
                    {"number": number, **of_checkpoint(one)} for number, one in enumerate(found, 1)
                ],
            }

    def diff(
        self, reference: str = LATEST, other: str | None = None, paths: list[str] | None = None
    ) -> Document:
        """Compare a checkpoint (a number, an id, a label, `latest`, or a time such as `@2h`) with
        the present files, or with another checkpoint: the changed paths, and the lines."""
        with self._project() as project:
            document = of_diff(project.diff(reference, other, paths=paths), text=True)
        text = document["text"]
        cut = len(text) > MOST_CHARACTERS
        return {**document, "text": text[:MOST_CHARACTERS], "text_cut": cut}

    def find_file(
        self, pattern: str, deleted: bool = False, content: str | None = None, limit: int = 20
    ) -> Document:
        """Find files that checkpoints hold, by a glob (`*.py`, `src/**/*.ts`, a name), with the
        newest checkpoint that has each. `deleted`: only those that are gone now. `content`: a
        regular expression that a version of the file matches."""
        with self._project() as project:
            found = project.find_paths(pattern, deleted=deleted, content=content, limit=limit)
            commands = [None if one.lost else self._command(one) for one in found.found]
            return {**of_found(self._directory, pattern, found, commands)}

    def plan_restore(
        self, reference: str, paths: list[str] | None = None, mode: str | None = None
    ) -> Document:
        """Tell what a restore would do to each path, and why; nothing is changed. `mode`:
        `keep-edits` (the default without paths) keeps what a person changed, `overlay` brings
        every captured file back, `exact` also deletes what was made since."""
        with self._project() as project:
            plan = project.plan_restore(reference, paths, mode=mode)
            return {**of_restore_plan(plan, project.left_out(plan.checkpoint, paths))}

    def take_checkpoint(self, reason: str = "manual", label: str | None = None) -> Document:
        """Take a checkpoint of the files as they are now, unless nothing has changed since the
        last."""
        with self._project(create=True) as project:
            outcome = project.take(reason, label=label)
            if isinstance(outcome, Failed):
                raise outcome.error
            if isinstance(outcome, Skipped):
                raise ToolError(f"no checkpoint was taken: {outcome.reason}")
            return {**of_take(outcome, project.left_out(outcome.checkpoint))}

    def planned(self, reference: str, paths: list[str] | None, mode: str | None) -> RestorePlan:
        """Return the plan of a restore that a person can agree to.

        Raises:
            ToolError: when there is nothing to agree to, or it cannot be planned.
        """
        try:
            with self._project() as project:
                plan = project.plan_restore(reference, paths, mode=mode)
        except CheckpointError as error:
            raise ToolError(str(error)) from error
        if not _changing(plan):
            raise ToolError("there is nothing to restore: no file differs that would come back")
        if plan.replaced or plan.missing:
            raise ToolError(
                "this is not the directory that was captured: the person must restore it, with "
                f"`{PROGRAM} restore {plan.checkpoint.short_id}`"
            )
        return plan

    def carried_out(self, plan: RestorePlan) -> Document:
        """Carry out a plan, and return what was done."""
        with self._project() as project:
            restored = project.restore(plan.checkpoint, plan=plan)
            return {**of_restored(restored, project.left_out(plan.checkpoint, plan.paths))}

    def _command(self, found: FoundPath) -> str:
        """Return the command by which a person brings a path back from anywhere."""
        home = [] if self._layout == Layout.of() else ["--home", str(self._layout.home)]
        words = ["restore", *home, found.checkpoint.short_id, "--dir", str(self._directory)]
        return f"{PROGRAM} {typed([*words, '--', found.path])}"

    @contextmanager
    def _project(self, *, create: bool = False) -> Iterator[Project]:
        missing = create and not base_exists(self._layout)
        with Checkpoints.open(base=self._layout.base, create=missing) as checkpoints:
            yield checkpoints.project(self._directory)


def _changing(plan: RestorePlan) -> list[PlannedPath]:
    """Return what a plan changes, every deletion first."""
    changing = [step for step in plan.steps if step.action is not Action.KEEP]
    return sorted(changing, key=lambda step: step.action is not Action.DELETE)


def _question(plan: RestorePlan) -> str:
    """Return what a person is asked. No deletion is hidden in a number."""
    changing = _changing(plan)
    deletions = sum(step.action is Action.DELETE for step in changing)
    listed = changing[: max(_SHOWN, deletions)]
    lines = [f"  {step.action}  {shown(step.path)}" for step in listed]
    if len(changing) > len(listed):
        lines.append(f"  … and {counted(len(changing) - len(listed), 'path')} more to write")
    kept = len(plan.steps) - len(changing)
    if kept:
        lines.append(f"{counted(kept, 'path', 'is')} kept")
    one = plan.checkpoint
    question = f"Restore {plan.working_dir} to checkpoint {one.short_id} ({shown(one.reason)})?"
    return "\n".join([question, *lines, f"(the files are in state {plan.now_state[:8]} now)"])
