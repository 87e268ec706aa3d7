"""Text ids of a Polars column as rows of a table, found by one pass over a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxlens.data.columns import Rows

if TYPE_CHECKING:
    import polars as pl


def rows_of_text(column: pl.Series, ids: Sequence[str]) -> Rows:
    """The place of every value among `ids`, -1 where it is not one of them."""
    import polars as pl

    known = column.cast(pl.Enum(ids), strict=False)
    rows: Rows = known.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return rows
