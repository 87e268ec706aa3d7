"""What each sample of a scene shows, by casting rays at its polygons: slow, and from geometry alone.

A ray decides a mathematical point; the corners of a drawn polygon are rounded. So an answer is a
set: all that may show at a sample if borders are drawn up to `OUTWARD` samples too wide or
`INWARD` samples too narrow, and the plane of a bent polygon anywhere between its corners. Where no
border and no bend is near, the set has one member.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.scenes.camera import Camera
from boxlens.scenes.layout import Thing
from boxlens.scenes.models.model import Model

SAMPLES_A_PIXEL = 2  # each way
# How far filled polygons may reach beyond and stay within the true border, in samples: corners are
# rounded to sixteenths. `test_borders_are_drawn_within_the_reach` holds the kernel to them.
OUTWARD, INWARD = 0.1, 0.1
# A decal lies this part of its model's size before the surface that carries it.
DECAL_LIFT = 0.008
SAME_DEPTH = 1e-4  # relative
EDGE_ON = 1e-12  # metres between the eye and a plane that hardly faces it
DIRECTIONS = {
    "front": ((1, 0, 0),),
    "rear": ((-1, 0, 0),),
    "side": ((0, 1, 0), (0, -1, 0)),
    "top": ((0, 0, 1),),
    "bottom": ((0, 0, -1),),
}

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Label(NamedTuple):
    """What a sample shows: the row of a thing, its part, and the sides the surface may count to."""

    thing: int
    part: str
    sides: frozenset[str]


NOTHING = Label(-1, "", frozenset())


@dataclass(frozen=True)
class Polygon:
    """A flat surface turned towards the camera, in the eye's space: right, forward, up."""

    label: Label
    outline: Floats  # the corners as samples: column, row
    normal: Floats
    reach: float  # of the plane along its normal, through the mean of the corners
    behind: float  # of a parallel plane through the corner that lies deepest
    before: float  # of one through the corner that stands out most; the same where nothing is bent
    nearest: float  # depth of the nearest corner
    lift: float  # metres by which a decal comes nearer

    def depth(self, rays: Floats) -> Floats:
        """Where rays (forward = 1) meet the plane; endless where they never do."""
        return self._depth(rays, self.reach)

    def least_depth(self, rays: Floats) -> Floats:
        """Of all planes between the corners; as near as a corner if one of them is seen edge on."""
        return self._depth(rays, min(self.before, -EDGE_ON))

    def most_depth(self, rays: Floats) -> Floats:
        """Of all planes between the corners; endless if one of them is turned away."""
        return self._depth(rays, self.behind if self.before < 0 else 0)

    def _depth(self, rays: Floats, reach: float) -> Floats:
        """Beyond a border the plane may come nearer than any corner; the surface does not."""
        depth = np.full(len(rays), np.inf)
        if reach < 0:
            towards = rays @ self.normal
            np.divide(reach, towards, out=depth, where=towards < 0)
        return np.maximum(depth - self.lift, self.nearest)


def polygons(things: Sequence[Thing], camera: Camera) -> list[Polygon]:
    """All that the camera can see of all things if nothing stands before it."""
    return [found for row, thing in enumerate(things) for found in _of(row, thing, camera)]


def _of(row: int, thing: Thing, camera: Camera) -> list[Polygon]:
    found = []
    size = max(thing.model.extent)
    for piece in thing.model.pieces:
        for face in piece.mesh.faces:
            own = piece.mesh.corners[list(face)]
            corners = eye_space(own, thing, camera)
            normal = _normal(corners)
            reach = float(corners.mean(axis=0) @ normal)
            behind, before = np.sort(corners @ normal)[[0, -1]].tolist()
            if not behind < 0:
                continue
            label = Label(row, piece.part, _sides(thing.model, _normal(own)))
            lift = DECAL_LIFT * size if piece.decal else 0.0
            nearest = float(corners[:, 1].min()) - lift
            outline = on_samples(corners, camera)
            planes = (reach, behind, before)
            found.append(Polygon(label, outline, normal, *planes, nearest, lift))
    return found


