"""What training any of our detectors shares: who counts as an example, fitting, threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Notice
from boxlens.data.boxes import corners_from_xywh
from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.detectors.batches import SUPPRESSION_IOU
from boxlens.detectors.calibration import fit_sigmoids
from boxlens.detectors.hog import LARGEST_VALUE
from boxlens.detectors.suppression import suppress
from boxlens.detectors.threads import Answer, Item, in_parallel
from boxlens.errors import InputError, ParameterError, imported
from boxlens.images import Pixels
from boxlens.limits import SEED, WORKERS
from boxlens.progress import Progress
from boxlens.wording import counted

# One row an example; whole numbers as `hog` makes them.
Features = npt.NDArray[np.uint8]
# Who judged (a template, a class), its margin, and whether it was right.
Judged = tuple["Rows", "Floats", "Bools"]

# A box is a negative of a class where it overlaps none of its objects by this much.
NEGATIVE_IOU = 0.3
RIGHT_IOU = 0.5
SMALLEST_SIDE_PX = 8.0
# Of this many images one is kept back, so that scores are judged on images not learnt from.
ONE_HELD_OUT_OF = 5
JUDGING_IMAGES = 80


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Images with their objects, split into those to learn from and those to judge scores on."""

    images: Sequence[Pixels]
    dataset: Dataset
    learn_rows: Rows
    judge_rows: Rows
    # Objects that may serve as examples: neither crowd, difficult nor group, and not tiny.
    example: Bools
    notices: tuple[Notice, ...]
    seed: int
    workers: int
    progress: Progress | None

    @classmethod
    def of(
        cls,
        images: Sequence[Pixels],
        dataset: Dataset,
        *,
        seed: int,
        workers: int,
        progress: Progress | None,
        most_images: int | None = None,
    ) -> TrainingSet:
        _check(images, dataset, seed, workers)
        example, notices = _examples(dataset)
        order = np.random.RandomState(seed).permutation(len(images)).astype(np.int32)
        learn_rows, judge_rows = _split(order, dataset.gt.image_row[example])
        n_beyond = 0 if most_images is None else max(len(learn_rows) - most_images, 0)
        learn_rows = learn_rows[: len(learn_rows) - n_beyond]
        notices += _left_out(dataset, example, learn_rows, n_beyond)
        return cls(
            images=images,
            dataset=dataset,
            learn_rows=learn_rows,
            judge_rows=judge_rows,
            example=example,
            notices=tuple(notices),
            seed=seed,
            workers=workers,
            progress=progress,
        )

    def some(self, n: int, turn: int) -> Rows:
        """At most `n` images to learn from, others at every turn as long as there are some."""
        first = turn * n % len(self.learn_rows)
        return np.roll(self.learn_rows, -first)[:n]

    def objects(self, image_row: int) -> slice:
        """Rows of the ground truth that lie in an image."""
        offsets = self.dataset.gt.offsets
        return slice(int(offsets[image_row]), int(offsets[image_row + 1]))

    def overlap(
        self, boxes: Boxes, class_row: Rows, image_row: int, *, examples_only: bool
    ) -> Floats:
        """Of each box, the largest overlap with an object of its class."""
        gt = self.dataset.gt
        here = self.objects(image_row)
        same = gt.class_row[here] == class_row[:, None]
        if examples_only:
            same &= self.example[here]
        all_overlaps = overlaps(boxes, gt.box[here], gt.crowd[here] | gt.group_of[here])
        largest: Floats = np.where(same, all_overlaps, 0.0).max(axis=1, initial=0.0)
        return largest

    def is_background(self, boxes: Boxes, image_row: int) -> Bools:
        """Whether boxes overlap no object of any class."""
        gt = self.dataset.gt
        here = self.objects(image_row)
        found = overlaps(boxes, gt.box[here], gt.crowd[here] | gt.group_of[here])
        return np.asarray(found.max(axis=1, initial=0.0) < NEGATIVE_IOU)

    def judged(
        self, image_row: int, class_row: Rows, judge: Rows, boxes: Boxes, margins: Floats
    ) -> Judged:
        """Which boxes are right, after those that overlap a better one of their class are gone.

        A hit on an object that is not an example is neither right nor wrong.
        """
        kept = suppress(boxes, margins, iou=SUPPRESSION_IOU, groups=class_row)
        of = (boxes[kept], class_row[kept], image_row)
        right = self.overlap(*of, examples_only=True) >= RIGHT_IOU
        told = right | (self.overlap(*of, examples_only=False) < RIGHT_IOU)
        return judge[kept][told], margins[kept][told], right[told]

    def over_images(self, function: Callable[[int], Answer], rows: Rows, what: str) -> list[Answer]:
        """The answers for images, in the order of the rows."""
        return self.in_parallel(function, rows.tolist(), what)

    def sigmoids(self, look: Callable[[int], Judged], n_judges: int) -> tuple[Floats, Floats]:
        """Slope and offset of each judge: how often a margin is right on held-out images."""
        parts = self.over_images(look, self.judge_rows[:JUDGING_IMAGES], "judging scores")
        judge, margins, right = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return fit_sigmoids(judge, margins, right, n_judges)

    def in_parallel(
        self, function: Callable[[Item], Answer], items: Sequence[Item], what: str
    ) -> list[Answer]:
        """The answers in the order of the items, whatever the number of workers."""
        tell = self.progress

        def done(n: int) -> None:
            if tell is not None:
                tell(what, n, len(items))

        return in_parallel(function, items, workers=self.workers, done=done)


