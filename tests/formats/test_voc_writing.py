"""VOC annotations as they are written, and back."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images, Spans
from boxlens.data.columns import attribute_column, frozen
from boxlens.errors import InputError
from boxlens.formats import voc
from formats.voc_sets import bndbox, codes, dataset_of, detections_of, folder_of, obj, xml
from shared_data import shared


def test_what_is_written_reads_back_the_same(tmp_path):
    part = f"<part><name>head &amp; neck</name>{bndbox(3.25, 4, 7.1, 9.7)}</part>"
    more = (
        f"<pose>Left</pose><truncated>1</truncated><difficult>1</difficult><blur>0.1</blur>{part}"
    )
    folder = folder_of(
        tmp_path,
        a=xml(obj("dog & co", (0.34, 1, 2.35, 10.7), more), obj("<cat>", (-20.3, 1, 9, 3.1))),
        b=xml(head=""),
    )
    first = voc.read_dataset(folder)
    assert voc.write_dataset(first, tmp_path / "out") == ()
    second = voc.read_dataset(tmp_path / "out")
    assert (tmp_path / "out" / "ImageSets" / "Main" / "all.txt").read_text() == "a\nb\n"
    assert voc.read_dataset(tmp_path / "out", split="all").images.id.tolist() == ["a", "b"]
    np.testing.assert_array_equal(second.gt.box, first.gt.box)
    np.testing.assert_array_equal(second.images.width_px, first.images.width_px)
    assert second.images.file_name == first.images.file_name
    assert second.classes.name == first.classes.name
    assert second.gt.difficult.tolist() == first.gt.difficult.tolist()
    assert set(second.gt.attributes) == set(first.gt.attributes)
    for name, column in first.gt.attributes.items():
        np.testing.assert_array_equal(second.gt.attributes[name], column)
    sides = "<xmin>0.34</xmin><ymin>1</ymin><xmax>2.35</xmax><ymax>10.7</ymax>"
    assert sides in (tmp_path / "out" / "Annotations" / "a.xml").read_text()


def test_nothing_is_overwritten_or_left_half_written(tmp_path):
    taken = folder_of(tmp_path, a=xml())
    with pytest.raises(InputError, match="the folder is not empty"):
        voc.write_dataset(dataset_of(), taken)
    with pytest.raises(InputError, match="found a file"):
        voc.write_dataset(dataset_of(), taken / "a.xml")
    with pytest.raises(InputError, match="the folder is not empty"):
        voc.write_detections(detections_of(dataset_of()), dataset_of(), taken)
    broken = replace(dataset_of(names=("a\0b", "dog")))
    with pytest.raises(InputError, match="XML cannot hold the character"):
        voc.write_dataset(broken, tmp_path / "out")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["xml"]
    (tmp_path / "empty").mkdir()
    voc.write_dataset(dataset_of(), tmp_path / "empty")
    assert len(voc.read_dataset(tmp_path / "empty").gt) == 1


def test_what_voc_cannot_hold_is_named(tmp_path):
    dataset = dataset_of()
    no_file = frozen([0], np.int32)
    spans = Spans((tmp_path,), no_file, frozen([0], np.int64), frozen([9], np.int64))
    gt = replace(
        dataset.gt,
        crowd=frozen([True], np.bool_),
        group_of=frozen([True], np.bool_),
        area_px=frozen([7.0], np.float64),
        id=frozen([42], np.int64),
        attributes={
            "depth in m": attribute_column([1.5]),
            "difficult": attribute_column([1]),
            "parts": attribute_column(["wheel"]),
            "pose": attribute_column(["Left"]),
        },
        spans={"segmentation": spans},
    )
    classes = Classes.of([1, 2], ["cat", "dog"], supercategory=["animal", "animal"])
    notices = voc.write_dataset(replace(dataset, gt=gt, classes=classes), tmp_path / "out")
    assert codes(notices) == {
        "lost_crowd": 1,
        "lost_group_of": 1,
        "lost_area": 1,
        "lost_segmentation": 1,
        "lost_object_id": 1,
        "lost_supercategory": 2,
        "lost_attributes": 2,
        "lost_class_id": 2,
        "lost_class": 1,
        "lost_parts": 1,
    }
    assert all("VOC cannot hold" in notice.message for notice in notices)
    lost = "2 attributes: 'depth in m', 'difficult' (a plain field of the source, not the flag"
    assert any(lost in notice.message for notice in notices)
    assert voc.read_dataset(tmp_path / "out").gt.attributes["pose"].tolist() == ["Left"]


def test_boxes_below_a_pixel_are_held_and_empty_ones_are_counted(tmp_path):
    gt = GroundTruth.of(
        2, image_row=[0, 0], class_row=[0, 0], box=[[3, 3, 0.5, 0.25], [3, 3, 0, 5]]
    )
    notices = voc.write_dataset(replace(dataset_of(), gt=gt), tmp_path / "out")
    assert codes(notices)["lost_empty_box"] == 1
    assert voc.read_dataset(tmp_path / "out").gt.box.tolist() == [[3, 3, 0.5, 0.25]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": Classes.of([1, 2], ["cat", "cat"])}, "the class name 'cat' is not unique"),
        ({"classes": Classes.of([1, 2], [" cat", "dog"])}, "cannot hold the class name ' cat'"),
        (
            {"images": Images.of(["a/b", "c"], [1, 1], [1, 1], ["", ""])[0]},
            "image id 'a/b' cannot be",
        ),
    ],
)
def test_names_that_voc_cannot_carry_are_refused(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        voc.write_dataset(replace(dataset_of(), **change), tmp_path / "out")


def test_real_annotations_survive_voc(tmp_path):
    content = json.loads(shared("coco_val2017_80", "instances.json").read_text())
    ids = [image["id"] for image in content["images"]]
    images, order = Images.of(
        ids,
        [image["width"] for image in content["images"]],
        [image["height"] for image in content["images"]],
        [image["file_name"] for image in content["images"]],
        sort=True,
    )
    row_of_image = {ids[old]: new for new, old in enumerate(order)}
    categories = content["categories"]
    classes = Classes.of([c["id"] for c in categories], [c["name"] for c in categories], sort=True)
    row_of_class = classes.row_of_id()
    objects = content["annotations"]
    gt = GroundTruth.of(
        len(images),
        image_row=[row_of_image[o["image_id"]] for o in objects],
        class_row=[row_of_class[o["category_id"]] for o in objects],
        box=[o["bbox"] for o in objects],
        crowd=[o["iscrowd"] for o in objects],
        area_px=[o["area"] for o in objects],
    )
    dataset = Dataset("coco", images, classes, gt)
    notices = voc.write_dataset(dataset, tmp_path / "out")
    assert codes(notices)["lost_crowd"] == 11
    back = voc.read_dataset(tmp_path / "out")
    assert len(back.gt) == len(objects) == 815
    assert back.gt.difficult.sum() == 11
    row_of_id = back.images.row_of_id()
    for row, image_id in enumerate(images.id.tolist()):
        here = slice(*gt.offsets[row : row + 2])
        there_row = row_of_id[f"{image_id:012}"]
        there = slice(*back.gt.offsets[there_row : there_row + 2])
        np.testing.assert_allclose(back.gt.box[there], gt.box[here], rtol=0, atol=1e-9)
        names = [classes.name[class_row] for class_row in gt.class_row[here]]
        assert [back.classes.name[class_row] for class_row in back.gt.class_row[there]] == names
        assert back.images.file_name[there_row] == images.file_name[row]


# Results
