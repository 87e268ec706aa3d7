"""A study of repeatability as a page: whose proposals stay where they are, under which change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.images.perturbing.families import FAMILIES
from boxlens.proposals.generators.training import BLIND
from boxlens.proposals.repeatability.verdict import overall, repeatability_sentences
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    Cell,
    count_cell,
    counted,
    facts,
    notes,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, parameter_text
from boxlens.report.pages.recall_page_tables import folded_table
from boxlens.report.planning.repeatability_figures import CURVES
from boxlens.report.planning.study_words import listed_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.proposals.repeatability.result import MethodRepeatability, RepeatabilityResult
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "proposals"
MOST_NAMES = 3
MOST_TILES = 4
MOST_FAILED = 20
METHODS = "methods"


def repeatability_page(
    result: RepeatabilityResult, document: dict[str, Any], drawn: DrawnPlan
) -> str:
    """`document` is what results.json holds."""
    choice = result.choice
    about = (
        f"{counted(len(result.methods), 'method')}, at most "
        f"{counted(choice.n_proposals, 'proposal')} a picture; "
        f"{counted(len(choice.families), 'kind of change', 'kinds of change')}"
    )
    sections = [
        _summary(result),
        Section(
            METHODS,
            "Methods",
            (_methods_table(result), _failed(result)),
            reading="The mean over the levels that change something; 1: every proposal comes back "
            "in its place. Mean: over all kinds of change. Methods that do not look at pictures "
            "stand last.",
            guide=GUIDE,
        ),
        Section(
            CURVES,
            "Level by level",
            (drawn.cards(CURVES), _level_tables(result)),
            reading="How fast proposals leave their places, and which do.",
            guide=GUIDE,
        ),
        _provenance(result, document),
    ]
    return page(page_title(result), about, sections)


def page_title(result: RepeatabilityResult) -> tuple[str, str]:
    """Who, on how many pictures."""
    who = listed_words([one.name for one in result.methods], "method", most=MOST_NAMES)
    n_images = max((one.n_images for one in result.methods), default=0)
    return f"Repeatability of {who}", counted(n_images, "picture")


def _summary(result: RepeatabilityResult) -> Section:
    first, *others = repeatability_sentences(result)
    known = [one for one in _most_stable_first(result) if not math.isnan(overall(one))]
    # Who does not look at pictures is not stable: it is blind to the change.
    best = ([one for one in known if one.name not in BLIND] or known)[:MOST_TILES]
    parts = (
        tiles((f"repeatability, {one.name}", decimal(overall(one))) for one in best)
        if best
        else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _most_stable_first(result: RepeatabilityResult) -> list[MethodRepeatability]:
    """Those that do not look at pictures after all others, those without a number last."""
    return sorted(
        result.methods,
        key=lambda one: (math.isnan(mean := overall(one)), one.name in BLIND, -mean),
    )


def _methods_table(result: RepeatabilityResult) -> str:
    families = result.choice.families
    rows = [
        [
            text_cell(f"{one.name} (does not look)" if one.name in BLIND else one.name),
            count_cell(one.n_images),
            *(score_cell(_means(one).get(family, math.nan)) for family in families),
            score_cell(overall(one)),
            text_cell(one.made_by or None),
        ]
        for one in _most_stable_first(result)
    ]
    headings = ["method", "pictures", *(FAMILIES[name].title for name in families)]
    headings += ["mean", "made by"]
    return table(headings, rows, caption="Repeatability", wide=True) if rows else ""


def _means(method: MethodRepeatability) -> Mapping[str, float]:
    return {one.family: one.mean for one in method.families}


def _level_tables(result: RepeatabilityResult) -> str:
    """One a kind of change: a column a level."""
    return "".join(_level_table(result, family) for family in result.choice.families)


def _level_table(result: RepeatabilityResult, family: str) -> str:
    found = {
        method.name: one.levels
        for method in _most_stable_first(result)
        for one in method.families
        if one.family == family
    }
    labels = dict(sorted({one.level: one.label for of in found.values() for one in of}.items()))
    rows: list[list[Cell]] = []
    for name, levels in found.items():
        known = {one.level: one.repeatability for one in levels}
        rows.append([text_cell(name), *(score_cell(known.get(level)) for level in labels)])
    title = f"{FAMILIES[family].title}, every level"
    return folded_table(["method", *labels.values()], rows, caption=title) if rows else ""


def _provenance(result: RepeatabilityResult, document: dict[str, Any]) -> Section:
    """Pictures are many, and no file says what is in them: parameters are all there is to tell."""
    choice = result.choice
    levels = {
        FAMILIES[name].title: [FAMILIES[name].label(level) for level in choice.levels_of(name)]
        for name in choice.families
    }
    told = {**document["parameters"], "levels": levels, "n_images": choice.n_images or "all"}
    parameters = [(name, parameter_text(value)) for name, value in told.items()]
    messages = [notice["message"] for notice in document["notices"]]
    return Section(
        "provenance",
        "Provenance",
        (
            facts([("boxlens", document["provenance"]["boxlens"]), *parameters]),
            f"<h3>Notices</h3>{notes(messages)}" if messages else "",
        ),
    )


def _failed(result: RepeatabilityResult) -> str:
    """Pictures that are not in any number."""
    told = [f"{file}: not searched, {reason}." for file, reason in result.failed[:MOST_FAILED]]
    n_more = len(result.failed) - len(told)
    return notes([*told, *[f"{n_more:,} more pictures were not searched."] * (n_more > 0)])
