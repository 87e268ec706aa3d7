"""`evaluate(..., intervals=...)`: every number keeps its value and gets an interval."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.bootstrap import Draws, Resampled, resample
from boxlens.metrics.evaluation import samplers
from boxlens.metrics.interval_results import with_intervals
from boxlens.metrics.intervals import ResamplingChoice, interval
from boxlens.metrics.results import ClassResult, DetectorResult
from cases import random_scene
from metrics.counted_images import n_class_images, n_images
from oracles.convert import scene_to_tables
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of
from studies.diagnosis.worlds import told as strict_json

FEW = ResamplingChoice(n_replicates=150, seed=2, n_jackknife=30)
PERCENTILE = replace(FEW, method="percentile")
PROTOCOLS = ("coco", "lvis", "voc07", "voc12", "openimages")
protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def tables():
    return [demo_detections(), demo_detections("region")]


@cache
def evaluated(protocol="coco", choice=FEW):
    return evaluate_tables(demo_dataset(), tables(), choose(protocol, intervals=choice))


@protocols
def test_the_numbers_stay_as_they_are(protocol):
    plain = evaluate_tables(demo_dataset(), tables(), choose(protocol))
    for one, with_them in zip(plain.detectors, evaluated(protocol).detectors, strict=True):
        stripped = replace(
            with_them,
            intervals=None,
            classes=tuple(replace(row, intervals=None) for row in with_them.classes),
        )
        assert strict_json(one) == strict_json(stripped)
        assert one.intervals is None
        assert all(row.intervals is None for row in one.classes)


@protocols
def test_every_number_has_an_interval_of_its_name_around_its_value(protocol):
    """Unless its objects lie in fewer than ten images: then it has none."""
    dataset, crowds = demo_dataset(), protocol == "lvis"
    names = evaluated(protocol).detectors[0].classes[0].metrics
    of_classes = {name: n_class_images(dataset, name, crowds=crowds) for name in names}
    for one in evaluated(protocol).detectors:
        assert_intervals(
            one, {name: n_images(dataset, name, crowds=crowds) for name in one.metrics}
        )
        for at, row in enumerate(one.classes):
            assert_intervals(row, {name: found[at] for name, found in of_classes.items()})


def assert_intervals(row, images):
    assert list(row.intervals) == list(row.metrics)
    for name, value in row.metrics.items():
        found = row.intervals[name]
        assert found.value == value or (np.isnan(found.value) and np.isnan(value))
        if np.isnan(value) or images[name] < 10:
            assert np.isnan([found.low, found.high, found.se, found.bias]).all()
            assert found.n_undefined == FEW.n_replicates
        else:
            assert found.low <= found.high


def test_ordinary_numbers_lie_in_their_intervals():
    for one in evaluated().detectors:
        for name, found in one.intervals.items():
            assert found.low < found.value < found.high, name
            assert found.se == pytest.approx(found.se_jackknife, rel=0.6), name


@protocols
def test_intervals_are_those_of_the_draws(protocol):
    choice = choose(protocol)
    drawn = resample(samplers(demo_dataset(), tables(), choice), PERCENTILE)
    result = evaluated(protocol, PERCENTILE)
    for one, own in zip(result.detectors, drawn, strict=True):
        assert own.name == one.name
        for name, found in one.intervals.items():
            values = own.bootstrap.whole[name]
            values = values[~np.isnan(values)]
            if np.isnan(found.value):
                continue
            ends = np.percentile(values, [2.5, 97.5])
            np.testing.assert_allclose([found.low, found.high], ends, rtol=0, atol=1e-15)
        for at, row in enumerate(one.classes):
            found = row.intervals["AP"]
            values = own.bootstrap.by_class["AP"][:, at]
            assert found.n_undefined == np.isnan(values).sum()
            assert np.isnan(found.se) or found.se == pytest.approx(np.nanstd(values, ddof=1))


def test_a_plain_yes_takes_the_usual_choice():
    told = boxlens.evaluate(demo_dataset(), demo_detections(), intervals=True).parameters
    assert told["intervals"] == ResamplingChoice().to_json()
    assert "intervals" not in evaluate_tables(demo_dataset(), tables(), choose("coco")).parameters


# --- numbers that are undefined, always or in some replicates


def test_undefined_numbers_have_undefined_intervals_and_no_notice():
    dataset = demo_dataset()
    small = dataset.where(dataset.gt.area_px < 32**2)
    (one,) = evaluate_tables(small, [demo_detections()], choose("coco", intervals=FEW)).detectors
    found = one.intervals["APl"]
    assert np.isnan([found.value, found.low, found.high, found.se]).all()
    assert found.to_json()["ci"] == [None, None]
    told = [notice.message for notice in one.notices]
    assert told == ["window: no interval where fewer than 10 images have objects: 1 class"]


def in_few_images(of, n):
    """The demo set, in which the objects `of` that are kept lie in so many images."""
    dataset = demo_dataset()
    few = np.unique(dataset.gt.image_row[of & ~dataset.gt.crowd])[:n]
    return dataset.where(~of | np.isin(dataset.gt.image_row, few))


@pytest.mark.parametrize("n", [1, 9, 10])
def test_numbers_of_objects_in_fewer_than_ten_images_have_no_interval_and_a_notice(n):
    fewer = in_few_images(demo_dataset().gt.area_px >= 96**2, n)
    assert n_images(fewer, "APl") == n
    (one,) = evaluate_tables(fewer, [demo_detections()], choose("coco", intervals=FEW)).detectors
    notices = [notice for notice in one.notices if notice.code == "too_few_images"]
    for name in ("APl", "ARl"):
        found = one.intervals[name]
        assert not np.isnan(found.value)
        assert np.isnan([found.low, found.high, found.se, found.se_jackknife]).all() == (n < 10)
    assert not np.isnan(one.intervals["AP"].low)
    assert {notice.code for notice in one.notices} <= {"too_few_images"}
    if n == 10:
        assert notices == []
    else:
        (notice,) = notices
        assert notice.count == 2
        assert notice.message == (
            "window: no interval where fewer than 10 images have objects: APl, ARl"
        )


@pytest.mark.parametrize(("n_rare", "told"), [(0, False), (1, False), (2, True), (16, True)])
def test_rare_classes_are_counted_and_many_of_them_are_told_to_be_a_bias(n_rare, told):
    """Of sixteen classes one is less than a tenth, two are more."""
    dataset = demo_dataset()
    for row in range(n_rare):
        of = dataset.gt.class_row == row
        kept = np.unique(dataset.gt.image_row[of & ~dataset.gt.crowd])[:9]
        dataset = dataset.where(~of | np.isin(dataset.gt.image_row, kept))
    (one,) = evaluate_tables(dataset, [demo_detections()], choose("coco", intervals=FEW)).detectors
    for at, row in enumerate(one.classes):
        assert np.isnan(row.intervals["AP"].low) == (at < n_rare)
    by_code = {notice.code: notice for notice in one.notices}
    assert ("too_few_images" in by_code) == (n_rare > 0)
    assert ("rare_classes_bias" in by_code) == told
    if n_rare:
        noun = "1 class" if n_rare == 1 else f"{n_rare} classes"
        assert by_code["too_few_images"].message.endswith(noun)
    if told:
        assert by_code["rare_classes_bias"].count == n_rare
        assert f"{n_rare} of 16 classes are that rare" in by_code["rare_classes_bias"].message


def test_numbers_undefined_in_some_replicates_are_counted_and_told():
    """By hand: with ten images or more it takes more replicates than anyone draws."""
    drawn = np.linspace(0.2, 0.4, FEW.n_replicates)
    drawn[:7] = np.nan
    left = np.linspace(0.29, 0.31, FEW.n_jackknife)
    values = {"AP": np.linspace(0.2, 0.4, FEW.n_replicates), "APl": drawn, "ARl": drawn}
    result = DetectorResult("window", 3, dict.fromkeys(values, 0.3), ())
    own = Resampled("window", Draws(values, {}), Draws(dict.fromkeys(values, left), {}))
    one = with_intervals(result, own, FEW)
    assert [found.n_undefined for found in one.intervals.values()] == [0, 7, 7]
    assert one.intervals["APl"].low < 0.3 < one.intervals["APl"].high
    (notice,) = one.notices
    assert (notice.code, notice.count) == ("undefined_in_replicates", 7)
    assert notice.message == (
        "window: undefined in some of 150 resampled test sets, which are skipped in their "
        "intervals: APl in 7, ARl in 7"
    )


def test_what_is_undefined_in_most_replicates_has_no_interval():
    """By hand: 60 of 100 replicates are undefined."""
    drawn = np.full(100, np.nan)
    drawn[:40] = np.linspace(0, 1, 40)
    left = np.linspace(0.4, 0.6, 20)
    result = DetectorResult("d", 3, {"AP": 0.5}, (ClassResult("c", 1, 3, {"AP": 0.5}),))
    own = Resampled(
        "d",
        Draws({"AP": drawn}, {"AP": drawn[:, np.newaxis]}),
        Draws({"AP": left}, {"AP": left[:, np.newaxis]}),
    )
    choice = replace(FEW, n_replicates=100)
    found = with_intervals(result, own, choice)
    assert found.intervals["AP"].n_undefined == 60
    assert np.isnan(found.intervals["AP"].low)
    assert np.isnan(found.classes[0].intervals["AP"].low)
    assert [notice.code for notice in found.notices] == ["undefined_in_replicates"]
    assert np.isnan(interval(0.5, drawn, left, choice).low)
    assert result.intervals is None, "the result itself stays"


def test_a_detector_that_found_nothing_is_sure_of_it():
    (one,) = evaluate_tables(
        demo_dataset(), [nothing_of(demo_detections())], choose("coco", intervals=FEW)
    ).detectors
    found = one.intervals["AP"]
    assert (found.low, found.value, found.high, found.se, found.bias) == (0, 0, 0, 0, 0)


def test_a_data_set_without_objects_has_no_intervals():
    (one,) = evaluate_tables(
        nothing_of(demo_dataset()), [demo_detections()], choose("coco", intervals=FEW)
    ).detectors
    assert all(np.isnan(found.low) for found in one.intervals.values())
    assert "undefined_in_replicates" not in [notice.code for notice in one.notices]
    strict_json(one)


def test_groups_that_weigh_nothing_are_no_objects_to_a_detector_that_found_nothing_either():
    dataset = demo_dataset()
    groups = replace(dataset.gt, group_of=dataset.gt.class_row == 2)
    choice = choose("openimages", group_of_weight=0.0, intervals=FEW)
    some, none = evaluate_tables(
        replace(dataset, gt=groups),
        [demo_detections(), nothing_of(demo_detections())],
        choice,
    ).detectors
    for one in (some, none):
        assert (one.classes[2].n_gt, one.classes[1].n_gt) == (0, some.classes[1].n_gt)
        assert np.isnan(one.classes[2].metrics["AP"])
        assert one.classes[2].intervals["AP"].n_undefined == FEW.n_replicates


# --- JSON, and what is refused


def test_json_has_intervals_of_the_whole_and_of_classes():
    document = strict_json(evaluated())
    assert document["parameters"]["intervals"] == FEW.to_json()
    (one, _) = document["results"]["detectors"]
    assert list(one["intervals"]) == list(one["metrics"])
    found = one["intervals"]["AP"]
    assert set(found) == {"value", "ci", "se", "se_jackknife", "bias", "n_undefined"}
    assert found["value"] == one["metrics"]["AP"]
    of_class = one["classes"][0]
    assert of_class["intervals"]["AP"]["value"] == of_class["AP"]
    plain = evaluate_tables(demo_dataset(), tables(), choose("coco")).to_json()
    assert "intervals" not in plain["parameters"]
    assert "intervals" not in plain["results"]["detectors"][0]
    assert "intervals" not in plain["results"]["detectors"][0]["classes"][0]


def test_few_images_are_refused():
    dataset, detections = scene_to_tables(random_scene(5, n_images=7))
    with pytest.raises(ParameterError, match="images are too few to resample"):
        boxlens.evaluate(dataset, detections, intervals=True)
