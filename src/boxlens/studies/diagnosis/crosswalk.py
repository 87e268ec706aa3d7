"""One table of all errors under all schemes, and how often the schemes say different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Labels
from boxlens.metrics.json_form import HIDDEN, as_key, fields_to_json, to_json
from boxlens.studies.diagnosis.borji import BorjiResult
from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult
from boxlens.studies.diagnosis.hoiem import HoiemResult
from boxlens.studies.diagnosis.hoiem_types import HoiemType
from boxlens.studies.diagnosis.tide import TideResult
from boxlens.studies.diagnosis.tide_types import TideType

# Takes no part: ignored, beyond a limit of detections, or an object that does not count.
OUTSIDE = "outside"
RIGHT = "right"
SCHEMES = ("hoiem", "tide", "coco_analyze", "borji")
DET_LABELS: Mapping[str, tuple[str, ...]] = {
    "hoiem": (OUTSIDE, RIGHT, "loc", "sim", "oth", "bg"),
    "tide": (OUTSIDE, RIGHT, "cls", "loc", "both", "dupe", "bkg"),
    "coco_analyze": (OUTSIDE, RIGHT, "loc", "sim", "oth", "bg"),
    "borji": (OUTSIDE, RIGHT, "background", "localization", "duplicate"),
}
GT_LABELS: Mapping[str, tuple[str, ...]] = {
    "hoiem": (OUTSIDE, RIGHT, "missed"),
    # Not found, but a repair of a CLS or LOC error finds it.
    "tide": (OUTSIDE, RIGHT, "repairable", "miss"),
    "coco_analyze": (OUTSIDE, RIGHT, "loc", "fn"),
    # Not found, but a box that is moved onto it finds it.
    "borji": (OUTSIDE, RIGHT, "localization", "miss"),
}

_OF_HOIEM: Mapping[int, int] = {
    HoiemType.IGNORED: 0,
    HoiemType.CORRECT: 1,
    HoiemType.LOC: 2,
    HoiemType.SIM: 3,
    HoiemType.OTH: 4,
    HoiemType.BG: 5,
}
_OF_TIDE: Mapping[int, int] = {
    TideType.IGNORED: 0,
    TideType.BEYOND: 0,
    TideType.CORRECT: 1,
    TideType.CLS: 2,
    TideType.LOC: 3,
    TideType.BOTH: 4,
    TideType.DUPE: 5,
    TideType.BKG: 6,
}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """counts[row, column]: errors of at least one of two schemes, by the label of each."""

    first: str = field(metadata=HIDDEN)
    second: str = field(metadata=HIDDEN)
    what: str = field(metadata=as_key("of"))
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: npt.NDArray[np.int64]

    def to_json(self) -> dict[str, Any]:
        return {"schemes": [self.first, self.second], **fields_to_json(self)}


@dataclass(frozen=True, slots=True)
class Crosswalk:
    """Labels of every detection and object as rows of DET_LABELS and GT_LABELS, by scheme."""

    det: Mapping[str, Labels]
    gt: Mapping[str, Labels]
    disagreements: tuple[Disagreement, ...]

    def wrong_detections(self) -> npt.NDArray[np.int64]:
        """Rows of detections that some scheme calls false."""
        return _wrong(self.det)

    def missed_objects(self) -> npt.NDArray[np.int64]:
        """Rows of objects that some scheme calls missed."""
        return _wrong(self.gt)

    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """How many false positives and missed objects each scheme puts under each label."""
        return {
            scheme: {
                what: dict(
                    zip(
                        names[scheme],
                        np.bincount(table[scheme], minlength=len(names[scheme])).tolist(),
                        strict=True,
                    )
                )
                for what, table, names in (
                    ("detections", self.det, DET_LABELS),
                    ("objects", self.gt, GT_LABELS),
                )
            }
            for scheme in SCHEMES
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "counts": self.counts(),
            "n_wrong_detections": len(self.wrong_detections()),
            "n_missed_objects": len(self.missed_objects()),
            "disagreements": to_json(self.disagreements),
        }


def crosswalk(
    hoiem: HoiemResult, tide: TideResult, analyze: CocoAnalyzeResult, borji: BorjiResult
) -> Crosswalk:
    """Every scheme's verdicts in the same words, side by side."""
    types = tide.types
    tide_gt = np.where(types.found, 1, np.where(types.missed, 3, 2))
    det = {
        "hoiem": _lookup(_OF_HOIEM, hoiem.det_type),
        "tide": _lookup(_OF_TIDE, types.det_type),
        "coco_analyze": _lookup({-1: 0, 0: 1, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5}, analyze.det_curve),
        # A hit that a moved box displaces is deleted on the way, but was no error.
        "borji": np.where(
            _between(analyze.det_curve, 0, 1),
            1,
            _lookup({-1: 0, 0: 1, 1: 2, 2: 3, 3: 4}, borji.det_step),
        ).astype(np.int8),
    }
    gt = {
        "hoiem": _lookup({-1: 0, 1: 1, 0: 2}, hoiem.gt_found),
        "tide": np.where(types.positive, tide_gt, 0).astype(np.int8),
        "coco_analyze": _lookup({-1: 0, 0: 1, 1: 1, 2: 2, 6: 3}, analyze.gt_curve),
        "borji": np.where(
            _between(analyze.gt_curve, 0, 1), 1, _lookup({-1: 0, 0: 2, 4: 3}, borji.gt_step)
        ).astype(np.int8),
    }
    matrices = [
        _disagreement(pair, what, table, names)
        for what, table, names in (("detections", det, DET_LABELS), ("objects", gt, GT_LABELS))
        for pair in combinations(SCHEMES, 2)
    ]
    return Crosswalk(det, gt, tuple(matrices))


def _lookup(table: Mapping[int, int], codes: Labels) -> Labels:
    low = min(table)
    values = np.zeros(max(table) - low + 1, dtype=np.int8)
    for code, value in table.items():
        values[code - low] = value
    return values[codes.astype(np.int64) - low]


def _between(codes: Labels, low: int, high: int) -> Bools:
    return (codes >= low) & (codes <= high)


def _wrong(table: Mapping[str, Labels]) -> npt.NDArray[np.int64]:
    wrong: Bools = np.zeros(len(next(iter(table.values()))), dtype=np.bool_)
    for labels in table.values():
        wrong |= labels > 1
    return np.flatnonzero(wrong)


def _disagreement(
    pair: tuple[str, str],
    what: str,
    table: Mapping[str, Labels],
    names: Mapping[str, tuple[str, ...]],
) -> Disagreement:
    first, second = pair
    rows, columns = names[first], names[second]
    wrong = (table[first] > 1) | (table[second] > 1)
    key = table[first][wrong].astype(np.int64) * len(columns) + table[second][wrong]
    counts = np.bincount(key, minlength=len(rows) * len(columns)).reshape(len(rows), -1)
    return Disagreement(first, second, what, rows, columns, counts)
