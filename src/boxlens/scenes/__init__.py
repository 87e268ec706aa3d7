"""Data with completely known ground truth: rendered scenes and planted errors."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boxlens.scenes.make import SceneSettings, make_scenes

if TYPE_CHECKING:
    from boxlens.scenes.scene import Scene, render_scene

# Loaded when first used: rendering needs OpenCV, planting (boxlens.scenes.plant) does not.
_HOME = {
    "Scene": "scene",
    "SceneSettings": "make",
    "make_scenes": "make",
    "render_scene": "scene",
}

__all__ = [
    "Scene",
    "SceneSettings",
    "make_scenes",
    "render_scene",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boxlens.scenes' has no attribute {name!r}")
    return getattr(import_module(f"boxlens.scenes.{_HOME[name]}"), name)
