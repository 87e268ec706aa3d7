"""A comparison as a page: the answer first, then numbers, images, objects and what to annotate."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from boxlens.comparison.leading_pairs import leading_pairs
from boxlens.comparison.verdict import answer_sentences, further_sentences
from boxlens.report.charts.detector_pair import p_text
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.disagreement_page import most_disputed
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, about_data, names_of, page, provenance_section
from boxlens.report.planning.comparison_figures import (
    ANNOTATE,
    IMAGES,
    NUMBERS,
    TOGETHER,
    measure_name,
)

if TYPE_CHECKING:
    from boxlens.comparison import ComparisonResult
    from boxlens.metrics.intervals import Interval
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "compare"
MOST_TILES = 6
N_DISPUTED = 20


def comparison_page(
    result: ComparisonResult,
    document: dict[str, Any],
    drawn: DrawnPlan,
    examples: Section,
) -> str:
    """`document` is what results.json holds."""
    numbers, images, together, annotate = question_sections(result, drawn)
    return page(
        (names_of(result.tables), result.dataset.name),
        about_data(result.dataset, result.tables),
        [
            answer_section(result),
            numbers,
            images,
            together,
            examples,
            annotate,
            classes_section(result),
            provenance_section(document),
        ],
    )


def question_sections(result: ComparisonResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    """The numbers, single images, what they reach together, and what to annotate next."""
    return (
        Section(
            NUMBERS,
            "Numbers",
            (drawn.cards(NUMBERS), _pairs(result)),
            reading="Low and high: the interval. p by resampling images, by exchanging the "
            "detectors' detections image by image, and the first adjusted by Holm for all pairs "
            "of detectors. Detectable: a true difference that would be found on four of five such "
            "test sets. a ahead: the share of resampled test sets in which it is. Each number is "
            "a question of its own, and not adjusted for the others.",
            guide=GUIDE,
        ),
        Section(
            IMAGES,
            "Images",
            (drawn.cards(IMAGES), _discriminative(result)),
            reading="Whether one detector is ahead image by image, also where images of near "
            "agreement are left out.",
            guide=GUIDE,
        ),
        Section(
            TOGETHER,
            "Together",
            (drawn.cards(TOGETHER), _strengths(result)),
            reading="What the detectors would reach if the best of each could be taken, and which "
            "objects one finds and the other does not.",
            guide=GUIDE,
        ),
        Section(
            ANNOTATE,
            "Annotate next",
            (drawn.cards(ANNOTATE), most_disputed(result.disagreement, N_DISPUTED)),
            reading="Images on which the detectors disagree most, found without the ground truth.",
            guide=GUIDE,
        ),
    )


def answer_section(result: ComparisonResult) -> Section:
    metric, rows = result.league.metric, result.league.rows
    numbers = [(f"{metric} of {row.name}", decimal(row.score.value)) for row in rows]
    first, *others = answer_sentences(result)
    sentences = (*others, *further_sentences(result))
    parts = (
        tiles(numbers[:MOST_TILES]),
        paragraph(first, "lead"),
        *(paragraph(text) for text in sentences),
    )
    return Section("answer", "Answer", parts)


def classes_section(result: ComparisonResult) -> Section:
    return Section(
        "classes",
        "Classes",
        (_classes(result),),
        reading="Of many classes some differ by chance: p adjusted takes all of them into account.",
        guide=GUIDE,
    )


def _interval_cells(interval: Interval) -> list[Cell]:
    return [score_cell(value) for value in (interval.value, interval.low, interval.high)]


def _p_cell(p: float) -> Cell:
    return Cell(NOTHING) if math.isnan(p) else Cell(p_text(p), float(p))


def _pairs(result: ComparisonResult) -> str:
    headings = ["number", "a - b", "low", "high", "p resampling", "p exchange", "p adjusted"]
    headings += ["detectable", "a ahead"]
    tables = []
    for pair in leading_pairs(result):
        rows = [
            [
                text_cell(row.metric),
                *_interval_cells(row.difference),
                *map(_p_cell, (row.p_bootstrap, row.p_permutation, row.p_holm)),
                *map(score_cell, (row.detectable, row.share_a_ahead)),
            ]
            for row in pair.numbers
        ]
        caption = f"Every number: {pair.names[0]} (a) and {pair.names[1]} (b)"
        tables.append(table(headings, rows, caption=caption, wide=True))
    return "".join(tables)


def _discriminative(result: ComparisonResult) -> str:
    together = () if result.together is None else (result.together,)
    rows = [
        [
            text_cell(" and ".join(one.detectors) if one.a else "all detectors"),
            text_cell(one.choice.test),
            _p_cell(one.p_all),
            text_cell("yes" if one.differs else "no"),
            text_cell(one.better),
            score_cell(one.t0),
            Cell(NOTHING) if one.n_kept is None else count_cell(one.n_kept),
            count_cell(one.n_cases),
        ]
        for one in (*together, *(pair.discriminative for pair in leading_pairs(result)))
    ]
    headings = ["detectors", "test", "p, nothing left out", "differ", "ahead", "t0", "kept", "of"]
    caption = f"{measure_name(result)} image by image, images of near agreement left out below t0"
    return table(headings, rows, caption=caption)


def _strengths(result: ComparisonResult) -> str:
    parts = []
    for pair in leading_pairs(result):
        rows = [
            [
                text_cell(group.characteristic),
                text_cell(group.value),
                count_cell(group.n_objects),
                count_cell(group.tested.only_first),
                count_cell(group.tested.only_second),
                count_cell(group.tested.both),
                count_cell(group.tested.neither),
                *map(score_cell, (group.tested.difference, group.tested.low, group.tested.high)),
                _p_cell(group.tested.p_holm),
                text_cell(group.tested.leader),
            ]
            for group in (pair.strengths.overall, *pair.strengths.groups)
        ]
        first, second = pair.names
        headings = ["by", "value", "objects", f"only {first}", f"only {second}", "both", "neither"]
        headings += ["recall a - b", "low", "high", "p adjusted", "leads"]
        caption = f"Objects found above the score cuts: {first} (a) and {second} (b)"
        shown = table(headings, rows, caption=caption, wide=True)
        summary = f"Who finds what, group by group: {first} and {second}"
        parts.append((summary, shown))
    return "".join(
        f"<details><summary>{escape(summary)}</summary>{shown}</details>\n"
        for summary, shown in parts
    )


def _classes(result: ComparisonResult) -> str:
    pair = leading_pairs(result)[0]
    first, second = (result.detectors[row] for row in (pair.first, pair.second))
    ap = {one.name: {row.name: row.metrics["AP"] for row in one.classes} for one in (first, second)}
    rows = [
        [
            text_cell(row.name),
            count_cell(row.n_objects),
            count_cell(row.n_images),
            score_cell(ap[first.name][row.name]),
            score_cell(ap[second.name][row.name]),
            *_interval_cells(row.difference),
            *map(_p_cell, (row.p, row.p_permutation, row.p_holm)),
            score_cell(row.detectable),
        ]
        for row in pair.classes
    ]
    if not rows:
        return ""
    headings = ["class", "objects", "images", f"AP {first.name}", f"AP {second.name}", "a - b"]
    headings += ["low", "high", "p", "p exchange", "p adjusted", "detectable"]
    caption = f"Every class: {first.name} (a) and {second.name} (b)"
    return table(headings, rows, caption=caption, wide=True)
