"""Buses: long boxes with a row of windows, and doors on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.scenes.models.model import Model, Paint, Piece
from boxlens.scenes.models.vehicle_parts import (
    HEADLIGHT,
    PLASTIC,
    SHADOW,
    SIDES,
    TAILLIGHT,
    Hull,
    bumper,
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
    from boxlens.scenes.models.model import Colour, Random
    from boxlens.scenes.solids import Flat

_COLOURS: tuple[Colour, ...] = (
    (226, 182, 40),
    (196, 40, 36),
    (236, 236, 230),
    (52, 92, 160),
    (60, 130, 84),
    (214, 110, 40),
    (120, 168, 196),
    (196, 198, 200),
)
_SIGN = Paint((24, 24, 22), "plain", 0)
_LETTERS = Paint((238, 170, 40), "plain", 0, shaded=False)
_DOOR_FRAME = Paint((58, 60, 64), "plain", 0)


def bus(random: Random) -> Model:
    length, width = random.uniform(8.4, 12.6), random.uniform(2.3, 2.6)
    height, low = random.uniform(2.65, 3.6), random.uniform(0.32, 0.42)
    front = length / 2
    body = _body(length, width, height, low)
    axles = (-0.23 * length, 0.28 * length)
    sill, head = random.uniform(0.45, 0.5) * height, random.uniform(0.84, 0.87) * height
    pane = glass(random)
    return Model(
        (
            Piece("body", body.mesh, lacquer(random, _COLOURS)),
            *_windows(random, body, (sill, head), pane),
            *_doors(body, axles, (low + 0.06, head), pane),
            *_trim(body, (low + 0.28 * height, low + 0.33 * height), lacquer(random, _COLOURS)),
            *wheels(body, axles, random.uniform(0.46, 0.52), some_rim(random)),
            *bumper(front - 0.04, width, low, 0.26, PLASTIC),
            *bumper(0.04 - front, width, low, 0.26, PLASTIC),
            *lamps(body, 1, 0.66, (0.5, 0.78), HEADLIGHT),
            *lamps(body, 7, 0.84, (0.35, 0.9), TAILLIGHT),
            *mirrors(front + 0.1, 0.47 * width, 0.62 * height, (0.22, 0.42), PLASTIC),
        )
    )


def _body(length: float, width: float, height: float, low: float) -> Hull:
    front = length / 2
    outline = (
        (0.05 - front, low),
        (front - 0.04, low),
        (front, 0.4 * height),
        (front - 0.16, 0.87 * height),
        (front - 0.3, height),
        (0.25 - front, height),
        (0.05 - front, 0.88 * height),
        (-front, 0.4 * height),
    )
    return Hull(outline, width, 0.92 * width)


def _windows(random: Random, body: Hull, z: Flat, pane: Paint) -> list[Piece]:
    begin, end = body.outline[-1][0] + 0.35, body.outline[2][0] - 0.35
    n_panes = round((end - begin) / random.uniform(1.25, 1.7))
    step, frame = (end - begin) / n_panes, random.uniform(0.05, 0.09)
    places = [begin + k * step for k in range(n_panes)]
    outlines = [rectangle((x + frame, x + step - frame), z) for x in places]
    screens = [body.across(2, span, (0.08, 0.96)) for span in ((-0.94, -0.02), (0.02, 0.94))]
    screens.append(body.across(6, (-0.85, 0.85), (0.15, 0.85)))
    return panes(body, outlines, screens, pane)


def _doors(body: Hull, axles: Flat, z: Flat, pane: Paint) -> list[Piece]:
    """Before the front axle and halfway: two leaves of glass each."""
    pieces = []
    for x in (body.outline[2][0] - 1.0, sum(axles) / 2):
        frame = body.beside(rectangle((x - 0.62, x + 0.62), z), -1, 0.01)
        pieces.append(Piece("door", frame, _DOOR_FRAME, decal=True))
        for ends in ((x - 0.56, x - 0.03), (x + 0.03, x + 0.56)):
            leaf = body.beside(rectangle(ends, (z[0] + 0.1, z[1] - 0.08)), -1, 0.02)
            pieces.append(Piece("door", leaf, pane, decal=True))
    return pieces


def _trim(body: Hull, z: Flat, paint: Paint) -> list[Piece]:
    """A stripe along the sides, where it goes in front, the engine's grille behind."""
    line = rectangle((body.outline[0][0] + 0.01, body.outline[1][0] - 0.01), z)
    return [
        *(Piece("body", body.beside(line, facing), paint, decal=True) for facing in SIDES),
        Piece("body", body.across(3, (-0.8, 0.8), (0.05, 0.85)), _SIGN, decal=True),
        Piece("body", body.across(3, (-0.55, 0.5), (0.3, 0.6), 0.012), _LETTERS, decal=True),
        Piece("body", body.across(7, (-0.6, 0.6), (0.3, 0.8)), SHADOW, decal=True),
    ]
