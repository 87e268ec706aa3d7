"""Disagreement as a page: which images to annotate next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    count_cell,
    notes,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section

if TYPE_CHECKING:
    from boxlens.comparison.cases.disagreement import DisagreementResult

GUIDE = "disagree"


def disagreement_page(
    result: DisagreementResult, names: str, document: dict[str, Any], n_top: int
) -> str:
    """`document` is what results.json holds."""
    about = f"{len(result.detectors):,} detectors, {len(result.images):,} images"
    return page(
        (names, result.dataset or "images without a name"),
        about,
        [
            Section("answer", "Answer", _answer(result)),
            Section(
                "images",
                "Images",
                (most_disputed(result, n_top),),
                reading="Disputed is the share of boxes on which the detectors differ, disputed "
                "boxes their number; the ground truth is not asked.",
                guide=GUIDE,
            ),
            provenance_section(document),
        ],
    )


def most_disputed(result: DisagreementResult, n_top: int) -> str:
    """A table of the images most worth a look."""
    ids = result.images.id.tolist()
    top = [row for row in result.order[:n_top].tolist() if result.share[row] > 0]
    if not top:
        return notes(["The detectors' boxes agree on every image: none is worth more than another"])
    rows = [
        [
            text_cell(ids[row]),
            text_cell(result.images.file_name[row] or None),
            score_cell(float(result.share[row])),
            score_cell(float(result.boxes[row]), 1),
            *(count_cell(int(n)) for n in result.n_boxes[:, row]),
        ]
        for row in top
    ]
    headings = ["image", "file", "disputed", "disputed boxes"]
    headings += [f"boxes of {name}" for name in result.detectors]
    caption = "The images on which the detectors disagree most; tables/images.parquet has all"
    return table(headings, rows, caption=caption, wide=True)


def _answer(result: DisagreementResult) -> tuple[str, ...]:
    n_images = len(result.images)
    if not n_images:
        return (paragraph("There are no images.", "lead"),)
    n_disputed = int((result.share > 0).sum())
    first = result.images.id.tolist()[int(result.order[0])]
    said = f"The detectors differ on {n_disputed:,} of {n_images:,} images" + (
        f", most on image {first}." if n_disputed else "."
    )
    return (
        tiles(
            [
                ("disputed, mean", decimal(float(result.share.mean()))),
                ("disputed boxes an image", f"{result.boxes.mean():.1f}"),
            ]
        ),
        paragraph(said, "lead"),
    )
