"""METHODS 10: each place where two evaluators are known to disagree, by name."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from boxlens.matching import COCO, LVIS, assign, find_overlaps
from boxlens.metrics import (
    AREA_RANGES,
    IOU_THRESHOLDS,
    GridChoice,
    choose,
    count_grid,
    evaluate_tables,
    prepare,
    prepare_dataset,
)
from boxlens.metrics.average_precision import COCO_RECALLS, ap_area
from boxlens.metrics.confusion import confusion
from boxlens.metrics.ranking import rank
from cases import random_scene
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

A, B = (0.0, 0.0, 10.0, 10.0), (4.0, 0.0, 10.0, 10.0)
BETWEEN, FAR = (2.0, 0.0, 10.0, 10.0), (500.0, 500.0, 10.0, 10.0)


def gt(box, *, image=1, cls=1, area=None, **flags):
    return Object(image, cls, box, box[2] * box[3] if area is None else area, **flags)


def det(box, score=0.5, *, image=1, cls=1):
    return Detection(image, cls, box, score)


def tables(objects, detections, *, images=(1,), classes=(1,), **labels):
    return scene_to_tables(Scene(images, classes, tuple(objects), tuple(detections), **labels))


def evaluated(objects, detections, protocol="coco", choice=None, **world):
    dataset, found = tables(objects, detections, **world)
    [result] = evaluate_tables(dataset, [found], choose(protocol, **(choice or {}))).detectors
    return result


def matched(objects, detections, rule=COCO, *, thresholds=(0.5,), max_dets=None, **world):
    dataset, found = tables(objects, detections, **world)
    overlaps = find_overlaps(dataset, found, rule, floor=min(thresholds[0], 1 - 1e-10))
    return assign(
        dataset,
        found,
        overlaps,
        rule,
        iou_thresholds=thresholds,
        max_dets=max_dets,
        keep_hits=True,
    )


# --- order of ties


def test_ties_go_by_image_id_then_file_order():
    found = [det(A, image=2), det(FAR, image=1), det(A, image=1), det(FAR, image=2, score=0.6)]
    objects = [gt(A, image=1), gt(A, image=2)]
    _, table = tables(objects, found, images=(1, 2))
    # Rows: image 1's two in file order, then image 2's two; the better score first of all.
    order = rank(table, 1).of_class(0)
    assert [(int(table.image_row[r]), table.box[r, 0]) for r in order] == [
        (1, 500.0),
        (0, 500.0),
        (0, 0.0),
        (1, 0.0),
    ]


def test_the_image_with_the_lower_id_is_ranked_first_wherever_it_stands_in_the_file():
    # A hit and a miss of one score: what counts is whose image id is lower.
    def ap(hit_image):
        found = [det(A, image=hit_image), det(FAR, image=3 - hit_image)]
        for order in (found, found[::-1]):
            yield evaluated([gt(A, image=hit_image)], order, images=(1, 2)).metrics["AP"]

    assert list(ap(hit_image=1)) == [pytest.approx(1), pytest.approx(1)]
    assert list(ap(hit_image=2)) == [0.5, 0.5]


def test_zero_and_minus_zero_are_equal_scores():
    for scores in ((0.0, -0.0), (-0.0, 0.0)):
        _, table = tables([gt(A)], [det(A, score) for score in scores])
        assert rank(table, 1).of_class(0).tolist() == [0, 1]


def test_a_shuffled_file_with_tied_scores_moves_ap_within_the_reported_band():
    scene = random_scene(3)
    values, bands = set(), set()
    for seed in range(20):
        found = list(scene.detections)
        random.Random(seed).shuffle(found)
        # Only the ranking of ties may change, so one detection per image and class stays.
        alone = {(d.image, d.cls): d for d in scene.detections}.values()
        found = [d for d in found if d in alone]
        images = dict(
            zip(
                scene.images,
                random.Random(seed).sample(scene.images, len(scene.images)),
                strict=True,
            )
        )
        shuffled = replace(
            scene,
            objects=tuple(replace(o, image=images[o.image]) for o in scene.objects),
            detections=tuple(replace(d, image=images[d.image], score=0.5) for d in found),
        )
        dataset, table = scene_to_tables(shuffled)
        [result] = evaluate_tables(dataset, [table], choose("coco")).detectors
        values.add(result.metrics["AP"])
        bands.add(tuple(round(end, 12) for end in result.tie_band))
    [(low, high)] = bands
    assert len(values) > 1
    assert low - 1e-12 <= min(values) <= max(values) <= high + 1e-12


# --- equal IoU, ignored ground truth, the threshold


def test_ignored_ground_truth_is_considered_last():
    # The crowd holds the detection whole, the difficult object is the detection itself; the
    # regular object overlaps least and is taken all the same.
    crowd = gt((0.0, 0.0, 50.0, 50.0), crowd=True)
    matches = matched([crowd, gt(BETWEEN, difficult=True), gt(A)], [det(BETWEEN)])
    assert matches.labels().tolist() == [1]
    assert matches.hit_row.tolist() == [[2]]


def test_an_iou_of_one_reaches_a_threshold_of_one():
    # (x + w) - x is not w for these, so that the IoU of a box with itself is a hair off 1.
    odd = (0.1, 0.7, 0.2, 0.3)
    for box in (A, odd, (0.6, 0.0, 0.7, 1.0), (1 / 3, 2 / 3, 10 / 7, 3 / 7)):
        assert matched([gt(box)], [det(box)], thresholds=(1.0,)).labels().tolist() == [1]
        result = evaluated([gt(box)], [det(box)], choice={"iou_thresholds": [1.0]})
        assert result.metrics["AP"] == pytest.approx(1)
    assert matched([gt(A)], [det((0, 0, 10, 9.999))], thresholds=(1.0,)).labels().tolist() == [-1]


def test_an_iou_of_one_reaches_a_threshold_of_one_in_the_confusion_matrix():
    box = (0.6, 0.0, 0.7, 1.0)  # the IoU with itself is 1 - 3e-16
    dataset, found = tables([gt(box)], [det(box)])
    prepared = prepare(prepare_dataset(dataset, "coco"), found, "coco")
    assert confusion(prepared, prepared.matches(1.0)).matrix.tolist() == [[1, 0], [0, 0]]


# --- grids


def test_recall_grid_is_float64():
    assert COCO_RECALLS.tobytes() == np.linspace(0, 1, 101).tobytes()
    # Three of ten objects found: a recall of .3, which the float32 grid point lies above.
    objects = [gt((20.0 * i, 0.0, 10.0, 10.0)) for i in range(10)]
    found = [det(obj.box, 0.9 - 0.1 * i) for i, obj in enumerate(objects[:3])]
    dataset, table = tables(objects, found)
    single = tuple(np.linspace(0, 1, 101).astype(np.float32).astype(float).tolist())
    double = count_grid(dataset, table, COCO, GridChoice())
    rounded = count_grid(dataset, table, COCO, GridChoice(recalls=single))
    assert np.count_nonzero(double.precision[0, :, 0, 0, 0]) == 31
    assert np.count_nonzero(rounded.precision[0, :, 0, 0, 0]) == 30


def test_iou_grid_is_float64():
    assert np.array(IOU_THRESHOLDS).tobytes() == np.linspace(0.5, 0.95, 10).tobytes()
    # An IoU of exactly .7, which the float32 threshold lies above or below.
    assert any(float(np.float32(t)) > t for t in IOU_THRESHOLDS)
    tall = (0.0, 0.0, 10.0, 7.0)
    assert matched([gt(A)], [det(tall)], thresholds=IOU_THRESHOLDS).labels(4).tolist() == [1]


# --- areas


def test_area_1024_is_small_and_medium():
    for area, names in ((1024.0, {"s", "m"}), (9216.0, {"m", "l"}), (1023.9, {"s"})):
        side = math.sqrt(area)
        result = evaluated([gt((0, 0, side, side), area=area)], [])
        inside = {name for name in "sml" if not math.isnan(result.metrics[f"AP{name}"])}
        assert inside == names, area
    assert AREA_RANGES["all"] == (0.0, 1e10)


def test_ground_truth_area_field_decides_detections_use_width_times_height():
    # The box has 100 px, the field says 2000: medium. The false positive of 100 px is small,
    # and counts in no other range.
    result = evaluated([gt(A, area=2000.0)], [det(FAR, 0.9), det(A, 0.8)])
    assert math.isnan(result.metrics["APs"])
    assert result.metrics["APm"] == pytest.approx(1)
    assert result.metrics["AP"] == 0.5


# --- max_dets


def test_max_dets_is_per_class_in_coco_and_per_image_in_lvis():
    found = [det(A, 0.9), det(A, 0.8, cls=2), det(A, 0.7)]
    world = {"classes": (1, 2), "max_dets": 1}
    objects = [gt(A), gt(A, cls=2)]
    assert matched(objects, found, **world).det_counted().tolist() == [True, True, False]
    assert matched(objects, found, LVIS, **world).det_counted().tolist() == [True, False, False]
    assert (COCO.max_dets, LVIS.max_dets) == (100, 300)


def test_the_hundred_and_first_detection_of_a_class_counts_nowhere():
    many = [det(FAR, 0.9)] * 100
    assert evaluated([gt(A)], [*many[:99], det(A, 0.1)]).metrics["AP"] == pytest.approx(0.01)
    assert evaluated([gt(A)], [*many, det(A, 0.1)]).metrics["AP"] == 0


# --- floating point


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((98.6, 31.5, 3.9, 35.6), (99.1, 31.6, 4.1, 35.7)),
        ((90.0, 50.7, 69.7, 58.6), (90.1, 50.9, 70.2, 58.6)),
        ((7.8, 3.8, 1.3, 55.0), (8.0, 3.8, 1.3, 55.2)),
    ],
)
def test_kernel_is_built_without_fused_multiply_add(a, b):
    # For these boxes every way of fusing a product into the sum changes the IoU's last bit.
    width = min(a[2] + a[0], b[2] + b[0]) - max(a[0], b[0])
    height = min(a[3] + a[1], b[3] + b[1]) - max(a[1], b[1])
    common = width * height
    plain = common / (a[2] * a[3] + b[2] * b[3] - common)
    dataset, found = tables([gt(b)], [det(a)])
    assert find_overlaps(dataset, found, COCO, floor=0.1).iou.tolist() == [plain]


# --- further places found while testing


@pytest.mark.parametrize("flag", ["difficult", "crowd"])
def test_a_group_that_is_ignored_gives_no_true_positive_in_open_images(flag):
    # Positives and hits must agree on it, or recall passes 1.
    group = gt((100.0, 0.0, 50.0, 50.0), group_of=True, **{flag: True})
    found = [det(A, 0.9), det((100.0, 0.0, 20.0, 20.0), 0.8)]
    result = evaluated([gt(A), group], found, "openimages")
    assert result.metrics["mAP"] == 1


def test_a_class_counts_its_objects_whatever_a_group_weighs():
    groups = [gt(A, group_of=True)]
    result = evaluated(groups, [det(A)], "openimages", {"group_of_weight": 0.5})
    assert result.metrics["mAP"] == 1
    assert result.classes[0].n_gt == 1


def test_readings_beside_ap_keep_to_the_chosen_max_dets():
    found = [det(FAR, 0.9), det(A, 0.8)]
    choice = {"max_dets": [1], "also": ["images", "curves"]}
    reading = evaluated([gt(A)], found, choice=choice)
    assert reading.metrics["AP"] == 0
    assert reading.extras.images.tp.tolist() == [0]


@pytest.mark.parametrize("row", [1, -1, 1_000_000])
def test_class_rows_outside_the_data_set_are_refused(row):
    # In a process of its own: reading beyond a column may end it.
    script = f"""
