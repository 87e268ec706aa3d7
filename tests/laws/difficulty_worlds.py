"""Scenes, windows and systems that laws of difficulty are tried on, and all numbers of a result."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boxlens
from boxlens.data.windows import Windows
from boxlens.studies.difficulty import MEASURE_NAMES
from cases import random_scene
from oracles.convert import scene_to_tables

ACCURACIES = ("cls", "cls_loc")
SCORES = (*ACCURACIES, "loc_given_cls", "ap")
ROW_KEYS = {"class", "n_images", "n_objects", *MEASURE_NAMES}


def any_seed(test):
    """The law holds for the scene of every seed; the same seeds are tried in every run."""
    tried = settings(max_examples=20)
    return tried(given(seed=st.integers(0, 2**32 - 1))(test))


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


def scene_of(seed, **knobs):
    return random_scene(seed, **{"n_images": 7, "n_objects": 8, "federated": False, **knobs})


def without_ties(scene):
    """No two scores alike, and no two boxes in one place."""
    rng = random.Random(0)
    scores = rng.sample(range(1, 10**6), len(scene.detections))

    def moved(item):
        x, y, w, h = item.box
        return replace(item, box=(x + rng.random(), y + rng.random(), w, h))

    return replace(
        scene,
        objects=tuple(map(moved, scene.objects)),
        detections=tuple(
            replace(moved(det), score=score / 10**6)
            for det, score in zip(scene.detections, scores, strict=True)
        ),
    )


def windows_on(dataset, seed, n=12):
    """In every image some windows near objects, the first of them rarely right."""
    rng = random.Random(seed)
    image_row = [image for image in range(len(dataset.images)) for _ in range(n)]
    boxes = dataset.gt.box.tolist() or [[0.0, 0.0, 9.0, 9.0]]
    box = [rng.choice(boxes) for _ in image_row]
    return Windows.of("near", len(dataset.images), image_row=image_row, box=box)


def other_system(detections, n_classes, seed=0):
    """The same boxes, a third of them under any label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, len(detections))
    wrong = rng.random(len(detections)) < 1 / 3
    label = np.where(wrong, labels, detections.class_row).astype(np.int32)
    return replace(detections, name="other", class_row=label)


def numbers(result):
    """Every number of classes, systems and levels, by names: comparable across orders and ids."""
    found = {}
    for one in result.datasets[0].classes:
        found |= {(one.name, name): one.value(name) for name in MEASURE_NAMES}
    bound = () if result.upper_bound is None else (result.upper_bound,)
    for system in (*result.systems, *bound):
        for one in system.classes:
            found |= {(system.name, one.name, name): one.scores[name] for name in SCORES}
    names = [one.name for one in result.datasets[0].classes]
    for row in result.levels:
        for name in SCORES:
            values = zip(names, row.class_scores[name].tolist(), strict=True)
            found |= {(row.system, row.level, cls, name): value for cls, value in values}
    return found


def numbers_of(scene, **choice):
    dataset, detections = scene_to_tables(scene)
    systems = [detections, other_system(detections, len(dataset.classes))]
    systems = systems[:1] if choice.pop("alone", False) else systems
    return numbers(boxlens.difficulty(dataset, systems, **choice))
