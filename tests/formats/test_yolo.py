"""YOLO: data.yaml, labels, image sizes and predictions, read and written."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import attribute_column, frozen
from boxlens.errors import InputError, ParameterError
from boxlens.formats import yolo
from shared_data import shared

if TYPE_CHECKING:
    from pathlib import Path

NAMES = "names: [cat, dog]\n"


def png(width: int = 200, height: int = 100) -> bytes:
    """A real picture, all black."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (height * (width + 1)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def put(root: Path, **files: str | bytes) -> Path:
    """Writes files; two underscores stand for a slash, one before the ending for the dot."""
    for key, content in files.items():
        name, _, ending = key.replace("__", "/").rpartition("_")
        path = root / f"{name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def set_of(tmp_path: Path) -> Path:
    return put(
        tmp_path / "pets",
        data_yaml=f"path: .\ntrain: images/train\nval: images/val\ntest:\nnc: 2\n{NAMES}",
        images__val__b_png=png(),
        images__val__a_png=png(50, 80),
        images__train__c_png=png(),
        labels__val__a_txt="1 0.5 0.5 0.2 0.5\n\n0 0.25 0.125 0.5 0.25\n",
        labels__val__b_txt="1 0.5 0.5 1 1\n",
        labels__train__c_txt="0 0.5 0.5 1 1\n",
    )


def dataset_of() -> Dataset:
    images, _ = Images.of(
        ["a", "b"], [50, 200], [80, 100], ["images/val/a.png", "images/val/b.png"]
    )
    gt = GroundTruth.of(2, image_row=[0, 1], class_row=[0, 1], box=[[1, 2, 3, 4], [5, 6, 7, 8.5]])
    return Dataset("set", images, Classes.of([0, 1], ["cat", "dog"]), gt)


def detections_of(dataset: Dataset) -> Detections:
    return Detections.of(
        "det",
        len(dataset.images),
        image_row=[0, 1, 1],
        class_row=[1, 0, 1],
        box=[[1, 2, 3, 4], [5, 6, 7.25, 8], [0, 0, 10, 10]],
        score=[0.1, 0.9, 1 / 3],
    )


def codes(notices) -> dict[str, int]:
    return {notice.code: notice.count for notice in notices}


# Reading ground truth


def test_labels_become_boxes_in_pixels(tmp_path):
    root = set_of(tmp_path)
    dataset = yolo.read_dataset(root / "data.yaml")
    assert dataset.name == "pets"
    assert dataset.images.id.tolist() == ["a", "b"]
    assert dataset.images.file_name == ("images/val/a.png", "images/val/b.png")
    assert dataset.images.width_px.tolist() == [50, 200]
    assert dataset.images.height_px.tolist() == [80, 100]
    assert dataset.classes.id.tolist() == [0, 1]
    assert dataset.classes.name == ("cat", "dog")
    assert dataset.gt.image_row.tolist() == [0, 0, 1]
    assert dataset.gt.class_row.tolist() == [1, 0, 1]
    assert dataset.gt.box.tolist() == [[20, 20, 10, 40], [0, 0, 25, 20], [0, 0, 200, 100]]
    assert dataset.gt.area_px.tolist() == [400, 500, 20_000]
    assert dataset.source.format == "yolo"
    assert dataset.notices == ()
    assert yolo.read_dataset(root).images.id.tolist() == ["a", "b"]


def test_real_jpegs_tell_their_sizes(tmp_path):
    entries = json.loads(shared("coco_val2017_80", "instances.json").read_text())["images"]
    for entry in entries:
        image = shared("images", entry["file_name"]).read_bytes()
        stem = entry["file_name"].removesuffix(".jpg")
        put(tmp_path, **{f"images__{stem}_jpg": image, f"labels__{stem}_txt": "0 0.5 0.5 1 1\n"})
    put(tmp_path, data_yaml=f"val: images\n{NAMES}")
    images = yolo.read_dataset(tmp_path).images
    found = zip(
        images.id.tolist(), images.width_px.tolist(), images.height_px.tolist(), strict=True
    )
    wanted = [(e["file_name"].removesuffix(".jpg"), e["width"], e["height"]) for e in entries]
    assert sorted(found) == sorted(wanted)


