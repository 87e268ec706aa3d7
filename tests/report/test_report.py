"""Full report: every question asked once, one page, names and files of detectors apart."""

from __future__ import annotations

import json

import polars as pl
import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.metrics import choose, evaluate_tables
from boxlens.report.described import describe
from boxlens.report.study import file_name
from boxlens.report.writing.write_report import write_report
from boxlens.studies.report import QUESTIONS, ReportChoice, check_questions
from report.report_results import ALIKE, SURE, answered, world
from report.test_page import Reader

VERBS = ("evaluate", "diagnose", "sensitivity", "compare")


@pytest.fixture
def written(written_verb):
    return written_verb("report")


@pytest.fixture
def pictures(written):
    return written[0].parent / "pictures"


@pytest.fixture
def reader(written):
    return Reader((written[0] / "report.html").read_text(encoding="utf-8"))


def test_the_page_has_a_section_per_question_and_a_part_per_detector(reader):
    sections = [a["id"] for tag, a in reader.tags if tag == "section"]
    for name in ("errors", "repairs", "objects", "schemes", "examples", "classes"):
        places = [sections.index(f"{name}{part}") for part in ("", "-window", "-region")]
        assert places == sorted(places)
    ids = [a["id"] for _, a in reader.tags if "id" in a]
    guides = {name for name in ids if name in {f"guide-{verb}" for verb in VERBS}}
    assert len(guides) == len(VERBS)


def test_three_sentences_come_first_and_none_is_lost(reader):
    shown = " ".join(" ".join(reader.text).split())
    first = describe(answered()).sentences
    assert len(first) == 3
    places = [shown.index(" ".join(text.split())) for text in first]
    assert places == sorted(places)
    assert places[-1] < shown.index("The main numbers, and how sure they are")
    told = [*answered().comparison.sentences]
    for one in answered().diagnoses:
        told += [row.sentence for row in one.verdict.findings]
    assert all(" ".join(text.split()) in shown for text in told)


def test_figures_and_tables_of_detectors_have_names_of_their_own(written):
    folder, told = written
    figures = json.loads((folder / "figures" / "figures.json").read_text())
    names = [one["name"] for one in figures]
    assert len(names) == len(set(names))
    of_window = [one["name"] for one in figures if one["detector"] == "window"]
    of_region = [one["name"] for one in figures if one["detector"] == "region"]
    assert "window_tide_errors" in of_window
    assert [name.removeprefix("window_") for name in of_window] == [
        name.removeprefix("region_") for name in of_region
    ]
    assert {"main_numbers", "league"} <= {one["name"] for one in figures if not one["detector"]}
    tables = {path.stem for path in (folder / "tables").iterdir()}
    assert {"scores", "window_classes", "region_classes", "classes", "images"} <= tables
    assert f"{len(tables)} tables" in told
    sheets = {path.name for path in (folder / "figures").glob("gallery_*.jpg")}
    assert {"gallery_window_loc.jpg", "gallery_region_loc.jpg", "gallery_both_fail.jpg"} <= sheets
    run = json.loads((folder / "run.json").read_text())
    assert (run["verb"], run["title"]) == ("report", "window and region on ground_truth")
    assert [one["name"] for one in run["detectors"]] == ["window", "region"]


def test_results_hold_the_documents_of_the_parts(written):
    stored = json.loads((written[0] / "results.json").read_text())
    assert stored["schema"] == "boxlens/report/1"
    assert stored["parameters"]["ask"] == list(QUESTIONS)
    results = stored["results"]
    assert results["evaluate"]["schema"] == "boxlens/evaluate/1"
    assert results["compare"]["schema"] == "boxlens/compare/1"
    assert [one["schema"] for one in results["diagnose"]] == ["boxlens/diagnose/1"] * 2
    assert [one["schema"] for one in results["sensitivity"]] == ["boxlens/sensitivity/1"] * 2
    for one, result in zip(results["diagnose"], answered().diagnoses, strict=True):
        assert one == json.loads(json.dumps(result.to_json()))


