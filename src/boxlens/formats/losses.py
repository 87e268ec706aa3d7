"""What a data set holds and a format cannot: one notice per kind, so that no loss is silent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, GroundTruth, Notice
from boxlens.data.boxes import areas
from boxlens.data.columns import Attribute

_NAMED_ATTRIBUTES = 3
_FLAGS = ("crowd", "difficult", "group_of")
# A field of that name in somebody's file changes no score, as the flag would.
_NOT_THE_FLAG = " (a plain field of the source, not the flag of that name)"


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

    `instead` says what became of a thing that was not simply dropped.
    """
    found = [*_flags(dataset.gt), *_image_labels(dataset), *_class_facts(dataset)]
    found.append(_attributes(dataset.gt, keeps_attributes))
    fate = {"attributes": "values lost", **(instead or {})}
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


def _flags(gt: GroundTruth) -> Iterator[tuple[str, int, str]]:
    yield "crowd", int(gt.crowd.sum()), "crowd flags"
    yield "difficult", int(gt.difficult.sum()), "difficult flags"
    yield "group_of", int(gt.group_of.sum()), "group-of flags"
    differs = ~np.isclose(gt.area_px, areas(gt.box), rtol=1e-9, atol=1e-9)
    yield "area", int(differs.sum()), "areas other than width times height"
    for name, spans in gt.spans.items():
        yield name, int(np.count_nonzero(spans.end > spans.begin)), f"'{name}' values"
    renumbered = gt.id.dtype == object or not np.array_equal(gt.id, np.arange(1, len(gt) + 1))
    yield "object_id", len(gt) if renumbered else 0, "the ids of objects"


def _attributes(gt: GroundTruth, kept: Collection[str]) -> tuple[str, int, str]:
    """All attributes together: a set may have dozens, and one line each would bury the rest."""
    counts = {
        name: _n_present(column) for name, column in gt.attributes.items() if name not in kept
    }
    lost = [
        f"'{name}'{_NOT_THE_FLAG if name in _FLAGS else ''}"
        for name, count in counts.items()
        if count
    ]
    named = ", ".join(lost[:_NAMED_ATTRIBUTES])
    if len(lost) > _NAMED_ATTRIBUTES:
        named += f" and {len(lost) - _NAMED_ATTRIBUTES:,} more"
    what = f"the attribute {named}" if len(lost) == 1 else f"{len(lost):,} attributes: {named}"
    return "attributes", sum(counts.values()), what


def _n_present(column: Attribute) -> int:
    """How many values of an attribute are not missing."""
    if column.dtype == object:
        return sum(value is not None for value in column)
    return int(np.count_nonzero(~np.isnan(column)))


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
