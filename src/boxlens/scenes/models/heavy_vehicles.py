"""Buses are long boxes with a row of windows; trucks have a cab before a separate load."""

from __future__ import annotations

from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
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
from boxlens.scenes.solids import Flat

_BUSES = palette("e2b628 c42824 ecece6 345ca0 3c8254 d66e28 78a8c4 c4c6c8")
_SIGN = Paint((24, 24, 22), "plain", 0)
_LETTERS = Paint((238, 170, 40), "plain", 0, shaded=False)
_DOOR_FRAME = Paint((58, 60, 64), "plain", 0)
_AMBER = Paint((236, 156, 40), "plain", 0, shaded=False)


def bus(random: Random) -> Model:
    length, width = random.uniform(8.4, 12.6), random.uniform(2.3, 2.6)
    height, low = random.uniform(2.65, 3.6), random.uniform(0.32, 0.42)
    front = length / 2
    body = _bus_body(length, width, height, low)
    axles = (-0.23 * length, 0.28 * length)
    sill, head = random.uniform(0.45, 0.5) * height, random.uniform(0.84, 0.87) * height
    pane = glass(random)
    return Model(
        (
            Piece("body", body.mesh, lacquer(random, _BUSES)),
            *_bus_windows(random, body, (sill, head), pane),
            *_bus_doors(body, axles, (low + 0.06, head), pane),
            *_bus_trim(body, (low + 0.28 * height, low + 0.33 * height), lacquer(random, _BUSES)),
            *wheels(body, axles, random.uniform(0.46, 0.52), some_rim(random)),
            *bumper(front - 0.04, width, low, 0.26, PLASTIC),
            *bumper(0.04 - front, width, low, 0.26, PLASTIC),
            *lamps(body, 1, 0.66, (0.5, 0.78), HEADLIGHT),
            *lamps(body, 7, 0.84, (0.35, 0.9), TAILLIGHT),
            *mirrors(front + 0.1, 0.47 * width, 0.62 * height, (0.22, 0.42), PLASTIC),
        )
    )


def _bus_body(length: float, width: float, height: float, low: float) -> Hull:
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


def _bus_windows(random: Random, body: Hull, z: Flat, pane: Paint) -> list[Piece]:
    begin, end = body.outline[-1][0] + 0.35, body.outline[2][0] - 0.35
    n_panes = round((end - begin) / random.uniform(1.25, 1.7))
    step, frame = (end - begin) / n_panes, random.uniform(0.05, 0.09)
    places = [begin + k * step for k in range(n_panes)]
    outlines = [rectangle((x + frame, x + step - frame), z) for x in places]
    screens = [body.across(2, span, (0.08, 0.96)) for span in ((-0.94, -0.02), (0.02, 0.94))]
    screens.append(body.across(6, (-0.85, 0.85), (0.15, 0.85)))
    return panes(body, outlines, screens, pane)


def _bus_doors(body: Hull, axles: Flat, z: Flat, pane: Paint) -> list[Piece]:
    """Before the front axle and halfway: two leaves of glass each."""
    pieces = []
    for x in (body.outline[2][0] - 1.0, sum(axles) / 2):
        frame = body.beside(rectangle((x - 0.62, x + 0.62), z), -1, 0.01)
        pieces.append(Piece("door", frame, _DOOR_FRAME, decal=True))
        for ends in ((x - 0.56, x - 0.03), (x + 0.03, x + 0.56)):
            leaf = body.beside(rectangle(ends, (z[0] + 0.1, z[1] - 0.08)), -1, 0.02)
            pieces.append(Piece("door", leaf, pane, decal=True))
    return pieces


def _bus_trim(body: Hull, z: Flat, paint: Paint) -> list[Piece]:
    """A stripe along the sides, where it goes in front, the engine's grille behind."""
    line = rectangle((body.outline[0][0] + 0.01, body.outline[1][0] - 0.01), z)
    return [
        *(Piece("body", body.beside(line, facing), paint, decal=True) for facing in SIDES),
        Piece("body", body.across(3, (-0.8, 0.8), (0.05, 0.85)), _SIGN, decal=True),
        Piece("body", body.across(3, (-0.55, 0.5), (0.3, 0.6), 0.012), _LETTERS, decal=True),
        Piece("body", body.across(7, (-0.6, 0.6), (0.3, 0.8)), SHADOW, decal=True),
    ]


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
