"""What a comparison comes to, in plain sentences that are read off its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from boxlens.data.selection import CLASSES_SKIPPED
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.studies.comparison.cases.image_scores import MEASURE_NAMES
from boxlens.studies.comparison.leading_pairs import leading_pairs
from boxlens.studies.comparison.league import League
from boxlens.studies.comparison.paired import PairResult
from boxlens.studies.comparison.result import ComparisonResult
from boxlens.studies.comparison.shared_images import IMAGES_SKIPPED
from boxlens.studies.comparison.together.strengths import Group
from boxlens.wording import change, counted, interval, level, listed, number, p_value, score

MOST_NAMES = 4
# Groups in which a detector leads that are named, one per characteristic.
MOST_GROUPS = 3
# A detector without detections on so large a share of the images was perhaps not run on them.
MUCH_SILENCE = 0.05
SKIPPED_CODES = (CLASSES_SKIPPED, IMAGES_SKIPPED)
TEST_NAMES = {
    "paired": "a paired t-test",
    "welch": "Welch's t-test",
    "permutation": "a sign-flip test",
    "anova": "an analysis of variance",
}


def answer_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """Which detector is better by the metric of the league, and how sure that is."""
    league = () if len(result.detectors) == 2 else (_league(result.league),)
    first = _pair(leading_pairs(result)[0].headline, result, len(result.headline))
    return (*league, first, *_skipped(result), *_silent(result))


def pair_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """The same of the other pairs of the best detectors."""
    others = leading_pairs(result)[1:]
    return tuple(_pair(one.headline, result, len(result.headline)) for one in others)


def image_sentences(result: ComparisonResult) -> Iterator[str]:
    """What single images say, those of near agreement removed."""
    measure = MEASURE_NAMES[result.choice.measure]
    together = () if result.together is None else (result.together,)
    for one in (*together, leading_pairs(result)[0].discriminative):
        yield f"Image by image ({measure} above the score cuts), {_discriminative(one)}."


def together_sentences(result: ComparisonResult) -> Iterator[str]:
    """Objects that one detector alone finds, and where each of the best two leads."""
    yield from _complementarity(result)
    yield from _strengths(result)


def _league(league: League) -> str:
    """Groups from best to worst; a detector may be in several."""
    best, *others = league.rows
    if math.isnan(best.score.value):
        return f"{league.metric} is undefined for all {len(league.rows)} detectors."
    first = best.letters.split()
    alike = [row.name for row in others if set(first) & set(row.letters.split())]
    text = (
        f"By {league.metric}, {best.name} is first of {len(league.rows)} detectors with "
        f"{score(best.score.value)}"
    )
    if not alike:
        return f"{text}; it can be told apart from all others."
    return f"{text}; it cannot be told apart from {_listed(alike)}."


def _pair(row: PairResult, result: ComparisonResult, n_pairs: int) -> str:
    alpha, sure = result.choice.alpha, level(result.choice.resampling.level)
    difference, both = row.difference, f"{row.a} and {row.b}"
    if difference.value == 0 and difference.se == 0:
        return f"{both} have the same {row.metric} in every resampled test set: no difference."
    if math.isnan(row.p_holm):
        return (
            f"{both} cannot be compared by {row.metric}: it is undefined on this test set or on "
            "most test sets resampled from it, or its objects are in too few images."
        )
    tests = _tests(row, n_pairs)
    if row.p_holm < alpha:
        flipped = difference.value < 0
        better, worse = (row.b, row.a) if flipped else (row.a, row.b)
        ends = (-difference.high, -difference.low) if flipped else (difference.low, difference.high)
        text = (
            f"{better} is better than {worse} by {score(abs(difference.value))} {row.metric} "
            f"({sure} interval {interval(*ends)}; {tests})"
        )
        if not row.p_permutation * n_pairs < alpha:
            text += ", but the second test does not confirm it"
        return f"{text}."
    text = (
        f"{both} cannot be told apart by {row.metric}: difference {change(difference.value)} "
        f"({sure} interval {interval(difference.low, difference.high)}; {tests})"
    )
    if row.p_permutation * n_pairs < alpha:
        text += ", but the second test alone would tell them apart"
    return (
        f"{text}. A true difference of {score(row.detectable)} would be detected on four of five "
        "such test sets; a smaller one may exist."
    )


def _skipped(result: ComparisonResult) -> Iterator[str]:
    """Over which classes or images detectors are compared, where some are skipped."""
    skipped = [one.message for one in result.notices if one.code in SKIPPED_CODES]
    if not skipped:
        return
    yield from (f"{text[0].upper()}{text[1:]}." for text in skipped)
    metric = result.league.metric
    own = (
        f"{one.name} {score(metrics[metric])}"
        for one, metrics in zip(result.detectors, result.own_metrics, strict=True)
    )
    yield f"With nothing skipped, as evaluate counts, {metric} is: {', '.join(own)}."


def _silent(result: ComparisonResult) -> Iterator[str]:
    """Images without detections count against a detector: they may be the whole difference."""
    n_images = len(result.dataset.images)
    for notice in result.notices:
        if notice.code == "silent_images" and notice.count >= MUCH_SILENCE * n_images:
            yield f"Caution: {notice.message}. Was it run on them?"


def _tests(row: PairResult, n_pairs: int) -> str:
    adjusted = f" after Holm's adjustment for {n_pairs} pairs" if n_pairs > 1 else ""
    return (
        f"{_p(row.p_holm)} by resampling images{adjusted}, {_p(row.p_permutation)} by exchanging "
        "detections"
    )


def _discriminative(one: DiscriminativeResult) -> str:
    all_images = f"there is nothing to test over all {one.n_cases:,} images"
    if not math.isnan(one.p_all):
        test = TEST_NAMES[one.choice.test]
        all_images = f"{test} over all {one.n_cases:,} images gives {_p(one.p_all)}"
    several = f"the {len(one.detectors)} detectors"
    if not one.differs:
        who = f"among {several}" if one.a is None else f"between {one.a} and {one.b}"
        return (
            f"{all_images}; removing images of near agreement shows no difference {who} "
            f"({one.remark})"
        )
    ahead = f"{one.better} is ahead"
    if one.a is not None:
        ahead += f" by {score(abs(one.mean_difference))} on average"
    differ = f"{several} are not all alike" if one.a is None else f"{one.a} and {one.b} differ"
    if not one.n_removed:
        return (
            f"{differ}: {all_images}, which stays below {number(one.choice.alpha)} as images of "
            f"near agreement are removed; {ahead}"
        )
    are = "is" if one.n_removed == 1 else "are"
    text = (
        f"{all_images}; {differ} once {counted(one.n_removed, 'image')} on which they agree to "
        f"less than t0 = {score(one.t0)} {are} removed: on the other {one.n_kept:,} {ahead}"
    )
    if one.a is not None and one.better != one.detectors[int(one.mean[1] > one.mean[0])]:
        text += ", while over all images the other one is"
    return text


def _complementarity(result: ComparisonResult) -> Iterator[str]:
    found, names = result.joint.found, result.joint.detectors
    if not found.n_objects:
        return
    alone = list(zip(names, found.only, strict=True))
    if len(names) == 2:
        others = [f"both find {found.all:,}", f"neither finds {found.none:,}"]
    else:
        alone = sorted((one for one in alone if one[1]), key=lambda one: -one[1])[:MOST_NAMES]
        several = found.any - sum(found.only)
        others = [f"two or more find {several:,}", f"none finds {found.none:,}"]
    yield (
        f"Of {counted(found.n_objects, 'object')}, "
        f"{listed([*(f'{name} alone finds {n:,}' for name, n in alone), *others])} "
        f"(IoU {number(found.iou)}, detections of any score)."
    )
    joint = result.joint.rankings.joint()["AP"]
    single = max(row.metrics["AP"] for row in result.joint.rankings.single)
    if not math.isnan(joint):
        yield (
            f"Combined by an oracle, they would reach COCO AP {score(joint)}; the best alone "
            f"reaches {score(single)}."
        )


def _strengths(result: ComparisonResult) -> Iterator[str]:
    strengths = leading_pairs(result)[0].strengths
    first, second = strengths.first, strengths.second
    tested = [group for group in strengths.groups if not math.isnan(group.tested.p)]
    if not tested:
        yield (
            f"No class, size or attribute is in enough images to test whether {first} or "
            f"{second} finds it more often."
        )
        return
    by_cut = strengths.overall.tested_by == "cut"
    which = "above the score cuts" if by_cut else "of any score"
    limit = number(round(1 - strengths.level, 12))
    groups = f"Holm's adjustment for {counted(len(tested), 'group')} of objects"
    if not any(group.tested.leader for group in tested):
        yield (
            f"By recall (detections {which}), neither {first} nor {second} leads on any class, "
            f"size or attribute (no p below {limit} after {groups})."
        )
        return
    sides = "; ".join(_side(name, tested) for name in (first, second))
    yield f"By recall (detections {which}), {sides} (p below {limit} after {groups})."


def _side(name: str, tested: Sequence[Group]) -> str:
    led = [group for group in tested if group.tested.leader == name]
    if not led:
        return f"{name} leads on no group of objects"
    widest: dict[str, Group] = {}
    for group in sorted(led, key=lambda group: -abs(group.tested.difference)):
        widest.setdefault(group.characteristic, group)
    named = list(widest.values())[:MOST_GROUPS]
    leads = [f"{_objects(group)} ({change(abs(group.tested.difference))})" for group in named]
    more = len(led) - len(named)
    return f"{name} leads on {listed([*leads, f'{more:,} more'] if more else leads)}"


def _objects(group: Group) -> str:
    if group.characteristic == "class":
        return f"class {group.value}"
    if group.characteristic == "size":
        return f"{group.value} objects"
    return f"objects with {group.characteristic} = {group.value}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more:,} more"] if more > 0 else names)


def _p(p: float) -> str:
    """p = 0.012; p < 0.001."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
