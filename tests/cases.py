"""Hard little scenes: ties, identical boxes, overlaps and areas exactly at a limit, empty corners.

`random_scene(seed)` gives the same scene for the same seed; `scenes()` is the same generator
under Hypothesis. Boxes lie on a grid, so that equal overlaps occur.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from oracles.model import Box, Detection, Object, Scene

SIDES = (8.0, 16.0, 32.0, 32.0, 48.0, 64.0, 96.0, 96.0, 128.0)
PLACES = (0.0, 0.0, 8.0, 16.0, 32.0, 64.0, 128.0)
SCORES = (0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0)
NODE_THAT_IS_NO_CLASS = 1000


@dataclass(frozen=True)
class Knobs:
    """Counts are upper limits, the others chances. `flood` adds detections of one class to one image."""

    n_images: int = 5
    n_classes: int = 4
    n_objects: int = 6
    n_detections: int = 12
    n_scores: int = 4
    crowd: float = 0.15
    difficult: float = 0.1
    group_of: float = 0.1
    zero_size: float = 0.05
    any_score: float = 0.15
    flood: int = 0
    federated: bool = True
    tree: bool = True


def random_scene(seed: int, **knobs: Any) -> Scene:
    """Every eighth seed floods an image with more than COCO's 100 detections of a class."""
    knobs.setdefault("flood", 104 if seed % 8 == 0 else 0)
    return _scene(random.Random(seed), Knobs(**knobs))


@st.composite
def scenes(draw: st.DrawFn, /, **knobs: Any) -> Scene:
    """Small by default, since every choice is one draw."""
    small = {"n_images": 3, "n_classes": 3, "n_objects": 3, "n_detections": 6}
    rng = draw(st.randoms(use_true_random=False, note_method_calls=False))
    return _scene(rng, Knobs(**{**small, **knobs}))


def _scene(rng: random.Random, knobs: Knobs) -> Scene:
    images = _ids(rng, knobs.n_images)
    classes = _ids(rng, knobs.n_classes)
    objects = _objects(rng, knobs, images, classes)
    detections = _detections(rng, knobs, images, classes, objects)
    rng.shuffle(objects)
    rng.shuffle(detections)
    labels = _image_labels(rng, images, classes, objects) if knobs.federated else (None,) * 3
    return Scene(
        images=images,
        classes=classes,
        objects=tuple(objects),
        detections=tuple(detections),
        negative=labels[0],
        positive=labels[1],
        not_exhaustive=labels[2],
        frequency={cls: rng.choice("rcf") for cls in classes},
        parents=_parents(rng, classes) if knobs.tree else None,
    )


def _chance(rng: random.Random, probability: float) -> bool:
    return rng.randrange(100) < round(100 * probability)


def _ids(rng: random.Random, most: int) -> tuple[int, ...]:
    """Ascending, often from 0, with gaps."""
    ids = [rng.choice((0, 0, 1, 7))]
    for _ in range(rng.randint(1, most) - 1):
        ids.append(ids[-1] + rng.choice((1, 1, 2, 13)))
    return tuple(ids)


def _all_but_one(rng: random.Random, classes: Sequence[int]) -> list[int]:
    """Often leaves a class out, so that some have no objects and some no detections."""
    left_out = rng.choice(classes) if len(classes) > 2 and _chance(rng, 0.7) else None
    return [cls for cls in classes if cls != left_out]


def _objects(
    rng: random.Random, knobs: Knobs, images: Sequence[int], classes: Sequence[int]
) -> list[Object]:
    drawn_from = _all_but_one(rng, classes)
    objects: list[Object] = []
    for image in images:
        if _chance(rng, 0.15):
            continue
        here: list[Object] = []
        for _ in range(rng.randint(0, knobs.n_objects)):
            here.append(_object(rng, knobs, image, rng.choice(drawn_from), here))
        objects.extend(here)
    return objects


