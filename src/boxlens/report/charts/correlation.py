"""Correlation of recall with mAP: by IoU, by method, by class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from boxlens.report.charts.colours import MANY_SERIES, colours_of
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.choosing import GAP_LABEL
from boxlens.report.charts.forms.keys import key, key_table, styles_of
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import VALUE, dots, lines, rule_at
from boxlens.report.charts.forms.panels import Series, below, name_rows, plot
from boxlens.report.charts.forms.scatter import least_squares, scatter
from boxlens.studies.proposals.detection_use.correlation_result import (
    MethodScore,
    ProposalCorrelationResult,
    RecallCorrelation,
)
from boxlens.studies.proposals.detection_use.verdict import detector_name
from boxlens.wording import counted, mean_count, score, short

WIDTH: Final = 340
# The axis begins at a multiple of this: most correlations are high.
STEP: Final = 0.25
# Free space around points, as a share of the axis.
ROOM: Final = 0.08


def recall_correlation_chart(shown: Sequence[RecallCorrelation]) -> Spec:
    """One line per detector; below, the correlations with average recall, the highest first."""
    found = {detector_name(one.detector): one for one in shown}
    styles = styles_of(found)
    rows = [
        {
            "x": round(iou, 6),
            "y": r,
            "series": name,
            "tip": {
                "detector": name,
                "IoU": score(iou),
                "r": score(r),
                "methods": f"{one.n_methods}",
            },
            **styles[name].look,
        }
        for name, one in found.items()
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True)
        if not math.isnan(r)
    ]
    averages = [
        {
            "with_ar": one.with_ar,
            "colour": styles[name].colour,
            "tip": {"detector": name, "r with AR": score(one.with_ar)},
        }
        for name, one in found.items()
        if not math.isnan(one.with_ar)
    ]
    lowest = min([*(row["y"] for row in rows), *(row["with_ar"] for row in averages)])
    panel = plot(
        rows,
        Axis("recall at IoU", (0.5, 1)),
        Axis("r with mAP", (min(STEP * math.floor(lowest / STEP), 1 - STEP), 1)),
        Mark("rule", {VALUE: "with_ar"}, {"strokeWidth": 1.25, "strokeDash": [4, 3]}, averages),
        lines(),
        dots(size=10),
        width=WIDTH,
        height=220,
        framed=True,
    )
    ranked = sorted(found, key=lambda name: (math.isnan(r := found[name].with_ar), -r))
    columns = {
        "r with AR": {name: score(found[name].with_ar) for name in ranked},
        "partial": {name: score(found[name].with_partial_ar) for name in ranked},
    }
    # Beside the lines it would be out of sight where the page is narrow.
    return below(panel, key_table({name: styles[name] for name in ranked}, columns), gap=14)


def recall_against_map_chart(
    result: ProposalCorrelationResult, known: Sequence[MethodScore], detectors: Sequence[str]
) -> Spec:
    """One panel per detector, of the scores that are `known`; all share the axis of recall."""
    colours = colours_of(_distinct(one.detector for one in result.scores), MANY_SERIES)
    with_ar = {one.detector: one.with_ar for one in result.correlations if not one.class_name}
    across = around((one.ar for one in known if one.detector in detectors), ROOM)
    panels = []
    for name in detectors:
        mine = [one for one in known if one.detector == name]
        r = with_ar.get(name, math.nan)
        words = "r is unknown" if math.isnan(r) else f"r = {score(r)}"
        panel = scatter(
            [
                {
                    "x": one.ar,
                    "y": one.map,
                    "name": one.method,
                    "tip": {
                        "method": one.method,
                        "AR": score(one.ar),
                        "mAP": score(one.map),
                        "proposals per image": mean_count(one.n_mean),
                    },
                }
                for one in mine
            ],
            Axis("AR" * (name == detectors[-1]), across, ticks=6),
            Axis("mAP", around((one.map for one in mine), ROOM)),
            # Without a correlation there is no slope either.
            line=None if math.isnan(r) else least_squares([(one.ar, one.map) for one in mine]),
            title=f"{short(detector_name(name), 30)}: {words}, {counted(len(mine), 'method')}",
            width=480,
            height=300 if len(detectors) == 1 else 230,
            color=colours[detector_name(name)],
        )
        panels.append(panel)
    return below(*panels)


def class_correlations_chart(
    found: Mapping[str, Mapping[str, float]],
    classes: Mapping[str, str | None],
    detectors: Sequence[str],
) -> Spec:
    """r by class and detector; classes by place, None is a gap between them."""
    colours = colours_of(_distinct(detectors), MANY_SERIES)
    rows: list[Row] = [
        {
            "row": place,
            "series": (who := detector_name(detector)),
            "colour": colours[who],
            "value": r,
            "tip": {"class": name, "detector": who, "r with AR": score(r)},
        }
        for place, name in classes.items()
        if name is not None
        for detector, r in found[name].items()
    ]
    lowest = min(row["value"] for row in rows)
    labels = {place: GAP_LABEL if name is None else name for place, name in classes.items()}
    panel = name_rows(
        rows,
        # Equal numbers of detectors stand below one another.
        Names(labels, px=10 + 3 * len(colours), characters=22, grid=True),
        Axis("r with AR", (-1 if lowest < 0 else 0, 1)),
        *rule_at(0),
        dots("value", size=28, opacity=0.9),
        width=300,
        series=Series(list(colours), outer=0.8),
    )
    return below(*key(colours, width=WIDTH), panel, gap=6)


def _distinct(detectors: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(detector_name, detectors)))
