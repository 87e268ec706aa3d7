"""What `boxlens robustness -o` writes: the study, with pictures of lost objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.described import describe
from boxlens.report.described.examples import MEGABYTES
from boxlens.report.writing.write_study import write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.studies.robustness.result import RobustnessResult


def write_robustness(
    result: RobustnessResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    images_mb: float = MEGABYTES,
    progress: Progress | None = None,
) -> str:
    """Returns in a line what was written; without pictures, examples are listed in a table."""
    if result.pictures is None:
        return write_study(result, folder, formats=formats, progress=progress)
    from boxlens.report.pictures.robustness_exhibits import hang_robustness

    galleries = hang_robustness(result, result.pictures, progress=progress)
    study = describe(result, galleries=galleries, megabytes=images_mb)
    return write_study(result, folder, formats=formats, study=study, progress=progress)