def test_scores_are_those_of_evaluate_though_images_are_resampled_once():
    dataset, tables = world()
    alone = evaluate_tables(dataset, tables, choose(intervals=SURE))
    assert answered().evaluation.to_json() == alone.to_json()


def test_pictures_of_all_parts_share_one_limit(pictures, tmp_path):
    of_pictures = answered(ask=("errors", "comparison"))
    of_pictures.save(tmp_path, figures="none", images=pictures, images_mb=0.2)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    sources = [a["src"] for tag, a in Reader(page).tags if tag == "img"]
    assert sources
    assert sum(map(len, sources)) <= 200_000
    assert "more examples are in the contact sheets" in page


def test_one_detector_has_no_comparison_and_no_parts(tmp_path):
    result = answered(("window",))
    assert result.asked == QUESTIONS[:-1]
    result.save(tmp_path, figures="none")
    reader = Reader((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert reader.linked == [
        "summary", "scores", "errors", "repairs", "objects", "schemes", "difficulty", "examples",
        "classes", "method", "provenance",
    ]  # fmt: skip
    figures = json.loads((tmp_path / "figures" / "figures.json").read_text())
    assert "tide_errors" in {one["name"] for one in figures}
    assert describe(result).sentences == result.diagnoses[0].verdict.sentences


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (("scores",), ["summary", "scores", "classes"]),
        (("errors",), ["summary", "errors", "repairs", "schemes", "examples", "classes"]),
        (("sensitivity",), ["summary", "objects", "classes"]),
        (("difficulty",), ["summary", "difficulty"]),
        (("comparison",), ["summary", "comparison", "examples", "classes"]),
        (("scores", "sensitivity"), ["summary", "scores", "objects", "classes"]),
        (("scores", "difficulty"), ["summary", "scores", "difficulty", "classes"]),
    ],
)
def test_only_what_is_asked_is_answered(ask, expected, tmp_path):
    result = answered(ask=ask)
    result.save(tmp_path, figures="none")
    reader = Reader((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert reader.open == []
    assert reader.linked == [*expected, "method", "provenance"]
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    parts = {"scores": "evaluate", "errors": "diagnose", "comparison": "compare"}
    for question, part in parts.items():
        assert (results[part] is not None) == (question in ask)
    # The app needs these whatever was asked.
    assert len(pl.read_parquet(tmp_path / "tables" / "detections.parquet")) > 0
    assert 1 <= len(describe(result).sentences) <= 3


def test_names_from_outside_are_text_and_equal_file_names_are_kept_apart(tmp_path):
    assert len({file_name(name) for name in ALIKE}) == 1
    answered(ALIKE).save(tmp_path, figures="none")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    reader = Reader(page)
    assert reader.open == []
    assert "<script>alert" not in page
    assert all(name in " ".join(reader.text) for name in ALIKE)
    ids = [a["id"] for _, a in reader.tags if "id" in a]
    assert len(ids) == len(set(ids))
    figures = json.loads((tmp_path / "figures" / "figures.json").read_text())
    assert len({one["name"] for one in figures}) == len(figures)
    assert {one["detector"] for one in figures} == {"", *ALIKE}
    n_own = [sum(one["detector"] == name for one in figures) for name in ALIKE]
    assert n_own[0] == n_own[1] > 0


def test_questions_are_known_or_refused():
    assert check_questions(["errors", "scores"]) == ("scores", "errors")
    with pytest.raises(ParameterError, match="sensitivity, difficulty, comparison, got 'colour'"):
        check_questions(["colour"])
    with pytest.raises(ParameterError, match="takes two detectors"):
        ReportChoice(ask=("comparison",)).asked(1)


def test_the_python_verb_writes_and_returns_what_it_found(tmp_path):
    dataset, tables = world()
    result = boxlens.write_report(
        dataset, tables[0], tmp_path, ask=["scores"], figures="none", replicates=100
    )
    assert boxlens.write_report is write_report
    assert repr(result) == "ReportResult(window on ground_truth: scores)"
    assert result.comparison is None
    assert (tmp_path / "report.html").is_file()
    with pytest.raises(ParameterError, match="0 megabytes or more"):
        boxlens.write_report(dataset, tables, tmp_path, images_mb=-1)
