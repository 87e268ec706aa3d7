"""What animals are made of: skins over a path, their coats, tails, ears, eyes, heads on necks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data.columns import Floats
from boxlens.scenes.models.model import Colour, Paint, Piece, Random
from boxlens.scenes.solids import Flat, Mesh, Point, faces_over, plate

# How much of the marking's colour a face takes (0 to 1), by its centre (n x 3).
Pattern = Callable[[Floats], Floats]

# A cross-section on the way: x and z of its centre, half its width, half its height.
Station = tuple[float, float, float, float]

HOOF: Colour = (44, 38, 34)
DARK = Paint((26, 22, 22), "plain", 0)
PINK = Paint((204, 152, 142), "plain", 0)


def skin(stations: Sequence[Station], sides: int = 8, boxy: float = 1.0) -> Mesh:
    """A closed surface over cross-sections along a path in the plane y = 0.

    They stand at right angles to the path; faces run band by band, each from the upper left over
    the top to the right, then the first end and the last. `boxy` below 1 squares the ellipses.
    """
    path = np.array([station[:2] for station in stations])
    half = np.array([station[2:] for station in stations])
    steps = np.diff(path, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    along = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    across, upward = (np.sign(v) * np.abs(v) ** boxy for v in (np.cos(angle), np.sin(angle)))
    y, up = half[:, :1] * across, half[:, 1:] * upward
    x, z = path[:, :1] - along[:, 1:] * up, path[:, 1:] + along[:, :1] * up
    corners = np.stack([x, y, z], axis=2).reshape(-1, 3)
    return Mesh(corners, faces_over(len(path), sides))


def scaled(stations: Sequence[Station], size: float, width: float = 1.0) -> list[Station]:
    """All measures times `size`, and across also times `width`."""
    return [(x * size, z * size, w * size * width, h * size) for x, z, w, h in stations]


def stirred(random: Random, mesh: Mesh, reach: Floats) -> Mesh:
    """Corners pushed to and fro, by up to a reach along each axis or of each corner and axis."""
    return Mesh(mesh.corners + random.uniform(-1, 1, mesh.corners.shape) * reach, mesh.faces)


def tail(start: Flat, length: float, thick: Sequence[float], lifts: Sequence[float]) -> Mesh:
    """Backwards, a piece for each lift (radians above the level); `thick` is half of each joint."""
    x, z = start
    step = length / len(lifts)
    stations: list[Station] = [(x, z, thick[0], thick[0])]
    for lift, half in zip(lifts, thick[1:], strict=True):
        x, z = x - step * math.cos(lift), z + step * math.sin(lift)
        stations.append((x, z, half, half))
    return skin(stations, 4)


def curled_tail(random: Random, start: Flat, length: float, thick: Sequence[float]) -> Mesh:
    """On the ground, round one side of a resting body."""
    x, z = start[0], 1.1 * max(thick)
    curl = np.linspace(0.3, random.uniform(1.5, 2.4), len(thick) - 1)
    upright = tail((x, z), length, thick, curl.tolist())
    return upright.rolled(math.copysign(math.pi / 2, random.uniform(-1, 1)), (x, 0, z))


def ear(base: Point, size: Point, roll: float, tip: float = 0.1) -> Mesh:
    """Half a width, half a thickness and a height, rolled outwards from upright on its side.

    Its face 2 looks forward.
    """
    wide, thick, high = size
    x, y, z = base
    upright = skin(((0, -0.1 * high, thick, wide), (0, high, tip * thick, tip * wide)), 4)
    return upright.rolled(-math.copysign(roll, y)).moved(x, y, z)


def spot(mesh: Mesh, face: int, size: float, out: float = 0.0) -> Mesh:
    """A plate on one face of a mesh, `size` times as wide and `out` metres before it: eyes."""
    corners = mesh.corners[list(mesh.faces[face])]
    centre = corners.mean(axis=0)
    normal = np.cross(corners[1] - corners[0], corners[-1] - corners[0])
    points = centre + (corners - centre) * size + normal / np.linalg.norm(normal) * out
    return plate([(x, y, z) for x, y, z in points.tolist()])


def posed(pieces: Sequence[Piece], at: Flat, nod: float, turn: float) -> list[Piece]:
    """A head made about the origin, nose forward: lowered, turned and put in its place."""
    return [
        replace(piece, mesh=piece.mesh.pitched(nod).yawed(turn).moved(at[0], 0, at[1]))
        for piece in pieces
    ]


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
