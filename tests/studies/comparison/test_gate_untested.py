"""Classes in too few images, and rules that no candidate could break: neither passes unseen."""

from __future__ import annotations

import numpy as np
import pytest

from studies.comparison.gate_worlds import detector, judged, verdicts, world

EACH = "AP of each class >= baseline"


@pytest.fixture(scope="module")
def dataset():
    return world()


@pytest.fixture(scope="module")
def rare():
    """Okapis in five images."""
    return world(40, ("cat", "dog", "okapi"), rare=("okapi",))


# --- each class


def test_rare_classes_are_not_tested_but_counted_and_named(rare):
    one = detector(rare, "a")
    result = judged(rare, one, one, EACH)
    assert [str(outcome.of) for outcome in result.outcomes] == ["cat", "dog", "okapi"]
    assert verdicts(result) == ["pass"] * 3
    assert [(one.name, one.n_images) for one in result.untested] == [("okapi", 5)]
    notice = next(one for one in result.notices if one.code == "untested_classes")
    assert "okapi (5)" in notice.message
    assert notice.count == 1
    assert result.passed


def test_a_rare_class_whose_estimate_keeps_the_rule_passes_without_a_test(rare):
    worse = detector(rare, "worse", 0.8, found_of={"okapi": 0.2})
    result = judged(rare, worse, detector(rare, "a"), EACH)
    cat, dog, okapi = result.outcomes
    assert (okapi.verdict, okapi.n_images) == ("pass", 5)
    assert okapi.candidate > okapi.limit == okapi.baseline
    assert okapi.reason.endswith("(not tested: objects in 5 images)")
    chances = [okapi.p, okapi.p_holm, okapi.detectable, okapi.margin.low, okapi.margin.high]
    assert np.isnan(chances).all()
    for tested in (cat, dog):
        assert "not tested" not in tested.reason
        assert tested.p_holm == min(1, 2 * tested.p), "two tests, not three"
    assert result.passed


@pytest.mark.parametrize("fail_on_estimate", [False, True])
def test_a_rare_class_whose_estimate_breaks_the_rule_does_not_pass(rare, fail_on_estimate):
    worse = detector(rare, "worse", 0.8, found_of={"okapi": 0.2})
    result = judged(rare, detector(rare, "a"), worse, EACH, fail_on_estimate=fail_on_estimate)
    assert [str(one.of) for one in result.of_verdict("error")] == ["okapi"]
    (okapi,) = result.of_verdict("error")
    assert okapi.candidate < okapi.limit
    assert okapi.reason.startswith("too few images: objects that count are in 5 of them")
    assert np.isnan([okapi.p, okapi.p_holm]).all()
    assert [one.name for one in result.untested] == ["okapi"]
    assert not result.passed


def test_a_strict_rule_is_broken_by_a_rare_class_at_its_limit(rare):
    one = detector(rare, "a")
    result = judged(rare, one, one, "AP of each class > baseline")
    assert verdicts(result) == ["warning", "warning", "error"]


@pytest.mark.parametrize(("n_images", "tested"), [(9, False), (10, True)])
def test_ten_images_are_enough(rare, n_images, tested):
    few = rare.where((rare.gt.class_row == 0) | (rare.gt.image_row < n_images))
    one = detector(few, "a")
    result = judged(few, one, one, EACH, allow_gaps=True)
    names = [] if tested else ["dog"]
    assert [one.name for one in result.untested if one.name == "dog"] == names
    dog = next(one for one in result.outcomes if str(one.of) == "dog")
    assert (dog.n_images, "not tested" in dog.reason) == (n_images, not tested)


def test_a_class_without_objects_is_untested_and_nothing_more(rare):
    nowhere = rare.where(rare.gt.class_row != 2)
    one = detector(rare, "a")
    result = judged(nowhere, one, one, EACH)
    assert [str(outcome.of) for outcome in result.outcomes] == ["cat", "dog"]
    assert [(one.name, one.n_images) for one in result.untested] == [("okapi", 0)]
    assert result.headline == "passed: 2 of 2 rules hold, 1 class not tested"