def eye_space(own: Floats, thing: Thing, camera: Camera) -> Floats:
    """Points of a model, turned, put in the world and seen from the camera."""
    place = thing.place
    seen = []
    for x, y, z in own.tolist():
        right = place.x + x * math.cos(place.yaw) - y * math.sin(place.yaw)
        ahead = place.y + x * math.sin(place.yaw) + y * math.cos(place.yaw)
        above = place.z + z - camera.height
        # The view is tilted down by the pitch: forward is (cos, -sin), up is (sin, cos).
        forward = ahead * math.cos(camera.pitch) - above * math.sin(camera.pitch)
        up = ahead * math.sin(camera.pitch) + above * math.cos(camera.pitch)
        seen.append((right, forward, up))
    return np.array(seen)


def on_samples(corners: Floats, camera: Camera) -> Floats:
    right, forward, up = corners.T
    column = camera.width_px / 2 + camera.focal_px * right / forward
    row = camera.height_px / 2 - camera.focal_px * up / forward
    return np.stack([column, row], axis=1) * SAMPLES_A_PIXEL


def rays_at(samples: Floats, camera: Camera) -> Floats:
    column, row = (samples / SAMPLES_A_PIXEL).T
    right = (column - camera.width_px / 2) / camera.focal_px
    up = (camera.height_px / 2 - row) / camera.focal_px
    return np.stack([right, np.ones(len(samples)), up], axis=1)


def _normal(ring: Floats) -> Floats:
    """Outward, as corners run counter-clockwise; the mean of a bent ring's triangles."""
    spokes = ring - ring.mean(axis=0)
    total = np.cross(spokes, np.roll(spokes, -1, axis=0)).sum(axis=0)
    length = math.hypot(*total.tolist())
    return total / length if length > 0 else total


def _sides(model: Model, normal: Floats) -> frozenset[str]:
    """The directions nearest to the normal; a bevel of 45 degrees lies between two."""
    x, y, z = normal.tolist()
    if model.turned:
        x, y = 0.0, math.hypot(x, y)
    along = {
        name: max(x * a + y * b + z * c for a, b, c in ways) for name, ways in DIRECTIONS.items()
    }
    return frozenset(name for name in along if along[name] > max(along.values()) - 1e-9)


def contains(outline: Floats, samples: Floats) -> Bools:
    """Even-odd rule: a line to the right crosses the border an odd number of times."""
    column, row = samples.T
    odd = np.zeros(len(samples), dtype=np.bool_)
    for (x0, y0), (x1, y1) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        crossed = (y0 > row) != (y1 > row)
        if y0 != y1:
            odd ^= crossed & (column < x0 + (row - y0) * (x1 - x0) / (y1 - y0))
    return odd


def border_distance(outline: Floats, samples: Floats) -> Floats:
    """To the nearest point of the outline, in samples."""
    least = np.full(len(samples), np.inf)
    for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        along = end - start
        length = float(along @ along)
        share = (samples - start) @ along / length if length > 0 else np.zeros(len(samples))
        nearest = start + np.clip(share, 0, 1)[:, None] * along
        least = np.minimum(least, np.linalg.norm(samples - nearest, axis=1))
    return least


def first_hits(
    solids: Sequence[Polygon], samples: Floats, camera: Camera
) -> tuple[Floats, list[Label]]:
    """Depth and label of the nearest polygon that the ray through each sample meets."""
    nearest = np.full(len(samples), np.inf)
    winner = np.full(len(samples), -1)
    rays = rays_at(samples, camera)
    for row, solid in enumerate(solids):
        hit = _inside(solid, samples)
        depth = solid.depth(rays[hit])
        closer = depth < nearest[hit]
        nearest[hit[closer]] = depth[closer]
        winner[hit[closer]] = row
    return nearest, [solids[row].label if row >= 0 else NOTHING for row in winner.tolist()]


