"""Which objects a detector fails on: normalized AP by size, shape, occlusion and any attribute."""

from boxlens.studies.sensitivity.analysis import analyse, sensitivity
from boxlens.studies.sensitivity.choice import LOOSER, SensitivityChoice
from boxlens.studies.sensitivity.choosing import object_values
from boxlens.studies.sensitivity.result import SensitivityResult, Unexpected

__all__ = [
    "LOOSER",
    "SensitivityChoice",
    "SensitivityResult",
    "Unexpected",
    "analyse",
    "object_values",
    "sensitivity",
]
