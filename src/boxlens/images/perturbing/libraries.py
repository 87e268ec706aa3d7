"""The packages that change pictures, or the command that installs them."""

from __future__ import annotations

from typing import Any

from boxlens.errors import MissingExtraError

_PURPOSE = "changing pictures"


def opencv() -> Any:
    try:
        import cv2
    except ImportError as problem:
        package = "opencv-contrib-python-headless"
        raise MissingExtraError(_PURPOSE, package, "images") from problem
    return cv2


def pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as problem:
        raise MissingExtraError(_PURPOSE, "pillow", "images") from problem
    return Image
