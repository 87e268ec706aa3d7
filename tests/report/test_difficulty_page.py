"""What an analysis of difficulty leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from urllib.parse import parse_qsl

import polars as pl
import pytest

from boxlens.app.opening.run import open_run
from boxlens.app.selecting.query import parse_query
from boxlens.app.selecting.selection import select
from boxlens.studies.difficulty import difficulty
from boxlens.studies.difficulty.matched_subset import matched_subset
from boxlens.studies.difficulty.measures import MEASURE_NAMES, measure_text
from report.difficulty_results import NASTY_CLASSES, WORLDS, everything, nasty
from report.drawn import page_without_figures, plan_of
from report.test_page import Reader
from studies.diagnosis.worlds import demo_dataset, demo_detections

TABLES = {
    "classes",
    "datasets",
    "systems_classes",
    "levels",
    "level_classes",
    "nodes",
    "correlations",
    "cumulative",
    "properties",
    "subsets",
}


@pytest.fixture
def written(written_verb):
    return written_verb("difficulty")


@pytest.fixture
def page(written):
    return (written[0] / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def tables(written):
    return {path.stem: pl.read_parquet(path) for path in (written[0] / "tables").glob("*.parquet")}


def test_figures_are_pictures_in_the_formats_asked_for(tmp_path):
    told = WORLDS["alone"]().save(tmp_path)
    assert told == f"{tmp_path}/: report.html, results.json, 2 tables, 2 figures (svg)"
    planned = {f"{one.name}.svg" for one in plan_of(WORLDS["alone"]()).figures}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == planned


@pytest.mark.parametrize("world", [name for name in WORLDS if name != "many classes"])
def test_what_was_not_asked_for_has_no_table_and_the_page_says_so(world):
    result = WORLDS[world]()
    shown = " ".join(Reader(page_without_figures(result)).text)
    assert "not shown" in shown or world in ("everything", "nasty")
    found = result.tables()
    assert {"classes", "datasets"} <= found.keys() <= TABLES
    assert (found.keys() == TABLES) == (world in ("everything", "nasty"))
    assert all(len(frame) for frame in found.values())


def test_without_detections_there_is_nothing_for_the_app(written):
    assert not (written[0] / "run.json").exists()


def test_data_sets_stand_side_by_side_with_what_was_published(page):
    shown = " ".join(Reader(page).text)
    for text in ("ILSVRC (published)", "PASCAL VOC 2012 (published)", "3.5900", "5.9000", "0.2080"):
        assert text in shown
    for one in everything().datasets:
        assert f"{one.n_objects:,}" in shown
        for measure in MEASURE_NAMES:
            assert measure_text(one.means[measure]) in shown
            for value in one.quartiles(measure):
                assert measure_text(value) in shown


def test_every_class_of_every_data_set_is_in_a_table(page):
    result = everything()
    shown = page.split('aria-label="Every class"')[1].split("</table>")[0]
    assert shown.count('<th scope="row">class 3</th>') == len(result.datasets)
    assert shown.count('<th scope="row">class 79</th>') == 1


def test_clutter_of_some_images_is_marked_wherever_it_is_read():
    result = everything()
    assert "were searched" not in page_without_figures(result)
    first = result.datasets[0]
    classes = tuple(replace(one, n_images_searched=one.n_images // 7) for one in first.classes)
    windows = replace(first.windows, n_images=777, made_by="edge-boxes, 1 px")
    partly = replace(first, classes=classes, windows=windows)
    page = page_without_figures(replace(result, datasets=(partly, *result.datasets[1:])))
    shown = " ".join(Reader(page).text)
    assert "in 777 of 5,000 images; the table of classes says" in shown
    assert "(edge-boxes, 1 px)" in shown
    assert page.count('<button type="button">images searched</button>') == 1
    table = page.split('aria-label="Every class"')[1]
    row = table[table.index('<th scope="row">class 3</th>') :].split("</tr>")[0]
    assert f">{classes[3].n_images_searched:,}</td>" in row


def test_one_of_a_kind_is_not_called_many():
    shown = " ".join(Reader(page_without_figures(WORLDS["one class"]())).text)
    assert " objects, 1 class " in shown


def test_a_target_out_of_reach_is_told_in_the_table(tables):
    whole, none = (
        matched_subset(everything().datasets[0], "cpl", 0.9),
        matched_subset(everything().datasets[0], "cpl", -1.0),
    )
    shown = page_without_figures(replace(everything(), subsets=(whole, none)))
    assert "no, all together are still harder" in shown
    assert "no class is" in shown
    assert tables["subsets"].filter(measure="cpl")["reached"].all()
    assert not tables["subsets"].filter(measure="clutter")["reached"].any()


def test_chosen_classes_are_named_the_hardest_first(page):
    row = r'<td>(class \d+)</td><td class="number"[^>]*>[^<]*</td><td>yes</td>'
    chosen = [name for one in everything().subsets for name in one.classes]
    assert re.findall(row, page) == chosen


def test_names_from_outside_are_text():
    page = page_without_figures(nasty())
    assert "<script>alert" not in page
    assert "<b>set" not in page
    for name in NASTY_CLASSES[:4]:
        assert escape(name) in page


def test_tables_hold_what_the_results_hold(tables):
    result = everything()
    stored = result.to_json()["results"]
    assert tables.keys() == TABLES
    first = tables["classes"].filter(dataset="coco_val2017")
    for key in ("class", "n_images", "n_objects", *MEASURE_NAMES, "n_images_searched"):
        assert first[key].to_list() == [row[key] for row in stored["classes"]], key
    for key in ("system", "score", "measure", "n_classes", "pearson", "spearman", "slope"):
        column = tables["correlations"][key].to_list()
        assert column == [row[key] for row in stored["correlations"]], key
    for at, one in enumerate(result.datasets):
        row = tables["datasets"].row(at, named=True)
        assert row["cpl"] == one.means["cpl"]
        assert row["n_classes_cpl"] == one.n_defined["cpl"]
        assert row["windows"] == "edge_boxes"
    ap = tables["systems_classes"].filter(system="fastestdet")["ap"]
    assert ap.to_list() == [row["ap"] for row in stored["systems"][1]["classes"]]
    together = tables["systems_classes"].filter(of="together")
    assert together["cls"].to_list() == [row["cls"] for row in stored["upper_bound"]["classes"]]


def test_levels_nodes_curves_and_groups_are_whole(tables):
    result = everything()
    assert tables["levels"]["ap"].to_list() == [one.scores["ap"] for one in result.levels]
    n_classes = len(result.datasets[0].classes)
    assert len(tables["level_classes"]) == len(result.levels) * n_classes
    one = result.levels[3]
    of_it = tables["level_classes"].filter(system=one.system, level=one.level)
    assert of_it["cls"].to_list()[:-1] == one.class_scores["cls"].tolist()[:-1]
    assert of_it["cls"].to_list()[-1] is None
    assert tables["nodes"]["exact_ap"].to_list() == [one.exact_scores["ap"] for one in result.nodes]
    assert len(tables["cumulative"]) == sum(len(one.x) for one in result.cumulative)
    nested = sum(len(one.x) for one in result.cumulative if one.within_value == "natural")
    assert len(tables["cumulative"].filter(within_value="natural")) == nested > 0
    assert len(tables["properties"]) == sum(len(one.groups) for one in result.properties)


def test_subsets_tell_every_step_and_who_was_chosen(tables):
    one = everything().subsets[0]
    of_it = tables["subsets"].filter(measure="cpl")
    assert of_it["mean"].to_list() == one.means.tolist()
    assert of_it["k"].to_list() == list(range(1, len(one.means) + 1))
    assert of_it.filter(pl.col("chosen"))["class"].to_list() == list(one.classes)


def test_with_detections_the_app_opens_it_and_marks_lead_to_their_classes(tmp_path):
    dataset, tables = demo_dataset(), [demo_detections("window"), demo_detections("region")]
    result = difficulty(dataset, tables)
    told = result.save(tmp_path, figures="none", threads=1)
    assert (tmp_path / "run.json").exists()
    run = open_run(tmp_path)
    assert run.detector_names == ("window", "region")
    assert run.about["verb"] == "difficulty"
    assert run.about["verdict"]["lead"] == result.sentences[0]
    n_files = len(list((tmp_path / "tables").glob("*.parquet")))
    assert f"{n_files} tables" in told
    drawn = json.loads((tmp_path / "figures" / "figures.json").read_text(encoding="utf-8"))
    (spec,) = [one["spec"] for one in drawn if one["name"] == "ap_by_measure"]
    marks = [row for rows in spec["datasets"].values() for row in rows if "select" in row]
    assert {row["tip"]["class"] for row in marks} <= set(dataset.classes.name)
    names = dataset.classes.name
    for row in marks[:8]:
        found = select(run, parse_query([*parse_qsl(row["select"]), ("detector", "0")], run))
        of_class = dataset.gt.class_row == names.index(row["tip"]["class"])
        assert found.n_rows == of_class.sum()


def test_a_later_run_without_detections_takes_the_app_away(tmp_path):
    dataset, tables = demo_dataset(), [demo_detections("window")]
    difficulty(dataset, tables).save(tmp_path, figures="none")
    drawn = json.loads((tmp_path / "figures" / "figures.json").read_text(encoding="utf-8"))
    assert {one["detector"] for one in drawn} == {"window"}
    assert (tmp_path / "run.json").exists()
    WORLDS["alone"]().save(tmp_path, figures="none")
    assert not (tmp_path / "run.json").exists()


@pytest.mark.parametrize("world", ["alone", "three sets", "everything", "nothing", "nasty"])
def test_a_notebook_shows_the_means_and_the_main_figure(world):
    result = WORLDS[world]()
    html = result._repr_html_()
    assert "<script" not in html
    assert escape(f"{result.datasets[0].n_objects:,} objects") in html
    assert ("<img " in html) == (world != "nothing")
    assert len(html) < 120_000


def test_a_notebook_gets_every_figure():
    charts = WORLDS["three sets"]().figures()
    assert list(charts) == ["measures", "subsets", "classes_by_cpl", "classes_by_clutter"]
