"""Data sets to plant on, and the proof by slow labellers that what was planted is true."""

from __future__ import annotations

import numpy as np

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.scenes.plant import SCHEMES, Kind, Recipe
from oracles import coco, hoiem, planted_labels, voc
from oracles.model import Detection, Object, Scene

EVERYTHING = Recipe(
    miss=0.1,
    mislocalise=0.15,
    confuse_similar=0.1,
    confuse_dissimilar=0.1,
    both_similar=0.05,
    both_dissimilar=0.05,
    duplicate=0.6,
    also_mislocalise=0.4,
    also_confuse_similar=0.3,
    also_confuse_dissimilar=0.3,
    background=2.0,
    ignored=0.5,
)


def world_of(
    boxes,
    *,
    classes=None,
    size=(400.0, 300.0),
    n_images=1,
    image_row=None,
    names="abcdef",
    **columns,
):
    """A data set from boxes: six classes in two groups of three, the last two without objects."""
    images, _ = Images.of(
        range(1, n_images + 1),
        [size[0]] * n_images,
        [size[1]] * n_images,
        [f"{row}.jpg" for row in range(n_images)],
    )
    groups = ["left" if place < 3 else "right" for place in range(len(names))]
    gt = GroundTruth.of(
        n_images,
        image_row=[0] * len(boxes) if image_row is None else image_row,
        class_row=[0] * len(boxes) if classes is None else classes,
        box=boxes,
        **columns,
    )
    table = Classes.of(range(len(names)), list(names), supercategory=groups)
    return Dataset("world", images, table, gt)


def roomy(n_images=120, **columns):
    """Four objects per image, far from each other, in four classes."""
    boxes = [[20 + 100 * place, 20 + 20 * place, 60, 40 + 8 * place] for place in range(4)]
    return world_of(
        boxes * n_images,
        classes=[0, 1, 3, 4] * n_images,
        n_images=n_images,
        image_row=np.repeat(np.arange(n_images), 4),
        size=(420.0, 300.0),
        **columns,
    )


def similar_by_supercategory(dataset):
    rows = range(len(dataset.classes))
    of = dataset.classes.supercategory
    return {row: {other for other in rows if of[other] == of[row]} - {row} for row in rows}


def assert_true_by_supercategory(dataset, planted, limits=planted_labels.USUAL):
    assert_labels_are_true(dataset, planted, similar_by_supercategory(dataset), limits)


def scene_of(dataset: Dataset, detections: Detections) -> Scene:
    """Tables as the oracles' plain values; ids are rows, so that places in the lists are rows."""
    gt = dataset.gt
    objects = zip(
        gt.image_row.tolist(),
        gt.class_row.tolist(),
        map(tuple, gt.box.tolist()),
        gt.area_px.tolist(),
        gt.crowd.tolist(),
        gt.difficult.tolist(),
        gt.group_of.tolist(),
        strict=True,
    )
    found = zip(
        detections.image_row.tolist(),
        detections.class_row.tolist(),
        map(tuple, detections.box.tolist()),
        detections.score.tolist(),
        strict=True,
    )
    return Scene(
        images=tuple(range(len(dataset.images))),
        classes=tuple(range(len(dataset.classes))),
        objects=tuple(Object(*values) for values in objects),
        detections=tuple(Detection(*values) for values in found),
    )


def alike(classes, groups):
    """Class rows similar to each, from groups of names, by plain sets."""
    rows = {name: row for row, name in enumerate(classes.name)}
    similar = {row: set() for row in rows.values()}
    for group in groups:
        for name in group:
            similar[rows[name]] |= {rows[other] for other in group} - {rows[name]}
    return similar


def assert_labels_are_true(dataset, planted, similar, limits=planted_labels.USUAL):
    scene = scene_of(dataset, planted.detections)
    assert_types(
        "hoiem",
        planted,
        [
            planted_labels.hoiem_types(scene, similar, limits, by_iou=by_iou)
            for by_iou in (False, True)
        ],
    )
    assert_types(
        "tide",
        planted,
        [
            planted_labels.tide_types(scene, limits, ignored_are_objects=seen, best_only=best)
            for seen in (False, True)
            for best in (False, True)
        ],
    )
    for rule, matching in (
        ("coco", coco.match(scene, limits.foreground, max_det=10_000)),
        ("voc", voc.match(scene, limits.foreground)),
        ("hoiem", hoiem.match(scene, limits.foreground)),
    ):
        for d, kind in enumerate(planted.label):
            expected = {Kind.CORRECT: 1, Kind.IGNORED: 0}.get(kind, -1)
            assert matching.label[d] == expected, (rule, d, Kind(kind))
            if kind == Kind.CORRECT:
                assert matching.object_of[d] == planted.gt_row[d], (rule, d)
    assert_weak_matches_are_known(scene, planted, limits.background)


def assert_types(scheme, planted, typings):
    outside = {Kind.CORRECT: planted_labels.CORRECT, Kind.IGNORED: planted_labels.IGNORED}
    names = [SCHEMES[scheme][kind] or outside[kind] for kind in map(Kind, planted.label)]
    assert planted.types(scheme).tolist() == [
        name if name not in outside.values() else "" for name in names
    ]
    missed = planted.not_found() if scheme == "hoiem" else planted.missed_by_tide()
    for typing in typings:
        assert typing.types == names
        assert typing.missed == missed.tolist()


def assert_weak_matches_are_known(scene, planted, threshold):
    """At the background IoU an object is hit where it was detected well or placed badly."""
    own = np.isin(planted.label, (Kind.CORRECT, Kind.LOCALIZATION))
    expected = set(planted.gt_row[own].tolist())
    for matching in (
        coco.match(scene, threshold, max_det=10_000),
        voc.match(scene, threshold),
        hoiem.match(scene, threshold),
    ):
        hits = [g for d, g in enumerate(matching.object_of) if matching.label[d] == 1]
        assert len(hits) == len(set(hits))
        assert set(hits) == expected
