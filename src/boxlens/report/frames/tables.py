"""Results as Polars frames, ready for Parquet: one row a class, a subset, a pair of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from boxlens.diagnosis.borji import STEPS
from boxlens.diagnosis.coco_analyze import CURVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from boxlens.data.columns import Boxes, Ids
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.object_sensitivity import SensitivityResult

    IndexArray = npt.NDArray[np.integer[Any]]

BOX = ("x", "y", "w", "h")


def diagnosis_tables(result: DiagnosisResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined and absent values are null."""
    return {
        "classes": _diagnosed_classes(result),
        **_of_characteristics(result.sensitivity),
        "orders": _orders(result),
        "crosswalk": _crosswalk(result),
    }


def sensitivity_tables(result: SensitivityResult) -> dict[str, pl.DataFrame]:
    """The same of a sensitivity analysis alone."""
    return {
        "classes": with_nulls(_class_scores(result)),
        **_of_characteristics(result),
    }


def _diagnosed_classes(result: DiagnosisResult) -> pl.DataFrame:
    """Columns of one scheme begin with its name."""
    rows = []
    overall = result.coco_analyze.areas.index("all")
    for row, (hoiem, tide) in enumerate(
        zip(result.hoiem.classes, result.tide.classes, strict=True)
    ):
        curves = result.coco_analyze.ap[:, row, overall].tolist()
        steps = result.borji.class_ap[row].tolist()
        rows.append(
            {
                **{f"hoiem_top_{kind}": n for kind, n in hoiem.top_fp.items()},
                **{f"hoiem_impact_{kind}": gain for kind, gain in hoiem.impact.items()},
                "tide_AP": tide.ap,
                **{f"tide_dAP_{kind}": gain for kind, gain in tide.gain.items()},
                **{f"tide_n_{kind}": n for kind, n in tide.n.items()},
                **{f"analyze_{name}": ap for name, ap in zip(CURVES, curves, strict=True)},
                **{f"borji_{name}": ap for name, ap in zip(STEPS, steps, strict=True)},
            }
        )
    scores = _class_scores(result.sensitivity)
    n_detections = pl.Series(
        "n_detections", [row.n_detections for row in result.hoiem.classes], dtype=pl.Int64
    )
    frame = scores.insert_column(scores.columns.index("n_undetected"), n_detections)
    return with_nulls(pl.concat([frame, frame_of(rows)], how="horizontal"))


def _class_scores(result: SensitivityResult) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (row.name, row.n_objects, row.n_missed, row.ap, row.ap_se, row.ap_n, row.ap_n_se)
            for row in result.classes
        ],
        schema={
            "class": pl.String,
            "n_objects": pl.Int64,
            "n_undetected": pl.Int64,
            "hoiem_AP": pl.Float64,
            "hoiem_AP_se": pl.Float64,
            "AP_N": pl.Float64,
            "AP_N_se": pl.Float64,
        },
        orient="row",
    )


def _of_characteristics(result: SensitivityResult) -> dict[str, pl.DataFrame]:
    """One row a class, characteristic and subset; crossed ones where they were asked for."""
    subsets = pl.DataFrame(
        [
            (row.name, name.name, part.name, part.n_objects, part.ap_n, part.ap_n_se, part.n_missed)
            for row in result.characteristics
            for name in row.classes
            for part in name.subsets
        ],
        schema={
            "characteristic": pl.String,
            "class": pl.String,
            "subset": pl.String,
            "n_objects": pl.Int64,
            "AP_N": pl.Float64,
            "AP_N_se": pl.Float64,
            "n_undetected": pl.Int64,
        },
        orient="row",
    )
    tables = {"characteristics": with_nulls(subsets)}
    if result.interactions:
        tables["interactions"] = with_nulls(frame_of(_crossed(result)))
    return tables


def _crossed(result: SensitivityResult) -> Iterable[Mapping[str, Any]]:
    for grid in result.interactions:
        for row, first in enumerate(grid.first_names):
            for column, second in enumerate(grid.second_names):
                yield {
                    "first": grid.first,
                    "second": grid.second,
                    "first_subset": first,
                    "second_subset": second,
                    "n_objects": int(grid.n_objects[row, column]),
                    "AP_N": float(grid.ap_n[row, column]),
                }


def _orders(result: DiagnosisResult) -> pl.DataFrame:
    schemes = (("hoiem", result.hoiem), ("tide", result.tide), ("borji", result.borji))
    return frame_of(
        {"scheme": name, **gain.to_json()} for name, scheme in schemes for gain in scheme.orders
    )


def _crosswalk(result: DiagnosisResult) -> pl.DataFrame:
    """How many detections, or objects, have one label in one scheme and one in the other."""
    return frame_of(
        {
            "of": matrix.what,
            "first": matrix.first,
            "first_label": first,
            "second": matrix.second,
            "second_label": second,
            "n": int(matrix.counts[row, column]),
        }
        for matrix in result.crosswalk.disagreements
        for row, first in enumerate(matrix.rows)
        for column, second in enumerate(matrix.columns)
    )


def frame_of(rows: Iterable[Mapping[str, Any]], texts: Sequence[str] = ()) -> pl.DataFrame:
    """Numbers can be undefined in every row; so can the `texts`."""
    known = dict.fromkeys(texts, pl.String)
    frame = pl.DataFrame(list(rows), schema_overrides=known, infer_schema_length=None)
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64))


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
