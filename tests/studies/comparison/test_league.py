"""The league: an order by score, and letters that say who cannot be told apart."""

from __future__ import annotations

from itertools import combinations
from math import nan

import numpy as np
import pytest

from boxlens.metrics.intervals import Interval
from boxlens.studies.comparison.league import League, _letter, league
from boxlens.studies.comparison.paired import PairResult

ALPHA = 0.05


def scored(value):
    return Interval(value, value, value, 0.0, 0.0, 0.0)


def pair(a, b, p, metric="AP"):
    return PairResult(a, b, metric, scored(0.0), p, p, p, detectable=0.1, share_a_ahead=0.5)


def random_league(seed):
    """Names in any order, scores at random, and any symmetric set of p-values."""
    rng = np.random.default_rng(seed)
    names = [f"d{row}" for row in range(int(rng.integers(2, 8)))]
    scores = {name: scored(float(rng.integers(0, 5)) / 4) for name in names}
    told = rng.random()
    p = {
        pair: float(rng.random()) * (ALPHA if rng.random() < told else 1)
        for pair in combinations(names, 2)
    }
    return scores, p


def table_of(scores, p, alpha=ALPHA, metric="AP"):
    return league(metric, scores, [pair(a, b, value) for (a, b), value in p.items()], alpha)


def letters_of(table: League):
    return {row.name: row.letters.split() for row in table.rows}


@pytest.mark.parametrize("seed", range(150))
def test_two_share_a_letter_if_and_only_if_they_cannot_be_told_apart(seed):
    scores, p = random_league(seed)
    letters = letters_of(table_of(scores, p))
    for (a, b), value in p.items():
        assert bool(set(letters[a]) & set(letters[b])) == (value >= ALPHA)


@pytest.mark.parametrize("seed", range(150))
def test_the_groups_are_all_largest_sets_of_detectors_that_are_alike(seed):
    scores, p = random_league(seed)
    letters = letters_of(table_of(scores, p))
    groups = {}
    for name, own in letters.items():
        for letter in own:
            groups.setdefault(letter, set()).add(name)
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, largest(list(scores), p)))


def largest(names, p):
    """All sets of names that are pairwise alike and in no larger such set, by trying every set."""

    def alike(group):
        return all(
            (p[a, b] if (a, b) in p else p[b, a]) >= ALPHA for a, b in combinations(group, 2)
        )

    sets = [
        set(group)
        for n in range(1, len(names) + 1)
        for group in combinations(names, n)
        if alike(group)
    ]
    return [one for one in sets if not any(one < other for other in sets)]


@pytest.mark.parametrize("seed", range(30))
def test_the_best_stand_first_and_letters_follow_them(seed):
    scores, p = random_league(seed)
    table = table_of(scores, p)
    values = [row.score.value for row in table.rows]
    assert values == sorted(values, reverse=True)
    assert table.rows[0].letters.split()[0] == "a"
    firsts = {}
    for at, row in enumerate(table.rows):
        for letter in row.letters.split():
            firsts.setdefault(letter, at)
    assert list(firsts.values()) == sorted(firsts.values())
    assert sorted(firsts) == [_letter(at) for at in range(len(firsts))]


def test_undefined_scores_come_last_and_equal_ones_keep_their_order():
    scores = {"x": scored(nan), "c": scored(0.1), "b": scored(0.2), "a": scored(0.1)}
    table = table_of(scores, {})
    assert [row.name for row in table.rows] == ["b", "c", "a", "x"]


def test_p_values_that_are_undefined_or_at_the_limit_tell_nobody_apart():
    scores = {name: scored(value) for name, value in (("a", 0.3), ("b", 0.2), ("c", 0.1))}
    table = table_of(scores, {("a", "b"): nan, ("a", "c"): 0.01, ("b", "c"): 0.05})
    assert letters_of(table) == {"a": ["a"], "b": ["a", "b"], "c": ["b"]}


def test_only_the_adjusted_p_of_the_number_asked_for_counts():
    scores = {"a": scored(0.3), "b": scored(0.2)}
    rows = [
        pair("a", "b", 0.001, metric="AP50"),
        PairResult(
            "a", "b", "AP", scored(0.1), 0.01, 0.01, 0.06, detectable=0.1, share_a_ahead=0.9
        ),
    ]
    assert {row.letters for row in league("AP", scores, rows, ALPHA).rows} == {"a"}
    assert [row.letters for row in league("AP50", scores, rows, ALPHA).rows] == ["a", "b"]
    assert [row.letters for row in league("AP", scores, rows, 0.1).rows] == ["a", "b"]


def test_many_detectors_that_are_all_alike_are_one_group():
    names = [f"checkpoint {row}" for row in range(40)]
    table = table_of({name: scored(0.5) for name in names}, {})
    assert {row.letters for row in table.rows} == {"a"}


def test_letters_go_on_after_z():
    names = [f"d{row:02}" for row in range(30)]
    scores = {name: scored(1 - row / 100) for row, name in enumerate(names)}
    table = table_of(scores, dict.fromkeys(combinations(names, 2), 0.001))
    assert [row.letters for row in table.rows][24:29] == ["y", "z", "aa", "ab", "ac"]
    assert [_letter(at) for at in (0, 25, 26, 51, 52, 701, 702)] == [
        "a", "z", "aa", "az", "ba", "zz", "aaa",
    ]  # fmt: skip


def test_its_json_has_scores_with_intervals_and_letters():
    table = table_of({"a": scored(0.3), "b": scored(nan)}, {("a", "b"): 0.5})
    assert table.to_json() == {
        "metric": "AP",
        "alpha": ALPHA,
        "rows": [
            {
                "name": name,
                "value": value,
                "ci": [value, value],
                "se": 0.0,
                "se_jackknife": 0.0,
                "bias": 0.0,
                "n_undefined": 0,
                "letters": "a",
            }
            for name, value in (("a", 0.3), ("b", None))
        ],
    }
