"""Examples in the page: pictures where there are any, tables otherwise."""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING

from boxlens.errors import ParameterError
from boxlens.report.charts.kinds import KINDS
from boxlens.report.pages.markup import Cell, notes, paragraph, score_cell, table, text_cell
from boxlens.report.pages.page import Section
from boxlens.report.pictures.bound_exhibits import bound_walls
from boxlens.report.pictures.comparison_exhibits import comparison_walls
from boxlens.report.pictures.exhibits import is_duplicate, n_examples, walls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.object_sensitivity import Unexpected
    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.pictures.exhibits import Wall
    from boxlens.report.pictures.gallery import Crop, Gallery, HungWall

# A page that is mailed stays small.
MEGABYTES = 8.0
READING = "What the numbers look like: errors made with the most confidence, and telling images."
WITHOUT = "Pictures are shown where they are given (--images)."


@dataclass(frozen=True, slots=True)
class ShownWall:
    """The examples of one kind, and the pictures of the first of them as data URIs."""

    hung: HungWall
    images: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pictures:
    """What of a gallery the page shows, and a word on what it does not."""

    walls: tuple[ShownWall, ...]
    remarks: tuple[str, ...]

    def of(self, kinds: Iterable[Wall], prefix: str) -> list[ShownWall]:
        names = {prefix + wall.name for wall in kinds}
        return [one for one in self.walls if one.hung.wall.name in names]


def check_megabytes(megabytes: float) -> None:
    if not (math.isfinite(megabytes) and megabytes >= 0):
        raise ParameterError(f"pictures take 0 megabytes or more, got {megabytes:g} (--images-mb)")


def fit_pictures(gallery: Gallery | None, megabytes: float = MEGABYTES) -> Pictures | None:
    """The first examples of every kind, then the second ones, until the page has enough."""
    if gallery is None:
        return None
    images = within_budget(gallery.walls, 1_000_000 * megabytes)
    n_over = sum(len(hung.crops) for hung in gallery.walls) - sum(map(len, images))
    remarks = [notice.message for notice in gallery.notices]
    if n_over:
        remarks.append(
            f"{n_over:,} more examples are in the contact sheets, figures/gallery_*.jpg: the "
            f"pictures of this page take at most {megabytes:g} MB (--images-mb)."
        )
    shown = (ShownWall(*pair) for pair in zip(gallery.walls, map(tuple, images), strict=True))
    return Pictures(tuple(shown), tuple(remarks))


def examples_section(parts: Sequence[str], pictures: Pictures | None) -> Section:
    """With remarks on pictures that are not there."""
    remarks = (WITHOUT,) * bool(parts) if pictures is None else pictures.remarks
    return Section("examples", "Examples", (notes(remarks), *parts), READING)


def diagnosis_examples(
    result: DiagnosisResult, pictures: Pictures | None, prefix: str = ""
) -> tuple[str, ...]:
    """The most confident errors of each kind, and objects found against expectation."""
    if pictures is None:
        return _tables(result)
    mine = pictures.of(walls(result), prefix)
    n_hung = sum(len(one.hung.crops) for one in mine)
    # Those without a picture are told at least.
    tables = _tables(result) if n_hung < n_examples(result) else ()
    return (*map(_wall, mine), *tables)


def comparison_examples(
    result: ComparisonResult, pictures: Pictures | None, prefix: str = ""
) -> tuple[str, ...]:
    """Images that one of the best two wins, that both fail, or that they dispute."""
    kinds = comparison_walls(result)
    mine = [] if pictures is None else pictures.of(kinds, prefix)
    if mine:
        return tuple(map(_wall, mine))
    return tuple(
        table(
            ["image", "file", "scores", "objects"],
            [
                [
                    text_cell(one.image_id),
                    text_cell(one.file_name or None),
                    text_cell(one.caption[0]),
                    text_cell(one.caption[1]),
                ]
                for one in wall.shown
            ],
            caption=wall.title,
        )
        for wall in kinds
        # The page has a table of them elsewhere.
        if wall.name != "disputed"
    )


