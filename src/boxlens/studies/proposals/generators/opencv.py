"""OpenCV with its contributed modules, or the command that installs it."""

from __future__ import annotations

from typing import Any

from boxlens.errors import MissingExtraError
from boxlens.version import VERSION


def contributed(module: str) -> Any:
    """A module that only the contrib packages of OpenCV hold."""
    package = "opencv-contrib-python-headless"
    try:
        import cv2
    except ImportError as problem:
        raise MissingExtraError("proposing windows", package, "images") from problem
    found = getattr(cv2, module, None)
    if found is None:
        raise MissingExtraError(f"proposing windows by OpenCV's {module}", package, "images")
    return found


def versions() -> str:
    """Whose code proposes: ours around OpenCV's."""
    import cv2

    return f"boxlens {VERSION}, OpenCV {cv2.__version__}"
