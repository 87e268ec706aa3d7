"""What there is to see of a comparison: images that one detector wins, both fail, or dispute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.matching import COCO
from boxlens.report.charts.colours import FIRST, SECOND
from boxlens.report.pictures.exhibits import (
    OBJECT_COLOUR,
    ON_OBJECT,
    Box,
    ExampleGroup,
    Shown,
    object_box,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.image_scores import MEASURE_NAMES
from boxlens.studies.comparison.leading_pairs import LeadingPair, leading_pairs
from boxlens.wording import counted, score, share

Order = npt.NDArray[np.intp]

N_SHOWN = 6
# Where even the better one scores less.
FAILED = 0.5


def comparison_groups(result: ComparisonResult) -> tuple[ExampleGroup, ...]:
    """Of the best two detectors: where each wins, where both fail, and where they differ most."""
    pair = leading_pairs(result)[0]
    first, second = pair.names
    ids = result.dataset.images.id.tolist()
    found = [
        ExampleGroup(
            name=name,
            title=title,
            reading=reading,
            key=(*ON_OBJECT, (first, FIRST), (second, SECOND)),
            shown=tuple(_shown(result, pair, row, ids[row]) for row in rows[:N_SHOWN].tolist()),
        )
        for name, title, reading, rows in _kinds(result, pair)
    ]
    return tuple(group for group in found if group.shown)


def _kinds(result: ComparisonResult, pair: LeadingPair) -> Iterator[tuple[str, str, str, Order]]:
    first, second = pair.names
    a, b = result.image_scores[pair.first], result.image_scores[pair.second]
    measure, n_objects = MEASURE_NAMES[result.choice.measure], _n_objects(result)
    more = f"Images with objects, by difference in {measure} above the score cuts."
    yield "first_wins", f"{first} beats {second}", more, _largest(a - b, n_objects)
    yield "second_wins", f"{second} beats {first}", more, _largest(b - a, n_objects)
    yield (
        "both_fail",
        "Both fail",
        f"Images with objects on which the better of the two has the lowest {measure}.",
        _failures(np.maximum(a, b), n_objects),
    )
    yield (
        "disputed",
        "To annotate next",
        "The detectors disagree most on these images; the ground truth is not used.",
        result.disagreement.order[result.disagreement.share[result.disagreement.order] > 0],
    )


def _n_objects(result: ComparisonResult) -> Order:
    gt = result.dataset.gt
    return np.bincount(gt.image_row[~COCO.ignored(gt)], minlength=len(result.dataset.images))


def _largest(ahead: Floats, n_objects: Order) -> Order:
    """Rows of images from the largest lead down, without undefined ones."""
    rows = np.flatnonzero((n_objects > 0) & (np.nan_to_num(ahead) > 0))
    return rows[np.lexsort((-n_objects[rows], -ahead[rows]))]


def _failures(best: Floats, n_objects: Order) -> Order:
    """The lowest first, of equal ones those with more objects."""
    rows = np.flatnonzero((n_objects > 0) & (np.nan_to_num(best, nan=1.0) < FAILED))
    return rows[np.lexsort((-n_objects[rows], best[rows]))]


def _shown(result: ComparisonResult, pair: LeadingPair, row: int, image_id: int | str) -> Shown:
    gt = result.dataset.gt
    objects = np.flatnonzero((gt.image_row == row) & ~COCO.ignored(gt))
    boxes = [(object_box(result.dataset, at), OBJECT_COLOUR) for at in objects.tolist()]
    scores = []
    for detector, colour in ((pair.first, FIRST), (pair.second, SECOND)):
        found = _boxes_above_cut(result, detector, row)
        boxes += [(box, colour) for box in found]
        value = float(result.image_scores[detector, row])
        scores.append(f"{result.detectors[detector].name} {score(value)}")
    disputed = f"{share(float(result.disagreement.share[row]))} disputed"
    return Shown(
        image_id=image_id,
        boxes=tuple(boxes),
        caption=(", ".join(scores), f"{counted(len(objects), 'object')}, {disputed}"),
        file_name=result.dataset.images.file_name[row],
        whole=True,
    )


def _boxes_above_cut(result: ComparisonResult, detector: int, row: int) -> Iterator[Box]:
    table = result.detections[detector]
    here = slice(int(table.offsets[row]), int(table.offsets[row + 1]))
    kept = table.score[here] >= result.min_score[detector]
    return (tuple(box) for box in table.box[here][kept].tolist())
