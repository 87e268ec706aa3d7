"""The COCO and LVIS oracles against pycocotools and lvis, bit for bit."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

from cases import random_scene
from oracles import coco, lvis


def without_flags_of_other_formats(scene):
    """COCO and LVIS files say nothing of difficult objects and groups."""
    objects = tuple(replace(obj, difficult=False, group_of=False) for obj in scene.objects)
    return replace(scene, objects=objects)


def coco_dictionaries(scene):
    images = [{"id": image, "width": 512, "height": 512} for image in scene.images]
    categories = [{"id": cls, "name": str(cls)} for cls in scene.classes]
    annotations = [
        {
            "id": i + 1,
            "image_id": obj.image,
            "category_id": obj.cls,
            "bbox": list(obj.box),
            "area": obj.area,
            "iscrowd": int(obj.crowd),
        }
        for i, obj in enumerate(scene.objects)
    ]
    results = [
        {
            "id": i + 1,
            "image_id": found.image,
            "category_id": found.cls,
            "bbox": list(found.box),
            "area": found.box[2] * found.box[3],
            "score": found.score,
            "iscrowd": 0,
        }
        for i, found in enumerate(scene.detections)
    ]
    return images, categories, annotations, results


def evaluated_by_pycocotools(scene):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    images, categories, annotations, results = coco_dictionaries(scene)

    def index(rows):
        table = COCO()
        table.dataset = {"images": images, "categories": categories, "annotations": rows}
        table.createIndex()
        return table

    with contextlib.redirect_stdout(io.StringIO()):
        evaluator = COCOeval(index(annotations), index(results), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
    return evaluator


@pytest.mark.parametrize("first_seed", range(0, 60, 10))
def test_coco_equals_pycocotools_to_the_bit(first_seed):
    for seed in range(first_seed, first_seed + 10):
        scene = without_flags_of_other_formats(random_scene(seed))
        theirs = evaluated_by_pycocotools(scene)
        ours = coco.evaluate(scene)
        for t, threshold in enumerate(coco.THRESHOLDS):
            for k, cls in enumerate(scene.classes):
                for a, area in enumerate(coco.AREAS):
                    for m, max_det in enumerate(coco.MAX_DETS):
                        curve = ours.curves[threshold, cls, area, max_det]
                        assert curve.precision == theirs.eval["precision"][t, :, k, a, m].tolist()
                        assert curve.score == theirs.eval["scores"][t, :, k, a, m].tolist()
                        assert curve.recall == theirs.eval["recall"][t, k, a, m]
        assert coco.summary(ours) == theirs.stats.tolist()


@pytest.fixture
def old_numpy_names(monkeypatch):
    # lvis 0.5.3 still asks for a name that NumPy has dropped.
    monkeypatch.setattr(np, "float", float, raising=False)


def evaluated_by_lvis(scene, path, max_det):
    from lvis import LVIS, LVISEval, LVISResults

    images, categories, annotations, results = coco_dictionaries(scene)
    for image in images:
        image["neg_category_ids"] = sorted(scene.negative[image["id"]])
        image["not_exhaustive_category_ids"] = sorted(scene.not_exhaustive[image["id"]])
    for category in categories:
        category["frequency"] = scene.frequency[category["id"]]
    path.write_text(
        json.dumps({"images": images, "categories": categories, "annotations": annotations})
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = LVIS(str(path))
        evaluator = LVISEval(truth, LVISResults(truth, results, max_dets=max_det), "bbox")
        evaluator.params.max_dets = max_det
        evaluator.run()
    return evaluator


@pytest.mark.usefixtures("old_numpy_names")
@pytest.mark.parametrize("max_det", [300, 7])
def test_lvis_equals_the_lvis_package_to_the_bit(tmp_path, max_det):
    pytest.importorskip("lvis")
    for seed in range(100, 120):
        scene = without_flags_of_other_formats(random_scene(seed))
        if not scene.detections:  # the package cannot read an empty list
            continue
        theirs = evaluated_by_lvis(scene, tmp_path / f"{seed}.json", max_det)
        ours = lvis.evaluate(scene, max_det)
        for t, threshold in enumerate(coco.THRESHOLDS):
            for k, cls in enumerate(scene.classes):
                for a, area in enumerate(coco.AREAS):
                    curve = ours.curves[threshold, cls, area, max_det]
                    assert curve.precision == theirs.eval["precision"][t, :, k, a].tolist()
                    assert curve.recall == theirs.eval["recall"][t, k, a]
        assert lvis.summary(scene, max_det) == dict(theirs.results)
