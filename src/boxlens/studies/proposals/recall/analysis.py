"""How many objects do proposals find, how tightly, and which ones?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Bools, Rows
from boxlens.data.row_sums import mean_of_rows
from boxlens.data.source import Source
from boxlens.errors import InputError
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    Reading,
    several_names,
    shared_settings,
)
from boxlens.formats.window_files import Order
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.recall.average_recall import average_intervals
from boxlens.studies.proposals.recall.box_sizes import object_sizes
from boxlens.studies.proposals.recall.choice import BUDGETS, IOUS, RecallChoice
from boxlens.studies.proposals.recall.groups import object_groups
from boxlens.studies.proposals.recall.matched import MatchedMethod, countable_objects, match_method
from boxlens.studies.proposals.recall.method_recall import method_recall
from boxlens.studies.proposals.recall.result import (
    DatasetRecall,
    Lead,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.studies.proposals.sources import GivenProposals, Searching, each_proposed
from boxlens.version import VERSION
from boxlens.wording import counted


@shared_settings
def proposal_recall(
    gt: GivenDataset | Sequence[GivenDataset],
    proposals: GivenProposals | Sequence[GivenProposals],
    *,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    budgets: Sequence[int] = BUDGETS,
    ious: Sequence[float] = IOUS,
    ar_range: tuple[float, float] = (0.5, 1.0),
    ar_on_grid: bool = False,
    by: str | Sequence[str] = (),
    missing_is_empty: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    order: Order | Sequence[Order] = "descending",
    names: str | Sequence[str] = (),
    attributes: GivenAttributes = None,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    keep: str | PathLike[str] | None = None,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalRecallResult:
    """How many objects proposals find, how tightly, and which; on one data set or several.

    `proposals` are files, windows, generators, or names of methods such as "sliding-window"; those
    that look at pictures find them in `images`, and what they find stays in the folder `keep`.
    Recall is given with at most `budgets` proposals per image and at `ious`, average recall over
    the IoUs of `ar_range` (`ar_on_grid`: in steps of 0.001, as the published code does), with 95%
    intervals from `replicates` resamples of the images (0: none); also by class, size and the
    attributes that `by` names. `missing_is_empty` counts images without known proposals as images
    where nothing is found. `names` are those of the files.

    >>> result = proposal_recall(gt, ["uniform", "gaussian"], budgets=[100])
    >>> [(one.name, round(one.chosen[0].ar, 3)) for one in result.datasets[0].methods]
    [('uniform', 0.01), ('gaussian', 0.013)]
    """
    choice = RecallChoice(
        budgets=tuple(budgets),
        ious=tuple(ious),
        ar_range=ar_range,
        ar_on_grid=ar_on_grid,
        by=several_names(by),
        missing_is_empty=missing_is_empty,
        replicates=replicates,
        seed=seed,
    )
    reading = Reading(split, classes, gt_format, threads=threads, progress=progress)
    described = replace(reading, attributes=attributes)
    first, *more = listed(gt)
    datasets = [described.dataset(first), *map(reading.dataset, more)]
    searching = Searching.of(
        images, keep, order, names, seed=seed, workers=workers, threads=threads
    )
    budgets = choice.curve_budgets()
    given = listed(proposals)
    notices: list[Notice] = []
    found: list[DatasetRecall] = []
    sources: list[tuple[str, Source]] = []
    named = with_unique_names(datasets)
    proposed = [
        each_proposed(dataset, given, budgets, searching, progress=progress) for dataset in named
    ]
    for dataset, of_each in zip(named, proposed, strict=True):
        match = partial(match_method, dataset, budgets=budgets, threads=threads, progress=progress)
        # Boxes are matched and forgotten before the next method is found: a loop's variable would
        # hold them.
        methods = with_unique_names(list(map(match, of_each)))
        told = [*dataset.notices, *(notice for one in methods for notice in one.notices)]
        groups = list(choice.by)
        if found:
            groups = [name for name in groups if name in dataset.gt.attributes]
            told += _without_attributes(dataset, choice)
        found.append(_dataset_recall(dataset, methods, choice, groups, told))
        sources += [
            (f"proposals of {one.name}", source) for one in methods for source in one.sources
        ]
        prefix = f"{dataset.name}: " if len(named) > 1 else ""
        notices += [replace(one, message=prefix + one.message) for one in told]
    others = [("ground truth", one.source) for one in named[1:] if one.source is not None]
    return ProposalRecallResult(
        choice=choice,
        datasets=tuple(found),
        provenance=Provenance(VERSION, datasets[0].source, (), (*others, *sources)),
        notices=tuple(dict.fromkeys(notices)),
    )


def _dataset_recall(
    dataset: Dataset,
    methods: Sequence[MatchedMethod],
    choice: RecallChoice,
    attributes: Sequence[str],
    notices: list[Notice],
) -> DatasetRecall:
    images, unsearched = _common_images(dataset, methods, choice)
    notices += unsearched
    countable = countable_objects(dataset) & images[dataset.gt.image_row]
    n_left_out = int((~countable_objects(dataset) & images[dataset.gt.image_row]).sum())
    if n_left_out:
        are = counted(n_left_out, "crowd or group is", "crowds and groups are")
        message = f"{are} not counted: they are not single objects"
        notices.append(Notice("crowds", n_left_out, message))
    groups = object_groups(dataset, np.flatnonzero(countable).astype(np.int32), attributes)
    recalls = []
    for one in methods:
        recalls.append(method_recall(dataset, one, groups, choice, images=images))
        notices += _duplicates(one)
        notices += _empty(one, images)
    return DatasetRecall(
        name=dataset.name,
        n_images=int(images.sum()),
        n_objects=int(countable.sum()),
        n_classes=len(dataset.classes),
        sizes=object_sizes(dataset, countable),
        methods=tuple(recalls),
        lead=_lead(recalls, dataset.gt.image_row[countable], choice),
    )


def _lead(methods: Sequence[MethodRecall], image_row: Rows, choice: RecallChoice) -> Lead | None:
    """Of the best method over the next, by AR at the largest budget."""
    ranked = sorted(methods, key=lambda one: -one.chosen[-1].ar)
    if len(ranked) < 2 or not len(image_row):
        return None
    best, second = ranked[:2]
    if best.adds is None or second.adds is None:
        return None
    ahead = best.adds - second.adds
    resampling = ResamplingChoice(n_replicates=choice.replicates, seed=choice.seed)
    [(low, high)] = average_intervals(ahead[np.newaxis], image_row, resampling, difference=True)
    return Lead(best.name, second.name, mean_of_rows(ahead), low, high)


def _common_images(
    dataset: Dataset, methods: Sequence[MatchedMethod], choice: RecallChoice
) -> tuple[Bools, list[Notice]]:
    """Methods are compared on the images that all of them have searched."""
    everywhere = np.ones(len(dataset.images), dtype=np.bool_)
    if choice.missing_is_empty:
        return everywhere, []
    images: Bools = np.logical_and.reduce([everywhere, *(one.searched for one in methods)])
    if not images.any():
        names = ", ".join(one.name for one in methods)
        raise InputError(
            f"no image of {dataset.name} has proposals of all methods ({names})",
            remedy="Give proposals for the same images, with the image ids of the ground truth",
        )
    n_missing = len(images) - int(images.sum())
    if not n_missing:
        return images, []
    n_objects = int((countable_objects(dataset) & ~images[dataset.gt.image_row]).sum())
    who = " and ".join(
        f"{one.name} ({int((~one.searched).sum()):,})" for one in methods if not one.searched.all()
    )
    message = (
        f"{n_missing:,} of {counted(len(images), 'image')}, with {counted(n_objects, 'object')}, "
        f"skipped: no proposals from {who}; --missing-is-empty counts their objects as not found"
    )
    return images, [Notice("not_searched", n_missing, message)]


def _without_attributes(dataset: Dataset, choice: RecallChoice) -> Iterator[Notice]:
    """The first data set must have what is asked for, others may not."""
    missing = [name for name in choice.by if name not in dataset.gt.attributes]
    if missing:
        message = f"objects have no attribute {', '.join(missing)}: recall is not split by it"
        yield Notice("no_attribute", len(missing), message)


def _empty(method: MatchedMethod, images: Bools) -> Iterator[Notice]:
    n_empty = int((method.matches.n_windows[-1, images] == 0).sum())
    if n_empty:
        have = counted(n_empty, "image has", "images have")
        yield Notice("no_proposals", n_empty, f"{method.name}: {have} no proposals")


def _duplicates(method: MatchedMethod) -> Iterator[Notice]:
    n = method.matches.n_duplicates
    if n:
        message = (
            f"{method.name}: {counted(n, 'duplicate box', 'duplicate boxes')} skipped (on the same "
            "pixels as a better one)"
        )
        yield Notice("duplicate_boxes", n, message)
