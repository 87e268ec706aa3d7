"""Objects pasted at their places onto another scene, which they do not belong to (METHODS 4.6)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes, Floats, Rows, frozen, owned
from boxlens.errors import ParameterError
from boxlens.images.box_maps import STAYS, inverted, map_boxes
from boxlens.images.crops import PixelSpan, span_inside
from boxlens.images.perturbing.libraries import opencv, pillow
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.layout import Layout
from boxlens.images.transforming.shot import Exposure, Shot
from boxlens.images.transforming.transform import Change, Transform
from boxlens.images.transforming.visible_objects import clipped, single_spans

Alpha = npt.NDArray[np.float32]

_Scene = TypeVar("_Scene")

# Pixels over which a box passes into the scene, all of them inside it; fewer of small boxes.
RIM_PX = 3
SMALLEST_SIDE_BY_RIM = 8
# Sigma and size of the Gaussian that softens masks: it reaches two pixels.
MASK_SIGMA_PX = 1.0
MASK_KERNEL_PX = 5


def _plan(shot: Shot, _change: Change) -> tuple[Layout, ...]:
    spans = single_spans(shot)
    rows = frozen(list(spans), np.int32)
    covers = [] if shot.masked else list(spans.values())
    scene_row, scene_box = _seen_around(covers, shot, _needed(shot.scene))
    return (
        Layout(
            shot.width_px,
            shot.height_px,
            STAYS,
            rows,
            owned(shot.box[rows]),
            scene_row=scene_row,
            scene_box=scene_box,
        ),
    )


def covering_map(width_px: int, height_px: int, scene: Shot) -> Floats:
    """Scene to picture: scaled until it covers the picture, its middle in the middle."""
    scale = max(width_px / scene.width_px, height_px / scene.height_px)
    x = (width_px - scale * scene.width_px) / 2
    y = (height_px - scale * scene.height_px) / 2
    return np.array([[scale, 0.0, x], [0.0, scale, y]])


def _seen_around(covers: list[PixelSpan], shot: Shot, scene: Shot) -> tuple[Rows, Boxes]:
    """Objects of the scene, crowds too, that are not all beneath what covers them, or cut off."""
    width, height = shot.width_px, shot.height_px
    boxes = map_boxes(scene.box, covering_map(width, height, scene))
    open_yet = np.ones((height, width), dtype=np.bool_)
    for cover in covers:
        open_yet[cover.top : cover.bottom, cover.left : cover.right] = False
    spans = [span_inside(box, width, height) for box in boxes]
    rows = [
        row
        for row, span in enumerate(spans)
        if span and open_yet[span.top : span.bottom, span.left : span.right].any()
    ]
    seen = clipped(boxes[rows], PixelSpan(0, 0, width, height))
    return frozen(rows, np.int32), owned(seen)


def _draw(exposure: Exposure, layout: Layout, _change: Change) -> Pixels:
    ground = _covering(_needed(exposure.scene), layout)
    alpha = _alpha(exposure, layout.row)
    drawn = np.where((alpha == 1)[..., None], exposure.pixels, ground)
    soft = (alpha > 0) & (alpha < 1)
    below, above = ground[soft].astype(np.float32), exposure.pixels[soft]
    drawn[soft] = np.rint(below + alpha[soft, None] * (above - below))
    return drawn


def _covering(scene: Exposure, layout: Layout) -> Pixels:
    size = (layout.width_px, layout.height_px)
    if size == (scene.shot.width_px, scene.shot.height_px):
        return scene.pixels
    there = np.array([[0.0, 0.0, *size]])
    matrix = inverted(covering_map(*size, scene.shot))
    x, y, width, height = map_boxes(there, matrix)[0].tolist()
    window = (
        max(x, 0.0),
        max(y, 0.0),
        min(x + width, scene.shot.width_px),
        min(y + height, scene.shot.height_px),
    )
    library = pillow()
    image = library.fromarray(scene.pixels)
    return np.asarray(image.resize(size, library.Resampling.BICUBIC, box=window))


def _alpha(exposure: Exposure, rows: Rows) -> Alpha:
    """How much of the objects is seen at each pixel: soft at masks, and at boxes without one."""
    shot = exposure.shot
    alpha = np.zeros((shot.height_px, shot.width_px), dtype=np.float32)
    masked = np.zeros(alpha.shape, dtype=np.bool_)
    for row in rows.tolist():
        mask = exposure.mask_of(row)
        span = span_inside(shot.box[row], shot.width_px, shot.height_px)
        if mask is not None and mask.any():
            masked |= mask
        elif span is not None:
            part = alpha[span.top : span.bottom, span.left : span.right]
            np.maximum(part, _rimmed(span, shot), out=part)
    return np.maximum(alpha, _softened(masked)) if masked.any() else alpha


def _softened(mask: npt.NDArray[np.bool_]) -> Alpha:
    cv2 = opencv()
    soft: Alpha = cv2.GaussianBlur(
        mask.astype(np.float32),
        (MASK_KERNEL_PX, MASK_KERNEL_PX),
        MASK_SIGMA_PX,
        borderType=cv2.BORDER_REPLICATE,
    )
    return soft.clip(0, 1)


def _rimmed(span: PixelSpan, shot: Shot) -> Alpha:
    """1 but for a rim; sides at the border of the picture have none."""
    rim_px = min(RIM_PX, min(span.size_px) // SMALLEST_SIDE_BY_RIM)
    across = _ramp(span.left, span.right, shot.width_px, rim_px)
    down = _ramp(span.top, span.bottom, shot.height_px, rim_px)
    return np.minimum.outer(down, across)


def _ramp(first: int, last: int, side_px: int, rim_px: int) -> Alpha:
    place = np.arange(first, last, dtype=np.float32)
    before = place - first + 1 if first > 0 else np.full_like(place, np.inf)
    behind = last - place if last < side_px else np.full_like(place, np.inf)
    return np.minimum(np.minimum(before, behind) / (rim_px + 1), 1)


def _needed(scene: _Scene | None) -> _Scene:
    if scene is None:
        raise ParameterError("incongruent needs a scene to paste objects onto")
    return scene


INCONGRUENT = Transform("incongruent", "Incongruent scene", "study", _plan, _draw, needs_scene=True)
