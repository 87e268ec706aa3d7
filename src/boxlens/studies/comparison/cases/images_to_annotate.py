"""Which images should be annotated next? Those on which detectors differ, from files or tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from boxlens.data import Detections, Notice
from boxlens.data.known_classes import ClassesChoice
from boxlens.errors import ParameterError
from boxlens.formats.given import GivenDataset, GivenDetections, Reading, shared_settings
from boxlens.limits import AT_MOST
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.comparison.cases.disagreement import (
    DisagreementResult,
    Measure,
    check_asked,
    rank_images,
)
from boxlens.studies.comparison.shared_images import ImagesChoice, shared_images
from boxlens.version import VERSION


@shared_settings
def disagree(
    gt: GivenDataset,
    dt: Sequence[GivenDetections],
    *,
    min_score: float | Sequence[float],
    by: Measure = "boxes",
    class_agnostic: bool = False,
    top: int = 20,
    images_used: ImagesChoice = "check",
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> DisagreementResult:
    """Ranks images by how much two or more detectors disagree, to choose what to annotate next.

    `gt` names images and classes; its objects are not used, and a file may lack its annotations.
    `min_score` is one score cut for all detectors, or one per detector. `by` ranks by the number
    of disputed "boxes" or by their "share"; `top` images are shown and listed in the JSON.
    `class_agnostic`: boxes may agree across classes.

    >>> result = disagree(gt, [dt, other_dt], min_score=0.2)
    >>> result.image_id[result.order[:3]].tolist()
    [77, 139, 48]
    """
    AT_MOST.check(top, "top (--top)")
    reading = Reading(split, classes, gt_format, dt_format, names, strict, threads, progress)
    dataset, tables = reading.used(gt, dt, classes_used, objects=False)
    cuts = [min_score] if isinstance(min_score, (int, float)) else list(min_score)
    if len(cuts) not in (1, len(tables)):
        raise ParameterError(
            f"give one score cut for all, or one for each of {len(tables)} detectors, got "
            f"{len(cuts)} (--min-score, min_score)"
        )
    cuts = cuts * len(tables) if len(cuts) == 1 else cuts
    check_asked(tables, cuts)
    notices = [*dataset.notices, *(notice for table in tables for notice in table.notices)]
    taken, named, of_images = shared_images(dataset, with_unique_names(tables), images_used)
    ranked = rank_images(
        taken.images,
        named,
        min_score=cuts,
        by=by,
        class_agnostic=class_agnostic,
        threads=threads,
    )
    return replace(
        ranked,
        dataset=dataset.name,
        n_classes=len(dataset.classes),
        images_used=images_used,
        classes_used=classes_used,
        top=top,
        provenance=Provenance(VERSION, dataset.source, tuple(table.source for table in tables)),
        notices=(*notices, *of_images, *_cut_off(named, cuts)),
    )


def _cut_off(tables: Sequence[Detections], min_score: Sequence[float]) -> Iterator[Notice]:
    """Detectors without a box above the score cut."""
    for table, cut in zip(tables, min_score, strict=True):
        if len(table) and table.score.max() < cut:
            message = (
                f"no detection of {table.name} scores {cut:g} or more: the highest score is "
                f"{table.score.max():.4g}"
            )
            yield Notice("none_above_cut", len(table), message)
