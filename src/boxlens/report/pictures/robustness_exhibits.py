"""What a change of pictures costs, to be looked at: changed pictures beside unchanged ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from boxlens.data import counted_notice
from boxlens.data.columns import Boxes
from boxlens.formats.files import Progress
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.report.charts.kinds import KINDS
from boxlens.report.pictures.exhibits import OBJECT_COLOUR, Box, ExampleGroup, Shown
from boxlens.report.pictures.gallery import Crop, CroppedGroup, Gallery, cut_example, need_pillow
from boxlens.studies.robustness.picture_set import StepPictures
from boxlens.studies.robustness.result import (
    DetectorRobustness,
    Example,
    RobustnessResult,
    StepRobustness,
)
from boxlens.studies.robustness.steps import (
    level_words,
    step_words,
    worst_of_transforms,
)
from boxlens.wording import score

if TYPE_CHECKING:
    from PIL.Image import Image

    # A copy as large as it is shown, and its size by that of the picture.
    Small = tuple[Image, tuple[float, float]]

# Of each detector.
MOST_STEPS: Final = 12
# Seen on pictures of any kind, night scenes too: the colours of kinds of errors are not.
LOST: Final = KINDS["cls"].colour
FALSE: Final = KINDS["dupe"].colour
KEY: Final = (
    ("object found in the unchanged picture, on the left, and lost in the changed one", LOST),
    ("found object", OBJECT_COLOUR),
    ("false positive", FALSE),
)
MOST_CLASSES: Final = 4
# False detections drawn in a picture.
MOST_FALSE: Final = 5
GAP_PX: Final = 6
LEAST_HEIGHT_PX: Final = 160


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """Of each transform with examples the level that costs most, the largest losses first."""
    with_examples = (one for one in detector.steps if one.examples)
    return worst_of_transforms(detector, with_examples)[:MOST_STEPS]


def robustness_galleries(
    result: RobustnessResult, pictures: StepPictures, *, progress: Progress | None = None
) -> tuple[Gallery, ...]:
    """One per detector: examples of every step, and a word on pictures that cannot be shown."""
    need_pillow()
    # Many steps show the same unchanged pictures: each is read once.
    unchanged = cache(partial(_small, pictures))
    galleries = []
    for done, detector in enumerate(result.detectors):
        if progress:
            progress("drawing examples", done, len(result.detectors))
        galleries.append(_gallery(detector, pictures, unchanged))
    return tuple(galleries)


def _gallery(
    detector: DetectorRobustness,
    pictures: StepPictures,
    unchanged: Callable[[int | str], Small | None],
) -> Gallery:
    cropped, n_absent = [], 0
    for one in shown_steps(detector):
        crops = tuple(_crops(one, pictures, unchanged))
        n_absent += len(one.examples) - len(crops)
        if crops:
            cropped.append(CroppedGroup(_group(detector, one), crops))
    notices = counted_notice(
        "example_unreadable",
        n_absent,
        f"examples of {detector.name} have no picture that can be read",
        f"example of {detector.name} has no picture that can be read",
    )
    return Gallery(tuple(cropped), notices)


def _group(detector: DetectorRobustness, one: StepRobustness) -> ExampleGroup:
    reference = detector.reference_of(one)
    before = "unchanged" if reference is detector.clean else level_words(reference)
    return ExampleGroup(
        name=one.step.slug,
        title=step_words(one),
        reading=f"AP {score(one.metrics['AP'])}, {before} {score(reference.metrics['AP'])}.",
        # One key stands above all of them.
        key=(),
        shown=tuple(_shown(example) for example in one.examples),
    )


def _shown(example: Example) -> Shown:
    lost = class_words(example.lost_class)
    others = (("found", example.found_class), (_false_words(example), example.false_class))
    told = "; ".join(f"{what}: {class_words(names)}" for what, names in others if names)
    boxes = (
        *_coloured(example.found_box, OBJECT_COLOUR),
        *_coloured(example.false_box[:MOST_FALSE], FALSE),
        *_coloured(example.lost_box, LOST),
    )
    return Shown(
        image_id=example.image_id,
        boxes=boxes,
        caption=(f"lost: {lost}", told),
        file_name=example.file_name,
        whole=True,
    )


def _false_words(example: Example) -> str:
    """The most confident come first."""
    return f"false, {MOST_FALSE} drawn" if len(example.false_box) > MOST_FALSE else "false"


def class_words(names: Iterable[str]) -> str:
    """3 person, dog: the most frequent first."""
    counts = Counter(names).most_common()
    told = [f"{n} {name}" if n > 1 else name for name, n in counts[:MOST_CLASSES]]
    n_more = sum(n for _, n in counts[MOST_CLASSES:])
    return ", ".join([*told, *[f"{n_more} more"] * (n_more > 0)]) or "nothing"


def _coloured(boxes: Boxes, colour: str) -> Iterator[tuple[Box, str]]:
    for x, y, width, height in boxes.tolist():
        yield (x, y, width, height), colour


def _small(pictures: StepPictures, key: int | str) -> Small | None:
    """Of the unchanged picture that examples were made of."""
    row = pictures.row_of_image.get(key)
    pixels = None if row is None else pictures.picture_of(CLEAN, row)
    if pixels is None:
        return None
    image = _drawn(pixels, Shown(key, (), ("", ""), whole=True))
    height, width = pixels.shape[:2]
    return image, (image.width / width, image.height / height)


def _crops(
    one: StepRobustness, pictures: StepPictures, unchanged: Callable[[int | str], Small | None]
) -> Iterator[Crop]:
    for example in one.examples:
        pixels = pictures.picture_of(one.step, example.row)
        small = unchanged(example.image_id)
        if pixels is not None and small is not None:
            # Where what is lost was found.
            boxes = tuple(_coloured(example.lost_clean_box, LOST))
            found = Shown(example.image_id, boxes, ("", ""), whole=True)
            shown = _shown(example)
            before = cut_example(small[0], found, small[1])
            yield Crop(_side_by_side(before, _drawn(pixels, shown)), shown)


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
