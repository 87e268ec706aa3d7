"""Figures of oracles and of scores near objects."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from boxlens.report.charts.method_words import first_of
from boxlens.report.charts.oracles import (
    MAP_WORDS,
    oracle_scores_chart,
    score_map_chart,
    scores_by_iou_chart,
)
from boxlens.report.study import Plot, file_name
from boxlens.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.studies.proposals.detection_use.oracle_result import (
        DetectorOracles,
        ProposalOracleResult,
        ScoreMap,
    )

# Groups of bars, lines and bands of a figure.
MOST_GROUPS, MOST_LINES, MOST_BANDS = 10, 8, 3
# A cell of a score map with fewer detections is faint.
FEWEST = 5


def _alone(at: int, n_figures: int) -> bool:
    """Of figures two per line, the first of an odd number has a line to itself."""
    return at == 0 and n_figures % 2 == 1


def oracle_plots(result: ProposalOracleResult) -> Iterator[Plot]:
    """One per detector; without proposals one for all."""
    if not any(one.method for one in result.oracles):
        yield _oracle_plot(result, result.oracles, "oracles", "", wide=True)
        return
    detectors = list(dict.fromkeys(one.detector for one in result.oracles))
    for at, name in enumerate(detectors):
        mine = [one for one in result.oracles if one.detector == name]
        suffix = f": {name}" if len(detectors) > 1 else ""
        wide = _alone(at, len(detectors))
        yield _oracle_plot(result, mine, f"oracles_{file_name(name)}", suffix, wide=wide)


def _oracle_plot(
    result: ProposalOracleResult,
    oracles: Sequence[DetectorOracles],
    name: str,
    suffix: str,
    *,
    wide: bool,
) -> Plot:
    known = [one for one in oracles if not any(math.isnan(score.ap50) for score in one.scores)]
    ordered = sorted(known, key=lambda one: -one.unaided.ap50)
    shown = ordered[:MOST_GROUPS]
    proposed = any(one.method for one in oracles)
    legend = "AP at IoU 0.5, and what each oracle adds."
    if proposed:
        legend += (
            " Grey: detections near a proposal, after suppression. Dashed: all detections as given."
        )
    if len(shown) < len(ordered):
        whose = "methods" if proposed else "detectors"
        legend += f" The best {len(shown)} of {len(ordered)} {whose}."
    detectors = list(dict.fromkeys(one.detector for one in oracles))
    return Plot(
        name,
        f"AP50 with perfect proposals and perfect suppression{suffix}",
        "Dark blue much longer than grey: look for better proposals. Light blue much longer: "
        "improve suppression. What green leaves open, neither can fix."
        if proposed
        else "The longer the blue bar beyond the grey one, the more duplicates beside true "
        "positives cost.",
        partial(oracle_scores_chart, shown),
        legend=legend,
        about=f"{listed(detectors, 2, 'detectors')} on {result.dataset['name']}",
        absent="" if known else "no class has objects",
        wide=wide,
    )


def score_plots(result: ProposalOracleResult) -> Iterator[Plot]:
    where, nothing = result.dataset["name"], "no detection overlaps an object"
    shown = result.scores[:MOST_LINES]
    banded = len(shown) <= MOST_BANDS
    known = any(not np.isnan(one.by_iou.mean).all() for one in shown)
    legend = (
        "Mean score of detections by their IoU with an object, scaled from 0 to 1 in every class, "
        "then averaged over classes."
    )
    if banded:
        legend += " Band: half the distance between the quartiles of the classes, up and down."
    names = listed([one.detector for one in result.scores], 2, "detectors")
    yield Plot(
        "scores_by_iou",
        "Score by IoU with the object",
        "A line that rises to the end ranks tight boxes above loose ones. A flat end: the detector "
        "cannot tell good boxes from very good ones.",
        partial(scores_by_iou_chart, shown, banded=banded),
        legend=legend + first_of(len(shown), len(result.scores), "detectors"),
        about=f"{names} on {where}",
        absent="" if known else nothing,
        wide=_alone(0, 1 + len(result.scores)),
    )
    for one in result.scores:
        maps = [found for found in one.maps if not np.isnan(found.mean).all()]
        suffix = f": {one.detector}" if len(result.scores) > 1 else ""
        yield Plot(
            f"score_map_{file_name(one.detector)}",
            f"Scores around objects{suffix}",
            "Darkest at the cross and paler all around: scores show where the object is. A dark "
            "place beside the cross: boxes there win over better ones.",
            partial(score_map_chart, maps, result.scores, FEWEST),
            legend=_map_legend(maps),
            about=f"{one.detector} on {where}",
            absent="" if maps else nothing,
        )


def _map_legend(maps: Sequence[ScoreMap]) -> str:
    skipped = ", ".join(
        f"{one.n_left_out:,} ({MAP_WORDS[one.kind]})" for one in maps if one.n_left_out
    )
    text = (
        "Mean score, scaled from 0 to 1 in every class, of detections whose box is moved against "
        "its object or has another size; cross: the object itself. Blank: no detection; faint: "
        f"fewer than {FEWEST}."
    )
    if skipped:
        text += f" Not shown, further away or of a class whose scores are all equal: {skipped}."
    return text
