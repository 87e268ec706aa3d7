"""Hoiem's analysis against the slow oracle: types, tops, impacts, trends and every set of repairs."""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
import pytest

import boxlens
from boxlens.scenes.plant import Recipe, plant
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.hoiem import IMPACTS, hoiem, match_hoiem
from boxlens.studies.diagnosis.hoiem_repairs import REPAIRS, Ladder
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS
from boxlens.studies.diagnosis.hoiem_types import (
    FP_TYPES,
    HoiemType,
    corrected_labels,
    hoiem_types,
)
from boxlens.studies.diagnosis.orders import repair_gains, subsets
from oracles import average_precision, hoiem_diagnosis
from oracles.model import count_positives, ranking
from planted_worlds import roomy
from studies.diagnosis.worlds import nothing_of, random_world, told

SEEDS = range(96)
# The oracle's names of the verdicts, in the order of HoiemType.
VERDICTS = ("tp", "ignored", "loc", "sim", "oth", "bg")
TOPS = ("correct", "ignored", "loc", "sim", "oth", "bg")


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


def diagnosed(seed, assignment="priority", **knobs):
    dataset, detections, groups = random_world(seed, **knobs)
    evidence = gather(dataset, detections, similar=groups)
    result = hoiem(evidence, assignment=assignment)
    similar = evidence.similar.tolist()
    return result, hoiem_diagnosis.diagnose(dataset, detections, similar, assign=assignment)


def names_of(det_type):
    return [VERDICTS[code] for code in det_type.tolist()]


@pytest.mark.parametrize("assignment", ["priority", "argmax_iou"])
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_equals_the_slow_oracle(seed, assignment):
    result, expected = diagnosed(seed, assignment)
    assert names_of(result.det_type) == expected["types"]
    for at, (row, of_class) in enumerate(zip(result.classes, expected["classes"], strict=True)):
        assert row.n_objects == of_class["n_objects"]
        close(
            [row.ap, row.ap_se, row.ap_n, row.ap_n_se],
            [of_class[key] for key in ("ap", "ap_se", "ap_n", "ap_n_se")],
        )
        assert dict(row.top) == {name: of_class["top"][name] for name in TOPS}
        close(
            [row.impact[name] for name in IMPACTS], [of_class["impact"][name] for name in IMPACTS]
        )
        assert_trends(result, at, of_class)


def assert_trends(result, row, expected):
    close(
        result.fp_trend.share[row],
        [[point[kind] for kind in FP_LABELS] for point in expected["false_positive_trend"]],
    )
    trend, points = result.detection_trend, expected["detection_trend"]
    # The oracle counts, the table holds shares of as many detections as were asked for.
    counts = np.array([[point[verdict] for verdict in VERDICTS] for point in points])
    close(trend.share[row], counts / counts.sum(axis=1, keepdims=True))
    close(trend.recall[row], [point["recall"] for point in points])
    close(trend.weak_recall[row], [point["recall_weak"] for point in points])


def test_the_random_worlds_reach_every_corner():
    """All verdicts, undefined impacts beside defined ones, trends beyond the first point."""
    results = [diagnosed(seed)[0] for seed in SEEDS[:48]]
    assert set(chain.from_iterable(result.det_type.tolist() for result in results)) == set(
        HoiemType
    )
    rows = [row for result in results for row in result.classes]
    undefined = [math.isnan(row.impact["sim_removed"]) for row in rows if row.n_objects]
    assert 0.2 < np.mean(undefined) < 0.8
    assert any(row.n_objects == 0 and row.n_detections > 0 for row in rows)
    assert any(row.n_objects > 0 and row.n_detections == 0 for row in rows)
    assert any(result.fp_trend.n_classes[1] > 0 for result in results)
    assert any(not np.isnan(result.detection_trend.share[:, -1]).all() for result in results)
    for name in IMPACTS:
        assert any(row.impact[name] > 0.01 for row in rows)


@pytest.mark.parametrize("limits", [(0.75, 0.25), (0.5, 0.3), (0.3, 0.1)])
@pytest.mark.parametrize("seed", range(12))
def test_other_limits_equal_the_slow_oracle(seed, limits):
    foreground, background = limits
    dataset, detections, groups = random_world(seed, flood=0)
    evidence = gather(
        dataset, detections, foreground_iou=foreground, background_iou=background, similar=groups
    )
    result = hoiem(evidence)
    expected = hoiem_diagnosis.diagnose(
        dataset,
        detections,
        evidence.similar.tolist(),
        foreground=foreground,
        background=background,
    )
    assert names_of(result.det_type) == expected["types"]
    for row, of_class in zip(result.classes, expected["classes"], strict=True):
        close(
            [row.impact[name] for name in IMPACTS], [of_class["impact"][name] for name in IMPACTS]
        )


