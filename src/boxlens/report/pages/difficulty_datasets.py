"""Tables of data sets and of their classes: every measure, and the windows behind clutter."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from boxlens.dataset_difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.dataset_difficulty.published import PUBLISHED
from boxlens.report.charts.measure_densities import set_names
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    defined_measures,
    defined_scores,
    measure_text,
    score_words,
)
from boxlens.report.frames.difficulty_tables import quartiles
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    counted,
    notes,
    score_cell,
    table,
    text_cell,
)

if TYPE_CHECKING:
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.result import DifficultyResult

# Scores of systems beside each class, before the others at a click.
SHOWN_COLUMNS = 12


def measure_cell(value: float) -> Cell:
    """As figures write it."""
    return Cell(NOTHING) if math.isnan(value) else Cell(measure_text(value), value)


def datasets_table(result: DifficultyResult) -> str:
    rows = [
        [
            text_cell(name),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            count_cell(one.n_left_out),
            count_cell(one.n_classes),
            *(measure_cell(one.means[measure]) for measure in MEASURE_NAMES),
            text_cell(None if one.windows is None else one.windows.name),
            Cell(NOTHING) if one.windows is None else count_cell(one.windows.n_images),
        ]
        for name, one in zip(set_names(result.datasets), result.datasets, strict=True)
    ]
    rows += [
        [
            text_cell(f"{name} (published)"),
            *[Cell(NOTHING)] * 4,
            *(measure_cell(means.get(measure, math.nan)) for measure in MEASURE_NAMES),
            text_cell("Objectness"),
            Cell(NOTHING),
        ]
        for name, means in PUBLISHED.items()
    ]
    headings = ["data set", "images", "objects", "left out", "classes", *MEASURE_WORDS.values()]
    headings += ["windows", "searched"]
    return table(headings, rows, caption="Data sets side by side: means over classes", wide=True)


def windows_notes(result: DifficultyResult) -> str:
    """Clutter is nothing without the windows it was counted with."""
    names = set_names(result.datasets)
    told = map(_windows_note, names, result.datasets)
    return notes(text for text in told if text)


def _windows_note(name: str, one: DatasetDifficulty) -> str:
    used = one.windows
    if used is None:
        return ""
    text = f"Clutter of {name}: {used.name}, the best {used.limit:,} windows of an image"
    if used.made_by:
        text += f" ({used.made_by})"
    if one.searched_in_part:
        text += f". Searched were {used.n_images:,} of {counted(one.n_images, 'image')}; clutter "
        text += "speaks of these alone, and the table of classes tells how many of each"
    return f"{text}."


def spread_table(result: DifficultyResult) -> str:
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


def class_tables(result: DifficultyResult) -> str:
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
    in_part = dataset.searched_in_part
    rows = [
        [
            text_cell(one.name),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            *(measure_cell(one.value(measure)) for measure in MEASURE_NAMES),
            *([count_cell(one.n_images_searched)] if in_part else []),
            *(
                score_cell(system.classes[row].scores.get(score, math.nan))
                for score, system in columns
            ),
        ]
        for row, one in enumerate(dataset.classes)
    ]
    headings = ["class", "images", "objects", *MEASURE_WORDS.values()]
    headings += ["searched"] if in_part else []
    if result is not None:
        headings += [f"{score_words(result, score)}, {system.name}" for score, system in columns]
    n_shown = SHOWN_COLUMNS if len(headings) > SHOWN_COLUMNS else None
    return table(headings, rows, caption=f"Every class of {name}", wide=True, n_shown=n_shown)
