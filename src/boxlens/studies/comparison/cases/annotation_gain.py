"""How much better than random is it to annotate where detectors disagree? On labelled data.

A score must not be estimated on images chosen this way: they are no fair sample, and means over
them are biased. The choice is for what to look at and what to train on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Floats
from boxlens.metrics.image_counts import image_counts
from boxlens.metrics.json_form import HIDDEN, JsonRecord, fields_to_json
from boxlens.metrics.protocols import prepare, verified_detections
from boxlens.studies.comparison.cases.disagreement import DIGITS, DisagreementResult
from boxlens.studies.comparison.together.found_objects import IOU

Order = npt.NDArray[np.int64]

BUDGETS = (0.1, 0.2)
# Random orders, against which the others are told.
N_RANDOM = 400
# What is to be found, and the orders of images to find it in, in words.
GOALS = {"errors": "errors of all detectors", "difference": "differences of image scores"}
ORDERS = {
    "share": "by disputed share",
    "boxes": "by disputed boxes",
    "n_boxes": "by number of boxes",
    "best": "best possible",
}
# Areas of even curves differ by the rounding of their sums alone.
ROUNDING = 1e-9
CURVE_POINTS = 101


@dataclass(frozen=True, slots=True)
class OrderGain:
    """What one order of the images finds of a goal."""

    order: str
    # [n + 1]: the share of the goal in the first k images.
    curve: Floats = field(metadata=HIDDEN)
    # The same once so large a share of the images, or of the objects, is annotated.
    at_images: tuple[float, ...]
    at_objects: tuple[float, ...]
    # The area under the curve over images: 0 as good as random, 1 the best possible.
    area: float
    # Images that hold half of what there is.
    n_half: int

    def points(self) -> list[tuple[int, float]]:
        """Numbers of images and the share in them, at so many steps as a file needs."""
        at = np.unique(np.linspace(0, len(self.curve) - 1, CURVE_POINTS).round().astype(np.int64))
        return list(zip(at.tolist(), self.curve[at].tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        n_images, share = zip(*self.points(), strict=True)
        curve = {"n_images": list(n_images), "share": list(share)}
        return {**fields_to_json(self), "curve": curve}


@dataclass(frozen=True, slots=True)
class GoalGain:
    """Errors to be found, or differences between the detectors."""

    goal: str
    total: float
    orders: tuple[OrderGain, ...]
    # 95 % of random orders lie between, at each budget of images; their mean is the budget itself.
    random_low: tuple[float, ...] = field(metadata=HIDDEN)
    random_high: tuple[float, ...] = field(metadata=HIDDEN)

    def named(self, order: str) -> OrderGain:
        return next(row for row in self.orders if row.order == order)

    def to_json(self) -> dict[str, Any]:
        random = {"low": list(self.random_low), "high": list(self.random_high)}
        return {**fields_to_json(self), "random": random}


@dataclass(frozen=True, slots=True)
class AnnotationGainResult(JsonRecord):
    """Orders by disagreement against random, against counting boxes, and against the best."""

    detectors: tuple[str, ...]
    iou: float
    n_images: int
    budgets: tuple[float, ...]
    goals: tuple[GoalGain, ...]
    # |t| of the paired difference on the first images of each order, at each budget, then on all
    # images; NaN for more than two detectors. Swapping the detectors leaves the order as it is, so
    # the test stays valid on these images; the size of the difference does not.
    abs_t: Mapping[str, tuple[float, ...]]

    def named(self, goal: str) -> GoalGain:
        return next(row for row in self.goals if row.goal == goal)


def annotation_gain(
    dataset: Dataset,
    tables: Sequence[Detections],
    *,
    min_score: Sequence[float],
    image_scores: Floats,
    ranked: DisagreementResult,
    seed: int = 0,
    threads: int = 0,
) -> AnnotationGainResult:
    """Reads the orders of `rank_images` against the ground truth.

    The goals are "errors", false positives and misses of all detectors, and "difference", the
    span of `image_scores` ([detector, image], say FDA) in each image; an undefined one counts 0.
    Crowded images hold more of everything, so "n_boxes", the mere number of detections, is an
    order too, and shares are told by annotated objects as well as by annotated images.
    """
    n = len(dataset.images)
    orders = _orders(ranked)
    rng = np.random.default_rng(seed)
    random = [rng.permutation(n) for _ in range(N_RANDOM)]
    objects = np.bincount(dataset.gt.image_row, minlength=n).astype(np.float64)
    goals = {
        "errors": _errors(dataset, tables, min_score, threads),
        "difference": np.nan_to_num(np.ptp(image_scores, axis=0)),
    }
    signed = np.full(n, np.nan)
    if len(tables) == 2:
        signed = np.nan_to_num(image_scores[0] - image_scores[1])
    return AnnotationGainResult(
        detectors=ranked.detectors,
        iou=IOU,
        n_images=n,
        budgets=BUDGETS,
        goals=tuple(_goal(name, amount, objects, orders, random) for name, amount in goals.items()),
        abs_t=_all_abs_t(signed, orders, random),
    )


def _all_abs_t(
    signed: Floats, orders: Mapping[str, Order], random: Sequence[Order]
) -> dict[str, tuple[float, ...]]:
    """Of every order, and of the random ones in the middle."""
    sizes = [*(_n_first(budget, len(signed)) for budget in BUDGETS), len(signed)]
    found = {
        name: tuple(_abs_t(signed[order[:k]]) for k in sizes) for name, order in orders.items()
    }
    found["random"] = tuple(
        float(np.median([_abs_t(signed[order[:k]]) for order in random])) for k in sizes
    )
    return found


def _orders(ranked: DisagreementResult) -> dict[str, Order]:
    share, boxes = -ranked.share.round(DIGITS), -ranked.boxes.round(DIGITS)
    return {
        "share": np.lexsort((boxes, share)),
        "boxes": np.lexsort((share, boxes)),
        "n_boxes": np.argsort(-ranked.n_boxes.sum(axis=0), kind="stable"),
    }


def _errors(
    dataset: Dataset, tables: Sequence[Detections], min_score: Sequence[float], threads: int
) -> Floats:
    """[image]: false positives and missed objects of all detectors."""
    errors = np.zeros(len(dataset.images))
    for table, cut in zip(tables, min_score, strict=True):
        told, _ = verified_detections(dataset, table, IOU, threads=threads)
        prepared = prepare(dataset, told, "coco")
        matches = prepared.matches(IOU, threads=threads)
        counts = image_counts(prepared, matches, min_score=cut)
        errors += counts.fp + counts.fn
    return errors


def _goal(
    name: str,
    amount: Floats,
    objects: Floats,
    orders: Mapping[str, Order],
    random: Sequence[Order],
) -> GoalGain:
    best = np.argsort(-amount, kind="stable")
    top = _area(_curve(amount, best))
    gains = [
        _gain(order_name, amount, objects, order, top)
        for order_name, order in {**orders, "best": best}.items()
    ]
    by_chance = np.array([_at_images(_curve(amount, order)) for order in random])
    low, high = np.quantile(by_chance.reshape(-1, len(BUDGETS)), (0.025, 0.975), axis=0)
    return GoalGain(
        name, float(amount.sum()), tuple(gains), tuple(low.tolist()), tuple(high.tolist())
    )


def _gain(
    name: str,
    amount: Floats,
    objects: Floats,
    order: Order,
    best_area: float,
) -> OrderGain:
    curve = _curve(amount, order)
    # By reversing each order: the mean area of all orders is exactly one half.
    room = best_area - 0.5
    return OrderGain(
        order=name,
        curve=curve,
        at_images=_at_images(curve),
        at_objects=tuple(np.interp(BUDGETS, _curve(objects, order), curve).tolist()),
        area=(_area(curve) - 0.5) / room if room > ROUNDING else float("nan"),
        n_half=int(np.searchsorted(curve, 0.5)),
    )


def _curve(amount: Floats, order: Order) -> Floats:
    """[n + 1]: the share in the first k images; where there is nothing, as if spread evenly."""
    total = amount.sum()
    found = amount[order] / total if total > 0 else np.full(len(order), 1 / len(order))
    return np.concatenate([[0.0], np.cumsum(found)])


def _area(curve: Floats) -> float:
    """By trapezoids over the share of the images."""
    return float((curve[1:] + curve[:-1]).sum() / 2 / (len(curve) - 1))


def _at_images(curve: Floats) -> tuple[float, ...]:
    n = len(curve) - 1
    return tuple(float(curve[_n_first(budget, n)]) for budget in BUDGETS)


def _n_first(budget: float, n: int) -> int:
    return max(1, round(budget * n))


def _abs_t(differences: Floats) -> float:
    """NaN where it is undefined: fewer than two images, or no spread."""
    if len(differences) < 2:
        return float("nan")
    spread = float(differences.std(ddof=1))
    if not spread > 0:
        return float("nan")
    return abs(float(differences.mean())) / spread * float(np.sqrt(len(differences)))
