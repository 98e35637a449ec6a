"""Members of many documents that may need a second one for their exact bytes."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class WorkingDir(TypedDict):
    working_dir: str
    """The working directory, as an absolute path."""
    working_dir_base64: NotRequired[str]


class AnyDir(TypedDict):
    working_dir: str | None
    """The working directory; null for all projects."""
    working_dir_base64: NotRequired[str]


class Path(TypedDict):
    path: str
    """A path, relative to the working directory unless something else is said."""
    path_base64: NotRequired[str]


class Branch(TypedDict):
    branch: str | None
    """The branch; null where it is not known, or HEAD is detached."""
    branch_base64: NotRequired[str]


class Subdirectory(TypedDict):
    subdirectory: str
    """The place in the repository; empty for the top."""
    subdirectory_base64: NotRequired[str]


class Repository(TypedDict):
    repository: str
    """The top of the working directory of the git repository, as an absolute path."""
    repository_base64: NotRequired[str]


class NewBranch(TypedDict):
    new_branch: str
    """The name of the new branch."""
    new_branch_base64: NotRequired[str]


class Base(TypedDict):
    base: str
    """The folder of the checkpoints."""
    base_base64: NotRequired[str]


class Where(TypedDict):
    where: str
    """The path, ref, id or setting that it is about."""
    where_base64: NotRequired[str]


class Stat(TypedDict):
    stat: str
    """Git's summary, a line a path."""
    stat_base64: NotRequired[str]


class Text(TypedDict):
    text: str
    """The text."""
    text_base64: NotRequired[str]


class Pattern(TypedDict):
    pattern: str | None
    """What was looked for; null for all paths."""
    pattern_base64: NotRequired[str]


class Command(TypedDict):
    command: str
    """The command for a shell that brings the path back."""
    command_base64: NotRequired[str]


class AnyCommand(TypedDict):
    command: str | None
    """The command for a shell that brings the path back; null where it is lost."""
    command_base64: NotRequired[str]


class Name(TypedDict):
    name: str
    """The name of the folder."""
    name_base64: NotRequired[str]


class Old(TypedDict):
    old: str
    """The directory to which the history belonged before."""
    old_base64: NotRequired[str]


class Hook(TypedDict):
    hook: str
    """The file that lets every program of the environment use this package."""
    hook_base64: NotRequired[str]


class Config(TypedDict):
    config: str
    """The configuration in which the plugin is enabled."""
    config_base64: NotRequired[str]


class File(TypedDict):
    file: str
    """The settings file of the agent."""
    file_base64: NotRequired[str]


class Directory(TypedDict):
    directory: str
    """The folder that was read."""
    directory_base64: NotRequired[str]


class SessionId(TypedDict):
    session_id: str
    """The session."""
    session_id_base64: NotRequired[str]
