"""Worlds to draw test sets from: images one by one, and detectors that look at the same image.

What makes AP uncertain is there: images differ in number of objects, in classes and in difficulty;
what is hard for one detector is hard for the next; both fire at the same distractors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

FRAME_PX = np.array([640.0, 480.0])
EMPTY_IMAGE_SHARE = 0.01
# Beyond its first, an image has a skewed number of objects; distractors are drawn likewise.
MORE_OBJECTS, DISTRACTORS = 6.0, 4.0
COUNT_SHAPE = 1.0
# An image draws most of its objects from a few classes.
PALETTE_SHARES = (0.6, 0.2, 0.12, 0.08)
MEDIAN_SIDE_PX, SIDE_SPREAD, ASPECT_SPREAD = 55.0, 0.9, 0.4
# In logits: how readily a detector finds a thing; what a thing is to every detector, and what it is
# to one of them only.
SKILL = 1.3
IMAGE_SPREAD, OBJECT_SPREAD, CLASS_SPREAD = 1.0, 1.2, 0.7
EASE_OF_SIZE = 0.6
OWN_IMAGE_SPREAD, OWN_OBJECT_SPREAD = 0.3, 0.5
DISTRACTOR_EASE, SCORE_SPREAD = -2.2, 0.6
DUPLICATE_SHARE, CONFUSED_SHARE = 0.15, 0.12
JITTER = 0.11


@dataclass(frozen=True, slots=True)
class World:
    """Classes, how often they are drawn, and by how much detector B is worse than A."""

    name: str
    class_shares: tuple[float, ...]
    handicap: float

    @property
    def n_classes(self) -> int:
        return len(self.class_shares)

    def class_ease(self) -> Floats:
        """Fixed: the same in every test set, and unrelated to frequency."""
        return np.random.default_rng(self.n_classes).normal(0, CLASS_SPREAD, self.n_classes)

    def skills(self) -> dict[str, float]:
        """C is of the law of A: given the image, the two could be exchanged."""
        return {"A": SKILL, "B": SKILL - self.handicap, "C": SKILL}


@dataclass(frozen=True, slots=True)
class DrawnSet:
    """Images with objects and the outputs of every detector on them."""

    dataset: Dataset
    detections: Mapping[str, Detections]


@dataclass(frozen=True, slots=True)
class _Things:
    """Objects and distractors; only the first are in the ground truth."""

    image_row: Rows
    class_row: Rows
    box: Floats
    ease: Floats
    is_object: npt.NDArray[np.bool_]


def _long_tail(n_classes: int) -> tuple[float, ...]:
    """A first class of 30 %, then down to an eleventh of the second, as in COCO."""
    rest = np.exp(-2.4 * np.arange(n_classes - 1) / (n_classes - 2))
    return (0.3, *(0.7 * rest / rest.sum()).tolist())


# Handicaps: a difference of about 2.8 standard errors at 500 images, the smallest to be detected.
WORLDS = {
    "few": World("few", (0.36, 0.24, 0.17, 0.13, 0.10), handicap=0.3),
    "many": World("many", _long_tail(80), handicap=0.45),
}


def draw_test_set(world: World, n_images: int, rng: np.random.Generator) -> DrawnSet:
    """Images are independent of one another; detectors are so only given the image."""
    things = _draw_things(world, n_images, rng)
    own = things.is_object
    gt = GroundTruth.of(
        n_images,
        image_row=things.image_row[own],
        class_row=things.class_row[own],
        box=things.box[own],
    )
    ids = np.arange(1, n_images + 1)
    images, _ = Images.of(
        ids, np.full(n_images, FRAME_PX[0]), np.full(n_images, FRAME_PX[1]), [""] * n_images
    )
    rows = range(world.n_classes)
    classes = Classes.of([row + 1 for row in rows], [f"class {row + 1}" for row in rows])
    return DrawnSet(
        Dataset(world.name, images, classes, gt),
        {
            name: _detect(name, skill, world, things, n_images, rng)
            for name, skill in world.skills().items()
        },
    )


def _draw_things(world: World, n_images: int, rng: np.random.Generator) -> _Things:
    not_empty = rng.random(n_images) >= EMPTY_IMAGE_SHARE
    n_objects = not_empty * (1 + _skewed(rng, n_images, MORE_OBJECTS))
    n_others = _skewed(rng, n_images, DISTRACTORS)
    image_row = np.repeat(np.arange(n_images), n_objects + n_others)
    first = np.cumsum(n_objects + n_others) - n_objects - n_others
    is_object = np.arange(len(image_row)) - first[image_row] < n_objects[image_row]
    n = len(image_row)
    palette = rng.choice(
        world.n_classes, (n_images, len(PALETTE_SHARES)), p=np.array(world.class_shares)
    )
    class_row = palette[image_row, rng.choice(len(PALETTE_SHARES), n, p=PALETTE_SHARES)]
    relative_side = rng.normal(0, SIDE_SPREAD, n)
    ease = (
        rng.normal(0, IMAGE_SPREAD, n_images)[image_row]
        + rng.normal(0, OBJECT_SPREAD, n)
        + world.class_ease()[class_row]
        + EASE_OF_SIZE * relative_side
        + np.where(is_object, 0, DISTRACTOR_EASE)
    )
    return _Things(image_row, class_row, _boxes(rng, relative_side), ease, is_object)


def _skewed(rng: np.random.Generator, n: int, mean: float) -> Rows:
    return rng.poisson(rng.gamma(COUNT_SHAPE, mean / COUNT_SHAPE, n)).astype(np.int64)


def _boxes(rng: np.random.Generator, relative_side: Floats) -> Floats:
    side = MEDIAN_SIDE_PX * np.exp(relative_side)
    stretch = np.exp(rng.normal(0, ASPECT_SPREAD, len(side)))
    size = np.clip(np.stack([side * stretch, side / stretch], axis=1), 4.0, FRAME_PX)
    return np.hstack([rng.random(size.shape) * (FRAME_PX - size), size])


def _detect(
    name: str,
    skill: float,
    world: World,
    things: _Things,
    n_images: int,
    rng: np.random.Generator,
) -> Detections:
    """At most one box on a thing, and now and then a second one or one of another class."""
    n = len(things.image_row)
    ease = (
        things.ease
        + skill
        + rng.normal(0, OWN_IMAGE_SPREAD, n_images)[things.image_row]
        + rng.normal(0, OWN_OBJECT_SPREAD, n)
    )
    seen = rng.random(n) < _logistic(ease)
    second = seen & (rng.random(n) < DUPLICATE_SHARE)
    rows = np.concatenate([np.flatnonzero(seen), np.flatnonzero(second)])
    late = np.arange(len(rows)) >= np.count_nonzero(seen)
    confused = rng.random(len(rows)) < CONFUSED_SHARE
    neighbour = (things.class_row[rows] + 1) % world.n_classes
    # A thing that is easy is also boxed tightly, and both show in the score.
    looseness = JITTER * np.exp(-0.25 * ease[rows]) * rng.gamma(4.0, 0.25, len(rows))
    logit = ease[rows] - 8 * looseness - 1.5 * late - 1.5 * confused
    return Detections.of(
        name,
        n_images,
        image_row=things.image_row[rows],
        class_row=np.where(confused, neighbour, things.class_row[rows]),
        box=_jittered(rng, things.box[rows], looseness),
        score=_logistic(logit + rng.normal(0, SCORE_SPREAD, len(rows))),
    )


def _jittered(rng: np.random.Generator, box: Floats, looseness: Floats) -> Floats:
    """Moved and stretched by that share of its size."""
    moved = rng.normal(size=(len(box), 2)) * looseness[:, None]
    grown = np.exp(rng.normal(size=(len(box), 2)) * looseness[:, None])
    size = box[:, 2:] * grown
    centre = box[:, :2] + box[:, 2:] * (0.5 + moved)
    return np.hstack([centre - size / 2, size])


def _logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))
