"""A model of the world: named parts, each a mesh with its paint."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boxlens.data.columns import Floats
from boxlens.scenes.solids import Mesh

Random = np.random.RandomState  # its stream is frozen for good; that of default_rng is not
Colour = tuple[float, float, float]  # red, green, blue, 0 to 255


def palette(codes: str) -> tuple[Colour, ...]:
    """Colours as style sheets write them, without the #: "e2b628 c42824"."""
    return tuple((red, green, blue) for red, green, blue in map(bytes.fromhex, codes.split()))


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour, and how strongly one of the textures of `textures.py` stirs it (0 to 1)."""

    colour: Colour
    texture: str = "grain"
    strength: float = 0.08
    # Lamps and glass keep their colour whatever the light.
    shaded: bool = True


@dataclass(frozen=True, slots=True)
class Piece:
    """A mesh of one part. A decal lies flat on another piece and is drawn over it."""

    part: str
    mesh: Mesh
    paint: Paint
    decal: bool = False
    # One colour per face where they differ: a cow's patches.
    face_colours: Floats | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One object as it stands at the origin, front towards +x.

    Pieces may touch and cut each other: the nearest face wins at every sample.
    """

    pieces: tuple[Piece, ...]
    # A bottle has no front: only its side, top and bottom can be told apart.
    turned: bool = False
    # Height in metres at which another thing can stand on it.
    stands_at: float | None = None
    parts: tuple[str, ...] = field(init=False)
    extent: tuple[float, float, float] = field(init=False)  # length, width, height

    def __post_init__(self) -> None:
        corners = np.concatenate([piece.mesh.corners for piece in self.pieces])
        extent = tuple((corners.max(axis=0) - corners.min(axis=0)).tolist())
        object.__setattr__(self, "parts", tuple(dict.fromkeys(p.part for p in self.pieces)))
        object.__setattr__(self, "extent", extent)
