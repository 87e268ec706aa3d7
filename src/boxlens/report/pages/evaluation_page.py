"""An evaluation as a page: the scores, every class, and the readings that were asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    Cell,
    count_cell,
    paragraph,
    score_cell,
    share_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.planning.figure_plan import SCORES
from boxlens.report.writing.run_record import RunVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.metrics import ClassResult, DetectorResult, EvaluationResult
    from boxlens.metrics.intervals import Interval
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "evaluate"
MOST_TILES = 6
N_WORST = 20
OLRP = ("oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn")


def evaluation_page(
    result: EvaluationResult, names: str, document: dict[str, Any], drawn: DrawnPlan
) -> str:
    """`document` is what results.json holds."""
    about = f"{result.protocol}: {result.n_images:,} images, {result.n_objects:,} objects"
    return page(
        (names, result.dataset),
        about,
        [
            answer_section(result),
            scores_section(result, drawn),
            Section("readings", "Further readings", tuple(_readings(result)), guide=GUIDE),
            classes_section(result),
            provenance_section({**document, "notices": _notices(document)}),
        ],
    )


def _notices(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the ground truth and of every detector."""
    of_detectors = (one["notices"] for one in document["results"]["detectors"])
    return [*document["notices"], *(notice for some in of_detectors for notice in some)]


def evaluation_verdict(result: EvaluationResult) -> RunVerdict:
    """The first number of the protocol for every detector, the best first."""
    metric = next(iter(result.detectors[0].metrics))
    ranked = sorted(
        result.detectors,
        key=lambda one: (math.isnan(one.metrics[metric]), -one.metrics[metric]),
    )
    lead, *sentences = (_sentence(one, metric, result.protocol) for one in ranked)
    if sentences:
        sentences.append("Whether such differences are more than chance, boxlens compare tells.")
    prefix = "" if len(ranked) == 1 else f"{metric} of "
    return RunVerdict(
        lead,
        sentences,
        tuple((prefix + one.name, one.metrics[metric]) for one in ranked)
        if prefix
        else tuple(ranked[0].metrics.items()),
    )


def answer_section(result: EvaluationResult) -> Section:
    verdict = evaluation_verdict(result)
    numbers = [(name, decimal(value)) for name, value in verdict.numbers]
    said = (paragraph(verdict.lead, "lead"), *(paragraph(text) for text in verdict.sentences))
    return Section("answer", "Answer", (tiles(numbers[:MOST_TILES]), *said))


def _sentence(one: DetectorResult, metric: str, protocol: str) -> str:
    value = one.metrics[metric]
    if math.isnan(value):
        return f"{metric} ({protocol}) of {one.name} is undefined: no object counts."
    text = f"{one.name} has {metric} {decimal(value)} ({protocol}"
    found = (one.intervals or {}).get(metric)
    if found is not None and not math.isnan(found.low):
        text += f"; interval {decimal(found.low)} to {decimal(found.high)}"
    return f"{text}) with {one.n_detections:,} detections."


def scores_section(result: EvaluationResult, drawn: DrawnPlan) -> Section:
    sure = result.detectors[0].intervals is not None
    reading = "Every number of the protocol" + (
        f"; low and high are the {100 * result.parameters['intervals']['level']:g} % interval."
        if sure
        else "."
    )
    return Section(SCORES, "Scores", (drawn.cards(SCORES), _scores(result)), reading, GUIDE)


def classes_section(result: EvaluationResult) -> Section:
    return Section(
        "classes",
        "Classes",
        (_classes(result),),
        reading="Every class with objects; further numbers of each are shown at a click.",
        guide=GUIDE,
    )


def _scores(result: EvaluationResult) -> str:
    sure = result.detectors[0].intervals is not None
    headings = ["number", *_headings(result.detectors, "", sure=sure)]
    rows = [
        [
            text_cell(metric),
            *(
                cell
                for one in result.detectors
                for cell in _cells(one.metrics[metric], one.intervals, metric)
            ),
        ]
        for metric in result.detectors[0].metrics
    ]
    return table(headings, rows, caption="Every number of the protocol")


