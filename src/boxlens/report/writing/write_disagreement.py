"""What `disagree -o` leaves behind: a CSV file, or a folder with a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from boxlens.formats.files import written_whole
from boxlens.report.pages.disagreement_page import disagreement_page
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import what_was_written, write_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.comparison.cases.disagreement import DisagreementResult


def write_disagreement(result: DisagreementResult, folder: Path, *, n_top: int) -> str:
    """Writes everything about it; returns in a line what was written."""
    with output_folder(folder) as output:
        document = result.to_json(n_top)
        tables = {"images": images_in_order(result)}
        write_numbers(output, document, tables)
        names = " and ".join(result.detectors)
        output.write_text("report.html", disagreement_page(result, names, document, n_top))
    return what_was_written(folder, len(tables), (), ())


def write_images(result: DisagreementResult, path: Path) -> str:
    """All images in order as CSV; returns in a line what was written."""
    frame = images_in_order(result)
    with written_whole(path) as temporary:
        frame.write_csv(temporary)
    return f"{path}: {len(frame):,} images"


def images_in_order(result: DisagreementResult) -> pl.DataFrame:
    """The most disputed first."""
    images, order = result.images, result.order
    return pl.DataFrame(
        {
            "image_id": images.id[order].tolist(),
            "file_name": [images.file_name[row] for row in order.tolist()],
            "share": result.share[order],
            "boxes": result.boxes[order],
            **{
                f"n_boxes_{name}": result.n_boxes[at][order]
                for at, name in enumerate(result.detectors)
            },
        }
    )
