"""Layouts of pictures that show all objects of a shot, under one map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import frozen, owned
from boxlens.images.box_maps import map_boxes
from boxlens.images.perturbing.perturbed import STAYS
from boxlens.images.transforming.layout import Layout

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.images.transforming.shot import Shot
    from boxlens.images.transforming.transform import Change


def plan_unmoved(shot: Shot, _scene: Shot | None, _change: Change) -> tuple[Layout, ...]:
    """Everything where it was; crowds stay what they are."""
    rows = owned(np.arange(len(shot.box), dtype=np.int32))
    return (Layout(shot.width_px, shot.height_px, STAYS, rows, frozen(shot.box, np.float64)),)


def mapped_layout(shot: Shot, matrix: Floats, width_px: int, height_px: int) -> Layout:
    """Every object where the map takes it."""
    rows = owned(np.arange(len(shot.box), dtype=np.int32))
    return Layout(width_px, height_px, owned(matrix), rows, owned(map_boxes(shot.box, matrix)))
