"""What the published study found on two data sets, to set one's own beside (METHODS 3.4-3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ILSVRC: Final = "ILSVRC"
PASCAL: Final = "PASCAL VOC 2012"

# Means over classes; scale was not published.
PUBLISHED: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        ILSVRC: {"instances_per_image": 1.62, "neighbours": 0.47, "cpl": 0.208, "clutter": 3.59},
        PASCAL: {"instances_per_image": 1.69, "neighbours": 0.52, "cpl": 0.087, "clutter": 5.90},
    }
)
