"""What the app shows of a run: run.json, figures/figures.json, and tables of every box."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Attribute
from boxlens.metrics.json_form import number
from boxlens.report.charts.kinds import SCHEME_NAMES
from boxlens.report.described.extras import Run
from boxlens.report.readers.page import shown_tiles
from boxlens.report.study import Plot, Study
from boxlens.report.writing.output_folder import OutputFolder
from boxlens.report.writing.run_tables import characteristics, run_tables
from boxlens.studies.diagnosis import DiagnosisChoice, DiagnosisResult, diagnose_tables
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS, SCHEMES
from boxlens.studies.sensitivity.characteristics import MOST_TEXTS
from boxlens.version import VERSION

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "boxlens/run/1"


def write_run(
    output: OutputFolder,
    run: Run,
    study: Study,
    document: Mapping[str, Any],
    specs: Mapping[str, Mapping[str, Any]],
    *,
    threads: int = 0,
) -> dict[str, pl.DataFrame]:
    """What the app is told of a run; returns its tables.

    `document` is what results.json holds, with the notices of all detectors.
    """
    # What every detection and object is, where nobody asked for more.
    plain = DiagnosisChoice(iou=run.iou, n_gallery=0)
    diagnoses = run.diagnoses or [
        diagnose_tables(run.dataset, one, plain, threads=threads) for one in run.detections
    ]
    for name, value in (
        ("run.json", run_record(run.dataset, diagnoses, study, document)),
        ("figures/figures.json", figure_records(study, specs)),
    ):
        output.write(name, json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    return run_tables(run.dataset, diagnoses, run.comparison)


def run_record(
    dataset: Dataset,
    diagnoses: Sequence[DiagnosisResult],
    study: Study,
    document: Mapping[str, Any],
) -> dict[str, Any]:
    """What run.json holds."""
    lead, *sentences = study.all_sentences
    return {
        "schema": SCHEMA,
        "boxlens": VERSION,
        "verb": document["schema"].split("/")[1],
        "title": f"{study.title} on {study.data}",
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
            for name, subsets, _ in characteristics(diagnoses[0])
        ],
        "verdict": {
            "lead": lead,
            "sentences": sentences,
            "tiles": list(map(list, shown_tiles(study))),
            # Those of its numbers that are fractions.
            "numbers": [
                [name, number(value)]
                for name, value, form in study.tiles
                if value is not None and form.stored == "real"
            ],
        },
        "provenance": document["provenance"],
        "notices": document["notices"],
    }


def figure_records(study: Study, specs: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every figure with its words and its specification."""
    return [
        {
            "name": plot.name,
            "title": plot.title,
            "reading": plot.reading,
            "section": section.name,
            "heading": top.title if section is top else f"{top.title}: {section.title}",
            "detector": plot.detector,
            "spec": specs[plot.name],
        }
        for top in study.sections
        for section, plot in top.walk()
        if isinstance(plot, Plot) and not plot.absent
    ]


def _classes(dataset: Dataset) -> Iterator[Mapping[str, Any]]:
    classes = dataset.classes
    supercategories = classes.supercategory or (None,) * len(classes)
    for key, name, above in zip(classes.id.tolist(), classes.name, supercategories, strict=True):
        yield {"id": key, "name": name, "supercategory": above}


def _attribute(name: str, values: Attribute) -> dict[str, Any]:
    if values.dtype != object:
        flag = np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()
        return {"name": name, "kind": "flag" if flag else "number"}
    texts = sorted({value for value in values.tolist() if value is not None})
    few = {"values": texts} if len(texts) <= MOST_TEXTS else {}
    return {"name": name, "kind": "text", **few}
