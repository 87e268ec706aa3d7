"""What is wrong with the top false positives of a set of classes, and for which objects.

A table of all sets, a figure of one, and the figure for a paper: a detector on a set of classes in
a quarter of a page, as Hoiem's study proposes (METHODS 1, 2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from boxlens.metrics.means import mean_defined
from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import bars, words
from boxlens.report.charts.forms.panels import below, beside, message, name_rows, plot
from boxlens.report.charts.forms.pies import PIE_PX, pie
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import TOP, Terms, picks
from boxlens.report.charts.theme import WIDTH
from boxlens.report.described.sensitivity.overview import drawn_spreads
from boxlens.report.study import CHANGE, COUNT, SHARE, TEXT, Column, Plot, Table, columns_of
from boxlens.studies.diagnosis.hoiem import HoiemClass, HoiemResult, HoiemSet
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS
from boxlens.studies.sensitivity.result import Characteristic, SensitivityResult
from boxlens.wording import change, count, counted, number, part, score, share

# What may be done to each kind, the longer bar first. Hoiem removes the last two kinds together
# (METHODS 1.4).
FIXES = {"loc": ("corrected", "removed"), "sim": ("removed",), "bg": ("removed",)}
IMPACTS = {
    "loc_removed": "without poorly placed",
    "loc_corrected": "poorly placed corrected",
    "sim_removed": "without similar class",
    "bg_removed": "without other class, background",
}
# As many characteristics as leave the figure in its quarter of a page.
MOST_ROWS = 9
# There the bars above and below begin and end at the same places.
PLOT_PX, ROW_PX = 108, 15
SWATCH_PX = 8
# From where to where the bars of fixes reach: the last is as high as two kinds.
PLACES = {"loc": (-0.28, 0.28), "sim": (0.72, 1.28), "bg": (1.72, 3.28)}


def fp_share(row: HoiemClass | HoiemSet, kind: str) -> float:
    """Of a kind among the top false positives."""
    return part(row.top_fp[kind], sum(row.top_fp.values()))


def sets_table(result: HoiemResult) -> Table[HoiemSet]:
    shares: list[Column[HoiemSet]] = columns_of(
        FP_LABELS, fp_share, SHARE, heading=lambda kind: KINDS[kind].label
    )
    return Table(
        "",
        "Top false positives by group of classes (Hoiem)",
        result.sets,
        [
            Column("", "group", lambda row: row.name, TEXT),
            Column("", "classes", lambda row: len(row.classes), COUNT),
            Column("", "AP", lambda row: row.ap),
            Column("", "AP_N", lambda row: row.ap_n),
            *shares,
            *columns_of(
                IMPACTS,
                lambda row, name: row.impact[name],
                CHANGE,
                heading=lambda name: f"AP {IMPACTS[name]}",
                further=True,
            ),
        ],
    )


def false_positives(errors: HoiemSet, about: str) -> Plot:
    """Shares of the four kinds beside the AP gained without them."""
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    return Plot(
        "false_positives",
        "What is wrong with the top false positives",
        "A large slice with a short bar is frequent but cheap; a small slice with a long bar costs "
        "more than its number suggests.",
        lambda: beside(_pie(errors, legend=True), _named_gains(errors)),
        legend="Left: kinds among as many top detections as a class has objects. Right: AP gained "
        "if a kind is removed; pale: if boxes are corrected instead.",
        about=f"{about}: {errors.title}, {n_fp}",
    )


def _pie(errors: HoiemSet, *, legend: bool) -> Spec:
    """Shares of the four kinds, or a word that there are none."""
    if not sum(errors.top_fp.values()):
        return message("no false positives", width=PIE_PX, height=PIE_PX)
    classes: Terms = {} if errors.name == "all" else {"class": list(errors.classes)}
    slices = []
    for name, n in errors.top_fp.items():
        picked = picks(KINDS[name].label, n, terms={**classes, "hoiem": name, "top": TOP})
        slices.append((KINDS[name], n, {"tip": {"false positives": count(n)}, **picked}))
    return pie(slices, legend=legend)


def _named_gains(errors: HoiemSet) -> Spec:
    gains, texts, across = _gains(errors)
    return name_rows(
        gains,
        Names.of([row["row"] for row in texts], px=31),
        across,
        bars("gain"),
        words("text", "gain", rows=texts, align="left", dx=4),
        width=140,
        title=f"AP gained (AP now {score(errors.ap)})",
    )


def _gains(errors: HoiemSet) -> tuple[list[Row], list[Row], Axis]:
    """The bars of every kind, the numbers right of them, and an axis twice as long for these."""
    gains: list[Row] = []
    texts: list[Row] = []
    for kind, fixes in FIXES.items():
        label = KINDS[kind].label if kind != "bg" else "other, background"
        place = {"kind": kind, "row": label}
        impacts = {how: errors.impact[f"{kind}_{how}"] for how in fixes}
        known = {how: gain for how, gain in impacts.items() if not math.isnan(gain)}
        for how, gain in known.items():
            look = {"colour": KINDS[kind].colour, "opacity": 1.0 if how == "removed" else 0.35}
            tip = {"kind": label, "how": how, "AP gained": score(gain)}
            tip["AP then"] = score(errors.ap + gain)
            gains.append({**place, "gain": gain, **look, "tip": tip})
        longer = max(known.values(), default=0.0)
        written = {"text": " / ".join(map(change, reversed(known.values()))), "ink": INK}
        unknown = {"text": "no similar classes known", "ink": SOFT_INK}
        texts.append({**place, "gain": longer, **(written if known else unknown)})
    longest = max(0.01, *(row["gain"] for row in texts))
    return gains, texts, Axis(ends=(0, 2 * longest), hidden=True)


def quarter_page(errors: HoiemSet, objects: SensitivityResult) -> Plot:
    """`errors` is any of a diagnosis' sets of classes; of the objects only theirs are shown."""
    rows = [_within(row, errors.classes) for row in objects.characteristics]
    known = [row for row in rows if not math.isnan(row.sensitivity)]
    shown = sorted(known, key=lambda row: -row.sensitivity)[:MOST_ROWS]
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    chance = " (by chance alone)" * any(not math.isnan(row.chance) for row in shown)
    of_objects = (
        " AP_N: worst and best kind of objects, mean over classes; stroke: all objects. "
        f"Sensitivity: best - worst{chance}; impact: best - all."
    )
    if len(shown) < len(known):
        of_objects += f" The widest {len(shown)} of {len(known)}."
    return Plot(
        "quarter_page",
        f"{objects.detections.name} on {objects.dataset.name}",
        "Made for a column of a paper. Above: a kind with a long bar is the one to fix. Below: a "
        "bar much wider than chance is a property that the detector depends on.",
        partial(_quarter_page, errors, shown),
        legend="False positives among as many top detections as a class has objects; pale: gained "
        f"if boxes are corrected instead.{of_objects if shown else ''}",
        about=f"{errors.title}: AP {score(errors.ap)}, AP_N {score(errors.ap_n)} at IoU "
        f"{number(objects.iou)}; {n_fp}",
        absent="AP is undefined: there are no objects" if math.isnan(errors.ap) else "",
    )


