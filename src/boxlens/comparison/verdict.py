"""What a comparison comes to, in plain sentences that are read off its numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.comparison.leading_pairs import leading_pairs
from boxlens.comparison.shared_images import IMAGES_SKIPPED
from boxlens.data.selection import CLASSES_SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from boxlens.comparison.cases.discriminative import DiscriminativeResult
    from boxlens.comparison.league import League
    from boxlens.comparison.paired import PairResult
    from boxlens.comparison.result import ComparisonResult
    from boxlens.comparison.together.strengths import Group

MOST_NAMES = 4
# Groups in which a detector leads that are named, one a characteristic.
MOST_GROUPS = 3
# What rounds to no difference.
LEAST_TOLD = 0.0005
# A detector without detections on so large a share of the images was perhaps not run on them.
MUCH_SILENCE = 0.05
SKIPPED_CODES = (CLASSES_SKIPPED, IMAGES_SKIPPED)
TEST_NAMES = {
    "paired": "a paired t-test",
    "welch": "Welch's t-test",
    "permutation": "a sign-flip test",
    "anova": "an analysis of variance",
}


def comparison_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """The answer first; then what single images, objects and kinds of objects say."""
    return (*answer_sentences(result), *further_sentences(result))


def answer_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """Which detector is better by the league's number, and how sure that is."""
    league = () if len(result.detectors) == 2 else (_league(result.league),)
    n_pairs = len(result.headline)
    pairs = (_pair(one.headline, result, n_pairs) for one in leading_pairs(result))
    return (*league, *pairs, *_skipped(result), *_silent(result))


def further_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """About images, objects found by one alone, and where each of the best two wins."""
    return (*_images(result), *_complementarity(result), *_strengths(result))


def _league(league: League) -> str:
    """Groups from best to worst; a detector may be in several."""
    best, *others = league.rows
    if math.isnan(best.score.value):
        return f"{league.metric} is undefined for all {len(league.rows)} detectors."
    first = best.letters.split()
    alike = [row.name for row in others if set(first) & set(row.letters.split())]
    text = (
        f"By {league.metric}, {best.name} is first of {len(league.rows)} detectors with "
        f"{_score(best.score.value)}"
    )
    if not alike:
        return f"{text}; all others can be told from it."
    return f"{text}; {_listed(alike)} cannot be told from it."


def _pair(row: PairResult, result: ComparisonResult, n_pairs: int) -> str:
    alpha, level = result.choice.alpha, f"{100 * result.choice.resampling.level:g} %"
    difference, both = row.difference, f"{row.a} and {row.b}"
    if difference.value == 0 and difference.se == 0:
        return f"{both} have the same {row.metric} in every resampled test set: nothing differs."
    if math.isnan(row.p_holm):
        return (
            f"{both} cannot be compared on {row.metric}: it is undefined on this test set or on "
            "most test sets resampled from it, or its objects lie in too few images."
        )
    tests = _tests(row, n_pairs)
    if row.p_holm < alpha:
        flipped = difference.value < 0
        better, worse = (row.b, row.a) if flipped else (row.a, row.b)
        ends = (-difference.high, -difference.low) if flipped else (difference.low, difference.high)
        text = (
            f"{better} is better than {worse} by {_score(abs(difference.value))} {row.metric} "
            f"({level} interval {_score(ends[0])} to {_score(ends[1])}); chance alone would hardly "
            f"give this ({tests})"
        )
        if not row.p_permutation * n_pairs < alpha:
            text += ", though the second test does not say so: take it with care"
        return f"{text}."
    text = (
        f"{both} cannot be told apart on {row.metric}: difference {_score(difference.value)} "
        f"({level} interval {_score(difference.low)} to {_score(difference.high)}; {tests})"
    )
    if row.p_permutation * n_pairs < alpha:
        text += ", though the second test alone would tell them apart: take it with care"
    return (
        f"{text}. A true difference of {_score(row.detectable)} would be found on four of five "
        "such test sets; a smaller one may well exist."
    )


def _skipped(result: ComparisonResult) -> Iterator[str]:
    """Over which classes or images detectors are compared, where some are skipped."""
    told = [one.message for one in result.notices if one.code in SKIPPED_CODES]
    if not told:
        return
    yield from (f"{text[0].upper()}{text[1:]}." for text in told)
    metric = result.league.metric
    own = (
        f"{one.name} {_score(metrics[metric])}"
        for one, metrics in zip(result.detectors, result.own_metrics, strict=True)
    )
    yield f"With nothing skipped, as evaluate counts, {metric} is: {', '.join(own)}."


def _silent(result: ComparisonResult) -> Iterator[str]:
    """Silence counts against a detector: where it is long, that may be the whole difference."""
    n_images = len(result.dataset.images)
    for notice in result.notices:
        if notice.code == "silent_images" and notice.count >= MUCH_SILENCE * n_images:
            yield f"But take care: {notice.message}. Was it run on them?"


