"""RESULTS-coverage.md from what was measured: how often intervals cover, and tests reject."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from coverage import Plan

    Floats = npt.NDArray[np.float64]
    Record = dict[str, Any]

LEVEL, ALPHA = 0.95, 0.05
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
# What METHODS 11 asks of a nominal 95 %.
LEAST, MOST = 0.92, 0.97
NUMBERS = ("A AP", "A AP50", "A-B AP", "A-B AP50", "A-C AP", "A-C AP50")
INTERVALS = {
    "normal": "normal (default)",
    "percentile": "percentile",
    "bca": "BCa",
    "unmoved": "value ± z SE",
    "moved": "value - bias ± z SE",
}
TESTS = {"permutation": "permutation", "normal": "normal", "percentile": "percentile", "bca": "BCa"}
HEAD = """# Coverage of the intervals

- boxlens {version}, seed {seed}
- {n_replicates} replicates, {n_jackknife} jackknife groups, {n_permutations} exchanges
- truth from {n_truth} images a world, in {n_truth_parts} parts; test sets of {sizes} images

Images are drawn from two worlds, with real boxes that go through the real matching. `few` has 5
classes, each with 70 objects or more in 100 images on average. `many` has 80 with a long tail, and
was made to resemble YOLOX-nano on COCO val2017: in objects by class, in the standard error of AP at
5,000 images, and in how its bias grows in halves and quarters of the set. Detector B is slightly
worse than A; C is another draw of the law of A. Every test set is drawn anew. Intervals are nominal
95 %. A share in bold lies outside {least} to {most} by more than twice its own error. In brackets:
the truth lies below the interval, above it.