def covered_to(solids: Sequence[Polygon], samples: Floats, camera: Camera) -> Floats:
    """Depth beyond which nothing can show: all rays less than a border's width around end before."""
    around = _around(samples, INWARD)
    depth = np.full(len(around), np.inf)
    rays = rays_at(around, camera)
    for solid in solids:
        hit = _inside(solid, around)
        depth[hit] = np.minimum(depth[hit], solid.most_depth(rays[hit]))
    return depth.reshape(9, -1).max(axis=0)


def _around(samples: Floats, step: float) -> Floats:
    """Each sample and its eight neighbours at a distance, nine blocks one after the other."""
    steps = (-step, 0.0, step)
    return np.concatenate([samples + np.array([x, y]) for x in steps for y in steps])


def answers(solids: Sequence[Polygon], samples: Floats, camera: Camera) -> list[set[Label]]:
    """All that may show at each sample."""
    limit = covered_to(solids, samples, camera)
    may: list[set[Label]] = [set() if math.isfinite(depth) else {NOTHING} for depth in limit]
    for solid in solids:
        touched, least = touch(solid, samples, camera)
        for row in touched[least <= limit[touched] * (1 + SAME_DEPTH)].tolist():
            may[row].add(solid.label)
    return may


def touch(solid: Polygon, samples: Floats, camera: Camera) -> tuple[npt.NDArray[np.intp], Floats]:
    """Samples a drawn polygon may cover, and the least depth it has within a border's width."""
    near = _within(solid, samples, OUTWARD)
    inside = contains(solid.outline, samples[near])
    near = near[inside | (border_distance(solid.outline, samples[near]) <= OUTWARD)]
    depths = solid.least_depth(rays_at(_around(samples[near], OUTWARD), camera)).reshape(9, -1)
    return near, depths.min(axis=0)


def _inside(solid: Polygon, samples: Floats) -> npt.NDArray[np.intp]:
    near = _within(solid, samples, 0)
    return near[contains(solid.outline, samples[near])]


def _within(solid: Polygon, samples: Floats, margin: float) -> npt.NDArray[np.intp]:
    low, high = solid.outline.min(axis=0) - margin, solid.outline.max(axis=0) + margin
    return np.flatnonzero(((samples >= low) & (samples <= high)).all(axis=1))


@dataclass(frozen=True)
class Area:
    """Pixels of a silhouette: those it surely has, those its rays hit, those it may have."""

    least: int
    exact: int
    most: int


def area(solids: Sequence[Polygon], camera: Camera, *, cut: bool) -> Area:
    """Of things that stand alone; `cut` at the edges of the picture or not."""
    outlines = np.concatenate([solid.outline for solid in solids])
    low = np.floor(outlines.min(axis=0) / SAMPLES_A_PIXEL).astype(int) - 1
    high = np.ceil(outlines.max(axis=0) / SAMPLES_A_PIXEL).astype(int) + 2
    if cut:
        low, high = np.maximum(low, 0), np.minimum(high, (camera.width_px, camera.height_px))
    columns, rows = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    samples = np.stack([columns.ravel(), rows.ravel()], axis=1) * float(SAMPLES_A_PIXEL)
    touched = np.zeros(len(samples), dtype=np.bool_)
    hit = np.zeros(len(samples), dtype=np.bool_)
    for solid in solids:
        near = _within(solid, samples, OUTWARD)
        inside = contains(solid.outline, samples[near])
        if solid.reach < 0:
            hit[near[inside]] = True
        touched[near[inside | (border_distance(solid.outline, samples[near]) <= OUTWARD)]] = True
    surely = np.isfinite(covered_to(solids, samples[hit], camera))
    return Area(int(surely.sum()), int(hit.sum()), int(touched.sum()))


def owners(solids: Sequence[Polygon], camera: Camera) -> npt.NDArray[np.intp]:
    """The thing that the ray through each pixel's first sample meets; -1 for none."""
    columns, rows = np.meshgrid(np.arange(camera.width_px), np.arange(camera.height_px))
    samples = np.stack([columns.ravel(), rows.ravel()], axis=1) * float(SAMPLES_A_PIXEL)
    _, labels = first_hits(solids, samples, camera)
    return np.array([label.thing for label in labels]).reshape(columns.shape)
