"""What a notebook says of each kind of result: a line, a few rows, and which figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_pair import p_text, signed
from boxlens.report.charts.theme import decimal
from boxlens.report.notebook_bound import bound_charts, bound_summary
from boxlens.report.notebook_detection_use import (
    correlation_charts,
    correlation_summary,
    oracle_charts,
    oracle_summary,
    tuning_charts,
    tuning_summary,
)
from boxlens.report.notebook_proposals import (
    recall_charts,
    recall_summary,
    repeatability_charts,
    repeatability_summary,
)
from boxlens.report.notebook_robustness import robustness_charts, robustness_summary
from boxlens.report.notebook_summary import (
    MOST_DETECTORS,
    MOST_ROWS,
    Shown,
    Summary,
    listed_names,
    more_rows,
)
from boxlens.report.pages.markup import NOTHING, Cell, count_cell, counted, score_cell, text_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.cases.disagreement import DisagreementResult
    from boxlens.comparison.conventions.results import ReconciliationResult
    from boxlens.comparison.gating.result import GateResult
    from boxlens.dataset_difficulty.result import DifficultyResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.metrics import DetectorResult, EvaluationResult
    from boxlens.object_sensitivity import SensitivityResult
    from boxlens.report.planning.figure_plan import Figure


def _evaluation(result: EvaluationResult) -> Summary:
    shown = result.detectors[:MOST_DETECTORS]
    names = list(dict.fromkeys(name for one in shown for name in one.metrics))
    n_more = len(result.detectors) - len(shown)
    return Summary(
        title=f"{listed_names([one.name for one in shown], n_more)} on {result.dataset}",
        about=f"{result.protocol}, {result.n_images:,} images, {result.n_objects:,} objects",
        lead="",
        headings=["number", *(one.name for one in shown)],
        rows=[[text_cell(name), *(_score(one, name) for one in shown)] for name in names],
        figure="main_numbers" if shown[0].intervals is not None else "class_scores",
        more=f"and {n_more:,} more detectors" if n_more else "",
    )


def _score(one: DetectorResult, name: str) -> Cell:
    """With its interval, where it has one."""
    value = one.metrics.get(name, math.nan)
    interval = (one.intervals or {}).get(name)
    if interval is None or math.isnan(interval.low):
        return score_cell(value)
    return Cell(f"{decimal(value)} ({decimal(interval.low)} to {decimal(interval.high)})", value)


def _evaluation_figures(result: EvaluationResult) -> Sequence[Figure]:
    from boxlens.report.planning.evaluation_figures import evaluation_figures

    return evaluation_figures(result).figures


def _diagnosis(result: DiagnosisResult) -> Summary:
    numbers = ", ".join(f"{name} {decimal(value)}" for name, value in result.metrics.items())
    return Summary(
        title=f"{result.detections.name} on {result.dataset.name}",
        about=numbers,
        lead=" ".join((result.verdict.summary, *result.verdict.objects)),
        headings=["AP gained", "by"],
        rows=[
            [Cell(f"+{decimal(row.gain)}", row.gain), text_cell(row.sentence)]
            for row in result.verdict.findings
        ],
        figure="quarter_page",
    )


def _diagnosis_figures(result: DiagnosisResult) -> Sequence[Figure]:
    from boxlens.report.planning.figures import diagnosis_figures

    return diagnosis_figures(result).figures


def _sensitivity(result: SensitivityResult) -> Summary:
    ordered = sorted(
        result.characteristics, key=lambda row: (math.isnan(row.sensitivity), -row.sensitivity)
    )
    misses = result.misses
    return Summary(
        title=f"{result.detector} on {result.dataset}",
        about=f"AP_N {decimal(result.ap_n)}",
        lead=f"{misses.n_missed:,} of {misses.n_objects:,} objects are undetected.",
        headings=["AP_N by", "best", "worst", "all", "sensitivity", "by chance", "impact"],
        rows=[
            [
                text_cell(row.name),
                *map(
                    score_cell,
                    (
                        row.highest,
                        row.lowest,
                        row.ap_n,
                        row.sensitivity,
                        row.chance,
                        row.impact,
                    ),
                ),
            ]
            for row in ordered[:MOST_ROWS]
        ],
        figure="sensitivity",
        more=more_rows(len(ordered)),
    )


def _sensitivity_figures(result: SensitivityResult) -> Sequence[Figure]:
    from boxlens.report.planning.figures import sensitivity_figures

    return sensitivity_figures(result).figures


def _comparison(result: ComparisonResult) -> Summary:
    from boxlens.comparison.leading_pairs import leading_pairs
    from boxlens.comparison.verdict import answer_sentences

    pair = leading_pairs(result)[0]
    first, second = (result.detectors[row] for row in (pair.first, pair.second))
    level = f"{100 * result.choice.resampling.level:g} %"
    rows = [
        [
            text_cell(row.metric),
            score_cell(first.metrics[row.metric]),
            score_cell(second.metrics[row.metric]),
            Cell(signed(row.difference.value), row.difference.value),
            Cell(f"{signed(row.difference.low)} to {signed(row.difference.high)}"),
            Cell(NOTHING) if math.isnan(row.p_holm) else Cell(p_text(row.p_holm), row.p_holm),
        ]
        for row in pair.numbers[:MOST_ROWS]
    ]
    return Summary(
        title=f"{listed_names([one.name for one in result.detectors], 0)} on {result.dataset.name}",
        about=f"{len(result.dataset.images):,} images",
        lead=" ".join(answer_sentences(result)),
        headings=["number", first.name, second.name, "difference", level, "p adjusted"],
        rows=rows,
        figure="differences" if len(result.detectors) == 2 else "league",
        more=more_rows(len(pair.numbers)),
    )


def _comparison_figures(result: ComparisonResult) -> Sequence[Figure]:
    from boxlens.report.planning.comparison_figures import comparison_figures

    return comparison_figures(result).figures


def _gate(result: GateResult) -> Summary:
    from boxlens.report.writing.gate_rows import heading, rows

    found = rows(result)
    return Summary(
        title=f"{result.candidate} in the place of {result.baseline} on {result.dataset}",
        about=result.protocol,
        lead=f"{result.headline}.",
        headings=heading(result),
        rows=[[text_cell(text) for text in row] for row in found[:MOST_ROWS]],
        figure="",
        more=more_rows(len(found)),
    )


def _no_figures(_: object) -> tuple[Figure, ...]:
    return ()


def _reconciliation(result: ReconciliationResult) -> Summary:
    return Summary(
        title=f"{result.detector} on {result.dataset}",
        about=f"{result.n_images:,} images",
        lead=result.summary,
        headings=["convention", "from", "to", "change", "then"],
        rows=[
            [
                text_cell(step.title),
                text_cell(step.from_text),
                text_cell(step.to_text),
                score_cell(step.change, 4),
                score_cell(step.after, 4),
            ]
            for step in result.steps
            if step.moves
        ],
        figure="convention_steps",
    )


def _reconciliation_figures(result: ReconciliationResult) -> Sequence[Figure]:
    from boxlens.report.writing.write_reconcile import reconciliation_figure

    return (reconciliation_figure(result),)


def _disagreement(result: DisagreementResult) -> Summary:
    top = [row for row in result.order[:MOST_ROWS].tolist() if result.share[row] > 0]
    ids = result.images.id.tolist()
    on = f" on {result.dataset}" if result.dataset else ""
    return Summary(
        title=f"{listed_names(list(result.detectors), 0)}{on}",
        about=f"{len(result.images):,} images",
        lead="The images on which the detectors disagree most: to be annotated, or looked at, "
        "first.",
        headings=[
            "image",
            "file",
            "disputed",
            "disputed boxes",
            *(f"boxes of {name}" for name in result.detectors),
        ],
        rows=[
            [
                text_cell(ids[row]),
                text_cell(result.images.file_name[row] or None),
                score_cell(float(result.share[row])),
                score_cell(float(result.boxes[row]), 1),
                *(count_cell(int(n)) for n in result.n_boxes[:, row]),
            ]
            for row in top
        ],
        figure="",
        more=more_rows(int((result.share > 0).sum())),
    )


def _difficulty(result: DifficultyResult) -> Summary:
    from boxlens.dataset_difficulty.measures import MEASURES
    from boxlens.dataset_difficulty.published import PUBLISHED
    from boxlens.dataset_difficulty.verdict import difficulty_sentences

    first, shown = result.datasets[0], result.datasets[:MOST_DETECTORS]
    n_more = len(result.datasets) - len(shown)
    n_classes = first.n_classes
    columns = [*(one.means for one in shown), *PUBLISHED.values()]
    return Summary(
        title=f"Difficulty of {listed_names([one.name for one in shown], n_more, 'data sets')}",
        about=f"{counted(first.n_images, 'image')}, {counted(first.n_objects, 'object')}, "
        f"{counted(n_classes, 'class', 'classes')}",
        lead=" ".join(difficulty_sentences(result)),
        headings=["mean over classes", *(one.name for one in shown), *PUBLISHED],
        rows=[
            [
                text_cell(measure.title),
                *(score_cell(means.get(name, math.nan)) for means in columns),
            ]
            for name, measure in MEASURES.items()
        ],
        figure="measures",
        more=f"and {n_more:,} more data sets" if n_more else "",
    )


def _difficulty_figures(result: DifficultyResult) -> Sequence[Figure]:
    from boxlens.report.planning.difficulty_figures import difficulty_figures

    return difficulty_figures(result).figures


# By the name of a result's type, so that showing one loads nothing of the others.
SUMMARIES: Mapping[str, Shown] = {
    "EvaluationResult": Shown(_evaluation, _evaluation_figures),
    "DiagnosisResult": Shown(_diagnosis, _diagnosis_figures),
    "SensitivityResult": Shown(_sensitivity, _sensitivity_figures),
    "ComparisonResult": Shown(_comparison, _comparison_figures),
    "GateResult": Shown(_gate, _no_figures),
    "ReconciliationResult": Shown(_reconciliation, _reconciliation_figures),
    "DisagreementResult": Shown(_disagreement, _no_figures),
    "DifficultyResult": Shown(_difficulty, _difficulty_figures),
    "UpperBoundResult": Shown(bound_summary, bound_charts),
    "RobustnessResult": Shown(robustness_summary, robustness_charts),
    "ProposalRecallResult": Shown(recall_summary, recall_charts),
    "RepeatabilityResult": Shown(repeatability_summary, repeatability_charts),
    "ProposalCorrelationResult": Shown(correlation_summary, correlation_charts),
    "ProposalOracleResult": Shown(oracle_summary, oracle_charts),
    "ProposalTuningResult": Shown(tuning_summary, tuning_charts),
}
