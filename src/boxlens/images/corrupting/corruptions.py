"""The corruption families of ImageNet-C (Hendrycks and Dietterich 2019), with the parameters of
COCO-C (Michaelis et al. 2019): names, groups and what applies each at five severities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from boxlens.images.corrupting.blurs import defocus_blur, motion_blur, zoom_blur
from boxlens.images.corrupting.colours import brightness, contrast, saturate
from boxlens.images.corrupting.digital import jpeg_compression, pixelate
from boxlens.images.corrupting.elastic import elastic_transform
from boxlens.images.corrupting.fog import fog
from boxlens.images.corrupting.frost import frost
from boxlens.images.corrupting.glass import glass_blur
from boxlens.images.corrupting.noise import (
    gaussian_noise,
    impulse_noise,
    shot_noise,
    speckle_noise,
)
from boxlens.images.corrupting.snow import snow
from boxlens.images.corrupting.spatter import spatter
from boxlens.images.pixels import Pixels

GROUPS = ("noise", "blur", "weather", "digital")
# A higher one mostly changes a picture more, on the mean over its pixels. For frost, fog, spatter
# and saturate many photographs contradict at some step, for snow some, for zoom_blur, motion_blur,
# pixelate and jpeg_compression a few in a hundred at most.
SEVERITIES = (1, 2, 3, 4, 5)

Apply = Callable[[Pixels, int, np.random.Generator], Pixels]


@dataclass(frozen=True, slots=True)
class Corruption:
    """One family; objects keep their places under all of them."""

    name: str
    title: str
    group: str
    # Not among the fifteen that published means are over.
    extra: bool
    apply: Apply


_ALL = (
    Corruption("gaussian_noise", "Gaussian noise", "noise", extra=False, apply=gaussian_noise),
    Corruption("shot_noise", "Shot noise", "noise", extra=False, apply=shot_noise),
    Corruption("impulse_noise", "Impulse noise", "noise", extra=False, apply=impulse_noise),
    Corruption("speckle_noise", "Speckle noise", "noise", extra=True, apply=speckle_noise),
    Corruption("defocus_blur", "Defocus blur", "blur", extra=False, apply=defocus_blur),
    Corruption("glass_blur", "Glass blur", "blur", extra=False, apply=glass_blur),
    Corruption("motion_blur", "Motion blur", "blur", extra=False, apply=motion_blur),
    Corruption("zoom_blur", "Zoom blur", "blur", extra=False, apply=zoom_blur),
    Corruption("snow", "Snow", "weather", extra=False, apply=snow),
    Corruption("frost", "Frost", "weather", extra=False, apply=frost),
    Corruption("fog", "Fog", "weather", extra=False, apply=fog),
    Corruption("spatter", "Spatter", "weather", extra=True, apply=spatter),
    Corruption("brightness", "Brightness", "weather", extra=False, apply=brightness),
    Corruption("contrast", "Contrast", "digital", extra=False, apply=contrast),
    Corruption(
        "elastic_transform", "Elastic transform", "digital", extra=False, apply=elastic_transform
    ),
    Corruption("pixelate", "Pixelate", "digital", extra=False, apply=pixelate),
    Corruption(
        "jpeg_compression", "JPEG compression", "digital", extra=False, apply=jpeg_compression
    ),
    Corruption("saturate", "Saturate", "digital", extra=True, apply=saturate),
)
CORRUPTIONS: Mapping[str, Corruption] = MappingProxyType({family.name: family for family in _ALL})
