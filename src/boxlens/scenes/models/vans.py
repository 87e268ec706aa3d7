"""Vans: one tall box behind a short bonnet, with or without windows along its load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.scenes.models.materials import toned
from boxlens.scenes.models.model import Model, Piece
from boxlens.scenes.models.vehicle_parts import (
    HEADLIGHT,
    PLASTIC,
    SHADOW,
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
    from boxlens.scenes.models.model import Colour, Paint, Random
    from boxlens.scenes.solids import Flat

_COLOURS: tuple[Colour, ...] = (
    (238, 238, 236),
    (226, 228, 226),
    (176, 180, 184),
    (58, 60, 66),
    (206, 172, 44),
    (150, 34, 36),
    (44, 74, 128),
    (62, 104, 84),
    (214, 120, 48),
)


def van(random: Random) -> Model:
    length, width = random.uniform(4.3, 6.1), random.uniform(1.75, 2.05)
    height = random.uniform(1.85, 2.35) + 0.2 * (length - 4.4)
    front, radius = length / 2, random.uniform(0.32, 0.37)
    paint = lacquer(random, _COLOURS)
    body = _body(random, length, width, height)
    (_, low), *_, (screen, belt), _, _, _, _ = body.outline
    axles = (-0.3 * length, 0.33 * length)
    ahead = min(screen - 0.1, axles[1] - 1.3 * radius)
    pillar = ahead - 0.95  # behind the front doors
    trim = PLASTIC if random.uniform() < 0.7 else toned(paint, 0.85)
    grille = body.across(2, (-0.52, 0.52), (0.05, 0.85))
    return Model(
        (
            Piece("body", body.mesh, paint),
            *_windows(body, pillar, glass(random), load=random.uniform() < 0.5),
            *_doors(body, (pillar, ahead), (low + 0.12, belt - 0.01), paint),
            *wheels(body, axles, radius, some_rim(random)),
            *bumper(front - 0.02, width, low + 0.02, 0.13 * height, trim),
            *bumper(0.02 - front, 0.97 * width, low + 0.02, 0.1 * height, trim),
            *lamps(body, 2, 0.58, (0.1, 0.95), HEADLIGHT),
            *lamps(body, 8, 0.9, (0.25, 0.55), TAILLIGHT),
            Piece("body", grille, SHADOW, decal=True),
            *mirrors(screen - 0.2, 0.47 * width, belt, (0.22, 0.3), PLASTIC),
        )
    )


def _body(random: Random, length: float, width: float, height: float) -> Hull:
    low, front, belt = random.uniform(0.35, 0.42), length / 2, 0.53 * height
    screen = front - random.uniform(0.55, 0.95)
    roof = screen - random.uniform(0.42, 0.62) * (height - belt)
    outline = (
        (-front, low),
        (front - 0.05, low),
        (front, 0.26 * height),
        (front - 0.07, 0.41 * height),
        (screen, belt),
        (roof, height - 0.06),
        (roof - 0.5, height),
        (0.12 - front, height - 0.01),
        (-front, height - 0.14),
    )
    return Hull(outline, width, 0.84 * width)


def _windows(body: Hull, pillar: float, pane: Paint, *, load: bool) -> list[Piece]:
    (back, _), *_, (screen, belt), (roof, top), _, _, _ = body.outline
    sill, head = belt + 0.02, belt + 0.78 * (top - belt)
    lean = (screen - roof) * (head - sill) / (top - belt)
    outlines = [
        [(pillar, sill), (screen - 0.12, sill), (screen - 0.2 - lean, head), (pillar, head)]
    ]
    if load:
        middle = (back + 0.1 + pillar) / 2
        spans = ((back + 0.2, middle - 0.04), (middle + 0.04, pillar - 0.1))
        outlines += [rectangle(span, (sill, head)) for span in spans]
    screens = [body.across(4, (-0.9, 0.9), (0.06, 0.9))]
    screens += [body.across(8, span, (0.52, 0.95)) for span in ((-0.85, -0.06), (0.06, 0.85))]
    return panes(body, outlines, screens, pane)


def _doors(body: Hull, x: Flat, z: Flat, paint: Paint) -> list[Piece]:
    """One on either side, a sliding one on the right, two leaves behind."""
    sliding = (x[0] - 1.15, x[0] - 0.1)
    seam = body.across(8, (-0.012, 0.012), (0.12, 1))
    return [
        *door(body, x, z, paint, -1),
        *door(body, x, z, paint, 1),
        *door(body, sliding, z, paint, -1),
        Piece("door", seam, toned(paint, 0.35), decal=True),
    ]
