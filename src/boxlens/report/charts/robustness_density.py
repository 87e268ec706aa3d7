"""Where detections and objects are, on unchanged pictures and where they moved most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.forms import cells
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.panels import below, beside, line_name
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.steps import CLEAN_WORDS, level_words, plain_title
from boxlens.wording import mean_count, short

# A set of pictures: the transform and its level; maps of its objects, then of detections.
Column = tuple[tuple[str, ...], list[Floats]]

MOST_COLUMNS: Final = 6
# Finer maps are drawn coarser: a figure of ten thousands of cells opens slowly.
MOST_CELLS: Final = 16
MAP_PX: Final = 92
# Of a cell below the next: pale lines would show between cells that only touch.
OVERLAP: Final = 0.2
NAME_PX, NAME_CHARACTERS = 84, 15
# No wider than a map: columns of several lines of maps stand below one another.
TITLE_CHARACTERS: Final = 18
COUNTS: Final = (0, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def robustness_density_chart(result: RobustnessResult) -> Spec:
    """The unchanged pictures first, then those on which detections lie most differently."""
    columns = [(title, list(map(coarser, maps))) for title, maps in density_columns(result)]
    limit = math.log10(1 + max(float(one.max()) for _, maps in columns for one in maps))
    last, _ = columns[-1]
    drawn = []
    for at, name in enumerate(["objects", *(one.name for one in result.detectors)]):
        first = at == 0
        maps = [
            _map(maps[at], name, limit, title * first, legend=first and title == last)
            for title, maps in columns
        ]
        before = line_name(short(name, NAME_CHARACTERS), width=NAME_PX, height=MAP_PX)
        drawn.append(beside(before, *maps, gap=8))
    return below(*drawn)


def density_columns(result: RobustnessResult) -> list[Column]:
    """At most six, of shares moved over all detectors; a transform appears once."""
    shown = result.detectors
    moved = [
        max(share_moved(of.clean.density, of.steps[at].density) for of in shown)
        for at in range(len(shown[0].steps) if shown else 0)
    ]
    best: dict[str, int] = {}
    for at, share in enumerate(moved):
        name = shown[0].steps[at].step.name
        if name not in best or share > moved[best[name]]:
            best[name] = at
    chosen = sorted(best.values(), key=lambda at: -moved[at])[: MOST_COLUMNS - 1]
    objects = {one.step.slug: one.density for one in result.sets}
    first = result.sets[0].density
    columns: list[Column] = [((CLEAN_WORDS,), [first, *(of.clean.density for of in shown)])]
    for at in chosen:
        steps = [of.steps[at] for of in shown]
        if moved[at] > 0:
            title = tuple(filter(None, (plain_title(steps[0]), level_words(steps[0]))))
            maps = [objects[steps[0].step.slug], *(one.density for one in steps)]
            columns.append((title, maps))
    return columns


def share_moved(before: Floats, after: Floats) -> float:
    """Which share of what lies over a map would have to move to make the other."""
    first, second = float(before.sum()), float(after.sum())
    if first == 0 or second == 0:
        return float(first != second)
    return float(np.abs(before / first - after / second).sum()) / 2


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


def _map(density: Floats, name: str, limit: float, title: tuple[str, ...], *, legend: bool) -> Spec:
    high, wide = density.shape
    return cells.density(
        _cells(density, name),
        Axis(ends=(0, wide), hidden=True),
        Axis(ends=(high, 0), hidden=True),
        level="level",
        highest=limit,
        legend=_legend(limit) if legend else None,
        width=MAP_PX,
        height=MAP_PX,
        title="\n".join(short(line, TITLE_CHARACTERS) for line in title),
    )


def _cells(density: Floats, name: str) -> Iterator[Row]:
    high, wide = density.shape
    for (y, x), n in np.ndenumerate(density):
        yield {
            "x": x,
            "x2": min(x + 1 + OVERLAP, wide),
            "y": y,
            "y2": min(y + 1 + OVERLAP, high),
            "level": round(math.log10(1 + n), 4),
            "tip": {f"{name}: boxes here": mean_count(n)},
        }


def _legend(limit: float) -> dict[str, Any]:
    most = math.floor(10**limit - 1 + 1e-9)
    counts = COUNTS if most >= COUNTS[1] else sorted({0, 1, most})
    return {
        "title": "boxes",
        "orient": "right",
        "values": [level for n in counts if (level := math.log10(1 + n)) <= limit],
        "labelExpr": "format(round(pow(10, datum.value) - 1), ',')",
        # With its title no higher than a map.
        "gradientLength": MAP_PX - 16,
        "labelOverlap": False,
    }
