"""Where detections and objects are, on unchanged pictures and where they moved most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.forms import cells
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.panels import below, beside, line_name
from boxlens.report.described.robustness.steps import MOST_PANELS, plot_of, rows_of
from boxlens.report.study import Frame, Plot
from boxlens.studies.robustness.density import N_CELLS
from boxlens.studies.robustness.result import RobustnessResult, SetSummary, StepRobustness
from boxlens.studies.robustness.steps import level_words, plain_title
from boxlens.wording import mean_count, number, short

if TYPE_CHECKING:
    import polars as pl

# Cells of a side: a figure of ten thousands of cells opens slowly.
DRAWN_CELLS: Final = 16
MAP_PX: Final = 92
# Of a cell below the next: pale lines would show between cells that only touch.
OVERLAP: Final = 0.2


def parts(result: RobustnessResult) -> tuple[Plot, Frame]:
    figure = plot_of(
        result,
        "robustness_density",
        "Where detections and objects are",
        "Maps of detections should look like those of objects above them. Pale: nothing is "
        "detected there any more. Dark where there are no objects: the change itself is detected.",
        "Boxes over each place, all pictures stretched to a square; detections with a score of "
        f"{number(result.choice.shown_score)} or more. Colours by log10(1 + n), the same in all "
        "maps; sets differ in how many pictures they have. Right of the unchanged pictures: where "
        "detections lie most differently from there, one level per transform.",
        _chart,
        there=any(bool(row.one.density.any()) for row in rows_of(result)),
        most=MOST_PANELS,
    )
    return figure, Frame("robustness_density", lambda: _frame(result))


def _chart(result: RobustnessResult) -> Spec:
    """The unchanged pictures first, then those on which detections lie most differently."""
    columns = [(title, list(map(coarser, maps))) for title, maps in density_columns(result)]
    limit = math.log10(1 + max(float(one.max()) for _, maps in columns for one in maps))
    drawn = []
    for at, name in enumerate(["objects", *(one.name for one in result.detectors)]):
        first = at == 0
        panels = [
            cells.density(
                _cells(maps[at], f"{name}: boxes here"),
                Axis(ends=(0, DRAWN_CELLS), hidden=True),
                Axis(ends=(DRAWN_CELLS, 0), hidden=True),
                level="level",
                highest=limit,
                legend=_legend(limit) if first and title == columns[-1][0] else None,
                width=MAP_PX,
                height=MAP_PX,
                # No wider than a map: columns of several lines of maps stand below one another.
                title="\n".join(short(line, 18) for line in title) if first else "",
            )
            for title, maps in columns
        ]
        before = line_name(short(name, 15), width=84, height=MAP_PX)
        drawn.append(beside(before, *panels, gap=8))
    return below(*drawn)


def density_columns(result: RobustnessResult) -> list[tuple[tuple[str, ...], list[Floats]]]:
    """Of each set the transform and its level, and maps of its objects, then of detections.

    The unchanged pictures and at most five more; a transform appears once.
    """
    before = tuple(of.clean for of in result.detectors)

    def moved(after: tuple[StepRobustness, ...]) -> float:
        pairs = zip(before, after, strict=True)
        return max(share_moved(clean.density, one.density) for clean, one in pairs)

    levels: dict[str, list[tuple[StepRobustness, ...]]] = {}
    for found in zip(*(of.steps for of in result.detectors), strict=True):
        levels.setdefault(found[0].step.name, []).append(found)
    most = sorted((max(of, key=moved) for of in levels.values()), key=moved, reverse=True)
    objects = {one.step.slug: one.density for one in result.sets}
    return [
        (
            tuple(filter(None, (plain_title(found[0]), level_words(found[0])))),
            [objects[found[0].step.slug], *(one.density for one in found)],
        )
        for found in (before, *(one for one in most[:5] if moved(one) > 0))
    ]


def share_moved(before: Floats, after: Floats) -> float:
    """Which share of what lies over a map would have to move to make the other."""
    first, second = float(before.sum()), float(after.sum())
    if first == 0 or second == 0:
        return float(first != second)
    return float(np.abs(before / first - after / second).sum()) / 2


def coarser(density: Floats) -> Floats:
    """Means over blocks of cells."""
    side = N_CELLS // DRAWN_CELLS
    blocks = density.reshape(DRAWN_CELLS, side, DRAWN_CELLS, side)
    means: Floats = blocks.mean(axis=(1, 3))
    return means


def _cells(density: Floats, words: str) -> Iterator[Row]:
    for (y, x), n in np.ndenumerate(density):
        yield {
            "x": x,
            "x2": min(x + 1 + OVERLAP, DRAWN_CELLS),
            "y": y,
            "y2": min(y + 1 + OVERLAP, DRAWN_CELLS),
            "level": round(math.log10(1 + n), 4),
            "tip": {words: mean_count(n)},
        }


def _legend(limit: float) -> dict[str, Any]:
    most = math.floor(10**limit - 1 + 1e-9)
    counts = sorted({0, 1, most}) if most < 10 else [0, *(10**power for power in range(1, 7))]
    return {
        "title": "boxes",
        "orient": "right",
        "values": [level for n in counts if (level := math.log10(1 + n)) <= limit],
        "labelExpr": "format(round(pow(10, datum.value) - 1), ',')",
        # With its title no higher than a map.
        "gradientLength": MAP_PX - 16,
        "labelOverlap": False,
    }


def _frame(result: RobustnessResult) -> pl.DataFrame:
    """Boxes over each cell of the unit square; of objects the detector is null."""
    import polars as pl

    found: list[tuple[str | None, SetSummary | StepRobustness]] = [
        *((None, one) for one in result.sets),
        *((row.detector.name, row.one) for row in rows_of(result)),
    ]
    n = N_CELLS
    y, x = np.indices((n, n)).reshape(2, -1)
    ends = {"x_from": x / n, "x_to": (x + 1) / n, "y_from": y / n, "y_to": (y + 1) / n}
    types = {"detector": pl.String, "severity": pl.Float64}
    frames = []
    for who, one in found:
        level = one.step.level if one.step.graded else None
        of = {"detector": who, "name": one.step.name, "severity": level}
        values = {**of, **ends, "boxes": one.density.ravel()}
        frames.append(pl.DataFrame(values, schema_overrides=types))
    return pl.concat(frames)
