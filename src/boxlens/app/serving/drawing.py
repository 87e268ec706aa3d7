"""Pictures converted: made small, or into a format that browsers know."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import InputError, MissingExtraError
from boxlens.images.reading import KINDS

if TYPE_CHECKING:
    from PIL import Image

LONG_SIDE = 320
QUALITY = 82
MOST_PIXELS = 80_000_000
_TOO_MANY_PIXELS = f"more than {MOST_PIXELS // 10**6} million pixels, too many to decode here"
_SIXTEEN_BIT_MODES = ("I", "I;16", "I;16L", "I;16B")


class NoPictureError(InputError):
    """The file is there, but no picture that can be shown."""


@cache
def can_draw() -> bool:
    """Whether Pillow is installed. A picture that would fill the memory is an error from now on."""
    try:
        from PIL import Image
    except ImportError:
        return False
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    return True


def as_thumbnail(content: bytes) -> tuple[bytes, str]:
    """At most 320 pixels on the long side, upright, as JPEG."""

    def make(image: Image.Image) -> tuple[bytes, str]:
        # JPEG alone: decoded at a fraction of its size, which is several times as fast.
        image.draft("RGB", (2 * LONG_SIDE, 2 * LONG_SIDE))
        small = _upright_rgb(image)
        small.thumbnail((LONG_SIDE, LONG_SIDE))
        return _saved(small, "JPEG", quality=QUALITY), "image/jpeg"

    return _drawn(content, make)


def as_png(content: bytes) -> tuple[bytes, str]:
    """The whole picture, upright."""

    def make(image: Image.Image) -> tuple[bytes, str]:
        return _saved(_upright_rgb(image), "PNG", compress_level=1), "image/png"

    if not can_draw():
        problem = MissingExtraError("showing pictures of this kind", "pillow", "images")
        raise NoPictureError(str(problem))
    return _drawn(content, make)


def _drawn(content: bytes, make: Callable[[Image.Image], tuple[bytes, str]]) -> tuple[bytes, str]:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=KINDS) as image:
            _refuse_huge(image)
            return make(image)
    except NoPictureError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError) as problem:
        raise NoPictureError(_TOO_MANY_PIXELS) from problem
    except Exception as problem:  # decoders raise a dozen kinds over damaged bytes
        raise NoPictureError("damaged", remedy="Copy or download it again") from problem


def _refuse_huge(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise NoPictureError(_TOO_MANY_PIXELS)


def _upright_rgb(image: Image.Image) -> Image.Image:
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(image)
    if upright.mode in _SIXTEEN_BIT_MODES:
        values = np.asarray(upright).astype(np.int64)
        return Image.fromarray((values.clip(0, 65535) >> 8).astype(np.uint8)).convert("RGB")
    if upright.has_transparency_data:
        layered = upright.convert("RGBA")
        white = Image.new("RGBA", layered.size, "white")
        return Image.alpha_composite(white, layered).convert("RGB")
    return upright.convert("RGB")


def _saved(image: Image.Image, kind: str, **settings: int) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **settings)
    return file.getvalue()
