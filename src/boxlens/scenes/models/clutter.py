"""Things without a class that fill streets and rooms, so that background is not empty."""

from __future__ import annotations

import math
from dataclasses import replace

from boxlens.scenes.models.assembly import banded, standing, tube
from boxlens.scenes.models.materials import ceramic, lacquer, metal, picked, toned, wood
from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
from boxlens.scenes.solids import block, cylinder, joined, lathe, limb, plate

_CARDBOARDS = palette("b88e5e a87e50 c8a478")
_PLASTERS = palette("cec6b6 b2aca4 bea084 e0dcd2")
_SHADES = palette("f0e2be e8d6a8 e2be8c ecece4")
_WARM = Paint((255, 244, 206), "plain", 0, shaded=False)
_PAGES = Paint((232, 226, 208), "cloth", 0.12)


def street_lamp(random: Random) -> Model:
    """A lantern on a post, or a head that hangs from an arm over the road (+x)."""
    height = random.uniform(3.6, 6)
    paint = toned(metal(random), random.uniform(0.4, 0.9))
    foot = cylinder(0.15, 0.5, 0.1, sides=8)
    pole = limb((0, 0, 0.4), (0, 0, height), 0.065, 0.045, 8)
    pieces = [Piece("pole", foot, toned(paint, 0.85)), Piece("pole", pole, paint)]
    if random.uniform() < 0.5:
        rings = [(0.08, 0), (0.2, 0.42), (0.3, 0.44), (0.05, 0.64)]
        tones = [("lamp", _WARM), ("lamp", paint), ("lamp", paint), ("lamp", paint)]
        lantern = banded([(r, z + height) for r, z in rings], tones, 8)
        return standing([*pieces, *lantern], turned=True)
    reach = random.uniform(0.7, 1.3)
    turns = [(0, 0), (0.05, 0.25), (0.3, 0.45), (1, 0.52)]
    arm = tube([(reach * x, 0, height + z) for x, z in turns], 0.04, (0, 1, 0))
    head = block(0.6, 0.22, 0.1, (0.7, 0.7)).moved(reach + 0.15, 0, height + 0.47)
    glow = block(0.46, 0.17, 0.03).moved(reach + 0.15, 0, height + 0.445)
    pieces += [Piece("pole", arm, paint), Piece("lamp", head, toned(paint, 0.9))]
    return standing([*pieces, Piece("lamp", glow, _WARM)])


def floor_lamp(random: Random) -> Model:
    """A cloth shade on a thin stand."""
    height, wide = random.uniform(1.25, 1.8), random.uniform(0.17, 0.26)
    tall = random.uniform(0.22, 0.34)
    paint = metal(random) if random.uniform() < 0.6 else wood(random)
    shade = replace(picked(random, _SHADES, "cloth", 0.08), shaded=random.uniform() < 0.4)
    foot = [(0.15, 0), (0.14, 0.02), (0.014, 0.04), (0.012, height - 0.5 * tall)]
    stand = lathe(foot, 10)
    top = wide * random.uniform(0.55, 0.95)
    hood = [(wide, height - tall), (top, height), (0.9 * top, height), (0.9 * top, height - 0.05)]
    bands = [shade, toned(shade, 1.08), toned(shade, 0.8), _WARM]
    pieces = [Piece("stand", stand, paint)]
    pieces += banded(hood, [("shade", band) for band in bands])
    return standing(pieces, turned=True)


def crate(random: Random) -> Model:
    """Planks around a dark inside, with a lid."""
    x, y = random.uniform(0.17, 0.26), random.uniform(0.2, 0.34)
    height = random.uniform(0.26, 0.46)
    paint = wood(random)
    inner = block(2 * x - 0.02, 2 * y - 0.02, height - 0.01)
    n = random.randint(2, 5)
    step = height / n
    rows = [
        block(2 * x, 2 * y, 0.86 * step).moved(z=k * step + 0.07 * step * (k > 0)) for k in range(n)
    ]
    corner = 0.05
    posts = [
        block(corner, corner, height).moved(
            a * (x - corner / 2 + 0.006), b * (y - corner / 2 + 0.006)
        )
        for a in (1, -1)
        for b in (1, -1)
    ]
    lid = [
        block(0.29 * 2 * x, 2 * y, 0.014).moved(s * 0.68 * x, z=height - 0.004) for s in (-1, 0, 1)
    ]
    pieces = [
        Piece("inside", inner, toned(paint, 0.35)),
        Piece("plank", joined(rows), paint),
        Piece("plank", joined(posts), toned(paint, 0.85)),
        Piece("plank", joined(lid), toned(paint, 1.08)),
    ]
    return standing(pieces, stands_at=height + 0.01)


def parcel(random: Random) -> Model:
    """A cardboard box with tape over its seam and a label."""
    x, y, z = random.uniform(0.1, 0.26), random.uniform(0.12, 0.3), random.uniform(0.12, 0.4)
    paint = picked(random, _CARDBOARDS, "grain", 0.06)
    tape = Paint((214, 190, 140), "plain", 0) if random.uniform() < 0.6 else lacquer(random)
    wide, drop = 0.12 * x + 0.014, 0.3 * z
    strips = [plate([(-wide, -y, z), (wide, -y, z), (wide, y, z), (-wide, y, z)])]
    strips.append(
        plate([(-wide, -y, z - drop), (wide, -y, z - drop), (wide, -y, z), (-wide, -y, z)])
    )
    strips.append(plate([(wide, y, z - drop), (-wide, y, z - drop), (-wide, y, z), (wide, y, z)]))
    a, b = 0.3 * z, 0.62 * z
    sticker = plate([(x, -0.7 * y, a), (x, 0.1 * y, a), (x, 0.1 * y, b), (x, -0.7 * y, b)])
    pieces = [
        Piece("box", block(2 * x, 2 * y, z), paint),
        Piece("tape", joined(strips), tape, decal=True),
        Piece("label", sticker, Paint((236, 234, 228), "grain", 0.05), decal=True),
    ]
    return standing(pieces, stands_at=z)


