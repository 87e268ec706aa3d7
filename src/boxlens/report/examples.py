"""Examples in the page: crops where there are pictures, a table otherwise."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING

from boxlens.report.charts.theme import KINDS
from boxlens.report.exhibits import is_duplicate, n_examples
from boxlens.report.markup import Cell, notes, paragraph, score_cell, table, text_cell
from boxlens.report.page import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.object_sensitivity import Unexpected
    from boxlens.report.gallery import Crop, Gallery, HungWall

# A page that is mailed stays small.
MOST_BYTES = 3_000_000


def examples_section(result: DiagnosisResult, gallery: Gallery | None) -> Section:
    """The most confident errors of each kind, and objects found against expectation."""
    if gallery is None:
        parts = _tables(result)
        remarks = ["Crops are shown where the pictures are given (--images)."] * bool(parts)
        return Section("examples", "Examples", (*parts, notes(remarks)))
    crops, remarks = hung_walls(gallery)
    n_shown = sum(len(hung.crops) for hung in gallery.walls)
    # Those without a picture are told at least.
    tables = _tables(result) if n_shown < n_examples(result) else ()
    return Section("examples", "Examples", (notes(remarks), *crops, *tables))


def hung_walls(gallery: Gallery) -> tuple[tuple[str, ...], list[str]]:
    """The pictures kind by kind, and remarks on those that are not there."""
    shown = _within_budget(gallery.walls)
    parts = []
    remarks = [notice.message for notice in gallery.notices]
    for hung, images in zip(gallery.walls, shown, strict=True):
        figures = "".join(
            _figure(crop, image) for crop, image in zip(hung.crops, images, strict=False)
        )
        wall = hung.wall
        heading = f"<h3>{escape(wall.title)}</h3>{paragraph(wall.reading, 'reading')}"
        kind = "crops whole" if any(one.whole for one in wall.shown) else "crops"
        crops = f'<div class="{kind}">{figures}</div>'
        parts.append(f'<div class="wall">{heading}{_key(wall.key)}{crops}</div>\n')
    n_over = sum(len(hung.crops) for hung in gallery.walls) - sum(map(len, shown))
    if n_over:
        remarks.append(
            f"{n_over:,} more examples are in the contact sheets, figures/gallery_*.jpg."
        )
    return tuple(parts), remarks


def _key(entries: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f'<span class="key"><i class="swatch" style="background: {colour}"></i>{name}</span>'
        for name, colour in entries
    )
    return f'<p class="legend">{items}</p>'


def _within_budget(walls: Sequence[HungWall]) -> list[list[str]]:
    """Data URIs of the first examples of every kind, then the second ones, until it is enough."""
    images: list[list[str]] = [[] for _ in walls]
    spent = 0
    for level in zip_longest(*(hung.crops for hung in walls)):
        for at, crop in enumerate(level):
            if crop is None:
                continue
            image = f"data:image/jpeg;base64,{b64encode(crop.jpeg()).decode()}"
            if spent + len(image) > MOST_BYTES:
                return images
            images[at].append(image)
            spent += len(image)
    return images


def _figure(crop: Crop, image: str) -> str:
    said, numbers = map(escape, crop.shown.caption)
    told, where = escape(crop.shown.alternative), escape(crop.shown.image_words)
    width, height = crop.image.size
    return (
        f'<figure title="{told}"><img src="{image}" width="{width}" height="{height}" '
        f'alt="{told}" loading="lazy"><figcaption>{said}<span>{numbers}</span>'
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
