"""Overlaps hold rows of two tables; with any other table they would mean other boxes, or none."""

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.errors import ParameterError
from boxlens.matching import COCO, assign, find_overlaps, pair_one_to_one
from small_world import small_dataset, small_detections


def matched(dataset, detections, overlaps):
    assign(dataset, detections, overlaps, COCO, iou_thresholds=(0.5,))


def paired(dataset, detections, overlaps):
    pair_one_to_one(dataset, detections, overlaps, floor=0.5)


def moved(table):
    return replace(table, box=table.box + 1.0)


def relabelled(table):
    return replace(table, class_row=1 - np.minimum(table.class_row, 1))


OTHERS = {
    "fewer detections": lambda ds, dt: (ds, dt.where(np.arange(len(dt)) > 0)),
    "other detections": lambda ds, dt: (ds, moved(dt)),
    "detections of other classes": lambda ds, dt: (ds, relabelled(dt)),
    "no detections": lambda ds, dt: (ds, dt.where(np.zeros(len(dt), dtype=np.bool_))),
    "fewer objects": lambda ds, dt: (ds.where(np.arange(len(ds.gt)) > 0), dt),
    "other objects": lambda ds, dt: (replace(ds, gt=moved(ds.gt)), dt),
    "objects of other classes": lambda ds, dt: (replace(ds, gt=relabelled(ds.gt)), dt),
    "no objects": lambda ds, dt: (ds.where(np.zeros(len(ds.gt), dtype=np.bool_)), dt),
}


@pytest.mark.parametrize("read", [matched, paired])
@pytest.mark.parametrize("other", OTHERS)
def test_overlaps_of_other_tables_are_refused(other, read):
    dataset, detections = small_dataset(), small_detections()
    tables = OTHERS[other](dataset, detections)
    with pytest.raises(ParameterError, match="Call find_overlaps with the same data set"):
        read(*tables, find_overlaps(dataset, detections, COCO, floor=0.5))
    # And the other way round: more rows than the overlaps know.
    with pytest.raises(ParameterError, match="Call find_overlaps with the same data set"):
        read(dataset, detections, find_overlaps(*tables, COCO, floor=0.5))


@pytest.mark.parametrize("read", [matched, paired])
def test_the_same_boxes_in_other_images_are_refused(read):
    dataset, detections = small_dataset(), small_detections()
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.5)
    elsewhere = Detections.of(
        "elsewhere",
        detections.n_images,
        image_row=np.full(len(detections), detections.n_images - 1),
        class_row=detections.class_row,
        box=detections.box,
        score=detections.score,
    )
    with pytest.raises(ValueError, match="an object of another image than its detection"):
        read(dataset, elsewhere, overlaps)


@pytest.mark.parametrize("read", [matched, paired])
def test_tables_of_other_images_are_refused(read):
    dataset, detections = small_dataset(), small_detections()
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.5)
    with pytest.raises(ParameterError, match="read them with this data set"):
        read(dataset.select_images([0]), detections, overlaps)


def test_equal_boxes_of_a_copy_are_the_same_boxes():
    dataset, detections = small_dataset(), small_detections()
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.5)
    copied = replace(detections, box=detections.box.copy(), score=detections.score / 2)
    matches = assign(dataset, copied, overlaps, COCO, iou_thresholds=(0.5,))
    plain = assign(dataset, detections, overlaps, COCO, iou_thresholds=(0.5,))
    np.testing.assert_array_equal(matches.det_tp, plain.det_tp)


def test_overlaps_of_any_two_classes_serve_other_classes_too():
    dataset, detections = small_dataset(), small_detections()
    overlaps = find_overlaps(dataset, detections, COCO, floor=0.5, same_class=False)
    paired(dataset, relabelled(detections), overlaps)
