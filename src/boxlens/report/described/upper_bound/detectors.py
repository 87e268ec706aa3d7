"""How near detectors come to an upper bound: in all, by size of objects and by IoU threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from boxlens.metrics.intervals import Interval
from boxlens.report.charts.colours import INK, MANY_SERIES, PALE, colours_of
from boxlens.report.charts.forms.axes import Axis, Names, to_a_tenth
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import Style, key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import (
    SMALL_PX,
    bars,
    behind,
    dots,
    lines,
    note,
    ticks,
    words,
)
from boxlens.report.charts.forms.panels import Series, below, name_rows, plot
from boxlens.report.charts.forms.tables import told_rows
from boxlens.report.study import (
    NUMBER,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
    interval_columns,
    table_of,
)
from boxlens.studies.upper_bound.result import (
    BOUND,
    STRATEGY_TITLES,
    DetectorGap,
    UpperBoundResult,
)
from boxlens.studies.upper_bound.verdict import SHOWN
from boxlens.wording import listed, number, part

NO_BOUND = "no object has a label"
# As many as there are colours beside that of the bound.
MOST_DETECTORS = 7
AGAINST = "Detectors against the upper bound"
# Of groups of bars, and their share that is free between two.
SIZES_PX, GROUP_GAP = 220, 0.22


def detectors_section(result: UpperBoundResult) -> Section:
    return Section(
        "detectors",
        "Detectors against the bound",
        (*_plots(result), _detectors(result), *_curve_tables(result)),
        "Upper-bound AP (UAP): the AP of a detector that finds every object, in its true box, and "
        "labels it as the classifier does. The gap between a detector and UAP comes from missed "
        "objects, poorly localized boxes and false positives.",
    )


def _plots(result: UpperBoundResult) -> Iterator[Plot]:
    near = bool(result.detectors)
    missing = [size for size, uap in result.bound.by_size.items() if math.isnan(uap)]
    yield plot_against(
        result,
        "bound_by_size",
        "object size",
        "A long pale part: objects of this size are recognised once they are found, so finding and "
        "localizing them is what to improve. A short pale bar: recognition itself fails."
        if near
        else "A short bar: objects of this size are not recognised, even when they are found.",
        "Pale, with a dark end: UAP."
        + " Bars: AP of the detectors, and its share of UAP." * near
        + f" There are no {' or '.join(missing)} objects." * bool(missing),
        _draw_by_size,
    )
    yield plot_against(
        result,
        "bound_by_iou",
        "IoU threshold",
        "The bound is nearly flat. What a detector loses from left to right is poor localization; "
        "its distance from the bound on the left is missed objects and false positives."
        if near
        else "Nearly flat: true boxes are always well localized.",
        "Dark: UAP. True boxes fit at every IoU, so only neighbours that take each other's label "
        "can change it." + " Coloured: AP of the detectors." * near,
        _draw_by_iou,
    )


def _draw_by_size(result: UpperBoundResult) -> Spec:
    """A group per size, all objects first: detectors, and behind them the bound."""
    colours = colours_against(result)
    bound = {"all": result.bound.uap, **result.bound.by_size}
    curves = {one.name: {"all": one.ap, **one.by_size} for one in result.detectors}
    rows = told_rows(
        {"objects": TEXT, "of": TEXT, "AP": SCORE, "share of UAP": SHARE},
        (
            (size, who, ap, share, {"colour": colours[who]})
            for size, uap in bound.items()
            for who, values in {BOUND: bound, **curves}.items()
            for ap in [values.get(size, math.nan)]
            for share in [1.0 if who == BOUND else share_of_uap(ap, uap)]
            if not math.isnan(uap + ap)
        ),
        row="objects",
        series="of",
        value="AP",
    )
    for row in rows:
        row |= {"text": row["tip"]["AP"], "share": row["tip"]["share of UAP"]}
    bounds = [row for row in rows if row["series"] == BOUND]
    labels = {row["row"]: [row["row"], f"UAP {row['text']}"] for row in bounds}
    # Two lines of letters have room.
    group_px = max(28, 12 * len(curves) + 4)
    # In columns: at the ends of the bars the dark end of the bound would cross them.
    columns = (("text", "AP", 36), ("share", "of UAP", 78)) if curves else ()
    look: Row = {"align": "right", "fontSize": SMALL_PX}
    panel = name_rows(
        [row for row in rows if row["series"] != BOUND],
        Names(labels, px=round(group_px / (1 - GROUP_GAP)), gap=GROUP_GAP),
        axis_against(result, (row["value"] for row in rows)),
        behind(bars("value", rows=bounds, color=PALE)),
        bars("value"),
        behind(ticks("value", rows=bounds, color=INK, thickness=2.5, size=group_px)),
        *(words(field, SIZES_PX + at, color=INK, **look) for field, _, at in columns),
        *(note(heading, SIZES_PX + at, -2, **look) for _, heading, at in columns),
        width=SIZES_PX,
        series=Series(list(curves), outer=0.15, inner=0.15) if curves else None,
    )
    return below(*key(colours, width=300), panel)


def _draw_by_iou(result: UpperBoundResult) -> Spec:
    """One line for the bound, and one per detector."""
    styles = {name: Style(colour) for name, colour in colours_against(result).items()}
    curves = {BOUND: result.bound.by_iou} | {one.name: one.by_iou for one in result.detectors}
    rows = told_rows(
        {"of": TEXT, "IoU": NUMBER, "AP": SCORE},
        (
            (who, round(iou, 6), ap, styles[who].look)
            for who, by_iou in curves.items()
            for iou, ap in by_iou.items()
            if not math.isnan(ap)
        ),
        series="of",
        x="IoU",
        y="AP",
    )
    ious = [row["x"] for row in rows]
    panel = plot(
        rows,
        Axis("IoU", (min(ious) - 0.02, max(ious) + 0.02), ticks=6),
        # With room above a line that is flat.
        axis_against(result, (min(1.02 * row["y"], 1.0) for row in rows)),
        lines(strokeWidth=1.75),
        dots(size=16),
        width=300,
        height=190,
    )
    return below(*key(styles, width=300), panel, gap=6)


def _detectors(result: UpperBoundResult) -> Table[DetectorGap]:
    uap, sizes = result.bound.uap, result.bound.by_size
    heading = "" if all(one.gap is None for one in result.detectors) else "interval of the gap"
    return Table(
        "bound_detectors",
        AGAINST,
        result.detectors,
        [
            Column("detector", "detector", lambda one: one.name, TEXT),
            Column("AP", "AP", lambda one: one.ap),
            Column("UAP", "UAP", lambda _: uap),
            Column("share_of_UAP", "", lambda one: one.share, SHARE),
            Column("", "share of UAP", lambda one: share_of_uap(one.ap, uap), SHARE),
            Column("gap", "gap", lambda one: uap - one.ap),
            *interval_columns(lambda one: ends_of(one.gap), heading, ("gap_low", "gap_high")),
            *columns_of(sizes, lambda one, size: one.by_size.get(size), heading="AP, {}".format),
            *columns_of(
                sizes,
                lambda one, size: share_of_uap(one.by_size.get(size, math.nan), sizes[size]),
                SHARE,
                heading="share, {}".format,
                further=True,
            ),
        ],
        wide=True,
    )


def _curve_tables(result: UpperBoundResult) -> Iterator[Table[Any]]:
    """A column per IoU threshold; in files a row, and one per size, all objects first."""
    ious, strategies, detectors = result.bound.by_iou, result.strategies, result.detectors
    found = [
        *(
            ("strategy", one.strategy, one.by_iou, {"all": one.uap, **one.by_size})
            for one in strategies
        ),
        *(("detector", one.name, one.by_iou, {"all": one.ap, **one.by_size}) for one in detectors),
    ]
    others = (f"UAP: {STRATEGY_TITLES[one.strategy].lower()}" for one in strategies[1:])
    titles = zip((BOUND, *others, *(one.name for one in detectors)), found, strict=True)
    forms = {"UAP or detector": TEXT, **dict.fromkeys(map(number, ious), SCORE)}
    rows = ((title, *map(by_iou.get, ious)) for title, (_, _, by_iou, _) in titles)
    yield table_of("", "UAP and AP by IoU", forms, rows, folded=True)
    by_iou = ((of, name, *point) for of, name, aps, _ in found for point in aps.items())
    by_size = ((of, name, *point) for of, name, _, aps in found for point in aps.items())
    whose = {"of": TEXT, "name": TEXT}
    yield table_of("bound_by_iou", "", {**whose, "iou": NUMBER, "AP": SCORE}, by_iou)
    yield table_of("bound_by_size", "", {**whose, "size": TEXT, "AP": SCORE}, by_size)


def share_of_uap(ap: float, uap: float) -> float:
    """Nothing can be compared with a bound that reads 0.000."""
    return part(ap, uap) if uap >= SHOWN else math.nan


def ends_of(found: Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if found is None else (found.low, found.high)


def plot_against(
    result: UpperBoundResult,
    name: str,
    by: str,
    reading: str,
    legend: str,
    draw: Callable[[UpperBoundResult], Spec],
    *,
    wide: bool = False,
) -> Plot:
    """Detectors, as many as there are colours, beside the bound; without any, the bound alone."""
    names = [one.name for one in result.detectors]
    alone = f"{result.classifier} on {result.dataset}"
    beside = f"{listed(names, 2, 'detectors')} on {result.dataset}; UAP of {result.classifier}"
    return Plot(
        name,
        f"{'AP of detectors against UAP' if names else 'UAP'}, by {by}",
        reading,
        partial(draw, with_colours(result)),
        legend=legend + first_of(MOST_DETECTORS, len(names), "detectors"),
        about=beside if names else alone,
        absent=NO_BOUND if math.isnan(result.bound.uap) else "",
        wide=wide,
    )


def with_colours(result: UpperBoundResult) -> UpperBoundResult:
    """Of its detectors those that are drawn."""
    return replace(result, detectors=result.detectors[:MOST_DETECTORS])


def colours_against(result: UpperBoundResult) -> dict[str, str]:
    """The bound first, dark, then the detectors."""
    return {BOUND: INK, **colours_of([one.name for one in result.detectors], MANY_SERIES)}


def axis_against(result: UpperBoundResult, values: Iterable[float]) -> Axis:
    return Axis("AP, UAP" if result.detectors else "UAP", to_a_tenth(values))
