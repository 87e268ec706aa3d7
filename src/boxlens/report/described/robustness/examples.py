"""Pictures in which most objects were lost, beside the unchanged ones; without any, a table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from boxlens.errors import ParameterError
from boxlens.formats.files import Progress
from boxlens.report.described.examples import (
    colour_key,
    group_markup,
    n_crops,
    within_budget,
)
from boxlens.report.described.extras import Images
from boxlens.report.pictures.gallery import CroppedGroup, Gallery
from boxlens.report.pictures.robustness_exhibits import (
    KEY,
    MOST_FALSE,
    MOST_STEPS,
    class_words,
    robustness_galleries,
    shown_steps,
)
from boxlens.report.study import TEXT, Markup, Note, Section, Table, table_of
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.steps import step_words
from boxlens.wording import counted, number

NAME, TITLE = "examples", "Examples"
# Of each detector.
N_OPEN = 3
READING = (
    "Pictures in which most objects were lost that are found in the unchanged one, which stands "
    "on the left with these objects marked. Of each transform the level that costs most AP; of "
    f"each detector at most {MOST_STEPS} transforms, the largest losses first. Detections with a "
    f"score of {{score}} or more; of false positives the {MOST_FALSE} most confident per picture."
)


class StepGalleries(NamedTuple):
    """Pictures of examples, one gallery per detector, and how much room a page has for them."""

    galleries: tuple[Gallery, ...]
    megabytes: float
    # There are no contact sheets.
    gallery: None = None


def example_pictures(
    result: RobustnessResult, images: Images, megabytes: float, progress: Progress | None
) -> StepGalleries | None:
    """The pictures are those that the detectors were run on."""
    if images is not None:
        raise ParameterError("a report on robustness shows the pictures it was made of (images)")
    if result.pictures is None:
        return None
    return StepGalleries(
        robustness_galleries(result, result.pictures, progress=progress), megabytes
    )


def examples_section(result: RobustnessResult, pictures: StepGalleries | None) -> Section:
    """The first examples of every step, then the second ones, until the page has enough."""
    galleries, megabytes = ((), 0.0) if pictures is None else pictures[:2]
    reading = READING.format(score=number(result.choice.shown_score))
    told = [f"{one.message}." for gallery in galleries for one in gallery.notices]
    groups = [cropped for gallery in galleries for cropped in gallery.groups]
    if not groups:
        return Section(NAME, TITLE, (*map(Note, told), _table(result)), reading)
    shown = within_budget(groups, 1_000_000 * megabytes)
    n_over = n_crops(groups) - n_crops(shown)
    if n_over:
        told.append(
            f"{n_over:,} more examples are not shown: the pictures of this page take at most "
            f"{number(megabytes)} MB (--images-mb)."
        )
    left = iter(shown)
    inner = tuple(
        Section(
            f"{NAME}-{at}",
            detector.name,
            (Markup(_groups(islice(left, len(gallery.groups)))),),
        )
        for at, (detector, gallery) in enumerate(zip(result.detectors, galleries, strict=True))
    )
    return Section(NAME, TITLE, (*map(Note, told), Markup(colour_key(KEY))), reading, inner=inner)


def _groups(groups: Iterable[CroppedGroup]) -> str:
    """The first ones open, all others at a click."""
    texts = [group_markup(cropped, "pairs") for cropped in groups if cropped.crops]
    shown, hidden = "".join(texts[:N_OPEN]), texts[N_OPEN:]
    if not hidden:
        return shown
    words = counted(len(hidden), "more transform")
    return f"{shown}<details><summary>{words}</summary>{''.join(hidden)}</details>\n"


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
