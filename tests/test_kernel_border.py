"""No call ends the process: every binding refuses columns that do not fit, with an exception.

All calls are made in one process of their own (this file, run as a script), for a column that is not
checked may be read or written beyond its end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from boxlens import _kernel

OFFSETS = np.array([0, 2, 3])
OBJECT_OFFSETS = np.array([0, 1, 3])
CLASSES = np.array([0, 1, 1], dtype=np.int32)
BOXES = np.array([[0, 0, 10, 10], [20, 20, 5, 5], [0, 0, 4, 8]], dtype=np.float64)
SCORES = np.array([0.9, 0.5, 0.7])
NO = np.zeros(3, dtype=np.bool_)
WORDS = np.array([1, 0, 1], dtype=np.uint64)
PAIRS = {
    "pair_offsets": np.array([0, 1, 1, 3]),
    "pair_gt_row": np.array([0, 1, 2], dtype=np.int32),
    "pair_iou": np.array([1.0, 0.5, 0.6]),
}
RANKED = {"class_offsets": np.array([0, 1, 3]), "det_unit": np.array([0, 1, 0], dtype=np.int32)}
WEIGHTED = {
    "gt_class": CLASSES,
    "gt_unit": np.array([0, 1, 1], dtype=np.int32),
    "weights": np.ones((2, 2), dtype=np.int32),
}

# One call of every binding that takes columns, with all its arguments as they should be.
CALLS: dict[str, dict[str, Any]] = {
    "find_overlaps": {
        "det_offsets": OFFSETS,
        "det_class": CLASSES,
        "det_box": BOXES,
        "gt_offsets": OBJECT_OFFSETS,
        "gt_class": CLASSES,
        "gt_box": BOXES,
        "gt_region": NO,
        "n_classes": 2,
        "floor": 0.1,
        "same_class": True,
        "threads": 1,
    },
    "assign": {
        "det_offsets": OFFSETS,
        "det_class": CLASSES,
        "det_box": BOXES,
        "det_score": SCORES,
        "det_dropped": NO,
        "det_unmatched_ignored": NO,
        "gt_offsets": OBJECT_OFFSETS,
        "gt_area": np.full(3, 50.0),
        "gt_region": NO,
        "gt_ignored": NO,
        **PAIRS,
        "rule": "coco",
        "thresholds": [0.5],
        "area_ranges": [(0.0, 1e9)],
        "n_classes": 2,
        "max_dets": 100,
        "max_dets_per_class": True,
        "keep_hits": True,
        "threads": 1,
    },
    "pair_one_to_one": {
        "det_offsets": OFFSETS,
        "det_class": CLASSES,
        "det_score": SCORES,
        "gt_offsets": OBJECT_OFFSETS,
        "gt_class": CLASSES,
        **PAIRS,
        "det_dropped": NO,
        "gt_dropped": NO,
        "floor": 0.1,
        "threads": 1,
    },
    "match_boxes": {
        "a_offsets": OFFSETS,
        "a_box": BOXES,
        "b_offsets": OBJECT_OFFSETS,
        "b_box": BOXES,
        "budgets": [1, 2],
        "threads": 1,
    },
    "first_on_pixels": {"offsets": OFFSETS, "box": BOXES, "threads": 1},
    "count_overlapping_pairs": {"box": BOXES, "iou": 0.5, "threads": 1},
    "count_neighbours": {
        "offsets": OFFSETS,
        "class_row": CLASSES,
        "box": BOXES,
        "gap": 0.0,
        "threads": 1,
    },
    "rank_classes": {"det_class": CLASSES, "det_score": SCORES, "n_classes": 2, "threads": 1},
    "accumulate": {
        "order": np.array([0, 2, 1], dtype=np.int32),
        "class_offsets": RANKED["class_offsets"],
        "det_score": SCORES,
        "det_tp": WORDS,
        "det_ignored": WORDS * np.uint64(0),
        "det_rank": np.array([0, 1, 0], dtype=np.int32),
        "n_positive": np.array([[1], [2]]),
        "n_thresholds": 1,
        "max_dets": 100,
        "recalls": [0.0, 0.5, 1.0],
        "with_scores": True,
        "with_tie_band": True,
        "threads": 1,
    },
    "count_true_positives": {
        "det_class": CLASSES,
        "det_tp": WORDS,
        "det_rank": np.array([0, 1, 0], dtype=np.int32),
        "n_classes": 2,
        "n_areas": 1,
        "n_thresholds": 1,
        "max_dets": [1, 10],
    },
    "resample": {
        **RANKED,
        "det_tp": WORDS,
        "det_ignored": WORDS * np.uint64(0),
        "det_limit": np.zeros(3, dtype=np.uint8),
        "det_value": np.ones(3),
        **WEIGHTED,
        "gt_positive": np.ones(3, dtype=np.uint64),
        "gt_value": np.ones(3),
        "n_thresholds": 1,
        "n_groups": 1,
        "n_limits": 1,
        "recalls": [0.5],
        "spacing": True,
        "normal": np.ones(2),
        "with_precision": True,
        "threads": 1,
    },
    "count_top_kinds": {
        **RANKED,
        "det_kind": np.array([0, 1, 0], dtype=np.int8),
        "n_kinds": 2,
        **WEIGHTED,
        "threads": 1,
    },
    "fill_faces": {
        "rings": np.array([[[0, 0], [4, 0], [0, 4]], [[0, 0], [2, 0], [0, 2]]], dtype=np.float64),
        "planes": np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]),
        "nearest": np.array([1.0, 2.0]),
        "width": 4,
        "height": 4,
    },
    "rows_of": {"ids": np.array([5, 7, 5]), "table": np.array([5, 6, 7])},
}

# Values that no row, count or list can have, by the name of the argument.
WRONG: dict[str, dict[str, Any]] = {
    "n_classes": {"fewer than there are": 1, "a huge number": 2**63 - 1, "negative": -1},
    "n_thresholds": {"none": 0, "more than a word": 65, "a huge number": 2**63},
    "n_areas": {"none": 0, "more than a word": 65, "a huge number": 2**63},
    "n_groups": {"none": 0, "more than a word": 65, "a huge number": 2**63},
    "n_limits": {"a huge number": 2**63},
    "n_kinds": {"fewer than there are": 1, "a huge number": 2**63},
    "width": {"a huge number": 2**40},
    "height": {"a huge number": 2**40},
    "recalls": {"not ascending": [0.5, 0.1], "not a number": [float("nan")], "beyond 1": [1e300]},
    "thresholds": {"none": [], "not ascending": [0.5, 0.1], "more than a word": [0.5] * 65},
    "area_ranges": {"none": []},
    "budgets": {"none": [], "none of a box": [0], "not ascending": [2, 1]},
    "max_dets": {"not whole": 1.5},
    "rule": {"unknown": "other"},
    "iou": {"none": 0.0, "not a number": float("nan")},
    "threads": {"a huge number": 2**63},
}
# What is only compared with its like, or counted on, may hold anything.
ANY_VALUE = {
    ("pair_one_to_one", "det_class"),
    ("pair_one_to_one", "gt_class"),
    ("count_neighbours", "class_row"),
    ("rows_of", "ids"),
    ("count_top_kinds", "weights"),
    *((name, "det_rank") for name in ("accumulate", "count_true_positives")),
}
# Columns that are alone in their call, and arrays whose length is a choice.
ANY_LENGTH = {
    ("count_overlapping_pairs", "box"),
    ("rows_of", "ids"),
    ("rows_of", "table"),
    ("resample", "weights"),
    ("count_top_kinds", "weights"),
}
MUST_BE_FINITE = {
    ("assign", "det_score"),
    ("assign", "pair_iou"),
    ("pair_one_to_one", "det_score"),
    ("pair_one_to_one", "pair_iou"),
    ("first_on_pixels", "box"),
    ("count_overlapping_pairs", "box"),
    ("fill_faces", "rings"),
}
ROWS = (np.int32, np.int8)


def changed(column: Any, at: int, value: Any) -> Any:
    other = column.copy()
    other.reshape(-1)[at] = value
    return other


def wrong_columns(function: str, name: str, column: Any) -> Iterator[tuple[str, Any]]:
    """The column in every shape and with every value that it must not have."""
    yield "another dtype", column.astype(np.complex128 if column.dtype == np.float64 else "f8")
    yield "a narrower dtype", column.astype("f4" if column.dtype == np.float64 else "i2")
    yield "strided", np.repeat(column, 2, axis=-1)[..., ::2]
    yield "one dimension more", column[np.newaxis]
    yield "a list", column.tolist()
    if (function, name) not in ANY_LENGTH:
        yield "shorter", column[:-1].copy()
        # One more group without rows is a group.
        yield "longer", np.concatenate([column, column[-1:] + name.endswith("offsets")])
        yield "empty", column[:0].copy()
    if name.endswith("offsets"):
        yield "not from 0", changed(column, 0, 1)
        yield "descending", changed(column, 1, column[-1] + 1)
        yield "beyond the rows", changed(column, -1, column[-1] + 1)
        yield "negative", changed(column, 1, -1)
    elif column.dtype in ROWS and (function, name) not in ANY_VALUE:
        yield "negative", changed(column, 0, -1)
        yield "a huge row", changed(column, 0, np.iinfo(column.dtype).max)
    if (function, name) in MUST_BE_FINITE:
        yield "not a number", changed(column, 0, np.nan)
        yield "infinite", changed(column, 0, np.inf)


def wrong_calls() -> Iterator[tuple[str, dict[str, Any]]]:
    for function, arguments in CALLS.items():
        for name, value in arguments.items():
            of_columns = isinstance(value, np.ndarray)
            wrong = (
                wrong_columns(function, name, value) if of_columns else WRONG.get(name, {}).items()
            )
            for what, other in wrong:
                yield f"{function}: {name} {what}", {**arguments, name: other}
    far = {**CALLS["assign"], "pair_gt_row": np.array([1, 1, 2], dtype=np.int32)}
    yield "assign: pair_gt_row of another image", far
    pairs = {**CALLS["pair_one_to_one"], "pair_gt_row": np.array([0, 1, 0], dtype=np.int32)}
    yield "pair_one_to_one: pair_gt_row of another image", pairs
    words = {**CALLS["count_true_positives"], "det_tp": WORDS << np.uint64(40)}
    yield "count_true_positives: det_tp of cells that are not there", words
    limits = {**CALLS["resample"], "det_limit": np.array([0, 9, 0], dtype=np.uint8)}
    yield "resample: det_limit beyond the limits", limits
    yield "rows_of: table not ascending", {**CALLS["rows_of"], "table": np.array([5, 900, 7])}
    yield "rows_of: table with an id twice", {**CALLS["rows_of"], "table": np.array([5, 5, 7])}
    corners = {**CALLS["fill_faces"], "rings": np.empty((2, 0, 2))}
    yield "fill_faces: rings without corners", corners


def outcome(function: str, arguments: dict[str, Any]) -> str:
    try:
        getattr(_kernel, function)(**arguments)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "taken"


def main() -> None:
    """One line before each call, so that the last one names the call that ended the process."""
    for what, arguments in wrong_calls():
        print(json.dumps([what]), flush=True)
        print(json.dumps([what, outcome(what.split(":")[0], arguments)]), flush=True)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=False, timeout=300
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"the process ended in: {lines[-1:]} {done.stderr}"
    return dict(line for line in lines if len(line) == 2)


def test_right_columns_are_taken():
    for function, arguments in CALLS.items():
        assert outcome(function, arguments) == "taken", function


def test_wrong_columns_are_refused(outcomes):
    assert len(outcomes) > 500
    assert [what for what, said in outcomes.items() if said == "taken"] == []


def test_no_binding_is_forgotten():
    scanning = {"scan_results", "scan_dataset", "ScanError"}
    stopping = {"end_when_asked", "end_with", "set_last_words", "forget_stop"}
    without_columns = scanning | stopping
    assert {name for name in dir(_kernel) if not name.startswith("_")} == {*CALLS, *without_columns}


def test_scanning_refuses_what_is_no_file():
    for scan in (_kernel.scan_results, _kernel.scan_dataset):
        for data, error in ((3, TypeError), (None, TypeError), ("a\0b", ValueError)):
            with pytest.raises(error):
                scan(data)


def test_messages_name_the_column_and_what_it_should_be():
    short = {**CALLS["rank_classes"], "det_score": SCORES[:2]}
    with pytest.raises(ValueError, match="det_score has length 2, expected 3"):
        _kernel.rank_classes(**short)
    beyond = {**CALLS["find_overlaps"], "det_offsets": np.array([0, 2, 9])}
    with pytest.raises(ValueError, match="det_offsets must ascend from 0 to 3, the number of rows"):
        _kernel.find_overlaps(**beyond)


def test_more_threads_than_a_machine_has_change_nothing():
    arguments = CALLS["pair_one_to_one"]
    expected = _kernel.pair_one_to_one(**arguments)
    found = _kernel.pair_one_to_one(**{**arguments, "threads": 10**6})
    np.testing.assert_array_equal(found, expected)


if __name__ == "__main__":
    main()
