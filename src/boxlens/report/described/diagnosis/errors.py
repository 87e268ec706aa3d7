"""What goes wrong, how often, and what it costs: TIDE's gains, COCO's curves, Hoiem's kinds.

COCO's seven nested curves are METHODS 9.1, TIDE's six kinds METHODS 9.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.colours import INK, PALE_GREEN, WHITE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Palette, Row, Spec
from boxlens.report.charts.forms.marks import bands, bars, by_kind, words
from boxlens.report.charts.forms.panels import below, beside, message, name_rows, plot
from boxlens.report.charts.forms.pies import PIE_PX, pie
from boxlens.report.charts.kinds import KINDS, SIZES, kind_of
from boxlens.report.charts.selecting import scheme_picks
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.described.diagnosis import class_sets
from boxlens.report.described.diagnosis.false_positives import by_class_plot, trends_plot
from boxlens.report.study import CHANGE, COUNT, TEXT, Column, Plot, Section, Table, columns_of
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.coco_analyze import CURVES, CocoAnalyzeResult
from boxlens.studies.diagnosis.tide import TideResult
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.studies.diagnosis.verdict import where_it_is
from boxlens.wording import change, count, counted, number, score, share

NO_OBJECTS = "the ground truth has no objects that count, so AP is undefined"
MAIN_TABLE = "AP gained by fixing each kind of error alone (TIDE)"
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
# Sums over kinds are no kind: bars without a filling, and what a click on them selects.
SUMS = {
    "fp": ("false positives", [one.label for one in ERRORS if one.label != "miss"]),
    "fn": ("missed objects", ["repairable", "miss"]),
}
# What each curve forgives, and the colour of its area; the second correct is half as strong.
FORGIVEN = (
    ("correct, strictly", KINDS["correct"].colour),
    ("correct", PALE_GREEN),
    *((KINDS[kind].label, KINDS[kind].colour) for kind in ("loc", "sim", "oth", "bg", "miss")),
)


def section(result: DiagnosisResult, about: str) -> Section:
    return Section(
        "errors",
        "Errors",
        (
            *error_plots(result, about),
            _tide_table(result),
            class_sets.sets_table(result.hoiem),
            _sizes_table(result.coco_analyze),
        ),
        reading="What is wrong with the detections, how often, and what it costs in AP.",
        guide="diagnose",
    )


def error_plots(result: DiagnosisResult, about: str) -> Iterator[Plot]:
    if math.isnan(result.borji.ap[0]):
        yield Plot("", "What goes wrong", "", dict, absent=NO_OBJECTS)
        return
    tide, every = result.tide, result.hoiem.sets[0]
    yield class_sets.quarter_page(every, result.sensitivity)
    yield Plot(
        "tide_errors",
        "AP gained by fixing each kind of error",
        "The longest bar is the first thing to fix. Gains are measured one at a time and do not "
        "add up to what is lost.",
        partial(_tide, tide),
        legend="AP gained by each fix alone, and its share of the sum of the six.",
        about=f"{about}, AP at IoU {number(tide.foreground_iou)}: {score(tide.ap)}",
    )
    yield class_sets.false_positives(every, about)
    if any(notice.code == "no_similar_classes" for notice in result.notices):
        absent = (
            "no class is known to be similar to another; groups of similar classes, a class tree "
            "or supercategories would show it (--similar)"
        )
        yield Plot("", "Confusion with similar classes", "", dict, absent=absent)
    yield trends_plot(result.hoiem, about)
    for column, area in enumerate(result.coco_analyze.areas):
        yield _areas_plot(result, about, column, area)
    yield confusion_plot(
        result.confusion,
        about,
        "Detections above the score where F1 is best. Dark cells off the diagonal are pairs of "
        "classes to tell apart; the last column is what is not found.",
    )
    yield by_class_plot(result.hoiem, about)


def _tide(result: TideResult) -> Spec:
    """Shares of the six gains, each gain, and the gains without any false positive or miss."""
    kinds = {one.label: result.gain[one.label] for one in ERRORS}
    total = sum(kinds.values())
    slices = [
        (kind_of(name), gain, {"tip": {"AP gained": change(gain)}}) for name, gain in kinds.items()
    ]
    nothing = message("no fix adds anything", width=PIE_PX, height=PIE_PX)
    panels = []
    for title, names in (("AP gained", kinds), ("without any", SUMS)):
        rows = [_tide_row(result, name, total) for name in names]
        panel = name_rows(
            rows,
            # Both panels begin at the same place.
            Names.of([row["row"] for row in rows], px=17, room_px=84),
            # Numbers stand right of the bars.
            Axis(ends=(0, 1.9 * max(0.01, *result.gain.values())), hidden=True),
            bars("gain", stroke=INK, strokeWidth=0.5),
            words("text", "gain", align="left", dx=4),
            width=140,
            title=title,
        )
        panels.append(panel)
    shares = pie(slices, legend=False) if total > 0 else nothing
    return beside(shares, below(*panels, gap=6))


def _tide_row(result: TideResult, name: str, total: float) -> Row:
    gain, n = result.gain[name], result.n[name]
    if name in SUMS:
        label, errors = SUMS[name]
        colour, text = WHITE, change(gain)
    else:
        label, errors, colour = kind_of(name).label, [name], kind_of(name).colour
        text = change(gain) + (f" · {share(gain / total)}" if total > 0 else "")
    bar = {"row": label, "gain": gain, "colour": colour, "text": text}
    tip = {"kind": label, "AP gained": change(gain), "errors": count(n)}
    return {**bar, "tip": tip, **scheme_picks("tide", label, *errors, n=n)}


def _tide_table(result: DiagnosisResult) -> Table[str]:
    tide, sums = result.tide, {"fp": "all false positives", "fn": "all misses"}
    means = {row.name: row.mean for row in tide.orders}
    mostly = {
        row.error: f"{share(min(row.place.share, 1))} {where_it_is(row.place)}"
        for row in result.verdict.findings
        if row.place is not None
    }
    asked = {"tidecv": result.tidecv, "IoU 0.5 to 0.95": result.tide_range}
    others = {title: one for title, one in asked.items() if one is not None}
    return Table(
        "errors",
        MAIN_TABLE,
        list(tide.gain),
        [
            Column("error", "error", lambda name: sums.get(name) or kind_of(name).label, TEXT),
            Column("tide", "TIDE's name", str, TEXT, further=True),
            Column("n", "errors", lambda name: tide.n[name], COUNT),
            Column("AP_gained", "AP gained", lambda name: tide.gain[name], CHANGE),
            Column("AP_gained_mean", "over all orders", means.get, CHANGE),
            Column("mostly", "mostly", mostly.get, TEXT),
            *columns_of(
                others,
                lambda name, other: others[other].gain[name],
                CHANGE,
                heading=lambda other: f"{other}, AP {score(others[other].ap)}",
            ),
        ],
    )


def _areas_plot(result: DiagnosisResult, about: str, column: int, area: str) -> Plot:
    """Of all objects, or one range of sizes: the mean over classes."""
    analyze, size = result.coco_analyze, SIZES.get(area, "")
    ap = analyze.mean_ap[:, column].tolist()
    n_classes = sum(not math.isnan(one) for one in analyze.ap[-1, :, column].tolist())
    absent = "sizes in pixels are not known" if result.dataset.relative else f"no object is {size}"
    no_similar = math.isnan(ap[CURVES.index("Sim")])
    return Plot(
        f"pr_areas_{area}" if size else "pr_areas",
        "AP lost to each kind of error" + (f": {size} objects" if size else ""),
        "Each area is the AP that forgiving one more kind of error adds; the order of forgiving "
        "is fixed, so late kinds get what earlier ones leave.",
        partial(_areas, analyze, column),
        legend="Each curve forgives one more kind of error; numbers: area under it."
        + (" Sim: no similar classes known." if no_similar else ""),
        about=f"{about}: mean over {counted(n_classes, 'class', 'classes')}"
        + (f", {size} objects" if size else ""),
        absent=absent if math.isnan(ap[-1]) else "",
    )


def _areas(result: CocoAnalyzeResult, column: int) -> Spec:
    """Between each curve and the one before."""
    rows: list[Row] = []
    colours: dict[str, str] = {}
    before = [0.0] * len(COCO_RECALLS)
    for key, name, (forgiven, colour), area, precision in zip(
        CURVES,
        result.curve_names,
        FORGIVEN,
        result.mean_ap[:, column].tolist(),
        result.mean_precision[:, :, column].tolist(),
        strict=True,
    ):
        if math.isnan(area):
            continue
        label = f"{name} {score(area)} {forgiven}"
        every = result.areas[column] == "all"
        linked = scheme_picks("coco_analyze", label, key.lower()) if every else {}
        of_curve = {"curve": label, "tip": {"curve": label}, **linked}
        rows += (
            {"x": round(recall, 2), "from": round(low, 5), "to": round(high, 5), **of_curve}
            for recall, low, high in zip(COCO_RECALLS.tolist(), before, precision, strict=True)
        )
        # The largest area is on top of the legend, as it is in the plot.
        colours = {label: colour, **colours}
        before = precision
    return plot(
        rows,
        Axis("recall", (0, 1), values=QUARTERS, grid=False),
        Axis("precision", (0, 1), values=QUARTERS, grid=False),
        by_kind(bands("from", "to"), Palette("curve", colours, orient="right")),
        width=180,
        height=150,
    )


def _sizes_table(result: CocoAnalyzeResult) -> Table[Any]:
    caption = "Area under the curves of COCO analyze, each forgiving one more kind of error"
    sizes = (SIZES.get(area, area) for area in result.areas)
    rows = [(size, *ap) for size, ap in zip(sizes, result.mean_ap.T.tolist(), strict=True)]
    # Two curves may have one name.
    curves = [Column("", name, itemgetter(at)) for at, name in enumerate(result.curve_names, 1)]
    return Table("", caption, rows, [Column("", "objects", itemgetter(0), TEXT), *curves])
