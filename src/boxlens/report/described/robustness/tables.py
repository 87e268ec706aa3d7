"""Tables of robustness: steps, means under corruption, severities, levels, errors, sets, places."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.images.transforming.catalogue import title_of
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.kinds import kind_of
from boxlens.report.study import (
    CHANGE,
    COUNT,
    FLAG,
    NUMBER,
    P_VALUE,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Table,
    interval_columns,
)
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.studies.robustness.error_growth import error_growth
from boxlens.studies.robustness.result import METRICS
from boxlens.studies.robustness.steps import (
    CLEAN_WORDS,
    GROUP_WORDS,
    ap_lost,
    by_transform,
    changing,
    family_means,
    level_words,
    mean_over,
    plain_title,
    ratio,
    step_words,
)
from boxlens.wording import level, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from boxlens.data.columns import Floats
    from boxlens.images.transforming.transform import Group, Step
    from boxlens.studies.robustness.result import (
        CorruptionMean,
        DetectorRobustness,
        RobustnessResult,
        SetSummary,
        StepRobustness,
    )


class Row(NamedTuple):
    """A detector under a step."""

    detector: DetectorRobustness
    one: StepRobustness

    @property
    def is_clean(self) -> bool:
        return self.one is self.detector.clean


def step_table(
    result: RobustnessResult, groups: Sequence[Group], caption: str, *, long: bool = False
) -> Table[Row]:
    """All numbers of every step of some groups, below those of the unchanged pictures."""
    rows = [row for row in _rows(result) if row.is_clean or row.one.group in groups]
    return Table("", caption, rows, _step_columns(result), wide=True, folded=long, detail=long)


def all_steps_table(result: RobustnessResult) -> Table[Row]:
    return Table("robustness_steps", "", list(_rows(result)), _step_columns(result))


def _rows(result: RobustnessResult) -> Iterator[Row]:
    """The unchanged pictures first."""
    for detector in result.detectors:
        for one in (detector.clean, *detector.steps):
            yield Row(detector, one)


def _who(result: RobustnessResult) -> str:
    """The heading of the detectors' names, where there are several."""
    return "detector" if len(result.detectors) > 1 else ""


def _step_columns(result: RobustnessResult) -> list[Column[Row]]:
    choice = result.choice.intervals
    sure = any(row.one.drop is not None for row in _rows(result))
    interval = f"{level(choice.level)} interval of the drop" if sure and choice else ""
    return [
        Column("", "pictures", _pictures, TEXT),
        Column("detector", _who(result), lambda row: row.detector.name, TEXT),
        *_named_columns(),
        Column("title", "", lambda row: row.one.title, TEXT),
        Column("group", "", lambda row: row.one.group, TEXT),
        Column("label", "", lambda row: row.one.label, TEXT),
        *(Column(name, name, partial(_metric, name)) for name in METRICS),
        Column("", "relative", lambda row: row.one.relative["AP"], SHARE),
        Column("reference", "", lambda row: row.one.reference.slug, TEXT),
        *(Column(f"relative_{name}", "", partial(_relative, name), SHARE) for name in METRICS),
        Column("", "drop", _lost),
        Column("drop", "", lambda row: _drop(row)[0]),
        *interval_columns(lambda row: _drop(row)[1:], interval, ("drop_low", "drop_high")),
        Column("p", "", lambda row: None if row.one.drop is None else row.one.drop.p, P_VALUE),
        Column(
            "p_holm",
            "p adjusted" if interval else "",
            lambda row: None if row.one.drop is None else row.one.drop.p_holm,
            P_VALUE,
        ),
        Column("n_images", "number", lambda row: row.one.n_images, COUNT, further=True),
        Column("n_objects", "", lambda row: row.one.n_objects, COUNT),
        Column("n_detections", "", lambda row: row.one.n_detections, COUNT),
    ]


def _named_columns() -> tuple[Column[Row], ...]:
    return (
        Column("name", "", lambda row: row.one.step.name, TEXT),
        Column("severity", "", lambda row: row.one.step.level, NUMBER),
    )


def _pictures(row: Row) -> str:
    return CLEAN_WORDS if row.is_clean else step_words(row.one)


def _metric(name: str, row: Row) -> float:
    return row.one.metrics[name]


def _relative(name: str, row: Row) -> float:
    return row.one.relative[name]


def _lost(row: Row) -> float:
    return math.nan if row.is_clean else ap_lost(row.detector, row.one)


