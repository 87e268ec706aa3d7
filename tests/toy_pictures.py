"""Small pictures drawn with NumPy and OpenCV: rings, ladders and wedges on a noisy ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

import boxlens
from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.data.columns import frozen
from boxlens.detectors import Detector

WIDTH, HEIGHT = 160, 120
NAMES = ("ring", "ladder", "wedge")


def toy_set(n: int, seed: int, **columns: object) -> tuple[list[np.ndarray], Dataset]:
    """Pictures of one to three objects that do not touch; further columns go to the objects."""
    random = np.random.RandomState(seed)
    pictures, rows = [], []
    for image_row in range(n):
        pixels, objects = _picture(random)
        pictures.append(pixels)
        rows += [(image_row, class_row, box) for class_row, box in objects]
    images, _ = Images.of(
        range(1, n + 1), [WIDTH] * n, [HEIGHT] * n, [f"{row:03}.png" for row in range(1, n + 1)]
    )
    gt = GroundTruth.of(
        n,
        image_row=[row for row, _, _ in rows],
        class_row=[row for _, row, _ in rows],
        box=[box for _, _, box in rows],
        **{name: make(len(rows)) for name, make in columns.items()},
    )
    classes = Classes.of([3, 5, 8], NAMES, supercategory=["round", "straight", "straight"])
    return pictures, Dataset("toys", images, classes, gt)


def toy_folder(folder: Path, n: int, seed: int) -> tuple[Path, Dataset]:
    """The pictures as files, and their data set."""
    pictures, dataset = toy_set(n, seed)
    for name, pixels in zip(dataset.images.file_name, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    return folder, dataset


def shuffled_toy_set() -> tuple[list[np.ndarray], Dataset]:
    """Pictures whose labels mean nothing."""
    pictures, dataset = toy_set(24, seed=1)
    shuffled = np.random.RandomState(3).permutation(dataset.gt.class_row)
    return pictures, replace(dataset, gt=replace(dataset.gt, class_row=frozen(shuffled, np.int32)))


def ap50(detector: Detector) -> float:
    """On pictures it has not seen."""
    pictures, dataset = toy_set(16, seed=2)
    result = boxlens.evaluate(dataset, detector.detect(pictures))
    return result.detectors[0].metrics["AP50"]


def _picture(random: np.random.RandomState) -> tuple[np.ndarray, list[tuple[int, list[int]]]]:
    ground = random.randint(60, 200, 3) + random.normal(0, 9, (HEIGHT, WIDTH, 3))
    pixels = np.clip(ground, 0, 255).astype(np.uint8)
    objects = []
    for left in (4, 56, 108)[: random.randint(1, 4)]:
        class_row = random.randint(3)
        draw, aspect = ((_ring, 1.0), (_ladder, 0.5), (_wedge, 1.6))[class_row]
        width = int(random.uniform(32, 46) * min(aspect, 1))
        height = int(width / aspect)
        box = [left + random.randint(0, 48 - width), random.randint(2, HEIGHT - height - 2)]
        box += [width, height]
        dark = tuple(random.randint(0, 50, 3).tolist())
        draw(pixels, box, dark if pixels.mean() > 120 else tuple(255 - c for c in dark))
        objects.append((class_row, box))
    return pixels, objects


def _ring(pixels: np.ndarray, box: list[int], colour: tuple[int, ...]) -> None:
    x, y, w, h = box
    thick = max(w // 6, 2)
    cv2.circle(pixels, (x + w // 2, y + h // 2), w // 2 - thick // 2 - 1, colour, thick)


def _ladder(pixels: np.ndarray, box: list[int], colour: tuple[int, ...]) -> None:
    x, y, w, h = box
    for side in (x, x + w - 3):
        pixels[y : y + h, side : side + 3] = colour
    for rung in np.linspace(y, y + h - 3, 5).astype(int):
        pixels[rung : rung + 3, x : x + w] = colour


def _wedge(pixels: np.ndarray, box: list[int], colour: tuple[int, ...]) -> None:
    x, y, w, h = box
    cv2.fillPoly(pixels, [np.array([[x, y + h - 1], [x + w - 1, y + h - 1], [x, y]])], colour)


def as_files(pictures: list[np.ndarray], dataset: Dataset, folder) -> None:
    """Writes the pictures and ground_truth.json."""
    from boxlens import write_dataset

    (folder / "images").mkdir()
    for pixels, name in zip(pictures, dataset.images.file_name, strict=True):
        cv2.imwrite(str(folder / "images" / name), pixels[..., ::-1])
    write_dataset(dataset, folder / "ground_truth.json", "coco")
