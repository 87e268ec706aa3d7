"""Where does each of two detectors win? Objects found by one, both or none, group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools, Rows
from boxlens.matching import COCO
from boxlens.metrics.grid import AREA_RANGES
from boxlens.metrics.intervals import holm
from boxlens.metrics.json_form import HIDDEN, JsonRecord, ends
from boxlens.studies.comparison.together.found_objects import IOU, hit_scores
from boxlens.studies.sensitivity.characteristics import OF_BOXES, Objects
from boxlens.studies.sensitivity.choosing import Catalogue

Reading = Literal["ranked", "cut"]

SIZE_NAMES = {"s": "small", "m": "medium", "l": "large"}
# With fewer images the normal approximation is not to be trusted.
MIN_IMAGES = 10


@dataclass(frozen=True, slots=True)
class Outcome(JsonRecord):
    """Who finds the objects of a group; `difference` is recall of the first less the second's."""

    only_first: int
    only_second: int
    both: int
    neither: int
    difference: float
    p: float
    p_holm: float = float("nan")
    low: float = field(metadata=ends("ci", "high"), kw_only=True)
    high: float = field(metadata=HIDDEN, kw_only=True)
    leader: str | None = None


@dataclass(frozen=True, slots=True)
class Group(JsonRecord):
    """Objects that share a class, a size or a value of an attribute."""

    characteristic: str
    value: str
    n_objects: int
    n_images: int
    # Which of the two is tested: cuts that were chosen on these images make recall differ by
    # chance in all groups at once, which no test of one group sees.
    tested_by: Reading = field(default="cut", kw_only=True)
    # Every detection that COCO's limit lets through, and those above each detector's score cut.
    ranked: Outcome
    cut: Outcome

    @property
    def tested(self) -> Outcome:
        return self.cut if self.tested_by == "cut" else self.ranked

    @property
    def other(self) -> Outcome:
        return self.ranked if self.tested_by == "cut" else self.cut


@dataclass(frozen=True, slots=True)
class StrengthsResult(JsonRecord):
    """Two detectors over all objects, and over every group of them."""

    first: str
    second: str
    iou: float
    min_score: tuple[float, float]
    level: float
    overall: Group
    groups: tuple[Group, ...]
    notices: tuple[Notice, ...] = ()

    def of(self, characteristic: str) -> tuple[Group, ...]:
        return tuple(row for row in self.groups if row.characteristic == characteristic)


def strengths(
    dataset: Dataset,
    first: Detections,
    second: Detections,
    *,
    min_score: tuple[float, float],
    cuts_chosen: bool = False,
    level: float = 0.95,
    threads: int = 0,
) -> StrengthsResult:
    """Differences of recall by class, COCO's sizes and every attribute of the ground truth.

    The interval's unit is the image: recall is a ratio of sums over images, linearised, so that
    objects of one image may depend on one another. p is of Student's law, undefined below
    MIN_IMAGES images, and adjusted by Holm over all groups, for each reading on its own. A
    leader is named where the adjusted p is below 1 - level. With `cuts_chosen` on the same images
    the reading above the cuts is told, and not tested.
    """
    counted = ~COCO.ignored(dataset.gt)
    scores = [hit_scores(dataset, table, threads=threads) for table in (first, second)]
    readings = (
        [~np.isnan(column) for column in scores],
        [column >= cut for column, cut in zip(scores, min_score, strict=True)],
    )
    names = (first.name, second.name)

    def group(members: _Members) -> Group:
        image_row = dataset.gt.image_row[members.rows]
        ranked, cut = (
            _outcome(image_row, a[members.rows], b[members.rows], level) for a, b in readings
        )
        n_images = len(np.unique(image_row))
        if cuts_chosen:
            cut = replace(cut, low=math.nan, high=math.nan, p=math.nan)
        tested_by: Reading = "ranked" if cuts_chosen else "cut"
        return Group(*members[:2], len(members.rows), n_images, ranked, cut, tested_by=tested_by)

    overall = group(_Members("all", "all objects", np.flatnonzero(counted)))
    memberships, notices = _memberships(dataset, counted)
    groups = [group(members) for members in memberships]
    return StrengthsResult(
        first=first.name,
        second=second.name,
        iou=IOU,
        min_score=min_score,
        level=level,
        overall=_judged([overall], names, level)[0],
        groups=tuple(_judged(groups, names, level)),
        notices=(*notices, *_untested(groups)),
    )


class _Members(NamedTuple):
    characteristic: str
    value: str
    rows: npt.NDArray[np.integer]