def _object(
    rng: random.Random, knobs: Knobs, image: int, cls: int, before: Sequence[Object]
) -> Object:
    box = _grid_box(rng, knobs)
    if before and _chance(rng, 0.35):
        box = _near(rng, rng.choice(before).box)
    full = box[2] * box[3]
    flag = rng.randrange(100)
    limits = [100 * knobs.crowd, 100 * (knobs.crowd + knobs.difficult)]
    limits.append(limits[1] + 100 * knobs.group_of)
    return Object(
        image=image,
        cls=cls,
        box=box,
        area=rng.choice((full, full, full, full * 0.5, full * 0.7, 1024.0, 9216.0)),
        crowd=flag < limits[0],
        difficult=limits[0] <= flag < limits[1],
        group_of=limits[1] <= flag < limits[2],
    )


def _detections(
    rng: random.Random,
    knobs: Knobs,
    images: Sequence[int],
    classes: Sequence[int],
    objects: Sequence[Object],
) -> list[Detection]:
    drawn_from = _all_but_one(rng, classes)
    scores = [rng.choice(SCORES) for _ in range(knobs.n_scores)]

    def one(image: int, cls: int | None) -> Detection:
        score = rng.randrange(1000) / 1000 if _chance(rng, knobs.any_score) else rng.choice(scores)
        here = [obj for obj in objects if obj.image == image and (cls is None or obj.cls == cls)]
        if not here or _chance(rng, 0.15):
            chosen = rng.choice(drawn_from) if cls is None else cls
            return Detection(image, chosen, _grid_box(rng, knobs), score)
        target = rng.choice(here)
        confused = target.cls not in drawn_from or _chance(rng, 0.2)
        chosen = cls if cls is not None else rng.choice(drawn_from) if confused else target.cls
        return Detection(image, chosen, _near(rng, target.box), score)

    found: list[Detection] = []
    for image in images:
        if not _chance(rng, 0.15):
            found.extend(one(image, None) for _ in range(rng.randint(0, knobs.n_detections)))
    if knobs.flood:
        image, cls = rng.choice(images), rng.choice(drawn_from)
        found.extend(one(image, cls) for _ in range(knobs.flood))
    return found


def _grid_box(rng: random.Random, knobs: Knobs) -> Box:
    box = (rng.choice(PLACES), rng.choice(PLACES), rng.choice(SIDES), rng.choice(SIDES))
    if _chance(rng, knobs.zero_size):
        x, y, w, h = box
        return rng.choice(((x, y, 0.0, h), (x, y, w, 0.0), (x, y, 0.0, 0.0)))
    return box


def _near(rng: random.Random, box: Box) -> Box:
    """A box that overlaps by 1, exactly 1/2, exactly 3/4, a hair beside them, or 3/5 on each side."""
    x, y, w, h = box
    return rng.choice(
        (
            box,
            (x, y, w / 2, h),
            (x, y, w, h * 2),
            (x, y, w * 0.75, h),
            (x, y + h * 0.25, w, h * 0.75),
            (x + w / 3, y, w, h),
            (x, y + h / 7, w, h),
            (x + w / 4, y, w, h),
            (x - w / 4, y, w, h),
            (x + w / 2, y, w, h),
        )
    )


Labels = dict[int, frozenset[int]]


def _image_labels(
    rng: random.Random,
    images: Sequence[int],
    classes: Sequence[int],
    objects: Sequence[Object],
) -> tuple[Labels, Labels, Labels]:
    """Negative, positive and not exhaustive classes of every image."""
    boxed = {(obj.image, obj.cls) for obj in objects}
    negative: Labels = {}
    positive: Labels = {}
    not_exhaustive: Labels = {}
    for image in images:
        present = [cls for cls in classes if (image, cls) in boxed]
        absent = [cls for cls in classes if (image, cls) not in boxed]
        negative[image] = frozenset(cls for cls in absent if _chance(rng, 0.4))
        unboxed = [cls for cls in absent if cls not in negative[image] and _chance(rng, 0.3)]
        positive[image] = frozenset(present + unboxed)
        not_exhaustive[image] = frozenset(
            cls for cls in classes if _chance(rng, 0.3 if cls in present else 0.1)
        )
    return negative, positive, not_exhaustive


def _parents(rng: random.Random, classes: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Parents come earlier among the classes; some have two, some a node that is no class."""
    parents = {}
    for i, cls in enumerate(classes):
        earlier = (*classes[:i], NODE_THAT_IS_NO_CLASS)
        if _chance(rng, 0.6):
            first, second = rng.choice(earlier), rng.choice(earlier)
            parents[cls] = tuple(sorted({first, second}))
    return parents
