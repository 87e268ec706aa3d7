"""One method on one data set: its recall for every budget, by groups of objects and by size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.data.row_sums import group_sums, mean_of_rows
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.proposals.recall.average_recall import (
    CURVE_IOUS,
    average_intervals,
    average_recall,
    average_recall_on_grid,
    coco_average_recall,
    found_beyond,
    recall_at,
    volume_under_recall,
)
from boxlens.studies.proposals.recall.box_sizes import shares
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.groups import ObjectGroup
from boxlens.studies.proposals.recall.matched import MatchedMethod, ObjectMatches
from boxlens.studies.proposals.recall.result import BudgetRecall, GroupRecall, MethodRecall


def method_recall(
    dataset: Dataset,
    method: MatchedMethod,
    groups: Sequence[ObjectGroup],
    choice: RecallChoice,
    *,
    images: Bools,
) -> MethodRecall:
    """`groups` are of the countable objects of `images`."""
    budgets = choice.curve_budgets()
    matches = method.matches.within(images)
    every = _by_budget(dataset, matches, budgets, choice)
    by_budget = {one.budget: one for one in every}
    chosen = sorted(set(choice.budgets))
    return MethodRecall(
        name=method.name,
        made_by=method.made_by,
        baseline=method.baseline,
        chosen=tuple(by_budget[budget] for budget in chosen),
        by_budget=every,
        groups=tuple(_grouped(matches, budgets, groups, chosen, choice)),
        sizes=shares(matches.n_by_size[images]),
        volume=volume_under_recall(np.array([one.ar for one in every]), budgets),
        n_duplicates=matches.n_duplicates,
        seconds_per_image=matches.seconds_per_image,
        adds=found_beyond(matches.iou[budgets.index(choice.largest)], *choice.ar_range),
    )


def _by_budget(
    dataset: Dataset, matches: ObjectMatches, budgets: Sequence[int], choice: RecallChoice
) -> tuple[BudgetRecall, ...]:
    # Of the closed form, also where AR is asked for on the grid: they differ by far less.
    beyond = found_beyond(matches.iou, *choice.ar_range)
    resampling = ResamplingChoice(n_replicates=choice.replicates, seed=choice.seed)
    ends = average_intervals(beyond, matches.image_row, resampling)
    class_row = dataset.gt.class_row[matches.object_row]
    return tuple(
        BudgetRecall(
            budget=budget,
            n_mean=n_mean,
            ar=_average(matches.iou[row], choice),
            ar_low=ends[row][0],
            ar_high=ends[row][1],
            coco_ar=coco_average_recall(matches.iou[row]),
            best_overlap=mean_of_rows(matches.best[row]),
            best_overlap_by_class=_class_mean(matches.best[row], class_row),
            recall=_recalls(matches.iou[row], choice),
            curve=recall_at(matches.iou[row], CURVE_IOUS),
        )
        for row, (budget, n_mean) in enumerate(zip(budgets, matches.n_mean.tolist(), strict=True))
    )


def _average(iou: Floats, choice: RecallChoice) -> float:
    average = average_recall_on_grid if choice.ar_on_grid else average_recall
    return average(iou, *choice.ar_range)


def _recalls(iou: Floats, choice: RecallChoice) -> Mapping[float, float]:
    return dict(zip(choice.ious, recall_at(iou, choice.ious).tolist(), strict=True))


def _class_mean(values: Floats, class_row: Rows) -> float:
    """The mean of the means of classes that have objects."""
    n = np.bincount(class_row)
    if not n.any():
        return math.nan
    total = group_sums(class_row, values, len(n))
    return float((total[n > 0] / n[n > 0]).mean())


def _grouped(
    matches: ObjectMatches,
    budgets: Sequence[int],
    groups: Sequence[ObjectGroup],
    chosen: Sequence[int],
    choice: RecallChoice,
) -> Iterator[GroupRecall]:
    for group in groups:
        for budget in chosen:
            iou = matches.iou[budgets.index(budget)][group.members]
            yield GroupRecall(
                by=group.by,
                value=group.value,
                n_objects=len(group.members),
                budget=budget,
                ar=_average(iou, choice),
                recall=_recalls(iou, choice),
            )
