"""A study of recall and mAP as a page: does recall foretell what detectors make of proposals?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.proposals.detection_use.verdict import correlation_sentences
from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.theme import decimal, threshold
from boxlens.report.pages.correlation_rows import method_headings, method_rows
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    counted,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.recall_page_tables import folded_table
from boxlens.report.planning.correlation_figures import CLASSES, METHODS, OVERLAPS
from boxlens.report.planning.study_words import data_set_words

if TYPE_CHECKING:
    from boxlens.proposals.detection_use.correlation_result import (
        ProposalCorrelationResult,
        RecallCorrelation,
    )
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "proposals"
MOST_TILES = 4


def correlation_page(
    result: ProposalCorrelationResult, document: dict[str, Any], drawn: DrawnPlan
) -> str:
    """`document` is what results.json holds."""
    sections = [
        _summary(result),
        Section(
            OVERLAPS,
            "By overlap",
            (drawn.cards(OVERLAPS), _detectors_table(result), _overlaps_table(result)),
            reading="Pearson's r over methods. AR: average recall over overlaps from .5 to 1; "
            "partial AR: up to .7.",
            guide=GUIDE,
        ),
        Section(
            METHODS,
            "Methods",
            (drawn.cards(METHODS), _methods_table(result)),
            reading="What proposals find, and what detectors make of them.",
            guide=GUIDE,
        ),
        Section(
            CLASSES,
            "Classes",
            (drawn.cards(CLASSES), _classes_table(result)),
            reading="AP of a class against the recall of its objects.",
            guide=GUIDE,
        ),
        provenance_section(document),
    ]
    n_methods, n_detectors = len({one.method for one in result.scores}), len(_detectors(result))
    about = (
        f"{counted(n_methods, 'method')}, {counted(n_detectors, 'detector')}; at most "
        f"{counted(result.budget, 'proposal')} an image"
    )
    return page(("Recall and mAP", data_set_words(result.provenance)), about, sections)


def _detectors(result: ProposalCorrelationResult) -> list[str]:
    return list(dict.fromkeys(one.detector for one in result.scores))


def _overall(result: ProposalCorrelationResult) -> list[RecallCorrelation]:
    return [one for one in result.correlations if not one.class_name]


def _summary(result: ProposalCorrelationResult) -> Section:
    first, *others = correlation_sentences(result)
    known = [one for one in _overall(result) if not math.isnan(one.with_ar)]
    shown = (
        (f"r with AR, {detector_words(one.detector)}", decimal(one.with_ar))
        for one in known[:MOST_TILES]
    )
    parts = (
        tiles(shown) if known else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _detectors_table(result: ProposalCorrelationResult) -> str:
    rows = [
        [
            text_cell(detector_words(one.detector)),
            count_cell(one.n_methods),
            score_cell(one.with_ar),
            score_cell(one.with_partial_ar),
            *_best(one),
        ]
        for one in _overall(result)
    ]
    headings = ["detector", "methods", "r with AR", "r with partial AR", "best at IoU", "r there"]
    return table(headings, rows, caption="Correlation of recall and mAP") if rows else ""


def _best(one: RecallCorrelation) -> tuple[Cell, Cell]:
    """The overlap at which recall foretells mAP best."""
    if np.isnan(one.at_iou).all():
        return Cell(NOTHING), Cell(NOTHING)
    at = int(np.nanargmax(one.at_iou))
    iou = float(one.ious[at])
    return Cell(threshold(iou), iou), score_cell(float(one.at_iou[at]))


def _overlaps_table(result: ProposalCorrelationResult) -> str:
    overall = _overall(result)
    if not overall:
        return ""
    rows = [
        [Cell(threshold(iou), iou), *(score_cell(float(one.at_iou[at])) for one in overall)]
        for at, iou in enumerate(overall[0].ious.tolist())
    ]
    headings = ["recall at IoU", *(detector_words(one.detector) for one in overall)]
    return folded_table(headings, rows, caption="r with recall at every overlap")


def _methods_table(result: ProposalCorrelationResult) -> str:
    detectors = _detectors(result)
    rows = method_rows(result, detectors)
    headings = method_headings(result, detectors)
    return table(headings, rows, caption="Recall and mAP of every method") if rows else ""


def _classes_table(result: ProposalCorrelationResult) -> str:
    """r with average recall, a column a detector."""
    detectors = _detectors(result)
    found = {
        (one.class_name, one.detector): one.with_ar for one in result.correlations if one.class_name
    }
    names = dict.fromkeys(name for name, _ in found)
    rows = [
        [text_cell(name), *(score_cell(found.get((name, one), math.nan)) for one in detectors)]
        for name in names
    ]
    headings = ["class", *(detector_words(name) for name in detectors)]
    return folded_table(headings, rows, caption="r with AR, class by class") if rows else ""
