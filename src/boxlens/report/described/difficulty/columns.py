"""What the tables and plots of difficulty share: columns, and words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeVar

from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.study import FINE_SCORE, SCORE, Column, columns_of
from boxlens.studies.difficulty.accuracy import SCORE_MEANINGS, SCORES, ScoreName
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, MeasureName
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.wording import listed

Row = TypeVar("Row")

# As many as there are colours.
MOST_SYSTEMS: Final = 6
LEVEL: Final = "95%"
NO_OBJECTS: Final = "no class has objects that count"
NO_SYSTEMS: Final = "no detections and no guesses were given"
HARD_END: Final = "Hard classes have low scale and CPL, and high values of the other measures."


def measure_columns(
    value: Callable[[Row, MeasureName], float | None],
    shown: Collection[str] = MEASURE_NAMES,
    *,
    further: bool = False,
) -> list[Column[Row]]:
    """Every measure in files, those of `shown` for readers."""
    return columns_of(
        MEASURE_NAMES,
        value,
        FINE_SCORE,
        key=str,
        heading=lambda name: MEASURES[name].short if name in shown else "",
        further=further,
    )


def score_columns(
    result: DifficultyResult,
    scores: Callable[[Row], Mapping[str, float]],
    shown: Collection[str] = SCORES,
    *,
    pattern: str = "{}",
    further: bool = False,
) -> list[Column[Row]]:
    """Every score in files, those of `shown` for readers; both named after a pattern."""
    return columns_of(
        SCORES,
        lambda row, name: scores(row).get(name),
        SCORE,
        key=pattern.format,
        heading=lambda name: (
            pattern.replace("_", " ").format(result.label(name)) if name in shown else ""
        ),
        further=further,
    )


def titled_score(result: DifficultyResult, score: ScoreName) -> str:
    """Its short name, and what that means."""
    words = result.label(score)
    return words if score == "ap" else f"{words} ({SCORE_MEANINGS[score]})"


def who_is_shown(result: DifficultyResult, score: ScoreName) -> str:
    """Sentences about systems without a colour, and those without the score; empty: none."""
    names = [one.name for one in result.systems if not one.has(score)]
    without = f" Without {result.label(score)}: {listed(names)}." if names else ""
    return first_of(MOST_SYSTEMS, len(result.systems), "systems") + without
