"""Results as Polars frames, ready for Parquet: one row a class, a subset, a pair of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data.columns import Boxes, Ids

    IndexArray = npt.NDArray[np.integer[Any]]

BOX = ("x", "y", "w", "h")


def with_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """NaN becomes null, which every reader of Parquet knows."""
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def boxes_of(box: Boxes) -> dict[str, pl.Series]:
    return {name: pl.Series(np.ascontiguousarray(box[:, at])) for at, name in enumerate(BOX)}


def named(names: Sequence[str], codes: IndexArray) -> pl.Series:
    """Text by code, null for -1; the names are kept once."""
    known = pl.Series(names, dtype=pl.Enum(list(dict.fromkeys(names))))
    return known.gather(places_of(codes))


def ids_of(ids: Ids, rows: IndexArray) -> pl.Series:
    known = pl.Series(ids.tolist(), dtype=pl.String) if ids.dtype == object else pl.Series(ids)
    return known.gather(places_of(rows))


def places_of(rows: IndexArray) -> pl.Series:
    places = pl.Series(rows.astype(np.int64))
    return places.set(places < 0, None)
