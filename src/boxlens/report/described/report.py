"""Every question about one detector or several: the studies of all parts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from boxlens.metrics.protocols import PROTOCOL_TITLES
from boxlens.report.described import describe, evaluation
from boxlens.report.described.difficulty import study_in_report
from boxlens.report.described.examples import (
    EXAMPLES,
    Pictures,
    comparison_examples,
    diagnosis_examples,
    example_pictures,
    examples_section,
)
from boxlens.report.described.extras import Extras, Run
from boxlens.report.described.sensitivity import OBJECTS
from boxlens.report.pictures.comparison_exhibits import comparison_groups
from boxlens.report.pictures.exhibits import ExampleGroup, example_groups
from boxlens.report.study import Section, Study, Table, file_name
from boxlens.studies.report import ReportResult
from boxlens.wording import counted

# A verdict is at most so many sentences; what else there is to say stands in its section.
MOST_SENTENCES = 3


def study(result: ReportResult, pictures: Pictures | None = None) -> Study:
    """One section per question, in it one part per detector."""
    dataset, n_detectors = result.dataset, len(result.detections)
    n_detections = counted(len(result.detections[0]), "detection")
    detectors = _of_detectors(result)
    compared = [] if result.comparison is None else [describe(result.comparison)]
    others = [one for one in (result.evaluation, result.difficulty) if one is not None]
    lead = next(chain(compared, detectors, map(describe, others)))
    sentences = lead.sentences
    if compared or len(detectors) > 1:
        # Who is better, then how good each detector is.
        named = zip(result.detections, detectors, strict=False)
        told = (f"{one.name}: {found.sentences[0]}" for one, found in named)
        sentences = (*(one.sentences[0] for one in compared), *told)
    sections = (
        *_questions(result, detectors, compared),
        _examples(result, pictures),
        _classes(result, detectors, compared),
    )
    return Study(
        title=result.names,
        data=dataset.name,
        facts=(
            n_detections if n_detectors == 1 else counted(n_detectors, "detector"),
            counted(len(dataset.images), "image"),
            counted(len(dataset.gt), "object"),
            counted(len(dataset.classes), "class", "classes"),
        ),
        sentences=sentences[:MOST_SENTENCES],
        tiles=lead.tiles,
        sections=tuple(one for one in sections if one.parts or one.inner),
        main_table=lead.main_table,
        main_plot=lead.main_plot,
    )


def extras(result: ReportResult) -> Extras:
    return Extras(
        Run(result.dataset, result.diagnoses, comparison=result.comparison),
        pictures=partial(example_pictures, partial(_groups, result), result.dataset),
        typeset=partial(_typeset, result),
    )


def _groups(result: ReportResult) -> list[ExampleGroup]:
    """All examples at once, so that no picture is read twice."""
    own = zip(result.diagnoses, prefixes(result), strict=True) if "errors" in result.asked else ()
    found = [
        replace(group, name=prefix + group.name)
        for one, prefix in own
        for group in example_groups(one)
    ]
    return [*found, *(comparison_groups(result.comparison) if result.comparison else ())]


def _typeset(result: ReportResult) -> list[Study | Table[Any]]:
    """The scores, the comparison, then what each detector gets wrong; all in one if alone."""
    diagnoses = result.diagnoses if {"errors", "sensitivity"} & {*result.asked} else ()
    compared = () if result.comparison is None else (result.comparison,)
    studies = [describe(one) for one in (*compared, *diagnoses)]
    if not studies or result.evaluation is None:
        return [*studies]
    parts = evaluation.scores_section(result.evaluation).parts
    scores = next(one for one in parts if isinstance(one, Table) and one.caption)
    caption = f"Scores under the protocol {PROTOCOL_TITLES[result.evaluation.protocol]}"
    return [replace(scores, caption=caption), *studies]


def prefixes(result: ReportResult) -> list[str]:
    """What keeps files and sections of several detectors apart."""
    if len(result.detections) == 1:
        return [""]
    used: Counter[str] = Counter()
    found = []
    for one in result.detections:
        plain = file_name(one.name)
        used[plain] += 1
        found.append(f"{plain}_{used[plain]}_" if used[plain] > 1 else f"{plain}_")
    return found


def _of_detectors(result: ReportResult) -> list[Study]:
    """Of each detector, as far as errors and objects were asked for."""
    if not {"errors", "sensitivity"} & {*result.asked}:
        return []
    found = []
    for one, prefix in zip(result.diagnoses, prefixes(result), strict=True):
        whole = describe(one if "errors" in result.asked else one.sensitivity)
        hidden = (EXAMPLES,) if "sensitivity" in result.asked else (EXAMPLES, OBJECTS)
        first, *others = (part for part in whole.sections if part.name not in hidden)
        if prefix:
            # Only the first sentence on each of several detectors is in the summary.
            first = replace(first, findings=(*whole.sentences[1:], *first.findings))
        shown = replace(whole, sections=(first, *others))
        found.append(shown.of_detector(one.detections.name, prefix))
    return found


def _questions(
    result: ReportResult, detectors: Sequence[Study], compared: Sequence[Study]
) -> Iterator[Section]:
    if result.evaluation is not None:
        yield evaluation.scores_section(result.evaluation)
    # Classes, the last of each detector, have a place of their own.
    for same in zip(*(one.sections[:-1] for one in detectors), strict=True):
        parts = (replace(one, reading="", guide="") for one in _by_detector(result, same))
        several = replace(same[0], parts=(), inner=tuple(parts), findings=())
        yield several if len(same) > 1 else same[0]
    if result.difficulty is not None:
        hard = study_in_report(result.difficulty)
        yield Section("difficulty", "Difficulty", inner=hard.sections, findings=hard.sentences)
    for one in compared:
        inner = tuple(part for part in one.sections[:-1] if part.name != EXAMPLES)
        yield Section("comparison", "Comparison", inner=inner, findings=one.sentences[1:])


def _by_detector(result: ReportResult, parts: Sequence[Section]) -> Iterator[Section]:
    """The same section of each detector, under the detector's name."""
    for part, prefix, one in zip(parts, prefixes(result), result.detections, strict=False):
        findings = tuple(f"{one.name}: {text}" for text in part.findings)
        name = f"{part.name}-{prefix.rstrip('_') or 'detector'}"
        yield replace(part, name=name, title=one.name, findings=findings)


