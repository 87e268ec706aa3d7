"""The compiled kernel: see cpp/bindings.

Columns have exactly the dtypes named here and are contiguous (TypeError). Lengths, offsets and row
numbers are checked once, at the border (ValueError).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

# -- scanning

class ScanError(ValueError):
    """A JSON file that is damaged or not what it should be, and where."""

    offset: int
    record: int
    array: str
    field: str
    problem: str

# A path or the content itself; threads 0: all cores; piece_bytes 0: the usual size of a piece.
def scan_results(
    data: str | bytes, threads: int = 0, piece_bytes: int = 0, file_names: bool = False
) -> dict[str, Any]: ...
def scan_dataset(
    data: str | bytes, threads: int = 0, piece_bytes: int = 0, annotations_needed: bool = True
) -> dict[str, Any]: ...
def rows_of(ids: npt.NDArray[np.int64], table: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]: ...

# -- matching

def find_overlaps(
    *,
    det_offsets: npt.NDArray[np.int64],
    det_class: npt.NDArray[np.int32],
    det_box: npt.NDArray[np.float64],
    gt_offsets: npt.NDArray[np.int64],
    gt_class: npt.NDArray[np.int32],
    gt_box: npt.NDArray[np.float64],
    gt_region: npt.NDArray[np.bool_],
    n_classes: int,
    floor: float,
    same_class: bool,
    threads: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
def assign(
    *,
    det_offsets: npt.NDArray[np.int64],
    det_class: npt.NDArray[np.int32],
    det_box: npt.NDArray[np.float64],
    det_score: npt.NDArray[np.float64],
    det_dropped: npt.NDArray[np.bool_] | None,
    det_unmatched_ignored: npt.NDArray[np.bool_] | None,
    gt_offsets: npt.NDArray[np.int64],
    gt_area: npt.NDArray[np.float64],
    gt_region: npt.NDArray[np.bool_],
    gt_ignored: npt.NDArray[np.bool_],
    pair_offsets: npt.NDArray[np.int64],
    pair_gt_row: npt.NDArray[np.int32],
    pair_iou: npt.NDArray[np.float64],
    rule: str,
    thresholds: list[float],
    area_ranges: list[tuple[float, float]],
    n_classes: int,
    max_dets: int,
    max_dets_per_class: bool,
    keep_hits: bool,
    threads: int,
) -> dict[str, npt.NDArray[Any]]: ...
def pair_one_to_one(
    *,
    det_offsets: npt.NDArray[np.int64],
    det_class: npt.NDArray[np.int32],
    det_score: npt.NDArray[np.float64],
    gt_offsets: npt.NDArray[np.int64],
    gt_class: npt.NDArray[np.int32],
    pair_offsets: npt.NDArray[np.int64],
    pair_gt_row: npt.NDArray[np.int32],
    pair_iou: npt.NDArray[np.float64],
    det_dropped: npt.NDArray[np.bool_] | None,
    gt_dropped: npt.NDArray[np.bool_] | None,
    floor: float,
    threads: int,
) -> npt.NDArray[np.int32]: ...
def match_boxes(
    *,
    a_offsets: npt.NDArray[np.int64],
    a_box: npt.NDArray[np.float64],
    b_offsets: npt.NDArray[np.int64],
    b_box: npt.NDArray[np.float64],
    budgets: list[int],
    threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
def first_on_pixels(
    *,
    offsets: npt.NDArray[np.int64],
    box: npt.NDArray[np.float64],
    threads: int,
) -> npt.NDArray[np.uint8]: ...
def count_overlapping_pairs(
    *,
    box: npt.NDArray[np.float64],
    iou: float,
    threads: int,
) -> int: ...
def count_neighbours(
    *,
    offsets: npt.NDArray[np.int64],
    class_row: npt.NDArray[np.int32],
    box: npt.NDArray[np.float64],
    gap: float,
    threads: int,
) -> npt.NDArray[np.int32]: ...

# -- counting

def rank_classes(
    *,
    det_class: npt.NDArray[np.int32],
    det_score: npt.NDArray[np.float64],
    n_classes: int,
    threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def accumulate(
    *,
    order: npt.NDArray[np.int32],
    class_offsets: npt.NDArray[np.int64],
    det_score: npt.NDArray[np.float64],
    det_tp: npt.NDArray[np.uint64],
    det_ignored: npt.NDArray[np.uint64],
    det_rank: npt.NDArray[np.int32],
    n_positive: npt.NDArray[np.int64],
    n_thresholds: int,
    max_dets: int,
    recalls: list[float],
    with_scores: bool,
    with_tie_band: bool,
    threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def count_true_positives(
    *,
    det_class: npt.NDArray[np.int32],
    det_tp: npt.NDArray[np.uint64],
    det_rank: npt.NDArray[np.int32],
    n_classes: int,
    n_areas: int,
    n_thresholds: int,
    max_dets: list[int],
) -> npt.NDArray[np.int64]: ...

# -- resampling

# ap [replicate, class, cell], recall [replicate, class, cell, limit] and, if asked for,
# precision [replicate, class, cell, recall]. Detections come ranked, class after class.
def resample(
    *,
    class_offsets: npt.NDArray[np.int64],
    det_unit: npt.NDArray[np.int32],
    det_tp: npt.NDArray[np.uint64],
    det_ignored: npt.NDArray[np.uint64],
    det_limit: npt.NDArray[np.uint8],
    det_value: npt.NDArray[np.float64] | None,
    gt_class: npt.NDArray[np.int32],
    gt_unit: npt.NDArray[np.int32],
    gt_positive: npt.NDArray[np.uint64],
    gt_value: npt.NDArray[np.float64] | None,
    weights: npt.NDArray[np.int32],
    n_thresholds: int,
    n_groups: int,
    n_limits: int,
    recalls: list[float],
    spacing: bool,
    normal: npt.NDArray[np.float64] | None,
    with_precision: bool,
    threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def count_top_kinds(
    *,
    class_offsets: npt.NDArray[np.int64],
    det_unit: npt.NDArray[np.int32],
    det_kind: npt.NDArray[np.int8],
    n_kinds: int,
    gt_class: npt.NDArray[np.int32],
    gt_unit: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int32],
    threads: int,
) -> npt.NDArray[np.int64]: ...

# -- drawing

def fill_faces(
    *,
    rings: npt.NDArray[np.float64],
    planes: npt.NDArray[np.float64],
    nearest: npt.NDArray[np.float64],
    width: int,
    height: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...

# -- stopping

# Numbers of signals come through the pipe; SIGINT and SIGTERM end the process after the grace,
# unless the pipe is closed by then. The descriptor is taken over.
def end_when_asked(descriptor: int, grace_ms: int) -> None: ...

# Ends the process when there is something to read, or the other end was closed.
def end_with(descriptor: int) -> None: ...

# What end_when_asked says: if something is at the path, or otherwise.
def set_last_words(kept_path: bytes, if_kept: str, otherwise: str, exit_code: int = -1) -> None: ...

# Loops of the kernel run again.
def forget_stop() -> None: ...
