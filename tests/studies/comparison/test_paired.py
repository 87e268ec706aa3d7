"""Two detectors number by number: what is read off the same resampled test sets, and the laws of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import isnan
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.bootstrap import resample
from boxlens.metrics.evaluation import samplers
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.comparison.exchange import exchange
from boxlens.studies.comparison.paired import Contest, compare_pairs
from studies.comparison.real_detectors import coco_detectors
from studies.diagnosis.worlds import demo_dataset, demo_detections

COCO_TWELVE = (
    "AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl",
)  # fmt: skip
PERCENTILE = ResamplingChoice(n_replicates=150, method="percentile", seed=4)
BCA = ResamplingChoice(n_replicates=150, seed=4, method="bca")
N_PERMUTATIONS = 120


def contest_of(dataset, tables, choice, protocol="coco"):
    evaluation = choose(protocol)
    walks = samplers(dataset, tables, evaluation)
    images = [set() for _ in dataset.classes.name]
    for row in np.flatnonzero(~(dataset.gt.crowd | dataset.gt.difficult | dataset.gt.group_of)):
        images[dataset.gt.class_row[row]].add(int(dataset.gt.image_row[row]))
    return Contest(
        results=evaluate_tables(dataset, tables, evaluation).detectors,
        samplers=walks,
        drawn=resample(walks, choice),
        n_class_images=np.array([len(own) for own in images]),
    )


def pairs_of(dataset, tables, choice=PERCENTILE, protocol="coco", **options):
    contest = contest_of(dataset, tables, choice, protocol)
    return compare_pairs(contest, choice, n_permutations=N_PERMUTATIONS, **options)


def jittered(table, share, seed, name="jittered", sides=0.15):
    """Some of its boxes moved by a part of their sides."""
    rng = np.random.default_rng(seed)
    moved = rng.random(len(table)) < share
    box = table.box.copy()
    box[moved, :2] += rng.normal(0, sides, (int(moved.sum()), 2)) * box[moved, 2:]
    return replace(table, name=name, box=box)


def degraded(table, seed, name="degraded"):
    """Scores that say less about being right."""
    rng = np.random.default_rng(seed)
    return replace(table, name=name, score=table.score * rng.uniform(0.1, 1, len(table)))


@cache
def demo():
    a, b = demo_detections(), demo_detections("region")
    return demo_dataset(), (a, b, jittered(a, 0.3, 0))


@cache
def demo_pairs(method="percentile"):
    choice = PERCENTILE if method == "percentile" else BCA
    return pairs_of(*demo(), choice)


@cache
def demo_contest():
    return contest_of(*demo(), PERCENTILE)


def rows_of(pairs, a, b):
    return {row.metric: row for row in pairs if (row.a, row.b) == (a, b)}


def classes_of(classes, a, b):
    return {row.name: row for row in classes if (row.a, row.b) == (a, b)}


# --- a plain reading of the draws


def test_every_pair_and_every_number_is_there_once_in_order():
    pairs, classes = demo_pairs()
    names = ["window", "region", "jittered"]
    expected = [(a, b, metric) for a, b in combinations(names, 2) for metric in COCO_TWELVE]
    assert [(row.a, row.b, row.metric) for row in pairs] == expected
    of_classes = [(row.a, row.b, row.name) for row in classes]
    assert of_classes == [
        (a, b, name) for a, b in combinations(names, 2) for name in demo_dataset().classes.name
    ]


def test_differences_and_their_spread_are_read_off_the_same_test_sets():
    contest = demo_contest()
    names = [one.name for one in contest.results]
    for row in demo_pairs()[0]:
        first, second = (names.index(name) for name in (row.a, row.b))
        a, b = contest.results[first], contest.results[second]
        assert row.difference.value == a.metrics[row.metric] - b.metrics[row.metric]
        drawn = (
            contest.drawn[first].bootstrap.whole[row.metric]
            - contest.drawn[second].bootstrap.whole[row.metric]
        )
        assert len(drawn) == PERCENTILE.n_replicates
        ends = np.percentile(drawn, [2.5, 97.5])
        np.testing.assert_allclose([row.difference.low, row.difference.high], ends, atol=1e-15)
        assert row.difference.se == pytest.approx(np.std(drawn, ddof=1))
        # Three pairs: the first step of Holm is at .05 / 3.
        power = NormalDist().inv_cdf(1 - 0.05 / 6) + NormalDist().inv_cdf(0.8)
        assert row.detectable == pytest.approx(power * row.difference.se)


def test_p_values_are_twice_the_rarer_side():
    contest = demo_contest()
    names = [one.name for one in contest.results]
    rarest = 1 / (PERCENTILE.n_replicates + 1)
    for row in demo_pairs()[0]:
        first, second = (
            contest.drawn[names.index(name)].bootstrap.whole[row.metric] for name in (row.a, row.b)
        )
        below = (first < second).mean() + (first == second).mean() / 2
        below = min(max(below, rarest), 1 - rarest)
        assert row.p_bootstrap == pytest.approx(min(2 * below, 2 - 2 * below))
        ahead = (first > second).mean() + (first == second).mean() / 2
        assert row.share_a_ahead == pytest.approx(ahead)


def test_permutation_p_values_are_those_of_the_exchange():
    contest = demo_contest()
    a, b = contest.samplers[:2]
    drawn = exchange(a, b, N_PERMUTATIONS, seed=PERCENTILE.seed)
    for metric, row in rows_of(demo_pairs()[0], "window", "region").items():
        as_large = np.abs(drawn.whole[metric]) >= abs(row.difference.value) - 1e-12
        assert row.p_permutation == (as_large.sum() + 1) / (N_PERMUTATIONS + 1)
    for at, row in enumerate(classes_of(demo_pairs()[1], "window", "region").values()):
        as_large = np.abs(drawn.by_class["AP"][:, at]) >= abs(row.difference.value) - 1e-12
        assert row.p_permutation == (as_large.sum() + 1) / (N_PERMUTATIONS + 1)


def test_classes_are_read_off_the_same_draws_by_students_law():
    contest = demo_contest()
    names = [one.name for one in contest.results]
    for row in demo_pairs()[1]:
        first, second = (names.index(name) for name in (row.a, row.b))
        at = demo_dataset().classes.name.index(row.name)
        one, other = contest.results[first].classes[at], contest.results[second].classes[at]
        assert (row.n_objects, row.n_objects) == (one.n_gt, other.n_gt)
        assert row.n_images == contest.n_class_images[at]
        value = one.metrics["AP"] - other.metrics["AP"]
        assert row.difference.value == value
        drawn = (
            contest.drawn[first].bootstrap.by_class["AP"][:, at]
            - contest.drawn[second].bootstrap.by_class["AP"][:, at]
        )
        se = drawn.std(ddof=1)
        assert row.difference.se == pytest.approx(se)
        # As far as replicates lie from the value.
        reach = np.hypot(se, drawn.mean() - value)
        assert row.p == pytest.approx(2 * stats.t.cdf(-abs(value) / reach, row.n_images - 1))


# --- Holm


def holm_by_hand(p):
    """The smallest times n, the next times n - 1, never below one before it, at most 1."""
    adjusted, floor = {}, 0.0
    known = sorted((value, at) for at, value in enumerate(p) if not isnan(value))
    for step, (value, at) in enumerate(known):
        floor = max(floor, min(1.0, value * (len(known) - step)))
        adjusted[at] = floor
    return [adjusted.get(at, float("nan")) for at in range(len(p))]


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_numbers_are_adjusted_over_the_pairs_each_for_itself(method):
    pairs = demo_pairs(method)[0]
    for metric in COCO_TWELVE:
        own = [row for row in pairs if row.metric == metric]
        assert len(own) == 3
        adjusted = holm_by_hand([row.p_bootstrap for row in own])
        assert [row.p_holm for row in own] == pytest.approx(adjusted)


def test_classes_are_adjusted_over_all_classes_of_all_pairs():
    classes = demo_pairs()[1]
    adjusted = holm_by_hand([row.p for row in classes])
    assert [row.p_holm for row in classes] == pytest.approx(adjusted, nan_ok=True)
    assert any(row.p_holm < 0.05 for row in classes)


def test_with_two_detectors_nothing_is_adjusted_but_classes():
    dataset, (a, b, _) = demo()
    pairs, classes = pairs_of(dataset, (a, b))
    assert all(row.p_holm == row.p_bootstrap for row in pairs)
    assert max(row.p_holm / row.p for row in classes if row.p_holm < 1) > 10


# --- laws


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_other_way_round_everything_is_mirrored(method):
    dataset, tables = demo()
    choice = PERCENTILE if method == "percentile" else BCA
    exact = 1e-15 if method == "percentile" else 1e-9
    forth, back = demo_pairs(method), pairs_of(dataset, tables[::-1], choice)
    mirrored = {(row.b, row.a, row.metric): row for row in back[0]}
    for row in forth[0]:
        other = mirrored[row.a, row.b, row.metric]
        assert row.difference.value == -other.difference.value
        assert row.difference.low == pytest.approx(-other.difference.high, abs=exact)
        assert row.difference.high == pytest.approx(-other.difference.low, abs=exact)
        assert row.difference.se == pytest.approx(other.difference.se)
        assert row.share_a_ahead + other.share_a_ahead == pytest.approx(1)
        for name in ("p_bootstrap", "p_holm", "detectable"):
            assert getattr(row, name) == pytest.approx(getattr(other, name), abs=1e-9)
        assert row.p_permutation == other.p_permutation
    of_classes = {(row.b, row.a, row.name): row for row in back[1]}
    for row in forth[1]:
        other = of_classes[row.a, row.b, row.name]
        assert row.difference.value == -other.difference.value
        assert (row.p, row.p_permutation) == pytest.approx((other.p, other.p_permutation))


@pytest.mark.parametrize("protocol", ["coco", "voc12", "openimages"])
def test_a_detector_never_differs_from_itself(protocol):
    dataset, (a, _, _) = demo()
    pairs, classes = pairs_of(dataset, (a, replace(a, name="again")), BCA, protocol)
    assert pairs
    for row in pairs:
        assert (row.difference.low, row.difference.value, row.difference.high) == (0, 0, 0)
        assert (row.p_bootstrap, row.p_permutation, row.p_holm) == (1, 1, 1)
        assert (row.detectable, row.share_a_ahead) == (0, 0.5)
    for row in classes:
        assert row.difference.value == row.detectable == 0
        assert (row.p, row.p_permutation, row.p_holm) == (1, 1, 1)


def test_classes_in_few_images_are_not_tested_and_take_no_part_in_the_adjustment():
    dataset, (a, b, _) = demo()
    contest = contest_of(dataset, (a, b), PERCENTILE)
    few = contest.n_class_images.copy()
    few[:3] = (9, 0, 10)
    _, classes = compare_pairs(
        replace(contest, n_class_images=few), PERCENTILE, n_permutations=N_PERMUTATIONS
    )
    for row in classes[:2]:
        assert isnan(row.p)
        assert isnan(row.p_permutation)
        assert isnan(row.p_holm)
        assert not isnan(row.difference.low), "the interval stays"
        assert row.to_json()["p"] is None
    assert [row.n_images for row in classes[:3]] == [9, 0, 10]
    tested = [row.p for row in classes[2:]]
    assert [row.p_holm for row in classes[2:]] == pytest.approx(holm_by_hand(tested))


def test_a_class_without_objects_is_no_row():
    dataset, (a, b, _) = demo()
    fewer = dataset.where(dataset.gt.class_row != 4)
    _, classes = pairs_of(fewer, (a, b))
    assert [row.name for row in classes] == [
        name for row, name in enumerate(dataset.classes.name) if row != 4
    ]


def test_json_has_the_documented_keys():
    pairs, classes = demo_pairs()
    spread = {"difference", "ci", "se", "se_jackknife", "bias", "n_undefined"}
    documented = {"a", "b", "metric", "difference", "ci", "p_bootstrap", "p_permutation", "p_holm"}
    row = pairs[0].to_json()
    assert set(row) == documented | spread | {"detectable", "share_a_ahead"}
    assert row["ci"] == [pairs[0].difference.low, pairs[0].difference.high]
    of_class = {"a", "b", "class", "n_objects", "n_images", "p", "p_permutation", "p_holm"}
    assert set(classes[0].to_json()) == of_class | spread | {"detectable"}


# --- planted truth


def test_a_detector_with_worse_scores_is_found_worse():
    dataset, (a, b, _) = demo()
    for table in (a, b):
        pairs, _ = pairs_of(dataset, (table, degraded(table, 1)))
        ap = rows_of(pairs, table.name, "degraded")["AP"]
        assert ap.difference.low > 0
        assert ap.p_holm < 0.05
        assert ap.p_permutation < 0.05
        assert ap.share_a_ahead > 0.95


# --- real detectors

REAL = ResamplingChoice(n_replicates=120, n_jackknife=50)


@pytest.fixture(scope="module")
def real_pairs():
    """A detector against another, and against itself with one in a hundred boxes moved."""
    dataset, (nano, fastest), _, _ = coco_detectors()
    contest = contest_of(dataset, (nano, fastest, jittered(nano, 0.01, 0)), REAL)

    def against(other):
        two = {
            column: [getattr(contest, column)[row] for row in (0, other)]
            for column in ("results", "samplers", "drawn")
        }
        return compare_pairs(replace(contest, **two), REAL, n_permutations=100)

    return against(1), against(2)


@pytest.mark.slow
def test_two_real_detectors_differ_in_all_twelve_numbers(real_pairs):
    rows = rows_of(real_pairs[0][0], "yolox_nano", "fastestdet")
    assert tuple(rows) == COCO_TWELVE
    for row in rows.values():
        assert row.p_holm < 0.05, row
        assert row.p_permutation < 0.05, row
        assert row.difference.low > 0
        assert row.difference.value > row.detectable


def test_a_moved_box_in_a_hundred_is_seen_or_said_to_be_too_little_to_see(real_pairs):
    rows = rows_of(real_pairs[1][0], "yolox_nano", "jittered")
    for row in rows.values():
        assert row.p_holm < 0.05 or abs(row.difference.value) < row.detectable, row
    assert rows["AP"].p_holm < 0.05
    assert 0 < rows["AP"].difference.value < 0.01


def test_most_classes_of_two_real_detectors_differ(real_pairs):
    rows = classes_of(real_pairs[0][1], "yolox_nano", "fastestdet")
    assert len(rows) == 80
    told = [row for row in rows.values() if row.p_holm < 0.05]
    assert len(told) > 60
    assert all(row.difference.value > 0 for row in told)
