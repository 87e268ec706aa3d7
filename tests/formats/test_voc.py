"""PASCAL VOC: annotations, devkits and results, read and written."""

from __future__ import annotations

import gzip
import html
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Spans
from boxlens.data.columns import attribute_column, frozen
from boxlens.errors import InputError
from boxlens.formats import voc
from shared_data import shared

if TYPE_CHECKING:
    from pathlib import Path

SIZE = "<size><width>500</width><height>375</height><depth>3</depth></size>"


def bndbox(*corners: object) -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=True)
    return f"<bndbox>{''.join(f'<{tag}>{value}</{tag}>' for tag, value in sides)}</bndbox>"


def obj(name: str = "dog", corners: tuple = (1, 1, 10, 10), more: str = "") -> str:
    return f"<object><name>{html.escape(name)}</name>{more}{bndbox(*corners)}</object>"


def xml(*objects: str, head: str = f"<filename>a.jpg</filename>{SIZE}") -> str:
    return f"<annotation>{head}{''.join(objects)}</annotation>"


def folder_of(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "xml"
    folder.mkdir()
    for stem, text in files.items():
        (folder / f"{stem}.xml").write_text(text, encoding="utf-8")
    return folder


def devkit_of(tmp_path: Path, year: str = "VOC2007") -> Path:
    folder = tmp_path / "VOCdevkit" / year
    (folder / "Annotations").mkdir(parents=True)
    (folder / "ImageSets" / "Main").mkdir(parents=True)
    for stem in ("000001", "000002", "000003"):
        text = xml(obj("dog"), head=f"<filename>{stem}.jpg</filename>{SIZE}")
        (folder / "Annotations" / f"{stem}.xml").write_text(text)
    lists = folder / "ImageSets" / "Main"
    (lists / "test.txt").write_text("000001\n000003\n")
    (lists / "trainval.txt").write_text("000002\n")
    (lists / "dog_test.txt").write_text("000001  1\n000003 -1\n")
    (lists / "small_test.txt").write_text("000001\n")
    return folder


def dataset_of(n_images: int = 2, names: tuple[str, ...] = ("cat", "dog")) -> Dataset:
    ids = [f"{row:06}" for row in range(n_images)]
    images, _ = Images.of(ids, [500] * n_images, [375] * n_images, [f"{i}.jpg" for i in ids])
    gt = GroundTruth.of(n_images, image_row=[0], class_row=[0], box=[[0, 0, 10, 10]])
    return Dataset("set", images, Classes.of(names, names), gt)


def codes(notices) -> dict[str, int]:
    return {notice.code: notice.count for notice in notices}


# Reading annotations


def test_an_annotation_becomes_images_classes_and_objects(tmp_path):
    more = "<pose>Left</pose><truncated>1</truncated><difficult>1</difficult><occluded>0</occluded>"
    folder = folder_of(
        tmp_path,
        b=xml(obj("dog", (48, 240, 195, 371), more), obj("cat", (8.5, 12, 352.25, 498))),
        a=xml(),
    )
    dataset = voc.read_dataset(folder)
    assert dataset.images.id.tolist() == ["a", "b"]
    assert dataset.images.width_px.tolist() == [500, 500]
    assert dataset.images.file_name == ("a.jpg", "a.jpg")
    assert dataset.classes.id.tolist() == ["cat", "dog"]
    assert dataset.classes.name == ("cat", "dog")
    assert dataset.gt.image_row.tolist() == [1, 1]
    assert dataset.gt.class_row.tolist() == [1, 0]
    assert dataset.gt.box.tolist() == [[47, 239, 148, 132], [7.5, 11, 344.75, 487]]
    assert dataset.gt.area_px.tolist() == [148 * 132, 344.75 * 487]
    assert dataset.gt.difficult.tolist() == [True, False]
    assert dataset.gt.attributes["pose"].tolist() == ["Left", None]
    np.testing.assert_array_equal(dataset.gt.attributes["truncated"], [1, np.nan])
    np.testing.assert_array_equal(dataset.gt.attributes["occluded"], [0, np.nan])
    assert dataset.source.format == "voc"
    assert dataset.notices == ()


def test_inclusive_boxes_give_the_iou_of_inclusive_pixels(tmp_path):
    folder = folder_of(tmp_path, a=xml(obj(corners=(1, 1, 10, 10)), obj(corners=(1, 6, 10, 15))))
    (x, y, w, h), (x2, y2, w2, h2) = voc.read_dataset(folder).gt.box.tolist()
    inter = (min(x + w, x2 + w2) - max(x, x2)) * (min(y + h, y2 + h2) - max(y, y2))
    assert inter / (w * h + w2 * h2 - inter) == 1 / 3


def test_further_scalar_fields_become_attributes_with_their_type(tmp_path):
    folder = folder_of(
        tmp_path,
        a=xml(
            obj(
                more="<blur>0.5</blur><code>007</code><note>a &lt; b</note><track>9007199254740993</track>"
            ),
            obj(more="<blur>2</blur><code>12</code>"),
        ),
    )
    attributes = voc.read_dataset(folder).gt.attributes
    assert attributes["blur"].tolist() == [0.5, 2]
    assert attributes["code"].tolist() == ["007", "12"]
    assert attributes["note"].tolist() == ["a < b", None]
    assert attributes["track"].tolist() == ["9007199254740993", None]


def test_parts_are_no_objects_and_are_kept_with_theirs(tmp_path):
    part = f"<part><name>head</name>{bndbox(3, 4, 7, 9)}</part>"
    folder = folder_of(tmp_path, a=xml(obj("person", more=part), obj("person")))
    gt = voc.read_dataset(folder).gt
    assert len(gt) == 2
    first, second = gt.attributes["parts"].tolist()
    assert json.loads(first) == [{"name": "head", "box": [2, 3, 5, 6]}]
    assert second is None


def test_nested_and_repeated_fields_are_counted(tmp_path):
    more = "<actions><jumping>1</jumping></actions><pose>Left</pose><pose>Right</pose>"
    dataset = voc.read_dataset(folder_of(tmp_path, a=xml(obj(more=more))))
    assert codes(dataset.notices) == {"skipped_field": 2}
    assert "actions (1)" in dataset.notices[0].message
    assert dataset.gt.attributes["pose"].tolist() == ["Left"]


def test_unspecified_flags_are_missing_and_words_are_understood(tmp_path):
    more = "<truncated>Unspecified</truncated><occluded>true</occluded><difficult>True</difficult>"
    gt = voc.read_dataset(folder_of(tmp_path, a=xml(obj(more=more)))).gt
    assert "truncated" not in gt.attributes
    assert gt.attributes["occluded"].tolist() == [1]
    assert gt.difficult.tolist() == [True]


def test_missing_sizes_and_file_names_are_told(tmp_path):
    zero = "<size><width>0</width><height>0</height></size>"
    dataset = voc.read_dataset(folder_of(tmp_path, a=xml(head=""), b=xml(head=zero)))
    assert np.isnan(dataset.images.width_px).all()
    assert dataset.images.file_name == ("a.jpg", "b.jpg")
    assert codes(dataset.notices) == {"size_missing": 2, "file_name_missing": 2}


def test_packed_annotations_are_read(tmp_path):
    folder = folder_of(tmp_path, a=xml(obj()))
    (folder / "b.xml.gz").write_bytes(gzip.compress(xml(obj("cat")).encode()))
    dataset = voc.read_dataset(folder)
    assert dataset.images.id.tolist() == ["a", "b"]
    (folder / "a.xml.gz").write_bytes(gzip.compress(xml().encode()))
    with pytest.raises(InputError, match="annotations of the same image"):
        voc.read_dataset(folder)


def test_other_encodings_are_understood(tmp_path):
    folder = folder_of(tmp_path)
    text = '<?xml version="1.0" encoding="{}"?>' + xml(obj("Käfer"))
    (folder / "a.xml").write_bytes(text.format("ISO-8859-1").encode("latin-1"))
    (folder / "b.xml").write_bytes(text.format("UTF-16").encode("utf-16"))
    assert voc.read_dataset(folder).classes.name == ("Käfer",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad.xml: empty file"),
        ("hello", "bad.xml: not an XML file"),
        (xml(obj())[:-20], "bad.xml: damaged or cut off XML"),
        ('<?xml version="1.0" encoding="none-such"?><annotation/>', "damaged or cut off XML"),
        ("<html></html>", "expected <annotation>, found <html>"),
        (xml("<object><name>dog</name></object>"), r"object 1 \(dog\), bndbox: the box is missing"),
        (
            xml(obj(), f"<object>{bndbox(1, 1, 2, 2)}</object>"),
            "object 2, name: the class is missing",
        ),
        (
            xml(obj(corners=(10, 1, 5, 9))),
            r"object 1 \(dog\), bndbox/xmax: xmax 5 is below xmin 10",
        ),
        (xml(obj(corners=(1, 10, 9, 9))), "bndbox/ymax: ymax 9 is below ymin 10"),
        (xml(obj(corners=(1, "x", 9, 9))), "bndbox/ymin: expected a finite number, found 'x'"),
        (xml(obj(corners=(1, 1, "nan", 9))), "bndbox/xmax: expected a finite number, found 'nan'"),
        (xml(obj(corners=(1, 1, "inf", 9))), "bndbox/xmax: expected a finite number, found 'inf'"),
        (xml(obj(corners=(1, 1, "", 9))), "bndbox/xmax: missing or empty"),
        (xml(obj(more="<difficult>2</difficult>")), "difficult: expected 0 or 1, found '2'"),
        (xml(obj(more="<truncated>half</truncated>")), "truncated: expected a finite number"),
        (xml(obj(more="<part><name>head</name></part>")), "part 1, bndbox: the box is missing"),
        (xml(head="<size><width>-1</width><height>2</height></size>"), "negative size -1"),
    ],
)
def test_bad_annotations_are_refused_by_file_object_and_field(tmp_path, content, message):
    folder = folder_of(tmp_path, good=xml(obj()), bad=content)
    with pytest.raises(InputError, match=message) as caught:
        voc.read_dataset(folder)
    assert caught.value.path.endswith("bad.xml")


