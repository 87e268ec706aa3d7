"""What is said about recall: who is best, how surely, and nothing where nothing differs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.metrics.results import Provenance
from boxlens.studies.proposals.recall.analysis import proposal_recall
from boxlens.studies.proposals.recall.average_recall import CURVE_IOUS
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.result import (
    BudgetRecall,
    DatasetRecall,
    GroupRecall,
    Lead,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.studies.proposals.recall.verdict import recall_sentences
from planted_worlds import world_of


def method(name, ar, *, at_half=None, n_mean=100.0, half=0.01, sizes=None, baseline=False):
    """At one budget; `half` the width of the interval of its average recall."""
    recall = {0.5: 2 * ar if at_half is None else at_half}
    curve = np.zeros(len(CURVE_IOUS))
    row = BudgetRecall(100, n_mean, ar, ar - half, ar + half, ar, ar, ar, recall, curve)
    groups = [GroupRecall("size", size, 5, 100, one, {}) for size, one in (sizes or {}).items()]
    return MethodRecall(
        name, name, baseline, (row,), (row,), tuple(groups), ar, 0, None, np.zeros(10)
    )


def lead_of(methods, half):
    """Of the best over the next, with half the width of its interval."""
    if len(methods) < 2:
        return None
    best, second = sorted(methods, key=lambda one: -one.chosen[-1].ar)[:2]
    ahead = best.chosen[-1].ar - second.chosen[-1].ar
    return Lead(best.name, second.name, ahead, ahead - half, ahead + half)


def said(*datasets, n_objects=10, half=0.01):
    """One list of methods a data set; they are called first, second and so on."""
    found = tuple(
        DatasetRecall(name, 3, n_objects, 1, np.zeros(10), tuple(methods), lead_of(methods, half))
        for name, methods in zip(("first", "second", "third"), datasets, strict=False)
    )
    provenance = Provenance("1", None, ())
    return recall_sentences(ProposalRecallResult(RecallChoice(), found, provenance))


def test_the_best_is_ahead_or_within_sampling_error():
    good = method("good", 0.385, n_mean=1234.5)
    assert said([method("bad", 0.2), good]) == [
        (
            "good has the highest average recall on first: 0.385 with 1,234 proposals per image, "
            "0.185 ahead of bad (95% interval 0.175 to 0.195)."
        )
    ]
    assert said([good, method("near", 0.38)]) == [
        (
            "good has the highest average recall on first: 0.385 with 1,234 proposals per image; "
            "the difference to near (0.380) is within sampling error."
        )
    ]
    unknown = said([good, method("bad", 0.2)], half=math.nan)
    assert unknown[0].endswith("; bad follows with 0.200.")


def test_a_lead_is_judged_on_the_same_images_for_both():
    """One method is a little better on every object, though images differ much more."""
    rng = np.random.default_rng(0)
    overlap = rng.uniform(0.6, 0.9, 60)
    objects = np.array([[10.0, 10, 100, 100]] * 60)
    dataset = world_of(objects, n_images=60, image_row=range(60))
    proposals = []
    for name, better in (("more", 0.01), ("less", 0.0)):
        boxes = objects.copy()
        boxes[:, 2] *= overlap + better
        proposals.append(Windows.of(name, 60, image_row=range(60), box=boxes))
    result = proposal_recall(dataset, proposals, budgets=(10,))
    lead = result.datasets[0].lead
    more, less = (one.chosen[-1] for one in result.datasets[0].methods)
    assert (lead.best, lead.second) == ("more", "less")
    assert lead.difference == pytest.approx(0.02)
    assert 0.019 < lead.low <= lead.high < 0.021
    assert more.ar_low < less.ar_high
    assert "0.020 ahead of less (95% interval 0.0" in recall_sentences(result)[0]


def test_one_method_is_told_without_a_contest():
    assert said([method("mine", 0.25, n_mean=0.5)]) == [
        "mine on first: average recall 0.250 with 0.5 proposals per image."
    ]
    assert said([method("mine", 0.25, n_mean=1)])[0].endswith("with 1 proposal per image.")


def test_equal_methods_find_equally_much():
    assert said([method("a", 0.3), method("b", 0.3), method("c", 0.1)]) == [
        "a and b have the highest average recall on first: 0.300."
    ]


def test_who_finds_objects_but_loosely_is_told():
    tight, loose = method("tight", 0.4, at_half=0.5), method("loose", 0.3, at_half=0.7)
    assert said([tight, loose])[1] == (
        "loose finds the most objects at IoU 0.5 (recall 0.700), but its boxes are looser: average "
        "recall 0.300."
    )
    assert len(said([tight, method("also", 0.3, at_half=0.5)])) == 1


def test_methods_below_a_baseline_are_named():
    methods = [method("grid", 0.3, baseline=True), method("a", 0.2), method("b", 0.1)]
    assert (
        said(methods)[1]
        == "a and b have a lower average recall than the best baseline, grid (0.300)."
    )


def test_sizes_are_told_of_the_best_method_by_its_name():
    best = method("best", 0.4, at_half=0.5, sizes={"small": 0.1, "medium": 0.35, "large": 0.5})
    assert said([best, method("loose", 0.3, at_half=0.7)])[-1] == (
        "best misses small objects most: average recall 0.100, against 0.500 for large ones."
    )


@pytest.mark.parametrize(
    "sizes",
    [
        {"small": 0.0, "large": 0.0},
        {"small": 0.3, "large": 0.34},
        {"small": 0.3, "large": math.nan},
        {"large": 0.3},
    ],
)
def test_sizes_that_hardly_differ_are_not_told(sizes):
    assert len(said([method("mine", 0.3, sizes=sizes)])) == 1


def test_other_data_sets_tell_whether_the_order_holds():
    a, b = method("a", 0.4), method("b", 0.3)
    assert said([a, b], [a, b])[1:] == ["On second, a leads, too (0.400)."]
    assert said([a, b], [b, method("a", 0.1)])[1:] == ["On second, b leads instead (0.300)."]
    equal = [method("a", 0.3), method("b", 0.3)]
    assert said(equal, [a, b])[1:] == ["On second, a leads (0.400)."]
    assert said([a, b], equal)[1:] == ["On second, a and b lead (0.300)."]
    assert said(equal, equal)[1:] == ["On second, a and b lead, too (0.300)."]


def test_one_method_leads_nowhere():
    assert len(said([method("mine", 0.4)], [method("mine", 0.4)])) == 1


def test_without_objects_nothing_is_found():
    (sentence,) = said([method("mine", math.nan)], n_objects=0)
    assert sentence.startswith("first has no countable objects")
