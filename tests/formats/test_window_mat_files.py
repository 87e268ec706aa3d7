"""Windows in MAT files: the layouts of the public benchmark, and what is none of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import InputError
from boxlens.formats.window_files import read_windows
from small_world import small_dataset

# Corners counted from 1, both ends included, and the same as x, y, w, h from 0.
CORNERS = [[1, 1, 10, 20], [5, 6, 5, 6], [11, 2, 30, 40]]
BOXES = [[0, 0, 10, 20], [4, 5, 1, 1], [10, 1, 20, 39]]
SCORES = [0.25, 0.75, 0.5]
BEST_FIRST = [BOXES[row] for row in (1, 2, 0)]


def dataset(names=("000005", "000007")) -> Dataset:
    n = len(names)
    files = [f"JPEGImages/{name}.jpg" for name in names]
    images, _ = Images.of(list(range(1, n + 1)), [100.0] * n, [80.0] * n, files)
    gt = GroundTruth.of(n, image_row=[], class_row=[], box=[])
    return Dataset("d", images, Classes.of([1], ["thing"]), gt)


def cells(*values) -> np.ndarray:
    found = np.empty((1, len(values)), dtype=object)
    for number, value in enumerate(values):
        found[0, number] = np.array(value)
    return found


def write(folder, name="000005", **variables):
    """As the benchmark lays its files out: in folders by the first letters."""
    place = folder / name[:4]
    place.mkdir(parents=True, exist_ok=True)
    savemat(place / f"{name}.mat", variables)
    return folder


def column(values) -> np.ndarray:
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def test_a_folder_has_a_file_an_image_and_scores_rank(tmp_path):
    write(tmp_path, boxes=np.array(CORNERS), scores=column(SCORES), num_candidates=[])
    write(tmp_path, "000007", boxes=np.array(CORNERS[:1]), scores=column([3]))
    windows = read_windows(tmp_path, dataset())
    assert windows.box.tolist() == [*BEST_FIRST, BOXES[0]]
    assert windows.offsets.tolist() == [0, 3, 4]
    assert (windows.source.format, windows.notices) == ("mat", ())
    assert windows.name == tmp_path.name


def test_files_without_scores_are_ranked_as_they_stand(tmp_path):
    write(tmp_path, boxes=np.array(CORNERS, dtype=np.single), scores=np.zeros((0, 0)))
    write(tmp_path, "000007", boxes=np.array(CORNERS))
    assert read_windows(tmp_path, dataset()).box.tolist() == BOXES * 2


def test_an_image_without_windows_was_searched(tmp_path):
    write(tmp_path, boxes=np.zeros((0, 0)), scores=np.zeros((0, 0)))
    write(tmp_path, "000007", boxes=np.array(CORNERS), scores=column(SCORES))
    windows = read_windows(tmp_path, dataset())
    assert windows.searched.all()
    assert windows.offsets.tolist() == [0, 0, 3]


@pytest.mark.parametrize(("limit", "run"), [(1, 0), (5, 0), (6, 1), (1000, 1), (None, 1)])
def test_of_several_runs_the_one_for_the_nearest_number_is_taken(tmp_path, limit, run):
    # The second run has as many rows as the first, so that a limit above hides none.
    second = [[2, 2, 9, 9], [3, 3, 8, 8], [4, 4, 7, 7]]
    write(
        tmp_path,
        boxes=cells(CORNERS, second),
        scores=cells(column(SCORES), column([3, 2, 1])),
        num_candidates=np.array([[1.0, 10.0]]),
    )
    first = read_windows(tmp_path, dataset(), limit=limit).box[0].tolist()
    assert first == ([1, 1, 8, 8] if run else BEST_FIRST[0])


def test_one_run_in_a_cell_needs_no_number(tmp_path):
    write(tmp_path, boxes=cells(CORNERS), scores=cells(column(SCORES)))
    assert read_windows(tmp_path, dataset()).box.tolist() == BEST_FIRST


@pytest.mark.parametrize("name", ["boxes", "proposals"])
def test_an_array_of_five_columns_has_its_scores_in_the_last(tmp_path, name):
    write(tmp_path, **{name: np.hstack([CORNERS, column(SCORES)])})
    assert read_windows(tmp_path, dataset()).box.tolist() == BEST_FIRST
    one = tmp_path / "0000" / "000005.mat"
    assert read_windows(one, dataset()).box.tolist() == BEST_FIRST


def test_one_file_of_all_images_has_rows_before_columns(tmp_path):
    path = tmp_path / "voc_2007_test.mat"
    swapped = np.array(CORNERS)[:, [1, 0, 3, 2]]
    images = cells("000007", "000005", "unknown")
    savemat(path, {"images": images, "boxes": cells(swapped, np.zeros((0, 4)), swapped)})
    windows = read_windows(path, dataset())
    assert windows.box.tolist() == BOXES
    assert windows.offsets.tolist() == [0, 0, 3]
    assert windows.searched.all()
    assert [(one.code, one.count) for one in windows.notices] == [("unknown_image", 3)]
    assert "boxes{3}, window 1 (image unknown)" in windows.notices[0].message


def test_images_go_by_id_too_and_what_is_missing_is_told(tmp_path):
    write(tmp_path, "2", boxes=np.array(CORNERS))
    write(tmp_path, "other", boxes=np.array(CORNERS[:2]))
    windows = read_windows(tmp_path, dataset())
    assert windows.offsets.tolist() == [0, 0, 3]
    assert [(one.code, one.count) for one in windows.notices] == [
        ("unknown_image", 2),
        ("not_searched", 1),
    ]


def test_windows_that_end_before_they_begin_or_lie_outside_are_counted(tmp_path):
    write(tmp_path, boxes=np.array([[9, 9, 3, 12], [101, 1, 120, 9], [1, 1, 9, 9], [4, 4, 3, 9]]))
    windows = read_windows(tmp_path, dataset(("000005",)))
    assert len(windows) == 4
    assert [(one.code, one.count) for one in windows.notices] == [
        ("backwards", 1),
        ("outside_image", 3),
    ]
    assert "window 1 (image 000005)" in windows.notices[0].message


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"boxes": np.ones((3, 6))}, "boxes: expected numbers n x 4 or n x 5, found 3 x 6 float64"),
        (
            {"boxes": np.ones((2, 4)), "scores": column([1])},
            r"scores: expected numbers 2 x 1.*1 x 1",
        ),
        ({"boxes": np.ones((2, 4)) * 1j}, "boxes: expected numbers .*found 2 x 4 complex128"),
        ({"boxes": "a text"}, "boxes: expected numbers n x 4"),
        ({"boxes": np.ones((2, 3, 4))}, "found 2 x 3 x 4 float64"),
        (
            {"windows": np.ones((3, 3)), "k": 7},
            "no variable 'boxes': found windows 3 x 3 float64, k 1",
        ),
        ({"a": np.ones((3, 4)), "b": np.ones((2, 4))}, "no variable 'boxes': found a 3 x 4"),
        ({}, "no variable 'boxes': found nothing"),
        ({"boxes": {"x": 1}}, "boxes: expected numbers"),
        ({"boxes": cells(CORNERS, CORNERS)}, "2 runs, but not as many numbers in num_candidates"),
        (
            {"boxes": cells(CORNERS, CORNERS), "num_candidates": np.ones(3)},
            r"2 runs.*found 1 x 3 float64.*Give num_candidates",
        ),
        ({"boxes": cells()}, "no runs in its cells"),
        (
            {"boxes": cells(CORNERS, [1]), "num_candidates": [9, 1000]},
            r"boxes\{2\}: expected numbers",
        ),
        ({"boxes": np.full((1, 4), np.nan)}, "window 1 .*not a finite number|NaN|nan|finite"),
    ],
)
def test_another_shape_is_refused_with_what_was_found_and_expected(tmp_path, variables, problem):
    write(tmp_path, **variables)
    with pytest.raises(InputError, match=rf"000005\.mat.*({problem})"):
        read_windows(tmp_path, dataset())


@pytest.mark.parametrize(
    "variables",
    [
        {"images": cells("000005"), "boxes": np.ones((3, 4))},
        {"images": cells("000005"), "boxes": cells(CORNERS, CORNERS)},
        {"images": cells("000005")},
        {"images": np.ones(2), "boxes": cells(CORNERS, CORNERS)},
    ],
)
def test_images_and_boxes_that_do_not_belong_together_are_refused(tmp_path, variables):
    savemat(tmp_path / "w.mat", variables)
    with pytest.raises(InputError, match="images and boxes must be cells, one for each image"):
        read_windows(tmp_path / "w.mat", dataset())


def test_scores_in_some_files_only_are_refused(tmp_path):
    write(tmp_path, boxes=np.array(CORNERS), scores=column(SCORES))
    write(tmp_path, "000007", boxes=np.array(CORNERS))
    with pytest.raises(InputError, match=r"000007\.mat: no scores, while .*000005\.mat has some"):
        read_windows(tmp_path, dataset())


def test_two_files_for_one_image_are_refused(tmp_path):
    for folder in ("a", "b"):
        write(tmp_path / folder, boxes=np.array(CORNERS))
    with pytest.raises(InputError, match="two files for the image '000005'"):
        read_windows(tmp_path, dataset())


def test_a_folder_without_mat_files_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no \.mat files.*Name a file"):
        read_windows(tmp_path, dataset())


@pytest.mark.parametrize(
    "head",
    [b"MATLAB 7.3 MAT-file, Platform: GLNXA64", b"\x89HDF\r\n\x1a\n"],
    ids=["mat 7.3", "hdf"],
)
@pytest.mark.parametrize("alone", [True, False])
def test_files_of_version_7_3_are_refused_with_a_remedy(tmp_path, head, alone):
    path = tmp_path / "000005.mat"
    path.write_bytes(head + bytes(600))
    with pytest.raises(InputError, match=r"000005\.mat: MAT version 7\.3.*-v7"):
        read_windows(path if alone else tmp_path, dataset())


def test_damaged_files_are_refused(tmp_path):
    write(tmp_path, boxes=np.array(CORNERS), scores=column(SCORES))
    path = tmp_path / "0000" / "000005.mat"
    content = path.read_bytes()
    chance = np.random.default_rng(0)
    for damaged in (b"", b"no MAT file", content[:200], content[:-9]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"000005\.mat"):
            read_windows(tmp_path, dataset())
    for place in chance.integers(0, len(content), 60).tolist():
        # Any byte may be another one: it is read or refused, and nothing else.
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x15]) + content[place + 1 :])
        try:
            read_windows(tmp_path, dataset())
        except InputError as problem:
            assert "000005.mat" in str(problem)  # noqa: PT017 - either outcome is right


def test_fewer_cells_of_scores_than_runs_are_refused(tmp_path):
    boxes, scores = np.empty(2, dtype=object), np.empty(1, dtype=object)
    boxes[:] = [np.ones((1, 4)), np.ones((1, 4))]
    scores[:] = [np.ones((1, 1))]
    dataset = small_dataset()
    path = tmp_path / f"{dataset.images.id[0]}.mat"
    savemat(path, {"boxes": boxes, "scores": scores, "num_candidates": [[1.0, 10.0]]})
    with pytest.raises(InputError, match="2 runs, but 1 cells of scores"):
        read_windows(tmp_path, dataset)
