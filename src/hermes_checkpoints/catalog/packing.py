"""What git has made of the sizes in rows: those are measured when an object comes into the store,
loose, and a gc packs it later.

After each repack three settings say up to which checkpoint the rows were packed, what they said,
and what git needs for it. The view ``store_packing`` is the factor that follows from that, and
``packed`` the one expression that corrects a size by it: in ``du``, in plans of prunes and in the
views.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    ScalarSelect,
    Select,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
)

from hermes_checkpoints.catalog.schema import checkpoints, settings

PACKED_THROUGH, PACKED_ROWS, PACKED_BYTES = "packed_through", "packed_rows", "packed_bytes"
"""The settings with the last repack: the rows up to the checkpoint ``PACKED_THROUGH`` said
``PACKED_ROWS`` bytes, and git needed ``PACKED_BYTES`` for them."""

_PACKING = table("store_packing", column("through", Integer), column("ratio", Float))


def packed(size: ColumnElement[Any], checkpoint_id: ColumnElement[int]) -> ColumnElement[float]:
    """Return a size in bytes that the row of a checkpoint says, as what the store needs for it now.

    What came after the last repack is loose, and stands as it is.
    """
    through, ratio = (
        select(known).select_from(_PACKING).scalar_subquery()
        for known in (_PACKING.c.through, _PACKING.c.ratio)
    )  # SQLite reads each once a statement
    return cast(size, Float) * case((checkpoint_id <= through, ratio), else_=1.0)


def beside_contents() -> ColumnElement[int]:
    """Return what a checkpoint takes beside contents: trees, the commit, the facts."""
    rest = checkpoints.c.added_bytes - checkpoints.c.stored_bytes
    return case((rest > 0, rest), else_=0)


def whole_bytes(size: ColumnElement[float]) -> ColumnElement[int]:
    """Return a size as a whole number of bytes."""
    return cast(func.round(size), Integer)


def packing_of(through: int, rows: int, size: int) -> dict[str, str]:
    """Return the settings that say what a repack found."""
    return {PACKED_THROUGH: str(through), PACKED_ROWS: str(rows), PACKED_BYTES: str(size)}


def store_packing() -> Select[Any]:
    """Return the query of the view: always one row; before the first repack nothing is corrected.

    It has no function of JSON: SQLite takes those for unsafe in a view.
    """
    rows: ColumnElement[Any] = func.nullif(cast(_known(PACKED_ROWS), Float), literal_column("0"))
    ratio: ColumnElement[Any] = cast(_known(PACKED_BYTES), Float) / rows
    through: ColumnElement[Any] = func.coalesce(cast(_known(PACKED_THROUGH), Integer), literal(0))
    columns = through.label("through"), func.coalesce(ratio, literal(1.0, Float)).label("ratio")
    return select(*columns)


def _known(name: str) -> ScalarSelect[Any]:
    return select(settings.c.value).where(settings.c.name == name).scalar_subquery()
