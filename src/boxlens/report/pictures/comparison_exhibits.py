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
    colours = tuple(zip(pair.names, (FIRST, SECOND), strict=True))
    found = [
        ExampleGroup(
            name=name,
            title=title,
            reading=reading,
            key=(*ON_OBJECT, *colours),
            shown=tuple(_shown(result, pair, row) for row in rows[:N_SHOWN].tolist()),
        )
        for name, title, reading, rows in _kinds(result, pair)
    ]
    return tuple(group for group in found if group.shown)


def _kinds(result: ComparisonResult, pair: LeadingPair) -> Iterator[tuple[str, str, str, Order]]:
    first, second = pair.names
    a, b = result.image_scores[[pair.first, pair.second]]
    gt, measure = result.dataset.gt, MEASURE_NAMES[result.choice.measure]
    counted_rows = gt.image_row[~COCO.ignored(gt)]
    n_objects = np.bincount(counted_rows, minlength=len(result.dataset.images))

    def lowest(values: Floats, below: float) -> Order:
        """Images with objects, of equal ones those with more first; undefined is not below."""
        rows = np.flatnonzero((n_objects > 0) & (values < below))
        return rows[np.lexsort((-n_objects[rows], values[rows]))]

    more = f"Images with objects, by difference in {measure} above the score cuts."
    yield "first_wins", f"{first} beats {second}", more, lowest(b - a, 0)
    yield "second_wins", f"{second} beats {first}", more, lowest(a - b, 0)
    yield (
        "both_fail",
        "Both fail",
        f"Images with objects on which the better of the two has the lowest {measure}.",
        lowest(np.maximum(a, b), FAILED),
    )
    order = result.disagreement.order
    yield (
        "disputed",
        "To annotate next",
        "The detectors disagree most on these images; the ground truth is not used.",
        order[result.disagreement.share[order] > 0],
    )


def _shown(result: ComparisonResult, pair: LeadingPair, row: int) -> Shown:
    dataset, gt = result.dataset, result.dataset.gt
    objects = np.flatnonzero((gt.image_row == row) & ~COCO.ignored(gt))
    boxes = [(object_box(dataset, at), OBJECT_COLOUR) for at in objects.tolist()]
    scores = []
    for detector, colour in ((pair.first, FIRST), (pair.second, SECOND)):
        table = result.detections[detector]
        kept = (table.image_row == row) & (table.score >= result.min_score[detector])
        boxes += [(tuple(box), colour) for box in table.box[kept].tolist()]
        value = float(result.image_scores[detector, row])
        scores.append(f"{result.detectors[detector].name} {score(value)}")
    disputed = f"{share(float(result.disagreement.share[row]))} disputed"
    return Shown(
        image_id=dataset.images.id.tolist()[row],
        boxes=tuple(boxes),
        caption=(", ".join(scores), f"{counted(len(objects), 'object')}, {disputed}"),
        file_name=dataset.images.file_name[row],
        whole=True,
    )
