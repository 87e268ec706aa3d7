"""Pictures in which most objects were lost, beside the unchanged ones; without any, a table."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from boxlens.report.pictures.robustness_exhibits import (
    KEY,
    MOST_FALSE,
    MOST_STEPS,
    class_words,
    shown_steps,
)
from boxlens.report.study import TEXT, Markup, Note, Section, table_of
from boxlens.studies.robustness.steps import step_words
from boxlens.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.pictures.gallery import Gallery, HungWall
    from boxlens.report.study import Table
    from boxlens.studies.robustness.result import RobustnessResult

NAME, TITLE = "examples", "Examples"
# Of each detector.
N_OPEN = 3
READING = (
    "Pictures in which most objects were lost that are found in the unchanged one, which stands "
    "on the left with these objects marked. Of each transform the level that costs most AP; of "
    f"each detector at most {MOST_STEPS} transforms, the largest losses first. Detections with a "
    f"score of {{score}} or more; of false positives the {MOST_FALSE} most confident per picture."
)


def examples_section(
    result: RobustnessResult, galleries: Sequence[Gallery], megabytes: float
) -> Section:
    """The first examples of every step, then the second ones, until the page has enough."""
    reading = READING.format(score=number(result.choice.shown_score))
    told = [f"{one.message}." for gallery in galleries for one in gallery.notices]
    walls = [hung for gallery in galleries for hung in gallery.walls]
    if not walls:
        return Section(NAME, TITLE, (*map(Note, told), _table(result)), reading)
    from boxlens.report.described.examples import colour_key, within_budget

    images = within_budget(walls, 1_000_000 * megabytes)
    n_over = sum(len(hung.crops) for hung in walls) - sum(map(len, images))
    if n_over:
        told.append(
            f"{n_over:,} more examples are not shown: the pictures of this page take at most "
            f"{number(megabytes)} MB (--images-mb)."
        )
    pairs = zip(walls, images, strict=True)
    inner = tuple(
        Section(
            f"{NAME}-{at}",
            detector.name,
            (Markup(_walls(list(islice(pairs, len(gallery.walls))))),),
        )
        for at, (detector, gallery) in enumerate(zip(result.detectors, galleries, strict=True))
    )
    return Section(NAME, TITLE, (*map(Note, told), Markup(colour_key(KEY))), reading, inner=inner)


def _walls(walls: Sequence[tuple[HungWall, Sequence[str]]]) -> str:
    """The first ones open, all others at a click."""
    texts = [_wall(hung, images) for hung, images in walls if images]
    shown, hidden = "".join(texts[:N_OPEN]), texts[N_OPEN:]
    if not hidden:
        return shown
    words = counted(len(hidden), "more transform")
    return f"{shown}<details><summary>{words}</summary>{''.join(hidden)}</details>\n"


def _wall(hung: HungWall, images: Sequence[str]) -> str:
    from boxlens.report.described.examples import picture_figure
    from boxlens.report.pages.markup import paragraph

    wall = hung.wall
    figures = "".join(
        picture_figure(crop, image) for crop, image in zip(hung.crops, images, strict=False)
    )
    heading = f"<h3>{escape(wall.title)}</h3>{paragraph(wall.reading, 'reading')}"
    return f'<div class="wall">{heading}<div class="crops pairs">{figures}</div></div>\n'


def _table(result: RobustnessResult) -> Table[Any]:
    rows = (
        (
            step_words(one),
            detector.name,
            example.file_name or example.image_id,
            *map(class_words, (example.lost_class, example.found_class, example.false_class)),
        )
        for detector in result.detectors
        for one in shown_steps(detector)
        for example in one.examples
    )
    headings = ("pictures", "detector", "file", "lost", "found", "false positives")
    forms = dict.fromkeys(headings, TEXT)
    return table_of("", "Where objects are lost", forms, rows, wide=True, unprinted=True)
