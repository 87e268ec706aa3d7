"""Compressed as JPEG with colour at half the resolution (4:2:0), and read again."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.perturbing.families import LOSSLESS
from boxlens.images.perturbing.libraries import pillow
from boxlens.images.perturbing.perturbed import STAYS, Perturbed

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels


def compressed(image: Pixels, quality: float) -> Perturbed:
    if quality == LOSSLESS:
        return Perturbed(image, STAYS)
    library = pillow()
    file = BytesIO()
    library.fromarray(image).save(file, "JPEG", quality=int(quality), subsampling="4:2:0")
    with library.open(file, formats=("JPEG",)) as again:
        return Perturbed(np.array(again), STAYS)
