"""A study of oracles as a page: what holds detectors back, and how they score near objects."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from boxlens.proposals.detection_use.verdict import oracle_sentences
from boxlens.report.charts.oracle_scores import ORACLE_WORDS, unaided
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    Cell,
    count_cell,
    counted,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.oracle_cells import gain_cell
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.recall_page_tables import folded_table
from boxlens.report.planning.oracle_figures import ORACLES, SCORES
from boxlens.report.planning.study_words import data_set_words, listed_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.detection_use.oracle_result import (
        DetectorOracles,
        ProposalOracleResult,
    )
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "proposals"
MOST_TILES = 4
MOST_NAMES = 3


def oracle_page(result: ProposalOracleResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    detectors = [one.detector for one in result.scores]
    methods = dict.fromkeys(one.method for one in result.oracles if one.method)
    about = f"{counted(len(detectors), 'detector')}, " + (
        f"{counted(len(methods), 'method')} of proposals" if methods else "no proposals"
    )
    sections = [
        _summary(result),
        Section(
            ORACLES,
            "Oracles",
            (drawn.cards(ORACLES), _oracles_table(result), *_class_tables(result)),
            reading="Perfect proposals: detections near objects are kept as well, wrong ones too. "
            "Perfect suppression: false detections that overlap a true one of their class go.",
            guide=GUIDE,
        ),
        Section(
            SCORES,
            "Scores near objects",
            (drawn.cards(SCORES), _bins_table(result)),
            reading="Whether scores tell close boxes from loose ones.",
            guide=GUIDE,
        ),
        provenance_section(document),
    ]
    who = f"Oracles for {listed_words(detectors, 'detector', most=MOST_NAMES)}"
    return page((who, data_set_words(result.provenance)), about, sections)


def _summary(result: ProposalOracleResult) -> Section:
    first, *others = oracle_sentences(result) or ["There is nothing to tell."]
    best = [_best_first(result, one.detector)[0] for one in result.scores]
    shown = [pair for one in best for pair in _tiles(result, one)][:MOST_TILES]
    parts = (
        tiles(shown) if shown else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _tiles(result: ProposalOracleResult, one: DetectorOracles) -> Iterator[tuple[str, str]]:
    """Without help and with all, on the proposals that the detector does best on."""
    n_methods = sum(other.detector == one.detector for other in result.oracles)
    who = f"{one.detector} on {one.method}" if one.method else one.detector
    best = f" (best of {n_methods})" if n_methods > 1 else ""
    oracles = "both oracles" if one.method else ORACLE_WORDS["nms"]
    for name, score in (
        (f"AP50, {who}{best}", unaided(one)),
        (f"AP50 with {oracles}, {one.detector}", one.scores[-1]),
    ):
        if not math.isnan(score.ap50):
            yield name, decimal(score.ap50)


def _best_first(result: ProposalOracleResult, detector: str) -> list[DetectorOracles]:
    """By AP50 without help; undefined is the least."""
    mine = [one for one in result.oracles if one.detector == detector]
    return sorted(mine, key=lambda one: (math.isnan(ap := unaided(one).ap50), -ap))


def _oracles_table(result: ProposalOracleResult) -> str:
    """A line a detector and method, a column an oracle; the numbers of detections at a click."""
    oracles = dict.fromkeys(score.oracle for one in result.oracles for score in one.scores)
    proposed = any(one.method for one in result.oracles)
    rows = [
        [
            text_cell(one.detector),
            *[text_cell(one.method or None)] * proposed,
            *(gain_cell(one, score) for score in one.scores),
            *(score_cell(score.ap) for score in one.scores),
            *(count_cell(score.n_detections) for score in one.scores),
        ]
        for shape in result.scores
        for one in _best_first(result, shape.detector)
    ]
    headings = ["detector", *["method"] * proposed]
    headings += [f"AP50, {ORACLE_WORDS[name]}" for name in oracles]
    n_shown = len(headings)
    headings += [f"{what}, {ORACLE_WORDS[name]}" for what in ("AP", "boxes") for name in oracles]
    caption = "What oracles bring"
    return table(headings, rows, caption=caption, wide=True, n_shown=n_shown) if rows else ""


def _class_tables(result: ProposalOracleResult) -> Iterator[str]:
    """Of each detector, with the method it does best on."""
    for shape in result.scores:
        one = _best_first(result, shape.detector)[0]
        names = list(one.scores[0].class_ap50)
        rows = [
            [
                text_cell(name),
                *(score_cell(score.class_ap50.get(name, math.nan)) for score in one.scores),
            ]
            for name in names
        ]
        on = f" on {one.method}" if one.method else ""
        headings = ["class", *(ORACLE_WORDS[score.oracle] for score in one.scores)]
        caption = f"AP50 of every class, {one.detector}{on}"
        yield folded_table(headings, rows, caption=caption) if rows else ""


def _bins_table(result: ProposalOracleResult) -> str:
    """Scaled score and detections of each bin, two columns a detector."""
    if not result.scores:
        return ""
    edges = result.scores[0].by_iou.edges.tolist()
    rows = []
    for at, (low, high) in enumerate(pairwise(edges)):
        cells = [Cell(f"{decimal(low, 2)} to {decimal(high, 2)}", low)]
        for one in result.scores:
            cells += [
                score_cell(float(one.by_iou.mean[at])),
                count_cell(one.by_iou.n_detections[at]),
            ]
        rows.append(cells)
    headings = ["IoU"]
    for one in result.scores:
        headings += [f"score, {one.detector}", f"detections, {one.detector}"]
    return folded_table(headings, rows, caption="Scaled score by overlap")
