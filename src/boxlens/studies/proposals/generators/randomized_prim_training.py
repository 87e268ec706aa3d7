"""Learns the tables of RandomizedPrim's from pictures with boxes.

A superpixel is of the smallest object whose box holds most of it. Boxes also hold ground, which
masks would not: that blurs what is learnt.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.detectors.pictures import usable_pictures
from boxlens.errors import InputError, imported
from boxlens.images import ImageFiles, Pixels
from boxlens.progress import Progress
from boxlens.studies.proposals.generators.randomized_prim import RandomizedPrim, superpixel_graphs
from boxlens.studies.proposals.generators.randomized_prim_tables import PrimTables, PrimWeights
from boxlens.studies.proposals.segments import Labels

# A superpixel with this share of its pixels in a box is inside it, or outside.
INSIDE = 0.8
OUTSIDE = 0.2
# Four weights need no more pictures than these.
MOST_IMAGES = 1_000
# Values of the table of sizes, and their digits.
SIZE_STEPS = 201
DIGITS = 4
_NO_OBJECT = -1
_UNCLEAR = -2


def train_randomized_prim(
    dataset: Dataset, files: ImageFiles, *, seed: int = 0, progress: Progress | None = None
) -> RandomizedPrim:
    """A generator with tables of its own; crowds and groups are no objects.

    Of very many pictures, the seed says which are learnt from.
    """
    pictures, part, failed = usable_pictures(files, dataset, progress)
    objects = ~(part.gt.crowd | part.gt.group_of) & (part.gt.box[:, 2:] > 0).all(axis=1)
    if not objects.any():
        raise InputError("no objects in these pictures", remedy="Give pictures with boxes")
    chosen = np.sort(np.random.default_rng(seed).permutation(len(pictures))[:MOST_IMAGES])
    features, same, root_areas = [], [], []
    for number, row in enumerate(chosen.tolist(), start=1):
        image = pictures[row]
        here = slice(part.gt.offsets[row], part.gt.offsets[row + 1])
        boxes = part.gt.box[here][objects[here]]
        for of_pairs, of_one in _pairs(image, boxes):
            features.append(of_pairs)
            same.append(of_one)
        height, width = image.shape[:2]
        root_areas.append(np.sqrt(boxes[:, 2] * boxes[:, 3] / (width * height)))
        if progress is not None:
            progress("learning from pictures", number, len(chosen))
    weights = _weights(np.concatenate(features), np.concatenate(same))
    sizes = np.concatenate(root_areas)
    told = f"{dataset.name}: {len(chosen):,} pictures with {len(sizes):,} boxes"
    unusable = f"; {len(failed):,} pictures could not be used" if failed else ""
    tables = PrimTables(weights, _size_table(sizes), told + unusable)
    return RandomizedPrim(seed=seed, tables=tables)


def _pairs(image: Pixels, boxes: Boxes) -> Iterator[tuple[Floats, Bools]]:
    """Features of neighbours of which one at least is of an object, and whether both are of it."""
    for graph in superpixel_graphs(image):
        owner = _owners(graph.labels, boxes)
        first, second = owner[graph.pair.T]
        told = (first != _UNCLEAR) & (second != _UNCLEAR)
        told &= (first != _NO_OBJECT) | (second != _NO_OBJECT)
        yield graph.features[told], first[told] == second[told]


def _owners(labels: Labels, boxes: Boxes) -> Rows:
    """The smallest object that holds a superpixel; unclear where a smaller one holds a part."""
    area = np.bincount(labels.ravel())
    owner = np.full(len(area), _NO_OBJECT, dtype=np.int32)
    for row in np.argsort(-boxes[:, 2] * boxes[:, 3], kind="stable").tolist():
        x, y, w, h = boxes[row]
        left, top, right, bottom = np.rint([x, y, x + w, y + h]).astype(int).clip(0).tolist()
        part = np.bincount(labels[top:bottom, left:right].ravel(), minlength=len(area)) / area
        owner[part > OUTSIDE] = _UNCLEAR
        owner[part >= INSIDE] = row
    return owner


def _weights(features: Floats, same: Bools) -> PrimWeights:
    """Learnt as if pairs of one object were as frequent as others."""
    models = imported("sklearn.linear_model", "training RandomizedPrim's", "scikit-learn")
    if same.all() or not same.any():
        raise InputError(
            "no superpixels within objects, or none at their borders, to learn from",
            remedy="Give more pictures, with objects of more than a hundred pixels",
        )
    learnt = models.LogisticRegression(class_weight="balanced").fit(features, same)
    numbers = [*learnt.intercept_.tolist(), *learnt.coef_[0].tolist()]
    return PrimWeights(*(round(number, DIGITS) for number in numbers))


def _size_table(sizes: Floats) -> tuple[float, ...]:
    """Share of objects up to each size; boxes that reach out of the picture may exceed it."""
    steps = np.linspace(0, 1, SIZE_STEPS)
    shares = np.searchsorted(np.sort(sizes.clip(0, 1)), steps, side="right") / len(sizes)
    return tuple(shares.round(DIGITS).tolist())
