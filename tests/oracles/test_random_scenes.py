"""The scenes that oracles are asked about, and their tables.

The oracles themselves are held by what they are compared with: the package, whose rules and numbers
are worked by hand in tests/matching and tests/metrics, and is bit-equal to pycocotools and lvis.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from cases import random_scene, scenes
from oracles import (
    average_precision,
    coco,
    voc,
)
from oracles.convert import scene_to_tables, table_order
from oracles.model import count_positives, iou, ranked_labels


def test_random_scenes_repeat_and_reach_every_hard_corner():
    assert random_scene(3) == random_scene(3)
    many = [random_scene(seed) for seed in range(40)]
    objects = [obj for scene in many for obj in scene.objects]
    assert {1024.0, 9216.0} <= {obj.area for obj in objects}
    assert any(obj.crowd for obj in objects)
    assert any(obj.difficult for obj in objects)
    assert any(obj.group_of for obj in objects)
    assert any(obj.box[2] == 0 for obj in objects)
    assert any(scene.images[0] == 0 for scene in many)
    overlaps = {iou(d.box, g.box) for s in many for d in s.detections for g in s.objects}
    assert {0.0, 0.5, 0.75, 1.0} <= overlaps
    for scene in many[:40:8]:
        assert None in coco.match(scene, 0.5).label


@settings(max_examples=40)
@given(scenes())
def test_tables_hold_a_scene_row_by_row(scene):
    dataset, detections = scene_to_tables(scene)
    objects_at = table_order(scene, scene.objects)
    detections_at = table_order(scene, scene.detections)
    assert dataset.images.id.tolist() == list(scene.images)
    assert [tuple(box) for box in dataset.gt.box.tolist()] == [
        scene.objects[i].box for i in objects_at
    ]
    assert dataset.gt.id.tolist() == [i + 1 for i in objects_at]
    assert detections.score.tolist() == [scene.detections[i].score for i in detections_at]


@settings(max_examples=60)
@given(scenes())
def test_the_area_under_the_curve_equals_the_mean_over_hits(scene):
    # METHODS 0.6: (b) and (d) are one number.
    matching = voc.match(scene, 0.5)
    for cls in scene.classes:
        positives = count_positives(scene, cls, matching)
        labels = ranked_labels(scene, cls, matching)
        by_area = average_precision.ap_voc10(labels, positives)
        by_hits = average_precision.ap_full(labels, positives)
        assert by_area == pytest.approx(by_hits, nan_ok=True)
