"""What is wrong with the false positives of each class, and along the ranking (METHODS 1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from textwrap import shorten

from boxlens.report.charts.colours import INK
from boxlens.report.charts.forms.axes import SHARES, Axis, Names
from boxlens.report.charts.forms.layers import Mark, Palette, Row, Spec
from boxlens.report.charts.forms.marks import lines, stacks
from boxlens.report.charts.forms.panels import beside, message, name_rows, plot
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import TOP, Terms, picks
from boxlens.report.study import Plot
from boxlens.studies.diagnosis.hoiem import HoiemClass, HoiemResult
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS, DetectionTrend, FpTrend
from boxlens.wording import UNDEFINED, count, counted, number, score, share, short

MOST_CLASSES = 24
VERDICTS = ("correct", "ignored", *FP_LABELS)
TREND_PX, TREND_HEIGHT_PX = 142, 120


def by_class_plot(result: HoiemResult, about: str) -> Plot:
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
        partial(_class_bars, shown),
        legend="Kinds of the top false positives; right: their number, and who takes 10% or more."
        + (some if len(shown) < len(known) else ""),
        about=about,
        absent="" if known else "there are no false positives among the top detections",
    )


def _class_bars(shown: Sequence[HoiemClass]) -> Spec:
    rows: list[Row] = []
    names: dict[str, str] = {}
    columns: dict[str, dict[str, str]] = {"errors": {}, "taken for": {}}
    for at, row in enumerate(shown):
        # By place, since two classes may be called alike.
        place, n_fp = str(at), sum(row.top_fp.values())
        taken = ", ".join(f"{short(one.other, 14)} {share(one.share)}" for one in row.confusions)
        names[place], columns["errors"][place] = row.name, count(n_fp)
        columns["taken for"][place] = shorten(taken, 33, placeholder=" ...")
        for order, (name, n) in enumerate(row.top_fp.items()):
            kind, of_row = KINDS[name].label, n / n_fp
            tip = {"class": row.name, "kind": kind, "errors": count(n), "share": share(of_row)}
            bar = {"row": place, "kind": kind, "share": of_row, "order": order}
            terms: Terms = {"class": row.name, "hoiem": name, "top": TOP}
            picked = picks(f"{row.name}, {kind}", n, terms=terms)
            rows.append({**bar, "tip": {**tip, "taken for": taken or UNDEFINED}, **picked})
    return name_rows(
        rows,
        Names(names, px=15, characters=15),
        Axis("share of the top false positives", (0, 1), ticks=4, form=SHARES),
        stacks("bar", "share", _palette(FP_LABELS, 4)),
        width=110,
        columns=columns,
    )


def _palette(names: Sequence[str], columns: int, picked: str = "chosen") -> Palette:
    colours = {KINDS[name].label: KINDS[name].colour for name in names}
    return Palette("kind", colours, columns=columns, picked=picked)


def trends_plot(result: HoiemResult, about: str) -> Plot:
    return Plot(
        "fp_trends",
        "How errors change along the ranking",
        "What grows to the right comes from unsure detections; what is wide at the left is wrong "
        "with confidence.",
        partial(_trends, result),
        legend=f"Lines: recall at IoU {number(result.iou)} (solid) and "
        f"{number(result.weak_iou)} (dashed).{_ends(result)}",
        about=f"{about}: mean over classes",
        absent="" if len(result.det_type) else "there are no detections",
    )


def _ends(result: HoiemResult) -> str:
    """How many classes reach the right end of a mean: the others stay at their last value."""
    fp, every = result.fp_trend, result.detection_trend
    ends = []
    for places, n_classes, unit in (
        (fp.counts, fp.n_classes, "{:,} false positives"),
        (every.multiples, every.n_classes, "{:g} detections per object"),
    ):
        reached = [(n, at) for n, at in zip(n_classes, places, strict=True) if n > 0]
        ends += [f"{n} reach {unit.format(at)}" for n, at in reached[-1:]]
    of = f" Of {counted(len(result.classes), 'class', 'classes')}, {' and '.join(ends)}"
    return f"{of}; the others stay at their last value." if ends else ""


def _trends(result: HoiemResult) -> Spec:
    """Kinds among ever more false positives; verdicts and recall among ever more detections."""
    fp, every = result.fp_trend, result.detection_trend
    counts: dict[float, str] = {at: count(at) for at in fp.counts[::2]}
    multiples = {at: number(at) if at >= 1 else f"1/{number(1 / at)}" for at in every.multiples}
    of_fp = Axis("false positives, best scored first", names=counts)
    of_all = Axis("detections, times objects of the class", names=multiples)
    fp_rows = _shares(fp, fp.counts, FP_LABELS, of_fp.title)
    rows = _shares(every, every.multiples, VERDICTS, of_all.title)
    # The legend, which both panels share, names only what occurs.
    occurring = {row["kind"] for row in (*fp_rows, *rows) if row["share"] > 0}
    shown = [name for name in VERDICTS if KINDS[name].label in occurring]
    reached = {row["x"] for row in rows}
    solid, dashed = ("strong", [1, 0], every.mean_recall), ("weak", [4, 3], every.mean_weak_recall)
    recalls = [
        {"x": at, "recall": recall, "series": overlap, "dash": dash, "tip": tip}
        for overlap, dash, mean in (solid, dashed)
        for at, recall in zip(every.multiples, mean.tolist(), strict=True)
        for tip in [{"overlap": overlap, "recall": score(recall)}]
        if at in reached
    ]
    return beside(
        _trend(
            fp_rows,
            of_fp,
            _palette(shown, 3, "chosen_in_false_positives"),
            title="share of false positives",
            absent=f"fewer than {fp.counts[1]} false positives",
        ),
        _trend(
            rows,
            of_all,
            _palette(shown, 3, "chosen_in_detections"),
            lines("recall", rows=recalls, color=INK),
            title="share of detections; recall",
            absent="too few detections",
        ),
        gap=12,
    )


def _shares(
    trend: FpTrend | DetectionTrend, places: Sequence[float], names: Sequence[str], across: str
) -> list[Row]:
    """Means over classes, as far as at least one class goes."""
    rows = []
    for at, n, shares in zip(places, trend.n_classes, trend.mean.tolist(), strict=True):
        for order, (name, value) in enumerate(zip(names, shares, strict=True) if n else ()):
            kind = KINDS[name].label
            tip = {across: number(at), "kind": kind, "share": share(value)}
            rows.append({"x": at, "share": value, "kind": kind, "order": order, "tip": tip})
    return rows


def _trend(
    rows: list[Row], across: Axis, palette: Palette, *marks: Mark, title: str, absent: str
) -> Spec:
    places = {row["x"] for row in rows}
    if len(places) < 2:
        return message(absent, width=TREND_PX, height=TREND_HEIGHT_PX)
    return plot(
        [row for row in rows if row["kind"] in palette.colours],
        replace(across, ends=(min(places), max(places)), kind="log", grid=False),
        Axis(ends=(0, 1), ticks=4, grid=False),
        stacks("area", "share", palette),
        *marks,
        width=TREND_PX,
        height=TREND_HEIGHT_PX,
        title=title,
    )
