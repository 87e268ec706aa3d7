"""What a data set holds and a format cannot: one notice each, so that nothing is lost unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from boxlens.data import Dataset, GroundTruth
    from boxlens.data.columns import Attribute


def losses(
    dataset: Dataset,
    path: Path,
    format_name: str,
    *,
    keeps: Collection[str] = (),
    keeps_attributes: Collection[str] = (),
    instead: Mapping[str, str] | None = None,
) -> tuple[Notice, ...]:
    """Notices about everything that is there and not among `keeps` or `keeps_attributes`.

    `instead` says what became of a thing that was not simply left out.
    """
    found = [*_flags(dataset.gt), *_image_labels(dataset), *_class_facts(dataset)]
    for name, column in dataset.gt.attributes.items():
        if name not in keeps_attributes:
            found.append((f"attribute_{name}", n_present(column), f"the attribute '{name}'"))
    fate = dict(instead or {})
    return tuple(
        loss(path, format_name, code, count, what, fate.get(code, "lost"))
        for code, count, what in found
        if count and code not in keeps
    )


def loss(
    path: Path,
    format_name: str,
    code: str,
    count: int,
    what: str,
    fate: str = "lost",
) -> Notice:
    message = f"{path}: {format_name} cannot hold {what} ({count:,} {fate})"
    return Notice(f"lost_{code}", count, message)


def n_present(column: Attribute) -> int:
    """How many values of an attribute are not missing."""
    if column.dtype == object:
        return sum(value is not None for value in column)
    return int(np.count_nonzero(~np.isnan(column)))


def _flags(gt: GroundTruth) -> Iterator[tuple[str, int, str]]:
    yield "crowd", int(gt.crowd.sum()), "crowd flags"
    yield "difficult", int(gt.difficult.sum()), "difficult flags"
    yield "group_of", int(gt.group_of.sum()), "group-of flags"
    box_area = gt.box[:, 2] * gt.box[:, 3]
    differs = ~np.isclose(gt.area_px, box_area, rtol=1e-9, atol=1e-9)
    yield "area", int(differs.sum()), "areas other than width times height"
    for name, spans in gt.spans.items():
        yield name, int(np.count_nonzero(spans.end > spans.begin)), f"'{name}' values"
    renumbered = gt.id.dtype == object or not np.array_equal(gt.id, np.arange(1, len(gt) + 1))
    yield "object_id", len(gt) if renumbered else 0, "the ids of objects"


def _image_labels(dataset: Dataset) -> Iterator[tuple[str, int, str]]:
    for code, what, links in (
        ("negative", "classes verified absent", dataset.images.negative),
        ("positive", "classes verified present", dataset.images.positive),
        ("not_exhaustive", "classes not annotated exhaustively", dataset.images.not_exhaustive),
    ):
        yield code, 0 if links is None else len(links.right), f"image-level labels: {what}"


def _class_facts(dataset: Dataset) -> Iterator[tuple[str, int, str]]:
    classes = dataset.classes
    yield "supercategory", _n_known(classes.supercategory), "supercategories"
    yield "frequency", _n_known(classes.frequency), "the frequency of classes"
    yield "tree", 0 if classes.tree is None else len(classes.tree.parents), "the tree of classes"
    for name, values in classes.extra.items():
        yield f"class_{name}", _n_known(values), f"'{name}' of classes"


def _n_known(values: tuple[object, ...] | None) -> int:
    return sum(value is not None for value in values or ())
