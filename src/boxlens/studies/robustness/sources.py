"""Which pictures a study can be made of: those that can be read, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boxlens.data import Dataset, Notice, counted_notice
from boxlens.data.boxes import corners_from_xywh
from boxlens.detectors.run_result import Failure, NothingDetectedError, Remark
from boxlens.images import ImageError, ImageFiles, find_images
from boxlens.images.files import evenly_spread
from boxlens.images.transforming.pictured import Pictured, with_pictures
from boxlens.images.transforming.scene_choice import Scenes, given_pictures
from boxlens.images.transforming.shot import Shot
from boxlens.images.transforming.visible_objects import single_spans
from boxlens.progress import Progress
from boxlens.studies.robustness.running import Place
from boxlens.studies.upper_bound.findings import (
    BEYOND,
    NO_PIXEL,
    Faults,
    beyond_notices,
    changed_notices,
)

# Cut to whole pixels, less beyond the border changes nothing.
BEYOND_PX = 0.5
UNKNOWN_SIZE = "its size is neither in the ground truth nor to be read from the file"


class Sources(NamedTuple):
    """Pictures that can be read; those that cannot, and objects without a pixel, are failures."""

    pictured: Pictured
    failed: tuple[Failure, ...]
    # What is odd about those that can be read.
    remarks: tuple[Remark, ...]
    notices: tuple[Notice, ...]


class GivenScenes(NamedTuple):
    """Pictures to paste on; None: those of the data set."""

    scenes: Scenes | None = None
    failed: tuple[Failure, ...] = ()
    notices: tuple[Notice, ...] = ()


def usable_sources(
    dataset: Dataset, files: ImageFiles, n_images: int | None, progress: Progress | None
) -> Sources:
    """So many pictures of the data set, evenly spread; each is read once, to see whether it can."""
    sized, pictures, notices = with_pictures(dataset, files)
    n_all = len(sized.images)
    asked = Pictured(sized, pictures).select(evenly_spread(n_all, n_images))
    readable, unreadable, changes = _readable(asked, "looking at pictures", progress)
    unsized, objects = _unsized(dataset, files, pictures), _Objects.of(readable)
    left_out = "of {:,} pictures {} skipped, as requested (--n-images)"
    return Sources(
        readable,
        (*unsized, *unreadable, *objects.faults.failures()),
        (*changes, *objects.remarks()),
        (
            *notices,
            *counted_notice(
                "pictures_left_out",
                n_all - len(asked),
                left_out.format(n_all, "are"),
                left_out.format(n_all, "is"),
            ),
            *counted_notice(
                "unreadable_picture",
                len(unreadable),
                "pictures cannot be used and are in no set",
                "picture cannot be used and is in no set",
            ),
            *changed_notices(changes),
            *objects.notices(),
        ),
    )


def usable_scenes(
    place: Place | None, dataset: Dataset, seed: int, progress: Progress | None
) -> GivenScenes:
    """Of a folder, those that can be read."""
    if place is None:
        return GivenScenes()
    files, _ = find_images(place)
    everything, notices = given_pictures(dataset, files, seed)
    readable, unreadable, _ = _readable(everything.pictured, "looking at scenes", progress)
    unsized = _unsized(None, files, everything.pictured.files)
    if not unreadable:
        return GivenScenes(everything, unsized, notices)
    scenes, _ = given_pictures(dataset, readable.files, seed)
    return GivenScenes(scenes, (*unsized, *unreadable), notices)


def _readable(
    pictured: Pictured, what: str, progress: Progress | None
) -> tuple[Pictured, tuple[Failure, ...], tuple[Remark, ...]]:
    """Those that can be read, why others cannot, and what reading changed."""
    kept, failed, changes = [], [], []
    for row, name in enumerate(pictured.files.names):
        if progress:
            progress(what, row, len(pictured))
        try:
            picture = pictured.read(row)
        except ImageError as problem:
            failed.append(Failure(name, problem.problem))
        else:
            kept.append(row)
            changes += [Remark(name, change) for change in picture.changes]
    if not kept:
        raise NothingDetectedError(tuple(failed))
    return pictured.select(kept) if failed else pictured, tuple(failed), tuple(changes)


def _unsized(dataset: Dataset | None, files: ImageFiles, sized: ImageFiles) -> tuple[Failure, ...]:
    """Pictures of the data set, or all, of which nobody knows the size."""
    known = set(sized.ids.tolist())
    wanted = None if dataset is None else set(dataset.images.id.tolist())
    return tuple(
        Failure(name, UNKNOWN_SIZE)
        for key, name in zip(files.ids.tolist(), files.names, strict=True)
        if key not in known and (wanted is None or key in wanted)
    )


class _Objects(NamedTuple):
    """What is odd about objects, crowds aside, by picture."""

    empty: list[str]
    faults: Faults
    oddities: Faults

    @classmethod
    def of(cls, pictured: Pictured) -> _Objects:
        found = cls([], Faults(), Faults())
        for row, name in enumerate(pictured.files.names):
            shot = pictured.shot(row)
            if len(shot.box) == 0:
                found.empty.append(name)
            spans = single_spans(shot)
            for number in range(int(np.count_nonzero(~shot.crowd)) - len(spans)):
                found.faults.add(name, NO_PIXEL, number)
            for number in range(_n_beyond(shot, list(spans))):
                found.oddities.add(name, BEYOND, number)
        return found

    def remarks(self) -> tuple[Remark, ...]:
        return (*(Remark(name, "no objects") for name in self.empty), *self.oddities.remarks())

    def notices(self) -> Iterator[Notice]:
        yield from counted_notice(
            "picture_without_objects",
            len(self.empty),
            "pictures have no objects and are in no set of single objects",
            "picture has no objects and is in no set of single objects",
        )
        yield from beyond_notices(self.oddities)
        yield from counted_notice(
            "object_without_pixel",
            self.faults.count(NO_PIXEL),
            "objects lie outside their pictures and are in no set of single objects",
            "object lies outside its picture and is in no set of single objects",
        )


def _n_beyond(shot: Shot, rows: list[int]) -> int:
    """Of the objects that are seen, those not wholly."""
    corners = corners_from_xywh(shot.box[rows])
    size = (shot.width_px, shot.height_px)
    beyond = np.maximum(-corners[:, :2], corners[:, 2:] - size).max(axis=1, initial=0.0)
    return int(np.count_nonzero(beyond > BEYOND_PX))
