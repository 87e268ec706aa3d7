"""Oracles: do proposals or suppression hold detectors back, and how do they score near objects?"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from boxlens.report.described.oracle_plots import oracle_plots, score_plots
from boxlens.report.study import CHANGE, COUNT, SCORE, TEXT, Column, Section, Study, Table
from boxlens.studies.proposals.detection_use.oracle_result import ORACLE_WORDS
from boxlens.studies.proposals.detection_use.verdict import oracle_sentences
from boxlens.wording import counted, interval, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.report.study import Form
    from boxlens.studies.proposals.detection_use.oracle_result import (
        DetectorOracles,
        DetectorScores,
        OracleScore,
        ProposalOracleResult,
        ScoreMap,
    )

GUIDE = "proposals"
MOST_NAMES = 3


def study(result: ProposalOracleResult) -> Study:
    detectors = [one.detector for one in result.scores]
    methods = dict.fromkeys(one.method for one in result.oracles if one.method)
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
        tiles=tuple(tile for name in detectors for tile in _tiles(_best_first(result, name))),
        sections=(
            Section(
                "oracles",
                "Oracles",
                (
                    *oracle_plots(result),
                    _oracles(result),
                    *(_best_classes(_best_first(result, name)[0]) for name in detectors),
                    _classes(result),
                ),
                reading="Perfect proposals: detections near objects are kept as well, wrong ones, "
                "too. Perfect suppression: false positives that overlap a true positive of their "
                "class are removed. Gained: AP50 beyond that without an oracle.",
                guide=GUIDE,
            ),
            Section(
                "scores",
                "Scores near objects",
                (*score_plots(result), _bins(result), _filed_bins(result), _cells(result)),
                reading="Whether scores tell tight boxes from loose ones.",
                guide=GUIDE,
            ),
        ),
        main_table="AP50 with each oracle",
        main_plot="oracles",
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


def _rows(result: ProposalOracleResult) -> list[_Row]:
    return [
        _Row(one, score)
        for shape in result.scores
        for one in _best_first(result, shape.detector)
        for score in one.scores
    ]


def _row_columns(*, proposed: bool = False, shown: bool = False) -> list[Column[_Row]]:
    return [
        Column("detector", "detector" if shown else "", lambda row: row.of.detector, TEXT),
        Column("method", "proposals" if proposed else "", lambda row: row.of.method or None, TEXT),
        Column("budget", "", lambda row: row.of.budget, COUNT),
        Column("oracle", "", lambda row: row.score.oracle, TEXT),
    ]


def _oracles(result: ProposalOracleResult) -> Table[_Row]:
    proposed = any(one.method for one in result.oracles)
    return Table(
        "oracles",
        "AP50 with each oracle",
        _rows(result),
        [
            *_row_columns(proposed=proposed, shown=True),
            Column("", "oracle", lambda row: ORACLE_WORDS[row.score.oracle], TEXT),
            Column("AP50", "AP50", lambda row: row.score.ap50),
            Column("", "gained", lambda row: row.gain, CHANGE),
            Column("AP", "AP", lambda row: row.score.ap),
            Column("n_detections", "detections", lambda row: row.score.n_detections, COUNT),
        ],
        folded=proposed,
    )


def _best_classes(one: DetectorOracles) -> Table[str]:
    """With the proposals that the detector does best on."""
    on = f" on {one.method}" if one.method else ""
    return Table(
        "",
        f"AP50 of every class, {one.detector}{on}",
        list(one.scores[0].class_ap50),
        [
            Column("", "class", str, TEXT),
            *(
                Column("", ORACLE_WORDS[score.oracle], partial(_ap_of, score))
                for score in one.scores
            ),
        ],
        folded=True,
        detail=True,
    )


def _ap_of(score: OracleScore, name: str) -> float:
    return score.class_ap50.get(name, math.nan)


def _classes(result: ProposalOracleResult) -> Table[tuple[_Row, str]]:
    columns: list[Column[tuple[_Row, str]]] = [
        Column(one.key, "", partial(_of_row, one), one.form) for one in _row_columns()
    ]
    return Table(
        "oracle_classes",
        "",
        [(row, name) for row in _rows(result) for name in row.score.class_ap50],
        [
            *columns,
            Column("class", "", lambda pair: pair[1], TEXT),
            Column("AP50", "", lambda pair: _ap_of(pair[0].score, pair[1])),
        ],
    )


def _of_row(column: Column[_Row], pair: tuple[_Row, str]) -> object:
    return column.value(pair[0])


class _Bin(NamedTuple):
    """A bin of IoU; its place is the same for every detector."""

    place: int
    low: float
    high: float


def _every_bin(one: DetectorScores) -> list[_Bin]:
    edges = one.by_iou.edges.round(6).tolist()
    return [_Bin(place, low, high) for place, (low, high) in enumerate(pairwise(edges))]


def _bins(result: ProposalOracleResult) -> Table[_Bin]:
    """Two columns per detector."""
    return Table(
        "",
        "Scaled score by IoU",
        _every_bin(result.scores[0]) if result.scores else [],
        [
            Column("", "IoU", lambda row: interval(row.low, row.high, 2), TEXT),
            *(Column("", f"score, {one.detector}", partial(_mean, one)) for one in result.scores),
            *(
                Column(
                    "", f"detections, {one.detector}", partial(_number, one), COUNT, further=True
                )
                for one in result.scores
            ),
        ],
        folded=True,
    )


def _mean(one: DetectorScores, row: _Bin) -> float:
    return float(one.by_iou.mean[row.place])


def _number(one: DetectorScores, row: _Bin) -> int:
    return one.by_iou.n_detections[row.place]


def _filed_bins(result: ProposalOracleResult) -> Table[tuple[DetectorScores, _Bin]]:
    return Table(
        "scores_by_iou",
        "",
        [(one, row) for one in result.scores for row in _every_bin(one)],
        [
            Column("detector", "", lambda pair: pair[0].detector, TEXT),
            Column("from", "", lambda pair: pair[1].low),
            Column("to", "", lambda pair: pair[1].high),
            Column("score", "", lambda pair: _mean(*pair)),
            Column("spread", "", lambda pair: float(pair[0].by_iou.spread[pair[1].place])),
            Column("n_detections", "", lambda pair: _number(*pair), COUNT),
        ],
    )


class _Cell(NamedTuple):
    """A cell of a score map."""

    detector: str
    of: ScoreMap
    line: int
    column: int


def _cells(result: ProposalOracleResult) -> Table[_Cell]:
    """All of them; those without a detection have no score."""
    return Table(
        "score_maps",
        "",
        [
            _Cell(one.detector, found, line, column)
            for one in result.scores
            for found in one.maps
            for line, scores in enumerate(found.mean)
            for column in range(len(scores))
        ],
        [
            Column("detector", "", lambda cell: cell.detector, TEXT),
            Column("kind", "", lambda cell: cell.of.kind, TEXT),
            Column("x_from", "", lambda cell: round(float(cell.of.x_edges[cell.column]), 6)),
            Column("x_to", "", lambda cell: round(float(cell.of.x_edges[cell.column + 1]), 6)),
            Column("y_from", "", lambda cell: round(float(cell.of.y_edges[cell.line]), 6)),
            Column("y_to", "", lambda cell: round(float(cell.of.y_edges[cell.line + 1]), 6)),
            Column("score", "", lambda cell: float(cell.of.mean[cell.line, cell.column])),
            Column(
                "n_detections",
                "",
                lambda cell: int(cell.of.n_detections[cell.line, cell.column]),
                COUNT,
            ),
        ],
    )
