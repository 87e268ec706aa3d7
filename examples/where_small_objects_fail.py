"""Recall of small objects by an attribute of the data set, read off the matches."""

from importlib.resources import as_file, files

import numpy as np

import boxlens
from boxlens.matching import COCO, assign, find_overlaps

with as_file(files("boxlens") / "demo") as folder:
    dataset = boxlens.read_dataset(folder / "ground_truth.json.gz")
    detections = boxlens.read_detections(folder / "window.json.gz", dataset)

overlaps = find_overlaps(dataset, detections, COCO, floor=0.5)
matches = assign(dataset, detections, overlaps, COCO, iou_thresholds=(0.5,))
found = (matches.gt_hit & matches.bit(0)) != 0
small = matches.positives() & (dataset.gt.area_px < 32**2)
occlusion = dataset.gt.attributes["occlusion"]
for level in ("none", "low", "medium", "high"):
    chosen = small & (occlusion == level)
    print(f"occlusion {level:7} {np.mean(found[chosen]):.2f} of {chosen.sum()} small objects found")
