"""Planted errors are found by every scheme that has a name for them, row by row."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.matching import COCO
from boxlens.scenes.large import large_dataset, large_recipe
from boxlens.scenes.plant import Kind, Recipe, plant
from boxlens.studies.diagnosis.borji import borji
from boxlens.studies.diagnosis.coco_analyze import CURVES, coco_analyze
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.hoiem import hoiem
from boxlens.studies.diagnosis.hoiem_types import HoiemType
from boxlens.studies.diagnosis.tide import tide
from boxlens.studies.diagnosis.tide_types import TideType
from planted_worlds import EVERYTHING
from studies.diagnosis.worlds import demo_dataset

WORLDS = ("demo", "large")
# COCO analyze asks whether any object of another class is near, so nothing may touch two.
ISOLATED = replace(
    EVERYTHING,
    isolated=True,
    also_mislocalise=0.0,
    also_confuse_similar=0.0,
    also_confuse_dissimilar=0.0,
)
STEP_OF_KIND = {
    Kind.CORRECT: 0,
    Kind.LOCALIZATION: 2,
    Kind.DUPLICATE: 3,
    Kind.SIMILAR: 1,
    Kind.DISSIMILAR: 1,
    Kind.BOTH_SIMILAR: 1,
    Kind.BOTH_DISSIMILAR: 1,
    Kind.BACKGROUND: 1,
    Kind.IGNORED: -1,
}
CURVE_OF_KIND = {
    Kind.LOCALIZATION: "Loc",
    Kind.DUPLICATE: "BG",
    Kind.SIMILAR: "Sim",
    Kind.DISSIMILAR: "Oth",
    Kind.BOTH_SIMILAR: "Sim",
    Kind.BOTH_DISSIMILAR: "Oth",
    Kind.BACKGROUND: "BG",
}


@cache
def dataset_of(world):
    """The demo with some objects difficult; a large set has crowds of its own."""
    if world == "large":
        return large_dataset(500, 2_800, 80, seed=11)
    demo = demo_dataset()
    difficult = np.arange(len(demo.gt)) % 9 == 0
    return replace(demo, gt=replace(demo.gt, difficult=difficult))


@cache
def planted_on(world, recipe):
    recipe_of = {"everything": EVERYTHING, "isolated": ISOLATED}
    dataset = dataset_of(world)
    return dataset, plant(dataset, recipe_of[recipe], seed=17)


def assert_every_kind_is_there(planted, least=5):
    for kind in Kind:
        assert (planted.label == kind).sum() >= least, kind
    assert len(planted.missed) >= least


@pytest.mark.parametrize("world", WORLDS)
def test_the_worlds_have_errors_of_every_kind_within_tides_limit(world):
    for recipe in ("everything", "isolated"):
        _, planted = planted_on(world, recipe)
        assert_every_kind_is_there(planted)
        assert np.diff(planted.detections.offsets).max() <= 100


@pytest.mark.parametrize("assignment", ["priority", "argmax_iou"])
@pytest.mark.parametrize("world", WORLDS)
def test_hoiems_types_are_those_planted_row_by_row(world, assignment):
    dataset, planted = planted_on(world, "everything")
    result = hoiem(gather(dataset, planted.detections), assignment=assignment)
    named = planted.types("hoiem")
    for kind in (HoiemType.LOC, HoiemType.SIM, HoiemType.OTH, HoiemType.BG):
        np.testing.assert_array_equal(result.det_type == kind, np.char.lower(named) == kind.label)
    np.testing.assert_array_equal(
        result.det_type == HoiemType.CORRECT, planted.label == Kind.CORRECT
    )
    np.testing.assert_array_equal(
        result.det_type == HoiemType.IGNORED, planted.label == Kind.IGNORED
    )
    np.testing.assert_array_equal(np.flatnonzero(result.gt_found == 0), planted.not_found())


@pytest.mark.parametrize("world", WORLDS)
def test_tides_types_and_misses_are_those_planted_row_by_row(world):
    dataset, planted = planted_on(world, "everything")
    result = tide(gather(dataset, planted.detections))
    named = planted.types("tide")
    types = result.types
    for kind in (TideType.CLS, TideType.LOC, TideType.BOTH, TideType.DUPE, TideType.BKG):
        np.testing.assert_array_equal(types.det_type == kind, np.char.lower(named) == kind.label)
    np.testing.assert_array_equal(types.det_type == TideType.CORRECT, planted.label == Kind.CORRECT)
    np.testing.assert_array_equal(np.flatnonzero(types.missed), planted.missed_by_tide())
    repairable = np.isin(types.det_type, (TideType.CLS, TideType.LOC))
    np.testing.assert_array_equal(types.target[repairable], planted.gt_row[repairable])
    np.testing.assert_array_equal(
        np.flatnonzero(types.positive & ~types.found), planted.not_found()
    )


@pytest.mark.parametrize("world", WORLDS)
def test_errors_leave_coco_analyze_at_the_curve_of_their_kind(world):
    dataset, planted = planted_on(world, "isolated")
    result = coco_analyze(gather(dataset, planted.detections))
    for kind, curve in CURVE_OF_KIND.items():
        of_kind = result.det_curve[planted.label == kind]
        assert (of_kind == CURVES.index(curve)).all(), kind
    correct = planted.label == Kind.CORRECT
    np.testing.assert_array_equal(
        result.det_curve[correct] == CURVES.index("C75"), planted.iou[correct] >= 0.75
    )
    assert set(result.det_curve[correct]) <= {0, 1}
    assert (result.det_curve[planted.label == Kind.IGNORED] == -1).all()
    assert_missed(result.gt_curve, CURVES.index("FN"), planted)


@pytest.mark.parametrize("world", WORLDS)
def test_errors_are_repaired_at_borjis_step_of_their_kind(world):
    dataset, planted = planted_on(world, "isolated")
    result = borji(gather(dataset, planted.detections))
    for kind, step in STEP_OF_KIND.items():
        assert (result.det_step[planted.label == kind] == step).all(), kind
    assert_missed(result.gt_step, 4, planted)


def assert_missed(gt_labels, missed, planted):
    """A poorly placed box still finds its object at the background IoU."""
    placed = planted.gt_row[planted.label == Kind.LOCALIZATION]
    expected = np.setdiff1d(planted.not_found(), placed)
    np.testing.assert_array_equal(np.flatnonzero(gt_labels == missed), expected)


@pytest.mark.parametrize("world", WORLDS)
def test_exact_numbers_are_found_exactly(world):
    dataset = dataset_of(world)
    recipe = Recipe(
        miss=31, mislocalise=29, confuse_similar=23, confuse_dissimilar=19, both_similar=7,
        both_dissimilar=5, duplicate=37, background=41,
    )  # fmt: skip
    planted = plant(dataset, recipe, seed=3)
    assert not planted.short
    evidence = gather(dataset, planted.detections)
    by_tide, by_hoiem = tide(evidence).n, hoiem(evidence).classes
    assert (by_tide["cls"], by_tide["loc"], by_tide["both"]) == (42, 29, 12)
    assert (by_tide["dupe"], by_tide["bkg"], by_tide["miss"]) == (37, 41, 43)
    whole = [sum(row.whole[kind] for row in by_hoiem) for kind in ("loc", "sim", "oth", "bg")]
    assert whole == [66, 30, 24, 41]


def test_a_detector_with_many_errors_an_image_is_read_row_by_row():
    dataset = large_dataset(100, 700, 20, seed=5)
    planted = plant(dataset, large_recipe(dataset, n_detections=6_000), seed=5)
    evidence = gather(dataset, planted.detections)
    named = np.char.lower(planted.types("hoiem"))
    labels = np.array(["", "", "loc", "sim", "oth", "bg"])
    np.testing.assert_array_equal(labels[hoiem(evidence).det_type], named)
    # TIDE looks at the best hundred of an image and judges these as planted.
    types = tide(evidence).types.det_type
    seen = types != TideType.BEYOND
    assert 0.3 < seen.mean() < 1
    labels = np.array(["cls", "loc", "both", "dupe", "bkg", "miss", "", "", ""])
    np.testing.assert_array_equal(labels[types][seen], np.char.lower(planted.types("tide"))[seen])


@pytest.mark.parametrize("world", WORLDS)
def test_other_limits_find_what_was_planted_at_them(world):
    dataset = dataset_of(world)
    recipe = replace(EVERYTHING, foreground_iou=0.75, background_iou=0.3)
    planted = plant(dataset, recipe, seed=2)
    evidence = gather(dataset, planted.detections, foreground_iou=0.75, background_iou=0.3)
    labels = np.array(["", "", "loc", "sim", "oth", "bg"])
    named = np.char.lower(planted.types("hoiem"))
    np.testing.assert_array_equal(labels[hoiem(evidence).det_type], named)
    types = tide(evidence).types
    np.testing.assert_array_equal(np.flatnonzero(types.missed), planted.missed_by_tide())


@pytest.mark.parametrize("world", WORLDS)
def test_a_detector_without_errors_is_perfect_under_every_scheme(world):
    dataset = dataset_of(world)
    planted = plant(dataset, Recipe(), seed=1)
    evidence = gather(dataset, planted.detections)
    by_tide = tide(evidence)
    n_missed = len(planted.missed)
    assert by_tide.n == dict.fromkeys(by_tide.n, 0) | {"miss": n_missed, "fn": n_missed}
    assert set(hoiem(evidence).det_type) == {HoiemType.CORRECT}
    assert (~COCO.ignored(dataset.gt)).sum() == len(planted) + n_missed
