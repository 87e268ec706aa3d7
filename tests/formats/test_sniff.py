"""Formats are recognised by content, and the wrong role is told with its remedy."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxlens.errors import InputError
from boxlens.formats.sniff import sniff_dataset, sniff_detections
from shared_data import shared

IMAGE = {"id": 1, "file_name": "1.jpg", "width": 4, "height": 4}
OBJECT = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "iscrowd": 0}
RESULT = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}
XML = "<annotation><object><name>cat</name></object></annotation>"
OID = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsGroupOf\n"


def coco(n_objects: int = 1, *, lvis: str = "", order: str = "aic") -> str:
    """JSON whose parts stand in the order of the letters: annotations, images, categories."""
    image, category = dict(IMAGE), {"id": 1, "name": "cat"}
    if lvis == "images":
        image["neg_category_ids"] = []
    if lvis == "categories":
        category["frequency"] = "r"
    parts = {
        "a": ("annotations", [OBJECT] * n_objects),
        "i": ("images", [image]),
        "c": ("categories", [category]),
        "o": ("info", {"description": "x" * 70_000}),
    }
    return json.dumps({parts[letter][0]: parts[letter][1] for letter in order})


def told_apart() -> Iterator[tuple[str, str, int, bool]]:
    """All but files that open with a plain image or category and hide LVIS's fields far inside."""
    for lvis in ("", "images", "categories"):
        for order in ("aic", "iac", "ica", "cai", "oaico", "caio"):
            for n_objects in (1, 5000):
                for packed in (False, True):
                    behind = bool(lvis) and order.index(lvis[0]) > order.index("a")
                    hidden = n_objects > 1 and behind and (packed or order[-1] == "o")
                    if not (hidden and order[0] in "ic"):
                        yield lvis, order, n_objects, packed


@pytest.mark.parametrize(("lvis", "order", "n_objects", "packed"), list(told_apart()))
def test_coco_and_lvis_are_told_apart_wherever_the_difference_stands(
    tmp_path: Path, lvis: str, order: str, n_objects: int, packed: bool
) -> None:
    path = tmp_path / ("gt.json.gz" if packed else "gt.json")
    content = coco(n_objects, lvis=lvis, order=order).encode()
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    assert sniff_dataset(path) == ("lvis" if lvis else "coco")


def test_real_files_are_recognised() -> None:
    assert sniff_dataset(shared("coco_val2017", "instances_boxes.json.gz")) == "coco"
    assert sniff_dataset(shared("coco_val2017_80", "instances.json")) == "coco"
    assert sniff_dataset(shared("cocoapi_100", "gt.json")) == "coco"
    assert sniff_dataset(shared("lvis_100", "gt.json")) == "lvis"
    assert sniff_detections(shared("lvis_100", "yolox_nano.json")) == "coco"
    assert sniff_detections(shared("coco_val2017", "yolox_nano.json.gz")) == "coco"
    assert sniff_detections(shared("cocoapi_100", "fakesegm.json")) == "coco"


def test_a_large_file_is_recognised_by_its_head_and_tail(tmp_path: Path) -> None:
    path = tmp_path / "gt.json"
    record = json.dumps(OBJECT).encode() + b","
    with path.open("wb") as file:
        file.write(b'{"annotations": [')
        for _ in range(10):
            file.write(record * (1_000_000 // len(record)))
        file.write(json.dumps(OBJECT).encode() + b"], ")
        file.write(coco(order="ic").encode()[1:])
    assert sniff_dataset(path) == "coco"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([], "coco"),
        ([RESULT], "coco"),
        ([{**RESULT, "segmentation": {"size": [1, 1], "counts": "0"}}], "coco"),
        ([{**RESULT, "file_name": "1.jpg"}], "ultralytics"),
        ([{**RESULT, "image_id": "img_1"}], "ultralytics"),
    ],
)
def test_lists_of_results_are_coco_or_ultralytics(tmp_path: Path, records, expected) -> None:
    path = tmp_path / "dt.json"
    path.write_text(json.dumps(records, indent=2))
    assert sniff_detections(path) == expected


