"""Real detectors: the sign rule, sums that must agree, and what everybody knows about size."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.studies.sensitivity import sensitivity
from shared_data import ROOT, shared
from studies.sensitivity.worlds import named


@pytest.fixture(scope="module", params=["fastestdet", "yolox_nano"])
def coco(request):
    folder = shared("coco_val2017")
    gt, dt = folder / "instances_boxes.json.gz", folder / f"{request.param}.json.gz"
    return sensitivity(gt, dt, cross=[("area", "aspect")])


@pytest.fixture(scope="module", params=["region", "window"])
def demo(request):
    folder = ROOT / "src" / "boxlens" / "demo"
    pairs = [("area", "occlusion"), ("sides", "truncation")]
    gt, dt = folder / "ground_truth.json.gz", folder / f"{request.param}.json.gz"
    return sensitivity(gt, dt, cross=pairs)


def assert_sums_agree(result):
    assert result.misses.n_objects == sum(row.n_objects for row in result.classes)
    assert result.misses.n_missed == sum(row.n_missed for row in result.classes)
    for characteristic in result.characteristics:
        if characteristic.kind == "flags":
            continue
        for row, overall in zip(characteristic.classes, result.classes, strict=True):
            assert sum(subset.n_objects for subset in row.subsets) <= overall.n_objects
            assert sum(subset.n_missed for subset in row.subsets) <= overall.n_missed
            assert not row.lowest > row.highest
    recovered = [row.share_recovered for row in result.misses.looser]
    assert recovered == sorted(recovered, reverse=True)


def test_coco_detectors(coco):
    assert_sums_agree(coco)
    assert (coco.normal, coco.misses.n_objects) == (750, 36_335)
    # Without false positives above a hit the two are equal.
    unequal = [row for row in coco.classes if row.ap_n != row.ap]
    assert len(unequal) >= 78
    for row in unequal:
        assert (row.ap_n > row.ap) == (row.n_objects < coco.normal)
    area, aspect = named(coco, "area"), named(coco, "aspect")
    assert area.sensitivity > 2 * aspect.sensitivity
    assert area.subset_ap_n == tuple(sorted(area.subset_ap_n))
    # METHODS 2.8: size explains about a fifth of the entropy of what is missed.
    assert 0.15 < area.entropy_share < 0.3
    assert coco.interactions[0].n_objects.sum() == 36_335


def test_scene_detectors(demo):
    assert_sums_agree(demo)
    names = [row.name for row in demo.characteristics]
    known = ["area", "height", "aspect", "occlusion", "truncation", "parts", "sides"]
    assert names[:7] == known
    occlusion = named(demo, "occlusion")
    assert occlusion.subset_names == ("none", "low", "medium", "high")
    none, _, medium, high = occlusion.subset_ap_n
    assert none > medium > high
    assert np.isfinite([row.sensitivity for row in demo.characteristics]).all()
