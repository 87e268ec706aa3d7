"""AP after repairs of TIDE errors: any number of them in one walk along the ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bits, Bools, Floats, Rows
from boxlens.matching import MAX_CELLS
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.ranking import Ranking, rank_rows
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.tide_types import ERRORS, TideType, TideTypes

NO_BITS, ALL_BITS = np.uint64(0), ~np.uint64(0)


@dataclass(frozen=True, slots=True)
class Groups:
    """A partition of the errors by their detection or missed object."""

    names: tuple[str, ...]
    det: npt.NDArray[np.int64]
    gt: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Repairs:
    """What is repaired, all at once, in each of several worlds."""

    # [world, error, group], errors in the order of ERRORS.
    kinds: Bools
    # [world]: delete every false positive; take every object not found off the positives.
    fp: Bools
    fn: Bools

    @classmethod
    def of_kinds(cls, kinds: Bools) -> Repairs:
        no = np.zeros(len(kinds), dtype=np.bool_)
        return cls(kinds if kinds.ndim == 3 else kinds[:, :, np.newaxis], no, no)

    def __len__(self) -> int:
        return len(self.kinds)

    def part(self, start: int, stop: int) -> Repairs:
        return Repairs(self.kinds[start:stop], self.fp[start:stop], self.fn[start:stop])


@dataclass(frozen=True, slots=True)
class Bench:
    """Detections once more, each repairable confusion also under its object's class."""

    types: TideTypes
    groups: Groups
    gt_class: Rows
    n_classes: int
    # The detection of every row, whether it is the repaired copy, and its columns.
    source: npt.NDArray[np.int64]
    copy: Bools
    class_row: Rows
    score: Floats
    ranking: Ranking

    @classmethod
    def of(cls, evidence: Evidence, types: TideTypes, groups: Groups | None = None) -> Bench:
        detections, gt = evidence.detections, evidence.dataset.gt
        if groups is None:
            none = np.zeros(len(detections), dtype=np.int64)
            groups = Groups(("all",), none, np.zeros(len(gt), dtype=np.int64))
        copied = np.flatnonzero(types.candidate & (types.det_type == TideType.CLS))
        # A copy stands right behind its original, so that equal scores keep their order.
        source = np.insert(np.arange(len(detections)), copied + 1, copied)
        copy = np.zeros(len(source), dtype=np.bool_)
        copy[copied + 1 + np.arange(len(copied))] = True
        class_row = detections.class_row[source]
        class_row[copy] = gt.class_row[types.target[copied]]
        score = detections.score[source]
        n_classes = len(evidence.dataset.classes)
        return cls(
            types=types,
            groups=groups,
            gt_class=gt.class_row,
            n_classes=n_classes,
            source=source,
            copy=copy,
            class_row=class_row,
            score=score,
            ranking=rank_rows(class_row, score, n_classes),
        )

    def ap(self, repairs: Repairs, *, recalls: Floats = COCO_RECALLS, threads: int = 0) -> Floats:
        """[class, world]; NaN for a class without objects.

        Where a repair leaves a class no positives AP is 1 if no detection is left either: nothing
        is missing and nothing is wrong. Otherwise it is 0, as for detections without objects.

        The candidate becomes a hit of its object's class; other CLS and LOC errors, DUPE, BKG and
        BOTH are deleted; missed objects are taken off the positives.
        """
        parts = [
            self._walk(repairs.part(start, start + MAX_CELLS), recalls, threads)
            for start in range(0, len(repairs), MAX_CELLS)
        ]
        return np.concatenate(parts, axis=1)

    def _walk(self, repairs: Repairs, recalls: Floats, threads: int) -> Floats:
        tp, ignored = self.bits(repairs)
        positives = self.positives(repairs)
        precision = cell_precision(
            self.ranking,
            self.score,
            tp,
            ignored,
            self.types.det_rank[self.source],
            positives,
            max_dets=self.types.max_dets,
            recalls=recalls,
            threads=threads,
        )
        ap: Floats = precision.mean(axis=-1)
        has_objects = np.bincount(self.gt_class[self.types.positive], minlength=self.n_classes) > 0
        for row in np.flatnonzero(has_objects & (positives == 0).any(axis=1)).tolist():
            emptied = positives[row] == 0
            ap[row, emptied] = self._nothing_left(row, ignored, len(repairs))[emptied]
        return ap

    def _nothing_left(self, class_row: int, gone: Bits, n_worlds: int) -> Bools:
        """[world]: no detection of the class takes part."""
        rows = self.ranking.of_class(class_row)
        rank = self.types.det_rank[self.source[rows]]
        seen = rows[(rank >= 0) & (rank < self.types.max_dets)]
        worlds = np.bitwise_and.reduce(gone[seen], initial=ALL_BITS)
        empty: Bools = (worlds >> np.arange(n_worlds, dtype=np.uint64)) & np.uint64(1) != 0
        return empty

    def bits(self, repairs: Repairs) -> tuple[Bits, Bits]:
        """One bit a world: in which a row is a hit, and in which it is not there."""
        types, source = self.types, self.source
        worlds = np.uint64(1) << np.arange(len(repairs), dtype=np.uint64)
        word = np.zeros((max(TideType) + 1, len(self.groups.names)), dtype=np.uint64)
        word[: len(ERRORS)] = np.where(repairs.kinds, worlds[:, None, None], NO_BITS).sum(axis=0)
        repaired = word[types.det_type, self.groups.det]
        correct = types.det_type == TideType.CORRECT
        hit_if_repaired = types.candidate & (types.det_type == TideType.LOC)
        tp = np.where(correct, ALL_BITS, np.where(hit_if_repaired, repaired, NO_BITS))
        gone = np.where(correct | hit_if_repaired, NO_BITS, repaired)
        gone |= np.where(types.unseen, ~tp, NO_BITS)
        gone |= np.where(correct, NO_BITS, worlds[repairs.fp].sum(dtype=np.uint64))
        tp, gone = tp[source], gone[source]
        copied = repaired[source[self.copy]]
        tp[self.copy], gone[self.copy] = copied, ~copied
        return tp, gone

    def positives(self, repairs: Repairs) -> npt.NDArray[np.int64]:
        """[class, world]"""
        types, n_groups = self.types, len(self.groups.names)
        key = self.gt_class.astype(np.int64) * n_groups + self.groups.gt
        missed = np.bincount(key[types.missed], minlength=self.n_classes * n_groups)
        forgiven = missed.reshape(self.n_classes, n_groups) @ repairs.kinds[:, TideType.MISS].T
        all_of_class = np.bincount(self.gt_class[types.positive], minlength=self.n_classes)
        found = np.bincount(self.gt_class[types.found], minlength=self.n_classes)
        return np.ascontiguousarray(
            np.where(repairs.fn, found[:, np.newaxis], all_of_class[:, np.newaxis] - forgiven)
        )
