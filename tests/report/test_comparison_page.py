"""What a comparison leaves behind: the page, its examples, the tables and results.json agree."""

from __future__ import annotations

import json
from html import escape

import numpy as np
import polars as pl
import pytest
from PIL import Image

from boxlens.matching import COCO
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.charts.colours import FIRST, SECOND
from boxlens.report.described import describe
from boxlens.report.described.examples import fit_pictures
from boxlens.report.pictures.comparison_exhibits import comparison_groups
from boxlens.report.pictures.exhibits import OBJECT_COLOUR
from boxlens.report.pictures.gallery import WHOLE_PX, crop_examples
from boxlens.report.readers.page import study_page
from boxlens.report.writing.run_tables import compared_images
from boxlens.studies.comparison import ComparisonChoice, compare_tables
from report.test_page import Reader
from studies.comparison.compared import NASTY, compared


def page_without_figures(world, gallery=None):
    result = compared(world)
    study = describe(result, pictures=gallery and fit_pictures(gallery))
    return study_page(study, result.to_json())


@pytest.fixture
def written(written_verb):
    return written_verb("compare")


@pytest.fixture
def pictures(written):
    return written[0].parent / "pictures"


@pytest.fixture
def page(written):
    return (written[0] / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def tables(written):
    return {path.stem: pl.read_parquet(path) for path in (written[0] / "tables").glob("*.parquet")}


@pytest.fixture
def stored(written):
    return json.loads((written[0] / "results.json").read_text())


def test_every_figure_and_sheet_is_a_file(written):
    folder, _ = written
    planned = {f"{name}.svg" for name in compared("alike").figures()}
    sheets = {f"gallery_{group.name}.jpg" for group in comparison_groups(compared("alike"))}
    files = {path.name for path in (folder / "figures").iterdir()}
    assert files == planned | sheets | {"figures.json"}


def test_names_from_outside_are_text():
    page = page_without_figures("nasty")
    assert "<script>alert" not in page
    assert all(escape(name) in page for name in NASTY)


def test_pairs_and_classes_hold_what_the_results_hold(tables, stored):
    for name in ("pairs", "classes"):
        rows = stored["results"][name]
        for key in set(rows[0]) - {"ci"}:
            assert tables[name][key].to_list() == [row[key] for row in rows], key
        assert tables[name]["low"].to_list() == [row["ci"][0] for row in rows]
        assert tables[name]["high"].to_list() == [row["ci"][1] for row in rows]


def test_detectors_hold_every_number_as_a_whole_and_by_class(tables, stored):
    for one in stored["results"]["detectors"]:
        of_it = tables["detectors"].filter(pl.col("detector") == one["name"])
        whole = of_it.filter(pl.col("class").is_null())
        assert whole["metric"].to_list() == list(one["metrics"])
        assert whole["value"].to_list() == [row["value"] for row in one["metrics"].values()]
        assert whole["low"].to_list() == [row["ci"][0] for row in one["metrics"].values()]
        assert whole["min_score"].unique().to_list() == [one["min_score"]]
        by_class = of_it.filter(pl.col("class").is_not_null(), pl.col("metric") == "AP")
        expected = [row["metrics"]["AP"]["value"] for row in one["classes"]]
        assert by_class["value"].to_list() == expected


def test_curves_hold_every_step(tables, stored):
    (one,) = stored["results"]["discriminative"]
    curve = tables["p_curves"]
    assert curve["t"].to_list() == [step["t"] for step in one["p_curve"]]
    assert curve["p"].to_list() == [step["p"] for step in one["p_curve"]]
    assert curve["n_kept"].to_list() == [step["n"] for step in one["p_curve"]]
    three = compared("three").tables()["p_curves"]
    together = compared("three").together
    assert three["a"].is_null().sum() == len(together.curve.p)


def test_images_hold_scores_and_their_place_in_the_order_to_annotate(tables, stored):
    result, images = compared("alike"), tables["images"]
    assert images["image_id"].to_list() == result.dataset.images.id.tolist()
    for row, one in enumerate(result.detectors):
        assert images[f"fda_{one.name}"].to_list() == result.image_scores[row].tolist()
    top = images.sort("place").head(100)
    told = stored["results"]["disagreement"]["top"]
    assert top["image_id"].to_list() == [row["image_id"] for row in told]
    assert top["disagreement"].to_list() == [row["share"] for row in told]


def test_images_tell_which_of_them_show_the_difference(tables):
    assert tables["images"]["kept_window_region"].to_list() == [True] * 200, "there is no t0"
    pair = compared("alike").detections
    half = ResamplingChoice(n_replicates=100, level=0.5)
    choice = ComparisonChoice(resampling=half, n_permutations=100)
    result = compare_tables(compared("alike").dataset, pair, choice)
    (one,) = result.discriminative
    kept = compared_images(result)["kept_window_region"]
    assert kept.dtype == pl.Boolean
    apart = np.abs(result.image_scores[0] - result.image_scores[1])
    assert kept.to_list() == (apart >= one.t0).tolist()
    assert kept.sum() == one.n_kept
    assert 0 < one.n_kept < 200
    three = compared_images(compared("three")).columns
    assert [name for name in three if name.startswith("kept_")] == [
        "kept_window_region", "kept_window_window_half", "kept_region_window_half",
    ]  # fmt: skip


def test_strengths_joint_and_gain_hold_what_the_results_hold(tables, stored):
    results = stored["results"]
    cut = tables["strengths"].filter(reading="cut")
    (one,) = results["strengths"]
    groups = [one["overall"], *one["groups"]]
    assert cut["value"].to_list() == [row["value"] for row in groups]
    assert cut["difference"].to_list() == [row["cut"]["difference"] for row in groups]
    assert cut["leader"].to_list() == [row["cut"]["leader"] for row in groups]
    joint = tables["joint"]
    single = [row["AP"] for row in results["joint"]["rankings"]["single"]]
    assert joint.filter(ranking="alone")["AP"].to_list() == single
    best = joint.filter(ranking="best of all")["AP"].item()
    assert best == results["joint"]["rankings"]["joint"]["AP"]
    found = results["joint"]["found"]
    assert tables["found"].filter(of="detector")["n_alone"].to_list() == found["only"]
    assert tables["found"].filter(name="none")["n_found"].item() == found["none"]
    gain = tables["annotation_gain"]
    for goal in results["disagreement"]["gain"]["goals"]:
        for order in goal["orders"]:
            of_it = gain.filter(goal=goal["goal"], order=order["order"])
            assert of_it["share"].to_list() == order["curve"]["share"]


def test_examples_are_the_images_of_the_largest_differences():
    result = compared("alike")
    groups = {group.name: group for group in comparison_groups(result)}
    assert list(groups) == ["first_wins", "second_wins", "both_fail", "disputed"]
    ids = result.dataset.images.id
    gt = result.dataset.gt
    n_objects = np.bincount(gt.image_row[~COCO.ignored(gt)], minlength=len(ids))
    lead = np.where(n_objects > 0, result.image_scores[0] - result.image_scores[1], 0)
    row_of = {image_id: row for row, image_id in enumerate(ids.tolist())}
    shown = [row_of[one.image_id] for one in groups["first_wins"].shown]
    assert lead[shown].tolist() == sorted(lead, reverse=True)[:6]
    shown = [row_of[one.image_id] for one in groups["second_wins"].shown]
    assert lead[shown].tolist() == sorted(lead)[:6]
    top = ids[result.disagreement.order[:6]].tolist()
    assert [one.image_id for one in groups["disputed"].shown] == top


def test_examples_show_objects_and_boxes_above_each_cut():
    result = compared("alike")
    ids = result.dataset.images.id.tolist()
    gt = result.dataset.gt
    for one in comparison_groups(result)[0].shown:
        row = ids.index(one.image_id)
        drawn = [colour for _, colour in one.boxes]
        counted = (gt.image_row == row) & ~COCO.ignored(gt)
        assert drawn.count(OBJECT_COLOUR) == counted.sum()
        for table, cut, colour in zip(
            result.detections, result.min_score, (FIRST, SECOND), strict=True
        ):
            above = (table.image_row == row) & (table.score >= cut)
            assert drawn.count(colour) == above.sum()


def test_detectors_that_agree_have_no_image_to_show_but_failures():
    assert [group.name for group in comparison_groups(compared("same"))] == ["both_fail"]


def test_examples_are_whole_pictures_in_the_page(page, written):
    n_shown = sum(len(group.shown) for group in comparison_groups(compared("alike")))
    assert page.count('src="data:image/jpeg;base64,') == n_shown
    assert 'class="crops whole"' in page
    with Image.open(written[0] / "figures" / "gallery_first_wins.jpg") as sheet:
        assert sheet.width > 2 * WHOLE_PX


def test_missing_pictures_are_counted_and_the_page_says_so(pictures, tmp_path):
    result = compared("alike")
    kinds = comparison_groups(result)
    kept = kinds[0].shown[0].file_name
    (tmp_path / kept).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / kept).write_bytes((pictures / kept).read_bytes())
    gallery = crop_examples(kinds, result.dataset, tmp_path)
    (notice,) = gallery.notices
    assert notice.code == "example_without_picture"
    assert notice.message in page_without_figures("alike", gallery)


def test_without_pictures_the_images_are_named():
    page = page_without_figures("alike")
    assert not [tag for tag, _ in Reader(page).tags if tag == "img"]
    assert "Pictures are shown where they are given (--images)." in page
    for one in comparison_groups(compared("alike"))[0].shown:
        assert one.file_name in page