def waste_bin(random: Random) -> Model:
    """A round bin: small and open in rooms, tall with a lid in streets."""
    paint = metal(random) if random.uniform() < 0.5 else lacquer(random)
    if random.uniform() < 0.5:
        height, wide = random.uniform(0.26, 0.4), random.uniform(0.11, 0.15)
        outline = [(0.78, 0), (1, 1), (0.92, 1), (0.8, 0.5)]
        tones = [paint, toned(paint, 1.15), toned(paint, 0.4), toned(paint, 0.25)]
    else:
        height, wide = random.uniform(0.75, 1.1), random.uniform(0.22, 0.3)
        outline = [
            (0.92, 0),
            (1, 0.06),
            (1, 0.68),
            (0.86, 0.7),
            (0.86, 0.82),
            (1.04, 0.84),
            (0.6, 1),
        ]
        slot, lid = toned(paint, 0.25), toned(paint, 0.8)
        tones = [toned(paint, 0.7), paint, lid, slot, lid, lid, lid]
    profile = [(r * wide, z * height) for r, z in outline]
    return standing(banded(profile, [("bin", tone) for tone in tones]), turned=True)


def fence(random: Random) -> Model:
    """One piece between two posts, along y: upright pales or level rails."""
    half, height = random.uniform(0.8, 1.2), random.uniform(0.7, 1.2)
    paint = wood(random) if random.uniform() < 0.6 else lacquer(random)
    posts = [block(0.09, 0.09, height + 0.08).moved(y=s * half) for s in (1, -1)]
    pieces = [Piece("post", joined(posts), toned(paint, 0.8))]
    if random.uniform() < 0.6:
        n = random.randint(7, 11)
        wide = 2 * half / n
        pale = block(0.02, 0.62 * wide, height - 0.06).moved(z=0.06)
        pales = [pale.moved(0.03, (k + 0.5) * wide - half) for k in range(n)]
        rails = [block(0.03, 2 * half, 0.06).moved(z=share * height) for share in (0.25, 0.72)]
        pieces.append(Piece("pale", joined(pales), paint))
    else:
        n = random.randint(2, 5)
        tall = random.uniform(0.4, 0.65) * height / n
        rails = [block(0.03, 2 * half, tall).moved(z=(k + 0.45) * height / n) for k in range(n)]
    return standing([*pieces, Piece("rail", joined(rails), toned(paint, 0.92))])


def book_stack(random: Random) -> Model:
    """Books lying on one another, spines forward, none quite straight."""
    pieces: list[Piece] = []
    z = 0.0
    for _ in range(random.randint(2, 6)):
        size = random.uniform(0.13, 0.17), random.uniform(0.19, 0.25), random.uniform(0.018, 0.045)
        turn, cover = random.uniform(-0.3, 0.3), lacquer(random)
        pages = block(size[0] - 0.012, size[1] - 0.012, size[2] - 0.004).moved(z=0.002)
        boards = [block(size[0], size[1], 0.004).moved(z=a) for a in (0, size[2] - 0.004)]
        spine = block(0.006, size[1], size[2]).moved(size[0] / 2 - 0.003)
        for part, mesh, paint in (
            ("page", pages, _PAGES),
            ("cover", joined([*boards, spine]), cover),
        ):
            pieces.append(Piece(part, mesh.yawed(turn).moved(z=z), paint))
        z += size[2]
    return standing(pieces, stands_at=z)


def dish(random: Random) -> Model:
    """A flat plate, its rim in a second colour."""
    wide = random.uniform(0.09, 0.14)
    paint = ceramic(random)
    rim = lacquer(random, unlike=paint) if random.uniform() < 0.5 else toned(paint, 1.15)
    outline = [(0.6, 0), (1, 0.16), (0.94, 0.17), (0.66, 0.06)]
    tones = [toned(paint, 0.8), rim, paint, toned(paint, 1.08)]
    profile = [(r * wide, z * wide) for r, z in outline]
    return standing(banded(profile, [("plate", tone) for tone in tones], 16), turned=True)


def pillar(random: Random) -> Model:
    """A round or square column with a base and a capital."""
    height, wide = random.uniform(2.4, 3.6), random.uniform(0.14, 0.26)
    paint = picked(random, _PLASTERS, "stone", random.uniform(0.1, 0.22))
    sides = 4 if random.uniform() < 0.4 else 12
    outline = [(1.35, 0), (1.35, 0.06), (1, 0.08), (0.92, 0.9), (1.3, 0.94), (1.3, 1)]
    tones = [0.9, 1.08, 1, 0.85, 1.05, 1]
    profile = [(r * wide, z * height) for r, z in outline]
    pieces = banded(profile, [("column", toned(paint, tone)) for tone in tones], sides)
    return standing(
        [replace(piece, mesh=piece.mesh.yawed(math.pi / 4)) for piece in pieces], turned=True
    )
