"""Which of two detectors is better, by how much, and could it be chance? (METHODS 11)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.metrics.bootstrap import FEWEST_IMAGES, Draws, Resampled
from boxlens.metrics.intervals import (
    Interval,
    ResamplingChoice,
    chance_below,
    detectable_errors,
    holm,
    interval,
    normal_chance_below,
    share_above,
    two_sided,
)
from boxlens.metrics.json_form import JsonRecord, as_key, inline
from boxlens.metrics.resampling import Sampler
from boxlens.metrics.results import DetectorResult
from boxlens.progress import Progress
from boxlens.studies.comparison.exchange import exchange, exchange_p


def _difference_to_json(difference: Interval) -> dict[str, Any]:
    plain = difference.to_json()
    return {"difference": plain.pop("value"), **plain}


@dataclass(frozen=True, slots=True)
class PairResult(JsonRecord):
    """One number of two detectors: the first minus the second."""

    a: str
    b: str
    metric: str
    difference: Interval = field(metadata=inline(_difference_to_json))
    p_bootstrap: float
    p_permutation: float
    # p_bootstrap, adjusted for all pairs of detectors.
    p_holm: float
    # The smallest true difference that would be found on four of five such test sets.
    detectable: float
    # The share of resampled test sets in which the first is ahead.
    share_a_ahead: float


@dataclass(frozen=True, slots=True)
class ClassPair(JsonRecord):
    """AP of one class for two detectors: the first minus the second."""

    a: str
    b: str
    name: str = field(metadata=as_key("class"))
    n_objects: int
    n_images: int
    difference: Interval = field(metadata=inline(_difference_to_json))
    # By Student's law: where images are few its tails are heavier. NaN where they are too few.
    p: float
    p_permutation: float
    # p, adjusted for all classes of all pairs.
    p_holm: float
    detectable: float


@dataclass(frozen=True, slots=True)
class Contest:
    """All that is known of the detectors that are compared."""

    results: Sequence[DetectorResult]
    samplers: Sequence[Sampler]
    drawn: Sequence[Resampled]
    # By class: images with objects that count.
    n_class_images: npt.NDArray[np.int64]


def compare_pairs(
    contest: Contest,
    choice: ResamplingChoice,
    *,
    n_permutations: int,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[tuple[PairResult, ...], tuple[ClassPair, ...]]:
    """Every two detectors: every number, and AP of every class."""
    pairs: list[PairResult] = []
    classes: list[ClassPair] = []
    for first, second in combinations(range(len(contest.results)), 2):
        exchanged = exchange(
            contest.samplers[first],
            contest.samplers[second],
            n_permutations,
            seed=choice.seed,
            threads=threads,
            progress=progress,
        )
        pairs += _whole(contest, first, second, exchanged, choice)
        classes += _by_class(contest, first, second, exchanged, choice)
    return _holm_over_pairs(pairs, choice), _holm_over_classes(classes, choice)


def _whole(
    contest: Contest, first: int, second: int, exchanged: Draws, choice: ResamplingChoice
) -> list[PairResult]:
    a, b = contest.results[first], contest.results[second]
    drawn_a, drawn_b = contest.drawn[first], contest.drawn[second]
    rows = []
    for metric, value in a.metrics.items():
        difference = value - b.metrics[metric]
        drawn = drawn_a.bootstrap.whole[metric] - drawn_b.bootstrap.whole[metric]
        left = drawn_a.jackknife.whole[metric] - drawn_b.jackknife.whole[metric]
        around = interval(difference, drawn, left, choice, difference=True)
        below = chance_below(difference, drawn, left, choice)
        rows.append(
            PairResult(
                a=a.name,
                b=b.name,
                metric=metric,
                difference=around,
                p_bootstrap=two_sided(below),
                p_permutation=float("nan")
                if np.isnan(around.se)
                else exchange_p(difference, exchanged.whole[metric]),
                p_holm=float("nan"),
                share_a_ahead=share_above(drawn),
                detectable=float("nan"),
            )
        )
    return rows


def _by_class(
    contest: Contest, first: int, second: int, exchanged: Draws, choice: ResamplingChoice
) -> list[ClassPair]:
    a, b = contest.results[first], contest.results[second]
    drawn = _class_differences(contest.drawn[first].bootstrap, contest.drawn[second].bootstrap)
    left = _class_differences(contest.drawn[first].jackknife, contest.drawn[second].jackknife)
    rows = []
    for row, (of_a, of_b) in enumerate(zip(a.classes, b.classes, strict=True)):
        if of_a.n_gt == 0:
            continue
        value = of_a.metrics["AP"] - of_b.metrics["AP"]
        difference = interval(value, drawn[:, row], left[:, row], choice, difference=True)
        n_images = int(contest.n_class_images[row])
        enough = n_images >= FEWEST_IMAGES
        rows.append(
            ClassPair(
                a=a.name,
                b=b.name,
                name=of_a.name,
                n_objects=of_a.n_gt,
                n_images=n_images,
                difference=difference,
                p=two_sided(normal_chance_below(difference, n_images=n_images))
                if enough
                else float("nan"),
                p_permutation=exchange_p(value, exchanged.by_class["AP"][:, row])
                if enough
                else float("nan"),
                p_holm=float("nan"),
                detectable=float("nan"),
            )
        )
    return rows


def _class_differences(a: Draws, b: Draws) -> Floats:
    difference: Floats = a.by_class["AP"] - b.by_class["AP"]
    return difference


def _holm_over_pairs(
    pairs: Sequence[PairResult], choice: ResamplingChoice
) -> tuple[PairResult, ...]:
    """Each number is a question of its own; the pairs of detectors are its tests."""
    adjusted: dict[str, list[float]] = {}
    for metric in dict.fromkeys(row.metric for row in pairs):
        p = np.array([row.p_bootstrap for row in pairs if row.metric == metric])
        adjusted[metric] = holm(p).tolist()
    n_tests = len(pairs) // max(len(adjusted), 1)
    errors = detectable_errors(1 - choice.level, n_tests)
    return tuple(
        replace(row, p_holm=adjusted[row.metric].pop(0), detectable=errors * row.difference.se)
        for row in pairs
    )


def _holm_over_classes(
    classes: Sequence[ClassPair], choice: ResamplingChoice
) -> tuple[ClassPair, ...]:
    p = np.array([row.p for row in classes], dtype=np.float64)
    errors = detectable_errors(1 - choice.level, int(np.count_nonzero(~np.isnan(p))))
    return tuple(
        replace(row, p_holm=adjusted, detectable=errors * row.difference.se)
        for row, adjusted in zip(classes, holm(p).tolist(), strict=True)
    )
