"""What the app must know of a run besides its tables: run.json and figures/figures.json."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.metrics.json_form import number, to_json
from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.frames.run_tables import flag_name
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS, SCHEMES
from boxlens.studies.sensitivity.characteristics import MOST_TEXTS
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.data import Dataset, Notice
    from boxlens.data.columns import Attribute
    from boxlens.metrics.results import Provenance
    from boxlens.report.pages.page import DrawnFigure
    from boxlens.report.study import Study
    from boxlens.studies.diagnosis import DiagnosisResult
    from boxlens.studies.sensitivity.characteristics import Column

SCHEMA = "boxlens/run/1"


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """What a run says first: a sentence, further ones, and the numbers behind them."""

    lead: str
    sentences: Sequence[str]
    numbers: Sequence[tuple[str, float]]


def study_verdict(study: Study) -> RunVerdict:
    """The sentences of a study, and those of its numbers that are fractions."""
    lead, *sentences = study.all_sentences
    numbers = [
        (name, value)
        for name, value, form in study.tiles
        if value is not None and form.stored == "real"
    ]
    return RunVerdict(lead, sentences, numbers)


def run_record(
    *,
    verb: str,
    title: str,
    dataset: Dataset,
    diagnoses: Sequence[DiagnosisResult],
    verdict: RunVerdict,
    provenance: Provenance,
    notices: Sequence[Notice],
) -> dict[str, Any]:
    """What run.json holds; the tables are `run_tables` of the same."""
    return {
        "schema": SCHEMA,
        "boxlens": VERSION,
        "verb": verb,
        "title": title,
        "dataset": {
            "name": dataset.name,
            "relative": dataset.relative,
            "n_images": len(dataset.images),
            "n_objects": len(dataset.gt),
            "classes": list(_classes(dataset)),
        },
        "detectors": [
            {
                "name": one.detections.name,
                "n_detections": len(one.detections),
                "min_score": one.confusion.min_score,
            }
            for one in diagnoses
        ],
        "iou": diagnoses[0].choice.iou,
        "schemes": {
            scheme: {
                "title": SCHEME_NAMES[scheme],
                "detections": list(DET_LABELS[scheme]),
                "objects": list(GT_LABELS[scheme]),
            }
            for scheme in SCHEMES
        },
        "attributes": [_attribute(*pair) for pair in dataset.gt.attributes.items()],
        "characteristics": [
            {"name": name, "subsets": list(subsets)}
            for column in diagnoses[0].sensitivity.columns
            for name, subsets in _subsets(column)
        ],
        "verdict": {
            "lead": verdict.lead,
            "sentences": list(verdict.sentences),
            "numbers": [[name, number(value)] for name, value in verdict.numbers],
        },
        "provenance": provenance.to_json(),
        "notices": to_json(notices),
    }


def figure_records(drawn: Sequence[DrawnFigure]) -> list[dict[str, Any]]:
    """Every figure with its words and its specification."""
    return [
        {
            "name": one.figure.name,
            "title": one.figure.title,
            "reading": one.figure.reading,
            "section": one.figure.section,
            "detector": one.figure.detector,
            "spec": one.spec,
        }
        for one in drawn
    ]


def _classes(dataset: Dataset) -> Iterator[Mapping[str, Any]]:
    classes = dataset.classes
    supercategories = classes.supercategory or (None,) * len(classes)
    for key, name, above in zip(classes.id.tolist(), classes.name, supercategories, strict=True):
        yield {"id": key, "name": name, "supercategory": above}


def _attribute(name: str, values: Attribute) -> dict[str, Any]:
    if values.dtype != object:
        known = values[~np.isnan(values)]
        flag = bool(np.isin(known, (0.0, 1.0)).all())
        return {"name": name, "kind": "flag" if flag else "number"}
    texts = sorted({value for value in values.tolist() if value is not None})
    described = {"name": name, "kind": "text"}
    return {**described, "values": texts} if len(texts) <= MOST_TEXTS else described


def _subsets(column: Column) -> Iterator[tuple[str, tuple[str, ...]]]:
    if column.kind != "flags":
        yield column.name, column.subset_names
        return
    for at in range(0, len(column.subset_names), 2):
        states = column.subset_names[at : at + 2]
        yield flag_name(column.name, states[0]), states
