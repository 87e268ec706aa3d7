"""Kinds of chairs: wooden with an open back, padded, and on a pedestal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from boxlens.scenes.models.assembly import padded, post, standing
from boxlens.scenes.models.furniture_parts import bar, four_legs, star_pedestal
from boxlens.scenes.models.materials import cloth, lacquer, metal, toned, wood
from boxlens.scenes.models.model import Model, Paint, Piece, Random
from boxlens.scenes.solids import Mesh, block, joined


@dataclass(frozen=True, slots=True)
class _Frame:
    """Measures of one chair: half sizes and height of the seat, height and lean of the back."""

    x: float
    y: float
    seat: float
    back: float
    lean: float

    @classmethod
    def drawn(cls, random: Random) -> _Frame:
        return cls(
            x=random.uniform(0.18, 0.23),
            y=random.uniform(0.18, 0.24),
            seat=random.uniform(0.4, 0.49),
            back=random.uniform(0.3, 0.6),
            lean=random.uniform(0.06, 0.24),
        )

    def leaned(self, mesh: Mesh) -> Mesh:
        """What was built upright at the seat's rear edge, leaning backwards."""
        return mesh.pitched(-self.lean, about=(-self.x, 0, self.seat))


def wooden_chair(random: Random) -> Model:
    frame = _Frame.drawn(random)
    paint = wood(random) if random.uniform() < 0.75 else lacquer(random)
    thick = random.uniform(0.03, 0.044)
    half = (frame.x - thick / 2, frame.y - thick / 2)
    legs = four_legs(
        half, frame.seat, thick, splay=random.uniform(0, 0.03), taper=random.uniform(0.65, 1)
    )
    seat = padded(2 * frame.x, 2 * frame.y, 0.035, 0.01).moved(z=frame.seat - 0.02)
    pieces = [Piece("leg", legs, toned(paint, 0.82)), Piece("seat", seat, paint)]
    if random.uniform() < 0.45:
        cushion = padded(1.84 * frame.x, 1.84 * frame.y, 0.045, 0.015)
        pieces.append(Piece("cushion", cushion.moved(z=frame.seat + 0.012), cloth(random)))
    if random.uniform() < 0.5:
        z, x = random.uniform(0.12, 0.24), frame.x - thick / 2
        rails = [bar((-x, y, z), (x, y, z), 0.7 * thick) for y in (half[1], -half[1])]
        pieces.append(Piece("leg", joined(rails), toned(paint, 0.75)))
    pieces += _open_back(random, frame, paint, thick)
    if random.uniform() < 0.3:
        pieces += _rod_arms(frame, paint, thick, random.uniform(0.18, 0.24))
    return standing(pieces)


def _open_back(random: Random, frame: _Frame, paint: Paint, thick: float) -> list[Piece]:
    """Two posts and a top rail, and slats, rungs or a panel between them."""
    x, y = -frame.x + thick / 2, frame.y - thick / 2
    posts = [post((x, s * y), (x, s * y, frame.back), thick, 0.8 * thick) for s in (1, -1)]
    rail = random.uniform(0.06, 0.11)
    top = block(0.7 * thick, 2 * frame.y, rail, (1, 0.94)).moved(x, 0, frame.back - 0.6 * rail)
    filling: list[Mesh] = []
    style = random.randint(3)
    if style == 0:
        n = random.randint(2, 4)
        tall = random.uniform(0.25, 0.5) * frame.back / (n + 1)
        low, step = 0.22 * frame.back, 0.62 * frame.back / n
        filling = [block(0.018, 2 * y, tall).moved(x, 0, low + k * step) for k in range(n)]
    elif style == 1:
        n = random.randint(3, 6)
        wide = random.uniform(0.25, 0.5) * 2 * y / n
        places = [(2 * (k + 0.5) / n - 1) * y for k in range(n)]
        filling = [block(0.016, wide, frame.back - 0.5 * rail).moved(x, place) for place in places]
    else:
        tall = random.uniform(0.4, 0.62) * frame.back
        filling = [block(0.022, 2 * y, tall).moved(x, 0, frame.back - 0.5 * rail - tall)]

    def raised(mesh: Mesh) -> Mesh:
        return frame.leaned(mesh.moved(z=frame.seat))

    return [
        Piece("back", raised(joined(posts)), toned(paint, 0.86)),
        Piece("back", raised(joined(filling)), toned(paint, random.uniform(0.9, 1.1))),
        Piece("back", raised(top), toned(paint, 1.05)),
    ]