def test_a_record_longer_than_the_head_is_still_a_result(tmp_path: Path) -> None:
    path = tmp_path / "dt.json"
    path.write_text(json.dumps([{**RESULT, "segmentation": {"counts": "x" * 100_000}}]))
    assert sniff_detections(path) == "coco"


def written(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"Annotations/1.xml": XML, "ImageSets/Main/val.txt": "1\n"}, "voc"),
        ({"VOC2007/Annotations/1.xml": XML}, "voc"),
        ({"1.xml": XML}, "voc"),
        ({"data.yaml": "names: [cat]\n", "labels/1.txt": "0 .5 .5 .1 .1\n"}, "yolo"),
        ({"labels/1.txt": "0 0.5 0.5 0.1 0.1\n"}, "yolo"),
        ({"classes.txt": "cat\n", "1.txt": "0 0.5 0.5 0.1 0.1\n"}, "yolo"),
        ({"1.txt": "0 0.5 0.5 0.1 0.1\n"}, "yolo"),
        ({"validation-annotations-bbox.csv": OID, "readme.txt": "hello"}, "openimages"),
        ({"gt.csv": OID}, "openimages"),
        (
            {"images.parquet": "PAR1", "classes.parquet": "PAR1", "objects.parquet": "PAR1"},
            "parquet",
        ),
    ],
)
def test_folders_of_ground_truth_are_recognised(tmp_path: Path, files, expected) -> None:
    folder = written(tmp_path, files)
    assert sniff_dataset(folder) == expected
    if "labels/1.txt" not in files and "1.txt" not in files:
        with pytest.raises(InputError, match="detections come second"):
            sniff_detections(folder)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"comp4_det_test_cat.txt": "1 0.5 1 1 9 9\n"}, "voc"),
        ({"comp3_det_val_cat.txt": ""}, "voc"),
        ({"1.txt": "", "2.txt": "0 0.5 0.5 0.1 0.1 0.9\n"}, "yolo"),
        ({"labels/1.txt": "0 0.5 0.5 0.1 0.1 0.9\n"}, "yolo"),
        ({"1.txt": "", "2.txt": ""}, "yolo"),
    ],
)
def test_folders_of_detections_are_recognised(tmp_path: Path, files, expected) -> None:
    assert sniff_detections(written(tmp_path, files)) == expected


