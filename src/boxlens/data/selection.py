"""Cutting a data set together with its detections, and joining image-disjoint parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Attribute, Bools, Links, Rows, frozen
from boxlens.data.dataset import Dataset, GroundTruth, Spans, renumbering
from boxlens.data.detections import Detections, check_tables
from boxlens.data.images import Images
from boxlens.data.known_classes import (
    CLASSES_CHOICES,
    LACKING,
    ClassesChoice,
    expected_classes,
    known_classes,
    lacking_classes,
    occurring,
)
from boxlens.data.naming import some_names
from boxlens.data.source import Notice
from boxlens.errors import ParameterError
from boxlens.wording import counted

CLASSES_SKIPPED = "classes_left_out"


def select_images(
    dataset: Dataset,
    detections: Detections,
    rows: npt.ArrayLike,
) -> tuple[Dataset, Detections]:
    """Some images, with their objects and detections."""
    check_tables(dataset, detections)
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
    part, chosen = _cut_classes(dataset, detections, rows)
    others = [one for one in chosen.notices if one.code not in LACKING]
    if len(others) < len(chosen.notices):
        chosen = replace(chosen, notices=(*others, *lacking_classes(part, chosen)))
    return part, chosen


def _cut_classes(
    dataset: Dataset, detections: Detections, rows: npt.ArrayLike
) -> tuple[Dataset, Detections]:
    check_tables(dataset, detections)
    part = dataset.select_classes(rows)
    kept = np.flatnonzero(np.isin(dataset.classes.id, part.classes.id)).astype(np.int32)
    same_images = np.arange(len(dataset.images), dtype=np.int32)
    class_row_of = renumbering(kept, len(dataset.classes))
    return part, detections.renumbered(same_images, class_row_of, len(dataset.images))


def named_classes(
    dataset: Dataset, tables: Sequence[Detections], names: Sequence[str]
) -> tuple[Dataset, list[Detections]]:
    """Only the classes of these names, or all where none is named; the data set has a notice."""
    if not names:
        return dataset, list(tables)
    known = dataset.classes.name
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {some_names(known)}"
            raise ParameterError(f"unknown class {name!r}: {hint} (--classes, classes)")
    named = np.array([name in names for name in known], dtype=np.bool_)
    rows = np.flatnonzero(_with_descendants(dataset, named))
    notice = Notice(
        "classes_chosen",
        len(rows),
        f"counted over {counted(len(rows), 'class', 'classes')} of {len(known):,}, as asked: "
        f"{some_names(known[row] for row in rows)}",
    )
    part = dataset.select_classes(rows)
    part = replace(part, notices=(*dataset.notices, notice))
    return part, [select_classes(dataset, one, rows)[1] for one in tables]


def shared_classes(
    dataset: Dataset, tables: Sequence[Detections], choice: ClassesChoice
) -> tuple[Dataset, list[Detections]]:
    """The classes to count over: "all", or those "known" to all detectors.

    "check" skips what a detector certainly does not know, because its file says so. The data set
    has a notice of what was skipped; those of the detectors stay, and say why.
    """
    if choice not in CLASSES_CHOICES:
        raise ParameterError(
            f"classes_used must be one of {', '.join(CLASSES_CHOICES)}, got {choice!r}"
        )
    if choice == "all" or not tables:
        return dataset, list(tables)
    for one in tables:
        check_tables(dataset, one)
    skipped = _skipped_classes(dataset, tables, by_detections=choice == "known")
    if not skipped.any():
        return dataset, list(tables)
    parts = [_cut_classes(dataset, one, ~skipped) for one in tables]
    part = replace(parts[0][0], notices=(*dataset.notices, _skipped(dataset, tables, skipped)))
    return part, [one for _, one in parts]


def _skipped_classes(
    dataset: Dataset, tables: Sequence[Detections], *, by_detections: bool
) -> Bools:
    """By class: not all detectors know it, and it has objects or detections."""
    known = np.ones(len(dataset.classes), dtype=np.bool_)
    expected = matters = expected_classes(dataset)
    for one in tables:
        known = known & known_classes(dataset, one, by_detections=by_detections)
        matters = matters | occurring(one.class_row, len(dataset.classes))
    kept = _with_descendants(dataset, known)
    if expected.any() and not (kept & expected).any():
        raise ParameterError(
            f"no class with objects is known to {_whom(tables)}: nothing can be evaluated. Count "
            "every class with --classes-used all (classes_used='all')"
        )
    return matters & ~kept


def _with_descendants(dataset: Dataset, known: Bools) -> Bools:
    """Open Images counts an object under the classes above its own, so these stay together."""
    tree = dataset.classes.tree
    if tree is None or known.all():
        return known
    ids = dataset.classes.id.tolist()
    of_known = {ids[row] for row in np.flatnonzero(known)}
    below = [not of_known.isdisjoint(tree.ancestors(one)) for one in ids]
    return known | np.array(below, dtype=np.bool_)


def _whom(tables: Sequence[Detections]) -> str:
    return tables[0].name if len(tables) == 1 else "all detectors"


def _skipped(dataset: Dataset, tables: Sequence[Detections], skipped: Bools) -> Notice:
    n_classes, n_skipped = len(dataset.classes), int(np.count_nonzero(skipped))
    n_objects = int(np.count_nonzero(skipped[dataset.gt.class_row]))
    names = some_names(dataset.classes.name[row] for row in np.flatnonzero(skipped))
    objects = f" ({counted(n_objects, 'object')})" if n_objects else ""
    message = (
        f"{'evaluated' if len(tables) == 1 else 'compared'} over the {n_classes - n_skipped:,} of "
        f"{n_classes:,} classes known to {_whom(tables)}; skipped: {names}{objects}"
    )
    return Notice(CLASSES_SKIPPED, n_skipped, message)


def concatenate_detections(
    parts: Sequence[Detections],
    image_rows: Sequence[npt.NDArray[np.integer]],
    n_images: int,
) -> Detections:
    """Detections of several parts; image_rows[p][i] is the joint row of part p's image i."""
    return Detections.of(
        parts[0].name,
        n_images,
        image_row=_joint_rows(parts, image_rows),
        **_stacked(parts, ("class_row", "box", "score")),
        source=parts[0].source,
        notices=tuple(notice for part in parts for notice in part.notices),
        known_classes=_join_known([part.known_classes for part in parts]),
    )


