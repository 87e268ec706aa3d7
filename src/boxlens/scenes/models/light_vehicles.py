"""Cars have a low cabin behind a sloped bonnet; vans are one tall box behind a short one."""

from __future__ import annotations

from typing import NamedTuple

from boxlens.scenes.models.materials import toned
from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
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

_CAR_COLOURS = palette("e8e8e6 b4b8bc 70747a 26272b ac1c1e 22428c 5c8abe 28543a c4b494 ce9628")
_VAN_COLOURS = palette("eeeeec e2e4e2 b0b4b8 3a3c42 ceac2c 962224 2c4a80 3e6854 d67830")


class _Shape(NamedTuple):
    """Length, and how high the roof and the window sills are; then stations along the cabin.

    These are parts of the length from the rear, in `_SHAPES`, or places in metres.
    """

    length: float
    height: float
    belt: float
    rear_glass: float  # its lower end
    roof_end: float
    roof_begin: float
    screen: float  # the lower end of the windscreen

    @property
    def low(self) -> float:
        return 0.195 * self.height

    @property
    def pillar(self) -> float:
        """Between the doors."""
        return (self.roof_begin + self.roof_end) / 2 + 0.05


_SHAPES = (
    _Shape(4.6, 1.43, 0.92, 0.17, 0.30, 0.54, 0.70),
    _Shape(3.85, 1.48, 0.94, 0.03, 0.15, 0.52, 0.71),
    _Shape(4.6, 1.48, 0.94, 0.02, 0.09, 0.53, 0.69),
    _Shape(4.5, 1.72, 1.08, 0.01, 0.07, 0.54, 0.68),
)


def car(random: Random) -> Model:
    shape, width = _placed(random), random.uniform(1.62, 1.9)
    body, cabin = _car_body(shape, width), _cabin(shape, width)
    paint = lacquer(random, _CAR_COLOURS)
    trim = PLASTIC if random.uniform() < 0.4 else toned(paint, 0.85)
    front, low, belt = shape.length / 2, shape.low, shape.belt
    axle, radius = 0.31 * shape.length, 0.215 * shape.height
    grille = body.across(2, (-0.5, 0.5), (0.1, 0.8))
    return Model(
        (
            Piece("body", body.mesh, paint),
            Piece("body", cabin.mesh, paint),
            *_car_windows(cabin, shape, glass(random)),
            *_car_doors(body, shape, radius - axle, paint),
            *wheels(body, (-axle, axle), radius, some_rim(random)),
            *bumper(front - 0.04, 0.97 * width, low + 0.03, 0.28 * belt, trim),
            *bumper(0.04 - front, 0.97 * width, low + 0.03, 0.3 * belt, trim),
            *lamps(body, 2, 0.55, (0.2, 0.95), HEADLIGHT),
            *lamps(body, 6, 0.6, (0.2, 0.9), TAILLIGHT),
            Piece("body", grille, SHADOW, decal=True),
            *mirrors(shape.screen - 0.25, 0.45 * width, belt, (0.2, 0.14), paint),
        )
    )


def _placed(random: Random) -> _Shape:
    """One of the shapes, a little off, in metres about the middle."""
    shape = _SHAPES[random.randint(len(_SHAPES))]
    length = shape.length * random.uniform(0.91, 1.08)
    height, belt = (value * random.uniform(0.93, 1.07) for value in (shape.height, shape.belt))
    rear, *cabin = shape[3:]
    shift = random.uniform(-0.015, 0.015)
    places = [(part - 0.5) * length for part in (rear, *(part + shift for part in cabin))]
    return _Shape(length, height, belt, *places)


def _car_body(shape: _Shape, width: float) -> Hull:
    front, belt = shape.length / 2, shape.belt
    outline = (
        (0.04 - front, shape.low),
        (front - 0.05, shape.low),
        (front, 0.55 * belt),
        (front - 0.1, 0.76 * belt),
        (shape.screen + 0.06, belt),
        (shape.rear_glass - 0.02, belt + 0.03),
        (0.03 - front, belt - 0.02),
        (-front, 0.6 * belt),
    )
    return Hull(outline, width, 0.9 * width)