def _check(images: Sequence[Pixels], dataset: Dataset, seed: int, workers: int) -> None:
    if len(images) != len(dataset.images):
        n = len(dataset.images)
        raise ParameterError(f"{len(images)} images for a data set of {n}: one each, in order")
    WORKERS.check(workers, "workers (--workers)")
    SEED.check(seed, "seed (--seed)")
    if dataset.relative:
        raise InputError(
            "boxes are fractions of images of unknown size",
            path=dataset.source.path if dataset.source else None,
            remedy="Give the images' sizes with the ground truth",
        )


def _split(order: Rows, image_rows_of_examples: Rows) -> tuple[Rows, Rows]:
    """Images to learn from and to judge on; all for both where a part would hold no example."""
    held_out = np.arange(len(order)) % ONE_HELD_OUT_OF == ONE_HELD_OUT_OF - 1
    parts = order[~held_out], order[held_out]
    both_have_some = all(np.isin(part, image_rows_of_examples).any() for part in parts)
    return parts if both_have_some and len(order) >= 2 * ONE_HELD_OUT_OF else (order, order)


def _left_out(dataset: Dataset, example: Bools, learn_rows: Rows, n_beyond: int) -> list[Notice]:
    """Classes without examples, and images and objects that are not used."""
    notices = []
    if n_beyond:
        n = len(learn_rows)
        message = f"{n_beyond:,} images are not used: {n:,} are enough for this detector"
        notices.append(Notice("images_beyond_limit", n_beyond, message))
    gt = dataset.gt
    learnt = example & np.isin(gt.image_row, learn_rows)
    n_each = np.bincount(gt.class_row[learnt], minlength=len(dataset.classes))
    empty = [name for name, n in zip(dataset.classes.name, n_each, strict=True) if n == 0]
    if empty:
        message = f"{len(empty):,} classes have no training object and are never detected: "
        notices.append(Notice("untrained_classes", len(empty), message + ", ".join(empty)))
    return notices


def _examples(dataset: Dataset) -> tuple[Bools, list[Notice]]:
    gt = dataset.gt
    # COCO files have no such flag of their own, but may carry it as an attribute.
    stated = gt.attributes.get("difficult")
    difficult = gt.difficult if stated is None else gt.difficult | (stated == 1)
    whole = ~(gt.crowd | difficult | gt.group_of)
    example = whole & (gt.box[:, 2:].min(axis=1, initial=np.inf) >= SMALLEST_SIDE_PX)
    if not example.any():
        raise InputError(
            "no objects to train on",
            path=dataset.source.path if dataset.source else None,
            remedy="Training needs objects that are not crowds, not difficult and at least "
            f"{SMALLEST_SIDE_PX:g} pixels wide and high",
        )
    notices = []
    n_tiny = int((whole & ~example).sum())
    if n_tiny:
        message = f"skipped {counted(n_tiny, 'object')} below {SMALLEST_SIDE_PX:g} pixels"
        notices.append(Notice("tiny_objects", n_tiny, message))
    return example, notices


def overlaps(boxes: Boxes, objects: Boxes, crowd: Bools) -> Floats:
    """Boxes x objects: intersection over union; over the box alone where the object is a crowd."""
    one, other = corners_from_xywh(boxes)[:, None], corners_from_xywh(objects)[None]
    low, high = np.maximum(one[..., :2], other[..., :2]), np.minimum(one[..., 2:], other[..., 2:])
    shared = np.prod(np.maximum(high - low, 0.0), axis=-1)
    area = (boxes[:, 2] * boxes[:, 3])[:, None]
    union = np.where(crowd, area, area + objects[:, 2] * objects[:, 3] - shared)
    ratio: Floats = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return ratio


def fit_svm(
    positives: Features, negatives: Features, *, penalty: float, positive_weight: float
) -> tuple[Floats, float]:
    """Weights and bias of a linear SVM over features of at most 1.

    The primal solver draws no random numbers: the same examples give the same weights.
    """
    scale = 1 / LARGEST_VALUE
    svm = imported("sklearn.svm", "training a detector", "scikit-learn")
    examples = np.concatenate([positives, negatives]).astype(np.float64) * scale
    truth = np.repeat([1, 0], [len(positives), len(negatives)])
    machine = svm.LinearSVC(
        C=penalty, dual=False, tol=1e-2, class_weight={1: positive_weight, 0: 1.0}, max_iter=200
    )
    machine.fit(examples, truth)
    return machine.coef_[0] * scale, float(machine.intercept_[0])


def whole_weights(weights: Floats, largest: int) -> tuple[npt.NDArray[np.int64], float]:
    """Weights as whole numbers up to `largest`, and the step that one of them stands for."""
    step = float(np.abs(weights).max(initial=0.0)) / largest or 1.0
    return np.rint(weights / step).astype(np.int64), step
