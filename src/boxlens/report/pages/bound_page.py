"""An upper bound as a page: how near detectors come, where they lack, what recognition lacks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.recognition_bound.nearness import best_detector
from boxlens.recognition_bound.verdict import SHOWN, bound_sentences
from boxlens.report.charts.theme import decimal, percent
from boxlens.report.pages.bound_page_tables import (
    classes_table,
    context_table,
    detectors_table,
    iou_table,
    strategies_table,
)
from boxlens.report.pages.examples import WITHOUT, bound_examples
from boxlens.report.pages.markup import counted, notes, paragraph, tiles
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.picture_notes import failure_notes, remarks_table
from boxlens.report.planning.bound_figures import CLASSES, CONTEXT, DETECTORS, RECOGNITION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.pages.examples import Pictures
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "upper-bound"
MISTAKES = "mistakes"
TITLES = {
    DETECTORS: "Detectors and the bound",
    CLASSES: "Class by class",
    RECOGNITION: "Recognition",
    CONTEXT: "Context",
    MISTAKES: "Mistakes",
}
READINGS = {
    DETECTORS: "UAP: the AP of a detector that finds every object, in its true box, and labels it "
    "as the classifier does. What lies between a detector and the UAP are missed objects, badly "
    "placed boxes and false alarms.",
    CLASSES: "Accuracy: the share of a class's objects that get its label. The gap is that to the "
    "detector that is best over all classes; below 0, it names the class better than the "
    "classifier does.",
    RECOGNITION: "How good the classifier is, and whether it gains from boxes around the object.",
    CONTEXT: "What the classifier says of crops that show less or more than the object.",
    MISTAKES: "Wrong labels of which the classifier is surest: they cost most.",
}


def bound_page(
    result: UpperBoundResult,
    document: dict[str, Any],
    drawn: DrawnPlan,
    pictures: Pictures | None = None,
) -> str:
    """`document` is what results.json holds."""
    about = (
        f"{counted(result.n_images, 'image')}, {counted(result.n_objects, 'object')} of "
        f"{counted(len(result.bound.classes), 'class', 'classes')}; {result.labelled_by}"
    )
    sections = [_summary(result), *_questions(result, drawn, pictures)]
    title = (f"Upper bound of {result.classifier}", result.dataset)
    return page(title, about, [*sections, provenance_section(document)])


def _summary(result: UpperBoundResult) -> Section:
    first, *others = bound_sentences(result)
    shown = list(_tiles(result))
    parts = (
        tiles(shown) if shown else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
        failure_notes(result.failed),
        remarks_table(result.remarks),
    )
    return Section("summary", "Summary", parts)


def _tiles(result: UpperBoundResult) -> Iterator[tuple[str, str]]:
    bound, best = result.bound, best_detector(result)
    for name, value in (("UAP", bound.uap), ("accuracy", bound.accuracy)):
        if not math.isnan(value):
            yield name, decimal(value)
    if best is not None:
        yield f"AP, {best.name}", decimal(best.ap)
        if not math.isnan(best.share) and bound.uap >= SHOWN:
            yield "of the UAP", percent(best.share)


def _questions(
    result: UpperBoundResult, drawn: DrawnPlan, pictures: Pictures | None
) -> Iterator[Section]:
    parts: dict[str, tuple[str, ...]] = {
        DETECTORS: (detectors_table(result), iou_table(result)),
        CLASSES: (classes_table(result),),
        RECOGNITION: (strategies_table(result),),
        CONTEXT: (context_table(result),),
    }
    for name, tables in parts.items():
        yield Section(
            name,
            TITLES[name],
            (drawn.cards(name), *tables),
            reading=READINGS[name],
            guide=GUIDE,
        )
    if result.mistakes:
        remarks = (WITHOUT,) if pictures is None else pictures.remarks
        shown = (notes(remarks), *bound_examples(result, pictures))
        yield Section(MISTAKES, TITLES[MISTAKES], shown, reading=READINGS[MISTAKES])
