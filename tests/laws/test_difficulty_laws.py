"""What must hold of difficulty, whatever the data (METHODS 3)."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import numpy as np

import boxlens
from boxlens.data import Images, concatenate, select_images
from laws.difficulty_worlds import (
    ACCURACIES,
    SCORES,
    any_seed,
    close,
    numbers,
    numbers_of,
    other_system,
    scene_of,
    windows_on,
    without_ties,
)
from oracles import difficulty_oracle as oracle
from oracles.convert import scene_to_tables
from oracles.model import Detection

# What does not matter.


@any_seed
def test_order_of_objects_and_detections_does_not_matter_without_ties(seed):
    scene = without_ties(scene_of(seed))
    rng = random.Random(seed)
    shuffled = replace(
        scene,
        objects=tuple(rng.sample(scene.objects, len(scene.objects))),
        detections=tuple(rng.sample(scene.detections, len(scene.detections))),
    )
    assert numbers_of(scene, alone=True) == close(numbers_of(shuffled, alone=True))


def renamed(scene, image, cls):
    """Images and classes under other ids, in their new order."""
    return replace(
        scene,
        images=tuple(sorted(map(image, scene.images))),
        classes=tuple(sorted(map(cls, scene.classes))),
        objects=tuple(replace(o, image=image(o.image), cls=cls(o.cls)) for o in scene.objects),
        detections=tuple(
            replace(d, image=image(d.image), cls=cls(d.cls)) for d in scene.detections
        ),
        frequency={cls(c): mark for c, mark in scene.frequency.items()},
        parents={cls(c): tuple(map(cls, above)) for c, above in scene.parents.items()},
    )


@any_seed
def test_order_and_ids_of_images_do_not_matter_without_ties(seed):
    scene = without_ties(scene_of(seed))
    backwards = renamed(scene, lambda image: -3 * image, lambda cls: cls)
    assert numbers_of(scene, alone=True) == close(numbers_of(backwards, alone=True))


@any_seed
def test_order_and_ids_of_classes_do_not_matter_without_ties(seed):
    scene = without_ties(scene_of(seed))
    backwards = renamed(scene, lambda image: image, lambda cls: 10**4 - cls)
    new_name = {f"class {cls}": f"class {10**4 - cls}" for cls in scene.classes}
    before = numbers_of(scene, alone=True).items()
    expected = {tuple(new_name.get(part, part) for part in key): value for key, value in before}
    assert numbers_of(backwards, alone=True) == close(expected)


def scaled(dataset, tables, factors):
    """Every image with its boxes at another resolution."""
    images = dataset.images
    larger, _ = Images.of(
        images.id, images.width_px * factors, images.height_px * factors, images.file_name
    )
    gt = replace(dataset.gt, box=dataset.gt.box * factors[dataset.gt.image_row, None])
    boxes = [table.box * factors[table.image_row, None] for table in tables]
    found = [replace(table, box=box) for table, box in zip(tables, boxes, strict=True)]
    return replace(dataset, images=larger, gt=gt), found


@any_seed
def test_resolution_of_an_image_matters_only_for_gaps(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    # Powers of two leave every rounding as it was.
    factors = np.random.default_rng(seed).choice([0.5, 1.0, 2.0, 8.0], len(dataset.images))
    larger, (found,) = scaled(dataset, [detections], factors)
    windows = windows_on(dataset, seed)
    image_row = np.repeat(np.arange(windows.n_images), np.diff(windows.offsets))
    rescaled = replace(windows, box=windows.box * factors[image_row, None])
    for gap in (0.0, 16.0):
        results = [
            boxlens.difficulty(a, [b], windows=c, gap_px=gap)
            for a, b, c in ((dataset, detections, windows), (larger, found, rescaled))
        ]
        before, after = (
            {key: v for key, v in numbers(result).items() if not gap or key[-1] != "neighbours"}
            for result in results
        )
        assert repr(before) == repr(after)


@any_seed
def test_cutting_by_image_and_joining_changes_nothing(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    chosen = np.random.default_rng(seed).random(len(dataset.images)) < 0.5
    parts = [select_images(dataset, detections, images) for images in (~chosen, chosen)]
    joined, found = concatenate(parts)
    whole = boxlens.difficulty(dataset, [detections])
    assert repr(numbers(boxlens.difficulty(joined, [found]))) == repr(numbers(whole))
    halves = [numbers_and_sizes(part, table) for part, table in parts]
    for key, (value, weight) in numbers_and_sizes(dataset, detections).items():
        total = sum(half[key][0] * half[key][1] for half in halves if half[key][1])
        assert not weight or value * weight == close(total), key


def numbers_and_sizes(dataset, detections):
    """Means over images or objects of a class, and over how many."""
    result = boxlens.difficulty(dataset, [detections])
    found = {}
    for one, scored in zip(result.datasets[0].classes, result.systems[0].classes, strict=True):
        found[one.name, "instances_per_image"] = one.instances_per_image, one.n_images
        found[one.name, "neighbours"] = one.neighbours, one.n_objects
        found[one.name, "scale"] = one.scale, one.n_objects
        found |= {(one.name, name): (scored.scores[name], one.n_images) for name in ACCURACIES}
    return found


# Scores of systems.


def nowhere_lower(after, before):
    """Columns of classes: undefined in the same places, and nowhere lower."""
    for new, old in zip(after, before, strict=True):
        assert math.isnan(new) == math.isnan(old)
        assert not new < old - 1e-12


def column(system, name):
    return [one.scores[name] for one in system.classes]


@any_seed
def test_together_systems_are_nowhere_worse_than_one_of_them(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    systems = [detections, other_system(detections, len(dataset.classes), seed)]
    result = boxlens.difficulty(dataset, systems)
    for system in result.systems:
        for name in ACCURACIES:
            nowhere_lower(column(result.upper_bound, name), column(system, name))
            nowhere_lower([result.upper_bound.scores[name]], [system.scores[name]])
    for name in set(SCORES) - set(ACCURACIES):
        assert all(map(math.isnan, column(result.upper_bound, name))), name
    for system in (*result.systems, result.upper_bound):
        nowhere_lower(column(system, "cls"), column(system, "cls_loc"))


@any_seed
def test_levels_never_lower_a_score_and_begin_with_the_exact_one(seed):
    dataset, detections = scene_to_tables(scene_of(seed, n_classes=7))
    table = other_system(detections, len(dataset.classes), seed)
    result = boxlens.difficulty(dataset, [table])
    levels = result.levels
    assert [row.level for row in levels] == list(range(len(levels)))
    for name in SCORES:
        exact = column(result.systems[0], name)
        assert levels[0].class_scores[name].tolist() == close(exact)
        assert levels[0].scores[name] == close(result.systems[0].scores[name])
    for before, after in itertools.pairwise(levels):
        assert after.n_accepted >= before.n_accepted or math.isnan(before.n_accepted)
        for name in (*ACCURACIES, "ap"):
            nowhere_lower(after.class_scores[name].tolist(), before.class_scores[name].tolist())
            nowhere_lower([after.scores[name]], [before.scores[name]])


@any_seed
def test_a_perfect_system_is_right_everywhere(seed):
    scene = scene_of(seed, zero_size=0)
    wanted = [obj for obj in scene.objects if oracle.counts(obj)]
    found = tuple(Detection(obj.image, obj.cls, obj.box, 0.5) for obj in wanted)
    dataset, detections = scene_to_tables(replace(scene, detections=found))
    system = boxlens.difficulty(dataset, [detections], top_k=1000).systems[0]
    for cls, one in zip(scene.classes, system.classes, strict=True):
        expected = 1.0 if any(obj.cls == cls for obj in wanted) else math.nan
        assert one.scores == close(dict.fromkeys(SCORES, expected))
