"""Why do protocols give different numbers for the same files? One convention after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boxlens.data import Dataset, Detections, Notice, check_tables
from boxlens.data.known_classes import ClassesChoice
from boxlens.errors import ParameterError
from boxlens.formats.given import (
    GivenDataset,
    GivenDetections,
    Reading,
    one_detector,
    shared_settings,
)
from boxlens.metrics.protocols import prepare, prepare_dataset
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.comparison.conventions.ap import ConventionAp
from boxlens.studies.comparison.conventions.results import (
    Band,
    ConventionStep,
    CutNumber,
    ProtocolNumber,
    ReconciliationResult,
)
from boxlens.studies.comparison.conventions.values import (
    PROTOCOLS,
    TITLES,
    Conventions,
    Protocol,
    check_conventions,
    differing,
    find_protocol,
    sentence,
    value_text,
)
from boxlens.version import VERSION

SCORE_CUTS = (0.001, 0.01, 0.05, 0.25)


@shared_settings
def reconcile(
    gt: GivenDataset,
    dt: GivenDetections,
    *,
    start: str | Protocol = "coco",
    end: str | Protocol | None = None,
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "all",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> ReconciliationResult:
    """Explains the difference between two protocols' numbers for the same files or tables.

    `start` and `end` are names of `PROTOCOLS`, or a `Protocol` with conventions of your own.
    Without an end every protocol is counted, and the steps lead to the farthest one.

    >>> reconcile(gt, dt, end="voc07")
    ReconciliationResult(window on ground_truth: coco 0.2009 -> voc07 0.3956)
    """
    reading = Reading(split, classes, gt_format, dt_format, names, strict, threads, progress)
    dataset, (detections,) = reading.used(gt, one_detector(dt), classes_used)
    check_tables(dataset, detections)
    first, last = check_ends(start, end)
    ap = ConventionAp(dataset, detections, threads=threads)
    known = PROTOCOLS.values() if last is None else (last,)
    shown = [first, *(one for one in known if one.name != first.name)]
    numbers: list[ProtocolNumber] = []
    for protocol in shown:
        if progress:
            progress("counting protocols", len(numbers), len(shown))
        value = ap.of(protocol.conventions)
        numbers.append(ProtocolNumber(protocol, value, _remark(dataset, protocol)))
    reached = numbers[-1] if last is not None else _farthest(numbers)
    return ReconciliationResult(
        dataset=dataset.name,
        n_images=len(dataset.images),
        n_objects=len(dataset.gt),
        detector=detections.name,
        n_detections=len(detections),
        start=numbers[0],
        end=reached,
        steps=_walk(ap, first.conventions, reached.protocol.conventions, progress),
        protocols=tuple(numbers),
        band=_band(ap, detections, first.conventions),
        provenance=Provenance(VERSION, dataset.source, (detections.source,)),
        notices=(
            *dataset.notices,
            *detections.notices,
            *_protocol_notices(dataset, detections, (numbers[0], reached)),
        ),
    )


def check_ends(
    start: str | Protocol, end: str | Protocol | None
) -> tuple[Protocol, Protocol | None]:
    """Both protocols, if they are two."""
    first = find_protocol(start) if isinstance(start, str) else start
    last = find_protocol(end) if isinstance(end, str) else end
    for protocol in (first, last):
        if protocol is not None:
            check_conventions(protocol.conventions)
    if last is not None and not differing(first.conventions, last.conventions):
        raise ParameterError(
            f"{first.name} and {last.name} have the same conventions: there is nothing to explain"
        )
    return first, last


def _farthest(numbers: list[ProtocolNumber]) -> ProtocolNumber:
    """Of the others, those that the files are made for first."""
    start, *others = numbers

    def distance(row: ProtocolNumber) -> tuple[bool, float]:
        gap = abs(row.value - start.value)
        return not row.remark, -1 if math.isnan(gap) else gap

    return max(others, key=distance)


def _walk(
    ap: ConventionAp, start: Conventions, end: Conventions, progress: Progress | None
) -> tuple[ConventionStep, ...]:
    names = differing(start, end)
    steps: list[ConventionStep] = []
    here = start
    for name in names:
        if progress:
            progress("changing conventions", len(steps), len(names))
        old, new = getattr(start, name), getattr(end, name)
        there = replace(here, **{name: new})
        steps.append(
            ConventionStep(
                convention=name,
                title=TITLES[name],
                from_text=value_text(name, old),
                to_text=value_text(name, new),
                sentence=sentence(name, old, new),
                before=ap.of(here),
                after=ap.of(there),
                first_alone=ap.of(replace(start, **{name: new})) - ap.of(start),
                last_alone=ap.of(end) - ap.of(replace(end, **{name: old})),
            )
        )
        here = there
    return tuple(steps)


def _band(ap: ConventionAp, detections: Detections, start: Conventions) -> Band:
    cuts = [cut for cut in SCORE_CUTS if cut > start.score_cut]
    return Band(
        worst_ties=ap.of(replace(start, ties="worst")),
        best_ties=ap.of(replace(start, ties="best")),
        cuts=tuple(
            CutNumber(
                cut,
                int(np.count_nonzero(detections.score > cut)),
                ap.of(replace(start, score_cut=cut)),
            )
            for cut in cuts
        ),
    )


def _remark(dataset: Dataset, protocol: Protocol) -> str:
    """What a protocol relies on and the files lack; its number then means little."""
    images, wanted = dataset.images, protocol.conventions.verified
    missing = []
    if wanted == "lvis" and images.negative is None:
        missing.append("no lists of absent classes")
    if wanted == "openimages" and images.positive is None and images.negative is None:
        missing.append("no image-level labels")
    if protocol.conventions.hierarchy == "expanded" and dataset.classes.tree is None:
        missing.append("no class tree")
    return ", ".join(missing)


def _protocol_notices(
    dataset: Dataset, detections: Detections, ends: tuple[ProtocolNumber, ...]
) -> list[Notice]:
    """At which end detections take no part, and what the files lack for it."""
    notices = []
    for row in ends:
        name, wanted = row.protocol.name, row.protocol.conventions.verified
        if wanted != "all":
            seen = prepare_dataset(dataset, wanted)
            dropped = prepare(seen, detections, wanted).notices
            notices += [replace(one, message=f"{name}: {one.message}") for one in dropped]
        if row.remark:
            message = f"{name}: the files have {row.remark}; read its number with care"
            notices.append(Notice("protocol_does_not_fit", 1, message))
    return notices
