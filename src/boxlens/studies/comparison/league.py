"""Detectors from best to worst, and which of them cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

import numpy as np

from boxlens.metrics.intervals import Interval
from boxlens.metrics.json_form import JsonRecord, inline
from boxlens.studies.comparison.paired import PairResult


@dataclass(frozen=True, slots=True)
class LeagueRow(JsonRecord):
    """Detectors that share a letter cannot be told apart."""

    name: str
    score: Interval = field(metadata=inline())
    letters: str


@dataclass(frozen=True, slots=True)
class League(JsonRecord):
    """One number of all detectors, the best first."""

    metric: str
    alpha: float
    rows: tuple[LeagueRow, ...]


def league(
    metric: str, scores: Mapping[str, Interval], pairs: Sequence[PairResult], alpha: float
) -> League:
    """Two detectors are told apart where the adjusted p-value of their pair is below alpha."""
    names = sorted(scores, key=lambda name: -_sortable(scores[name].value))
    place = {name: row for row, name in enumerate(names)}
    alike = np.ones((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.metric == metric and pair.p_holm < alpha:
            first, second = place[pair.a], place[pair.b]
            alike[first, second] = alike[second, first] = False
    groups = sorted(_largest_groups(alike, (), tuple(range(len(names))), ()))
    return League(
        metric,
        alpha,
        tuple(
            LeagueRow(
                name,
                scores[name],
                " ".join(_letter(at) for at, group in enumerate(groups) if row in group),
            )
            for row, name in enumerate(names)
        ),
    )


def _largest_groups(
    alike: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    chosen: tuple[int, ...],
    open_: tuple[int, ...],
    closed: tuple[int, ...],
) -> Iterator[tuple[int, ...]]:
    """Sets of rows that are all alike and to which none can be added (Bron and Kerbosch)."""
    if not open_ and not closed:
        yield tuple(sorted(chosen))
        return
    # A group without this row has one that differs from it: others need not be tried first.
    pivot = max((*open_, *closed), key=lambda row: int(alike[row, list(open_)].sum()))
    for row in open_:
        if row != pivot and alike[pivot, row]:
            continue
        open_ = tuple(other for other in open_ if other != row)
        yield from _largest_groups(
            alike,
            (*chosen, row),
            tuple(other for other in open_ if alike[row, other]),
            tuple(other for other in closed if alike[row, other]),
        )
        closed = (*closed, row)


def _letter(at: int) -> str:
    """a, b, ... z, aa, ab, ..."""
    n = len(ascii_lowercase)
    return (_letter(at // n - 1) if at >= n else "") + ascii_lowercase[at % n]


def _sortable(value: float) -> float:
    return -np.inf if np.isnan(value) else value
