"""Do detectors differ on the cases that can tell them apart? Removal by disagreement (METHODS 5.2).

Cases on which the scores nearly agree are removed step by step; a difference is real if the rest
tells it from an early step on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.errors import ParameterError
from boxlens.limits import PERMUTATIONS, SEED, Whole
from boxlens.metrics.json_form import HIDDEN, as_key, defined, fields_to_json, inline, number
from boxlens.studies.comparison.cases.p_values import (
    TESTS,
    Counts,
    TestName,
    one_way_anova,
    paired_t,
    sign_flips,
    welch_t,
)
from boxlens.wording import score

GridName = Literal["values", "hundredths"]
GRIDS: tuple[GridName, ...] = get_args(GridName)


@dataclass(frozen=True, slots=True)
class DiscriminativeChoice:
    """How to test and when to stop, checked when it is made."""

    alpha: float = 0.05
    # Two detectors differ if p stays below alpha from a threshold of at most this on.
    largest_t0: float = 0.1
    test: TestName = "paired"
    # Every disagreement that occurs, or steps of .01.
    grid: GridName = "values"
    # The grid ends when fewer cases, or a smaller share of them, remain (METHODS 5.2).
    least_kept: int = 20
    least_share: float = 0.05
    n_permutations: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must be between 0 and 1, got {self.alpha:g}")
        if not self.largest_t0 >= 0:
            raise ParameterError(f"the largest t0 is 0 or more, got {self.largest_t0:g}")
        if self.test not in TESTS:
            raise ParameterError(f"a test is one of {', '.join(TESTS)}, got {self.test!r}")
        if self.grid not in GRIDS:
            raise ParameterError(f"a grid is one of {', '.join(GRIDS)}, got {self.grid!r}")
        if self.least_kept < 2:
            raise ParameterError(f"at least 2 cases are kept, got {self.least_kept}")
        if not 0 <= self.least_share <= 1:
            raise ParameterError(f"a share of cases lies in 0..1, got {self.least_share:g}")
        SEED.check(self.seed, "seed")
        Whole(1, PERMUTATIONS.most).check(self.n_permutations, "n_permutations")
        if 1 / (self.n_permutations + 1) >= self.alpha:
            raise ParameterError(
                f"p cannot fall below alpha = {self.alpha:g} with {self.n_permutations} "
                "permutations: take more",
            )


def _choice_to_json(choice: DiscriminativeChoice) -> dict[str, Any]:
    return {name: getattr(choice, name) for name in ("test", "alpha", "largest_t0")}


@dataclass(frozen=True, slots=True)
class PCurve:
    """p over rising thresholds, and how many cases are left; NaN where they do not vary."""

    threshold: Floats
    p: Floats
    n_kept: Counts

    def first_lasting(self, alpha: float) -> int | None:
        """The first p below alpha after which none rises to it; an undefined p does not count."""
        not_below = np.flatnonzero(self.p >= alpha)
        start = int(not_below[-1]) + 1 if len(not_below) else 0
        below = np.flatnonzero(self.p[start:] < alpha)
        return start + int(below[0]) if len(below) else None

    def to_json(self) -> list[dict[str, Any]]:
        points = zip(self.threshold.tolist(), self.p.tolist(), self.n_kept.tolist(), strict=True)
        return [{"t": t, "p": number(p), "n": n} for t, p, n in points]


@dataclass(frozen=True, slots=True)
class DiscriminativeResult:
    """The curve of p, and what it says. Without a t0 the counts of its cases are None."""

    detectors: tuple[str, ...]
    choice: DiscriminativeChoice = field(metadata=inline(_choice_to_json))
    # The smallest threshold from which on p stays below alpha, NaN if there is none.
    t0: float
    # As a share of the largest disagreement, and of the sum of all thresholds.
    t0_relative: float
    t0_share: float
    differs: bool
    # The best on average over the kept cases, None unless they differ.
    better: str | None
    # First minus second over the kept cases; NaN without a t0 and for more than two.
    mean_difference: float
    n_kept: int | None
    n_removed: int | None
    n_cases: int
    # Cases left out since a score is NaN.
    n_dropped: int
    # Nothing removed, however few cases there are.
    p_all: float
    curve: PCurve = field(metadata=as_key("p_curve"))
    # Rows of the scores that t0 removes.
    removed_rows: Counts = field(metadata=HIDDEN)
    # By detector, over all cases.
    mean: tuple[float, ...] = field(metadata=HIDDEN)
    remark: str = field(metadata=HIDDEN)

    @property
    def a(self) -> str | None:
        """The first of two; None for more."""
        return self.detectors[0] if len(self.detectors) == 2 else None

    @property
    def b(self) -> str | None:
        """The second of two; None for more."""
        return self.detectors[1] if len(self.detectors) == 2 else None

    def to_json(self) -> dict[str, Any]:
        mean = defined(dict(zip(self.detectors, self.mean, strict=True)))
        ends = {"mean": mean, "remark": self.remark}
        return {"a": self.a, "b": self.b, **fields_to_json(self), **ends}


def discriminate(
    names: Sequence[str],
    scores: Sequence[npt.ArrayLike] | Floats,
    choice: DiscriminativeChoice | None = None,
) -> DiscriminativeResult:
    """Compares detectors by one score per image each; a case with a NaN is left out.

    Two detectors disagree by the difference of their scores, more than two by their range. More
    than two take ANOVA, which treats their scores as independent samples, as Welch's test does.
    """
    choice = choice or DiscriminativeChoice()
    table = _checked(names, scores, choice)
    cases = _Cases.of(table)
    curve = _curve(cases, choice)
    p_all = float(cases.p(np.array([len(cases)]), choice)[0]) if len(cases) >= 2 else np.nan
    at = curve.first_lasting(choice.alpha)
    t0 = np.nan if at is None else float(curve.threshold[at])
    n_kept = None if at is None else int(curve.n_kept[at])
    differs = t0 <= choice.largest_t0
    kept_mean = _means(cases.scores[:, : n_kept or 0])
    return DiscriminativeResult(
        detectors=tuple(names),
        choice=choice,
        curve=curve,
        p_all=p_all,
        t0=t0,
        t0_relative=_share(t0, cases.disagreement.max(initial=0)),
        t0_share=_share(t0, float(curve.threshold.sum())),
        differs=differs,
        better=names[int(np.argmax(kept_mean))] if differs else None,
        mean_difference=float(kept_mean[0] - kept_mean[1]) if len(names) == 2 else np.nan,
        n_kept=n_kept,
        n_removed=None if n_kept is None else len(cases) - n_kept,
        removed_rows=np.sort(cases.row[len(cases) if n_kept is None else n_kept :]),
        mean=tuple(_means(cases.scores).tolist()),
        n_cases=len(cases),
        n_dropped=table.shape[1] - len(cases),
        remark=_remark(cases, curve, p_all, at, choice),
    )


def _checked(
    names: Sequence[str], scores: Sequence[npt.ArrayLike] | Floats, choice: DiscriminativeChoice
) -> Floats:
    if len(names) < 2 or len(names) != len(scores):
        raise ParameterError(
            f"two or more detectors are compared, got {len(names)} names and {len(scores)} columns"
        )
    if len(set(names)) < len(names):
        raise ParameterError(f"detectors need different names, got {', '.join(names)}")
    if len(names) > 2 and choice.test != "anova":
        raise ParameterError(
            f"the test {choice.test!r} compares two detectors, got {len(names)}: "
            "compare them pair by pair, or all with 'anova'"
        )
    columns = [np.asarray(column, dtype=np.float64) for column in scores]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        shapes = ", ".join(str(column.shape) for column in columns)
        raise ParameterError(f"scores are one number per image of the same images, got {shapes}")
    table = np.stack(columns)
    if np.isinf(table).any():
        raise ParameterError("scores are finite, or NaN where there is none; got infinity")
    return table


@dataclass(frozen=True, slots=True)
class _Cases:
    """Cases without NaN, from the largest disagreement down: the cases kept come first."""

    # One row per detector, one column per case.
    scores: Floats
    disagreement: Floats
    row: Counts

    @classmethod
    def of(cls, scores: Floats) -> _Cases:
        rows = np.flatnonzero(~np.isnan(scores).any(axis=0))
        disagreement = np.ptp(scores[:, rows], axis=0)
        order = np.argsort(-disagreement, kind="stable")
        return cls(scores[:, rows[order]], disagreement[order], rows[order])

    def __len__(self) -> int:
        return len(self.row)

    def n_kept(self, threshold: Floats) -> Counts:
        """METHODS 5.2 removes what lies below a threshold, not on it."""
        ascending = self.disagreement[::-1]
        return len(self) - np.searchsorted(ascending, threshold, side="left")

    def p(self, n_kept: Counts, choice: DiscriminativeChoice) -> Floats:
        """The test over the first n cases, for every n."""
        if choice.test == "permutation":
            return sign_flips(
                self.scores, n_kept, n_permutations=choice.n_permutations, seed=choice.seed
            )
        tests = {"paired": paired_t, "welch": welch_t, "anova": one_way_anova}
        return tests[choice.test](self.scores, n_kept)


def _curve(cases: _Cases, choice: DiscriminativeChoice) -> PCurve:
    """From 0 up, as long as enough cases remain (METHODS 5.2)."""
    if choice.grid == "values":
        grid = np.unique(np.append(cases.disagreement, 0.0))
    else:
        grid = np.arange(int(100 * cases.disagreement.max(initial=0)) + 2) / 100
    n_kept = cases.n_kept(grid)
    enough = n_kept >= max(choice.least_kept, choice.least_share * len(cases))
    if not enough.any():
        return PCurve(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))
    return PCurve(grid[enough], cases.p(n_kept[enough], choice), n_kept[enough])


def _means(scores: Floats) -> Floats:
    return scores.mean(axis=1) if scores.shape[1] else np.full(len(scores), np.nan)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else np.nan


def _remark(
    cases: _Cases, curve: PCurve, p_all: float, at: int | None, choice: DiscriminativeChoice
) -> str:
    if not len(curve.p):
        return f"too few images: {len(cases)}, at least {choice.least_kept} are needed"
    if cases.disagreement[0] == 0:
        return "the scores agree on every image: the test set is too easy"
    if np.isnan(curve.p).all():
        return "the difference does not vary: no test is possible"
    t0 = np.inf if at is None else curve.threshold[at]
    if t0 > choice.largest_t0 and p_all < choice.alpha:
        return "all images together differ, but not those of every larger threshold"
    if at is None:
        return "no difference, or the test set is too easy: p does not stay below its limit"
    n_kept = curve.n_kept[at]
    if t0 > choice.largest_t0:
        return f"they differ only on the {n_kept} images that disagree by {score(t0)} or more"
    if t0 == 0:
        return "they differ over all images"
    return f"they differ once {len(cases) - n_kept} images of near agreement are removed"
