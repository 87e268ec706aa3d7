"""The tables: grouping, freezing, cutting and joining, and what they refuse."""

from __future__ import annotations

import itertools
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens import evaluate
from boxlens.data import (
    Classes,
    ClassTree,
    Dataset,
    Detections,
    GroundTruth,
    Images,
    Links,
    concatenate,
    select_classes,
    select_images,
)
from boxlens.data.columns import attribute_column, frozen, id_column
from boxlens.errors import InputError, ParameterError
from cases import random_scene, scenes
from oracles.convert import scene_to_tables

BOX = (0.0, 0.0, 4.0, 5.0)


def small_dataset(**flags):
    images, _ = Images.of([5, 3, 9], [1, 2, 3], [4, 5, 6], ["five", "three", "nine"], sort=True)
    gt = GroundTruth.of(
        3,
        image_row=[2, 0, 2, 0],
        class_row=[0, 1, 1, 0],
        box=[BOX, (1, 1, 2, 2), (2, 2, 3, 3), (3, 3, 4, 4)],
        ids=id_column([40, 41, 42, 43]),
        attributes={"pose": attribute_column(["left", None, "right", "left"])},
        **flags,
    )
    return Dataset("small", images, Classes.of([7, 2], ["seven", "two"], sort=True), gt)


def small_detections():
    return Detections.of(
        "d", 3, image_row=[2, 0, 2], class_row=[0, 1, 1], box=[BOX] * 3, score=[0.1, 0.2, 0.3]
    )


# --- grouping


def test_images_and_classes_stand_in_ascending_order_of_id():
    dataset = small_dataset()
    assert dataset.images.id.tolist() == [3, 5, 9]
    assert dataset.images.file_name == ("three", "five", "nine")
    assert dataset.images.width_px.tolist() == [2, 1, 3]
    assert dataset.classes.id.tolist() == [2, 7]
    assert dataset.classes.name == ("two", "seven")
    _, order = Images.of([5, 3, 9], [1, 2, 3], [4, 5, 6], ["", "", ""], sort=True)
    assert order.tolist() == [1, 0, 2]


def test_rows_are_grouped_by_image_and_keep_file_order_inside():
    gt = small_dataset().gt
    assert gt.image_row.tolist() == [0, 0, 2, 2]
    assert gt.id.tolist() == [41, 43, 40, 42]
    assert gt.attributes["pose"].tolist() == [None, "left", "left", "right"]
    assert gt.offsets.tolist() == [0, 2, 2, 4]
    assert small_detections().score.tolist() == [0.2, 0.1, 0.3]
    assert small_detections().offsets.tolist() == [0, 1, 1, 3]


@settings(max_examples=60)
@given(rows=st.lists(st.integers(0, 6)))
def test_offsets_give_each_image_its_rows(rows):
    n = len(rows)
    table = Detections.of(
        "d", 7, image_row=rows, class_row=[0] * n, box=[BOX] * n, score=np.arange(n)
    )
    assert table.offsets[0] == 0
    assert table.offsets[-1] == n == len(table)
    for image in range(7):
        own = slice(table.offsets[image], table.offsets[image + 1])
        assert (table.image_row[own] == image).all()
        assert table.score[own].tolist() == [i for i, row in enumerate(rows) if row == image]


def test_more_images_than_sixteen_bits_count_are_grouped_alike():
    rows = [70_000, 3, 70_000, 69_999, 3]
    table = Detections.of(
        "d", 70_001, image_row=rows, class_row=[0] * 5, box=[BOX] * 5, score=range(5)
    )
    assert table.score.tolist() == [1, 4, 3, 0, 2]


def test_area_falls_back_to_width_times_height():
    assert small_dataset().gt.area_px.tolist() == [4, 16, 20, 9]
    assert small_dataset(area_px=[1, 2, 3, 4]).gt.area_px.tolist() == [2, 4, 1, 3]


# --- freezing


def test_columns_are_read_only_and_the_callers_array_is_left_alone():
    score = np.array([0.1, 0.2, 0.3])
    table = Detections.of(
        "d", 3, image_row=[0, 1, 2], class_row=[0, 0, 0], box=[BOX] * 3, score=score
    )
    with pytest.raises(ValueError, match="read-only"):
        table.score[0] = 1
    with pytest.raises(FrozenInstanceError):
        table.name = "other"
    assert score.flags.writeable
    assert not frozen(score, np.float32).flags.writeable


