"""Scores detections that never were in a file: tables made from arrays."""

import numpy as np

import boxlens
from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images

rng = np.random.default_rng(0)
n_images, n_objects = 20, 60

images, _ = Images.of(
    list(range(n_images)),
    np.full(n_images, 640),
    np.full(n_images, 480),
    [f"{row:04d}.jpg" for row in range(n_images)],
)
classes = Classes.of([1, 2], ["cat", "dog"])
gt = GroundTruth.of(
    n_images,
    image_row=rng.integers(0, n_images, n_objects),
    class_row=rng.integers(0, 2, n_objects),
    box=np.column_stack(
        [rng.uniform(0, 400, (n_objects, 2)), rng.uniform(20, 200, (n_objects, 2))]
    ),
)
dataset = Dataset("arrays", images, classes, gt)

# A detector that finds every object a few pixels off.
found = Detections.of(
    "a few pixels off",
    n_images,
    image_row=gt.image_row,
    class_row=gt.class_row,
    box=gt.box + rng.normal(0, 4, gt.box.shape).clip(-15, 15),
    score=rng.uniform(0.2, 1, n_objects),
)
result = boxlens.evaluate(dataset, found)
for name, value in result.detectors[0].metrics.items():
    print(f"{name:6} {value:.3f}")
