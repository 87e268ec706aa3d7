"""Open Images ground truth: boxes, labels, classes, sizes, hierarchy."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boxlens.data import ClassTree
from boxlens.errors import InputError
from boxlens.formats import open_images
from boxlens.formats.open_images.hierarchy import read_hierarchy, write_hierarchy
from formats.open_images_sets import BOXES, CLASSES, HEADER, LABELS, SIZES, folder_of
from shared_data import shared
from small_world import small_dataset


def test_all_files_together_make_the_data_set(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, boxes=BOXES, labels=LABELS, classes=CLASSES, sizes=SIZES)
    dataset = open_images.read_dataset(folder)
    assert dataset.name == "oid"
    assert dataset.images.id.tolist() == ["00a", "00b", "00c", "00d"]
    assert dataset.images.file_name[0] == "00a.jpg"
    assert dataset.classes.id.tolist() == ["/m/cat", "/m/dog", "/m/eel"]
    assert dataset.classes.name == ("Cat", "Dog, tame", "Eel")
    assert dataset.gt.box.tolist() == [
        [0, 0, 50, 100],
        [100, 150, 200, 150],
        pytest.approx([40, 30, 40, 60]),
    ]
    assert dataset.gt.group_of.tolist() == [True, False, False]
    np.testing.assert_array_equal(dataset.gt.attributes["occluded"], [np.nan, 1, 0])
    np.testing.assert_array_equal(dataset.gt.attributes["depiction"], [0, 0, 1])
    assert set(dataset.gt.attributes) == {"occluded", "truncated", "depiction", "inside"}
    assert [dataset.images.positive[row].tolist() for row in range(4)] == [[0], [], [], []]
    assert [dataset.images.negative[row].tolist() for row in range(4)] == [[1], [], [1], []]
    assert {n.code: n.count for n in dataset.notices} == {"unknown_class_label": 1}


def test_without_sizes_boxes_stay_fractions_and_a_notice_says_so(tmp_path: Path) -> None:
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES))
    assert dataset.gt.box[1].tolist() == [0.25, 0.5, 0.5, 0.5]
    assert np.isnan(dataset.images.width_px).all()
    assert dataset.images.positive is None
    assert dataset.classes.name == ("/m/cat", "/m/dog")
    assert "relative_boxes" in {notice.code for notice in dataset.notices}


def test_one_csv_file_is_enough_and_may_be_packed(tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv.gz"
    path.write_bytes(gzip.compress(BOXES.encode()))
    dataset = open_images.read_dataset(path)
    assert dataset.name == "boxes"
    assert len(dataset.gt) == 3


def test_challenge_files_have_fewer_columns_in_another_order(tmp_path: Path) -> None:
    path = tmp_path / "challenge-2019-validation-detection-bbox.csv"
    path.write_text(
        "\ufeffImageID,LabelName,YMin,XMin,XMax,YMax,IsGroupOf\nx,/m/cat, 0.5,0.25,0.75,1,0\n",
        encoding="utf-8",
    )
    dataset = open_images.read_dataset(path)
    assert dataset.gt.box.tolist() == [[0.25, 0.5, 0.5, 0.5]]
    assert dataset.gt.attributes == {}


def test_two_files_for_one_part_are_listed_and_a_split_chooses(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, boxes=BOXES, labels=LABELS, classes=CLASSES)
    (folder / "train-annotations-bbox.csv").write_text(HEADER)
    with pytest.raises(InputError, match=r"several files of boxes: train.*, valid.*--split"):
        open_images.read_dataset(folder)
    assert len(open_images.read_dataset(folder, split="validation").gt) == 3
    train = open_images.read_dataset(folder, split="train")
    assert len(train.gt) == 0
    assert train.images.positive is None
    with pytest.raises(InputError, match="no CSV file of boxes for split dev"):
        open_images.read_dataset(folder, split="dev")


def test_machine_labels_are_left_out_and_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, boxes=BOXES, labels=LABELS)
    (folder / "validation-annotations-machine-imagelabels.csv").write_text(LABELS)
    dataset = open_images.read_dataset(folder)
    assert "machine_labels" in {notice.code for notice in dataset.notices}


def test_labels_between_present_and_absent_are_refused(tmp_path: Path) -> None:
    text = "ImageID,LabelName,Confidence\n00a,/m/cat,1\n00a,/m/dog,0.7\n"
    with pytest.raises(InputError, match=r"line 3: Confidence 0\.7 is neither 1"):
        open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, labels=text))


def test_boxes_of_undescribed_classes_stay_with_a_notice(tmp_path: Path) -> None:
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, classes="/m/cat,Cat\n"))
    assert dataset.classes.name == ("Cat", "/m/dog")
    assert "undescribed_class" in {notice.code for notice in dataset.notices}


def test_a_header_in_class_descriptions_is_no_class(tmp_path: Path) -> None:
    text = "LabelName,DisplayName\n" + CLASSES
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, classes=text))
    assert len(dataset.classes) == 3


def test_contradicting_labels_are_counted(tmp_path: Path) -> None:
    text = "ImageID,LabelName,Confidence\n00a,/m/cat,1\n00a,/m/cat,0\n"
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, labels=text))
    assert {n.code: n.count for n in dataset.notices}["contradicting_label"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x,s,/m/cat,1,0.5,0.25,0,1,0,0,0,0,0", r"line 5: XMax 0\.25 is below XMin 0\.5"),
        ("x,s,/m/cat,1,0,1,0.9,0.1,0,0,0,0,0", r"line 5: YMax 0\.1 is below YMin 0\.9"),
        ("x,s,/m/cat,1,0,abc,0,1,0,0,0,0,0", r"line 5, column XMax: 'abc' is not a number"),
        ("x,s,/m/cat,1,0,NaN,0,1,0,0,0,0,0", r"line 5, column XMax: nan is not a finite"),
        ("x,s,/m/cat,1,0,,0,1,0,0,0,0,0", r"line 5: XMax is empty"),
        (",s,/m/cat,1,0,1,0,1,0,0,0,0,0", r"line 5: ImageID is empty"),
        (
            "x,s,/m/cat,1,0,123,0,1,0,0,0,0,0",
            r"line 5, column XMax: 123\.0 is not a fraction.*pixels",
        ),
        ("x,s,/m/cat,1,0,1,0,1,0,0,7,0,0", r"line 5, column IsGroupOf: 7\.0 is neither"),
        ("x,s,/m/cat,1,0,1,0,1,0,0,0,0,0,9,9", r"line 5: 15 fields, but the header has 13"),
    ],
)
def test_bad_cells_are_named_with_line_and_column(tmp_path: Path, line, message) -> None:
    folder = folder_of(tmp_path, boxes=BOXES + line + "\n")
    with pytest.raises(InputError, match=message):
        open_images.read_dataset(folder)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, boxes="ImageID,LabelName,XMin,XMax\nx,/m/cat,0,1\n")
    with pytest.raises(InputError, match=r"missing column YMin, YMax; found ImageID"):
        open_images.read_dataset(folder)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("ImageID,Width,Height\n00a,10,10\n", r"1 of 2 images have no size \(first: 00b\)"),
        ("ImageID,Width,Height\n00a,10,10\n00a,9,9\n", r"line 2: image 00a occurs more than"),
        ("ImageID,Width,Height\n00a,0,10\n", r"line 2: image 00a has no positive size"),
        ("Width,Height\n10,10\n", r"missing column ImageID or file_name"),
    ],
)
def test_bad_sizes_are_refused(tmp_path: Path, sizes, message) -> None:
    with pytest.raises(InputError, match=message):
        open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, sizes=sizes))


def test_sizes_by_file_name_give_ids_by_stem(tmp_path: Path) -> None:
    sizes = "file_name,width,height\n00a.png,100,200\n00b.png,400,300\n"
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, sizes=sizes))
    assert dataset.images.file_name == ("00a.png", "00b.png")
    assert dataset.images.width_px.tolist() == [100, 400]


def test_the_real_hierarchy_has_602_nodes_and_several_parents() -> None:
    tree = read_hierarchy(shared("trees", "openimages_600.json"))
    assert len(tree.parents) == 602
    assert [node for node, above in tree.parents.items() if not above] == ["/m/0bl9f"]
    assert sum(len(above) > 1 for above in tree.parents.values()) == 45
    # A whale is a marine mammal and so an animal; a wheel is part of a car, and no car.
    assert {"/m/0gd2v", "/m/0jbk"} <= tree.ancestors("/m/084zz")
    assert "/m/0k4j" not in tree.ancestors("/m/083wq")
    assert len(tree.descendants("/m/0bl9f")) == 601


def test_the_hierarchy_comes_back_after_writing(tmp_path: Path) -> None:
    tree = read_hierarchy(shared("trees", "openimages_600.json"))
    write_hierarchy(tree, tmp_path / "h.json")
    again = read_hierarchy(tmp_path / "h.json")
    assert {k: set(v) for k, v in again.parents.items()} == {
        k: set(v) for k, v in tree.parents.items()
    }


def test_parts_are_nodes_but_no_children(tmp_path: Path) -> None:
    content = {
        "LabelName": "thing",
        "Subcategory": [
            {
                "LabelName": "car",
                "Part": [{"LabelName": "wheel", "Subcategory": [{"LabelName": "tyre"}]}],
            },
            {"LabelName": "toy", "Subcategory": [{"LabelName": "car"}]},
        ],
    }
    path = tmp_path / "h.json"
    path.write_text(json.dumps(content))
    assert read_hierarchy(path).parents == {
        "thing": (),
        "car": ("thing", "toy"),
        "toy": ("thing",),
        "wheel": (),
        "tyre": ("wheel",),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('{"LabelName": "a", "Subcategory": [{"Name": "b"}]}', "below a: a node without LabelName"),
        (
            '{"LabelName": "a", "Subcategory": {"LabelName": "b"}}',
            "node a: Subcategory is not a list",
        ),
        (
            '{"LabelName": "a", "Subcategory": [{"LabelName": "b", "Subcategory": [{"LabelName": "a"}]}]}',
            "is its own ancestor",
        ),
    ],
)
def test_broken_hierarchies_are_refused(tmp_path: Path, text, message) -> None:
    path = tmp_path / "h.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_hierarchy(path)


def test_the_hierarchy_names_classes_where_nothing_describes_them(tmp_path: Path) -> None:
    hierarchy = '{"LabelName": "/m/root", "Subcategory": [{"LabelName": "/m/owl"}]}'
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, hierarchy=hierarchy))
    assert dataset.classes.id.tolist() == ["/m/cat", "/m/dog", "/m/owl"]
    assert dataset.classes.tree.parents == {"/m/root": (), "/m/owl": ("/m/root",)}


def test_a_data_set_comes_back_after_writing(tmp_path: Path) -> None:
    dataset = small_dataset(text_ids=True, rich=True)
    notices = open_images.write_dataset(dataset, tmp_path / "o")
    again = open_images.read_dataset(tmp_path / "o")
    assert again.images.id.tolist() == dataset.images.id.tolist()
    assert again.images.file_name == dataset.images.file_name
    np.testing.assert_array_equal(again.images.width_px, dataset.images.width_px)
    np.testing.assert_array_equal(again.images.positive.right, dataset.images.positive.right)
    np.testing.assert_array_equal(again.images.negative.offsets, dataset.images.negative.offsets)
    assert again.classes.name == dataset.classes.name
    assert again.classes.tree.parents == dataset.classes.tree.parents
    np.testing.assert_allclose(again.gt.box, dataset.gt.box, rtol=1e-12)
    np.testing.assert_array_equal(again.gt.group_of, dataset.gt.group_of | dataset.gt.crowd)
    np.testing.assert_array_equal(
        again.gt.attributes["occluded"], dataset.gt.attributes["occluded"]
    )
    lost = {notice.code: notice.message for notice in notices}
    assert {"lost_crowd", "lost_difficult", "lost_area", "lost_attributes"} <= lost.keys()
    assert {"lost_frequency", "lost_not_exhaustive", "lost_object_id"} <= lost.keys()
    assert "the attribute 'pose' (" in lost["lost_attributes"]


def test_a_data_set_without_sizes_comes_back_in_fractions(tmp_path: Path) -> None:
    dataset = open_images.read_dataset(folder_of(tmp_path, boxes=BOXES, labels=LABELS))
    open_images.write_dataset(dataset, tmp_path / "again")
    again = open_images.read_dataset(tmp_path / "again")
    np.testing.assert_array_equal(again.gt.box, dataset.gt.box)
    assert len(again.images) == len(dataset.images)


def test_pixels_without_sizes_cannot_become_fractions(tmp_path: Path) -> None:
    dataset = small_dataset()
    unknown = np.full(3, np.nan)
    images = replace(dataset.images, width_px=unknown, height_px=unknown)
    dataset = replace(dataset, images=images)
    with pytest.raises(InputError, match="image 1 has no size"):
        open_images.write_dataset(dataset, tmp_path / "o")
    path = tmp_path / "d.csv"
    path.write_text("ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n1,0,0.5,0,1,0,1\n")
    with pytest.raises(InputError, match="image 1 has no size"):
        open_images.read_detections(path, dataset)


def test_a_tree_of_several_roots_comes_back(tmp_path: Path) -> None:
    tree = ClassTree({"a": (), "b": (), "c": ("a", "b")})
    write_hierarchy(tree, tmp_path / "h.json")
    assert read_hierarchy(tmp_path / "h.json") == tree