def test_every_derived_table_is_read_only_too():
    dataset, detections = scene_to_tables(random_scene(2))
    keep_images = np.arange(len(dataset.images)) % 2 == 0
    cut = select_images(dataset, detections, keep_images)
    derived = [
        cut,
        select_classes(dataset, detections, [0]),
        concatenate([cut, select_images(dataset, detections, ~keep_images)]),
        (dataset.where(dataset.gt.crowd), detections.where(detections.score > 0.5)),
    ]
    for world, found in derived:
        for column in (world.gt.box, world.gt.offsets, world.gt.id, world.images.id, found.box):
            assert not column.flags.writeable


# --- ids, attributes, links, trees


def test_ids_are_numbers_where_all_are_and_texts_otherwise():
    assert id_column([1, 2**40]).dtype == np.int64
    assert id_column([1, "two"]).tolist() == ["1", "two"]
    assert len(id_column([])) == 0


def test_attributes_are_numbers_where_all_are_and_texts_otherwise():
    numbers = attribute_column([1, None, 2.5, True])
    np.testing.assert_array_equal(numbers, [1, np.nan, 2.5, 1])
    assert attribute_column(["a", None, 3]).tolist() == ["a", None, "3"]


def test_links_are_selected_and_renumbered_on_both_sides():
    links = Links.of([[0, 2], [], [1, 2]])
    assert len(links) == 3
    assert links.left().tolist() == [0, 0, 2, 2]
    kept = links.select(np.array([2, 0], np.int32), np.array([-1, 5, 6], np.int32))
    assert [kept[row].tolist() for row in range(2)] == [[5, 6], [6]]
    assert Links.empty(4)[3].tolist() == []


def test_a_tree_knows_every_node_above_and_below_even_by_two_ways():
    tree = ClassTree({"cat": ("pet", "animal"), "pet": ("animal",), "dog": ("pet",)})
    assert tree.ancestors("cat") == {"pet", "animal"}
    assert tree.descendants("animal") == {"pet", "cat", "dog"}
    assert tree.ancestors("animal") == frozenset()
    loop = ClassTree({"a": ("b",), "b": ("a",)})
    assert loop.ancestors("a") == {"b"}


# --- cutting


@settings(max_examples=50)
@given(scene=scenes(), seed=st.integers(0, 9))
def test_selecting_images_keeps_exactly_their_rows(scene, seed):
    dataset, detections = scene_to_tables(scene)
    keep = np.random.default_rng(seed).random(len(dataset.images)) < 0.5
    part, found = select_images(dataset, detections, keep)
    same, also = select_images(dataset, detections, np.flatnonzero(keep))
    assert part.images.id.tolist() == dataset.images.id[keep].tolist() == same.images.id.tolist()
    assert len(part.classes) == len(dataset.classes)
    gt_kept, det_kept = keep[dataset.gt.image_row], keep[detections.image_row]
    assert part.gt.id.tolist() == dataset.gt.id[gt_kept].tolist()
    assert found.box.tolist() == detections.box[det_kept].tolist() == also.box.tolist()
    assert part.images.id[part.gt.image_row].tolist() == (
        dataset.images.id[dataset.gt.image_row[gt_kept]].tolist()
    )
    for name in ("negative", "positive", "not_exhaustive"):
        whole, cut = getattr(dataset.images, name), getattr(part.images, name)
        for new, old in enumerate(np.flatnonzero(keep)):
            assert cut[new].tolist() == whole[int(old)].tolist()


@settings(max_examples=50)
@given(scene=scenes(), seed=st.integers(0, 9))
def test_selecting_classes_keeps_all_images_and_exactly_their_rows(scene, seed):
    dataset, detections = scene_to_tables(scene)
    keep = np.random.default_rng(seed).random(len(dataset.classes)) < 0.6
    part, found = select_classes(dataset, detections, keep)
    assert len(part.images) == len(dataset.images)
    assert part.classes.id.tolist() == dataset.classes.id[keep].tolist()
    assert part.gt.id.tolist() == dataset.gt.id[keep[dataset.gt.class_row]].tolist()
    assert part.classes.id[found.class_row].tolist() == (
        dataset.classes.id[detections.class_row[keep[detections.class_row]]].tolist()
    )
    new_row = dict(zip(np.flatnonzero(keep).tolist(), range(len(part.classes)), strict=True))
    for image in range(len(dataset.images)):
        expected = [new_row[row] for row in dataset.images.negative[image].tolist() if keep[row]]
        assert part.images.negative[image].tolist() == expected


