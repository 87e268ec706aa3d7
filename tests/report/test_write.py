"""What a run leaves behind is whole, agrees with the result, and spares what else is there."""

from __future__ import annotations

import json
import os
import shutil
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from boxlens.errors import InputError, ParameterError
from boxlens.report.charts.export import figure_formats
from boxlens.report.writing.run_tables import run_tables
from boxlens.studies.diagnosis import diagnose
from boxlens.studies.diagnosis.crosswalk import SCHEMES
from planted_worlds import world_of
from report.test_page import Reader, figures_of
from report.toy_diagnosis import errors_on, toy_diagnosis
from small_world import small_dataset, small_detections

NO_DETECTIONS = {"image_row": [], "class_row": [], "box": [], "score": []}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "deep" / "out"
    told = toy_diagnosis().save(folder)
    return folder, told


def test_figures_are_pictures_in_the_formats_asked_for(written):
    planned = {f"{figure.name}.svg" for figure in figures_of(toy_diagnosis()).figures}
    files = list((written[0] / "figures").glob("*.svg"))
    assert {path.name for path in files} == planned
    others = {path.name for path in (written[0] / "figures").iterdir()} - planned
    assert others == {"figures.json"}
    for path in files:
        assert ET.fromstring(path.read_text()).tag.endswith("svg")


