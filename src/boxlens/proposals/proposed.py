"""What a method proposes for the images of a data set, for every number of proposals asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data.columns import Bools
    from boxlens.data.windows import Windows


@dataclass(frozen=True, slots=True)
class Proposed:
    """Nested: one list an image, whose best k are those of budget k; else one list a budget."""

    name: str
    # What exactly made them: a generator's identity, or a file.
    made_by: str
    # One of the study's baselines.
    baseline: bool
    # By budget; a nested method has one entry, for its largest.
    by_budget: Mapping[int, Windows]
    nested: bool = True
    # Boxes on the pixels of a better one: they are left out; of a file, in all of it.
    n_duplicates: int = 0
    # None for files.
    seconds_per_image: float | None = None

    def searched(self) -> Bools:
        """Images whose proposals are known."""
        every = [windows.searched for windows in self.by_budget.values()]
        known: Bools = np.logical_and.reduce(every)
        return known

    def at(self, budget: int) -> Windows:
        """At most `budget` proposals an image, best first."""
        if not self.nested and budget in self.by_budget:
            return self.by_budget[budget]
        largest = self.by_budget[max(self.by_budget)]
        if not self.nested:
            raise ParameterError(f"{self.name} was not run for {budget} proposals")
        return largest.limited(budget)
