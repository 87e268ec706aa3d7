"""Boxes in an order, and what was run to find them: what every generator needs."""

from __future__ import annotations

import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data.columns import Boxes, Floats
from boxlens.formats.files import read_json
from boxlens.images import Pixels

Ranked = tuple["Boxes", "Floats"]
# Said in words of their own, or by a hash of what they hold.
_SAID_OTHERWISE = ("tables", "model")


def nothing() -> Ranked:
    return np.zeros((0, 4)), np.zeros(0)


def ranked(boxes: Boxes, limit: int) -> Ranked:
    """The first boxes of an order that has no scores of its own: they count down to 1."""
    kept = boxes[:limit]
    return kept, np.arange(len(kept), 0, -1, dtype=np.float64)


def distinct(boxes: Boxes) -> Boxes:
    """Each box once, where it stood first."""
    _, first = np.unique(boxes, axis=0, return_index=True)
    return boxes[np.sort(first)]


def key_of(image: Pixels) -> int:
    """What tells a picture from others."""
    return zlib.crc32(np.ascontiguousarray(image).data)


def identity_text(name: str, version: str, **settings: object) -> str:
    """One line that tells runs apart."""
    told = [f"{key}={value}" for key, value in settings.items()]
    return "; ".join([name, version, *told])


def identity_of(generator: Any, version: str, **besides: object) -> str:
    """The same of all settings of a generator, after what else its boxes depend on."""
    settings = settings_of(generator)
    plain = {key: value for key, value in settings.items() if key not in _SAID_OTHERWISE}
    return identity_text(generator.name, version, **besides, **plain)


def settings_of(generator: Any) -> dict[str, Any]:
    """All that a generator is made with but its name."""
    names = (one.name for one in fields(generator) if one.name != "name")
    return {name: getattr(generator, name) for name in names}


def shipped(name: str) -> Any:
    """What the package has learnt for a generator, from photographs of COCO with boxes of LVIS."""
    return read_json(Path(__file__).with_name("learned") / f"{name}.json")