def _memberships(dataset: Dataset, counted: Bools) -> tuple[list[_Members], tuple[Notice, ...]]:
    """Groups with objects; the catalogue's notices tell which attributes make none."""
    catalogue = Catalogue(Objects.of(dataset.gt, counted, len(dataset.classes)), {})
    names, notices = catalogue.usual()
    groups = [*_classes(dataset, counted), *_sizes(dataset, counted)]
    for name in names:
        # Boxes are told by size; its bins within a class would say it again.
        if name not in OF_BOXES:
            groups += _subsets(catalogue, name)
    return [members for members in groups if len(members.rows)], notices


def _classes(dataset: Dataset, counted: Bools) -> Iterator[_Members]:
    rows = np.flatnonzero(counted)
    rows = rows[np.argsort(dataset.gt.class_row[rows], kind="stable")]
    ends = np.searchsorted(dataset.gt.class_row[rows], np.arange(len(dataset.classes) + 1))
    for class_row, name in enumerate(dataset.classes.name):
        yield _Members("class", name, rows[ends[class_row] : ends[class_row + 1]])


def _sizes(dataset: Dataset, counted: Bools) -> Iterator[_Members]:
    if dataset.relative:
        return
    area = dataset.gt.area_px
    for key, name in SIZE_NAMES.items():
        low, high = AREA_RANGES[key]
        yield _Members("size", name, np.flatnonzero(counted & (area >= low) & (area <= high)))


def _subsets(catalogue: Catalogue, name: str) -> Iterator[_Members]:
    column = catalogue.column(name)
    for code, subset in enumerate(column.subset_names):
        yield _Members(name, subset, np.flatnonzero((column.code == code).any(axis=0)))


def _outcome(image_row: Rows, first: Bools, second: Bools, level: float) -> Outcome:
    from scipy.special import stdtr, stdtrit

    difference, error, n_images, n_ahead = _difference(image_row, first, second)
    enough = n_images >= MIN_IMAGES
    # Without any spread the approximation has no interval, only a test.
    reach = math.nan
    p = math.nan
    if enough and error > 0:
        reach = float(stdtrit(n_images - 1, 0.5 + level / 2)) * error
        p = 2 * float(stdtr(n_images - 1, -abs(difference) / error))
    elif enough:
        p = float(difference == 0)
    if enough:
        # No sign-flip test could say more: images in which neither is ahead say nothing.
        p = max(p, 0.5 ** (max(n_ahead, 1) - 1))
    return Outcome(
        only_first=int(np.count_nonzero(first & ~second)),
        only_second=int(np.count_nonzero(second & ~first)),
        both=int(np.count_nonzero(first & second)),
        neither=int(np.count_nonzero(~first & ~second)),
        difference=difference,
        low=float(np.clip(difference - reach, -1, 1)),
        high=float(np.clip(difference + reach, -1, 1)),
        p=p,
    )


def _difference(image_row: Rows, first: Bools, second: Bools) -> tuple[float, float, int, int]:
    """Difference of recall and its standard error over the images that hold the group.

    Then the number of these images, and of those in which one of the two is ahead.
    With y found more and n objects in an image, R = sum y / sum n; its error is that of the sum
    of the residuals y - R n.
    """
    _, image = np.unique(image_row, return_inverse=True)
    n_objects = np.bincount(image).astype(np.float64)
    n_more = np.bincount(image, first.astype(np.float64) - second).astype(np.float64)
    n_images = len(n_objects)
    n_ahead = int(np.count_nonzero(n_more))
    if n_images == 0:
        return math.nan, math.nan, 0, 0
    difference = float(n_more.sum() / n_objects.sum())
    if n_images < 2:
        return difference, math.nan, n_images, n_ahead
    residual = n_more - difference * n_objects
    variance = n_images / (n_images - 1) * float((residual**2).sum()) / n_objects.sum() ** 2
    return difference, float(np.sqrt(variance)), n_images, n_ahead


def _judged(groups: Sequence[Group], names: tuple[str, str], level: float) -> list[Group]:
    """Adjusted for the number of groups, with a leader where one is beyond doubt."""
    ranked = _with_leaders([group.ranked for group in groups], names, level)
    cut = _with_leaders([group.cut for group in groups], names, level)
    return [
        replace(group, ranked=by_rank, cut=by_cut)
        for group, by_rank, by_cut in zip(groups, ranked, cut, strict=True)
    ]


def _with_leaders(
    outcomes: Sequence[Outcome], names: tuple[str, str], level: float
) -> Iterator[Outcome]:
    adjusted = holm(np.array([outcome.p for outcome in outcomes])).tolist()
    for outcome, p in zip(outcomes, adjusted, strict=True):
        leader = names[0] if outcome.difference > 0 else names[1]
        yield replace(outcome, p_holm=p, leader=leader if p < 1 - level else None)


def _untested(groups: Sequence[Group]) -> tuple[Notice, ...]:
    small = sum(group.n_images < MIN_IMAGES for group in groups)
    if small == 0:
        return ()
    message = f"{small} groups lie in fewer than {MIN_IMAGES} images and are not tested"
    return (Notice("few_images", small, message),)
