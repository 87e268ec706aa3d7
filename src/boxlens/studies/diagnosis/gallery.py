"""The most confident errors of each kind: which to look at first."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boxlens.data.columns import Floats, Ids
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.hoiem import HoiemResult
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType


@dataclass(frozen=True, slots=True)
class Exhibit(JsonRecord):
    """One false positive: what was said, on which object, and how early in its class's ranking."""

    kind: str
    det_row: int = field(metadata=HIDDEN)
    image_id: int | str
    class_name: str = field(metadata=as_key("class"))
    score: float
    box: tuple[float, float, float, float]
    # The object it falls on; none for background.
    object_id: int | str | None
    object_class: str | None
    iou: float
    # 1 - the recall of the class at this rank: how early it comes.
    one_minus_recall: float


def gallery(evidence: Evidence, hoiem: HoiemResult, *, n_each: int = 15) -> tuple[Exhibit, ...]:
    """The false positives with the highest scores, kind after kind, ties in row order."""
    score = evidence.detections.score
    chosen = []
    for kind in FP_TYPES:
        rows = np.flatnonzero(hoiem.det_type == kind)
        if len(rows) > n_each:
            least = np.partition(score[rows], -n_each)[-n_each] if n_each else np.inf
            rows = rows[score[rows] >= least]
        chosen.append(rows[np.argsort(-score[rows], kind="stable")][:n_each])
    picked = np.concatenate(chosen)
    lost = _one_minus_recall(evidence, hoiem, picked)
    return tuple(
        _exhibit(evidence, hoiem, row, missing)
        for row, missing in zip(picked.tolist(), lost.tolist(), strict=True)
    )


def _one_minus_recall(evidence: Evidence, hoiem: HoiemResult, picked: np.ndarray) -> Floats:
    result = np.full(len(picked), np.nan)
    class_row = evidence.detections.class_row[picked]
    for at, (row, of_class) in enumerate(zip(picked.tolist(), class_row.tolist(), strict=True)):
        ranked = evidence.ranking.of_class(of_class)
        place = int(np.flatnonzero(ranked == row)[0])
        n_found = int((hoiem.det_type[ranked[:place]] == HoiemType.CORRECT).sum())
        n_objects = hoiem.classes[of_class].n_objects
        if n_objects:
            result[at] = 1 - n_found / n_objects
    return result


def _exhibit(evidence: Evidence, hoiem: HoiemResult, row: int, missing: float) -> Exhibit:
    dataset, detections = evidence.dataset, evidence.detections
    gt_row = int(hoiem.det_gt_row[row])
    box = detections.box[row]
    on_object = gt_row >= 0
    x, y, width, height = box.tolist()
    return Exhibit(
        kind=HoiemType(hoiem.det_type[row]).label,
        det_row=row,
        image_id=_id(dataset.images.id, int(detections.image_row[row])),
        class_name=dataset.classes.name[detections.class_row[row]],
        score=float(detections.score[row]),
        box=(x, y, width, height),
        object_id=_id(dataset.gt.id, gt_row) if on_object else None,
        object_class=dataset.classes.name[dataset.gt.class_row[gt_row]] if on_object else None,
        iou=float(hoiem.det_iou[row]),
        one_minus_recall=missing,
    )


def _id(ids: Ids, row: int) -> int | str:
    """As the file has it: a plain number or a text."""
    [value] = ids[row : row + 1].tolist()
    return value  # type: ignore[no-any-return]
