"""Does average recall foretell AP class by class? A row a class, a dot a detector."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles, detector_words, first_detectors
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import line_encoding
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import key_lines
from boxlens.report.charts.theme import DECIMAL_AXIS, GRID, LINE, WIDTH, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.report.charts.method_lines import LineStyle

    # By class and detector.
    Found = Mapping[str, Mapping[str, float]]

PLOT_PX: Final = 300
# And so much more a detector, since equal numbers stand below one another.
ROW_PX: Final = 10
DETECTOR_PX: Final = 3
# Of each end, where there are more than twice as many and one.
MOST_ROWS: Final = 15
LABEL_CHARACTERS: Final = 22
GAP: Final = "gap"


def class_correlations_chart(
    result: ProposalCorrelationResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """From the class whose AP goes best with recall on."""
    title = "r of AP with average recall, class by class"
    names = dict.fromkeys(detector_words(one.detector) for one in result.correlations)
    styles = detector_styles(names)
    found = class_correlations(result, styles)
    if not found:
        empty = message("no class has a correlation", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    ordered = sorted(found, key=lambda name: -_mean(found[name]))
    shown = _shown(ordered)
    reading = (
        "Pearson's r over methods; below 0, methods that find more of a class score worse on it. "
        "Classes with few objects scatter."
    )
    if len(shown) < len(ordered):
        reading += f" The {MOST_ROWS} first and last of {len(ordered):,} classes."
    reading += first_detectors(len(styles), len(names))
    key = key_lines({name: style.colour for name, style in styles.items()})
    whole = alt.vconcat(*key, _dots(found, shown, styles), spacing=6)
    return themed(whole, title=title, about=about, reading=reading)


def class_correlations(
    result: ProposalCorrelationResult, styles: Mapping[str, LineStyle]
) -> dict[str, dict[str, float]]:
    """Of the classes that have a number, by detector."""
    found: dict[str, dict[str, float]] = {}
    for one in result.correlations:
        detector = detector_words(one.detector)
        if one.class_name and detector in styles and not math.isnan(one.with_ar):
            found.setdefault(one.class_name, {})[detector] = one.with_ar
    return found


def _mean(of: Mapping[str, float]) -> float:
    return math.fsum(of.values()) / len(of)


def _shown(ordered: Sequence[str]) -> list[str | None]:
    """None is a gap."""
    if len(ordered) <= 2 * MOST_ROWS + 1:
        return list(ordered)
    return [*ordered[:MOST_ROWS], None, *ordered[-MOST_ROWS:]]


def _dots(
    found: Found, shown: Sequence[str | None], styles: Mapping[str, LineStyle]
) -> alt.LayerChart:
    # By place, since a class may be called as the gap is.
    labels = {
        str(place): "…" if name is None else short(name, LABEL_CHARACTERS)
        for place, name in enumerate(shown)
    }
    rows: list[dict[str, Any]] = [
        {"place": str(place), "class": name, "detector": detector, "r": r}
        for place, name in enumerate(shown)
        if name is not None
        for detector, r in found[name].items()
    ]
    lowest = min(row["r"] for row in rows)
    height = (ROW_PX + DETECTOR_PX * len(styles)) * len(shown)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=height).encode(
        x=alt.X(
            "r:Q",
            scale=alt.Scale(domain=[-1 if lowest < 0 else 0, 1], nice=False),
            axis=alt.Axis(title="r with AR", labelExpr=DECIMAL_AXIS, tickCount=5),
        ),
        y=alt.Y(
            "place:N",
            sort=list(labels),
            scale=alt.Scale(domain=list(labels)),
            axis=alt.Axis(
                title=None,
                ticks=False,
                domain=False,
                grid=True,
                gridColor=GRID,
                labelExpr=f"{json.dumps(labels)}[datum.value]",
                labelLimit=150,
                labelOverlap=False,
            ),
        ),
        yOffset=alt.YOffset(
            "detector:N",
            sort=list(styles),
            scale=alt.Scale(domain=list(styles), paddingOuter=0.8),
        ),
        color=line_encoding(styles, "detector")["color"],
        tooltip=[
            alt.Tooltip("class:N"),
            alt.Tooltip("detector:N"),
            alt.Tooltip("r:Q", title="r with AR", format=".3f"),
        ],
    )
    zero = alt.Chart(inline([{"r": 0}])).mark_rule(color=LINE, strokeWidth=0.75).encode(x="r:Q")
    return alt.LayerChart(layer=[zero, plot.mark_point(filled=True, size=28, opacity=0.9)])
