"""What a look at a base found, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import exact, words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import doctor as shapes
    from hermes_checkpoints.layout import Layout
    from hermes_checkpoints.model import Diagnosis, Finding


def of_diagnosis(
    found: Diagnosis, layout: Layout, *, deep: bool, done: Sequence[str] | None = None
) -> shapes.Diagnosis:
    """Return what one look found; ``deep`` tells whether it read every object, ``done`` what a
    repair did before it."""
    document: shapes.Diagnosis = {
        **exact("base", layout.named),
        "deep": deep,
        "sound": found.sound,
        "faults": len(found.faults),
        "notes": len(found.findings) - len(found.faults),
        "findings": [of_finding(one) for one in found.findings],
        "looked": list(found.looked),
        "not_looked": [
            {"check": name, "reason": words(reason)} for name, reason in found.not_looked.items()
        ],
    }
    if done is not None:
        document["repaired"] = [words(one) for one in done]
    return document


def of_finding(one: Finding) -> shapes.Finding:
    """Return one finding."""
    return {
        "check": one.check,
        "kind": one.kind,
        **exact("where", one.where),
        "text": words(one.text),
        "remedy": words(one.remedy),
        "repairs": one.repairs,
        "note": one.note,
    }
