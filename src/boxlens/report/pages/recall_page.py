"""A study of recall as a page: who finds most, at which overlap, with how many proposals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.proposals.recall.verdict import recall_sentences
from boxlens.report.charts.method_lines import ar_words
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
    return page(
        page_title(result),
        about,
        [_summary(result), *_questions(result, drawn), provenance_section(document)],
    )


def page_title(result: ProposalRecallResult) -> tuple[str, str]:
    """Who, on which data set."""
    first = result.datasets[0]
    names = [one.name for one in first.methods]
    if len(names) > MOST_NAMES or not names:
        names = [counted(len(names), "method")]
    return f"Proposals of {' and '.join(names)}", first.name


def _summary(result: ProposalRecallResult) -> Section:
    first, *others = recall_sentences(result)
    known = [
        (one.ar, method.name)
        for method in result.datasets[0].methods
        for one in method.chosen
        if one.budget == result.choice.largest and not math.isnan(one.ar)
    ]
    words = ar_words(result.choice)
    best = sorted(known, key=lambda pair: -pair[0])[:MOST_TILES]
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
