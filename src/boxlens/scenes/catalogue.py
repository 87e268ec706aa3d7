"""The labelled classes of the world, their groups of look-alikes and the tree above them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from boxlens.data import Classes
from boxlens.data.classes import ClassTree
from boxlens.scenes.models import animals, furniture, small_things, vehicles
from boxlens.scenes.models.model import Model, Random

Builder = Callable[[Random], Model]


@dataclass(frozen=True, slots=True)
class Kind:
    """A class: its name, its path in the tree from the group down, and how one is made."""

    name: str
    group: str
    family: str | None
    build: Builder


KINDS: tuple[Kind, ...] = (
    Kind("car", "vehicle", "light vehicle", vehicles.car),
    Kind("van", "vehicle", "light vehicle", vehicles.van),
    Kind("bus", "vehicle", "heavy vehicle", vehicles.bus),
    Kind("truck", "vehicle", "heavy vehicle", vehicles.truck),
    Kind("dog", "animal", "pet", animals.dog),
    Kind("cat", "animal", "pet", animals.cat),
    Kind("sheep", "animal", "livestock", animals.sheep),
    Kind("cow", "animal", "livestock", animals.cow),
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
