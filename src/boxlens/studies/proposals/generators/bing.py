"""BING: windows whose small, normed gradients look like an object's, by OpenCV and its model files.

Everything is OpenCV's. Its values are ranks weighted by colour space and no scores: only the order
is kept, without repeated boxes (METHODS 7.6).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from boxlens.data.boxes import xywh_from_inclusive_corners
from boxlens.errors import InputError
from boxlens.formats.files import existing_folder, opened, reading
from boxlens.formats.unfinished import scratch_folder
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.quiet import without_output
from boxlens.studies.proposals.generators.ranked import (
    Ranked,
    distinct,
    identity_text,
    nothing,
    ranked,
)

MODEL_FILES = tuple(
    f"ObjNessB2W8{colours}.{part}.yml.gz"
    for colours in ("MAXBGR", "HSV", "I")
    for part in ("wS1", "wS2", "idx")
)
# A picture of this size has windows, whatever it shows: none at all means an unreadable model.
_SURE_SIDE_PX = 64
_REMEDY = "Give the folder of the nine files ObjNessB2W8*.yml.gz (samples of opencv_contrib)"


@dataclass(frozen=True, slots=True)
class Bing:
    """A folder of model files; they are looked at once, when the generator is opened."""

    folder: Path
    digest: str
    name: str = "bing"
    nested: ClassVar[bool] = True

    @classmethod
    def opened(cls, folder: str | Path) -> Bing:
        contributed("saliency")
        place = existing_folder(folder)
        missing = [name for name in MODEL_FILES if not (place / name).is_file()]
        if missing:
            problem = f"{len(missing)} of 9 model files of BING are missing, first {missing[0]}"
            raise InputError(problem, path=folder, remedy=_REMEDY)
        digest = hashlib.sha256()
        for name in MODEL_FILES:
            with reading(place), opened(place / name) as file:
                digest.update(file.read())
        bing = cls(place.resolve(), digest.hexdigest())
        bing._try()
        return bing

    def _try(self) -> None:
        """OpenCV says nothing of a file that it lacks, and little of one that it cannot read."""
        import cv2

        try:
            self.propose(_sample(), 1)
        except cv2.error as problem:
            raise self._unusable() from problem

    @property
    def identity(self) -> str:
        return identity_text(self.name, versions(), model=self.digest)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        search = contributed("saliency").ObjectnessBING_create()
        search.setTrainingPath(str(self.folder))
        # It writes the boxes into a folder, too, and says how long it took.
        with scratch_folder() as scratch, without_output():
            search.setBBResDir(str(scratch))
            _, found = search.computeSaliency(np.ascontiguousarray(image[..., ::-1]))
        if found is None:
            if min(image.shape[:2]) >= _SURE_SIDE_PX:
                raise self._unusable()
            return nothing()
        corners = np.asarray(found, dtype=np.float64).reshape(-1, 4)
        return ranked(distinct(xywh_from_inclusive_corners(corners)), limit)

    def _unusable(self) -> InputError:
        return InputError("OpenCV cannot use these model files", path=self.folder, remedy=_REMEDY)


def _sample() -> Pixels:
    """A picture that a sound model finds windows in."""
    side = 2 * _SURE_SIDE_PX
    return np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)
