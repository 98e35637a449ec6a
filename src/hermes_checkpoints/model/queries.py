"""What is asked of the catalog in SQL: questions that come with the package, and what there is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hermes_checkpoints.errors import BadRequest

Value = None | int | float | str | bytes
"""A value of a row. Bytes of a text that are no UTF-8 are surrogate escapes in it, as in names of
files."""

_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True)
class Parameter:
    """A value that a question is given by ``name``, as text. Where it is not ``needed``, an empty
    text stands for what the question has instead, which ``about`` says.

    >>> [one.name for one in checkpoints.question("file-checkpoints").parameters]
    ['path']
    """

    name: str
    about: str
    needed: bool

    @property
    def is_number(self) -> bool:
        """Whether it is a whole number: where one stands for an empty text."""
        return re.search(r"\([0-9]+\)\Z", self.about) is not None

    def require_fit(self, value: str) -> None:
        """Refuse a value that is no number where it must be one; an empty one is left to the query.

        Raises:
            BadRequest: with what it is for.
        """
        if self.is_number and value and not _NUMBER.fullmatch(value):
            raise BadRequest(
                f"the value of :{self.name} is a whole number of at most six digits, "
                f"not {value!r}: {self.about}"
            )


@dataclass(frozen=True)
class Question:
    """A question with the query that answers it. ``name`` is lower-case words with hyphens,
    ``asks`` one sentence, ``about`` what else there is to know, or nothing.

    >>> question = checkpoints.question("space-by-project")
    >>> question.asks
    'Which projects take the space?'
    >>> taken = project.take()
    >>> [row[0] == str(project.working_dir) for row in checkpoints.ask(question)]
    [True]
    """

    name: str
    asks: str
    about: str
    parameters: tuple[Parameter, ...]
    query: str

    def filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the values of all its parameters: those given, and an empty text for the others.

        Raises:
            BadRequest: when one is missing that is needed, is no number where it must be one, or
                one is given that it has not.
        """
        known = {one.name: one for one in self.parameters}
        for name in values:
            if name not in known:
                has = ", ".join(f":{one}" for one in known) or "no parameter"
                raise BadRequest(f"the question {self.name} has no parameter :{name}; it has {has}")
        for one in self.parameters:
            value = values.get(one.name)
            one.require_fit(str(value or ""))
            if one.needed and not value:
                raise BadRequest(
                    f"the question {self.name} needs a value for :{one.name}, {one.about}; give "
                    f"--param {one.name}=VALUE"
                )
        return {name: values.get(name, "") for name in known}


@dataclass(frozen=True)
class RelationColumn:
    """A column: its declared ``type``, empty for a view, and what it means, where that is told.

    >>> checkpoints.relations("store_totals")[0].columns[0].name
    'projects'
    """

    name: str
    type: str
    about: str


@dataclass(frozen=True)
class Relation:
    """A table or a view of the catalog (``kind``). ``about`` says what one row of a view is.

    >>> [found] = checkpoints.relations("store_totals")
    >>> found.kind, found.about
    ('view', 'One row: sums over the whole store.')
    """

    name: str
    kind: str
    about: str
    columns: tuple[RelationColumn, ...]
