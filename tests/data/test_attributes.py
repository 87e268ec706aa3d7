"""Attributes from a table: joined by object, by box and by order, whatever the order of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import BoxlensError
from small_world import small_dataset

LIGHT = ("dim", "bright", "dark")


def crowded(n_images=4, n_objects=60, seed=0):
    """Three classes; every box lies somewhere else."""
    rng = np.random.default_rng(seed)
    names = [f"{row}.jpg" for row in range(n_images)]
    images, _ = Images.of(range(n_images), [640.0] * n_images, [480.0] * n_images, names)
    box = np.column_stack(
        [rng.uniform(0, 400, (n_objects, 2)), rng.uniform(20, 90, (n_objects, 2))]
    )
    gt = GroundTruth.of(
        n_images,
        image_row=rng.integers(0, n_images, n_objects),
        class_row=rng.integers(0, 3, n_objects),
        box=box,
        ids=np.random.default_rng(seed).permutation(n_objects) + 100,
    )
    return Dataset("crowded", images, Classes.of([1, 2, 3], ["ant", "bee", "cat"]), gt)


def rows_of(dataset, by):
    """One row per object that names it in one of the three ways."""
    gt = dataset.gt
    named = {
        "image": dataset.images.id[gt.image_row],
        "class": [dataset.classes.name[row] for row in gt.class_row],
    }
    box = {name: gt.box[:, at] for at, name in enumerate("xywh")}
    return {"object": {"object_id": gt.id}, "box": named | box, "order": named}[by]


def taken(table, rows):
    return {name: [column[row] for row in rows] for name, column in table.items()}


@pytest.mark.parametrize("by", ["object", "box", "order"])
def test_every_object_gets_what_its_row_says(by):
    dataset = crowded()
    n = len(dataset.gt)
    table = {**rows_of(dataset, by), "light": [LIGHT[at % 3] for at in range(n)], "lux": range(n)}
    found = dataset.with_attributes(table)
    assert found.gt.attributes["light"].tolist() == table["light"]
    assert found.gt.attributes["lux"].tolist() == list(range(n))
    assert found.notices == ()
    assert "light" not in dataset.gt.attributes


@pytest.mark.parametrize("by", ["object", "box"])
def test_the_order_of_rows_does_not_matter(by):
    dataset = crowded()
    table = {**rows_of(dataset, by), "lux": range(len(dataset.gt))}
    shuffled = taken(table, np.random.default_rng(1).permutation(len(dataset.gt)).tolist())
    found = dataset.with_attributes(shuffled).gt.attributes["lux"]
    assert found.tolist() == list(range(len(dataset.gt)))


def test_the_place_among_objects_of_the_class_may_be_given():
    dataset = crowded()
    table = {**rows_of(dataset, "order"), "lux": range(len(dataset.gt))}
    seen: dict = {}
    keys = list(zip(table["image"], table["class"], strict=True))
    table["order"] = [seen.setdefault(key, []).append(0) or len(seen[key]) for key in keys]
    shuffled = taken(table, np.random.default_rng(1).permutation(len(keys)).tolist())
    found = dataset.with_attributes(shuffled).gt.attributes["lux"]
    assert found.tolist() == list(range(len(keys)))


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, dict])
def test_frames_and_mappings_are_alike(frame):
    dataset = crowded()
    table = {**rows_of(dataset, "box"), "lux": range(len(dataset.gt))}
    found = dataset.with_attributes(frame(taken(table, range(len(dataset.gt)))))
    assert found.gt.attributes["lux"].tolist() == list(range(len(dataset.gt)))


def iou(first, second):
    """One pair, the plain way."""
    wide = min(first[0] + first[2], second[0] + second[2]) - max(first[0], second[0])
    high = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    inner = max(wide, 0) * max(high, 0)
    return inner / (first[2] * first[3] + second[2] * second[3] - inner)


def greedy(dataset, table):
    """The best pair of a row and an object left, again and again."""
    pairs = [
        (-iou(box, dataset.gt.box[row]), at, row)
        for at, *box in zip(range(len(table["x"])), *(table[name] for name in "xywh"), strict=True)
        for row in range(len(dataset.gt))
        if table["image"][at] == dataset.images.id[dataset.gt.image_row[row]]
        and table["class"][at] == dataset.classes.name[dataset.gt.class_row[row]]
    ]
    found: dict = {}
    for value, at, row in sorted(pairs):
        if value <= -0.5 and at not in found and row not in found.values():
            found[at] = row
    return found


@pytest.mark.parametrize("seed", range(5))
def test_boxes_that_were_drawn_again_go_to_the_object_they_overlap_most(seed):
    dataset = crowded(seed=seed)
    n = len(dataset.gt)
    table = {**rows_of(dataset, "box"), "lux": range(n)}
    rng = np.random.default_rng(seed)
    for name in "xywh":
        table[name] = table[name] + rng.normal(0, 6, n)
    expected = greedy(dataset, table)
    found = dataset.with_attributes(table)
    known = {
        int(lux): row for row, lux in enumerate(found.gt.attributes["lux"]) if np.isfinite(lux)
    }
    assert known == expected
    codes = {one.code: one.count for one in found.notices}
    assert codes["attribute_by_overlap"] == len(expected)
    assert codes.get("attribute_without_object", 0) == n - len(expected)
    assert codes.get("object_without_attributes", 0) == n - len(expected)


def test_the_same_box_goes_before_a_larger_overlap_of_another():
    """Two boxes nearly alike: the rows find their own, in whatever order they come."""
    images, _ = Images.of([1], [100.0], [100.0], ["1.jpg"])
    box = [[10, 10, 40, 40], [10, 10, 40, 41]]
    gt = GroundTruth.of(1, image_row=[0, 0], class_row=[0, 0], box=box)
    dataset = Dataset("twins", images, Classes.of([1], ["ant"]), gt)
    table = {"image": [1, 1], "bbox": box[::-1], "lux": [2, 1]}
    assert dataset.with_attributes(table).gt.attributes["lux"].tolist() == [1, 2]


def test_what_fits_nothing_is_counted_and_named():
    dataset = small_dataset()
    found = dataset.with_attributes({"id": [dataset.gt.id[0], 77], "light": ["dim", "bright"]})
    first, second = found.notices[-2:]
    assert first.message == "attributes: 1 row of 2 fit no object of the ground truth (row 1)"
    assert second.count == len(dataset.gt) - 1
    assert found.gt.attributes["light"].tolist()[1:] == [None] * (len(dataset.gt) - 1)


def test_several_words_become_flags_and_yes_is_one():
    dataset = small_dataset()
    table = {
        "object_id": dataset.gt.id[:3],
        "parts": ["wing; leg", "", "leg"],
        "mood": [["calm"], None, ["calm", "shy"]],
        "indoor": ["yes", "no", ""],
    }
    attributes = dataset.with_attributes(table).gt.attributes
    nan = np.nan
    for name, values in {
        "part_leg": [1, nan, 1],
        "part_wing": [1, nan, 0],
        "mood_calm": [1, nan, 1],
        "mood_shy": [0, nan, 1],
        "indoor": [1, 0, nan],
    }.items():
        np.testing.assert_array_equal(attributes[name][:3], values, err_msg=name)


def test_an_attribute_of_the_same_name_is_replaced_and_said_so():
    dataset = small_dataset(rich=True)
    found = dataset.with_attributes({"id": dataset.gt.id, "pose": ["up"] * len(dataset.gt)})
    assert set(found.gt.attributes["pose"]) == {"up"}
    assert any("'pose' replaces the attribute" in one.message for one in found.notices)


def test_an_id_of_two_objects_is_that_of_none():
    dataset = small_dataset()
    twice = replace(dataset.gt, id=np.array([1] * len(dataset.gt)))
    found = replace(dataset, gt=twice).with_attributes({"id": [1], "light": ["dim"]})
    assert found.notices[0].code == "attribute_without_object"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"light": ["dim"]}, "no column says which object"),
        ({"image": [1], "light": ["dim"]}, "no box and no class"),
        ({"id": [1]}, "no column but those that name objects"),
        ({"id": [1, 1], "light": ["dim", "dim"]}, "object 1 has two rows, this one and row 0"),
        ({"id": [1, 2], "light": ["dim"]}, "one length"),
        ({"image": [1], "class": ["ant"], "order": ["x"], "light": [1]}, "order is 'x'"),
        ({"image": [1], "x": ["a"], "y": [1], "w": [1], "h": [1], "light": [1]}, "must be numbers"),
    ],
    ids=lambda one: one if isinstance(one, str) else ",".join(one),
)
def test_what_cannot_be_joined_is_refused(table, told):
    with pytest.raises(BoxlensError, match=told):
        small_dataset().with_attributes(table)