def _headings(detectors: Sequence[DetectorResult], metric: str, *, sure: bool) -> Iterator[str]:
    several = len(detectors) > 1
    for one in detectors:
        of = f" {one.name}" if several else ""
        yield f"{metric}{of}".strip() or "value"
        if sure:
            yield f"low{of}"
            yield f"high{of}"


def _cells(value: float, intervals: Mapping[str, Interval] | None, name: str) -> Iterator[Cell]:
    yield score_cell(value)
    if intervals is not None:
        found = intervals.get(name)
        yield score_cell(None if found is None else found.low)
        yield score_cell(None if found is None else found.high)


def _classes(result: EvaluationResult) -> str:
    """The first number of each detector; the others at a click."""
    detectors = result.detectors
    counted = [row for row, one in enumerate(detectors[0].classes) if one.n_gt]
    if not counted:
        return ""
    first, *others = detectors[0].classes[counted[0]].metrics
    sure = detectors[0].intervals is not None
    headings = ["class", "objects", *_headings(detectors, first, sure=sure)]
    n_shown = len(headings)
    headings += [f"detections of {one.name}" for one in detectors]
    for metric in others:
        headings += _headings(detectors, metric, sure=sure)
    rows = []
    for at in counted:
        own = [one.classes[at] for one in detectors]
        rows.append(
            [
                text_cell(own[0].name),
                count_cell(own[0].n_gt),
                *_of_class(own, first),
                *(count_cell(one.n_detections) for one in own),
                *(cell for metric in others for cell in _of_class(own, metric)),
            ]
        )
    return table(headings, rows, caption="Every class", wide=True, n_shown=n_shown)


def _of_class(own: Sequence[ClassResult], metric: str) -> Iterator[Cell]:
    for one in own:
        yield from _cells(one.metrics[metric], one.intervals, metric)


def _readings(result: EvaluationResult) -> Iterator[str]:
    """Of --also: numbers that no figure shows."""
    for one in result.detectors:
        of = f": {one.name}" if len(result.detectors) > 1 else ""
        yield from _of_detector(one, of)


def _of_detector(one: DetectorResult, of: str) -> Iterator[str]:
    extras = one.extras
    if extras.confidence is not None:
        found = extras.confidence
        rows = [
            [text_cell(curve.name), *map(score_cell, curve.best().values())]
            for curve in (found.overall, *found.classes)
        ]
        headings = ["class", "threshold", "precision", "recall", "F1"]
        yield table(headings, rows, caption=f"Best F1 at IoU {found.iou:g}{of}")
    if extras.olrp is not None:
        parts = [("mean over classes", extras.olrp.mean), *extras.olrp.classes]
        rows = [
            [text_cell(name), *(score_cell(values[part]) for part in OLRP)]
            for name, values in parts
        ]
        headings = ["class", "oLRP", "localisation", "false positives", "missed"]
        caption = f"oLRP at IoU {extras.olrp.iou:g}, an error: 0 is perfect, 1 is worst{of}"
        yield table(headings, rows, caption=caption)
    if extras.confusion is not None:
        yield _confused(one, of)
    if extras.images is not None:
        yield _worst_images(one, of)


def _confused(one: DetectorResult, of: str) -> str:
    found = one.extras.confusion
    if found is None:
        return ""
    n_objects = dict(zip(found.names, found.matrix[:-1].sum(axis=1).tolist(), strict=True))
    rows = [
        [text_cell(true), text_cell(said), count_cell(n), share_cell(n, n_objects[true])]
        for true, said, n in found.top(N_WORST)
    ]
    caption = f"Most frequent confusions at score {found.min_score:.2g} and above{of}"
    return table(["object is", "called", "times", "of its class"], rows, caption=caption)


def _worst_images(one: DetectorResult, of: str) -> str:
    found = one.extras.images
    if found is None:
        return ""
    order = np.argsort(-(found.fp + found.fn), kind="stable")[:N_WORST]
    rows = [
        [
            text_cell(found.image_id[row]),
            *(count_cell(int(column[row])) for column in (found.tp, found.fp, found.fn)),
        ]
        for row in order.tolist()
    ]
    caption = f"Images with the most errors at score {found.min_score:.2g} and above{of}"
    return table(["image", "hits", "false positives", "missed"], rows, caption=caption)
