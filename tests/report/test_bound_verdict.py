"""What is said of an upper bound is what its numbers are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boxlens.recognition_bound.verdict import bound_sentences
from report.bound_results import BOUND_WORLDS

whole = BOUND_WORLDS["detectors and context"]


def said(world: str) -> str:
    return " ".join(bound_sentences(BOUND_WORLDS[world]()))


def test_the_best_detector_is_put_beside_the_bound():
    assert bound_sentences(whole())[0] == (
        "The best detector, window, reaches 60 % of what recognition alone allows (AP .300 of "
        ".500); the gap, 95 % interval .180 to .220, is beyond chance."
    )
    told = said("detectors and context")
    assert "By size its gap is widest for large objects (AP .360 of .600)." in told
    assert (
        "UAP is about .500 at every IoU, while window falls from .480 at .50 to .030 at .95: "
        in told
    )
    assert "names 60 % of 420 objects rightly (55 % in the mean of classes)." in told


def test_a_bound_that_depends_on_the_overlap_is_said_to():
    result = whole()
    bound = replace(result.bound, by_iou={0.5: 0.5, 0.75: 0.45, 0.95: 0.4})
    told = " ".join(bound_sentences(replace(result, strategies=(bound,))))
    assert "UAP goes from .500 at an IoU of .50 to .400 at .95, while window falls" in told


def test_a_lone_detector_is_not_the_best_one():
    first = bound_sentences(BOUND_WORLDS["no context, one way"]())[0]
    assert first == ("window reaches 60 % of what recognition alone allows (AP .300 of .500).")


def test_a_gap_whose_interval_holds_nothing_may_be_chance():
    result = whole()
    best = result.detectors[0]
    unsure = replace(best, gap=replace(best.gap, low=-0.01))
    told = bound_sentences(replace(result, detectors=(unsure, result.detectors[1])))[0]
    assert told.endswith("may be chance.")


def test_a_detector_beyond_the_bound_asks_for_a_stronger_classifier():
    first = bound_sentences(BOUND_WORLDS["beyond the bound"]())[0]
    assert first.startswith("window is beyond what this classifier allows (AP .700, UAP .500)")
    assert "stronger classifier" in first
    assert "widest" not in said("beyond the bound")


def with_best(ap, gap=None, by_class=None):
    """The result with one detector of this AP, and its gap from and to."""
    result = whole()
    best = result.detectors[0]
    interval = None if gap is None else replace(best.gap, low=gap[0], high=gap[1])
    share = ap / result.bound.uap
    changed = replace(best, ap=ap, share=share, gap=interval, by_class=by_class or best.by_class)
    return replace(result, detectors=(changed,))


def test_a_last_bit_above_the_bound_reaches_it():
    reaches = "window reaches the bound (AP .500, UAP .500)"
    assert bound_sentences(with_best(0.5 + 1e-16))[0] == f"{reaches}."
    assert bound_sentences(with_best(0.4996))[0] == f"{reaches}."
    assert bound_sentences(with_best(0.504, (-0.01, 0.002)))[0] == (
        "window reaches the bound (AP .504, UAP .500); the gap, 95 % interval -.010 to .002, may "
        "be chance."
    )
    assert bound_sentences(with_best(0.499))[0].startswith("window reaches over 99 % of what")
    assert "is beyond what this classifier allows" in bound_sentences(with_best(0.506))[0]


def test_how_sure_it_is_that_a_detector_is_beyond_is_told():
    beyond = "window is beyond what this classifier allows (AP .600, UAP .500); the gap, 95 % "
    sure = bound_sentences(with_best(0.6, (-0.14, -0.06)))[0]
    assert sure.startswith(
        f"{beyond}interval -.140 to -.060, is beyond chance: its own recognition is better. A bound"
    )
    unsure = bound_sentences(with_best(0.6, (-0.22, 0.02)))[0]
    assert unsure.startswith(f"{beyond}interval -.220 to .020, may be chance. A bound needs")


def test_classes_at_their_bound_are_not_beyond_it():
    classes = whole().bound.classes
    at = tuple(one.uap + 1e-12 for one in classes)
    assert "beyond the bound" not in " ".join(bound_sentences(with_best(0.4, by_class=at)))
    ahead = (at[0] + 0.02, *at[1:])
    told = " ".join(bound_sentences(with_best(0.4, by_class=ahead)))
    assert "In 1 of 5 classes it is beyond the bound" in told


def test_without_detectors_the_bound_speaks_for_itself():
    assert bound_sentences(BOUND_WORLDS["no detectors"]())[:2] == (
        "A detector that finds every object and labels it as hog does has an AP of .500.",
        "Recognition is weakest for small objects (UAP .300).",
    )


def test_sampling_and_context_are_told_where_they_were_asked_for():
    told = said("detectors and context")
    assert (
        "Labels of boxes around the object lower the UAP: from .500 to .480 by the most confident "
        "box and .470 by the most frequent label."
    ) in told
    assert (
        "Context helps: 72 % are named rightly with 2 times the box, 60 % with the box alone."
    ) in told
    assert "Without the object itself, the whole picture still tells the class of 30 %." in told
    short = said("no context, one way")
    assert "boxes around" not in short
    assert "ontext" not in short


def with_uaps(result, *uaps):
    strategies = (replace(one, uap=uap) for one, uap in zip(result.strategies, uaps, strict=True))
    return " ".join(bound_sentences(replace(result, strategies=tuple(strategies))))


def test_labels_around_that_go_both_ways_change_the_bound():
    around = "Labels of boxes around the object {} the UAP: from .015"
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
    assert bound_sentences(nothing) == (
        "A detector that finds every object and labels it as hog does has an AP of .000.",
        "The classifier, hog, names 0 % of 420 objects rightly (0 % in the mean of classes).",
        "8 of 420 objects have no label and count as missed.",
    )
    blind = replace(whole().detectors[0], ap=0.0, share=float("nan"), gap=None)
    first = bound_sentences(replace(nothing, detectors=(blind,)))[0]
    assert first == "window has an AP of 0, as has the bound: nothing can be compared."


def test_a_line_through_few_values_says_nothing():
    result = whole()
    first, *others = result.bound.classes
    assert "UAP follows accuracy" in said("detectors and context")
    same = (first, *(replace(one, uap=0.0) for one in others))
    told = " ".join(
        bound_sentences(replace(result, strategies=(replace(result.bound, classes=same),)))
    )
    assert "UAP follows accuracy" not in told


def test_context_that_brings_nothing_is_said_to():
    result = whole()
    less = tuple(
        replace(one, accuracy=0.5) if one.kind == "object_and_context" else one
        for one in result.context
    )
    told = " ".join(bound_sentences(replace(result, context=less)))
    assert (
        "Context does not help this classifier, which knows plain boxes: 60 % with the box alone, at best 50 % with more."
        in told
    )


def test_objects_without_a_label_are_counted():
    assert "8 of 420 objects have no label and count as missed." in said("detectors and context")
    one_left = replace(whole(), n_objects=413)
    assert bound_sentences(one_left)[-1] == "1 of 413 objects has no label and counts as missed."


def test_classes_beyond_the_bound_are_counted():
    result = whole()
    best = result.detectors[0]
    ahead = replace(best, by_class=(1.0, *best.by_class[1:]))
    told = " ".join(bound_sentences(replace(result, detectors=(ahead,))))
    assert "In 1 of 5 classes it is beyond the bound" in told


def test_where_nothing_is_defined_that_is_all_there_is_to_say():
    assert bound_sentences(BOUND_WORLDS["undefined"]()) == ("street has no objects that count.",)
    unlabelled = replace(BOUND_WORLDS["undefined"](), n_objects=5)
    assert bound_sentences(unlabelled) == ("No object got a label, so there is no bound.",)


@pytest.mark.parametrize("world", BOUND_WORLDS)
def test_no_sentence_tells_what_is_undefined(world):
    for text in bound_sentences(BOUND_WORLDS[world]()):
        assert text.endswith(".")
        assert "nan" not in text.split()
        assert "n/a" not in text