def _drop(row: Row) -> tuple[float, float, float]:
    if row.one.drop is None:
        return math.nan, math.nan, math.nan
    around = row.one.drop.interval
    return around.value, around.low, around.high


class _Mean(NamedTuple):
    detector: str
    of: CorruptionMean


def means_table(result: RobustnessResult) -> Table[_Mean]:
    """Of all corruptions, and of each group."""
    return Table(
        "robustness_corrupted",
        "Mean performance under corruption",
        [_Mean(of.name, one) for of in result.detectors for one in of.corrupted],
        [
            Column("", "corruptions", lambda row: GROUP_WORDS[row.of.group], TEXT),
            Column("detector", _who(result), lambda row: row.detector, TEXT),
            Column("group", "", lambda row: row.of.group, TEXT),
            Column("n_corruptions", "number", lambda row: row.of.n_corruptions, COUNT),
            Column("complete", "", lambda row: row.of.complete, FLAG),
            Column("AP", "mean AP (mPC)", lambda row: row.of.ap),
            Column("relative", "relative (rPC)", lambda row: row.of.relative, SHARE),
        ],
    )


class _Corruption(NamedTuple):
    """A detector under all severities of a corruption."""

    detector: DetectorRobustness
    steps: Sequence[StepRobustness]
    mean: float


def severity_table(result: RobustnessResult) -> Table[_Corruption]:
    """AP by severity, and the mean over those that change something."""
    rows = [
        _Corruption(detector, steps, family_means(steps).get(name, math.nan))
        for detector in result.detectors
        for name, steps in by_transform(detector, *CORRUPTION_GROUPS).items()
    ]
    levels = sorted({one.step.level for row in rows for one in row.steps})
    return Table(
        "",
        "AP by severity of corruption",
        rows,
        [
            Column("", "corruption", lambda row: row.steps[0].title, TEXT),
            Column("", "group", lambda row: GROUP_WORDS[row.steps[0].group], TEXT),
            Column("", _who(result), lambda row: row.detector.name, TEXT),
            *(Column("", number(at), partial(_at_severity, at)) for at in levels),
            Column("", "mean", lambda row: row.mean),
            Column(
                "",
                "relative",
                lambda row: ratio(row.mean, row.detector.clean.metrics["AP"]),
                SHARE,
            ),
        ],
        wide=True,
    )


def _at_severity(at: float, row: _Corruption) -> float:
    return next((one.metrics["AP"] for one in row.steps if one.step.level == at), math.nan)


class _Level(NamedTuple):
    """AP, and its share of the reference's, of every detector at a level or over all."""

    label: str
    ap: Sequence[float]
    relative: Sequence[float]


def level_tables(result: RobustnessResult) -> Iterator[Table[_Level]]:
    """One per kind of graded change."""
    found = [by_transform(one, "graded") for one in result.detectors]
    many = len(found) > 1
    for name, steps in found[0].items():
        of_name = [of[name] for of in found]
        rows = [
            _level(level_words(one), [(of[at],) for of in of_name]) for at, one in enumerate(steps)
        ]
        if len(steps) > 1:
            rows.append(_level("mean", [changing(of) for of in of_name]))
        columns: list[Column[_Level]] = [Column("", "level", lambda row: row.label, TEXT)]
        for at, one in enumerate(result.detectors):
            whose = f", {one.name}" * many
            columns.append(Column("", f"AP{whose}", partial(_ap_of, at)))
            columns.append(Column("", f"relative{whose}", partial(_relative_of, at), SHARE))
        yield Table("", f"{steps[0].title}: AP at every level", rows, columns, folded=True)


def _level(label: str, steps: Sequence[Sequence[StepRobustness]]) -> _Level:
    return _Level(
        label,
        [mean_over(of, lambda one: one.metrics["AP"]) for of in steps],
        [mean_over(of, lambda one: one.relative["AP"]) for of in steps],
    )


def _ap_of(at: int, row: _Level) -> float:
    return row.ap[at]


def _relative_of(at: int, row: _Level) -> float:
    return row.relative[at]


def reference_notes(result: RobustnessResult) -> list[str]:
    """Which steps are not compared with the unchanged pictures."""
    told = {
        plain_title(one): step_words(detector.reference_of(one))
        for detector in result.detectors
        for one in detector.steps
        if one.reference.name != detector.clean.step.name
    }
    return [
        f"{title}: relative to {reference}, the same crop, which itself is relative to the "
        "unchanged pictures."
        for title, reference in told.items()
    ]


