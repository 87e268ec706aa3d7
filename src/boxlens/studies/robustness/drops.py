"""How sure each drop of AP is: both sets of pictures of the same resampled images (METHODS 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Detections, Notice
from boxlens.data.columns import Floats
from boxlens.metrics.bootstrap import FEWEST_IMAGES, over_replicates
from boxlens.metrics.evaluation import EvaluationChoice, samplers
from boxlens.metrics.grid import AREA_RANGES, MAX_DETS
from boxlens.metrics.intervals import (
    ResamplingChoice,
    chance_below,
    detectable_errors,
    holm,
    interval,
    two_sided,
)
from boxlens.metrics.readings import Mean
from boxlens.metrics.resampling import Weights, images_with_objects, read_whole, replicate
from boxlens.progress import Progress
from boxlens.studies.robustness.picture_set import MeasuredSet, Traced
from boxlens.studies.robustness.result import Drop

AP = Mean()
# One area and one limit: all that AP needs, and a quarter of the work.
AP_ALONE = EvaluationChoice(area_ranges={"all": AREA_RANGES["all"]}, max_dets=MAX_DETS[-1:])


@dataclass(frozen=True, slots=True)
class Drops:
    """By detector, one a step; None where nothing can be said."""

    by_detector: Mapping[str, tuple[Drop | None, ...]]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class _Draws:
    """AP in every replicate, and without every group of images."""

    bootstrap: Floats
    jackknife: Floats


def paired_drops(
    sets: Sequence[MeasuredSet],
    traced: Sequence[Traced],
    found: Mapping[str, Sequence[Detections]],
    ap: Mapping[str, Sequence[float]],
    references: Sequence[int],
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Drops:
    """What is drawn is an unchanged picture, with all that was made of it.

    `ap` is by detector, one a set; `references` are the rows that sets are compared with.
    """
    n_images = len(sets[0].dataset.images)
    if n_images < FEWEST_IMAGES:
        message = (
            f"{n_images} {'picture is' if n_images == 1 else 'pictures are'} too few to resample: "
            f"with fewer than {FEWEST_IMAGES} nothing can be said about chance, and the drops have "
            "no intervals"
        )
        nothing = {name: (None,) * (len(sets) - 1) for name in found}
        return Drops(nothing, (Notice("too_few_images", n_images, message),))
    # Kept, since every set is counted with the same weights.
    weights = over_replicates(lambda drawn: drawn, n_images, choice)
    drawn: dict[str, list[_Draws | None]] = {name: [] for name in found}
    for row, one in enumerate(sets):
        for place, (name, tables) in enumerate(found.items()):
            if progress:
                progress("resampling pictures", row * len(found) + place, len(sets) * len(found))
            drawn[name].append(_draw(one, traced[row], tables[row], n_images, weights, threads))
    return Drops(
        {name: _of_detector(drawn[name], ap[name], references, choice) for name in found},
        _too_few(sets, next(iter(drawn.values()))),
    )


def _draw(
    one: MeasuredSet,
    traced: Traced,
    detections: Detections,
    n_images: int,
    weights: tuple[list[Weights], list[Weights]],
    threads: int,
) -> _Draws | None:
    """None where objects are in too few of the unchanged pictures."""
    (sampler,) = samplers(one.dataset, [detections], AP_ALONE, threads=threads)
    walk = replace(
        sampler.walk,
        n_units=n_images,
        det_unit=traced.picture_row[sampler.walk.det_unit],
        gt_unit=traced.picture_row[sampler.walk.gt_unit],
    )
    if images_with_objects(walk, AP) < FEWEST_IMAGES:
        return None
    bootstrap, jackknife = (
        np.concatenate(
            [read_whole(replicate(walk, piece, threads=threads), AP) for piece in pieces]
        )
        for pieces in weights
    )
    return _Draws(bootstrap, jackknife)


def _of_detector(
    drawn: Sequence[_Draws | None],
    ap: Sequence[float],
    references: Sequence[int],
    choice: ResamplingChoice,
) -> tuple[Drop | None, ...]:
    """Each step is a test of its own; Holm's adjustment is over all of them."""
    found = [
        _drop(drawn[reference], drawn[row], ap[reference] - ap[row], choice)
        for row, reference in enumerate(references)
        if row > 0
    ]
    p_values = np.array([np.nan if one is None else one.p for one in found])
    adjusted = holm(p_values).tolist()
    errors = detectable_errors(1 - choice.level, int(np.count_nonzero(~np.isnan(p_values))))
    return tuple(
        None if one is None else replace(one, p_holm=p, detectable=errors * one.interval.se)
        for one, p in zip(found, adjusted, strict=True)
    )


def _drop(
    reference: _Draws | None, changed: _Draws | None, value: float, choice: ResamplingChoice
) -> Drop | None:
    if reference is None or changed is None:
        return None
    drawn = reference.bootstrap - changed.bootstrap
    left = reference.jackknife - changed.jackknife
    return Drop(
        interval=interval(value, drawn, left, choice, difference=True),
        p=two_sided(chance_below(value, drawn, left, choice)),
        p_holm=float("nan"),
        detectable=float("nan"),
    )


def _too_few(sets: Sequence[MeasuredSet], drawn: Sequence[_Draws | None]) -> tuple[Notice, ...]:
    """The objects are the same for every detector."""
    told = [one.step.slug for one, found in zip(sets, drawn, strict=True) if found is None]
    message = (
        f"no interval where objects are from fewer than {FEWEST_IMAGES} of the unchanged "
        f"pictures: {', '.join(told)}"
    )
    return (Notice("too_few_images", len(told), message),) if told else ()
