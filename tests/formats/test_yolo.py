"""YOLO ground truth: data.yaml, labels, image sizes."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from boxlens.errors import InputError
from boxlens.formats import yolo
from formats.yolo_sets import NAMES, codes, png, put, set_of
from shared_data import shared


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
    with pytest.raises(InputError, match=r"unknown split 'test'. Choose one of: val, train"):
        yolo.read_dataset(root, split="test")
    put(root, data_yaml=f"train: images/train\n{NAMES}")
    dataset = yolo.read_dataset(root)
    assert dataset.images.id.tolist() == ["c"]
    assert codes(dataset.notices) == {"split_chosen": 1}
    assert "reading the split 'train'" in dataset.notices[0].message
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
    with pytest.raises(InputError, match=r"size of image 'images/val/b' is unknown.*sizes.csv"):
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
    with pytest.raises(InputError, match=r"unknown split 'val'. Read without a split"):
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
        ("reading image sizes", 2, 2),
        ("reading labels", 0, 2),
        ("reading labels", 2, 2),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 0.5 0.5 1 1", "class 2 has no name; there are names for 0 to 1"),
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
        ("0 120 80 40 30", "120 is not relative to the image; it looks like pixels"),
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
        ("val: images/val", "missing class names"),
        ("val: images/val\nnames: []", "missing class names"),
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
    with pytest.raises(InputError, match="no class name"):
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
