"""What `sensitivity -o` leaves behind: the general files, and every object for the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.writing.write import plain_diagnoses
from boxlens.report.writing.write_study import ForApp, write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.studies.sensitivity import SensitivityResult


def write_sensitivity(
    result: SensitivityResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written."""
    diagnoses = plain_diagnoses(result.dataset, [result.detections], result.iou, threads=threads)
    for_app = ForApp("sensitivity", result.dataset, diagnoses, result.provenance)
    return write_study(result, folder, formats=formats, progress=progress, for_app=for_app)