def _examples(result: ReportResult, pictures: Pictures | None) -> Section:
    own = zip(result.diagnoses, prefixes(result), strict=True) if "errors" in result.asked else ()
    told = [diagnosis_examples(one, pictures, prefix) for one, prefix in own]
    inner = list(_by_detector(result, [Section(EXAMPLES, "", parts) for parts in told]))
    if result.comparison is not None:
        parts = comparison_examples(comparison_groups(result.comparison), pictures)
        inner.append(Section("examples-compared", "Compared", parts))
    remarks = examples_section((), pictures, some=bool(inner))
    if len(inner) == 1:
        return replace(remarks, parts=(*remarks.parts, *inner[0].parts))
    return replace(remarks, inner=tuple(inner))


def _classes(
    result: ReportResult, detectors: Sequence[Study], compared: Sequence[Study]
) -> Section:
    inner = list(_by_detector(result, [one.sections[-1] for one in detectors]))
    if result.evaluation is not None:
        scores = evaluation.classes_section(result.evaluation)
        inner.insert(0, replace(scores, name="classes-scores", title="Scores"))
    last = (one.sections[-1] for one in compared)
    inner += (replace(one, name="classes-compared", title="Compared") for one in last)
    if len(inner) == 1:
        return replace(inner[0], name="classes", title="Classes")
    return Section("classes", "Classes", inner=tuple(inner))
