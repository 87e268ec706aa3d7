"""A picture with boxes as numbers for an SVG: the visible part, and the style of each box."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import imagesize  # type: ignore[import-untyped, unused-ignore]
import numpy as np

from boxlens.app.opening.run import Of
from boxlens.app.opening.tables import BoxTable
from boxlens.app.pages.words import NO_ERROR, OTHER_COLOUR, OUTSIDE, cut_of, kind_named
from boxlens.app.site import Site
from boxlens.data.columns import Rows

TRUTH: Final = "truth"
# Canvas of boxes that are fractions of an image of unknown size.
UNKNOWN_SIDE: Final = 1000.0
# Line styles of the detectors, by their order.
LINES: Final = ("first", "second", "third")
# A crop shows so many times the box, and never less than this share of the image.
AROUND: Final = 1.9
LEAST_SHARE: Final = 0.06
# Width by height of a card.
FRAME: Final = 4 / 3


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the plane, as a viewBox has it."""

    x: float
    y: float
    width: float
    height: float

    def text(self) -> str:
        return f"{self.x:.7g} {self.y:.7g} {self.width:.7g} {self.height:.7g}"


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box and all that a script or a reader asks about it."""

    # "d" or "o" and the row in its table.
    name: str
    # "truth", or the row of the detector.
    layer: str
    look: str
    x: float
    y: float
    width: float
    height: float
    colour: str
    class_name: str
    # Of detections only; else NaN.
    score: float
    iou: float
    # The label under each scheme.
    kinds: tuple[str | None, ...]
    # Of an object: the score of each detector's box that hits it, None where none does.
    hits: tuple[float | None, ...] = ()

    @property
    def kinds_json(self) -> str:
        return json.dumps(self.kinds)

    @property
    def hits_json(self) -> str:
        return json.dumps(self.hits)


@dataclass(frozen=True, slots=True)
class Outline:
    """Boxes of one look and colour as one path."""

    look: str
    colour: str
    path: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One image: its whole, the part that is seen, the address of its picture ("" for none)."""

    whole: Span
    seen: Span
    picture: str
    boxes: tuple[DrawnBox, ...]
    words: str

    def outlines(self) -> list[Outline]:
        """All boxes in a few paths, ground truth first: a page has thousands of them."""
        paths: dict[tuple[str, str], list[str]] = {}
        for box in self.boxes:
            colour = "" if box.layer == TRUTH else box.colour
            line = f"M{box.x:.6g} {box.y:.6g}h{box.width:.6g}v{box.height:.6g}h{-box.width:.6g}z"
            paths.setdefault((box.look, colour), []).append(line)
        made = [Outline(look, colour, "".join(path)) for (look, colour), path in paths.items()]
        return sorted(made, key=lambda one: bool(one.colour))


def scene(
    site: Site,
    image_row: int,
    boxes: Sequence[DrawnBox],
    *,
    words: str,
    near: DrawnBox | None = None,
    thumbnail: bool = True,
) -> Scene:
    """The image, or what surrounds the box `near`.

    Large boxes come first, so that small ones lie on top and can be pointed at.
    """
    whole = canvas(site, image_row)
    kind = "thumbnail" if thumbnail else "picture"
    has_picture = site.pictures.path(image_row) is not None
    return Scene(
        whole,
        whole if near is None else _crop(whole, near),
        f"{site.root}{kind}/{image_row}" if has_picture else "",
        tuple(sorted(boxes, key=lambda box: -box.width * box.height)),
        words,
    )


def drawn_boxes(
    site: Site,
    of: Of,
    rows: Rows | Sequence[int],
    *,
    scheme: str,
    matches: frozenset[int] = frozenset(),
) -> list[DrawnBox]:
    """Rows of detections or objects of one image; `matches` are emphasised."""
    if not len(rows):
        return []
    run, table = site.run, site.run.boxes(of)
    letter = "o" if of == "objects" else "d"
    names = run.class_names
    schemes = [table.codes[name] for name in run.about["schemes"]]
    iou = table.numbers["iou"]
    across, down = _units(site, int(table.image_row[rows[0]]))
    drawn = []
    for row in map(int, rows):
        label = label_at(table, scheme, row)
        detector = int(table.detector_row[row])
        x, y, width, height = table.box[row].tolist()
        drawn.append(
            DrawnBox(
                name=f"{letter}{row}",
                layer=TRUTH if of == "objects" else str(detector),
                look=_look(of, detector, label) + (" match" if row in matches else ""),
                x=x * across,
                y=y * down,
                width=width * across,
                height=height * down,
                colour=kind_named(label).colour if label else OTHER_COLOUR,
                class_name=names[table.class_row[row]],
                score=math.nan if of == "objects" else float(table.score[row]),
                iou=float(iou[row]),
                kinds=tuple(one.at(row) for one in schemes),
            )
        )
    return drawn