def test_a_rare_class_that_is_named_cannot_be_decided():
    dataset = world(40, ("cat", "okapi"), rare=("okapi",))
    one = detector(dataset, "a")
    result = judged(dataset, one, one, "AP of okapi >= baseline", "AP of cat >= baseline")
    assert verdicts(result) == ["error", "pass"]
    assert "too few images" in result.outcomes[0].reason
    assert not result.passed


def test_each_class_does_not_pass_where_none_can_be_tested():
    dataset = world(40, ("okapi",), rare=("okapi",))
    one = detector(dataset, "a")
    result = judged(dataset, one, one, "AP of each class >= 0.01")
    assert verdicts(result) == ["pass", "error"]
    assert str(result.outcomes[0].of) == "okapi"
    assert "not tested" in result.outcomes[0].reason
    assert "no class has objects in 10 images" in result.outcomes[1].reason
    assert [(one.name, one.n_images) for one in result.untested] == [("okapi", 5)]
    assert not result.passed
    nothing = dataset.where(np.zeros(len(dataset.gt), dtype=bool))
    assert verdicts(judged(nothing, one, one, EACH)) == ["error"]


# --- the headline


def test_the_headline_ends_with_how_many_classes_were_not_tested(rare):
    one = detector(rare, "a")
    assert judged(rare, one, one, EACH).headline == (
        "passed: 3 of 3 rules hold, 1 class not tested"
    )
    two = world(40, ("cat", "gnu", "okapi"), rare=("gnu", "okapi"))
    one, worse = detector(two, "a"), detector(two, "b", found_of={"okapi": 0.2})
    result = judged(two, one, worse, EACH)
    n_kept = verdicts(result).count("pass")
    assert result.headline.startswith(f"FAILED: {n_kept} of 3 rules hold")
    assert result.headline.endswith("1 could not be computed, 2 classes not tested")
    assert "not tested" not in judged(two, one, worse, "AP >= baseline").headline


# --- rules that hold whatever the candidate does


@pytest.mark.parametrize(
    ("rule", "limit"),
    [
        ("AP >= 0", 0),
        ("AP >= baseline - 0.99", None),
        ("AP of cat >= baseline - 0.99", None),
        ("AP of slice:cats >= 0", 0),
        ("AP <= 1", 1),
        ("AP <= baseline + 0.99", None),
        ("AP <= baseline * 2", None),
    ],
)
def test_a_rule_that_nothing_can_break_is_no_rule(dataset, rule, limit):
    one = detector(dataset, "a")
    result = judged(dataset, one, one, rule, slices={"cats": {"classes": ["cat"]}})
    (outcome,) = result.outcomes
    assert outcome.verdict == "error"
    assert outcome.limit == limit or limit is None
    assert outcome.reason == (
        f"the limit is {outcome.limit:.4f}: the rule holds whatever the candidate does "
        f"(the baseline has {outcome.baseline:.4f})"
    )
    assert np.isnan([outcome.p, outcome.p_holm]).all()
    assert not result.passed


def test_limits_just_inside_can_be_broken(dataset):
    one = detector(dataset, "a")
    result = judged(dataset, one, one, "AP >= 0.0001", "AP <= 0.9999", "AP >= baseline - 0.5")
    assert verdicts(result) == ["pass"] * 3


def test_a_class_that_the_baseline_hardly_finds_breaks_no_rule_of_each_class(dataset):
    blind = detector(dataset, "blind", 0.9, found_of={"dog": 0.0})
    rule = "AP of each class >= baseline - 0.05"
    result = judged(dataset, blind, detector(dataset, "a", 0.9), rule)
    assert [one.limit <= 0 for one in result.outcomes] == [False, True]
    assert verdicts(result) == ["pass", "pass"]
    (named,) = judged(
        dataset, blind, detector(dataset, "a", 0.9), "AP of dog >= baseline - 0.05"
    ).outcomes
    assert named.verdict == "error"
