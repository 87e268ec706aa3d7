"""Where something cannot be computed: a result that says so, never a zero, no crash, no warning."""

from __future__ import annotations

import pytest

import boxlens
from boxlens.data import Dataset, select_classes, select_images
from boxlens.data.columns import attribute_column
from boxlens.scenes.plant import Recipe, plant
from boxlens.studies.diagnosis.analysis import diagnose
from planted_worlds import roomy, world_of
from studies.diagnosis.worlds import (
    codes,
    demo_dataset,
    demo_detections,
    nothing_of,
    random_world,
    told,
)
from studies.sensitivity.worlds import detections_on, side_by_side


def planted_on(dataset, **rates):
    return plant(dataset, Recipe(**rates), seed=1).detections


def by_class(result, scheme):
    return {row["class"]: row for row in told(result)["results"]["schemes"][scheme]["classes"]}


def test_without_similar_groups_only_their_removal_is_undefined():
    dataset, detections, _ = random_world(3, tree=False)
    result = diagnose(dataset, detections)
    assert "no_similar_classes" in codes(result)
    for row in by_class(result, "hoiem").values():
        assert row["impact"]["sim_removed"] is None
        assert row["top_fp"]["sim"] == 0
        assert (row["impact"]["bg_removed"] is None) == (row["n_objects"] == 0)
    overall = told(result)["results"]["schemes"]["coco_analyze"]["overall"]["all"]
    assert overall["Sim"] is None
    assert overall["Oth"] is not None


def test_without_attributes_sizes_and_shapes_are_left():
    dataset = roomy(20)
    result = diagnose(dataset, planted_on(dataset, miss=0.2))
    names = [row.name for row in result.sensitivity.characteristics]
    assert names == ["area", "height", "aspect"]
    assert {place.what for place in result.places} <= {"size", "class", "confusion"}


def test_a_class_without_objects_is_undefined_not_zero():
    dataset = roomy(10)
    detections = planted_on(dataset, confuse_similar=0.5)
    result = diagnose(dataset, detections)
    # Class c looks like a and b, but no object is one.
    assert (detections.class_row == 2).any()
    assert {"class_without_objects"} <= set(codes(result))
    row = by_class(result, "hoiem")["c"]
    assert (row["AP"], row["AP_N"], row["AP_N_se"]) == (None, None, None)
    assert set(row["impact"].values()) == {None}
    assert row["all_fp"]["sim"] == (detections.class_row == 2).sum()
    row = by_class(result, "tide")["c"]
    assert row["AP"] is None
    assert set(row["dAP"].values()) == {None}
    assert by_class(result, "coco_analyze")["c"]["all"]["C50"] is None


def test_a_class_without_detections_scores_zero_and_loses_to_misses():
    dataset = roomy(10)
    detections = planted_on(dataset)
    result = diagnose(dataset, detections.where(detections.class_row != 1))
    row = by_class(result, "hoiem")["b"]
    assert (row["AP"], row["AP_N"], row["n_objects"], row["n_detections"]) == (0, 0, 10, 0)
    assert set(row["top_fp"].values()) == {0}
    row = by_class(result, "tide")["b"]
    assert (row["AP"], row["n"]["miss"], row["n"]["fn"]) == (0, 10, 10)


def test_all_correct_leaves_nothing_to_gain():
    result = diagnose(roomy(10), planted_on(roomy(10)))
    schemes = told(result)["results"]["schemes"]
    assert set(schemes["tide"]["dAP"].values()) == {0}
    for row in schemes["hoiem"]["classes"]:
        # Class c and f have no objects; the others all have similar classes.
        expected = {None} if row["class"] in "cf" else {0}
        assert set(row["impact"].values()) == expected
    assert schemes["borji"] == pytest.approx([1] * 5)
    assert result.gallery == ()
    assert result.crosswalk.wrong_detections().tolist() == []


def test_none_correct_is_zero_until_the_last_repair():
    result = diagnose(roomy(10), planted_on(roomy(10), confuse_dissimilar=1.0))
    schemes = told(result)["results"]["schemes"]
    assert schemes["borji"] == [0, 0, 0, 0, 1]
    assert schemes["tide"]["AP50"] == 0
    assert schemes["tide"]["dAP"]["cls"] > 0
    assert result.crosswalk.missed_objects().tolist() == list(range(40))


