"""Where the gain of a repair lies: in which sizes, attributes, classes or confusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Rows
from boxlens.metrics.json_form import HIDDEN, JsonRecord
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.tide import TideResult, mean_over_objects, single_repairs
from boxlens.studies.diagnosis.tide_repairs import Bench, Groups, Repairs
from boxlens.studies.diagnosis.tide_types import ERRORS, TideType, TideTypes

SMALL_SIDE, LARGE_SIDE = 32, 96
SIZES = (
    f"objects under {SMALL_SIDE}x{SMALL_SIDE}",
    f"objects between {SMALL_SIDE}x{SMALL_SIDE} and {LARGE_SIDE}x{LARGE_SIDE}",
    f"objects over {LARGE_SIDE}x{LARGE_SIDE}",
)
MOST_CONFUSIONS = 20
# Errors that belong to an object; the others have only their own box.
WITH_OBJECT = (TideType.CLS, TideType.LOC, TideType.MISS)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property of objects in few values: names[code], -1 where it is not annotated."""

    name: str
    values: tuple[str, ...]
    code: Rows


@dataclass(frozen=True, slots=True)
class Place(JsonRecord):
    """A part of the errors of one kind."""

    error: str = field(metadata=HIDDEN)
    # "size", "class", "similarity", "confusion" or the name of an attribute.
    what: str
    name: str
    # Repairing these alone brings this share of what repairing all of the kind brings.
    share: float
    # What the share would be if the gain were spread evenly over objects, classes or pairs of them.
    even_share: float


class _Partition(NamedTuple):
    """Errors of some kinds in groups, and the share of each group if gains were spread evenly."""

    what: str
    groups: Groups
    errors: Sequence[TideType]
    even: Sequence[float]


def error_places(
    evidence: Evidence,
    bench: Bench,
    tide: TideResult,
    attributes: Sequence[Attribute] = (),
    *,
    threads: int = 0,
) -> tuple[Place, ...]:
    """Shares of every kind of error, each from repairing that part alone."""
    places = list(_class_places(bench, tide, threads))
    partitions = (
        *_sizes(evidence, bench),
        *(_by_attribute(bench, row) for row in attributes),
        *_similarity(evidence, bench),
        *_confusions(evidence, bench, tide),
    )
    # What repairing all errors of a kind brings, when nothing was repaired before.
    full = {row.name: row.first for row in tide.orders}
    for one in partitions:
        places += _group_places(evidence, bench, full, one, threads)
    return tuple(places)


def missed_beside_both(evidence: Evidence, types: TideTypes) -> int:
    """Missed objects that have a nearby box with the wrong class and location."""
    wrong = types.det_type[evidence.det_row] == TideType.BOTH
    beside = wrong & types.missed[evidence.overlaps.gt_row]
    return len(np.unique(evidence.overlaps.gt_row[beside]))


def _class_places(bench: Bench, tide: TideResult, threads: int) -> Iterator[Place]:
    """A class's part of the mean; classes that are never found are part of it, too."""
    start, *repaired = bench.ap(single_repairs(), threads=threads).T[: 1 + len(ERRORS)]
    rows = [row for row, of_class in enumerate(tide.classes) if of_class.n_objects]
    for kind, ap in zip(ERRORS, repaired, strict=True):
        gain = np.maximum(ap - start, 0)
        total = gain[rows].sum()
        for row in rows if total > 0 else ():
            share = float(gain[row] / total)
            yield Place(kind.label, "class", tide.classes[row].name, share, 1 / len(rows))


def _sizes(evidence: Evidence, bench: Bench) -> Iterator[_Partition]:
    """By the object of an error, or where there is none by its own box; areas need pixels."""
    if evidence.dataset.relative:
        return
    types, gt = bench.types, evidence.dataset.gt
    area = np.where(
        types.target >= 0,
        gt.area_px[types.target] if len(gt) else 0.0,
        evidence.detections.box[:, 2] * evidence.detections.box[:, 3],
    )
    limits = [SMALL_SIDE**2, LARGE_SIDE**2]
    groups = Groups(SIZES, np.digitize(area, limits), np.digitize(gt.area_px, limits))
    yield _Partition("size", groups, ERRORS, _object_shares(bench, groups))