def test_where_keeps_all_images_and_classes():
    dataset, detections = small_dataset(), small_detections()
    part = dataset.where(dataset.gt.class_row == 1)
    assert part.gt.id.tolist() == [41, 42]
    assert part.gt.offsets.tolist() == [0, 1, 1, 2]
    assert (len(part.images), len(part.classes)) == (3, 2)
    assert detections.where(detections.score > 0.15).offsets.tolist() == [0, 1, 1, 2]


# --- joining


def test_joining_in_any_order_gives_the_whole_back():
    for seed in range(20):
        dataset, detections = scene_to_tables(random_scene(seed))
        each = [select_images(dataset, detections, [row]) for row in range(len(dataset.images))]
        for parts in (each, each[::-1]):
            whole, found = concatenate(parts)
            assert whole.images.id.tolist() == dataset.images.id.tolist()
            assert whole.gt.id.tolist() == dataset.gt.id.tolist()
            assert whole.gt.offsets.tolist() == dataset.gt.offsets.tolist()
            assert whole.images.negative.right.tolist() == dataset.images.negative.right.tolist()
            assert found.score.tolist() == detections.score.tolist()
            assert found.offsets.tolist() == detections.offsets.tolist()


def test_joining_fills_attributes_that_only_one_part_has():
    first = small_dataset()
    images, _ = Images.of([100], [1], [1], ["hundred"])
    gt = GroundTruth.of(1, image_row=[0], class_row=[0], box=[BOX])
    second = Dataset("second", images, first.classes, gt)
    none = Detections.of("d", 1, image_row=[], class_row=[], box=[], score=[])
    whole, _ = concatenate([(first, small_detections()), (second, none)])
    assert whole.gt.attributes["pose"].tolist() == [None, "left", "left", "right", None]


# --- what is refused


def test_ids_that_occur_twice_are_refused():
    with pytest.raises(InputError, match=r"image id .*3.* occurs more than once"):
        Images.of([3, 3], [1, 1], [1, 1], ["", ""])
    with pytest.raises(InputError, match=r"class id .*'a'.* occurs more than once"):
        Classes.of(["a", "a"], ["x", "y"])


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ([5, 3, 9], "3 comes after 5"),
        ([1, 4, 2, 3], "2 comes after 4"),
        (["img2", "img10"], "'img10' comes after 'img2'"),
    ],
    ids=["numbers", "late", "text"],
)
def test_ids_that_do_not_ascend_are_refused_since_rows_would_change_their_meaning(ids, problem):
    n = len(ids)
    with pytest.raises(ParameterError, match=f"image ids must ascend.*{problem}.*sort=True"):
        Images.of(ids, [1] * n, [1] * n, [""] * n)
    with pytest.raises(ParameterError, match=f"class ids must ascend.*{problem}.*sort=True"):
        Classes.of(ids, [""] * n)


def test_sorted_tables_are_told_rows_by_id():
    """The same images, objects and detections, whatever order the images are given in."""
    boxes = {11: (0, 0, 10, 10), 10: (50, 50, 30, 30), 12: (7, 7, 9, 9)}
    found = []
    for ids in itertools.permutations(boxes):
        images, order = Images.of(ids, ids, ids, [str(key) for key in ids], sort=True)
        assert [ids[place] for place in order] == [10, 11, 12] == images.width_px.tolist()
        row = images.row_of_id()
        gt = GroundTruth.of(
            3,
            image_row=[row[key] for key in boxes],
            class_row=[0] * 3,
            box=list(boxes.values()),
        )
        found.append({images.file_name[row]: tuple(gt.box[row]) for row in range(3)})
    assert all(one == {str(key): box for key, box in boxes.items()} for one in found)


