"""A comparison as Polars frames, ready for Parquet: one row a number, a pair, a class, an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from boxlens.report.frames.tables import frame_of, ids_of, with_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.together.strengths import Group, StrengthsResult

Record = dict[str, Any]


def comparison_tables(result: ComparisonResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined and absent values are null."""
    tables = {
        "detectors": frame_of(_detectors(result)),
        "pairs": frame_of(_with_ends(row.to_json()) for row in result.pairs),
        "classes": _classes(result),
        "p_curves": _p_curves(result),
        "strengths": frame_of(_strengths(result), texts=["leader"]),
        "joint": frame_of(_joint(result)),
        "found": _found(result),
        "annotation_gain": frame_of(_annotation_gain(result)),
    }
    return {name: with_nulls(frame) for name, frame in tables.items()}


def _with_ends(record: Record) -> Record:
    """The interval as two columns in the place of one."""
    ends: Record = {}
    for name, value in record.items():
        ends |= {"low": value[0], "high": value[1]} if name == "ci" else {name: value}
    return ends


def _detectors(result: ComparisonResult) -> Iterator[Record]:
    """Every number of every detector, as a whole (no class) and by class."""
    for one, cut in zip(result.detectors, result.min_score, strict=True):
        whole = [(None, one.n_detections, one.intervals or {})]
        classes = [(row.name, row.n_detections, row.intervals or {}) for row in one.classes]
        for name, n_detections, intervals in (*whole, *classes):
            for metric, value in intervals.items():
                yield {
                    "detector": one.name,
                    "class": name,
                    "metric": metric,
                    **_with_ends(value.to_json()),
                    "n_detections": n_detections,
                    "min_score": cut,
                }


def _classes(result: ComparisonResult) -> pl.DataFrame:
    records = [_with_ends(row.to_json()) for row in result.classes]
    # Without objects there is no class to compare, but there is a table.
    return frame_of(records) if records else pl.DataFrame(schema={"class": pl.String})


def _p_curves(result: ComparisonResult) -> pl.DataFrame:
    """All detectors together have neither a nor b."""
    told = [*result.discriminative, *([] if result.together is None else [result.together])]
    return pl.DataFrame(
        [
            (one.a, one.b, one.choice.test, t, p, n)
            for one in told
            for t, p, n in zip(
                one.curve.threshold.tolist(),
                one.curve.p.tolist(),
                one.curve.n_kept.tolist(),
                strict=True,
            )
        ],
        schema={
            "a": pl.String,
            "b": pl.String,
            "test": pl.String,
            "t": pl.Float64,
            "p": pl.Float64,
            "n_kept": pl.Int64,
        },
        orient="row",
    )


def compared_images(result: ComparisonResult) -> pl.DataFrame:
    """Every image that was compared, and its place in the order in which to annotate, from 1."""
    disagreement, images = result.disagreement, result.dataset.images
    place = np.empty(len(images), dtype=np.int64)
    place[disagreement.order] = np.arange(1, len(images) + 1)
    columns = {
        "image_id": ids_of(images.id, np.arange(len(images))),
        "disagreement": pl.Series(disagreement.share),
        "disputed_boxes": pl.Series(disagreement.boxes),
        "place": pl.Series(place),
    }
    for row, one in enumerate(result.detectors):
        columns[f"{result.choice.measure}_{one.name}"] = pl.Series(result.image_scores[row])
        columns[f"n_boxes_{one.name}"] = pl.Series(disagreement.n_boxes[row])
    for pair in result.discriminative:
        # Whether t0 leaves the image in; without a t0 nothing is left out.
        kept = np.ones(len(images), dtype=np.bool_)
        kept[pair.removed_rows] = False
        columns[f"kept_{pair.a}_{pair.b}"] = pl.Series(kept)
    return with_nulls(pl.DataFrame(columns))


def _strengths(result: ComparisonResult) -> Iterator[Record]:
    """All objects and every group, ranked (detections of any score) and cut (above the cuts)."""
    for one in result.strengths:
        for group in (one.overall, *one.groups):
            yield from _readings(one, group)


def _readings(one: StrengthsResult, group: Group) -> Iterator[Record]:
    known: Mapping[str, Any] = group.to_json()
    for reading in ("ranked", "cut"):
        yield {
            "a": one.first,
            "b": one.second,
            **{name: known[name] for name in ("characteristic", "value", "n_objects", "n_images")},
            "reading": reading,
            **_with_ends(known[reading]),
        }


def _joint(result: ComparisonResult) -> Iterator[Record]:
    """Rankings: each alone, one chosen in each image, each with the hits of the others."""
    rankings = result.joint.rankings
    told = (
        *(("alone", False, row.name, row) for row in rankings.single),
        ("chosen by image", False, None, rankings.chosen),
        ("chosen by image", True, None, rankings.chosen_aligned),
        *(("with hits of others", False, row.name, row) for row in rankings.with_hits),
        *(("with hits of others", True, row.name, row) for row in rankings.with_hits_aligned),
    )
    for ranking, aligned, name, row in told:
        yield {"ranking": ranking, "aligned": aligned, "detector": name, **row.metrics}
    yield {"ranking": "best of all", "aligned": None, "detector": None, **rankings.joint()}


def _found(result: ComparisonResult) -> pl.DataFrame:
    """Objects that a detector finds, and finds alone; below, any, all and none of them."""
    found = result.joint.found
    rows: list[tuple[str, int, int | None]] = []
    rows += zip(result.joint.detectors, found.each, found.only, strict=True)
    rows += [(name, getattr(found, name), None) for name in ("any", "all", "none")]
    n_detectors = len(result.joint.detectors)
    return pl.DataFrame(
        [
            ("detector" if at < n_detectors else "together", name, n, only, found.n_objects)
            for at, (name, n, only) in enumerate(rows)
        ],
        schema={
            "of": pl.String,
            "name": pl.String,
            "n_found": pl.Int64,
            "n_alone": pl.Int64,
            "n_objects": pl.Int64,
        },
        orient="row",
    )


def _annotation_gain(result: ComparisonResult) -> Iterator[Record]:
    for goal in result.annotation_gain.goals:
        for order in goal.orders:
            curve = order.to_json()["curve"]
            for n_images, share in zip(curve["n_images"], curve["share"], strict=True):
                yield {
                    "goal": goal.goal,
                    "order": order.order,
                    "n_images": n_images,
                    "share": share,
                }
