"""What must hold of difficulty, whatever the data (METHODS 3)."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boxlens
from boxlens import DifficultyChoice
from boxlens.data import Images, concatenate, select_images
from boxlens.data.windows import Windows
from boxlens.dataset_difficulty import MEASURE_NAMES
from cases import random_scene
from oracles import difficulty_oracle as oracle
from oracles.convert import scene_to_tables
from oracles.model import Detection

ACCURACIES = ("cls", "cls_loc")
SCORES = (*ACCURACIES, "loc_given_cls", "ap")
ROW_KEYS = {"class", "n_images", "n_objects", *MEASURE_NAMES}


def any_seed(test):
    """The law holds for the scene of every seed; the same seeds are tried in every run."""
    tried = settings(max_examples=20, deadline=None, derandomize=True)
    return tried(given(seed=st.integers(0, 2**32 - 1))(test))


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


def scene_of(seed, **knobs):
    return random_scene(seed, **{"n_images": 7, "n_objects": 8, "federated": False, **knobs})


def without_ties(scene):
    """No two scores alike, and no two boxes in one place."""
    rng = random.Random(0)
    scores = rng.sample(range(1, 10**6), len(scene.detections))

    def moved(item):
        x, y, w, h = item.box
        return replace(item, box=(x + rng.random(), y + rng.random(), w, h))

    return replace(
        scene,
        objects=tuple(map(moved, scene.objects)),
        detections=tuple(
            replace(moved(det), score=score / 10**6)
            for det, score in zip(scene.detections, scores, strict=True)
        ),
    )


def windows_on(dataset, seed, n=12):
    """In every image some windows near objects, the first of them rarely right."""
    rng = random.Random(seed)
    image_row = [image for image in range(len(dataset.images)) for _ in range(n)]
    boxes = dataset.gt.box.tolist() or [[0.0, 0.0, 9.0, 9.0]]
    box = [rng.choice(boxes) for _ in image_row]
    return Windows.of("near", len(dataset.images), image_row=image_row, box=box)


def other_system(detections, n_classes, seed=0):
    """The same boxes, a third of them under any label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, len(detections))
    wrong = rng.random(len(detections)) < 1 / 3
    label = np.where(wrong, labels, detections.class_row).astype(np.int32)
    return replace(detections, name="other", class_row=label)


def numbers(result):
    """Every number of classes, systems and levels, by names: comparable across orders and ids."""
    found = {}
    for one in result.datasets[0].classes:
        found |= {(one.name, name): one.value(name) for name in MEASURE_NAMES}
    bound = () if result.upper_bound is None else (result.upper_bound,)
    for system in (*result.systems, *bound):
        for one in system.classes:
            found |= {(system.name, one.name, name): one.scores[name] for name in SCORES}
    names = [one.name for one in result.datasets[0].classes]
    for row in result.levels:
        for name in SCORES:
            values = zip(names, row.class_scores[name].tolist(), strict=True)
            found |= {(row.system, row.level, cls, name): value for cls, value in values}
    return found


