"""Detections made from ground truth by a recipe, with the truth about each: known errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Floats, Rows, owned
from boxlens.data.similarity import similar_classes
from boxlens.errors import ParameterError
from boxlens.limits import SEED
from boxlens.scenes.planting.dependence import Dependence, Steps
from boxlens.scenes.planting.ground import Ground
from boxlens.scenes.planting.kinds import SCHEMES, Kind
from boxlens.scenes.planting.laws import Beta, Fixed, Law, Uniform
from boxlens.scenes.planting.outcomes import MISSED, admits
from boxlens.scenes.planting.placing import Batch
from boxlens.scenes.planting.recipe import BESIDE, INSTEAD, Recipe
from boxlens.scenes.planting.scores import draw_scores
from boxlens.scenes.planting.stages import Bed, plant_all
from boxlens.wording import counted

__all__ = [
    "SCHEMES",
    "Beta",
    "Dependence",
    "Fixed",
    "Kind",
    "Law",
    "Planted",
    "Recipe",
    "Steps",
    "Uniform",
    "plant",
    "similar_classes",
]


@dataclass(frozen=True, slots=True)
class Planted:
    """Detections and, row by row, the truth about them.

    Objects fall into three: found (a correct detection), detected wrongly only, and `missed`:
    counted objects from which nothing was made, and which no error could be repaired into.
    """

    detections: Detections
    # A `Kind` by detection.
    label: npt.NDArray[np.int8]
    # The object a detection was made from; -1 for background.
    gt_row: Rows
    # With that object; NaN for background.
    iou: Floats
    missed: Rows
    # By rate of the recipe, how many fewer than asked for could be planted.
    short: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.label)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.detections.notices

    def counts(self) -> dict[str, int]:
        """How many of each kind, and how many objects are missed."""
        n = np.bincount(self.label, minlength=len(Kind)).tolist()
        return {kind.label: n[kind] for kind in Kind} | {"missed": len(self.missed)}

    def types(self, scheme: str) -> npt.NDArray[np.str_]:
        """What "hoiem" or "tide" calls each detection; empty where it sees no error."""
        if scheme not in SCHEMES:
            raise ParameterError(f"scheme must be one of {', '.join(SCHEMES)}, got {scheme!r}")
        return np.array([SCHEMES[scheme][kind] for kind in Kind])[self.label]

    def not_found(self) -> Rows:
        """Counted objects without a correct detection: false negatives of COCO and Hoiem."""
        return self._without((Kind.CORRECT,))

    def missed_by_tide(self) -> Rows:
        """Counted objects that no confusion or bad placement could be repaired into (METHODS 9.2).

        Beyond `missed` these are the objects whose only detections are wrong in class and location.
        """
        return self._without((Kind.CORRECT, Kind.LOCALIZATION, Kind.SIMILAR, Kind.DISSIMILAR))

    def _without(self, kinds: tuple[Kind, ...]) -> Rows:
        on_counted = (self.gt_row >= 0) & (self.label != Kind.IGNORED)
        served = self.gt_row[np.isin(self.label, kinds)]
        return np.union1d(self.missed, np.setdiff1d(self.gt_row[on_counted], served))


def plant(dataset: Dataset, recipe: Recipe, *, seed: int, name: str = "planted") -> Planted:
    """The same data set, recipe and seed give the same detections.

    Every label holds under the rules of COCO, VOC, Hoiem and TIDE at the recipe's thresholds.
    What the scene leaves no room for is not planted, and counted in `short` and the notices.
    """
    SEED.check(seed, "seed")
    ground = Ground.of(dataset, recipe, seed)
    bed = plant_all(ground)
    batch = Batch.joined(bed.batches)
    score = draw_scores(ground, batch)
    # Within an image the rows stand in random order: nothing can be read off it.
    shuffled = batch.image_row + ground.rng("order of rows").random(len(batch))
    order = np.argsort(shuffled, kind="stable")
    batch = batch.take(order)
    detections = Detections.of(
        name,
        len(dataset.images),
        image_row=batch.image_row,
        class_row=batch.class_row,
        box=batch.box,
        score=score[order],
        notices=tuple(_notices(bed)),
    )
    return Planted(
        detections=detections,
        label=owned(batch.kind),
        gt_row=owned(batch.gt_row),
        iou=owned(batch.iou),
        missed=owned(np.flatnonzero(bed.outcome == MISSED).astype(np.int32)),
        short=dict(bed.short),
    )


def _notices(bed: Bed) -> Iterator[Notice]:
    for name, count in bed.short.items():
        if name == "correct":
            message = f"{counted(count, 'object')} without room for a detection, missed"
        else:
            message = f"{name}: {count:,} fewer than requested were planted"
        yield Notice(f"short_{name}", count, message)
    if bed.n_scaled:
        message = f"rates of {counted(bed.n_scaled, 'object')} above 1 in sum were scaled down"
        yield Notice("scaled_rates", bed.n_scaled, message)
    counts = ~bed.ground.ignored
    for name, kind in (*INSTEAD.items(), *BESIDE.items()):
        count = int((counts & ~admits(bed.ground, kind)).sum())
        if getattr(bed.ground.recipe, name) and count:
            which = "dissimilar" if kind is not None and kind.dissimilar else "similar"
            message = f"{name}: {counted(count, 'object')} of classes without a {which} class"
            yield Notice(f"no_class_{name}", count, message)
