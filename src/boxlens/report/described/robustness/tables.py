"""Tables of robustness: steps, corruptions, levels, errors, classes, sets of pictures, places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boxlens.data.columns import Floats
from boxlens.images.transforming.catalogue import title_of
from boxlens.images.transforming.transform import CORRUPTION_GROUPS, Group, Step
from boxlens.report.charts.kinds import kind_of
from boxlens.report.described.robustness.plots import shown_steps
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
    Form,
    Table,
    columns_of,
    interval_columns,
    table_of,
)
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.studies.robustness.error_growth import error_growth
from boxlens.studies.robustness.result import (
    METRICS,
    CorruptionMean,
    DetectorRobustness,
    RobustnessResult,
    SetSummary,
    StepRobustness,
)
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
    import polars as pl


# Columns of files that say which numbers a row has.
NAMED: dict[str, Form] = {"detector": TEXT, "name": TEXT, "severity": NUMBER}


class Row(NamedTuple):
    """A detector under a step."""

    detector: DetectorRobustness
    one: StepRobustness

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


def step_table(
    result: RobustnessResult, groups: Sequence[Group], caption: str, *, long: bool = False
) -> Table[Row]:
    """All numbers of every step of some groups, below those of the unchanged pictures."""
    rows = [row for row in _rows(result) if row.is_clean or row.one.group in groups]
    return Table("", caption, rows, _step_columns(result), wide=True, folded=long, detail=long)


def all_steps_table(result: RobustnessResult) -> Table[Row]:
    return Table("robustness_steps", "", _rows(result), _step_columns(result))


def _rows(result: RobustnessResult) -> list[Row]:
    """The unchanged pictures first."""
    return [Row(of, one) for of in result.detectors for one in (of.clean, *of.steps)]


def _who(result: RobustnessResult) -> str:
    """The heading of the detectors' names, where there are several."""
    return "detector" if len(result.detectors) > 1 else ""


def _step_columns(result: RobustnessResult) -> list[Column[Row]]:
    choice = result.choice.intervals
    sure = any(row.one.drop is not None for row in _rows(result))
    interval = f"{level(choice.level)} interval of the drop" if sure and choice else ""
    return [
        Column(
            "",
            "pictures",
            lambda row: CLEAN_WORDS if row.is_clean else step_words(row.one),
            TEXT,
        ),
        Column("detector", _who(result), lambda row: row.detector.name, TEXT),
        Column("name", "", lambda row: row.one.step.name, TEXT),
        Column("severity", "", lambda row: row.one.step.level, NUMBER),
        Column("title", "", lambda row: row.one.title, TEXT),
        Column("group", "", lambda row: row.one.group, TEXT),
        Column("label", "", lambda row: row.one.label, TEXT),
        *columns_of(METRICS, lambda row, name: row.one.metrics[name], key=str, heading=str),
        Column("", "relative", lambda row: row.one.relative["AP"], SHARE),
        Column("reference", "", lambda row: row.one.reference.slug, TEXT),
        *columns_of(METRICS, lambda row, name: row.one.relative[name], SHARE, key="relative_"),
        Column(
            "",
            "drop",
            lambda row: math.nan if row.is_clean else ap_lost(row.detector, row.one),
        ),
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
        Column("n_objects", "", lambda row: row.one.n_objects, COUNT),
        Column("n_detections", "", lambda row: row.one.n_detections, COUNT),
    ]


def means_table(result: RobustnessResult) -> Table[tuple[str, CorruptionMean]]:
    """Of all corruptions, and of each group."""
    return Table(
        "robustness_corrupted",
        "Mean performance under corruption",
        [(of.name, mean) for of in result.detectors for mean in of.corrupted],
        [
            Column("", "corruptions", lambda row: GROUP_WORDS[row[1].group], TEXT),
            Column("detector", _who(result), lambda row: row[0], TEXT),
            Column("group", "", lambda row: row[1].group, TEXT),
            Column("n_corruptions", "number", lambda row: row[1].n_corruptions, COUNT),
            Column("complete", "", lambda row: row[1].complete, FLAG),
            Column("AP", "mean AP (mPC)", lambda row: row[1].ap),
            Column("relative", "relative (rPC)", lambda row: row[1].relative, SHARE),
        ],
    )