BOMB = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("doctype", [BOMB, OUTSIDE])
def test_entities_are_refused(tmp_path, doctype):
    folder = folder_of(tmp_path, a=doctype + xml(obj("dog", more="<note>&x;</note>")))
    with pytest.raises(InputError, match="entities and external references are refused"):
        voc.read_dataset(folder)


def test_a_folder_without_annotations_is_refused(tmp_path):
    with pytest.raises(InputError, match="no XML annotations found"):
        voc.read_dataset(tmp_path)
    with pytest.raises(InputError, match="no such file or folder"):
        voc.read_dataset(tmp_path / "none")


# Devkits and splits


def test_a_devkit_is_read_from_each_of_its_folders(tmp_path):
    year = devkit_of(tmp_path)
    for path in (year, year.parent, year / "Annotations"):
        assert voc.read_dataset(path).images.id.tolist() == ["000001", "000002", "000003"]
        assert voc.read_dataset(path, split="test").images.id.tolist() == ["000001", "000003"]
    assert voc.read_dataset(year.parent).name == "VOC2007"


def test_a_devkit_of_several_years_asks_for_one(tmp_path):
    year = devkit_of(tmp_path)
    devkit_of(tmp_path, "VOC2012")
    with pytest.raises(InputError, match="several data sets: VOC2007, VOC2012"):
        voc.read_dataset(year.parent)


