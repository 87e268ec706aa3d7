"""Every question about one detector or several: the studies of all parts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from boxlens.report.described import describe, evaluation
from boxlens.report.described.diagnosis import OBJECTS
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
    lead, sentences = _answer(result)
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
        sections=tuple(one for one in _sections(result, pictures) if one.parts or one.inner),
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
    found = []
    if "errors" in result.asked:
        for one, prefix in zip(result.diagnoses, prefixes(result), strict=True):
            found += [replace(group, name=f"{prefix}{group.name}") for group in example_groups(one)]
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
    caption = f"Scores under the protocol {result.evaluation.protocol}"
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


def _answer(result: ReportResult) -> tuple[Study, tuple[str, ...]]:
    """Who is better, then how good each detector is; else what was asked alone."""
    studies = _of_detectors(result)
    first = tuple(
        f"{one.name}: {found.sentences[0]}"
        for one, found in zip(result.detections, studies, strict=False)
    )
    if result.comparison is not None:
        compared = describe(result.comparison)
        return compared, (compared.sentences[0], *first)
    if len(studies) > 1:
        return studies[0], first
    if studies:
        return studies[0], studies[0].sentences
    (alone,) = (one for one in (result.evaluation, result.difficulty) if one is not None)
    lead = describe(alone)
    return lead, lead.sentences


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


def _sections(result: ReportResult, pictures: Pictures | None) -> Iterator[Section]:
    if result.evaluation is not None:
        yield evaluation.scores_section(result.evaluation)
    # Classes, the last of each detector, have a place of their own.
    for same in zip(*(one.sections[:-1] for one in _of_detectors(result)), strict=True):
        parts = [replace(one, reading="", guide="") for one in same]
        inner = tuple(_by_detector(result, same[0].name, parts))
        yield same[0] if len(same) == 1 else replace(same[0], parts=(), inner=inner, findings=())
    if result.difficulty is not None:
        hard = study_in_report(result.difficulty)
        yield Section("difficulty", "Difficulty", inner=hard.sections, findings=hard.sentences)
    if result.comparison is not None:
        compared = describe(result.comparison)
        yield Section(
            "comparison",
            "Comparison",
            inner=tuple(one for one in compared.sections[:-1] if one.name != EXAMPLES),
            findings=compared.sentences[1:],
        )
    yield _examples(result, pictures)
    yield _classes(result)


def _by_detector(result: ReportResult, name: str, parts: Sequence[Section]) -> Iterator[Section]:
    """The same section of each detector, under the detector's name."""
    for part, prefix, one in zip(parts, prefixes(result), result.detections, strict=False):
        mark = prefix.rstrip("_") or "detector"
        findings = tuple(f"{one.name}: {text}" for text in part.findings)
        yield replace(part, name=f"{name}-{mark}", title=one.name, findings=findings)


def _examples(result: ReportResult, pictures: Pictures | None) -> Section:
    told = []
    if "errors" in result.asked:
        told = [
            examples_section(diagnosis_examples(one, pictures, prefix))
            for one, prefix in zip(result.diagnoses, prefixes(result), strict=True)
        ]
    inner = list(_by_detector(result, EXAMPLES, told))
    if result.comparison is not None:
        parts = comparison_examples(comparison_groups(result.comparison), pictures)
        inner.append(replace(examples_section(parts), name="examples-compared", title="Compared"))
    remarks = examples_section((), pictures, some=bool(inner))
    if len(inner) == 1:
        return replace(remarks, parts=(*remarks.parts, *inner[0].parts))
    return replace(remarks, inner=tuple(replace(one, reading="") for one in inner))


def _classes(result: ReportResult) -> Section:
    inner = []
    if result.evaluation is not None:
        scores = evaluation.classes_section(result.evaluation)
        inner.append(replace(scores, name="classes-scores", title="Scores"))
    of_detectors = [one.sections[-1] for one in _of_detectors(result)]
    inner += _by_detector(result, "classes", of_detectors)
    if result.comparison is not None:
        compared = describe(result.comparison).sections[-1]
        inner.append(replace(compared, name="classes-compared", title="Compared"))
    if len(inner) == 1:
        return replace(inner[0], name="classes", title="Classes")
    return Section("classes", "Classes", inner=tuple(inner))
