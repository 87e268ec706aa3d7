"""COCO instances and results, read and written."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images, Links
from boxlens.data.columns import attribute_column, frozen, id_column
from boxlens.errors import InputError
from boxlens.formats import coco
from shared_data import shared

IMAGES = [
    {"id": 20, "file_name": "b.jpg", "width": 640, "height": 480, "license": 3},
    {"id": 10, "file_name": "a.jpg", "width": 320, "height": 240.5},
]
CATEGORIES = [
    {"id": 3, "name": "dog", "supercategory": "animal", "skeleton": [[1, 2]]},
    {"id": 1, "name": "person"},
]
ANNOTATIONS = [
    {
        "id": 7,
        "image_id": 20,
        "category_id": 3,
        "bbox": [1, 2, 3, 4.5],
        "area": 11.5,
        "iscrowd": 0,
        "segmentation": [[1.5, 2, 3, 4, 5, 6]],
        "ignore": 1,
        "pose": "left",
    },
    {"id": 0, "image_id": 10, "category_id": 1, "bbox": [0, 0, 2, 2], "area": 4, "iscrowd": 1},
    {
        "id": 7,
        "image_id": 20,
        "category_id": 1,
        "bbox": [0.1, 0.2, 0.30000000000000004, 1e-7],
        "area": 1.0,
        "attributes": {"occluded": True, "area": 9, "parts": []},
        "pose": "é😀",
    },
]


def put(tmp_path, content, name="file.json"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def without(record, name):
    return {key: value for key, value in record.items() if key != name}


def instances(**changes):
    whole = {"images": IMAGES, "annotations": ANNOTATIONS, "categories": CATEGORIES}
    return {"info": {"year": 2017}, **whole, **changes}


def detection(**changes):
    return {"image_id": 20, "category_id": 3, "bbox": [1, 2, 3, 4], "score": 0.5, **changes}


@pytest.fixture
def dataset(tmp_path):
    return coco.read_dataset(put(tmp_path, instances()))


def assert_same(first: Dataset, second: Dataset) -> None:
    mine, other = first.gt, second.gt
    for name in ("image_row", "class_row", "box", "area_px", "crowd", "id", "offsets"):
        assert np.array_equal(getattr(mine, name), getattr(other, name)), name
    assert mine.attributes.keys() == other.attributes.keys()
    for name, column in mine.attributes.items():
        assert str(column.tolist()) == str(other.attributes[name].tolist()), name
    assert mine.spans.keys() == other.spans.keys()
    for name, spans in mine.spans.items():
        assert coco.read_spans(spans) == coco.read_spans(other.spans[name])
    assert np.array_equal(first.images.id, second.images.id)
    assert first.images.file_name == second.images.file_name
    assert np.array_equal(first.images.width_px, second.images.width_px, equal_nan=True)
    assert first.classes.name == second.classes.name
    assert first.classes.supercategory == second.classes.supercategory
    assert first.classes.extra == second.classes.extra


def test_objects_are_grouped_by_image_in_file_order(dataset):
    assert dataset.images.id.tolist() == [10, 20]
    assert dataset.images.file_name == ("a.jpg", "b.jpg")
    assert dataset.images.height_px.tolist() == [240.5, 480]
    assert dataset.classes.name == ("person", "dog")
    assert dataset.classes.supercategory == (None, "animal")
    assert dataset.classes.extra == {"skeleton": (None, [[1, 2]])}
    assert dataset.gt.image_row.tolist() == [0, 1, 1]
    assert dataset.gt.class_row.tolist() == [0, 1, 0]
    assert dataset.gt.id.tolist() == [0, 7, 7]
    assert dataset.gt.crowd.tolist() == [True, False, False]
    assert dataset.gt.area_px.tolist() == [4, 11.5, 1]
    assert dataset.gt.box[2].tolist() == [0.1, 0.2, 0.30000000000000004, 1e-7]


def test_other_fields_become_attributes_and_nothing_vanishes_unsaid(dataset):
    attributes = dataset.gt.attributes
    assert attributes["pose"].tolist() == [None, "left", "é😀"]
    assert np.array_equal(attributes["ignore"], [np.nan, 1, np.nan], equal_nan=True)
    assert np.array_equal(attributes["occluded"], [np.nan, np.nan, 1], equal_nan=True)
    assert np.array_equal(attributes["attributes.area"], [np.nan, np.nan, 9], equal_nan=True)
    assert [(notice.code, notice.count) for notice in dataset.notices] == [("skipped_field", 1)]
    assert "'parts'" in dataset.notices[0].message


def test_masks_stay_in_the_file_until_asked_for(dataset):
    spans = dataset.gt.spans["segmentation"]
    assert coco.read_spans(spans) == [None, [[1.5, 2, 3, 4, 5, 6]], None]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_gzip_is_read_like_the_plain_file(tmp_path, dataset, threads):
    packed = put(tmp_path, gzip.compress(json.dumps(instances()).encode()), "file.json")
    again = coco.read_dataset(packed, threads=threads)
    assert_same(again, dataset)


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_a_data_set_comes_back_from_a_file_as_it_was(tmp_path, dataset, name):
    coco.write_dataset(dataset, tmp_path / name)
    again = coco.read_dataset(tmp_path / name)
    assert_same(again, dataset)
    coco.write_dataset(again, tmp_path / "third.json")
    assert_same(coco.read_dataset(tmp_path / "third.json"), dataset)


def test_attributes_of_other_formats_and_image_labels_are_written(tmp_path):
    images, _ = Images.of(
        ["x/é", "b"],
        [np.nan, 5],
        [np.nan, 5],
        ["x/é.jpg", "b.jpg"],
        positive=Links.of([[0], []]),
        sort=True,
    )
    gt = GroundTruth.of(
        2,
        image_row=[0, 0],
        class_row=[0, 0],
        box=[[0, 0, 1, 1], [0, 0, 2, 2]],
        difficult=[True, False],
        ids=id_column(["p", "q"]),
        attributes={
            "bbox": attribute_column([1, None]),
            "pose": attribute_column(["3", None]),
            "size": attribute_column([-0.0, 1e300]),
        },
    )
    dataset = Dataset("mine", images, Classes.of(["c"], ["c"]), gt)
    coco.write_dataset(dataset, tmp_path / "out.json")
    again = coco.read_dataset(tmp_path / "out.json")
    assert again.images.id.tolist() == ["b", "x/é"]
    assert np.isnan(again.images.width_px).tolist() == [False, True]
    assert again.gt.id.tolist() == ["p", "q"]
    assert again.gt.difficult.tolist() == [True, False]
    assert "difficult" not in again.gt.attributes
    assert again.gt.attributes["pose"].tolist() == ["3", None]
    assert np.array_equal(again.gt.attributes["bbox"], [1, np.nan], equal_nan=True)
    assert str(again.gt.attributes["size"].tolist()) == "[-0.0, 1e+300]"
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["images"][1]["pos_category_ids"] == ["c"]
    assert again.images.positive[1].tolist() == [0]


def test_a_missing_area_is_the_box_area_and_is_told(tmp_path):
    records = [without(one, "area") for one in ANNOTATIONS]
    for some, count in ((records, 3), ([ANNOTATIONS[0], *records[1:]], 2)):
        dataset = coco.read_dataset(put(tmp_path, instances(annotations=some)))
        assert dataset.gt.area_px[0] == 4
        assert dataset.gt.area_px[1] == (11.5 if count == 2 else 13.5)
        notice = next(one for one in dataset.notices if one.code == "missing_area")
        assert notice.count == count


def test_missing_object_ids_are_numbered_or_told(tmp_path):
    nameless = [without(one, "id") for one in ANNOTATIONS]
    assert coco.read_dataset(put(tmp_path, instances(annotations=nameless))).gt.id.tolist() == [
        2,
        1,
        3,
    ]
    some = coco.read_dataset(put(tmp_path, instances(annotations=[nameless[0], *ANNOTATIONS[1:]])))
    assert some.gt.id.tolist() == [0, 0, 7]
    assert "missing_id" in [notice.code for notice in some.notices]


def test_an_empty_data_set_is_a_data_set(tmp_path):
    dataset = coco.read_dataset(put(tmp_path, instances(images=[], annotations=[], categories=[])))
    assert (len(dataset.images), len(dataset.classes), len(dataset.gt)) == (0, 0, 0)
    coco.write_dataset(dataset, tmp_path / "out.json")
    assert len(coco.read_dataset(tmp_path / "out.json").gt) == 0
    detections = coco.read_detections(put(tmp_path, []), dataset)
    assert len(detections) == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"images": [*IMAGES, IMAGES[0]]}, "occurs more than once"),
        (
            {"images": [IMAGES[0], {**IMAGES[1], "width": -1}]},
            "images: column width_px: expected sizes of 0 or more",
        ),
        ({"categories": [*CATEGORIES, CATEGORIES[0]]}, "occurs more than once"),
        (
            {"annotations": [*ANNOTATIONS, {**ANNOTATIONS[0], "image_id": 99}]},
            "annotations record 3: image_id 99 is not among the images",
        ),
        (
            {"annotations": [{**ANNOTATIONS[0], "category_id": "cat"}]},
            "annotations record 0: category_id 'cat' is not among the categories",
        ),
        (
            {"annotations": [ANNOTATIONS[0], {**ANNOTATIONS[0], "bbox": [1, 2, 3]}]},
            "annotations record 1, field bbox, byte",
        ),
        ({"annotations": [{**ANNOTATIONS[0], "bbox": [1, 2, -3, 4]}]}, "negative width or height"),
        ({"annotations": [{**ANNOTATIONS[0], "iscrowd": 2}]}, "iscrowd must be 0 or 1"),
        ({"annotations": [{**ANNOTATIONS[0], "iscrowd": "no"}]}, "annotations record 0"),
        ({"annotations": [*ANNOTATIONS, {**ANNOTATIONS[0], "area": -5}]}, "annotations record 3"),
        ({"annotations": [{**ANNOTATIONS[0], "bbox": [0, 0, "a", 1]}]}, "field bbox"),
        ({"annotations": [without(ANNOTATIONS[0], "bbox")]}, "bbox"),
        ({"annotations": None}, "annotations must be an array of objects"),
        ({"categories": [{"id": 1}]}, "name is missing"),
    ],
)
def test_a_wrong_data_set_is_refused_with_file_and_place(tmp_path, changes, said):
    path = put(tmp_path, instances(**changes))
    with pytest.raises(InputError) as error:
        coco.read_dataset(path)
    assert said in str(error.value)
    assert error.value.path == str(path)
    assert error.value.remedy


def test_results_are_taken_for_no_data_set_and_the_other_way_round(tmp_path, dataset):
    with pytest.raises(InputError, match="expected an object with images"):
        coco.read_dataset(put(tmp_path, [detection()]))
    for name in ("images", "categories"):
        with pytest.raises(InputError, match=name):
            coco.read_dataset(put(tmp_path, without(instances(), name)))
    with pytest.raises(InputError, match="expected an array of detections"):
        coco.read_detections(put(tmp_path, instances()), dataset)


def test_detections_are_grouped_by_image_in_file_order(tmp_path, dataset):
    records = [detection(), detection(image_id=10, category_id=1.0), detection(score=1, extra=[{}])]
    detections = coco.read_detections(put(tmp_path, records, "mine.json"), dataset)
    assert detections.name == "mine"
    assert detections.image_row.tolist() == [0, 1, 1]
    assert detections.class_row.tolist() == [0, 1, 1]
    assert detections.score.tolist() == [0.5, 0.5, 1]
    assert detections.notices == ()
    packed = put(tmp_path, gzip.compress(json.dumps(records).encode()), "mine.json.gz")
    again = coco.read_detections(packed, dataset, threads=3)
    assert again.name == "mine"
    assert np.array_equal(again.box, detections.box)


def test_detections_of_unknown_images_and_classes_are_counted_or_refused(tmp_path, dataset):
    records = [
        detection(image_id=99),
        detection(),
        detection(category_id=7),
        detection(image_id="x"),
    ]
    path = put(tmp_path, records)
    detections = coco.read_detections(path, dataset)
    assert len(detections) == 1
    assert [(one.code, one.count) for one in detections.notices] == [
        ("unknown_image", 2),
        ("unknown_class", 1),
        ("class_never_detected", 1),
    ]
    assert "record 0 (image_id '99', category_id 3)" in detections.notices[0].message
    assert "record 2 (image_id '20', category_id 7)" in detections.notices[1].message
    with pytest.raises(InputError, match="record 0 "):
        coco.read_detections(path, dataset, strict=True)


def test_ids_match_whatever_their_type(tmp_path):
    texts = {
        "images": [{"id": "b", "file_name": ""}, {"id": 20, "file_name": ""}],
        "categories": CATEGORIES,
        "annotations": [],
    }
    dataset = coco.read_dataset(put(tmp_path, texts))
    assert dataset.images.id.tolist() == ["20", "b"]
    for records in ([detection()], [detection(), detection(image_id="b")]):
        detections = coco.read_detections(put(tmp_path, records), dataset)
        assert detections.image_row.tolist() == [0, 1][: len(records)]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (detection(bbox=[1, 2, 3]), "expected 4 numbers, found 3"),
        (detection(bbox=[1, 2, -3, 4]), "negative width or height"),
        (detection(image_id=None), "image_id must be an integer or a string"),
        (detection(score=True), "score must be a number"),
        (without(detection(), "score"), "score is missing"),
        ({"image_id": 1, "category_id": 1, "segmentation": {}, "score": 1}, "segmentation alone"),
    ],
)
def test_a_wrong_detection_is_refused_with_record_field_and_byte(tmp_path, dataset, record, said):
    path = put(tmp_path, [detection(), record])
    with pytest.raises(InputError) as error:
        coco.read_detections(path, dataset)
    assert said in error.value.problem
    assert "results record 1, field" in error.value.where
    assert "bbox (x, y, width, height)" in error.value.remedy


def test_a_cut_file_says_that_it_ends_early(tmp_path, dataset):
    whole = json.dumps([detection()]).encode()
    with pytest.raises(InputError, match=f"byte {len(whole) - 5}: unexpected end of file"):
        coco.read_detections(put(tmp_path, whole[:-5]), dataset)
    with pytest.raises(InputError, match="unexpected end of file"):
        coco.read_detections(put(tmp_path, b""), dataset)


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_detections_come_back_from_a_file_as_they_were(tmp_path, dataset, name):
    random = np.random.default_rng(3)
    n = 45_000
    detections = Detections.of(
        "out",
        2,
        image_row=np.sort(random.integers(0, 2, n)),
        class_row=random.integers(0, 2, n),
        box=random.uniform(0, 600, (n, 4)) * 10.0 ** random.integers(-20, 20, (n, 4)),
        score=frozen(random.random(n), np.float64),
    )
    coco.write_detections(detections, dataset, tmp_path / name)
    for threads in (1, 2):
        again = coco.read_detections(tmp_path / name, dataset, threads=threads)
        for column in ("image_row", "class_row", "box", "score", "offsets"):
            assert np.array_equal(getattr(again, column), getattr(detections, column))


def test_spans_of_a_file_that_changed_are_refused(tmp_path, dataset):
    spans = dataset.gt.spans["segmentation"]
    put(tmp_path, b"[]")
    with pytest.raises(InputError, match="could not be read again"):
        coco.read_spans(spans)


def test_the_official_file_is_read_and_written_without_loss(tmp_path):
    dataset = coco.read_dataset(shared("coco_val2017_80", "instances.json"))
    assert (len(dataset.images), len(dataset.classes), len(dataset.gt)) == (80, 80, 815)
    assert int(dataset.gt.crowd.sum()) == 11
    assert dataset.notices == ()
    raw = json.loads(shared("coco_val2017_80", "instances.json").read_bytes())
    masks = {one["id"]: one["segmentation"] for one in raw["annotations"]}
    spans = coco.read_spans(dataset.gt.spans["segmentation"])
    assert all(masks[key] == mask for key, mask in zip(dataset.gt.id.tolist(), spans, strict=True))
    coco.write_dataset(dataset, tmp_path / "out.json")
    assert_same(coco.read_dataset(tmp_path / "out.json"), dataset)


@pytest.mark.slow
def test_real_detections_equal_what_json_reads():
    path = shared("coco_val2017", "yolox_nano.json.gz")
    dataset = coco.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    assert (len(dataset.images), len(dataset.gt)) == (5000, 36781)
    detections = coco.read_detections(path, dataset)
    with gzip.open(path) as file:
        raw = json.load(file)
    assert len(detections) == len(raw) == 256_982
    assert np.array_equal(detections.box, [one["bbox"] for one in raw])
    assert np.array_equal(detections.score, [one["score"] for one in raw])
    assert dataset.images.id[detections.image_row].tolist() == [one["image_id"] for one in raw]
