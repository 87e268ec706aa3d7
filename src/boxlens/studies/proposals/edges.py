"""Thin edges of a picture, with their strength and direction.

From its colour gradients alone, which stand in for the learnt edges that EdgeBoxes was made with
(METHODS 7.5, 7.6); or by OpenCV from a model of such edges, where its file is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, existing_file, read_bytes
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed

Map = npt.NDArray[np.float32]

BLUR_PX = 2.0
# Directions are those of a neighbourhood, not of a pixel.
DIRECTION_BLUR_PX = 3.0
# The gradient that counts as 1: this share of all pixels has a weaker one.
STRONG_SHARE = 0.98
# Below this, in grey levels a pixel, there is nothing but noise, however flat the picture is.
WEAKEST = 4.0
# What a file of structured edges holds. OpenCV crashes on one that lacks any of it.
_MODEL_PARTS = ("options", "childs", "featureIds", "thresholds", "edgeBoundaries", "edgeBins")
_MODEL_REMEDY = "Give OpenCV's model of structured edges (model.yml.gz of opencv_extra)"
# The model looks at patches of 32 pixels; smaller pictures are continued beyond their border.
_LEAST_SIDE_PX = 64


@dataclass(frozen=True, slots=True)
class Edges:
    """One value per pixel: strength from 0 to 1, 0 off the ridge, and the normal in [0, pi)."""

    strength: Map
    normal: Map


def find_edges(image: Pixels) -> Edges:
    """Gradients of all colours together, thinned across the edge."""
    import cv2

    smooth = cv2.GaussianBlur(image.astype(np.float32), (0, 0), BLUR_PX)
    x, y = (cv2.Sobel(smooth, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    # The tensor of the gradients: channels add up, even where they point in opposite directions.
    xx, yy, xy = ((a * b).sum(axis=2) for a, b in ((x, x), (y, y), (x, y)))
    strength = np.sqrt((xx + yy + np.hypot(xx - yy, 2 * xy)) / 2)
    xx, yy, xy = (cv2.GaussianBlur(one, (0, 0), DIRECTION_BLUR_PX) for one in (xx, yy, xy))
    normal = np.mod(np.arctan2(2 * xy, xx - yy) / 2, np.pi).astype(np.float32)
    thin = np.where(_on_ridge(strength, normal), strength, np.float32(0))
    scale = max(float(np.quantile(strength, STRONG_SHARE)), WEAKEST)
    return Edges(np.minimum(thin / np.float32(scale), np.float32(1)), normal)


def _on_ridge(strength: Map, normal: Map) -> npt.NDArray[np.bool_]:
    """Not weaker than one pixel further on either side of the edge."""
    import cv2

    height, width = strength.shape
    row, column = np.mgrid[:height, :width].astype(np.float32)
    x, y = np.cos(normal), np.sin(normal)
    ahead, behind = (
        cv2.remap(
            strength,
            column + sign * x,
            row + sign * y,
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for sign in (np.float32(1), np.float32(-1))
    )
    return (strength >= ahead) & (strength >= behind)


def check_model(model: str) -> None:
    """Opens a model of structured edges once, so that a wrong file is reported at once."""
    path = existing_file(model)
    content = read_bytes(path, DATA_BYTES)
    missing = [part for part in _MODEL_PARTS if f"\n{part}:".encode() not in content]
    if not re.search(rb"numberOfTrees:\s*[1-9]", content):
        missing.append("trees")
    if missing:
        problem = f"no model of structured edges: it has no {', '.join(missing)}"
        raise InputError(problem, path=path, remedy=_MODEL_REMEDY)
    structured_edges(np.zeros((1, 1, 3), dtype=np.uint8), model)


def structured_edges(image: Pixels, model: str) -> Edges:
    """Edges as a model of OpenCV's finds them, thinned as OpenCV does."""
    import cv2

    height, width = image.shape[:2]
    down, right = (max(_LEAST_SIDE_PX - side, 0) for side in (height, width))
    whole = cv2.copyMakeBorder(image, 0, down, 0, right, cv2.BORDER_REPLICATE)
    try:
        finder = _opened(model, Path(model).stat().st_mtime_ns)
        strength = finder.detectEdges(whole.astype(np.float32) / np.float32(255))
        normal = finder.computeOrientation(strength)
        thin = finder.edgesNms(strength, normal)
    except cv2.error as problem:
        reason = "OpenCV cannot use this model of structured edges"
        raise InputError(reason, path=model, remedy=_MODEL_REMEDY) from problem
    return Edges(*(np.ascontiguousarray(one[:height, :width]) for one in (thin, normal)))


@lru_cache(maxsize=2)
def _opened(model: str, _changed_ns: int) -> Any:
    """A model takes a second to read; it does not change while it is used."""
    return contributed("ximgproc").createStructuredEdgeDetection(model)
