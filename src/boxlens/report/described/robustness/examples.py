"""Pictures in which most objects were lost, beside the unchanged ones; without any, a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boxlens.data import counted_notice
from boxlens.data.columns import Boxes
from boxlens.errors import ParameterError
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.progress import Progress
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.examples import colour_key, group_markup, n_crops, within_budget
from boxlens.report.described.extras import Images
from boxlens.report.pictures.exhibits import OBJECT_COLOUR, Box, ExampleGroup, Shown
from boxlens.report.pictures.gallery import Crop, CroppedGroup, Gallery, cut_example, need_pillow
from boxlens.report.study import TEXT, Markup, Note, Section, Table, table_of
from boxlens.studies.robustness.picture_set import StepPictures
from boxlens.studies.robustness.result import (
    DetectorRobustness,
    Example,
    RobustnessResult,
    StepRobustness,
)
from boxlens.studies.robustness.steps import level_words, step_words, worst_of_transforms
from boxlens.wording import counted, number, score

if TYPE_CHECKING:
    from PIL.Image import Image

    # A copy as large as it is shown, and its size by that of the picture.
    Small = tuple[Image, tuple[float, float]]

NAME, TITLE = "examples", "Examples"
# Of each detector, and those that a page shows before a click.
MOST_STEPS, N_OPEN = 12, 3
# Named in a caption; and false detections drawn in a picture.
MOST_CLASSES, MOST_FALSE = 4, 5
# Seen on pictures of any kind, night scenes too: the colours of kinds of errors are not.
LOST: Final = KINDS["cls"].colour
FALSE: Final = KINDS["dupe"].colour
KEY: Final = (
    ("object found in the unchanged picture, on the left, and lost in the changed one", LOST),
    ("found object", OBJECT_COLOUR),
    ("false positive", FALSE),
)
GAP_PX, LEAST_HEIGHT_PX = 6, 160


class StepGalleries(NamedTuple):
    """Pictures of examples, one gallery per detector, and how much room a page has for them."""

    galleries: tuple[Gallery, ...]
    megabytes: float
    # There are no contact sheets.
    gallery: None = None


def example_pictures(
    result: RobustnessResult, images: Images, megabytes: float, progress: Progress | None
) -> StepGalleries | None:
    """Of the pictures that the detectors were run on, and a word on those that cannot be read."""
    if images is not None:
        raise ParameterError("a report on robustness shows the pictures it was made of (images)")
    pictures = result.pictures
    if pictures is None:
        return None
    need_pillow()
    # Many steps show the same unchanged pictures: each is read once.
    unchanged = cache(partial(_small, pictures))
    galleries = []
    for done, detector in enumerate(result.detectors):
        if progress:
            progress("drawing examples", done, len(result.detectors))
        groups = [_cropped(detector, one, pictures, unchanged) for one in shown_steps(detector)]
        n_absent = sum(len(cropped.group.shown) - len(cropped.crops) for cropped in groups)
        notices = counted_notice(
            "example_unreadable",
            n_absent,
            f"examples of {detector.name} have no picture that can be read",
            f"example of {detector.name} has no picture that can be read",
        )
        galleries.append(Gallery(tuple(one for one in groups if one.crops), notices))
    return StepGalleries(tuple(galleries), megabytes)


def examples_section(result: RobustnessResult, pictures: StepGalleries | None) -> Section:
    """The first examples of every step, then the second ones, until the page has enough."""
    galleries, megabytes = ((), 0.0) if pictures is None else pictures[:2]
    reading = (
        "Pictures in which most objects were lost that are found in the unchanged one, which "
        "is on the left, with these objects marked. Of each transform the level that costs "
        f"most AP; of each detector at most {MOST_STEPS} transforms, the largest losses first. "
        f"Detections with a score of {number(result.choice.shown_score)} or more; of false "
        f"positives the {MOST_FALSE} most confident per picture."
    )
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
    own = (Markup(_groups([next(left) for _ in gallery.groups])) for gallery in galleries)
    inner = tuple(
        Section(f"{NAME}-{at}", detector.name, (markup,))
        for at, (detector, markup) in enumerate(zip(result.detectors, own, strict=True))
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


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """Of each transform with examples the level that costs most, the largest losses first."""
    with_examples = (one for one in detector.steps if one.examples)
    return worst_of_transforms(detector, with_examples)[:MOST_STEPS]


def class_words(names: Iterable[str]) -> str:
    """3 person, dog: the most frequent first."""
    counts = Counter(names).most_common()
    told = [f"{n} {name}" if n > 1 else name for name, n in counts[:MOST_CLASSES]]
    n_more = sum(n for _, n in counts[MOST_CLASSES:])
    return ", ".join([*told, *[f"{n_more} more"] * (n_more > 0)]) or "nothing"


def _small(pictures: StepPictures, key: int | str) -> Small | None:
    """Of the unchanged picture that examples were made of."""
    row = pictures.row_of_image.get(key)
    pixels = None if row is None else pictures.picture_of(CLEAN, row)
    if pixels is None:
        return None
    image = _drawn(pixels, Shown(key, (), ("", ""), whole=True))
    height, width = pixels.shape[:2]
    return image, (image.width / width, image.height / height)


def _cropped(
    detector: DetectorRobustness,
    one: StepRobustness,
    pictures: StepPictures,
    unchanged: Callable[[int | str], Small | None],
) -> CroppedGroup:
    shown = tuple(map(_shown, one.examples))
    crops = []
    for example, told in zip(one.examples, shown, strict=True):
        pixels = pictures.picture_of(one.step, example.row)
        small = unchanged(example.image_id)
        if pixels is not None and small is not None:
            # Where what is lost was found.
            found = replace(told, boxes=tuple(_coloured(example.lost_clean_box, LOST)))
            before = cut_example(small[0], found, small[1])
            crops.append(Crop(_side_by_side(before, _drawn(pixels, told)), told))
    reference = detector.reference_of(one)
    whole = f"{level_words(reference) or 'unchanged'} {score(reference.metrics['AP'])}"
    reading = f"AP {score(one.metrics['AP'])}, {whole}."
    # One key stands above all of them.
    return CroppedGroup(
        ExampleGroup(one.step.slug, step_words(one), reading, (), shown), tuple(crops)
    )


def _shown(example: Example) -> Shown:
    # The most confident come first.
    drawn = f", {MOST_FALSE} drawn" * (len(example.false_box) > MOST_FALSE)
    others = (("found", example.found_class), (f"false{drawn}", example.false_class))
    told = "; ".join(f"{what}: {class_words(names)}" for what, names in others if names)
    boxes = (
        *_coloured(example.found_box, OBJECT_COLOUR),
        *_coloured(example.false_box[:MOST_FALSE], FALSE),
        *_coloured(example.lost_box, LOST),
    )
    caption = f"lost: {class_words(example.lost_class)}", told
    return Shown(example.image_id, boxes, caption, example.file_name, whole=True)


def _coloured(boxes: Boxes, colour: str) -> Iterator[tuple[Box, str]]:
    for x, y, width, height in boxes.tolist():
        yield (x, y, width, height), colour


def _drawn(pixels: Pixels, shown: Shown) -> Image:
    from PIL import Image

    return cut_example(Image.fromarray(pixels), shown)


def _side_by_side(before: Image, after: Image) -> Image:
    """As high as the changed picture, which may be the crop of one object."""
    from PIL import Image

    height = max(after.height, LEAST_HEIGHT_PX)
    width = max(round(before.width * height / before.height), 1)
    pair = Image.new("RGB", (width + GAP_PX + after.width, height), "white")
    pair.paste(before.resize((width, height), Image.Resampling.LANCZOS), (0, 0))
    pair.paste(after, (width + GAP_PX, (height - after.height) // 2))
    return pair
