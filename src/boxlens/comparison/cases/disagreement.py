"""Where do detectors disagree? Their boxes compared with one another, without ground truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.data.row_sums import group_sums
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, pair_one_to_one, paired_iou, reachable
from boxlens.metrics.results import Provenance, notice_to_json
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.comparison.shared_images import ImagesChoice
    from boxlens.data import Detections, Notice
    from boxlens.data.columns import Floats, Ids
    from boxlens.data.known_classes import ClassesChoice

SCHEMA = "boxlens/disagree/1"
Measure = Literal["share", "boxes"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
# Values that agree to so many digits are equal: sums of overlaps differ in their last bits.
DIGITS = 9


@dataclass(frozen=True, slots=True, repr=False)
class DisagreementResult(Displayed):
    """One row an image, in the data set's order; `order` holds its rows, most disputed first."""

    images: Images
    detectors: tuple[str, ...]
    min_score: tuple[float, ...]
    class_agnostic: bool
    by: Measure
    # 1 - agreement, from 0 to 1.
    share: Floats
    # The same as a number of boxes: what an average detector says and the others do not.
    boxes: Floats
    # [detector, image]: boxes above the cut.
    n_boxes: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    provenance: Provenance
    # The data set's name, where it is known, and which of its images and classes were taken.
    dataset: str | None = None
    images_used: ImagesChoice = "all"
    classes_used: ClassesChoice = "all"
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        names = ", ".join(self.detectors)
        return f"DisagreementResult({names}: {len(self.images)} images by {self.by})"

    @property
    def image_id(self) -> Ids:
        return self.images.id

    def to_json(self, n_top: int = 100) -> dict[str, Any]:
        """The stable form that `boxlens disagree --json -` prints."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {
                **self._parameters(),
                "images_used": self.images_used,
                "classes_used": self.classes_used,
            },
            "dataset": {"name": self.dataset, "n_images": len(self.images)},
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": self._found(n_top),
        }

    def ranking(self, n_top: int = 100) -> dict[str, Any]:
        """What was asked and found, as a part of another result."""
        return {**self._parameters(), **self._found(n_top)}

    def _parameters(self) -> dict[str, Any]:
        return {
            "min_score": list(self.min_score),
            "class_agnostic": self.class_agnostic,
            "by": self.by,
        }

    def _found(self, n_top: int) -> dict[str, Any]:
        """The images most worth a look, and the means over all."""
        top = self.order[:n_top]
        rows = zip(
            self.image_id[top].tolist(),
            self.share[top].tolist(),
            self.boxes[top].tolist(),
            self.n_boxes[:, top].T.tolist(),
            strict=True,
        )
        n_images = len(self.image_id)
        return {
            "detectors": list(self.detectors),
            "n_images": n_images,
            "mean_share": float(self.share.mean()) if n_images else None,
            "mean_boxes": float(self.boxes.mean()) if n_images else None,
            "top": [
                {"image_id": image, "share": share, "boxes": boxes, "n_boxes": counts}
                for image, share, boxes, counts in rows
            ],
        }


def disagreement(
    tables: Sequence[Detections],
    *,
    min_score: Sequence[float],
    class_agnostic: bool = False,
    threads: int = 0,
) -> Floats:
    """[image]: 1 - agreement, the mean over all pairs of detectors.

    Agreement is FDA (METHODS 5.1) with one detector in the place of the truth: the summed IoU of
    one-to-one pairs over the mean number of boxes; 1 where neither finds anything, 0 where only
    one does. A box without area agrees with nothing.
    """
    kept = _confident(tables, min_score)
    share, _ = _compared(kept, class_agnostic=class_agnostic, threads=threads)
    return share


def rank_images(
    images: Images,
    tables: Sequence[Detections],
    *,
    min_score: Sequence[float],
    by: Measure = "share",
    class_agnostic: bool = False,
    threads: int = 0,
) -> DisagreementResult:
    """Images by how much their detections differ, to choose what to annotate next.

    By "share" it finds images on which the detectors' scores differ, crowded or not; by "boxes"
    those with the most disputed boxes, which hold the most errors. Each breaks ties of the other.
    """
    if by not in MEASURES:
        raise ParameterError(f"images are ranked by {' or '.join(MEASURES)}, got {by!r}")
    kept = _confident(tables, min_score)
    if kept[0].n_images != len(images):
        raise ParameterError(
            f"detections {kept[0].name!r} are rows of {kept[0].n_images} images, not of "
            f"{len(images)}: read them with this data set",
        )
    share, boxes = _compared(kept, class_agnostic=class_agnostic, threads=threads)
    first, second = (share, boxes) if by == "share" else (boxes, share)
    return DisagreementResult(
        images=images,
        detectors=tuple(table.name for table in kept),
        min_score=tuple(min_score),
        class_agnostic=class_agnostic,
        by=by,
        share=share,
        boxes=boxes,
        n_boxes=np.stack([np.diff(table.offsets) for table in kept]),
        order=np.lexsort((-second.round(DIGITS), -first.round(DIGITS))),
        provenance=Provenance(VERSION, None, tuple(table.source for table in tables)),
    )


def check_asked(tables: Sequence[Detections], min_score: Sequence[float]) -> None:
    """Two detectors or more, on the same images, with a cut each."""
    if len(tables) < 2:
        raise ParameterError(f"it takes two detectors to disagree, got {len(tables)}")
    if len(min_score) != len(tables):
        raise ParameterError(f"{len(tables)} detectors need as many score cuts: {len(min_score)}")
    if not all(math.isfinite(cut) for cut in min_score):
        raise ParameterError(f"score cuts are finite numbers, got {list(min_score)}")
    sizes = {table.n_images for table in tables}
    if len(sizes) > 1:
        raise ParameterError(f"detections are rows of different images: {sorted(sizes)}")


def _confident(tables: Sequence[Detections], min_score: Sequence[float]) -> list[Detections]:
    check_asked(tables, min_score)
    return [table.where(table.score >= cut) for table, cut in zip(tables, min_score, strict=True)]


def _compared(
    tables: Sequence[Detections], *, class_agnostic: bool, threads: int
) -> tuple[Floats, Floats]:
    """[image]: the share and the number of disputed boxes, means over pairs of detectors."""
    n_classes = max(int(table.class_row.max(initial=0)) for table in tables) + 1
    as_truth = [_as_ground_truth(table, n_classes) for table in tables]
    share = np.zeros(tables[0].n_images)
    boxes = np.zeros(tables[0].n_images)
    pairs = list(combinations(range(len(tables)), 2))
    for a, b in pairs:
        # Ties of IoU fall by the scores of one side: only both ways round are symmetric.
        shared = 0.5 * (
            _shared_iou(as_truth[b], tables[a], class_agnostic, threads)
            + _shared_iou(as_truth[a], tables[b], class_agnostic, threads)
        )
        n_mean = 0.5 * (np.diff(tables[a].offsets) + np.diff(tables[b].offsets))
        disputed = np.maximum(n_mean - shared, 0.0)
        boxes += disputed
        share += np.divide(disputed, n_mean, out=np.zeros(len(n_mean)), where=n_mean > 0)
    return share / len(pairs), boxes / len(pairs)


def _shared_iou(
    dataset: Dataset,
    detections: Detections,
    class_agnostic: bool,
    threads: int,
) -> Floats:
    """[image]: the summed IoU of pairs taken from the largest down."""
    same_class = not class_agnostic
    overlaps = find_overlaps(
        dataset, detections, VOC, floor=0.0, same_class=same_class, threads=threads
    )
    partner = pair_one_to_one(dataset, detections, overlaps, floor=0.0, threads=threads)
    iou = paired_iou(dataset, detections, partner, VOC)
    # METHODS 10: an IoU of 1, rounding aside, is 1.
    iou[iou >= reachable(1.0)] = 1.0
    paired = partner >= 0
    return group_sums(detections.image_row[paired], iou[paired], detections.n_images)


def _as_ground_truth(table: Detections, n_classes: int) -> Dataset:
    n = table.n_images
    unknown = np.full(n, np.nan)
    images, _ = Images.of(np.arange(n), unknown, unknown, [""] * n)
    classes = Classes.of(np.arange(n_classes), [str(row) for row in range(n_classes)])
    objects = GroundTruth.of(n, image_row=table.image_row, class_row=table.class_row, box=table.box)
    return Dataset(table.name, images, classes, objects)
