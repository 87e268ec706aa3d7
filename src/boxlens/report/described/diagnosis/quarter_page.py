"""One figure for a paper: a detector on a set of classes, in a quarter of a page."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from boxlens.metrics.grid import mean_defined
from boxlens.report.charts import drawn_by
from boxlens.report.study import Plot
from boxlens.wording import counted, number, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.diagnosis.hoiem import HoiemSet
    from boxlens.studies.sensitivity.result import Characteristic, SensitivityResult

# As many rows as leave the figure in its quarter of the page.
MOST_ROWS = 9


def quarter_page(errors: HoiemSet, objects: SensitivityResult) -> Plot:
    """`errors` is any of a diagnosis' sets of classes; of the objects only theirs are shown."""
    rows = [_within(row, errors.classes) for row in objects.characteristics]
    known = [row for row in rows if not math.isnan(row.sensitivity)]
    known.sort(key=lambda row: -row.sensitivity)
    shown = known[:MOST_ROWS]
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    return Plot(
        "quarter_page",
        f"{objects.detections.name} on {objects.dataset.name}",
        "Made for a column of a paper. Above: a kind with a long bar is the one to fix. Below: a "
        "bar much wider than chance is a property that the detector depends on.",
        partial(drawn_by, "quarter_page.quarter_page_chart", errors, shown),
        legend=_legend(shown, len(known)),
        about=f"{errors.title}: AP {score(errors.ap)}, AP_N {score(errors.ap_n)} at IoU "
        f"{number(objects.iou)}; {n_fp}",
        absent="AP is undefined: there are no objects" if math.isnan(errors.ap) else "",
    )


def _legend(shown: Sequence[Characteristic], n_known: int) -> str:
    """What the parts are, in words that fit below a title."""
    text = (
        "False positives among as many top detections as a class has objects; pale: gained if "
        "boxes are corrected instead."
    )
    if not shown:
        return text
    skipped = f" The widest {len(shown)} of {n_known}." if len(shown) < n_known else ""
    has_chance = not all(math.isnan(row.chance) for row in shown)
    return (
        f"{text} AP_N: worst and best kind of objects, mean over classes; stroke: all objects. "
        f"Sensitivity: best - worst{' (by chance alone)' if has_chance else ''}; impact: best - "
        f"all.{skipped}"
    )


def _within(row: Characteristic, names: Sequence[str]) -> Characteristic:
    """The same means over some classes; what chance would give is known for all only."""
    kept = [one for one in row.classes if one.name in names]
    if len(kept) == len(row.classes):
        return row
    known = [one for one in kept if not math.isnan(one.highest)]

    def mean(values: list[float]) -> float:
        return mean_defined(np.array(values, dtype=np.float64))

    return replace(
        row,
        classes=tuple(kept),
        ap_n=mean([one.ap_n for one in known]),
        highest=mean([one.highest for one in known]),
        lowest=mean([one.lowest for one in known]),
        n_classes=len(known),
        chance=math.nan,
    )