def label_at(table: BoxTable, scheme: str, row: int) -> str | None:
    """What a scheme says of a box; None where there is no scheme."""
    return table.codes[scheme].at(row) if scheme else None


def truth_boxes(
    site: Site,
    image_row: int,
    detectors: Sequence[int],
    *,
    scheme: str,
    matches: frozenset[int] = frozenset(),
) -> list[DrawnBox]:
    """The objects of an image; missed are those that no detector hits from its cut on.

    Labels are those of the first of the detectors.
    """
    run, objects = site.run, site.run.objects
    rows = objects.of_image(image_row, detectors[0])
    boxes = drawn_boxes(site, "objects", rows, scheme=scheme, matches=matches)
    own = {row: objects.score[objects.of_image(image_row, row)] for row in detectors}
    drawn = []
    for place, box in enumerate(boxes):
        scores = {row: float(score[place]) for row, score in own.items()}
        found = any(score >= cut_of(run, row) for row, score in scores.items())
        counts = OUTSIDE not in box.kinds
        look = "truth" if found or not counts else "truth missed"
        hits = tuple(_defined(scores.get(row)) for row in range(len(run.detector_names)))
        emphasis = " match" if box.look.endswith(" match") else ""
        drawn.append(replace(box, look=look + emphasis, hits=hits if counts else ()))
    return drawn


def _defined(score: float | None) -> float | None:
    return None if score is None or math.isnan(score) else score


def canvas(site: Site, image_row: int) -> Span:
    """The image, or the extent of its boxes where its size is not known."""
    width, height = _size(site, image_row)
    if width > 0 and height > 0:
        return Span(0.0, 0.0, width, height)
    if site.run.relative:
        return Span(0.0, 0.0, UNKNOWN_SIDE, UNKNOWN_SIDE)
    tables = (site.run.detections, site.run.objects)
    boxes = np.concatenate([table.box[table.of_image(image_row)] for table in tables])
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0, initial=1.0).tolist()
    return Span(0.0, 0.0, right, bottom)


def _size(site: Site, image_row: int) -> tuple[float, float]:
    """As the data set says, else as the picture has it; not above 0 where neither does."""
    images = site.run.images
    width, height = float(images.width[image_row]), float(images.height[image_row])
    path = site.pictures.path(image_row)
    if (width > 0 and height > 0) or path is None:
        return width, height
    try:
        found = imagesize.get(path)
    except (OSError, ValueError):
        return 0.0, 0.0
    return float(found[0]), float(found[1])


def _units(site: Site, image_row: int) -> tuple[float, float]:
    """What a box of 1 by 1 measures on the canvas."""
    if not site.run.relative:
        return 1.0, 1.0
    whole = canvas(site, image_row)
    return whole.width, whole.height


def _crop(whole: Span, box: DrawnBox) -> Span:
    """A box with what surrounds it, inside the image as far as possible."""
    width = max(AROUND * box.width, AROUND * box.height * FRAME, LEAST_SHARE * whole.width)
    height = width / FRAME
    return Span(
        _start(box.x + box.width / 2, width, whole.x, whole.width),
        _start(box.y + box.height / 2, height, whole.y, whole.height),
        width,
        height,
    )


def _start(middle: float, length: float, origin: float, whole: float) -> float:
    if length >= whole:
        return origin + (whole - length) / 2
    return min(max(middle - length / 2, origin), origin + whole - length)


def _look(of: Of, detector_row: int, label: str | None) -> str:
    if of == "objects":
        return "truth" if label is None or label in NO_ERROR else "truth missed"
    return f"detection {LINES[min(detector_row, len(LINES) - 1)]}"
