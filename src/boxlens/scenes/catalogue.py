"""The labelled classes of the world, their groups of look-alikes and the tree above them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from boxlens.data import Classes
from boxlens.data.classes import ClassTree
from boxlens.scenes.models import furniture, small_things
from boxlens.scenes.models.heavy_vehicles import bus, truck
from boxlens.scenes.models.light_vehicles import car, van
from boxlens.scenes.models.livestock import cow, sheep
from boxlens.scenes.models.model import Model, Random
from boxlens.scenes.models.pets import cat, dog

Builder = Callable[[Random], Model]


@dataclass(frozen=True, slots=True)
class Kind:
    """A class: its name, its path in the tree from the group down, and how one is made."""

    name: str
    group: str
    family: str | None
    build: Builder


KINDS: tuple[Kind, ...] = (
    Kind("car", "vehicle", "light vehicle", car),
    Kind("van", "vehicle", "light vehicle", van),
    Kind("bus", "vehicle", "heavy vehicle", bus),
    Kind("truck", "vehicle", "heavy vehicle", truck),
    Kind("dog", "animal", "pet", dog),
    Kind("cat", "animal", "pet", cat),
    Kind("sheep", "animal", "livestock", sheep),
    Kind("cow", "animal", "livestock", cow),
    Kind("chair", "furniture", "seat", furniture.chair),
    Kind("stool", "furniture", "seat", furniture.stool),
    Kind("sofa", "furniture", "seat", furniture.sofa),
    Kind("table", "furniture", None, furniture.table),
    Kind("bottle", "small thing", "vessel", small_things.bottle),
    Kind("vase", "small thing", "vessel", small_things.vase),
    Kind("cup", "small thing", "vessel", small_things.cup),
    Kind("ball", "small thing", None, small_things.ball),
)
ROW_OF_NAME = {kind.name: row for row, kind in enumerate(KINDS)}
ROOT = "thing"


def classes() -> Classes:
    """The classes as a table: ids from 1, groups as supercategories, and the tree."""
    ids = list(range(1, len(KINDS) + 1))
    parents: dict[int | str, tuple[int | str, ...]] = {}
    for class_id, kind in zip(ids, KINDS, strict=True):
        parents[class_id] = (kind.family or kind.group,)
        if kind.family:
            parents[kind.family] = (kind.group,)
        parents[kind.group] = (ROOT,)
    return Classes.of(
        ids,
        [kind.name for kind in KINDS],
        supercategory=[kind.group for kind in KINDS],
        tree=ClassTree(parents),
    )
