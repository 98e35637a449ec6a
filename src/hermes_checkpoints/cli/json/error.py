"""What kept a verb from its work, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes.error import Error
    from hermes_checkpoints.cli.problem import Problem


def of_problem(problem: Problem) -> Error:
    """Return a problem."""
    return {
        "error": {
            "code": problem.code,
            "message": words(problem.message),
            "hint": words(problem.hint),
            "exit_code": int(problem.exit_code),
        }
    }