def _rod_arms(frame: _Frame, paint: Paint, thick: float, height: float) -> list[Piece]:
    z, behind = frame.seat + height, frame.x + math.sin(frame.lean) * height
    length = behind + 0.75 * frame.x
    rests = [
        block(length, 1.3 * thick, 0.024).moved(length / 2 - behind, s * frame.y, z)
        for s in (1, -1)
    ]
    props = [
        block(thick, 0.8 * thick, height + 0.02).moved(
            0.6 * frame.x, s * frame.y, frame.seat - 0.02
        )
        for s in (1, -1)
    ]
    return [
        Piece("arm", joined(rests), toned(paint, 1.05)),
        Piece("arm", joined(props), toned(paint, 0.85)),
    ]


def padded_chair(random: Random) -> Model:
    """Cloth or a plastic shell on thin legs that stand apart."""
    frame = _Frame.drawn(random)
    soft = random.uniform() < 0.6
    paint = cloth(random) if soft else lacquer(random)
    thick = random.uniform(0.06, 0.1) if soft else random.uniform(0.022, 0.03)
    bevel = 0.35 * thick
    legs = four_legs(
        (0.8 * frame.x, 0.8 * frame.y),
        frame.seat - 0.4 * thick,
        random.uniform(0.026, 0.042),
        splay=random.uniform(0.02, 0.06),
        taper=random.uniform(0.5, 0.8),
        rounded=True,
    )
    seat = padded(2 * frame.x, 2 * frame.y, thick, bevel).moved(z=frame.seat - 0.6 * thick)
    lift = 0.0 if soft else random.uniform(0.04, 0.12)
    narrow = random.uniform(0.84, 1.0)
    tall = frame.back - lift
    # Lying flat and set upright, so that the edges cut off are those of its front and rear.
    back = padded(tall, 2 * frame.y * narrow, thick, bevel).pitched(-math.pi / 2)
    back = back.moved(-frame.x + thick, 0, frame.seat + lift + tall / 2)
    pieces = [
        Piece("leg", legs, wood(random) if random.uniform() < 0.6 else metal(random)),
        Piece("seat", seat, paint),
        Piece("back", frame.leaned(back), toned(paint, random.uniform(0.9, 1.02))),
    ]
    if lift:
        props = [block(0.02, 0.03, lift + 0.08).moved(-frame.x, s * 0.5 * frame.y) for s in (1, -1)]
        held = frame.leaned(joined(props).moved(z=frame.seat - 0.01))
        pieces.append(Piece("back", held, toned(pieces[0].paint, 0.9)))
    elif random.uniform() < 0.4:
        pieces += _soft_arms(random, frame, paint)
    return standing(pieces)


def _soft_arms(random: Random, frame: _Frame, paint: Paint) -> list[Piece]:
    tall = random.uniform(0.2, 0.28)
    arm = padded(1.85 * frame.x, 0.07, tall, 0.018).moved(-0.05 * frame.x, z=frame.seat - 0.06)
    both = joined([arm.moved(y=s * (frame.y + 0.02)) for s in (1, -1)])
    return [Piece("arm", both, toned(paint, 0.9))]


def office_chair(random: Random) -> Model:
    """On a star with castors; the back stands free behind the seat."""
    frame = _Frame.drawn(random)
    paint = cloth(random)
    hard = toned(metal(random), random.uniform(0.5, 1))
    stand = star_pedestal(random.uniform(0.24, 0.3), frame.seat - 0.03, 0.02)
    seat = padded(2.05 * frame.x, 2.05 * frame.y, 0.075, 0.025).moved(z=frame.seat - 0.03)
    gap = random.uniform(0.06, 0.14)
    tall = frame.back + 0.04 - gap
    back = padded(tall, 1.9 * frame.y, 0.07, 0.025).pitched(-math.pi / 2)
    back = back.moved(-frame.x + 0.03, 0, frame.seat + gap + tall / 2)
    holder = block(0.025, 0.08, gap + 0.5 * tall).moved(-frame.x - 0.045, 0, frame.seat - 0.02)
    under = bar((-frame.x - 0.05, 0, frame.seat - 0.01), (0, 0, frame.seat - 0.04), 0.06)
    pieces = [
        Piece("leg", stand, hard),
        Piece("seat", seat, paint),
        Piece("back", frame.leaned(back), toned(paint, 1.04)),
        Piece("back", frame.leaned(holder), toned(hard, 0.9)),
        Piece("seat", under, toned(hard, 0.8)),
    ]
    if random.uniform() < 0.6:
        height = random.uniform(0.18, 0.23)
        props = block(0.035, 0.025, height + 0.02).moved(-0.1 * frame.x, z=frame.seat - 0.02)
        rest = padded(1.15 * frame.x, 0.05, 0.03, 0.008).moved(
            -0.1 * frame.x, z=frame.seat + height
        )
        for mesh, shade in ((props, 0.85), (rest, 0.7)):
            both = joined([mesh.moved(y=s * (frame.y + 0.035)) for s in (1, -1)])
            pieces.append(Piece("arm", both, toned(hard, shade)))
    return standing(pieces)
