"""The tables of a study as Polars frames: undefined is null, types do not depend on the data."""

from __future__ import annotations

from typing import Any

import polars as pl

from boxlens.report.study import Column, Frame, Stored, Study, Table
from boxlens.wording import is_undefined

TYPES: dict[Stored, type[pl.DataType]] = {
    "text": pl.String,
    "whole": pl.Int64,
    "real": pl.Float64,
    "flag": pl.Boolean,
}


def study_frames(study: Study) -> dict[str, pl.DataFrame]:
    """By name, as files have them; tables without rows are left out."""
    found: dict[str, pl.DataFrame] = {}
    for _, part in study.walk():
        if isinstance(part, Frame):
            found[part.name] = part.make()
        elif isinstance(part, Table) and part.name and part.rows:
            found[part.name] = pl.DataFrame([_series(one, part) for one in part.filed])
    return found


def _series(column: Column[Any], table: Table[Any]) -> pl.Series:
    values = map(column.value, table.rows)
    known = [None if is_undefined(value) else value for value in values]
    if column.form.stored == "id":
        numbers = all(isinstance(value, int) for value in known)
        texts = known if numbers else [None if one is None else str(one) for one in known]
        return pl.Series(column.key, texts, dtype=pl.Int64 if numbers else pl.String)
    return pl.Series(column.key, known, dtype=TYPES[column.form.stored])