def severity_table(result: RobustnessResult) -> Table[Any]:
    """AP by severity, and the mean over those that change something."""
    found = [
        (detector, {one.step.level: one.metrics["AP"] for one in steps}, name, steps)
        for detector in result.detectors
        for name, steps in by_transform(detector, *CORRUPTION_GROUPS).items()
    ]
    severities = sorted({at for _, aps, *_ in found for at in aps})
    rows = []
    for detector, aps, name, steps in found:
        mean = family_means(steps).get(name, math.nan)
        told = steps[0].title, GROUP_WORDS[steps[0].group], detector.name
        by_severity = (aps.get(at, math.nan) for at in severities)
        rows.append((*told, *by_severity, mean, ratio(mean, detector.clean.metrics["AP"])))
    forms = dict.fromkeys(("corruption", "group", _who(result)), TEXT)
    forms |= {**dict.fromkeys(map(number, severities), SCORE), "mean": SCORE, "relative": SHARE}
    return table_of("", "AP by severity of corruption", forms, rows, wide=True)


def level_tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """One per kind of graded change: AP of every detector, and its share of the reference's."""
    found = [by_transform(one, "graded") for one in result.detectors]
    values = (lambda one: one.metrics["AP"], lambda one: one.relative["AP"])
    forms = {"level": TEXT}
    for detector in result.detectors:
        whose = f", {detector.name}" * (len(found) > 1)
        forms |= {f"AP{whose}": SCORE, f"relative{whose}": SHARE}
    for name, steps in found[0].items():
        of_name = [of[name] for of in found]
        levels = [
            (level_words(one), [of[at : at + 1] for of in of_name]) for at, one in enumerate(steps)
        ]
        if len(steps) > 1:
            levels.append(("mean", [changing(of) for of in of_name]))
        rows = (
            (label, *(mean_over(of, value) for of in every for value in values))
            for label, every in levels
        )
        yield table_of("", f"{steps[0].title}: AP at every level", forms, rows, folded=True)


def reference_notes(result: RobustnessResult) -> list[str]:
    """Which steps are not compared with the unchanged pictures."""
    told = {
        plain_title(row.one): step_words(row.detector.reference_of(row.one))
        for row in _rows(result)
        if row.one.reference.name != row.detector.clean.step.name
    }
    return [
        f"{title}: relative to {reference}, the same crop, which itself is relative to the "
        "unchanged pictures."
        for title, reference in told.items()
    ]


def error_tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """As they are on unchanged pictures, and how many more under a transform."""
    kinds = [kind_of(kind.label).label for kind in ERRORS]
    before, more = [], []
    for of in result.detectors:
        per_object = of.clean.errors_per_object
        before.append((CLEAN_WORDS, of.name, *(per_object[kind.label] for kind in ERRORS)))
        growth = error_growth(of)
        for at in range(0, len(growth), len(kinds)):
            grown = growth[at : at + len(kinds)]
            more.append((grown[0].title, of.name, *(one.per_object for one in grown)))
    for caption, rows, form in (
        ("Errors per object on the unchanged pictures", before, SCORE),
        ("More or fewer errors per object under each transform", more, CHANGE),
    ):
        forms = {"pictures": TEXT, _who(result): TEXT, **dict.fromkeys(kinds, form)}
        yield table_of("", caption, forms, rows, folded=True, detail=True)
    numbers = dict.fromkeys(("dAP", "dAP_growth", "per_object"), SCORE)
    every = (
        (*_named(row), kind, one.error_gain[kind], one.error_growth[kind], per_object[kind])
        for row in _rows(result)
        for one, per_object in ((row.one, row.one.errors_per_object),)
        for kind in GAINS
    )
    yield table_of("robustness_errors", "", {**NAMED, "error": TEXT, **numbers}, every)


def _named(row: Row) -> tuple[str, str, float]:
    return row.detector.name, row.one.step.name, row.one.step.level


def class_tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """Unchanged and under what costs most, one table per detector; in files, all of it."""
    names, uap = result.classes, result.uap_by_class
    bounds = [] if uap is None else [uap]
    for detector in result.detectors:
        steps = shown_steps(detector)
        headings = [CLEAN_WORDS, *map(step_words, steps), *["UAP"] * len(bounds)]
        columns = [one.by_class for one in (detector.clean, *steps)]
        yield table_of(
            "",
            f"AP of each class, {detector.name}",
            {"class": TEXT, **dict.fromkeys(headings, SCORE)},
            zip(names, *columns, *bounds, strict=True),
            folded=True,
            detail=True,
        )
    yield table_of(
        "robustness_classes",
        "",
        {**NAMED, "class": TEXT, "AP": SCORE},
        (
            (*_named(row), *pair)
            for row in _rows(result)
            for pair in zip(names, row.one.by_class, strict=True)
        ),
    )
    if uap is not None:
        forms = {"class": TEXT, "UAP": SCORE}
        yield table_of("robustness_bound", "", forms, zip(names, uap, strict=True))


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
            Column("", "gone", lambda one: ratio(one.n_objects_gone, clean.n_objects), SHARE),
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
