"""The verdict names what was planted, where it was planted, and says only what its numbers say."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.scenes.large import large_dataset
from boxlens.scenes.plant import Dependence, Fixed, Recipe, Steps, Uniform, plant
from boxlens.studies.diagnosis.analysis import diagnose
from boxlens.studies.diagnosis.verdict import FIXES, LEAST_SHARE_OF_LOSS, MOST_FINDINGS
from planted_worlds import roomy, world_of
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of, random_world

# A little of everything, on which one kind is planted in plenty.
LITTLE = {
    "miss": 0.03,
    "mislocalise": 0.03,
    "confuse_similar": 0.02,
    "confuse_dissimilar": 0.02,
    "both_similar": 0.02,
    "duplicate": 0.05,
    "background": 0.2,
}
PLENTY = {
    "mislocalise": ("loc", {"mislocalise": 0.35}),
    "confuse_similar": ("cls", {"confuse_similar": 0.35}),
    "confuse_dissimilar": ("cls", {"confuse_dissimilar": 0.35}),
    # These hurt only where they score high.
    "duplicate": ("dupe", {"duplicate": 3.0, "scores": {"duplicate": Fixed(0.999)}}),
    "background": ("bkg", {"background": 15.0, "scores": {"background": Uniform(0.9, 1.0)}}),
    "miss": ("miss", {"miss": 0.35}),
}


@cache
def dataset_of(world):
    return demo_dataset() if world == "demo" else large_dataset(300, 1_800, 20, seed=1)


def diagnosed(dataset, recipe, seed=1):
    return diagnose(dataset, plant(dataset, recipe, seed=seed).detections)


@pytest.mark.parametrize("planted", PLENTY)
@pytest.mark.parametrize("world", ["demo", "large"])
def test_the_first_finding_names_the_kind_that_dominates(world, planted):
    error, rates = PLENTY[planted]
    result = diagnosed(dataset_of(world), Recipe(**(LITTLE | rates)))
    first, *others = result.verdict.findings
    assert first.error == error
    assert first.sentence.startswith(FIXES[error][0])
    assert all(first.gain > 3 * other.gain for other in others)
    assert first.n == result.tide.n[error]
    assert_findings_say_what_they_hold(result)


@pytest.mark.parametrize("world", ["demo", "large"])
def test_misses_that_depend_on_size_are_placed_in_small_objects(world):
    # 32x32 and 96x96 are where small and large begin.
    depends = Dependence("miss", "area", Steps((32**2, 96**2), (5.0, 0.2, 0.2)))
    result = diagnosed(dataset_of(world), Recipe(miss=0.12, depends=(depends,)))
    first = result.verdict.findings[0]
    assert (first.error, first.place.what) == ("miss", "size")
    assert first.place.name == "objects under 32x32"
    assert first.place.share > 0.8
    assert "of it in objects under 32x32" in first.sentence
    assert result.verdict.objects[0].startswith("Objects differ most by area")


def test_bad_placement_that_depends_on_size_is_placed_in_large_objects():
    depends = Dependence("mislocalise", "area", Steps((96**2,), (0.1, 6.0)))
    result = diagnosed(dataset_of("large"), Recipe(mislocalise=0.1, depends=(depends,)))
    first = result.verdict.findings[0]
    assert (first.error, first.place.name) == ("loc", "objects over 96x96")


def test_the_size_is_that_of_the_object_not_of_the_box_on_it():
    boxes = [[60 * place, 0, 30, 30] for place in range(5)]
    boxes += [[120 * place, 100, 100, 100] for place in range(5)]
    dataset = world_of(boxes, names="a")
    # On the small objects boxes of 30 x 64: IoU 30 / 64, and larger than 32 x 32.
    found = [[x, y, w, 64 if w == 30 else h] for x, y, w, h in boxes]
    detections = Detections.of(
        "tall",
        1,
        image_row=[0] * 10,
        class_row=[0] * 10,
        box=found,
        score=np.linspace(0.9, 0.1, 10),
    )
    [first, *_] = diagnose(dataset, detections).verdict.findings
    assert (first.error, first.n, first.place.name) == ("loc", 5, "objects under 32x32")
    assert first.place.share == pytest.approx(1)


@pytest.mark.parametrize(("rate", "error"), [("miss", "miss"), ("mislocalise", "loc")])
def test_errors_that_depend_on_occlusion_are_placed_there(rate, error):
    little = dict.fromkeys(("none", "low", "medium"), 0.2)
    depends = Dependence(rate, "occlusion", {"high": 6.0, **little})
    result = diagnosed(demo_dataset(), Recipe(**{rate: 0.15}, depends=(depends,)))
    first = result.verdict.findings[0]
    assert first.error == error
    assert (first.place.what, first.place.name) == ("occlusion", "high")
    assert "of it in objects with occlusion = high" in first.sentence
    assert result.verdict.objects[0].startswith("Objects differ most by occlusion")


def renamed(detections, which, class_row):
    classes = detections.class_row.copy()
    classes[which] = class_row
    return replace(detections, class_row=classes)


def test_a_confusion_of_one_pair_of_classes_is_named():
    dataset = demo_dataset()
    detections = plant(dataset, Recipe(), seed=1).detections
    car, van = (dataset.classes.name.index(name) for name in ("car", "van"))
    cars = np.flatnonzero(detections.class_row == car)
    result = diagnose(dataset, renamed(detections, cars[::2], van))
    first = result.verdict.findings[0]
    assert (first.error, first.place.what) == ("cls", "confusion")
    assert first.place.name == "car taken for van"
    assert first.place.share == pytest.approx(1)
    assert "100% of it where car is taken for van" in first.sentence


def test_a_confusion_both_ways_names_the_more_costly_way():
    dataset = roomy(60)
    recipe = Recipe(
        confuse_similar=0.3,
        similar=[("a", "b")],
        depends=(Dependence("confuse_similar", "kind", {"often": 1.0, "seldom": 0.3}),),
    )
    kind = np.array(["often", "seldom", "seldom", "seldom"] * 60, dtype=object)
    dataset = replace(dataset, gt=replace(dataset.gt, attributes={"kind": kind}))
    result = diagnosed(dataset, recipe)
    first = result.verdict.findings[0]
    assert (first.error, first.place.name) == ("cls", "a taken for b")


def test_errors_in_one_class_are_placed_there():
    dataset = roomy(60)
    planted = plant(dataset, Recipe(), seed=1).detections
    of_class = np.flatnonzero(planted.class_row == 3)
    keep = np.ones(len(planted), dtype=bool)
    keep[of_class[::2]] = False
    first = diagnose(dataset, planted.where(keep)).verdict.findings[0]
    assert (first.error, first.place.what, first.place.name) == ("miss", "class", "d")
    assert "100% of it in class d" in first.sentence


def test_errors_spread_evenly_have_no_place():
    first = diagnosed(dataset_of("large"), Recipe(miss=0.3)).verdict.findings[0]
    assert (first.error, first.place) == ("miss", None)
    assert "of it" not in first.sentence


SENTENCE = re.compile(
    r"^(?P<action>[A-Z][a-z ,]+?) (?:would add (?P<gain>[\d.]+) (?P<metric>AP\d+)"
    r"(?:, (?P<share>\d+)% of it (?P<place>[^.(]+?))?\."
    r"(?: Over all orders of fixes it would add (?P<mean>[\d.]+) on average\.)?"
    r"|alone would add nothing, but (?P<only_mean>[\d.]+) (?P<its_metric>AP\d+) on average"
    r" over all orders of fixes\.)"
    r" (?P<n>[\d,]+) (?P<what>[a-z ]+)"
    r"(?:; (?P<beside>[\d,]+) of them ha(?:s|ve) a nearby box with the wrong class and location)?\.$"
)


def assert_findings_say_what_they_hold(result):
    """Every number of a sentence is that of a field, and every field that of TIDE."""
    tide, findings = result.tide, result.verdict.findings
    if not findings:
        return
    ap = result.borji.ap[0]
    assert len(findings) <= MOST_FINDINGS
    gains = [finding.gain for finding in findings]
    assert gains == sorted(gains, reverse=True)
    orders = {row.name: row for row in tide.orders}
    for finding in findings:
        said = SENTENCE.match(finding.sentence)
        assert said, finding.sentence
        order = orders[finding.error]
        assert finding.gain == order.first
        assert max(finding.gain, finding.mean) >= LEAST_SHARE_OF_LOSS * (1 - ap)
        told = (finding.lowest, finding.highest, finding.mean)
        assert told == (order.lowest, order.highest, order.mean)
        gain = float(said["gain"] or 0)
        mean = float(said["only_mean"] or said["mean"] or said["gain"])
        assert gain == pytest.approx(finding.gain, abs=0.0005)
        assert mean == pytest.approx(finding.mean, abs=0.0011)
        assert int(said["n"].replace(",", "")) == finding.n == tide.n[finding.error]
        assert finding.metric == (said["metric"] or said["its_metric"])
        action, *counted = FIXES[finding.error]
        assert (said["action"], said["what"]) == (action, counted[finding.n != 1])
        if finding.place is None:
            assert said["share"] is None
        else:
            assert finding.place in result.places
            assert int(said["share"]) == round(100 * min(finding.place.share, 1))
    left_out = set(FIXES) - {finding.error for finding in findings}
    if len(findings) < MOST_FINDINGS:
        least = max(LEAST_SHARE_OF_LOSS * (1 - ap), 0.0005)
        assert all(orders[error].mean < least for error in left_out)


@pytest.mark.parametrize("detector", ["window", "region"])
def test_findings_of_the_demos_detectors_say_what_they_hold(detector):
    result = diagnose(demo_dataset(), demo_detections(detector))
    assert result.verdict.findings
    assert_findings_say_what_they_hold(result)
    n, n_objects = result.tide.n, int(result.tide.types.positive.sum())
    assert result.verdict.summary == (
        f"AP50 is {result.metrics['AP50']:.3f}: {n['fp']:,} counted detections are wrong, "
        f"{n['fn']:,} of {n_objects:,} objects are not found."
    )


@pytest.mark.parametrize("seed", range(40))
def test_findings_of_random_worlds_say_what_they_hold(seed):
    dataset, detections, groups = random_world(seed)
    assert_findings_say_what_they_hold(diagnose(dataset, detections, similar=groups))


def test_sentences_tell_the_objects_that_are_undetected():
    result = diagnosed(roomy(40), Recipe(miss=20, mislocalise=10))
    misses = result.sensitivity.misses
    assert misses.n_missed == 30
    assert (
        "30 of 160 objects (19%) are not found at a useful precision" in result.verdict.objects[-1]
    )
    assert "33% of them would count as found at IoU 0.1" in result.verdict.objects[-1]


@pytest.mark.parametrize("seed", range(5))
def test_the_verdict_begins_with_at_most_three_sentences(seed):
    dataset, detections, groups = random_world(seed)
    verdict = diagnose(dataset, detections, similar=groups).verdict
    assert 1 <= len(verdict.sentences) <= 3
    assert all(len(text) < 200 for text in verdict.sentences)
    assert verdict.sentences[0] == verdict.summary


def test_another_threshold_is_named():
    dataset = roomy(20)
    planted = plant(dataset, Recipe(mislocalise=0.3), seed=1)
    result = diagnose(dataset, planted.detections, iou=0.75)
    assert {finding.metric for finding in result.verdict.findings} == {"AP75"}
    assert result.verdict.summary.startswith("AP75 is ")


def test_nothing_wrong_is_said_in_one_sentence():
    result = diagnosed(roomy(20), Recipe())
    assert result.verdict.sentences == (
        "AP50 is 1.000: every counted detection is right and every object is found.",
    )
    assert result.verdict.findings == ()


def test_no_detections_are_told_not_blamed_on_a_kind():
    dataset, detections = demo_dataset(), demo_detections()
    result = diagnose(dataset, nothing_of(detections))
    assert [(row.error, row.gain) for row in result.verdict.findings] == [("miss", 1.0)]
    n_objects = int(result.tide.types.positive.sum())
    assert result.verdict.summary == (
        f"AP50 is 0.000: there are no detections, so none of {n_objects:,} objects is found."
    )
    assert not any("differ most" in text for text in result.verdict.objects)


def test_no_objects_are_told():
    dataset, detections = demo_dataset(), demo_detections()
    result = diagnose(nothing_of(dataset), detections)
    assert result.verdict.findings == ()
    assert result.verdict.summary == (
        "Nothing can be said: there are no objects that count, only "
        f"{len(detections):,} detections."
    )


def test_neither_objects_nor_detections_leave_nothing_to_say():
    dataset, detections = demo_dataset(), demo_detections()
    result = diagnose(nothing_of(dataset), nothing_of(detections))
    assert result.verdict.sentences == ("Nothing can be said: there are no objects that count.",)


def test_errors_that_no_single_fix_would_gain_from_are_told_so():
    """One object and one box elsewhere: without the box there is no hit, without the object the
    box is still wrong."""
    dataset = world_of([[0, 0, 20, 20]])
    wrong = Detections.of(
        "one", 1, image_row=[0], class_row=[0], box=[[300, 200, 20, 20]], score=[0.5]
    )
    verdict = diagnose(dataset, wrong).verdict
    assert verdict.summary == (
        "AP50 is 0.000: 1 counted detection is wrong, 1 of 1 object is not found; 1 of 1 class is "
        "never found (a)."
    )
    assert {row.error for row in verdict.findings} == {"miss", "bkg"}
    for row in verdict.findings:
        assert "alone would add nothing, but 0.500 AP50 on average" in row.sentence


def test_classes_that_are_never_found_are_named_and_finding_them_is_worth_it():
    dataset = roomy(20)
    detections = plant(dataset, Recipe(), seed=1).detections
    result = diagnose(dataset, detections.where(detections.class_row < 2))
    assert "2 of 4 classes are never found (d, e)" in result.verdict.summary
    [first] = result.verdict.findings
    assert (first.error, first.gain) == ("miss", pytest.approx(0.5))
    # Half of the gain is that of each class that is never found.
    shares = {place.name: place.share for place in result.places if place.error == "miss"}
    assert (shares["d"], shares["e"]) == (pytest.approx(0.5), pytest.approx(0.5))
    assert "dap_differs" in {notice.code for notice in result.notices}


def test_classes_without_objects_do_not_dilute_what_is_told():
    dataset = roomy(20)
    detections = plant(dataset, Recipe(miss=0.2), seed=1).detections
    lesser = dataset.where(dataset.gt.class_row != 3)
    result = diagnose(lesser, detections)
    assert result.tide.n_mean == 4
    assert result.verdict.summary.startswith(f"AP50 is 0.{round(1000 * result.metrics['AP50'])}")
    by_class = [row.gain["miss"] for row in result.tide.classes if row.n_objects]
    [first, *_] = [row for row in result.verdict.findings if row.error == "miss"]
    assert first.gain == pytest.approx(np.mean(by_class))


@pytest.mark.parametrize("seed", range(5))
def test_chance_is_not_told_as_a_difference_of_objects(seed):
    result = diagnosed(demo_dataset(), Recipe(miss=0.3, background=1.0), seed)
    assert not any("differ most" in text for text in result.verdict.objects)


@pytest.mark.parametrize("rate", ["both_similar", "both_dissimilar"])
def test_objects_with_a_box_wrong_in_class_and_place_are_told_from_overlooked_ones(rate):
    result = diagnosed(demo_dataset(), Recipe(**{rate: 0.3}))
    [missed] = [row for row in result.verdict.findings if row.error == "miss"]
    assert (
        f"{missed.n:,} of them have a nearby box with the wrong class and location"
        in missed.sentence
    )
    assert "both" in {row.error for row in result.verdict.findings}


def test_similar_and_other_confusions_are_told_apart():
    for rate, similar in (("confuse_similar", True), ("confuse_dissimilar", False)):
        first = diagnosed(demo_dataset(), Recipe(**{rate: 0.35})).verdict.findings[0]
        assert first.error == "cls"
        assert ("between similar classes" in first.sentence) == similar
