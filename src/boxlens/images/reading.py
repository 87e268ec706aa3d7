"""One picture from a file, upright and in 8-bit RGB, with a note of every change."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.errors import InputError, MissingExtraError
from boxlens.images.errors import ImageError
from boxlens.images.pixels import Pixels
from boxlens.regular_files import opened, reason_of

if TYPE_CHECKING:
    from PIL import Image

# Only these: others run programs (EPS) or need more than this file (WMF, FPX).
KINDS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "GIF", "PPM")
ORIENTATION_TAG = 0x0112

TURNED = "turned upright (EXIF)"
NARROWED = "16 bits to 8"
FROM_CMYK = "CMYK to RGB"
FROM_GREY = "greyscale to RGB"
FROM_PALETTE = "palette to RGB"
FROM_OTHER = "other colours to RGB"
FLATTENED = "transparency over white"
FIRST_FRAME = "first of several frames"

_GREY_MODES = ("1", "L", "LA", "I", "I;16", "I;16L", "I;16B")
_ALPHA_MODES = ("LA", "PA", "RGBA", "La", "RGBa")


@dataclass(frozen=True, slots=True)
class Picture:
    """What a detector sees, and how it differs from what the file holds."""

    pixels: Pixels
    changes: tuple[str, ...] = ()


def read_picture(path: str | PathLike[str]) -> Picture:
    """The picture in a file; raises `ImageError` where there is no whole one."""
    source = Path(path)
    _refuse_empty(source)
    with _strict_pillow():
        from PIL import Image, UnidentifiedImageError

        try:
            with opened(source) as file, Image.open(file, formats=KINDS) as image:
                return _picture(image, source)
        except ImageError:
            raise
        except InputError as problem:
            raise ImageError(problem.problem, path=source, remedy=problem.remedy) from problem
        except UnidentifiedImageError as problem:
            raise ImageError(
                "not a picture, or damaged",
                path=source,
                remedy=f"Supported are {', '.join(KINDS)}",
            ) from problem
        except Image.DecompressionBombError as problem:
            raise ImageError(
                "too large (over 178 million pixels)",
                path=source,
                remedy="Cut it into parts or scale it down",
            ) from problem
        except MemoryError as problem:
            raise ImageError("too large for memory", path=source) from problem
        except Exception as problem:  # decoders raise a dozen kinds over damaged bytes
            raise ImageError(
                f"damaged: {reason_of(problem)}",
                path=source,
                remedy="Copy or download the picture again",
            ) from problem


def _refuse_empty(path: Path) -> None:
    try:
        if path.is_dir():
            raise ImageError("expected a picture, found a folder", path=path)
        if path.stat().st_size == 0:
            raise ImageError("the file is empty (0 bytes)", path=path)
    except OSError as problem:
        raise ImageError(f"cannot be read ({problem.strerror})", path=path) from problem


@contextmanager
def _strict_pillow() -> Iterator[None]:
    """Half a picture is an error, whatever other packages told Pillow; warnings stay inside."""
    try:
        from PIL import ImageFile
    except ImportError as problem:
        raise MissingExtraError("reading pictures", "pillow", "images") from problem
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ImageFile.LOAD_TRUNCATED_IMAGES = False
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = before


def _picture(image: Image.Image, path: Path) -> Picture:
    from PIL import ImageOps

    bits = _stored_bits(image)  # before anything below makes Pillow decode it
    changes: list[str] = []
    if getattr(image, "is_animated", False):
        changes.append(FIRST_FRAME)
    if image.getexif().get(ORIENTATION_TAG, 1) in range(2, 9):
        changes.append(TURNED)
    if bits > 8:
        changes.append(NARROWED)
    changes += _colour_change(image.mode)
    image.load()  # TIFF turns itself upright here
    upright = ImageOps.exif_transpose(image)
    eight_bit = _eight_bit(upright, bits, path)
    flat = _over_white(eight_bit)
    if flat is not eight_bit:
        changes.append(FLATTENED)
    return Picture(np.array(flat.convert("RGB")), tuple(changes))


def _stored_bits(image: Image.Image) -> int:
    """Bits per channel in the file; Pillow only says how it will unpack them."""
    tiles: Any = getattr(image, "tile", ())
    unpacking = tiles[0].args if tiles else ""
    if ";12" in str(unpacking):
        return 12
    # Of a PPM file, the value of white.
    white = unpacking[-1] if image.format == "PPM" and isinstance(unpacking, tuple) else 255
    return 16 if ";16" in str(unpacking) or white > 255 else 8


def _colour_change(mode: str) -> list[str]:
    if mode in _GREY_MODES:
        return [FROM_GREY]
    if mode in {"P", "PA"}:
        return [FROM_PALETTE]
    if mode == "CMYK":
        return [FROM_CMYK]
    return [] if mode in {"RGB", "RGBA", "RGBX", "RGBa"} else [FROM_OTHER]


def _eight_bit(image: Image.Image, bits: int, path: Path) -> Image.Image:
    """Grey of 12 or 16 bits by its upper 8, as Pillow itself does with colour."""
    from PIL import Image

    if image.mode in {"I", "F"} and bits == 8:
        raise ImageError(
            "32 bits per pixel, without fixed black and white",
            path=path,
            remedy="Save it with 8 or 16 bits",
        )
    if image.mode not in {"I", "I;16", "I;16L", "I;16B"}:
        return image
    values = np.asarray(image)
    grey = Image.fromarray((values >> (bits - 8)).clip(0, 255).astype(np.uint8))
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        grey.putalpha(Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return grey


def _over_white(image: Image.Image) -> Image.Image:
    """The picture itself where nothing shows through."""
    from PIL import Image

    if image.mode not in _ALPHA_MODES and "transparency" not in image.info:
        return image
    layered = image.convert("RGBA")
    if layered.getchannel("A").getextrema() == (255, 255):
        return image
    white = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(white, layered)
