"""How sure a diagnosis is: intervals of AP, AP_N, TIDE's gains and Hoiem's shares (METHODS 11)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.matching import COCO
from boxlens.metrics.bootstrap import FEWEST_IMAGES, over_replicates
from boxlens.metrics.grid import AREA_RANGES, IOU_THRESHOLDS, GridChoice
from boxlens.metrics.intervals import Interval, ResamplingChoice, interval
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, to_json
from boxlens.metrics.protocols import prepare
from boxlens.metrics.resampling import Sampler, Weights, grid_sampler, read_whole, replicate
from boxlens.progress import Progress
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.hoiem import HoiemResult
from boxlens.studies.diagnosis.tide import TideResult
from boxlens.studies.diagnosis.tide_repairs import Bench
from boxlens.studies.diagnosis.weighted_errors import HoiemReader, TideReader


@dataclass(frozen=True, slots=True)
class SetIntervals(JsonRecord):
    """A set of classes under Hoiem's scheme: shares are of the top false positives."""

    name: str
    ap: Interval = field(metadata=as_key("AP"))
    ap_n: Interval = field(metadata=as_key("AP_N"))
    share: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class DiagnosisIntervals(JsonRecord):
    """The numbers themselves are those of the diagnosis."""

    choice: ResamplingChoice = field(metadata=as_key("resampling"))
    metrics: Mapping[str, Interval]
    tide: Mapping[str, Interval] = field(
        metadata=as_key("tide", lambda gains: {"dAP": to_json(gains)})
    )
    # As in HoiemResult.
    hoiem: tuple[SetIntervals, ...] = field(
        metadata=as_key("hoiem", lambda sets: {"sets": to_json(sets)})
    )
    notices: tuple[Notice, ...] = field(default=(), metadata=HIDDEN)

    def named(self) -> dict[str, Interval]:
        """The main numbers, as a table shows them."""
        whole = self.hoiem[0]
        return {
            **self.metrics,
            "AP_N": whole.ap_n,
            **{f"dAP {name}": one for name, one in self.tide.items()},
            **{f"share of {name} (Hoiem)": one for name, one in whole.share.items()},
        }


def diagnosis_intervals(
    evidence: Evidence,
    metrics: Mapping[str, float],
    bench: Bench,
    tide: TideResult,
    hoiem: HoiemResult,
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> DiagnosisIntervals:
    """Around the two numbers of `metrics`, AP and AP at the IoU chosen, and around all others.

    Errors keep their types, since matching is local to an image.
    """
    ap = dict(zip(metrics, _ap_samplers(evidence, threads), strict=True))
    errors, objects = TideReader.of(evidence, bench), HoiemReader.of(evidence, hoiem)

    def read(weights: Weights) -> dict[str, Floats]:
        return {
            **{name: _ap(one, weights, threads) for name, one in ap.items()},
            **errors.read(weights, threads),
            **objects.read(weights, threads),
        }

    drawn, left = (
        {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        for parts in over_replicates(read, len(evidence.dataset.images), choice, progress=progress)
    )

    n_images = {row.name: _images_of(evidence, row.classes) for row in hoiem.sets}

    def around(name: str, value: float, of: str = "all") -> Interval:
        # Resampling a handful of images with objects shows less chance than there is.
        few = n_images[of] < FEWEST_IMAGES
        nothing = np.full(choice.n_replicates, np.nan)
        return interval(value, nothing if few else drawn[name], left[name], choice)

    return DiagnosisIntervals(
        choice=choice,
        metrics={name: around(name, value) for name, value in metrics.items()},
        tide={name: around(f"tide {name}", value) for name, value in tide.gain.items()},
        hoiem=tuple(
            SetIntervals(
                row.name,
                around(f"AP of {row.name}", row.ap, row.name),
                around(f"AP_N of {row.name}", row.ap_n, row.name),
                {
                    kind: around(f"{kind} of {row.name}", share, row.name)
                    for kind, share in _shares(row.top_fp).items()
                },
            )
            for row in hoiem.sets
        ),
        notices=(*_few_notices(n_images), *_undefined_notices(drawn)),
    )


def _images_of(evidence: Evidence, names: Collection[str]) -> int:
    """Images with objects of some classes that count."""
    dataset = evidence.dataset
    rows = [row for row, name in enumerate(dataset.classes.name) if name in names]
    counted = ~evidence.ignored & np.isin(dataset.gt.class_row, rows)
    return len(np.unique(dataset.gt.image_row[counted]))


def _few_notices(n_images: Mapping[str, int]) -> list[Notice]:
    few = [name for name, n in n_images.items() if 0 < n < FEWEST_IMAGES]
    if not few:
        return []
    message = (
        f"no interval for classes with objects in fewer than {FEWEST_IMAGES} images: "
        f"{', '.join(few)}"
    )
    return [Notice("too_few_images", len(few), message)]


def _undefined_notices(drawn: Mapping[str, Floats]) -> list[Notice]:
    counts = {name: int(np.isnan(values).sum()) for name, values in drawn.items()}
    some = {name: n for name, n in counts.items() if 0 < n < len(drawn[name])}
    if not some:
        return []
    most = max(some, key=lambda name: some[name])
    message = (
        f"{len(some)} numbers are undefined in some of {len(drawn[most]):,} resampled test sets, "
        f"which are skipped in their intervals (most: {most}, in {some[most]:,})"
    )
    return [Notice("undefined_in_replicates", len(some), message)]


def over_all_areas(iou_thresholds: tuple[float, ...] = IOU_THRESHOLDS) -> GridChoice:
    """COCO's AP alone."""
    return GridChoice(
        iou_thresholds=iou_thresholds,
        area_ranges={"all": AREA_RANGES["all"]},
        max_dets=(COCO.max_dets,),
    )


def _ap_samplers(evidence: Evidence, threads: int) -> list[Sampler]:
    prepared = prepare(evidence.dataset, evidence.detections, "coco")
    return [
        grid_sampler(prepared, over_all_areas(thresholds), threads=threads)
        for thresholds in (IOU_THRESHOLDS, (evidence.foreground_iou,))
    ]


def _ap(sampler: Sampler, weights: Weights, threads: int) -> Floats:
    found = replicate(sampler.walk, weights, threads=threads)
    return read_whole(found, sampler.readings.whole["AP"])


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {kind: n / total if total else float("nan") for kind, n in counts.items()}
