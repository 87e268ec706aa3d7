"""Ranked windows from files of every layout, whole, partial and broken."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import InputError, ParameterError
from boxlens.formats.window_files import read_windows

# Image, box, score; in this order in every file.
RECORDS = [
    (7, [1.5, 2.0, 30.0, 40.0], 0.25),
    (5, [0.0, 0.0, 10.0, 10.0], 0.5),
    (7, [3.0, 4.0, 5.0, 6.0], 0.75),
    (5, [2.0, 2.0, 10.0, 10.0], 0.5),
    (7, [9.0, 9.0, 1.0, 2.0], 0.25),
]
# As they are to come out: image 5, then 7.
BY_SCORE = [RECORDS[row][1] for row in (1, 3, 2, 0, 4)]
IN_FILE_ORDER = [RECORDS[row][1] for row in (1, 3, 0, 2, 4)]


def dataset(ids=(5, 7), *, relative=False, size=100.0) -> Dataset:
    n = len(ids)
    names = [f"in/{key}.jpg" for key in ids]
    images, _ = Images.of(list(ids), [size] * n, [size] * n, names)
    gt = GroundTruth.of(n, image_row=[], class_row=[], box=[])
    return Dataset("d", images, Classes.of([1], ["thing"]), gt, relative=relative)


def results(*, category=True, score=True, records=RECORDS) -> list[dict]:
    return [
        {"image_id": image, "bbox": box}
        | ({"category_id": 99} if category else {})
        | ({"score": value} if score else {})
        for image, box, value in records
    ]


def write_json(path, content):
    path.write_text(json.dumps(content))
    return path


def write_csv(path, *, score=True, corners=False, image="image", name=str):
    columns = "x1,y1,x2,y2" if corners else "x,y,w,h"
    lines = [f"{image},{columns}" + (",score" if score else "")]
    for key, (x, y, w, h), value in RECORDS:
        box = (x, y, x + w, y + h) if corners else (x, y, w, h)
        lines.append(",".join(map(str, [name(key), *box, *([value] if score else [])])))
    path.write_text("\n".join(lines) + "\n")
    return path


def write_parquet(path, *, score=True):
    columns = {"image_id": [record[0] for record in RECORDS]}
    columns |= {key: [record[1][at] for record in RECORDS] for at, key in enumerate("xywh")}
    if score:
        columns["score"] = [record[2] for record in RECORDS]
    pl.DataFrame(columns).write_parquet(path)
    return path


@pytest.mark.parametrize("category", [True, False])
@pytest.mark.parametrize("score", [True, False])
def test_coco_results_with_and_without_class_and_score(tmp_path, category, score):
    path = write_json(tmp_path / "w.json", results(category=category, score=score))
    windows = read_windows(path, dataset())
    np.testing.assert_array_equal(windows.offsets, [0, 2, 5])
    np.testing.assert_array_equal(windows.box, BY_SCORE if score else IN_FILE_ORDER)
    assert (windows.name, windows.source.format, windows.notices) == ("w", "coco", ())


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("score", [True, False])
@pytest.mark.parametrize("image", ["image", "Image_ID"])
def test_csv_of_sizes_and_corners(tmp_path, corners, score, image):
    path = write_csv(tmp_path / "w.csv", corners=corners, score=score, image=image)
    windows = read_windows(path, dataset())
    np.testing.assert_array_equal(windows.box, BY_SCORE if score else IN_FILE_ORDER)


@pytest.mark.parametrize("name", ["in/{}.jpg", "{}.jpg", "{}"])
def test_csv_images_go_by_file_name_too(tmp_path, name):
    path = write_csv(tmp_path / "w.csv", name=name.format)
    np.testing.assert_array_equal(read_windows(path, dataset()).box, BY_SCORE)


def test_a_name_that_two_images_share_is_neither(tmp_path):
    images, _ = Images.of([1, 2], [9.0] * 2, [9.0] * 2, ["a/x.jpg", "b/x.jpg"])
    gt = GroundTruth.of(2, image_row=[], class_row=[], box=[])
    shared = Dataset("d", images, Classes.of([1], ["thing"]), gt)
    path = tmp_path / "w.csv"
    path.write_text("image,x,y,w,h\nx.jpg,0,0,1,1\nb/x.jpg,0,0,1,1\n")
    windows = read_windows(path, shared)
    np.testing.assert_array_equal(np.diff(windows.offsets), [0, 1])
    assert [(one.code, one.count) for one in windows.notices] == [
        ("unknown_image", 1),
        ("not_searched", 1),
    ]


@pytest.mark.parametrize("score", [True, False])
def test_parquet(tmp_path, score):
    windows = read_windows(write_parquet(tmp_path / "w.parquet", score=score), dataset())
    np.testing.assert_array_equal(windows.box, BY_SCORE if score else IN_FILE_ORDER)


def test_packed_files_and_text_ids(tmp_path):
    path = tmp_path / "w.json.gz"
    text = [record | {"image_id": str(record["image_id"])} for record in results()]
    path.write_bytes(gzip.compress(json.dumps(text).encode()))
    np.testing.assert_array_equal(read_windows(path, dataset(("5", "7"))).box, BY_SCORE)


def test_the_best_stay_and_the_last_of_equals_go(tmp_path):
    path = write_json(tmp_path / "w.json", results())
    windows = read_windows(path, dataset(), limit=2)
    np.testing.assert_array_equal(windows.box, [BY_SCORE[row] for row in (0, 1, 2, 3)])
    assert len(read_windows(path, dataset(), limit=None)) == 5


def test_images_that_the_file_lacks_are_marked_and_counted(tmp_path):
    path = write_json(tmp_path / "w.json", results())
    windows = read_windows(path, dataset((5, 6, 7)))
    np.testing.assert_array_equal(windows.searched, [True, False, True])
    (notice,) = windows.notices
    assert (notice.code, notice.count) == ("not_searched", 1)


def test_a_box_of_zeros_says_that_nothing_was_found(tmp_path):
    path = write_json(tmp_path / "w.json", results(records=[*RECORDS, (6, [0, 0, 0, 0], 0.0)]))
    windows = read_windows(path, dataset((5, 6, 7)))
    np.testing.assert_array_equal(windows.searched, [True, True, True])
    np.testing.assert_array_equal(windows.offsets, [0, 2, 2, 5])
    assert windows.notices == ()


def test_windows_of_unknown_images_are_counted(tmp_path):
    path = write_json(tmp_path / "w.json", results())
    some = read_windows(path, dataset((5,)))
    assert [(one.code, one.count) for one in some.notices] == [("unknown_image", 3)]
    assert "record 0 (image_id 7)" in some.notices[0].message
    none = read_windows(path, dataset((1, 2)))
    assert [(one.code, one.count) for one in none.notices] == [
        ("unknown_image", 5),
        ("not_searched", 2),
    ]
    assert "none of the 5 windows" in none.notices[0].message


def test_a_file_without_windows_is_told(tmp_path):
    windows = read_windows(write_json(tmp_path / "w.json", []), dataset())
    assert [one.code for one in windows.notices] == ["no_windows", "not_searched"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"bbox": [0, 0, -1, 1]}, "record 1.*negative width or height"),
        ({"bbox": [0, 0, 1]}, "record 1.*bbox"),
        ({"image_id": None}, "record 1.*image_id"),
        ({"score": "high"}, "record 1.*score must be a number"),
    ],
)
@pytest.mark.parametrize("category", [True, False])
def test_a_broken_record_is_named(tmp_path, change, problem, category):
    records = results(category=category)
    records[1] |= change
    with pytest.raises(InputError, match=problem):
        read_windows(write_json(tmp_path / "w.json", records), dataset())


@pytest.mark.parametrize("category", [True, False])
def test_a_number_that_is_none_is_refused(tmp_path, category):
    records = results(category=category)
    records[2]["bbox"] = [0.0, float("nan"), 1.0, 1.0]
    path = tmp_path / "w.json"
    path.write_text(json.dumps(records))
    with pytest.raises(InputError):
        read_windows(path, dataset())


@pytest.mark.parametrize("first", [True, False])
def test_scores_in_some_records_only_are_refused(tmp_path, first):
    records = results(category=False)
    for number, record in enumerate(records):
        if (number == 0) != first:
            del record["score"]
    with pytest.raises(InputError, match=r"record 1.*score"):
        read_windows(write_json(tmp_path / "w.json", records), dataset())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("image,x,y,w\n5,1,2,3\n", "not a table of windows"),
        ("image,x,y,w,h\n5,1,2,3,-4\n", r"line 2.*negative width"),
        ("image,x,y,w,h\n5,1,2,3,inf\n", r"line 2.*not a finite number"),
        ("image,x,y,w,h\n5,1,2,3,four\n", r"line 2.*not a number"),
        ("image,x1,y1,x2,y2\n5,10,2,3,4\n", r"line 2.*negative width"),
        ("image,x,y,w,h,score\n5,1,2,3,4,nan\n", r"line 2.*not a finite number"),
        ('{"images": []}', "JSON|array|annotations"),
        ("", "not a table of windows"),
    ],
)
def test_broken_tables_are_refused_with_their_place(tmp_path, text, problem):
    path = tmp_path / "w.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_windows(path, dataset())


def test_pixels_are_refused_where_boxes_are_fractions_of_an_unknown_size(tmp_path):
    path = write_json(tmp_path / "w.json", results())
    with pytest.raises(InputError, match=r"record 0 .*window in pixels"):
        read_windows(path, dataset(relative=True, size=np.nan))
    fractions = [(image, [value / 100 for value in box], score) for image, box, score in RECORDS]
    write_json(path, results(records=fractions))
    windows = read_windows(path, dataset(relative=True, size=np.nan))
    np.testing.assert_array_equal(windows.box * 100, BY_SCORE)


def test_limits_that_cannot_be_meant(tmp_path):
    with pytest.raises(ParameterError, match="1 or more windows per image"):
        read_windows(write_json(tmp_path / "w.json", []), dataset(), limit=0)


@pytest.mark.parametrize("extra", [{}, {"sure": True}])
@pytest.mark.parametrize("text_ids", [True, False])
def test_windows_without_classes_are_the_very_same_numbers(tmp_path, extra, text_ids):
    chance = np.random.default_rng(2)
    values = chance.uniform(0, 1, (2000, 5)) * 10.0 ** chance.integers(-12, 4, (2000, 5))
    ids = [5, 7, 2**53 + 1]
    kind = str if text_ids else int
    records = [
        {"image_id": kind(ids[row % 3]), "bbox": box, "score": score, "category_id": 1}
        for row, (*box, score) in enumerate(values.tolist())
    ]
    data = dataset([kind(key) for key in ids])
    whole = read_windows(write_json(tmp_path / "w.json", records), data, limit=None)
    for record in records:
        del record["category_id"]
    records[0] |= extra
    bare = read_windows(write_json(tmp_path / "v.json", records), data, limit=None)
    np.testing.assert_array_equal(bare.box, whole.box)
    np.testing.assert_array_equal(bare.offsets, whole.offsets)


@pytest.mark.parametrize("value", [True, None, "0.5", [1]])
def test_a_score_that_is_no_number_is_refused_in_records_without_a_class(tmp_path, value):
    records = results(category=False)
    for record in records:
        record["score"] = value
    with pytest.raises(InputError, match=r"record 0.*score must be a number"):
        read_windows(write_json(tmp_path / "w.json", records), dataset())


@pytest.mark.parametrize(
    ("order", "rows"),
    [("descending", (1, 3, 2, 0, 4)), ("ascending", (1, 3, 0, 4, 2)), ("given", (1, 3, 0, 2, 4))],
)
@pytest.mark.parametrize("make", [write_csv, write_parquet])
def test_windows_go_by_score_or_as_they_stand(tmp_path, make, order, rows):
    windows = read_windows(make(tmp_path / "w"), dataset(), order=order)
    np.testing.assert_array_equal(windows.box, [RECORDS[row][1] for row in rows])


def test_a_shuffle_follows_from_the_seed_and_the_image_alone(tmp_path):
    boxes = [[float(place), 0.0, 5.0, 5.0] for place in range(60)]
    records = [{"image_id": 5 + 2 * (row % 2), "bbox": box} for row, box in enumerate(boxes)]
    both = write_json(tmp_path / "w.json", records)
    alone = write_json(tmp_path / "v.json", [one for one in records if one["image_id"] == 7])
    one, other, again, only = (
        read_windows(path, dataset(), order="shuffled", seed=seed).box.tolist()
        for path, seed in ((both, 1), (both, 2), (both, 1), (alone, 1))
    )
    assert one == again != other
    assert sorted(one[:30]) == sorted(other[:30]) == boxes[::2]
    assert one[30:] == only
    # The best of a shuffle are a sample, not the first of the file.
    few = read_windows(both, dataset(), order="shuffled", seed=1, limit=3).box.tolist()
    assert few == [*one[:3], *one[30:33]]


def test_orders_that_cannot_be_meant_are_refused(tmp_path):
    path = write_csv(tmp_path / "w.csv", score=False)
    with pytest.raises(InputError, match="rising score, but there are no scores"):
        read_windows(path, dataset(), order="ascending")
    with pytest.raises(ParameterError, match="unknown order 'best': choose descending, ascending"):
        read_windows(path, dataset(), order="best")


def test_windows_outside_their_image_stay_and_are_counted(tmp_path):
    outside = [[100.0, 0.0, 5.0, 5.0], [-9.0, 3.0, 9.0, 4.0], [1.0, 200.0, 5.0, 5.0]]
    empty = [[3.0, 3.0, 0.0, 5.0]]
    partly = [[-5.0, -5.0, 20.0, 20.0], [99.0, 99.0, 50.0, 50.0]]
    records = [(5, box, 0.5) for box in partly + outside + empty]
    path = write_json(tmp_path / "w.json", results(records=records))
    windows = read_windows(path, dataset((5,)))
    assert len(windows) == 6
    (notice,) = windows.notices
    assert (notice.code, notice.count) == ("outside_image", 4)
    assert "4 of 6 windows outside" in notice.message
    assert "record 2 (image_id 5)" in notice.message
    # Of an image without a size nothing is known but where it begins.
    unsized = read_windows(path, dataset((5,), size=np.nan))
    assert [one.count for one in unsized.notices] == [2]