def _tests(row: PairResult, n_pairs: int) -> str:
    adjusted = f" after Holm's adjustment for {n_pairs} pairs" if n_pairs > 1 else ""
    return (
        f"{_p(row.p_holm)} by resampling images{adjusted}, {_p(row.p_permutation)} by exchanging "
        "detections"
    )


def _images(result: ComparisonResult) -> Iterator[str]:
    measure = {"fda": "FDA", "f1": "F1"}.get(result.choice.measure, result.choice.measure)
    together = () if result.together is None else (result.together,)
    told = (*together, leading_pairs(result)[0].discriminative)
    for one in told:
        yield f"Image by image ({measure} above the score cuts), {_discriminative(one)}."


def _discriminative(one: DiscriminativeResult) -> str:
    all_images = f"there is nothing to test over all {one.n_cases:,} images"
    if not math.isnan(one.p_all):
        test = TEST_NAMES[one.choice.test]
        all_images = f"over all {one.n_cases:,} images {test} gives {_p(one.p_all)}"
    several = f"the {len(one.detectors)} detectors"
    if not one.differs:
        who = f"among {several}" if one.a is None else f"between {one.a} and {one.b}"
        return (
            f"{all_images}; by removal of near agreement no difference {who} shows ({one.remark})"
        )
    ahead = f"{one.better} is ahead"
    if one.a is not None:
        ahead += f" by {_score(abs(one.mean_difference))} on average"
    differ = f"{several} are not all alike" if one.a is None else f"{one.a} and {one.b} differ"
    if not one.n_removed:
        return (
            f"{differ}: {all_images}, and it stays below {_score(one.choice.alpha, 2)} as images "
            f"of near agreement are left out; {ahead}"
        )
    text = (
        f"{all_images}; {differ} once {_count(one.n_removed, 'image')} on which they agree to less "
        f"than t0 = {_score(one.t0)} {_are(one.n_removed)} left out: on the other {one.n_kept:,} "
        f"{ahead}"
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
        f"Of {_count(found.n_objects, 'object')} "
        f"{_and([*(f'{name} alone finds {n:,}' for name, n in alone), *others])} "
        f"(IoU {_score(found.iou, 2)}, detections of any score)."
    )
    joint = result.joint.rankings.joint()["AP"]
    single = max(row.metrics["AP"] for row in result.joint.rankings.single)
    if not math.isnan(joint):
        yield (
            f"Together they could reach COCO AP {_score(joint)} at most, if one who knows the "
            "truth added to the best of them the hits that it lacks, or chose a detector for each "
            f"image; the best alone has {_score(single)}."
        )


def _strengths(result: ComparisonResult) -> Iterator[str]:
    strengths = leading_pairs(result)[0].strengths
    first, second = strengths.first, strengths.second
    tested = [group for group in strengths.groups if not math.isnan(group.tested.p)]
    if not tested:
        yield (
            f"No class, size or attribute is seen in enough images to say whether {first} or "
            f"{second} finds it more often."
        )
        return
    by_cut = strengths.overall.tested_by == "cut"
    where = "Above the score cuts" if by_cut else "With detections of any score"
    limit, n = _score(1 - strengths.level, 2), _count(len(tested), "group")
    if not any(group.tested.leader for group in tested):
        yield (
            f"{where} neither {first} nor {second} finds more of any class, size or attribute "
            f"(recall; no p below {limit} after Holm's adjustment for {n} of objects)."
        )
        return
    sides = "; ".join(_side(name, tested) for name in (first, second))
    yield (f"{where} {sides} (recall; p below {limit} after Holm's adjustment for {n} of objects).")


def _side(name: str, tested: Sequence[Group]) -> str:
    led = [group for group in tested if group.tested.leader == name]
    if not led:
        return f"{name} finds no group of objects more often"
    widest: dict[str, Group] = {}
    for group in sorted(led, key=lambda group: -abs(group.tested.difference)):
        widest.setdefault(group.characteristic, group)
    named = list(widest.values())[:MOST_GROUPS]
    told = [f"{_objects(group)} (+{_score(abs(group.tested.difference))})" for group in named]
    more = len(led) - len(named)
    return f"{name} finds more of {_and([*told, f'{more:,} more'] if more else told)}"


def _objects(group: Group) -> str:
    if group.characteristic == "class":
        return f"class {group.value}"
    if group.characteristic == "size":
        return f"{group.value} objects"
    return f"objects with {group.characteristic} {group.value}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:MOST_NAMES])
    more = len(names) - len(shown)
    return _and([*shown, f"{more:,} more"] if more else shown)


def _and(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _count(n: int, one: str) -> str:
    return f"{n:,} {one if n == 1 else one + 's'}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _p(p: float) -> str:
    """p = .012; what would read .000 is p < .001."""
    return "p < .001" if p < LEAST_TOLD else f"p = {_score(p)}"


def _score(value: float, digits: int = 3) -> str:
    """A fraction as this field writes it: .123, -.123; nothing has no sign."""
    if math.isnan(value):
        return "n/a"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
