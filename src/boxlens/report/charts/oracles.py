"""AP50 with oracles, and scores of detections near objects: by IoU, and around them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from boxlens.report.charts.colours import INK, NEUTRAL, SOFT_INK, WHITE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.cells import density
from boxlens.report.charts.forms.keys import key, styles_of
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import SMALL_PX, bands, bars, dots, lines, rule_at, words
from boxlens.report.charts.forms.panels import Series, below, beside, name_rows, plot
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.kinds import KINDS
from boxlens.report.study import Table
from boxlens.studies.proposals.detection_use.oracle_result import (
    ORACLE_WORDS,
    DetectorScores,
    ScoreMap,
)
from boxlens.wording import count, interval, score

WIDTH: Final = 340
BARS_PX: Final = 230
# Perfect suppression takes away duplicates, and has their colour.
COLOURS: Final[Mapping[str, str]] = {
    "raw": NEUTRAL,
    "none": NEUTRAL,
    "gt": KINDS["loc"].colour,
    "nms": KINDS["dupe"].colour,
    "gt+nms": KINDS["correct"].colour,
}
MAP_PX: Final = 150
MAP_WORDS: Final = {"shift": "moved", "scale": "resized"}
MAP_AXES: Final = {
    "shift": ("to the right, in widths", "down, in heights"),
    "scale": ("width, times the object's", "height, times the object's"),
}
CROSS: Final = "M-1,0L1,0M0,-1L0,1"


def oracle_scores_chart(table: Table[Any], *, proposed: bool) -> Spec:
    """One group per method of one detector; or one per detector, where there are no proposals."""
    of = "method" if proposed else "detector"
    oracles = ("none", "gt", "nms", "gt+nms") if proposed else ("raw", "nms")
    found = table_rows(table, row=of, series="oracle", value="AP50", gain="gained")
    rows = [
        {
            **row,
            "colour": COLOURS[row["series"]],
            "text": told["AP50"] + ("" if row["gain"] is None else f"  ({told['gained']})"),
        }
        for row in found
        for told in [row["tip"]]
        if row["series"] in oracles
    ]
    # What the detector reaches without any proposals.
    raw = next(row["value"] for row in found if row["series"] == "raw") if proposed else 0.0
    as_given = rule_at(raw, f"as given {score(raw)}", color=SOFT_INK, strokeDash=[3, 2])
    panel = name_rows(
        rows,
        Names.of(
            dict.fromkeys(row["row"] for row in rows),
            px=12 * len(oracles) + 8,
            characters=18,
            gap=0.14,
        ),
        Axis("AP50", (0, max([raw, *(row["value"] for row in rows)]) or 1.0)),
        bars("value"),
        *(as_given if proposed else ()),
        # In a column: at the ends of the bars, the line of what was given would cross them.
        words(value=BARS_PX + 8, align="left", fontSize=SMALL_PX, color=INK),
        width=BARS_PX,
        series=Series(oracles, outer=0, inner=0.1),
    )
    named = key({ORACLE_WORDS[name]: COLOURS[name] for name in oracles}, width=WIDTH)
    return below(*named, panel, gap=6)


def scores_by_iou_chart(scores: Sequence[DetectorScores], *, banded: bool) -> Spec:
    """One line per detector; `banded`: with the spread of classes."""
    styles = styles_of(one.detector for one in scores)
    panel = plot(
        [{**row, **styles[row["series"]].look} for one in scores for row in _iou_rows(one)],
        Axis("IoU with the object", (0.2, 1), ticks=8),
        Axis("scaled score", (0, 1)),
        *((bands(opacity=0.15),) if banded else ()),
        lines(strokeWidth=1.75),
        dots(size=14),
        width=WIDTH,
        height=190,
    )
    return below(*key(styles, width=WIDTH), panel, gap=6)


def _iou_rows(one: DetectorScores) -> Iterator[Row]:
    """In the middle of each bin that has detections."""
    by = one.by_iou
    edges = by.edges.tolist()
    for at, (mean, spread) in enumerate(zip(by.mean.tolist(), by.spread.tolist(), strict=True)):
        if not math.isnan(mean):
            around = 0 if math.isnan(spread) else spread
            yield {
                "x": round((edges[at] + edges[at + 1]) / 2, 6),
                "y": mean,
                "low": max(mean - around, 0),
                "high": min(mean + around, 1),
                "series": one.detector,
                "tip": {
                    "detector": one.detector,
                    "IoU": interval(edges[at], edges[at + 1], 2),
                    "scaled score": score(mean),
                    "detections": count(by.n_detections[at]),
                },
            }


def highest_score(scores: Iterable[DetectorScores], fewest: int) -> float:
    """Of the cells of all maps, so that they share their colours.

    A single detection of a high score would leave all others pale: cells of several go first.
    """
    maps = [drawn for one in scores for drawn in one.maps]
    for least in (fewest, 1):
        found = [drawn.mean[drawn.n_detections >= least] for drawn in maps]
        highest = max((float(values.max()) for values in found if len(values)), default=math.nan)
        if highest > 0:
            return highest
    return highest


def score_map_chart(
    maps: Sequence[ScoreMap], scores: Sequence[DetectorScores], fewest: int
) -> Spec:
    """Boxes beside their object, and larger or smaller than it; of all detectors are `scores`.

    Cells of fewer detections than `fewest` are faint.
    """
    highest = highest_score(scores, fewest)
    legend = {
        "title": "score",
        "titleOrient": "left",
        "orient": "bottom",
        "direction": "horizontal",
        "gradientLength": MAP_PX,
        "gradientThickness": 9,
        "tickCount": 4,
        "labelExpr": "format(datum.value, '~g')",
    }
    # Legible on dark and on pale cells.
    middle = {"x": MAP_PX / 2, "y": MAP_PX / 2}
    look = {"shape": CROSS, "size": 50, "filled": False, "opacity": 1}
    cross = [
        Mark("point", middle, {**look, "stroke": ink, "strokeWidth": px}, [{}])
        for ink, px in ((WHITE, 2.5), (INK, 1))
    ]
    panels = [
        density(
            _cells(one, fewest),
            *_map_axes(one),
            *cross,
            level="score",
            highest=highest,
            # Both have the same colours.
            legend=legend if one is maps[0] else None,
            width=MAP_PX,
            height=MAP_PX,
            title=MAP_WORDS[one.kind],
        )
        for one in maps
    ]
    return beside(*panels)


def _map_axes(one: ScoreMap) -> tuple[Axis, Axis]:
    """Sizes are powers of two, written as factors."""
    across, up = ((float(edges[0]), float(edges[-1])) for edges in (one.x_edges, one.y_edges))
    x_title, y_title = MAP_AXES[one.kind]
    if one.kind == "shift":
        # In pictures y goes down; a height goes up.
        return Axis(x_title, across, grid=False), Axis(y_title, up[::-1], grid=False)
    powers = range(math.ceil(across[0]), math.floor(across[1]) + 1)
    names = {at: f"1/{2**-at}" if at < 0 else f"{2**at}" for at in powers}
    look: dict[str, Any] = {"names": names, "grid": False}
    return Axis(x_title, across, **look), Axis(y_title, up, **look)


def _cells(found: ScoreMap, fewest: int) -> Iterator[Row]:
    x, y = found.x_edges.tolist(), found.y_edges.tolist()
    for line, column in np.argwhere(~np.isnan(found.mean)).tolist():
        mean, n = float(found.mean[line, column]), int(found.n_detections[line, column])
        yield {
            "x": x[column],
            "x2": x[column + 1],
            "y": y[line],
            "y2": y[line + 1],
            "score": round(mean, 4),
            "opacity": 0.35 if n < fewest else 1,
            "tip": {"score": score(mean), "detections": count(n)},
        }