`python benchmarks/coverage.py` writes this page (about 40 minutes on one quiet core)."""
DEFAULT_HOW = """How often the normal interval holds the AP of the very large set. Of a number it is
value - bias ± z √(SE² + bias²), of a difference value ± z √(SE² + bias²)."""
TRUTH_HOW = """AP of the very large sets, with its standard error."""
COVERAGE_HOW = """How often the interval holds the AP of the very large set."""
SPREAD_HOW = """By how much the number is too high on average, and how much of that the bootstrap
sees; the spread of the number over test sets, and what bootstrap and jackknife take it for."""
WIDTHS_HOW = """Means over the test sets."""
PRESENT_HOW = """How often the interval holds the AP of the very large set over the classes that the
test set has."""
SIZE_HOW = """How often the interval holds the mean of all test sets of this size, which is as much
too high as the number itself."""
NULL_HOW = """A against C, who are of one law: the p-value of Kolmogorov and Smirnov against uniform
p-values of the permutation test, and the share of test sets with p <= .05 by each test."""
POWER_HOW = """A against B: the share of test sets with p <= .05 by each test. Expected is what a
normal law gives for the true difference and the spread; 2.8 spreads make a power of .8."""
SPREAD = ("bias", "bias seen", "spread", "SE", "jackknife SE")
NULL = ("Kolmogorov-Smirnov", *TESTS.values())
POWER = ("true difference / spread", "expected", *TESTS.values())


@dataclass(frozen=True)
class Series:
    """One number over all test sets of one size from one world."""

    world: str
    n_images: int
    name: str
    rows: list[Record]
    present: list[list[int]]
    truth_by_class: Floats

    @property
    def truth(self) -> float:
        return float(self.truth_by_class.mean())

    def column(self, key: str) -> Floats:
        return np.array([row[key] for row in self.rows])

    def p(self, test: str) -> Floats:
        if test == "normal":
            return 2 * stats.norm.cdf(-np.abs(self.column("value")) / self.off())
        return np.array([row["p"][test] for row in self.rows])

    def off(self) -> Floats:
        """How far replicates lie from the number."""
        return np.hypot(self.column("se"), self.column("bias"))

    def ends(self, method: str) -> tuple[Floats, Floats]:
        if method in ("percentile", "bca"):
            low, high = np.array([row["ends"][method] for row in self.rows]).T
            return low, high
        value, bias = self.column("value"), self.column("bias")
        moved = method == "moved" or (method == "normal" and "-" not in self.name)
        centre = value - bias if moved else value
        reach = Z * (self.off() if method == "normal" else self.column("se"))
        return centre - reach, centre + reach

    def truth_of_present(self) -> Floats:
        return np.array([self.truth_by_class[rows].mean() for rows in self.present])


def document(records: Sequence[Record], plan: Plan) -> str:
    """Of all that was measured, even if the run was broken off."""
    parts = [row for row in records if row["row"] < 0]
    found = [
        series
        for world in dict.fromkeys(row["world"] for row in parts)
        for n_images in plan.n_sets
        for series in _series(records, parts, world, n_images)
    ]
    methods = list(INTERVALS.values())
    sections = (
        ("What is given by default", DEFAULT_HOW, _default_table(found)),
        ("Truth", TRUTH_HOW, _truth_table(parts)),
        ("Coverage", COVERAGE_HOW, _table(found, _coverage, methods)),
        ("Bias and spread", SPREAD_HOW, _table(found, _spread, SPREAD)),
        ("Widths", WIDTHS_HOW, _table(found, _widths, methods)),
        ("The classes present", PRESENT_HOW, _table(_of(found, "A "), _present, methods)),
        ("Test sets of this size", SIZE_HOW, _table(_of(found, "A "), _same_size, methods)),
        ("No difference", NULL_HOW, _table(_of(found, "A-C"), _null, NULL)),
        ("A slight difference", POWER_HOW, _table(_of(found, "A-B"), _power, POWER)),
    )
    texts = [f"## {title}\n\n{how}\n\n{table}" for title, how, table in sections]
    return "\n\n".join([_head(plan), *_unfinished(len(records) - len(parts), plan), *texts]) + "\n"


def _unfinished(n_sets: int, plan: Plan) -> list[str]:
    planned = sum(plan.n_sets.values()) * len(plan.worlds)
    if n_sets == planned:
        return []
    return [f"**The run was broken off: {n_sets:,} of {planned:,} test sets are in the tables.**"]


def _head(plan: Plan) -> str:
    try:
        version = metadata.version("boxlens")
    except metadata.PackageNotFoundError:
        version = "(from its sources)"
    return HEAD.format(
        version=version,
        seed=plan.seed,
        n_replicates=plan.n_replicates,
        n_jackknife=plan.n_jackknife,
        n_permutations=plan.n_permutations,
        n_truth=f"{plan.n_truth_images * plan.n_truth_parts:,}",
        n_truth_parts=plan.n_truth_parts,
        sizes=", ".join(f"{n:,}" for n in plan.n_sets),
        least=_short(LEAST),
        most=_short(MOST),
    )


def _series(
    records: Sequence[Record], parts: Sequence[Record], world: str, n_images: int
) -> list[Series]:
    sets = [
        row
        for row in records
        if (row["world"], row["n_images"]) == (world, n_images) and row["row"] >= 0
    ]
    # One alone has no spread.
    if len(sets) < 2:
        return []
    return [
        Series(
            world,
            n_images,
            name,
            [row["numbers"][name] for row in sets],
            [row["present"] for row in sets],
            np.mean(_true_by_class(parts, world, name), axis=0),
        )
        for name in NUMBERS
    ]


def _true_by_class(parts: Sequence[Record], world: str, name: str) -> Floats:
    """[part, class]; A and C are of one law, and count as two draws of it."""
    who, metric = name.split()
    if who == "A-C":
        return np.zeros_like(_true_by_class(parts, world, f"A {metric}"))
    of = [row["by_class"] for row in parts if row["world"] == world]
    a = np.array([(np.array(row["A"][metric]) + row["C"][metric]) / 2 for row in of])
    return a - np.array([row["B"][metric] for row in of]) if who == "A-B" else a


def _default_table(found: Sequence[Series]) -> str:
    lines: dict[tuple[str, str], list[str]] = {}
    for one in found:
        place = (f"`{one.world}`", f"{one.n_images:,}")
        lines.setdefault(place, []).append(_covered(one.ends("normal"), one.truth))
    return _markdown(["world", "images", *NUMBERS], [[*place, *lines[place]] for place in lines])


def _truth_table(parts: Sequence[Record]) -> str:
    names = NUMBERS[:4]
    lines = []
    for world in dict.fromkeys(row["world"] for row in parts):
        cells = []
        for name in names:
            each = _true_by_class(parts, world, name).mean(axis=1)
            error = each.std(ddof=1) / np.sqrt(len(each))
            cells.append(f"{each.mean():.4f} ± {error:.4f}")
        lines.append([f"`{world}`", *cells])
    return _markdown(["world", *names], lines)


def _table(
    found: Sequence[Series], cells: Callable[[Series], list[str]], titles: Sequence[str]
) -> str:
    lines = [
        [f"`{one.world}`", f"{one.n_images:,}", one.name, f"{len(one.rows):,}", *cells(one)]
        for one in found
    ]
    return _markdown(["world", "images", "number", "test sets", *titles], lines)


def _of(found: Sequence[Series], start: str) -> list[Series]:
    return [one for one in found if one.name.startswith(start)]


def _coverage(one: Series) -> list[str]:
    return [_covered(one.ends(method), one.truth) for method in INTERVALS]


def _present(one: Series) -> list[str]:
    return [_covered(one.ends(method), one.truth_of_present()) for method in INTERVALS]


def _same_size(one: Series) -> list[str]:
    mean = float(one.column("value").mean())
    return [_covered(one.ends(method), mean) for method in INTERVALS]


def share_covered(low: Floats, high: Floats, truth: float | Floats) -> float:
    return float(np.mean((low <= truth) & (truth <= high)))


def _covered(ends: tuple[Floats, Floats], truth: float | Floats) -> str:
    low, high = ends
    share = share_covered(low, high, truth)
    error = _error(share, len(low))
    text = f"{_short(share)} ± {_short(error)}"
    if share + 2 * error < LEAST or share - 2 * error > MOST:
        text = f"**{text}**"
    return f"{text} ({_short(np.mean(truth < low))}, {_short(np.mean(truth > high))})"


def _error(share: float, n: int) -> float:
    """As of two more on either side, so that none or all are not without error."""
    smoothed = (n * share + 2) / (n + 4)
    return float(np.sqrt(smoothed * (1 - smoothed) / (n + 4)))


def _spread(one: Series) -> list[str]:
    value = one.column("value")
    seen = [one.column(key).mean() for key in ("bias", "se", "se_jackknife")]
    return [f"{x:.4f}" for x in (value.mean() - one.truth, seen[0], value.std(ddof=1), *seen[1:])]


def _widths(one: Series) -> list[str]:
    return [f"{np.mean(high - low):.4f}" for low, high in map(one.ends, INTERVALS)]


def _null(one: Series) -> list[str]:
    # A permutation p-value is a multiple of 1 / (exchanges + 1): in the middle of its step.
    p = one.p("permutation")
    step = np.min(np.diff(np.unique(np.append(p, 0.0))))
    uniform = stats.kstest(p - step / 2, "uniform").pvalue
    return [_short(uniform), *(_rejected(one.p(test)) for test in TESTS)]


def _power(one: Series) -> list[str]:
    distance = one.truth / one.column("value").std(ddof=1)
    expected = NormalDist().cdf(distance - Z)
    return [f"{distance:.2f}", _short(expected), *(_rejected(one.p(test)) for test in TESTS)]


def _rejected(p: Floats) -> str:
    share = float(np.mean(p <= ALPHA))
    return f"{_short(share)} ± {_short(_error(share, len(p)))}"


def _short(share: float | np.floating[Any]) -> str:
    return f"{share:.3f}".removeprefix("0")


def _markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines))
