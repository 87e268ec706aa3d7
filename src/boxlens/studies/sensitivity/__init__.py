"""Which objects a detector fails on: normalized AP by size, shape, occlusion and any attribute."""

from boxlens.studies.sensitivity.analysis import analyse, sensitivity
from boxlens.studies.sensitivity.choice import LOOSER, SensitivityChoice
from boxlens.studies.sensitivity.choosing import object_values
from boxlens.studies.sensitivity.result import (
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
