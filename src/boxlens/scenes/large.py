"""Very large COCO-like data sets and detections on them, for benchmarks: boxes without pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.data.similarity import similar_classes
from boxlens.errors import ParameterError
from boxlens.matching import COCO
from boxlens.scenes.planting.recipe import BESIDE, INSTEAD, Recipe

IMAGE_SIZES = np.array(
    [[640, 480], [480, 640], [640, 427], [427, 640], [500, 375]], dtype=np.float64
)
IMAGE_SIZE_SHARES = (0.45, 0.2, 0.2, 0.1, 0.05)
EMPTY_IMAGE_SHARE = 0.01
CLASSES_PER_GROUP = 7
# An image draws most of its objects from a few classes.
PALETTE_SHARES = (0.6, 0.2, 0.12, 0.08)
FIRST_CLASS_SHARE = 0.3
# Square roots of areas: COCO has about 41, 34 and 25 % small, medium and large objects.
MEDIAN_SIDE_PX, SIDE_SPREAD = 42.0, 1.15
ASPECT_SPREAD = 0.45
CROWD_SCALE = 2.5
SMALLEST_SIDE_PX = 3.0
# Of the objects that count: errors of the detector that `large_recipe` makes up.
SHARES = {
    "miss": 0.15,
    "mislocalise": 0.1,
    "confuse_similar": 0.04,
    "confuse_dissimilar": 0.03,
    "both_similar": 0.02,
    "both_dissimilar": 0.02,
    "duplicate": 0.5,
    "also_mislocalise": 0.8,
    "also_confuse_similar": 0.3,
    "also_confuse_dissimilar": 0.2,
}


def large_dataset(
    n_images: int = 5_000,
    n_objects: int = 36_000,
    n_classes: int = 80,
    *,
    seed: int,
    crowd_share: float = 0.012,
    name: str = "large",
) -> Dataset:
    """Long-tailed classes in groups, skewed counts per image, log-normal sizes, some crowds."""
    if min(n_images, n_classes) < 1 or n_objects < 0 or not 0 <= crowd_share <= 1 or seed < 0:
        raise ParameterError(
            "a large data set needs an image, a class, a share of crowds up to 1 and a seed of 0 "
            f"or more; got {n_images}, {n_classes}, {crowd_share}, {seed}",
        )
    rng = np.random.default_rng(seed)
    size = IMAGE_SIZES[rng.choice(len(IMAGE_SIZES), n_images, p=IMAGE_SIZE_SHARES)]
    image_row = np.repeat(np.arange(n_images, dtype=np.int32), _counts(rng, n_images, n_objects))
    crowd = rng.random(n_objects) < crowd_share
    box, area_px = _sizes(rng, size[image_row], crowd)
    gt = GroundTruth.of(
        n_images,
        image_row=image_row,
        class_row=_class_rows(rng, image_row, n_images, n_classes),
        box=box,
        area_px=area_px,
        crowd=crowd,
    )
    return Dataset(name, _images(rng, size), _classes(n_classes), gt)


def large_recipe(dataset: Dataset, n_detections: int) -> Recipe:
    """A plausible detector with that many detections, but for the few that find no room."""
    n = int((~COCO.ignored(dataset.gt)).sum())
    shares = {rate: share for rate, share in SHARES.items() if _possible(rate, dataset)}
    n_main = n - round(n * shares["miss"])
    # A small number of detections is reached by missing more.
    part = min(1.0, n_detections / max(n_main, 1))
    counts: dict[str, Any] = {
        rate: round(part * n * share) for rate, share in shares.items() if rate in INSTEAD
    }
    counts["miss"] = n - round(part * n_main)
    left = max(n_detections - (n - counts["miss"]), 0)
    beside = {rate: share for rate, share in shares.items() if rate in BESIDE}
    part = min(1.0, left / max(n * sum(beside.values()), 1))
    counts |= {rate: int(part * n * share) for rate, share in beside.items()}
    background = left - sum(counts[rate] for rate in beside)
    return Recipe(**counts, background=background)


def _possible(rate: str, dataset: Dataset) -> bool:
    similar = similar_classes(dataset.classes)
    if rate.endswith("dissimilar"):
        np.fill_diagonal(similar, val=True)
        return not similar.all()
    return bool(similar.any()) or not rate.endswith("similar")


def _counts(rng: np.random.Generator, n_images: int, n_objects: int) -> npt.NDArray[np.int64]:
    """Most images hold few objects, some very many; one of each hundred holds none."""
    one = (rng.random(n_images) >= EMPTY_IMAGE_SHARE).astype(np.int64)
    one[0] = 1
    if one.sum() > n_objects:
        return rng.multinomial(n_objects, np.full(n_images, 1 / n_images))
    weight = rng.gamma(1.0, size=n_images) * one
    return one + rng.multinomial(n_objects - one.sum(), weight / weight.sum())


def _class_rows(
    rng: np.random.Generator,
    image_row: Rows,
    n_images: int,
    n_classes: int,
) -> Rows:
    share = 1.0 / (np.arange(n_classes) + 6.0)
    share[0] = 0.0
    if n_classes > 1:
        share *= (1 - FIRST_CLASS_SHARE) / share.sum()
    share[0] = 1 - share.sum()
    palette = rng.choice(n_classes, (n_images, len(PALETTE_SHARES)), p=share).astype(np.int32)
    pick = rng.choice(len(PALETTE_SHARES), len(image_row), p=PALETTE_SHARES)
    return palette[image_row, pick]


def _sizes(rng: np.random.Generator, frame: Floats, crowd: Bools) -> tuple[Floats, Floats]:
    """Boxes to two decimals inside their images, and areas of masks that fill a part of them."""
    n = len(frame)
    fill = rng.beta(8, 4, n)
    side = np.exp(rng.normal(np.log(MEDIAN_SIDE_PX), SIDE_SPREAD, n)) / np.sqrt(fill)
    side[crowd] *= CROWD_SCALE
    stretch = np.exp(rng.normal(0, ASPECT_SPREAD, n))
    wished = np.stack([side * stretch, side / stretch], axis=1)
    size: Floats = np.minimum(np.maximum(wished, SMALLEST_SIDE_PX), frame).round(2)
    corner = np.floor(rng.random((n, 2)) * (frame - size) * 100) / 100
    return np.hstack([corner, size]), np.round(size.prod(axis=1) * fill, 2)


def _images(rng: np.random.Generator, size: Floats) -> Images:
    """Ids with gaps, as COCO's."""
    ids = np.cumsum(rng.integers(1, 200, len(size)))
    names = [f"{image_id:012}.jpg" for image_id in ids.tolist()]
    images, _ = Images.of(ids, size[:, 0], size[:, 1], names)
    return images


def _classes(n_classes: int) -> Classes:
    rows = range(n_classes)
    return Classes.of(
        [row + 1 for row in rows],
        [f"class {row + 1}" for row in rows],
        supercategory=[f"group {row // CLASSES_PER_GROUP + 1}" for row in rows],
    )
