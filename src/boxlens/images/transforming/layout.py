"""Where things are in a changed picture; made from sizes and boxes alone, before any pixel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boxlens.data.columns import Boxes, Floats, Rows, frozen, owned
from boxlens.images.box_maps import STAYS, map_boxes
from boxlens.images.transforming.shot import Shot
from boxlens.images.transforming.transform import Change


def _no_rows() -> Rows:
    return np.empty(0, dtype=np.int32)


def _no_boxes() -> Boxes:
    return np.empty((0, 4))


@dataclass(frozen=True, slots=True)
class Layout:
    """One picture that a transform makes of a shot."""

    width_px: int
    height_px: int
    # 2 x 3: continuous coordinates of the shot to those of this picture.
    matrix: Floats
    # Objects of the shot that are to be found here, and their boxes in this picture.
    row: Rows
    box: Boxes
    # Objects of the shot that are seen in part: neither to be found, nor wrong to find.
    ignored_row: Rows = field(default_factory=_no_rows)
    ignored_box: Boxes = field(default_factory=_no_boxes)
    # The same, of the scene that objects were pasted on.
    scene_row: Rows = field(default_factory=_no_rows)
    scene_box: Boxes = field(default_factory=_no_boxes)
    # The object that this picture was made for; -1: it is made for all.
    subject: int = -1


def plan_unmoved(shot: Shot, _change: Change) -> tuple[Layout, ...]:
    """Everything where it was; crowds stay what they are."""
    rows = owned(np.arange(len(shot.box), dtype=np.int32))
    return (Layout(shot.width_px, shot.height_px, STAYS, rows, frozen(shot.box, np.float64)),)


def mapped_layout(shot: Shot, matrix: Floats, width_px: int, height_px: int) -> Layout:
    """Every object where the map takes it."""
    rows = owned(np.arange(len(shot.box), dtype=np.int32))
    return Layout(width_px, height_px, owned(matrix), rows, owned(map_boxes(shot.box, matrix)))