@pytest.fixture(scope="module")
def in_all_formats(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    return folder, write_toys(folder, figures="svg,pdf,png")


def test_all_formats_are_written(in_all_formats):
    folder, told = in_all_formats
    stems = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert f"{len(stems)} figures (svg, pdf, png)" in told
    for stem in stems:
        assert (folder / "figures" / f"{stem}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / "figures" / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    stored = json.loads((folder / "results.json").read_text())
    assert stored == json.loads(json.dumps(toy_diagnosis().sensitivity.to_json()))
    assert stored["schema"] == "boxlens/sensitivity/1"
    assert stored["results"].keys() == {"detector", "n_detections", "sensitivity", "misses"}


def test_files_of_figures_are_linked_where_they_were_written(in_all_formats):
    folder, _ = in_all_formats
    reader = Reader((folder / "report.html").read_text())
    links = [a["href"] for tag, a in reader.tags if tag == "a" and "download" in a]
    assert {link.rpartition(".")[2] for link in links} == {"svg", "pdf", "png"}
    assert all((folder / link).is_file() for link in links)


def test_a_document_has_the_shape_of_a_diagnosis():
    result = toy_diagnosis()
    own = result.sensitivity.to_json()
    other = result.to_json()
    assert own.keys() == other.keys()
    assert own["dataset"] == other["dataset"]
    for part in ("sensitivity", "misses"):
        assert own["results"][part] == other["results"][part]


def test_tables_agree_with_the_counts(written):
    result = toy_diagnosis()
    tables = {
        path.stem: pl.read_parquet(path) for path in (written[0] / "tables").glob("*.parquet")
    }
    counts = result.crosswalk.counts()
    detections, objects = tables["detections"], tables["objects"]
    assert len(detections) == len(result.detections)
    assert len(objects) == len(result.dataset.gt)
    for scheme in SCHEMES:
        found = dict(detections[scheme].value_counts().iter_rows())
        assert found == {k: n for k, n in counts[scheme]["detections"].items() if n}
        assert dict(objects[scheme].value_counts().iter_rows()) == {
            k: n for k, n in counts[scheme]["objects"].items() if n
        }
    assert objects["undetected"].sum() == result.sensitivity.misses.n_missed
    assert tables["classes"]["class"].to_list() == list(result.dataset.classes.name)
    assert tables["classes"]["tide_n_miss"].sum() == result.tide.n["miss"]
    assert tables["classes"]["n_undetected"].sum() == result.sensitivity.misses.n_missed
    assert tables["classes"]["tide_AP"].to_list() == [row.ap for row in result.tide.classes]
    assert tables["characteristics"]["n_undetected"].sum() > 0
    walks = tables["crosswalk"].group_by("of", "first", "second").agg(pl.col("n").sum())
    for matrix in result.crosswalk.disagreements:
        one = walks.filter(of=matrix.what, first=matrix.first, second=matrix.second)
        assert one["n"].item() == matrix.counts.sum()
    assert len(tables["orders"]) == 4 + 6 + 4


def test_a_wrong_detection_is_told_with_its_object():
    result = toy_diagnosis()
    table = run_tables(result.dataset, [result])["detections"]
    on_nothing = table.filter(pl.col("hoiem") == "bg")
    assert on_nothing["hoiem_object_id"].is_null().all()
    assert on_nothing["hoiem_iou"].is_null().all()
    assert on_nothing["tide_object_id"].is_null().all()
    similar = table.filter(pl.col("hoiem") == "sim")
    assert len(similar) > 0
    assert similar["hoiem_iou"].to_list() == pytest.approx([1.0] * len(similar))
    assert (similar["hoiem_object_class"].cast(str) != similar["class"].cast(str)).all()
    of_tide = table.filter(pl.col("tide").is_in(["cls", "loc"]))
    assert len(of_tide) > 0
    assert of_tide["tide_object_id"].is_not_null().all()
    targets = result.dataset.gt.id[result.tide.types.target[of_tide["det_row"].to_numpy()]]
    assert of_tide["tide_object_id"].to_list() == targets.tolist()


def test_ranks_are_places_by_score_within_a_class():
    result = toy_diagnosis()
    table = run_tables(result.dataset, [result])["detections"]
    detections = result.detections
    for det_row, rank in table.select("det_row", "rank").iter_rows():
        of_class = detections.class_row == detections.class_row[det_row]
        before = detections.score > detections.score[det_row]
        before |= (detections.score == detections.score[det_row]) & (
            np.arange(len(detections)) < det_row
        )
        assert rank == 1 + (of_class & before).sum()


def test_tables_hold_what_has_no_objects_text_ids_or_flags():
    dataset = small_dataset(text_ids=True, rich=True)
    result = diagnose(dataset, small_detections())
    tables = result.tables()
    objects = run_tables(dataset, [result])["objects"]
    assert objects["image_id"].to_list() == ["a01", "a01", "a02", "a02"]
    ignored = objects["crowd"] | objects["difficult"] | objects["group_of"]
    assert objects["undetected"].is_null().to_list() == ignored.to_list()
    assert objects["P_N"].is_null().to_list() == ignored.to_list()
    assert tables["classes"]["hoiem_AP"].is_null().to_list() == [False, True, True]


@pytest.mark.parametrize("boxes", [[], [[10, 10, 50, 50]]])
def test_nothing_found_or_nothing_there_is_said_and_not_drawn(boxes, tmp_path):
    dataset = world_of(boxes)
    detections = type(small_detections()).of("silent", 1, **NO_DETECTIONS)
    result = diagnose(dataset, detections, similar=())
    result.save(tmp_path, figures="none")
    page = (tmp_path / "report.html").read_text()
    assert "not shown" in page
    left_out = {one.title: one.why for one in figures_of(result).left_out}
    why = left_out["How errors change along the ranking" if boxes else "What goes wrong"]
    assert why == ("there are no detections" if boxes else why)
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["figures.json"]
    for path in (tmp_path / "tables").glob("*.parquet"):
        pl.read_parquet(path)


def write_toys(folder, **choice):
    return toy_diagnosis().sensitivity.save(folder, **{"figures": "none", **choice})


def test_a_second_run_leaves_nothing_of_the_first_but_what_is_not_its_own(written, tmp_path):
    shutil.copytree(written[0], tmp_path, dirs_exist_ok=True)
    assert (tmp_path / "figures" / "waterfall.svg").exists()
    assert (tmp_path / "tables" / "crosswalk.parquet").exists()
    (tmp_path / "mine.txt").write_text("keep")
    (tmp_path / "tables" / "other.parquet").write_text("keep")
    write_toys(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "keep"
    assert (tmp_path / "tables" / "other.parquet").read_text() == "keep"
    assert not (tmp_path / "tables" / "crosswalk.parquet").exists()
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["figures.json"]
    stored = json.loads((tmp_path / "results.json").read_text())
    assert stored["schema"] == "boxlens/sensitivity/1"
    assert [path.name for path in tmp_path.rglob(".*")] == [".boxlens"]


def test_a_folder_of_other_things_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "holiday.jpg").write_text("picture")
    with pytest.raises(InputError, match="Name an empty or a new folder"):
        write_toys(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_list_that_points_elsewhere_removes_nothing_there(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("keep")
    folder = tmp_path / "out"
    (folder / "figures").mkdir(parents=True)
    (folder / ".boxlens").write_text(f"../outside.txt\n{outside}\nfigures\n\ngone.txt\n")
    write_toys(folder)
    assert outside.read_text() == "keep"
    assert (folder / "report.html").exists()


def test_a_run_that_was_stopped_can_be_run_again(tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_toys(tmp_path, progress=stop)
    assert not (tmp_path / "report.html").exists()
    write_toys(tmp_path)
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("in_the_way", ["out", "out/figures", "out/tables"])
def test_a_file_in_the_way_is_named(in_the_way, tmp_path):
    path = tmp_path / in_the_way
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    with pytest.raises(InputError, match=r"found a file.*Name another folder"):
        toy_diagnosis().save(tmp_path / "out", figures="none")


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written.*Choose another place"):
        toy_diagnosis().save(tmp_path / "file" / "out", figures="none")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every folder is open to root")
def test_a_closed_folder_is_an_error_with_a_remedy(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        toy_diagnosis().save(tmp_path / "out", figures="none")


def test_progress_is_told_for_every_figure(tmp_path):
    told = []
    write_toys(tmp_path, progress=lambda *values: told.append(values))
    total = told[0][2]
    assert told == [("drawing figures", done, total) for done in range(total)]


def test_formats_are_read_or_refused():
    assert figure_formats("none") == ()
    assert figure_formats("png, SVG") == ("svg", "png")


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ParameterError, match="svg, pdf, png or none, got 'gif'"):
        write_toys(tmp_path / "out", figures="svg,gif")
    assert not list(tmp_path.iterdir())


def test_errors_on_toys_are_of_every_kind():
    assert all(toy_diagnosis().hoiem.sets[0].top_fp[kind] for kind in ("loc", "sim", "oth"))
    assert len(errors_on(toy_diagnosis().dataset)) == len(toy_diagnosis().detections)
