"""What a classifier is shown of an object: its box, boxes around it, more or less context."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from boxlens.data.columns import Boxes, Floats
from boxlens.images import Pixels
from boxlens.images.crops import cut_inside, span_inside
from boxlens.studies.upper_bound.choice import UpperBoundChoice

# Towards which corner a box is shifted.
FAMILIES = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
Kind = Literal["box", "sample", "object", "object_and_context", "context", "image", "image_context"]
NAN = float("nan")


def sampled_boxes(boxes_xywh: Boxes, iou: float, n_shifts: int = 1) -> Boxes:
    """[box, sample, 4]: equal-sized boxes whose IoU with the box is `iou`; nothing is clipped.

    Shifted by (1 - alpha) of its width and (1 - beta) of its height, a box shares alpha times
    beta of its area, so that every pair with alpha beta = 2 iou / (1 + iou) has that IoU.
    Coordinates stay real: whole pixels would break the identity.
    """
    kept = np.stack(kept_shares(iou, n_shifts), axis=1)
    shift = (FAMILIES[:, None, :] * (1 - kept)[None, :, :]).reshape(-1, 2)
    corner, sides = boxes_xywh[:, None, :2], boxes_xywh[:, None, 2:]
    moved = corner + shift * sides
    return np.concatenate([moved, np.broadcast_to(sides, moved.shape)], axis=2)


def kept_shares(iou: float, n_shifts: int) -> tuple[Floats, Floats]:
    """Alpha evenly between 2 iou / (1 + iou) and 1, the ends excluded; and the beta of each."""
    product = 2 * iou / (1 + iou)
    alpha = product + (1 - product) * np.arange(1, n_shifts + 1) / (n_shifts + 1)
    return alpha, product / alpha


@dataclass(frozen=True, slots=True)
class View:
    kind: Kind
    # The crop's sides by those of the box; NaN for the whole picture.
    scale: float = 1.0
    # Of sampled boxes.
    sample: int = -1


OWN = View("box")


def views_of(choice: UpperBoundChoice) -> tuple[View, ...]:
    """All that are asked for; the box itself comes first."""
    n_samples = 0 if choice.sampled_iou is None else 4 * choice.n_shifts
    samples = [View("sample", sample=row) for row in range(n_samples)]
    return (OWN, *samples, *context_views(choice.context_scales))


def context_views(scales: tuple[float, ...]) -> tuple[View, ...]:
    """METHODS 4.4: scales of the box, with and without what is in it, and the whole picture."""
    if not scales:
        return ()
    ascending = sorted(set(scales))
    views = [View("object" if scale <= 1 else "object_and_context", scale) for scale in ascending]
    # Up to its own size a box that is blanked out leaves nothing to be seen.
    views += [View("context", scale) for scale in ascending if scale > 1]
    return (*views, View("image", NAN), View("image_context", NAN))


@dataclass(frozen=True, slots=True)
class Shown:
    """One object in its picture."""

    pixels: Pixels
    box: Boxes
    samples: Boxes

    @classmethod
    def of(cls, pixels: Pixels, box: Boxes, choice: UpperBoundChoice) -> Shown:
        samples: Boxes = np.empty((0, 4))
        if choice.sampled_iou is not None:
            samples = sampled_boxes(box[None], choice.sampled_iou, choice.n_shifts)[0]
        return cls(pixels, box, samples)

    def crop(self, view: View) -> Pixels | None:
        """None where nothing of it lies in the picture: the box has no area, or is outside."""
        if span_inside(self.box, self.pixels.shape[1], self.pixels.shape[0]) is None:
            return None
        if view.kind == "sample":
            # A box near the border may be shifted out of the picture altogether.
            return cut_inside(self.pixels, self.samples[view.sample])
        if view.kind == "image":
            return self.pixels
        if view.kind == "image_context":
            return self._blanked(np.array([0.0, 0.0, *self.pixels.shape[1::-1]]))
        around = _scaled(self.box, view.scale)
        return self._blanked(around) if view.kind == "context" else cut_inside(self.pixels, around)

    def _blanked(self, around: Boxes) -> Pixels | None:
        """The crop with the object's box zeroed."""
        height, width = self.pixels.shape[:2]
        outer, inner = span_inside(around, width, height), span_inside(self.box, width, height)
        if outer is None or inner is None:
            return None
        crop = outer.of(self.pixels).copy()
        top, left = max(inner.top - outer.top, 0), max(inner.left - outer.left, 0)
        crop[top : inner.bottom - outer.top, left : inner.right - outer.left] = 0
        return crop


def _scaled(box: Boxes, scale: float) -> Boxes:
    """About its centre; at its own size the very box."""
    if math.isclose(scale, 1.0, rel_tol=1e-9):
        return box
    sides = box[2:] * scale
    return np.concatenate([box[:2] + (box[2:] - sides) / 2, sides])
