"""What holds a detector back: where it looks, or what it keeps (METHODS 6.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from boxlens import limits
from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools
from boxlens.errors import InputError, ParameterError
from boxlens.formats.given import GivenDataset, GivenDetections, Reading, shared_settings
from boxlens.formats.window_files import Order
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.results import Provenance, about_dataset
from boxlens.progress import Progress
from boxlens.studies.proposals.detection_use.filtering import (
    FILTER_IOU,
    NMS_IOU,
    near_boxes,
    near_proposals,
    not_raw,
    suppressed_before,
)
from boxlens.studies.proposals.detection_use.method_scoring import evaluated
from boxlens.studies.proposals.detection_use.oracle_result import (
    DetectorOracles,
    DetectorScores,
    OracleScore,
    ProposalOracleResult,
)
from boxlens.studies.proposals.detection_use.score_shape import score_maps, scores_by_iou
from boxlens.studies.proposals.detection_use.shared_images import (
    check_names,
    cut_to,
    images_searched,
    search_notices,
)
from boxlens.studies.proposals.detection_use.suppression import suppress_perfectly, survivors
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.proposed import Proposed
from boxlens.studies.proposals.recall.matched import countable_objects
from boxlens.studies.proposals.sources import GivenProposals, Searching, find_proposed
from boxlens.version import VERSION
from boxlens.wording import counted

ORACLE_IOU = 0.5


@shared_settings
def proposal_oracles(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections],
    proposals: GivenProposals | Sequence[GivenProposals] = (),
    *,
    budget: int = 1000,
    filter_iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    oracle_iou: float = ORACLE_IOU,
    images: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    keep: str | PathLike[str] | None = None,
    order: Order | Sequence[Order] = "descending",
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    workers: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> ProposalOracleResult:
    """What would perfect proposals, or perfect suppression, add to a detector's AP?

    Detections without suppression are filtered by the `proposals` of each method (kept above
    `filter_iou`, at most `budget` proposals per image), suppressed at `nms_iou` and evaluated, with
    each oracle and with both. Methods look at pictures in `images`. Without proposals the
    detections are taken as they are. `oracle_iou` is the IoU with a true positive from which
    perfect suppression removes a false one.

    >>> result = proposal_oracles(gt, dt)
    >>> [(one.oracle, round(one.ap50, 3)) for one in result.oracles[0].scores]
    [('raw', 0.385), ('nms', 0.385)]
    """
    limits.BUDGET.check(budget, "budget (--budget)")
    if not 0 < oracle_iou <= 1:
        raise ParameterError(f"an IoU lies above 0 and up to 1, got {oracle_iou} (oracle_iou)")
    reading = Reading(split, classes, gt_format, dt_format, names, strict, threads, progress)
    dataset, detections = reading.used(gt, dt)
    if not detections:
        raise ParameterError("name at least one detections file")
    searching = Searching.of(images, keep, order, (), seed=seed, workers=workers, threads=threads)
    given = listed(proposals)
    proposed = (
        find_proposed(dataset, given, [budget], searching, progress=progress) if given else []
    )
    check_names(proposed)
    searched = images_searched(dataset, proposed)
    seen, named = cut_to(searched, dataset, with_unique_names(detections))
    trial = _Trial(seen, filter_iou, nms_iou, oracle_iou, threads)
    _check_filled(named, proposed)
    near = {method.name: _near_by_method(trial, named, method, budget) for method in proposed}
    oracles = tuple(_ask_all(trial, named, near, budget, progress))
    shapes = tuple(
        DetectorScores(
            one.name,
            scores_by_iou(seen, one, threads=threads),
            score_maps(seen, one, threads=threads),
        )
        for one in named
    )
    suppressed = suppressed_before(named, filter_iou, threads=threads) if proposed else []
    return ProposalOracleResult(
        oracles=oracles,
        scores=shapes,
        suppressed=tuple(one.name for one in suppressed),
        dataset=about_dataset(dataset),
        parameters=trial.parameters(budget if proposed else None),
        provenance=Provenance(
            VERSION,
            dataset.source,
            tuple(one.source for one in detections),
            tuple(("proposals", source) for method in proposed for source in method.sources()),
        ),
        notices=tuple(
            dict.fromkeys(
                (
                    *dataset.notices,
                    *(notice for table in detections for notice in table.notices),
                    *(notice for method in proposed for notice in method.notices()),
                    *search_notices(searched),
                    *(not_raw(one, filter_iou) for one in suppressed),
                    *_skipped_classes(shapes),
                )
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """What is done to one table of detections after the other."""

    dataset: Dataset
    filter_iou: float
    nms_iou: float
    oracle_iou: float
    threads: int

    def without_proposals(self, detections: Detections) -> Iterator[OracleScore]:
        everything = np.ones(len(detections), dtype=np.bool_)
        yield self.score("nms", self._perfectly_suppressed(detections, everything))

    def with_proposals(self, detections: Detections, near: Bools) -> Iterator[OracleScore]:
        """`near` are those near a proposal."""
        # With perfect proposals all that is near an object is looked at, too.
        objects = self.dataset.gt.where(countable_objects(self.dataset))
        near_objects = near_boxes(
            (detections.offsets, detections.box),
            (objects.offsets, objects.box),
            self.filter_iou,
            threads=self.threads,
        )
        without, helped = (detections.where(kept) for kept in (near, near | near_objects))
        survive, survive_helped = (
            survivors(table, iou=self.nms_iou, threads=self.threads) for table in (without, helped)
        )
        yield self.score("none", without.where(survive))
        yield self.score("gt", helped.where(survive_helped))
        yield self.score("nms", self._perfectly_suppressed(without, survive))
        yield self.score("gt+nms", self._perfectly_suppressed(helped, survive_helped))

    def _perfectly_suppressed(self, detections: Detections, survive: Bools) -> Detections:
        return suppress_perfectly(
            self.dataset, detections, survive, oracle_iou=self.oracle_iou, threads=self.threads
        )

    def score(self, oracle: str, detections: Detections) -> OracleScore:
        found = evaluated(self.dataset, detections, "AP", self.threads)
        return OracleScore(
            oracle=oracle,
            ap=found.metrics["AP"],
            ap50=found.metrics["AP50"],
            class_ap50={row.name: row.metrics["AP50"] for row in found.classes},
            n_detections=len(detections),
        )

    def parameters(self, budget: int | None) -> dict[str, Any]:
        filtering = {"budget": budget, "filter_iou": self.filter_iou, "nms_iou": self.nms_iou}
        return {**({} if budget is None else filtering), "oracle_iou": self.oracle_iou}


def _ask_all(
    trial: _Trial,
    detections: Sequence[Detections],
    near: Mapping[str, Sequence[Bools]],
    budget: int,
    progress: Progress | None,
) -> Iterator[DetectorOracles]:
    """Every detector with every method, or as it is where there is none."""
    n_done, n_all = 0, len(detections) * max(len(near), 1)
    for row, detector in enumerate(detections):
        raw = trial.score("raw", detector)
        for method in near or ("",):
            if progress is not None:
                progress("asking oracles", n_done, n_all)
            n_done += 1
            if method:
                scores = trial.with_proposals(detector, near[method][row])
                yield DetectorOracles(detector.name, method, budget, (raw, *scores))
            else:
                scores = trial.without_proposals(detector)
                yield DetectorOracles(detector.name, "", None, (raw, *scores))


def _check_filled(detections: Sequence[Detections], proposed: Sequence[Proposed]) -> None:
    """Without any there is nothing to ask."""
    for table in detections:
        if not len(table):
            where = " in the images that were searched" if proposed else ""
            raise InputError(
                f"there are no detections of {table.name}{where}",
                path=None if table.source is None else table.source.path,
                remedy="Give detections of these images, with the ids of the ground truth",
            )


def _near_by_method(
    trial: _Trial, detections: Sequence[Detections], method: Proposed, budget: int
) -> Sequence[Bools]:
    """The detections of each table that are near a proposal of the method."""
    found = near_proposals(detections, method, budget, iou=trial.filter_iou, threads=trial.threads)
    if not found.n_proposals:
        raise InputError(
            f"there are no proposals of {method.name}",
            path=next((source.path for source in method.sources()), None),
            remedy="Give proposals for these images, with the ids of the ground truth, or name "
            "a method (--method)",
        )
    return found.near


def _skipped_classes(shapes: Sequence[DetectorScores]) -> Iterator[Notice]:
    for one in shapes:
        skipped = one.by_iou.n_classes_skipped
        if skipped:
            yield Notice(
                "too_few_overlaps",
                skipped,
                f"{one.detector}: scores by IoU skip {skipped:,} of "
                f"{counted(skipped + one.by_iou.n_classes, 'class', 'classes')}, whose detections "
                "near objects are too few or have equal scores",
            )
