"""Where do detectors disagree? Their boxes compared with one another, without ground truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Notice
from boxlens.data.columns import Floats, Ids, ratio
from boxlens.data.known_classes import ClassesChoice
from boxlens.data.row_sums import group_sums
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, pair_one_to_one, paired_iou, reachable
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.comparison.shared_images import ImagesChoice
from boxlens.version import VERSION

SCHEMA = "boxlens/disagree/1"
Measure = Literal["share", "boxes"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
# Values that agree to so many digits are equal: sums of overlaps differ in their last bits.
DIGITS = 9


@dataclass(frozen=True, slots=True, repr=False)
class DisagreementResult(Displayed):
    """How much detectors disagree on every image; arrays have one entry per image.

    >>> result = disagree(gt, [dt, other_dt], min_score=0.2)
    >>> [result.images.file_name[row] for row in result.order[:2]]
    ['000077.jpg', '000139.jpg']
    """

    images: Images
    """The images that were ranked, in the order of the data set."""
    detectors: tuple[str, ...]
    """Names of the detectors, in the order given."""
    min_score: tuple[float, ...]
    """The lowest score of a box that takes part, one per detector."""
    class_agnostic: bool
    """Whether boxes of different classes may agree."""
    by: Measure
    """What images are ranked by: "boxes" or "share"."""
    share: Floats
    """The share of boxes in dispute, 1 - agreement: from 0 to 1."""
    boxes: Floats
    """The number of boxes in dispute: those of an average detector that the others lack."""
    n_boxes: npt.NDArray[np.int64]
    """[detector, image]: boxes that take part."""
    order: npt.NDArray[np.int64]
    """Rows of the images, the most disputed first."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    dataset: str | None = None
    """The name of the data set; None: it has none."""
    n_classes: int | None = None
    """How many classes the data set has; None: unknown."""
    images_used: ImagesChoice = "all"
    """Which images were ranked: "all", "common" or "check", as asked."""
    classes_used: ClassesChoice = "all"
    """Which classes were looked at: "all", "check" or "known", as asked."""
    top: int = 100
    """How many images the report shows and the JSON lists."""
    notices: tuple[Notice, ...] = ()
    """What was skipped, or looks wrong."""

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        names = ", ".join(self.detectors)
        return f"DisagreementResult({names}: {len(self.images)} images by {self.by})"

    @property
    def image_id(self) -> Ids:
        """Ids of the images, as in the file."""
        return self.images.id

    @property
    def mean_share(self) -> float:
        """Mean share of boxes in dispute over all images, 0 to 1; NaN without any."""
        return float(self.share.mean()) if len(self.share) else math.nan

    @property
    def mean_boxes(self) -> float:
        """Mean number of boxes in dispute per image; NaN without any."""
        return float(self.boxes.mean()) if len(self.boxes) else math.nan

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens disagree --json -` prints."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={
                **self._parameters(),
                "images_used": self.images_used,
                "classes_used": self.classes_used,
                "top": self.top,
            },
            # Objects are not looked at.
            dataset={
                "name": self.dataset,
                "n_images": len(self.images),
                "n_objects": None,
                "n_classes": self.n_classes,
            },
            notices=self.notices,
            results=self._found(),
        )

    def ranking(self) -> dict[str, Any]:
        """What was asked and found, as a part of another result."""
        return {**self._parameters(), **self._found()}

    def _parameters(self) -> dict[str, Any]:
        return {
            "min_score": self.min_score,
            "class_agnostic": self.class_agnostic,
            "by": self.by,
        }

    def _found(self) -> dict[str, Any]:
        """The first images in order, and the means over all."""
        top = self.order[: self.top]
        rows = zip(
            self.image_id[top].tolist(),
            self.share[top].tolist(),
            self.boxes[top].tolist(),
            self.n_boxes[:, top].T.tolist(),
            strict=True,
        )
        return {
            "detectors": self.detectors,
            "n_images": len(self.images),
            "mean_share": self.mean_share,
            "mean_boxes": self.mean_boxes,
            "top": [
                {"image_id": image, "share": share, "boxes": boxes, "n_boxes": counts}
                for image, share, boxes, counts in rows
            ],
        }


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
        raise ParameterError(f"disagreement needs two or more detectors, got {len(tables)}")
    if len(min_score) != len(tables):
        raise ParameterError(
            f"{len(tables)} detectors need {len(tables)} score cuts, got {len(min_score)}"
        )
    if not all(math.isfinite(cut) for cut in min_score):
        raise ParameterError(f"score cuts must be finite numbers, got {list(min_score)}")
    sizes = {table.n_images for table in tables}
    if len(sizes) > 1:
        raise ParameterError(f"detections of different numbers of images: {sorted(sizes)}")


def _confident(tables: Sequence[Detections], min_score: Sequence[float]) -> list[Detections]:
    check_asked(tables, min_score)
    return [table.where(table.score >= cut) for table, cut in zip(tables, min_score, strict=True)]


def _compared(
    tables: Sequence[Detections], *, class_agnostic: bool, threads: int
) -> tuple[Floats, Floats]:
    """[image]: the share (1 - agreement) and number of disputed boxes, means over pairs.

    Agreement is FDA (METHODS 5.1) with one detector in the place of the truth: the summed IoU of
    one-to-one pairs over the mean number of boxes; 1 where neither finds anything, 0 where only
    one does. A box without area agrees with nothing.
    """
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
        share += ratio(disputed, n_mean, 0.0)
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
