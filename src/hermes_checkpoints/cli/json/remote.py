"""What a look at the remote found, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import remote as shapes
    from hermes_checkpoints.model import RemoteCheck


def of_remote_check(found: RemoteCheck) -> shapes.RemoteCheck:
    """Return all that one look found."""
    return {
        "url": words(found.url),
        "machine": found.machine,
        "works": found.works,
        "git": found.git,
        "protocol": found.protocol,
        "refs": found.refs,
        "own_refs": found.own_refs,
        "advertised_bytes": found.advertised_bytes,
        "findings": [
            {
                "check": one.check,
                "standing": one.standing.value,
                "text": words(one.text),
                "remedy": words(one.remedy),
                "code": one.code,
            }
            for one in found.findings
        ],
    }
