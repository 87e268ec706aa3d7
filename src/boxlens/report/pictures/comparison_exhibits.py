"""What there is to see of a comparison: images that one detector wins, both fail, or dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.comparison.leading_pairs import leading_pairs
from boxlens.matching import COCO
from boxlens.report.charts.detector_pair import FIRST, SECOND
from boxlens.report.charts.theme import decimal
from boxlens.report.pictures.exhibits import OBJECT_COLOUR, ON_OBJECT, Shown, Wall, object_box
from boxlens.report.planning.comparison_figures import measure_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.leading_pairs import LeadingPair
    from boxlens.data.columns import Floats
    from boxlens.report.pictures.exhibits import Box

    Order = npt.NDArray[np.intp]

N_SHOWN = 6
# Where even the better one scores less.
FAILED = 0.5


def comparison_walls(result: ComparisonResult) -> tuple[Wall, ...]:
    """Of the best two detectors: where each wins, where both fail, and where they differ most."""
    pair = leading_pairs(result)[0]
    first, second = pair.names
    ids = result.dataset.images.id.tolist()
    found = [
        Wall(
            name=name,
            title=title,
            reading=reading,
            key=(*ON_OBJECT, (first, FIRST), (second, SECOND)),
            shown=tuple(_shown(result, pair, row, ids[row]) for row in rows[:N_SHOWN].tolist()),
        )
        for name, title, reading, rows in _kinds(result, pair)
    ]
    return tuple(wall for wall in found if wall.shown)


def _kinds(result: ComparisonResult, pair: LeadingPair) -> Iterator[tuple[str, str, str, Order]]:
    first, second = pair.names
    a, b = result.image_scores[pair.first], result.image_scores[pair.second]
    measure, n_objects = measure_name(result), _n_objects(result)
    more = f"Images with objects, by difference of {measure} above the score cuts."
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
        "The detectors' boxes differ most from one another; the ground truth is not asked.",
        result.disagreement.order[result.disagreement.share[result.disagreement.order] > 0],
    )


def _n_objects(result: ComparisonResult) -> Order:
    gt = result.dataset.gt
    return np.bincount(gt.image_row[~COCO.ignored(gt)], minlength=len(result.dataset.images))


def _largest(ahead: Floats, n_objects: Order) -> Order:
    """Rows of images from the largest lead down; undefined ones lead in nothing."""
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
    told = []
    for detector, colour in ((pair.first, FIRST), (pair.second, SECOND)):
        found = _boxes_above_cut(result, detector, row)
        boxes += [(box, colour) for box in found]
        score = result.image_scores[detector, row]
        told.append(f"{result.detectors[detector].name} {decimal(float(score))}")
    share = decimal(float(result.disagreement.share[row]), 2)
    n_objects = "1 object" if len(objects) == 1 else f"{len(objects)} objects"
    return Shown(
        image_id=image_id,
        boxes=tuple(boxes),
        caption=(", ".join(told), f"{n_objects}, disputed {share}"),
        file_name=result.dataset.images.file_name[row],
        whole=True,
    )


def _boxes_above_cut(result: ComparisonResult, detector: int, row: int) -> Iterator[Box]:
    table = result.tables[detector]
    here = slice(int(table.offsets[row]), int(table.offsets[row + 1]))
    kept = table.score[here] >= result.min_score[detector]
    return (tuple(box) for box in table.box[here][kept].tolist())