def test_an_unknown_split_lists_the_others_without_lists_of_one_class(tmp_path):
    year = devkit_of(tmp_path)
    with pytest.raises(
        InputError, match=r"no split 'val'. Choose one of: small_test, test, trainval$"
    ):
        voc.read_dataset(year, split="val")
    with pytest.raises(InputError, match="a list of one class"):
        voc.read_dataset(year, split="dog_test")
    with pytest.raises(InputError, match="ImageSets/Main is missing"):
        voc.read_dataset(folder_of(tmp_path, a=xml()), split="test")


def test_a_split_entry_without_annotation_is_named(tmp_path):
    year = devkit_of(tmp_path)
    lists = year / "ImageSets" / "Main"
    (lists / "test.txt").write_text("000001\n000009\n")
    with pytest.raises(InputError, match="line 2: image '000009' has no annotation"):
        voc.read_dataset(year, split="test")
    (lists / "test.txt").write_text("\n")
    with pytest.raises(InputError, match="lists no image"):
        voc.read_dataset(year, split="test")


def test_repeated_split_entries_count_once_and_lists_may_be_packed(tmp_path):
    year = devkit_of(tmp_path)
    (year / "ImageSets" / "Main" / "mine.txt.gz").write_bytes(gzip.compress(b"000001\n000001\n"))
    dataset = voc.read_dataset(year, split="mine")
    assert dataset.images.id.tolist() == ["000001"]
    assert codes(dataset.notices) == {"repeated_image": 1}


def test_many_files_report_progress(tmp_path):
    folder = folder_of(tmp_path)
    text = xml(*[obj(more="<pose>Left</pose><truncated>0</truncated>")] * 3)
    for number in range(5000):
        (folder / f"{number:06}.xml").write_text(text)
    calls: list[tuple[str, int, int]] = []
    dataset = voc.read_dataset(folder, progress=lambda *call: calls.append(call))
    assert len(dataset.gt) == 15_000
    assert calls[0] == ("reading annotations", 0, 5000)
    assert calls[-1] == ("reading annotations", 5000, 5000)
    assert len(calls) > 10


