"""What `evaluate -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.metrics.evaluation import with_unique_names
from boxlens.report.writing.write import plain_diagnoses
from boxlens.report.writing.write_study import ForApp, write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.metrics import EvaluationResult
    from boxlens.report.charts.export import ChartFormat


def write_evaluation(
    result: EvaluationResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything about an evaluation; returns in a line what was written."""
    for_app = None
    if result.inputs is not None:
        dataset, tables = result.inputs.dataset, with_unique_names(result.inputs.detections)
        diagnoses = plain_diagnoses(dataset, tables, result.inputs.iou, threads=threads)
        for_app = ForApp("evaluate", dataset, diagnoses, result.provenance)
    return write_study(result, folder, formats=formats, for_app=for_app, progress=progress)
