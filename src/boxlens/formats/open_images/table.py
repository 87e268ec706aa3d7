"""The columns of Open Images boxes: corners as fractions of the image, and flags."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Boxes, Floats
from boxlens.formats.csv_tables import CsvTable

CORNERS = ("XMin", "XMax", "YMin", "YMax")
# Starts before ends, as sides are read exactly.
SIDES = ("XMin", "YMin", "XMax", "YMax")
# Columns of boxes that are attributes, and the names they get.
FLAGS = {
    "IsOccluded": "occluded",
    "IsTruncated": "truncated",
    "IsDepiction": "depiction",
    "IsInside": "inside",
}
# Beyond this a coordinate is not a fraction of the image, even of one that the box overshoots.
FARTHEST = 2.0


def relative_boxes(table: CsvTable, *, detected: bool = False) -> Boxes:
    """x, y, w, h as fractions of the image; pixels are refused.

    What people drew must lie near the image; a detector may overshoot it now and then.
    """
    corners = {name: table.finite(name) for name in CORNERS}
    for name, values in corners.items():
        _refuse_pixels(table, name, values, detected=detected)
    left, right, top, bottom = corners.values()
    _refuse_reversed(table, "X", left, right)
    _refuse_reversed(table, "Y", top, bottom)
    return np.stack([left, top, right - left, bottom - top], axis=1)


def _refuse_pixels(table: CsvTable, name: str, values: Floats, *, detected: bool) -> None:
    far = np.abs(values) > FARTHEST
    if far.any() and (not detected or far.mean() > 0.5):
        table.refuse(
            far,
            lambda row: f"{values[row]} is not a fraction of the image",
            "Open Images coordinates are between 0 and 1: divide pixels by the image size",
            cell=f"column {name}",
        )


def _refuse_reversed(table: CsvTable, axis: str, low: Floats, high: Floats) -> None:
    table.refuse(
        high < low,
        lambda row: f"{axis}Max {high[row]} is below {axis}Min {low[row]}",
        "Check the order of the columns: XMin, XMax, YMin, YMax",
    )