def recounted(verdict, cls, chosen):
    """AP of one class from its plain list, once localization is corrected and kinds are gone."""
    positives = count_positives(verdict.scene, cls, verdict.strong)
    matching = verdict.weak if "loc" in chosen else verdict.strong
    gone = set(chosen) - {"loc"}
    kept = [
        d
        for d in ranking(verdict.scene, cls)
        if verdict.by_priority[d] not in gone
        and not ("loc" in chosen and d in verdict.weak.duplicate)
    ]
    return average_precision.ap_full([matching.label[d] for d in kept], positives)


@pytest.mark.parametrize("seed", SEEDS)
def test_ap_after_every_set_of_repairs_equals_a_plain_recount(seed):
    dataset, detections, groups = random_world(seed)
    evidence = gather(dataset, detections, similar=groups)
    matches = match_hoiem(evidence, (evidence.background_iou,))
    strong, weak = matches.labels(1), matches.labels(0)
    n_positive = np.bincount(
        dataset.gt.class_row[matches.positives()], minlength=len(dataset.classes)
    )
    types, _, _ = hoiem_types(evidence, strong, "priority")
    plain = Ladder.of(evidence.ranking, strong, types, n_positive)
    corrected = Ladder.of(evidence.ranking, corrected_labels(weak, types), types, n_positive)
    verdict = hoiem_diagnosis.judge(
        dataset, detections, evidence.similar.tolist(), "priority", 0.5, 0.1
    )
    mean_ap = []
    for of_repair in subsets(len(REPAIRS)):
        chosen = [name for name, taken in zip(REPAIRS, of_repair, strict=True) if taken]
        removed = [kind for kind in FP_TYPES[1:] if kind.label in chosen]
        ap = (corrected if "loc" in chosen else plain).ap_without(removed)
        expected = [recounted(verdict, cls, chosen) for cls in verdict.scene.classes]
        close(ap, expected)
        known = [value for value in expected if not math.isnan(value)]
        mean_ap.append(np.mean(known) if known else np.nan)
    orders = hoiem(evidence, matches).orders
    assert [row.name for row in orders] == list(REPAIRS)
    for row, expected in zip(orders, repair_gains(REPAIRS, np.array(mean_ap)), strict=True):
        for key in ("first", "last", "lowest", "highest", "mean"):
            close(getattr(row, key), getattr(expected, key))


@pytest.mark.parametrize("seed", SEEDS[:32])
def test_sets_add_counts_and_average_what_is_defined(seed):
    result, _ = diagnosed(seed)
    everything = result.sets[0]
    assert (everything.name, everything.classes) == ("all", tuple(r.name for r in result.classes))
    for kind in FP_LABELS:
        assert everything.top_fp[kind] == sum(row.top[kind] for row in result.classes)
    for name in IMPACTS:
        known = [row.impact[name] for row in result.classes if not math.isnan(row.impact[name])]
        close(everything.impact[name], np.mean(known) if known else np.nan)


def test_sets_are_the_supercategories():
    result = hoiem(gather(roomy(1), plant(roomy(1), Recipe(), seed=1).detections))
    assert [row.name for row in result.sets] == ["all", "left", "right"]
    assert result.sets[1].classes == ("a", "b", "c")


def test_undefined_is_null_in_json():
    dataset, detections, _ = random_world(3)
    everything = told(hoiem(gather(dataset, detections, similar=())))
    assert all(row["impact"]["sim_removed"] is None for row in everything["classes"])
    nothing = hoiem(gather(nothing_of(dataset), detections))
    for row in told(nothing)["classes"]:
        assert (row["AP"], row["AP_N"], row["AP_N_se"]) == (None, None, None)
        assert set(row["impact"].values()) == {None}
    assert all(row.to_json()["mean"] is None for row in nothing.orders)


def test_an_unknown_assignment_is_refused():
    dataset, detections, _ = random_world(3)
    with pytest.raises(boxlens.ParameterError, match="argmax_iou"):
        hoiem(gather(dataset, detections), assignment="best")


@pytest.mark.parametrize("seed", SEEDS)
def test_mean_recall_never_falls_along_the_ranking(seed):
    trend = diagnosed(seed)[0].detection_trend
    for recall in (trend.mean_recall, trend.mean_weak_recall):
        assert np.all(np.diff(recall[~np.isnan(recall)]) >= 0)
    assert list(trend.n_classes) == sorted(trend.n_classes, reverse=True)