class _Errors(NamedTuple):
    """Errors per object, or how many more of them."""

    title: str
    detector: str
    per_object: Sequence[float]


def error_tables(result: RobustnessResult) -> Iterator[Table[_Errors] | Table[tuple[Row, str]]]:
    """As they are on unchanged pictures, and how many more under a transform."""
    kinds = [kind_of(kind.label).label for kind in ERRORS]
    for rows, caption, form in (
        (_clean_errors(result), "Errors per object on the unchanged pictures", SCORE),
        (_more_errors(result), "More or fewer errors per object under each transform", CHANGE),
    ):
        yield Table(
            "",
            caption,
            list(rows),
            [
                Column("", "pictures", lambda row: row.title, TEXT),
                Column("", _who(result), lambda row: row.detector, TEXT),
                *(
                    Column("", words, partial(_error_of, at), form)
                    for at, words in enumerate(kinds)
                ),
            ],
            folded=True,
            detail=True,
        )
    yield Table(
        "robustness_errors",
        "",
        [(row, kind) for row in _rows(result) for kind in GAINS],
        [
            Column("detector", "", lambda pair: pair[0].detector.name, TEXT),
            Column("name", "", lambda pair: pair[0].one.step.name, TEXT),
            Column("severity", "", lambda pair: pair[0].one.step.level, NUMBER),
            Column("error", "", lambda pair: pair[1], TEXT),
            Column("dAP", "", lambda pair: pair[0].one.error_gain[pair[1]]),
            Column("dAP_growth", "", lambda pair: pair[0].one.error_growth[pair[1]]),
            Column("per_object", "", lambda pair: pair[0].one.errors_per_object[pair[1]]),
        ],
    )


def _clean_errors(result: RobustnessResult) -> Iterator[_Errors]:
    for detector in result.detectors:
        found = detector.clean.errors_per_object
        yield _Errors(CLEAN_WORDS, detector.name, [found[kind.label] for kind in ERRORS])


def _more_errors(result: RobustnessResult) -> Iterator[_Errors]:
    for detector in result.detectors:
        growth = error_growth(detector)
        for at in range(0, len(growth), len(ERRORS)):
            kinds = growth[at : at + len(ERRORS)]
            yield _Errors(kinds[0].title, detector.name, [one.per_object for one in kinds])


def _error_of(at: int, row: _Errors) -> float:
    return row.per_object[at]


def sets_table(result: RobustnessResult) -> Table[SetSummary]:
    """What was looked at: the same for all detectors."""
    clean = result.sets[0]
    return Table(
        "robustness_sets",
        "Pictures and objects of every change",
        result.sets,
        [
            Column("name", "", lambda one: one.step.name, TEXT),
            Column(
                "",
                "pictures",
                lambda one: CLEAN_WORDS if one is clean else title_of(one.step),
                TEXT,
            ),
            Column("severity", "level", lambda one: one.step.level, NUMBER),
            Column("n_images", "number", lambda one: one.n_images, COUNT),
            Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
            Column("n_objects_gone", "objects gone", lambda one: one.n_objects_gone, COUNT),
        ],
        folded=True,
        detail=True,
    )


def density_frame(result: RobustnessResult) -> pl.DataFrame:
    """Boxes over each cell of the unit square; of objects the detector is null."""
    import polars as pl

    maps: list[tuple[str | None, Step, Floats]] = [
        (None, one.step, one.density) for one in result.sets
    ]
    maps += [(row.detector.name, row.one.step, row.one.density) for row in _rows(result)]
    return pl.concat(_cells(who, step, density) for who, step, density in maps)


def _cells(who: str | None, step: Step, density: Floats) -> pl.DataFrame:
    import polars as pl

    high, wide = density.shape
    y, x = np.indices(density.shape).reshape(2, -1)
    places = {
        "x_from": x / wide,
        "x_to": (x + 1) / wide,
        "y_from": y / high,
        "y_to": (y + 1) / high,
        "boxes": density.ravel(),
    }
    return pl.DataFrame(places).select(
        pl.lit(who, dtype=pl.String).alias("detector"),
        pl.lit(step.name).alias("name"),
        pl.lit(step.level if step.graded else None, dtype=pl.Float64).alias("severity"),
        *places,
    )
