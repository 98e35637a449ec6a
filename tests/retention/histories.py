"""Makes real histories, and looks at what a prune left."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, Policy, Taken
from hermes_checkpoints.retention.plan import PruneOptions

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
AT_ONCE = PruneOptions()
ANYTHING = Policy(orphan_grace=None)


@dataclass
class History:
    """Real projects of one home. Contents are random, so that nothing compresses."""

    checkpoints: Checkpoints
    home: Path
    folder: Path
    random: random.Random = field(default_factory=lambda: random.Random(5))  # noqa: S311

    @property
    def store(self) -> Path:
        return self.home / "checkpoints" / "store"

    def project(self, name: str = "alpha") -> Path:
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def take(self, project: Path, *, size: int = 10_000, **options: Any) -> Checkpoint:
        """Change a file of ``size`` bytes and take a checkpoint."""
        (project / "data").write_bytes(self.random.randbytes(size))
        outcome = self.checkpoints.project(project).take(**options)
        assert isinstance(outcome, Taken), outcome
        return outcome.checkpoint

    def takes(self, project: Path, count: int, **options: Any) -> list[Checkpoint]:
        return [self.take(project, **options) for _ in range(count)]

    def git(self, *arguments: str) -> str:
        command = ["git", f"--git-dir={self.store}", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def refs(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)").split()

    def verify(self) -> None:
        """Every live checkpoint has its ref and is whole; no other ref exists."""
        base = self.checkpoints._base
        assert set(self.refs()) == base.catalog.checkpoints.ref_names()
        assert base.catalog.checkpoints.pruning() == []
        self.git("fsck", "--strict", "--no-dangling")
        indexes = {path.name.split(".")[0] for path in (self.store / "indexes").iterdir()}
        assert indexes <= {project.hash for project in base.catalog.projects.all()}
