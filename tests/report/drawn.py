"""Every figure of a world's results, and what is written and painted in it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, partial
from html import unescape
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import vl_convert

from boxlens.data import Classes
from boxlens.display import Displayed
from boxlens.metrics.confusion import ConfusionResult
from boxlens.report.charts.export import chart_json
from boxlens.report.described import describe
from boxlens.report.described.diagnosis.schemes import crosswalk_plot
from boxlens.report.readers.figures import titled
from boxlens.report.readers.page import study_page
from boxlens.report.study import Plot, Study
from boxlens.studies.diagnosis import DiagnosisResult, diagnose
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

PAIRS = (("area", "aspect"),)


@cache
def world(name: str) -> DiagnosisResult:
    dataset, detections = demo_dataset(), demo_detections("window")
    if name == "no similar classes, no attributes":
        plain = Classes.of(dataset.classes.id.tolist(), dataset.classes.name)
        dataset = replace(dataset, classes=plain, gt=replace(dataset.gt, attributes={}))
    if name == "no objects, no detections":
        dataset = nothing_of(dataset)
    if name in ("no detections", "no objects, no detections"):
        detections = nothing_of(detections)
    return diagnose(dataset, detections, cross=PAIRS if len(dataset.gt) else ())


@cache
def plots(name: str) -> dict[str, Plot]:
    """Of the diagnosis of a world, by name; one pair of schemes more."""
    result = world(name)
    found = {one.name: one for _, one in describe(result).plots() if one.name}
    other = crosswalk_plot(result.crosswalk.disagreements[-1], "")
    return {**found, other.name: other}


def plots_in(result: DiagnosisResult, name: str) -> list[Plot]:
    """Of one section, those that cannot be drawn, too."""
    return [one for section, one in describe(result).plots() if section.name == name]


WORLDS = (
    "demo",
    "no similar classes, no attributes",
    "no detections",
    "no objects, no detections",
)
FIGURES = (
    "quarter_page",
    "tide_errors",
    "false_positives",
    "fp_trends",
    "pr_areas",
    "confusion_matrix",
    "fp_by_class",
    "repair_orders",
    "waterfall",
    "repair_orders_borji",
    "sensitivity",
    "misses",
    "by_area",
    "by_parts",
    "cross_area_aspect",
    "crosswalk_detections_hoiem_tide",
    "crosswalk_objects_coco_analyze_borji",
)


def page_without_figures(result: Displayed) -> str:
    return study_page(describe(result), result.to_json())


class Figures(NamedTuple):
    """Those of a study that are drawn, and those that are not, with the reason."""

    figures: tuple[SimpleNamespace, ...]
    left_out: tuple[SimpleNamespace, ...]


def study_figures(study: Study) -> Figures:
    found = [
        SimpleNamespace(
            name=plot.name,
            title=plot.title,
            reading=plot.reading,
            wide=plot.wide,
            section=section.name,
            why=plot.absent,
            draw=partial(titled, plot),
        )
        for section, plot in study.plots()
    ]
    drawn_ones = tuple(one for one in found if not one.why)
    return Figures(drawn_ones, tuple(one for one in found if one.why))


def spec_of(chart) -> dict:
    """Of a plot, or of what users get: an Altair chart."""
    return chart_json(chart) if isinstance(chart, dict) else chart.to_dict()


def svg_of(chart) -> str:
    """Fails where the figure does not compile."""
    return vl_convert.vegalite_to_svg(spec_of(chart), allowed_base_urls=[])


def plan_of(result):
    """Every figure of a result, and those that cannot be drawn."""
    return study_figures(describe(result))


def reading_of(chart) -> str:
    """What its marks are, below its title."""
    return spec_of(chart)["usermeta"]["reading"]


def whole_svg(figure, width: float, height: float) -> str:
    """Of a figure that writes nothing undefined, holds no code, and has room on its page."""
    svg = svg_of(figure.draw())
    assert not re.search(r"NaN|\bnan\b|\bnull\b|undefined", words(svg)), figure.name
    assert "<script" not in svg, figure.name
    assert size(svg)[0] <= width, figure.name
    assert size(svg)[1] <= height, figure.name
    return svg


def chart_of(plot: Plot):
    """As its files show it."""
    assert not plot.absent
    return titled(plot)


@cache
def drawn(figure: str, name: str) -> str:
    return svg_of(chart_of(plots(name)[figure]))


def records(chart, key: str) -> list[dict]:
    """Every record of a figure that has this field."""
    found = spec_of(chart)["datasets"].values()
    return [row for rows in found for row in rows if key in row]


def texts(svg: str) -> list[str]:
    """Every line of text, as it reads."""
    found = re.findall(r"<(?:text|tspan)[^>]*>([^<]+)</", svg)
    return [unescape(text) for text in found]


def words(svg: str) -> str:
    return " ".join(texts(svg))


def colours(svg: str) -> set[str]:
    return {colour.lower() for colour in re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]{6})"', svg)}


def size(svg: str) -> tuple[float, float]:
    width, height = re.search(r'<svg[^>]*?width="([\d.]+)" height="([\d.]+)"', svg).groups()
    return float(width), float(height)


def many_classes(n: int) -> ConfusionResult:
    """Class k is taken for the next one k times."""
    matrix = np.zeros((n + 1, n + 1), dtype=np.int64)
    rows = np.arange(n - 1)
    matrix[rows, rows + 1] = rows
    matrix[np.arange(n), np.arange(n)] = 100
    return ConfusionResult(0.5, 0.25, tuple(f"class {row}" for row in range(n)), matrix)
