"""Examples in the page of robustness: pairs of pictures, or a table where there are none."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.robustness_steps import step_words
from boxlens.report.charts.theme import threshold
from boxlens.report.pages.examples import colour_key, picture_figure, within_budget
from boxlens.report.pages.markup import counted, notes, paragraph, table, text_cell
from boxlens.report.pages.page import Section
from boxlens.report.pictures.robustness_exhibits import (
    KEY,
    MOST_FALSE,
    MOST_STEPS,
    class_words,
    shown_steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.report.pictures.gallery import Gallery, HungWall

EXAMPLES, TITLE = "examples", "Examples"
# Of each detector.
N_OPEN = 3
READING = (
    "Pictures in which most objects were lost that are found in the unchanged one, which stands "
    "on the left, these objects marked. Of each transform the level that costs most AP; of each "
    f"detector at most {MOST_STEPS} transforms, the largest losses first. Detections of score "
    f"{{score}} or more; of false ones the surest {MOST_FALSE} of a picture."
)


def robustness_examples(
    result: RobustnessResult, galleries: Sequence[Gallery], megabytes: float
) -> Section:
    """The first examples of every step, then the second ones, until the page has enough.

    Galleries are those of the detectors; without any, examples are told in a table.
    """
    reading = READING.format(score=threshold(result.choice.shown_score))
    told = [f"{one.message}." for gallery in galleries for one in gallery.notices]
    walls = [hung for gallery in galleries for hung in gallery.walls]
    if not walls:
        return Section(EXAMPLES, TITLE, (notes(told), _table(result)), reading)
    images = within_budget(walls, 1_000_000 * megabytes)
    n_over = sum(len(hung.crops) for hung in walls) - sum(map(len, images))
    if n_over:
        told.append(
            f"{n_over:,} more examples are left out: the pictures of this page take at most "
            f"{megabytes:g} MB (--images-mb)."
        )
    pairs = zip(walls, images, strict=True)
    inner = tuple(
        Section(
            f"{EXAMPLES}-{at}",
            detector_words(detector.name),
            tuple(_walls(list(islice(pairs, len(gallery.walls))))),
        )
        for at, (detector, gallery) in enumerate(zip(result.detectors, galleries, strict=True))
    )
    return Section(EXAMPLES, TITLE, (notes(told), colour_key(KEY)), reading, inner=inner)


def _walls(walls: Sequence[tuple[HungWall, Sequence[str]]]) -> Iterator[str]:
    """The first ones open, all others at a click."""
    texts = [_wall(hung, images) for hung, images in walls if images]
    yield from texts[:N_OPEN]
    if hidden := texts[N_OPEN:]:
        words = counted(len(hidden), "more transform")
        yield f"<details><summary>{words}</summary>{''.join(hidden)}</details>\n"


def _wall(hung: HungWall, images: Sequence[str]) -> str:
    wall = hung.wall
    figures = "".join(
        picture_figure(crop, image) for crop, image in zip(hung.crops, images, strict=False)
    )
    heading = f"<h3>{escape(wall.title)}</h3>{paragraph(wall.reading, 'reading')}"
    return f'<div class="wall">{heading}<div class="crops pairs">{figures}</div></div>\n'


def _table(result: RobustnessResult) -> str:
    rows = [
        [
            text_cell(step_words(one)),
            text_cell(detector_words(detector.name)),
            text_cell(example.file_name or example.image_id),
            text_cell(class_words(example.lost_class)),
            text_cell(class_words(example.found_class)),
            text_cell(class_words(example.false_class)),
        ]
        for detector in result.detectors
        for one in shown_steps(detector)
        for example in one.examples
    ]
    headings = ["pictures", "detector", "made of", "lost", "found", "false detections"]
    return table(headings, rows, caption="Where objects are lost", wide=True) if rows else ""
