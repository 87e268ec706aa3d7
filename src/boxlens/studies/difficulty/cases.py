"""Which classes of which images are named, and found: ranked guesses by image (METHODS 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, Detections, GroundTruth
from boxlens.data.columns import Bools, Floats, Rows, ratio
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, reachable
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.counted_objects import (
    ClassImages,
    CountedObjects,
    class_images,
    class_means,
    counted_objects,
)
from boxlens.studies.difficulty.guesses import Guesses


@dataclass(frozen=True, slots=True)
class Cases:
    """One row per class and an image that has it, and what the guesses of the image say of it.

    A guess is its class: pairs name the case and the class that was guessed there.
    """

    image_row: Rows
    class_row: Rows
    n_classes: int
    guessed_case: Rows
    guessed_class: Rows
    # Of these, guesses whose box lies on an object of the case; None: no guess has a box.
    placed_case: Rows | None
    placed_class: Rows | None


def find_cases(
    dataset: Dataset,
    guesses: Guesses,
    choice: DifficultyChoice,
    *,
    threads: int = 0,
) -> Cases:
    """METHODS 3.1 where an image has several classes: each of them is a case of its own."""
    if len(guesses.offsets) - 1 != len(dataset.images):
        raise ParameterError(
            f"guesses {guesses.name!r} are rows of {len(guesses.offsets) - 1} images, the data set "
            f"has {len(dataset.images)}: read them with this data set"
        )
    objects = counted_objects(dataset, choice)
    present = class_images(objects)
    considered = guesses.first(choice.top_k, one_per_class=choice.one_per_class)
    placed_case = placed_class = None
    if guesses.tells_places:
        placed_case, placed_class = _placed(
            dataset, objects, present, considered, choice.iou, threads
        )
    return Cases(
        present.image_row,
        present.class_row,
        len(dataset.classes),
        *_guessed(present, considered, len(dataset.images)),
        placed_case,
        placed_class,
    )


def join_cases(parts: Sequence[Cases]) -> Cases:
    """What several systems say of the same images (METHODS 3.2)."""
    placed_case = [one.placed_case for one in parts if one.placed_case is not None]
    placed_class = [one.placed_class for one in parts if one.placed_class is not None]
    return replace(
        parts[0],
        guessed_case=np.concatenate([one.guessed_case for one in parts]),
        guessed_class=np.concatenate([one.guessed_class for one in parts]),
        placed_case=np.concatenate(placed_case) if placed_case else None,
        placed_class=np.concatenate(placed_class) if placed_class else None,
    )


def class_scores(cases: Cases, accepted: Bools | None = None) -> dict[str, Floats]:
    """cls, cls_loc and loc_given_cls of every class; accepted[c, d]: d will do for c."""
    named = right_cases(cases, cases.guessed_case, cases.guessed_class, accepted)
    n_named = np.bincount(cases.class_row[named], minlength=cases.n_classes)
    cls = class_means(named.astype(np.float64), cases.class_row, cases.n_classes)
    if cases.placed_case is None or cases.placed_class is None:
        return {"cls": cls, "cls_loc": np.full_like(cls, np.nan), "loc_given_cls": cls * np.nan}
    found = right_cases(cases, cases.placed_case, cases.placed_class, accepted)
    n_found = np.bincount(cases.class_row[found], minlength=cases.n_classes)
    given = ratio(n_found, n_named)
    cls_loc = class_means(found.astype(np.float64), cases.class_row, cases.n_classes)
    return {"cls": cls, "cls_loc": cls_loc, "loc_given_cls": given}


def right_cases(cases: Cases, case: Rows, label: Rows, accepted: Bools | None = None) -> Bools:
    """Cases for which one of the pairs has a class that will do; without a matrix, their own."""
    true_class = cases.class_row[case]
    right = true_class == label if accepted is None else accepted[true_class, label]
    hit = np.zeros(len(cases.class_row), dtype=np.bool_)
    hit[case[right]] = True
    return hit


def _guessed(present: ClassImages, guesses: Guesses, n_images: int) -> tuple[Rows, Rows]:
    """Every guess with every case of its image."""
    by_image = np.argsort(present.image_row, kind="stable")
    first = np.searchsorted(present.image_row[by_image], np.arange(n_images + 1))
    n_cases = np.diff(first)[guesses.image_row]
    start = np.cumsum(n_cases) - n_cases
    at = np.arange(n_cases.sum()) + np.repeat(first[guesses.image_row] - start, n_cases)
    return by_image[at].astype(np.int32), np.repeat(guesses.class_row, n_cases)


def _placed(
    dataset: Dataset,
    objects: CountedObjects,
    present: ClassImages,
    guesses: Guesses,
    iou: float,
    threads: int,
) -> tuple[Rows, Rows]:
    """Guesses with the cases whose objects their boxes overlap enough."""
    n_images = len(dataset.images)
    boxed = guesses.boxed
    boxes = Detections.of(
        guesses.name,
        n_images,
        image_row=guesses.image_row[boxed],
        class_row=guesses.class_row[boxed],
        box=guesses.box[boxed],
        score=-guesses.rank[boxed].astype(np.float64),
        checked=True,
    )
    gt = GroundTruth.of(
        n_images, image_row=objects.image_row, class_row=objects.class_row, box=objects.box
    )
    # VOC's rule sees plain boxes only: regions are not among the counted objects.
    overlaps = find_overlaps(
        replace(dataset, gt=gt),
        boxes,
        VOC,
        floor=reachable(iou),
        same_class=False,
        threads=threads,
    )
    case = present.row_of_object[overlaps.gt_row].astype(np.int32)
    return case, np.repeat(boxes.class_row, np.diff(overlaps.offsets))
