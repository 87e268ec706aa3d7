"""An analysis of difficulty as a page: the data sets, their classes, and what systems do there."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from boxlens.dataset_difficulty.verdict import difficulty_sentences
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    defined_measures,
    measure_text,
    measure_words,
)
from boxlens.report.pages.difficulty_datasets import (
    class_tables,
    datasets_table,
    measure_cell,
    spread_table,
    windows_notes,
)
from boxlens.report.pages.difficulty_systems import (
    accuracy_table,
    correlations_table,
    levels_table,
    nodes_table,
    properties_tables,
)
from boxlens.report.pages.markup import (
    count_cell,
    counted,
    notes,
    paragraph,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.planning.difficulty_figures import (
    CLASSES,
    CORRELATIONS,
    DATASETS,
    HIERARCHY,
    NO_SYSTEMS,
    PROPERTIES,
    SUBSETS,
)

if TYPE_CHECKING:
    from boxlens.dataset_difficulty.matched_subset import MatchedSubset
    from boxlens.dataset_difficulty.result import DifficultyResult
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "difficulty"
MOST_NAMES = 3
ACCURACY = "accuracy"
TITLES = {
    DATASETS: "Data sets",
    CLASSES: "Classes",
    ACCURACY: "Accuracy",
    CORRELATIONS: "Correlations",
    HIERARCHY: "Class tree",
    PROPERTIES: "Class properties",
    SUBSETS: "Subsets",
}
READINGS = {
    DATASETS: "Means over classes, each class once, however many objects it has. Hard are low "
    "scale and CPL (a box of another object would rarely be right), and high values of all "
    "others. Published: by Russakovsky and others 2013, clutter with windows of Objectness.",
    CLASSES: "Sort by a measure to see which classes are hard by it.",
    ACCURACY: "Of the images of a class: in how many a guess among the best {top_k} has the right "
    "class (cls), and in how many also a box on an object of it (cls+loc); loc|cls: localized "
    "among those named. Means over classes. Upper bound: right where any system is.",
    CORRELATIONS: "Which difficulty goes with low scores. r is Pearson's correlation over classes, "
    "with a 95 % interval; one that holds 0 may be chance.",
    HIERARCHY: "At level 0 only the exact class is right, at 1 also its sisters, and so on up the "
    "tree; boxes are judged as before.",
    PROPERTIES: "Means over the classes of a group, with 95 % intervals; small groups say little. "
    "The measures tell whether a group has harder objects.",
    SUBSETS: "The most classes, from the hardest on, whose mean is as hard as the target.",
}


def difficulty_page(result: DifficultyResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    first = result.datasets[0]
    n_classes = first.n_classes
    about = (
        f"{counted(first.n_images, 'image')}, {counted(first.n_objects, 'object')} of "
        f"{counted(n_classes, 'class', 'classes')}; "
        f"{counted(len(result.datasets), 'data set')}, {counted(len(result.systems), 'system')}"
    )
    return page(
        page_title(result),
        about,
        [
            summary_section(result),
            *question_sections(result, drawn),
            provenance_section(document),
        ],
    )


def page_title(result: DifficultyResult) -> tuple[str, str]:
    """Who, on which data set; without a system only the data sets are spoken of."""
    names = [one.name for one in result.systems]
    if len(names) > MOST_NAMES:
        names = [f"{len(names)} systems"]
    return " and ".join(names) or "Difficulty of classes", result.datasets[0].name


def question_sections(result: DifficultyResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    """From the data sets to what systems make of them."""
    accuracy = accuracy_table(result) or notes([f"Accuracy: not shown, {NO_SYSTEMS}."])
    parts: dict[str, tuple[str, ...]] = {
        DATASETS: (datasets_table(result), windows_notes(result), spread_table(result)),
        ACCURACY: (accuracy,),
        CORRELATIONS: (correlations_table(result),),
        HIERARCHY: (levels_table(result), nodes_table(result)),
        PROPERTIES: (properties_tables(result),),
        SUBSETS: (_subsets(result),),
        CLASSES: (class_tables(result),),
    }
    return tuple(
        Section(
            name,
            TITLES[name],
            (drawn.cards(name), *shown),
            reading=READINGS[name].format(top_k=result.choice.top_k),
            guide=GUIDE,
        )
        for name, shown in parts.items()
    )


def report_sections(result: DifficultyResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    """Within a whole report: those that have something to say without further files."""
    shown = (DATASETS, CLASSES, ACCURACY, CORRELATIONS, HIERARCHY)
    lead = Section(
        "difficulty-summary", "In short", tuple(map(paragraph, difficulty_sentences(result)))
    )
    parts = (one for one in question_sections(result, drawn) if one.name in shown)
    return (lead, *(replace(one, name=f"difficulty-{one.name}") for one in parts))


def summary_section(result: DifficultyResult) -> Section:
    first, *others = difficulty_sentences(result)
    means = result.datasets[0].means
    numbers = [
        (f"mean {MEASURE_WORDS[name]}", measure_cell(means[name]).text)
        for name in defined_measures(result.datasets[:1])
    ]
    parts = (
        tiles(numbers) if numbers else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _subsets(result: DifficultyResult) -> str:
    if not result.subsets:
        return ""
    rows = [
        [
            text_cell(one.dataset),
            text_cell(measure_words(one.measure)),
            measure_cell(one.target),
            text_cell(one.target_of or None),
            count_cell(len(one.classes)),
            count_cell(len(one.means)),
            measure_cell(one.mean),
            text_cell("yes" if one.reached else _unreached(one)),
        ]
        for one in result.subsets
    ]
    headings = ["data set", "by", "target", "mean of", "classes chosen", "of", "their mean"]
    headings += ["as hard as the target"]
    shown = table(headings, rows, caption="Subsets of equal difficulty")
    return shown + "".join(map(_chosen, result.subsets))


def _unreached(one: MatchedSubset) -> str:
    return "no, all together are still harder" if one.classes else "no class is"


def _chosen(one: MatchedSubset) -> str:
    """The classes by name, the hardest first."""
    if not one.classes:
        return ""
    what = (
        f"{one.dataset} by {measure_words(one.measure)}, target {measure_text(one.target)}: the "
        "chosen classes, the hardest first"
    )
    names = paragraph(", ".join(one.classes))
    return f"<details><summary>{escape(what)}</summary>{names}</details>\n"
