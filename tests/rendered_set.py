"""A few small rendered scenes as files: pictures without loss, and COCO ground truth with masks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from boxlens.data import Dataset
from boxlens.formats import read_dataset
from boxlens.images import ImageFiles, find_images
from boxlens.images.transforming.pictured import with_pictures
from boxlens.scenes.records import category_records, image_record, object_records
from boxlens.scenes.scene import Scene, render_scene

WORLD = 7


@dataclass(frozen=True)
class RenderedSet:
    folder: Path
    scenes: tuple[Scene, ...]
    dataset: Dataset
    files: ImageFiles

    def masks(self) -> list[np.ndarray]:
        """By row of the ground truth."""
        return [found.mask for scene in self.scenes for found in scene.objects]


def rendered_set(folder: Path, numbers=(1, 2, 3), width=160, height=120) -> RenderedSet:
    (folder / "images").mkdir(parents=True)
    scenes = [_scene(number, width, height) for number in numbers]
    images, annotations = [], []
    for number, scene in zip(numbers, scenes, strict=True):
        name = f"{number:06}.png"
        Image.fromarray(scene.pixels).save(folder / "images" / name)
        images.append(image_record(scene, number, name))
        annotations += object_records(scene, number)
    document = {
        "images": images,
        "annotations": [{"id": 100 + row, **one} for row, one in enumerate(annotations)],
        "categories": category_records(),
    }
    (folder / "ground_truth.json").write_text(json.dumps(document))
    dataset = read_dataset(folder / "ground_truth.json")
    files, _ = find_images(folder / "images", dataset=dataset)
    dataset, files, notices = with_pictures(dataset, files)
    assert notices == ()
    return RenderedSet(folder, tuple(scenes), dataset, files)


@cache
def _scene(number: int, width: int, height: int) -> Scene:
    """Drawn once for all tests; nothing writes on it."""
    return render_scene(WORLD, number, width, height)
