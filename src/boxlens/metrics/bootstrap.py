"""The same resampled test sets for one or more detectors: the values of every number in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from boxlens.data.columns import Floats
from boxlens.errors import ParameterError
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.readings import Mean
from boxlens.metrics.resampling import (
    Replicates,
    Sampler,
    Weights,
    class_images_with_objects,
    images_with_objects,
    read_classes,
    read_whole,
    replicate,
)
from boxlens.progress import Progress

Reading = TypeVar("Reading")

FEWEST_IMAGES = 10
# One seed, and a stream of its own for each purpose.
BOOTSTRAP, JACKKNIFE, EXCHANGE = range(3)
# Replicates counted in one go: enough for all cores, few enough for memory and the progress bar.
IN_ONE_GO = 50


@dataclass(frozen=True, slots=True)
class Draws:
    """Values of one detector in every replicate: [replicate], and [replicate, class]."""

    whole: Mapping[str, Floats]
    by_class: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Resampled:
    """One detector: its bootstrap replicates, and its values without each group of images."""

    name: str
    bootstrap: Draws
    jackknife: Draws
    # Numbers, and classes, whose objects lie in too few images: their draws are undefined.
    too_few: tuple[str, ...] = ()
    n_rare_classes: int = 0
    # Classes with objects.
    n_classes: int = 0


def resample(
    samplers: Sequence[Sampler],
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Resampled]:
    """Detectors share the weights of every replicate, so that they can be paired (METHODS 11)."""
    drawn, left = over_replicates(
        lambda weights: [draw(sampler, weights, threads=threads) for sampler in samplers],
        samplers[0].walk.n_units,
        choice,
        progress=progress,
    )
    return [
        _without_too_few(
            sampler,
            joined([part[row] for part in drawn]),
            joined([part[row] for part in left]),
        )
        for row, sampler in enumerate(samplers)
    ]


def _without_too_few(sampler: Sampler, drawn: Draws, left: Draws) -> Resampled:
    """Resampling a handful of images with objects shows less chance than there is."""
    walk, readings = sampler.walk, sampler.readings
    too_few = tuple(
        name
        for name, mean in readings.whole.items()
        if 0 < images_with_objects(walk, mean) < FEWEST_IMAGES
    )
    rare = {
        name: class_images_with_objects(walk, mean) < FEWEST_IMAGES
        for name, mean in readings.by_class.items()
    }

    def known(draws: Draws) -> Draws:
        return Draws(
            {
                name: np.full_like(values, np.nan) if name in too_few else values
                for name, values in draws.whole.items()
            },
            {name: np.where(rare[name], np.nan, values) for name, values in draws.by_class.items()},
        )

    with_objects = class_images_with_objects(walk, Mean())
    n_rare = int(np.count_nonzero((with_objects > 0) & (with_objects < FEWEST_IMAGES)))
    n_classes = int(np.count_nonzero(with_objects))
    return Resampled(sampler.name, known(drawn), known(left), too_few, n_rare, n_classes)


def over_replicates(
    read: Callable[[Weights], Reading],
    n_images: int,
    choice: ResamplingChoice,
    *,
    progress: Progress | None = None,
) -> tuple[list[Reading], list[Reading]]:
    """What `read` makes of the bootstrap's weights and of the jackknife's, piece by piece."""
    check_images(n_images)
    n_left_out = min(choice.n_jackknife, n_images)
    total = choice.n_replicates + n_left_out
    found: tuple[list[Reading], list[Reading]] = ([], [])
    done = 0
    for readings, pieces in zip(
        found,
        (
            bootstrap_weights(n_images, choice.n_replicates, choice.seed),
            jackknife_weights(n_images, n_left_out, choice.seed),
        ),
        strict=True,
    ):
        for weights in pieces:
            if progress:
                progress("resampling images", done, total)
            readings.append(read(weights))
            done += len(weights)
    return found


def check_images(n_images: int) -> None:
    if n_images < FEWEST_IMAGES:
        raise ParameterError(
            f"{n_images} images are too few to resample: intervals need at least {FEWEST_IMAGES}"
        )


def bootstrap_weights(n_units: int, n_replicates: int, seed: int) -> Iterator[Weights]:
    """How often each unit is drawn; replicate b is the same whatever was drawn before it."""

    def row(b: int) -> Weights:
        drawn = np.random.default_rng([seed, BOOTSTRAP, b]).integers(0, n_units, n_units)
        return np.bincount(drawn, minlength=n_units).astype(np.int32)

    return _in_pieces(row, n_replicates)


def jackknife_weights(n_units: int, n_groups: int, seed: int) -> Iterator[Weights]:
    """All units but a group, in random groups of nearly one size."""
    random = np.random.default_rng([seed, JACKKNIFE])
    group = random.permutation(np.arange(n_units) % n_groups)
    return _in_pieces(lambda left_out: (group != left_out).astype(np.int32), n_groups)


def _in_pieces(row: Callable[[int], Weights], n: int) -> Iterator[Weights]:
    for start in range(0, n, IN_ONE_GO):
        yield np.stack([row(b) for b in range(start, min(start + IN_ONE_GO, n))])


def draw(sampler: Sampler, weights: Weights, *, threads: int = 0) -> Draws:
    """Every number of a detector for every row of weights."""
    return read(replicate(sampler.walk, weights, threads=threads), sampler)


def read(found: Replicates, sampler: Sampler) -> Draws:
    return Draws(
        {name: read_whole(found, mean) for name, mean in sampler.readings.whole.items()},
        {name: read_classes(found, mean) for name, mean in sampler.readings.by_class.items()},
    )


def joined(parts: Sequence[Draws]) -> Draws:
    return Draws(
        {name: np.concatenate([part.whole[name] for part in parts]) for name in parts[0].whole},
        {
            name: np.concatenate([part.by_class[name] for part in parts])
            for name in parts[0].by_class
        },
    )
