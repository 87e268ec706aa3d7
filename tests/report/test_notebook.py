"""What a notebook shows of a result, and the figures it returns."""

from __future__ import annotations

import base64
import inspect
import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree as ET

import pytest

import boxlens
from boxlens.display import Displayed
from boxlens.report.charts.export import chart_json
from boxlens.report.described import DESCRIBED
from boxlens.wording import change, interval, score
from report.bound_results import bound_of
from report.detection_use_results import tuned
from report.drawn import svg_of, words
from report.proposal_results import one_perturbation
from report.robustness_results import one_severity
from report.toy_diagnosis import NASTY_NAMES, toy_diagnosis
from shared_data import ROOT
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

WITH_FIGURE = (
    "EvaluationResult",
    "DiagnosisResult",
    "SensitivityResult",
    "ComparisonResult",
    "DifficultyResult",
    "ProposalRecallResult",
    "ProposalCorrelationResult",
    "ProposalOracleResult",
    "ProposalTuningResult",
    "RepeatabilityResult",
    "ReconciliationResult",
    "RobustnessResult",
    "UpperBoundResult",
)

SHOWN = {*DESCRIBED} - {"ReportResult"}


@cache
def results() -> dict[str, Displayed]:
    dataset = demo_dataset()
    window, region = (demo_detections(name) for name in ("window", "region"))
    found = (
        boxlens.evaluate(dataset, [window, region]),
        boxlens.diagnose(dataset, window),
        boxlens.sensitivity(dataset, window),
        boxlens.compare(dataset, [window, region], replicates=100, permutations=100),
        boxlens.gate(dataset, window, region, rules=["AP >= baseline - 0.01"], replicates=100),
        boxlens.reconcile(dataset, window),
        boxlens.disagree(dataset, [window, region], min_score=0.2),
        boxlens.difficulty(dataset, [window]),
        boxlens.proposal_recall(dataset, ["uniform", "sliding-window"]),
        boxlens.correlate_recall(dataset, ["uniform", "gaussian", "sliding-window"], raw=window),
        boxlens.proposal_oracles(dataset, window),
        one_perturbation(),
        one_severity(),
        bound_of(["cat", "dog"], {"mine": 0.3}),
        tuned(),
    )
    return {type(one).__name__: one for one in found}


def figure_of(html: str) -> str:
    data = re.search(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]+)"', html)
    return base64.b64decode(data[1]).decode()


def test_every_result_of_the_front_door_is_shown():
    of_verbs = {name for name in boxlens.__all__ if name.endswith("Result")} - {"ReportResult"}
    assert of_verbs == SHOWN == set(results())
    for name in of_verbs:
        assert issubclass(getattr(boxlens, name), Displayed)


def test_the_guide_lists_every_result_that_is_shown_and_what_returns_it():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    listed = re.findall(r"^[|] `(\w+)` [|] `(\w+)`(.*) [|]$", page, re.MULTILINE)
    public = {name: getattr(boxlens, name) for name in boxlens.__all__}
    returns = {
        name: one.__annotations__.get("return")
        for name, one in public.items()
        if inspect.isfunction(one)
    }
    assert {verb: result for verb, result, _ in listed} == {
        verb: result for verb, result in returns.items() if result in SHOWN
    }
    assert {result for _, result, _ in listed} == SHOWN
    assert {result for _, result, note in listed if not note} == set(WITH_FIGURE)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_result_shows_a_table_and_runs_nothing(name):
    html = results()[name]._repr_html_()
    # Well formed, as everything inside is closed or empty.
    ET.fromstring(re.sub(r"(<img [^>]*)>", r"\1/>", html))
    assert "<table" in html
    assert not re.search(r"<script|<style|<link|https?://|\bon\w+=", html)
    # Colours come from the page around it, light or dark; only the figure has its own ground.
    assert "color:" not in html


@pytest.mark.parametrize("name", WITH_FIGURE)
def test_a_result_shows_a_figure_that_is_described(name):
    html = results()[name]._repr_html_()
    svg = figure_of(html)
    assert svg.startswith("<svg")
    assert re.search(r'<img alt="[^"]{20,}"', html)
    # A notebook is kept in version control.
    assert len(html) < 100_000


def test_numbers_of_the_result_are_in_the_table():
    evaluated = results()["EvaluationResult"]
    html = evaluated._repr_html_()
    for one in evaluated.detectors:
        for value in one.metrics.values():
            assert f">{score(value)}<" in html
    diagnosed = results()["DiagnosisResult"]
    html = diagnosed._repr_html_()
    for gain in diagnosed.tide.gain.values():
        assert change(gain) in html


def test_intervals_stand_beside_their_numbers():
    evaluated = boxlens.evaluate(
        demo_dataset(), demo_detections("window"), intervals=True, replicates=100
    )
    one = evaluated.detectors[0]
    low, high = one.intervals["AP"].low, one.intervals["AP"].high
    html = evaluated._repr_html_()
    assert f">{score(one.metrics['AP'])}<" in html
    assert f">{interval(low, high)}<" in html
    assert "how sure they are" in words(figure_of(html))


def test_names_from_files_are_text():
    result = toy_diagnosis(NASTY_NAMES)
    for shown in (result, boxlens.evaluate(result.dataset, result.detections)):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "<script" not in figure_of(html)


@pytest.mark.parametrize("objects", [True, False])
def test_results_of_nothing_are_shown(objects):
    dataset, detections = demo_dataset(), nothing_of(demo_detections("window"))
    if not objects:
        dataset = nothing_of(dataset)
    assert "window on ground_truth" in boxlens.diagnose(dataset, detections)._repr_html_()
    assert "window on ground_truth" in boxlens.evaluate(dataset, detections)._repr_html_()


@pytest.mark.parametrize("name", ["EvaluationResult", "DiagnosisResult", "ComparisonResult"])
def test_figures_are_returned_by_name(name):
    charts = boxlens.figures(results()[name])
    assert charts
    first = next(iter(charts.values()))
    assert chart_json(first)["$schema"]
    assert words(svg_of(first))


def test_figures_of_anything_else_are_refused():
    with pytest.raises(boxlens.ParameterError, match="result of a verb, got Dataset"):
        boxlens.figures(demo_dataset())


def test_results_are_made_without_what_draws_them():
    code = (
        "import sys, boxlens; boxlens.EvaluationResult, boxlens.DiagnosisResult;"
        "boxlens.ComparisonResult; sys.exit('altair' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
