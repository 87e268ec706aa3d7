"""Figures of a diagnosis: what goes wrong, what fixes add, and how the schemes compare."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts import drawn_by
from boxlens.report.charts.kinds import SCHEME_NAMES, SIZES
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.described.diagnosis.quarter_page import quarter_page
from boxlens.report.study import Plot
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.wording import counted, number, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.studies.diagnosis import DiagnosisResult
    from boxlens.studies.diagnosis.crosswalk import Disagreement
    from boxlens.studies.diagnosis.hoiem import HoiemResult, HoiemSet
    from boxlens.studies.diagnosis.orders import RepairGain

# All pairs are in the table; one scheme against each of the others says most of it.
COMPARED = "tide"
MOST_CLASSES = 24
NO_OBJECTS = "the ground truth has no objects that count, so AP is undefined"


def about(result: DiagnosisResult) -> str:
    return f"{result.detections.name} on {result.dataset.name}"


def error_plots(result: DiagnosisResult) -> Iterator[Plot]:
    if math.isnan(result.borji.ap[0]):
        yield _absent("What goes wrong", NO_OBJECTS)
        return
    yield quarter_page(result.hoiem.sets[0], result.sensitivity)
    yield _tide(result)
    yield false_positives(result.hoiem.sets[0], about(result))
    if any(notice.code == "no_similar_classes" for notice in result.notices):
        yield _absent(
            "Confusion with similar classes",
            "no class is known to be similar to another; groups of similar classes, a class tree "
            "or supercategories would show it (--similar)",
        )
    yield _along_the_ranking(result)
    for column, area in enumerate(result.coco_analyze.areas):
        yield _curves(result, column, area)
    yield confusion_plot(
        result.confusion,
        about(result),
        "Detections above the score where F1 is best. Dark cells off the diagonal are pairs of "
        "classes to tell apart; the last column is what is not found.",
    )
    yield fp_by_class(result.hoiem, about(result))


def _absent(title: str, why: str) -> Plot:
    return Plot("", title, "", partial(drawn_by, ""), absent=why)


def _tide(result: DiagnosisResult) -> Plot:
    tide = result.tide
    return Plot(
        "tide_errors",
        "AP gained by fixing each kind of error",
        "The longest bar is the first thing to fix. Gains are measured one at a time and do not "
        "add up to what is lost.",
        partial(drawn_by, "repairs.tide_errors_chart", tide),
        legend="AP gained by each fix alone, and its share of the sum of the six.",
        about=f"{about(result)}, AP at IoU {number(tide.foreground_iou)}: {score(tide.ap)}",
    )


def false_positives(errors: HoiemSet, about: str) -> Plot:
    """Of any set of classes."""
    n_fp = counted(sum(errors.top_fp.values()), "false positive")
    return Plot(
        "false_positives",
        "What is wrong with the top false positives",
        "A large slice with a short bar is frequent but cheap; a small slice with a long bar costs "
        "more than its number suggests.",
        partial(drawn_by, "false_positives.false_positives_chart", errors),
        legend="Left: kinds among as many top detections as a class has objects. Right: AP gained "
        "if a kind is removed; pale: if boxes are corrected instead.",
        about=f"{about}: {errors.title}, {n_fp}",
    )


def _along_the_ranking(result: DiagnosisResult) -> Plot:
    hoiem = result.hoiem
    return Plot(
        "fp_trends",
        "How errors change along the ranking",
        "What grows to the right comes from unsure detections; what is wide at the left is wrong "
        "with confidence.",
        partial(drawn_by, "false_positives.fp_trends_chart", hoiem),
        legend=f"Lines: recall at IoU {number(hoiem.iou)} (solid) and {number(hoiem.weak_iou)} "
        f"(dashed).{_ends(hoiem)}",
        about=f"{about(result)}: mean over classes",
        absent="" if len(result.detections) else "there are no detections",
    )


def _ends(result: HoiemResult) -> str:
    """Which classes the right end of a mean rests on: the others stay with all that they have."""
    ends = []
    for trend, places, words in (
        (result.fp_trend, result.fp_trend.counts, "{:,} false positives"),
        (result.detection_trend, result.detection_trend.multiples, "{:g} x their objects"),
    ):
        reached = [at for at, n in enumerate(trend.n_classes) if n > 0]
        if reached:
            last = reached[-1]
            ends.append(f"{trend.n_classes[last]} have {words.format(places[last])}")
    of = f" Of {counted(len(result.classes), 'class', 'classes')} "
    return f"{of}{', '.join(ends)}; the others stay with all they have." if ends else ""


def _curves(result: DiagnosisResult, column: int, area: str) -> Plot:
    """All objects, or one range of sizes."""
    analyze, title = result.coco_analyze, "What lies between the detector and perfect precision"
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
        partial(drawn_by, "pr_areas.pr_areas_chart", analyze, column),
        legend="Each curve forgives one more kind of error; numbers: area under it."
        + (" Sim: no similar classes known." if no_similar else ""),
        about=f"{about(result)}: mean over {counted(n_classes, 'class', 'classes')}"
        + (f", {SIZES[area]} objects" if sized else ""),
        absent=absent,
    )


def fp_by_class(result: HoiemResult, about: str, most_classes: int = MOST_CLASSES) -> Plot:
    """A bar per class; of many classes those with most false positives."""
    known = [row for row in result.classes if sum(row.top_fp.values())]
    most = sorted(known, key=lambda row: -sum(row.top_fp.values()))[:most_classes]
    names = {row.name for row in most}
    shown = [row for row in known if row.name in names]
    some = f" The {len(shown)} of {len(known)} classes with most of them."
    return Plot(
        "fp_by_class",
        "What is wrong with each class",
        "Each bar is one class; named are the classes that take a tenth or more of its errors.",
        partial(drawn_by, "false_positives.fp_by_class_chart", shown),
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
        "repair_orders",
        "AP gained by each fix depends on what was fixed before",
        "A short bar is a conclusion that holds in any order; a long one depends on what else is "
        "fixed.",
        "tide",
        result.tide.orders,
        about(result),
    )
    yield Plot(
        "waterfall",
        "From AP to 1, fixing one kind of error after another",
        "The highest step is the largest loss in this one order; the figure of orders shows "
        "whether it stays the largest in others.",
        partial(drawn_by, "repairs.waterfall_chart", result.borji),
        legend="Each step keeps the fixes before it: heights depend on the order. Leftovers: "
        "duplicates, and boxes that were moved without effect.",
        about=about(result),
    )
    yield _orders(
        "repair_orders_borji",
        "Borji's steps in every order",
        "Where one step adds most in all orders, the conclusion does not rest on the sequence.",
        "borji",
        result.borji.orders,
        about(result),
    )


def _orders(
    name: str, title: str, reading: str, scheme: str, orders: Sequence[RepairGain], about: str
) -> Plot:
    some = any(row.highest > 0 for row in orders)
    return Plot(
        name,
        title,
        reading,
        partial(drawn_by, "repairs.repair_orders_chart", orders, scheme),
        legend="Bar: lowest to highest over all orders. Filled: fixed first, hollow: last. "
        "Stroke: mean. Right: orders in which it adds most.",
        about=f"{SCHEME_NAMES[scheme]}: {about}",
        absent="" if some else "no fix adds anything",
    )


def crosswalk_plots(result: DiagnosisResult) -> Iterator[Plot]:
    for matrix in result.crosswalk.disagreements:
        if COMPARED in (matrix.first, matrix.second):
            yield crosswalk_plot(matrix, about(result))


def crosswalk_plot(matrix: Disagreement, about: str) -> Plot:
    """Counts, and shares of each row."""
    first, second = SCHEME_NAMES[matrix.first], SCHEME_NAMES[matrix.second]
    total = int(matrix.counts.sum())
    return Plot(
        f"crosswalk_{matrix.what}_{matrix.first}_{matrix.second}",
        f"The same {matrix.what} under {first} and {second}",
        "A row with one dark cell: both schemes mean the same; one that spreads: they differ.",
        partial(drawn_by, "crosswalk.crosswalk_chart", matrix),
        legend="Counts and shares of the row. Right: no error; outside: not counted.",
        about=f"{about}: {counted(total, 'error')} of at least one scheme",
        absent="" if total else "neither scheme finds an error",
    )
