"""VOC annotations: XML, devkits and splits."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from boxlens.errors import InputError
from boxlens.formats import voc
from formats.voc_sets import bndbox, codes, devkit_of, folder_of, obj, xml


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
        (xml(obj())[:-20], "bad.xml: damaged or truncated XML"),
        ('<?xml version="1.0" encoding="none-such"?><annotation/>', "damaged or truncated XML"),
        ("<html></html>", "expected <annotation>, found <html>"),
        (xml("<object><name>dog</name></object>"), r"object 1 \(dog\), bndbox: missing box"),
        (
            xml(obj(), f"<object>{bndbox(1, 1, 2, 2)}</object>"),
            "object 2, name: missing class",
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
        (xml(obj(more="<part><name>head</name></part>")), "part 1, bndbox: missing box"),
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
        InputError, match=r"unknown split 'val'. Choose one of: small_test, test, trainval$"
    ):
        voc.read_dataset(year, split="val")
    with pytest.raises(InputError, match="a list for one class"):
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
    with pytest.raises(InputError, match="no images listed"):
        voc.read_dataset(year, split="test")


def test_repeated_split_entries_count_once_and_lists_may_be_packed(tmp_path):
    year = devkit_of(tmp_path)
    (year / "ImageSets" / "Main" / "mine.txt.gz").write_bytes(gzip.compress(b"000001\n000001\n"))
    dataset = voc.read_dataset(year, split="mine")
    assert dataset.images.id.tolist() == ["000001"]
    assert codes(dataset.notices) == {"repeated_image": 1}


@pytest.mark.slow
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
