"""Scenes whose detections are proposals, and what the fast code and the oracle say about them."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.studies.proposals.recall.analysis import proposal_recall
from boxlens.studies.proposals.recall.choice import RecallChoice
from oracles import proposal_recall as oracle
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

SEEDS = range(16)
CHOICE = RecallChoice(budgets=(7, 2), ious=(0.5, 0.6, 0.75, 1.0), replicates=100)


def scene_of(objects, proposals, image=1):
    """One image and one class, the best proposal first."""
    return Scene(
        images=(image,),
        classes=(1,),
        objects=tuple(Object(image, 1, box, box[2] * box[3]) for box in objects),
        detections=tuple(
            Detection(image, 1, box, 1 - rank / 1000) for rank, box in enumerate(proposals)
        ),
    )


def ranked(scene):
    """The proposals of each image, best first: its detections."""
    of_image = {image: [] for image in scene.images}
    for det in sorted(scene.detections, key=lambda det: -det.score):
        of_image[det.image].append(det.box)
    return [of_image[image] for image in scene.images]


def tables(scene, lists=None):
    """Every image was searched."""
    lists = ranked(scene) if lists is None else lists
    dataset, _ = scene_to_tables(scene)
    rows = [row for row, boxes in enumerate(lists) for _ in boxes]
    boxes = [box for one in lists for box in one]
    searched = np.ones(len(lists), dtype=np.bool_)
    return dataset, Windows.of("scene", len(lists), image_row=rows, box=boxes, searched=searched)


def studied(scene, choice=CHOICE, lists=None, threads=0):
    dataset, windows = tables(scene, lists)
    return proposal_recall(dataset, windows, **asdict(choice), threads=threads).datasets[0]


def objects_by_image(scene):
    """Those that count."""
    return [
        [obj for obj in scene.objects if obj.image == image and oracle.is_object(obj)]
        for image in scene.images
    ]


def equal(value):
    return pytest.approx(value, rel=0, abs=1e-12, nan_ok=True)
