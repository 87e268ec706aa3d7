"""One figure for a paper: what is wrong with the top false positives, and for which objects.

A detector on a set of classes in a quarter of a page, as Hoiem's study proposes (METHODS 1, 2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from boxlens.metrics.grid import mean_defined
from boxlens.report.charts.colours import INK
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.panels import below, beside, message, plot
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.theme import WIDTH
from boxlens.report.described.diagnosis.false_positives import gain_rows, kinds_pie
from boxlens.report.described.sensitivity.overview import drawn_spreads
from boxlens.report.study import Plot
from boxlens.studies.diagnosis.hoiem import HoiemSet
from boxlens.studies.sensitivity.result import Characteristic, SensitivityResult
from boxlens.wording import counted, number, score, share

# As many characteristics as leave the figure in its quarter of a page.
MOST_ROWS = 9
# The bars above and below begin and end at the same places.
PLOT_PX = 108
NAMES_PX, SWATCH_PX = 95, 8
ROW_PX = 15
# Where a bar begins and ends. The last is of two kinds, which Hoiem removes together (METHODS 1.4).
PLACES = {"loc": (-0.28, 0.28), "sim": (0.72, 1.28), "bg": (1.72, 3.28)}


def quarter_page(errors: HoiemSet, objects: SensitivityResult) -> Plot:
    """`errors` is any of a diagnosis' sets of classes; of the objects only theirs are shown."""
    rows = [_within(row, errors.classes) for row in objects.characteristics]
    known = [row for row in rows if not math.isnan(row.sensitivity)]
    shown = sorted(known, key=lambda row: -row.sensitivity)[:MOST_ROWS]
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    has_chance = not all(math.isnan(row.chance) for row in shown)
    of_objects = (
        " AP_N: worst and best kind of objects, mean over classes; stroke: all objects. "
        f"Sensitivity: best - worst{' (by chance alone)' if has_chance else ''}; impact: best - "
        "all."
    )
    skipped = f" The widest {len(shown)} of {len(known)}." if len(shown) < len(known) else ""
    return Plot(
        "quarter_page",
        f"{objects.detections.name} on {objects.dataset.name}",
        "Made for a column of a paper. Above: a kind with a long bar is the one to fix. Below: a "
        "bar much wider than chance is a property that the detector depends on.",
        partial(_drawn, errors, shown),
        legend="False positives among as many top detections as a class has objects; pale: gained "
        f"if boxes are corrected instead.{of_objects + skipped if shown else ''}",
        about=f"{errors.title}: AP {score(errors.ap)}, AP_N {score(errors.ap_n)} at IoU "
        f"{number(objects.iou)}; {n_fp}",
        absent="AP is undefined: there are no objects" if math.isnan(errors.ap) else "",
    )


def _within(row: Characteristic, names: Sequence[str]) -> Characteristic:
    """The same means over some classes; what chance would give is known for all only."""
    kept = tuple(one for one in row.classes if one.name in names)
    if len(kept) == len(row.classes):
        return row
    known = [one for one in kept if not math.isnan(one.highest)]
    values = np.array([(one.ap_n, one.highest, one.lowest) for one in known]).reshape(-1, 3)
    ap_n, highest, lowest = map(mean_defined, values.T)
    return replace(
        row,
        classes=kept,
        ap_n=ap_n,
        highest=highest,
        lowest=lowest,
        n_classes=len(known),
        chance=math.nan,
    )


def _drawn(errors: HoiemSet, shown: Sequence[Characteristic]) -> Spec:
    if shown:
        spreads = drawn_spreads(shown, width=PLOT_PX, row_px=ROW_PX, names_px=NAMES_PX)
    else:
        text = "no characteristic has subsets of enough objects"
        spreads = message(text, width=WIDTH, height=3 * ROW_PX)
    kinds = beside(_gains(errors), kinds_pie(errors, legend=False), gap=8)
    look = {"anchor": "start", "frame": "bounds", "fontSize": 11, "offset": 4}
    panels = {
        "AP gained without each kind of false positives": kinds,
        "How AP_N depends on what objects are like": spreads,
    }
    return below(*({**one, "title": {"text": text, **look}} for text, one in panels.items()))


def _gains(errors: HoiemSet) -> Spec:
    """AP gained without each kind; the kinds in the order and the colours of the pie."""
    gains, texts, across = gain_rows(errors)
    for row in (*gains, *texts):
        top, bottom = PLACES[row["kind"]]
        row |= {"zero": 0, "top": top, "bottom": bottom, "middle": (top + bottom) / 2}
    total = sum(errors.top_fp.values())
    names: list[Row] = [
        {
            "y": at,
            "colour": KINDS[name].colour,
            "text": KINDS[name].label + (f" {share(n / total)}" if total else ""),
        }
        for at, (name, n) in enumerate(errors.top_fp.items())
    ]
    right = {"align": "right", "color": INK}
    return plot(
        gains,
        across,
        Axis(ends=(len(names) - 0.5, -0.5), hidden=True),
        Mark("rect", {"x": "zero", "x2": "gain", "y": "top", "y2": "bottom"}),
        Mark(
            "text", {"x": "gain", "y": "middle", "text": "text"}, {"align": "left", "dx": 4}, texts
        ),
        Mark("square", {"x": -SWATCH_PX, "y": "y"}, {"size": SWATCH_PX**2, "opacity": 1}, names),
        Mark("text", {"x": -2 * SWATCH_PX, "y": "y", "text": "text"}, right, names),
        width=PLOT_PX,
        height=24 * len(names),
    )
