"""What a benchmark counts: its matching rule, and which detections and labels take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections, Links, Notice, check_tables
from boxlens.data.columns import Bools, Labels
from boxlens.errors import ParameterError
from boxlens.matching import (
    ALL_AREAS,
    COCO,
    LVIS,
    OPEN_IMAGES,
    VOC,
    Matches,
    Rule,
    assign,
    find_overlaps,
    reachable,
)
from boxlens.metrics.hierarchy import expand_hierarchy
from boxlens.wording import counted

ProtocolName = Literal["coco", "voc07", "voc12", "lvis", "openimages"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
PROTOCOL_TITLES: dict[str, str] = {
    "coco": "COCO",
    "voc07": "VOC 2007 (11-point)",
    "voc12": "VOC 2010-2012 (area)",
    "lvis": "LVIS",
    "openimages": "Open Images",
}
RULE_OF: dict[ProtocolName, Rule] = {
    "coco": COCO,
    "voc07": VOC,
    "voc12": VOC,
    "lvis": LVIS,
    "openimages": OPEN_IMAGES,
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A data set and detections as a protocol sees them."""

    protocol: ProtocolName
    rule: Rule
    dataset: Dataset
    detections: Detections
    det_dropped: Bools | None = None
    det_unmatched_ignored: Bools | None = None
    # The data set as it is annotated, before any expansion; None: the same.
    annotated: Dataset | None = None
    # None takes the rule's own.
    max_dets: int | None = None
    # What a group-of box counts under the Open Images rule.
    group_of_weight: float = 1.0
    notices: tuple[Notice, ...] = field(default=())

    def matches(
        self,
        iou: float,
        *,
        keep_hits: bool = False,
        threads: int = 0,
    ) -> Matches:
        """Who hit what at one threshold, all areas."""
        if not 0 < iou <= 1:
            raise ParameterError(f"an IoU threshold must be above 0 and at most 1, got {iou}")
        return self.match((iou,), keep_hits=keep_hits, threads=threads)

    def match(
        self,
        iou_thresholds: tuple[float, ...],
        *,
        area_ranges: Sequence[tuple[float, float]] = ALL_AREAS,
        max_dets: int | None = None,
        keep_hits: bool = False,
        threads: int = 0,
    ) -> Matches:
        """Who hit what at several thresholds, ascending."""
        floor = reachable(iou_thresholds[0])
        return assign(
            self.dataset,
            self.detections,
            find_overlaps(self.dataset, self.detections, self.rule, floor=floor, threads=threads),
            self.rule,
            iou_thresholds=iou_thresholds,
            area_ranges=area_ranges,
            max_dets=self.max_dets if max_dets is None else max_dets,
            det_dropped=self.det_dropped,
            det_unmatched_ignored=self.det_unmatched_ignored,
            keep_hits=keep_hits,
            threads=threads,
        )

    def labels(self, matches: Matches) -> Labels:
        """Verdicts on detections; a hit on a group-of box that weighs nothing is a don't-care."""
        labels = matches.labels()
        if matches.counts_groups and self.group_of_weight == 0:
            labels[(matches.det_group & matches.bit(0)) != 0] = 0
        return labels

    def positives(self, matches: Matches) -> Bools:
        """Objects that count; a group-of box that weighs nothing does not."""
        counted = matches.positives()
        if matches.counts_groups and self.group_of_weight == 0:
            return counted & ~self.dataset.gt.group_of
        return counted


def check_protocol(name: str) -> ProtocolName:
    """The name, if it is known."""
    for protocol in PROTOCOLS:
        if protocol == name:
            return protocol
    raise ParameterError(f"unknown protocol {name!r}: choose from {', '.join(PROTOCOLS)}")


def prepare_dataset(dataset: Dataset, protocol: ProtocolName) -> Dataset:
    """Open Images counts an object under every ancestor of its class (METHODS 9.4).

    LVIS leaves out objects without area, as its own evaluator does.
    """
    if protocol == "openimages":
        return expand_hierarchy(dataset)
    if protocol == "lvis" and not (dataset.gt.area_px > 0).all():
        return dataset.where(dataset.gt.area_px > 0)
    return dataset


