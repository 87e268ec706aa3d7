"""AP by error scheme: COCO's curves, TIDE's gains alone and in every order, Borji's steps in turn.

COCO's seven nested curves are METHODS 9.1, TIDE's six kinds METHODS 9.2, Borji and Iranmanesh's
steps from AP to 1 METHODS 4.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.colours import INK, NEUTRAL, PALE, PALE_GREEN, WHITE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Palette, Row, Spec
from boxlens.report.charts.forms.marks import bands, bars, by_kind, dots, hollow_dots, ticks, words
from boxlens.report.charts.forms.panels import below, beside, message, name_rows, plot
from boxlens.report.charts.forms.pies import PIE_PX, pie
from boxlens.report.charts.forms.steps import waterfall
from boxlens.report.charts.kinds import KINDS, kind_of
from boxlens.report.charts.selecting import scheme_picks
from boxlens.studies.diagnosis.borji import STEPS, BorjiResult
from boxlens.studies.diagnosis.coco_analyze import CURVES, CocoAnalyzeResult
from boxlens.studies.diagnosis.crosswalk import RIGHT
from boxlens.studies.diagnosis.orders import RepairGain
from boxlens.studies.diagnosis.tide import TideResult
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.wording import change, count, score, share

QUARTERS: Final = (0, 0.25, 0.5, 0.75, 1)
# What each curve forgives, and the colour of the area it adds. C75 and C50 are both correct: the
# second is half as strong.
AREAS: Final = {
    "C75": ("correct, strictly", KINDS["correct"].colour),
    "C50": ("correct", PALE_GREEN),
    **{
        key: (KINDS[kind].label, KINDS[kind].colour)
        for key, kind in zip(CURVES[2:], ("loc", "sim", "oth", "bg", "miss"), strict=True)
    },
}
# Sums over kinds are no kind: bars without a filling.
SUMS: Final = {"fp": "false positives", "fn": "missed objects"}
SUM_OF: Final = {
    "fp": tuple(one.label for one in ERRORS if one.label != "miss"),
    "fn": ("repairable", "miss"),
}
# Borji's steps, and what each does.
STEP_WORDS: Final = {
    "start": ("AP now", "as it is"),
    "background": ("background", "removed"),
    "localization": ("bad places", "corrected"),
    "duplicate": ("leftovers", "removed"),
    "miss": ("misses", "found"),
}


def pr_areas_chart(result: CocoAnalyzeResult, column: int) -> Spec:
    """The mean over classes; objects of the range of sizes with this column."""
    rows: list[Row] = []
    colours: dict[str, str] = {}
    under_it = [0.0] * len(COCO_RECALLS)
    for key, name, area, precision in zip(
        CURVES,
        result.curve_names,
        result.mean_ap[:, column].tolist(),
        result.mean_precision[:, :, column].tolist(),
        strict=True,
    ):
        if math.isnan(area):
            continue
        forgiven, colour = AREAS[key]
        label = f"{name} {score(area)} {forgiven}"
        every = result.areas[column] == "all"
        linked = scheme_picks("coco_analyze", label, key.lower()) if every else {}
        # The area of a curve lies between it and the one before.
        rows += [
            {
                "x": round(recall, 2),
                "from": round(low, 5),
                "to": round(high, 5),
                "curve": label,
                "tip": {"curve": label},
                **linked,
            }
            for recall, low, high in zip(COCO_RECALLS.tolist(), under_it, precision, strict=True)
        ]
        # The largest area is on top of the legend, as it is in the plot.
        colours = {label: colour, **colours}
        under_it = precision
    return plot(
        rows,
        Axis("recall", (0, 1), values=QUARTERS, grid=False),
        Axis("precision", (0, 1), values=QUARTERS, grid=False),
        by_kind(bands("from", "to"), Palette("curve", colours, orient="right")),
        width=180,
        height=150,
    )


def tide_errors_chart(result: TideResult) -> Spec:
    """Shares of the six gains, each gain, and the gains without any false positive or miss."""
    gains = {name: gain for name, gain in result.gain.items() if not math.isnan(gain)}
    kinds = {one.label: gains[one.label] for one in ERRORS if one.label in gains}
    total = sum(kinds.values())
    if total > 0:
        slices = [
            (kind_of(name), gain, {"tip": {"AP gained": score(gain)}})
            for name, gain in kinds.items()
        ]
        left = pie(slices, legend=False)
    else:
        left = message("no fix adds anything", width=PIE_PX, height=PIE_PX)
    groups = {
        "AP gained": kinds,
        "without any": {name: gains[name] for name in SUMS if name in gains},
    }
    panels = [
        name_rows(
            [_tide_row(result, name, total) for name in group],
            # Both panels begin at the same place.
            Names.of([_tide_label(name) for name in group], px=17, room_px=84),
            # Numbers stand right of the bars.
            Axis(ends=(0, 1.9 * max([0.01, *gains.values()])), hidden=True),
            bars("gain", stroke=INK, strokeWidth=0.5),
            words("text", "gain", align="left", dx=4),
            width=140,
            title=title,
        )
        for title, group in groups.items()
    ]
    return beside(left, below(*panels, gap=6))


def _tide_label(name: str) -> str:
    return SUMS.get(name) or kind_of(name).label


def _tide_row(result: TideResult, name: str, total: float) -> Row:
    label, gain, n = _tide_label(name), result.gain[name], result.n[name]
    of_total = "" if name in SUMS or not total > 0 else f" · {share(gain / total)}"
    return {
        "row": label,
        "gain": gain,
        "colour": WHITE if name in SUMS else kind_of(name).colour,
        "text": change(gain) + of_total,
        "tip": {"kind": label, "AP gained": score(gain), "errors": count(n)},
        **scheme_picks("tide", label, *SUM_OF.get(name, (name,)), n=n),
    }


def repair_orders_chart(orders: Sequence[RepairGain], scheme: str) -> Spec:
    """Lowest to highest gain of each fix, its gain first and last, and the mean."""
    gains = ("first", "last", "lowest", "highest", "mean")
    known = {kind_of(row.name).label: row for row in orders if not math.isnan(row.mean)}
    rows = []
    for label, row in known.items():
        found = {name: getattr(row, name) for name in gains}
        tip = {"fix": label, **{name: score(gain) for name, gain in found.items()}}
        look = {"colour": kind_of(row.name).colour, "tip": tip}
        rows.append({"row": label, **found, **look, **scheme_picks(scheme, label, row.name)})
    return name_rows(
        rows,
        # The names keep clear of a mark at 0.
        Names.of(known, px=22, more={"labelPadding": 9}),
        Axis("AP gained"),
        bars("highest", "lowest", color=PALE, height=9),
        ticks("mean", color=INK, height=15),
        dots("first", size=42),
        hollow_dots("last", size=36),
        width=172,
        columns={"adds most": {label: share(row.share_largest) for label, row in known.items()}},
    )


def waterfall_chart(result: BorjiResult) -> Spec:
    """Four fixes one after the other, each on top of those before; first what is right now."""
    rows = []
    before = 0.0
    for name, after in zip(STEPS, result.ap, strict=True):
        now = name == "start"
        label, errors = (RIGHT, RIGHT) if now else (STEP_WORDS[name][0], name)
        rows.append(
            {
                "row": name,
                "from": before,
                "to": after,
                "colour": NEUTRAL if now else kind_of(name).colour,
                "text": score(after) if now else change(after - before),
                "tip": {
                    "step": ", ".join(STEP_WORDS[name]),
                    "AP gained": score(after - before),
                    "AP then": score(after),
                },
                **scheme_picks("borji", label, errors),
            }
        )
        before = after
    return waterfall(
        rows,
        Names(STEP_WORDS, px=60),
        Axis("AP", (0, 1.08), values=QUARTERS),
        width=130,
        upright=True,
    )
