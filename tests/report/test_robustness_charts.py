"""Figures of robustness show what the results hold, whatever was run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from altair.vegalite.v6.schema.core import Root

from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.report.charts.colours import MANY_SERIES
from boxlens.report.charts.export import chart_json
from boxlens.report.described.robustness.classes import shown_classes
from boxlens.report.described.robustness.places import coarser, density_columns, share_moved
from boxlens.report.described.robustness.steps import MOST_DETECTORS
from boxlens.studies.robustness.density import N_CELLS
from boxlens.studies.robustness.error_growth import error_growth
from boxlens.studies.robustness.steps import step_words, worst_of_transforms
from report.drawn import plan_of, records, svg_of, texts, whole_svg, words
from report.robustness_results import (
    ROBUSTNESS_WORLDS,
    a_few,
    everything,
    one_severity,
    one_step,
    planned,
    robustness_of,
    undefined,
    with_bound,
)

N_FIGURES = 6


def chart(name, result):
    figures = plan_of(result).figures
    return next(one for one in figures if one.name == f"robustness_{name}").draw()


def test_every_figure_is_drawn_and_nothing_undefined_written():
    plan = plan_of(a_few())
    assert not plan.left_out
    for figure in plan.figures:
        Root.validate(chart_json(figure.draw()))
        whole_svg(figure, 760, 900)


@pytest.mark.parametrize("world", ["one step", "one severity", "one level"])
def test_small_results_have_the_figures_they_can_have(world):
    result = ROBUSTNESS_WORLDS[world]()
    plan = plan_of(result)
    assert len(plan.figures) >= 3
    # What was not run is not spoken of.
    run = {"one step": "study", "one severity": "corruptions", "one level": "graded"}
    about = {one.section for one in (*plan.figures, *plan.left_out)}
    assert about & set(run.values()) == {run[world]}
    for figure in plan.figures:
        # Maps are the same in all worlds, and slow.
        if figure.name != "robustness_density":
            assert "NaN" not in words(svg_of(figure.draw())), figure.name


def test_without_a_score_every_figure_says_so():
    plan = plan_of(undefined())
    assert not plan.figures
    assert len(plan.left_out) == N_FIGURES + len(undefined().detectors)
    assert {one.why for one in plan.left_out} == {
        "no change has a score",
        "AP of every class is 0 or undefined",
    }


def test_as_many_detectors_are_drawn_as_there_are_colours():
    assert len(MANY_SERIES) == MOST_DETECTORS
    names = [f"net {at}" for at in range(10)]
    one = robustness_of(planned(["fog:3"]))
    same = tuple(replace(one.detectors[0], name=name) for name in names)
    result = replace(one, detectors=same)
    drawn = chart("curves", result)
    assert {row["series"] for row in records(drawn, "high")} == set(names[:8])
    assert "The first 8 of 10 detectors." in words(svg_of(drawn))
    assert "The first 3 of 10 detectors." in words(svg_of(chart("errors", result)))


def test_curves_start_at_the_unchanged_pictures_and_hold_every_severity():
    result = a_few()
    rows = records(chart("curves", result), "high")
    n_corruptions, n_severities = 2, 2
    assert len(rows) == len(result.detectors) * n_corruptions * (n_severities + 1)
    assert {row["y"] for row in rows if row["x"] == 0} == {1.0}
    fog = [one for one in result.detectors[0].steps if one.step.name == "fog"]
    known = {row["y"] for row in rows if row["series"] == "yolox_nano"}
    assert {one.relative["AP"] for one in fog} <= known


def test_the_band_of_a_curve_is_the_interval_of_its_drop():
    result = a_few()
    detector = result.detectors[0]
    one = next(one for one in detector.steps if one.step.slug == "fog-3")
    row = next(
        row for row in records(chart("curves", result), "high") if row["y"] == one.relative["AP"]
    )
    clean, around = detector.clean.metrics["AP"], one.drop.interval
    assert row["low"] == max(0, 1 - around.high / clean)
    assert row["high"] == 1 - around.low / clean
    assert row["low"] <= row["y"] <= row["high"]


def test_bars_are_the_scores_of_the_study_beside_the_unchanged_ones():
    result = everything()
    rows = records(chart("study", result), "clean")
    assert len(rows) == 2 * 10 * len(result.detectors)
    crop = next(one for one in result.detectors[1].steps if one.step.name == "crop")
    mine = [row for row in rows if (row["row"], row["series"]) == ("crop", "fastestdet")]
    assert [row["value"] for row in mine] == [crop.metrics["AP"], crop.metrics["AP50"]]
    clean = result.detectors[1].clean.metrics
    assert [row["clean"] for row in mine] == [clean["AP"], clean["AP50"]]


def test_groups_are_means_under_corruption():
    result = everything()
    rows = records(chart("groups", result), "clean")
    means = [one for of in result.detectors for one in of.corrupted]
    assert {row["value"] for row in rows} == {
        value for one in means for value in (one.ap, one.relative)
    }
    few = records(chart("groups", a_few()), "clean")
    assert {row["row"] for row in few} == {"all"}


def test_graded_changes_have_a_panel_each_and_levels_in_their_own_units():
    result = robustness_of(planned(["graded_scale:0.5:2", "graded_jpeg:5:20"]))
    read = texts(svg_of(chart("graded", result)))
    assert {"Scale", "JPEG compression", "scale, log2", "0.5", "2", "quality"} <= set(read)


def test_rotations_are_drawn_against_their_crop_unturned():
    result = robustness_of(planned(["graded_rotation:-20:0:20", "graded_blur:8"]))
    detector = result.detectors[0]
    crop = next(one for one in detector.steps if one.step.level == 0)
    rules = [row for row in records(chart("graded", result), "tip") if "pictures" in row["tip"]]
    mine = [row for row in rules if row["tip"]["detector"] == "yolox_nano"]
    told = {row["tip"]["pictures"]: row["y"] for row in mine}
    clean = detector.clean.metrics["AP"]
    assert told == {"Rotation, 0 deg": crop.metrics["AP"], "Unchanged": clean}
    grown = next(one for one in error_growth(detector) if one.name == "graded_rotation")
    turned = [one.error_growth[grown.kind] for one in detector.steps if abs(one.step.level) == 20]
    assert grown.gain == pytest.approx(np.mean(turned))
    mean_gain = np.mean(
        [one.error_gain[grown.kind] for one in detector.steps if abs(one.step.level) == 20]
    )
    assert grown.gain == pytest.approx(mean_gain - crop.error_gain[grown.kind])
    for name in ("graded", "errors"):
        assert "same crop unrotated" in words(svg_of(chart(name, result)))
    before = records(chart("classes", result), "before")
    assert set(crop.by_class) <= {row["before"] for row in before}


def test_growth_of_errors_is_the_mean_over_levels_minus_the_unchanged_pictures():
    detector = everything().detectors[0]
    fog = [one for one in detector.steps if one.step.name == "fog"]
    grown = next(one for one in error_growth(detector) if (one.name, one.kind) == ("fog", "miss"))
    expected = np.mean([one.error_gain["miss"] for one in fog]) - detector.clean.error_gain["miss"]
    assert grown.gain == pytest.approx(expected)
    assert grown.n_levels == 5
    rows = records(chart("errors", everything()), "level")
    # Pictures of one object each: six transforms without a cell for background.
    assert len(rows) == 2 * (6 * (10 + 6 + 15) - 6)
    bare = {row["row"] for row in rows} - {row["row"] for row in rows if row["column"] == "bkg"}
    assert bare == {name for name, one in TRANSFORMS.items() if one.per_object}
    assert max(abs(row["level"]) for row in rows) == 1
    # What would be 0.00 is no number.
    more = "errors per object, more than before"
    small = [row["text"] for row in rows if abs(float(row["tip"][more])) < 0.005]
    assert set(small) == {""}
    assert {"", "0.00", "+0.00", "-0.00"} & {row["text"] for row in rows} == {""}


def test_maps_show_at_most_six_sets_and_each_transform_once():
    titles = [title for title, _ in density_columns(everything())]
    assert len(titles) == 6
    assert titles[0] == ("Unchanged",)
    assert len({title[0] for title in titles}) == 6
    result = one_severity()
    rows = records(chart("density", result), "level")
    assert len(rows) == 2 * 3 * 16 * 16
    drawn = [coarser(one) for _, maps in density_columns(result) for one in maps]
    levels = np.log10(1 + np.concatenate(drawn)).ravel()
    assert sorted(row["level"] for row in rows) == pytest.approx(np.sort(levels), abs=1e-4)


def test_coarser_maps_keep_what_lies_over_the_whole():
    density = np.random.default_rng(3).poisson(4, (N_CELLS, N_CELLS)).astype(float)
    coarse = coarser(density)
    assert coarse.shape == (16, 16)
    assert coarse[0, 1] == density[:2, 2:4].mean()
    assert coarse.mean() == pytest.approx(density.mean())
    assert np.array_equal(coarser(np.ones((N_CELLS, N_CELLS))), np.ones((16, 16)))


def test_the_share_moved_does_not_depend_on_how_many_boxes_there_are():
    first, second = np.array([[1.0, 0.0]]), np.array([[0.0, 5.0]])
    assert share_moved(first, 7 * first) == 0
    assert share_moved(first, second) == 1
    assert share_moved(first, 0 * first) == 1
    assert share_moved(0 * first, 0 * first) == 0


def test_classes_are_ranked_by_their_score_and_of_many_those_that_lose_most_are_kept():
    detector = everything().detectors[0]
    rows = shown_classes(detector, detector.steps[:1])
    assert len(rows) == 80
    scores = [detector.clean.by_class[row] for row in rows]
    assert scores == sorted(scores, reverse=True)
    many = 3
    wide = replace(
        detector,
        clean=replace(detector.clean, by_class=detector.clean.by_class * many),
        steps=tuple(replace(one, by_class=one.by_class * many) for one in detector.steps),
    )
    kept = shown_classes(wide, wide.steps[:1])
    lost = [wide.clean.by_class[row] - wide.steps[0].by_class[row] for row in range(80 * many)]
    assert len(kept) == 80
    assert min(lost[row] for row in kept) >= np.sort(lost)[-80]


def test_classes_of_which_nothing_is_ever_found_are_left_out_and_told():
    result = a_few()
    detector = result.detectors[0]

    def without_bus(one):
        return replace(one, by_class=(one.by_class[0], 0.0, one.by_class[2]))

    poor = replace(
        detector, clean=without_bus(detector.clean), steps=tuple(map(without_bus, detector.steps))
    )
    drawn = chart("classes", replace(result, detectors=(poor, *result.detectors[1:])))
    assert {row["tip"]["class"] for row in records(drawn, "before")} == {"person", "dog"}
    assert "Not shown: 1 class with AP 0 in all panels" in words(svg_of(drawn))


def test_the_bound_of_recognition_is_a_line_above_the_classes():
    result = with_bound(a_few(), (0.9, math.nan, 0.7))
    drawn = chart("classes", result)
    rows = records(drawn, "uap")
    assert {(row["tip"]["class"], row["uap"]) for row in rows} == {
        *(("person", 0.9), ("bus", None), ("dog", 0.7))
    }
    assert "UAP, what region reaches" in words(svg_of(drawn))
    plain = chart("classes", a_few())
    assert "UAP" not in words(svg_of(plain))


def test_names_of_any_signs_are_kept_and_one_detector_has_no_key():
    svg = svg_of(chart("errors", one_step()))
    assert "alert" in words(svg)
    spec = chart_json(chart("curves", one_severity()))
    assert [row for rows in spec["datasets"].values() for row in rows if "end" in row]


def test_the_worst_of_a_transform_is_the_level_that_costs_most():
    detector = everything().detectors[0]
    worst = worst_of_transforms(detector, detector.steps)
    assert len({one.step.name for one in worst}) == len(worst) == 10 + 6 + 15
    lost = [detector.reference_of(one).metrics["AP"] - one.metrics["AP"] for one in worst]
    assert lost == sorted(lost, reverse=True)
    assert worst[0].metrics["AP"] == min(one.metrics["AP"] for one in detector.steps)


def test_levels_are_told_in_words_that_tell_corruptions_from_graded_changes():
    told = {one.step.slug: step_words(one) for one in everything().detectors[0].steps}
    assert told["jpeg_compression-5"] == "JPEG compression, severity 5"
    assert told["graded_jpeg-5"] == "JPEG compression, quality 5"
    assert told["graded_blur-8"] == "Blur, 8 px"
    assert told["crop"] == "Crop"
