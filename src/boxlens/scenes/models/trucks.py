"""Trucks: a cab before a separate load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.scenes.models.model import Model, Paint, Piece
from boxlens.scenes.models.truck_loads import BOLD, FRAME, some_load
from boxlens.scenes.models.vehicle_parts import (
    HEADLIGHT,
    PLASTIC,
    SHADOW,
    SIDES,
    TAILLIGHT,
    Hull,
    bumper,
    door,
    glass,
    lacquer,
    lamps,
    mirrors,
    panes,
    rectangle,
    some_rim,
    wheels,
)

if TYPE_CHECKING:
    from boxlens.scenes.models.model import Random
    from boxlens.scenes.solids import Flat

_AMBER = Paint((236, 156, 40), "plain", 0, shaded=False)


def truck(random: Random) -> Model:
    length, width = random.uniform(5.6, 8.8), random.uniform(2.1, 2.5)
    front, radius = length / 2, random.uniform(0.44, 0.52)
    bonnet = random.uniform(0.9, 1.2) if random.uniform() < 0.35 else 0.0
    cab_back = front - random.uniform(1.6, 1.95) - bonnet
    cab = _cab_hull((cab_back, front), (random.uniform(2.3, 2.75), width), bonnet)
    rear = 0.21 * length - front
    axles = [rear] if length < 7.8 else [rear - 0.5, rear + 0.6]
    chassis = Hull(tuple(rectangle((-front, front - 0.4), (0.55, 0.8))), 0.4 * width, 0.4 * width)
    track = Hull(chassis.outline, 0.96 * width, 0.96 * width)
    guard = Hull(tuple(rectangle((-front, 0.08 - front), (0.55, 0.85))), 0.9 * width, 0.9 * width)
    rim = some_rim(random)
    deck, gap = random.uniform(0.95, 1.1), random.uniform(0.12, 0.3)
    return Model(
        (
            Piece("body", chassis.mesh, FRAME),
            *_cab(cab, bonnet, lacquer(random, BOLD), glass(random)),
            *wheels(cab, [front - 0.75], radius, rim),
            *wheels(track, axles, radius, rim, arch=0),
            *some_load(random, (-front, cab_back - gap), width, deck),
            Piece("bumper", guard.mesh, FRAME),
            *lamps(guard, 3, 0.7, (0.2, 0.85), TAILLIGHT),
        )
    )


def _cab_hull(x: Flat, size: Flat, bonnet: float) -> Hull:
    """Flat-faced over the engine, or behind a bonnet of that length; its edge 3 is the screen."""
    (back, front), (height, width) = x, size
    low, nose = 0.5, front - bonnet
    face = ((front, low), (front + 0.02, 0.36 * height), (nose - 0.02, 0.54 * height))
    roof = ((nose - (0.3 if bonnet else 0.12), height), (back, height))
    return Hull(((back, low), *face, *roof), 0.97 * width, 0.86 * width)


def _cab(hull: Hull, bonnet: float, paint: Paint, pane: Paint) -> list[Piece]:
    (back, low), (front, _), _, (nose, belt), (roof, height), _ = hull.outline
    sill, head, behind, ahead = belt + 0.03, height - 0.2, back + 0.3, nose - 0.12
    lean = (nose - roof) * (head - sill) / (height - belt)
    window = [(behind, sill), (ahead, sill), (ahead - lean, head), (behind, head)]
    screen = hull.across(3, (-0.92, 0.92), (0.06, 0.86))
    # A door stays clear of the front wheel: behind it after a bonnet, else above it.
    x = (behind - 0.05, nose - (0.4 if bonnet else 0.12))
    z = (low + (0.1 if bonnet else 0.62), belt - 0.02)
    grille = hull.across(1 if bonnet else 2, (-0.6, 0.6), (0.25, 0.85))
    markers = [hull.across(3, (at - 0.06, at + 0.06), (0.91, 0.97)) for at in (-0.7, 0, 0.7)]
    return [
        Piece("body", hull.mesh, paint),
        *panes(hull, [window], [screen], pane),
        *(piece for facing in SIDES for piece in door(hull, x, z, paint, facing)),
        *bumper(front - 0.02, hull.width, low - 0.08, 0.3, PLASTIC),
        *lamps(hull, 1, 0.66, (0.5, 0.95), HEADLIGHT),
        *(Piece("headlight", marker, _AMBER, decal=True) for marker in markers),
        Piece("body", grille, SHADOW, decal=True),
        *mirrors(nose - 0.15, 0.46 * hull.width, 0.55 * height, (0.24, 0.5), PLASTIC),
    ]
