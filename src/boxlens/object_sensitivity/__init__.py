"""Which objects a detector fails on: normalized AP by size, shape, occlusion and any attribute."""

from boxlens.object_sensitivity.analysis import analyse, sensitivity
from boxlens.object_sensitivity.choice import LOOSER, SensitivityChoice
from boxlens.object_sensitivity.results import (
    Characteristic,
    ClassScore,
    ClassSpread,
    Interaction,
    LooserOverlap,
    Misses,
    SensitivityResult,
    Subset,
    Unexpected,
)
from boxlens.object_sensitivity.values import object_values

__all__ = [
    "LOOSER",
    "Characteristic",
    "ClassScore",
    "ClassSpread",
    "Interaction",
    "LooserOverlap",
    "Misses",
    "SensitivityChoice",
    "SensitivityResult",
    "Subset",
    "Unexpected",
    "analyse",
    "object_values",
    "sensitivity",
]
