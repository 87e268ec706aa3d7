"""The same drawn images for all detectors, whatever the pieces, the threads or the company."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.metrics import bootstrap, choose, evaluate_tables
from boxlens.metrics.bootstrap import (
    bootstrap_weights,
    draw,
    jackknife_weights,
    joined,
    resample,
)
from boxlens.metrics.evaluation import samplers
from boxlens.metrics.intervals import ResamplingChoice
from cases import random_scene
from metrics.counted_images import n_class_images, n_images
from oracles.convert import scene_to_tables
from oracles.weighted_ap import repeated_tables

CHOICE = ResamplingChoice(n_replicates=120, seed=7)


def a_scene(n_images=24, seed=0):
    """A scene with exactly so many images."""
    seeds = range(1000 * seed, 1000 * seed + 1000)
    drawn = (random_scene(s, n_images=2 * n_images, flood=0) for s in seeds)
    return next(scene for scene in drawn if len(scene.images) == n_images)


def two_detectors(scene):
    """One, and the same without every third detection."""
    dataset, first = scene_to_tables(scene)
    kept = np.arange(len(first)) % 3 != 0
    return dataset, [replace(first, name="all"), replace(first.where(kept), name="some")]


def walks(scene, protocol="coco"):
    dataset, detections = two_detectors(scene)
    return samplers(dataset, detections, choose(protocol))


def weights_of(n_units, n_replicates, seed):
    return np.concatenate(list(bootstrap_weights(n_units, n_replicates, seed)))


def weights_of_both(n_units):
    """Of the bootstrap and of the jackknife that leaves out one by one."""
    left_out = jackknife_weights(n_units, n_units, CHOICE.seed)
    return {
        "bootstrap": weights_of(n_units, CHOICE.n_replicates, CHOICE.seed),
        "jackknife": np.concatenate(list(left_out)),
    }


def assert_same_draws(one, other):
    for ours, theirs in ((one.whole, other.whole), (one.by_class, other.by_class)):
        assert ours.keys() == theirs.keys()
        for name, values in ours.items():
            np.testing.assert_array_equal(values, theirs[name])


def assert_same(one, other):
    assert_same_draws(one.bootstrap, other.bootstrap)
    assert_same_draws(one.jackknife, other.jackknife)


# --- weights


@pytest.mark.parametrize("n_units", [1, 10, 333])
def test_every_replicate_draws_as_many_images_as_there_are(n_units):
    weights = weights_of(n_units, 130, 0)
    assert weights.shape == (130, n_units)
    assert (weights.sum(axis=1) == n_units).all()
    assert weights.min() >= 0


def test_a_seed_gives_the_same_weights_and_another_seed_others():
    np.testing.assert_array_equal(weights_of(50, 60, 3), weights_of(50, 60, 3))
    assert (weights_of(50, 60, 3) != weights_of(50, 60, 4)).any(axis=1).all()


def test_replicates_are_all_different_and_do_not_depend_on_how_many_follow():
    many, few = weights_of(50, 160, 3), weights_of(50, 10, 3)
    np.testing.assert_array_equal(many[:10], few)
    assert len(np.unique(many, axis=0)) == 160


def test_weights_spread_as_draws_with_replacement_do():
    """Mean 1, variance 1 - 1/n, and two images a covariance of -1/n."""
    n = 40
    weights = weights_of(n, 4000, 1)
    assert weights.mean() == 1
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / n, abs=0.02)
    assert (weights == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=0.01)
    covariance = np.cov(weights.T)[~np.eye(n, dtype=bool)]
    assert covariance.mean() == pytest.approx(-1 / n, abs=2e-3)


@pytest.mark.parametrize(("n_units", "n_groups"), [(10, 10), (103, 10), (64, 63), (500, 200)])
def test_groups_of_the_jackknife_divide_the_images_evenly(n_units, n_groups):
    left_out = 1 - np.concatenate(list(jackknife_weights(n_units, n_groups, 5)))
    assert left_out.shape == (n_groups, n_units)
    assert (left_out.sum(axis=0) == 1).all()
    sizes = left_out.sum(axis=1)
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1
    again = 1 - np.concatenate(list(jackknife_weights(n_units, n_groups, 5)))
    np.testing.assert_array_equal(left_out, again)


def test_groups_of_the_jackknife_do_not_follow_the_order_of_the_images():
    """Neighbours in a file often show one place: they must not be left out by a pattern."""
    weights = np.concatenate(list(jackknife_weights(400, 4, 0)))
    group = np.argmin(weights, axis=0)
    assert len({tuple(group[i : i + 4]) for i in range(0, 400, 4)}) > 50


# --- detectors on them


@pytest.mark.parametrize("protocol", ["coco", "voc12"])
def test_values_are_those_of_the_set_with_the_images_drawn(protocol):
    """Through every step: the first replicates and groups, written down as data sets."""
    scene = a_scene()
    distinct = [replace(det, score=1 / (i + 1)) for i, det in enumerate(scene.detections)]
    scene = replace(scene, detections=tuple(distinct))
    dataset, detections = two_detectors(scene)
    detectors = walks(scene, protocol)
    pieces = weights_of_both(len(scene.images))
    for (kind, weights), b in ((piece, b) for piece in pieces.items() for b in range(3)):
        for sampler, table in zip(detectors, detections, strict=True):
            copies, same = repeated_tables(dataset, table, weights[b].tolist())
            result = evaluate_tables(copies, [same], choose(protocol)).detectors[0]
            values = draw(sampler, weights[b : b + 1])
            for name, value in result.metrics.items():
                found = values.whole[name][0]
                assert found == pytest.approx(value, abs=1e-12, nan_ok=True), (kind, name)
            for name, by_class in values.by_class.items():
                expected = [row.metrics[name] for row in result.classes]
                np.testing.assert_allclose(by_class[0], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("protocol", ["coco", "voc12"])
@pytest.mark.parametrize("n_units", [11, 24])
def test_what_has_objects_in_fewer_than_ten_images_has_no_values(protocol, n_units):
    """Everything else has those of the drawn weights, to the bit."""
    scene = a_scene(n_units)
    dataset, _ = two_detectors(scene)
    detectors = walks(scene, protocol)
    pieces = weights_of_both(n_units)
    for sampler, found in zip(detectors, resample(detectors, CHOICE), strict=True):
        few = [name for name in sampler.readings.whole if 0 < n_images(dataset, name) < 10]
        assert list(found.too_few) == few
        of_classes = n_class_images(dataset, "AP")
        assert found.n_classes == (of_classes > 0).sum()
        assert found.n_rare_classes == ((of_classes > 0) & (of_classes < 10)).sum()
        for kind, weights in pieces.items():
            expected, values = draw(sampler, weights), getattr(found, kind)
            for name, whole in expected.whole.items():
                known = np.full(len(whole), np.nan) if name in few else whole
                np.testing.assert_array_equal(values.whole[name], known)
            for name, by_class in expected.by_class.items():
                rare = n_class_images(dataset, name) < 10
                np.testing.assert_array_equal(
                    values.by_class[name], np.where(rare, np.nan, by_class)
                )


def test_nine_images_with_objects_are_too_few_and_ten_are_not():
    scene = a_scene()
    with_objects = sorted({one.image for one in scene.objects if not (one.crowd or one.difficult)})
    for n, too_few in ((9, True), (10, False)):
        kept = tuple(one for one in scene.objects if one.image in with_objects[:n])
        found = resample(walks(replace(scene, objects=kept), "voc12"), CHOICE)
        for one in found:
            assert one.too_few == (("mAP",) if too_few else ())
            assert np.isnan(one.bootstrap.whole["mAP"]).all() == too_few
            assert np.isnan(one.jackknife.whole["mAP"]).all() == too_few


def test_pieces_and_threads_change_no_bit(monkeypatch):
    detectors = walks(a_scene())
    expected = resample(detectors, CHOICE, threads=1)
    for in_one_go, threads in ((7, 1), (7, 3), (1000, 2)):
        monkeypatch.setattr(bootstrap, "IN_ONE_GO", in_one_go)
        for one, other in zip(expected, resample(detectors, CHOICE, threads=threads), strict=True):
            assert_same(one, other)


def test_values_of_joined_weights_are_joined_values():
    sampler = walks(a_scene())[0]
    weights = weights_of(24, 30, 2)
    parts = [draw(sampler, weights[:11]), draw(sampler, weights[11:])]
    assert_same_draws(draw(sampler, weights), joined(parts))


def test_a_detector_is_drawn_alike_alone_and_in_company():
    one, two = walks(a_scene())
    together = resample([one, two], CHOICE)
    for sampler, found in zip((one, two), together, strict=True):
        assert found.name == sampler.name
        assert_same(resample([sampler], CHOICE)[0], found)


def test_images_are_left_out_one_by_one_or_in_as_many_groups_as_asked_for():
    sampler = walks(a_scene())[0]
    for n_jackknife, n_values in ((5, 5), (200, 24)):
        choice = replace(CHOICE, n_jackknife=n_jackknife)
        found = resample([sampler], choice)[0]
        assert len(found.jackknife.whole["AP"]) == n_values
        assert len(found.bootstrap.whole["AP"]) == choice.n_replicates
        n_classes = sampler.walk.n_classes
        assert found.bootstrap.by_class["AP"].shape == (choice.n_replicates, n_classes)


def test_progress_ascends_to_the_end():
    told = []
    resample(walks(a_scene()), CHOICE, progress=lambda *step: told.append(step))
    done = [step[1] for step in told]
    assert done == sorted(done)
    assert {step[2] for step in told} == {CHOICE.n_replicates + 24}
    assert done[-1] < CHOICE.n_replicates + 24


def test_fewer_than_ten_images_are_refused():
    with pytest.raises(ParameterError, match="9 images are too few"):
        resample(walks(a_scene(n_images=9)), CHOICE)
    assert len(resample(walks(a_scene(n_images=10)), CHOICE)) == 2