def test_the_split_is_val_unless_asked_and_said_where_it_is_not(tmp_path):
    root = set_of(tmp_path)
    assert yolo.read_dataset(root, split="train").images.id.tolist() == ["c"]
    with pytest.raises(InputError, match=r"no split 'test'. Choose one of: val, train"):
        yolo.read_dataset(root, split="test")
    put(root, data_yaml=f"train: images/train\n{NAMES}")
    dataset = yolo.read_dataset(root)
    assert dataset.images.id.tolist() == ["c"]
    assert codes(dataset.notices) == {"split_chosen": 1}
    assert "read the split 'train'" in dataset.notices[0].message
    put(root, data_yaml=f"train: images/train\ntest: images/val\n{NAMES}")
    assert yolo.read_dataset(root).images.id.tolist() == ["a", "b"]


def test_exports_that_point_beside_themselves_are_understood(tmp_path):
    root = put(
        tmp_path,
        data_yaml=f"train: ../train/images\nval: ../valid/images\n{NAMES}",
        valid__images__a_png=png(),
        valid__labels__a_txt="0 0.5 0.5 1 1\n",
    )
    dataset = yolo.read_dataset(root)
    assert dataset.images.file_name == ("valid/images/a.png",)
    assert len(dataset.gt) == 1
    assert len(yolo.read_dataset(root, split="valid").gt) == 1


def test_a_set_that_was_moved_is_read_beside_its_file_and_said(tmp_path):
    root = set_of(tmp_path)
    put(root, data_yaml=f"path: /no/such/place\nval: images/val\n{NAMES}")
    dataset = yolo.read_dataset(root)
    assert len(dataset.gt) == 3
    assert codes(dataset.notices) == {"path_moved": 1}


def test_a_split_may_be_folders_or_lists_of_images(tmp_path):
    root = set_of(tmp_path)
    put(root, data_yaml=f"val: [images/val, images/train]\n{NAMES}")
    assert yolo.read_dataset(root).images.id.tolist() == ["a", "b", "c"]
    put(root, data_yaml=f"val: lists/mine.txt\n{NAMES}")
    put(root, lists__mine_txt="./../images/val/a.png\nimages/train/c.png\nimages/train/c.png\n")
    dataset = yolo.read_dataset(root)
    assert dataset.images.file_name == ("images/val/a.png", "images/train/c.png")
    assert codes(dataset.notices) == {"repeated_image": 1}


def test_names_may_be_a_mapping_and_stay_the_text_they_are(tmp_path):
    root = set_of(tmp_path)
    put(root, data_yaml="val: images/val\nnames:\n  1: no\n  0: 1e3\n  7: ünit\n")
    dataset = yolo.read_dataset(root)
    assert dataset.classes.id.tolist() == [0, 1, 7]
    assert dataset.classes.name == ("1e3", "no", "ünit")


def test_images_without_labels_are_background_and_counted(tmp_path):
    root = put(set_of(tmp_path), images__val__empty_png=png(), labels__val__lost_txt="0 .5 .5 1 1")
    dataset = yolo.read_dataset(root)
    assert dataset.images.id.tolist() == ["a", "b", "empty"]
    assert codes(dataset.notices) == {"missing_label": 1, "label_without_image": 1}


def test_polygons_become_the_boxes_around_them(tmp_path):
    root = put(set_of(tmp_path), labels__val__b_txt="1 0.1 0.2 0.5 0.2 0.3 0.6\n")
    dataset = yolo.read_dataset(root)
    np.testing.assert_allclose(dataset.gt.box[2], [20, 20, 80, 40], rtol=0, atol=1e-9)
    assert codes(dataset.notices) == {"polygon": 1}


def test_keypoints_are_not_taken_for_polygons(tmp_path):
    root = put(
        set_of(tmp_path),
        data_yaml=f"val: images/val\nkpt_shape: [2, 2]\n{NAMES}",
        labels__val__b_txt="1 0.5 0.5 1 1 0.1 0.1 0.9 0.9\n",
    )
    dataset = yolo.read_dataset(root)
    assert dataset.gt.box[2].tolist() == [0, 0, 200, 100]
    assert codes(dataset.notices) == {"keypoints": 1}


