"""A study of recall as a page: who finds most, at which overlap, with how many proposals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxlens.proposals.recall.verdict import recall_sentences
from boxlens.report.charts.method_lines import ar_words
from boxlens.report.charts.recall_order import best_first
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import counted, paragraph, tiles
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.recall_page_tables import (
    cost_table,
    group_tables,
    methods_table,
    number_tables,
)
from boxlens.report.planning.recall_figures import (
    DATASETS,
    GROUPS,
    NUMBERS,
    OVERLAPS,
    SIZES,
)
from boxlens.report.planning.study_words import listed_words

if TYPE_CHECKING:
    from boxlens.proposals.recall.result import ProposalRecallResult
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "proposals"
MOST_NAMES = 3
MOST_TILES = 4
METHODS, COST = "methods", "cost"
TITLES = {
    METHODS: "Methods",
    OVERLAPS: "By overlap",
    NUMBERS: "By number",
    GROUPS: "By kind of object",
    SIZES: "Sizes",
    DATASETS: "Data sets",
    COST: "Cost",
}
READINGS = {
    METHODS: "AR: average recall over overlaps from {low} to {high}, one proposal an object, with "
    "its 95 % interval; mean #: proposals an image there really were. COCO's AR is the mean at ten "
    "overlaps, ABO the mean overlap of objects with their best proposal, MABO the mean over "
    "classes, VUS the volume under recall over overlap and number. VOC07, published: by Hosang and "
    "others 2016 with 1,000 proposals, on other pictures.",
    OVERLAPS: "How closely objects are met.",
    NUMBERS: "What more proposals bring.",
    GROUPS: "Which objects are missed.",
    SIZES: "Whether boxes are as large as objects are.",
    DATASETS: "Whether methods do elsewhere what they do here.",
    COST: "Seconds an image, as it took here; published: on a computer of 2014. Files tell no "
    "time. Boxes that lie on the pixels of a better one count once.",
}


def recall_page(result: ProposalRecallResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    first = result.datasets[0]
    about = (
        f"{counted(first.n_images, 'image')}, {counted(first.n_objects, 'object')}; "
        f"{counted(len(first.methods), 'method')}, {counted(len(result.datasets), 'data set')}"
    )
    ranked = _ranked(result)
    return page(
        page_title(ranked),
        about,
        [_summary(ranked), *_questions(ranked, drawn), provenance_section(document)],
    )


def _ranked(result: ProposalRecallResult) -> ProposalRecallResult:
    """With the methods of every data set in the order in which the sentences speak of them."""
    datasets = (replace(one, methods=tuple(best_first(one.methods))) for one in result.datasets)
    return replace(result, datasets=tuple(datasets))


def page_title(result: ProposalRecallResult) -> tuple[str, str]:
    """Who, on which data set."""
    first = result.datasets[0]
    names = [one.name for one in first.methods]
    return f"Proposals of {listed_words(names, 'method', most=MOST_NAMES)}", first.name


def _summary(result: ProposalRecallResult) -> Section:
    first, *others = recall_sentences(result)
    known = [
        (one.ar, method.name)
        for method in result.datasets[0].methods
        for one in method.chosen
        if one.budget == result.choice.largest and not math.isnan(one.ar)
    ]
    words = ar_words(result.choice)
    best = known[:MOST_TILES]
    parts = (
        tiles((f"{words}, {name}", decimal(ar)) for ar, name in best) if best else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _questions(result: ProposalRecallResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    parts: dict[str, tuple[str, ...]] = {
        METHODS: (methods_table(result),),
        OVERLAPS: (),
        NUMBERS: (number_tables(result),),
        GROUPS: (group_tables(result),),
        SIZES: (),
        DATASETS: (),
        COST: (cost_table(result),),
    }
    low, high = (f"{end:g}" for end in result.choice.ar_range)
    return tuple(
        Section(
            name,
            TITLES[name],
            (drawn.cards(name), *tables),
            reading=READINGS[name].format(low=low, high=high),
            guide=GUIDE,
        )
        for name, tables in parts.items()
    )
