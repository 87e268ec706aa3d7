"""Oracles: do proposals or suppression hold detectors back, and how do they score near objects?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.oracles import (
    MAP_WORDS,
    oracle_scores_chart,
    score_map_chart,
    scores_by_iou_chart,
)
from boxlens.report.study import (
    CHANGE,
    COUNT,
    SCORE,
    TEXT,
    Column,
    Form,
    Plot,
    Section,
    Study,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.studies.proposals.detection_use.oracle_result import (
    ORACLE_WORDS,
    DetectorOracles,
    DetectorScores,
    OracleScore,
    ProposalOracleResult,
    ScoreMap,
)
from boxlens.studies.proposals.detection_use.verdict import oracle_sentences
from boxlens.wording import counted, interval, listed

MOST_NAMES = 3
# Groups of bars, lines and bands of a figure.
MOST_GROUPS, MOST_LINES, MOST_BANDS = 10, 8, 3
# A cell of a score map with fewer detections is faint.
FEWEST = 5


def study(result: ProposalOracleResult) -> Study:
    detectors = [one.detector for one in result.scores]
    methods = dict.fromkeys(one.method for one in result.oracles if one.method)
    ranked = [_best_first(result, name) for name in detectors]
    oracles = _oracles(ranked, proposed=bool(methods))
    budget = result.parameters.get("budget")
    proposals = f"{counted(len(methods), 'method')} of proposals" if methods else "no proposals"
    return Study(
        title=f"Oracles for {listed(detectors, MOST_NAMES, 'detectors')}",
        data=result.dataset["name"],
        facts=(
            counted(len(detectors), "detector"),
            proposals,
            *([] if budget is None else [f"at most {counted(budget, 'proposal')} per image"]),
        ),
        sentences=tuple(oracle_sentences(result)) or ("There are no detectors.",),
        tiles=tuple(tile for one in ranked for tile in _tiles(one)),
        sections=(
            Section(
                "oracles",
                "Oracles",
                (
                    *_oracle_plots(result, oracles),
                    oracles,
                    *(_best_classes(one[0]) for one in ranked),
                    _classes(ranked),
                ),
                "Perfect proposals: detections near objects are kept as well, wrong ones, too. "
                "Perfect suppression: false positives that overlap a true positive of their class "
                "are removed. Gained: AP50 beyond that without an oracle.",
            ),
            Section(
                "scores",
                "Scores near objects",
                (*_score_plots(result), _bins(result), _filed_bins(result), _cells(result)),
                "Whether scores tell tight boxes from loose ones.",
            ),
        ),
        main_table="AP50 with each oracle",
        main_plot="oracles",
        guide="proposals",
    )


def _best_first(result: ProposalOracleResult, detector: str) -> list[DetectorOracles]:
    """By AP50 without an oracle; undefined is the least."""
    mine = [one for one in result.oracles if one.detector == detector]
    return sorted(mine, key=lambda one: (math.isnan(ap := one.unaided.ap50), -ap))


def _tiles(ranked: Sequence[DetectorOracles]) -> Iterator[tuple[str, float, Form]]:
    """Without an oracle and with all, on the proposals that the detector does best on."""
    one = ranked[0]
    who = f"{one.detector} on {one.method}" if one.method else one.detector
    best = f" (best of {len(ranked)})" if len(ranked) > 1 else ""
    oracles = "both oracles" if one.method else ORACLE_WORDS["nms"]
    yield f"AP50, {who}{best}", one.unaided.ap50, SCORE
    yield f"AP50 with {oracles}, {one.detector}", one.scores[-1].ap50, SCORE


class _Row(NamedTuple):
    """A detector with the proposals of a method and an oracle."""

    of: DetectorOracles
    score: OracleScore

    @property
    def gain(self) -> float | None:
        if self.score.oracle in ("raw", self.of.unaided.oracle):
            return None
        return self.score.ap50 - self.of.unaided.ap50


def _rows(ranked: Sequence[Sequence[DetectorOracles]]) -> list[_Row]:
    return [_Row(one, score) for mine in ranked for one in mine for score in one.scores]


def _oracles(ranked: Sequence[Sequence[DetectorOracles]], *, proposed: bool) -> Table[_Row]:
    method = "proposals" if proposed else ""
    return Table(
        "oracles",
        "AP50 with each oracle",
        _rows(ranked),
        [
            Column("detector", "detector", lambda row: row.of.detector, TEXT),
            Column("method", method, lambda row: row.of.method or None, TEXT),
            Column("budget", "", lambda row: row.of.budget, COUNT),
            Column("oracle", "", lambda row: row.score.oracle, TEXT),
            Column("", "oracle", lambda row: ORACLE_WORDS[row.score.oracle], TEXT),
            Column("AP50", "AP50", lambda row: row.score.ap50),
            Column("", "gained", lambda row: row.gain, CHANGE),
            Column("AP", "AP", lambda row: row.score.ap),
            Column("n_detections", "detections", lambda row: row.score.n_detections, COUNT),
        ],
        folded=proposed,
    )


def _best_classes(one: DetectorOracles) -> Table[Any]:
    """With the proposals that the detector does best on."""
    on = f" on {one.method}" if one.method else ""
    return table_of(
        "",
        f"AP50 of every class, {one.detector}{on}",
        {"class": TEXT, **{ORACLE_WORDS[score.oracle]: SCORE for score in one.scores}},
        (
            (name, *(score.class_ap50.get(name) for score in one.scores))
            for name in one.scores[0].class_ap50
        ),
        folded=True,
        detail=True,
    )


def _classes(ranked: Sequence[Sequence[DetectorOracles]]) -> Table[Any]:
    forms = {"detector": TEXT, "method": TEXT, "budget": COUNT, "oracle": TEXT, "class": TEXT}
    rows = (
        (of.detector, of.method or None, of.budget, score.oracle, name, ap)
        for of, score in _rows(ranked)
        for name, ap in score.class_ap50.items()
    )
    return table_of("oracle_classes", "", {**forms, "AP50": SCORE}, rows)


def _ends(one: DetectorScores) -> list[tuple[float, float]]:
    """Of the bins of IoU; they are the same for every detector."""
    return list(pairwise(one.by_iou.edges.round(6).tolist()))


def _bins(result: ProposalOracleResult) -> Table[int]:
    """By the place of the bin; two columns per detector."""
    ends = _ends(result.scores[0]) if result.scores else []
    return Table(
        "",
        "Scaled score by IoU",
        range(len(ends)),
        [
            Column("", "IoU", lambda at: interval(*ends[at], 2), TEXT),
            *columns_of(
                result.scores,
                lambda at, one: float(one.by_iou.mean[at]),
                heading=lambda one: f"score, {one.detector}",
            ),
            *columns_of(
                result.scores,
                lambda at, one: one.by_iou.n_detections[at],
                COUNT,
                heading=lambda one: f"detections, {one.detector}",
                further=True,
            ),
        ],
        folded=True,
    )


def _filed_bins(result: ProposalOracleResult) -> Table[Any]:
    numbers = dict.fromkeys(("from", "to", "score", "spread"), SCORE)
    rows = (
        (one.detector, *ends, float(by.mean[at]), float(by.spread[at]), by.n_detections[at])
        for one in result.scores
        for by in [one.by_iou]
        for at, ends in enumerate(_ends(one))
    )
    return table_of("scores_by_iou", "", {"detector": TEXT, **numbers, "n_detections": COUNT}, rows)


def _cells(result: ProposalOracleResult) -> Table[Any]:
    """All of them; those without a detection have no score."""
    numbers = dict.fromkeys(("x_from", "x_to", "y_from", "y_to", "score"), SCORE)
    forms = {"detector": TEXT, "kind": TEXT, **numbers, "n_detections": COUNT}
    rows = (
        (one.detector, found.kind, *across, *up, mean, int(found.n_detections[line, column]))
        for one in result.scores
        for found in one.maps
        for line, up in enumerate(pairwise(found.y_edges.round(6).tolist()))
        for column, across in enumerate(pairwise(found.x_edges.round(6).tolist()))
        for mean in [float(found.mean[line, column])]
    )
    return table_of("score_maps", "", forms, rows)


def _alone(at: int, n_figures: int) -> bool:
    """Of figures two per line, the first of an odd number has a line to itself."""
    return at == 0 and n_figures % 2 == 1


def _oracle_plots(result: ProposalOracleResult, table: Table[_Row]) -> Iterator[Plot]:
    """One per detector; without proposals one for all."""
    proposed = any(one.method for one in result.oracles)
    whose = "methods" if proposed else "detectors"
    legend = "AP at IoU 0.5, and what each oracle adds."
    if proposed:
        legend += (
            " Grey: detections near a proposal, after suppression. Dashed: all detections as given."
        )
    figures: dict[str, list[DetectorOracles]] = {}
    for one in result.oracles:
        figures.setdefault(one.detector if proposed else "", []).append(one)
    for at, (who, mine) in enumerate(figures.items()):
        known = [one for one in mine if not any(math.isnan(score.ap50) for score in one.scores)]
        ordered = sorted(known, key=lambda one: -one.unaided.ap50)
        shown = replace(table, rows=_rows([ordered[:MOST_GROUPS]]))
        detectors = list(dict.fromkeys(one.detector for one in mine))
        suffix = f": {who}" if len(figures) > 1 else ""
        yield Plot(
            f"oracles_{file_name(who)}" if proposed else "oracles",
            f"AP50 with perfect proposals and perfect suppression{suffix}",
            "Dark blue much longer than grey: look for better proposals. Light blue much longer: "
            "improve suppression. What green leaves open, neither can fix."
            if proposed
            else "The longer the blue bar beyond the grey one, the more duplicates beside true "
            "positives cost.",
            partial(oracle_scores_chart, shown, proposed=proposed),
            legend=legend + first_of(MOST_GROUPS, len(ordered), whose, "best"),
            about=f"{listed(detectors, 2, 'detectors')} on {result.dataset['name']}",
            absent="" if known else "no class has objects",
            wide=_alone(at, len(figures)),
        )


def _score_plots(result: ProposalOracleResult) -> Iterator[Plot]:
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
        legend=legend + first_of(MOST_LINES, len(result.scores), "detectors"),
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
