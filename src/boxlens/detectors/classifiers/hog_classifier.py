"""Names crops by oriented gradients and colours: logistic regression over `region_features`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.detectors.region_features import region_features
from boxlens.detectors.threads import one_thread_a_worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from boxlens.data import Classes, Notice
    from boxlens.data.columns import Floats, Rows
    from boxlens.detectors.training import Features
    from boxlens.images import Pixels

# Features of more crops at once would fill memory, and are not made faster.
_CROPS_AT_A_TIME = 512


@dataclass(frozen=True, slots=True, eq=False)
class HogClassifier:
    """Whole weights, so that an answer is the same bits in any batch (see `hog`)."""

    classes: Classes
    # One row per class that was learnt.
    class_row: Rows
    weights: npt.NDArray[np.int16]
    # What a weight of 1 stands for, and what is added.
    step: Floats
    bias: Floats
    notices: tuple[Notice, ...] = ()
    name: str = "hog"

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """Probabilities, which sum to 1; 0 for a class that was not learnt."""
        answers = np.zeros((len(crops), len(self.classes)))
        with one_thread_a_worker():
            for start in range(0, len(crops), _CROPS_AT_A_TIME):
                part = slice(start, start + _CROPS_AT_A_TIME)
                answers[part, self.class_row] = self.probabilities(region_features(crops[part]))
        return answers

    def probabilities(self, features: Features) -> Floats:
        """Crops x classes that were learnt."""
        products = features.astype(np.float64) @ self.weights.T.astype(np.float64)
        logits = products * self.step + self.bias
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares
