"""OpenCV with its contributed modules, or the command that installs it."""

from __future__ import annotations

from typing import Any

from boxlens.errors import MissingExtraError, imported
from boxlens.version import VERSION


def contributed(module: str) -> Any:
    """A module that only the contrib packages of OpenCV hold."""
    package = "opencv-contrib-python-headless"
    found = getattr(imported("cv2", "proposing windows", package), module, None)
    if found is None:
        raise MissingExtraError(f"proposing windows by OpenCV's {module}", package, "images")
    return found


def versions() -> str:
    """Whose code proposes: ours around OpenCV's."""
    import cv2

    return f"boxlens {VERSION}, OpenCV {cv2.__version__}"
