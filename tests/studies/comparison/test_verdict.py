"""Sentences say what the numbers say, and name what was tested."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from boxlens.studies.comparison.leading_pairs import leading_pairs
from boxlens.studies.comparison.verdict import (
    answer_sentences,
    image_sentences,
    pair_sentences,
    together_sentences,
)
from studies.comparison.compared import WORLDS, compared


def number(value, digits=3):
    return f"{value:.{digits}f}"


def changed_headline(result, **values):
    """The same result with another headline pair."""
    pairs = tuple(
        replace(row, **values) if row.metric == result.league.metric else row
        for row in result.pairs
    )
    return replace(result, pairs=pairs)


@pytest.mark.parametrize("world", WORLDS)
def test_sentences_are_whole_and_write_nothing_undefined(world):
    sentences = compared(world).sentences
    assert len(sentences) >= 4
    for text in sentences:
        assert text.endswith((".", "Was it run on them?"))
        assert not re.search(r"\bnan\b|None|n/a|-0\.000|[ (+-]\.\d|\d %|  ", text)
        assert "significant" not in text


@pytest.mark.parametrize("world", WORLDS)
def test_the_answer_agrees_with_the_league(world):
    result = compared(world)
    text = " ".join([*answer_sentences(result), *pair_sentences(result)])
    for pair in leading_pairs(result):
        row = pair.headline
        better, worse = (row.a, row.b) if row.difference.value > 0 else (row.b, row.a)
        told = f"{better} is better than {worse} by {number(abs(row.difference.value))}"
        assert (told in text) == (row.p_holm < result.choice.alpha)


def test_detectors_that_cannot_be_told_apart_are_said_to_be_so():
    result = compared("alike")
    (row,) = result.headline
    (text,) = answer_sentences(result)
    assert text.startswith("window and region cannot be told apart by AP: difference -0.004 ")
    assert f"interval {number(row.difference.low)} to {number(row.difference.high)}" in text
    assert f"p = {number(row.p_holm)} by resampling images" in text
    assert f"p = {number(row.p_permutation)} by exchanging detections" in text
    assert (
        f"A true difference of {number(row.detectable)} would be detected on four of five" in text
    )


def test_the_better_one_comes_first_whichever_was_named_first():
    result = compared("apart")
    (row,) = result.headline
    assert row.difference.value < 0
    (text,) = answer_sentences(result)
    assert text.startswith("window is better than window_half by 0.")
    assert f"interval {number(-row.difference.high)} to {number(-row.difference.low)}" in text


def test_tests_that_disagree_are_told_with_care():
    result = changed_headline(compared("apart"), p_permutation=0.2)
    (text,) = answer_sentences(result)
    assert "p = 0.200 by exchanging detections), but the second test does not confirm it" in text
    result = changed_headline(compared("alike"), p_permutation=0.02)
    (text,) = answer_sentences(result)
    assert "p = 0.020 by exchanging detections), but the second test alone would tell" in text
    for world in ("alike", "apart"):
        assert "but the second test" not in answer_sentences(compared(world))[0]


def test_the_same_detections_differ_in_nothing():
    first, images, found, joint, strengths = compared("same").sentences
    assert first == (
        "window and window_again have the same AP in every resampled test set: no difference."
    )
    assert "the scores agree on every image: the test set is too easy" in images
    assert "there is nothing to test over all 200 images" in images
    assert "window alone finds 0, window_again alone finds 0" in found
    assert "neither window nor window_again leads" in strengths
    assert joint.count("0.201") == 2


def test_a_number_without_an_interval_is_not_judged():
    result = changed_headline(compared("alike"), p_holm=np.nan)
    (text,) = answer_sentences(result)
    assert text.startswith("window and region cannot be compared by AP: it is undefined")


def test_of_three_detectors_the_league_is_told_first():
    result = compared("three")
    league, first = answer_sentences(result)
    pairs = [first, *pair_sentences(result)]
    assert league == (
        "By AP, region is first of 3 detectors with 0.204; it cannot be told apart from window."
    )
    assert len(pairs) == 3
    assert all("after Holm's adjustment for 3 pairs" in text for text in pairs)
    together = next(image_sentences(result))
    assert "the 3 detectors are not all alike" in together
    assert "an analysis of variance" in together


def test_a_league_of_one_clear_winner():
    result = compared("three")
    rows = tuple(
        replace(row, letters=letter) for row, letter in zip(result.league.rows, "abc", strict=True)
    )
    told = answer_sentences(replace(result, league=replace(result.league, rows=rows)))[0]
    assert told.endswith("; it can be told apart from all others.")


def test_images_tell_t0_and_how_many_are_left():
    result = compared("apart")
    (one,) = result.discriminative
    kept = replace(one, t0=0.03, n_kept=190, n_removed=10, p_all=0.0736)
    text, *_ = image_sentences(replace(result, discriminative=(kept,)))
    assert "differ once 10 images on which they agree to less than t0 = 0.030 are removed" in text
    assert "on the other 190 window is ahead by 0." in text
    assert "score cuts), a paired t-test over all 200 images gives p = 0.074;" in text
    assert "while over all images the other one is" not in text
    turned = replace(kept, mean=kept.mean[::-1])
    text, *_ = image_sentences(replace(result, discriminative=(turned,)))
    assert text.endswith("on average, while over all images the other one is.")
    whole, *_ = image_sentences(result)
    assert "a paired t-test over all 200 images gives p < 0.001" in whole
    assert "which stays below 0.05 as images of near agreement are removed" in whole


def test_too_few_images_are_a_reason():
    text, *_ = image_sentences(compared("ten images"))
    assert "shows no difference between window and region (too few images: 10" in text


def test_objects_of_one_alone_and_the_joint_bound_are_those_of_the_result():
    result = compared("alike")
    found = result.joint.found
    text = " ".join(together_sentences(result))
    assert (
        f"Of {found.n_objects:,} objects, window alone finds {found.only[0]:,}, region alone finds "
        f"{found.only[1]:,}, both find {found.all:,} and neither finds {found.none:,}"
    ) in text
    joint = number(result.joint.rankings.joint()["AP"])
    assert f"Combined by an oracle, they would reach COCO AP {joint}; the best alone" in text


def test_led_groups_are_named_widest_first_and_one_per_characteristic():
    result = compared("alike")
    (strengths,) = result.strengths
    led = [group for group in strengths.groups if group.tested.leader == "window"]
    widest = max(led, key=lambda group: group.tested.difference)
    text = list(together_sentences(result))[-1]
    named = re.search(r"window leads on (.*?) and ([\d,]+) more;", text)
    assert (
        f"{widest.characteristic} = {widest.value} (+{number(widest.tested.difference)})"
        in (named.group(1).split(", ")[0])
    )
    assert len(named.group(1).split(", ")) + int(named.group(2)) == len(led)
    n_tested = sum(not np.isnan(group.tested.p) for group in strengths.groups)
    assert f"Holm's adjustment for {n_tested} groups of objects" in text
    assert text.startswith("By recall (detections of any score), window leads on")


def test_without_enough_images_no_group_is_judged():
    result = compared("ten images")
    (strengths,) = result.strengths
    groups = tuple(
        replace(group, ranked=replace(group.ranked, p=np.nan, leader=None))
        for group in strengths.groups
    )
    result = replace(result, strengths=(replace(strengths, groups=groups),))
    assert list(together_sentences(result))[-1].startswith(
        "No class, size or attribute is in enough images"
    )


def test_leading_pairs_are_those_of_the_best_and_hold_their_own_parts():
    pairs = leading_pairs(compared("three"))
    assert [pair.names for pair in pairs] == [
        ("window", "region"),
        ("region", "window_half"),
        ("window", "window_half"),
    ]
    for pair in pairs:
        assert pair.discriminative.detectors == pair.names
        assert (pair.strengths.first, pair.strengths.second) == pair.names
        assert {(row.a, row.b) for row in (*pair.numbers, *pair.classes)} == {pair.names}
        assert pair.headline.metric == "AP"
