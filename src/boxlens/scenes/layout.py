"""What stands where: one scene's plan, drawn from a seed before anything is rendered."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from boxlens.scenes.camera import Camera
from boxlens.scenes.catalogue import KINDS, ROW_OF_NAME
from boxlens.scenes.drawing import Light
from boxlens.scenes.faces import Place
from boxlens.scenes.models.model import Model, Random
from boxlens.scenes.settings import SETTINGS, Setting

# Wished sizes of labelled objects in a picture 480 pixels wide.
_SIZE_PX = (24.0, 210.0)
_CROWD_SIZE_PX = (15.0, 30.0)
_TRIES = 12


@dataclass(frozen=True, slots=True)
class Thing:
    """A model at its place. Clutter has no class; members of a crowd share its number."""

    model: Model
    place: Place
    class_row: int = -1
    crowd: int = -1

    @property
    def radius(self) -> float:
        """Of the ground it needs for itself."""
        length, width, _ = self.model.extent
        return 0.36 * math.hypot(length, width)


@dataclass(frozen=True, slots=True)
class Plan:
    """A scene before it is drawn."""

    setting: Setting
    camera: Camera
    light: Light
    things: tuple[Thing, ...]


def plan_scene(random: Random, width_px: int, height_px: int) -> Plan:
    weights = np.array([setting.weight for setting in SETTINGS])
    setting = SETTINGS[_drawn(random, weights)]
    camera = Camera(
        width_px,
        height_px,
        focal_px=width_px * random.uniform(*setting.focal),
        height=random.uniform(*setting.camera_height),
        pitch=random.uniform(*setting.pitch),
    )
    layout = _Layout(random, setting, camera, [])
    layout.add_clutter(random.randint(0, 4))
    layout.add_objects(3 + random.poisson(5))
    if random.random_sample() < setting.crowd_share:
        layout.add_crowd()
    return Plan(setting, camera, _light(random, setting), tuple(layout.things))


def _light(random: Random, setting: Setting) -> Light:
    azimuth = random.uniform(0, 2 * math.pi)
    rise = random.uniform(0.5, 1.2)
    direction = (
        math.cos(azimuth) * math.cos(rise),
        math.sin(azimuth) * math.cos(rise),
        math.sin(rise),
    )
    if setting.outdoors:
        return Light(
            direction, random.uniform(0.5, 0.75), (200, 212, 222), random.uniform(120, 400)
        )
    return Light(direction, random.uniform(0.6, 0.8), (190, 185, 178), 200)


@dataclass(frozen=True, slots=True)
class _Layout:
    """A plan as it grows."""

    random: Random
    setting: Setting
    camera: Camera
    things: list[Thing]

    def add_clutter(self, count: int) -> None:
        builders = self.setting.clutter
        for _ in range(count):
            model = builders[self.random.randint(len(builders))](self.random)
            self._try(model, -1, (40.0, 260.0))

    def add_objects(self, count: int) -> None:
        names = tuple(self.setting.classes)
        weights = np.array([self.setting.classes[name] for name in names])
        for _ in range(count):
            name = names[_drawn(self.random, weights)]
            model = KINDS[ROW_OF_NAME[name]].build(self.random)
            if name in self.setting.on_top and self.random.random_sample() < 0.75:
                thing = self._on_top(model, ROW_OF_NAME[name])
                if thing is not None:
                    self.things.append(thing)
                    continue
            self._try(model, ROW_OF_NAME[name], _SIZE_PX)

    def add_crowd(self) -> None:
        """Many of one class close together, far enough to be hard to tell apart."""
        names = self.setting.crowds
        row = ROW_OF_NAME[names[self.random.randint(len(names))]]
        models = [KINDS[row].build(self.random) for _ in range(4)]
        centre = self._free_place(models[0], _CROWD_SIZE_PX)
        if centre is None:
            return
        step = 0.75 * max(models[0].extent[:2])
        for member in range(self.random.randint(8, 15)):
            x = centre.x + (member % 4 - 1.5) * step + self.random.normal(0, step / 5)
            y = centre.y + (member // 4) * step + self.random.normal(0, step / 5)
            place = replace(centre, x=x, y=y, yaw=centre.yaw + self.random.normal(0, 0.35))
            model = models[self.random.randint(len(models))]
            self.things.append(Thing(model, place, row, crowd=0))

    def _try(self, model: Model, class_row: int, size_px: tuple[float, float]) -> None:
        place = self._free_place(model, size_px)
        if place is not None:
            self.things.append(Thing(model, place, class_row))

    def _free_place(self, model: Model, size_px: tuple[float, float]) -> Place | None:
        for _ in range(_TRIES):
            place = self._some_place(model, size_px)
            row_px = self.camera.project(np.array([[place.x, place.y, 0.0]]))[0][0, 1]
            if row_px < 1.12 * self.camera.height_px and self._has_room(Thing(model, place)):
                return place
        return None

    def _has_room(self, thing: Thing) -> bool:
        """Among what stands on the ground, or on top of something, as it does itself."""
        place = thing.place
        return all(
            math.hypot(place.x - other.place.x, place.y - other.place.y)
            > thing.radius + other.radius
            for other in self.things
            if (other.place.z > 0) == (place.z > 0)
        )

    def _some_place(self, model: Model, size_px: tuple[float, float]) -> Place:
        """A distance that gives a size drawn from the range, anywhere across the picture.

        One in four stands before or behind something: objects hide one another more often than
        chance would have it.
        """
        low, high = (math.log(size * self.camera.width_px / 480) for size in size_px)
        wished_px = math.exp(self.random.uniform(low, high))
        depth = self.camera.focal_px * max(model.extent) / wished_px
        depth = min(max(depth, self.setting.near), self.setting.far)
        side = self.random.uniform(-0.06, 1.06) - 0.5
        if self.things and self.random.random_sample() < 0.25:
            other = self.things[self.random.randint(len(self.things))].place
            side = other.x / other.y * self.camera.focal_px / self.camera.width_px
            side += self.random.normal(0, 0.05)
        x = side * self.camera.width_px / self.camera.focal_px * depth
        return Place(x, depth, yaw=self.random.uniform(-math.pi, math.pi))

    def _on_top(self, model: Model, class_row: int) -> Thing | None:
        """On a table, stool or crate, not into what stands there already."""
        tables = [thing for thing in self.things if thing.model.stands_at is not None]
        for _ in range(_TRIES if tables else 0):
            table = tables[self.random.randint(len(tables))]
            height = table.model.stands_at or 0.0
            reach = 0.32 * min(table.model.extent[:2])
            thing = Thing(
                model,
                Place(
                    table.place.x + self.random.uniform(-reach, reach),
                    table.place.y + self.random.uniform(-reach, reach),
                    height,
                    self.random.uniform(-math.pi, math.pi),
                ),
                class_row,
            )
            if self._has_room(thing):
                return thing
        return None


def _drawn(random: Random, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    return int(np.searchsorted(np.cumsum(weights), random.random_sample() * weights.sum(), "right"))
