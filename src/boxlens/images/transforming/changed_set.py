"""The pictures of a data set under one step, with their ground truth: drawn when they are read.

The ground truth is made from sizes and boxes alone, before any pixel. Masks and keypoints stay
with objects as long as nothing has moved; boxes are all that is kept of them otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Ids, Rows, frozen
from boxlens.errors import BoxlensError, ParameterError
from boxlens.images.errors import ImageError
from boxlens.images.files import ImageFiles
from boxlens.images.reading import Picture
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.changed_ground_truth import (
    Planned,
    changed_ground_truth,
    object_names,
)
from boxlens.images.transforming.pictured import Pictured
from boxlens.images.transforming.scene_choice import Scenes, other_pictures
from boxlens.images.transforming.shot import Exposure, no_mask
from boxlens.images.transforming.transform import Change, Step, Transform, TransformSettings

# Row of an object of the data set -> its mask; None where there is none.
ObjectMask = Callable[[int], Bools | None]


@dataclass(frozen=True, slots=True)
class ChangedSet:
    """One row per picture. `read` may be called from several threads."""

    step: Step
    settings: TransformSettings
    dataset: Dataset
    # The picture of the data set that each was made of.
    source_row: Rows
    # The object of that data set that each one of `dataset.gt` is; -1: of a scene pasted on.
    object_row: Rows
    # What pictures are called in messages, and as files.
    names: tuple[str, ...]
    source: Pictured
    scenes: Scenes | None
    mask_of: ObjectMask | None
    # Changes with any of the masks.
    mask_digest: str
    # Which of the pictures made of its source each is.
    place: Rows

    def __len__(self) -> int:
        return len(self.source_row)

    @property
    def ids(self) -> Ids:
        return self.dataset.images.id

    def read(self, row: int) -> Picture:
        """Decodes the source and draws; raises `ImageError` where there is no whole picture."""
        source_row = int(self.source_row[row])
        picture = self.source.read(source_row)
        shot = self.source.shot(source_row, masked=self.mask_of is not None)
        exposure = Exposure(shot, picture.pixels, self._masks(source_row))
        if self.scenes is not None:
            scene_row = int(self.scenes.row_of[source_row])
            scene_pixels = self.scenes.pictured.read(scene_row).pixels
            scene = Exposure(self.scenes.pictured.shot(scene_row), scene_pixels, no_mask)
            exposure = exposure.on(scene)
        transform, change = TRANSFORMS[self.step.name], Change(self.step.level, self.settings)
        layouts = transform.plan(exposure.shot, change)
        try:
            pixels = transform.draw(exposure, layouts[self.place[row]], change)
        except BoxlensError:
            raise
        except Exception as problem:  # one picture is at fault, such as one too large to double
            text = f"could not be changed ({type(problem).__name__}: {problem})"
            raise ImageError(text, path=self.source.files.paths[source_row]) from problem
        return Picture(pixels, picture.changes)

    def size_bytes(self, row: int) -> int:
        """Of the file that a picture is made of."""
        return self.source.size_bytes(int(self.source_row[row]))

    def made_from(self) -> dict[str, Any]:
        """All that its pictures and boxes depend on, in JSON; hashes of what is long."""
        scenes = None
        if self.scenes is not None:
            rows = [self.scenes.pictured.files.names[row] for row in self.scenes.row_of.tolist()]
            scenes = [self.scenes.pictured.pictures_hash(), *rows]
        return {
            "step": self.step.slug,
            # The slug of a level has six digits.
            "level": repr(self.step.level),
            "settings": self.settings.to_json(),
            "ground_truth": self.source.ground_truth_hash(),
            "pictures": self.source.pictures_hash(),
            "scenes": None if scenes is None else _short_hash(scenes),
            "masks": None if self.mask_of is None else self.mask_digest,
        }

    def _masks(self, source_row: int) -> Callable[[int], Bools | None]:
        if self.mask_of is None:
            return no_mask
        return partial(_mask_from, self.mask_of, int(self.source.dataset.gt.offsets[source_row]))


def changed_set(
    dataset: Dataset,
    files: ImageFiles,
    step: Step,
    settings: TransformSettings,
    *,
    scenes: Scenes | None = None,
    mask_of: ObjectMask | None = None,
    mask_digest: str = "",
) -> ChangedSet:
    """The step over all pictures; data set and files are those of `with_pictures`.

    Objects are pasted onto `scenes`, or onto the other pictures of the data set. `mask_of` gives
    the masks of objects, for the steps and settings that cut along them; `mask_digest` says which
    they are, so that work on others is never taken for work on these.
    """
    transform = _transform(step)
    source = Pictured(dataset, files)
    if not transform.needs_scene:
        scenes = None
    elif scenes is None:
        scenes = other_pictures(dataset, files, settings.seed)
    if not (transform.needs_scene or settings.cut == "mask"):
        mask_of = None  # so that sets which do not look at masks do not depend on them
    change = Change(step.level, settings)
    planned = _planned(transform, source, scenes, change, masked=mask_of is not None)
    changed, object_row = changed_ground_truth(dataset, planned, per_object=transform.per_object)
    names = files.names
    if transform.per_object:
        names = object_names(planned, dataset.gt, files.names)
        changed = replace(changed, images=replace(changed.images, file_name=names))
    return ChangedSet(
        step=step,
        settings=settings,
        dataset=changed,
        source_row=frozen([one.source_row for one in planned], np.int32),
        object_row=object_row,
        names=names,
        source=source,
        scenes=scenes,
        mask_of=mask_of,
        mask_digest=mask_digest,
        place=frozen([one.place for one in planned], np.int32),
    )


def _transform(step: Step) -> Transform:
    if step.name not in TRANSFORMS:
        raise ParameterError(f"unknown transform '{step.name}': choose {', '.join(TRANSFORMS)}")
    transform = TRANSFORMS[step.name]
    if step.graded:
        transform.check(step.level)
    elif transform.levels:
        raise ParameterError(f"{step.name} needs a level: {transform.legal}")
    return transform


def _planned(
    transform: Transform,
    source: Pictured,
    scenes: Scenes | None,
    change: Change,
    *,
    masked: bool,
) -> list[Planned]:
    planned = []
    for row in range(len(source)):
        scene_row, shot = -1, source.shot(row, masked=masked)
        if scenes is not None:
            scene_row = int(scenes.row_of[row])
            shot = replace(shot, scene=scenes.pictured.shot(scene_row))
        for place, layout in enumerate(transform.plan(shot, change)):
            planned.append(Planned(row, scene_row, place, layout))
    return planned


def _mask_from(mask_of: ObjectMask, first_row: int, row: int) -> Bools | None:
    return mask_of(first_row + row)


def _short_hash(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()
