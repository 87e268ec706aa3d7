"""Every number equals the slow oracle's: to the bit where a grid is read, to 1e-12 elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from boxlens.matching import COCO
from boxlens.metrics import (
    GridChoice,
    choose,
    count_grid,
    evaluate_tables,
    prepare,
    prepare_dataset,
)
from boxlens.metrics.average_precision import ap_area
from boxlens.metrics.confidence import confidence
from boxlens.metrics.confusion import confusion
from boxlens.metrics.image_counts import image_counts
from boxlens.metrics.olrp import olrp
from boxlens.metrics.pr_curves import pr_curves
from cases import random_scene, scenes
from oracles import average_precision, coco, lvis, open_images, voc
from oracles import confidence as confidence_oracle
from oracles import confusion as confusion_oracle
from oracles import olrp as olrp_oracle
from oracles.convert import scene_to_tables
from oracles.model import considered, count_positives, iou, ranked_labels

MATCHERS = {"coco": coco.match, "lvis": lvis.match, "voc12": voc.match}
close = pytest.approx


def prepared_scene(scene, protocol):
    dataset, detections = scene_to_tables(scene)
    return prepare(prepare_dataset(dataset, protocol), detections, protocol)


def reading(read, scene, protocol, iou, **options):
    """A reading of the matches of a scene at one threshold."""
    prepared = prepared_scene(scene, protocol)
    return read(prepared, prepared.matches(iou, keep_hits=True), **options)


def evaluated(scene, protocol, **choice):
    dataset, detections = scene_to_tables(scene)
    return evaluate_tables(dataset, [detections], choose(protocol, **choice)).detectors[0]


def undefined_as_nan(values):
    array = np.asarray(values, dtype=np.float64)
    return np.where(array == -1, np.nan, array)


def assert_same_bits(ours, theirs):
    np.testing.assert_array_equal(ours, undefined_as_nan(theirs))


# --- the precision grid


def assert_grid_equals(scene, grid, curves, thresholds, limits):
    for t, threshold in enumerate(thresholds):
        for k, cls in enumerate(scene.classes):
            for a, area in enumerate(coco.AREAS):
                for m, max_det in enumerate(limits):
                    curve = curves[threshold, cls, area, max_det]
                    assert_same_bits(grid.precision[t, :, k, a, m], curve.precision)
                    assert_same_bits(grid.score[t, :, k, a, m], curve.score)
                    assert_same_bits(grid.recall[t, k, a, m], curve.recall)


def coco_grid(scene, **choice):
    prepared = prepared_scene(scene, "coco")
    choice = GridChoice(with_scores=True, all_max_dets=True, **choice)
    return count_grid(prepared.dataset, prepared.detections, COCO, choice)


@pytest.mark.parametrize("first_seed", range(0, 48, 16))
def test_coco_grid_and_summary_equal_the_oracle_to_the_bit(first_seed):
    for seed in range(first_seed, first_seed + 16):
        scene = random_scene(seed)
        truth = coco.evaluate(scene)
        assert_grid_equals(scene, coco_grid(scene), truth.curves, coco.THRESHOLDS, coco.MAX_DETS)
        assert_same_bits(list(evaluated(scene, "coco").metrics.values()), coco.summary(truth))


@settings(max_examples=25)
@given(scene=scenes())
def test_coco_grid_of_any_scene_equals_the_oracle_to_the_bit(scene):
    truth = coco.evaluate(scene)
    assert_grid_equals(scene, coco_grid(scene), truth.curves, coco.THRESHOLDS, coco.MAX_DETS)


def test_more_cells_than_a_word_holds_are_counted_in_rounds():
    thresholds = tuple(np.linspace(0.05, 1.0, 20).tolist())  # 80 cells
    for seed in range(60, 66):
        scene = random_scene(seed, n_images=3)
        curves = {
            (threshold, cls, name, limit): coco.curve(scene, cls, matching)
            for threshold in thresholds
            for name, area in coco.AREAS.items()
            for limit in (2, 100)
            for matching in [coco.match(scene, threshold, area, limit)]
            for cls in scene.classes
        }
        grid = coco_grid(scene, iou_thresholds=thresholds, max_dets=(2, 100), tie_band=True)
        assert_grid_equals(scene, grid, curves, thresholds, (2, 100))
        halves = [
            coco_grid(scene, iou_thresholds=half, max_dets=(2, 100), tie_band=True).tie_band
            for half in (thresholds[:10], thresholds[10:])
        ]
        assert grid.tie_band == close(np.mean(halves, axis=0).tolist(), nan_ok=True)


@pytest.mark.parametrize("max_det", [300, 7])
def test_lvis_grid_and_summary_equal_the_oracle_to_the_bit(max_det):
    for seed in range(100, 124):
        scene = random_scene(seed)
        prepared = prepared_scene(scene, "lvis")
        grid = count_grid(
            prepared.dataset,
            prepared.detections,
            prepared.rule,
            GridChoice(with_scores=True, max_dets=(max_det,)),
            det_dropped=prepared.det_dropped,
            det_unmatched_ignored=prepared.det_unmatched_ignored,
        )
        curves = lvis.evaluate(scene, max_det).curves
        assert_grid_equals(scene, grid, curves, coco.THRESHOLDS, (max_det,))
        numbers = evaluated(scene, "lvis", max_dets=[max_det]).metrics
        truth = lvis.summary(scene, max_det)
        assert [name.replace(f"@{max_det}", "") for name in truth] == [
            name.replace(f"AR{max_det}", "AR") for name in numbers
        ]
        assert_same_bits(list(numbers.values()), list(truth.values()))


# --- AP of ranked labels


@pytest.mark.parametrize("protocol", ["voc07", "voc12"])
def test_voc_average_precision_equals_the_oracle(protocol):
    ap = {"voc07": average_precision.ap_voc07, "voc12": average_precision.ap_voc10}[protocol]
    for seed in range(150):
        scene = random_scene(seed)
        thresholds = (0.5,) if seed % 3 else (0.5, 0.75)
        result = evaluated(scene, protocol, iou_thresholds=thresholds)
        by_class = []
        for k, cls in enumerate(scene.classes):
            values = []
            for threshold in thresholds:
                matching = voc.match(scene, threshold)
                positives = count_positives(scene, cls, matching)
                values.append(ap(ranked_labels(scene, cls, matching), positives))
            by_class.append(sum(values) / len(values))
            assert result.classes[k].metrics["AP"] == close(by_class[-1], abs=1e-12, nan_ok=True)
            assert result.classes[k].n_gt == positives
        defined = [value for value in by_class if not math.isnan(value)]
        mean = sum(defined) / len(defined) if defined else math.nan
        assert result.metrics["mAP"] == close(mean, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_open_images_map_equals_the_oracle(weight):
    for seed in range(150):
        scene = random_scene(seed, group_of=0.25, n_classes=5)
        result = evaluated(scene, "openimages", group_of_weight=weight)
        truth = open_images.match(scene, 0.5, weight)
        for k, cls in enumerate(scene.classes):
            expected = open_images.average_precision(truth, cls)
            assert result.classes[k].metrics["AP"] == close(expected, abs=1e-12, nan_ok=True)
        expected = open_images.mean_average_precision(scene, 0.5, weight)
        assert result.metrics["mAP"] == close(expected, abs=1e-12, nan_ok=True)


def test_open_images_without_a_tree_or_image_labels_equals_the_oracle():
    for seed in range(60):
        scene = random_scene(seed, federated=False, tree=False, group_of=0.25)
        expected = open_images.mean_average_precision(scene)
        assert evaluated(scene, "openimages").metrics["mAP"] == close(
            expected, abs=1e-12, nan_ok=True
        )


# --- further readings


@pytest.mark.parametrize("protocol", MATCHERS)
@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_curves_run_along_the_oracles_labels(protocol, threshold):
    for seed in range(40):
        scene = random_scene(seed)
        matching = MATCHERS[protocol](scene, threshold)
        result = reading(pr_curves, scene, protocol, threshold)
        for cls, curve in zip(scene.classes, result.classes, strict=True):
            positives = count_positives(scene, cls, matching)
            assert curve.points.n_positive == positives
            if positives == 0:
                continue
            labels = ranked_labels(scene, cls, matching)
            so_far = average_precision.counts(labels)
            # Detections that were never considered repeat the point before them.
            assert set(zip(curve.points.recall, curve.points.precision, strict=True)) <= {
                (0.0, 0.0),
                *((tp / positives, average_precision.precision(tp, fp)) for tp, fp in so_far),
            }
            expected = average_precision.ap_voc10(labels, positives)
            assert ap_area(curve.points) == close(expected, abs=1e-12)


def ranks_near_the_best(scene, cls, matching, tau):
    """Every rank from the first hit on whose LRP is the smallest, rounding aside."""
    labels, overlaps = [], []
    for d in considered(scene, cls, matching):
        hit = matching.label[d] == 1
        found = scene.detections[d].box
        overlaps.append(iou(found, scene.objects[matching.object_of[d]].box) if hit else math.nan)
        labels.append(matching.label[d])
    positives = count_positives(scene, cls, matching)
    ranks = [
        olrp_oracle._lrp(labels[: i + 1], overlaps[: i + 1], positives, tau)
        for i in range(labels.index(1), len(labels))
    ]
    lowest = min(rank.olrp for rank in ranks)
    scores = [scene.detections[d].score for d in considered(scene, cls, matching)]
    return [
        (
            rank.olrp,
            rank.localization,
            rank.false_positives,
            rank.false_negatives,
            scores[rank.rank],
        )
        for rank in ranks
        if rank.olrp < lowest + 1e-12
    ]


@pytest.mark.parametrize("protocol", MATCHERS)
@pytest.mark.parametrize("tau", [0.5, 0.75])
def test_olrp_and_its_parts_equal_the_oracle(protocol, tau):
    for seed in range(60):
        scene = random_scene(seed)
        matching = MATCHERS[protocol](scene, tau)
        result = reading(olrp, scene, protocol, tau)
        values = []
        for cls, (_, parts) in zip(scene.classes, result.classes, strict=True):
            best = olrp_oracle.olrp_of_class(scene, cls, matching, tau)
            values.append(parts["oLRP"])
            assert parts["oLRP"] == close(best.olrp, abs=1e-12, nan_ok=True)
            if best.rank < 0:
                assert all(math.isnan(value) for key, value in parts.items() if key != "oLRP")
                continue
            ours = list(parts.values())
            near = ranks_near_the_best(scene, cls, matching, tau)
            assert any(ours == close(list(rank), abs=1e-12) for rank in near)
        defined = [value for value in values if not math.isnan(value)]
        mean = sum(defined) / len(defined) if defined else math.nan
        assert result.mean["oLRP"] == close(mean, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("score_cut", "threshold"), [(0.25, 0.5), (0.0, 0.5), (0.3, 0.75)])
def test_confusion_matrix_equals_the_oracle(score_cut, threshold):
    for seed in range(120):
        scene = random_scene(seed, crowd=0.2, group_of=0.2)
        ours = reading(confusion, scene, "coco", threshold, min_score=score_cut)
        assert ours.matrix.tolist() == confusion_oracle.confusion_matrix(
            scene, score_cut, threshold
        )


@pytest.mark.parametrize("protocol", MATCHERS)
def test_confidence_curves_equal_the_oracle(protocol):
    for seed in range(60):
        scene = random_scene(seed)
        matching = MATCHERS[protocol](scene, 0.5)
        result = reading(confidence, scene, protocol, 0.5)
        for cls, curve in zip(scene.classes, result.classes, strict=True):
            points = confidence_oracle.operating_points(scene, cls, matching)
            # Where only ignored detections enter, nothing changes: the table leaves it out.
            counted = {
                scene.detections[d].score
                for d in considered(scene, cls, matching)
                if matching.label[d] != 0
            }
            points = [point for point in points if point.threshold in counted]
            for name in ("threshold", "precision", "recall", "f1"):
                theirs = [getattr(point, name) for point in points]
                np.testing.assert_array_equal(getattr(curve, name), theirs)
            best = confidence_oracle.best_point(points)
            ours = list(curve.best().values())
            nothing = [math.nan] * 4
            theirs = (
                nothing if best is None else [best.threshold, best.precision, best.recall, best.f1]
            )
            np.testing.assert_array_equal(ours, theirs)


def test_the_overall_confidence_curve_pools_classes_that_have_objects():
    for seed in range(40):
        scene = random_scene(seed)
        matching = coco.match(scene, 0.5)
        result = reading(confidence, scene, "coco", 0.5).overall
        known = [cls for cls in scene.classes if count_positives(scene, cls, matching)]
        assert result.n_positive == sum(count_positives(scene, cls, matching) for cls in known)
        pooled = [d for cls in known for d in considered(scene, cls, matching)]
        for at, threshold in enumerate(result.threshold):
            kept = [d for d in pooled if scene.detections[d].score >= threshold]
            tp = sum(matching.label[d] == 1 for d in kept)
            fp = sum(matching.label[d] == -1 for d in kept)
            assert result.precision[at] == tp / (tp + fp)
            assert result.recall[at] == tp / result.n_positive
            assert result.f1[at] == 2 * tp / (tp + fp + result.n_positive)


@pytest.mark.parametrize("protocol", MATCHERS)
def test_image_counts_equal_matching_without_the_weak_detections(protocol):
    for seed in range(60):
        scene = random_scene(seed)
        strong = tuple(det for det in scene.detections if det.score >= 0.25)
        matching = MATCHERS[protocol](replace(scene, detections=strong), 0.5)
        ours = reading(image_counts, scene, protocol, 0.5, min_score=0.25)
        assert ours.image_id.tolist() == list(scene.images)
        for row, image in enumerate(scene.images):
            labels = [matching.label[d] for d, det in enumerate(strong) if det.image == image]
            here = [g for g, obj in enumerate(scene.objects) if obj.image == image]
            n_positive = sum(not matching.ignored[g] for g in here)
            assert ours.tp[row] == labels.count(1)
            assert ours.fp[row] == labels.count(-1)
            assert ours.fn[row] == n_positive - labels.count(1)
