"""What a COCO-like data set and a plausible detector on it look like, as seeded NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# COCO's 80 classes keep the ids of a list of 91.
CATEGORY_IDS = np.array(
    [
        *range(1, 12),
        *range(13, 26),
        *(27, 28),
        *range(31, 45),
        *range(46, 66),
        *(67, 70),
        *range(72, 83),
        *range(84, 91),
    ],
    dtype=np.int64,
)
IMAGE_SIZES = np.array([[640, 480], [480, 640], [640, 427], [427, 640]], dtype=np.int64)
IMAGE_SIZE_SHARES = (0.5, 0.2, 0.2, 0.1)
PALETTE_SHARES = (0.62, 0.22, 0.11, 0.05)


@dataclass(frozen=True)
class Plan:
    """The size of a world. One chunk is one val2017; chunks have their own images and seeds."""

    n_images: int = 5_000
    n_boxes: int = 36_781
    n_crowds: int = 446
    n_dets_per_image: int = 100
    n_chunks: int = 1
    seed: int = 2017

    def rng(self, chunk: int, part: int) -> np.random.Generator:
        """One stream a chunk and part, so that a larger world begins with the smaller one."""
        return np.random.default_rng([self.seed, chunk, part])


@dataclass(frozen=True)
class Images:
    image_id: Ints
    width: Ints
    height: Ints


@dataclass(frozen=True)
class Objects:
    image_row: Ints
    class_row: Ints
    xywh: Floats
    is_crowd: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Boxes:
    """Detections, grouped by image and sorted by falling score within one."""

    image_row: Ints
    class_row: Ints
    xywh: Floats
    score: Floats


def make_images(plan: Plan, chunk: int) -> Images:
    """Sparse ids as in COCO, rising."""
    rng = plan.rng(chunk, 0)
    span = 120 * plan.n_images
    ids = np.sort(rng.choice(span, plan.n_images, replace=False)) + 1 + chunk * span
    sizes = IMAGE_SIZES[rng.choice(len(IMAGE_SIZES), plan.n_images, p=IMAGE_SIZE_SHARES)]
    return Images(ids.astype(np.int64), sizes[:, 0], sizes[:, 1])


def make_objects(plan: Plan, chunk: int, images: Images) -> Objects:
    """True boxes to two decimals: skewed counts per image, few classes an image, COCO's sizes."""
    rng = plan.rng(chunk, 1)
    image_row = np.repeat(np.arange(plan.n_images), _objects_per_image(plan, rng))
    palettes = rng.choice(
        len(CATEGORY_IDS), (plan.n_images, len(PALETTE_SHARES)), p=_class_shares()
    )
    pick = rng.choice(len(PALETTE_SHARES), plan.n_boxes, p=PALETTE_SHARES)
    class_row = palettes[image_row, pick]
    is_crowd = np.zeros(plan.n_boxes, dtype=bool)
    is_crowd[rng.choice(plan.n_boxes, plan.n_crowds, replace=False)] = True
    side = np.exp(rng.normal(np.log(58), 1.05, plan.n_boxes))
    side[is_crowd] *= 2.5
    stretch = np.exp(rng.normal(0, 0.45, plan.n_boxes))
    frame = np.column_stack((images.width, images.height))[image_row].astype(np.float64)
    size = np.clip(np.column_stack((side * stretch, side / stretch)), 4.0, 0.98 * frame)
    corner = rng.random((plan.n_boxes, 2)) * (frame - size)
    xywh = np.round(np.hstack((corner, size)), 2)
    return Objects(image_row, class_row.astype(np.int64), xywh, is_crowd)


def make_detections(plan: Plan, chunk: int, images: Images, objects: Objects) -> Boxes:
    """Hits whose scores follow their IoU, duplicates, confusions and background, cut per image."""
    rng = plan.rng(chunk, 2)
    found = _on_objects(rng, objects)
    n_found = np.bincount(found.image_row, minlength=plan.n_images)
    missing = np.maximum(plan.n_dets_per_image - n_found, 0)
    found = _joined(found, _elsewhere(rng, images, objects, missing))
    frame = np.column_stack((images.width, images.height))[found.image_row].astype(np.float64)
    kept = _best_of_each_image(found, plan.n_dets_per_image)
    return Boxes(
        found.image_row[kept],
        found.class_row[kept],
        _inside(found.xywh, frame)[kept],
        found.score[kept],
    )


def _objects_per_image(plan: Plan, rng: np.random.Generator) -> Ints:
    one_each = (rng.random(plan.n_images) < 0.99).astype(np.int64)
    if one_each.sum() > plan.n_boxes:
        one_each[:] = 0
    weight = rng.gamma(1.0, size=plan.n_images)
    return one_each + rng.multinomial(plan.n_boxes - one_each.sum(), weight / weight.sum())


