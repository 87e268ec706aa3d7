"""Pictures whose objects are filled with the colour of their class, and classifiers that see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.data.columns import id_column
from boxlens.images import ImageFiles
from boxlens.images.writing import write_png

COLOURS = np.array([[200, 30, 30], [30, 200, 30], [30, 30, 200]], dtype=np.uint8)
NAMES = ("red", "green", "blue")
CLASSES = Classes.of([1, 2, 3], NAMES)
WIDTH, HEIGHT = 120, 90


@dataclass(frozen=True)
class PaintReader:
    """Names the colour that most pixels of the crop have, grey apart; wrong on purpose if told."""

    name: str = "paint"
    classes: Classes = CLASSES
    # True class -> what is said instead.
    says: tuple[int, int, int] = (0, 1, 2)

    def classify(self, crops: Sequence[np.ndarray]) -> np.ndarray:
        answers = np.zeros((len(crops), 3))
        for row, crop in enumerate(crops):
            counts = np.array([(crop == colour).all(axis=2).sum() for colour in COLOURS])
            shares = (counts + 0.01) / (counts + 0.01).sum()
            answers[row, list(self.says)] = shares
        return answers


def painted_set(folder: Path, n: int = 12, seed: int = 0) -> tuple[Dataset, ImageFiles]:
    """Disjoint objects, well apart."""
    random = np.random.default_rng(seed)
    objects = []
    for row in range(n):
        pixels = np.full((HEIGHT, WIDTH, 3), 128, dtype=np.uint8)
        for left in (5, 65):
            if random.random() < 0.2:
                continue
            class_row = int(random.integers(3))
            x, y = left + int(random.integers(8)), 10 + int(random.integers(20))
            width, height = int(random.integers(12, 35)), int(random.integers(12, 45))
            pixels[y : y + height, x : x + width] = COLOURS[class_row]
            objects.append((row, class_row, [x, y, width, height]))
        write_png(pixels, folder / f"{row + 1}.png")
    names = [f"{row + 1}.png" for row in range(n)]
    images, _ = Images.of(range(1, n + 1), [WIDTH] * n, [HEIGHT] * n, names)
    gt = GroundTruth.of(
        n,
        image_row=[one[0] for one in objects],
        class_row=[one[1] for one in objects],
        box=[one[2] for one in objects],
    )
    files = ImageFiles(
        id_column(list(range(1, n + 1))), tuple(folder / name for name in names), tuple(names)
    )
    return Dataset("painted", images, CLASSES, gt), files
