"""What a study of robustness leaves behind: page, tables, pictures and results.json agree."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from boxlens.report.described import describe
from boxlens.report.described.robustness.examples import (
    FALSE,
    LOST,
    StepGalleries,
    class_words,
    example_pictures,
    shown_steps,
)
from boxlens.report.readers.notebook import html_of
from boxlens.report.readers.page import study_page
from boxlens.report.readers.terminal import study_text
from boxlens.studies.robustness.picture_set import StepPictures
from boxlens.studies.robustness.result import METRICS
from report.robustness_results import (
    ROBUSTNESS_WORLDS,
    a_few,
    everything,
    one_severity,
    one_step,
    planned,
    robustness_of,
    with_bound,
)
from report.test_page import Reader
from report.written_verbs import STEP_PICTURES


def page_without_figures(result, galleries=(), megabytes=8.0):
    study = describe(result, pictures=StepGalleries(tuple(galleries), megabytes))
    return study_page(study, result.to_json())


def galleries_of(result, pictures=STEP_PICTURES):
    return example_pictures(replace(result, pictures=pictures), None, 8.0, None).galleries


@pytest.mark.parametrize("world", ROBUSTNESS_WORLDS)
def test_only_what_was_measured_has_a_section(world):
    result = ROBUSTNESS_WORLDS[world]()
    sections = Reader(page_without_figures(result)).linked
    groups = {one.group for one in result.detectors[0].steps}
    assert ("graded" in sections) == ("graded" in groups)
    assert ("corruptions" in sections) == bool(groups - {"study", "graded"})


def test_tables_hold_the_numbers_of_the_result():
    result = everything()
    tables = result.tables()
    detector = result.detectors[1]
    steps = tables["robustness_steps"].filter(detector=detector.name)
    found = (detector.clean, *detector.steps)
    assert steps["name"].to_list() == [one.step.name for one in found]
    for name in METRICS:
        assert steps[name].to_list() == [one.metrics[name] for one in found]
        assert steps[f"relative_{name}"].to_list() == [one.relative[name] for one in found]
    assert steps["drop_low"].to_list()[1:] == [one.drop.interval.low for one in detector.steps]
    assert steps["p_holm"].to_list()[1:] == [one.drop.p_holm for one in detector.steps]
    assert steps["severity"].to_list() == [
        None if math.isnan(one.step.level) else one.step.level for one in found
    ]
    classes = tables["robustness_classes"].filter(detector=detector.name, name="crop")
    crop = next(one for one in detector.steps if one.step.name == "crop")
    assert classes["class"].to_list() == list(result.classes)
    assert classes["AP"].to_list() == list(crop.by_class)
    errors = tables["robustness_errors"].filter(detector=detector.name, name="crop")
    assert dict(zip(errors["error"], errors["dAP"], strict=True)) == dict(crop.error_gain)
    assert dict(zip(errors["error"], errors["dAP_growth"], strict=True)) == crop.error_growth
    assert errors["per_object"].to_list() == list(crop.errors_per_object.values())
    means = tables["robustness_corrupted"].filter(detector=detector.name)
    assert means["AP"].to_list() == [one.ap for one in detector.corrupted]
    assert tables["robustness_sets"]["n_objects_gone"].to_list() == [
        one.n_objects_gone for one in result.sets
    ]
    assert tables["robustness_failed"]["file"].to_list() == ["a.jpg"]


def test_density_tables_have_a_row_a_cell_of_objects_and_of_detections():
    result = a_few()
    cells = result.tables()["robustness_density"]
    assert len(cells) == (len(result.detectors) + 1) * len(result.sets) * 32 * 32
    mine = cells.filter(detector="fastestdet", name="fog", severity=3.0)
    one = next(one for one in result.detectors[1].steps if one.step.slug == "fog-3")
    assert np.array_equal(mine["boxes"].to_numpy().reshape(32, 32), one.density)
    corner = mine.row(33, named=True)
    assert (corner["x_from"], corner["y_from"], corner["y_to"]) == (1 / 32, 1 / 32, 2 / 32)
    objects = cells.filter(pl.col("detector").is_null(), name="fog", severity=1.0)
    known = next(one for one in result.sets if one.step.slug == "fog-1")
    assert objects["boxes"].to_list() == known.density.ravel().tolist()


def test_the_page_says_every_number_of_the_study_and_of_corruptions():
    result = everything()
    shown = " ".join(Reader(page_without_figures(result)).text)
    for one in result.detectors[0].steps:
        if one.group != "graded":
            assert f"{one.metrics['AP']:.3f}" in shown
    for mean in result.detectors[0].corrupted:
        assert f"{mean.ap:.3f}" in shown
    assert "a.jpg crop: net: it cannot be read" in " ".join(shown.split())
    assert "3 crowds are in no picture of one object" in shown


def test_the_bound_is_in_tables_page_and_text():
    result = with_bound(a_few(), (0.912, math.nan, 0.734))
    bounds = result.tables()["robustness_bound"]
    assert bounds["class"].to_list() == list(result.classes)
    assert bounds["UAP"].to_list() == [0.912, None, 0.734]
    shown = " ".join(Reader(page_without_figures(result)).text)
    for text in ("0.912", "0.734", "the classifier region does; over all classes it is 0.800"):
        assert text in shown
    assert "UAP 0.800 (region)" in study_text(describe(result))
    assert "upper bound (UAP), unchanged" in shown
    assert "upper bound (UAP), unchanged" not in page_without_figures(a_few())


def test_the_terminal_counts_no_severity_that_changes_nothing():
    result = robustness_of(planned(["fog:0:2:4"], None))
    table = next(
        one
        for one in study_text(describe(result)).split("\n\n")
        if one.startswith("AP by severity")
    )
    *_, row = (line.split() for line in table.splitlines() if line.startswith("Fog"))
    aps = {one.step.level: one.metrics["AP"] for one in result.detectors[1].steps}
    assert row[-2] == f"{(aps[2.0] + aps[4.0]) / 2:.3f}"


def test_what_rotations_are_compared_with_is_told():
    result = robustness_of(planned(["graded_rotation:0:10"]))
    steps = result.tables()["robustness_steps"]
    assert steps["reference"].to_list()[:3] == ["clean", "clean", "graded_rotation-0"]
    told = "Rotation: relative to Rotation, 0 deg, the same crop"
    assert told in study_text(describe(result))


def test_columns_of_chance_are_there_only_with_intervals():
    assert "p adjusted" in page_without_figures(a_few())
    assert "p adjusted" not in page_without_figures(one_step())


def test_examples_are_of_the_largest_losses_one_level_a_transform():
    detector = everything().detectors[0]
    steps = shown_steps(detector)
    assert len(steps) == 12
    assert len({one.step.name for one in steps}) == 12
    assert min(one.metrics["AP"] for one in detector.steps) == steps[0].metrics["AP"]


def test_unchanged_pictures_stand_beside_changed_ones_and_boxes_are_drawn_in():
    result = one_severity()
    gallery, _ = galleries_of(result)
    assert not gallery.notices
    image = np.asarray(gallery.groups[0].crops[0].image)
    # 60 x 80 pixels, enlarged five times; the other, which is wider, of the same height.
    width = 600
    assert image.shape == (300, width + 6 + 400, 3)
    lost = [int(LOST[at : at + 2], 16) for at in (1, 3, 5)]
    for half in (image[:, :width], image[:, -400:]):
        assert (np.abs(half.astype(int) - lost).max(axis=2) < 30).any()
    example = result.detectors[0].steps[0].examples[0]
    x, y, box_width, box_height = example.lost_clean_box[0] * 5
    inside = image[round(y + box_height / 2), round(x + 20) : round(x + box_width - 20)]
    assert len(np.unique(inside, axis=0)) == 1
    assert len(np.unique(image[:, -400:].reshape(-1, 3), axis=0)) > 3


def test_at_most_five_false_detections_are_drawn():
    result = one_severity()
    detector = result.detectors[0]
    many = replace(
        detector.steps[0].examples[0],
        false_box=np.tile([[4.0, 4.0, 20.0, 20.0]], (7, 1)),
        false_class=("dog",) * 7,
        false_score=np.linspace(0.9, 0.4, 7),
    )
    steps = (replace(detector.steps[0], examples=(many,)),)
    (gallery,) = galleries_of(replace(result, detectors=(replace(detector, steps=steps),)))
    (crop,) = gallery.groups[0].crops
    assert sum(colour == FALSE for _, colour in crop.shown.boxes) == 5
    assert "false, 5 drawn: 7 dog" in crop.shown.caption[1]


def test_pictures_that_cannot_be_read_are_counted_and_told_in_a_table():
    result = one_severity()
    nothing = StepPictures(lambda _step, _row: None, {1: 0})
    galleries = galleries_of(result, nothing)
    assert [one.notices[0].count for one in galleries] == [1, 1]
    page = page_without_figures(result, galleries)
    assert "has no picture that can be read" in page
    assert "Where objects are lost" in page
    assert "scene.png" in page


def test_pictures_beyond_the_budget_are_left_out_and_told():
    result = one_severity()
    page = page_without_figures(result, galleries_of(result), megabytes=0)
    assert "2 more examples are not shown" in page
    assert "data:image/jpeg" not in page


def test_classes_of_an_example_are_counted():
    assert class_words(["dog", "cat", "dog"]) == "2 dog, cat"
    assert class_words("abcdefg") == "a, b, c, d, 3 more"
    assert class_words([]) == "nothing"


def test_a_notebook_shows_the_study_and_the_mean_under_corruption():
    html = html_of(a_few())
    for text in ("most robust of 2 detectors", ">White background<", ">yolox_nano<"):
        assert text in html
    assert ">0.50 x<" in html_of(ROBUSTNESS_WORLDS["one level"]())
