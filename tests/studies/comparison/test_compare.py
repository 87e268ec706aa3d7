"""The whole comparison: its result, its notices, its JSON, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.comparison import ComparisonChoice, compare, compare_tables
from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice
from studies.comparison.test_paired import degraded
from studies.diagnosis.worlds import codes, demo_dataset, demo_detections, nothing_of, told

FEW = ResamplingChoice(n_replicates=100, n_jackknife=20)


def chosen(**options):
    return ComparisonChoice(resampling=FEW, n_permutations=100, **options)


@cache
def demo(n_detectors=2):
    dataset, a, b = demo_dataset(), demo_detections(), demo_detections("region")
    tables = (a, b, degraded(a, 0))[:n_detectors]
    return compare_tables(dataset, tables, chosen())


def first_images(dataset, n):
    """The first images alone, and what was found there."""
    rows = np.arange(n)
    kept = boxlens.data.selection.select_images(dataset, demo_detections(), rows)
    return kept[0], [kept[1], *(select(name, rows) for name in ("region",))]


def select(name, rows):
    return boxlens.data.selection.select_images(demo_dataset(), demo_detections(name), rows)[1]


# --- what is found


def test_detectors_have_the_numbers_of_evaluate_with_intervals_of_the_same_draws():
    result = demo()
    choice = choose("coco", intervals=FEW)
    alone = evaluate_tables(demo_dataset(), list(result.detections), choice)
    for one, expected in zip(result.detectors, alone.detectors, strict=True):
        assert (one.name, one.metrics) == (expected.name, expected.metrics)
        assert one.intervals == expected.intervals
        assert told(one)["classes"] == told(expected)["classes"]


def test_the_league_is_read_off_the_pairs():
    result = demo(3)
    assert [row.metric for row in result.headline] == ["AP"] * 3
    rows = {row.name: row for row in result.league.rows}
    for name, row in rows.items():
        own = next(one for one in result.detectors if one.name == name)
        assert row.score == own.intervals["AP"]
    for pair in result.headline:
        shared = set(rows[pair.a].letters.split()) & set(rows[pair.b].letters.split())
        assert bool(shared) == (pair.p_holm >= result.choice.alpha)


def test_another_number_may_lead():
    dataset, tables = demo_dataset(), (demo_detections(), demo_detections("region"))
    result = compare_tables(dataset, tables, chosen(metric="APs"))
    assert result.league.metric == "APs"
    assert [row.name for row in result.league.rows] == ["window", "region"]
    assert [row.name for row in demo().league.rows] == ["region", "window"]
    assert repr(result).startswith("ComparisonResult(ground_truth, APs: window 0.1")


@pytest.mark.parametrize(("protocol", "metric"), [("voc07", "mAP"), ("openimages", "mAP")])
def test_other_protocols_lead_with_their_own_number(protocol, metric):
    result = compare(
        demo_dataset(),
        [demo_detections(), demo_detections("region")],
        protocol=protocol,
        replicates=100,
        permutations=100,
    )
    assert result.league.metric == metric
    assert result.parameters["protocol"] == protocol
    assert {row.metric for row in result.pairs} == {metric}
    assert len(result.classes) == 16


def test_three_detectors_have_three_pairs_of_everything_and_one_test_of_all():
    result = demo(3)
    names = [("window", "region"), ("window", "degraded"), ("region", "degraded")]
    assert [(row.a, row.b) for row in result.headline] == names
    assert [(row.a, row.b) for row in result.discriminative] == names
    assert [(row.first, row.second) for row in result.strengths] == names
    assert result.together is not None
    assert result.together.detectors == ("window", "region", "degraded")
    assert result.together.choice.test == "anova"
    assert demo().together is None
    assert result.image_scores.shape == (3, 200)
    worst = result.league.rows[-1]
    assert worst.name == "degraded"


# --- notices


def test_the_same_detections_twice_are_told_and_get_two_names():
    table = demo_detections()
    result = compare_tables(demo_dataset(), [table, table], chosen())
    assert [one.name for one in result.detectors] == ["window", "window (2)"]
    (notice,) = [notice for notice in result.notices if notice.code == "identical"]
    assert notice.message == "window and window (2) have the same detections: they cannot differ"
    for row in result.pairs:
        assert (row.difference.value, row.p_holm, row.detectable) == (0, 1, 0)
        assert row.p_permutation == 1
    assert {row.letters for row in result.league.rows} == {"a"}
    assert {(row.a, row.b) for row in result.pairs} == {("window", "window (2)")}
    assert not result.discriminative[0].differs


def test_files_of_one_name_are_told_apart(tmp_path):
    from running import write_demo

    write_demo(tmp_path)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "window.json").write_bytes((tmp_path / "region.json").read_bytes())
    result = compare(
        tmp_path / "ground_truth.json",
        [tmp_path / "window.json", tmp_path / "new" / "window.json"],
        replicates=100,
        permutations=100,
    )
    assert [one.name for one in result.detectors] == ["window", "window (2)"]
    assert [row.name for row in result.league.rows] == ["window (2)", "window"]
    assert "identical" not in codes(result)


def test_classes_in_few_images_are_named_and_not_tested():
    dataset = demo_dataset()
    images = [set(dataset.gt.image_row[dataset.gt.class_row == row]) for row in range(3)]
    rare = np.isin(dataset.gt.image_row, list(images[2])[:5])
    fewer = dataset.where((dataset.gt.class_row != 2) | rare)
    result = compare_tables(fewer, demo().detections, chosen())
    (notice,) = [notice for notice in result.notices if notice.code == "rare_classes"]
    assert notice.count == 1
    assert notice.message.endswith("fewer than 10 images are not tested (1): bus")
    row = next(row for row in result.classes if row.name == "bus")
    assert (row.n_images, np.isnan(row.p), np.isnan(row.p_holm)) == (5, True, True)
    assert "rare_classes" not in codes(demo())


def test_images_of_a_class_are_those_with_objects_that_count():
    dataset = demo_dataset()
    counted = ~(dataset.gt.crowd | dataset.gt.difficult | dataset.gt.group_of)
    for row in demo().classes:
        at = dataset.classes.name.index(row.name)
        own = counted & (dataset.gt.class_row == at)
        assert row.n_images == len(np.unique(dataset.gt.image_row[own]))


def test_numbers_of_objects_in_too_few_images_are_told_and_not_tested():
    """Large objects in three images only."""
    dataset = demo_dataset()
    large = dataset.gt.area_px > 96**2
    few = np.unique(dataset.gt.image_row[large])[:3]
    fewer = dataset.where(~large | np.isin(dataset.gt.image_row, few))
    result = compare_tables(fewer, demo().detections, chosen())
    row = next(row for row in result.pairs if row.metric == "APl")
    assert row.difference.value != 0
    around = [row.difference.low, row.difference.high, row.difference.se]
    chances = [row.p_bootstrap, row.p_permutation, row.p_holm, row.share_a_ahead]
    assert np.isnan([*around, *chances, row.detectable]).all()
    notices = [notice for notice in result.notices if notice.code == "too_few_images"]
    assert [notice.message for notice in notices] == [
        f"{name}: no interval where fewer than 10 images have objects: APl, ARl"
        for name in ("window", "region")
    ]
    assert "undefined_in_replicates" not in codes(result)
    known = next(row for row in result.pairs if row.metric == "AP")
    assert not np.isnan([known.p_bootstrap, known.p_permutation, known.p_holm]).any()


def test_all_tests_take_their_level_and_their_seed_from_the_comparison():
    pair = [demo_detections(), demo_detections("region")]
    result = compare(demo_dataset(), pair, level=0.9, seed=7, replicates=100, permutations=150)
    (one,) = result.discriminative
    assert (one.choice.alpha, one.choice.seed, one.choice.n_permutations) == (0.1, 7, 150)
    assert result.league.alpha == 0.1
    # What the discriminative choice says itself on these three does not count.
    own = DiscriminativeChoice(alpha=0.01, seed=3, n_permutations=500, test="permutation")
    choice = replace(chosen(discriminative=own), resampling=replace(FEW, level=0.9, seed=7))
    three = (*pair, degraded(pair[0], 0))
    result = compare_tables(demo_dataset(), three, choice)
    for one in (*result.discriminative, result.together):
        assert (one.choice.alpha, one.choice.seed, one.choice.n_permutations) == (0.1, 7, 100)
    assert {one.choice.test for one in result.discriminative} == {"permutation"}


def test_silent_images_are_told():
    dataset, (a, b) = demo_dataset(), demo().detections
    result = compare_tables(dataset, [a, b.where(b.image_row >= 30)], chosen())
    assert "silent_images" in codes(result)
    assert len(result.dataset.images) == 200
    common = compare_tables(dataset, [a, b.where(b.image_row >= 30)], chosen(images="common"))
    assert "images_left_out" in codes(common)
    assert len(common.dataset.images) == 170
    assert common.to_json()["dataset"]["n_images"] == 170
    assert common.image_scores.shape == (2, 170)


def test_a_detector_that_found_nothing_scores_nothing():
    dataset, (a, b) = demo_dataset(), demo().detections
    result = compare_tables(dataset, [a, nothing_of(b)], chosen(images="all"))
    assert result.detectors[1].metrics["AP"] == 0
    assert "silent_images" in codes(result)
    row = result.headline[0]
    assert row.difference.value == result.detectors[0].metrics["AP"]
    assert row.p_holm < 0.05
    assert [row.letters for row in result.league.rows] == ["a", "b"]
    told(result)


def test_two_detectors_that_found_nothing_are_equal():
    empty = nothing_of(demo_detections())
    result = compare_tables(demo_dataset(), [empty, empty], chosen())
    assert {row.p_holm for row in result.pairs} == {1}
    told(result)


# --- what is refused


def test_one_detector_is_nothing_to_compare():
    with pytest.raises(ParameterError, match="needs two or more detectors"):
        compare_tables(demo_dataset(), [demo_detections()], chosen())
    with pytest.raises(ParameterError, match="needs two or more detectors"):
        compare_tables(demo_dataset(), [], chosen())
    for single in (demo_detections(), [demo_detections()], []):
        with pytest.raises(ParameterError, match="needs two or more detectors"):
            compare(demo_dataset(), single)


def test_an_unknown_number_is_named_with_those_there_are():
    with pytest.raises(ParameterError, match="unknown metric 'mAP': choose from AP, AP50"):
        compare_tables(demo_dataset(), demo().detections, chosen(metric="mAP"))


def test_a_number_that_is_undefined_is_named():
    dataset = demo_dataset()
    small = dataset.where(dataset.gt.area_px < 32**2)
    with pytest.raises(ParameterError, match="APl is undefined, so"):
        compare_tables(small, demo().detections, chosen(metric="APl"))
    result = compare_tables(small, demo().detections, chosen())
    row = next(row for row in result.pairs if row.metric == "APl")
    assert np.isnan([row.difference.value, row.p_bootstrap, row.p_permutation, row.p_holm]).all()
    with pytest.raises(ParameterError, match="AP is undefined, so"):
        compare_tables(nothing_of(dataset), demo().detections, chosen())


def test_fewer_than_ten_images_stop_it():
    dataset, tables = first_images(demo_dataset(), 9)
    with pytest.raises(ParameterError, match="9 images are too few"):
        compare_tables(dataset, tables, chosen())
    dataset, tables = first_images(demo_dataset(), 10)
    assert len(compare_tables(dataset, tables, chosen()).dataset.images) == 10


def test_fewer_than_ten_common_images_stop_it():
    dataset, (a, b) = demo_dataset(), demo().detections
    with pytest.raises(ParameterError, match="7 images are too few"):
        compare_tables(dataset, [a, b.where(b.image_row < 7)], chosen(images="common"))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"n_permutations": 99}, "a whole number from 100 to 1,000,000, got 99"),
        ({"measure": "luck"}, "fda"),
        ({"mapping": "any"}, "one_to_one"),
        ({"images": "some"}, "check, all, common"),
        ({"min_score": float("nan")}, "min_score is a finite number, got nan"),
        ({"min_score": float("inf")}, "min_score is a finite number, got inf"),
        ({"discriminative": DiscriminativeChoice(test="anova")}, "anova tests all detectors"),
    ],
)
def test_choices_that_cannot_be_meant_are_refused(options, problem):
    with pytest.raises(ParameterError, match=problem):
        ComparisonChoice(**options)


# --- JSON


def test_json_is_strict_and_has_the_documented_keys():
    document = told(demo(3))
    assert document["schema"] == "boxlens/compare/1"
    assert set(document) == {
        "schema", "provenance", "parameters", "dataset", "notices", "results",
    }  # fmt: skip
    results = document["results"]
    assert {"detectors", "pairs", "discriminative", "league", "classes"} <= set(results)
    for one in results["detectors"]:
        assert list(one["metrics"])[:3] == ["AP", "AP50", "AP75"]
        for number in one["metrics"].values():
            assert {"value", "ci", "se"} <= set(number)
            low, high = number["ci"]
            assert low <= high
        assert "ci" in one["classes"][0]["metrics"]["AP"]
    assert len(results["pairs"]) == 36
    for row in results["pairs"]:
        assert {
            "a", "b", "metric", "difference", "ci", "p_bootstrap", "p_permutation", "p_holm",
            "detectable",
        } <= set(row)  # fmt: skip
    assert len(results["discriminative"]) == 3
    for row in results["discriminative"]:
        assert {"a", "b", "t0", "p_curve", "differs", "n_kept"} <= set(row)
    assert results["discriminative_together"]["differs"] in (True, False)


def test_json_names_what_was_asked_for():
    parameters = told(demo())["parameters"]
    assert parameters["protocol"] == "coco"
    assert parameters["resampling"] == FEW.to_json()
    assert parameters["n_permutations"] == 100
    assert parameters["images"] == "check"
    assert json.dumps(parameters)