def numbers_of(scene, **choice):
    dataset, detections = scene_to_tables(scene)
    systems = [detections, other_system(detections, len(dataset.classes))]
    systems = systems[:1] if choice.pop("alone", False) else systems
    return numbers(
        boxlens.difficulty(dataset, detections=systems, choice=DifficultyChoice(**choice))
    )


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
        choice = DifficultyChoice(gap_px=gap)
        results = [
            boxlens.difficulty(a, detections=[b], windows=c, choice=choice)
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
    whole = boxlens.difficulty(dataset, detections=[detections])
    assert repr(numbers(boxlens.difficulty(joined, detections=[found]))) == repr(numbers(whole))
    halves = [numbers_and_sizes(part, table) for part, table in parts]
    for key, (value, weight) in numbers_and_sizes(dataset, detections).items():
        total = sum(half[key][0] * half[key][1] for half in halves if half[key][1])
        assert not weight or value * weight == close(total), key


def numbers_and_sizes(dataset, detections):
    """Means over images or objects of a class, and over how many."""
    result = boxlens.difficulty(dataset, detections=[detections])
    found = {}
    for one, scored in zip(result.datasets[0].classes, result.systems[0].classes, strict=True):
        found[one.name, "instances_per_image"] = one.instances_per_image, one.n_images
        found[one.name, "neighbours"] = one.neighbours, one.n_objects
        found[one.name, "scale"] = one.scale, one.n_objects
        found |= {(one.name, name): (scored.scores[name], one.n_images) for name in ACCURACIES}
    return found


def test_any_number_of_threads_gives_identical_bits():
    several = [scene_of(seed) for seed in range(4)]
    several.append(random_scene(8, n_images=300, n_objects=9, n_detections=6, federated=False))
    for scene in several:
        dataset, detections = scene_to_tables(scene)
        inputs = {"detections": [detections], "windows": windows_on(dataset, 0)}
        results = [boxlens.difficulty(dataset, **inputs, threads=n).to_json() for n in (1, 2)]
        assert json.dumps(results[0]["results"]) == json.dumps(results[1]["results"])


def test_inputs_stay_unchanged():
    for seed in range(5):
        dataset, detections = scene_to_tables(scene_of(seed))
        windows = windows_on(dataset, seed)
        before = pickle.dumps((dataset, detections, windows))
        boxlens.difficulty(dataset, detections=[detections, detections], windows=windows)
        assert pickle.dumps((dataset, detections, windows)) == before


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
    result = boxlens.difficulty(dataset, detections=systems)
    for system in result.systems:
        for name in ACCURACIES:
            nowhere_lower(column(result.upper_bound, name), column(system, name))
            nowhere_lower([result.upper_bound.scores[name]], [system.scores[name]])
    for name in set(SCORES) - set(ACCURACIES):
        assert all(map(math.isnan, column(result.upper_bound, name))), name
    for system in (*result.systems, result.upper_bound):
        nowhere_lower(column(system, "cls"), column(system, "cls_loc"))


@any_seed
def test_a_systems_guesses_twice_change_nothing(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    twin = replace(detections, name="twin")
    result = boxlens.difficulty(dataset, detections=[detections, twin])
    rows = np.repeat(np.arange(len(detections)), 2)
    columns = ("image_row", "class_row", "box", "score")
    doubled = type(detections).of(
        "twice", len(dataset.images), **{name: getattr(detections, name)[rows] for name in columns}
    )
    choice = DifficultyChoice(top_k=10)
    twice = boxlens.difficulty(dataset, detections=[doubled], choice=choice).systems[0]
    for name in SCORES[:3]:
        once = column(result.systems[0], name)
        assert repr(column(twice, name)) == repr(once)
        if name in ACCURACIES:
            assert repr(column(result.upper_bound, name)) == repr(once)


@any_seed
def test_levels_never_lower_a_score_and_begin_with_the_exact_one(seed):
    dataset, detections = scene_to_tables(scene_of(seed, n_classes=7))
    table = other_system(detections, len(dataset.classes), seed)
    result = boxlens.difficulty(dataset, detections=[table])
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
def test_more_guesses_never_harm_and_a_stricter_overlap_never_helps(seed):
    dataset, detections = scene_to_tables(scene_of(seed))

    def scores(name, **choice):
        chosen = DifficultyChoice(**choice)
        return column(
            boxlens.difficulty(dataset, detections=[detections], choice=chosen).systems[0], name
        )

    nowhere_lower(scores("cls", top_k=3), scores("cls", top_k=1))
    nowhere_lower(scores("cls_loc", top_k=200), scores("cls_loc", top_k=3))
    nowhere_lower(scores("cls_loc", iou=0.3), scores("cls_loc", iou=0.6))
    nowhere_lower(scores("cls", top_k=3, one_a_class=True), scores("cls", top_k=3))


@any_seed
def test_a_perfect_system_is_right_everywhere(seed):
    scene = scene_of(seed, zero_size=0)
    wanted = [obj for obj in scene.objects if oracle.counts(obj)]
    found = tuple(Detection(obj.image, obj.cls, obj.box, 0.5) for obj in wanted)
    dataset, detections = scene_to_tables(replace(scene, detections=found))
    choice = DifficultyChoice(top_k=1000)
    system = boxlens.difficulty(dataset, detections=[detections], choice=choice).systems[0]
    for cls, one in zip(scene.classes, system.classes, strict=True):
        expected = 1.0 if any(obj.cls == cls for obj in wanted) else math.nan
        assert one.scores == close(dict.fromkeys(SCORES, expected))


# Measures.


@any_seed
def test_chance_localization_is_a_share_and_one_where_all_boxes_are_equal(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    for one in boxlens.difficulty(dataset).datasets[0].classes:
        assert math.isnan(one.cpl) if one.n_objects < 2 else 0 <= one.cpl <= 1
    same = np.tile(dataset.images.width_px[dataset.gt.image_row, None] * 0.25, (1, 4))
    equal = replace(dataset, gt=replace(dataset.gt, box=same))
    for one in boxlens.difficulty(equal).datasets[0].classes:
        assert math.isnan(one.cpl) if one.n_objects < 2 else one.cpl == 1


@any_seed
def test_relabelled_as_one_class_all_objects_have_the_chance_localization_of_the_union(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    union = replace(dataset, gt=replace(dataset.gt, class_row=np.zeros_like(dataset.gt.class_row)))
    world = oracle.world_of(dataset)
    boxes = [oracle.relative(world, obj) for obj in world.objects if oracle.counts(obj)]
    together = boxlens.difficulty(union).datasets[0].classes[0]
    assert together.n_objects == len(boxes)
    assert together.cpl == close(oracle.chance_localization(boxes))


@any_seed
def test_no_measure_depends_on_the_overlap_that_counts_as_right(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    windows = windows_on(dataset, seed)
    # METHODS 3.5 and 3.6: chance localization and clutter ask for a half.
    half, *others = (
        numbers(boxlens.difficulty(dataset, windows=windows, choice=DifficultyChoice(iou=iou)))
        for iou in (0.5, 0.3, 0.9)
    )
    assert all(repr(other) == repr(half) for other in others)


@any_seed
def test_neighbours_are_mutual_and_grow_with_the_gap(seed):
    dataset, _ = scene_to_tables(scene_of(seed, n_classes=2))
    before = [0.0] * len(dataset.classes)
    for gap in (0.0, 8.0, 100.0, 1e6):
        choice = DifficultyChoice(gap_px=gap)
        for row, one in enumerate(boxlens.difficulty(dataset, choice=choice).datasets[0].classes):
            if one.n_objects:
                total = one.neighbours * one.n_objects
                assert total == close(2 * round(total / 2))
                assert one.neighbours >= before[row]
                before[row] = one.neighbours


@any_seed
def test_further_windows_at_the_end_never_raise_clutter(seed):
    dataset, _ = scene_to_tables(scene_of(seed))
    many = windows_on(dataset, seed)
    before = [math.log2(1001)] * len(dataset.classes)
    for n in (1, 2, 5, 12):
        classes = boxlens.difficulty(dataset, windows=many.limited(n)).datasets[0].classes
        for row, one in enumerate(classes):
            if one.n_images:
                assert 0 <= one.clutter <= before[row]
                before[row] = one.clutter


@any_seed
def test_json_has_no_nan_and_rows_of_classes_their_keys(seed):
    dataset, detections = scene_to_tables(scene_of(seed))
    windows = windows_on(dataset, seed)
    for more in ({}, {"detections": [detections], "windows": windows}):
        result = boxlens.difficulty(dataset, **more)
        told = json.loads(json.dumps(result.to_json(), allow_nan=False))["results"]
        assert len(told["classes"]) == len(dataset.classes)
        assert all(row.keys() >= ROW_KEYS for row in told["classes"])
        assert {"classes", "dataset", "levels", "correlations"} <= told.keys()
