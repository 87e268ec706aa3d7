"""How figures and tables name the detectors they are about, and what rows of pairs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from boxlens.metrics.intervals import Interval
from boxlens.report.study import COUNT, Column, Form, Plot, file_name, interval_columns
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.wording import counted, level

Row = TypeVar("Row")
GUIDE = "compare"


def several(result: ComparisonResult) -> bool:
    """More than one pair."""
    return len(result.detectors) > 2


def of_pair(pair: LeadingPair, result: ComparisonResult, plot: Plot) -> Plot:
    """About two detectors, which name and title tell where there are others."""
    about = f"{' and '.join(pair.names)} on {result.dataset.name}"
    if not several(result):
        return replace(plot, about=about)
    return replace(
        plot,
        name=f"{plot.name}_{file_name(' '.join(pair.names))}",
        title=f"{plot.title}: {' and '.join(pair.names)}",
        about=about,
    )


def about_all(result: ComparisonResult) -> str:
    return f"{counted(len(result.detectors), 'detector')} on {result.dataset.name}"


def interval_heading(result: ComparisonResult) -> str:
    return f"{level(result.choice.resampling.level)} interval"


def measured_columns(
    key: str, form: Form, of: Callable[[Row], Interval], result: ComparisonResult
) -> tuple[Column[Row], ...]:
    """A number and its interval; files also have its errors and bias."""
    return (
        Column(key, key, lambda row: of(row).value, form),
        *interval_columns(lambda row: (of(row).low, of(row).high), interval_heading(result)),
        Column("se", "", lambda row: of(row).se),
        Column("se_jackknife", "", lambda row: of(row).se_jackknife),
        Column("bias", "", lambda row: of(row).bias),
        Column("n_undefined", "", lambda row: of(row).n_undefined, COUNT),
    )
