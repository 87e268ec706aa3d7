"""Objects of a data set and the proposals that find them, for every budget (METHODS 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, GroundTruth, Notice
from boxlens.data.columns import Bools, Floats, Offsets, Rows
from boxlens.data.source import Source
from boxlens.data.windows import WindowPart
from boxlens.matching.box_matching import match_boxes
from boxlens.progress import Progress
from boxlens.studies.proposals.proposed import Proposed
from boxlens.studies.proposals.recall.box_sizes import N_BINS, window_sizes


@dataclass(frozen=True, slots=True)
class ObjectMatches:
    """One method: what is counted of its boxes, which are gone; `iou`, `best` by budget, object."""

    # Images that were asked about.
    images: Bools
    # Rows of the ground truth, and their images.
    object_row: Rows
    image_row: Rows
    # With the proposal that an object got for itself, and with the best of all.
    iou: Floats
    best: Floats
    # By budget and image of the data set.
    n_windows: Offsets
    # By image of the data set and bin of size, at the largest budget.
    n_by_size: Offsets
    # Boxes on the pixels of a better one, which are skipped; of a file, in all of it. Where every
    # budget is a run of its own, in that of the largest.
    n_duplicates: int
    # None for files.
    seconds_per_image: float | None

    @property
    def n_mean(self) -> Floats:
        """By budget: proposals per image."""
        if not self.images.any():
            return np.full(len(self.n_windows), np.nan)
        mean: Floats = self.n_windows[:, self.images].mean(axis=1)
        return mean

    def within(self, images: Bools) -> ObjectMatches:
        """Of fewer images: matching is local to an image, so nothing is matched again."""
        kept = images[self.image_row]
        if kept.all():
            return replace(self, images=images)
        return replace(
            self,
            images=images,
            object_row=self.object_row[kept],
            image_row=self.image_row[kept],
            iou=np.ascontiguousarray(self.iou[:, kept]),
            best=np.ascontiguousarray(self.best[:, kept]),
        )


@dataclass(frozen=True, slots=True)
class MatchedMethod:
    """What is left of a method whose boxes were matched."""

    name: str
    made_by: str
    baseline: bool
    # Images whose proposals are known.
    searched: Bools
    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]
    # Of all images.
    matches: ObjectMatches


def match_method(
    dataset: Dataset,
    proposed: Proposed,
    budgets: Sequence[int],
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> MatchedMethod:
    """In all images, whatever other methods have searched: see `ObjectMatches.within`."""
    searched = proposed.searched()
    everywhere = np.ones_like(searched)
    return MatchedMethod(
        name=proposed.name,
        made_by=proposed.made_by,
        baseline=proposed.baseline,
        searched=searched,
        sources=proposed.sources(),
        notices=proposed.notices(),
        matches=match_objects(
            dataset, proposed, budgets, images=everywhere, threads=threads, progress=progress
        ),
    )


def countable_objects(dataset: Dataset) -> Bools:
    """Difficult objects count, crowds and groups do not."""
    countable: Bools = ~(dataset.gt.crowd | dataset.gt.group_of)
    return countable


def match_objects(
    dataset: Dataset,
    proposed: Proposed,
    budgets: Sequence[int],
    *,
    images: Bools | None = None,
    also: Callable[[WindowPart], object] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> ObjectMatches:
    """Objects of `images`, or of all that the method has searched; budgets ascend.

    `also` is shown every part, for what else there is to be asked of it.
    """
    asked = proposed.searched() if images is None else images
    tally = _Tally(dataset, asked, budgets)
    # A nested method is matched for all budgets at once.
    size = len(budgets) if proposed.nested else 1
    groups = [slice(row, row + size) for row in range(0, len(budgets), size)]
    n_images = len(dataset.images)
    for number, group in enumerate(groups):
        n_duplicates, seconds = 0, None
        for part, n_left_out in proposed.parts(budgets[group][-1], threads=threads):
            if progress is not None:
                done = number * n_images + part.first
                progress("matching proposals", done, len(groups) * n_images)
            tally.add(part, group, threads)
            if also is not None:
                also(part)
            n_duplicates += n_left_out
            seconds = part.seconds if seconds is None else seconds + (part.seconds or 0.0)
    if seconds is not None:
        seconds /= max(int(proposed.searched().sum()), 1)
    return ObjectMatches(
        images=asked,
        object_row=tally.object_row,
        image_row=tally.objects.image_row,
        iou=tally.iou,
        best=tally.best,
        n_windows=tally.n_windows,
        n_by_size=tally.n_by_size,
        n_duplicates=n_duplicates,
        seconds_per_image=proposed.seconds_per_image if seconds is None else seconds,
    )


class _Tally:
    """Filled part by part; of every object and image it has one place."""

    def __init__(self, dataset: Dataset, images: Bools, budgets: Sequence[int]) -> None:
        counted = countable_objects(dataset) & images[dataset.gt.image_row]
        self.dataset = dataset
        self.budgets = list(budgets)
        self.object_row: Rows = np.flatnonzero(counted).astype(np.int32)
        self.objects: GroundTruth = dataset.gt if counted.all() else dataset.gt.where(counted)
        n_images = len(dataset.images)
        self.iou = np.zeros((len(budgets), len(self.object_row)))
        self.best = np.zeros_like(self.iou)
        self.n_windows = np.zeros((len(budgets), n_images), dtype=np.int64)
        self.n_by_size = np.zeros((n_images, N_BINS), dtype=np.int64)

    def add(self, part: WindowPart, group: slice, threads: int) -> None:
        """One part, for the budgets of `group`."""
        images, windows = part.images, part.windows
        offsets = self.objects.offsets[images.start : images.stop + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        budgets = self.budgets[group]
        found = match_boxes(
            offsets - offsets[0],
            self.objects.box[rows],
            windows.offsets,
            windows.box,
            budgets,
            threads=threads,
        )
        self.iou[group, rows], self.best[group, rows] = found.iou, found.best
        counts = np.diff(windows.offsets)
        self.n_windows[group, images] = np.minimum(counts, np.array(budgets)[:, np.newaxis])
        if budgets[-1] == self.budgets[-1]:
            self.n_by_size[images] = window_sizes(self.dataset, part)
