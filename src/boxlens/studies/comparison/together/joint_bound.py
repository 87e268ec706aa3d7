"""What could detectors reach together? Upper bounds (METHODS 3.1, 3.2) and who finds what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools, Floats, ratio
from boxlens.matching import COCO, find_overlaps, reachable
from boxlens.metrics.grid import IOU_THRESHOLDS
from boxlens.metrics.json_form import fields_to_json, to_json
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import prepare, verified_detections
from boxlens.studies.comparison.together.found_objects import IOU, hit_scores
from boxlens.studies.comparison.together.merged_rankings import MergedAp, Source, merged_ap

# METHODS 3.1.
N_GUESSES = 5


@dataclass(frozen=True, slots=True)
class GuessAccuracy:
    """Images of a class with a right guess, as a share; undefined for a class without images."""

    name: str
    n_guesses: int
    classes: Floats

    @property
    def mean(self) -> float:
        return mean_defined(self.classes)


@dataclass(frozen=True, slots=True)
class Found:
    """Objects found at one IoU; `only` holds those that one detector alone finds."""

    iou: float
    n_objects: int
    each: tuple[int, ...]
    only: tuple[int, ...]
    any: int
    all: int
    none: int

    def to_json(self) -> dict[str, Any]:
        return {
            **fields_to_json(self),
            "recall_each": [self._share(count) for count in self.each],
            "recall_any": self._share(self.any),
        }

    def _share(self, count: int) -> float | None:
        return count / self.n_objects if self.n_objects else None


@dataclass(frozen=True, slots=True)
class JointBoundResult:
    """What each detector reaches and what all could reach together."""

    detectors: tuple[str, ...]
    class_names: tuple[str, ...]
    guesses: tuple[GuessAccuracy, ...]
    # Each detector with as many guesses as all have together: more guesses alone bring something.
    as_many_guesses: tuple[GuessAccuracy, ...]
    joint_guesses: GuessAccuracy
    found: Found
    rankings: MergedAp
    notices: tuple[Notice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        guesses = {
            "n": self.guesses[0].n_guesses,
            "each": [row.mean for row in self.guesses],
            "each_with_as_many": [row.mean for row in self.as_many_guesses],
            "joint": self.joint_guesses.mean,
            "classes": [
                {
                    "class": name,
                    "each": [system.classes[row] for system in self.guesses],
                    "joint": self.joint_guesses.classes[row],
                }
                for row, name in enumerate(self.class_names)
            ],
        }
        return {
            "detectors": list(self.detectors),
            "guesses": to_json(guesses),
            "found": self.found.to_json(),
            "rankings": self.rankings.to_json(),
            "notices": to_json(self.notices),
        }


def joint_bound(
    dataset: Dataset,
    tables: Sequence[Detections],
    *,
    image_scores: Floats,
    threads: int = 0,
) -> JointBoundResult:
    """Guesses, objects and rankings of two or more detectors, taken together by one who knows.

    `image_scores` ([detector, image], say FDA) tell the oracle which detector to take in an image.
    """
    together = N_GUESSES * len(tables)
    right = [_right_guesses(dataset, table, N_GUESSES, threads) for table in tables]
    more = [_right_guesses(dataset, table, together, threads) for table in tables]
    names = [table.name for table in tables]
    sources, notices = _sources(dataset, tables, threads)
    return JointBoundResult(
        detectors=tuple(names),
        class_names=dataset.classes.name,
        guesses=tuple(
            _accuracy(dataset, name, N_GUESSES, hit) for name, hit in zip(names, right, strict=True)
        ),
        as_many_guesses=tuple(
            _accuracy(dataset, name, together, hit) for name, hit in zip(names, more, strict=True)
        ),
        joint_guesses=_accuracy(dataset, "joint", together, np.logical_or.reduce(right)),
        found=_found(dataset, tables, threads),
        rankings=merged_ap(dataset, sources, image_scores, threads=threads),
        notices=notices,
    )


def _right_guesses(dataset: Dataset, table: Detections, n_guesses: int, threads: int) -> Bools:
    """[image, class]: whether one of the best guesses lies on any object of the class."""
    by_score = np.lexsort((-table.score, table.image_row))
    place = np.arange(len(table)) - table.offsets[table.image_row[by_score]]
    kept = np.zeros(len(table), dtype=np.bool_)
    kept[by_score[place < n_guesses]] = True
    guesses = table.where(kept)
    overlaps = find_overlaps(dataset, guesses, COCO, floor=reachable(IOU), threads=threads)
    on_object = overlaps.gt_row[~COCO.ignored(dataset.gt)[overlaps.gt_row]]
    right = np.zeros((len(dataset.images), len(dataset.classes)), dtype=np.bool_)
    right[dataset.gt.image_row[on_object], dataset.gt.class_row[on_object]] = True
    return right


def _accuracy(dataset: Dataset, name: str, n_guesses: int, right: Bools) -> GuessAccuracy:
    counted = ~COCO.ignored(dataset.gt)
    present = np.zeros_like(right)
    present[dataset.gt.image_row[counted], dataset.gt.class_row[counted]] = True
    return GuessAccuracy(name, n_guesses, ratio(right.sum(axis=0), present.sum(axis=0)))


def _found(dataset: Dataset, tables: Sequence[Detections], threads: int) -> Found:
    scores = [hit_scores(dataset, table, threads=threads) for table in tables]
    found = ~np.isnan(np.stack(scores))
    n_finders = found.sum(axis=0)
    counted = ~COCO.ignored(dataset.gt)
    return Found(
        iou=IOU,
        n_objects=int(counted.sum()),
        each=tuple(found.sum(axis=1).tolist()),
        only=tuple((found & (n_finders == 1)).sum(axis=1).tolist()),
        any=int(np.count_nonzero(n_finders)),
        all=int(np.count_nonzero(n_finders == len(tables))),
        none=int(np.count_nonzero(counted & (n_finders == 0))),
    )


def _sources(
    dataset: Dataset, tables: Sequence[Detections], threads: int
) -> tuple[list[Source], tuple[Notice, ...]]:
    """Matches over COCO's ten thresholds, of detections about which the annotation tells."""
    sources: list[Source] = []
    notices: tuple[Notice, ...] = ()
    for table in tables:
        told, unverified = verified_detections(dataset, table, IOU_THRESHOLDS[0], threads=threads)
        prepared = prepare(dataset, told, "coco")
        matches = prepared.match(IOU_THRESHOLDS, keep_hits=True, threads=threads)
        sources.append(Source(told, matches))
        notices += unverified
    return sources, notices
