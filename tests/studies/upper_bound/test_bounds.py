from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import boxlens
from boxlens.studies.upper_bound.bounds import accuracy_of, strategy_bound
from boxlens.studies.upper_bound.relabelling import ObjectLabels
from boxlens.studies.upper_bound.result import OWN_BOX
from boxlens.studies.upper_bound.scoring import labelled_boxes
from planted_worlds import world_of


def random_labels(dataset: boxlens.Dataset, seed: int, right: float = 0.7) -> ObjectLabels:
    random = np.random.default_rng(seed)
    n = len(dataset.gt)
    wrong = random.integers(0, len(dataset.classes), n)
    said = np.where(random.random(n) < right, dataset.gt.class_row, wrong).astype(np.int32)
    return ObjectLabels(OWN_BOX, said, random.random(n))


def grid_set(n_images: int, a_side: int, n_classes: int = 5, seed: int = 0) -> boxlens.Dataset:
    """Objects on a grid, none of which touches another."""
    random = np.random.default_rng(seed)
    n = n_images * a_side**2
    y, x = np.divmod(np.tile(np.arange(a_side**2), n_images), a_side)
    sides = random.uniform(5, 90, (n, 2))
    return world_of(
        np.column_stack([100 * x, 100 * y, sides]),
        classes=random.integers(0, n_classes, n),
        size=(100.0 * a_side, 100.0 * a_side),
        n_images=n_images,
        image_row=np.repeat(np.arange(n_images), a_side**2),
        names=[f"class {row}" for row in range(n_classes)],
    )


def test_on_disjoint_objects_the_bound_is_the_same_at_every_iou_to_the_bit():
    dataset = grid_set(20, 4)
    for seed in range(5):
        bound = strategy_bound(dataset, random_labels(dataset, seed))
        assert len(bound.by_iou) == 10
        assert set(bound.by_iou.values()) == {bound.uap}
        assert [one.uap for one in bound.classes] == [one.uap50 for one in bound.classes]


def test_two_overlapping_objects_with_swapped_labels_are_right_at_half_and_wrong_above():
    # IoU .6: 75 of 125.
    dataset = world_of([[0, 0, 10, 10], [2.5, 0, 10, 10]], classes=[0, 1], names="ab")
    swapped = ObjectLabels(OWN_BOX, np.array([1, 0], np.int32), np.array([0.9, 0.8]))
    bound = strategy_bound(dataset, swapped)
    assert bound.by_iou[0.5] == 1
    assert bound.by_iou[0.75] == 0
    assert bound.accuracy == 0


def test_a_perfect_classifier_reaches_one_even_with_hundreds_of_objects_in_an_image():
    dataset = grid_set(3, 18, n_classes=1)
    bound = strategy_bound(dataset, random_labels(dataset, 0, right=1))
    assert bound.uap == 1
    assert set(bound.by_iou.values()) == {1.0}
    assert bound.accuracy == bound.class_accuracy == 1


def test_the_bound_equals_pycocotools_on_the_same_boxes(tmp_path, capsys):
    dataset = grid_set(15, 3)
    # Overlaps, so that wrong labels meet objects of their class.
    box = dataset.gt.box.copy()
    box[:, :2] *= 0.4
    dataset = replace(dataset, gt=replace(dataset.gt, box=box))
    labels = random_labels(dataset, 3)
    bound = strategy_bound(dataset, labels)
    boxlens.write_dataset(dataset, tmp_path / "gt.json", "coco")
    boxlens.write_detections(labelled_boxes(dataset, labels), dataset, tmp_path / "dt.json", "coco")
    truth = COCO(str(tmp_path / "gt.json"))
    evaluated = COCOeval(truth, truth.loadRes(str(tmp_path / "dt.json")), "bbox")
    evaluated.evaluate()
    evaluated.accumulate()
    evaluated.summarize()
    capsys.readouterr()
    found = [bound.uap, bound.by_iou[0.5], bound.by_iou[0.75], *bound.by_size.values()]
    # pycocotools adds 2e-16 to every count, and says -1 for what is undefined.
    expected = np.where(evaluated.stats[:6] < 0, np.nan, evaluated.stats[:6])
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    precision = evaluated.eval["precision"][:, :, :, 0, -1]
    by_class = [one.uap for one in bound.classes]
    np.testing.assert_allclose(by_class, precision.mean(axis=(0, 1)), rtol=1e-13)


def test_accuracy_of_a_class_is_the_share_of_its_objects_not_of_its_labels():
    dataset = world_of([[0, 0, 1, 1]] * 4, classes=[0, 0, 0, 1], names="abc")
    found = accuracy_of(dataset, np.array([0, 1, -1, 1], np.int32), np.ones(4, bool))
    assert found.by_class[0] == pytest.approx(1 / 3)
    assert found.by_class[1] == 1
    assert np.isnan(found.by_class[2])
    assert found.overall == 0.5
    assert found.class_mean == pytest.approx(2 / 3)


def test_a_file_of_labels_needs_no_pictures(tmp_path):
    dataset = grid_set(12, 3)
    labels = random_labels(dataset, 1)
    records = [
        {"id": key, "label": dataset.classes.name[row], "score": score}
        for key, row, score in zip(
            dataset.gt.id.tolist(), labels.class_row.tolist(), labels.score.tolist(), strict=True
        )
    ]
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(records))
    result = boxlens.upper_bound(dataset, classifier=path)
    np.testing.assert_equal(result.bound.to_json(), strategy_bound(dataset, labels).to_json())
    assert len(result.strategies) == 1
