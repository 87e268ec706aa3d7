"""Labels of boxes from files: which object and class they mean, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from boxlens.data import Classes
from boxlens.data.columns import frozen, id_column
from boxlens.errors import InputError
from boxlens.formats.box_label_files import BoxLabels, read_box_labels
from boxlens.formats.files import written_whole
from small_world import small_dataset

# Objects 7, 3, 9 and 4; the third is a group, the fourth a crowd; classes ant, bee and cat.
RICH = small_dataset(rich=True)
BOXES = RICH.gt.box.tolist()


def labels_in(tmp_path, content, dataset=RICH, name="labels.json"):
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return read_box_labels(path, dataset)


def refused(tmp_path, content, dataset=RICH, **options):
    with pytest.raises(InputError) as caught:
        labels_in(tmp_path, content, dataset, **options)
    assert "labels" in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def codes(labels: BoxLabels) -> dict[str, int]:
    return {notice.code: notice.count for notice in labels.notices}


def test_ids_name_objects_and_labels_classes(tmp_path):
    found = labels_in(
        tmp_path,
        [
            {"id": 3, "label": "bee", "score": 0.25},
            {"id": 7, "category_id": 2, "score": -3},
            {"id": 9, "scores": {"ant": 0.1, "cat": 0.7, "bee": 0.2}},
            {"id": 4, "label": 0, "score": 1},
        ],
    )
    assert found.class_row.tolist() == [2, 1, 2, 0]
    assert found.score.tolist() == [-3, 0.25, 0.7, 1]
    assert found.notices == ()
    assert not found.class_row.flags.writeable


def test_csv_and_parquet_hold_the_same_columns(tmp_path):
    wanted = labels_in(tmp_path, [{"id": 7, "label": "cat", "score": 0.5}])
    text = "ID, Label ,score\n7, cat ,0.5\n\n"
    pl.DataFrame({"id": [7.0], "label": ["cat"], "score": [0.5]}).write_parquet(tmp_path / "p")
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for found in (
        labels_in(tmp_path, text, name="labels.csv"),
        labels_in(tmp_path, "\ufeff" + text, name="marked.csv"),
        read_box_labels(tmp_path / "p", RICH),
        read_box_labels(packed, RICH),
    ):
        np.testing.assert_array_equal(found.class_row, wanted.class_row)
        np.testing.assert_array_equal(found.score, wanted.score)
        assert codes(found) == {"object_without_label": 1}


def test_parquet_may_hold_scores_and_boxes(tmp_path):
    pl.DataFrame(
        {"image": ["1.jpg", "2"], "bbox": [BOXES[1], BOXES[2]]}
        | {"scores": [{"ant": 0.5, "cat": None}, {"ant": 0.1, "cat": 0.2}]}
    ).write_parquet(tmp_path / "labels.parquet")
    found = read_box_labels(tmp_path / "labels.parquet", RICH)
    assert found.class_row.tolist() == [-1, 0, 2, -1]


def test_without_ids_image_and_box_name_an_object(tmp_path):
    x, y, w, h = BOXES[1]
    by_box = [
        {"image": "1.jpg", "bbox": [x + 0.004, y, w, h], "label": "bee", "score": 0.9},
        {"image": 2, "bbox": BOXES[3], "label": "ant", "score": 0.8},
        {"image_id": 1, "bbox": BOXES[0], "category_id": 0, "score": 0.7},
        {"image": 1, "bbox": [x + 1, y, w, h], "label": "cat", "score": 0.9},
        {"image": "absent.jpg", "bbox": BOXES[0], "label": "cat", "score": 0.9},
    ]
    found = labels_in(tmp_path, by_box)
    assert found.class_row.tolist() == [0, 1, -1, 0]
    assert codes(found) == {"unknown_object": 2}
    lines = [f"{one.get('image', 1)},{','.join(map(str, one['bbox']))},bee,1" for one in by_box[:1]]
    found = labels_in(tmp_path, "\n".join(["image,x,y,w,h,label,score", *lines]), name="labels.csv")
    assert found.class_row.tolist() == [-1, 1, -1, -1]


def test_equal_boxes_are_given_in_their_order(tmp_path):
    box = np.array(BOXES)
    box[1] = box[0]
    dataset = replace(RICH, gt=replace(RICH.gt, box=frozen(box, np.float64)))
    record = {"image": 1, "bbox": BOXES[0], "score": 1}
    found = labels_in(
        tmp_path, [record | {"label": name} for name in ("ant", "bee", "cat")], dataset
    )
    assert found.class_row.tolist() == [0, 1, -1, -1]
    assert codes(found) == {"repeated_object": 1}


def test_fractions_of_images_are_told_apart_finely(tmp_path):
    box = np.array(BOXES) / 1_000
    dataset = replace(RICH, relative=True, gt=replace(RICH.gt, box=frozen(box, np.float64)))
    near = [value + 1e-4 for value in box[0]]
    found = labels_in(
        tmp_path,
        [
            {"image": 1, "bbox": near, "label": "ant", "score": 1},
            {"image": 1, "bbox": box[0].tolist(), "label": "bee", "score": 1},
        ],
        dataset,
    )
    assert found.class_row[0] == 1
    assert codes(found)["unknown_object"] == 1


def test_what_does_not_fit_is_counted_by_kind_with_an_example(tmp_path):
    found = labels_in(
        tmp_path,
        [
            {"id": 99, "label": "ant", "score": 1},
            {"id": 7, "label": "whale", "score": 0.5},
            {"id": 7, "label": "ant", "score": 0.5},
            {"id": 9, "label": "bee", "score": "high"},
            {"id": "98", "label": "ant", "score": 1},
        ],
    )
    assert found.class_row.tolist() == [-1, -1, 1, -1]
    np.testing.assert_array_equal(found.score, [0.5, np.nan, np.nan, np.nan])
    assert codes(found) == {
        "unknown_object": 2,
        "repeated_object": 1,
        "unknown_label": 1,
        "no_score": 1,
        "object_without_label": 1,
    }
    said = {notice.code: notice.message for notice in found.notices}
    assert "2 of 5 labels" in said["unknown_object"]
    assert 'record 0, {"id": 99' in said["unknown_object"]
    assert "whale" in said["unknown_label"]
    assert "id 3" in said["object_without_label"]


@pytest.mark.parametrize("score", [None, "x", True, [1], {}, float("nan"), float("inf"), ""])
def test_a_score_that_is_no_number_is_missing(tmp_path, score):
    found = labels_in(tmp_path, [{"id": 7, "label": "ant", "score": score}])
    assert found.class_row[0] == 0
    assert np.isnan(found.score[0])
    assert codes(found)["no_score"] == 1


def test_scores_without_any_number_are_no_label(tmp_path):
    found = labels_in(tmp_path, [{"id": 7, "scores": {"ant": None}}, {"id": 3, "scores": {}}])
    assert found.class_row.tolist() == [-1] * 4
    assert np.isnan(found.score).all()


def test_labels_without_scores_are_told_as_such(tmp_path):
    found = labels_in(
        tmp_path,
        [{"id": 7, "scores": {"ant": None}}, {"id": 3, "scores": {}}, {"id": 9, "score": 1}],
    )
    assert codes(found) == {"unknown_label": 1, "no_scores": 2}
    assert "2 of 3 labels have no valid scores" in found.notices[1].message


def test_scores_that_do_not_sum_to_one_are_counted(tmp_path):
    shares = [{"ant": 0.9, "cat": 0.104}, {"ant": 3, "cat": -1}, {"bee": 5}, {"ant": 0.2, "bee": 0}]
    records = [{"id": key, "scores": one} for key, one in zip([7, 3, 9, 4], shares, strict=True)]
    (told,) = labels_in(tmp_path, records).notices
    assert (told.code, told.count) == ("scores_without_sum", 2)
    assert told.message.endswith("the scores of 2 labels do not sum to 1: used as they are")


def test_an_object_that_was_named_by_its_id_is_not_given_to_a_box(tmp_path):
    box = np.array(BOXES)
    box[1] = box[0]
    dataset = replace(RICH, gt=replace(RICH.gt, box=frozen(box, np.float64)))
    records = [
        {"id": 7, "label": "bee", "score": 1},
        {"image": 1, "bbox": BOXES[0], "label": "cat", "score": 1},
    ]
    found = labels_in(tmp_path, records, dataset)
    assert found.class_row.tolist() == [1, 2, -1, -1]
    assert codes(found) == {}


def test_whole_numbers_may_be_written_with_a_point(tmp_path):
    text = "id,category_id,score\n7.0,2.0,0.5\n3.00,1,0.5\n9,bee,0.5\n4.5,1,1\n"
    found = labels_in(tmp_path, text, name="labels.csv")
    assert found.class_row.tolist() == [2, 1, -1, -1]
    assert codes(found) == {"unknown_object": 1, "unknown_label": 1}
    written = replace(RICH, gt=replace(RICH.gt, id=id_column(["7.0", "7", "9", "4"])))
    found = labels_in(tmp_path, "id,label,score\n7.0,ant,1\n7,bee,1\n", written, name="t.csv")
    assert found.class_row.tolist() == [0, 1, -1, -1]


def test_empty_lines_are_no_records_and_lines_keep_their_numbers(tmp_path):
    text = "id,label,score\n\n7,ant,1\n , ,\n\n3,bee,1\n9,cat,much\n\n"
    found = labels_in(tmp_path, text, name="labels.csv")
    assert found.class_row.tolist() == [0, 1, 2, -1]
    assert "first: line 7" in found.notices[0].message
    assert "line 4: 2 fields" in refused(tmp_path, "id,label,score\n\n\n7,ant\n", name="labels.csv")


def test_nothing_that_fits_is_said_aloud(tmp_path):
    found = labels_in(tmp_path, [{"id": 70, "label": "ant", "score": 1}])
    assert codes(found) == {"unknown_object": 1, "nothing_fits": 1}
    assert "7, 3, 9" in found.notices[-1].message
    assert codes(labels_in(tmp_path, [])) == {"no_labels": 0}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([{"label": "ant", "score": 1}], "record 0: no id"),
        ([{"id": 7, "label": "ant"}, {"image": 1, "label": "ant"}], "record 1: no id"),
        ([7], "record 0: expected a record, got int"),
        ({"id": 7}, "expected a list"),
        ('[{"id": 7', "not JSON"),
        ([{"image": 1, "bbox": [1, 2, 3]}], "not four numbers"),
        ([{"image": 1, "bbox": [1, 2, 3, None]}], "not four numbers"),
        ([{"image": 1, "bbox": "1 2 3 4"}], "not four numbers"),
        ([{"id": 7, "scores": [0.1, 0.9]}], "scores are list"),
    ],
)
def test_json_that_cannot_be_meant_is_refused_by_record(tmp_path, content, told):
    assert told in refused(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("label,score\nant,1\n", "line 1: missing column id; found label, score"),
        ("", "missing column id; found nothing"),
        ("id,label\n7,ant\n3\n", "line 3: 1 fields, but the header has 2"),
        ("id,label\n7,ant,1\n", "line 2: 3 fields, but the header has 2"),
        ("id,label\n,ant\n", "line 2: no id"),
        (
            "id,class,score\n7,ant,1\n",
            "missing column label, category_id or scores; found id, class",
        ),
        ("id,label,Label\n7,ant,bee\n", "line 1: duplicate column 'label'"),
    ],
)
def test_csv_that_cannot_be_meant_is_refused_by_line(tmp_path, content, told):
    assert told in refused(tmp_path, content, name="labels.csv")


def test_parquet_that_cannot_be_meant_is_refused(tmp_path):
    path = tmp_path / "labels.parquet"
    pl.DataFrame({"label": ["ant"]}).write_parquet(path)
    with pytest.raises(InputError, match="missing column id; found label"):
        read_box_labels(path, RICH)
    pl.DataFrame({"id": [7], "name": ["ant"]}).write_parquet(path)
    with pytest.raises(
        InputError, match="missing column label, category_id or scores; found id, name"
    ):
        read_box_labels(path, RICH)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_box_labels(path, RICH)


def test_names_and_ids_of_several_are_refused(tmp_path):
    twins = replace(RICH, classes=Classes.of([0, 1, 2], ["ant", "ant", "cat"]))
    record = {"id": 7, "label": "ant", "score": 1}
    assert "the class name 'ant' is not unique" in refused(tmp_path, [record], twins)
    assert labels_in(tmp_path, [{"id": 7, "category_id": 1, "score": 1}], twins).class_row[0] == 1
    repeated = replace(RICH, gt=replace(RICH.gt, id=id_column([7, 7, 9, 4])))
    assert "is not unique in the ground truth" in refused(tmp_path, [record], repeated)


def write_labels(labels, dataset, path):
    """Objects by image and box where ids repeat, classes by id where names do."""
    gt, classes = dataset.gt, dataset.classes
    rows = np.flatnonzero((labels.class_row >= 0) | ~np.isnan(labels.score))
    columns = {"id": gt.id[rows].tolist()}
    if len(set(gt.id.tolist())) < len(gt):
        images = dataset.images.id[gt.image_row[rows]].tolist()
        columns = {"image": images, "bbox": gt.box[rows].tolist()}
    by_name = len(set(classes.name)) == len(classes)
    words = [*(classes.name if by_name else classes.id.tolist()), None]
    columns["label" if by_name else "category_id"] = [words[row] for row in labels.class_row[rows]]
    columns["score"] = [None if np.isnan(one) else one for one in labels.score[rows].tolist()]
    with written_whole(path) as temporary:
        if ".json" in path.suffixes:
            rows = zip(*columns.values(), strict=True)
            records = [dict(zip(columns, row, strict=True)) for row in rows]
            temporary.write_text(json.dumps(records), encoding="utf-8")
            return
        box = columns.pop("bbox", None)
        if box is not None:
            columns |= dict(zip("xywh", map(list, zip(*box, strict=True)), strict=True))
        frame = pl.DataFrame(columns, strict=False)
        (frame.write_csv if ".csv" in path.suffixes else frame.write_parquet)(temporary)


@pytest.mark.parametrize("ending", ["json", "csv", "parquet", "json.gz", "csv.gz"])
@pytest.mark.parametrize("kind", ["plain", "twin names", "repeated ids", "text ids"])
def test_what_is_written_is_read_again(tmp_path, ending, kind):
    dataset = small_dataset(text_ids=True, rich=True) if kind == "text ids" else RICH
    if kind == "twin names":
        dataset = replace(dataset, classes=Classes.of([0, 1, 2], ["ant", "ant", "cat"]))
    if kind == "repeated ids":
        dataset = replace(dataset, gt=replace(dataset.gt, id=id_column([7, 7, 9, 4])))
    labels = BoxLabels(
        frozen([1, -1, -1, 2], np.int32), frozen([1 / 3, -2.5e-17, np.nan, np.nan], np.float64)
    )
    path = tmp_path / f"labels.{ending}"
    write_labels(labels, dataset, path)
    found = read_box_labels(path, dataset)
    np.testing.assert_array_equal(found.class_row, labels.class_row)
    np.testing.assert_array_equal(found.score, labels.score)


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
def test_no_labels_are_written_and_read_again(tmp_path, ending):
    nothing = BoxLabels(frozen([-1] * 4, np.int32), frozen([np.nan] * 4, np.float64))
    path = tmp_path / f"labels.{ending}"
    write_labels(nothing, RICH, path)
    assert (read_box_labels(path, RICH).class_row == -1).all()
