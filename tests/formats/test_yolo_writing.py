"""YOLO sets and predictions as they are written, and back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxlens.data import Classes, GroundTruth, Images
from boxlens.data.columns import attribute_column, frozen
from boxlens.errors import InputError, ParameterError
from boxlens.formats import yolo
from formats.yolo_sets import codes, dataset_of, detections_of, png, put, set_of


def test_a_written_set_is_read_again_without_images(tmp_path):
    first = yolo.read_dataset(put(set_of(tmp_path), images__val__none_png=png()))
    assert yolo.write_dataset(first, tmp_path / "out") == ()
    second = yolo.read_dataset(tmp_path / "out")
    assert second.notices == ()
    assert second.images.id.tolist() == first.images.id.tolist() == ["a", "b", "none"]
    assert second.images.file_name == first.images.file_name
    assert second.images.width_px.tolist() == first.images.width_px.tolist()
    assert second.classes.name == first.classes.name
    assert second.gt.class_row.tolist() == first.gt.class_row.tolist()
    np.testing.assert_allclose(second.gt.box, first.gt.box, rtol=0, atol=1e-9)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "data.yaml",
        "labels",
        "sizes.csv",
    ]
    yolo.write_dataset(first, tmp_path / "train", split="train")
    assert len(yolo.read_dataset(tmp_path / "train", split="train").gt) == 3


def test_sets_with_folders_and_odd_names_survive(tmp_path):
    images, _ = Images.of([5, 6, 7], [50] * 3, [80] * 3, ["x/a.b.png", "y/a.b.png", ""])
    classes = Classes.of([3, 9], ["no", "a: b"])
    gt = GroundTruth.of(3, image_row=[0, 1, 2], class_row=[0, 1, 0], box=np.ones((3, 4)))
    dataset = replace(dataset_of(), images=images, classes=classes, gt=gt)
    detections = detections_of(dataset)
    notices = yolo.write_dataset(dataset, tmp_path / "out")
    assert codes(notices) == {"lost_image_id": 3, "lost_class_id": 2}
    yolo.write_detections(detections, dataset, tmp_path / "det")
    back = yolo.read_dataset(tmp_path / "out")
    assert back.images.id.tolist() == ["7", "images/val/x/a.b", "images/val/y/a.b"]
    assert back.classes.name == ("no", "a: b")
    found = yolo.read_detections(tmp_path / "det", back)
    assert found.notices == ()
    assert found.image_row.tolist() == [1, 2, 2]
    assert found.class_row.tolist() == [1, 0, 1]


def test_what_yolo_cannot_hold_is_named(tmp_path):
    dataset = dataset_of()
    gt = replace(
        dataset.gt,
        crowd=frozen([True, False], np.bool_),
        difficult=frozen([True, True], np.bool_),
        group_of=frozen([False, True], np.bool_),
        attributes={"pose": attribute_column(["Left", None])},
    )
    notices = yolo.write_dataset(replace(dataset, gt=gt), tmp_path / "out")
    assert codes(notices) == {
        "lost_crowd": 1,
        "lost_difficult": 2,
        "lost_group_of": 1,
        "lost_attributes": 1,
    }
    assert all("YOLO cannot hold" in notice.message for notice in notices)
    assert notices[-1].message.endswith("hold the attribute 'pose' (1 values lost)")


def test_many_lost_attributes_are_one_notice_that_counts_them(tmp_path):
    dataset = dataset_of()
    attributes = {f"part_{k}": attribute_column([k, None]) for k in range(1, 46)}
    attributes["unknown"] = attribute_column([None, None])
    gt = replace(dataset.gt, attributes=attributes)
    (notice,) = yolo.write_dataset(replace(dataset, gt=gt), tmp_path / "out")
    assert (notice.code, notice.count) == ("lost_attributes", 45)
    named = "45 attributes: 'part_1', 'part_2', 'part_3' and 42 more (45 values lost)"
    assert notice.message.endswith(f"YOLO cannot hold {named}")


def test_written_predictions_read_back(tmp_path):
    dataset = dataset_of()
    detections = detections_of(dataset)
    yolo.write_detections(detections, dataset, tmp_path / "out")
    found = yolo.read_detections(tmp_path / "out", dataset)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
    assert found.image_row.tolist() == detections.image_row.tolist()
    assert found.class_row.tolist() == detections.class_row.tolist()
    assert found.score.tolist() == detections.score.tolist()
    np.testing.assert_allclose(found.box, detections.box, rtol=0, atol=1e-9)


def test_sets_that_yolo_cannot_carry_are_refused_and_leave_nothing(tmp_path):
    dataset = dataset_of()
    unsized = Images.of(["a", "b"], [50, np.nan], [80, 100], ["a.png", "b.png"])[0]
    same = Images.of([1, 2], [50, 50], [80, 80], ["a.png", "a.jpg"])[0]
    outside = Images.of([1, 2], [50, 50], [80, 80], ["../a.png", "b.jpg"])[0]
    for images, message in (
        (unsized, "size of image 'b' is unknown"),
        (same, "the image name 'a' is not unique"),
        (outside, "no usable file name"),
    ):
        changed = replace(dataset, images=images)
        with pytest.raises(InputError, match=message):
            yolo.write_dataset(changed, tmp_path / "out")
        with pytest.raises(InputError, match=message):
            yolo.write_detections(detections_of(changed), changed, tmp_path / "out")
    with pytest.raises(ParameterError, match="one of val, test, train"):
        yolo.write_dataset(dataset, tmp_path / "out", split="mine")
    assert list(tmp_path.iterdir()) == []
    put(tmp_path / "out", a_txt="")
    with pytest.raises(InputError, match="the folder is not empty"):
        yolo.write_dataset(dataset, tmp_path / "out")


def test_a_target_that_cannot_be_written_is_named(tmp_path):
    put(tmp_path, file_txt="")
    with pytest.raises(InputError, match=r"out: cannot be written|out, .*: cannot be written"):
        yolo.write_dataset(dataset_of(), tmp_path / "file.txt" / "out")


# Laws


quick = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@quick
@given(
    content=st.one_of(
        st.binary(max_size=60), st.text("01.- enaif\n\t5", max_size=60).map(str.encode)
    )
)
def test_any_content_is_read_or_refused(tmp_path_factory, content):
    root = set_of(tmp_path_factory.mktemp("any"))
    good = yolo.read_dataset(root)
    put(root, run__a_txt=content, labels__val__a_txt=content)
    for read in (lambda: yolo.read_dataset(root), lambda: yolo.read_detections(root / "run", good)):
        with suppress(InputError):
            read()
    put(root, data_yaml=content)
    with pytest.raises(InputError, match=r"data\.yaml"):
        yolo.read_dataset(root)
