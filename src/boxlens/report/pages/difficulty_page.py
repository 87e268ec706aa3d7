"""An analysis of difficulty as a page: the data sets, their classes, and what systems do there."""

from __future__ import annotations

import math
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from boxlens.dataset_difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.dataset_difficulty.published import PUBLISHED
from boxlens.dataset_difficulty.verdict import difficulty_sentences
from boxlens.report.charts.measure_densities import set_names
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    SCORE_WORDS,
    defined_measures,
    defined_scores,
    measure_text,
    measure_words,
)
from boxlens.report.frames.difficulty_tables import quartiles
from boxlens.report.pages.difficulty_systems import (
    accuracy_table,
    correlations_table,
    levels_table,
    nodes_table,
    properties_tables,
)
from boxlens.report.pages.markup import (
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
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.matched_subset import MatchedSubset
    from boxlens.dataset_difficulty.result import DifficultyResult
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "difficulty"
MOST_NAMES = 3
# Scores of systems beside each class, before the others at a click.
SHOWN_COLUMNS = 12


def difficulty_page(result: DifficultyResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    first = result.datasets[0]
    n_classes = sum(one.n_objects > 0 for one in first.classes)
    about = (
        f"{first.n_images:,} images, {first.n_objects:,} objects of {n_classes:,} classes; "
        f"{_counted(len(result.datasets), 'data set')}, {_counted(len(result.systems), 'system')}"
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
    return (
        Section(
            DATASETS,
            "Data sets",
            (drawn.cards(DATASETS), _datasets(result), _spread(result)),
            reading="Means over classes, each class once, however many objects it has. Hard are "
            "low scale and CPL (a box of another object would rarely be right), and high values "
            "of all others. Published: as the study of a thousand classes found them, clutter by "
            "windows of Objectness.",
            guide=GUIDE,
        ),
        Section(
            CLASSES,
            "Classes",
            (drawn.cards(CLASSES), _classes(result)),
            reading="Sort by a measure to see which classes are hard by it.",
            guide=GUIDE,
        ),
        Section(
            "accuracy",
            "Accuracy",
            (accuracy_table(result) or notes([f"Accuracy: not shown, {NO_SYSTEMS}."]),),
            reading=f"Of the images of a class: in how many one of the best {result.choice.top_k} "
            "guesses has the right class (cls), and in how many also a box on an object of it "
            "(cls+loc); loc|cls: localized among those named. Means over classes. Upper bound: "
            "right where any system is.",
            guide=GUIDE,
        ),
        Section(
            CORRELATIONS,
            "Correlations",
            (drawn.cards(CORRELATIONS), correlations_table(result)),
            reading="Which difficulty goes with low scores. r is Pearson's correlation over "
            "classes, with a 95 % interval; where that holds 0, no relation is shown.",
            guide=GUIDE,
        ),
        Section(
            HIERARCHY,
            "Class tree",
            (drawn.cards(HIERARCHY), levels_table(result), nodes_table(result)),
            reading="At level 0 only the exact class is right, at 1 also its sisters, and so on "
            "up the tree; boxes are judged as before.",
            guide=GUIDE,
        ),
        Section(
            PROPERTIES,
            "Class properties",
            (drawn.cards(PROPERTIES), properties_tables(result)),
            reading="Means over the classes of a group, with 95 % intervals; small groups say "
            "little. The measures tell whether a group has harder objects.",
            guide=GUIDE,
        ),
        Section(
            SUBSETS,
            "Subsets",
            (drawn.cards(SUBSETS), _subsets(result)),
            reading="The most classes, from the hardest on, whose mean is as hard as the target.",
            guide=GUIDE,
        ),
    )


def report_sections(result: DifficultyResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    """Within a whole report: those that have something to say without further files."""
    shown = (DATASETS, CLASSES, "accuracy", CORRELATIONS, HIERARCHY)
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


def measure_cell(value: float) -> Cell:
    """As figures write it."""
    return Cell(NOTHING) if math.isnan(value) else Cell(measure_text(value), value)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _datasets(result: DifficultyResult) -> str:
    rows = [
        [
            text_cell(name),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            count_cell(one.n_left_out),
            count_cell(sum(row.n_objects > 0 for row in one.classes)),
            *(measure_cell(one.means[measure]) for measure in MEASURE_NAMES),
            text_cell(None if one.windows is None else one.windows.name),
        ]
        for name, one in zip(set_names(result.datasets), result.datasets, strict=True)
    ]
    rows += [
        [
            text_cell(f"{name} (published)"),
            *[Cell(NOTHING)] * 4,
            *(measure_cell(means.get(measure, math.nan)) for measure in MEASURE_NAMES),
            text_cell("Objectness"),
        ]
        for name, means in PUBLISHED.items()
    ]
    headings = ["data set", "images", "objects", "left out", "classes", *MEASURE_WORDS.values()]
    headings += ["windows"]
    return table(headings, rows, caption="Data sets side by side: means over classes", wide=True)


def _spread(result: DifficultyResult) -> str:
    rows = [
        [
            text_cell(MEASURES[measure].title),
            text_cell(name),
            count_cell(one.n_defined[measure]),
            measure_cell(one.means[measure]),
            *map(measure_cell, quartiles(one, measure)),
        ]
        for measure in defined_measures(result.datasets)
        for name, one in zip(set_names(result.datasets), result.datasets, strict=True)
    ]
    headings = ["measure", "data set", "classes with it", "mean", "lower quartile", "median"]
    headings += ["upper quartile"]
    return table(headings, rows, caption="Every measure over classes") if rows else ""


def _classes(result: DifficultyResult) -> str:
    """The first data set with the scores of systems; others at a click."""
    names = set_names(result.datasets)
    first, *others = (
        (name, _class_table(one, name, result if at == 0 else None))
        for at, (name, one) in enumerate(zip(names, result.datasets, strict=True))
    )
    return first[1] + "".join(
        f"<details><summary>{escape(f'Every class of {name}')}</summary>{shown}</details>\n"
        for name, shown in others
    )


def _class_table(dataset: DatasetDifficulty, name: str, result: DifficultyResult | None) -> str:
    scores = [] if result is None else defined_scores(result)
    systems = () if result is None else result.systems
    # By score, so that systems stand beside each other, the main score first.
    columns = [(score, system) for score in scores for system in systems]
    rows = [
        [
            text_cell(one.name),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            *(measure_cell(one.value(measure)) for measure in MEASURE_NAMES),
            *(
                score_cell(system.classes[row].scores.get(score, math.nan))
                for score, system in columns
            ),
        ]
        for row, one in enumerate(dataset.classes)
    ]
    headings = ["class", "images", "objects", *MEASURE_WORDS.values()]
    headings += [f"{SCORE_WORDS[score]}, {system.name}" for score, system in columns]
    n_shown = SHOWN_COLUMNS if len(headings) > SHOWN_COLUMNS else None
    return table(headings, rows, caption=f"Every class of {name}", wide=True, n_shown=n_shown)


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
        ]
        for one in result.subsets
    ]
    headings = ["data set", "by", "target", "mean of", "classes chosen", "of", "their mean"]
    shown = table(headings, rows, caption="Subsets of equal difficulty")
    return shown + "".join(map(_chosen, result.subsets))


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
