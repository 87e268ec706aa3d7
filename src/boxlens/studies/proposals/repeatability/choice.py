"""What is asked about repeatability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boxlens.errors import ParameterError
from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.limits import AT_MOST, BUDGET, SEED

N_BINS = 10


@dataclass(frozen=True, slots=True)
class RepeatabilityChoice:
    """Settings that numbers depend on."""

    n_proposals: int = 1000
    families: tuple[str, ...] = FAMILY_NAMES
    # Of each family only these levels; without an entry all published ones.
    levels: Mapping[str, tuple[float, ...]] | None = None
    # Pictures, evenly spread over the folder; None: all.
    n_images: int | None = None
    # Of the perturbations that draw lots; generators have seeds of their own.
    seed: int = 0

    def __post_init__(self) -> None:
        BUDGET.check(self.n_proposals, "n_proposals (--budget)")
        if self.n_images is not None:
            AT_MOST.check(self.n_images, "n_images (--n-images)")
        _check_families(self.families, "perturbations")
        if len(set(self.families)) < len(self.families):
            raise ParameterError(f"a perturbation is given twice: {', '.join(self.families)}")
        if self.levels:
            _check_families(tuple(self.levels), "levels are those of perturbations, which")
        for family in self.families:
            if not self.levels_of(family):
                raise ParameterError(f"{family} has no levels: give one, or leave the family out")
            for level in self.levels_of(family):
                FAMILIES[family].check(level)
        SEED.check(self.seed, "seed (--seed)")

    def levels_of(self, family: str) -> tuple[float, ...]:
        """Ascending, each once."""
        return tuple(sorted({*(self.levels or {}).get(family, FAMILIES[family].levels)}))

    def steps(self) -> tuple[tuple[str, float], ...]:
        """Every family and level, in the order in which they are measured."""
        return tuple(
            (family, level) for family in self.families for level in self.levels_of(family)
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "n_proposals": self.n_proposals,
            "levels": {family: list(self.levels_of(family)) for family in self.families},
            "n_images": self.n_images,
            "seed": self.seed,
        }


def _check_families(names: tuple[str, ...], what: str) -> None:
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        known = ", ".join(FAMILY_NAMES)
        raise ParameterError(f"{what} are {known}, got {', '.join(unknown) or 'none'}")
