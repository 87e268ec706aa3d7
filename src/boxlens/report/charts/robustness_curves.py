"""How much of AP is left as corruptions grow stronger: one small panel per corruption."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.method_lines import above_panel, method_key, method_marks
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    WIDTH,
    fixed,
    inline,
)
from boxlens.studies.robustness.steps import CLEAN_WORDS, GROUP_WORDS, by_transform
from boxlens.wording import UNDEFINED, interval, score, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.images.transforming.transform import Group
    from boxlens.report.charts.method_lines import LineStyle
    from boxlens.studies.robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

# Panels of a line share it, between these widths.
LINE_PX: Final = 560
WIDEST_PX: Final = 190
GAP_PX: Final = 12
PLOT_PX: Final = 92
STRONGEST: Final = 5
GROUP_PX: Final = 54
# Smaller groups would leave most of their lines empty.
FEWEST_GROUPED: Final = 3
PER_LINE: Final = 4


def robustness_curves_chart(result: RobustnessResult) -> alt.VConcatChart:
    """Severity 0 are the unchanged pictures; one line of panels per group of corruptions."""
    shown = result.detectors
    styles = detector_styles(one.name for one in shown)
    arranged = _arranged(shown)
    n_columns = max(len(titles) for _, titles in arranged)
    width = min(WIDEST_PX, (LINE_PX - GAP_PX * (n_columns - 1)) // n_columns)
    top = _top(shown)
    lines = []
    for heading, titles in arranged:
        panels = [
            _panel(list(_lines(shown, name)), styles, title, width, top, first=at == 0)
            for at, (name, title) in enumerate(titles.items())
        ]
        beside = [_group_name(heading)] * bool(heading)
        lines.append(alt.hconcat(*beside, *panels, spacing=GAP_PX))
    key_px = max(WIDTH, n_columns * (width + GAP_PX))
    return alt.vconcat(*method_key(styles, width=key_px), *lines, spacing=10)


def _arranged(detectors: Sequence[DetectorRobustness]) -> list[tuple[str, dict[str, str]]]:
    """Titles by name, one group per line; where all groups are small, one after the other."""
    groups = [(GROUP_WORDS[group], _titles(detectors, group)) for group in CORRUPTION_GROUPS]
    if max(len(titles) for _, titles in groups) >= FEWEST_GROUPED:
        return [(heading, titles) for heading, titles in groups if titles]
    every = [pair for _, titles in groups for pair in titles.items()]
    return [("", dict(every[at : at + PER_LINE])) for at in range(0, len(every), PER_LINE)]


def _titles(detectors: Sequence[DetectorRobustness], group: Group) -> dict[str, str]:
    return {
        name: steps[0].title
        for detector in detectors
        for name, steps in by_transform(detector, group).items()
    }


def _lines(
    detectors: Sequence[DetectorRobustness], name: str
) -> Iterator[tuple[DetectorRobustness, tuple[StepRobustness, ...]]]:
    for detector in detectors:
        steps = by_transform(detector, *CORRUPTION_GROUPS).get(name, ())
        if any(not math.isnan(one.relative["AP"]) for one in steps):
            yield detector, steps


def _records(
    detector: DetectorRobustness, steps: Sequence[StepRobustness]
) -> Iterator[dict[str, Any]]:
    name, clean = detector.name, detector.clean.metrics["AP"]
    first = {"severity": 0, "relative": 1.0, "low": 1.0, "high": 1.0, "pictures": CLEAN_WORDS}
    yield {"method": name, **first, "share": share(1.0), "ap": score(clean), "drop": UNDEFINED}
    for one in steps:
        left = one.relative["AP"]
        if math.isnan(left) or one.step.level == 0:
            continue
        low, high, drop = left, left, UNDEFINED
        if one.drop is not None and not math.isnan(one.drop.interval.low):
            around = one.drop.interval
            low, high = 1 - around.high / clean, 1 - around.low / clean
            drop = f"{score(around.value)} ({interval(around.low, around.high)})"
        yield {
            "method": name,
            "severity": one.step.level,
            "relative": left,
            "low": max(low, 0.0),
            "high": high,
            "pictures": f"severity {one.label}",
            "share": share(left),
            "ap": score(one.metrics["AP"]),
            "drop": drop,
        }


def _top(detectors: Sequence[DetectorRobustness]) -> float:
    """Where all axes end: 1, or above what rose."""
    values: list[float] = [
        row["high"]
        for detector in detectors
        for steps in by_transform(detector, *CORRUPTION_GROUPS).values()
        for row in _records(detector, steps)
    ]
    return max(1.0, math.ceil(round(10 * max(values), 9)) / 10)


def _panel(
    lines: Sequence[tuple[DetectorRobustness, tuple[StepRobustness, ...]]],
    styles: Mapping[str, LineStyle],
    title: str,
    width: int,
    top: float,
    *,
    first: bool,
) -> alt.LayerChart:
    rows = [row for detector, steps in lines for row in _records(detector, steps)]
    strongest = max([STRONGEST, *(row["severity"] for row in rows)])
    plot = alt.Chart(inline(rows), width=width, height=PLOT_PX).encode(
        x=alt.X(
            "severity:Q",
            scale=alt.Scale(domain=[-0.15, strongest + 0.15], nice=False),
            axis=alt.Axis(title=None, tickCount=STRONGEST, format="d", grid=False),
        ),
        tooltip=[
            alt.Tooltip("method:N", title="detector"),
            alt.Tooltip("pictures:N"),
            alt.Tooltip("share:N", title="relative"),
            alt.Tooltip("ap:N", title="AP"),
            alt.Tooltip("drop:N"),
        ],
    )
    y = alt.Y(
        "relative:Q",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=4, labels=first),
    )
    colours = alt.Scale(
        domain=tuple(styles), range=tuple(style.colour for style in styles.values())
    )
    band = plot.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", scale=alt.Scale(domain=[0, top], nice=False)),
        y2="high:Q",
        color=alt.Color("method:N", scale=colours, legend=None),
    )
    marks = method_marks(plot.encode(y=y), styles)
    return alt.LayerChart(layer=[band, *marks, above_panel(title)])


def _group_name(text: str) -> alt.Chart:
    """Beside the panels of a group."""
    name: alt.Chart = (
        alt.Chart(inline([{"text": text}]), width=GROUP_PX, height=PLOT_PX)
        .mark_text(align="left", fontSize=FONT_PX, fontWeight="bold", color=LINE)
        .encode(x=fixed(alt.XValue, 0), y=fixed(alt.YValue, PLOT_PX / 2), text="text:N")
    )
    return name
