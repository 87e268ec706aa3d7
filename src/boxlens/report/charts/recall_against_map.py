"""Average recall of methods against the mAP detectors reach with them: a point a method."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import linear_regression
from typing import TYPE_CHECKING, Any, Final, TypeVar

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles, detector_words, first_detectors
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import above_panel, count_text
from boxlens.report.charts.panels import message
from boxlens.report.charts.point_labels import HALO, place_labels
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.proposals.detection_use.correlation_result import (
        MethodScore,
        ProposalCorrelationResult,
    )

PLOT_PX: Final = 480
HEIGHT_PX: Final = 300
# Where there are several panels.
LOW_PX: Final = 230
MOST_PANELS: Final = 4
NAME_CHARACTERS: Final = 20
# Free space around the points, as a share of the axis.
ROOM: Final = 0.08

Channel = TypeVar("Channel")


def recall_against_map_chart(
    result: ProposalCorrelationResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A panel a detector, all with the same axis of average recall."""
    title = "Average recall against mAP"
    known = [one for one in result.scores if not math.isnan(one.ar) and not math.isnan(one.map)]
    if not known:
        empty = message("no method has both numbers", width=WIDTH, height=LOW_PX // 2)
        return themed(empty, title=title, about=about)
    styles = detector_styles(one.detector for one in result.scores)
    detectors = list(dict.fromkeys(one.detector for one in known))
    shown = [name for name in detectors if detector_words(name) in styles][:MOST_PANELS]
    x = _axis("ar", [one.ar for one in known if one.detector in shown], "AR", 6)
    panels = [
        _panel(
            [one for one in known if one.detector == name],
            _with_ar(result, name),
            styles[detector_words(name)].colour,
            x if name == shown[-1] else replace(x, title=None),
            HEIGHT_PX if len(shown) == 1 else LOW_PX,
        )
        for name in shown
    ]
    reading = (
        f"A point a method, with at most {result.budget:,} proposals; mAP is "
        f"{result.parameters.get('metric', 'AP')}. Line: least squares."
    ) + first_detectors(len(shown), len(detectors))
    return themed(alt.vconcat(*panels, spacing=8), title=title, about=about, reading=reading)


@dataclass(frozen=True, slots=True)
class _Axis:
    """One direction of a panel."""

    field: str
    title: str | None
    low: float
    high: float
    n_ticks: int

    def share(self, value: float) -> float:
        """Where a value lies along it."""
        return (value - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        return self.low + (self.high - self.low) * share

    def channel(self, kind: Callable[..., Channel]) -> Channel:
        return kind(
            f"{self.field}:Q",
            scale=alt.Scale(domain=[self.low, self.high], nice=False),
            axis=alt.Axis(title=self.title, labelExpr=DECIMAL_AXIS, tickCount=self.n_ticks),
        )


def _axis(field: str, values: Sequence[float], title: str, n_ticks: int) -> _Axis:
    """With room at both ends, so that points and names are inside."""
    low, high = min(values), max(values)
    room = ROOM * (high - low) or 0.02
    return _Axis(field, title, low - room, high + room, n_ticks)


def _with_ar(result: ProposalCorrelationResult, detector: str) -> float:
    wanted = (detector, "")
    found = [one for one in result.correlations if (one.detector, one.class_name) == wanted]
    return found[0].with_ar if found else math.nan


def _panel(
    mine: Sequence[MethodScore], r: float, colour: str, across: _Axis, height: int
) -> alt.LayerChart:
    up = _axis("map", [one.map for one in mine], "mAP", 5)
    x, y = across.channel(alt.X), up.channel(alt.Y)
    # Without a correlation there is no slope either.
    ends = () if math.isnan(r) else _least_squares(mine)
    rows = _records(mine, ends, across, up, height)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=height)
    line = alt.Chart(inline({"line_x": ar, "line_y": value} for ar, value in ends)).mark_line(
        strokeWidth=1, color=LINE, strokeDash=[4, 3], clip=True
    )

    def placed(field: str) -> dict[str, Any]:
        return {
            "x": replace(across, field=f"{field}_x").channel(alt.X),
            "y": replace(up, field=f"{field}_y").channel(alt.Y),
        }

    points = plot.mark_point(filled=True, size=30, opacity=1, color=colour)
    layers = [
        *([line.encode(**placed("line"))] if ends else []),
        # From points to names that do not stand beside them.
        plot.mark_rule(strokeWidth=0.5, color=LINE).encode(x=x, y=y, x2="lead_x:Q", y2="lead_y:Q"),
        points.encode(x=x, y=y, tooltip=_tips()),
        # White around the letters, where there is no place beside the line.
        plot.mark_text(fontSize=FONT_PX - 1, **HALO).encode(text="name:N", **placed("label")),
        plot.mark_text(fontSize=FONT_PX - 1, color=SOFT_INK).encode(
            text="name:N", **placed("label")
        ),
    ]
    name = short(detector_words(mine[0].detector), 30)
    words = "r is not known" if math.isnan(r) else f"r = {decimal(r)}"
    methods = "1 method" if len(mine) == 1 else f"{len(mine):,} methods"
    return alt.LayerChart(
        layer=[*layers, above_panel(f"{name}: {words}, {methods}")],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _least_squares(mine: Sequence[MethodScore]) -> tuple[tuple[float, float], ...]:
    """Both ends of the line, over the methods with the lowest and the highest recall."""
    across, up = [one.ar for one in mine], [one.map for one in mine]
    slope, start = linear_regression(across, up)
    return tuple((ar, start + slope * ar) for ar in (min(across), max(across)))


def _records(
    mine: Sequence[MethodScore],
    ends: Sequence[tuple[float, float]],
    across: _Axis,
    up: _Axis,
    height: int,
) -> list[dict[str, Any]]:
    def pixels(ar: float, value: float) -> tuple[float, float]:
        return PLOT_PX * across.share(ar), height * (1 - up.share(value))

    names = [short(one.method, NAME_CHARACTERS) for one in mine]
    places = place_labels(
        [pixels(one.ar, one.map) for one in mine],
        names,
        width=PLOT_PX,
        height=height,
        line=[pixels(*end) for end in ends],
    )
    return [
        {
            "method": one.method,
            "name": name,
            "ar": one.ar,
            "map": one.map,
            "n": count_text(one.n_mean),
            "label_x": across.at(place.x / PLOT_PX),
            "label_y": up.at(1 - place.y / height),
            "lead_x": across.at(place.lead_x / PLOT_PX),
            "lead_y": up.at(1 - place.lead_y / height),
        }
        for one, name, place in zip(mine, names, places, strict=True)
    ]


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("method:N"),
        alt.Tooltip("ar:Q", title="AR", format=".3f"),
        alt.Tooltip("map:Q", title="mAP", format=".3f"),
        alt.Tooltip("n:N", title="proposals an image"),
    ]
