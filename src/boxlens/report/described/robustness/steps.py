"""Detectors under steps: their rows in tables, and figures of as many as can be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from boxlens.images.transforming.catalogue import title_of
from boxlens.images.transforming.transform import Group
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.study import (
    COUNT,
    NUMBER,
    P_VALUE,
    SHARE,
    TEXT,
    Column,
    Form,
    Plot,
    Table,
    columns_of,
    interval_columns,
)
from boxlens.studies.robustness.result import (
    METRICS,
    DetectorRobustness,
    RobustnessResult,
    SetSummary,
    StepRobustness,
)
from boxlens.studies.robustness.steps import ap_lost, ratio, step_words
from boxlens.wording import counted, level, listed

# As many as there are colours; and of figures with a panel per detector.
MOST_DETECTORS, MOST_PANELS = 8, 3
# Columns of files that say which numbers a row has.
NAMED: dict[str, Form] = {"detector": TEXT, "name": TEXT, "severity": NUMBER}


class StepRow(NamedTuple):
    """A detector under a step."""

    detector: DetectorRobustness
    one: StepRobustness

    @property
    def named(self) -> tuple[str, str, float]:
        return self.detector.name, self.one.step.name, self.one.step.level

    @property
    def is_clean(self) -> bool:
        return self.one is self.detector.clean

    @property
    def drop(self) -> tuple[float, float, float]:
        """With both ends of its interval."""
        if self.one.drop is None:
            return math.nan, math.nan, math.nan
        around = self.one.drop.interval
        return around.value, around.low, around.high


def rows_of(result: RobustnessResult) -> list[StepRow]:
    """The unchanged pictures first."""
    return [StepRow(of, one) for of in result.detectors for one in (of.clean, *of.steps)]


def who(result: RobustnessResult) -> str:
    """The heading of the detectors' names, where there are several."""
    return "detector" if len(result.detectors) > 1 else ""


def step_table(
    result: RobustnessResult, groups: Sequence[Group], caption: str, *, long: bool = False
) -> Table[StepRow]:
    """All numbers of every step of some groups, below those of the unchanged pictures."""
    rows = [row for row in rows_of(result) if row.is_clean or row.one.group in groups]
    return Table("", caption, rows, step_columns(result), wide=True, folded=long, detail=long)


def step_columns(result: RobustnessResult) -> list[Column[StepRow]]:
    choice = result.choice.intervals
    sure = any(row.one.drop is not None for row in rows_of(result))
    interval = f"{level(choice.level)} interval of the drop" if sure and choice else ""
    return [
        Column("", "pictures", lambda row: step_words(row.one), TEXT),
        Column("detector", who(result), lambda row: row.detector.name, TEXT),
        Column("name", "", lambda row: row.one.step.name, TEXT),
        Column("severity", "", lambda row: row.one.step.level, NUMBER),
        Column("title", "", lambda row: row.one.title, TEXT),
        Column("group", "", lambda row: row.one.group, TEXT),
        Column("label", "", lambda row: row.one.label, TEXT),
        *columns_of(METRICS, lambda row, name: row.one.metrics[name], key=str, heading=str),
        Column("", "relative", lambda row: row.one.relative["AP"], SHARE),
        Column("reference", "", lambda row: row.one.reference.slug, TEXT),
        *columns_of(METRICS, lambda row, name: row.one.relative[name], SHARE, key="relative_"),
        Column("", "drop", lambda row: None if row.is_clean else ap_lost(*row)),
        Column("drop", "", lambda row: row.drop[0]),
        *interval_columns(lambda row: row.drop[1:], interval, ("drop_low", "drop_high")),
        Column("p", "", lambda row: row.one.drop and row.one.drop.p, P_VALUE),
        Column(
            "p_holm",
            "p adjusted" if interval else "",
            lambda row: row.one.drop and row.one.drop.p_holm,
            P_VALUE,
        ),
        Column("n_images", "number", lambda row: row.one.n_images, COUNT, further=True),
        Column("n_objects", "objects", lambda row: row.one.n_objects, COUNT, further=True),
        Column("n_detections", "", lambda row: row.one.n_detections, COUNT),
    ]


def set_tables(result: RobustnessResult) -> tuple[Table[SetSummary], Table[StepRow]]:
    """What was looked at, the same for all detectors; and for files all that was found."""
    clean = result.sets[0]
    columns: list[Column[SetSummary]] = [
        Column("name", "", lambda one: one.step.name, TEXT),
        Column("", "pictures", lambda one: title_of(one.step), TEXT),
        Column("severity", "level", lambda one: one.step.level, NUMBER),
        Column("n_images", "number", lambda one: one.n_images, COUNT),
        Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
        Column("n_objects_gone", "objects gone", lambda one: one.n_objects_gone, COUNT),
        Column("", "gone", lambda one: ratio(one.n_objects_gone, clean.n_objects), SHARE),
    ]
    caption = "Pictures and objects of every change"
    return (
        Table("robustness_sets", caption, result.sets, columns, folded=True, detail=True),
        Table("robustness_steps", "", rows_of(result), step_columns(result)),
    )


def has_score(result: RobustnessResult, groups: Sequence[Group]) -> bool:
    steps = (one for of in result.detectors for one in of.steps)
    return any(one.group in groups and not math.isnan(one.metrics["AP"]) for one in steps)


def plot_of(
    result: RobustnessResult,
    name: str,
    title: str,
    reading: str,
    legend: str,
    chart: Callable[[RobustnessResult], Spec],
    *,
    there: bool,
    most: int = MOST_DETECTORS,
) -> Plot:
    """With as many detectors as can be told apart."""
    detectors = result.detectors
    names = listed([one.name for one in detectors], 2, "detectors")
    return Plot(
        name,
        title,
        reading,
        partial(chart, replace(result, detectors=detectors[:most])),
        legend=legend + first_of(most, len(detectors), "detectors"),
        about=f"{names} on {result.dataset}, {counted(result.sets[0].n_images, 'picture')}",
        absent="" if there else "no change has a score",
        wide=True,
    )
