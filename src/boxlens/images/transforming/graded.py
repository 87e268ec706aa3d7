"""Transforms with levels: the six perturbations (METHODS 6.6), and corruptions by severity."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from boxlens.data.columns import Bools, Floats, Rows, owned
from boxlens.images.box_maps import map_ellipses
from boxlens.images.corrupting.corruptions import CORRUPTIONS as CORRUPTING
from boxlens.images.corrupting.corruptions import SEVERITIES, Corruption, corrupt
from boxlens.images.crops import PixelSpan
from boxlens.images.perturbing.families import FAMILIES, Family
from boxlens.images.perturbing.moving import scale_map, shared_crop
from boxlens.images.perturbing.perturb import perturb
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.layout import Layout, mapped_layout, plan_unmoved
from boxlens.images.transforming.shot import Exposure, Shot
from boxlens.images.transforming.transform import Change, Plan, Transform
from boxlens.images.transforming.visible_objects import clipped, share_left

# An object is to be found in the crop of a rotation when so much of its box is inside.
SURVIVING_SHARE = 0.5
# The severity that changes nothing.
NONE = 0.0


def _plan_scaled(shot: Shot, change: Change) -> tuple[Layout, ...]:
    """Coordinates go by the sizes that result, not by the factor."""
    size, matrix = scale_map(shot.width_px, shot.height_px, change.level)
    return (mapped_layout(shot, matrix, *size),)


def _plan_rotated(shot: Shot, change: Change) -> tuple[Layout, ...]:
    width, height = shared_crop(shot.width_px, shot.height_px).size_px
    matrix = rotation_map(shot.width_px, shot.height_px, change.level)
    boxes, picture = map_ellipses(shot.box, matrix), PixelSpan(0, 0, width, height)
    seen = clipped(boxes, picture)
    share = share_left(boxes, seen)
    survives = _rows(share >= SURVIVING_SHARE)
    ignored = _rows((share > 0) & (share < SURVIVING_SHARE))
    return (
        Layout(
            width,
            height,
            owned(matrix),
            survives,
            owned(seen[survives]),
            ignored_row=ignored,
            ignored_box=owned(seen[ignored]),
        ),
    )


def rotation_map(width_px: int, height_px: int, angle_deg: float) -> Floats:
    """Picture to the crop that rotations share: counter-clockwise about the centre."""
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    linear, centre = np.array([[cos, sin], [-sin, cos]]), np.array([width_px / 2, height_px / 2])
    crop = shared_crop(width_px, height_px)
    return np.column_stack([linear, centre - linear @ centre - [crop.left, crop.top]])


def _rows(chosen: Bools) -> Rows:
    return owned(np.flatnonzero(chosen).astype(np.int32))


def _draw(family: str, exposure: Exposure, _layout: Layout, change: Change) -> Pixels:
    return perturb(exposure.pixels, family, change.level, seed=change.settings.seed).pixels


def _is_legal(family: Family, level: float) -> bool:
    return math.isfinite(level) and family.is_legal(level)


# Of the others, objects stay where they are.
_PLANS: dict[str, Plan] = {"scale": _plan_scaled, "rotation": _plan_rotated}


def _transform(family: Family) -> Transform:
    """Levels that change nothing are not run, but for the crop of the rotations."""
    turns = family.name == "rotation"
    run = family.levels if turns else filter(family.changes, family.levels)
    return Transform(
        f"graded_{family.name}",
        f"{family.title}, graded",
        "graded",
        _PLANS.get(family.name, plan_unmoved),
        partial(_draw, family.name),
        levels=tuple(run),
        unchanged=family.unchanged,
        # All rotations are cropped alike (METHODS 6.6).
        reference_level=0.0 if turns else None,
        estimated_boxes=turns,
        is_legal=partial(_is_legal, family),
        legal=family.legal,
        spelled=family.label,
    )


GRADED = tuple(_transform(family) for family in FAMILIES.values())


def _draw_corrupted(name: str, exposure: Exposure, _layout: Layout, change: Change) -> Pixels:
    seed, key = change.settings.seed, exposure.shot.key
    return corrupt(exposure.pixels, name, int(change.level), seed=seed, key=key)


def _is_severity(level: float) -> bool:
    return level in (NONE, *SEVERITIES)


def _corruption(family: Corruption) -> Transform:
    return Transform(
        family.name,
        family.title,
        family.group,
        plan_unmoved,
        partial(_draw_corrupted, family.name),
        levels=tuple(float(severity) for severity in SEVERITIES),
        unchanged=(NONE,),
        is_legal=_is_severity,
        legal=f"whole severities from 1 to {SEVERITIES[-1]}, and 0 for none",
        extra=family.extra,
    )


CORRUPTIONS = tuple(_corruption(family) for family in CORRUPTING.values())
