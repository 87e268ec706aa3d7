"""A picture with its objects, as transforms see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from boxlens.data.columns import Bools, Boxes
from boxlens.images.pixels import Pixels

# Object row of a shot -> its mask, height x width; None where there is none.
MaskOf = Callable[[int], Bools | None]


@dataclass(frozen=True, slots=True)
class Shot:
    """Size and objects of a picture: all that the ground truth of a changed one needs."""

    # The picture's id: what its random streams are seeded from.
    key: str
    width_px: int
    height_px: int
    box: Boxes
    # Regions rather than objects: never shown alone (METHODS 4.6).
    crowd: Bools
    # Whether objects may be drawn along masks, so that their boxes do not hide all beneath them.
    masked: bool = False
    # What its objects are pasted onto, for transforms that need one.
    scene: Shot | None = None


@dataclass(frozen=True, slots=True)
class Exposure:
    """A shot with its pixels."""

    shot: Shot
    pixels: Pixels
    mask_of: MaskOf
    scene: Exposure | None = None

    def on(self, scene: Exposure) -> Exposure:
        """The same, with a scene to paste its objects onto."""
        return replace(self, shot=replace(self.shot, scene=scene.shot), scene=scene)


def no_mask(_row: int) -> Bools | None:
    """Of data sets that have boxes alone."""
    return None
