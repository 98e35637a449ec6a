"""What an adoption changed in each configuration, so that it can be taken back.

For each file the digest of what it was left as, and one splice: where it is still that, the very
bytes come back. The record lies beside the other files of the adoption, and holds nothing of a
configuration but what was replaced, as ``null`` is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import Any

from hermes_checkpoints.compat import environment
from hermes_checkpoints.compat.files import Change


@dataclass
class Record:
    """The notes, by the path of the configuration as the agent knows it."""

    configs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls) -> Record:
        """Return what the file has; nothing where there is none, or it is not readable."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = json.loads(environment.record_file().read_bytes())["configs"]
            if isinstance(found, dict):
                return cls({str(k): v for k, v in found.items() if isinstance(v, dict)})
        return cls()

    def changes(self) -> list[Change]:
        """Return the change that writes the record.

        Raises:
            BaseUnwritable: when the former one cannot be read.
        """
        text = json.dumps({"configs": self.configs}, indent=1, sort_keys=True) + "\n"
        return [Change.of(environment.record_file(), text.encode(), optional=True)]

    def add(self, config: Path, before: bytes | None, after: bytes) -> None:
        """Note a change that is going to be made, unless there is none."""
        if before == after:
            return
        old = before or b""
        start = _common(old, after)
        rest = min(len(old), len(after)) - start
        end = _common(old[::-1][:rest], after[::-1][:rest])
        self.configs[str(config)] = {
            "left": hashlib.sha256(after).hexdigest(),
            "existed": before is not None,
            "start": start,
            "put_in": len(after) - end - start,
            "taken_out": old[start : len(old) - end].decode("utf-8", "surrogateescape"),
        }

    def former(self, config: Path, present: bytes | None) -> bytes | EllipsisType | None:
        """Return what a configuration was before, None for no file; ``...`` where that is not
        known, since it has changed or was never noted."""
        noted = self.configs.pop(str(config), None)
        if noted is None or present is None:
            return ...
        try:
            if hashlib.sha256(present).hexdigest() != noted["left"]:
                return ...
            if not noted["existed"]:
                return None
            start, put_in = int(noted["start"]), int(noted["put_in"])
            taken_out = str(noted["taken_out"])
            old = taken_out.encode("utf-8", "surrogateescape")
            return present[:start] + old + present[start + put_in :]
        except (KeyError, TypeError, ValueError):
            return ...


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin with alike."""
    for place, pair in enumerate(zip(one, other, strict=False)):
        if pair[0] != pair[1]:
            return place
    return min(len(one), len(other))