def _by_attribute(bench: Bench, attribute: Attribute) -> _Partition:
    unknown = len(attribute.values)
    gt = np.where(attribute.code < 0, unknown, attribute.code).astype(np.int64)
    target = bench.types.target
    det = np.where(target >= 0, gt[target] if len(gt) else unknown, unknown)
    groups = Groups((*attribute.values, ""), det, gt)
    return _Partition(attribute.name, groups, WITH_OBJECT, _object_shares(bench, groups))


def _object_shares(bench: Bench, groups: Groups) -> list[float]:
    n_objects = np.bincount(groups.gt[bench.types.positive], minlength=len(groups.names))
    shares: list[float] = (n_objects / max(n_objects.sum(), 1)).tolist()
    return shares


def _similarity(evidence: Evidence, bench: Bench) -> Iterator[_Partition]:
    """Confusions between similar classes, where some are known to be, and between others."""
    n_classes = len(evidence.similar)
    confused = np.flatnonzero(bench.types.det_type == TideType.CLS)
    if not evidence.similar.any() or not len(confused):
        return
    true = evidence.dataset.gt.class_row[bench.types.target[confused]]
    det = np.zeros(len(bench.types.det_type), dtype=np.int64)
    det[confused] = evidence.similar[evidence.detections.class_row[confused], true]
    groups = Groups(("other classes", "similar classes"), det, np.zeros_like(bench.groups.gt))
    alike = float(evidence.similar.sum() / (n_classes * (n_classes - 1)))
    yield _Partition("similarity", groups, (TideType.CLS,), (1 - alike, alike))


def _confusions(evidence: Evidence, bench: Bench, tide: TideResult) -> Iterator[_Partition]:
    """The most frequent pairs of the class that is there and the class that was said."""
    types, classes = bench.types, evidence.dataset.classes
    confused = np.flatnonzero(types.det_type == TideType.CLS)
    if not len(confused):
        return
    true = evidence.dataset.gt.class_row[types.target[confused]].astype(np.int64)
    key = true * len(classes) + evidence.detections.class_row[confused]
    pairs, pair_row, counts = np.unique(key, return_inverse=True, return_counts=True)
    top = np.argsort(-counts, kind="stable")[:MOST_CONFUSIONS]
    rank_of_pair: npt.NDArray[np.int64] = np.full(len(pairs), len(top))
    rank_of_pair[top] = np.arange(len(top))
    det = np.full(len(types.det_type), len(top))
    det[confused] = rank_of_pair[pair_row]
    names = [
        f"{classes.name[pair // len(classes)]} taken for {classes.name[pair % len(classes)]}"
        for pair in pairs[top].tolist()
    ]
    groups = Groups((*names, ""), det, np.full(len(types.positive), len(top)))
    n_possible = sum(row.n_objects > 0 for row in tide.classes) * (len(classes) - 1)
    yield _Partition("confusion", groups, (TideType.CLS,), [1 / n_possible] * len(names))


def _group_places(
    evidence: Evidence,
    bench: Bench,
    full: Mapping[str, float],
    of: _Partition,
    threads: int,
) -> Iterator[Place]:
    groups = of.groups
    worlds = [
        (kind, group)
        for kind in of.errors
        for group, name in enumerate(groups.names)
        if name and full[kind.label] > 0
    ]
    if not worlds:
        return
    # First a world without any repair.
    kinds = np.zeros((1 + len(worlds), len(ERRORS), len(groups.names)), dtype=np.bool_)
    for row, (kind, group) in enumerate(worlds, start=1):
        kinds[row, kind, group] = True
    ap = replace(bench, groups=groups).ap(Repairs.of_kinds(kinds), threads=threads)
    start, *repaired = mean_over_objects(ap, evidence, bench.types).tolist()
    for (kind, group), after in zip(worlds, repaired, strict=True):
        share = max(after - start, 0.0) / full[kind.label]
        yield Place(kind.label, of.what, groups.names[group], share, of.even[group])
