"""Detectors of a known quality on plain images, for gates to judge."""

from __future__ import annotations

import numpy as np

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images

SIDE = 40.0


def world(n_images=80, class_names=("cat", "dog"), *, rare=(), seed=0):
    """Two objects of every class in every image; those of a rare class in the first five only."""
    rng = np.random.default_rng(seed)
    images, _ = Images.of(
        range(1, n_images + 1), [640] * n_images, [480] * n_images, [""] * n_images
    )
    rows = [
        (image, c)
        for image in range(n_images)
        for c, name in enumerate(class_names)
        for _ in range(2)
        if name not in rare or image < 5
    ]
    n = len(rows)
    box = np.column_stack([rng.uniform(0, 600, n), rng.uniform(0, 440, n), np.full((n, 2), SIDE)])
    gt = GroundTruth.of(
        n_images,
        image_row=[image for image, _ in rows],
        class_row=[c for _, c in rows],
        box=box,
        attributes={
            "light": np.array(
                [("day", "night", None)[image % 3] for image, _ in rows], dtype=object
            ),
            "occluded": np.array([float(k % 2) for k in range(n)]),
        },
    )
    classes = Classes.of(
        range(1, len(class_names) + 1), class_names, supercategory=["animal"] * len(class_names)
    )
    return Dataset("world", images, classes, gt)


def detector(dataset, name, found=0.8, *, found_of=None, seed=0, n_false=1):
    """Finds each object with this chance, and adds false positives; the same dice for each seed."""
    rng = np.random.default_rng(seed)
    gt = dataset.gt
    chance = np.full(len(gt), found)
    for cls, value in (found_of or {}).items():
        chance[gt.class_row == dataset.classes.name.index(cls)] = value
    hit = rng.random(len(gt)) < chance
    score = rng.uniform(0.3, 1, len(gt))
    n_images, n_classes = len(dataset.images), len(dataset.classes)
    n_wrong = n_false * n_images
    wrong = np.column_stack(
        [rng.uniform(0, 600, n_wrong), rng.uniform(0, 440, n_wrong), np.full((n_wrong, 2), SIDE)]
    )
    return Detections.of(
        name,
        n_images,
        image_row=np.concatenate([gt.image_row[hit], np.arange(n_wrong) % n_images]),
        class_row=np.concatenate([gt.class_row[hit], rng.integers(0, n_classes, n_wrong)]),
        box=np.concatenate([gt.box[hit], wrong]),
        score=np.concatenate([score[hit], rng.uniform(0, 0.9, n_wrong)]),
    )


def judged(dataset, baseline, candidate, *rules, **settings):
    settings.setdefault("replicates", 100)
    return boxlens.gate(dataset, baseline, candidate, rules=rules, **settings)


def verdicts(result):
    return [outcome.verdict for outcome in result.outcomes]
