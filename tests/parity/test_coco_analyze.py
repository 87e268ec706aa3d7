"""Sim and Oth of COCO analyze as the original computes them, counted by pycocotools.

The original gives it the detections of one class and all objects, those of other classes marked
ignored. pycocotools overwrites that mark with `iscrowd`; here it keeps both.
"""

from __future__ import annotations

import contextlib
import io
import json

import numpy as np
import pytest

import boxlens
from boxlens.studies.diagnosis.coco_analyze import CURVES, coco_analyze
from boxlens.studies.diagnosis.evidence import gather
from cases import random_scene
from oracles.convert import scene_to_tables
from parity.test_pycocotools import dictionaries, loaded
from shared_data import shared

SIM, OTH = CURVES.index("Sim"), CURVES.index("Oth")


def precision_of(annotations, results, world):
    """[recall, area] at IoU .1, all classes taken for one, `ignore` kept."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    class KeepsIgnored(COCOeval):
        def _prepare(self):
            super()._prepare()
            for objects in self._gts.values():
                for row in objects:
                    row["ignore"] = row["iscrowd"] or row["other"]

    with contextlib.redirect_stdout(io.StringIO()):
        truth, found = COCO(), COCO()
        truth.dataset = {**world, "annotations": annotations}
        found.dataset = {
            **world,
            "annotations": [
                {**row, "id": i, "iscrowd": 0, "area": row["bbox"][2] * row["bbox"][3]}
                for i, row in enumerate(results, start=1)
            ],
        }
        truth.createIndex()
        found.createIndex()
        evaluator = KeepsIgnored(truth, found, "bbox")
        evaluator.params.iouThrs = np.array([0.1])
        evaluator.params.maxDets = [100]
        evaluator.params.useCats = 0
        evaluator.evaluate()
        evaluator.accumulate()
    precision = evaluator.eval["precision"][0, :, 0, :, 0]
    return np.where(precision == -1, np.nan, precision)


def originals(world, results, category, similar):
    """Sim and Oth of a class, as [recall, area]; objects stand by image, then by class."""
    annotations = sorted(world["annotations"], key=lambda row: row["category_id"])
    seen = [{**row, "other": int(row["category_id"] != category)} for row in annotations]
    of_class = [row for row in results if row["category_id"] == category]
    near = [row for row in seen if not row["other"] or row["category_id"] in similar]
    return precision_of(near, of_class, world), precision_of(seen, of_class, world)


@pytest.mark.parametrize("first_seed", range(3000, 3040, 10))
def test_fuzzed_scenes_give_what_the_original_gives(first_seed):
    for seed in range(first_seed, first_seed + 10):
        scene = random_scene(seed, difficult=0, group_of=0, crowd=0.3, flood=0)
        world, results = dictionaries(scene)
        dataset, detections = scene_to_tables(scene)
        alike = [dataset.classes.name[:2]]
        result = coco_analyze(gather(dataset, detections, similar=alike))
        for row, category in enumerate(scene.classes):
            sim, oth = originals(world, results, category, scene.classes[:2] if row < 2 else ())
            np.testing.assert_allclose(result.precision[OTH, :, row], oth, rtol=0, atol=1e-12)
            if row < 2 and len(scene.classes) > 1:
                np.testing.assert_allclose(result.precision[SIM, :, row], sim, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def eighty_images(tmp_path_factory):
    """Ground truth with crowds of five classes, the detections of its images, and our curves."""
    world = loaded(shared("coco_val2017_80", "instances.json"))
    known = {image["id"] for image in world["images"]}
    results = loaded(shared("coco_val2017", "yolox_nano.json.gz"))
    results = [row for row in results if row["image_id"] in known]
    found = tmp_path_factory.mktemp("found") / "found.json"
    found.write_text(json.dumps(results))
    dataset = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    evidence = gather(dataset, boxlens.read_detections(found, dataset))
    return world, results, coco_analyze(evidence)


@pytest.mark.parametrize("name", ["person", "chair", "cup", "orange", "car"])
def test_real_detections_give_what_the_original_gives(name, eighty_images):
    world, results, result = eighty_images
    [of_class] = [row for row in world["categories"] if row["name"] == name]
    group = of_class["supercategory"]
    similar = {row["id"] for row in world["categories"] if row["supercategory"] == group}
    sim, oth = originals(world, results, of_class["id"], similar)
    ours = result.precision[:, :, result.classes.index(name)]
    np.testing.assert_allclose(ours[OTH], oth, rtol=0, atol=1e-12)
    if len(similar) > 1:
        np.testing.assert_allclose(ours[SIM], sim, rtol=0, atol=1e-12)
