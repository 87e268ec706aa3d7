"""Which figures a study of oracles and scores has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.oracle_scores import oracle_scores_chart
from boxlens.report.charts.score_map import highest_score, score_map_chart
from boxlens.report.charts.scores_by_iou import scores_by_iou_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, file_name, plan_of
from boxlens.report.planning.study_words import data_set_words, listed_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.proposals.detection_use.oracle_result import (
        DetectorOracles,
        ProposalOracleResult,
    )

# Sections of the page.
ORACLES, SCORES = "oracles", "scores"

NO_OBJECTS = "no class has objects"
NOTHING_NEAR = "no detection overlaps an object"


def oracle_figures(result: ProposalOracleResult) -> FigurePlan:
    """What oracles bring, then how scores go with overlap and place."""
    return plan_of([*_oracles(result), *_scores(result)])


def _oracles(result: ProposalOracleResult) -> Iterator[Figure | LeftOut]:
    """One a detector; without proposals one for all."""
    detectors = dict.fromkeys(one.detector for one in result.oracles)
    if not any(one.method for one in result.oracles):
        yield _oracle_figure(result, result.oracles, "oracles", "", wide=True)
        return
    for at, name in enumerate(detectors):
        mine = [one for one in result.oracles if one.detector == name]
        suffix = f": {name}" if len(detectors) > 1 else ""
        wide = _alone(at, len(detectors))
        yield _oracle_figure(result, mine, f"oracles_{file_name(name)}", suffix, wide=wide)


def _alone(at: int, n_figures: int) -> bool:
    """Of figures two a line, the first of an odd number has a line to itself."""
    return at == 0 and n_figures % 2 == 1


def _oracle_figure(
    result: ProposalOracleResult,
    oracles: Sequence[DetectorOracles],
    name: str,
    suffix: str,
    *,
    wide: bool,
) -> Figure | LeftOut:
    title = f"What perfect proposals and perfect suppression would bring{suffix}"
    if all(math.isnan(score.ap50) for one in oracles for score in one.scores):
        return LeftOut(title, NO_OBJECTS, ORACLES)
    who = listed_words(list(dict.fromkeys(one.detector for one in oracles)), "detector")
    return Figure(
        name,
        title,
        "Dark blue much longer than grey: look for better proposals. Light blue much longer: "
        "look at suppression. What green leaves open, neither can mend."
        if oracles[0].method
        else "The longer the blue bar beyond the grey one, the more duplicates beside true "
        "detections cost.",
        ORACLES,
        partial(
            oracle_scores_chart, oracles, about=f"{who} on {data_set_words(result.provenance)}"
        ),
        wide=wide,
    )


def _scores(result: ProposalOracleResult) -> Iterator[Figure | LeftOut]:
    where = data_set_words(result.provenance)
    title = "How scores rise with the overlap"
    if all(math.isnan(mean) for one in result.scores for mean in one.by_iou.mean.tolist()):
        yield LeftOut(title, NOTHING_NEAR, SCORES)
    else:
        who = listed_words([one.detector for one in result.scores], "detector")
        yield Figure(
            "scores_by_iou",
            title,
            "A line that rises to the end ranks close boxes above loose ones. A flat end: the "
            "detector cannot tell good boxes from very good ones.",
            SCORES,
            partial(scores_by_iou_chart, result.scores, about=f"{who} on {where}"),
            wide=_alone(0, 1 + len(result.scores)),
        )
    highest = highest_score(result.scores)
    for one in result.scores:
        title = "Scores around objects" + (f": {one.detector}" if len(result.scores) > 1 else "")
        if all(math.isnan(value) for drawn in one.maps for value in drawn.mean.ravel().tolist()):
            yield LeftOut(title, NOTHING_NEAR, SCORES)
            continue
        yield Figure(
            f"score_map_{file_name(one.detector)}",
            title,
            "Darkest at the cross and paler all around: scores say where the object is. A dark "
            "place beside the cross: boxes there win over better ones.",
            SCORES,
            partial(score_map_chart, one, highest=highest, about=f"{one.detector} on {where}"),
        )
