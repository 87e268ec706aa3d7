"""What is said of an upper bound is what its numbers are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report.bound_results import BOUND_WORLDS

whole = BOUND_WORLDS["detectors and context"]


def said(world: str) -> str:
    return " ".join(BOUND_WORLDS[world]().sentences)


def test_the_best_detector_is_put_beside_the_bound():
    assert whole().sentences[0] == (
        "The best detector, window, has an AP of 0.300, 60% of the upper bound (UAP 0.500); the "
        "gap (95% interval 0.180 to 0.220) is beyond sampling error."
    )
    told = said("detectors and context")
    assert "By size, the gap is largest for large objects (AP 0.360 of 0.600)." in told
    assert (
        "UAP is about 0.500 at every IoU, while window falls from 0.480 at IoU 0.5 to 0.030 at "
        "IoU 0.95: " in told
    )
    assert "labels 60% of 420 objects correctly (mean over classes: 55%)." in told


def test_a_bound_that_depends_on_the_overlap_is_said_to():
    result = whole()
    bound = replace(result.bound, by_iou={0.5: 0.5, 0.75: 0.45, 0.95: 0.4})
    told = " ".join(replace(result, strategies=(bound,)).sentences)
    assert "UAP goes from 0.500 at IoU 0.5 to 0.400 at IoU 0.95, while window falls" in told


def test_a_lone_detector_is_not_the_best_one():
    first = BOUND_WORLDS["no context, one way"]().sentences[0]
    assert first == "window has an AP of 0.300, 60% of the upper bound (UAP 0.500)."


def test_a_gap_whose_interval_holds_nothing_may_be_chance():
    result = whole()
    best = result.detectors[0]
    unsure = replace(best, gap=replace(best.gap, low=-0.01))
    told = replace(result, detectors=(unsure, result.detectors[1])).sentences[0]
    assert told.endswith("is within sampling error.")


def test_a_detector_beyond_the_bound_asks_for_a_stronger_classifier():
    first = BOUND_WORLDS["beyond the bound"]().sentences[0]
    assert first.startswith(
        "window exceeds the upper bound of this classifier (AP 0.700, UAP 0.500)"
    )
    assert "stronger classifier" in first
    assert "largest" not in said("beyond the bound")


def with_best(ap, gap=None, by_class=None):
    """The result with one detector of this AP, and its gap from and to."""
    result = whole()
    best = result.detectors[0]
    interval = None if gap is None else replace(best.gap, low=gap[0], high=gap[1])
    share = ap / result.bound.uap
    changed = replace(best, ap=ap, share=share, gap=interval, by_class=by_class or best.by_class)
    return replace(result, detectors=(changed,))


def test_a_last_bit_above_the_bound_reaches_it():
    reaches = "window reaches the upper bound (AP 0.500, UAP 0.500)"
    assert with_best(0.5 + 1e-16).sentences[0] == f"{reaches}."
    assert with_best(0.4996).sentences[0] == f"{reaches}."
    assert with_best(0.504, (-0.01, 0.002)).sentences[0] == (
        "window reaches the upper bound (AP 0.504, UAP 0.500); the gap (95% interval -0.010 to "
        "0.002) is within sampling error."
    )
    assert with_best(0.499).sentences[0].startswith("window has an AP of 0.499, >99% of the")
    assert "exceeds the upper bound of this classifier" in with_best(0.506).sentences[0]


def test_how_sure_it_is_that_a_detector_is_beyond_is_told():
    beyond = (
        "window exceeds the upper bound of this classifier (AP 0.600, UAP 0.500); the gap (95% "
    )
    sure = with_best(0.6, (-0.14, -0.06)).sentences[0]
    assert sure.startswith(
        f"{beyond}interval -0.140 to -0.060) is beyond sampling error: it recognises objects better."
    )
    unsure = with_best(0.6, (-0.22, 0.02)).sentences[0]
    assert unsure.startswith(f"{beyond}interval -0.220 to 0.020) is within sampling error. Use a")


def test_classes_at_their_bound_are_not_beyond_it():
    classes = whole().bound.classes
    at = tuple(one.uap + 1e-12 for one in classes)
    assert "exceeds the bound" not in " ".join(with_best(0.4, by_class=at).sentences)
    ahead = (at[0] + 0.02, *at[1:])
    told = " ".join(with_best(0.4, by_class=ahead).sentences)
    assert "In 1 of 5 classes window exceeds the bound" in told


def test_without_detectors_the_bound_speaks_for_itself():
    first, *others = BOUND_WORLDS["no detectors"]().sentences
    assert first == (
        "A detector that finds every object and labels it as hog does would have an AP of 0.500, "
        "the upper bound (UAP)."
    )
    assert "Recognition is weakest for small objects (UAP 0.300)." in others


def test_sampling_and_context_are_told_where_they_were_asked_for():
    told = said("detectors and context")
    assert (
        "Labels from boxes around the object lower UAP: from 0.500 to 0.480 by the most confident "
        "box and 0.470 by the most frequent label."
    ) in told
    assert (
        "Context helps: 60% of objects are labelled correctly with the box alone, 72% with 2 times "
        "the box."
    ) in told
    assert (
        "With the object blanked out, the whole picture still gives the right class for 30%."
        in told
    )
    short = said("no context, one way")
    assert "boxes around" not in short
    assert "ontext" not in short


def with_uaps(result, *uaps):
    strategies = (replace(one, uap=uap) for one, uap in zip(result.strategies, uaps, strict=True))
    return " ".join(replace(result, strategies=tuple(strategies)).sentences)


def test_labels_around_that_go_both_ways_change_the_bound():
    around = "Labels from boxes around the object {} UAP: from 0.015"
    assert around.format("change") in with_uaps(whole(), 0.015, 0.017, 0.002)
    assert around.format("lower") in with_uaps(whole(), 0.015, 0.0151, 0.002)
    assert around.format("raise") in with_uaps(whole(), 0.015, 0.015, 0.03)
    assert around.format("hardly change") in with_uaps(whole(), 0.015, 0.017, 0.012)


def test_where_nothing_is_recognised_no_empty_words_are_made():
    result = BOUND_WORLDS["no detectors"]()
    strategies = tuple(
        replace(
            one,
            uap=0.0,
            by_iou=dict.fromkeys(one.by_iou, 0.0),
            by_size=dict.fromkeys(one.by_size, 0.0),
            accuracy=0.0,
            class_accuracy=0.0,
            classes=tuple(
                replace(cls, uap=0.0, accuracy=0.1 * (row == 0))
                for row, cls in enumerate(one.classes)
            ),
        )
        for one in result.strategies
    )
    context = tuple(replace(one, accuracy=0.0) for one in result.context)
    nothing = replace(result, strategies=strategies, context=context)
    assert nothing.sentences == (
        (
            "A detector that finds every object and labels it as hog does would have an AP of 0.000, "
            "the upper bound (UAP)."
        ),
        "The classifier, hog, labels 0% of 420 objects correctly (mean over classes: 0%).",
        "8 of 420 objects have no label and count as missed.",
    )
    blind = replace(whole().detectors[0], ap=0.0, share=float("nan"), gap=None)
    first = replace(nothing, detectors=(blind,)).sentences[0]
    assert first == "window and the upper bound both have an AP of 0: there is nothing to compare."


def test_a_line_through_few_values_says_nothing():
    result = whole()
    first, *others = result.bound.classes
    assert "UAP follows accuracy" in said("detectors and context")
    same = (first, *(replace(one, uap=0.0) for one in others))
    told = " ".join(replace(result, strategies=(replace(result.bound, classes=same),)).sentences)
    assert "UAP follows accuracy" not in told


def test_context_that_brings_nothing_is_said_to():
    result = whole()
    less = tuple(
        replace(one, accuracy=0.5) if one.kind == "object_and_context" else one
        for one in result.context
    )
    told = " ".join(replace(result, context=less).sentences)
    assert (
        "which was trained on plain boxes: 60% of objects are labelled correctly with the box alone, "
        "at best 50% with more." in told
    )


def test_objects_without_a_label_are_counted():
    assert "8 of 420 objects have no label and count as missed." in said("detectors and context")
    one_left = replace(whole(), n_objects=413)
    assert one_left.sentences[2] == "1 of 413 objects has no label and counts as missed."


def test_classes_beyond_the_bound_are_counted():
    result = whole()
    best = result.detectors[0]
    ahead = replace(best, by_class=(1.0, *best.by_class[1:]))
    told = " ".join(replace(result, detectors=(ahead,)).sentences)
    assert "In 1 of 5 classes window exceeds the bound" in told


def test_where_nothing_is_defined_that_is_all_there_is_to_say():
    assert BOUND_WORLDS["undefined"]().sentences == ("street has no objects that count.",)
    unlabelled = replace(BOUND_WORLDS["undefined"](), n_objects=5)
    assert unlabelled.sentences == ("No object has a label, so there is no upper bound.",)


@pytest.mark.parametrize("world", BOUND_WORLDS)
def test_no_sentence_tells_what_is_undefined(world):
    for text in BOUND_WORLDS[world]().sentences:
        assert text.endswith(".")
        assert "nan" not in text.split()
        assert "n/a" not in text
