"""What a notebook says of proposals in use: recall and mAP, oracles, a search for settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.oracle_scores import ORACLE_WORDS
from boxlens.report.notebook_summary import (
    MOST_DETECTORS,
    MOST_ROWS,
    Summary,
    listed_names,
    more_rows,
)
from boxlens.report.pages.correlation_rows import method_headings, method_rows
from boxlens.report.pages.markup import Cell, count_cell, counted, score_cell, text_cell
from boxlens.report.pages.oracle_cells import gain_cell
from boxlens.report.planning.study_words import data_set_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.proposals.tuning.result import ProposalTuningResult
    from boxlens.report.planning.figure_plan import Figure


def correlation_summary(result: ProposalCorrelationResult) -> Summary:
    """Methods by their average recall, with what every detector makes of them."""
    from boxlens.proposals.detection_use.verdict import correlation_sentences

    detectors = list(dict.fromkeys(one.detector for one in result.scores))[:MOST_DETECTORS]
    rows = method_rows(result, detectors)
    return Summary(
        title=f"Recall and mAP on {data_set_words(result.provenance)}",
        about=f"{counted(len(rows), 'method')}, at most {counted(result.budget, 'proposal')}",
        lead=" ".join(correlation_sentences(result)),
        headings=method_headings(result, detectors),
        rows=rows[:MOST_ROWS],
        figure="recall_correlation",
        more=more_rows(len(rows)),
    )


def correlation_charts(result: ProposalCorrelationResult) -> Sequence[Figure]:
    from boxlens.report.planning.correlation_figures import correlation_figures

    return correlation_figures(result).figures


def oracle_summary(result: ProposalOracleResult) -> Summary:
    """Detectors and methods, a column an oracle."""
    from boxlens.proposals.detection_use.verdict import oracle_sentences

    oracles = dict.fromkeys(score.oracle for one in result.oracles for score in one.scores)
    names = [one.detector for one in result.scores]
    return Summary(
        title=f"Oracles for {listed_names(names, 0)} on {data_set_words(result.provenance)}",
        about="AP50, and what each oracle brings",
        lead=" ".join(oracle_sentences(result)),
        headings=["detector", "proposals", *(ORACLE_WORDS[name] for name in oracles)],
        rows=[
            [
                text_cell(one.detector),
                text_cell(one.method or None),
                *(gain_cell(one, score) for score in one.scores),
            ]
            for one in result.oracles[:MOST_ROWS]
        ],
        figure="oracles",
        more=more_rows(len(result.oracles)),
    )


def oracle_charts(result: ProposalOracleResult) -> Sequence[Figure]:
    from boxlens.report.planning.oracle_figures import oracle_figures

    return oracle_figures(result).figures


def tuning_summary(result: ProposalTuningResult) -> Summary:
    """The best trials first, with their settings."""
    from boxlens.proposals.tuning.verdict import tuning_sentences

    ordered = sorted(result.trials, key=lambda one: (math.isnan(one.ar), -one.ar))
    names = list(result.trials[0].settings)
    return Summary(
        title=f"Tuning of {result.method} on {counted(result.n_tuned_on, 'picture')}",
        about=f"{counted(len(result.trials), 'trial')}, at most "
        f"{counted(result.budget, 'proposal')}",
        lead=" ".join(tuning_sentences(result)),
        headings=["trial", "AR", "recall at .5", *names],
        rows=[
            [
                count_cell(one.number),
                score_cell(one.ar, 4),
                score_cell(one.recall_50),
                *(Cell(f"{value:g}", float(value)) for value in one.settings.values()),
            ]
            for one in ordered[:MOST_ROWS]
        ],
        figure="trials",
        more=more_rows(len(ordered)),
    )


def tuning_charts(result: ProposalTuningResult) -> Sequence[Figure]:
    from boxlens.report.planning.tuning_figures import tuning_figures

    return tuning_figures(result).figures
