"""Examples as pictures: crops around boxes, for the page and as contact sheets."""

from __future__ import annotations

import io
import math
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.data import Dataset, Notice
from boxlens.errors import InputError, MissingExtraError
from boxlens.images import ImageError, ImageFiles, find_images, read_picture
from boxlens.progress import Progress
from boxlens.report.pictures.exhibits import Box, ExampleGroup, Shown

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as BitmapFont

# The longer side of a crop, and of a whole picture.
TILE_PX = 240
WHOLE_PX = 400
# Room around the boxes, as a share of their longer side, and at least so many pixels.
CONTEXT, LEAST_CONTEXT_PX = 0.4, 12
# A small crop is enlarged at most so many times.
MOST_ENLARGED = 5
LINE_PX = 3
WHOLE_LINE_PX = 2
QUALITY = 78
COLUMNS = 5
CAPTION_PX = 49
MARGIN_PX = 8
# Sides that agree to this share are the same size, rounded.
SAME_SIZE = 0.02
SAME = (1.0, 1.0)
PROBLEMS = {
    "example_without_picture": "have no picture here",
    "example_unreadable": "cannot be read",
    "example_of_other_size": "are of another size than the ground truth says: boxes are scaled",
}


@dataclass(frozen=True)
class Crop:
    """A small picture with boxes drawn in, and what it shows."""

    image: Image
    shown: Shown

    @cached_property
    def uri(self) -> str:
        """For a page."""
        return f"data:image/jpeg;base64,{b64encode(_jpeg(self.image)).decode()}"


@dataclass(frozen=True, slots=True)
class CroppedGroup:
    """The examples of one kind whose pictures are there."""

    group: ExampleGroup
    crops: tuple[Crop, ...]


@dataclass(frozen=True, slots=True)
class Gallery:
    """All kinds, and a word on pictures that are missing or do not fit."""

    groups: tuple[CroppedGroup, ...]
    notices: tuple[Notice, ...]


def crop_examples(
    kinds: Sequence[ExampleGroup],
    dataset: Dataset,
    images: ImageFiles | str | PathLike[str],
    *,
    progress: Progress | None = None,
) -> Gallery:
    """With the pictures of a data set."""
    files = images if isinstance(images, ImageFiles) else find_images(images, dataset=dataset)[0]
    path_of = dict(zip(files.ids.tolist(), files.paths, strict=True))
    scale_of = partial(_scale, dataset, dataset.images.row_of_id())
    return crop_from_files(kinds, path_of, scale_of, progress=progress)


def crop_from_files(
    kinds: Sequence[ExampleGroup],
    path_of: Mapping[int | str, Path],
    scale_of: Callable[[Image, int | str], tuple[float, float]],
    *,
    progress: Progress | None = None,
) -> Gallery:
    """Reads every picture once; `scale_of` leads from the boxes' numbers to its pixels."""
    need_pillow()
    wanted: defaultdict[int | str, list[Shown]] = defaultdict(list)
    for shown in (one for group in kinds for one in group.shown):
        wanted[shown.image_id].append(shown)
    crops: dict[Shown, Crop] = {}
    problems: Counter[str] = Counter()
    for done, (image_id, examples) in enumerate(wanted.items()):
        if progress:
            progress("cutting examples", done, len(wanted))
        path = path_of.get(image_id)
        picture = None if path is None else _read(path)
        if picture is None:
            problems["example_unreadable" if path else "example_without_picture"] += 1
            continue
        scale = scale_of(picture, image_id)
        # Boxes may be fractions of their image.
        problems["example_of_other_size"] += scale not in (SAME, picture.size)
        crops |= {one: Crop(cut_example(picture, one, scale), one) for one in examples}
    cropped = [
        CroppedGroup(group, tuple(crops[one] for one in group.shown if one in crops))
        for group in kinds
    ]
    notices = [
        Notice(code, n, f"{n:,} of {len(wanted):,} images with examples {text}")
        for code, text in PROBLEMS.items()
        if (n := problems[code])
    ]
    return Gallery(tuple(one for one in cropped if one.crops), tuple(notices))


def _read(path: Path) -> Image | None:
    from PIL import Image

    try:
        return Image.fromarray(read_picture(path).pixels)
    except ImageError:
        return None


def _scale(
    dataset: Dataset, row_of: Mapping[int | str, int], picture: Image, image_id: int | str
) -> tuple[float, float]:
    """From the boxes' numbers to pixels: files may be smaller copies."""
    if dataset.relative:
        return picture.width, picture.height
    row = row_of[image_id]
    told = (float(dataset.images.width_px[row]), float(dataset.images.height_px[row]))
    if not all(side > 0 for side in told):
        return SAME
    scale = (picture.width / told[0], picture.height / told[1])
    return scale if any(abs(factor - 1) > SAME_SIZE for factor in scale) else SAME