def test_images_of_one_stem_are_told_apart_by_their_path(tmp_path):
    root = put(set_of(tmp_path), images__val__more__a_png=png(), labels__val__more__a_txt="")
    dataset = yolo.read_dataset(root)
    assert dataset.images.id.tolist() == ["b", "images/val/a", "images/val/more/a"]
    put(root, images__val__b_bmp=b"")
    with pytest.raises(InputError, match=r"b.bmp and b.png share a label file"):
        yolo.read_dataset(root)


def test_a_path_may_go_up_and_down(tmp_path):
    root = set_of(tmp_path)
    dataset = yolo.read_dataset(root / "images" / ".." / "data.yaml")
    assert dataset.images.file_name == ("images/val/a.png", "images/val/b.png")


def test_only_the_last_images_folder_is_replaced(tmp_path):
    root = set_of(tmp_path / "images" / "x")
    assert len(yolo.read_dataset(root).gt) == 3


def test_sizes_come_from_a_list_where_images_are_absent(tmp_path):
    root = put(
        tmp_path,
        data_yaml=f"val: images/val\n{NAMES}",
        sizes_csv="file_name,width,height\nimages/val/a.jpg,50,80\nimages/val/none.jpg,9,9\nimages/t/z.jpg,1,1\n",
        labels__val__a_txt="1 0.5 0.5 0.2 0.5\n",
    )
    dataset = yolo.read_dataset(root)
    assert dataset.images.id.tolist() == ["a", "none"]
    assert dataset.images.file_name == ("images/val/a.jpg", "images/val/none.jpg")
    assert dataset.gt.box.tolist() == [[20, 20, 10, 40]]
    assert codes(dataset.notices) == {"missing_label": 1}
    put(root, labels__val__b_txt="1 0.5 0.5 0.2 0.5\n")
    with pytest.raises(InputError, match=r"size of image 'images/val/b' is not known.*sizes.csv"):
        yolo.read_dataset(root)


def test_without_images_and_sizes_the_remedy_is_explained(tmp_path):
    root = put(tmp_path, data_yaml=f"val: images/val\n{NAMES}", labels__val__a_txt="0 .5 .5 1 1")
    message = r"Put the images into .*images/val, or list images/val/a.jpg in a sizes.csv beside data.yaml"
    with pytest.raises(InputError, match=message):
        yolo.read_dataset(root)
    put(root, data_yaml=f"val: list.txt\n{NAMES}", list_txt="images/val/a.jpg\n")
    with pytest.raises(InputError, match=message):
        yolo.read_dataset(root)


def test_a_folder_of_labels_with_classes_is_a_data_set(tmp_path):
    root = put(
        tmp_path,
        classes_txt="cat\ndog\n",
        labels__a_txt="1 0.5 0.5 0.2 0.5\n",
        sizes_csv="file_name,width,height\na.jpg,50,80\n",
    )
    dataset = yolo.read_dataset(root)
    assert dataset.gt.box.tolist() == [[20, 20, 10, 40]]
    assert dataset.classes.name == ("cat", "dog")
    assert dataset.images.file_name == ("images/a.jpg",)
    assert dataset.notices == ()
    with pytest.raises(InputError, match=r"no split 'val'. Read without a split"):
        yolo.read_dataset(root, split="val")
    (root / "classes.txt").rename(root / "labels" / "classes.txt")
    assert len(yolo.read_dataset(root).gt) == 1
    put(root, data_yaml=NAMES)
    assert len(yolo.read_dataset(root).gt) == 1


def test_labels_may_lie_beside_the_images(tmp_path):
    root = put(tmp_path, classes_txt="cat\n", a_png=png(), a_txt="0 0.5 0.5 1 1\n")
    assert yolo.read_dataset(root).gt.box.tolist() == [[0, 0, 200, 100]]


