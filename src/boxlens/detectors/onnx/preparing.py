"""An image becomes a model's input, and boxes found there become boxes of the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes, Floats
from boxlens.detectors.onnx.spec import InputSpec
from boxlens.errors import imported
from boxlens.images import Pixels


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an image lies in the model's input: input = image * scale + offset, in pixels."""

    scale_x: float
    scale_y: float
    left_px: int
    top_px: int
    # Of the resized image.
    width_px: int
    height_px: int

    def to_image(self, boxes: Boxes) -> Boxes:
        """Boxes (x, y, w, h) of the input as boxes of the image."""
        scale = np.array([self.scale_x, self.scale_y, self.scale_x, self.scale_y])
        moved: Boxes = (boxes - np.array([self.left_px, self.top_px, 0, 0])) / scale
        return moved


def prepare(
    image: Pixels, spec: InputSpec, size: tuple[int, int], dtype: type[np.generic]
) -> tuple[npt.NDArray[Any], Placement]:
    """The input tensor of one image, and where the image lies in it."""
    width, height = size
    place = placement(image.shape[1], image.shape[0], spec, size)
    canvas = _resized(image, place, spec.interpolation)
    if (place.width_px, place.height_px) != size:
        padded = np.full((height, width, 3), spec.pad, dtype=np.uint8)
        bottom, right = place.top_px + place.height_px, place.left_px + place.width_px
        padded[place.top_px : bottom, place.left_px : right] = canvas
        canvas = padded
    if spec.channels == "bgr":
        canvas = canvas[..., ::-1]
    table = value_table(spec).astype(dtype)
    channel_axis = spec.layout.removeprefix("n").index("c")
    planes = [table[channel][canvas[..., channel]] for channel in range(3)]
    tensor = np.stack(planes, axis=channel_axis)
    return (tensor[None] if spec.layout.startswith("n") else tensor), place


def placement(
    image_width: int, image_height: int, spec: InputSpec, size: tuple[int, int]
) -> Placement:
    """How the image is scaled and where it is put."""
    width, height = size
    if spec.resize == "stretch":
        return Placement(width / image_width, height / image_height, 0, 0, width, height)
    scale = min(height / image_height, width / image_width)
    # Sides become whole pixels the way the families do it: YOLOX, which puts the image into the
    # corner, cuts; Ultralytics, which centres it, rounds.
    whole = int if spec.align == "corner" else round
    inner_width = min(max(whole(image_width * scale), 1), width)
    inner_height = min(max(whole(image_height * scale), 1), height)
    centred = spec.align == "centre"
    left = (width - inner_width) // 2 if centred else 0
    top = (height - inner_height) // 2 if centred else 0
    return Placement(scale, scale, left, top, inner_width, inner_height)


def value_table(spec: InputSpec) -> Floats:
    """What each of the 256 pixel values becomes, one row per channel."""
    mean = np.array(spec.mean)[:, None]
    std = np.array(spec.std)[:, None]
    table: Floats = (np.arange(256.0) * spec.scale - mean) / std
    return table


def _resized(image: Pixels, place: Placement, interpolation: str) -> Pixels:
    if image.shape[:2] == (place.height_px, place.width_px):
        return image
    cv2 = imported("cv2", "resizing images", "opencv-contrib-python-headless", "onnx")
    kind = {
        "linear": cv2.INTER_LINEAR,
        "area": cv2.INTER_AREA,
        "cubic": cv2.INTER_CUBIC,
        "nearest": cv2.INTER_NEAREST,
    }[interpolation]
    resized = cv2.resize(
        np.ascontiguousarray(image), (place.width_px, place.height_px), interpolation=kind
    )
    return np.asarray(resized, dtype=np.uint8)