def contact_sheet(cropped: CroppedGroup) -> bytes:
    """All crops of a kind with their captions, as one JPEG."""
    from PIL import Image, ImageDraw, ImageFont

    tile_px = max(_tile_px(crop.shown) for crop in cropped.crops)
    columns = min(COLUMNS * TILE_PX // tile_px, len(cropped.crops))
    n_lines = math.ceil(len(cropped.crops) / columns)
    width = columns * (tile_px + MARGIN_PX) + MARGIN_PX
    height = n_lines * (tile_px + CAPTION_PX + MARGIN_PX) + MARGIN_PX
    sheet = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(12)
    for at, crop in enumerate(cropped.crops):
        left = MARGIN_PX + at % columns * (tile_px + MARGIN_PX)
        top = MARGIN_PX + at // columns * (tile_px + CAPTION_PX + MARGIN_PX)
        sheet.paste(crop.image, (left, top + tile_px - crop.image.height))
        for line, text in enumerate((*crop.shown.caption, crop.shown.image_words)):
            place = (left, top + tile_px + 2 + 15 * line)
            draw.text(place, _fitting(text, font, tile_px), fill="#222222", font=font)
    return _jpeg(sheet)


def cut_example(picture: Image, shown: Shown, scale: tuple[float, float] = SAME) -> Image:
    """A picture, or the part of it around the boxes, with the boxes drawn in."""
    from PIL import Image, ImageDraw

    boxes = [(_corners(box, scale), colour) for box, colour in shown.boxes]
    whole = (0.0, 0.0, float(picture.width), float(picture.height))
    around = whole if shown.whole else _window([box for box, _ in boxes], picture.size)
    left, top, right, bottom = around
    zoom = min(_tile_px(shown) / max(right - left, bottom - top), MOST_ENLARGED)
    size = (max(round((right - left) * zoom), 1), max(round((bottom - top) * zoom), 1))
    crop = picture.resize(size, Image.Resampling.LANCZOS, box=(left, top, right, bottom))
    draw = ImageDraw.Draw(crop)
    for (x1, y1, x2, y2), colour in boxes:
        corners = ((x1 - left) * zoom, (y1 - top) * zoom, (x2 - left) * zoom, (y2 - top) * zoom)
        _draw_box(draw, corners, size, colour, WHOLE_LINE_PX if shown.whole else LINE_PX)
    return crop


def _tile_px(shown: Shown) -> int:
    return WHOLE_PX if shown.whole else TILE_PX


def _draw_box(
    draw: ImageDraw,
    corners: tuple[float, float, float, float],
    size: tuple[int, int],
    colour: str,
    line_px: int,
) -> None:
    """A coloured line between thin white ones: seen on any ground, and inside the crop."""
    x1, y1, x2, y2 = (round(value) for value in corners)
    edge = line_px + 1
    x1, y1 = max(x1, 1), max(y1, 1)
    x2, y2 = min(max(x2, x1 + 2 * edge), size[0] - 2), min(max(y2, y1 + 2 * edge), size[1] - 2)
    if x2 <= x1 or y2 <= y1:
        return
    draw.rectangle((x1 - 1, y1 - 1, x2 + 1, y2 + 1), outline="white", width=line_px + 2)
    draw.rectangle((x1, y1, x2, y2), outline=colour, width=line_px)


def _corners(box: Box, scale: tuple[float, float]) -> Box:
    x, y, width, height = box
    return (x * scale[0], y * scale[1], (x + width) * scale[0], (y + height) * scale[1])


def _window(boxes: list[Box], size: tuple[int, int]) -> Box:
    """Around all boxes with some context, inside the picture, at least a pixel wide and high."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[2] for box in boxes), max(box[3] for box in boxes)
    room = max(CONTEXT * max(right - left, bottom - top), LEAST_CONTEXT_PX)
    x1 = min(max(left - room, 0), size[0] - 1)
    y1 = min(max(top - room, 0), size[1] - 1)
    x2 = max(min(right + room, size[0]), x1 + 1)
    y2 = max(min(bottom + room, size[1]), y1 + 1)
    return (x1, y1, x2, y2)


def _fitting(text: str, font: FreeTypeFont | BitmapFont, width_px: int) -> str:
    """Cut where it would run into its neighbour."""
    if font.getlength(text) <= width_px:
        return text
    while text and font.getlength(f"{text}...") > width_px:
        text = text[:-1]
    return f"{text}..."


def _jpeg(image: Image) -> bytes:
    packed = io.BytesIO()
    image.save(packed, "JPEG", quality=QUALITY, optimize=True)
    return packed.getvalue()


def check_pictures(folder: str | Path) -> None:
    """Before long work: whether pictures can be shown at all."""
    need_pillow()
    if not Path(folder).is_dir():
        raise InputError("no such folder of pictures", path=folder)


def need_pillow() -> None:
    try:
        import PIL.Image  # noqa: F401
    except ImportError as problem:
        raise MissingExtraError("a gallery of pictures", "pillow", "images") from problem