import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
images, _ = Images.of([1], [9], [9], ["1.jpg"])
gt = GroundTruth.of(1, image_row=[0], class_row=[0], box=[[0, 0, 9, 9]])
world = Dataset("world", images, Classes.of([1], ["cat"]), gt)
try:
    found = Detections.of("d", 1, image_row=[0], class_row=[{row}], box=[[0, 0, 9, 9]], score=[1])
    boxlens.evaluate(world, found)
except boxlens.ParameterError:
    print("refused")
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, "refused"), ran.stderr[-300:]


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_curves_of_open_images_keep_to_the_chosen_group_weight(weight):
    group = gt((100.0, 0.0, 50.0, 50.0), group_of=True)
    found = [det(FAR, 0.9), det((100.0, 0.0, 20.0, 20.0), 0.8), det(A, 0.7)]
    choice = {"group_of_weight": weight, "also": ["curves"]}
    result = evaluated([gt(A), group], found, "openimages", choice)
    [curve] = result.extras.curves.classes
    assert ap_area(curve.points) == pytest.approx(result.metrics["mAP"])


def test_a_hit_on_a_group_adds_at_most_one_to_the_lrp_error():
    # IoU .04 with the group: 1 - .04 over 1 - tau would be 1.92 for a single hit.
    group, found = gt((0.0, 0.0, 100.0, 100.0), group_of=True), [det((0.0, 0.0, 20.0, 20.0))]
    result = evaluated([group], found, "openimages", {"also": ["olrp"]})
    assert result.extras.olrp.mean["oLRP"] <= 1
