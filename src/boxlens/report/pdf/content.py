"""What the typeset report says, as plain JSON: the templates only lay it out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.comparison.verdict import answer_sentences, further_sentences
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.page import hash_words, parameter_text
from boxlens.report.pdf.class_blocks import class_blocks
from boxlens.report.planning.comparison_figures import (
    ANNOTATE,
    IMAGES,
    NUMBERS,
    TOGETHER,
    comparison_figures,
)
from boxlens.report.planning.figure_plan import ERRORS, OBJECTS, REPAIRS
from boxlens.report.planning.figures import diagnosis_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.diagnosis.verdict import Finding
    from boxlens.metrics import EvaluationResult
    from boxlens.metrics.intervals import Interval
    from boxlens.report.planning.figure_plan import Figure, FigurePlan

# Shown beside the verdict.
QUARTER_PAGE, DIFFERENCES = "quarter_page", "differences"
# By the class pages, or nearly so by other figures.
SAID_ELSEWHERE = frozenset(
    {"fp_by_class", "repair_orders_borji", "pr_areas_s", "pr_areas_m", "pr_areas_l"}
)
DIAGNOSIS_SECTIONS = {
    ERRORS: "What goes wrong",
    REPAIRS: "What repairs bring",
    OBJECTS: "Which objects",
}
COMPARISON_SECTIONS = {
    NUMBERS: "Numbers",
    IMAGES: "Images",
    TOGETHER: "Together",
    ANNOTATE: "What to annotate next",
}
MOST_NAMES = 3


@dataclass(slots=True)
class Content:
    """The words, and the figures they refer to by the name of a file."""

    document: dict[str, Any]
    figures: dict[str, Figure] = field(default_factory=dict)


def report_content(
    document: Mapping[str, Any],
    *,
    diagnoses: Sequence[DiagnosisResult] = (),
    evaluation: EvaluationResult | None = None,
    comparison: ComparisonResult | None = None,
) -> Content:
    """`document` is what results.json holds."""
    content = Content({})
    parts = []
    if comparison is not None:
        parts.append(_comparison(comparison, content))
    parts += [_diagnosis(one, content) for one in diagnoses]
    names = [one.detections.name for one in diagnoses]
    if comparison is not None:
        names = [one.name for one in comparison.detectors]
    elif not names and evaluation is not None:
        names = [one.name for one in evaluation.detectors]
    dataset = document["dataset"]
    content.document = {
        "title": f"{_listed(names)} on {dataset['name']}",
        "about": f"{dataset['n_images']:,} images, {dataset['n_objects']:,} objects",
        "made_by": f"Boxlens {document['provenance']['boxlens']}",
        "scores": None if evaluation is None else _scores(evaluation),
        "parts": parts,
        "provenance": _provenance(document),
    }
    return content


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{len(names)} detectors"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _diagnosis(result: DiagnosisResult, content: Content) -> dict[str, Any]:
    verdict, plan = result.verdict, diagnosis_figures(result)
    most = max((row.gain for row in verdict.findings), default=0.0)
    summary = next((one for one in plan.figures if one.name == QUARTER_PAGE), None)
    return {
        "title": result.detections.name,
        "about": f"{len(result.detections):,} detections of {len(result.dataset.classes):,} "
        "classes",
        "lead": verdict.summary,
        "findings": [_finding(row, most) for row in verdict.findings],
        "sentences": list(verdict.objects),
        "numbers": _diagnosis_numbers(result),
        "summary": summary and _figure(summary, content),
        "sections": _sections(plan, DIAGNOSIS_SECTIONS, content, summary),
        "classes": class_blocks(result),
    }


def _finding(row: Finding, most: float) -> dict[str, Any]:
    return {
        "gain": f"+{decimal(row.gain)}",
        "share": row.gain / most if most > 0 else 0.0,
        "colour": kind_of(row.error).colour,
        "sentence": row.sentence,
        "orders": f"Over all orders of repairs: mean +{decimal(row.mean)}, from "
        f"+{decimal(row.lowest)} to +{decimal(row.highest)}",
    }


def _diagnosis_numbers(result: DiagnosisResult) -> dict[str, Any]:
    if result.intervals is not None:
        level = f"{100 * result.intervals.choice.level:g} %"
        return {
            "caption": f"Main numbers with {level} intervals, by resampling images",
            "rows": [_interval(*pair) for pair in result.intervals.named().items()],
        }
    values = {**result.metrics, "AP_N": result.hoiem.sets[0].ap_n}
    gains = {f"dAP {name}": value for name, value in result.tide.gain.items()}
    return {
        "caption": "Main numbers",
        "rows": [[name, decimal(value), ""] for name, value in {**values, **gains}.items()],
    }


def _interval(name: str, one: Interval) -> list[str]:
    known = not math.isnan(one.low)
    return [name, decimal(one.value), f"{decimal(one.low)} to {decimal(one.high)}" if known else ""]


def _comparison(result: ComparisonResult, content: Content) -> dict[str, Any]:
    lead, *others = answer_sentences(result)
    plan = comparison_figures(result)
    summary = next((one for one in plan.figures if one.name.startswith(DIFFERENCES)), None)
    level = f"{100 * result.choice.resampling.level:g} %"
    return {
        "title": "Comparison",
        "about": f"{len(result.detectors):,} detectors on the same images",
        "lead": lead,
        "findings": [],
        "sentences": [*others, *further_sentences(result)],
        "numbers": {
            "caption": f"{result.league.metric} with {level} intervals; detectors that share a "
            "letter cannot be told apart",
            "rows": [
                _interval(f"{row.name} ({row.letters})", row.score) for row in result.league.rows
            ],
        },
        "summary": summary and _figure(summary, content),
        "sections": _sections(plan, COMPARISON_SECTIONS, content, summary),
        "classes": None,
    }


def _sections(
    plan: FigurePlan, titles: Mapping[str, str], content: Content, summary: Figure | None
) -> list[dict[str, Any]]:
    """The main figures; those left out with the reason."""
    found = []
    for name, title in titles.items():
        figures = [
            _figure(one, content)
            for one in plan.figures
            if one.section == name and one is not summary and one.name not in SAID_ELSEWHERE
        ]
        remarks = [
            f"{one.title}: not shown, {one.why}." for one in plan.left_out if one.section == name
        ]
        if figures or remarks:
            found.append({"title": title, "figures": figures, "remarks": remarks})
    return found


def _figure(figure: Figure, content: Content) -> dict[str, Any]:
    file = f"figure_{len(content.figures) + 1}.svg"
    content.figures[file] = figure
    return {"file": file, "title": figure.title, "reading": figure.reading, "legend": ""}


def _scores(result: EvaluationResult) -> dict[str, Any]:
    """One row a number, one column a detector."""
    names = list(dict.fromkeys(name for one in result.detectors for name in one.metrics))
    rows = []
    for name in names:
        cells = []
        for one in result.detectors:
            interval = (one.intervals or {}).get(name)
            told = "" if interval is None else _interval(name, interval)[2]
            value = decimal(one.metrics.get(name, math.nan))
            cells.append(f"{value} ({told})" if told else value)
        rows.append([name, *cells])
    return {
        "caption": f"Scores under the protocol {result.protocol}",
        "headings": ["number", *(one.name for one in result.detectors)],
        "rows": rows,
    }


def _provenance(document: Mapping[str, Any]) -> dict[str, Any]:
    made_from = document["provenance"]
    sources = [("ground truth", made_from["ground_truth"])]
    sources += [("detections", one) for one in made_from["detections"]]
    return {
        "files": [
            [role, one["path"], one["format"], f"{one['size_bytes']:,}", hash_words(one)]
            for role, one in sources
            if one is not None
        ],
        "parameters": [
            [name, parameter_text(value)] for name, value in document["parameters"].items()
        ],
        "notices": _unique(notice["message"] for notice in document["notices"]),
    }


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
