"""Which images should be annotated next? Those on which detectors differ, from files or tables."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from boxlens.comparison.cases.disagreement import DisagreementResult, check_asked, rank_images
from boxlens.comparison.shared_images import shared_images
from boxlens.data import Dataset, Detections, Notice
from boxlens.data.selection import shared_classes
from boxlens.errors import ParameterError
from boxlens.formats import read_detections, read_images
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.results import Provenance
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.comparison.cases.disagreement import Measure
    from boxlens.comparison.shared_images import ImagesChoice
    from boxlens.data.known_classes import ClassesChoice


def disagree(
    images: Dataset | str | PathLike[str],
    dt: Sequence[Detections | str | PathLike[str]],
    *,
    min_score: float | Sequence[float],
    by: Measure = "boxes",
    class_agnostic: bool = False,
    images_used: ImagesChoice = "check",
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> DisagreementResult:
    """Ranks images by how much two or more detectors differ; no object is looked at.

    A file of `images` may lack its annotations. `min_score` is one for all detectors, or one each.
    `images_used` is "check", "all" or "common", `classes_used` "check", "all" or "known", as of a
    comparison.
    """
    if isinstance(dt, (str, PathLike, Detections)):
        raise ParameterError("it takes two detectors to disagree: name their detections as a list")
    if not isinstance(images, Dataset):
        images = read_images(images, split=split, threads=threads)
    tables = [
        item
        if isinstance(item, Detections)
        else read_detections(item, images, strict=strict, threads=threads)
        for item in dt
    ]
    return disagree_tables(
        images,
        tables,
        min_score=[min_score] * len(tables) if isinstance(min_score, (int, float)) else min_score,
        by=by,
        class_agnostic=class_agnostic,
        images_used=images_used,
        classes_used=classes_used,
        threads=threads,
    )


def disagree_tables(
    dataset: Dataset,
    tables: Sequence[Detections],
    *,
    min_score: Sequence[float],
    by: Measure = "boxes",
    class_agnostic: bool = False,
    images_used: ImagesChoice = "check",
    classes_used: ClassesChoice = "check",
    threads: int = 0,
) -> DisagreementResult:
    """The same for tables in memory."""
    check_asked(tables, min_score)
    dataset, named = shared_classes(dataset, with_unique_names(tables), classes_used)
    notices = [*dataset.notices, *(notice for table in tables for notice in table.notices)]
    taken, named, of_images = shared_images(dataset, named, images_used)
    ranked = rank_images(
        taken.images,
        named,
        min_score=min_score,
        by=by,
        class_agnostic=class_agnostic,
        threads=threads,
    )
    return replace(
        ranked,
        dataset=dataset.name,
        images_used=images_used,
        classes_used=classes_used,
        provenance=Provenance(VERSION, dataset.source, tuple(table.source for table in tables)),
        notices=(*notices, *of_images, *_cut_off(named, min_score)),
    )


def _cut_off(tables: Sequence[Detections], min_score: Sequence[float]) -> Iterator[Notice]:
    """Detectors that a score cut leaves without a word."""
    for table, cut in zip(tables, min_score, strict=True):
        if len(table) and table.score.max() < cut:
            message = (
                f"no detection of {table.name} scores {cut:g} or more: the highest score is "
                f"{table.score.max():.4g}"
            )
            yield Notice("none_above_cut", len(table), message)
