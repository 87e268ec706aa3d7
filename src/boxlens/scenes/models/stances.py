"""How a four-legged animal stands, sits or lies, and holds its head."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boxlens.scenes.models.animal_parts import Coat, Station, posed, skin
from boxlens.scenes.models.model import Colour, Piece, Random
from boxlens.scenes.solids import Flat


@dataclass(frozen=True, slots=True)
class Frame:
    """An animal's measures in metres."""

    length: float  # from hip to shoulder
    height: float  # of the back
    depth: float  # of the trunk
    width: float
    leg: float  # half the thickness of a leg above its foot
    spread: float  # half the distance between the right and the left legs
    angled: float = 1.0  # how far the joints of the hind legs stand out


@dataclass(frozen=True, slots=True)
class Stance:
    """Where the trunk begins and ends, and the joints of each leg from the trunk down."""

    hip: Flat
    shoulder: Flat
    legs: tuple[Sequence[Station], ...]  # right and left fore, right and left hind
    neck: float = 0.0  # how much steeper the neck is than when standing
    resting: bool = True


def on_all_fours(random: Random, frame: Frame) -> Stance:
    """Standing or walking."""
    half, depth, thick = frame.length / 2, frame.depth, frame.leg
    top = frame.height - 0.5 * depth
    bend = 0.1 * frame.height * frame.angled
    legs: list[Sequence[Station]] = []
    for step in random.uniform(-0.1, 0.1, 2) * frame.height:
        fore = half + step
        legs.append(
            (
                (half - 0.1 * depth, top + 0.1 * depth, 0.3 * thick, 0.3 * depth),
                (half, 0.62 * top, 1.3 * thick, 1.7 * thick),
                (fore - 0.25 * step, 0.14 * top, thick, thick),
                (fore + 0.4 * thick, 0, 1.25 * thick, 1.7 * thick),
            )
        )
    for step in random.uniform(-0.12, 0.1, 2) * frame.height:
        hind = -half - 0.6 * bend + step
        legs.append(
            (
                (-half + 0.1 * depth, top, 0.3 * thick, 0.34 * depth),
                (-half + 0.5 * bend, 0.7 * top, 1.4 * thick, 0.25 * depth),
                (-half - bend + 0.6 * step, 0.38 * top, thick, 1.2 * thick),
                (hind - 0.1 * step, 0.12 * top, thick, thick),
                (hind + 0.4 * thick, 0, 1.25 * thick, 1.7 * thick),
            )
        )
    return Stance((-half, top), (half, top), tuple(legs), resting=False)


def sitting(frame: Frame) -> Stance:
    """Upright on the haunches, the fore legs straight."""
    depth, height, thick = frame.depth, frame.height, frame.leg
    hip, shoulder = (-0.24 * frame.length, 0.46 * depth), (0.22 * frame.length, 0.8 * height)
    foot = shoulder[0] + 0.1 * depth
    fore = (
        (shoulder[0] - 0.05 * depth, shoulder[1], 0.3 * thick, 0.3 * depth),
        (foot, 0.42 * height, 1.3 * thick, 1.7 * thick),
        (foot, 0.07 * height, thick, thick),
        (foot + 0.3 * thick, 0, 1.25 * thick, 1.7 * thick),
    )
    hind = _folded(hip[0], depth, thick)
    return Stance(hip, shoulder, (fore, fore, hind, hind), neck=0.25)


def lying(frame: Frame) -> Stance:
    """On the belly, the fore legs forward."""
    half, depth, thick = frame.length / 2, frame.depth, frame.leg
    knee = half + 0.3 * depth
    fore = (
        (half - 0.15 * depth, 0.35 * depth, 0.8 * thick, 0.25 * depth),
        (knee, 1.6 * thick, 1.2 * thick, 1.5 * thick),
        (knee + 0.2 * frame.height, thick, 1.1 * thick, thick),
        (knee + 0.28 * frame.height, thick, 1.2 * thick, thick),
    )
    hind = _folded(-half, depth, thick)
    return Stance((-half, 0.48 * depth), (half, 0.48 * depth), (fore, fore, hind, hind), neck=0.1)


def _folded(hip: float, depth: float, thick: float) -> Sequence[Station]:
    return (
        (hip - 0.12 * depth, 0.3 * depth, 0.8 * thick, 0.22 * depth),
        (hip + 0.3 * depth, 0.36 * depth, 2 * thick, 0.34 * depth),
        (hip + 0.62 * depth, 0.16 * depth, 1.2 * thick, 1.6 * thick),
        (hip + 0.78 * depth, 1.1 * thick, 1.2 * thick, thick),
    )


def legs(frame: Frame, stance: Stance, coat: Coat, hoof: Colour | None = None) -> list[Piece]:
    return [
        coat.over("leg", skin(joints, 4).moved(y=side * frame.spread), hoof)
        for joints, side in zip(stance.legs, (-1, 1, -1, 1), strict=True)
    ]


def trunk(frame: Frame, stance: Stance, shape: Sequence[Station]) -> list[Station]:
    """Stations from hip (0) to shoulder (1): `shape` gives place, rise, width and depth of each.

    Rise and depth are parts of the frame's depth, width of its width.
    """
    (x, z), (front, top) = stance.hip, stance.shoulder
    span = math.hypot(front - x, top - z)
    ahead, up = (front - x) / span, (top - z) / span
    return [
        (
            x + ahead * at * span - up * rise * frame.depth,
            z + up * at * span + ahead * rise * frame.depth,
            wide * frame.width / 2,
            deep * frame.depth / 2,
        )
        for at, rise, wide, deep in shape
    ]


def tail_root(frame: Frame, stance: Stance, at: float, rise: float) -> Flat:
    """A point of the trunk, as in its shape."""
    x, z, _, _ = trunk(frame, stance, [(at, rise, 1, 1)])[0]
    return x, z


@dataclass(frozen=True, slots=True)
class Look:
    """Where a head is, how far its nose is lowered and to which side it is turned."""

    at: Flat
    nod: float
    turn: float


def looking_about(
    random: Random, frame: Frame, stance: Stance, neck: float, nods: Flat = (-0.1, 0.3)
) -> Look:
    """Head up, on a neck that rises at an angle of `neck` when standing."""
    (x, z), angle = stance.shoulder, neck + stance.neck
    reach = random.uniform(0.31, 0.38) * frame.height
    at = (x + reach * math.cos(angle), z + reach * math.sin(angle))
    return Look(at, random.uniform(*nods), random.uniform(-0.6, 0.6))


def grazing(random: Random, frame: Frame, stance: Stance) -> Look:
    """Nose to the ground."""
    at = (stance.shoulder[0] + 0.48 * frame.height, 0.31 * frame.height)
    return Look(at, random.uniform(0.8, 1.1), random.uniform(-0.4, 0.4))


def head_on_neck(
    head: Sequence[Piece], look: Look, frame: Frame, stance: Stance, coat: Coat, thick: Flat
) -> list[Piece]:
    """`thick` is half the neck's, at shoulder and head, in parts of the trunk's depth."""
    (x, z), depth = stance.shoulder, frame.depth
    base, end = thick[0] * depth, thick[1] * depth
    neck = ((x, z + 0.05 * depth, 0.8 * base, base), (*look.at, 0.85 * end, end))
    return [coat.over("body", skin(neck, 6)), *posed(head, look.at, look.nod, look.turn)]
