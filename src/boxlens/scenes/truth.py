"""The ground truth of a scene, read off what was drawn: nothing here is a guess."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Bools
from boxlens.scenes.composing import Composite, compose, overlap
from boxlens.scenes.drawing import FINENESS, Samples, Sprite
from boxlens.scenes.faces import SIDES
from boxlens.scenes.layout import Thing
from boxlens.scenes.masks import tight_box

# Hidden share of what is inside the picture at which each level begins (METHODS 2.4).
OCCLUSION_LEVELS = (("none", 0.0), ("low", 0.01), ("medium", 0.10), ("high", 0.50))
# What hardly shows is taken out of the scene rather than left in it without a label.
LEAST_SHARE, LEAST_PX = 0.06, 30
# A share this small, or so few pixels, can be told by nobody with certainty.
DIFFICULT_SHARE, DIFFICULT_PX = 0.20, 110
# A part or side counts as visible from this share of the pixels it has, or of the object's.
PART_SHARE, SIDE_SHARE, LEAST_PART_PX = 0.25, 0.08, 4


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One labelled object, or one crowd, as it shows in the picture. Areas are in pixels."""

    class_row: int
    mask: Bools
    box: tuple[int, int, int, int]
    visible_px: int
    inside_px: int  # what would show if nothing stood before it
    whole_px: int  # what would show if the picture went on beyond its edges, too
    crowd: bool
    pose: str
    part_px: Mapping[str, tuple[int, int]]  # visible, and when it stands alone and uncut
    side_px: Mapping[str, int]  # visible

    @property
    def visible_fraction(self) -> float:
        return self.visible_px / self.whole_px

    @property
    def occluded_fraction(self) -> float:
        return 1 - self.visible_px / self.inside_px

    @property
    def truncated_fraction(self) -> float:
        return 1 - self.inside_px / self.whole_px

    @property
    def occlusion(self) -> str:
        return [name for name, begin in OCCLUSION_LEVELS if self.occluded_fraction >= begin][-1]

    @property
    def difficult(self) -> bool:
        if self.crowd:
            return False
        return self.visible_fraction < DIFFICULT_SHARE or self.visible_px < DIFFICULT_PX

    @property
    def parts(self) -> dict[str, bool]:
        return {
            name: seen >= max(LEAST_PART_PX, PART_SHARE * alone)
            for name, (seen, alone) in self.part_px.items()
        }

    @property
    def sides(self) -> dict[str, bool]:
        least = max(LEAST_PART_PX, SIDE_SHARE * self.visible_px)
        return {name: seen >= least for name, seen in self.side_px.items()}


def hardly_visible(
    things: Sequence[Thing], sprites: Sequence[Sprite], composite: Composite
) -> list[int]:
    """Rows of labelled things of which too little shows."""
    owner = composite.pixel_owner()
    seen = np.bincount(owner[owner >= 0], minlength=len(things))
    return [
        row
        for row, (thing, sprite) in enumerate(zip(things, sprites, strict=True))
        if thing.class_row >= 0 and seen[row] < max(LEAST_PX, LEAST_SHARE * _whole_px(sprite))
    ]


def read_truth(
    things: Sequence[Thing], sprites: Sequence[Sprite], composite: Composite
) -> tuple[SceneObject, ...]:
    """One entry per labelled thing in the order of the plan; a crowd comes last, as one."""
    objects = [
        _single(row, thing, sprites[row], composite)
        for row, thing in enumerate(things)
        if thing.class_row >= 0 and thing.crowd < 0
    ]
    for crowd in sorted({thing.crowd for thing in things if thing.crowd >= 0}):
        rows = [row for row, thing in enumerate(things) if thing.crowd == crowd]
        objects.append(_crowd(rows, things[rows[0]].class_row, sprites, composite))
    return tuple(objects)


def _single(row: int, thing: Thing, sprite: Sprite, composite: Composite) -> SceneObject:
    mask = composite.pixel_owner() == row
    seen = composite.pixel_face()[mask]
    alone = _pixels(sprite)
    _, window = overlap(sprite, composite.face_at.shape)
    within = sprite.face_at[window][::FINENESS, ::FINENESS]
    n_parts = len(thing.model.parts)
    seen_parts = np.bincount(sprite.face_part[seen], minlength=n_parts).tolist()
    all_parts = np.bincount(sprite.face_part[alone], minlength=n_parts).tolist()
    seen_sides = np.bincount(sprite.face_side[seen], minlength=len(SIDES)).tolist()
    return SceneObject(
        class_row=thing.class_row,
        mask=mask,
        box=tight_box(mask),
        visible_px=len(seen),
        inside_px=int((within >= 0).sum()),
        whole_px=len(alone),
        crowd=False,
        pose=pose(thing),
        part_px=dict(zip(thing.model.parts, zip(seen_parts, all_parts, strict=True), strict=True)),
        side_px={
            name: count
            for name, count in zip(SIDES, seen_sides, strict=True)
            if not (thing.model.turned and name in {"front", "rear"})
        },
    )


def _crowd(
    rows: list[int], class_row: int, sprites: Sequence[Sprite], composite: Composite
) -> SceneObject:
    """All members as one region. How much of each is hidden or cut off is nobody's question."""
    mask = np.isin(composite.pixel_owner(), rows)
    height, width = mask.shape
    together = compose([sprites[row] for row in rows], width, height).pixel_owner() >= 0
    inside_px = int(together.sum())
    return SceneObject(
        class_row=class_row,
        mask=mask,
        box=tight_box(mask),
        visible_px=int(mask.sum()),
        inside_px=inside_px,
        whole_px=inside_px,
        crowd=True,
        pose="Unspecified",
        part_px={},
        side_px={},
    )


def pose(thing: Thing) -> str:
    """Which way a thing faces, in VOC's words, as seen from the camera."""
    if thing.model.turned:
        return "Unspecified"
    to_camera = math.atan2(-thing.place.y, -thing.place.x)
    turn = (thing.place.yaw - to_camera + math.pi) % (2 * math.pi) - math.pi
    if abs(turn) <= math.pi / 4:
        return "Frontal"
    if abs(turn) >= 3 * math.pi / 4:
        return "Rear"
    return "Right" if turn > 0 else "Left"


def _pixels(sprite: Sprite) -> Samples:
    """Faces of the pixels a sprite has when it stands alone and uncut."""
    faces = sprite.face_at[::FINENESS, ::FINENESS]
    return faces[faces >= 0]


def _whole_px(sprite: Sprite) -> int:
    return len(_pixels(sprite))