def test_rows_and_masks_that_do_not_fit_are_refused():
    dataset, detections = small_dataset(), small_detections()
    with pytest.raises(ParameterError, match="image rows"):
        dataset.select_images([3])
    with pytest.raises(ParameterError, match="image rows"):
        dataset.select_images([-1])
    with pytest.raises(ParameterError, match="mask of 3 image rows"):
        dataset.select_images([True, False])
    with pytest.raises(ParameterError, match="mask of 4 objects"):
        dataset.where([True])
    with pytest.raises(ParameterError, match="mask of 3 detections"):
        detections.where([True])
    with pytest.raises(ParameterError, match="image rows"):
        Detections.of("d", 1, image_row=[1], class_row=[0], box=[BOX], score=[1])


@pytest.mark.parametrize("row", [-1, 3])
def test_objects_of_images_that_are_not_there_are_refused(row):
    with pytest.raises(ParameterError):
        GroundTruth.of(3, image_row=[0, row], class_row=[0, 0], box=[BOX, BOX])


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ParameterError):
        Detections.of("d", 1, image_row=[0, 0], class_row=[0], box=[BOX, BOX], score=[1, 1])
    with pytest.raises(ParameterError):
        Detections.of("d", 1, image_row=[0, 0], class_row=[0, 0], box=[BOX], score=[1, 1])
    with pytest.raises(ParameterError):
        GroundTruth.of(1, image_row=[0, 0], class_row=[0, 0], box=[BOX, BOX], crowd=[True])


@pytest.mark.parametrize(
    ("column", "given", "problem"),
    [
        ("box", np.zeros((4, 2)), r"column box: expected shape \(n, 4\).*got \(4, 2\)"),
        ("box", [[0, 0, 1]] * 2, r"column box: expected shape \(n, 4\).*got \(2, 3\)"),
        ("box", [BOX, BOX[:3]], r"column box: expected shape \(n, 4\)"),
        ("box", np.zeros(8), r"column box: expected shape \(n, 4\).*got \(8,\)"),
        ("image_row", [0.9, 1.2], "column image_row: expected whole numbers.*float64"),
        ("image_row", [0.0, 1.0], "column image_row: expected whole numbers.*float64"),
        ("image_row", [True, False], "column image_row: expected whole numbers.*bool"),
        ("image_row", [[0], [1]], r"column image_row: expected whole numbers.*\(2, 1\)"),
        ("image_row", [0, 2**40], "column image_row: expected rows up to.*1099511627776"),
        ("image_row", [0, 2**70], "column image_row: expected whole numbers.*object"),
        ("class_row", [0.5, 0.5], "column class_row: expected whole numbers.*float64"),
        ("class_row", [0, -(2**40)], "column class_row: expected rows.*-1099511627776"),
    ],
    ids=[
        "turned",
        "three_sides",
        "ragged",
        "flat",
        "fractions",
        "floats",
        "truth",
        "deep",
        "large",
        "huge",
        "class_fractions",
        "class_large",
    ],
)
def test_boxes_and_rows_of_another_kind_are_refused(column, given, problem):
    columns = {"image_row": [0, 1], "class_row": [0, 0], "box": [BOX] * 2, column: given}
    with pytest.raises(ParameterError, match=problem):
        GroundTruth.of(2, **columns)
    with pytest.raises(ParameterError, match=problem):
        Detections.of("d", 2, **columns, score=[1, 1])


@pytest.mark.parametrize("score", [[[1], [1]], ["high", "low"]], ids=["deep", "text"])
def test_values_that_are_not_one_number_per_row_are_refused(score):
    columns = {"image_row": [0, 1], "class_row": [0, 0], "box": [BOX] * 2}
    with pytest.raises(ParameterError, match="column score: expected one number per row"):
        Detections.of("d", 2, **columns, score=score)
    with pytest.raises(ParameterError, match="column area_px: expected one number per row"):
        GroundTruth.of(2, **columns, area_px=score)


