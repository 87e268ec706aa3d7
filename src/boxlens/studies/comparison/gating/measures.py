"""The numbers that rules ask for, of both detectors: as they are, and in every replicate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.metrics.bootstrap import FEWEST_IMAGES, draw, resample
from boxlens.metrics.readings import Readings
from boxlens.metrics.resampling import images_with_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Floats
    from boxlens.formats.files import Progress
    from boxlens.metrics.intervals import ResamplingChoice
    from boxlens.metrics.readings import Mean
    from boxlens.metrics.resampling import Sampler
    from boxlens.studies.comparison.gating.rules import Rule, Target


@dataclass(frozen=True, slots=True)
class Question:
    """A rule for one target, and the mean it asks for."""

    rule: Rule
    of: Target
    mean: Mean
    # The slice whose images or objects it is about; None: all of them.
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """One number of one detector: [1], [replicate], [group of images left out]."""

    value: Floats
    bootstrap: Floats
    jackknife: Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """What a question is answered from; with too few images there are no replicates."""

    n_images: int
    baseline: Values
    candidate: Values


def measure(
    samplers: Sequence[Sampler],
    questions: Sequence[Question],
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Measured]:
    """Baseline and candidate, paired: both are counted on the same resampled images."""
    walk = samplers[0].walk
    n_images = [images_with_objects(walk, question.mean) for question in questions]
    # Only what is asked for is read off the replicates.
    asked = Readings({str(row): question.mean for row, question in enumerate(questions)}, {})
    readers = [replace(sampler, readings=asked) for sampler in samplers]
    once = np.ones((1, walk.n_units), dtype=np.int32)
    plain = [draw(reader, once, threads=threads).whole for reader in readers]
    empty = {name: np.empty(0) for name in asked.whole}
    drawn, left = [empty, empty], [empty, empty]
    if max(n_images, default=0) >= FEWEST_IMAGES:
        resampled = resample(readers, choice, threads=threads, progress=progress)
        drawn = [dict(one.bootstrap.whole) for one in resampled]
        left = [dict(one.jackknife.whole) for one in resampled]
    return [
        Measured(
            n_images[row],
            *(
                Values(plain[which][name], drawn[which][name], left[which][name])
                for which in range(2)
            ),
        )
        for row, name in enumerate(asked.whole)
    ]