def _class_shares() -> Floats:
    shares = 1.0 / (np.arange(len(CATEGORY_IDS)) + 6.0)
    shares[0] = 0.0
    shares *= 0.7 / shares.sum()
    shares[0] = 0.3
    return np.asarray(shares, dtype=np.float64)


def _on_objects(rng: np.random.Generator, objects: Objects) -> Boxes:
    """Several tries at each object: the first is mostly right, the later ones are weaker."""
    side = np.sqrt(objects.xywh[:, 2] * objects.xywh[:, 3])
    ease = np.clip(0.25 + 0.16 * np.log(side / 8), 0.15, 0.95)
    tries = []
    for share, spread, loss, confused in (
        (1.00, 0.075, 0.0, 0.05),
        (0.60, 0.120, 1.6, 0.15),
        (0.40, 0.160, 2.4, 0.30),
        (0.80, 0.090, 2.2, 1.00),
    ):
        rows = np.flatnonzero(rng.random(len(ease)) < share * ease)
        boxes = _jittered(rng, objects.xywh[rows], spread * (1.6 - ease[rows]))
        other = rng.integers(0, len(CATEGORY_IDS), len(rows))
        wrong = rng.random(len(rows)) < confused
        quality = _iou(boxes, objects.xywh[rows])
        logit = 5.0 * (quality - 0.62) + ease[rows] - loss - 0.8 * wrong
        score = 1 / (1 + np.exp(-logit - rng.normal(0, 1.0, len(rows))))
        classes = np.where(wrong, other, objects.class_row[rows])
        tries.append(Boxes(objects.image_row[rows], classes, boxes, score))
    return _joined(*tries)


def _elsewhere(rng: np.random.Generator, images: Images, objects: Objects, missing: Ints) -> Boxes:
    """Low scores on bad boxes: half about an object of the image, half anywhere."""
    image_row = np.repeat(np.arange(len(missing)), missing)
    frame = np.column_stack((images.width, images.height))[image_row].astype(np.float64)
    size = np.clip(np.exp(rng.normal(np.log(60), 1.0, (len(image_row), 2))), 2.0, 0.9 * frame)
    boxes = np.hstack((rng.random((len(image_row), 2)) * (frame - size), size))
    classes = rng.choice(len(CATEGORY_IDS), len(image_row), p=_class_shares())
    n_objects = np.bincount(objects.image_row, minlength=len(missing))
    first = np.concatenate(([0], np.cumsum(n_objects)[:-1]))
    near = (n_objects[image_row] > 0) & (rng.random(len(image_row)) < 0.5)
    about = image_row[near]
    rows = first[about] + (rng.random(len(about)) * n_objects[about]).astype(np.int64)
    boxes[near] = _jittered(rng, objects.xywh[rows], np.full(len(rows), 0.45))
    classes[near] = np.where(
        rng.random(len(rows)) < 0.5, objects.class_row[rows], rng.permutation(classes[near])
    )
    score = 0.002 + 0.5 * rng.beta(0.7, 14.0, len(image_row))
    return Boxes(image_row, classes.astype(np.int64), boxes, score)


def _jittered(rng: np.random.Generator, xywh: Floats, spread: Floats) -> Floats:
    shift, stretch = rng.normal(0, 1, (2, len(xywh), 2)) * spread[:, None]
    centre = xywh[:, :2] + xywh[:, 2:] * (0.5 + shift)
    size = xywh[:, 2:] * np.exp(stretch)
    return np.hstack((centre - size / 2, size))


def _inside(xywh: Floats, frame: Floats) -> Floats:
    low = np.clip(xywh[:, :2], 0.0, frame - 1.0)
    high = np.clip(xywh[:, :2] + xywh[:, 2:], low + 1.0, frame)
    return np.hstack((low, high - low))


def _iou(a: Floats, b: Floats) -> Floats:
    low = np.maximum(a[:, :2], b[:, :2])
    high = np.minimum(a[:, :2] + a[:, 2:], b[:, :2] + b[:, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=1)
    union = a[:, 2:].prod(axis=1) + b[:, 2:].prod(axis=1) - shared
    return np.asarray(shared / union, dtype=np.float64)


def _joined(*parts: Boxes) -> Boxes:
    return Boxes(
        np.concatenate([part.image_row for part in parts]),
        np.concatenate([part.class_row for part in parts]),
        np.concatenate([part.xywh for part in parts]),
        np.concatenate([part.score for part in parts]),
    )


def _best_of_each_image(boxes: Boxes, n_kept: int) -> Ints:
    order = np.lexsort((-boxes.score, boxes.image_row))
    ranked = boxes.image_row[order]
    rank = np.arange(len(ranked)) - np.searchsorted(ranked, ranked)
    return order[rank < n_kept]
