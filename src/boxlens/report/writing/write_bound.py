"""What `boxlens upper-bound -o` writes: the study, with pictures of wrong labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.images import ImageFiles
from boxlens.report.described import describe
from boxlens.report.described.examples import MEGABYTES, fit_pictures
from boxlens.report.writing.write_study import write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.studies.upper_bound.result import UpperBoundResult


def write_bound(
    result: UpperBoundResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    images: ImageFiles | str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written.

    `images` are the pictures, or the folder in which files have the names of the ground truth; by
    default those that were classified.
    """
    images = images or result.pictures
    if images is None or not result.mistakes:
        return write_study(result, folder, formats=formats, progress=progress)
    from boxlens.report.pictures.bound_gallery import bound_gallery

    gallery = bound_gallery(result, _paths(result, images), progress=progress)
    study = describe(result, pictures=fit_pictures(gallery, images_mb))
    return write_study(
        result, folder, formats=formats, study=study, gallery=gallery, progress=progress
    )


def _paths(
    result: UpperBoundResult, images: ImageFiles | str | PathLike[str]
) -> dict[int | str, Path]:
    """By the ids of images."""
    if isinstance(images, ImageFiles):
        return dict(zip(images.ids.tolist(), images.paths, strict=True))
    named = {one.image_id: Path(images) / one.file_name for one in result.mistakes}
    return {key: path for key, path in named.items() if path.is_file()}
