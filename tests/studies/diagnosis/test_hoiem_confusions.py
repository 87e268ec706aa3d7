"""Which objects Hoiem's false positives fall on: named confusions, and the errors to look at first."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.gallery import gallery
from boxlens.studies.diagnosis.hoiem import hoiem
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType
from oracles import hoiem_diagnosis
from oracles.model import iou, ranking
from planted_worlds import scene_of, world_of
from studies.diagnosis.worlds import random_world

SEEDS = range(32)


def one_image(*found):
    """An object of each of the classes a, b (alike) and d; detections are (class, box)."""
    dataset = world_of([[0, 0, 20, 20], [100, 0, 20, 20], [200, 0, 20, 20]], classes=[0, 1, 3])
    detections = Detections.of(
        "few",
        1,
        image_row=[0] * len(found),
        class_row=[cls for cls, _ in found],
        box=[[x, 0, 20, 20] for _, x in found],
        score=np.linspace(0.9, 0.1, len(found)),
    )
    return gather(dataset, detections)


def test_confusions_name_the_class_its_kind_and_its_share_of_the_top():
    evidence = one_image((0, 100), (0, 200), (3, 0))
    [similar] = hoiem(evidence).classes[0].confusions
    assert (similar.other, similar.kind, similar.n, similar.share) == ("b", "sim", 1, 1.0)
    [other] = hoiem(evidence).classes[3].confusions
    assert (other.other, other.kind, other.n) == ("a", "oth", 1)
    assert hoiem(evidence).classes[1].confusions == ()


def test_a_tenth_of_the_top_errors_is_named_and_less_is_not():
    """Twenty objects that nobody finds; two errors fall on b, one on d, the others on nothing."""
    unfound = [[0, 30 * place, 20, 20] for place in range(20)]
    dataset = world_of([*unfound, [100, 0, 20, 20], [200, 0, 20, 20]], classes=[0] * 20 + [1, 3])
    detections = Detections.of(
        "twenty",
        1,
        image_row=[0] * 20,
        class_row=[0] * 20,
        box=[[100, 0, 20, 20]] * 2 + [[200, 0, 20, 20]] + [[300, 0, 20, 20]] * 17,
        score=np.linspace(0.9, 0.1, 20),
    )
    [named] = hoiem(gather(dataset, detections)).classes[0].confusions
    assert (named.other, named.n, named.share) == ("b", 2, 0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_confusions_are_counted_by_the_class_below_among_the_top(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    result = hoiem(evidence)
    scene = scene_of(dataset, detections)
    for cls, row in enumerate(result.classes):
        top = ranking(scene, cls)[: row.n_objects]
        wrong = [d for d in top if result.det_type[d] >= HoiemType.LOC]
        fallen_on = [
            scene.objects[result.det_gt_row[d]].cls
            for d in wrong
            if result.det_type[d] in (HoiemType.SIM, HoiemType.OTH)
        ]
        expected = {
            dataset.classes.name[other]: fallen_on.count(other)
            for other in set(fallen_on)
            if fallen_on.count(other) >= 0.1 * len(wrong)
        }
        assert {item.other: item.n for item in row.confusions} == expected
        for item in row.confusions:
            assert item.share == item.n / len(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_error_falls_on_the_object_of_its_kind_it_overlaps_most(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    result = hoiem(evidence)
    scene = scene_of(dataset, detections)
    similar = evidence.similar.tolist()
    for d, found in enumerate(scene.detections):
        kind, row = HoiemType(result.det_type[d]), int(result.det_gt_row[d])
        if kind not in (HoiemType.LOC, HoiemType.SIM, HoiemType.OTH):
            assert row == -1
            continue
        of_kind = [
            obj
            for obj in scene.objects
            if obj.image == found.image
            and hoiem_diagnosis.relation(found.cls, obj.cls, similar) == kind.label
        ]
        assert scene.objects[row] in of_kind
        assert iou(found.box, scene.objects[row].box) == max(
            iou(found.box, obj.box) for obj in of_kind
        )


@pytest.mark.parametrize("seed", range(0, 32, 4))
def test_the_gallery_holds_the_most_confident_errors_of_each_kind(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    result = hoiem(evidence)
    shown = gallery(evidence, result, n_each=3)
    for kind in FP_TYPES:
        rows = np.flatnonzero(result.det_type == kind).tolist()
        expected = sorted(rows, key=lambda d: -detections.score[d])[:3]
        assert [exhibit.det_row for exhibit in shown if exhibit.kind == kind.label] == expected
    assert gallery(evidence, result, n_each=0) == ()


@pytest.mark.parametrize("seed", range(0, 32, 4))
def test_an_exhibit_tells_its_object_its_overlap_and_the_recall_before_it(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    result = hoiem(evidence)
    scene = scene_of(dataset, detections)
    for exhibit in gallery(evidence, result):
        found = scene.detections[exhibit.det_row]
        assert exhibit.image_id == dataset.images.id[found.image]
        assert (exhibit.class_name, exhibit.score) == (dataset.classes.name[found.cls], found.score)
        row = int(result.det_gt_row[exhibit.det_row])
        if row < 0:
            assert (exhibit.kind, exhibit.object_id, exhibit.object_class) == ("bg", None, None)
            assert np.isnan(exhibit.iou)
        else:
            assert exhibit.object_id == dataset.gt.id[row]
            assert exhibit.object_class == dataset.classes.name[scene.objects[row].cls]
            assert exhibit.iou == pytest.approx(iou(found.box, scene.objects[row].box))
        ranked = ranking(scene, found.cls)
        before = result.det_type[ranked[: ranked.index(exhibit.det_row)]]
        n_objects = result.classes[found.cls].n_objects
        recall = (before == HoiemType.CORRECT).sum() / n_objects if n_objects else np.nan
        assert exhibit.one_minus_recall == pytest.approx(1 - recall, nan_ok=True)
