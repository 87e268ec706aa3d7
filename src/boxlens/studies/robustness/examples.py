"""Pictures in which a change costs most: objects that are found before it, and lost after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools
from boxlens.metrics.protocols import prepare
from boxlens.studies.robustness.picture_set import Traced
from boxlens.studies.robustness.result import Example

IOU = 0.5


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a detector sees in a set of pictures, by its detections of at least the shown score."""

    dataset: Dataset
    shown: Detections
    # By object: whether it counts and is found, and whether it counts and is not.
    found: Bools
    missed: Bools
    # By shown detection: whether it hits nothing.
    wrong: Bools


def sight(
    dataset: Dataset, detections: Detections, shown_score: float, *, threads: int = 0
) -> Sighting:
    """COCO's assignment goes by score, so that the detections left out change no other."""
    shown = detections.where(detections.score >= shown_score)
    matches = prepare(dataset, shown, "coco").matches(IOU, threads=threads)
    hit, counted = matches.gt_hit != 0, matches.positives()
    return Sighting(dataset, shown, counted & hit, counted & ~hit, matches.labels() < 0)


def most_lost(changed: Sighting, clean: Sighting, traced: Traced, n: int) -> tuple[Example, ...]:
    """Most losses first, then in order; at most one picture of each unchanged one."""
    known = traced.object_row >= 0
    lost = changed.missed & known
    lost[known] &= clean.found[traced.object_row[known]]
    n_lost = np.bincount(changed.dataset.gt.image_row[lost], minlength=len(traced.picture_row))
    order = np.argsort(-n_lost, kind="stable")
    order = order[n_lost[order] > 0]
    _, first = np.unique(traced.picture_row[order], return_index=True)
    chosen = order[np.sort(first)[:n]].tolist()
    return tuple(_example(row, changed, lost, clean, traced) for row in chosen)


def _example(row: int, changed: Sighting, lost: Bools, clean: Sighting, traced: Traced) -> Example:
    gt, shown = changed.dataset.gt, changed.shown
    objects = slice(*gt.offsets[row : row + 2].tolist())
    detections = slice(*shown.offsets[row : row + 2].tolist())
    is_lost, is_found = lost[objects], changed.found[objects]
    wrong = np.flatnonzero(changed.wrong[detections])
    wrong = wrong[np.argsort(-shown.score[detections][wrong], kind="stable")]
    name = changed.dataset.classes.name
    source, images = int(traced.picture_row[row]), clean.dataset.images

    def named(class_row: np.ndarray[tuple[int], np.dtype[np.int32]]) -> tuple[str, ...]:
        return tuple(name[one] for one in class_row.tolist())

    return Example(
        row=row,
        image_id=images.id[source : source + 1].tolist()[0],
        file_name=images.file_name[source],
        lost_box=gt.box[objects][is_lost],
        lost_clean_box=clean.dataset.gt.box[traced.object_row[objects][is_lost]],
        lost_class=named(gt.class_row[objects][is_lost]),
        found_box=gt.box[objects][is_found],
        found_class=named(gt.class_row[objects][is_found]),
        false_box=shown.box[detections][wrong],
        false_class=named(shown.class_row[detections][wrong]),
        false_score=shown.score[detections][wrong],
    )