def _cabin(shape: _Shape, width: float) -> Hull:
    outline = (
        (shape.rear_glass, shape.belt - 0.02),
        (shape.screen, shape.belt - 0.02),
        (shape.roof_begin, shape.height - 0.03),
        ((shape.roof_begin + shape.roof_end) / 2, shape.height),
        (shape.roof_end, shape.height - 0.04),
    )
    return Hull(outline, 0.88 * width, 0.66 * width)


def _car_windows(cabin: Hull, shape: _Shape, pane: Paint) -> list[Piece]:
    """Windscreen, rear window and two panes on either side between their frames."""
    sill, head = shape.belt + 0.04, shape.height - 0.1
    share = (head - sill) / (shape.height - shape.belt)
    behind, ahead = shape.rear_glass + 0.14, shape.screen - 0.16
    behind_top = behind + (shape.roof_end - shape.rear_glass) * share
    ahead_top = ahead + (shape.roof_begin + 0.06 - shape.screen) * share
    before, after = shape.pillar + 0.05, shape.pillar - 0.05
    outlines = (
        [(behind, sill), (after, sill), (after, head), (behind_top, head)],
        [(before, sill), (ahead, sill), (ahead_top, head), (before, head)],
    )
    screens = (
        cabin.across(1, (-0.9, 0.9), (0.1, 0.92)),
        cabin.across(4, (-0.86, 0.86), (0.2, 0.9)),
    )
    return panes(cabin, outlines, screens, pane)


def _car_doors(body: Hull, shape: _Shape, behind: float, paint: Paint) -> list[Piece]:
    """Two on either side, or one where the rear wheel leaves no room."""
    z = (shape.low + 0.12, shape.belt - 0.03)
    spans = [(shape.pillar, shape.roof_begin + 0.4)]
    if shape.pillar - behind > 0.45:
        spans.append((behind + 0.03, shape.pillar - 0.05))
    return [piece for f in SIDES for span in spans for piece in door(body, span, z, paint, f)]


def van(random: Random) -> Model:
    length, width = random.uniform(4.3, 6.1), random.uniform(1.75, 2.05)
    height = random.uniform(1.85, 2.35) + 0.2 * (length - 4.4)
    front, radius = length / 2, random.uniform(0.32, 0.37)
    paint = lacquer(random, _VAN_COLOURS)
    body = _van_body(random, length, width, height)
    (_, low), *_, (screen, belt), _, _, _, _ = body.outline
    axles = (-0.3 * length, 0.33 * length)
    ahead = min(screen - 0.1, axles[1] - 1.3 * radius)
    pillar = ahead - 0.95  # behind the front doors
    trim = PLASTIC if random.uniform() < 0.7 else toned(paint, 0.85)
    grille = body.across(2, (-0.52, 0.52), (0.05, 0.85))
    return Model(
        (
            Piece("body", body.mesh, paint),
            *_van_windows(body, pillar, glass(random), load=random.uniform() < 0.5),
            *_van_doors(body, (pillar, ahead), (low + 0.12, belt - 0.01), paint),
            *wheels(body, axles, radius, some_rim(random)),
            *bumper(front - 0.02, width, low + 0.02, 0.13 * height, trim),
            *bumper(0.02 - front, 0.97 * width, low + 0.02, 0.1 * height, trim),
            *lamps(body, 2, 0.58, (0.1, 0.95), HEADLIGHT),
            *lamps(body, 8, 0.9, (0.25, 0.55), TAILLIGHT),
            Piece("body", grille, SHADOW, decal=True),
            *mirrors(screen - 0.2, 0.47 * width, belt, (0.22, 0.3), PLASTIC),
        )
    )


def _van_body(random: Random, length: float, width: float, height: float) -> Hull:
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


def _van_windows(body: Hull, pillar: float, pane: Paint, *, load: bool) -> list[Piece]:
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


def _van_doors(body: Hull, x: Flat, z: Flat, paint: Paint) -> list[Piece]:
    """One on either side, a sliding one on the right, two leaves behind."""
    sliding = (x[0] - 1.15, x[0] - 0.1)
    seam = body.across(8, (-0.012, 0.012), (0.12, 1))
    return [
        *door(body, x, z, paint, -1),
        *door(body, x, z, paint, 1),
        *door(body, sliding, z, paint, -1),
        Piece("door", seam, toned(paint, 0.35), decal=True),
    ]