def test_one_image_is_enough():
    result = diagnose(roomy(1), planted_on(roomy(1), background=3))
    assert (result.hoiem.normal, result.metrics["AP50"]) == pytest.approx((0.15, 1))
    # A standard error needs two objects.
    assert by_class(result, "hoiem")["a"]["AP_N_se"] is None
    told(result)


def test_no_detections_at_all():
    result = diagnose(demo_dataset(), nothing_of(demo_detections()))
    results = told(result)["results"]
    assert (results["metrics"]["AP"], results["metrics"]["AP50"]) == (0, 0)
    assert results["schemes"]["borji"] == [0, 0, 0, 0, 1]
    assert results["crosswalk"]["n_wrong_detections"] == 0
    assert results["crosswalk"]["n_missed_objects"] == result.tide.n["fn"]
    shares = results["schemes"]["hoiem"]["fp_trend"]["share"]
    assert all(value is None for values in shares.values() for value in values)
    assert results["gallery"] == []


def test_no_objects_at_all():
    result = diagnose(nothing_of(demo_dataset()), demo_detections())
    results = told(result)["results"]
    assert set(results["metrics"].values()) == {None}
    assert results["schemes"]["borji"] == [None] * 5
    for row in results["schemes"]["hoiem"]["classes"]:
        assert (row["AP"], row["AP_N"]) == (None, None)
        assert row["top_fp"] == {"loc": 0, "sim": 0, "oth": 0, "bg": 0}
    assert "class_without_objects" in codes(result)
    assert results["schemes"]["tide"]["AP50"] is None
    assert set(results["schemes"]["tide"]["dAP"].values()) == {None}
    assert all(row["AP"] is None for row in results["schemes"]["tide"]["classes"])


@pytest.mark.parametrize("cut", [select_classes, select_images])
def test_no_classes_or_no_images(cut):
    dataset, detections, _ = random_world(3)
    results = told(diagnose(*cut(dataset, detections, [])))["results"]
    assert set(results["metrics"].values()) == {None}
    assert results["verdict"]["findings"] == []


def with_attribute(values):
    dataset = world_of(
        side_by_side(12), names="a", attributes={"weather": attribute_column(values)}
    )
    return dataset, detections_on(dataset, [*range(6), -1])


def test_an_attribute_with_one_value_is_told_and_left_out():
    result = diagnose(*with_attribute(["rain"] * 12))
    assert "one_value" in codes(result)
    assert "weather" not in {row.name for row in result.sensitivity.characteristics}
    assert "weather" not in {place.what for place in result.places}
    told(result)


def test_missing_values_of_an_attribute_are_told_and_no_place():
    result = diagnose(*with_attribute(["rain", None, "sun"] * 4))
    assert "not_annotated_objects" in codes(result)
    assert {place.name for place in result.places if place.what == "weather"} == {"rain", "sun"}
    told(result)


@pytest.mark.parametrize("seed", range(40))
def test_random_worlds_are_diagnosed_without_a_word(seed):
    dataset, detections, groups = random_world(seed)
    results = told(diagnose(dataset, detections, similar=groups))["results"]
    assert results["verdict"]["summary"]


@pytest.mark.parametrize(
    "choice",
    [
        {"iou": 0.1, "background_iou": 0.1},
        {"iou": 1.2},
        {"background_iou": 0.0},
        {"assignment": "nearest"},
    ],
)
def test_limits_and_names_that_make_no_sense_are_refused(choice):
    with pytest.raises(boxlens.ParameterError):
        diagnose(*random_world(3)[:2], **choice)


def test_boxes_as_fractions_have_no_sizes_to_tell():
    dataset, detections, _ = random_world(5)
    relative = Dataset("r", dataset.images, dataset.classes, dataset.gt, relative=True)
    result = diagnose(relative, detections)
    assert not any(place.what == "size" for place in result.places)
    told(result)
