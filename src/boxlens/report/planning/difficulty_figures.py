"""Which figures an analysis of difficulty has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from boxlens.dataset_difficulty.cumulative import CONTROLS, SCORES_OF_GROUPS
from boxlens.report.charts.controlled_scores import controlled_scores_chart, group_curves
from boxlens.report.charts.cumulative_scores import cumulative_scores_chart
from boxlens.report.charts.hard_classes import hard_classes_chart
from boxlens.report.charts.level_scores import level_scores_chart
from boxlens.report.charts.matched_subsets import matched_subsets_chart
from boxlens.report.charts.measure_densities import measure_densities_chart
from boxlens.report.charts.nested_controls import nested_controls_chart
from boxlens.report.charts.node_scores import node_scores_chart
from boxlens.report.charts.property_scores import property_scores_chart
from boxlens.report.charts.score_by_measure import score_by_measure_chart
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    defined_measures,
    defined_scores,
    score_words,
    titled_score,
)
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, file_name, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName, SystemAccuracy
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

# Sections of the page.
DATASETS, CLASSES, CORRELATIONS = "datasets", "classes", "correlations"
HIERARCHY, PROPERTIES, SUBSETS = "hierarchy", "properties", "subsets"

# Classes are ranked by these; by another only where neither is known.
RANKED_BY: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
ACCUMULATED: Final[tuple[ScoreName, ...]] = ("ap", "cls_loc", "loc_given_cls")
# Fewer make no line.
FEWEST_CLASSES: Final = 3
NO_OBJECTS = "no class has objects that count"
NO_SYSTEMS = "no detections and no guesses were given"
CONTROLLED = (
    "Curves that stay apart all along: the groups differ also among equally hard classes. Curves "
    "that fall together: one group only had the harder objects."
)


def difficulty_figures(result: DifficultyResult) -> FigurePlan:
    """Data sets and their classes, then what systems make of them."""
    return plan_of(
        [
            _datasets(result),
            *_classes(result),
            *_correlations(result),
            *_hierarchy(result),
            *_properties(result),
            _subsets(result),
        ]
    )


def report_difficulty_figures(result: DifficultyResult) -> FigurePlan:
    """Within a whole report: one figure a question, of the main score."""
    whole = difficulty_figures(result)
    scattered = [one.name for one in whole.figures if one.section == CORRELATIONS][:1]
    sections = (DATASETS, CLASSES, HIERARCHY)
    return FigurePlan(
        tuple(one for one in whole.figures if one.section in sections or one.name in scattered),
        tuple(one for one in whole.left_out if one.section in (*sections, CORRELATIONS)),
    ).of_detector("", "difficulty_")


def _datasets(result: DifficultyResult) -> Figure | LeftOut:
    title = "How hard classes are, by every measure"
    if not defined_measures(result.datasets):
        return LeftOut(title, NO_OBJECTS, DATASETS)
    names = " and ".join(one.name for one in result.datasets)
    n_sets = len(result.datasets)
    return Figure(
        "measures",
        title,
        "Small objects, low CPL, much clutter and many instances make classes hard to localize. A "
        "curve further to the hard side is a harder data set, whatever the systems do.",
        DATASETS,
        partial(
            measure_densities_chart,
            result.datasets,
            about=names if n_sets <= 2 else f"{n_sets} data sets",
        ),
    )


def _classes(result: DifficultyResult) -> Iterator[Figure | LeftOut]:
    first = result.datasets[0]
    measures = defined_measures([first])
    if not measures:
        yield LeftOut("The hardest and the easiest classes", NO_OBJECTS, CLASSES)
        return
    for measure in [name for name in RANKED_BY if name in measures] or measures[:1]:
        yield Figure(
            f"classes_by_{measure}",
            f"The hardest and the easiest classes by {MEASURE_WORDS[measure]}",
            "Classes at the top are hard whatever the system: expect low scores there.",
            CLASSES,
            partial(
                hard_classes_chart, first, measure, linked=_has_detectors(result), about=first.name
            ),
        )


def _has_detectors(result: DifficultyResult) -> bool:
    """Only those have an AP, and only their objects can be looked at in the app."""
    return any(not math.isnan(one.scores.get("ap", math.nan)) for one in result.systems)


def _correlations(result: DifficultyResult) -> Iterator[Figure | LeftOut]:
    title = "Scores of classes against their difficulty"
    scores = defined_scores(result)
    if max((one.n_classes for one in result.correlations), default=0) < FEWEST_CLASSES:
        why = "fewer than three classes have a score and a measure"
        yield LeftOut(title, why if result.systems else NO_SYSTEMS, CORRELATIONS)
        return
    for score in scores:
        yield Figure(
            f"{score}_by_measure",
            f"{titled_score(result, score)} of classes against every measure of difficulty",
            "A steep line: the system depends on this difficulty. The flatter of two lines belongs "
            "to the more robust system.",
            CORRELATIONS,
            partial(
                score_by_measure_chart,
                result,
                score,
                linked=_has_detectors(result),
                about=_about(result),
            ),
        )
    for score in [name for name in ACCUMULATED if name in scores]:
        yield Figure(
            f"cumulative_{score}",
            f"Mean over classes up to a difficulty: {titled_score(result, score)}",
            "Along scale and CPL curves begin with the hardest classes, along the others with the "
            "easiest; all end with every class. Systems that are apart while hard classes weigh "
            "most, and close while they weigh least, differ mostly on hard classes.",
            CORRELATIONS,
            partial(cumulative_scores_chart, result, score, about=_about(result)),
        )


def _hierarchy(result: DifficultyResult) -> Iterator[Figure | LeftOut]:
    levels, nodes = (
        "Scores as labels are relaxed up the class tree",
        "Nodes of the class tree, exact and as one class",
    )
    if not result.systems or not result.tree:
        why = "no class tree was given" if result.systems else NO_SYSTEMS
        yield LeftOut(levels, why, HIERARCHY)
        return
    known = (value for one in result.levels for value in one.scores.values())
    if all(math.isnan(value) for value in known):
        yield LeftOut(levels, NO_OBJECTS, HIERARCHY)
    elif all(one.level == 0 for one in result.levels):
        yield LeftOut(levels, "the tree joins no classes", HIERARCHY)
    else:
        yield Figure(
            "levels",
            levels,
            "A curve that rises early: the system takes classes for their sisters. One that stays "
            "flat: its errors have nothing to do with similar classes.",
            HIERARCHY,
            partial(level_scores_chart, result, about=_about(result)),
        )
    values = (value for one in result.nodes for value in one.scores.values())
    if all(math.isnan(value) for value in values):
        why = "its classes have no objects" if result.nodes else "no node was named"
        yield LeftOut(nodes, why, HIERARCHY)
        return
    yield Figure(
        "nodes",
        nodes,
        "A long line: the thing is found, but its exact class is not told.",
        HIERARCHY,
        partial(node_scores_chart, result, about=_about(result)),
    )


def _properties(result: DifficultyResult) -> Iterator[Figure | LeftOut]:
    title = "Scores by what classes are like"
    scores = _scores_of_groups(result)
    if not scores:
        why = "no table of class properties was given" if result.systems else NO_SYSTEMS
        yield LeftOut(title, NO_OBJECTS if result.properties else why, PROPERTIES)
        return
    controlled = scores[:1]
    # Another only for systems that localize, but have no main score.
    localizing = [one for one in result.systems if not _has_none(one, ["cls_loc"])]
    if any(_has_none(one, controlled) for one in localizing):
        controlled.append("cls_loc")
    for name in dict.fromkeys(one.property for one in result.properties):
        withins = dict.fromkeys(
            one.within_property for one in result.properties if one.property == name
        )
        for within in withins:
            for score in scores:
                yield _bars(result, name, within, score)
            for score in controlled:
                yield from _controls(result, name, within, score)


def _scores_of_groups(result: DifficultyResult) -> list[ScoreName]:
    """The main score and localization accuracy; plain accuracy where a system has neither."""
    known = [
        name
        for name in defined_scores(result)
        if any(one.score == name for one in result.properties)
    ]
    scores: list[ScoreName] = [name for name in known if name in ("ap", "cls_loc")]
    if "cls" in known and any(_has_none(one, scores) for one in result.systems):
        scores.append("cls")
    return scores


def _has_none(system: SystemAccuracy, scores: Sequence[ScoreName]) -> bool:
    return all(math.isnan(system.scores.get(name, math.nan)) for name in scores)


def _bars(result: DifficultyResult, name: str, within: str, score: ScoreName) -> Figure:
    inside = f", within {within}" if within else ""
    return Figure(
        f"{score}_by_{_file_part(name, within)}",
        f"{score_words(result, score)} by {name}{inside}",
        "Groups whose intervals lie apart differ, beyond which classes happen to be in them; "
        "the curves up to a difficulty tell whether one group merely has easier objects.",
        PROPERTIES,
        partial(property_scores_chart, result, name, score, within=within, about=_about(result)),
    )


def _controls(
    result: DifficultyResult, name: str, within: str, score: ScoreName
) -> Iterator[Figure | LeftOut]:
    """Nested groups have a figure a measure: each value of the outer property takes a line."""
    inside = f" within {within}" if within else ""
    title = f"{score_words(result, score)} up to a difficulty, by {name}{inside}"
    found = {one.measure for one in group_curves(result, name, score, within)}
    if not found:
        why = "no two classes of a group have a score and CPL or clutter"
        unmoved = "the difficulty of localization is no control of classification"
        yield LeftOut(title, why if score in SCORES_OF_GROUPS else unmoved, PROPERTIES)
        return
    file, about = f"{score}_controlled_{_file_part(name, within)}", _about(result)
    if not within:
        draw = partial(controlled_scores_chart, result, name, score, about=about)
        yield Figure(file, title, CONTROLLED, PROPERTIES, draw)
        return
    words = score_words(result, score)
    for measure in [one for one in CONTROLS if one in found]:
        yield Figure(
            f"{file}_{measure}",
            f"{words} up to a value of {MEASURE_WORDS[measure]}, by {name}{inside}",
            CONTROLLED,
            PROPERTIES,
            partial(
                nested_controls_chart, result, name, score, measure, within=within, about=about
            ),
        )


def _file_part(name: str, within: str) -> str:
    return f"{file_name(name)}_within_{file_name(within)}" if within else file_name(name)


def _subsets(result: DifficultyResult) -> Figure | LeftOut:
    title = "How many classes are as hard as wished"
    if not any(len(one.means) for one in result.subsets):
        why = "no class has the measure" if result.subsets else "no target was given"
        return LeftOut(title, why, SUBSETS)
    return Figure(
        "subsets",
        title,
        "Scores on the chosen classes can be compared with scores on data of that difficulty.",
        SUBSETS,
        partial(matched_subsets_chart, result.subsets, about=result.datasets[0].name),
    )


def _about(result: DifficultyResult) -> str:
    names = [one.name for one in result.systems]
    who = " and ".join(names) if len(names) <= 2 else f"{len(names)} systems"
    return f"{who} on {result.datasets[0].name}"