def _joint_rows(
    parts: Sequence[Detections | GroundTruth],
    image_rows: Sequence[npt.NDArray[np.integer]],
) -> npt.NDArray[np.integer]:
    return np.concatenate(
        [rows[part.image_row] for part, rows in zip(parts, image_rows, strict=True)]
    )


def _stacked(parts: Sequence[object], names: Sequence[str]) -> dict[str, Any]:
    """Columns of the parts, one below the other."""
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


def _join_known(parts: Sequence[Rows | None]) -> Rows | None:
    """What a detector knows on some images it knows on all."""
    told = [part for part in parts if part is not None]
    return np.unique(np.concatenate(told)) if len(told) == len(parts) else None


def concatenate(
    parts: Sequence[tuple[Dataset, Detections]],
) -> tuple[Dataset, Detections]:
    """Joins parts over the same classes whose images are disjoint."""
    datasets = [dataset for dataset, _ in parts]
    first = datasets[0]
    for other in datasets[1:]:
        if not np.array_equal(other.classes.id, first.classes.id):
            raise ParameterError("only parts over the same classes can be joined")
    tables = [dataset.images for dataset in datasets]
    images, order = Images.of(
        np.concatenate([one.id for one in tables]),
        np.concatenate([one.width_px for one in tables]),
        np.concatenate([one.height_px for one in tables]),
        [name for one in tables for name in one.file_name],
        negative=_join_links([one.negative for one in tables]),
        positive=_join_links([one.positive for one in tables]),
        not_exhaustive=_join_links([one.not_exhaustive for one in tables]),
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
        image_row=_joint_rows(parts, image_rows),
        **_stacked(parts, ("class_row", "box", "area_px", "crowd", "difficult", "group_of")),
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
        file_rows = [span.file_row + start for span, start in zip(spans, starts, strict=False)]
        joined[name] = Spans(
            files=tuple(file for span in spans for file in span.files),
            file_row=frozen(np.concatenate(file_rows), np.int32),
            begin=frozen(np.concatenate([span.begin for span in spans]), np.int64),
            end=frozen(np.concatenate([span.end for span in spans]), np.int64),
        )
    return joined
