"""Could the difference be chance? Two detectors exchange their outputs image by image (METHODS 11).

If it does not matter which of them an output came from, the difference after many random exchanges
is as large as the one seen. Exchanged outputs are ranked together, so the test also feels score
scales that differ.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Rows
from boxlens.metrics.bootstrap import EXCHANGE, IN_ONE_GO, Draws, draw, joined
from boxlens.metrics.ranking import rank_rows
from boxlens.metrics.resampling import Sampler, Walk, Weights
from boxlens.progress import Progress

# A difference that equals the one seen, rounding aside, is as large.
EQUAL = 1e-12


def exchange(
    a: Sampler,
    b: Sampler,
    n_permutations: int,
    *,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Draws:
    """Differences, first minus second, after each exchange."""
    n_images = a.walk.n_units
    both = replace(a, walk=_both(a.walk, b.walk))
    parts = []
    for start in range(0, n_permutations, IN_ONE_GO):
        if progress:
            progress(f"exchanging {a.name} and {b.name}", start, n_permutations)
        stop = min(start + IN_ONE_GO, n_permutations)
        first = np.stack([_sides(n_images, seed, row) for row in range(start, stop)])
        as_a = draw(both, _weights(first), threads=threads)
        as_b = draw(both, _weights(~first), threads=threads)
        parts.append(_difference(as_a, as_b))
    return joined(parts)


def exchange_p(difference: float, exchanged: Floats) -> float:
    """The share of exchanges with a difference as large, the one seen among them; two-sided."""
    drawn = exchanged[~np.isnan(exchanged)]
    if np.isnan(difference) or not len(drawn):
        return float("nan")
    as_large = int(np.count_nonzero(np.abs(drawn) >= abs(difference) - EQUAL))
    return (as_large + 1) / (len(drawn) + 1)


def _sides(n_images: int, seed: int, row: int) -> Bools:
    """Where the first detector keeps its own output."""
    return np.random.default_rng([seed, EXCHANGE, row]).integers(0, 2, n_images).astype(np.bool_)


def _weights(first: Bools) -> Weights:
    """Outputs of the first, outputs of the second, and all objects, which stay."""
    objects = np.ones((len(first), 1), dtype=np.bool_)
    return np.concatenate([first, ~first, objects], axis=1).astype(np.int32)


def _both(a: Walk, b: Walk) -> Walk:
    """One ranking of both detectors' outputs, each image of each detector a unit of its own."""
    n_images = a.n_units
    unit = np.concatenate([a.det_unit, b.det_unit + n_images])
    class_row = np.concatenate([_class_rows(a), _class_rows(b)])
    # Ties stand by image; within one, only one of the two ever takes part.
    by_image = np.argsort(unit % n_images, kind="stable")
    score = np.concatenate([a.det_score, b.det_score])[by_image]
    ranking = rank_rows(class_row[by_image], score, a.n_classes)
    order = by_image[ranking.order]

    def column(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([first, second])[order]

    return replace(
        a,
        n_units=2 * n_images + 1,
        class_offsets=ranking.offsets,
        det_unit=unit[order],
        det_score=score[ranking.order],
        det_tp=column(a.det_tp, b.det_tp),
        det_ignored=column(a.det_ignored, b.det_ignored),
        det_limit=column(a.det_limit, b.det_limit),
        det_value=None
        if a.det_value is None or b.det_value is None
        else column(a.det_value, b.det_value),
        gt_unit=np.full_like(a.gt_unit, 2 * n_images),
    )


def _class_rows(walk: Walk) -> Rows:
    return np.repeat(np.arange(walk.n_classes, dtype=np.int32), np.diff(walk.class_offsets))


def _difference(a: Draws, b: Draws) -> Draws:
    return Draws(
        {name: a.whole[name] - b.whole[name] for name in a.whole},
        {name: a.by_class[name] - b.by_class[name] for name in a.by_class},
    )
