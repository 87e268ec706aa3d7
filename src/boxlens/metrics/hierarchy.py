"""Open Images' hierarchy: an object is also one of every ancestor class (METHODS 9.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boxlens.data import ClassTree, Dataset, GroundTruth, Links
from boxlens.data.columns import take


def expand_hierarchy(dataset: Dataset) -> Dataset:
    """Adds each object and positive label under its ancestors, each negative under descendants.

    Detections are not expanded. Without a tree the data set stays as it is.
    """
    tree = dataset.classes.tree
    if tree is None:
        return dataset
    above = _related_rows(dataset, tree.ancestors)
    below = _related_rows(dataset, _descendants_of(tree))
    images = replace(
        dataset.images,
        positive=_expand_links(dataset.images.positive, above),
        negative=_expand_links(dataset.images.negative, below),
    )
    return replace(dataset, images=images, gt=_expand_objects(dataset, above))


def _descendants_of(tree: ClassTree) -> Callable[[int | str], frozenset[int | str]]:
    """Descendants as the inverse of ancestors, found once for all nodes."""
    below: dict[int | str, set[int | str]] = {}
    for node in tree.parents:
        for ancestor in tree.ancestors(node):
            below.setdefault(ancestor, set()).add(node)
    return lambda node: frozenset(below.get(node, ()))


def _related_rows(
    dataset: Dataset,
    related: Callable[[int | str], frozenset[int | str]],
) -> list[list[int]]:
    """For each class the rows of the related nodes that are classes, ascending."""
    row_of = dataset.classes.row_of_id()
    return [
        sorted(row_of[node] for node in related(key) if node in row_of)
        for key in dataset.classes.id.tolist()
    ]


def _expand_links(links: Links | None, related: list[list[int]]) -> Links | None:
    if links is None:
        return None
    expanded: list[list[int]] = []
    for image in range(len(links)):
        rows = {int(row) for row in links[image]}
        expanded.append(sorted(rows.union(*(related[row] for row in rows))))
    return Links.of(expanded)


def _expand_objects(dataset: Dataset, above: list[list[int]]) -> GroundTruth:
    gt = dataset.gt
    n_copies = np.array([1 + len(rows) for rows in above], dtype=np.int64)[gt.class_row]
    source = np.repeat(np.arange(len(gt)), n_copies)
    own_and_above = [[row, *rows] for row, rows in enumerate(above)]
    class_row = [row for own in gt.class_row.tolist() for row in own_and_above[own]]
    return GroundTruth.of(
        len(dataset.images),
        image_row=gt.image_row[source],
        class_row=class_row,
        box=gt.box[source],
        area_px=gt.area_px[source],
        crowd=gt.crowd[source],
        difficult=gt.difficult[source],
        group_of=gt.group_of[source],
        ids=take(gt.id, source),
        attributes={name: take(column, source) for name, column in gt.attributes.items()},
        spans={name: spans.select(source) for name, spans in gt.spans.items()},
    )
