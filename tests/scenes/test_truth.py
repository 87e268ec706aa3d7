"""The truth of rendered scenes, against drawing them again and against its own rules."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from hypothesis import given

from boxlens.scenes.catalogue import KINDS
from boxlens.scenes.composing import Composite, colours, compose
from boxlens.scenes.drawing import FINENESS, Light, Sprite, draw
from boxlens.scenes.faces import SIDES
from boxlens.scenes.masks import tight_box
from boxlens.scenes.models.model import Model, Paint
from drawn_scenes import NUMBERS, SEEDS, Drawn, a_few, least_px, pixels_alone

CLEAR = Light((0, 0, 1), 0.5, (0, 0, 0), 1e12)  # a haze too thin to change a colour
BLACK, MARK = (0.0, 0.0, 0.0), (252.0, 0.0, 252.0)


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
            if found.visible_fraction == 1 and found.visible_px > 300:
                assert found.sides["rear" if away > 0 else "front"]
