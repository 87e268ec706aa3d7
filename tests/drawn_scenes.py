"""A rendered scene together with the steps on the way there, for tests that look behind a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from boxlens.scenes import truth
from boxlens.scenes.composing import Composite, compose
from boxlens.scenes.drawing import FINENESS, Sprite, draw
from boxlens.scenes.faces import SIDES
from boxlens.scenes.layout import Plan, Thing, plan_scene
from boxlens.scenes.scene import SMALLEST_CROWD, Scene, render_scene
from boxlens.scenes.truth import SceneObject

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.integers(1, 999_999)


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
        if sum(thing.crowd >= 0 for thing, _ in kept) < SMALLEST_CROWD:
            kept = [(replace(thing, crowd=-1), sprite) for thing, sprite in kept]
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
    """Fixed examples: a random world must not decide whether the tests pass."""
    return settings(max_examples=examples)
