"""One picture under every perturbation: how well proposals meet the reference's; then all pooled.

METHODS 6.5: proposals of the perturbed picture are brought back into the reference, proposals
whose centre leaves the other picture are dropped on both sides, the rest are matched one to one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes, Floats, Offsets, owned
from boxlens.errors import MissingExtraError
from boxlens.images import Pixels
from boxlens.images.box_maps import inside, inverted, map_boxes
from boxlens.images.perturbing.families import FAMILIES
from boxlens.images.perturbing.moving import Perturbed
from boxlens.images.perturbing.perturb import perturb, reference
from boxlens.matching.box_matching import match_boxes
from boxlens.metrics.json_form import JsonRecord
from boxlens.studies.proposals.generators.protocols import BlindGenerator, Generator
from boxlens.studies.proposals.repeatability.choice import N_BINS, RepeatabilityChoice
from boxlens.studies.proposals.repeatability.result import FamilyRepeatability, LevelRepeatability

# Where one bin of sizes ends and the next begins; the outer ends are open.
BIN_EDGES = np.arange(1, N_BINS) / N_BINS


@dataclass(frozen=True, slots=True)
class Tally(JsonRecord):
    """Matched IoU of reference boxes, one row per step of the choice, one column per size bin."""

    iou_sum: Floats
    n_boxes: npt.NDArray[np.int64]
    # Reference boxes whose centre leaves the perturbed picture, by step.
    n_outside: npt.NDArray[np.int64]

    @classmethod
    def of_json(cls, document: dict[str, Any], n_steps: int) -> Tally:
        return cls(
            np.array(document["iou_sum"], dtype=np.float64).reshape(n_steps, N_BINS),
            np.array(document["n_boxes"], dtype=np.int64).reshape(n_steps, N_BINS),
            np.array(document["n_outside"], dtype=np.int64).reshape(n_steps),
        )


def measure(
    image: Pixels,
    image_id: int | str,
    generators: Sequence[Generator],
    choice: RepeatabilityChoice,
    *,
    threads: int = 0,
) -> list[Tally | str]:
    """What each generator does on this picture, or why it could not.

    A picture is perturbed once for all generators.
    """
    runs = [_Run(generator, image_id, choice.n_proposals) for generator in generators]
    for family in choice.families:
        original = reference(image, family)
        for run in runs:
            run.refer_to(original)
        for level in choice.levels_of(family):
            perturbed = perturb(image, family, level, seed=choice.seed)
            for run in runs:
                run.compare(perturbed)
    return [run.failure or run.tally(threads) for run in runs]


def size_bins(boxes: Boxes, width_px: int, height_px: int) -> npt.NDArray[np.int64]:
    """By the root of the share of the picture; a box on an edge belongs to the larger ones."""
    relative = np.sqrt(boxes[:, 2] * boxes[:, 3] / (width_px * height_px))
    return np.searchsorted(BIN_EDGES, relative, side="right")


@dataclass(slots=True)
class _Run:
    """One generator on one picture; after a failure it rests."""

    generator: Generator
    image_id: int | str
    limit: int
    failure: str | None = None
    # Reference pictures with their proposals: the whole one, and the crop of rotations.
    references: list[tuple[Pixels, Boxes]] = field(default_factory=list)
    current: int = -1
    # One entry per step.
    kept: list[Boxes] = field(default_factory=list)
    brought_back: list[Boxes] = field(default_factory=list)
    bins: list[npt.NDArray[np.int64]] = field(default_factory=list)
    n_outside: list[int] = field(default_factory=list)

    def refer_to(self, pixels: Pixels) -> None:
        known = [row for row, (one, _) in enumerate(self.references) if one is pixels]
        if not known:
            self.references.append((pixels, self._propose(pixels)))
        self.current = known[0] if known else len(self.references) - 1

    def compare(self, perturbed: Perturbed) -> None:
        found = self._propose(perturbed.pixels)
        if self.failure is not None:
            return
        pixels, proposals = self.references[self.current]
        height, width = pixels.shape[:2]
        back = map_boxes(found, inverted(perturbed.matrix))
        there = map_boxes(proposals, perturbed.matrix)
        stays = inside(there, perturbed.pixels.shape[1], perturbed.pixels.shape[0])
        self.kept.append(proposals[stays])
        self.brought_back.append(back[inside(back, width, height)])
        self.bins.append(size_bins(proposals[stays], width, height))
        self.n_outside.append(len(proposals) - int(stays.sum()))

    def tally(self, threads: int) -> Tally:
        matches = match_boxes(
            _offsets(self.kept),
            np.concatenate(self.kept),
            _offsets(self.brought_back),
            np.concatenate(self.brought_back),
            threads=threads,
        )
        n_steps = len(self.kept)
        step = np.repeat(np.arange(n_steps), [len(boxes) for boxes in self.kept])
        cell = step * N_BINS + np.concatenate(self.bins)
        iou_sum = np.bincount(cell, weights=matches.iou[0], minlength=n_steps * N_BINS)
        n_boxes = np.bincount(cell, minlength=n_steps * N_BINS)
        return Tally(
            iou_sum.astype(np.float64).reshape(n_steps, N_BINS),
            n_boxes.reshape(n_steps, N_BINS),
            np.array(self.n_outside, dtype=np.int64),
        )

    def _propose(self, pixels: Pixels) -> Boxes:
        """Whatever a generator raises is the end of this picture for it, not of the study."""
        if self.failure is not None:
            return np.zeros((0, 4))
        try:
            if isinstance(self.generator, BlindGenerator):
                height, width = pixels.shape[:2]
                # Drawn anew for a changed picture, as by methods that look at it.
                key = f"{self.image_id} {zlib.crc32(pixels.tobytes())}"
                boxes, _ = self.generator.propose_for(width, height, self.limit, key)
            else:
                boxes, _ = self.generator.propose(pixels, self.limit)
        except MissingExtraError:
            raise
        except Exception as problem:  # noqa: BLE001 - generators may be anybody's
            self.failure = str(problem) or type(problem).__name__
            return np.zeros((0, 4))
        return np.asarray(boxes, dtype=np.float64).reshape(-1, 4)[: self.limit]


def _offsets(parts: list[Boxes]) -> Offsets:
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)


def pooled(
    tallies: Sequence[Tally], choice: RepeatabilityChoice
) -> tuple[FamilyRepeatability, ...]:
    """Boxes of a bin count alike whichever picture they are from, bins count alike."""
    together = _sum(tallies, len(choice.steps()))
    levels = iter(_levels(together, choice))
    families = []
    for family in choice.families:
        own = tuple(next(levels) for _ in choice.levels_of(family))
        changed = [one.repeatability for one in own if FAMILIES[family].changes(one.level)]
        families.append(FamilyRepeatability(family, mean_of_defined(np.array(changed)), own))
    return tuple(families)


def mean_of_defined(values: Floats) -> float:
    """NaN where none is: bins without boxes say nothing (METHODS 6.5)."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _sum(tallies: Sequence[Tally], n_steps: int) -> Tally:
    return Tally(
        sum((one.iou_sum for one in tallies), start=np.zeros((n_steps, N_BINS))),
        sum((one.n_boxes for one in tallies), start=np.zeros((n_steps, N_BINS), dtype=np.int64)),
        sum((one.n_outside for one in tallies), start=np.zeros(n_steps, dtype=np.int64)),
    )


def _levels(tally: Tally, choice: RepeatabilityChoice) -> Iterator[LevelRepeatability]:
    # The area under recall over IoU from 0 to 1 is the mean matched IoU (METHODS 6.5).
    bins = np.full(tally.iou_sum.shape, np.nan)
    np.divide(tally.iou_sum, tally.n_boxes, out=bins, where=tally.n_boxes > 0)
    for row, (family, level) in enumerate(choice.steps()):
        yield LevelRepeatability(
            level=level,
            label=FAMILIES[family].label(level),
            repeatability=mean_of_defined(bins[row]),
            bins=owned(bins[row].copy()),
            n_boxes=tuple(tally.n_boxes[row].tolist()),
            n_outside=int(tally.n_outside[row]),
        )
