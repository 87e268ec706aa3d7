"""Classification and localization accuracy of ranked guesses (METHODS 3.1, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from boxlens.data import Detections, GroundTruth
from boxlens.dataset_difficulty.counted_objects import class_images, class_means, counted_objects
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, reachable
from boxlens.metrics.grid import mean_defined
from boxlens.metrics.results import defined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Floats, Rows
    from boxlens.dataset_difficulty.choice import DifficultyChoice
    from boxlens.dataset_difficulty.counted_objects import ClassImages, CountedObjects
    from boxlens.dataset_difficulty.guesses import Guesses

# Class right; class and box right; box right given that the class is; average precision.
ScoreName = Literal["cls", "cls_loc", "loc_given_cls", "ap"]
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    """One class: shares of its images; NaN where it has none, or where nothing tells."""

    name: str
    n_images: int
    scores: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        return {"class": self.name, "n_images": self.n_images, **defined(self.scores)}


@dataclass(frozen=True, slots=True)
class SystemAccuracy:
    """One system, or several at their best together: means over classes, and the classes."""

    name: str
    scores: Mapping[str, float]
    # In row order of the data set's classes.
    classes: tuple[ClassAccuracy, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            **defined(self.scores),
            "classes": [one.to_json() for one in self.classes],
        }


@dataclass(frozen=True, slots=True)
class Cases:
    """One row a class and an image that has it, and what the guesses of the image say of it.

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


def accuracy(
    dataset: Dataset,
    guesses: Guesses,
    choice: DifficultyChoice,
    ap: Floats | None = None,
    *,
    threads: int = 0,
) -> SystemAccuracy:
    """One system; `ap` is the AP of each class, where the system has detections."""
    cases = find_cases(dataset, [guesses], choice, threads=threads)
    return _summed(guesses.name, dataset, cases, ap)


def upper_bound(
    dataset: Dataset,
    guesses: Sequence[Guesses],
    choice: DifficultyChoice,
    *,
    threads: int = 0,
) -> SystemAccuracy:
    """Systems together: right where any guess of any of them is, each with its own k."""
    cases = find_cases(dataset, guesses, choice, threads=threads)
    return _summed("upper bound", dataset, cases, None)


def find_cases(
    dataset: Dataset,
    guesses: Sequence[Guesses],
    choice: DifficultyChoice,
    *,
    threads: int = 0,
) -> Cases:
    """METHODS 3.1 where an image has several classes: each of them is a case of its own."""
    for one in guesses:
        if len(one.offsets) - 1 != len(dataset.images):
            raise ParameterError(
                f"guesses {one.name!r} are rows of {len(one.offsets) - 1} images, the data set has "
                f"{len(dataset.images)}: read them with this data set"
            )
    objects = counted_objects(dataset, choice)
    present = class_images(objects)
    considered = [one.first(choice.top_k, one_a_class=choice.one_a_class) for one in guesses]
    guessed = [_guessed(present, one, len(dataset.images)) for one in considered]
    placed = [
        _placed(dataset, objects, present, one, choice.iou, threads)
        for one, every in zip(considered, guesses, strict=True)
        if every.tells_places
    ]
    return Cases(
        image_row=present.image_row,
        class_row=present.class_row,
        n_classes=len(dataset.classes),
        guessed_case=np.concatenate([case for case, _ in guessed]),
        guessed_class=np.concatenate([label for _, label in guessed]),
        placed_case=np.concatenate([case for case, _ in placed]) if placed else None,
        placed_class=np.concatenate([label for _, label in placed]) if placed else None,
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
    given = np.divide(n_found, n_named, out=np.full(len(cls), np.nan), where=n_named > 0)
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


def _summed(name: str, dataset: Dataset, cases: Cases, ap: Floats | None) -> SystemAccuracy:
    by_class = class_scores(cases)
    by_class["ap"] = np.full(len(dataset.classes), np.nan) if ap is None else ap
    n_images = np.bincount(cases.class_row, minlength=cases.n_classes)
    return SystemAccuracy(
        name=name,
        scores={score: mean_defined(by_class[score]) for score in SCORES},
        classes=tuple(
            ClassAccuracy(
                name=label,
                n_images=int(n_images[row]),
                scores={score: float(by_class[score][row]) for score in SCORES},
            )
            for row, label in enumerate(dataset.classes.name)
        ),
    )
