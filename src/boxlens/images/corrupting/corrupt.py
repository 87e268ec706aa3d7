"""Any picture under any corruption, the same bits for the same seed and picture."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import ParameterError
from boxlens.images.corrupting.corruptions import CORRUPTIONS, SEVERITIES
from boxlens.limits import SEED

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels


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
