"""A cloud before everything, thick enough to flatten the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.plasma import plasma
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels

# Thickness, 1 is white, and decay of the cloud: less decay makes a rougher one. The third and the
# fourth are equally thick, and another roughness is another cloud: from the second on a severity
# may change a picture less than the one before.
FOGS = ((1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))


def fog(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Added, and all scaled down so that nothing gets lighter than it was."""
    thickness, decay = FOGS[severity - 1]
    height, width = image.shape[:2]
    cloud = plasma(height, width, decay, random)
    lightest = float(image.max()) / 255
    scale = lightest / (lightest + thickness)
    cloud *= 255 * thickness * scale
    foggy = opencv().merge([cloud] * 3)
    foggy += np.float32(scale) * image
    return eight_bits(foggy)
