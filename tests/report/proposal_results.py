"""Results of studies of proposals, made up: overlaps drawn from laws with a seed, then counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Notice
from boxlens.images.perturbing.families import FAMILIES
from boxlens.metrics.results import Provenance
from boxlens.studies.proposals.recall.average_recall import (
    CURVE_IOUS,
    average_recall,
    coco_average_recall,
    recall_at,
)
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.result import (
    BudgetRecall,
    DatasetRecall,
    GroupRecall,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.studies.proposals.repeatability.choice import N_BINS, RepeatabilityChoice
from boxlens.studies.proposals.repeatability.result import (
    FamilyRepeatability,
    LevelRepeatability,
    MethodRepeatability,
    RepeatabilityResult,
)

# Names, whether they are baselines, and how good they are.
METHODS = (
    ("uniform", True, 0.25),
    ("gaussian", True, 0.3),
    ("sliding-window", True, 0.2),
    ("superpixels", True, 0.1),
    ("selective-search", False, 0.85),
    ("edge-boxes", False, 0.8),
    ("bing", False, 0.3),
    ("objectness", False, 0.35),
    ("randomized-prim", False, 0.7),
    ("rantalankila", False, 0.75),
    ("geodesic", False, 0.82),
    ("rahtu", False, 0.55),
)
SIZES = ("small", "medium", "large")
NASTY = ("<script>alert('box')</script>", '"edge" & \\co', "a method of a long name, version 12 b")
PROVENANCE = Provenance("1.0", None, ())


def overlaps(rng, n_objects, skill, budget):
    """Better methods and larger budgets meet objects more closely."""
    strength = 0.35 + 2.2 * skill * np.log10(budget + 1)
    return np.where(rng.random(n_objects) < 0.03, 0, rng.beta(1 + strength, 2.2, n_objects))


def budget_recall(iou, budget, n_mean, choice, *, interval) -> BudgetRecall:
    ar = average_recall(iou, *choice.ar_range)
    half = 0.01 + 0.3 / np.sqrt(max(len(iou), 1)) if interval else np.nan
    best = np.minimum(1, iou + 0.01)
    mean = float(best.mean()) if len(best) else np.nan
    return BudgetRecall(
        budget,
        n_mean,
        ar,
        max(ar - half, 0) if interval else np.nan,
        min(ar + half, 1) if interval else np.nan,
        coco_average_recall(iou),
        mean,
        mean * 0.97,
        dict(zip(choice.ious, recall_at(iou, np.array(choice.ious)).tolist(), strict=True)),
        recall_at(iou, CURVE_IOUS),
    )


def groups_of(iou, by, values, codes, choice):
    for code, value in enumerate(values):
        part = iou[codes == code]
        recall = recall_at(part, np.array(choice.ious)).tolist()
        yield GroupRecall(
            by,
            value,
            len(part),
            choice.largest,
            average_recall(part, *choice.ar_range),
            dict(zip(choice.ious, recall, strict=True)),
        )


def method_of(
    name, baseline, skill, choice, *, n_objects=600, classes=("cat", "dog"), seed=0, reach=10_000
) -> MethodRecall:
    """`reach`: it has no more proposals than these."""
    by_budget = {}
    rng = np.random.default_rng([seed, len(name), ord(name[0])])
    codes = rng.integers(0, len(classes), n_objects), rng.integers(0, 3, n_objects)
    truncated = rng.random(n_objects) < 0.2
    for budget in choice.curve_budgets():
        n_mean = float(min(budget, reach) * (1 if budget < 50 else 0.98))
        iou = overlaps(rng, n_objects, skill, min(budget, max(reach, 1))) * (reach > 0)
        by_budget[budget] = budget_recall(
            iou, budget, n_mean, choice, interval=n_objects > 1 and choice.replicates > 0
        )
    lift = np.clip(iou - 0.2 + 0.3 * codes[0] / len(classes) + 0.1 * codes[1], 0, 1)
    shares = rng.dirichlet(np.linspace(6, 1, N_BINS) if skill > 0.4 else np.full(N_BINS, 3.0))
    return MethodRecall(
        name,
        f"{name}, seed 0",
        baseline,
        tuple(by_budget[budget] for budget in sorted(choice.budgets)),
        tuple(by_budget.values()),
        (
            *groups_of(lift, "class", classes, codes[0], choice),
            *groups_of(lift, "size", SIZES, codes[1], choice),
            *(
                one
                for by in choice.by
                for one in groups_of(lift, by, ("no", "yes"), truncated, choice)
            ),
        ),
        float(np.mean([one.ar for one in by_budget.values()])),
        3,
        None if name == "rahtu" else 0.01 + 2 * skill,
        shares if reach else np.full(N_BINS, np.nan),
    )


def dataset_of(name, methods, choice, *, n_objects=600, n_classes=80, seed=0) -> DatasetRecall:
    rng = np.random.default_rng(seed)
    classes = tuple(f"class {row}" for row in range(n_classes))
    sizes = rng.dirichlet(np.linspace(8, 1, N_BINS)) if n_objects else np.full(N_BINS, np.nan)
    found = tuple(
        method_of(*one, choice, n_objects=n_objects, classes=classes, seed=seed) for one in methods
    )
    return DatasetRecall(name, 177, n_objects, n_classes, sizes, found)


def recall_result(datasets, choice, notices=()) -> ProposalRecallResult:
    return ProposalRecallResult(choice, tuple(datasets), PROVENANCE, tuple(notices))


@cache
def every_method() -> ProposalRecallResult:
    """Twelve methods on two data sets."""
    choice = RecallChoice(budgets=(100, 1000, 10_000), by=("truncated",))
    sets = [
        dataset_of("coco_177", METHODS, choice, n_objects=1400),
        dataset_of("VOC2007_test", METHODS[:8], choice, n_classes=20, seed=1),
    ]
    return recall_result(sets, choice, [Notice("boxes_outside", 3, "3 boxes were clipped")])


@cache
def one_method() -> ProposalRecallResult:
    choice = RecallChoice(budgets=(1000,))
    return recall_result([dataset_of("val", METHODS[4:5], choice, n_classes=5)], choice)


@cache
def no_objects() -> ProposalRecallResult:
    choice = RecallChoice(replicates=0)
    return recall_result([dataset_of("empty", METHODS[:2], choice, n_objects=0)], choice)


@cache
def no_proposals() -> ProposalRecallResult:
    choice = RecallChoice(replicates=0)
    silent = method_of("silent", False, 0.0, choice, reach=0)
    found = dataset_of("val", (), choice)
    return recall_result([replace(found, methods=(silent,))], choice)


@cache
def nasty() -> ProposalRecallResult:
    """Names of any signs, few of everything, other overlaps."""
    choice = RecallChoice((7,), (0.55,), (0.5, 0.7), by=("is <crowd>",))
    methods = [(name, at == 0, 0.5) for at, name in enumerate(NASTY)]
    sets = [
        dataset_of(f"<b>set {at}", methods, choice, n_objects=9, n_classes=2, seed=at)
        for at in (0, 1)
    ]
    return recall_result(sets, choice)


RECALL_WORLDS = {
    "every method": every_method,
    "one method": one_method,
    "no objects": no_objects,
    "no proposals": no_proposals,
    "nasty": nasty,
}


def level_of(rng, level, label, strength, skill) -> LevelRepeatability:
    bins = np.clip(
        np.linspace(1 - strength, 1 - strength * 0.4, N_BINS) * (0.6 + 0.4 * skill), 0, 1
    )
    if not strength:
        bins = np.ones(N_BINS)
    bins = np.clip(bins + rng.normal(0, 0.01, N_BINS) * (strength > 0), 0, 1)
    n_boxes = tuple(int(n) for n in rng.integers(0, 900, N_BINS))
    bins[np.array(n_boxes) == 0] = np.nan
    bins[-1], n_boxes = np.nan, (*n_boxes[:-1], 0)
    return LevelRepeatability(level, label, float(np.nanmean(bins)), bins, n_boxes, 17)


def family_of(rng, family, levels, skill) -> FamilyRepeatability:
    unchanged = FAMILIES[family].unchanged[0]
    furthest = max(abs(level - unchanged) for level in levels) or 1
    found = [
        level_of(
            rng,
            level,
            FAMILIES[family].label(level),
            0.9 * (abs(level - unchanged) / furthest) ** 0.5,
            skill,
        )
        for level in levels
    ]
    means = [one.repeatability for one in found if one.level != unchanged]
    return FamilyRepeatability(family, float(np.mean(means)), tuple(found))


def repeatability_of(methods, choice, failed=()) -> RepeatabilityResult:
    rng = np.random.default_rng(0)
    found = [
        MethodRepeatability(
            name,
            f"{name}, seed 0",
            baseline,
            20,
            tuple(
                family_of(rng, family, sorted(choice.levels_of(family)), skill)
                for family in choice.families
            ),
        )
        for name, baseline, skill in methods
    ]
    return RepeatabilityResult(choice, tuple(found), tuple(failed), PROVENANCE)


@cache
def every_perturbation() -> RepeatabilityResult:
    return repeatability_of(METHODS, RepeatabilityChoice(), [("a.jpg", "it is no picture")])


@cache
def one_perturbation() -> RepeatabilityResult:
    choice = RepeatabilityChoice(families=("blur",), n_images=20)
    return repeatability_of([(NASTY[0], False, 0.5)], choice)


@cache
def nothing_followed() -> RepeatabilityResult:
    """No method proposed anything."""
    known = one_perturbation()
    method = known.methods[0]
    levels = tuple(
        replace(one, repeatability=np.nan, bins=np.full(N_BINS, np.nan), n_boxes=(0,) * N_BINS)
        for one in method.families[0].levels
    )
    family = replace(method.families[0], levels=levels, mean=np.nan)
    return replace(known, methods=(replace(method, families=(family,)),))


REPEATABILITY_WORLDS = {
    "every perturbation": every_perturbation,
    "one perturbation": one_perturbation,
    "nothing followed": nothing_followed,
}
