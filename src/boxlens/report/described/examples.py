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
from boxlens.progress import Progress
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.extras import Images
from boxlens.report.pages.markup import notes, paragraph
from boxlens.report.pictures.exhibits import ExampleGroup, example_groups, is_duplicate
from boxlens.report.pictures.gallery import Crop, CroppedGroup, Gallery, crop_examples
from boxlens.report.study import ID, SCORE, TEXT, Markup, Part, Section, table_of
from boxlens.studies.diagnosis import DiagnosisResult

EXAMPLES = "examples"
# A page that is mailed stays small.
MEGABYTES = 8.0
READING = "What the numbers look like: the most confident errors, and images worth a look."
WITHOUT = "Pictures are shown where they are given (--images)."


@dataclass(frozen=True, slots=True)
class Pictures:
    """A gallery, those of its pictures that the page shows, and a word on the others."""

    gallery: Gallery
    groups: tuple[CroppedGroup, ...]
    remarks: tuple[str, ...]


def check_megabytes(megabytes: float) -> None:
    if not (math.isfinite(megabytes) and megabytes >= 0):
        raise ParameterError(f"pictures take 0 megabytes or more, got {megabytes:g} (--images-mb)")


def example_pictures(
    kinds: Callable[[], Sequence[ExampleGroup]],
    dataset: Dataset,
    images: Images,
    megabytes: float,
    progress: Progress | None,
) -> Pictures | None:
    """The examples whose pictures are given."""
    if images is None:
        return None
    return fit_pictures(crop_examples(kinds(), dataset, images, progress=progress), megabytes)


def fit_pictures(gallery: Gallery, megabytes: float = MEGABYTES) -> Pictures:
    """The first examples of every kind, then the second ones, until the page has enough."""
    shown = within_budget(gallery.groups, 1_000_000 * megabytes)
    n_over = n_crops(gallery.groups) - n_crops(shown)
    remarks = [notice.message for notice in gallery.notices]
    if n_over:
        remarks.append(
            f"{n_over:,} more examples are in the contact sheets, figures/gallery_*.jpg: the "
            f"pictures of this page take at most {megabytes:g} MB (--images-mb)."
        )
    return Pictures(gallery, shown, tuple(remarks))


def within_budget(cropped: Sequence[CroppedGroup], most_bytes: float) -> tuple[CroppedGroup, ...]:
    """Level by level, so that what does not fit is left out of all kinds alike."""
    levels = zip_longest(*(one.crops for one in cropped))
    by_level = ((at, crop) for level in levels for at, crop in enumerate(level) if crop)
    n_shown, spent = [0] * len(cropped), 0
    for at, crop in by_level:
        spent += len(crop.uri)
        if spent > most_bytes:
            break
        n_shown[at] += 1
    return tuple(replace(one, crops=one.crops[:n]) for one, n in zip(cropped, n_shown, strict=True))


def n_crops(cropped: Iterable[CroppedGroup]) -> int:
    return sum(len(one.crops) for one in cropped)


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
    kinds = example_groups(result)
    # Those without a picture are told at least.
    n_cropped = n_crops(_named(pictures.gallery.groups, kinds, prefix))
    tables = _tables(result) if n_cropped < sum(len(group.shown) for group in kinds) else ()
    mine = _named(pictures.groups, kinds, prefix)
    return (*(Markup(group_markup(one)) for one in mine), *tables)


def _named(
    cropped: Iterable[CroppedGroup], kinds: Iterable[ExampleGroup], prefix: str = ""
) -> list[CroppedGroup]:
    names = {prefix + group.name for group in kinds}
    return [one for one in cropped if one.group.name in names]


def comparison_examples(
    kinds: Sequence[ExampleGroup], pictures: Pictures | None
) -> tuple[Part, ...]:
    """Images that one of the best two wins, that both fail, or that they dispute."""
    mine = [] if pictures is None else _named(pictures.groups, kinds)
    if mine:
        return tuple(Markup(group_markup(one)) for one in mine)
    forms = {"image": ID, "file": TEXT, "scores": TEXT, "objects": TEXT}
    return tuple(
        table_of(
            "",
            group.title,
            forms,
            ((one.image_id, one.file_name or None, *one.caption) for one in group.shown),
            unprinted=True,
        )
        for group in kinds
        # The page has a table of them elsewhere.
        if group.name != "disputed"
    )


def groups_markup(pictures: Pictures) -> str:
    """Examples of every kind, after a word on those that are not shown."""
    return notes(pictures.remarks) + "".join(map(group_markup, pictures.groups))


def group_markup(cropped: CroppedGroup, kind: str = "") -> str:
    """`kind` of crops, if not whole pictures or parts of them."""
    group, figures = cropped.group, "".join(map(_figure, cropped.crops))
    heading = f"<h3>{escape(group.title)}</h3>{paragraph(group.reading, 'reading')}"
    kind = kind or "whole" * any(one.whole for one in group.shown)
    crops = f'<div class="{f"crops {kind}".strip()}">{figures}</div>'
    return f'<div class="example-group">{heading}{colour_key(group.key)}{crops}</div>\n'


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
