"""Classes with given measures, scores and properties, and those of ImageNet with their tree."""

from __future__ import annotations

import json
from functools import cache

import numpy as np

from boxlens.data import Classes
from boxlens.data.class_properties import ClassProperties
from boxlens.formats.class_tree import NamedTree, read_class_tree
from boxlens.studies.difficulty.accuracy import SCORES, ClassAccuracy, SystemAccuracy
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    mean_of_defined,
)
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from shared_data import shared

NAN = float("nan")


def made_difficulty(n_classes, **measures):
    """Measures by name, one value per class; NaN where they are not given."""
    columns = {name: measures.get(name, [NAN] * n_classes) for name in MEASURE_NAMES}
    classes = tuple(
        ClassDifficulty(
            f"class{row}", 1, 1, **{name: float(columns[name][row]) for name in MEASURE_NAMES}
        )
        for row in range(n_classes)
    )
    means = {name: mean_of_defined(map(float, columns[name])) for name in MEASURE_NAMES}
    n_defined = {name: int(np.sum(~np.isnan(columns[name]))) for name in MEASURE_NAMES}
    return DatasetDifficulty("made", n_classes, n_classes, 0, classes, means, n_defined)


def made_system(name="system", **scores):
    """Scores by name, one value per class; those that are not given are NaN, as for guesses."""
    n_classes = len(next(iter(scores.values())))
    classes = tuple(
        ClassAccuracy(
            f"class{row}",
            1,
            {score: float(scores[score][row]) if score in scores else NAN for score in SCORES},
        )
        for row in range(n_classes)
    )
    return SystemAccuracy(name, {}, classes)


def made_properties(**columns):
    """Words or numbers by property, one a class; None where there is none."""
    n_classes = len(next(iter(columns.values())))
    cells = {
        name: {row: str(value) for row, value in enumerate(values) if value is not None}
        for name, values in columns.items()
    }
    return ClassProperties.of(n_classes, cells)


def random_world(seed, n_classes=30):
    """Scores, measures and properties with gaps, ties and a class without anything."""
    random = np.random.default_rng(seed)

    def with_gaps(values):
        values = np.where(random.random(n_classes) < 0.15, NAN, values)
        values[0] = NAN
        return values

    measures = {name: with_gaps(random.random(n_classes).round(1)) for name in MEASURE_NAMES}
    scores = {name: with_gaps(random.random(n_classes).round(2)) for name in SCORES}
    words = [["natural", "man-made", None][at] for at in random.integers(0, 3, n_classes)]
    sizes = [["L", "XS", "M", None][at] for at in random.integers(0, 4, n_classes)]
    weights = [round(float(weight), 1) for weight in random.random(n_classes) * 50]
    return measures, scores, {"origin": words, "size": sizes, "weight_kg": weights}


def permuted(columns, order):
    return {name: [values[row] for row in order] for name, values in columns.items()}


@cache
def imagenet() -> tuple[Classes, NamedTree]:
    """A thousand classes, and the tree above them."""
    path = shared("trees", "ilsvrc1000.json")
    waiting, leaves = json.loads(path.read_text(encoding="utf-8")), {}
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        if not node["children"]:
            leaves[node["id"]] = node["names"][0]
    classes = Classes.of(list(leaves), list(leaves.values()), sort=True)
    return classes, read_class_tree(path, classes)
