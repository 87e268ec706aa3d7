"""How large a picture is, upright, without its pixels."""

from __future__ import annotations

from pathlib import Path

from boxlens.errors import MissingExtraError
from boxlens.images.reading import ORIENTATION_TAG
from boxlens.regular_files import opened

# Orientations that exchange width and height.
TURNED = range(5, 9)


def upright_size(path: Path) -> tuple[int, int] | None:
    """Width and height as `read_picture` would give them; None if the file has none."""
    try:
        from PIL import Image
    except ImportError as problem:
        raise MissingExtraError("reading pictures", "pillow", "images") from problem
    try:
        with opened(path) as file, Image.open(file) as image:
            width, height = image.size
            turned = image.getexif().get(ORIENTATION_TAG, 1) in TURNED
    except Exception:  # noqa: BLE001 - decoders raise a dozen kinds over damaged bytes
        return None
    return (height, width) if turned else (width, height)
