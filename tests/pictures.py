"""Pictures made by Pillow for tests, and a detector simple enough to check by eye."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from boxlens.data import Classes
from boxlens.detectors.from_callable import CallableDetector

CLASSES = Classes.of([3, 7], ["dark", "light"])


def scene(seed: int, width: int = 24, height: int = 16) -> np.ndarray:
    """Smooth colours, so that JPEG keeps them roughly."""
    corners = np.random.default_rng(seed).integers(0, 256, (2, 2, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(corners).resize((width, height), Image.Resampling.BILINEAR))


def write_pictures(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(scene(seed, 20 + seed % 5, 12 + seed % 3)).save(folder / name)
    return folder


def quadrants(pixels: np.ndarray) -> tuple[list[list[float]], list[float], list[int]]:
    """Four boxes a picture, each called dark or light, scored by thirds that need all digits."""
    height, width = pixels.shape[:2]
    boxes, scores, classes = [], [], []
    for y, x in ((0, 0), (0, 1), (1, 0), (1, 1)):
        part = pixels[y * height // 2 :, x * width // 2 :]
        boxes.append([x * width / 3, y * height / 3, width / 3, height / 3])
        scores.append(float(part.mean() / 765))
        classes.append(int(part.mean() > 127))
    return boxes, scores, classes


def quadrant_detector() -> CallableDetector:
    return CallableDetector(quadrants, CLASSES, "quadrants")