def test_folders_of_labels_name_the_splits_where_no_file_does(tmp_path):
    root = set_of(tmp_path)
    (root / "data.yaml").unlink()
    put(root, classes_txt="cat\ndog\n")
    assert yolo.read_dataset(root).images.id.tolist() == ["a", "b"]
    assert yolo.read_dataset(root, split="train").images.id.tolist() == ["c"]


def test_packed_files_are_read(tmp_path):
    root = set_of(tmp_path)
    for name in ("labels/val/a.txt", "labels/val/b.txt", "data.yaml"):
        content = (root / name).read_bytes()
        (root / name).unlink()
        (root / f"{name}.gz").write_bytes(gzip.compress(content))
    dataset = yolo.read_dataset(root)
    assert len(dataset.gt) == 3
    assert dataset.notices == ()


def test_reading_reports_progress(tmp_path):
    calls = []
    yolo.read_dataset(set_of(tmp_path), progress=lambda *call: calls.append(call))
    assert calls == [
        ("reading image sizes", 0, 2),
        ("reading labels", 0, 2),
        ("reading labels", 2, 2),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 0.5 0.5 1 1", "class 2 has no name, names are 0 to 1"),
        ("-1 0.5 0.5 1 1", "class -1 has no name"),
        ("dog 0.5 0.5 1 1", "class 'dog' is not an index"),
        ("0.5 0.5 0.5 1 1", "class '0.5' is not an index"),
        ("nan 0.5 0.5 1 1", "class 'nan' is not an index"),
        ("0 0.5 0.5 1 1 0.9", "6 fields: this looks like a prediction file"),
        ("0 0.5 0.5 1", "4 fields"),
        ("0 0.1 0.1 0.2 0.2 0.3 0.3 0.4", "8 fields"),
        ("0 x 0.5 1 1", "not a number .*'x'"),
        ("0 nan 0.5 1 1", "expected finite numbers"),
        ("0 0.5 0.5 inf 1", "expected finite numbers"),
        ("0 0.5 0.5 -1 1", "negative width or height"),
        ("0 120 80 40 30", "120 is not relative to the image, it looks like pixels"),
    ],
)
def test_bad_lines_are_refused_by_file_and_line(tmp_path, line, message):
    root = put(set_of(tmp_path), labels__val__a_txt=f"0.0 0.5 0.5 1 1\n{line}\n")
    with pytest.raises(InputError, match=rf"a\.txt, line 2: {message}"):
        yolo.read_dataset(root)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("val: [", "data.yaml: not YAML"),
        ("[" * 2000, "data.yaml: not YAML"),
        ("just text", "expected keys such as val and names"),
        ("val: images/val", "names of the classes are missing"),
        ("val: images/val\nnames: []", "names of the classes are missing"),
        ("val: images/val\nnames: {a: b}", "not an index and a name: 'a': 'b'"),
        ("val: images/val\nnames: {1: a, 01: b}", "not an index and a name: '01': 'b'"),
        ("val: images/val\nnc: 3\nnames: [a]", "nc is 3, but there are 1 names"),
        (f"val: {{a: b}}\n{NAMES}", "val: expected a folder, a list of folders"),
        (f"path: [a]\nval: images/val\n{NAMES}", "path: expected a folder"),
        (f"val: images/none\n{NAMES}", "found neither images in .*none nor labels in"),
        (f"val: none.txt\n{NAMES}", "no such file"),
        (f"val: images/val\nkpt_shape: many\n{NAMES}", "kpt_shape: not a number of keypoints"),
    ],
)
def test_bad_descriptions_are_refused(tmp_path, content, message):
    root = put(set_of(tmp_path), data_yaml=content)
    with pytest.raises(InputError, match=message):
        yolo.read_dataset(root)


