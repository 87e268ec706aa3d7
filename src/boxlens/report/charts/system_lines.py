"""What figures of difficulty share: words of scores and measures, colours, grids of panels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

import altair as alt
import numpy as np

from boxlens.dataset_difficulty.accuracy import score_label
from boxlens.report.charts.detector_pair import key, short
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.main_numbers import COLOURS
from boxlens.report.charts.theme import LINE, WIDTH, decimal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boxlens.data.columns import Rows
    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

# The main score first.
SHOWN_SCORES: Final[tuple[ScoreName, ...]] = ("ap", "cls_loc", "cls", "loc_given_cls")
# What is said of each where it is first seen.
SCORE_MEANINGS: Final[Mapping[ScoreName, str]] = {
    "ap": "average precision",
    "cls_loc": "class and box right",
    "cls": "class right",
    "loc_given_cls": "box right where the class is",
}
MEASURE_WORDS: Final[Mapping[MeasureName, str]] = {
    "instances_per_image": "instances per image",
    "neighbours": "neighbours",
    "scale": "scale",
    "cpl": "CPL",
    "clutter": "clutter",
}
# Shares of the image and chances crowd near 0, which a root spreads.
ROOTED: Final[frozenset[str]] = frozenset({"scale", "cpl"})
# Of groups of classes: other colours than those of systems.
GROUP_COLOURS: Final = tuple(
    KINDS[kind].colour for kind in ("correct", "sim", "both", "dupe", "miss", "bg")
)
KEY_CHARACTERS: Final = 24
PANEL_SPACING: Final = 12


def colours_of(names: Sequence[str], palette: Sequence[str] = COLOURS) -> dict[str, str]:
    """As many as there are colours."""
    return dict(zip(names, palette, strict=False))


def system_colours(
    result: DifficultyResult, *, bound_by: ScoreName | None = None
) -> dict[str, str]:
    """`bound_by`: with what they reach together, where it has that score."""
    colours = colours_of([one.name for one in result.systems])
    bound = result.upper_bound
    if bound is None or bound_by is None or math.isnan(bound.scores.get(bound_by, math.nan)):
        return colours
    return {**colours, bound.name: LINE}


def score_words(result: DifficultyResult, score: str) -> str:
    return score_label(score, result.choice.iou)


def titled_score(result: DifficultyResult, score: ScoreName) -> str:
    """Its short name, and what that means."""
    words = score_words(result, score)
    return words if score == "ap" else f"{words} ({SCORE_MEANINGS[score]})"


def measure_words(measure: str) -> str:
    """A number of the user's class table is called as it is there."""
    return {str(name): words for name, words in MEASURE_WORDS.items()}.get(measure, measure)


def measure_text(value: float) -> str:
    """Shares have three digits, small ones four, counts two."""
    digits = 2 if abs(value) >= 1 else 3 if abs(value) >= 0.01 or value == 0 else 4
    return decimal(value, digits)


def axis_kind(measure: str) -> Literal["sqrt", "linear"]:
    return "sqrt" if measure in ROOTED else "linear"


def defined_measures(datasets: Iterable[DatasetDifficulty]) -> list[MeasureName]:
    """Those that some class of some data set has."""
    sets = tuple(datasets)
    return [name for name in MEASURE_WORDS if any(one.n_defined[name] for one in sets)]


def defined_scores(result: DifficultyResult) -> list[ScoreName]:
    """Those that some system has, the main one first."""
    return [
        name
        for name in SHOWN_SCORES
        if any(not math.isnan(one.scores.get(name, math.nan)) for one in result.systems)
    ]


def without_score(result: DifficultyResult, score: ScoreName) -> str:
    """A sentence about systems that have no such score; empty: all have it."""
    names = [
        short(one.name, KEY_CHARACTERS)
        for one in result.systems
        if math.isnan(one.scores.get(score, math.nan))
    ]
    return f" Without {score_words(result, score)}: {', '.join(names)}." if names else ""


def spread_out(n: int, most: int) -> Rows:
    """Both ends and at most so many places between them."""
    return np.unique(np.linspace(0, max(n - 1, 0), min(n, most)).round().astype(np.int32))


def key_lines(colours: Mapping[str, str], *, width: int = WIDTH - 40) -> list[alt.LayerChart]:
    """Two names a line, three where they are short; none where there is nothing to tell apart."""
    entries = [(short(name, KEY_CHARACTERS), colour) for name, colour in colours.items()]
    if len(entries) < 2:
        return []
    per_line = 3 if max(len(name) for name, _ in entries) <= KEY_CHARACTERS // 2 else 2
    # Equal steps, so that names stand below one another.
    return [
        key(line, width=width * len(line) // per_line)
        for line in (entries[at : at + per_line] for at in range(0, len(entries), per_line))
    ]


def columns_of(n_panels: int) -> int:
    """Three a line, but four as a square."""
    return 2 if n_panels == 4 else 3


def panel_grid(
    above: Sequence[alt.LayerChart],
    panels: Sequence[alt.Chart | alt.LayerChart],
    n_columns: int,
    *,
    spacing: int = PANEL_SPACING,
) -> alt.VConcatChart:
    """Panels line by line below the key, those of a column below one another."""
    gaps = alt.RowColnumber(row=4, column=spacing)
    grid = alt.concat(*panels, columns=n_columns, spacing=gaps, align="each")
    return alt.vconcat(*above, grid, spacing=6)
