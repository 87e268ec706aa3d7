"""Tables of a study of robustness: the study, corruptions, graded changes, errors, sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.detector_robustness.corruption_means import family_means, ratio, telling_means
from boxlens.detector_robustness.result import METRICS
from boxlens.diagnosis.tide_types import ERRORS
from boxlens.images.transforming.catalogue import title_of
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.detector_pair import p_text, signed
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.robustness_errors import error_growth
from boxlens.report.charts.robustness_steps import (
    CLEAN_WORDS,
    GROUP_WORDS,
    ap_lost,
    by_transform,
    changing,
    level_words,
    mean_over,
    step_words,
)
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import NOTHING, Cell, count_cell, score_cell, table, text_cell
from boxlens.report.pages.recall_page_tables import folded_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.detector_robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )
    from boxlens.images.transforming.transform import Group


def step_table(
    result: RobustnessResult, groups: Sequence[Group], *, caption: str, folded: bool
) -> str:
    """All numbers of every step of some groups, below those of the unchanged pictures."""
    rows = [row for detector in result.detectors for row in _step_rows(detector, groups, result)]
    if len(rows) <= len(result.detectors):
        return ""
    headings = ["pictures", "detector", *METRICS, "relative", "drop"]
    if _sure(result):
        headings += [_level_heading(result), "p adjusted"]
    if folded:
        return folded_table(headings, rows, caption=caption)
    return table(headings, rows, caption=caption, wide=True)


def _step_rows(
    detector: DetectorRobustness, groups: Sequence[Group], result: RobustnessResult
) -> Iterator[list[Cell]]:
    for one in (detector.clean, *(step for step in detector.steps if step.group in groups)):
        clean = one is detector.clean
        lost = math.nan if clean else ap_lost(detector, one)
        yield [
            text_cell(CLEAN_WORDS if clean else step_words(one)),
            text_cell(detector_words(detector.name)),
            *(score_cell(one.metrics[name]) for name in METRICS),
            score_cell(one.relative["AP"], 2),
            Cell(NOTHING) if math.isnan(lost) else Cell(signed(lost), lost),
            *(_drop_cells(one) if _sure(result) else ()),
        ]


def _sure(result: RobustnessResult) -> bool:
    return any(one.drop is not None for of in result.detectors for one in of.steps)


def _level_heading(result: RobustnessResult) -> str:
    level = 0.95 if result.choice.intervals is None else result.choice.intervals.level
    return f"{100 * level:g} %"


def _drop_cells(one: StepRobustness) -> tuple[Cell, Cell]:
    if one.drop is None or math.isnan(one.drop.interval.low):
        return Cell(NOTHING), Cell(NOTHING)
    around, p = one.drop.interval, one.drop.p_holm
    return (
        Cell(f"{signed(around.low)} to {signed(around.high)}", around.low),
        Cell(NOTHING) if math.isnan(p) else Cell(p_text(p), p),
    )


def corruption_means_table(result: RobustnessResult) -> str:
    """Mean performance under corruption, of all and of each group."""
    rows = [
        [
            text_cell(GROUP_WORDS[one.group]),
            text_cell(detector_words(detector.name)),
            count_cell(one.n_corruptions),
            score_cell(one.ap),
            score_cell(one.relative, 2),
        ]
        for detector in result.detectors
        for one in telling_means(detector)
    ]
    headings = ["corruptions", "detector", "how many", "mean AP (mPC)", "relative (rPC)"]
    return table(headings, rows, caption="Mean performance under corruption") if rows else ""


def corruption_table(result: RobustnessResult) -> str:
    """AP by severity, and the mean; a line a corruption and detector."""
    lines = [
        (detector, steps, family_means(steps).get(name, math.nan))
        for detector in result.detectors
        for name, steps in by_transform(detector, *CORRUPTION_GROUPS).items()
    ]
    levels = sorted({one.step.level for _, steps, _ in lines for one in steps})
    if not levels:
        return ""
    headings = ["corruption", "group", "detector", *(f"{level:g}" for level in levels)]
    rows = [
        [
            text_cell(steps[0].title),
            text_cell(GROUP_WORDS[steps[0].group]),
            text_cell(detector_words(detector.name)),
            *_by_level(steps, levels),
            score_cell(mean),
            score_cell(ratio(mean, detector.clean.metrics["AP"]), 2),
        ]
        for detector, steps, mean in lines
    ]
    return table(
        [*headings, "mean", "relative"], rows, caption="AP by severity of corruption", wide=True
    )


def _by_level(steps: Sequence[StepRobustness], levels: Sequence[float]) -> list[Cell]:
    known = {one.step.level: one.metrics["AP"] for one in steps}
    return [score_cell(known.get(level)) for level in levels]


def graded_tables(result: RobustnessResult) -> str:
    """One a kind of change: a column a level."""
    found: dict[str, list[tuple[DetectorRobustness, Sequence[StepRobustness]]]] = {}
    for detector in result.detectors:
        for name, steps in by_transform(detector, "graded").items():
            found.setdefault(name, []).append((detector, steps))
    return "".join(map(_graded_table, found.values()))


def _graded_table(lines: Sequence[tuple[DetectorRobustness, Sequence[StepRobustness]]]) -> str:
    steps = lines[0][1]
    levels = [one.step.level for one in steps]
    rows = [
        [
            text_cell(detector_words(detector.name)),
            *_by_level(of, levels),
            score_cell(mean_over(changing(of), lambda one: one.metrics["AP"])),
            score_cell(mean_over(changing(of), lambda one: one.relative["AP"]), 2),
        ]
        for detector, of in lines
    ]
    headings = ["detector", *map(level_words, steps), "mean", "relative"]
    return folded_table(headings, rows, caption=f"{steps[0].title}: AP at every level")


def errors_table(result: RobustnessResult) -> str:
    """Errors an object, as they are on unchanged pictures and how many more under a transform."""
    rows = [row for detector in result.detectors for row in _error_rows(detector)]
    headings = ["pictures", "detector"]
    headings += [kind_of(kind.label).label for kind in ERRORS]
    caption = "Errors for each object: unchanged, and how many more or fewer"
    return folded_table(headings, rows, caption=caption) if rows else ""


def _error_rows(detector: DetectorRobustness) -> Iterator[list[Cell]]:
    who, clean = text_cell(detector_words(detector.name)), detector.clean.errors_per_object
    yield [text_cell(CLEAN_WORDS), who, *(score_cell(clean[kind.label]) for kind in ERRORS)]
    growth = error_growth(detector)
    for at in range(0, len(growth), len(ERRORS)):
        kinds = growth[at : at + len(ERRORS)]
        cells = [
            Cell(NOTHING) if math.isnan(one.per_object) else _more(one.per_object) for one in kinds
        ]
        yield [text_cell(kinds[0].title), who, *cells]


def _more(value: float) -> Cell:
    return Cell(signed(value), value)


def class_tables(result: RobustnessResult, shown: int = 3) -> str:
    """AP of each class, unchanged and under what costs most; a table a detector."""
    from boxlens.report.charts.robustness_classes import shown_steps

    parts = []
    bounds = [] if result.uap_by_class is None else [result.uap_by_class]
    for detector in result.detectors:
        steps = shown_steps(detector)[:shown]
        rows = [
            [
                text_cell(name),
                score_cell(detector.clean.by_class[row]),
                *(score_cell(one.by_class[row]) for one in steps),
                *(score_cell(uap[row]) for uap in bounds),
            ]
            for row, name in enumerate(result.classes)
        ]
        headings = ["class", CLEAN_WORDS, *map(step_words, steps), *["UAP"] * len(bounds)]
        caption = f"AP of each class, {detector_words(detector.name)}"
        parts.append(folded_table(headings, rows, caption=caption))
    return "".join(parts)


def sets_table(result: RobustnessResult) -> str:
    """What was looked at: the same for all detectors."""
    rows = [
        [
            text_cell(CLEAN_WORDS if at == 0 else title_of(one.step)),
            text_cell(f"{one.step.level:g}" if one.step.graded else None),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            count_cell(one.n_objects_gone),
        ]
        for at, one in enumerate(result.sets)
    ]
    headings = ["pictures", "level", "how many", "objects", "objects gone"]
    return folded_table(headings, rows, caption="Pictures and objects of every step")


def tile_pairs(result: RobustnessResult, most: int) -> list[tuple[str, str]]:
    """Large numbers: AP on unchanged pictures, and what corruptions leave of it."""
    pairs = []
    for detector in result.detectors[:most]:
        who = detector_words(detector.name)
        pairs.append((f"AP unchanged, {who}", decimal(detector.clean.metrics["AP"])))
        if detector.corrupted:
            pairs.append((f"mean under corruption, {who}", decimal(detector.corrupted[0].ap)))
    if result.bound is not None:
        pairs.append(("upper bound (UAP), unchanged", decimal(result.uap)))
    return pairs
