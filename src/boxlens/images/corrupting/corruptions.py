"""The corruption families of ImageNet-C (Hendrycks and Dietterich 2019), with the parameters of
COCO-C (Michaelis et al. 2019): names, groups and what applies each at five severities.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from boxlens.errors import ParameterError
from boxlens.images.corrupting.blurs import defocus_blur, glass_blur, motion_blur, zoom_blur
from boxlens.images.corrupting.colours import brightness, contrast, saturate
from boxlens.images.corrupting.digital import elastic_transform, jpeg_compression, pixelate
from boxlens.images.corrupting.noise import (
    gaussian_noise,
    impulse_noise,
    shot_noise,
    speckle_noise,
)
from boxlens.images.corrupting.weather import fog, frost, snow, spatter
from boxlens.images.pixels import Pixels
from boxlens.limits import SEED

Group = Literal["noise", "blur", "weather", "digital"]
GROUPS: tuple[Group, ...] = get_args(Group)
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
    group: Group
    apply: Apply
    # Not among the fifteen that published means are over.
    extra: bool = False


_ALL = (
    Corruption("gaussian_noise", "Gaussian noise", "noise", gaussian_noise),
    Corruption("shot_noise", "Shot noise", "noise", shot_noise),
    Corruption("impulse_noise", "Impulse noise", "noise", impulse_noise),
    Corruption("speckle_noise", "Speckle noise", "noise", speckle_noise, extra=True),
    Corruption("defocus_blur", "Defocus blur", "blur", defocus_blur),
    Corruption("glass_blur", "Glass blur", "blur", glass_blur),
    Corruption("motion_blur", "Motion blur", "blur", motion_blur),
    Corruption("zoom_blur", "Zoom blur", "blur", zoom_blur),
    Corruption("snow", "Snow", "weather", snow),
    Corruption("frost", "Frost", "weather", frost),
    Corruption("fog", "Fog", "weather", fog),
    Corruption("spatter", "Spatter", "weather", spatter, extra=True),
    Corruption("brightness", "Brightness", "weather", brightness),
    Corruption("contrast", "Contrast", "digital", contrast),
    Corruption("elastic_transform", "Elastic transform", "digital", elastic_transform),
    Corruption("pixelate", "Pixelate", "digital", pixelate),
    Corruption("jpeg_compression", "JPEG compression", "digital", jpeg_compression),
    Corruption("saturate", "Saturate", "digital", saturate, extra=True),
)
CORRUPTIONS: Mapping[str, Corruption] = MappingProxyType({family.name: family for family in _ALL})


def corrupt(image: Pixels, name: str, severity: int, *, seed: int = 0, key: str = "") -> Pixels:
    """Severity 0 gives the image itself; any other pixels of their own, of the same shape.

    The key is the id of the picture. Random draws are the same for all severities, which differ
    by their parameters and not by chance.
    """
    if name not in CORRUPTIONS:
        raise ParameterError(f"corruption must be one of {', '.join(CORRUPTIONS)}, got {name}")
    if severity not in (0, *SEVERITIES):
        raise ParameterError(f"severity of {name} must be 0 to {SEVERITIES[-1]}, got {severity}")
    SEED.check(seed, "seed")
    if severity == 0:
        return image
    random = np.random.default_rng([seed, zlib.crc32(f"{name}/{key}".encode())])
    corrupted = CORRUPTIONS[name].apply(np.ascontiguousarray(image), int(severity), random)
    return np.ascontiguousarray(corrupted)
