"""What a generator of this folder tells beyond the boxes: exactly what was run."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from boxlens.detectors.protocols import ProposalGenerator


@runtime_checkable
class Generator(ProposalGenerator, Protocol):
    """Proposes the same boxes for the same picture, whatever was asked of it before."""

    @property
    def identity(self) -> str:
        """Name, version, parameters and seed: generators of one identity propose the same."""
