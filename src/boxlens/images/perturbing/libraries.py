"""The packages that change pictures, or the command that installs them."""

from __future__ import annotations

from typing import Any

from boxlens.errors import imported

_PURPOSE = "changing pictures"


def opencv() -> Any:
    return imported("cv2", _PURPOSE, "opencv-contrib-python-headless")


def pillow() -> Any:
    return imported("PIL.Image", _PURPOSE, "pillow")
