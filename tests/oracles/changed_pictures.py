"""What METHODS 4.6 says of changed pictures and of the scores on them, in plain loops.

Ground truth comes from sizes and boxes alone; pixels are painted one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oracles.model import Box, intersection
from oracles.repeatability import mapped
from oracles.upper_bound import rows_and_columns

ON_A_GROUND = ("white_background", "noise_background", "blurred_background", "one_object")
CROPS = ("crop", "crop_resized")
TOGETHER = ("objects_only", "incongruent")
WHOLE = ("clean", "gaussian_blur", "vertical_flip")
SMALLER_SIDE = 300
BLUR_SIDE, BLUR_SIGMA = 11, 4.0


@dataclass(frozen=True)
class Thing:
    """An object of an image, by its row; a region is a crowd or a group."""

    row: int
    box: Box
    area: float
    region: bool = False


@dataclass(frozen=True)
class ChangedPicture:
    """`seen` are rows with their boxes and areas here; regions are kept as they are."""

    source: int
    width: int
    height: int
    seen: dict[int, tuple[Box, float]]


def has_pixels(box: Box, width: int, height: int) -> bool:
    """Something of the box is in the picture."""
    return intersection(box, (0.0, 0.0, float(width), float(height))) > 0


def changed(
    name: str, images: Sequence[tuple[int, int]], things: Sequence[Sequence[Thing]]
) -> list[ChangedPicture]:
    """The pictures a transform makes of images of these sizes, in their order."""
    pictures = []
    for source, ((width, height), here) in enumerate(zip(images, things, strict=True)):
        # METHODS 4.6: crowds are dropped; what has no pixel cannot be shown.
        objects = [one for one in here if not one.region and has_pixels(one.box, width, height)]
        if name in ON_A_GROUND:
            for one in objects:
                seen = {one.row: (one.box, one.area)}
                pictures.append(ChangedPicture(source, width, height, seen))
        elif name in CROPS:
            pictures += [cropped(name, source, width, height, one) for one in objects]
        elif name in TOGETHER:
            seen = {one.row: (one.box, one.area) for one in objects}
            pictures.append(ChangedPicture(source, width, height, seen))
        else:
            assert name in WHOLE
            turn = name == "vertical_flip"
            seen = {
                one.row: (flipped(one.box, height) if turn else one.box, one.area) for one in here
            }
            pictures.append(ChangedPicture(source, width, height, seen))
    return pictures


def cropped(name: str, source: int, width: int, height: int, one: Thing) -> ChangedPicture:
    """The ground truth is the whole picture; the area is that of what is left of the object."""
    rows, columns = rows_and_columns(one.box, width, height)
    wide, high = crop_size(name, one.box, width, height)
    left = min(1.0, len(rows) * len(columns) / (one.box[2] * one.box[3]))
    area = one.area * left * (wide / len(columns)) * (high / len(rows))
    whole = (0.0, 0.0, float(wide), float(high))
    return ChangedPicture(source, wide, high, {one.row: (whole, area)})


def flipped(box: Box, height: int) -> Box:
    x, y, wide, high = box
    return x, height - y - high, wide, high


def crop_size(name: str, box: Box, width: int, height: int) -> tuple[int, int]:
    """Whole pixels; resized, the smaller side is 300 and the other keeps the ratio."""
    rows, columns = rows_and_columns(box, width, height)
    if name == "crop":
        return len(columns), len(rows)
    scale = SMALLER_SIDE / min(len(columns), len(rows))
    return round(len(columns) * scale), round(len(rows) * scale)


def around_turned_ellipse(box: Box, matrix: list[list[float]]) -> Box:
    """Where the ellipse that fills a box reaches farthest, sideways and down, once it is mapped.

    Its points are the centre plus (half the width times cos t, half the height times sin t).
    """
    x, y, wide, high = box
    middle, reach = [], []
    for along, across, shift in matrix:
        middle.append(along * (x + wide / 2) + across * (y + high / 2) + shift)
        farthest = math.atan2(across * high / 2, along * wide / 2)
        reach.append(along * wide / 2 * math.cos(farthest) + across * high / 2 * math.sin(farthest))
    return middle[0] - reach[0], middle[1] - reach[1], 2 * reach[0], 2 * reach[1]


def rotated(
    angle_deg: float, size: tuple[int, int], crop: tuple[int, int, int, int], here: Sequence[Thing]
) -> tuple[dict[int, Box], dict[int, Box]]:
    """Objects of which half and more is in the crop of a rotation, and those seen in part.

    METHODS 6.6: counter-clockwise on the screen, about the centre of the picture.
    """
    turn = math.radians(angle_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = size[0] / 2, size[1] / 2
    left, top, right, bottom = crop
    matrix = [
        [cos, sin, x - cos * x - sin * y - left],
        [-sin, cos, y + sin * x - cos * y - top],
    ]
    survivors, ignored = {}, {}
    for one in here:
        box = around_turned_ellipse(one.box, matrix)
        x1, y1 = max(box[0], 0.0), max(box[1], 0.0)
        x2 = min(box[0] + box[2], float(right - left))
        y2 = min(box[1] + box[3], float(bottom - top))
        if x2 <= x1 or y2 <= y1:
            continue
        seen = (x1, y1, x2 - x1, y2 - y1)
        enough = seen[2] * seen[3] / (box[2] * box[3]) >= 0.5
        (survivors if enough else ignored)[one.row] = seen
    return survivors, ignored


def left_of_scene(
    size: tuple[int, int],
    pasted: Sequence[Box],
    scene_size: tuple[int, int],
    scene: Sequence[Thing],
) -> dict[int, Box]:
    """What is to be seen of a scene that covers the picture, beside the boxes pasted on it."""
    width, height = size
    scale = max(width / scene_size[0], height / scene_size[1])
    x, y = (width - scale * scene_size[0]) / 2, (height - scale * scene_size[1]) / 2
    hidden = {place for box in pasted for place in covered(box, width, height)}
    found = {}
    for one in scene:
        box = mapped(one.box, [[scale, 0.0, x], [0.0, scale, y]])
        if set(covered(box, width, height)) - hidden:
            x1, y1 = max(box[0], 0.0), max(box[1], 0.0)
            x2, y2 = min(box[0] + box[2], width), min(box[1] + box[3], height)
            found[one.row] = (x1, y1, x2 - x1, y2 - y1)
    return found


def covered(box: Box, width: int, height: int) -> list[tuple[int, int]]:
    rows, columns = rows_and_columns(box, width, height)
    return [(row, column) for row in rows for column in columns]


def on_white(pixels: np.ndarray, boxes: Sequence[Box]) -> np.ndarray:
    """White but for the boxes."""
    height, width = pixels.shape[:2]
    painted = np.full_like(pixels, 255)
    for box in boxes:
        for place in covered(box, width, height):
            painted[place] = pixels[place]
    return painted


def others_whitened(pixels: np.ndarray, box: Box, others: Sequence[Box]) -> np.ndarray:
    """The scene stays, the others go, and the object is on top of what is painted."""
    height, width = pixels.shape[:2]
    painted = pixels.copy()
    for other in others:
        for place in covered(other, width, height):
            painted[place] = 255
    for place in covered(box, width, height):
        painted[place] = pixels[place]
    return painted


def turned(pixels: np.ndarray) -> np.ndarray:
    """Row by row, the last one first."""
    return np.array([pixels[row] for row in range(len(pixels) - 1, -1, -1)])


def blurred(pixels: np.ndarray) -> np.ndarray:
    """11 x 11, sigma 4, mirrored at the border; not yet rounded."""
    reach = BLUR_SIDE // 2
    steps = range(-reach, reach + 1)
    weight = {step: math.exp(-(step**2) / (2 * BLUR_SIGMA**2)) for step in steps}
    total = sum(weight[down] * weight[across] for down in steps for across in steps)
    height, width = pixels.shape[:2]
    found = np.zeros(pixels.shape)
    for row in range(height):
        for column in range(width):
            for down in steps:
                for across in steps:
                    at = mirrored(row + down, height), mirrored(column + across, width)
                    found[row, column] += weight[down] * weight[across] / total * pixels[at]
    return found


def mirrored(place: int, side: int) -> int:
    """The outermost pixels are the mirrors, as in the study's OpenCV: ... 2 1 | 0 1 2 ..."""
    while side > 1 and not 0 <= place < side:
        place = -place if place < 0 else 2 * (side - 1) - place
    return place if side > 1 else 0
