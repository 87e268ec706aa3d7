"""The whole report as a page: the verdict, then a section a question, detectors side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boxlens.report.pages import comparison_page, difficulty_page, evaluation_page
from boxlens.report.pages.diagnosis_page import diagnosis_sections
from boxlens.report.pages.examples import (
    READING,
    comparison_examples,
    diagnosis_examples,
    examples_section,
)
from boxlens.report.pages.markup import paragraph
from boxlens.report.pages.page import Section, about_data, names_of, page, provenance_section
from boxlens.report.pages.sensitivity_page import classes_section, objects_section, summary
from boxlens.report.planning.figure_plan import OBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.report.pages.examples import Pictures
    from boxlens.report.pages.page import DrawnPlan
    from boxlens.report.planning.questions import ReportResult


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """Drawn, by what they tell of; one plan a detector."""

    evaluation: DrawnPlan | None
    diagnoses: tuple[DrawnPlan, ...]
    difficulty: DrawnPlan | None
    comparison: DrawnPlan | None


def report_page(
    result: ReportResult,
    document: dict[str, Any],
    drawn: ReportFigures,
    pictures: Pictures | None,
    prefixes: Sequence[str],
) -> str:
    """`document` is what results.json holds; `prefixes` keep detectors apart in names."""
    parts = _Parts(result, drawn, pictures, prefixes)
    return page(
        (names_of(result.tables), result.dataset.name),
        about_data(result.dataset, result.tables),
        [
            parts.verdict(),
            *parts.scores(),
            *parts.details(),
            *parts.difficulty(),
            *parts.comparison(),
            parts.examples(),
            parts.classes(),
            provenance_section(document),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """The sections of every result, put together by question."""

    result: ReportResult
    drawn: ReportFigures
    pictures: Pictures | None
    prefixes: Sequence[str]

    def verdict(self) -> Section:
        """Who is better, then what each detector lacks."""
        inner = []
        if self.result.comparison is not None:
            answer = comparison_page.answer_section(self.result.comparison)
            inner.append(replace(answer, title="Which is better"))
        told = [one[0] for one in self._diagnosed()]
        inner += self._by_detector("verdict", told)
        if not inner and self.result.evaluation is not None:
            return replace(evaluation_page.answer_section(self.result.evaluation), title="Verdict")
        if len(inner) == 1:
            return replace(inner[0], name="verdict", title="Verdict")
        return Section("verdict", "Verdict", inner=tuple(inner))

    def scores(self) -> Iterator[Section]:
        if self.result.evaluation is not None and self.drawn.evaluation is not None:
            yield evaluation_page.scores_section(self.result.evaluation, self.drawn.evaluation)

    def details(self) -> Iterator[Section]:
        """What the verdicts rest on: one section a question, in it one part a detector."""
        # Verdicts are first, and classes have a place of their own.
        for same in zip(*(one[1:-1] for one in self._diagnosed()), strict=True):
            yield self._joined(same)

    def difficulty(self) -> Iterator[Section]:
        found, drawn = self.result.difficulty, self.drawn.difficulty
        if found is not None and drawn is not None:
            inner = difficulty_page.report_sections(found, drawn)
            yield Section("difficulty", "Difficulty", inner=inner)

    def comparison(self) -> Iterator[Section]:
        found, drawn = self.result.comparison, self.drawn.comparison
        if found is not None and drawn is not None:
            inner = comparison_page.question_sections(found, drawn)
            yield Section("comparison", "Comparison", inner=inner)

    def examples(self) -> Section:
        if "errors" not in self.result.asked:
            told = []
        else:
            told = [
                Section("examples", "", diagnosis_examples(one, self.pictures, prefix))
                for one, prefix in zip(self.result.diagnoses, self.prefixes, strict=True)
            ]
        inner = list(self._by_detector("examples", told))
        if self.result.comparison is not None:
            parts = comparison_examples(self.result.comparison, self.pictures)
            inner.append(Section("examples-compared", "Compared", parts))
        if len(inner) == 1:
            return examples_section(inner[0].parts, self.pictures)
        remarks = examples_section((), self.pictures)
        return replace(remarks, inner=tuple(inner), reading=READING)

    def classes(self) -> Section:
        inner = []
        if self.result.evaluation is not None:
            scores = evaluation_page.classes_section(self.result.evaluation)
            inner.append(replace(scores, name="classes-scores", title="Scores"))
        inner += self._by_detector("classes", [one[-1] for one in self._diagnosed()])
        if self.result.comparison is not None:
            compared = comparison_page.classes_section(self.result.comparison)
            inner.append(replace(compared, name="classes-compared", title="Compared"))
        if len(inner) == 1:
            return replace(inner[0], name="classes", title="Classes")
        return Section("classes", "Classes", inner=tuple(inner))

    def _diagnosed(self) -> list[tuple[Section, ...]]:
        """Of each detector, as far as it was asked: verdict, details, classes."""
        asked = self.result.asked
        found = []
        for one, drawn in zip(self.result.diagnoses, self.drawn.diagnoses, strict=True):
            if "errors" in asked:
                sections = diagnosis_sections(one, drawn)
                hidden = () if "sensitivity" in asked else (OBJECTS,)
                found.append(tuple(part for part in sections if part.name not in hidden))
            elif "sensitivity" in asked:
                found.append(_sensitivity_sections(one, drawn))
        return found

    def _joined(self, same: Sequence[Section]) -> Section:
        if len(same) == 1:
            return same[0]
        first = same[0]
        parts = [replace(one, reading="", guide="") for one in same]
        inner = tuple(self._by_detector(first.name, parts))
        return Section(first.name, first.title, (), first.reading, first.guide, inner)

    def _by_detector(self, name: str, parts: Sequence[Section]) -> Iterator[Section]:
        """The same section of each detector, under the detector's name."""
        names = (one.name for one in self.result.tables)
        for part, prefix, detector in zip(parts, self.prefixes, names, strict=False):
            mark = prefix.rstrip("_") or "detector"
            yield replace(part, name=f"{name}-{mark}", title=detector)


def _sensitivity_sections(result: DiagnosisResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    found = result.sensitivity
    verdict = Section("verdict", "Verdict", (paragraph(summary(found), "lead"),))
    return verdict, objects_section(found, drawn), classes_section(found)
