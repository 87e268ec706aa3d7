"""The coats of animals: a colour, and where another one covers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.model import Paint, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.data.columns import Floats
    from boxlens.scenes.models.model import Colour, Random
    from boxlens.scenes.solids import Mesh, Point

    # How much of the marking's colour a face takes (0 to 1), by its centre (n x 3).
    Pattern = Callable[[Floats], Floats]

HOOF: Colour = (44, 38, 34)


def unmarked(centres: Floats) -> Floats:
    return np.zeros(len(centres))


@dataclass(frozen=True, slots=True)
class Coat:
    """Of one or two colours."""

    colour: Colour
    marking: Colour = (0, 0, 0)
    marked: Pattern = unmarked
    texture: str = "fur"
    strength: float = 0.2

    def over(self, part: str, mesh: Mesh, end: Colour | None = None) -> Piece:
        """The mesh in this coat; `end` is the colour of a skin's last band, as of a hoof."""
        share = self.marked(_centres(mesh))[:, None]
        colours = np.array(self.colour) * (1 - share) + np.array(self.marking) * share
        if end is not None:
            sides = len(mesh.faces[-1])
            colours[[*range(-sides - 2, -2), -1]] = end
        paint = Paint(self.colour, self.texture, self.strength)
        return Piece(part, mesh, paint, face_colours=colours)


def _centres(mesh: Mesh) -> Floats:
    n_corners = np.array([len(face) for face in mesh.faces])
    corners = mesh.corners[np.concatenate(mesh.faces)]
    begin = np.cumsum(n_corners) - n_corners
    return np.asarray(np.add.reduceat(corners, begin, axis=0) / n_corners[:, None])


def natural(random: Random, colours: Sequence[Colour]) -> Colour:
    """One of the colours, lighter or darker and a little warmer: fur is never green or blue."""
    colour, warm = np.array(colours[random.randint(len(colours))]), random.uniform(0, 0.05)
    tint = random.uniform(0.86, 1.1) * np.array([1 + warm, 1, 1 - warm])
    red, green, blue = np.clip(colour * tint, 8, 250).tolist()
    return red, green, blue


def patched(random: Random, size: Point, n_patches: int, radius: float) -> Pattern:
    """Patches of about `radius` metres, strewn over a body of that length, width and height."""
    middles = random.uniform(-0.5, 0.5, (n_patches, 3)) * size + (0, 0, 0.6 * size[2])
    reach = radius * random.uniform(0.6, 1.3, n_patches)

    def share(centres: Floats) -> Floats:
        away = np.linalg.norm(centres[:, None] - middles, axis=2)
        covered: Floats = (away < reach).any(axis=1).astype(np.float64)
        return covered

    return share


def above(height: float) -> Pattern:
    """All that lies higher: a saddle, or all but a bib and socks."""
    return lambda centres: (centres[:, 2] > height).astype(np.float64)


def striped(width: float) -> Pattern:
    """Bands across the body."""
    return lambda centres: np.floor(centres[:, 0] / width) % 2
