"""Scores of detections near objects: by IoU, and by where boxes lie around their object."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from boxlens.report.charts.colours import INK, WHITE
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key, styles_of
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import bands, dots, lines
from boxlens.report.charts.forms.panels import below, beside, plot
from boxlens.report.study import (
    COUNT,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.studies.proposals.detection_use.oracle_result import (
    DetectorScores,
    ProposalOracleResult,
    ScoreMap,
)
from boxlens.wording import count, interval, listed, score

# Lines of a figure, and bands.
MOST_LINES, MOST_BANDS = 8, 3
# A cell of a score map with fewer detections is faint.
FEWEST: Final = 5
# What happens to boxes, the titles of axes, and what stands there in place of powers of two.
FACTORS: Final[Mapping[float, str]] = {-2: "1/4", -1: "1/2", 0: "1", 1: "2", 2: "4"}
MAPS: Final[Mapping[str, tuple[str, str, str, Mapping[float, str]]]] = {
    "shift": ("moved", "to the right, in widths", "down, in heights", {}),
    "scale": ("resized", "width, times the object's", "height, times the object's", FACTORS),
}
MAP_PX: Final = 150
LEGEND: Final = {
    "title": "score",
    "titleOrient": "left",
    "orient": "bottom",
    "direction": "horizontal",
    "gradientLength": MAP_PX,
    "gradientThickness": 9,
    "tickCount": 4,
    "labelExpr": "format(datum.value, '~g')",
}
# The object itself: a cross in the middle of its map.
MIDDLE: Final = {"x": MAP_PX / 2, "y": MAP_PX / 2}
CROSS: Final = {"shape": "M-1,0L1,0M0,-1L0,1", "size": 50, "filled": False, "opacity": 1}


def scores_section(result: ProposalOracleResult) -> Section:
    bins = dict.fromkeys(("from", "to", "score", "spread"), SCORE)
    cells = dict.fromkeys(("x_from", "x_to", "y_from", "y_to", "score"), SCORE)
    n = {"n_detections": COUNT}
    found = (
        (one.detector, drawn.kind, *cell)
        for one in result.scores
        for drawn in one.maps
        for cell in _cells(drawn)
    )
    return Section(
        "scores",
        "Scores near objects",
        (
            _by_iou_plot(result),
            *_map_plots(result),
            _by_iou(result.scores),
            table_of("scores_by_iou", "", {"detector": TEXT, **bins, **n}, _bins(result.scores)),
            table_of("score_maps", "", {"detector": TEXT, "kind": TEXT, **cells, **n}, found),
        ),
        "Whether tighter boxes have higher scores.",
    )


def _by_iou(scores: Sequence[DetectorScores]) -> Table[int]:
    """By the place of the bin, the same for every detector; two columns per detector."""
    ends = list(pairwise(scores[0].by_iou.edges.tolist()))
    return Table(
        "",
        "Scaled score by IoU",
        range(len(ends)),
        [
            Column("", "IoU", lambda at: interval(*ends[at], 2), TEXT),
            *columns_of(
                scores,
                lambda at, one: float(one.by_iou.mean[at]),
                heading=lambda one: f"score, {one.detector}",
            ),
            *columns_of(
                scores,
                lambda at, one: one.by_iou.n_detections[at],
                COUNT,
                heading=lambda one: f"detections, {one.detector}",
                further=True,
            ),
        ],
        folded=True,
    )


def _bins(scores: Sequence[DetectorScores]) -> Iterator[tuple[Any, ...]]:
    """Detector, both ends of IoU, mean score (NaN without detections), its spread, detections."""
    for one in scores:
        by = one.by_iou
        values = by.mean.tolist(), by.spread.tolist(), by.n_detections
        for ends, *found in zip(pairwise(by.edges.round(6).tolist()), *values, strict=True):
            yield one.detector, *ends, *found


def _cells(found: ScoreMap) -> Iterator[tuple[Any, ...]]:
    """Both ends across and up, mean score (NaN without detections), detections."""
    ends = product(*(pairwise(one.round(6).tolist()) for one in (found.y_edges, found.x_edges)))
    values = zip(found.mean.ravel().tolist(), found.n_detections.ravel().tolist(), strict=True)
    for (up, across), (mean, n) in zip(ends, values, strict=True):
        yield *across, *up, mean, int(n)


def _by_iou_plot(result: ProposalOracleResult) -> Plot:
    names = [one.detector for one in result.scores]
    legend = (
        "Mean score of detections by their IoU with an object, scaled from 0 to 1 in every class, "
        "then averaged over classes."
    )
    if len(names) <= MOST_BANDS:
        legend += " Band: half the distance between the quartiles of the classes, up and down."
    shown = result.scores[:MOST_LINES]
    known = any(not np.isnan(one.by_iou.mean).all() for one in shown)
    return Plot(
        "scores_by_iou",
        "Score by IoU with the object",
        "A line that rises to the end ranks tight boxes above loose ones. A flat end: the detector "
        "cannot tell good boxes from very good ones.",
        partial(_draw_by_iou, shown),
        legend=legend + first_of(MOST_LINES, len(names), "detectors"),
        about=f"{listed(names, 2, 'detectors')} on {result.dataset['name']}",
        absent="" if known else "no detection overlaps an object",
        # Of figures two per line, the first of an odd number has a line to itself.
        wide=len(names) % 2 == 0,
    )


def _draw_by_iou(scores: Sequence[DetectorScores]) -> Spec:
    """One line per detector, through the middle of each bin that has detections."""
    styles = styles_of(one.detector for one in scores)
    rows: list[Row] = []
    for name, low, high, mean, spread, n in _bins(scores):
        if not math.isnan(mean):
            place = {"x": round((low + high) / 2, 6), "y": mean}
            around = {"low": max(mean - spread, 0), "high": min(mean + spread, 1)}
            tip = {"detector": name, "IoU": interval(low, high, 2)}
            tip |= {"scaled score": score(mean), "detections": count(n)}
            rows.append({**place, **around, "series": name, "tip": tip, **styles[name].look})
    panel = plot(
        rows,
        Axis("IoU with the object", (0.2, 1), ticks=8),
        Axis("scaled score", (0, 1)),
        *((bands(opacity=0.15),) if len(scores) <= MOST_BANDS else ()),
        lines(strokeWidth=1.75),
        dots(size=14),
        width=340,
        height=190,
    )
    return below(*key(styles, width=340), panel, gap=6)


def _map_plots(result: ProposalOracleResult) -> Iterator[Plot]:
    for one in result.scores:
        maps = [found for found in one.maps if not np.isnan(found.mean).all()]
        skipped = ", ".join(
            f"{found.n_left_out:,} ({MAPS[found.kind][0]})" for found in maps if found.n_left_out
        )
        legend = (
            "Mean score, scaled from 0 to 1 in every class, of detections whose box is moved "
            "against its object or has another size; cross: the object itself. Blank: no "
            f"detection; faint: fewer than {FEWEST}."
        )
        further = f" Not shown, further away or of a class whose scores are all equal: {skipped}."
        suffix = f": {one.detector}" if len(result.scores) > 1 else ""
        yield Plot(
            f"score_map_{file_name(one.detector)}",
            f"Scores around objects{suffix}",
            "Darkest at the cross and paler all around: scores show where the object is. A dark "
            "place beside the cross: boxes there win over better ones.",
            partial(_draw_maps, maps, result.scores),
            legend=legend + further * bool(skipped),
            about=f"{one.detector} on {result.dataset['name']}",
            absent="" if maps else "no detection overlaps an object",
        )


def _draw_maps(maps: Sequence[ScoreMap], scores: Sequence[DetectorScores]) -> Spec:
    """Boxes beside their object, and larger or smaller than it; of all detectors are `scores`."""
    highest = _highest_score([found for one in scores for found in one.maps])
    panels = []
    for one in maps:
        title, x_title, y_title, names = MAPS[one.kind]
        x = Axis(x_title, (float(one.x_edges[0]), float(one.x_edges[-1])), names=names, grid=False)
        # In pictures y goes down; a height goes up.
        up = one.y_edges[::-1] if one.kind == "shift" else one.y_edges
        rows: list[Row] = []
        for left, right, low, high, mean, n in _cells(one):
            if not math.isnan(mean):
                place = {"x": left, "x2": right, "y": low, "y2": high, "score": round(mean, 4)}
                tip = {"score": score(mean), "detections": count(n)}
                rows.append({**place, "opacity": 0.35 if n < FEWEST else 1, "tip": tip})
        panel = density(
            rows,
            x,
            replace(x, title=y_title, ends=(float(up[0]), float(up[-1]))),
            # Legible on dark and on pale cells.
            Mark("point", MIDDLE, {**CROSS, "stroke": WHITE, "strokeWidth": 2.5}, [{}]),
            Mark("point", MIDDLE, {**CROSS, "stroke": INK, "strokeWidth": 1}, [{}]),
            level="score",
            highest=highest,
            # Both have the same colours.
            legend=LEGEND if one is maps[0] else None,
            width=MAP_PX,
            height=MAP_PX,
            title=title,
        )
        panels.append(panel)
    return beside(*panels)


def _highest_score(maps: Sequence[ScoreMap]) -> float:
    """Of the cells of all maps, so that they share their colours.

    A single detection of a high score would leave all others pale: cells of several go first.
    """
    means = np.concatenate([one.mean.ravel() for one in maps])
    n_detections = np.concatenate([one.n_detections.ravel() for one in maps])
    found = (float(means[n_detections >= least].max(initial=0)) for least in (FEWEST, 1))
    return next(filter(None, found), 1.0)
