"""What the typeset report says, as plain JSON: the templates only lay it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.report.described import describe
from boxlens.report.pages.page import hash_words, parameter_text
from boxlens.report.pdf.class_blocks import class_blocks
from boxlens.report.readers.figures import study_figures
from boxlens.report.study import Table
from boxlens.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boxlens.metrics import EvaluationResult
    from boxlens.report.readers.figures import Figure, FigurePlan
    from boxlens.report.study import Study
    from boxlens.studies.comparison import ComparisonResult
    from boxlens.studies.diagnosis import DiagnosisResult

# By the class pages, or nearly so by other figures and tables.
SAID_ELSEWHERE = frozenset(
    {"fp_by_class", "repair_orders_borji", "pr_areas_s", "pr_areas_m", "pr_areas_l"}
)
SECTIONS_ELSEWHERE = frozenset({"schemes", "classes"})
# Their tables stand below the verdict, like the main one.
INTERVALS = "intervals"
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
        parts.append(_part(describe(comparison), "Comparison", content))
    for one in diagnoses:
        part = _part(describe(one), one.detections.name, content)
        parts.append({**part, "classes": class_blocks(one)})
    names = [one.detections.name for one in diagnoses]
    if comparison is not None:
        names = [one.name for one in comparison.detectors]
    elif not names and evaluation is not None:
        names = [one.name for one in evaluation.detectors]
    dataset = document["dataset"]
    n_images, n_objects = dataset["n_images"], dataset["n_objects"]
    content.document = {
        "title": f"{listed(names, MOST_NAMES, 'detectors')} on {dataset['name']}",
        "about": f"{counted(n_images, 'image')}, {counted(n_objects, 'object')}",
        "made_by": f"Boxlens {document['provenance']['boxlens']}",
        "scores": None if evaluation is None else _scores(evaluation),
        "parts": parts,
        "provenance": _provenance(document),
    }
    return content


def _part(study: Study, title: str, content: Content) -> dict[str, Any]:
    plan = study_figures(study)
    lead, *others = study.all_sentences
    summary = next((one for one in plan.figures if one.name.startswith(study.main_plot)), None)
    return {
        "title": title,
        "about": ", ".join(study.facts),
        "lead": lead,
        "sentences": others,
        "numbers": [_table(one) for one in _main_tables(study)],
        "summary": summary and _figure(summary, content),
        "sections": _sections(plan, study, content, summary),
        "classes": None,
    }


def _main_tables(study: Study) -> list[Table[Any]]:
    """The first one, the one that a notebook shows, and intervals."""
    shown = [
        (section.name, part)
        for section, part in study.walk()
        if isinstance(part, Table) and part.caption and part.rows
    ]
    return [
        table
        for at, (section, table) in enumerate(shown)
        if at == 0 or section == INTERVALS or table.caption == study.main_table
    ]


def _table(table: Table[Any]) -> dict[str, Any]:
    columns = [one for one in table.shown if not one.further]
    return {
        "caption": table.caption,
        "headings": [one.heading for one in columns],
        "numeric": [one.form.numeric for one in columns],
        "rows": [[one.text(row) for one in columns] for row in table.rows],
    }


def _sections(
    plan: FigurePlan, study: Study, content: Content, summary: Figure | None
) -> list[dict[str, Any]]:
    """The main figures; those that are absent with the reason."""
    found = []
    for section in study.sections:
        if section.name in SECTIONS_ELSEWHERE:
            continue
        figures = [
            _figure(one, content)
            for one in plan.figures
            if one.section == section.name and one is not summary and one.name not in SAID_ELSEWHERE
        ]
        remarks = [
            f"{one.title}: not shown, {one.why}."
            for one in plan.left_out
            if one.section == section.name
        ]
        if figures or remarks:
            found.append({"title": section.title, "figures": figures, "remarks": remarks})
    return found


def _figure(figure: Figure, content: Content) -> dict[str, Any]:
    file = f"figure_{len(content.figures) + 1}.svg"
    content.figures[file] = figure
    return {"file": file, "title": figure.title, "reading": figure.reading, "legend": ""}


def _scores(result: EvaluationResult) -> dict[str, Any]:
    """The first table: one row per number."""
    shown = next(one for one in describe(result).tables() if one.caption)
    return {**_table(shown), "caption": f"Scores under the protocol {result.protocol}"}


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
