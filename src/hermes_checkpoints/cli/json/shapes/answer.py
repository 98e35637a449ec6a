"""What a query of the catalog is answered with."""

from __future__ import annotations

from typing_extensions import TypedDict


class Rows(TypedDict):
    """The rows that answer a query."""

    columns: list[str]
    """The names of the columns; a name that several have gets `:1` and so on."""
    rows: list[dict[str, str | int | float | None]]
    """The rows, by those names. Bytes are in a second member with the suffix `_base64`."""
    more: bool
    """Whether there are more than were asked for."""


class Shown(TypedDict):
    """Where the catalog is shown, on a line of its own, before anything is."""

    url: str
    """The link that opens it, once."""


class Parameter(TypedDict):
    """A parameter of a question."""

    name: str
    """Its name, for `--param`."""
    about: str
    """What it means."""
    needed: bool
    """Whether it must be given."""


class Question(TypedDict):
    """A question that can be asked by its name."""

    name: str
    """Its name, for `--question`."""
    asks: str
    """What it asks."""
    about: str
    """What the answer says."""
    parameters: list[Parameter]
    """What can be given with it."""
    query: str
    """The same in SQL."""


class Questions(TypedDict):
    """The questions of docs/sql.md."""

    questions: list[Question]
    """The questions."""


class Column(TypedDict):
    """A column."""

    name: str
    """Its name."""
    type: str
    """Its type."""
    about: str
    """What it holds."""


class Relation(TypedDict):
    """A view or table."""

    name: str
    """Its name."""
    kind: str
    """`view` or `table`."""
    about: str
    """What it holds."""
    columns: list[Column]
    """Its columns."""


class Relations(TypedDict):
    """Views and tables of the catalog."""

    relations: list[Relation]
    """The views and tables."""