def prepare(
    dataset: Dataset,
    detections: Detections,
    protocol: ProtocolName,
    *,
    annotated: Dataset | None = None,
    max_dets: int | None = None,
    group_of_weight: float = 1.0,
) -> Prepared:
    """Applies a protocol to a data set that went through `prepare_dataset`."""
    check_tables(dataset, detections)
    prepared = Prepared(
        protocol,
        RULE_OF[protocol],
        dataset,
        detections,
        annotated=annotated,
        max_dets=max_dets,
        group_of_weight=group_of_weight,
    )
    if protocol == "lvis":
        return _prepare_lvis(prepared)
    if protocol == "openimages":
        return _drop_unverified(prepared, (dataset.images.positive, dataset.images.negative))
    return prepared


def verified_detections(
    dataset: Dataset, detections: Detections, iou: float, *, threads: int = 0
) -> tuple[Detections, tuple[Notice, ...]]:
    """Detections about which the annotation says something, where it does not say everything.

    LVIS and Open Images verify some classes in each image. Others are skipped, and so are those
    that hit nothing where a class is not annotated exhaustively (METHODS 9.4, 9.5).
    """
    images = dataset.images
    if images.negative is None and images.positive is None and images.not_exhaustive is None:
        return detections, ()
    protocol: ProtocolName = "lvis" if images.positive is None else "openimages"
    prepared = prepare(dataset, detections, protocol)
    gone = np.zeros(len(detections), dtype=np.bool_)
    if prepared.det_dropped is not None:
        gone |= prepared.det_dropped
    notices = prepared.notices
    if prepared.det_unmatched_ignored is not None:
        labels = prepared.matches(iou, threads=threads).labels()
        excused = prepared.det_unmatched_ignored & (labels <= 0) & ~gone
        if excused.any():
            count = int(excused.sum())
            message = (
                f"{detections.name}: skipped {counted(count, 'detection')} without a match, of a "
                "class that is not annotated exhaustively in the image"
            )
            notices = (*notices, Notice("not_exhaustive", count, message))
            gone |= excused
    return (detections.where(~gone) if gone.any() else detections), notices


def _prepare_lvis(prepared: Prepared) -> Prepared:
    """METHODS 9.5: classes neither present nor known absent drop; non-exhaustive ones excuse."""
    images = prepared.dataset.images
    empty = prepared.detections.box[:, 2] * prepared.detections.box[:, 3] <= 0
    kept = _drop_unverified(prepared, (images.negative,))
    if empty.any():
        dropped = empty if kept.det_dropped is None else kept.det_dropped | empty
        kept = replace(kept, det_dropped=dropped)
    if images.not_exhaustive is None:
        return kept
    keys = _keys(prepared.detections.image_row, prepared.detections.class_row, prepared.dataset)
    excused = np.isin(keys, _link_keys(images.not_exhaustive, prepared.dataset))
    return replace(kept, det_unmatched_ignored=excused)


def _drop_unverified(prepared: Prepared, lists: tuple[Links | None, ...]) -> Prepared:
    dataset, detections = prepared.dataset, prepared.detections
    verified = [_keys(dataset.gt.image_row, dataset.gt.class_row, dataset)]
    verified += [_link_keys(links, dataset) for links in lists if links is not None]
    keys = _keys(detections.image_row, detections.class_row, dataset)
    dropped = ~np.isin(keys, np.concatenate(verified))
    count = int(np.count_nonzero(dropped))
    if count == 0:
        return prepared
    message = (
        f"{detections.name}: skipped {count:,} of {counted(len(detections), 'detection')}, "
        "whose class is neither annotated nor verified in the image"
    )
    if all(links is None for links in lists):
        message += " (no image-level labels were given)"
    return replace(
        prepared,
        det_dropped=dropped,
        notices=(*prepared.notices, Notice("unverified_class", count, message)),
    )


def _keys(
    image_row: npt.NDArray[np.int32],
    class_row: npt.NDArray[np.int32],
    dataset: Dataset,
) -> npt.NDArray[np.int64]:
    return image_row.astype(np.int64) * len(dataset.classes) + class_row


def _link_keys(links: Links, dataset: Dataset) -> npt.NDArray[np.int64]:
    return _keys(links.left(), links.right, dataset)
