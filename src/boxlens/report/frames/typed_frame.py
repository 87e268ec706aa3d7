"""Records as a Polars frame whose types do not depend on what is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from boxlens.report.frames.tables import with_nulls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Record = dict[str, Any]


def typed_frame(
    rows: Iterable[Record], *, texts: Collection[str], flags: Collection[str] = ()
) -> pl.DataFrame:
    """Names that begin with n_, and budgets, are counts; all others numbers, undefined is null."""

    def kind(name: str) -> type[pl.DataType]:
        if name in texts:
            return pl.String
        if name == "budget" or (name.startswith("n_") and name != "n_mean"):
            return pl.Int64
        return pl.Boolean if name in flags else pl.Float64

    records = list(rows)
    schema = {name: kind(name) for name in (records[0] if records else {})}
    return with_nulls(pl.DataFrame(records, schema=schema))