def test_single_files_of_every_format_are_recognised(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "data.yaml": "names: [cat]\nval: images\n",
            "boxes.csv": OID,
            "bom.csv": b"\xef\xbb\xbf" + OID.encode(),
            "dt.csv": "ImageID,LabelName,Conf,XMin,XMax,YMin,YMax\n",
            "confidence.csv": "ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax\n",
            "challenge.csv": "ImageId,PredictionString\n",
            "dt.parquet": b"PAR1....PAR1",
            "comp4_det_test_cat.txt": "1 0.5 1 1 9 9\n",
            "no_ending": json.dumps([RESULT]),
        },
    )
    assert sniff_dataset(tmp_path / "data.yaml") == "yolo"
    assert sniff_dataset(tmp_path / "boxes.csv") == "openimages"
    assert sniff_dataset(tmp_path / "bom.csv") == "openimages"
    for name in ("dt.csv", "confidence.csv", "challenge.csv"):
        assert sniff_detections(tmp_path / name) == "openimages"
    assert sniff_detections(tmp_path / "dt.parquet") == "parquet"
    assert sniff_detections(tmp_path / "comp4_det_test_cat.txt") == "voc"
    assert sniff_detections(tmp_path / "no_ending") == "coco"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dt.json", json.dumps([RESULT])),
        ("dt.csv", "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n"),
        ("dt.parquet", "PAR1"),
        ("folder/comp4_det_test_cat.txt", "1 0.5 1 1 9 9\n"),
        ("folder/1.txt", "0 0.5 0.5 0.1 0.1 0.9\n"),
        ("folder/labels/1.txt", "0 0.5 0.5 0.1 0.1 0.9\n"),
    ],
)
def test_detections_in_place_of_ground_truth_are_told(tmp_path: Path, name, content) -> None:
    written(tmp_path, {name: content})
    path = tmp_path / name.partition("/")[0]
    with pytest.raises(
        InputError, match="the ground truth comes first, then the detections"
    ) as caught:
        sniff_dataset(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gt.json", coco()),
        ("gt.csv", OID),
        ("data.yaml", "names: [cat]\n"),
        ("folder/1.txt", "0 0.5 0.5 0.1 0.1\n"),
        ("objects.parquet", "PAR1"),
    ],
)
def test_ground_truth_in_place_of_detections_is_told(tmp_path: Path, name, content) -> None:
    written(tmp_path, {name: content})
    with pytest.raises(InputError, match="the detections come second, after the ground truth"):
        sniff_detections(tmp_path / name.partition("/")[0])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", b"", "the file is empty"),
        pytest.param("x.json", b" \n\n ", "the file is empty", id="blank"),
        ("x.json", XML, "named like JSON, but contains XML"),
        ("x.json", "hello there", "named like JSON, but contains the text 'hello there'"),
        pytest.param(
            "x.json", b"\x00\x01\x02\xff", "named like JSON, but contains binary data", id="binary"
        ),
        ("x.csv", json.dumps([RESULT]), "named like CSV, but contains JSON"),
        ("x.parquet", "ImageID,LabelName\n", "named like Parquet, but contains CSV"),
        pytest.param(
            "x.bin", b"\x89PNG\r\n\x1a\n\x00\x00", "unknown content: binary data", id="picture"
        ),
        (
            "x.json",
            '{"a": 1, "b": 2}',
            r"without images, annotations and categories \(it has a, b\)",
        ),
        ("x.json", '{"LabelName": "/m/a", "Subcategory": []}', "class hierarchy"),
        ("x.json", "[1, 2]", "record 0: a JSON list of int without image_id"),
        ("x.csv", "ImageID,LabelName,Confidence\n", "labels without boxes"),
        ("x.csv", "ImageID,Rotation\n", "a CSV file with the columns ImageID, Rotation"),
        ("x.xml", XML, "Name the folder of the annotations"),
        ("1.txt", "0 0.5 0.5 0.1 0.1\n", "one YOLO label file"),
        pytest.param(
            "x.json.gz", gzip.compress(b"[]", mtime=0)[:-12], "damaged gzip data", id="cut gzip"
        ),
        pytest.param(
            "x.json.gz", b"\x1f\x8b\x08rubbish", "damaged gzip data", id="rubbish as gzip"
        ),
        ("images.parquet", "PAR1", "Name the folder that holds images.parquet"),
        ("d/notes.md", "hello", r"unknown format; the folder contains notes\.md"),
        ("d/instances.json", "{}", r"it contains instances\.json\. Name the file itself"),
        ("d/annotations/instances.json", "{}", r"it contains annotations/instances\.json"),
    ],
)
def test_what_is_no_data_set_is_named(tmp_path: Path, name, content, message) -> None:
    written(tmp_path, {name: content})
    with pytest.raises(InputError, match=message):
        sniff_dataset(tmp_path / name.partition("/")[0])


def test_a_folder_of_two_formats_asks_which(tmp_path: Path) -> None:
    written(tmp_path, {"Annotations/1.xml": XML, "labels/1.txt": "0 0.5 0.5 0.1 0.1\n"})
    with pytest.raises(InputError, match=r"several formats: voc, yolo\. Say which one"):
        sniff_dataset(tmp_path)


def test_an_empty_folder_and_a_missing_path_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder is empty"):
        sniff_dataset(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        sniff_detections(tmp_path / "nowhere")
