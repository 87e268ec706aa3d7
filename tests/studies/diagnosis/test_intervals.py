"""How sure a diagnosis is: weights on images are images written down repeatedly (METHODS 11)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.diagnosis.analysis import diagnose_tables
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.hoiem import hoiem
from boxlens.studies.diagnosis.intervals import _ap, _ap_samplers
from boxlens.studies.diagnosis.result import DiagnosisChoice
from boxlens.studies.diagnosis.tide import GAINS, tide
from boxlens.studies.diagnosis.tide_repairs import Bench
from boxlens.studies.diagnosis.tide_types import tide_types
from boxlens.studies.diagnosis.weighted_errors import HoiemReader, TideReader
from cases import random_scene
from oracles.convert import scene_to_tables
from oracles.weighted_ap import repeated_tables
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of, told

SEEDS = range(24)
SHARES = ("loc", "sim", "oth", "bg")
FEW = ResamplingChoice(n_replicates=200, n_jackknife=20)


def untied(scene):
    """No two detections of an image share a score: copies of an image would take turns."""
    seen = defaultdict(int)
    found = []
    for det in scene.detections:
        place = seen[det.image, det.score]
        seen[det.image, det.score] += 1
        found.append(replace(det, score=det.score + place * 2.0**-20))
    return replace(scene, detections=tuple(found))


@cache
def world(seed):
    """Several classes in two supercategories, crowds, difficult objects and groups."""
    scene = random_scene(
        seed, n_images=7, n_classes=5, n_detections=20, federated=False, crowd=0.2, difficult=0.2
    )
    scene = replace(scene, negative=None, positive=None, not_exhaustive=None)
    dataset, detections = scene_to_tables(untied(scene))
    names = [("even", "odd")[row % 2] for row in range(len(dataset.classes))]
    return replace(dataset, classes=replace(dataset.classes, supercategory=names)), detections


def weights_of(seed, dataset):
    return np.random.default_rng(seed).integers(0, 4, len(dataset.images)).astype(np.int32)


def read(dataset, detections, weights, **limits):
    """All numbers of one row of weights, by their names in the readers."""
    evidence = gather(dataset, detections, similar="supercategory", **limits)
    bench = Bench.of(evidence, tide_types(evidence))
    rows = np.asarray([weights], dtype=np.int32)
    found = TideReader.of(evidence, bench).read(rows, 1)
    found |= HoiemReader.of(evidence, hoiem(evidence)).read(rows, 1)
    for name, sampler in zip(("AP", "AP at the IoU"), _ap_samplers(evidence, 1), strict=True):
        found[name] = _ap(sampler, rows, 1)
    assert all(values.shape == (1,) for values in found.values())
    return {name: float(values[0]) for name, values in found.items()}


def diagnosed(dataset, detections, **limits):
    """The same numbers, each by its own way."""
    choice = DiagnosisChoice(
        iou=limits.get("foreground_iou", 0.5),
        background_iou=limits.get("background_iou", 0.1),
        similar="supercategory",
        n_gallery=0,
    )
    result = diagnose_tables(dataset, detections, choice, threads=1)
    ap, at_iou = result.metrics.values()
    numbers = {"AP": ap, "AP at the IoU": at_iou}
    numbers |= {f"tide {name}": value for name, value in result.tide.gain.items()}
    for row in result.hoiem.sets:
        numbers |= {f"AP of {row.name}": row.ap, f"AP_N of {row.name}": row.ap_n}
        total = sum(row.top_fp.values())
        numbers |= {
            f"{kind} of {row.name}": n / total if total else math.nan
            for kind, n in row.top_fp.items()
        }
    return numbers


def assert_same(found, expected):
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_weights_give_the_diagnosis_of_the_images_written_down_repeatedly(seed):
    dataset, detections = world(seed)
    weights = weights_of(seed, dataset)
    copies = repeated_tables(dataset, detections, weights.tolist())
    assert_same(read(dataset, detections, weights), diagnosed(*copies))


@pytest.mark.parametrize("limits", [(0.75, 0.1), (0.5, 0.3)])
def test_other_limits_of_overlap_are_kept_to(limits):
    named = dict(zip(("foreground_iou", "background_iou"), limits, strict=True))
    for seed in (3, 5, 9):
        dataset, detections = world(seed)
        weights = weights_of(seed + 100, dataset)
        copies = repeated_tables(dataset, detections, weights.tolist())
        assert_same(read(dataset, detections, weights, **named), diagnosed(*copies, **named))


def test_more_detections_than_the_limit_change_nothing_of_it():
    scene = replace(
        random_scene(16, n_images=6, flood=230, federated=False),
        negative=None,
        positive=None,
        not_exhaustive=None,
    )
    dataset, detections = scene_to_tables(untied(scene))
    assert np.diff(detections.offsets).max() > 200
    dataset = replace(dataset, classes=replace(dataset.classes, supercategory=None))
    for seed in range(3):
        weights = weights_of(seed, dataset)
        copies = repeated_tables(dataset, detections, weights.tolist())
        evidence = gather(dataset, detections)
        bench = Bench.of(evidence, tide_types(evidence))
        found = TideReader.of(evidence, bench).read(weights[np.newaxis], 1)
        expected = tide(gather(*copies), orders=False)
        assert [float(found[f"tide {name}"][0]) for name in GAINS] == pytest.approx(
            [expected.gain[name] for name in GAINS], abs=1e-12, nan_ok=True
        )


def test_many_rows_of_weights_are_read_as_each_alone():
    dataset, detections = world(5)
    evidence = gather(dataset, detections, similar="supercategory")
    readers = (
        TideReader.of(evidence, Bench.of(evidence, tide_types(evidence))),
        HoiemReader.of(evidence, hoiem(evidence)),
    )
    rows = np.stack([weights_of(seed, dataset) for seed in range(9)])
    for reader in readers:
        together = reader.read(rows, 2)
        for at, row in enumerate(rows):
            for name, value in reader.read(row[np.newaxis], 1).items():
                np.testing.assert_array_equal(together[name][at], value[0])


def test_a_test_set_without_objects_has_no_numbers():
    dataset, detections = world(5)
    nothing = np.zeros(len(dataset.images), dtype=np.int32)
    found = read(dataset, detections, nothing)
    assert {name for name, value in found.items() if not math.isnan(value)} == set()


# --- the intervals themselves


@cache
def demo(n_replicates=200, seed=0):
    choice = DiagnosisChoice(intervals=replace(FEW, n_replicates=n_replicates, seed=seed))
    return diagnose_tables(demo_dataset(), demo_detections(), choice)


def every_interval(found):
    for name, one in (*found.metrics.items(), *found.tide.items()):
        yield name, one
    for row in found.hoiem:
        yield f"AP of {row.name}", row.ap
        yield f"AP_N of {row.name}", row.ap_n
        for kind, one in row.share.items():
            yield f"{kind} of {row.name}", one


def test_values_are_those_of_the_diagnosis():
    result = demo()
    found = result.intervals
    assert {name: one.value for name, one in found.metrics.items()} == dict(result.metrics)
    assert {name: one.value for name, one in found.tide.items()} == dict(result.tide.gain)
    assert [row.name for row in found.hoiem] == [row.name for row in result.hoiem.sets]
    for own, row in zip(result.hoiem.sets, found.hoiem, strict=True):
        assert (row.ap.value, row.ap_n.value) == (own.ap, own.ap_n)
        total = sum(own.top_fp.values())
        assert {kind: one.value for kind, one in row.share.items()} == {
            kind: n / total for kind, n in own.top_fp.items()
        }
        assert tuple(row.share) == SHARES


def test_ordinary_numbers_lie_in_their_intervals_and_both_errors_agree():
    # All the images one by one, and many replicates: few of either are too rough to be compared.
    many = DiagnosisChoice(intervals=ResamplingChoice(n_replicates=2000), n_gallery=0)
    for name, one in every_interval(
        diagnose_tables(demo_dataset(), demo_detections(), many).intervals
    ):
        assert one.low <= one.value <= one.high, name
        assert one.se > 0, name
        assert one.n_undefined == 0
        assert one.se_jackknife == pytest.approx(one.se, rel=0.6), name


def test_ap_has_the_interval_of_evaluate():
    choice = choose("coco", intervals=FEW)
    evaluated = evaluate_tables(demo_dataset(), [demo_detections()], choice).detectors[0]
    for name in ("AP", "AP50"):
        mine, its = demo().intervals.metrics[name], evaluated.intervals[name]
        for field in ("value", "low", "high", "se", "se_jackknife", "bias"):
            assert getattr(mine, field) == pytest.approx(getattr(its, field), abs=1e-12)


def test_nothing_is_resampled_unless_asked_for():
    result = boxlens.diagnose(demo_dataset(), demo_detections())
    assert result.intervals is None
    document = told(result)
    assert "intervals" not in document["results"]
    assert document["parameters"]["intervals"] is False


def test_json_names_every_interval():
    document = told(demo())
    assert document["parameters"]["intervals"] == FEW.to_json()
    found = document["results"]["intervals"]
    assert set(found) == {"resampling", "metrics", "tide", "hoiem"}
    assert list(found["metrics"]) == ["AP", "AP50"]
    assert list(found["tide"]["dAP"]) == list(GAINS)
    assert set(found["tide"]["dAP"]["cls"]) == {
        "value", "ci", "se", "se_jackknife", "bias", "n_undefined",
    }  # fmt: skip
    for row in found["hoiem"]["sets"]:
        assert set(row) == {"name", "AP", "AP_N", "share"}
        assert set(row["share"]) == set(SHARES)


def test_detections_that_are_none_have_numbers_without_shares():
    choice = DiagnosisChoice(intervals=replace(FEW, n_replicates=100))
    result = diagnose_tables(demo_dataset(), nothing_of(demo_detections()), choice)
    found = result.intervals
    assert (found.metrics["AP"].value, found.metrics["AP"].high) == (0, 0)
    assert found.tide["miss"].value == result.tide.gain["miss"]
    assert math.isnan(found.hoiem[0].share["bg"].value)
    assert told(result)["results"]["intervals"]["hoiem"]["sets"][0]["share"]["bg"]["ci"] == [
        None,
        None,
    ]


def test_a_test_set_without_objects_leaves_all_intervals_undefined():
    choice = DiagnosisChoice(intervals=replace(FEW, n_replicates=100))
    result = diagnose_tables(nothing_of(demo_dataset()), demo_detections(), choice)
    for name, one in every_interval(result.intervals):
        assert math.isnan(one.low), name
    told(result)


def test_few_images_are_refused():
    dataset, detections = world(5)
    choice = DiagnosisChoice(intervals=FEW)
    with pytest.raises(ParameterError, match="images are too few to resample"):
        diagnose_tables(dataset, detections, choice)