# Writing data sets


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
        "lost_attribute_depth in m": 1,
        "lost_class_id": 2,
        "lost_class": 1,
        "lost_parts": 1,
    }
    assert all("VOC cannot hold" in notice.message for notice in notices)
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
        ({"classes": Classes.of([1, 2], ["cat", "cat"])}, "several classes are named 'cat'"),
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
    )
    row_of_image = {ids[old]: new for new, old in enumerate(order)}
    categories = content["categories"]
    classes = Classes.of([c["id"] for c in categories], [c["name"] for c in categories])
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


def detections_of(
    dataset: Dataset, boxes=((0, 0, 10, 10),), rows=(0,), classes=(0,), scores=(0.5,)
):
    return Detections.of(
        "det", len(dataset.images), image_row=rows, class_row=classes, box=boxes, score=scores
    )


def results_of(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_results_are_read_by_class_with_inclusive_boxes(tmp_path):
    folder = results_of(
        tmp_path,
        comp4_det_test_dog="000001 0.9 1 1 10 10\n\n000000 0.25 2.5 3 4.5 5\n",
        comp4_det_test_cat="000001 .125 1 6 10 15\n",
    )
    found = voc.read_detections(folder, dataset_of())
    assert found.name == "mine"
    assert found.image_row.tolist() == [0, 1, 1]
    assert found.class_row.tolist() == [1, 0, 1]
    assert found.score.tolist() == [0.25, 0.125, 0.9]
    assert found.box.tolist() == [[1.5, 2, 3, 3], [0, 5, 10, 10], [0, 0, 10, 10]]
    assert found.notices == ()
    one = voc.read_detections(folder / "comp4_det_test_dog.txt", dataset_of(), name="x")
    assert (one.name, len(one)) == ("x", 2)


def test_the_class_is_the_longest_name_that_ends_the_file_name(tmp_path):
    names = ("dog", "hot_dog", "test_dog")
    dataset = dataset_of(names=names)
    line = "000000 0.5 1 1 2 2\n"
    folder = results_of(tmp_path, comp4_det_test_dog=line, comp3_det_val_2_hot_dog=line * 2)
    found = voc.read_detections(folder, dataset)
    assert [names[row] for row in found.class_row] == ["hot_dog", "hot_dog", "dog"]


def test_unknown_images_and_classes_are_counted_or_refused(tmp_path):
    folder = results_of(
        tmp_path,
        comp4_det_test_dog="000000 0.9 1 1 10 10\nnone 0.9 1 1 10 10\n",
        comp4_det_test_horse="000000 0.9 1 1 10 10\n" * 2,
        notes="not a result",
    )
    found = voc.read_detections(folder, dataset_of())
    assert len(found) == 1
    assert codes(found.notices) == {"unknown_image": 1, "unknown_class": 2, "other_file": 1}
    with pytest.raises(InputError, match=r"comp4_det_test_dog.txt line 2, image none"):
        voc.read_detections(folder, dataset_of(), strict=True)


def test_image_ids_may_hold_blanks_and_may_be_numbers(tmp_path):
    images, _ = Images.of([7, 12], [9, 9], [9, 9], ["", ""])
    folder = results_of(tmp_path, comp4_det_test_dog="12 0.9 1 1 10 10\n")
    assert voc.read_detections(folder, replace(dataset_of(), images=images)).image_row.tolist() == [
        1
    ]
    images, _ = Images.of(["my cat", "x"], [9, 9], [9, 9], ["", ""])
    folder = results_of(tmp_path, comp4_det_test_dog="my cat 0.9 1 1 10 10\n")
    assert voc.read_detections(folder, replace(dataset_of(), images=images)).image_row.tolist() == [
        0
    ]


def test_packed_results_are_read(tmp_path):
    folder = tmp_path / "packed"
    folder.mkdir()
    packed = gzip.compress(b"000000 0.9 1 1 10 10\n")
    (folder / "comp4_det_test_dog.txt.gz").write_bytes(packed)
    assert len(voc.read_detections(folder, dataset_of())) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("000000 0.9 1 1 10", "comp4_det_test_dog.txt, line 2: expected 6 fields, found 5"),
        ("000000 high 1 1 10 10", "line 2: not a number .*'high'"),
        ("000000 nan 1 1 10 10", "line 2: expected finite numbers"),
        ("000000 0.5 1 1 inf 10", "line 2: expected finite numbers"),
        ("000000 0.5 10 1 5 10", "comp4_det_test_dog.txt line 2.*negative width or height"),
    ],
)
def test_bad_result_lines_are_refused_by_file_and_line(tmp_path, line, message):
    folder = results_of(tmp_path, comp4_det_test_dog=f"000000 0.5 1 1 9 9\n{line}\n")
    with pytest.raises(InputError, match=message):
        voc.read_detections(folder, dataset_of())


