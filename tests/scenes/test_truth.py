"""The truth of rendered scenes, against rays cast at the same geometry and against drawing again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.scenes import truth
from boxlens.scenes.catalogue import KINDS
from boxlens.scenes.composing import Composite, colours, compose
from boxlens.scenes.drawing import FINENESS, Light, Sprite, draw
from boxlens.scenes.faces import SIDES
from boxlens.scenes.layout import Plan, Thing, plan_scene
from boxlens.scenes.masks import tight_box
from boxlens.scenes.models.model import Model, Paint
from boxlens.scenes.scene import Scene, render_scene
from oracles import ray_casting

if TYPE_CHECKING:
    from boxlens.scenes.truth import SceneObject

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.integers(1, 999_999)
CLEAR = Light((0, 0, 1), 0.5, (0, 0, 0), 1e12)  # a haze too thin to change a colour
BLACK, MARK = (0.0, 0.0, 0.0), (252.0, 0.0, 252.0)


@dataclass(frozen=True)
class Drawn:
    """A scene as it is rendered, and the steps on the way there."""

    scene: Scene
    plan: Plan
    things: tuple[Thing, ...]
    sprites: tuple[Sprite, ...]
    composite: Composite

    @classmethod
    def of(cls, seed: int, number: int, width_px: int = 160, height_px: int = 120) -> Drawn:
        plan = plan_scene(np.random.RandomState([seed, number]), width_px, height_px)
        drawn = [
            (thing, draw(thing.model, thing.place, plan.camera, plan.light))
            for thing in plan.things
        ]
        seen = [(thing, sprite) for thing, sprite in drawn if sprite is not None]
        owner = compose([sprite for _, sprite in seen], width_px, height_px).pixel_owner()
        kept = [
            (thing, sprite)
            for row, (thing, sprite) in enumerate(seen)
            if thing.class_row < 0 or (owner == row).sum() >= least_px(pixels_alone(sprite))
        ]
        sprites = tuple(sprite for _, sprite in kept)
        return cls(
            render_scene(seed, number, width_px, height_px),
            plan,
            tuple(thing for thing, _ in kept),
            sprites,
            compose(sprites, width_px, height_px),
        )

    def rows(self) -> list[list[int]]:
        """The things each object of the truth stands for: one, or all of a crowd."""
        labelled = [row for row, thing in enumerate(self.things) if thing.class_row >= 0]
        single = [[row] for row in labelled if self.things[row].crowd < 0]
        crowd = [row for row in labelled if self.things[row].crowd >= 0]
        return single + [crowd] * bool(crowd)

    def objects(self) -> list[tuple[SceneObject, Thing]]:
        """What is no crowd, with the thing it is."""
        pairs = zip(self.scene.objects, self.rows(), strict=True)
        return [(found, self.things[rows[0]]) for found, rows in pairs if not found.crowd]

    def label_at(self, row_px: int, column_px: int) -> tuple[int, str, str]:
        """Thing, part and side that a pixel shows."""
        owner = int(self.composite.pixel_owner()[row_px, column_px])
        if owner < 0:
            return (-1, "", "")
        sprite, face = self.sprites[owner], self.composite.pixel_face()[row_px, column_px]
        part = self.things[owner].model.parts[sprite.face_part[face]]
        return owner, part, SIDES[sprite.face_side[face]]


def pixels_alone(sprite: Sprite) -> int:
    return int((sprite.face_at[::FINENESS, ::FINENESS] >= 0).sum())


def least_px(whole_px: int) -> float:
    return max(truth.LEAST_PX, truth.LEAST_SHARE * whole_px)


def a_few(examples: int):
    return settings(max_examples=examples, deadline=None)


# --- against rays ---------------------------------------------------------------------------------


def test_borders_are_drawn_within_the_reach():
    """The one thing the ray caster must know of OpenCV: how far a filled polygon leaves its border."""
    random = np.random.RandomState(3)
    columns, rows = np.meshgrid(np.arange(80.0), np.arange(80.0))
    samples = np.stack([columns.ravel(), rows.ravel()], axis=1)
    for _ in range(600):
        angle = np.sort(random.uniform(0, 2 * math.pi, random.randint(3, 9)))
        ring = np.stack([np.cos(angle), np.sin(angle) * random.uniform(0.02, 1)], axis=1)
        turn = random.uniform(0, math.pi)
        turned = ring @ [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        outline = 40 + random.uniform(0, 1, 2) + turned * math.exp(random.uniform(-1, 3.5))
        drawn = np.zeros((80, 80), dtype=np.uint8)
        cv2.fillPoly(drawn, [np.rint(outline * 16).astype(np.int32)], 1, shift=4)
        inside = ray_casting.contains(outline, samples)
        distance = ray_casting.border_distance(outline, samples)
        wrong = (drawn.ravel() > 0) != inside
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


@a_few(8)
@given(seed=SEEDS, number=NUMBERS)
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
    assert np.mean(sure_things) > 0.8
    assert np.mean(sure_parts) > 0.7


@a_few(8)
@given(seed=SEEDS, number=NUMBERS)
def test_areas_and_fractions_are_those_of_the_rays(seed, number):
    drawn = Drawn.of(seed, number)
    camera = drawn.plan.camera
    solids = ray_casting.polygons(drawn.things, camera)
    shown = ray_casting.owners(solids, camera)
    for found, rows in zip(drawn.scene.objects, drawn.rows(), strict=True):
        own = [solid for solid in solids if solid.label.thing in rows]
        inside = ray_casting.area(own, camera, cut=True)
        whole = inside if found.crowd else ray_casting.area(own, camera, cut=False)
        assert inside.least <= found.inside_px <= inside.most
        assert whole.least <= found.whole_px <= whole.most
        # Borders as long as three times the thing is wide, each half a pixel too far out.
        tolerance = 1.5 / math.sqrt(whole.exact)
        visible = int(np.isin(shown, rows).sum())
        assert found.visible_fraction == pytest.approx(visible / whole.exact, abs=tolerance)
        assert found.occluded_fraction == pytest.approx(1 - visible / inside.exact, abs=tolerance)
        cut_off = 1 - inside.exact / whole.exact
        assert found.truncated_fraction == pytest.approx(cut_off, abs=tolerance)


# --- against drawing again ------------------------------------------------------------------------


def painted(model: Model, colour: tuple[float, float, float]) -> Model:
    paint = Paint(colour, "plain", 0, shaded=False)
    pieces = [replace(piece, paint=paint, face_colours=None) for piece in model.pieces]
    return replace(model, pieces=tuple(pieces))


def redrawn(drawn: Drawn, marked: list[int]) -> tuple[Composite, list[Sprite]]:
    """The same things, those marked in a colour nothing else has and the others black."""
    camera = drawn.plan.camera
    models = [
        painted(t.model, MARK if row in marked else BLACK) for row, t in enumerate(drawn.things)
    ]
    sprites = [
        draw(model, thing.place, camera, CLEAR)
        for model, thing in zip(models, drawn.things, strict=True)
    ]
    assert None not in sprites
    return compose(sprites, camera.width_px, camera.height_px), sprites


@a_few(10)
@given(seed=SEEDS, number=NUMBERS)
def test_a_mask_is_the_pixels_drawn_in_the_colour_of_its_object(seed, number):
    drawn = Drawn.of(seed, number)
    black = np.zeros((120, 160, 3), dtype=np.int16)
    for found, rows in zip(drawn.scene.objects, drawn.rows(), strict=True):
        composite, sprites = redrawn(drawn, rows)
        # A pixel's colour is the mean of its samples, its owner that of the first of them.
        share = colours(composite, sprites, black)[..., 0] / MARK[0]
        assert (share[found.mask] >= 0.25).all()
        assert (share[~found.mask] <= 0.75).all()
        first = np.zeros_like(composite.face_at, dtype=np.bool_)
        first[::FINENESS, ::FINENESS] = True
        alone = replace(composite, sprite_at=np.where(first, composite.sprite_at, np.int16(-1)))
        picture = colours(alone, sprites, black)
        assert np.array_equal(picture[..., 0] == MARK[0] / FINENESS**2, found.mask)
        assert np.array_equal(picture[..., 0] > 0, found.mask)


@a_few(10)
@given(seed=SEEDS, number=NUMBERS)
def test_an_object_taken_away_changes_the_picture_only_where_it_was(seed, number):
    drawn = Drawn.of(seed, number)
    camera = drawn.plan.camera
    backdrop = drawn.plan.setting.backdrop(np.random.RandomState(number), camera)
    picture = colours(drawn.composite, drawn.sprites, backdrop)
    for rows in drawn.rows():
        others = [sprite for row, sprite in enumerate(drawn.sprites) if row not in rows]
        without = colours(compose(others, camera.width_px, camera.height_px), others, backdrop)
        had = np.isin(drawn.composite.sprite_at, rows)
        had = had.reshape(120, FINENESS, 160, FINENESS).any(axis=(1, 3))
        assert np.array_equal(picture[~had], without[~had])


@a_few(15)
@given(seed=SEEDS, number=NUMBERS)
def test_parts_and_sides_are_counted_on_the_mask(seed, number):
    drawn = Drawn.of(seed, number)
    for found, thing in drawn.objects():
        labels = [drawn.label_at(row, column) for row, column in np.argwhere(found.mask).tolist()]
        parts, sides = [part for _, part, _ in labels], [side for _, _, side in labels]
        assert {name: seen for name, (seen, _) in found.part_px.items()} == {
            name: parts.count(name) for name in thing.model.parts
        }
        assert found.side_px == {
            name: sides.count(name)
            for name in SIDES
            if not (thing.model.turned and name in {"front", "rear"})
        }
        assert sum(alone for _, alone in found.part_px.values()) == found.whole_px
        assert all(seen <= alone for seen, alone in found.part_px.values())


# --- within itself --------------------------------------------------------------------------------


@a_few(40)
@given(seed=SEEDS, number=NUMBERS)
def test_the_truth_is_complete_and_agrees_with_itself(seed, number):
    drawn = Drawn.of(seed, number)
    owner = drawn.composite.pixel_owner()
    assert len(drawn.scene.objects) == len(drawn.rows())
    claimed = np.zeros_like(owner, dtype=np.int64)
    for found, rows in zip(drawn.scene.objects, drawn.rows(), strict=True):
        assert np.array_equal(found.mask, np.isin(owner, rows))
        assert {drawn.things[row].class_row for row in rows} == {found.class_row}
        claimed += found.mask
        assert found.box == tight_box(found.mask) == box_of(found.mask)
        assert found.visible_px == found.mask.sum()
        assert 0 < found.visible_px <= found.inside_px <= found.whole_px
        assert found.occlusion == level(found.occluded_fraction)
    # No pixel has two owners, and every labelled thing that shows anywhere has its object.
    labelled = [row for row, thing in enumerate(drawn.things) if thing.class_row >= 0]
    assert np.array_equal(claimed, np.isin(owner, labelled))
    for row in labelled:
        assert (owner == row).sum() >= least_px(pixels_alone(drawn.sprites[row]))


def box_of(mask: npt.NDArray[np.bool_]) -> tuple[int, int, int, int]:
    pixels = [
        (row, column)
        for row, line in enumerate(mask.tolist())
        for column, on in enumerate(line)
        if on
    ]
    top, left = min(row for row, _ in pixels), min(column for _, column in pixels)
    bottom, right = max(row for row, _ in pixels), max(column for _, column in pixels)
    return left, top, right + 1 - left, bottom + 1 - top


def level(occluded: float) -> str:
    """METHODS 2.4: none, then from 1, 10 and 50 %."""
    if occluded < 0.01:
        return "none"
    if occluded < 0.1:
        return "low"
    return "medium" if occluded < 0.5 else "high"


@a_few(40)
@given(seed=SEEDS, number=NUMBERS)
def test_attributes_follow_their_rules(seed, number):
    drawn = Drawn.of(seed, number)
    for found in drawn.scene.objects:
        if found.crowd:
            assert (found.parts, found.sides, found.pose) == ({}, {}, "Unspecified")
            assert not found.difficult
    for found, thing in drawn.objects():
        x, y, w, h = found.box
        at_edge = x == 0 or y == 0 or x + w == 160 or y + h == 120
        if found.occluded_fraction == 0:
            assert found.truncated_fraction == 0 or at_edge
        if not at_edge and found.truncated_fraction > 0:
            assert found.occluded_fraction > 0
        hidden = found.visible_px < 0.2 * found.whole_px
        assert found.difficult == (hidden or found.visible_px < 110)
        assert tuple(found.parts) == thing.model.parts
        assert any(found.sides.values())
        for name, (seen, alone) in found.part_px.items():
            assert found.parts[name] == (seen >= 4 and seen >= 0.25 * alone)
        for name, seen in found.side_px.items():
            assert found.sides[name] == (seen >= 4 and seen >= 0.08 * found.visible_px)


@a_few(40)
@given(seed=SEEDS, number=NUMBERS)
def test_poses_are_the_way_things_face_and_the_sides_they_show(seed, number):
    for found, thing in Drawn.of(seed, number).objects():
        if thing.model.turned:
            assert found.pose == "Unspecified"
            assert {"front", "rear"}.isdisjoint(found.sides)
            continue
        place = thing.place
        ahead = np.array([math.cos(place.yaw), math.sin(place.yaw)])
        view = np.array([place.x, place.y]) / math.hypot(place.x, place.y)
        away, to_right = float(ahead @ view), float(ahead @ [view[1], -view[0]])
        if abs(away) > abs(to_right):
            assert found.pose == ("Rear" if away > 0 else "Frontal")
        else:
            assert found.pose == ("Right" if to_right > 0 else "Left")
        if KINDS[thing.class_row].group == "vehicle" and abs(away) > math.cos(math.pi / 6):
            assert not found.sides["front" if away > 0 else "rear"]
            if found.occluded_fraction == found.truncated_fraction == 0:
                assert found.sides["rear" if away > 0 else "front"]
