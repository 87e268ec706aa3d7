"""Crops of the objects with a wrong label, with some of what is around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.data import Notice
from boxlens.images import ImageError, read_picture
from boxlens.report.charts.kinds import KINDS
from boxlens.report.pictures.exhibits import Shown, Wall
from boxlens.report.pictures.gallery import Crop, Gallery, HungWall, cut_example, need_pillow
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from PIL.Image import Image

    from boxlens.formats.files import Progress
    from boxlens.studies.upper_bound.result import Mistake, UpperBoundResult

COLOUR = KINDS["cls"].colour
LEFT_OUT = "example_without_picture"


def bound_gallery(
    result: UpperBoundResult,
    path_of: Mapping[int | str, Path],
    *,
    progress: Progress | None = None,
) -> Gallery:
    """Reads every picture once; those that are missing, or cannot be read, are counted."""
    need_pillow()
    shown = tuple(map(_shown, result.mistakes))
    wanted: dict[int | str, list[Shown]] = {}
    for one in shown:
        wanted.setdefault(one.image_id, []).append(one)
    crops: dict[Shown, Crop] = {}
    n_left_out = 0
    for done, (image_id, examples) in enumerate(wanted.items()):
        if progress is not None:
            progress("cutting examples", done, len(wanted))
        picture = _read(path_of.get(image_id))
        if picture is None:
            n_left_out += 1
            continue
        # Boxes may be fractions of their image.
        scale = picture.size if result.relative else (1.0, 1.0)
        crops |= {one: Crop(cut_example(picture, one, scale), one) for one in examples}
    hung = HungWall(_wall(shown), tuple(crops[one] for one in shown if one in crops))
    message = f"{n_left_out:,} of {len(wanted):,} images with examples have no picture here"
    notices = (Notice(LEFT_OUT, n_left_out, message),) if n_left_out else ()
    return Gallery((hung,) if hung.crops else (), notices)


def _wall(shown: tuple[Shown, ...]) -> Wall:
    return Wall(
        name="mistakes",
        title="Wrong labels, the most confident first",
        reading="The label that the classifier gives to the box, and the true class. Look for "
        "labels that are wrong in the ground truth, for objects in front of others, and for "
        "classes that people confuse, too.",
        key=(("object", COLOUR),),
        shown=shown,
    )


def _shown(one: Mistake) -> Shown:
    x, y, w, h = one.box.tolist()
    return Shown(
        image_id=one.image_id,
        boxes=(((x, y, w, h), COLOUR),),
        caption=(f"{one.said} {score(one.score)}", f"is {one.true_class}"),
        file_name=one.file_name,
    )


def _read(path: Path | None) -> Image | None:
    """None where there is no picture; boxes are in pixels of the very one that was classified."""
    from PIL import Image

    if path is None:
        return None
    try:
        return Image.fromarray(read_picture(path).pixels)
    except ImageError:
        return None
