"""What is said about repeatability: who is stable, what hurts, and who is not counted."""

from __future__ import annotations

import numpy as np

from boxlens.metrics.results import Provenance
from boxlens.studies.proposals.repeatability.choice import N_BINS, RepeatabilityChoice
from boxlens.studies.proposals.repeatability.measuring import Tally, pooled
from boxlens.studies.proposals.repeatability.result import MethodRepeatability, RepeatabilityResult
from boxlens.studies.proposals.repeatability.verdict import repeatability_sentences


def method(name, *, baseline=False, **values) -> MethodRepeatability:
    """Repeatability by family and level, one box in one bin."""
    choice = RepeatabilityChoice(
        families=tuple(values), levels={family: tuple(found) for family, found in values.items()}
    )
    sums = np.zeros((len(choice.steps()), N_BINS))
    sums[:, 4] = [values[family][level] for family, level in choice.steps()]
    tally = Tally(sums, (sums > 0).astype(int), np.zeros(len(sums), dtype=int))
    return MethodRepeatability(
        name, f"{name} 1", baseline, n_images=1, families=pooled([tally], choice)
    )


def sentences(*methods) -> list[str]:
    result = RepeatabilityResult(RepeatabilityChoice(), methods, (), Provenance("1", None, ()))
    return repeatability_sentences(result)


FIRM = {"scale": {0.9: 0.8, 1.1: 0.7}, "jpeg": {50: 0.85, 101: 1}}
WEAK = {"scale": {0.9: 0.45, 1.1: 0.6}, "jpeg": {50: 0.4, 101: 1}}


def test_the_verdict_names_the_stable_the_harmful_and_the_collapse():
    said = sentences(method("firm", **FIRM), method("weak", **WEAK))
    assert said == [
        (
            "firm is the most stable of 2 methods: mean IoU with the original proposals 0.800 over "
            "all changes; weak is the least stable (0.463)."
        ),
        "JPEG compression hurts most (0.625 on average), scale least (0.637).",
        (
            "weak falls to 0.400 at the smallest level of JPEG compression (50): below 0.5, most "
            "proposals are different boxes."
        ),
    ]


def test_the_verdict_does_not_count_methods_that_do_not_look():
    still = {"scale": {0.9: 0.9, 1.1: 0.9}, "jpeg": {50: 1, 101: 1}}
    said = sentences(
        method("sliding-window", baseline=True, **still),
        method("superpixels", baseline=True, **FIRM),
        method("weak", **WEAK),
        method("uniform", baseline=True, **WEAK),
        method("gaussian:mine", baseline=True, **WEAK),
    )
    assert said[0].startswith("superpixels is the most stable of 2 methods that look at pictures:")
    assert said[3:] == [
        (
            "uniform and gaussian:mine do not look at pictures and are not counted: boxes are "
            "drawn at random again for every changed picture."
        ),
        (
            "sliding-window does not look at pictures and is not counted: only changes of size and "
            "rotation move the boxes."
        ),
    ]
    alone = sentences(method("sliding-window", baseline=True, **still))
    assert alone[-1].startswith("sliding-window does not look at pictures: only")


def test_the_verdict_counts_levels_from_no_change():
    said = sentences(
        method("a", blur={1: 0.9, 2: 0.4, 4: 0.3}, rotation={-5: 0.7, -1: 0.8, 5: 0.6})
    )
    assert "a falls first, to 0.400 under blur (2 px)" in said[2]
    said = sentences(method("a", blur={1: 0.9, 2: 0.8}))
    assert said == [
        "a: mean IoU with the original proposals 0.850 over all changes.",
        "No method falls below 0.5: the lowest value is 0.800, a under blur (2 px).",
    ]


def test_the_verdict_calls_equal_methods_equal():
    said = sentences(method("a", **FIRM), method("b", **FIRM))
    assert said[0] == (
        "2 methods are equally stable: mean IoU with the original proposals 0.800 over all changes."
    )
    same = sentences(method("a", blur={1: 0.9}, jpeg={50: 0.9}))
    assert not any("hurts" in sentence for sentence in same)


def test_the_verdict_of_nothing_says_so():
    assert sentences() == sentences(method("a", blur={1: 0.0}))
    assert len(sentences()) == 1
