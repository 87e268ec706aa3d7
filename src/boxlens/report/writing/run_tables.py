"""Every image, detection and object of a run as tables: what the app walks through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from boxlens.data import Dataset
from boxlens.data.columns import Attribute, Boxes, Floats, Ids
from boxlens.metrics.ranking import rank
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.disagreement import rank_images
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS, SCHEMES

Rows = npt.NDArray[np.integer[Any]]

# In the confusion matrix: no object there, or nothing found. No class is written in brackets alone.
BACKGROUND = "(background)"


def run_tables(
    dataset: Dataset,
    diagnoses: Sequence[DiagnosisResult],
    comparison: ComparisonResult | None = None,
) -> dict[str, pl.DataFrame]:
    """By file name; one diagnosis a detector, all of one data set."""
    names = pl.Enum([one.detections.name for one in diagnoses])
    return {
        "images": _images(dataset, diagnoses, comparison),
        "detections": pl.concat([_detections(one, names) for one in diagnoses]),
        "objects": pl.concat([_objects(one, names) for one in diagnoses], how="diagonal"),
    }


def _images(
    dataset: Dataset, diagnoses: Sequence[DiagnosisResult], comparison: ComparisonResult | None
) -> pl.DataFrame:
    images = dataset.images
    n = len(images)
    columns = {
        "image_id": _ids_of(images.id, np.arange(n)),
        "file_name": pl.Series(list(images.file_name), dtype=pl.String),
        # Null where they are not known.
        "width": pl.Series(np.where(images.width_px > 0, images.width_px, np.nan)),
        "height": pl.Series(np.where(images.height_px > 0, images.height_px, np.nan)),
        "n_objects": pl.Series(np.diff(dataset.gt.offsets)),
    }
    for one in diagnoses:
        columns |= {f"{what}_{one.detections.name}": values for what, values in _of_images(one)}
    columns |= dict(_disagreements(dataset, diagnoses, compared=comparison is not None))
    frame = _with_nulls(pl.DataFrame(columns))
    if comparison is None:
        return frame
    # Images that were left out of the comparison stay, without its columns.
    return frame.join(compared_images(comparison), on="image_id", how="left", maintain_order="left")


def compared_images(result: ComparisonResult) -> pl.DataFrame:
    """Every image that was compared, and its place in the order in which to annotate, from 1."""
    disagreement, images = result.disagreement, result.dataset.images
    place = np.empty(len(images), dtype=np.int64)
    place[disagreement.order] = np.arange(1, len(images) + 1)
    columns = {
        "image_id": _ids_of(images.id, np.arange(len(images))),
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
    return _with_nulls(pl.DataFrame(columns))


def _disagreements(
    dataset: Dataset, diagnoses: Sequence[DiagnosisResult], *, compared: bool
) -> Iterator[tuple[str, pl.Series]]:
    """Of all detectors, unless a comparison tells; with three or more also of every pair."""
    groups = [] if compared or len(diagnoses) < 2 else [("", diagnoses)]
    if len(diagnoses) > 2:
        groups += [
            # By place: names may hold what joins them.
            (f"_{a}_{b}", (diagnoses[a], diagnoses[b]))
            for a, b in combinations(range(len(diagnoses)), 2)
        ]
    for ending, members in groups:
        found = rank_images(
            dataset.images,
            [one.detections for one in members],
            min_score=[one.confusion.min_score for one in members],
        )
        yield f"disagreement{ending}", pl.Series(found.share)
        yield f"disputed_boxes{ending}", pl.Series(found.boxes)


def _of_images(result: DiagnosisResult) -> Iterator[tuple[str, pl.Series]]:
    """Sums over the detections and objects of an image; losses are those of its single errors."""
    n = len(result.dataset.images)
    det_image, gt_image = result.detections.image_row, result.dataset.gt.image_row
    wrong = result.crosswalk.det["tide"] > 1
    missed = result.dataset.gt.image_row[result.outcomes.gt_loss > 0]
    loss = np.zeros(n)
    np.add.at(loss, det_image, np.nan_to_num(result.outcomes.det_loss))
    np.add.at(loss, gt_image, result.outcomes.gt_loss)
    surprise = np.full(n, -np.inf)
    np.fmax.at(surprise, gt_image, _unexpected(result))
    yield "n_detections", pl.Series(np.diff(result.detections.offsets))
    yield "n_wrong", pl.Series(np.bincount(det_image[wrong], minlength=n))
    yield "n_missed", pl.Series(np.bincount(missed, minlength=n))
    yield "loss", pl.Series(loss)
    yield "unexpected", pl.Series(np.where(np.isinf(surprise), np.nan, surprise))


def _detections(result: DiagnosisResult, names: pl.Enum) -> pl.DataFrame:
    """Every detection, what each scheme says of it, and the object it met."""
    dataset, detections, met = result.dataset, result.detections, result.outcomes
    classes = dataset.classes.name
    on_object = result.hoiem.det_gt_row.astype(np.int64)
    object_class = _named(classes, dataset.gt.class_row)
    ranks, by_objects = _ranks(result)
    columns = {
        "detector": pl.repeat(detections.name, len(detections), dtype=names, eager=True),
        "det_row": pl.Series(np.arange(len(detections)), dtype=pl.Int64),
        "image_row": pl.Series(detections.image_row),
        "image_id": _ids_of(dataset.images.id, detections.image_row),
        "class": _named(classes, detections.class_row),
        "score": pl.Series(detections.score),
        "rank": pl.Series(ranks),
        "top": pl.Series(by_objects),
        **_boxes_of(detections.box),
        **{scheme: _named(DET_LABELS[scheme], result.crosswalk.det[scheme]) for scheme in SCHEMES},
        "object_row": _places_of(met.det_gt_row),
        "object_id": _ids_of(dataset.gt.id, met.det_gt_row),
        "object_class": object_class.gather(_places_of(met.det_gt_row)),
        "iou": pl.Series(met.det_iou),
        "true_class": _named((*classes, BACKGROUND), result.confusion.det_true),
        "loss": pl.Series(met.det_loss),
        "hoiem_object_id": _ids_of(dataset.gt.id, on_object),
        "hoiem_object_class": object_class.gather(_places_of(on_object)),
        "hoiem_iou": pl.Series(result.hoiem.det_iou),
        "tide_object_id": _ids_of(dataset.gt.id, result.tide.types.target),
    }
    return _with_nulls(pl.DataFrame(columns))


def _ranks(result: DiagnosisResult) -> tuple[npt.NDArray[np.int64], Floats]:
    """The place of each detection among those of its class, from 1, also by number of its objects.

    That is up to 1 for Hoiem's top detections.
    """
    ranking = rank(result.detections, len(result.hoiem.classes))
    ranks = np.empty(len(result.detections), dtype=np.int64)
    by_objects = np.empty(len(ranks))
    for row, one in enumerate(result.hoiem.classes):
        ranked = ranking.of_class(row)
        ranks[ranked] = np.arange(1, len(ranked) + 1)
        by_objects[ranked] = ranks[ranked] / (one.n_objects or np.nan)
    return ranks, by_objects


def _objects(result: DiagnosisResult, names: pl.Enum) -> pl.DataFrame:
    """All objects; those that count nowhere have neither `undetected` nor `P_N`."""
    dataset, met, misses = result.dataset, result.outcomes, result.sensitivity.misses
    gt, classes = dataset.gt, dataset.classes.name
    hit_by = _places_of(met.gt_det_row)
    columns = {
        "detector": pl.repeat(result.detections.name, len(gt), dtype=names, eager=True),
        "gt_row": pl.Series(np.arange(len(gt)), dtype=pl.Int64),
        "image_row": pl.Series(gt.image_row),
        "image_id": _ids_of(dataset.images.id, gt.image_row),
        "object_id": _ids_of(gt.id, np.arange(len(gt))),
        "class": _named(classes, gt.class_row),
        **_boxes_of(gt.box),
        "area": pl.Series(gt.area_px),
        "crowd": pl.Series(gt.crowd),
        "difficult": pl.Series(gt.difficult),
        "group_of": pl.Series(gt.group_of),
        **{scheme: _named(GT_LABELS[scheme], result.crosswalk.gt[scheme]) for scheme in SCHEMES},
        "det_row": hit_by,
        "iou": pl.Series(met.det_iou).gather(hit_by),
        "score": pl.Series(result.detections.score).gather(hit_by),
        "taken_for": _named((*classes, BACKGROUND), result.confusion.gt_said),
        "undetected": pl.Series(misses.missed),
        "P_N": pl.Series(misses.achieved),
        "P_N_predicted": pl.Series(misses.predicted),
        "unexpected": pl.Series(_unexpected(result)),
        "loss": pl.Series(met.gt_loss),
        **{f"attribute_{name}": _series(values) for name, values in gt.attributes.items()},
        **{
            f"characteristic_{name}": _named(subsets, codes)
            for name, subsets, codes in characteristics(result)
        },
    }
    counted = pl.Series(~np.isnan(misses.achieved))
    frame = _with_nulls(pl.DataFrame(columns))
    return frame.with_columns(pl.when(counted).then("undetected").alias("undetected"))


def _unexpected(result: DiagnosisResult) -> Floats:
    misses = result.sensitivity.misses
    return misses.predicted - misses.achieved


def characteristics(result: DiagnosisResult) -> Iterator[tuple[str, tuple[str, ...], Rows]]:
    """Names, subsets, and the place of every object among these.

    Flags are several: an object may show a wheel and hide a door.
    """
    for column in result.sensitivity.columns:
        if column.kind != "flags":
            yield column.name, column.subset_names, column.code[0]
            continue
        for at, codes in enumerate(column.code):
            states = column.subset_names[2 * at : 2 * at + 2]
            # "parts wheel" of "wheel hidden".
            name = f"{column.name} {states[0].rpartition(' ')[0]}"
            yield name, states, np.where(codes < 0, -1, codes - 2 * at)


def _with_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """NaN becomes null, which every reader of Parquet knows."""
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _boxes_of(box: Boxes) -> dict[str, pl.Series]:
    return {name: pl.Series(np.ascontiguousarray(box[:, at])) for at, name in enumerate("xywh")}


def _named(names: Sequence[str], codes: Rows) -> pl.Series:
    """Text by code, null for -1; the names are kept once."""
    known = pl.Series(names, dtype=pl.Enum(list(dict.fromkeys(names))))
    return known.gather(_places_of(codes))


def _series(values: Ids | Attribute) -> pl.Series:
    texts = values.dtype == object
    return pl.Series(values.tolist(), dtype=pl.String) if texts else pl.Series(values)


def _ids_of(ids: Ids, rows: Rows) -> pl.Series:
    return _series(ids).gather(_places_of(rows))


def _places_of(rows: Rows) -> pl.Series:
    places = pl.Series(rows.astype(np.int64))
    return places.set(places < 0, None)
