"""Two detectors over one fuzzed scene, as plain values and as tables."""

from __future__ import annotations

from dataclasses import replace

from cases import random_scene
from oracles.convert import scene_to_tables


def several_systems(seed, n_systems=2, **knobs):
    """The scene, and its detections dealt out; every third goes to all of them."""
    scene = random_scene(seed, n_detections=24, federated=False, **knobs)
    systems = [
        [det for i, det in enumerate(scene.detections) if i % 3 == 0 or i % n_systems == s]
        for s in range(n_systems)
    ]
    return replace(scene, negative=None, positive=None, not_exhaustive=None), systems


def tables_of(scene, systems):
    dataset, _ = scene_to_tables(scene)
    tables = [scene_to_tables(replace(scene, detections=tuple(s)))[1] for s in systems]
    return dataset, [replace(table, name=f"system {row}") for row, table in enumerate(tables)]
