"""Every writer keeps float64: what was written reads back bit for bit, or is refused in words."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import attribute_column
from boxlens.errors import BoxlensError
from boxlens.formats.exact_sides import (
    CENTRE,
    CORNERS,
    INCLUSIVE,
    LONG,
    number_of,
    numbers_as_text,
    side_of,
)
from boxlens.formats.window_files import read_windows
from running import write_demo

DATASET_FORMATS = ("coco", "lvis", "voc", "yolo", "openimages", "parquet")
ENDINGS = {"openimages": "out.csv", "parquet": "out.parquet", "voc": "out", "yolo": "out"}
SPACES = {"inclusive": INCLUSIVE, "corners": CORNERS, "centre": CENTRE}

usual = st.one_of(
    st.integers(0, 900).map(float), st.floats(0, 900), st.floats(0, 900).map(lambda x: round(x, 2))
)
places = st.one_of(
    usual, usual, st.floats(-50, 0), st.floats(allow_nan=False, allow_infinity=False)
)
extents = st.one_of(usual, usual, st.floats(0, allow_infinity=False))
boxes = st.lists(st.tuples(places, places, extents, extents), min_size=1, max_size=4)
sizes = st.one_of(st.integers(1, 1000).map(float), st.floats(0.5, 5000))
scores = st.floats(allow_nan=False, allow_infinity=False)


def dataset_of(box, width, height) -> Dataset:
    images, _ = Images.of(["a"], [width], [height], ["a.jpg"])
    rows = np.zeros(len(box), dtype=np.int32)
    gt = GroundTruth.of(1, image_row=rows, class_row=rows, box=box)
    return Dataset("set", images, Classes.of([0], ["cat"]), gt)


def detections_of(box, score) -> Detections:
    rows = np.zeros(len(box), dtype=np.int32)
    return Detections.of("det", 1, image_row=rows, class_row=rows, box=box, score=score)


def assert_bits(found, expected):
    """Equal bit for bit; a zero has no sign, which neither corners nor fractions can keep."""
    first, second = np.asarray(found) + 0.0, np.asarray(expected, dtype=np.float64) + 0.0
    assert first.tobytes() == second.tobytes(), (first.tolist(), second.tolist())


@pytest.mark.parametrize("format_name", DATASET_FORMATS)
@settings(max_examples=60)
@given(box=boxes, width=sizes, height=sizes)
def test_boxes_of_ground_truth_read_back(format_name, box, width, height):
    dataset = dataset_of(box, width, height)
    with TemporaryDirectory() as place:
        path = f"{place}/out.json" if format_name in ("coco", "lvis") else f"{place}/out"
        try:
            notices = boxlens.write_dataset(dataset, path, format_name)
        except BoxlensError:
            assert np.abs(dataset.gt.box).max() > 1e150 or format_name in ("yolo", "openimages")
            return
        again = boxlens.read_dataset(path, format=format_name)
    expected = dataset.gt.box
    if format_name == "voc":
        expected = expected[(expected[:, 2:] > 0).all(axis=1)]
        n_empty = sum(one.count for one in notices if one.code == "lost_empty_box")
        assert n_empty == len(dataset.gt) - len(expected)
    assert_bits(again.gt.box, expected)


@pytest.mark.parametrize("format_name", [*DATASET_FORMATS, "ultralytics"])
@settings(max_examples=60)
@given(box=boxes, width=sizes, height=sizes, score=st.lists(scores, min_size=4, max_size=4))
def test_boxes_and_scores_of_detections_read_back(format_name, box, width, height, score):
    dataset = dataset_of([[0, 0, 1, 1]], width, height)
    detections = detections_of(box, score[: len(box)])
    with TemporaryDirectory() as place:
        path = f"{place}/{ENDINGS.get(format_name, 'out.json')}"
        try:
            boxlens.write_detections(detections, dataset, path, format_name)
        except BoxlensError:
            assert format_name in ("yolo", "openimages") or np.abs(detections.box).max() > 1e300
            return
        again = boxlens.read_detections(path, dataset, format=format_name)
    assert_bits(again.box, detections.box)
    assert again.score.tobytes() == detections.score.tobytes()


@settings(max_examples=40)
@given(box=boxes)
def test_boxes_of_windows_read_back(box):
    dataset = dataset_of([[0, 0, 1, 1]], 10.0, 10.0)
    with TemporaryDirectory() as place:
        path = f"{place}/out.json"
        score = np.arange(len(box), 0, -1.0)
        boxlens.write_detections(detections_of(box, score), dataset, path, "coco")
        found = read_windows(path, dataset).box
    # Zeros alone say that nothing was found.
    assert_bits(found, [one for one in box if any(one)] or np.zeros((0, 4)))


@pytest.mark.parametrize("name", SPACES)
@settings(max_examples=150)
@given(start=places, size=extents, scale=sizes)
def test_a_side_reads_back_in_every_space(name, start, size, scale):
    space, box = SPACES[name], np.array([[start, 0.0, size, 1.0]])
    by = (np.array([scale]), np.array([scale]))
    try:
        (first, _, second, _), *_ = numbers_as_text(box, space, str, scale=by)
    except BoxlensError:
        assert max(abs(start), size) / min(scale, 1) > 1e307
        return
    assert side_of(number_of(first), number_of(second), space, scale) == (start, size)
    for text in (first, second):
        # Another tool rounds once, and is off by no more than that.
        near = Fraction(text) - Fraction(float(text))
        assert abs(near) <= Fraction(math.ulp(float(text)))


def test_numbers_that_float64_holds_are_as_short_as_ever():
    box = np.array([[128.0, 60.0, 64.0, 30.0]])
    by = (np.array([640.0]), np.array([480.0]))
    assert numbers_as_text(box, CENTRE, str, scale=by) == [["0.25", "0.15625", "0.1", "0.0625"]]
    assert number_of("0.1") == 0.1
    assert isinstance(number_of("0.1".ljust(LONG - 1, "0")), float)
    assert number_of("0.1".ljust(LONG, "0")) == Decimal("0.1")


@pytest.mark.parametrize(
    "text",
    ["1e-" + "0" * 30 + "999999", "1e" + "9" * 30, "9" * 2000],
    ids=["small", "large", "long"],
)
def test_numbers_that_would_fill_the_memory_stay_floats(text):
    assert isinstance(number_of(text), float)


@pytest.mark.parametrize("format_name", ["voc", "yolo", "openimages"])
@pytest.mark.parametrize("what", ["ground truth", "detections"])
def test_a_box_beyond_float64_is_refused_by_name(format_name, what, tmp_path):
    box = [[1e308, 0.0, 1e308, 5.0]]
    dataset = dataset_of([[0, 0, 1, 1]], 10.0, 10.0)
    hard = dataset_of(box, 10.0, 10.0), tmp_path / "out", format_name
    table = detections_of(box, [0.5]), dataset, tmp_path / "out", format_name
    write, given, named = {
        "ground truth": (boxlens.write_dataset, hard, "object 1"),
        "detections": (boxlens.write_detections, table, "detection 0"),
    }[what]
    with pytest.raises(BoxlensError, match=named):
        write(*given)
    assert not (tmp_path / "out").exists()


def test_an_area_or_attribute_that_json_cannot_hold_is_refused(tmp_path):
    with pytest.raises(BoxlensError, match="only finite numbers"):
        boxlens.write_dataset(dataset_of([[0, 0, 1e200, 1e200]], 1, 1), tmp_path / "a.json", "coco")
    gt = GroundTruth.of(
        1,
        image_row=[0],
        class_row=[0],
        box=[[0, 0, 1, 1]],
        attributes={"speed": attribute_column([math.inf])},
    )
    dataset = dataset_of([[0, 0, 1, 1]], 1, 1)
    for format_name in ("coco", "voc"):
        with pytest.raises(BoxlensError):
            boxlens.write_dataset(
                Dataset("set", dataset.images, dataset.classes, gt),
                tmp_path / format_name,
                format_name,
            )


def test_a_table_that_was_changed_by_hand_is_refused(tmp_path):
    from dataclasses import replace

    dataset = dataset_of([[0, 0, 1, 1]], 1, 1)
    table = replace(detections_of([[0, 0, 1, 1]], [0.5]), score=np.array([math.nan]))
    with pytest.raises(BoxlensError, match="detection 0"):
        boxlens.write_detections(table, dataset, tmp_path / "out.json", "coco")


@pytest.mark.parametrize("format_name", ["voc", "yolo", "openimages"])
def test_no_digit_of_ap_changes_on_the_way_through_a_format(format_name, tmp_path):
    folder = write_demo(tmp_path)
    dataset = boxlens.read_dataset(folder / "ground_truth.json")
    before = boxlens.read_detections(folder / "window.json", dataset)
    path = tmp_path / ENDINGS[format_name]
    boxlens.write_detections(before, dataset, path, format_name)
    after = boxlens.read_detections(path, dataset, format=format_name)
    metrics = [boxlens.evaluate(dataset, one).detectors[0].metrics for one in (before, after)]
    assert str(metrics[0]) == str(metrics[1])
    for row in range(len(dataset.images)):
        one, two = (slice(*table.offsets[row : row + 2]) for table in (before, after))
        assert sorted(before.box[one].tolist()) == sorted(after.box[two].tolist())