def test_folders_that_are_no_data_set_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"found neither data.yaml nor classes.txt"):
        yolo.read_dataset(tmp_path)
    root = put(tmp_path, data_yaml=f"val: list.txt\n{NAMES}", list_txt="\n")
    with pytest.raises(InputError, match="split 'val' has no images"):
        yolo.read_dataset(root)
    put(root, list_txt="images/a.png\n", images__a_png=png())
    with pytest.raises(InputError, match="none of the 1 images has a label file"):
        yolo.read_dataset(root)
    put(root, images__a_png=b"not a picture")
    with pytest.raises(InputError, match=r"a.png: the size of the image cannot be read"):
        yolo.read_dataset(root)
    put(root / "other", classes_txt="\n", a_txt="")
    with pytest.raises(InputError, match="names no class"):
        yolo.read_dataset(root / "other")


@pytest.mark.parametrize(
    "content",
    [
        "name,w,h\na.jpg,1,1\n",
        "file_name,width,height\nimages/val/q.jpg,0,5\n",
        "file_name,width,height\nimages/val/q.jpg,wide,5\n",
        "file_name,width,height\nimages/val/q.jpg,nan,5\n",
        "file_name,width,height\nimages/val/q.jpg\n",
        "file_name,width,height\nimages/val/q.jpg,1,5\nimages/val/q.png,1,5\n",
    ],
)
def test_bad_lists_of_sizes_are_refused(tmp_path, content):
    root = put(set_of(tmp_path), sizes_csv=content)
    with pytest.raises(InputError, match=r"sizes.csv.*(unexpected columns|bad or repeated row)"):
        yolo.read_dataset(root)


# Predictions


def test_predictions_are_read_for_their_images(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(
        tmp_path / "run",
        labels__b_txt="0 0.5 0.5 1 1 0.75\n1 0.25 0.5 0.5 1 0.5\n",
        labels__a_txt="1 0.5 0.5 0.2 0.5 0.125\n",
    )
    for path in (folder, folder / "labels"):
        found = yolo.read_detections(path, dataset, name="mine")
        assert found.name == "mine"
        assert found.image_row.tolist() == [0, 1, 1]
        assert found.class_row.tolist() == [1, 0, 1]
        assert found.score.tolist() == [0.125, 0.75, 0.5]
        assert found.box.tolist() == [[20, 20, 10, 40], [0, 0, 200, 100], [0, 0, 100, 100]]
        assert found.notices == ()
    assert yolo.read_detections(folder, dataset).name == "run"


def test_predictions_for_unknown_images_and_classes_are_counted_or_refused(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(
        tmp_path / "run",
        a_txt="9 0.5 0.5 1 1 0.75\n0 0.5 0.5 1 1 0.75\n",
        other_txt="0 0.5 0.5 1 1 0.75\n" * 3,
    )
    found = yolo.read_detections(folder, dataset)
    assert len(found) == 1
    assert codes(found.notices) == {"unknown_image": 3, "unknown_class": 1}
    with pytest.raises(InputError, match=r"other.txt line 1: image not in the ground truth"):
        yolo.read_detections(folder, dataset, strict=True)


def test_packed_and_empty_predictions_are_read(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(tmp_path / "run", a_txt="")
    assert len(yolo.read_detections(folder, dataset)) == 0
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"0 0.5 0.5 1 1 0.75\n"))
    calls = []
    found = yolo.read_detections(folder, dataset, progress=lambda *call: calls.append(call))
    assert found.image_row.tolist() == [1]
    assert calls[-1] == ("reading predictions", 2, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 0.5 0.5 1 1", "the confidence is missing, 5 fields. Predict with save_conf=True"),
        ("0 0.5 0.5 1 1 0.5 7", "expected 6 fields, found 7"),
        ("0 0.5 0.5 1 1 nan", "expected finite numbers"),
        ("0 0.5 0.5 1 1 high", "not a number .*'high'"),
        ("0 0.5 0.5 1 -1 0.5", "negative width or height"),
        ("0 50 50 30 30 0.5", "50 is not relative to the image, it looks like pixels"),
        ("cat 0.5 0.5 1 1 0.5", "class 'cat' is not an index"),
    ],
)
def test_bad_predictions_are_refused_by_file_and_line(tmp_path, line, message):
    dataset = yolo.read_dataset(set_of(tmp_path))
    folder = put(tmp_path / "run", a_txt=f"0 0.5 0.5 1 1 0.5\n{line}\n")
    with pytest.raises(InputError, match=rf"a\.txt, line 2: {message}"):
        yolo.read_detections(folder, dataset)


