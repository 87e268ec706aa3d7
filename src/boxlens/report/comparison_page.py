"""A comparison as a page: the answer first, then numbers, images, objects and what to annotate."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from boxlens.comparison.leading_pairs import leading_pairs
from boxlens.comparison.verdict import answer_sentences, further_sentences
from boxlens.report.charts.detector_pair import p_text
from boxlens.report.charts.theme import decimal
from boxlens.report.comparison_exhibits import comparison_walls
from boxlens.report.comparison_figures import ANNOTATE, IMAGES, NUMBERS, TOGETHER, measure_name
from boxlens.report.examples import hung_walls
from boxlens.report.markup import (
    NOTHING,
    Cell,
    count_cell,
    notes,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.page import Section, figure_cards, page, provenance_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.metrics.intervals import Interval
    from boxlens.report.figure_plan import LeftOut
    from boxlens.report.gallery import Gallery
    from boxlens.report.page import DrawnFigure

MOST_TILES = 6
MOST_NAMES = 3
N_DISPUTED = 20


def comparison_page(
    result: ComparisonResult,
    document: dict[str, Any],
    drawn: Sequence[DrawnFigure],
    left_out: Sequence[LeftOut],
    gallery: Gallery | None,
) -> str:
    """`document` is what results.json holds."""

    def cards(name: str) -> str:
        return figure_cards(drawn, left_out, name)

    about = (
        f"{len(result.detectors):,} detectors, {len(result.dataset.images):,} images, "
        f"{len(result.dataset.gt):,} objects of {len(result.dataset.classes):,} classes"
    )
    return page(
        (_names(result), result.dataset.name),
        about,
        [
            Section("answer", "Answer", _answer(result)),
            Section("numbers", "Numbers", (cards(NUMBERS), _pairs(result))),
            Section("images", "Images", (cards(IMAGES), _discriminative(result))),
            Section("together", "Together", (cards(TOGETHER), _strengths(result))),
            _examples(result, gallery),
            Section("annotate", "Annotate next", (cards(ANNOTATE), _disputed(result))),
            Section("classes", "Classes", (_classes(result),)),
            provenance_section(document),
        ],
    )


def _names(result: ComparisonResult) -> str:
    names = [one.name for one in result.detectors]
    if len(names) > MOST_NAMES:
        return f"{len(names)} detectors"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _answer(result: ComparisonResult) -> tuple[str, ...]:
    metric, rows = result.league.metric, result.league.rows
    numbers = [(f"{metric} of {row.name}", decimal(row.score.value)) for row in rows]
    first, *others = answer_sentences(result)
    return (
        tiles(numbers[:MOST_TILES]),
        paragraph(first, "lead"),
        *(paragraph(text) for text in (*others, *further_sentences(result))),
    )


def _interval_cells(interval: Interval) -> list[Cell]:
    return [score_cell(value) for value in (interval.value, interval.low, interval.high)]


def _p_cell(p: float) -> Cell:
    return Cell(NOTHING) if math.isnan(p) else Cell(p_text(p), float(p))


def _pairs(result: ComparisonResult) -> str:
    reading = (
        "Low and high: the interval. p by resampling images, by exchanging the detectors' "
        "detections image by image, and the first adjusted by Holm for all pairs of detectors. "
        "Detectable: a true difference that would be found on four of five such test sets. "
        "a ahead: the share of resampled test sets in which it is. Each number is a question of "
        "its own, and not adjusted for the others."
    )
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
    return paragraph(reading, "reading") + "".join(tables)


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


def _examples(result: ComparisonResult, gallery: Gallery | None) -> Section:
    if gallery is not None and gallery.walls:
        parts, remarks = hung_walls(gallery)
        return Section("examples", "Examples", (notes(remarks), *parts))
    tables = tuple(
        table(
            ["image", "file", "scores", "objects"],
            [
                [
                    text_cell(one.image_id),
                    text_cell(one.file_name or None),
                    text_cell(one.caption[0]),
                    text_cell(one.caption[1]),
                ]
                for one in wall.shown
            ],
            caption=wall.title,
        )
        for wall in comparison_walls(result)
        if wall.name != "disputed"
    )
    remarks = ["Pictures are shown where they are given (--images)."] * bool(tables)
    if gallery is not None:
        remarks = [notice.message for notice in gallery.notices]
    return Section("examples", "Examples", (*tables, notes(remarks)))


def _disputed(result: ComparisonResult) -> str:
    one, ids = result.disagreement, result.dataset.images.id.tolist()
    top = [row for row in one.order[:N_DISPUTED].tolist() if one.share[row] > 0]
    if not top:
        return notes(["The detectors' boxes agree on every image: none is worth more than another"])
    rows = [
        [
            text_cell(ids[row]),
            text_cell(result.dataset.images.file_name[row] or None),
            score_cell(float(one.share[row])),
            score_cell(float(one.boxes[row]), 1),
            *(count_cell(int(n)) for n in one.n_boxes[:, row]),
        ]
        for row in top
    ]
    headings = ["image", "file", "disputed", "disputed boxes"]
    headings += [f"boxes of {name}" for name in one.detectors]
    caption = "The images on which the detectors disagree most; tables/images.parquet has all"
    return table(headings, rows, caption=caption, wide=True)


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