def test_images_and_classes_of_unequal_columns_are_refused():
    with pytest.raises(ParameterError, match=r"column width_px: expected 2 rows.* got 1"):
        Images.of([10, 11], [1], [1, 1], ["a", "b"])
    with pytest.raises(ParameterError, match=r"column file_name: expected 2 rows.* got 3"):
        Images.of([10, 11], [1, 1], [1, 1], ["a", "b", "c"])
    with pytest.raises(ParameterError, match=r"column negative: expected 1 rows.* got 2"):
        Images.of([10], [1], [1], ["a"], negative=Links.empty(2))
    with pytest.raises(ParameterError, match=r"column names: expected 2 rows.* got 1"):
        Classes.of([1, 2], ["cat"])
    with pytest.raises(ParameterError, match=r"column frequency: expected 1 rows.* got 2"):
        Classes.of([1], ["cat"], frequency=["r", "f"])
    with pytest.raises(ParameterError, match=r"column synset: expected 1 rows.* got 0"):
        Classes.of([1], ["cat"], extra={"synset": []})


def test_sizes_below_zero_or_infinite_are_refused_and_unknown_ones_are_not():
    with pytest.raises(ParameterError, match=r"column width_px: .* got -1 in row 1"):
        Images.of([1, 2], [5, -1], [5, 5], ["", ""])
    with pytest.raises(ParameterError, match=r"column height_px: .* got inf in row 0"):
        Images.of([1, 2], [5, 5], [np.inf, 5], ["", ""])
    images, _ = Images.of([1, 2], [0, np.nan], [5, 5], ["", ""])
    assert np.isnan(images.known_sizes()).all()


def test_a_data_set_refuses_ground_truth_of_other_images_or_classes():
    images, _ = Images.of([1, 2], [5, 5], [5, 5], ["", ""])
    cat = Classes.of([1], ["cat"])
    for n_images in (1, 3):
        gt = GroundTruth.of(n_images, image_row=[0], class_row=[0], box=[BOX])
        with pytest.raises(
            ParameterError, match=f"'mine' has rows for {n_images} images?, expected 2"
        ):
            Dataset("mine", images, cat, gt)
    for row in (-1, 1):
        gt = GroundTruth.of(2, image_row=[0], class_row=[row], box=[BOX])
        with pytest.raises(ParameterError, match=f"class_row of 'mine': .* got {row}"):
            Dataset("mine", images, cat, gt)


def test_known_classes_that_are_not_there_are_refused():
    columns = {"image_row": [0], "class_row": [0], "box": [BOX], "score": [1]}
    with pytest.raises(ParameterError, match=r"column known_classes: .* 0 or more, got -1"):
        Detections.of("d", 3, **columns, known_classes=[-1])
    with pytest.raises(ParameterError, match="column known_classes: expected whole numbers"):
        Detections.of("d", 3, **columns, known_classes=[0.5])
    beyond = Detections.of("d", 3, **columns, known_classes=[0, 3])
    problem = r"column known_classes of 'd': class rows must be between 0 and 1, got 0\.\.3"
    for meet in (
        lambda: evaluate(small_dataset(), beyond),
        lambda: select_images(small_dataset(), beyond, [0]),
        lambda: select_classes(small_dataset(), beyond, [0]),
    ):
        with pytest.raises(ParameterError, match=problem):
            meet()


def test_parts_that_cannot_be_joined_are_refused():
    dataset, detections = small_dataset(), small_detections()
    with pytest.raises(InputError, match="more than once"):
        concatenate([(dataset, detections), (dataset, detections)])
    other, found = select_classes(dataset, detections, [0])
    with pytest.raises(ParameterError, match="same classes"):
        concatenate([(dataset, detections), (other, found)])


def test_selecting_nothing_gives_empty_tables():
    dataset, detections = small_dataset(), small_detections()
    part, found = select_images(dataset, detections, [])
    assert (len(part.images), len(part.gt), len(found)) == (0, 0, 0)
    assert part.gt.offsets.tolist() == found.offsets.tolist() == [0]


def test_rows_of_equal_value_stand_by_image_and_id_whatever_the_order_of_the_file():
    image_row, ids, values = np.array([1, 0, 0, 1]), np.array([7, 9, 3, 2]), np.array([1, 2, 2, 2])
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        gt = GroundTruth.of(
            2,
            image_row=image_row[order],
            class_row=np.zeros(4, dtype=np.int32),
            box=np.ones((4, 4)),
            ids=ids[order],
        )
        value = np.array([dict(zip(ids, values, strict=True))[one] for one in gt.id], np.float64)
        rows = np.array([0, 1, 2, 3])
        assert gt.id[gt.highest_first(rows, value)].tolist() == [3, 9, 2, 7]