def test_folders_without_results_and_with_two_sets_of_them_are_refused(tmp_path):
    folder = results_of(tmp_path, notes="")
    with pytest.raises(InputError, match="no VOC results found"):
        voc.read_detections(folder, dataset_of())
    folder = results_of(tmp_path, comp3_det_test_dog="", comp4_det_test_dog="")
    with pytest.raises(InputError, match="both results of class 'dog'"):
        voc.read_detections(folder, dataset_of())


def test_every_class_gets_a_result_file(tmp_path):
    dataset = dataset_of(names=("cat", "hot_dog"))
    voc.write_detections(detections_of(dataset), dataset, tmp_path / "out")
    files = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert files == {
        "comp4_det_test_cat.txt": "000000 0.5 1 1 10 10\n",
        "comp4_det_test_hot_dog.txt": "",
    }


def test_reading_results_reports_progress(tmp_path):
    folder = results_of(tmp_path, comp4_det_test_dog="")
    calls = []
    voc.read_detections(folder, dataset_of(), progress=lambda *call: calls.append(call))
    assert calls == [("reading results", 0, 1), ("reading results", 1, 1)]


# Laws

coordinate = st.one_of(
    st.integers(-50, 2000),
    st.integers(-50_000, 2_000_000).map(lambda n: n / 1000),
    st.floats(-50, 2000),
)
corner_pairs = st.tuples(coordinate, coordinate).map(sorted)
corner_boxes = st.tuples(corner_pairs, corner_pairs).map(
    lambda p: (float(p[0][0]), float(p[1][0]), float(p[0][1]), float(p[1][1])),
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@quick
@given(data=st.data())
def test_results_of_voc_survive_a_round_trip_exactly(tmp_path_factory, data):
    dataset = dataset_of(3)
    rows = data.draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.floats(-5, 5), corner_boxes)),
    )
    folder = tmp_path_factory.mktemp("results")
    for class_row, name in enumerate(dataset.classes.name):
        lines = [
            f"{image_row:06} {score!r} {' '.join(map(repr, corners))}\n"
            for image_row, its_class, score, corners in rows
            if its_class == class_row
        ]
        (folder / f"comp4_det_val_{name}.txt").write_text("".join(lines))
    first = voc.read_detections(folder, dataset)
    assert len(first) == len(rows)
    voc.write_detections(first, dataset, folder / "again")
    second = voc.read_detections(folder / "again", dataset)
    for column in ("image_row", "class_row", "box", "score", "offsets"):
        np.testing.assert_array_equal(getattr(second, column), getattr(first, column))


@quick
@given(objects=st.lists(st.tuples(corner_boxes, st.booleans(), st.sampled_from(["a", "b & c"]))))
def test_annotations_of_voc_survive_a_round_trip_exactly(tmp_path_factory, objects):
    texts = [
        obj(name, corners, f"<difficult>{int(difficult)}</difficult>")
        for corners, difficult, name in objects
    ]
    parent = tmp_path_factory.mktemp("labels")
    first = voc.read_dataset(folder_of(parent, a=xml(*texts)))
    voc.write_dataset(first, parent / "out")
    second = voc.read_dataset(parent / "out")
    assert second.classes.name == first.classes.name
    for column in ("image_row", "class_row", "box", "area_px", "difficult"):
        np.testing.assert_array_equal(getattr(second.gt, column), getattr(first.gt, column))


@quick
@given(data=st.data())
def test_any_content_is_read_or_refused(tmp_path_factory, data):
    good = xml(obj(more="<pose>Left</pose><difficult>1</difficult>"), obj("cat")).encode()
    begin = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(begin, min(begin + 30, len(good))))
    content = good[:begin] + data.draw(st.binary(max_size=8)) + good[end:]
    parent = tmp_path_factory.mktemp("any")
    folder = folder_of(parent)
    (folder / "a.xml").write_bytes(content)
    results = results_of(parent)
    (results / "comp4_det_test_dog.txt").write_bytes(data.draw(st.binary(max_size=40)))
    for read in (
        lambda: voc.read_dataset(folder),
        lambda: voc.read_detections(results, dataset_of()),
    ):
        told = str(parent)
        try:
            read()
        except InputError as refusal:
            told = str(refusal)
        assert str(parent) in told
