"""Figures about objects: what the detector is sensitive to, and what it does not find."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate

from boxlens.report.charts import objects as charts
from boxlens.report.study import Plot, file_name
from boxlens.studies.sensitivity import SensitivityResult
from boxlens.studies.sensitivity.result import Characteristic, ClassSpread, Interaction
from boxlens.studies.sensitivity.verdict import widest_first
from boxlens.wording import counted, number, part, share

MOST_CLASSES = 16
# Flags take a line each, in two columns of classes.
MOST_FLAG_LINES = 32
# Numbers in more rows or columns of a grid are not legible.
MOST_SUBSETS = 10
TOO_FEW = "no property of the objects has two kinds with enough objects in one class"


def object_plots(result: SensitivityResult) -> Iterator[Plot]:
    """All characteristics at once, the undetected objects, then one by one."""
    yield _summary(result)
    yield _undetected(result)
    for row in result.characteristics:
        yield characteristic_plot(row, _about(result))
    for grid in result.interactions:
        yield interaction_plot(grid, _about(result))


def _about(result: SensitivityResult) -> str:
    return f"{result.detections.name} on {result.dataset.name}"


def _summary(result: SensitivityResult) -> Plot:
    known = [row for row in widest_first(result) if not math.isnan(row.sensitivity)]
    unknown = [row.name for row in result.characteristics if math.isnan(row.sensitivity)]
    return Plot(
        "sensitivity",
        "What the detector is sensitive to",
        "A bar much wider than chance: the detector depends on this property. A large impact: "
        "many objects are of the bad kind, so that fixing it pays.",
        partial(charts.sensitivity_summary_chart, known),
        legend="Bar: AP_N of the worst and the best subset; stroke: of all objects of the same "
        f"classes. Means over {_n_classes(known)} with enough objects. Sensitivity: best - worst, "
        "with what chance alone would give; impact: best - all."
        + (f" Too few objects: {', '.join(unknown)}." if unknown else ""),
        about=_about(result),
        absent="" if known else TOO_FEW,
    )


def _n_classes(known: Sequence[Characteristic]) -> str:
    fewest, most = (pick((row.n_classes for row in known), default=0) for pick in (min, max))
    whole = counted(most, "class", "classes")
    return f"the {whole}" if fewest == most else f"the {fewest} to {whole}"


def _undetected(result: SensitivityResult) -> Plot:
    misses = result.misses
    absent = "there are no objects"
    if misses.n_objects:
        absent = "no object is undetected"
    if misses.n_missed:
        absent = "there is no property of objects to tell them apart by"
    rate = share(part(misses.n_missed, misses.n_objects))
    looser = ", and how many of these a looser overlap would count as found"
    return Plot(
        "misses",
        "Which objects are undetected",
        "Kinds of objects that are often found too late to count or not at all"
        f"{looser if misses.looser else ''}.",
        partial(charts.misses_chart, result),
        legend=f"Undetected: no correct detection at IoU {number(result.iou)} where P_N is "
        f"{number(misses.p_n)} or more; some are found later in the ranking. Explained: share of "
        "the entropy, and what chance would explain.",
        about=f"{_about(result)}: {misses.n_missed:,} of {counted(misses.n_objects, 'object')} "
        f"undetected ({rate})",
        absent="" if misses.n_missed and (result.characteristics or misses.looser) else absent,
    )


def characteristic_plot(
    row: Characteristic, about: str = "", most_classes: int = MOST_CLASSES
) -> Plot:
    """Small panels, one per class; of many classes those that it spreads most."""
    known = [one for one in row.classes if not math.isnan(one.highest)]
    shown = _shown(row, known, most_classes)
    chosen = (
        f" The {len(shown)} of {len(known)} classes with the largest spread among the others."
        if len(shown) < len(known)
        else ""
    )
    absent = row.reason or ("" if known else "no class has enough objects in any subset")
    return Plot(
        f"by_{file_name(row.name)}",
        f"How well objects are found by {row.name}",
        "Points far from the dashed line are kinds of objects that are found worse or better "
        "than their class.",
        partial(charts.characteristic_chart, row, shown),
        legend="AP_N of subsets ± one standard error; dashed: the whole class. Small and faint: "
        f"fewer than {row.min_objects} objects.{chosen}",
        about=about,
        absent=absent,
    )


def _shown(row: Characteristic, known: list[ClassSpread], most_classes: int) -> list[ClassSpread]:
    """As many as are legible."""
    most = min(most_classes, len(known))
    by_spread = sorted(known, key=lambda one: one.lowest - one.highest)
    if row.kind == "flags":
        lines = [sum(not math.isnan(kind.ap_n) for kind in one.subsets) / 2 for one in by_spread]
        most = min(most, max(1, sum(total <= MOST_FLAG_LINES for total in accumulate(lines))))
    return known if most == len(known) else by_spread[:most]


def interaction_plot(grid: Interaction, about: str) -> Plot:
    first, second = (_frequent(grid.n_objects.sum(axis=axis).tolist()) for axis in (1, 0))
    known = sum(not math.isnan(grid.ap_n[row, column]) for row in first for column in second)
    legend = ["AP_N, mean over the classes with enough such objects."]
    for name, shown, names in (
        (grid.first, first, grid.first_names),
        (grid.second, second, grid.second_names),
    ):
        if len(shown) < len(names):
            legend.append(f"The {len(shown)} most frequent of {len(names)} {name}.")
    n_empty = len(first) * len(second) - known
    if n_empty:
        legend.append(f"Empty: too few objects ({counted(n_empty, 'cell')}).")
    return Plot(
        f"cross_{file_name(grid.first)}_{file_name(grid.second)}",
        f"How well objects are found by {grid.first} and {grid.second}",
        "Where rows change with the column, the two properties act together.",
        partial(charts.interaction_chart, grid, first, second),
        legend=" ".join(legend),
        about=about,
        absent="" if known else "no pair of subsets has enough objects",
    )


def _frequent(n_objects: list[int]) -> list[int]:
    """Places of the subsets with the most objects, in their order."""
    order = sorted(range(len(n_objects)), key=lambda place: -n_objects[place])
    return sorted(order[:MOST_SUBSETS])
