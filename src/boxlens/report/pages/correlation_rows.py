"""Methods with their recall and what every detector makes of them, as rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.method_lines import count_text
from boxlens.report.pages.markup import Cell, score_cell, text_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult


def method_headings(result: ProposalCorrelationResult, detectors: Sequence[str]) -> list[str]:
    """What `method_rows` has in its columns."""
    metric = result.parameters.get("metric", "mAP")
    return ["method", "mean #", "AR", *(f"{metric}, {detector_words(name)}" for name in detectors)]


def method_rows(result: ProposalCorrelationResult, detectors: Sequence[str]) -> list[list[Cell]]:
    """One a method, those that find most first; a column a detector."""
    found = {(one.method, one.detector): one.map for one in result.scores}
    # Recall is the same, whichever detector looks at the proposals.
    methods = {one.method: one for one in result.scores}
    ordered = sorted(methods.values(), key=lambda one: (math.isnan(one.ar), -one.ar))
    return [
        [
            text_cell(one.method),
            Cell(count_text(one.n_mean), one.n_mean),
            score_cell(one.ar),
            *(score_cell(found.get((one.method, name))) for name in detectors),
        ]
        for one in ordered
    ]
