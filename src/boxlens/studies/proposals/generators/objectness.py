"""Objectness: windows that stand out, differ from what surrounds them and cut few superpixels.

Native, after Alexe, Deselaers and Ferrari, with the settings of their release 2.2 (METHODS 7.5).
Faithful are the cues, the drawing of windows, naive Bayes and the suppression. Substituted are the
likelihoods, learnt anew (`objectness_training`), and OpenCV's segmentation; edges of windows are
whole pixels.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boxlens.data.boxes import areas, corners_from_xywh, xywh_from_corners
from boxlens.data.columns import Boxes, Floats
from boxlens.errors import InputError, ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.objectness_cues import (
    SCALES,
    STEPS,
    colour_contrast,
    draw_windows,
    straddling,
    superpixels,
    whole_pixels,
)
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import (
    Ranked,
    identity_of,
    key_of,
    nothing,
    shipped,
)

# Multi-scale saliency, colour contrast, superpixels straddling.
CUES = ("saliency", "contrast", "straddling")
# Of the five scales (METHODS 7.5).
PUBLISHED_THRESHOLDS = (0.43, 0.32, 0.34, 0.35, 0.26)
# Digits that files keep.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class CueTable:
    """Histograms of one cue: `edges` lie between the bins, ascending; the first and last are open.

    Of windows on objects and of others; neither is 0 anywhere, and both sum to 1.
    """

    edges: tuple[float, ...]
    on_objects: tuple[float, ...]
    elsewhere: tuple[float, ...]

    def log_odds(self, values: Floats) -> Floats:
        """How much more likely the values are on objects; 0 is undecided."""
        by_bin = np.log(self.on_objects) - np.log(self.elsewhere)
        odds: Floats = by_bin[np.searchsorted(self.edges, values, side="right")]
        return odds

    def to_json(self) -> dict[str, Any]:
        columns = {"edges": self.edges, "objects": self.on_objects, "elsewhere": self.elsewhere}
        return {name: _short(values) for name, values in columns.items()}

    @classmethod
    def of_json(cls, document: Any) -> CueTable:
        table = cls(*(_numbers(document, key) for key in ("edges", "objects", "elsewhere")))
        n = len(table.edges) + 1
        if len(table.on_objects) != n or len(table.elsewhere) != n:
            raise InputError("a cue has one bin more than edges between them")
        if min(table.on_objects) <= 0 or min(table.elsewhere) <= 0:
            raise InputError("the likelihoods of a cue are above 0")
        if (np.diff(table.edges) < 0).any():
            raise InputError("the edges between the bins of a cue ascend")
        return table


@dataclass(frozen=True, slots=True)
class ObjectnessTables:
    """What share of the windows is on objects, histograms, and what counts as salient."""

    prior: float
    # In the order of CUES.
    cues: tuple[CueTable, ...]
    thresholds: tuple[float, ...] = PUBLISHED_THRESHOLDS
    trained_on: str = ""

    def posterior(self, values: Mapping[str, Floats]) -> Floats:
        """Naive Bayes: the chance that a window is on an object, its cues taken as independent."""
        from scipy.special import expit

        odds = np.log(self.prior / (1 - self.prior))
        for name, table in zip(CUES, self.cues, strict=True):
            odds = odds + table.log_odds(values[name])
        chance: Floats = expit(odds)
        return chance

    def to_json(self) -> dict[str, Any]:
        return {
            "trained_on": self.trained_on,
            "prior": _short((self.prior,))[0],
            "thresholds": list(self.thresholds),
            "cues": {name: cue.to_json() for name, cue in zip(CUES, self.cues, strict=True)},
        }

    @classmethod
    def of_json(cls, document: Any) -> ObjectnessTables:
        if not isinstance(document, dict) or not isinstance(document.get("cues"), dict):
            raise InputError("holds no tables of objectness")
        prior, thresholds = document.get("prior"), _numbers(document, "thresholds")
        if not isinstance(prior, float) or not 0 < prior < 1:
            raise InputError(f"the prior must be between 0 and 1, got {prior!r}")
        if len(thresholds) != len(SCALES):
            problem = f"expected thresholds of {len(SCALES)} scales, got {len(thresholds)}"
            raise InputError(problem)
        cues = tuple(CueTable.of_json(document["cues"].get(name)) for name in CUES)
        return cls(prior, cues, thresholds, str(document.get("trained_on", "")))


@cache
def shipped_tables() -> ObjectnessTables:
    return ObjectnessTables.of_json(shipped("objectness"))


def _short(values: tuple[float, ...]) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def _numbers(document: Any, key: str) -> tuple[float, ...]:
    values = document.get(key) if isinstance(document, dict) else None
    if not isinstance(values, list) or not all(
        type(value) in (int, float) and math.isfinite(value) for value in values
    ):
        raise InputError(f"expected a list of numbers under '{key}'")
    return tuple(map(float, values))


@dataclass(frozen=True, slots=True)
class Objectness:
    """Learnt tables; windows drawn; the ring of the contrast in percent; superpixels; overlap."""

    nested: ClassVar[bool] = True

    tables: ObjectnessTables = field(default_factory=shipped_tables)
    name: str = "objectness"
    seed: int = 0
    n_windows: int = 100_000
    ring: float = 100.0
    sigma: float = 0.5
    k: float = 450.0
    min_size: float = 200.0
    max_overlap: float = 0.5

    def __post_init__(self) -> None:
        contributed("ximgproc")
        if self.n_windows < 1 or self.ring <= 0 or not 0 <= self.max_overlap < 1:
            raise ParameterError(
                "objectness draws 1 window or more, its ring is wider than 0 %, and its windows "
                f"overlap by 0 up to 1, got {self.n_windows}, {self.ring}, {self.max_overlap}"
            )
        if self.sigma <= 0 or self.k <= 0 or self.min_size <= 0:
            settings = f"{self.sigma}, {self.k}, {self.min_size}"
            raise ParameterError(f"sigma, k and min_size are above 0, got {settings}")

    @property
    def identity(self) -> str:
        learnt = json.dumps(self.tables.to_json(), sort_keys=True).encode()
        return identity_of(self, versions(), tables=hashlib.sha256(learnt).hexdigest())

    def propose(self, image: Pixels, limit: int) -> Ranked:
        found = self.measured(image)
        if len(found.box) == 0:
            return nothing()
        score = self.tables.posterior(found.cues)
        best = _suppressed(found.box, score, self.max_overlap, limit)
        return found.box[best], score[best]

    def measured(self, image: Pixels) -> MeasuredWindows:
        """Windows drawn from this picture, each box once a saliency, with the three cues."""
        height, width = image.shape[:2]
        random = np.random.default_rng([self.seed, key_of(image)])
        drawn = draw_windows(image, self.tables.thresholds, self.n_windows, random)
        corners = drawn.corners_px(width, height)
        whole = whole_pixels(corners)
        kept = np.flatnonzero((whole[:, 2:] > whole[:, :2]).all(axis=1))
        first, place = _distinct(drawn.steps[kept])
        once = corners[kept[first]]
        labels = superpixels(image, sigma=self.sigma, k=self.k, min_size=self.min_size)
        cues = {
            "saliency": drawn.saliency[kept],
            "contrast": colour_contrast(image, once, self.ring)[place],
            "straddling": straddling(labels, once)[place],
        }
        return MeasuredWindows(xywh_from_corners(whole[kept]), cues)


@dataclass(frozen=True, slots=True)
class MeasuredWindows:
    """Windows in the order in which they were drawn, the same one as often, and their cues."""

    box: Boxes
    cues: dict[str, Floats]


def _suppressed(boxes: Boxes, score: Floats, most: float, limit: int) -> npt.NDArray[np.int64]:
    """Rows that stay, best first: the best left removes those that overlap it by more than `most`.

    Nearly all windows are looked at and nearly all go, most of them early: it is quickest to drop
    them from the list at once.
    """
    left = np.argsort(-score, kind="stable")
    # Rows left, top, right, bottom, area: whole numbers, so that the comparison is exact.
    sides = np.vstack([corners_from_xywh(boxes[left]).T, areas(boxes[left])])
    kept: list[int] = []
    while len(left) and len(kept) < limit:
        kept.append(int(left[0]))
        x0, y0, x1, y1, area = sides[:, 0]
        shared = np.maximum(np.minimum(sides[2], x1) - np.maximum(sides[0], x0), 0)
        shared *= np.maximum(np.minimum(sides[3], y1) - np.maximum(sides[1], y0), 0)
        apart = shared * (1 + most) <= most * (sides[4] + area)
        left, sides = left[apart], sides[:, apart]
    return np.array(kept, dtype=np.int64)


def _distinct(steps: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where each window stands first, and which of these each window is."""
    key = np.zeros(len(steps), dtype=np.int64)
    for side in steps.T:
        key = key * (STEPS + 1) + side
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first, place
