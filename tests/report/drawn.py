"""Every figure of a world's results, and what is written and painted in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from html import unescape

import numpy as np
import vl_convert

import boxlens
from boxlens.data import Classes, Dataset, Detections
from boxlens.diagnosis.borji import BorjiResult, borji
from boxlens.diagnosis.coco_analyze import CocoAnalyzeResult, coco_analyze
from boxlens.diagnosis.crosswalk import Crosswalk, crosswalk
from boxlens.diagnosis.evidence import gather
from boxlens.diagnosis.hoiem import HoiemResult, hoiem
from boxlens.diagnosis.tide import TideResult, tide
from boxlens.metrics.confusion import ConfusionResult
from boxlens.object_sensitivity import Interaction, SensitivityResult, sensitivity
from boxlens.report.charts.characteristic import characteristic_chart
from boxlens.report.charts.confusion_matrix import confusion_matrix_chart
from boxlens.report.charts.crosswalk import crosswalk_chart
from boxlens.report.charts.export import chart_json
from boxlens.report.charts.false_positives import false_positives_chart
from boxlens.report.charts.fp_by_class import fp_by_class_chart
from boxlens.report.charts.fp_trends import fp_trends_chart
from boxlens.report.charts.interaction import interaction_chart
from boxlens.report.charts.misses import misses_chart
from boxlens.report.charts.pr_areas import pr_areas_chart
from boxlens.report.charts.quarter_page import quarter_page_chart
from boxlens.report.charts.repair_orders import repair_orders_chart
from boxlens.report.charts.sensitivity_summary import sensitivity_summary_chart
from boxlens.report.charts.tide_errors import tide_errors_chart
from boxlens.report.charts.waterfall import waterfall_chart
from diagnosis.worlds import demo_dataset, demo_detections, nothing_of


@dataclass(frozen=True, slots=True)
class Results:
    """All that figures are drawn from."""

    hoiem: HoiemResult
    tide: TideResult
    analyze: CocoAnalyzeResult
    borji: BorjiResult
    crosswalk: Crosswalk
    confusion: ConfusionResult
    sensitivity: SensitivityResult


PAIRS = (("area", "aspect"),)


def results_of(dataset: Dataset, detections: Detections) -> Results:
    evidence = gather(dataset, detections)
    schemes = hoiem(evidence), tide(evidence), coco_analyze(evidence), borji(evidence)
    evaluation = boxlens.evaluate(dataset, detections, also=["confusion"])
    return Results(
        *schemes,
        crosswalk(*schemes),
        evaluation.detectors[0].extras.confusion,
        sensitivity(dataset, detections, interactions=PAIRS if len(dataset.gt) else ()),
    )


@cache
def world(name: str) -> Results:
    dataset, detections = demo_dataset(), demo_detections("window")
    if name == "no similar classes, no attributes":
        plain = Classes.of(dataset.classes.id.tolist(), dataset.classes.name)
        dataset = replace(dataset, classes=plain, gt=replace(dataset.gt, attributes={}))
    if name == "no objects, no detections":
        dataset = nothing_of(dataset)
    if name in ("no detections", "no objects, no detections"):
        detections = nothing_of(detections)
    return results_of(dataset, detections)


def interaction_of(of: Results) -> Interaction:
    """Of a world without objects all is undefined."""
    if of.sensitivity.interactions:
        return of.sensitivity.interactions[0]
    known = world("demo").sensitivity.interactions[0]
    shape = known.ap_n.shape
    return replace(known, ap_n=np.full(shape, np.nan), n_objects=np.zeros(shape, np.int32))


WORLDS = (
    "demo",
    "no similar classes, no attributes",
    "no detections",
    "no objects, no detections",
)
FIGURES = {
    "quarter_page": lambda of: quarter_page_chart(of.hoiem.sets[0], of.sensitivity),
    "false_positives": lambda of: false_positives_chart(of.hoiem.sets[0]),
    "fp_trends": lambda of: fp_trends_chart(of.hoiem),
    "fp_trends_of_a_class": lambda of: fp_trends_chart(of.hoiem, class_name="van"),
    "characteristic": lambda of: characteristic_chart(of.sensitivity.characteristics[0]),
    "characteristic_of_flags": lambda of: characteristic_chart(
        next((row for row in of.sensitivity.characteristics if row.kind == "flags"), None)
        or replace(of.sensitivity.characteristics[0], kind="flags", classes=())
    ),
    "sensitivity_summary": lambda of: sensitivity_summary_chart(of.sensitivity),
    "interaction": lambda of: interaction_chart(interaction_of(of)),
    "tide_errors": lambda of: tide_errors_chart(of.tide),
    "repair_orders": lambda of: repair_orders_chart(of.tide.orders),
    "repair_orders_of_borji": lambda of: repair_orders_chart(of.borji.orders),
    "fp_by_class": lambda of: fp_by_class_chart(of.hoiem),
    "pr_areas": lambda of: pr_areas_chart(of.analyze),
    "pr_areas_of_a_class": lambda of: pr_areas_chart(of.analyze, class_name="car", area="s"),
    "waterfall": lambda of: waterfall_chart(of.borji),
    "confusion_matrix": lambda of: confusion_matrix_chart(of.confusion),
    "crosswalk_of_detections": lambda of: crosswalk_chart(of.crosswalk.disagreements[0]),
    "crosswalk_of_objects": lambda of: crosswalk_chart(of.crosswalk.disagreements[-1]),
    "misses": lambda of: misses_chart(of.sensitivity),
}


def svg_of(chart) -> str:
    """Fails where the figure does not compile."""
    return vl_convert.vegalite_to_svg(chart_json(chart), allowed_base_urls=[])


@cache
def chart(figure: str, name: str):
    return FIGURES[figure](world(name))


@cache
def drawn(figure: str, name: str) -> str:
    return svg_of(chart(figure, name))


def records(chart, key: str) -> list[dict]:
    """Every record of a figure that has this field."""
    found = chart_json(chart)["datasets"].values()
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
