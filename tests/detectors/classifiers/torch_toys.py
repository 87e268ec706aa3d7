"""Crops of toy pictures and a tiny module with all that makes resuming hard: norms and dropout."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.classifiers.torch.state import weights_of
from toy_pictures import toy_set

REASON = "needs torch: pip install 'boxlens[torch]'"
QUICK = FineTuning(
    epochs=3, batch=8, learning_rate=0.05, side_px=16, threads=1, validation_share=0.25
)
LONG = replace(QUICK, epochs=4)


def toy_crops(n_images: int = 10, seed: int = 5) -> LabelledCrops:
    pictures, dataset = toy_set(n_images, seed)
    return LabelledCrops.of(dataset, pictures)


def first_objects(crops: LabelledCrops, n: int) -> LabelledCrops:
    return replace(crops, object_row=crops.object_row[:n])


def tiny(n_classes: int) -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 6, 3, stride=2, bias=False),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.BatchNorm1d(6),
        nn.Dropout(0.2),
        nn.Linear(6, n_classes),
    )


def bits(classifier: Any) -> dict[str, bytes]:
    """All weights, to the bit."""
    return {name: array.tobytes() for name, array in weights_of(classifier.module).items()}


def some_crops(n: int, seed: int = 0) -> list[np.ndarray]:
    """Noise of many sizes."""
    random = np.random.RandomState(seed)
    sizes = random.randint(1, 60, (n, 2))
    return [random.randint(0, 256, (*size, 3)).astype(np.uint8) for size in sizes]