def test_a_folder_without_predictions_is_refused(tmp_path):
    dataset = yolo.read_dataset(set_of(tmp_path))
    (tmp_path / "run").mkdir()
    with pytest.raises(InputError, match="no predictions found"):
        yolo.read_detections(tmp_path / "run", dataset)


def test_images_of_number_ids_are_found_by_file_name_and_classes_by_order(tmp_path):
    images, _ = Images.of([1, 2], [50, 200], [80, 100], ["val/2.jpg", "val/1.jpg"])
    dataset = replace(dataset_of(), images=images, classes=Classes.of([3, 9], ["cat", "dog"]))
    folder = put(tmp_path / "run", labels__1_txt="1 0.5 0.5 1 1 0.5\n")
    found = yolo.read_detections(folder, dataset)
    assert found.image_row.tolist() == [1]
    assert found.class_row.tolist() == [1]
    assert codes(found.notices) == {"class_by_order": 2}


def test_predictions_need_to_tell_images_apart_and_to_know_their_sizes(tmp_path):
    names = ["x/a.png", "y/a.png"]
    images, _ = Images.of(["x/a", "y/a"], [50, 200], [80, np.nan], names)
    dataset = replace(dataset_of(), images=images)
    folder = put(tmp_path / "run", x__a_txt="1 0.5 0.5 1 1 0.5\n")
    assert yolo.read_detections(folder, dataset).image_row.tolist() == [0]
    put(folder, y__a_txt="1 0.5 0.5 1 1 0.5\n")
    with pytest.raises(InputError, match="size of image 'y/a' is not known"):
        yolo.read_detections(folder, dataset)
    put(folder, a_txt="1 0.5 0.5 1 1 0.5\n")
    with pytest.raises(InputError, match="several images are named 'a'"):
        yolo.read_detections(folder, dataset)


# Writing


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
    dataset = replace(dataset_of(), images=images, classes=classes)
    dataset = replace(
        dataset, gt=GroundTruth.of(3, image_row=[0, 1, 2], class_row=[0, 1, 0], box=np.ones((3, 4)))
    )
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
        "lost_attribute_pose": 1,
    }
    assert all("YOLO cannot hold" in notice.message for notice in notices)


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
        (unsized, "size of image 'b' is not known"),
        (same, "several images are named 'a'"),
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

quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
# Not ten images away, where the reader takes numbers for pixels.
length = st.floats(0, 1500)
pixel_boxes = st.tuples(st.floats(-100, 1500), st.floats(-100, 1500), length, length)


@quick
@given(
    sizes=st.tuples(st.integers(320, 8000), st.integers(320, 8000)),
    objects=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 1), pixel_boxes, st.floats(-3, 3))
    ),
)
def test_labels_and_predictions_survive_a_round_trip(tmp_path_factory, sizes, objects):
    folder = tmp_path_factory.mktemp("yolo")
    images, _ = Images.of(["a", "b"], [sizes[0], 640], [sizes[1], 480], ["a.jpg", "b.jpg"])
    columns = {
        "image_row": [item[0] for item in objects],
        "class_row": [item[1] for item in objects],
        "box": [item[2] for item in objects],
    }
    dataset = replace(dataset_of(), images=images, gt=GroundTruth.of(2, **columns))
    scores = [item[3] for item in objects]
    detections = Detections.of("det", 2, **columns, score=scores)
    yolo.write_dataset(dataset, folder / "gt")
    yolo.write_detections(detections, dataset, folder / "dt")
    back = yolo.read_dataset(folder / "gt")
    found = yolo.read_detections(folder / "dt", back)
    assert len(back.gt) == len(found) == len(objects)
    assert back.gt.class_row.tolist() == dataset.gt.class_row.tolist()
    assert found.score.tolist() == detections.score.tolist()
    np.testing.assert_allclose(back.gt.box, dataset.gt.box, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.box, detections.box, rtol=0, atol=1e-9)
    assert found.offsets.tolist() == detections.offsets.tolist()


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