def _within(row: Characteristic, names: Sequence[str]) -> Characteristic:
    """The same means over some classes."""
    kept = tuple(one for one in row.classes if one.name in names)
    if len(kept) == len(row.classes):
        return row
    known = [one for one in kept if not math.isnan(one.highest)]
    values = np.array([(one.ap_n, one.highest, one.lowest) for one in known]).reshape(-1, 3)
    ap_n, highest, lowest = map(mean_defined, values.T)
    # What chance would give is known for all classes only.
    some = replace(row, classes=kept, n_classes=len(known), chance=math.nan)
    return replace(some, ap_n=ap_n, highest=highest, lowest=lowest)


def _quarter_page(errors: HoiemSet, shown: Sequence[Characteristic]) -> Spec:
    if shown:
        spreads = drawn_spreads(shown, width=PLOT_PX, row_px=ROW_PX, names_px=95)
    else:
        text = "no characteristic has subsets of enough objects"
        spreads = message(text, width=WIDTH, height=3 * ROW_PX)
    panels = {
        "AP gained without each kind of false positives": beside(
            _placed_gains(errors), _pie(errors, legend=False), gap=8
        ),
        "How AP_N depends on what objects are like": spreads,
    }
    look = {"anchor": "start", "frame": "bounds", "fontSize": 11, "offset": 4}
    return below(*({**one, "title": {"text": text, **look}} for text, one in panels.items()))


def _placed_gains(errors: HoiemSet) -> Spec:
    """Beside the kinds in the order and the colours of the pie, which has no legend."""
    gains, texts, across = _gains(errors)
    for row in (*gains, *texts):
        top, bottom = PLACES[row["kind"]]
        row |= {"zero": 0, "top": top, "bottom": bottom, "middle": (top + bottom) / 2}
    n_fp = sum(errors.top_fp.values())
    names: list[Row] = []
    for at, (name, n) in enumerate(errors.top_fp.items()):
        text = KINDS[name].label + (f" {share(n / n_fp)}" if n_fp else "")
        names.append({"y": at, "colour": KINDS[name].colour, "text": text})
    written, right = {"align": "left", "dx": 4}, {"align": "right", "color": INK}
    return plot(
        gains,
        across,
        Axis(ends=(len(names) - 0.5, -0.5), hidden=True),
        Mark("rect", {"x": "zero", "x2": "gain", "y": "top", "y2": "bottom"}),
        Mark("text", {"x": "gain", "y": "middle", "text": "text"}, written, texts),
        Mark("square", {"x": -SWATCH_PX, "y": "y"}, {"size": SWATCH_PX**2, "opacity": 1}, names),
        Mark("text", {"x": -2 * SWATCH_PX, "y": "y", "text": "text"}, right, names),
        width=PLOT_PX,
        height=24 * len(names),
    )
