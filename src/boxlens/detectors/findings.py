"""What is found in one image, and the detections of a batch made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.data import Detections
from boxlens.detectors.suppression import suppress
from boxlens.detectors.threads import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.data import Notice
    from boxlens.data.columns import Boxes, Floats, Rows
    from boxlens.images import Pixels

SUPPRESSION_IOU = 0.4
MOST_DETECTIONS = 100
# Below this score hardly anything is right, and much is found.
LOWEST_SCORE = 0.01
_PLACES = 2


class Findings(NamedTuple):
    """One row per box of an image."""

    class_row: Rows
    box: Boxes
    score: Floats

    def best(self) -> Findings:
        """Without those that overlap a better one of their class, best first."""
        rows = suppress(
            self.box,
            self.score,
            iou=SUPPRESSION_IOU,
            groups=self.class_row,
            limit=MOST_DETECTIONS,
        )
        return Findings(self.class_row[rows], self.box[rows].round(_PLACES), self.score[rows])


NOTHING = Findings(np.zeros(0, np.int32), np.zeros((0, 4)), np.zeros(0))


def detect_each(
    name: str, images: Sequence[Pixels], find: Callable[[Pixels], Findings]
) -> Detections:
    """A batch, each image on its own; images are spread over the cores."""
    return joined_findings(name, in_parallel(find, images))


def joined_findings(
    name: str, parts: Sequence[Findings], notices: tuple[Notice, ...] = ()
) -> Detections:
    """A batch of what was found, image after image."""
    class_row, box, score = (np.concatenate(column) for column in zip(NOTHING, *parts, strict=True))
    return Detections.of(
        name,
        len(parts),
        image_row=np.repeat(np.arange(len(parts)), [len(part.score) for part in parts]),
        class_row=class_row,
        box=box,
        score=score,
        notices=notices,
    )
