"""Figures of a diagnosis: what goes wrong, what fixes add, and how the schemes compare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from boxlens.metrics.grid import mean_defined
from boxlens.report.charts import error_schemes as schemes
from boxlens.report.charts.false_positives import (
    false_positives_chart,
    fp_by_class_chart,
    fp_trends_chart,
)
from boxlens.report.charts.kinds import SCHEME_NAMES, SIZES
from boxlens.report.charts.label_matrices import crosswalk_chart
from boxlens.report.charts.quarter_page import quarter_page_chart
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.study import Plot
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.studies.diagnosis.crosswalk import Disagreement
from boxlens.studies.diagnosis.hoiem import HoiemResult, HoiemSet
from boxlens.studies.sensitivity.result import Characteristic, SensitivityResult
from boxlens.wording import counted, number, score

# All pairs are in the table; one scheme against each of the others says most of it.
COMPARED = "tide"
MOST_CLASSES = 24
# As many characteristics as leave the figure in its quarter of a page.
MOST_ROWS = 9
NO_OBJECTS = "the ground truth has no objects that count, so AP is undefined"


def _about(result: DiagnosisResult) -> str:
    return f"{result.detections.name} on {result.dataset.name}"


def _absent(title: str, why: str) -> Plot:
    return Plot("", title, "", dict, absent=why)


def error_plots(result: DiagnosisResult) -> Iterator[Plot]:
    if math.isnan(result.borji.ap[0]):
        yield _absent("What goes wrong", NO_OBJECTS)
        return
    about, tide = _about(result), result.tide
    yield quarter_page(result.hoiem.sets[0], result.sensitivity)
    yield Plot(
        "tide_errors",
        "AP gained by fixing each kind of error",
        "The longest bar is the first thing to fix. Gains are measured one at a time and do not "
        "add up to what is lost.",
        partial(schemes.tide_errors_chart, tide),
        legend="AP gained by each fix alone, and its share of the sum of the six.",
        about=f"{about}, AP at IoU {number(tide.foreground_iou)}: {score(tide.ap)}",
    )
    yield false_positives(result.hoiem.sets[0], about)
    if any(notice.code == "no_similar_classes" for notice in result.notices):
        yield _absent(
            "Confusion with similar classes",
            "no class is known to be similar to another; groups of similar classes, a class tree "
            "or supercategories would show it (--similar)",
        )
    yield Plot(
        "fp_trends",
        "How errors change along the ranking",
        "What grows to the right comes from unsure detections; what is wide at the left is wrong "
        "with confidence.",
        partial(fp_trends_chart, result.hoiem),
        legend=f"Lines: recall at IoU {number(result.hoiem.iou)} (solid) and "
        f"{number(result.hoiem.weak_iou)} (dashed).{_ends(result.hoiem)}",
        about=f"{about}: mean over classes",
        absent="" if len(result.detections) else "there are no detections",
    )
    for column, area in enumerate(result.coco_analyze.areas):
        yield _curves(result, column, area)
    yield confusion_plot(
        result.confusion,
        about,
        "Detections above the score where F1 is best. Dark cells off the diagonal are pairs of "
        "classes to tell apart; the last column is what is not found.",
    )
    yield _by_class(result.hoiem, about)


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
        partial(quarter_page_chart, errors, shown),
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


def false_positives(errors: HoiemSet, about: str) -> Plot:
    """Of any set of classes."""
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    return Plot(
        "false_positives",
        "What is wrong with the top false positives",
        "A large slice with a short bar is frequent but cheap; a small slice with a long bar costs "
        "more than its number suggests.",
        partial(false_positives_chart, errors),
        legend="Left: kinds among as many top detections as a class has objects. Right: AP gained "
        "if a kind is removed; pale: if boxes are corrected instead.",
        about=f"{about}: {errors.title}, {n_fp}",
    )


def _ends(result: HoiemResult) -> str:
    """Which classes the right end of a mean rests on: the others stay with all that they have."""
    ends = []
    for trend, places, words in (
        (result.fp_trend, result.fp_trend.counts, "{:,} false positives"),
        (result.detection_trend, result.detection_trend.multiples, "{:g} x their objects"),
    ):
        reached = [(n, at) for n, at in zip(trend.n_classes, places, strict=True) if n > 0]
        ends += [f"{n} have {words.format(at)}" for n, at in reached[-1:]]
    of = f" Of {counted(len(result.classes), 'class', 'classes')} "
    return f"{of}{', '.join(ends)}; the others stay with all they have." if ends else ""


def _curves(result: DiagnosisResult, column: int, area: str) -> Plot:
    """All objects, or one range of sizes."""
    analyze, title = result.coco_analyze, "AP lost to each kind of error"
    ap = analyze.mean_ap[:, column].tolist()
    sized = area in SIZES
    absent = ""
    if math.isnan(ap[-1]):
        unknown = "sizes in pixels are not known"
        absent = unknown if result.dataset.relative else f"no object is {SIZES[area]}"
    n_classes = sum(not math.isnan(one) for one in analyze.ap[-1, :, column].tolist())
    no_similar = math.isnan(ap[CURVES.index("Sim")])
    return Plot(
        f"pr_areas_{area}" if sized else "pr_areas",
        f"{title}: {SIZES[area]} objects" if sized else title,
        "Each area is the AP that forgiving one more kind of error adds; the order of forgiving "
        "is fixed, so late kinds get what earlier ones leave.",
        partial(schemes.pr_areas_chart, analyze, column),
        legend="Each curve forgives one more kind of error; numbers: area under it."
        + (" Sim: no similar classes known." if no_similar else ""),
        about=f"{_about(result)}: mean over {counted(n_classes, 'class', 'classes')}"
        + (f", {SIZES[area]} objects" if sized else ""),
        absent=absent,
    )


def _by_class(result: HoiemResult, about: str) -> Plot:
    """A bar per class; of many classes those with most false positives."""
    known = [row for row in result.classes if sum(row.top_fp.values())]
    most = sorted(known, key=lambda row: -sum(row.top_fp.values()))[:MOST_CLASSES]
    names = {row.name for row in most}
    shown = [row for row in known if row.name in names]
    some = f" The {len(shown)} of {len(known)} classes with most of them."
    return Plot(
        "fp_by_class",
        "What is wrong with each class",
        "Each bar is one class; named are the classes that take a tenth or more of its errors.",
        partial(fp_by_class_chart, shown),
        legend="Kinds of the top false positives; right: their number, and who takes 10% or more."
        + (some if len(shown) < len(known) else ""),
        about=about,
        absent="" if known else "there are no false positives among the top detections",
    )


def order_plots(result: DiagnosisResult) -> Iterator[Plot]:
    if math.isnan(result.borji.ap[0]):
        yield _absent("AP gained by fixes", "AP is undefined without objects")
        return
    yield _orders(
        result,
        "tide",
        "repair_orders",
        "AP gained by each fix depends on what was fixed before",
        "A short bar is a conclusion that holds in any order; a long one depends on what else is "
        "fixed.",
    )
    yield Plot(
        "waterfall",
        "From AP to 1, fixing one kind of error after another",
        "The highest step is the largest loss in this one order; the figure of orders shows "
        "whether it stays the largest in others.",
        partial(schemes.waterfall_chart, result.borji),
        legend="Each step keeps the fixes before it: heights depend on the order. Leftovers: "
        "duplicates, and boxes that were moved without effect.",
        about=_about(result),
    )
    yield _orders(
        result,
        "borji",
        "repair_orders_borji",
        "Borji's steps in every order",
        "Where one step adds most in all orders, the conclusion does not rest on the sequence.",
    )


def _orders(result: DiagnosisResult, scheme: str, name: str, title: str, reading: str) -> Plot:
    orders = result.tide.orders if scheme == "tide" else result.borji.orders
    return Plot(
        name,
        title,
        reading,
        partial(schemes.repair_orders_chart, orders, scheme),
        legend="Bar: lowest to highest over all orders. Filled: fixed first, hollow: last. "
        "Stroke: mean. Right: orders in which it adds most.",
        about=f"{SCHEME_NAMES[scheme]}: {_about(result)}",
        absent="" if any(row.highest > 0 for row in orders) else "no fix adds anything",
    )


def crosswalk_plots(result: DiagnosisResult) -> Iterator[Plot]:
    for matrix in result.crosswalk.disagreements:
        if COMPARED in (matrix.first, matrix.second):
            yield crosswalk_plot(matrix, _about(result))


def crosswalk_plot(matrix: Disagreement, about: str) -> Plot:
    """Counts, and shares of each row."""
    first, second = SCHEME_NAMES[matrix.first], SCHEME_NAMES[matrix.second]
    total = int(matrix.counts.sum())
    return Plot(
        f"crosswalk_{matrix.what}_{matrix.first}_{matrix.second}",
        f"The same {matrix.what} under {first} and {second}",
        "A row with one dark cell: both schemes mean the same; one that spreads: they differ.",
        partial(crosswalk_chart, matrix),
        legend="Counts and shares of the row. Right: no error; outside: not counted.",
        about=f"{about}: {counted(total, 'error')} of at least one scheme",
        absent="" if total else "neither scheme finds an error",
    )
