"""Learns the likelihoods of objectness from pictures with boxes.

Windows are drawn as the generator draws them; those that reach an object (IoU of .5) are on it,
the others are not. What counts as salient, ring and superpixels stay as published.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Boxes, Floats
from boxlens.detectors.pictures import usable_pictures
from boxlens.errors import InputError
from boxlens.images import ImageFiles
from boxlens.matching.pairing import box_overlap
from boxlens.progress import Progress
from boxlens.studies.proposals.generators.objectness import (
    CUES,
    CueTable,
    Objectness,
    ObjectnessTables,
)

ON_OBJECT_IOU = 0.5
# Bins a cue, of equally many windows each; those on objects weigh as much as all the others.
N_BINS = 100
# Windows drawn of a picture, and of all of them.
MOST_WINDOWS, MOST_IN_ALL = 20_000, 4_000_000


def train_objectness(
    dataset: Dataset, files: ImageFiles, *, seed: int = 0, progress: Progress | None = None
) -> Objectness:
    """The generator with tables of these pictures; crowds and groups are no objects.

    `files` go by the ids of the data set, as `find_images` gives them with it.
    """
    pictures, part, failed = usable_pictures(files, dataset, progress)
    alone = part.where(~(part.gt.crowd | part.gt.group_of)).gt
    n_windows = max(min(MOST_WINDOWS, MOST_IN_ALL // len(pictures)), 1)
    drawing = Objectness(_UNDECIDED, seed=seed, n_windows=n_windows)
    values: dict[str, list[Floats]] = {name: [] for name in CUES}
    reached: list[Bools] = []
    for row, image in enumerate(pictures):
        found = drawing.measured(image)
        objects = alone.box[alone.offsets[row] : alone.offsets[row + 1]]
        if part.relative:
            objects = objects * np.tile(image.shape[1::-1], 2)
        reached.append(on_objects(found.box, objects))
        for name in CUES:
            values[name].append(found.cues[name])
        if progress is not None:
            progress("learning objectness", row + 1, len(pictures))
    told = f"{part.name}: {len(pictures):,} pictures with {len(alone):,} boxes"
    if failed:
        told += f"; {len(failed):,} pictures could not be used, first {failed[0].file}"
    pooled = {name: np.concatenate(parts) for name, parts in values.items()}
    return Objectness(_tables(pooled, np.concatenate(reached), told), seed=seed)


def on_objects(windows: Boxes, objects: Boxes) -> Bools:
    """Which windows reach an object."""
    reached = np.zeros(len(windows), dtype=np.bool_)
    for box in objects:
        reached |= box_overlap(windows, np.broadcast_to(box, windows.shape)) >= ON_OBJECT_IOU
    return reached


def _tables(values: Mapping[str, Floats], reached: Bools, trained_on: str) -> ObjectnessTables:
    n_on = int(reached.sum())
    if n_on in {0, len(reached)}:
        raise InputError(
            f"{n_on:,} of {len(reached):,} windows drawn are on objects: nothing to learn from",
            remedy="Give more pictures, with boxes of objects that fill only a part of them",
        )
    cues = tuple(_cue_table(values[name], reached) for name in CUES)
    return ObjectnessTables(n_on / len(reached), cues, trained_on=trained_on)


def _cue_table(values: Floats, reached: Bools) -> CueTable:
    """Laplace-smoothed: every bin has one window more than were counted."""
    sides = values[reached], values[~reached]
    edges = _balanced_quantiles(*sides)
    bins = (np.searchsorted(edges, side, side="right") for side in sides)
    counts = [np.bincount(row, minlength=len(edges) + 1) + 1.0 for row in bins]
    shares = (tuple((count / count.sum()).tolist()) for count in counts)
    return CueTable(tuple(edges.tolist()), *shares)


def _balanced_quantiles(one: Floats, other: Floats) -> Floats:
    """Edges between bins of equally many values, both sides weighing the same."""
    values = np.concatenate([one, other])
    weight = np.concatenate([np.full(len(side), 0.5 / len(side)) for side in (one, other)])
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weight[order])
    marks = np.searchsorted(upto, np.arange(1, N_BINS) / N_BINS).clip(max=len(values) - 1)
    return np.unique(values[order[marks]])


_FLAT = CueTable((), (1.0,), (1.0,))
# Before anything is learnt: windows can be drawn and measured, not told apart.
_UNDECIDED = ObjectnessTables(0.5, (_FLAT,) * len(CUES))
