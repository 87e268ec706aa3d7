"""Cutting a data set together with its detections, and joining image-disjoint parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import Attribute, Links, frozen
from boxlens.data.dataset import Dataset, GroundTruth, Spans, renumbering
from boxlens.data.detections import Detections
from boxlens.data.images import Images
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def select_images(
    dataset: Dataset,
    detections: Detections,
    rows: npt.ArrayLike,
) -> tuple[Dataset, Detections]:
    """Some images, with their objects and detections."""
    part = dataset.select_images(rows)
    kept = np.flatnonzero(np.isin(dataset.images.id, part.images.id)).astype(np.int32)
    same_classes = np.arange(len(dataset.classes), dtype=np.int32)
    image_row_of = renumbering(kept, len(dataset.images))
    return part, detections.renumbered(image_row_of, same_classes, len(kept))


def select_classes(
    dataset: Dataset,
    detections: Detections,
    rows: npt.ArrayLike,
) -> tuple[Dataset, Detections]:
    """Some classes, with their objects and detections; all images stay."""
    part = dataset.select_classes(rows)
    kept = np.flatnonzero(np.isin(dataset.classes.id, part.classes.id)).astype(np.int32)
    same_images = np.arange(len(dataset.images), dtype=np.int32)
    class_row_of = renumbering(kept, len(dataset.classes))
    return part, detections.renumbered(same_images, class_row_of, len(dataset.images))


def concatenate_detections(
    parts: Sequence[Detections],
    image_rows: Sequence[npt.NDArray[np.integer]],
    n_images: int,
) -> Detections:
    """Detections of several parts; image_rows[p][i] is the joint row of part p's image i."""
    return Detections.of(
        parts[0].name,
        n_images,
        image_row=np.concatenate(
            [rows[part.image_row] for part, rows in zip(parts, image_rows, strict=True)]
        ),
        class_row=np.concatenate([part.class_row for part in parts]),
        box=np.concatenate([part.box for part in parts]),
        score=np.concatenate([part.score for part in parts]),
        source=parts[0].source,
        notices=tuple(notice for part in parts for notice in part.notices),
    )


def concatenate(
    parts: Sequence[tuple[Dataset, Detections]],
) -> tuple[Dataset, Detections]:
    """Joins parts over the same classes whose images are disjoint."""
    datasets = [dataset for dataset, _ in parts]
    first = datasets[0]
    for other in datasets[1:]:
        if not np.array_equal(other.classes.id, first.classes.id):
            raise ParameterError("only parts over the same classes can be joined")
    images, order = Images.of(
        np.concatenate([dataset.images.id for dataset in datasets]),
        np.concatenate([dataset.images.width_px for dataset in datasets]),
        np.concatenate([dataset.images.height_px for dataset in datasets]),
        [name for dataset in datasets for name in dataset.images.file_name],
        negative=_join_links([dataset.images.negative for dataset in datasets]),
        positive=_join_links([dataset.images.positive for dataset in datasets]),
        not_exhaustive=_join_links([dataset.images.not_exhaustive for dataset in datasets]),
        sort=True,
    )
    joint_row_of = renumbering(order.astype(np.int32), len(order))
    starts = np.cumsum([0, *(len(dataset.images) for dataset in datasets)])
    image_rows = [joint_row_of[starts[p] : starts[p + 1]] for p in range(len(datasets))]
    gt = _join_ground_truth([dataset.gt for dataset in datasets], image_rows, len(images))
    notices = tuple(notice for dataset in datasets for notice in dataset.notices)
    joined = replace(first, images=images, gt=gt, notices=notices)
    return joined, concatenate_detections([part for _, part in parts], image_rows, len(images))


def _join_links(parts: Sequence[Links | None]) -> Links | None:
    present = [part for part in parts if part is not None]
    if not present:
        return None
    if len(present) < len(parts):
        raise ParameterError("only some of the parts carry image-level labels")
    return Links.of([part[row] for part in present for row in range(len(part))])


def _join_ground_truth(
    parts: Sequence[GroundTruth],
    image_rows: Sequence[npt.NDArray[np.integer]],
    n_images: int,
) -> GroundTruth:
    names = [name for part in parts for name in part.attributes]
    return GroundTruth.of(
        n_images,
        image_row=np.concatenate(
            [rows[part.image_row] for part, rows in zip(parts, image_rows, strict=True)]
        ),
        class_row=np.concatenate([part.class_row for part in parts]),
        box=np.concatenate([part.box for part in parts]),
        area_px=np.concatenate([part.area_px for part in parts]),
        crowd=np.concatenate([part.crowd for part in parts]),
        difficult=np.concatenate([part.difficult for part in parts]),
        group_of=np.concatenate([part.group_of for part in parts]),
        ids=frozen(np.concatenate([part.id for part in parts]), parts[0].id.dtype),
        attributes={name: _join_attribute(parts, name) for name in dict.fromkeys(names)},
        spans=_join_spans(parts),
    )


def _join_attribute(parts: Sequence[GroundTruth], name: str) -> Attribute:
    columns = [part.attributes.get(name) for part in parts]
    text = any(column is not None and column.dtype == object for column in columns)
    missing = None if text else np.nan
    dtype = object if text else np.float64
    filled = [
        np.full(len(part), missing, dtype=dtype) if column is None else column.astype(dtype)
        for part, column in zip(parts, columns, strict=True)
    ]
    return frozen(np.concatenate(filled), dtype)


def _join_spans(parts: Sequence[GroundTruth]) -> dict[str, Spans]:
    """Spans that every part carries; a file keeps its own row."""
    shared = set.intersection(*(set(part.spans) for part in parts))
    joined: dict[str, Spans] = {}
    for name in sorted(shared):
        spans = [part.spans[name] for part in parts]
        starts = np.cumsum([0, *(len(span.files) for span in spans)])
        joined[name] = Spans(
            files=tuple(file for span in spans for file in span.files),
            file_row=frozen(
                np.concatenate(
                    [span.file_row + start for span, start in zip(spans, starts, strict=False)]
                ),
                np.int32,
            ),
            begin=frozen(np.concatenate([span.begin for span in spans]), np.int64),
            end=frozen(np.concatenate([span.end for span in spans]), np.int64),
        )
    return joined
