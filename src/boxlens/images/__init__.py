"""Pictures: files in, pixels out, one at a time."""

from __future__ import annotations

from boxlens.images.errors import ImageError
from boxlens.images.files import ENDINGS, ImageFiles, find_images
from boxlens.images.pixels import Pixels
from boxlens.images.reading import Picture, read_picture

__all__ = [
    "ENDINGS",
    "ImageError",
    "ImageFiles",
    "Picture",
    "Pixels",
    "find_images",
    "read_picture",
]
