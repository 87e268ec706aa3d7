"""Examples in the page: pictures where there are any, tables otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import zip_longest
from operator import attrgetter

from boxlens.data import Dataset
from boxlens.errors import ParameterError
from boxlens.formats.files import Progress
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.extras import Images
from boxlens.report.pages.markup import notes, paragraph
from boxlens.report.pictures.exhibits import Wall, is_duplicate, walls
from boxlens.report.pictures.gallery import Crop, Gallery, HungWall, hang
from boxlens.report.study import ID, SCORE, TEXT, Markup, Part, Section, table_of
from boxlens.studies.diagnosis import DiagnosisResult

EXAMPLES = "examples"
# A page that is mailed stays small.
MEGABYTES = 8.0
READING = "What the numbers look like: errors made with the most confidence, and telling images."
WITHOUT = "Pictures are shown where they are given (--images)."


@dataclass(frozen=True, slots=True)
class Pictures:
    """A gallery, those of its pictures that the page shows, and a word on the others."""

    gallery: Gallery
    walls: tuple[HungWall, ...]
    remarks: tuple[str, ...]


def check_megabytes(megabytes: float) -> None:
    if not (math.isfinite(megabytes) and megabytes >= 0):
        raise ParameterError(f"pictures take 0 megabytes or more, got {megabytes:g} (--images-mb)")


def hang_examples(
    kinds: Callable[[], Sequence[Wall]],
    dataset: Dataset,
    images: Images,
    megabytes: float,
    progress: Progress | None,
) -> Pictures | None:
    """The examples whose pictures are given."""
    if images is None:
        return None
    return fit_pictures(hang(kinds(), dataset, images, progress=progress), megabytes)


def fit_pictures(gallery: Gallery, megabytes: float = MEGABYTES) -> Pictures:
    """The first examples of every kind, then the second ones, until the page has enough."""
    shown = within_budget(gallery.walls, 1_000_000 * megabytes)
    n_over = n_crops(gallery.walls) - n_crops(shown)
    remarks = [notice.message for notice in gallery.notices]
    if n_over:
        remarks.append(
            f"{n_over:,} more examples are in the contact sheets, figures/gallery_*.jpg: the "
            f"pictures of this page take at most {megabytes:g} MB (--images-mb)."
        )
    return Pictures(gallery, shown, tuple(remarks))


def within_budget(hung: Sequence[HungWall], most_bytes: float) -> tuple[HungWall, ...]:
    """Level by level, so that what does not fit is left out of all kinds alike."""
    levels = zip_longest(*(one.crops for one in hung))
    by_level = ((at, crop) for level in levels for at, crop in enumerate(level) if crop)
    n_shown, spent = [0] * len(hung), 0
    for at, crop in by_level:
        spent += len(crop.uri)
        if spent > most_bytes:
            break
        n_shown[at] += 1
    return tuple(replace(one, crops=one.crops[:n]) for one, n in zip(hung, n_shown, strict=True))


def n_crops(hung: Iterable[HungWall]) -> int:
    return sum(len(one.crops) for one in hung)


def examples_section(
    parts: Sequence[Part], pictures: Pictures | None = None, *, some: bool = False
) -> Section:
    """With remarks on pictures that are not there, where there are parts or `some` elsewhere."""
    remarks = (WITHOUT,) * (bool(parts) or some) if pictures is None else pictures.remarks
    return Section(EXAMPLES, "Examples", (Markup(notes(remarks)), *parts), READING)


def diagnosis_examples(
    result: DiagnosisResult, pictures: Pictures | None, prefix: str = ""
) -> tuple[Part, ...]:
    """The most confident errors of each kind, and objects found against expectation."""
    if pictures is None:
        return _tables(result)
    kinds = walls(result)
    # Those without a picture are told at least.
    n_hung = n_crops(_named(pictures.gallery.walls, kinds, prefix))
    tables = _tables(result) if n_hung < sum(len(wall.shown) for wall in kinds) else ()
    mine = _named(pictures.walls, kinds, prefix)
    return (*(Markup(wall_markup(one)) for one in mine), *tables)


def _named(hung: Iterable[HungWall], kinds: Iterable[Wall], prefix: str = "") -> list[HungWall]:
    names = {prefix + wall.name for wall in kinds}
    return [one for one in hung if one.wall.name in names]


def comparison_examples(kinds: Sequence[Wall], pictures: Pictures | None) -> tuple[Part, ...]:
    """Images that one of the best two wins, that both fail, or that they dispute."""
    mine = [] if pictures is None else _named(pictures.walls, kinds)
    if mine:
        return tuple(Markup(wall_markup(one)) for one in mine)
    forms = {"image": ID, "file": TEXT, "scores": TEXT, "objects": TEXT}
    return tuple(
        table_of(
            "",
            wall.title,
            forms,
            ((one.image_id, one.file_name or None, *one.caption) for one in wall.shown),
            unprinted=True,
        )
        for wall in kinds
        # The page has a table of them elsewhere.
        if wall.name != "disputed"
    )


def all_walls(pictures: Pictures) -> str:
    """Examples of every kind, after a word on those that are not shown."""
    return notes(pictures.remarks) + "".join(map(wall_markup, pictures.walls))


def wall_markup(hung: HungWall, kind: str = "") -> str:
    """`kind` of crops, if not whole pictures or parts of them."""
    wall, figures = hung.wall, "".join(map(_figure, hung.crops))
    heading = f"<h3>{escape(wall.title)}</h3>{paragraph(wall.reading, 'reading')}"
    kind = kind or "whole" * any(one.whole for one in wall.shown)
    crops = f'<div class="{f"crops {kind}".strip()}">{figures}</div>'
    return f'<div class="wall">{heading}{colour_key(wall.key)}{crops}</div>\n'


def colour_key(entries: Sequence[tuple[str, str]]) -> str:
    if not entries:
        return ""
    items = "".join(
        f'<span class="key"><i class="swatch" style="background: {colour}"></i>'
        f"{escape(name)}</span>"
        for name, colour in entries
    )
    return f'<p class="legend">{items}</p>'


def _figure(crop: Crop) -> str:
    said, numbers = map(escape, crop.shown.caption)
    told, where = escape(crop.shown.alternative), escape(crop.shown.image_words)
    width, height = crop.image.size
    return (
        f'<figure title="{told}"><img src="{crop.uri}" width="{width}" height="{height}" '
        f'alt="{told}" decoding="async"><figcaption>{said}<span>{numbers}</span>'
        f"<span>{where}</span></figcaption></figure>"
    )


def _tables(result: DiagnosisResult) -> tuple[Part, ...]:
    iou = result.hoiem.iou
    errors = (
        (KINDS["dupe" if is_duplicate(one, iou) else one.kind].label, *_ERROR(one))
        for one in result.gallery
    )
    forms = {"kind": TEXT, "said": TEXT, "score": SCORE, "is on": TEXT, "IoU": SCORE}
    forms |= {"1-recall": SCORE, "image": ID}
    of_objects = {"class": TEXT, "P_N": SCORE, "expected": SCORE, "object": ID, "image": ID}
    misses = result.sensitivity.misses
    tables = (
        table_of(
            "",
            "The most confident false positives of each kind",
            forms,
            errors,
            wide=True,
            unprinted=True,
        ),
        *(
            table_of(
                "",
                f"Objects that are unexpectedly {what}",
                of_objects,
                map(_OBJECT, rows),
                unprinted=True,
            )
            for what, rows in (("difficult", misses.difficult), ("easy", misses.easy))
        ),
    )
    return tuple(one for one in tables if one.rows)


_ERROR = attrgetter("class_name", "score", "object_class", "iou", "one_minus_recall", "image_id")
_OBJECT = attrgetter("class_name", "achieved", "predicted", "object_id", "image_id")
