"""All measures of a data set together: classes in their order, means over those where defined."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from boxlens.data import Notice
from boxlens.data.windows import Windows
from boxlens.formats import read_dataset
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_measures import mean_of_defined, measure_dataset
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from planted_worlds import world_of
from shared_data import shared

USUAL = DifficultyChoice()
OBJECT, AWAY = [0.0, 0.0, 40.0, 30.0], [200.0, 200.0, 40.0, 30.0]


@pytest.fixture(scope="module")
def demo():
    return read_dataset(str(files("boxlens") / "demo" / "ground_truth.json.gz"))


def three_objects():
    return world_of([OBJECT, OBJECT, AWAY], classes=[0, 0, 2])


def test_classes_stand_in_row_order_and_those_without_objects_are_undefined():
    found = measure_dataset(three_objects(), USUAL)
    assert [one.name for one in found.classes] == list("abcdef")
    assert [one.n_objects for one in found.classes] == [2, 0, 1, 0, 0, 0]
    empty = found.classes[1]
    assert all(math.isnan(empty.value(name)) for name in MEASURE_NAMES)
    assert empty.n_images == 0


def test_means_are_over_classes_where_a_measure_is_defined():
    found = measure_dataset(three_objects(), USUAL)
    assert found.means == pytest.approx(
        {
            "instances_per_image": 1.5,
            "neighbours": 0.5,
            "scale": 0.01,
            "cpl": 1.0,
            "clutter": math.nan,
        },
        nan_ok=True,
    )
    assert dict(found.n_defined) == {
        "instances_per_image": 2,
        "neighbours": 2,
        "scale": 2,
        "cpl": 1,
        "clutter": 0,
    }


def test_windows_add_clutter_and_are_recorded():
    windows = Windows.of("grid", 1, image_row=[0] * 4, box=[AWAY, OBJECT, AWAY, AWAY])
    found = measure_dataset(three_objects(), DifficultyChoice(n_windows=3), windows)
    assert [one.clutter for one in found.classes[::2]][:2] == [1, 0]
    assert found.means["clutter"] == 0.5
    assert found.windows is not None
    counts = {"limit": 3, "n_images": 1, "n_windows": 3}
    assert found.windows.to_json() == {"name": "grid", **counts, "made_by": ""}


def test_a_search_that_found_nothing_at_all_is_still_a_search():
    windows = Windows.of("grid", 1, image_row=[], box=[], searched=[True])
    found = measure_dataset(three_objects(), USUAL, windows)
    assert found.classes[0].clutter == math.log2(1001)
    assert found.windows is not None


def test_notices_of_all_parts_are_kept():
    dataset = world_of([OBJECT] * 3, n_images=2, image_row=[0, 1, 1], classes=[0, 0, 1])
    images = replace(dataset.images, width_px=np.array([400.0, math.nan]))
    dataset = replace(dataset, images=images, notices=(Notice("read", 1, "one"),))
    windows = Windows.of(
        "grid", 2, image_row=[0], box=[OBJECT], notices=(Notice("windows", 1, "two"),)
    )
    found = measure_dataset(dataset, USUAL, windows)
    assert [(notice.code, notice.count) for notice in found.notices] == [
        ("read", 1),
        ("image_without_size", 2),
        ("class_with_one_object", 2),
        ("windows", 1),
        ("image_without_windows", 1),
    ]


def test_objects_left_out_are_counted():
    dataset = world_of([OBJECT] * 3, crowd=[True, False, False], difficult=[False, True, False])
    found = measure_dataset(dataset, USUAL)
    assert (found.n_objects, found.n_left_out) == (1, 2)


def test_json_says_null_where_undefined():
    found = measure_dataset(three_objects(), USUAL)
    row = found.classes[2].to_json()
    assert list(row)[:8] == ["class", "n_images", "n_objects", *MEASURE_NAMES]
    assert row["cpl"] is row["clutter"] is None
    whole = found.to_json()
    assert whole["n_classes"] == 2
    assert whole["clutter"] is None
    json.dumps([whole, row], allow_nan=False)


def test_the_mean_is_exact_whatever_the_order():
    assert mean_of_defined([0.1, 0.1, 0.1]) == 0.1
    assert mean_of_defined([1e16, 1.0, -1e16, math.nan]) == 1 / 3
    assert math.isnan(mean_of_defined([math.nan]))
    assert math.isnan(mean_of_defined([]))


def test_the_demo_s_objects_as_windows_leave_little_clutter(demo):
    windows = Windows.of("objects", len(demo.images), image_row=demo.gt.image_row, box=demo.gt.box)
    found = measure_dataset(demo, USUAL, windows)
    assert found.n_objects + found.n_left_out == len(demo.gt)
    for one in found.classes:
        assert one.instances_per_image >= 1
        assert 0 <= one.neighbours <= one.n_objects
        assert 0 < one.scale <= 1
        assert 0 <= one.cpl <= 1
        assert one.n_images_searched == one.n_images
        # The first object of the class stands behind the objects of other classes at most.
        assert 0 <= one.clutter <= math.log2(np.diff(demo.gt.offsets).max())


def test_a_class_alone_whose_objects_are_the_windows_has_no_clutter(demo):
    alone = demo.select_classes([0])
    windows = Windows.of(
        "objects", len(alone.images), image_row=alone.gt.image_row, box=alone.gt.box
    )
    found = measure_dataset(alone, USUAL, windows)
    assert found.classes[0].clutter == 0
    assert found.classes[0].cpl == measure_dataset(demo, USUAL).classes[0].cpl


def test_coco_has_its_known_means():
    dataset = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    found = measure_dataset(dataset, USUAL)
    assert (found.n_objects, found.n_left_out) == (36_335, 446)
    assert found.notices == dataset.notices
    assert set(found.n_defined.values()) == {80, 0}
    # Counted before by plain loops over the file.
    assert [found.means[name] for name in MEASURE_NAMES[:4]] == pytest.approx(
        [2.149763638524774, 0.5280741317277378, 0.09205050326030428, 0.016266457752329926]
    )
    by_name = {one.name: one for one in found.classes}
    assert max(by_name, key=lambda name: by_name[name].cpl) == "bed"
    assert by_name["sports ball"].scale == min(one.scale for one in found.classes)
    scales = [one.scale for one in found.classes]
    # METHODS 3.5: CPL goes with scale, with a correlation of about .9.
    assert np.corrcoef(scales, [one.cpl for one in found.classes])[0, 1] > 0.8
