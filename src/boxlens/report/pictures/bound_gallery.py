"""Crops of the objects with a wrong label, with some of what is around them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxlens.data import Notice
from boxlens.images import ImageError, read_picture
from boxlens.report.pictures.bound_exhibits import bound_walls
from boxlens.report.pictures.gallery import Crop, Gallery, HungWall, cut_example, need_pillow

if TYPE_CHECKING:
    from pathlib import Path

    from PIL.Image import Image

    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.pictures.exhibits import Shown

LEFT_OUT = "example_without_picture"


def bound_gallery(
    result: UpperBoundResult, files: ImageFiles, *, progress: Progress | None = None
) -> Gallery:
    """Reads every picture once; those that are not there, or cannot be read, are counted."""
    need_pillow()
    path_of = dict(zip(files.ids.tolist(), files.paths, strict=True))
    kinds = bound_walls(result)
    wanted: dict[int | str, list[Shown]] = {}
    for shown in (one for wall in kinds for one in wall.shown):
        wanted.setdefault(shown.image_id, []).append(shown)
    crops: dict[Shown, Crop] = {}
    n_left_out = 0
    for done, (image_id, examples) in enumerate(wanted.items()):
        if progress is not None:
            progress("cutting examples", done, len(wanted))
        picture = _read(path_of.get(image_id))
        if picture is None:
            n_left_out += 1
            continue
        for one in examples:
            in_pixels = _scaled(one, picture) if result.relative else one
            crops[one] = Crop(cut_example(picture, in_pixels), one)
    hung = [
        HungWall(wall, tuple(crops[one] for one in wall.shown if one in crops)) for wall in kinds
    ]
    message = f"{n_left_out:,} of {len(wanted):,} images with examples have no picture here"
    notices = (Notice(LEFT_OUT, n_left_out, message),) if n_left_out else ()
    return Gallery(tuple(one for one in hung if one.crops), notices)


def _scaled(shown: Shown, picture: Image) -> Shown:
    """Boxes that are fractions of their image, in pixels of its picture."""
    width, height = picture.size
    boxes = tuple(
        ((x * width, y * height, w * width, h * height), colour)
        for (x, y, w, h), colour in shown.boxes
    )
    return replace(shown, boxes=boxes)


def _read(path: Path | None) -> Image | None:
    """None where there is no picture; boxes are in pixels of the very one that was classified."""
    from PIL import Image

    if path is None:
        return None
    try:
        return Image.fromarray(read_picture(path).pixels)
    except ImageError:
        return None
