"""Where boxes lie: detections against objects, on unchanged pictures and where they moved most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import numpy as np

from boxlens.report.charts.theme import (
    DARK_BLUE,
    FONT_PX,
    LINE,
    PALE_BLUE,
    SOFT_INK,
    fixed,
    inline,
)
from boxlens.studies.robustness.steps import CLEAN_WORDS, level_words, plain_title
from boxlens.wording import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data.columns import Floats
    from boxlens.studies.robustness.result import RobustnessResult, StepRobustness

MOST_COLUMNS: Final = 6
# Finer maps are drawn coarser: a figure of ten thousands of cells opens slowly.
MOST_CELLS: Final = 16
MAP_PX: Final = 92
# Of a cell below the next: pale lines would show between cells that only touch.
OVERLAP: Final = 0.2
NAME_PX: Final = 84
NAME_CHARACTERS: Final = 15
TITLE_CHARACTERS: Final = 18
TITLE_LINE_PX: Final = 11
COUNTS: Final = (0, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class DensityColumn:
    """A set of pictures: how its objects and the detections of each detector lie."""

    # The transform, and its level.
    title: tuple[str, str]
    objects: Floats
    detected: tuple[Floats, ...]


def robustness_density_chart(result: RobustnessResult) -> alt.VConcatChart:
    """The unchanged pictures first, then those on which detections lie most differently."""
    columns = density_columns(result)
    top = max(float(one.max()) for column in columns for one in _maps(column))
    names = ["objects", *(one.name for one in result.detectors)]
    limit = math.log10(1 + top)
    lines = [
        alt.hconcat(
            _name(name),
            *(_map(column, row, name, limit, headed=row == 0) for column in columns),
            spacing=8,
        )
        for row, name in enumerate(names)
    ]
    return alt.vconcat(*lines, spacing=8)


def density_columns(result: RobustnessResult) -> list[DensityColumn]:
    """At most six, of shares moved over all detectors; a transform appears once."""
    shown = result.detectors
    objects = {one.step.slug: one.density for one in result.sets}
    moved: dict[str, float] = {}
    best: dict[str, str] = {}
    for at, step in enumerate(shown[0].steps if shown else ()):
        share = max(share_moved(of.clean.density, of.steps[at].density) for of in shown)
        moved[step.step.slug] = share
        known = best.get(step.step.name)
        if known is None or share > moved[known]:
            best[step.step.name] = step.step.slug
    chosen = sorted(best.values(), key=lambda slug: -moved[slug])[: MOST_COLUMNS - 1]
    columns = [
        DensityColumn(
            (CLEAN_WORDS, ""), result.sets[0].density, tuple(of.clean.density for of in shown)
        )
    ]
    for slug in (slug for slug in chosen if moved[slug] > 0):
        steps = [_step(of.steps, slug) for of in shown]
        columns.append(
            DensityColumn(
                (plain_title(steps[0]), level_words(steps[0])),
                objects[slug],
                tuple(one.density for one in steps),
            )
        )
    return columns


def share_moved(before: Floats, after: Floats) -> float:
    """Which share of what lies over a map would have to move to make the other."""
    first, second = float(before.sum()), float(after.sum())
    if first == 0 or second == 0:
        return float(first != second)
    return float(np.abs(before / first - after / second).sum()) / 2


def _step(steps: Sequence[StepRobustness], slug: str) -> StepRobustness:
    return next(one for one in steps if one.step.slug == slug)


def _maps(column: DensityColumn) -> tuple[Floats, ...]:
    return tuple(map(coarser, (column.objects, *column.detected)))


def coarser(density: Floats) -> Floats:
    """Means over blocks, so that no side has more cells than are drawn."""
    for axis in (0, 1):
        n_cells = density.shape[axis]
        if n_cells > MOST_CELLS:
            starts = np.arange(MOST_CELLS) * n_cells // MOST_CELLS
            sizes = np.diff([*starts.tolist(), n_cells])
            sums = np.add.reduceat(density, starts, axis=axis)
            density = sums / (sizes[:, None] if axis == 0 else sizes[None, :])
    return density


def _map(
    column: DensityColumn, row: int, name: str, limit: float, *, headed: bool
) -> alt.LayerChart:
    density = _maps(column)[row]
    high, wide = density.shape
    records = list(_cells(density))
    step_x, step_y = MAP_PX / wide, MAP_PX / high
    heat = (
        alt.Chart(inline(records), width=MAP_PX, height=MAP_PX)
        .mark_rect()
        .encode(
            x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, wide], nice=False)),
            x2="x2:Q",
            y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[high, 0], nice=False)),
            y2="y2:Q",
            color=alt.Color("level:Q", scale=_scale(limit), legend=_legend(limit)),
            tooltip=[alt.Tooltip("n:Q", title=f"{name}: boxes here", format=",.1f")],
        )
    )
    frame = (
        alt.Chart(inline([{"x": 0}]))
        .mark_rect(fillOpacity=0, stroke=LINE, strokeWidth=0.5)
        .encode(
            x=fixed(alt.XValue, 0),
            x2=fixed(alt.X2Value, step_x * wide),
            y=fixed(alt.YValue, 0),
            y2=fixed(alt.Y2Value, step_y * high),
        )
    )
    heading = [_heading(column.title)] * headed
    return alt.LayerChart(layer=[heat, frame, *heading])


def _heading(lines: tuple[str, str]) -> alt.Chart:
    """No wider than a map: columns of several lines of maps stand below one another."""
    rows = [
        {"text": short(text, TITLE_CHARACTERS), "y": -4 - TITLE_LINE_PX * at}
        for at, text in enumerate(text for text in reversed(lines) if text)
    ]
    heading: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_text(align="left", baseline="bottom", color=SOFT_INK)
        .encode(x=fixed(alt.XValue, 0), y=alt.Y("y:Q", axis=None, scale=None), text="text:N")
    )
    return heading


def _cells(density: Floats) -> Iterator[dict[str, Any]]:
    high, wide = density.shape
    for y, line in enumerate(density.tolist()):
        for x, n in enumerate(line):
            level = round(math.log10(1 + n), 4)
            yield {
                "x": x,
                "x2": min(x + 1 + OVERLAP, wide),
                "y": y,
                "y2": min(y + 1 + OVERLAP, high),
                "level": level,
                "n": round(n, 2),
            }


def _scale(limit: float) -> alt.Scale:
    return alt.Scale(domain=[0, limit], range=[PALE_BLUE, DARK_BLUE], interpolate="lab")


def _legend(limit: float) -> alt.Legend:
    most = math.floor(10**limit - 1 + 1e-9)
    counts = COUNTS if most >= COUNTS[1] else sorted({0, 1, most})
    shown = [math.log10(1 + n) for n in counts if math.log10(1 + n) <= limit]
    return alt.Legend(
        title="boxes",
        orient="right",
        values=shown,
        labelExpr="format(round(pow(10, datum.value) - 1), ',')",
        gradientLength=MAP_PX,
        labelOverlap=False,
    )


def _name(text: str) -> alt.Chart:
    """Before the maps of a line."""
    name: alt.Chart = (
        alt.Chart(inline([{"text": short(text, NAME_CHARACTERS)}]), width=NAME_PX, height=MAP_PX)
        .mark_text(align="left", fontSize=FONT_PX, color=SOFT_INK)
        .encode(x=fixed(alt.XValue, 0), y=fixed(alt.YValue, MAP_PX / 2), text="text:N")
    )
    return name
