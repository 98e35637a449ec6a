"""What the calls of the manager stand on: where the checkpoints are, and that nothing is raised.

It and the command line are the only places that catch whatever goes wrong; both record it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hermes_checkpoints.config import Trigger, load_config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.layout import Layout

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints

logger = logging.getLogger(__name__)

T = TypeVar("T")
D = TypeVar("D")
Result = dict[str, Any]

_UNLIMITED = 1_000_000


class Facade:
    """The settings of one manager, and how it opens the checkpoints for one call."""

    def __init__(
        self,
        enabled: bool = False,
        max_snapshots: int = 20,
        max_total_size_mb: int = 500,
        max_file_size_mb: int = 10,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        self.enabled = enabled
        self.max_snapshots = max(1, int(max_snapshots))
        self.max_total_size_mb = max(0, int(max_total_size_mb))
        self.max_file_size_mb = max(0, int(max_file_size_mb))
        self.session_id = session_id
        self.working_dir = working_dir
        self._home = home
        self._warned = False

    @classmethod
    def from_config(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Return a manager as the section ``checkpoints:`` of ``config.yaml`` wants it."""
        config = load_config(Layout.of(home).config)
        return cls(
            config.enabled,
            config.max_snapshots or _UNLIMITED,
            config.max_total_size_mb,
            config.max_file_size_mb,
            home=home,
            session_id=session_id,
            working_dir=working_dir,
        )

    @property
    def trigger(self) -> Trigger:
        """Before which shell commands a checkpoint is taken, as ``config.yaml`` says."""
        return load_config(self.layout.config).trigger

    @property
    def layout(self) -> Layout:
        """Where everything lies, looked up now."""
        return Layout.of(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        """Return the directory from which relative paths are read; None for the process's."""
        return self.working_dir

    # --- inside ------------------------------------------------------------------------------

    def _base_exists(self) -> bool:
        return self.layout.base.is_dir()

    def _placed(self, path: str) -> str:
        """Return a path seen from the session's directory, where the host has given one."""
        directory = self.session_dir()
        return path if directory is None else os.path.join(directory, os.path.expanduser(path))

    def _open(self) -> Checkpoints:
        from hermes_checkpoints.checkpoints import Checkpoints

        layout = self.layout
        config = load_config(layout.config)
        if config.warning and not self._warned:
            self._warned = True
            logger.warning("%s", config.warning)
        return Checkpoints.open(
            layout.home,
            config=replace(
                config,
                max_snapshots=self.max_snapshots,
                max_total_size_mb=self.max_total_size_mb,
                max_file_size_mb=self.max_file_size_mb,
            ),
        )

    def _quietly(
        self,
        failure: str,
        action: Callable[[Checkpoints], T],
        default: D,
        working_dir: str | None = None,
    ) -> T | D:
        """Act on the open checkpoints. Whatever goes wrong is logged, and journaled where it
        costs ``working_dir`` a checkpoint, and ``default`` comes back."""
        try:
            with self._open() as checkpoints:
                try:
                    return action(checkpoints)
                except Exception as error:
                    if working_dir is not None:
                        checkpoints.project(working_dir).record_failure(error)
                    raise
        except Exception as error:  # noqa: BLE001 - the host must go on, whatever it is
            logger.warning("%s: %s", failure, error)
            return default

    def _answer(self, action: Callable[[Checkpoints], Result]) -> Result:
        if not self._base_exists():
            return {"success": False, "error": "No checkpoints exist for this directory"}
        try:
            with self._open() as checkpoints:
                return action(checkpoints)
        except CheckpointError as error:
            return {"success": False, "error": str(error), "code": error.code}
        except Exception as error:  # the host must go on, whatever it is
            logger.exception("a checkpoint operation failed")
            return {"success": False, "error": f"{type(error).__name__}: {error}"}
