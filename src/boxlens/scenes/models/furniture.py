"""Furniture: chair, stool, table and sofa, look-alikes made of the same parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from boxlens.scenes.models.assembly import padded, standing
from boxlens.scenes.models.chair_kinds import office_chair, padded_chair, wooden_chair
from boxlens.scenes.models.furniture_parts import (
    bar,
    board,
    disc_pedestal,
    four_legs,
    ring_of_bars,
    ring_of_legs,
)
from boxlens.scenes.models.materials import cloth, lacquer, metal, toned, wood
from boxlens.scenes.models.model import Model, Paint, Piece, Random
from boxlens.scenes.solids import Mesh, block, cylinder, joined, lathe, limb


def chair(random: Random) -> Model:
    kind = random.choice(3, p=(0.5, 0.3, 0.2))
    return (wooden_chair, padded_chair, office_chair)[kind](random)


def stool(random: Random) -> Model:
    """No back; round or square, on three or four legs or a pedestal."""
    height, radius = random.uniform(0.42, 0.78), random.uniform(0.15, 0.2)
    kind = random.choice(3, p=(0.4, 0.35, 0.25))
    paint = wood(random) if random.uniform() < 0.6 else lacquer(random)
    legs = (_ring_stand, _square_stand, _bar_stand)[kind](random, radius, height, paint)
    soft = kind == 2 or random.uniform() < 0.35
    thick = random.uniform(0.05, 0.085) if soft else random.uniform(0.028, 0.045)
    cover = cloth(random) if soft else toned(paint, random.uniform(0.95, 1.15))
    if kind == 1:
        seat = padded(2 * radius, random.uniform(1.8, 2.5) * radius, thick, 0.25 * thick)
    else:
        rings = [(0.93 * radius, 0), (radius, 0.3 * thick), (radius, 0.75 * thick)]
        seat = lathe([*rings, (0.9 * radius, thick)], 14)
    top = Piece("seat", seat.moved(z=height - thick), cover)
    return standing([*legs, top], turned=True, stands_at=height)


def _ring_stand(random: Random, radius: float, height: float, paint: Paint) -> list[Piece]:
    n = random.randint(3, 5)
    foot, head = random.uniform(0.95, 1.15) * radius, 0.62 * radius
    legs = ring_of_legs(n, (foot, head), height - 0.03, random.uniform(0.03, 0.042))
    share = random.uniform(0.28, 0.45)
    rods = ring_of_bars(n, foot + (head - foot) * share, share * height, 0.02)
    return [Piece("leg", legs, toned(paint, 0.85)), Piece("leg", rods, toned(paint, 0.75))]


def _square_stand(random: Random, radius: float, height: float, paint: Paint) -> list[Piece]:
    thick, splay = random.uniform(0.03, 0.045), random.uniform(0, 0.05)
    x = radius - thick / 2 - 0.01
    y = 0.86 * x
    legs = four_legs((x, y), height - 0.02, thick, splay=splay, taper=random.uniform(0.7, 1))
    share = random.uniform(0.2, 0.4)
    z, out = share * height, splay * (1 - share)
    rails = [bar((-x - out, s, z), (x + out, s, z), 0.028) for s in (y + out, -y - out)]
    return [
        Piece("leg", legs, toned(paint, 0.85)),
        Piece("leg", joined(rails), toned(paint, 0.75)),
    ]


def _bar_stand(random: Random, radius: float, height: float, _: Paint) -> list[Piece]:
    paint = metal(random)
    column = random.uniform(0.02, 0.03)
    stand = disc_pedestal(random.uniform(0.95, 1.2) * radius, height - 0.04, column)
    z, reach = random.uniform(0.25, 0.4) * height, 0.72 * radius
    ring = ring_of_bars(8, reach, z, 0.018)
    spoke = bar((-reach, 0, z), (reach, 0, z), 0.016)
    return [Piece("leg", stand, paint), Piece("leg", joined([ring, spoke]), toned(paint, 0.8))]


def table(random: Random) -> Model:
    """A wide top, round or rectangular, on four legs or a pedestal."""
    paint = wood(random) if random.uniform() < 0.75 else lacquer(random)
    low = random.uniform() < 0.3
    height = random.uniform(0.4, 0.5) if low else random.uniform(0.68, 0.8)
    thick = random.uniform(0.025, 0.05)
    under = paint if random.uniform() < 0.65 else metal(random)
    round_top = random.uniform() < 0.4
    if round_top:
        radius = random.uniform(0.42, 0.68)
        rim = lathe([(0.97 * radius, 0), (radius, 0.3 * thick), (radius, thick)], 18)
        pieces = _round_table_stand(random, radius, height - thick, under)
    else:
        x, y = random.uniform(0.32, 0.46), random.uniform(0.5, 0.95)
        rim = block(2 * x, 2 * y, thick)
        pieces = _long_table_stand(random, (x, y), height - thick, under, shelf=low)
    top = Piece("top", rim.moved(z=height - thick), toned(paint, 1.1))
    return standing([*pieces, top], turned=True, stands_at=height)


def _round_table_stand(random: Random, radius: float, height: float, paint: Paint) -> list[Piece]:
    if random.uniform() < 0.45:
        legs = ring_of_legs(4, (random.uniform(0.66, 0.9) * radius, 0.62 * radius), height, 0.055)
        apron = cylinder(0.68 * radius, 0.07, sides=12).moved(z=height - 0.07)
        return [Piece("leg", legs, toned(paint, 0.85)), Piece("top", apron, toned(paint, 0.7))]
    thick = random.uniform(0.035, 0.055)
    if random.uniform() < 0.5:
        stand = disc_pedestal(random.uniform(0.5, 0.62) * radius, height, thick)
        return [Piece("leg", stand, toned(paint, 0.85))]
    turned = [(1.3, 0.1), (1.3, 0.2), (0.8, 0.32), (1.4, 0.55), (0.8, 0.78), (1.8, 1)]
    column = lathe([(r * thick, z * height) for r, z in turned], 8)
    angles = [math.pi / 4 + math.pi / 2 * k for k in range(4)]
    reach = random.uniform(0.58, 0.72) * radius
    feet = [
        limb(
            (0, 0, 0.22 * height), (reach * math.cos(a), reach * math.sin(a), 0.02), 0.035, 0.02, 5
        )
        for a in angles
    ]
    return [Piece("leg", column, toned(paint, 0.88)), Piece("leg", joined(feet), toned(paint, 0.8))]


def _long_table_stand(
    random: Random, half: tuple[float, float], height: float, paint: Paint, *, shelf: bool
) -> list[Piece]:
    thick, edge = random.uniform(0.045, 0.075), random.uniform(0.01, 0.06)
    x, y = half[0] - thick / 2 - edge, half[1] - thick / 2 - edge
    legs = four_legs(
        (x, y),
        height,
        thick,
        splay=0 if shelf else random.uniform(0, 0.03),
        taper=random.uniform(0.5, 1),
        rounded=random.uniform() < 0.3,
    )
    deep = 0.06 if shelf else random.uniform(0.07, 0.11)
    apron = board("top", toned(paint, 0.72), (2 * x, 2 * y, deep), (0, 0, height - deep))
    pieces = [Piece("leg", legs, toned(paint, 0.85)), apron]
    if shelf and random.uniform() < 0.7:
        rest = (2 * x, 2 * y, 0.02)
        pieces.append(board("leg", toned(paint, 0.92), rest, (0, 0, 0.3 * height)))
    return pieces


@dataclass(frozen=True, slots=True)
class _SofaSize:
    """Measures of one sofa in metres; `inner` is the width between its arms."""

    n_seats: int
    inner: float
    depth: float
    height: float
    arm: float
    seat: float
    feet: float
    back: float

    @classmethod
    def drawn(cls, random: Random) -> _SofaSize:
        n_seats = random.randint(2, 4)
        return cls(
            n_seats=n_seats,
            inner=n_seats * random.uniform(0.5, 0.62),
            depth=random.uniform(0.72, 1.0),
            height=random.uniform(0.68, 0.96),
            arm=random.uniform(0.12, 0.22),
            seat=random.uniform(0.4, 0.46),
            feet=random.uniform(0.06, 0.14),
            back=random.uniform(0.15, 0.2),
        )


def sofa(random: Random) -> Model:
    """Wide and soft: a base on short feet, arms, a back and two or three pairs of cushions."""
    size, paint = _SofaSize.drawn(random), cloth(random)
    half = (size.depth / 2 - 0.06, size.inner / 2 + size.arm - 0.06)
    legs = four_legs(half, size.feet + 0.02, 0.05, taper=random.uniform(0.6, 1))
    base = block(0.96 * size.depth, size.inner + 0.02, size.seat - 0.14 - size.feet)
    back = padded(size.height - size.feet, size.inner + 0.04, size.back, 0.04)
    back = back.pitched(-math.pi / 2)
    back = back.moved(size.back - size.depth / 2, 0, (size.height + size.feet) / 2)
    return standing(
        [
            Piece("leg", legs, toned(wood(random), 0.7)),
            Piece("seat", base.moved(z=size.feet), toned(paint, 0.78)),
            Piece("back", back, toned(paint, 0.9)),
            _sofa_arms(random, size, paint),
            *_sofa_cushions(random, size, paint),
        ]
    )


def _sofa_arms(random: Random, size: _SofaSize, paint: Paint) -> Piece:
    """Plain, or with a roll along the top."""
    top = random.uniform(0.54, 0.68)
    if random.uniform() < 0.5:
        one = padded(size.depth, size.arm, top - size.feet, 0.03).moved(z=size.feet)
    else:
        roll = 0.62 * size.arm
        lying = cylinder(roll, size.depth, sides=8).yawed(math.pi / 8).moved(z=-size.depth / 2)
        upright = block(0.97 * size.depth, size.arm, top - roll - size.feet).moved(z=size.feet)
        one = joined([upright, lying.pitched(math.pi / 2).moved(z=top - roll)])
    both = joined([one.moved(y=s * (size.inner + size.arm) / 2) for s in (1, -1)])
    return Piece("arm", both, toned(paint, 0.95))


def _sofa_cushions(random: Random, size: _SofaSize, paint: Paint) -> list[Piece]:
    """A row to sit on, a row to lean on, perhaps a loose one."""
    wide = size.inner / size.n_seats
    lower = padded(size.depth - size.back, 0.975 * wide, 0.16, 0.035)
    lower = lower.moved(size.back / 2 + 0.01, 0, size.seat - 0.15)
    tall = size.height - size.seat + random.uniform(-0.06, 0.03)
    upper = padded(tall, 0.97 * wide, 0.15, 0.045).pitched(-math.pi / 2 - 0.16)
    upper = upper.moved(size.back - size.depth / 2 + 0.19, 0, size.seat + tall / 2)
    places = [(k - (size.n_seats - 1) / 2) * wide for k in range(size.n_seats)]

    def row(mesh: Mesh) -> Mesh:
        return joined([mesh.moved(y=place) for place in places])

    pieces = [
        Piece("cushion", row(lower), toned(paint, 1.08)),
        Piece("cushion", row(upper), toned(paint, 1.02)),
    ]
    if size.n_seats == 2 and random.uniform() < 0.6:
        loose = padded(0.36, 0.38, 0.1, 0.045).pitched(-math.pi / 2 - 0.35).yawed(0.35)
        at = (size.back - size.depth / 2 + 0.32, -0.24 * size.inner, size.seat + 0.19)
        pieces.append(Piece("cushion", loose.moved(*at), cloth(random)))
    return pieces
