"""Random worlds to diagnose, the demo set in memory, and errors planted on both."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

import boxlens
from boxlens.data import Dataset, Detections
from boxlens.scenes.plant import Recipe
from cases import random_scene
from oracles.convert import scene_to_tables

DEMO = files("boxlens") / "demo"
# Each kind in a number of its own; detections touch no object but theirs.
EVERY_ERROR = Recipe(
    miss=30,
    mislocalise=40,
    confuse_similar=20,
    confuse_dissimilar=25,
    both_similar=10,
    both_dissimilar=15,
    duplicate=50,
    background=100,
    isolated=True,
)


def random_world(seed: int, **knobs: Any) -> tuple[Dataset, Detections, list[list[str]]]:
    """A fuzzed scene and groups of classes drawn at random: none, some, or some that share one."""
    dataset, detections = scene_to_tables(random_scene(seed, **knobs))
    rng = np.random.default_rng(seed)
    names = np.array(dataset.classes.name)
    groups = [
        rng.choice(names, rng.integers(0, len(names) + 1), replace=False).tolist()
        for _ in range(rng.integers(0, 4))
    ]
    return dataset, detections, groups


@cache
def demo_dataset() -> Dataset:
    return boxlens.read_dataset(DEMO / "ground_truth.json.gz")


@cache
def demo_detections(name: str = "window") -> Detections:
    return boxlens.read_detections(DEMO / f"{name}.json.gz", demo_dataset())


def demo_records(name: str) -> Any:
    """What is in a file of the demo, to be changed at will."""
    return json.loads(gzip.decompress((DEMO / f"{name}.json.gz").read_bytes()))


def nothing_of(table):
    """A data set without objects, or detections without rows."""
    rows = table.gt if isinstance(table, Dataset) else table
    return table.where(np.zeros(len(rows), dtype=np.bool_))


def told(result) -> Any:
    """Its JSON, in which undefined is null."""
    return json.loads(json.dumps(result.to_json(), allow_nan=False))


def codes(result) -> list[str]:
    return [notice.code for notice in result.notices]
