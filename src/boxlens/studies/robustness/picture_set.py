"""Pictures of one step with their ground truth: drawn as they are read, or written out before."""

from __future__ import annotations

from typing import Any, Protocol

from boxlens.detectors.pictures import Pictures
from boxlens.studies.robustness.tracing import MeasuredSet


class PictureSet(MeasuredSet, Pictures, Protocol):
    """What numbers need, and what a detector does; one row a picture."""

    def made_from(self) -> dict[str, Any]:
        """All that its pictures and boxes depend on, in JSON."""
