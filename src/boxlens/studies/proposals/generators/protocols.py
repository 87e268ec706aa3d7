"""What a generator of this folder tells beyond the boxes: exactly what was run."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from boxlens.data.columns import Boxes, Floats
from boxlens.detectors.protocols import ProposalGenerator


@runtime_checkable
class Generator(ProposalGenerator, Protocol):
    """Proposes the same boxes for the same picture, whatever was asked of it before.

    A frozen dataclass: its fields are its settings.
    """

    @property
    def identity(self) -> str:
        """Name, version, parameters and seed: generators of one identity propose the same."""

    @property
    def nested(self) -> bool:
        """Are the best k of many the k that are found when k are asked for?

        Of a generator that is not, every number of proposals is a run of its own (METHODS 6.1).
        """


@runtime_checkable
class BlindGenerator(Generator, Protocol):
    """Looks at the size of a picture alone: needs no picture."""

    def propose_for(
        self, width_px: int, height_px: int, limit: int, key: int | str
    ) -> tuple[Boxes, Floats]:
        """`key` is the image's id: another image of this size gets other random boxes."""