def bound_examples(result: UpperBoundResult, pictures: Pictures | None) -> tuple[str, ...]:
    """Objects with a wrong label; those without a picture are told at least."""
    mine = [] if pictures is None else pictures.of(bound_walls(result), "")
    if sum(len(one.hung.crops) for one in mine) == len(result.mistakes):
        return tuple(map(_wall, mine))
    rows = [
        [
            text_cell(one.said),
            score_cell(one.score, 2),
            text_cell(one.true_class),
            text_cell(one.object_id),
            text_cell(one.image_id),
            text_cell(one.file_name or None),
        ]
        for one in result.mistakes
    ]
    headings = ["said", "score", "is", "object", "image", "file"]
    caption = "Wrong labels, the most confident first"
    return (*map(_wall, mine), table(headings, rows, caption=caption, wide=True))


def _wall(shown: ShownWall) -> str:
    wall = shown.hung.wall
    figures = "".join(
        picture_figure(crop, image)
        for crop, image in zip(shown.hung.crops, shown.images, strict=False)
    )
    heading = f"<h3>{escape(wall.title)}</h3>{paragraph(wall.reading, 'reading')}"
    kind = "crops whole" if any(one.whole for one in wall.shown) else "crops"
    crops = f'<div class="{kind}">{figures}</div>'
    return f'<div class="wall">{heading}{colour_key(wall.key)}{crops}</div>\n'


def colour_key(entries: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f'<span class="key"><i class="swatch" style="background: {colour}"></i>'
        f"{escape(name)}</span>"
        for name, colour in entries
    )
    return f'<p class="legend">{items}</p>'


def within_budget(hung_walls: Sequence[HungWall], most_bytes: float) -> list[list[str]]:
    """Data URIs, level by level, so that what does not fit is left out of all kinds alike."""
    images: list[list[str]] = [[] for _ in hung_walls]
    spent = 0
    for level in zip_longest(*(hung.crops for hung in hung_walls)):
        for at, crop in enumerate(level):
            if crop is None:
                continue
            image = f"data:image/jpeg;base64,{b64encode(crop.jpeg()).decode()}"
            if spent + len(image) > most_bytes:
                return images
            images[at].append(image)
            spent += len(image)
    return images


def picture_figure(crop: Crop, image: str) -> str:
    said, numbers = map(escape, crop.shown.caption)
    told, where = escape(crop.shown.alternative), escape(crop.shown.image_words)
    width, height = crop.image.size
    return (
        f'<figure title="{told}"><img src="{image}" width="{width}" height="{height}" '
        f'alt="{told}" decoding="async"><figcaption>{said}<span>{numbers}</span>'
        f"<span>{where}</span></figcaption></figure>"
    )


def _tables(result: DiagnosisResult) -> tuple[str, ...]:
    misses = result.sensitivity.misses
    exhibits = [
        [
            text_cell(KINDS["dupe" if is_duplicate(one, result.hoiem.iou) else one.kind].label),
            text_cell(one.class_name),
            score_cell(one.score),
            text_cell(one.object_class),
            score_cell(one.iou, 2),
            score_cell(one.one_minus_recall, 2),
            text_cell(one.image_id),
        ]
        for one in result.gallery
    ]
    headings = ["kind", "said", "score", "is on", "IoU", "1-recall", "image"]
    parts = []
    if exhibits:
        caption = "The most confident false positives of each kind"
        parts.append(table(headings, exhibits, caption=caption, wide=True))
    for what, rows in (("difficult", misses.difficult), ("easy", misses.easy)):
        if rows:
            parts.append(_objects(f"Objects that are unexpectedly {what}", rows))
    return tuple(parts)


def _objects(caption: str, rows: Sequence[Unexpected]) -> str:
    cells: list[list[Cell]] = [
        [
            text_cell(row.class_name),
            score_cell(row.achieved),
            score_cell(row.predicted),
            text_cell(row.object_id),
            text_cell(row.image_id),
        ]
        for row in rows
    ]
    headings = ["class", "P_N", "expected", "object", "image"]
    return table(headings, cells, caption=caption, wide=True)
