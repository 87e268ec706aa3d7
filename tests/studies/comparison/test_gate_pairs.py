"""Baseline and candidate belong together: the same images, also in a slice, and the same classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Notice
from boxlens.errors import ParameterError
from studies.comparison.gate_worlds import detector, judged, world
from studies.diagnosis.worlds import codes

OF_SLICE = "AP of slice:first >= 0.01"
FIRST = {"first": {"images": list(range(1, 11))}}


@pytest.fixture(scope="module")
def dataset():
    return world()


def test_detectors_that_were_run_on_different_images_are_not_compared(dataset):
    one = detector(dataset, "a")
    half = one.where(one.image_row < 40)
    for pair in ((one, half), (half, one)):
        with pytest.raises(ParameterError, match=r"in 40 of the 80 images .* on the same images\?"):
            judged(dataset, *pair)
    result = judged(dataset, half, one, "AP >= baseline", allow_gaps=True)
    assert "baseline_gaps" in [notice.code for notice in result.notices]
    few = one.where(one.image_row < 70)
    assert "candidate_gaps" in [notice.code for notice in judged(dataset, one, few).notices]
    assert "images_without_detections" in [n.code for n in judged(dataset, few, few).notices]


def test_a_detector_without_detections_is_nothing_to_compare_with(dataset):
    one = detector(dataset, "a")
    none = one.where(np.zeros(len(one), dtype=bool))
    for pair, role in (
        ((none, one), "baseline"),
        ((one, none), "candidate"),
        ((none, none), "base"),
    ):
        with pytest.raises(ParameterError, match=f"the {role}.* has no detections"):
            judged(dataset, *pair, allow_gaps=True)


@pytest.mark.parametrize("role", ["baseline", "candidate"])
def test_gaps_are_looked_for_in_slices_of_images_too(dataset, role):
    """Three images without detections: few of 80, but too many of ten."""
    one = detector(dataset, "a")
    silent = one.where(one.image_row > 2)
    pair = (silent, one) if role == "baseline" else (one, silent)
    told = f"slice 'first': the {role} has no detections in 3 of the 10 images where the other one"
    with pytest.raises(ParameterError, match=told):
        judged(dataset, *pair, OF_SLICE, slices=FIRST)
    allowed = judged(dataset, *pair, OF_SLICE, slices=FIRST, allow_gaps=True)
    assert allowed.outcomes[0].n_images == 10
    assert f"{role}_gaps" in codes(allowed)
    # Nothing is asked of the slice, or another one is asked for.
    assert judged(dataset, *pair, "AP >= 0.01", slices=FIRST).passed
    last = {"last": {"images": list(range(51, 81))}}
    assert judged(dataset, *pair, "AP of slice:last >= 0.01", slices=last).passed


def test_a_fifth_of_a_slice_may_be_without_detections(dataset):
    one = detector(dataset, "a")
    silent = one.where(one.image_row > 1)
    assert judged(dataset, one, silent, OF_SLICE, slices=FIRST).passed


def of_two_classes(folder):
    """The ground truth of cats alone, and detections of cats, and of as many dogs."""
    cats, both = world(80, ("cat",)), world()
    boxlens.write_dataset(cats, folder / "gt.json", format="coco")
    for name, seed in (("old", 0), ("new", 1)):
        table = detector(cats, name, seed=seed)
        boxlens.write_detections(table, cats, folder / f"{name}.json", format="coco")
    boxlens.write_detections(detector(both, "both"), both, folder / "both.json", format="coco")
    return {path.stem: path for path in folder.glob("*.json")}


@pytest.mark.parametrize("role", ["baseline", "candidate"])
def test_a_file_of_other_classes_stops_the_gate(tmp_path, role):
    files = of_two_classes(tmp_path)
    names = ("both", "new") if role == "baseline" else ("old", "both")
    pair = [files[name] for name in names]
    told = rf"detections of the {role} \(both\) are of classes that the ground truth does not have"
    with pytest.raises(ParameterError, match=told):
        boxlens.gate(files["gt"], *pair, replicates=100)
    allowed = boxlens.gate(files["gt"], *pair, replicates=100, allow_gaps=True)
    assert "unknown_class" in codes(allowed)
    assert len(allowed.outcomes) == 1
    plain = boxlens.gate(files["gt"], files["old"], files["new"], replicates=100)
    assert "unknown_class" not in codes(plain)


def test_a_fifth_of_other_classes_and_any_number_of_other_images_are_nothing_unusual(dataset):
    one = detector(dataset, "a")
    one = one.where(np.arange(len(one)) < len(one) // 4 * 4)

    def skipping(code, count):
        return replace(one, notices=(Notice(code, count, "skipped"),))

    a_fifth = len(one) // 4
    assert judged(dataset, one, skipping("unknown_class", a_fifth), "AP >= 0.01").passed
    assert judged(dataset, one, skipping("unknown_image", 10**6), "AP >= 0.01").passed
    with pytest.raises(ParameterError, match=f"^{a_fifth + 1} detections of the candidate"):
        judged(dataset, one, skipping("unknown_class", a_fifth + 1), "AP >= 0.01")
