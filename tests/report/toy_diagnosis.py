"""A diagnosis of toys: one kind of error after the other, on pictures that can be looked at."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2

from boxlens.data import Classes, Detections
from boxlens.studies.diagnosis import diagnose
from toy_pictures import NAMES, toy_set

N_IMAGES = 24
NASTY_NAMES = ("<script>alert('ring')</script>", '"ladder" & \\co', "Keil ✓ 楔")


def errors_on(dataset) -> Detections:
    """Right, poorly placed, similar, other, missed, in turns; and background in every image."""
    said = []
    rows = zip(
        dataset.gt.image_row.tolist(),
        dataset.gt.class_row.tolist(),
        dataset.gt.box.tolist(),
        strict=True,
    )
    for row, (image, cls, (x, y, w, h)) in enumerate(rows):
        score = 0.9 - row / 1000
        turn = row % 5
        if turn == 0:
            said.append((image, cls, (x, y, w, h), score))
        elif turn == 1:
            said.append((image, cls, (x, y, w / 3, h), score))
        elif turn == 2:
            said.append((image, {0: 1, 1: 2, 2: 1}[cls], (x, y, w, h), score))
        elif turn == 3:
            said.append((image, 0 if cls else 2, (x, y, w, h), score))
    said += [(image, 0, (0, 0, 3, 3), 0.5) for image in range(len(dataset.images))]
    return Detections.of(
        "toy detector",
        len(dataset.images),
        image_row=[one[0] for one in said],
        class_row=[one[1] for one in said],
        box=[one[2] for one in said],
        score=[one[3] for one in said],
    )


@cache
def toy_diagnosis(names=NAMES, *, n_images=N_IMAGES, n_gallery=15):
    _, dataset = toy_set(n_images, seed=3)
    groups = dataset.classes.supercategory
    classes = Classes.of(dataset.classes.id, names, supercategory=groups)
    dataset = replace(dataset, classes=classes)
    return diagnose(dataset, errors_on(dataset), cross=[("area", "height")], n_gallery=n_gallery)


def write_pictures(folder, scale=1.0):
    """The pictures of the toys; returns the folder."""
    folder.mkdir()
    pictures, dataset = toy_set(N_IMAGES, seed=3)
    for pixels, name in zip(pictures, dataset.images.file_name, strict=True):
        size = (round(pixels.shape[1] * scale), round(pixels.shape[0] * scale))
        cv2.imwrite(str(folder / name), cv2.resize(pixels, size)[..., ::-1])
    return folder
