"""What a method proposes for the images of a data set, for every number of proposals asked for.

Each place counts once, then the best ones do (METHODS 6.1). Boxes are given out part by part: what
is asked of them, matching above all, is local to an image, so the parts of a set together say what
the whole set says, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Bools, frozen, owned
from boxlens.data.source import Source
from boxlens.data.windows import WindowPart, Windows, joined
from boxlens.errors import ParameterError
from boxlens.matching.box_matching import first_on_pixels
from boxlens.studies.proposals.blind import BlindWindows

# What makes boxes one place: the same pixels, or equal fractions where there are no pixels.
Places = Literal["pixels", "fractions"]


def places_in(dataset: Dataset) -> Places:
    return "fractions" if dataset.relative else "pixels"


def without_duplicates(windows: Windows, places: Places = "pixels", *, threads: int = 0) -> Windows:
    """Of boxes in one place the best one stays, as it is."""
    # Fractions are told apart down to a billionth of the image.
    box = windows.box if places == "pixels" else windows.box * 2.0**30
    first = first_on_pixels(windows.offsets, box, threads=threads)
    if first.all():
        return windows
    n_before = np.concatenate([[0], np.cumsum(first)])
    offsets = frozen(n_before[windows.offsets], np.int64)
    return replace(windows, offsets=offsets, box=owned(windows.box[first]))


class ProposedPart(NamedTuple):
    """The proposals of some images, best first."""

    part: WindowPart
    # Boxes that were skipped.
    n_duplicates: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """Nested: one list per image, whose best k are those of budget k; else one list per budget."""

    name: str
    # What exactly made them: a generator's identity, or a file.
    made_by: str
    # One of the study's baselines.
    baseline: bool
    # By budget; a nested method has one entry, for its largest.
    by_budget: Mapping[int, Windows | BlindWindows]
    nested: bool = True
    # Boxes in the place of a better one are skipped. None: all boxes count.
    places: Places | None = None
    # None for files, and for what is drawn only when it is asked for.
    seconds_per_image: float | None = None

    def searched(self) -> Bools:
        """Images whose proposals are known."""
        every = [windows.searched for windows in self.by_budget.values()]
        known: Bools = np.logical_and.reduce(every)
        return known

    def sources(self) -> tuple[Source, ...]:
        """Several runs of a method may be in one file."""
        every = (windows.source for windows in self.by_budget.values())
        return tuple(dict.fromkeys(source for source in every if source is not None))

    def notices(self) -> tuple[Notice, ...]:
        """Of reading and finding them; images that lack proposals are reported elsewhere."""
        return tuple(
            notice
            for windows in self.by_budget.values()
            for notice in windows.notices
            if notice.code != "not_searched"
        )

    def parts(self, budget: int, *, threads: int = 0) -> Iterator[ProposedPart]:
        """At most `budget` proposals per image; duplicates go before the best are taken."""
        if not self.nested and budget not in self.by_budget:
            raise ParameterError(f"{self.name} was not run for {budget} proposals")
        for part in self.by_budget[max(self.by_budget) if self.nested else budget].parts():
            windows = part.windows
            if self.places is not None:
                windows = without_duplicates(windows, self.places, threads=threads)
            n_duplicates = len(part.windows) - len(windows)
            yield ProposedPart(part._replace(windows=windows.limited(budget)), n_duplicates)

    def at(self, budget: int) -> Windows:
        """All of them at once."""
        return joined([one.part for one in self.parts(budget)])
