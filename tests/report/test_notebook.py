"""What a notebook shows of a result, and the figures it returns."""

from __future__ import annotations

import base64
import inspect
import re
import subprocess
import sys
from functools import cache

import pytest

import boxlens
from boxlens.display import Displayed
from boxlens.wording import change, interval, score
from report.drawn import svg_of, words
from report.toy_diagnosis import NASTY_NAMES, toy_diagnosis
from report.written_verbs import VERBS
from shared_data import ROOT
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of


@cache
def results() -> dict[str, Displayed]:
    found = [verb.worlds[verb.written]() for verb in VERBS.values()]
    return {type(one).__name__: one for one in found}


def figure_of(html: str) -> str:
    data = re.search(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]+)"', html)
    return base64.b64decode(data[1]).decode()


def test_every_result_of_the_front_door_is_shown():
    of_verbs = {name for name in boxlens.__all__ if name.endswith("Result")}
    assert of_verbs == set(results())
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
        verb: result for verb, result in returns.items() if result in results()
    }
    assert {result for _, result, _ in listed} == results().keys()
    drawn = {name for name, result in results().items() if "<img" in result._repr_html_()}
    assert {result for _, result, note in listed if not note} == drawn


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
    assert first.to_dict()["$schema"]
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
