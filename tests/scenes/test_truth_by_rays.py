"""The truth of rendered scenes against rays cast at the same geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from boxlens._kernel import fill_faces
from boxlens.scenes.drawing import FINENESS
from boxlens.scenes.truth import SceneObject
from drawn_scenes import Drawn
from oracles import ray_casting


def test_borders_are_drawn_within_the_reach():
    """The one thing the ray caster must know of the kernel: how far a face leaves its border."""
    random = np.random.RandomState(3)
    columns, rows = np.meshgrid(np.arange(80.0), np.arange(80.0))
    samples = np.stack([columns.ravel(), rows.ravel()], axis=1)
    for _ in range(600):
        angle = np.sort(random.uniform(0, 2 * math.pi, random.randint(3, 9)))
        ring = np.stack([np.cos(angle), np.sin(angle) * random.uniform(0.02, 1)], axis=1)
        turn = random.uniform(0, math.pi)
        turned = ring @ [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        outline = 40 + random.uniform(0, 1, 2) + turned * math.exp(random.uniform(-1, 3.5))
        drawn, _ = fill_faces(
            rings=np.rint(outline * 16)[None] / 16,
            planes=np.array([[0.0, 0.0, 1.0]]),
            nearest=np.array([1.0]),
            width=80,
            height=80,
        )
        inside = ray_casting.contains(outline, samples)
        distance = ray_casting.border_distance(outline, samples)
        wrong = (drawn.ravel() >= 0) != inside
        assert distance[wrong & ~inside].max(initial=0) <= ray_casting.OUTWARD
        assert distance[wrong & inside].max(initial=0) <= ray_casting.INWARD


def some_pixels(drawn: Drawn, count: int) -> npt.NDArray[np.intp]:
    """Anywhere, on things, and along the outlines of things: column and row."""
    random = np.random.RandomState(5)
    owner = drawn.composite.pixel_owner()
    on_things = np.argwhere(owner >= 0)[:, ::-1]
    turns = np.argwhere(np.diff(owner, axis=1) != 0)[:, ::-1]
    anywhere = np.argwhere(np.ones_like(owner))[:, ::-1]
    groups = [group for group in (anywhere, on_things, turns) if len(group)]
    return np.concatenate([group[random.randint(len(group), size=count)] for group in groups])


def some_worlds(count: int, random_seed: int) -> list[tuple[int, int]]:
    """Seeds and numbers of worlds: far apart, and the same in every run."""
    random = np.random.RandomState(random_seed)
    seeds, numbers = random.randint(2**31, size=count), random.randint(1, 10**6, size=count)
    return list(zip(seeds.tolist(), numbers.tolist(), strict=True))


# In each a sampled pixel lies where a bent face cuts another one: bodies and legs, leaves.
BENT_FACES_CUT = [
    (397912, 1987),
    (257, 370),
    (184698777, 488310),
    (3195051388, 498764),
    (4079502997, 496580),
    (83079112, 630022),
]


@pytest.mark.parametrize(("seed", "number"), [*BENT_FACES_CUT, *some_worlds(8, random_seed=2)])
def test_every_pixel_shows_what_its_ray_meets(seed, number):
    drawn = Drawn.of(seed, number, 240, 180)
    solids = ray_casting.polygons(drawn.things, drawn.plan.camera)
    pixels = some_pixels(drawn, 200)
    may = ray_casting.answers(solids, pixels * float(FINENESS), drawn.plan.camera)
    for (column, row), labels in zip(pixels.tolist(), may, strict=True):
        thing, part, side = drawn.label_at(row, column)
        assert any(
            (thing, part) == (label.thing, label.part) and (thing < 0 or side in label.sides)
            for label in labels
        ), (column, row, thing, part, side, labels)


def test_rays_leave_little_in_doubt():
    """Most pixels on things are no border's: there the rays allow one thing and one part only."""
    sure_things, sure_parts = [], []
    for number in range(1, 5):
        drawn = Drawn.of(0, number, 480, 360)
        solids = ray_casting.polygons(drawn.things, drawn.plan.camera)
        pixels = np.argwhere(drawn.composite.pixel_owner() >= 0)[:, ::-1]
        chosen = pixels[np.random.RandomState(1).randint(len(pixels), size=200)]
        for labels in ray_casting.answers(solids, chosen * float(FINENESS), drawn.plan.camera):
            sure_things.append(len({label.thing for label in labels}) == 1)
            sure_parts.append(len({(label.thing, label.part) for label in labels}) == 1)
    assert np.mean(sure_things) > 0.95
    assert np.mean(sure_parts) > 0.9


@dataclass(frozen=True)
class Cast:
    """The areas of an object by rays."""

    visible: int
    inside: ray_casting.Area
    whole: ray_casting.Area

    @property
    def fractions(self) -> tuple[float, float, float]:
        """Visible, occluded, truncated."""
        inside, whole = max(self.inside.exact, 1), max(self.whole.exact, 1)
        return self.visible / whole, 1 - self.visible / inside, 1 - inside / whole


def cast(drawn: Drawn) -> list[tuple[SceneObject, Cast]]:
    camera = drawn.plan.camera
    solids = ray_casting.polygons(drawn.things, camera)
    shown = ray_casting.owners(solids, camera)
    found = []
    for rows in drawn.rows():
        own = [solid for solid in solids if solid.label.thing in rows]
        inside = ray_casting.area(own, camera, cut=True)
        crowd = drawn.things[rows[0]].crowd >= 0
        whole = inside if crowd else ray_casting.area(own, camera, cut=False)
        found.append(Cast(int(np.isin(shown, rows).sum()), inside, whole))
    return list(zip(drawn.scene.objects, found, strict=True))


def fractions(found: SceneObject) -> tuple[float, float, float]:
    return found.visible_fraction, found.occluded_fraction, found.truncated_fraction


@pytest.mark.parametrize(("seed", "number"), some_worlds(5, random_seed=3))
def test_areas_and_fractions_are_those_of_the_rays(seed, number):
    for found, rays in cast(Drawn.of(seed, number)):
        assert rays.inside.least <= found.inside_px <= rays.inside.most
        assert rays.whole.least <= found.whole_px <= rays.whole.most
        # Few samples lie so near a border that the rounding of corners decides.
        tolerance = 0.5 / math.sqrt(max(rays.inside.exact, 1))
        assert fractions(found) == pytest.approx(rays.fractions, abs=tolerance)


def test_fractions_are_right_on_average():
    pairs = [pair for number in range(1, 7) for pair in cast(Drawn.of(0, number))]
    off = np.array([np.subtract(fractions(found), rays.fractions) for found, rays in pairs])
    assert len(off) > 20
    assert np.abs(off).mean(axis=0).max() < 0.003
    assert np.abs(off.mean(axis=0)).max() < 0.002
