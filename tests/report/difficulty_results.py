"""Results of an analysis of difficulty, made up: measures and scores drawn from laws with a seed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Notice
from boxlens.data.class_properties import ClassProperties
from boxlens.metrics.results import Provenance
from boxlens.studies.difficulty.accuracy import SCORES, ClassAccuracy, SystemAccuracy
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_groups import score_properties
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    WindowsUsed,
    mean_of_defined,
)
from boxlens.studies.difficulty.correlations import correlate
from boxlens.studies.difficulty.cumulative import cumulate
from boxlens.studies.difficulty.levels import LevelScores, NodeScores
from boxlens.studies.difficulty.matched_subset import matched_subset
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from boxlens.studies.difficulty.result import DifficultyResult

NASTY_CLASSES = (
    "<script>alert('ring')</script>",
    '"ladder" & \\co',
    "Keil ✓ 楔",
    "the same",
    "the same",
    "a class whose name is far longer than any axis has room for, and then some " * 2,
)
KINDS = ("man-made", "natural")
SIZES = ("small", "middle", "large")
NESTED = (("kind", "real-world size"),)


def dataset_of(
    name, n_classes=80, *, seed=0, clutter=True, class_names=None, empty=(), ease=1.0
) -> DatasetDifficulty:
    """`empty` are rows of classes without objects."""
    rng = np.random.default_rng(seed)
    names = class_names or tuple(f"class {row}" for row in range(n_classes))
    classes = []
    for row, one in enumerate(names):
        scale = float(np.clip(ease * rng.lognormal(-2.3, 0.9), 0.002, 0.9))
        cpl = float(np.clip(0.8 * scale + rng.normal(0, 0.02), 0.0005, 1))
        instances = 1 + float(rng.exponential(0.9))
        found = {
            "instances_per_image": instances,
            "neighbours": 0.3 * (instances - 1) * float(rng.random()),
            "scale": scale,
            "cpl": cpl,
            "clutter": float(np.clip(2.5 - 2 * np.log2(scale + 0.05) + rng.normal(0, 0.8), 0, 9.9))
            if clutter
            else np.nan,
        }
        n_images = int(rng.integers(5, 900))
        if row in empty:
            found, n_images = dict.fromkeys(MEASURE_NAMES, np.nan), 0
        n_objects = 0 if row in empty else round(n_images * found["instances_per_image"])
        classes.append(
            ClassDifficulty(one, n_images, n_objects, **found, n_images_searched=n_images * clutter)
        )
    values = {key: [one.value(key) for one in classes] for key in MEASURE_NAMES}
    return DatasetDifficulty(
        name,
        5000,
        sum(one.n_objects for one in classes),
        446,
        tuple(classes),
        {key: mean_of_defined(found) for key, found in values.items()},
        {key: int(np.count_nonzero(~np.isnan(found))) for key, found in values.items()},
        WindowsUsed("edge_boxes", 1000, 5000, 3_812_450) if clutter else None,
        (Notice("crowds", 446, "446 crowds are no single objects and do not count"),),
    )


def system_of(name, dataset, *, seed=0, skill=0.5, boxes=True, ap=True) -> SystemAccuracy:
    rng = np.random.default_rng(seed)
    classes = []
    for one in dataset.classes:
        scores = dict.fromkeys(SCORES, np.nan)
        if one.n_objects:
            cls = float(np.clip(skill + 0.25 + rng.normal(0, 0.1), 0, 1))
            given = float(np.clip(skill + 0.5 * one.scale + rng.normal(0, 0.1), 0, 1))
            scores["cls"] = cls
            if boxes:
                scores |= {"cls_loc": cls * given, "loc_given_cls": given}
            if ap:
                scores["ap"] = float(np.clip(cls * given * 0.7 + rng.normal(0, 0.03), 0, 1))
        classes.append(ClassAccuracy(one.name, one.n_images, scores))
    means = {key: mean_of_defined([one.scores[key] for one in classes]) for key in SCORES}
    return SystemAccuracy(name, means, tuple(classes))


def best_of(systems) -> SystemAccuracy:
    classes = []
    for rows in zip(*(one.classes for one in systems), strict=True):
        scores = {
            key: np.nan
            if key == "ap" or np.isnan([row.scores[key] for row in rows]).all()
            else min(1.0, 1.05 * float(np.nanmax([row.scores[key] for row in rows])))
            for key in SCORES
        }
        classes.append(replace(rows[0], scores=scores))
    means = {key: mean_of_defined([one.scores[key] for one in classes]) for key in SCORES}
    return SystemAccuracy("upper bound", means, tuple(classes))


def levels_of(systems, dataset, n_levels=5) -> tuple[LevelScores, ...]:
    found = []
    for system in systems:
        for level in range(n_levels):
            share = level / max(n_levels - 1, 1)
            class_scores = {
                key: np.array(
                    [
                        one.scores[key] + (1 - one.scores[key]) * 0.4 * share
                        for one in system.classes
                    ]
                )
                for key in SCORES
            }
            means = {key: mean_of_defined(values) for key, values in class_scores.items()}
            n_accepted = 1 + share**2 * (len(dataset.classes) - 1)
            found.append(LevelScores(system.name, level, n_accepted, means, class_scores))
    return tuple(found)


def nodes_of(systems, dataset) -> tuple[NodeScores, ...]:
    below = {"any vehicle": range(8), "any dog": range(8, 12), "any furniture": range(12, 20)}
    found = []
    for node, wanted in below.items():
        for system in systems:
            rows = [row for row in wanted if row < len(system.classes)]
            exact = {
                key: mean_of_defined([system.classes[row].scores[key] for row in rows])
                for key in SCORES
            }
            whole = {key: value + 0.5 * (1 - value) for key, value in exact.items()}
            names = tuple(dataset.classes[row].name for row in rows)
            found.append(NodeScores(system.name, node, names, 412, 1203, whole, exact))
    return tuple(found)


def properties_of(n_classes, without=()) -> ClassProperties:
    """Kinds alternate, sizes change with every second class; `without` are rows without a value."""
    known = [row if row not in without else None for row in range(n_classes)]
    kinds = tuple(None if row is None else KINDS[row % 2] for row in known)
    sizes = tuple(None if row is None else SIZES[row // 2 % 3] for row in known)
    values = {"kind": kinds, "real-world size": sizes}
    return ClassProperties(values, {"kind": KINDS, "real-world size": SIZES}, {})


def result_of(datasets, systems=(), table=None, **more) -> DifficultyResult:
    """`table`: what classes are like."""
    first = datasets[0]
    bound = best_of(systems) if len(systems) > 1 else None
    choice = more.pop("choice", DifficultyChoice())
    everyone = [*systems, *([bound] if bound else [])]
    parts = {
        "upper_bound": bound,
        "levels": (),
        "nodes": (),
        "tree": "",
        "correlations": correlate(systems, first),
        "cumulative": cumulate(everyone, first, table, choice.nest),
        "properties": score_properties(systems, first, table, choice) if table else (),
        "subsets": (),
        "provenance": Provenance("0.0", None, tuple(None for _ in systems)),
        "notices": first.notices,
    }
    return DifficultyResult(choice, tuple(datasets), tuple(systems), **(parts | more))


@cache
def alone() -> DifficultyResult:
    """One data set, nobody's guesses, no windows."""
    return result_of([dataset_of("street", clutter=False)])


@cache
def three_sets() -> DifficultyResult:
    sets = [
        dataset_of("coco_val2017", 80),
        dataset_of("objects365", 365, seed=1, ease=1.6),
        dataset_of("VOC2007_test", 20, seed=2, ease=0.7),
    ]
    means = sets[2].means
    subsets = [
        matched_subset(sets[1], measure, means[measure], sets[2].name)
        for measure in ("cpl", "clutter")
    ]
    return result_of(sets, subsets=tuple(subsets))


@cache
def everything() -> DifficultyResult:
    """Two detectors, tree, properties, nodes, subsets; the last class has no objects."""
    first = dataset_of("coco_val2017", 80, empty=(79,))
    systems = (
        system_of("yolox_nano", first, seed=5, skill=0.5),
        system_of("fastestdet", first, seed=6, skill=0.3),
    )
    return result_of(
        [first, dataset_of("VOC2007_test", 20, seed=2)],
        systems,
        properties_of(80, without=(77, 79)),
        levels=levels_of(systems, first),
        nodes=nodes_of(systems, first),
        tree="supercategory",
        subsets=(
            matched_subset(first, "cpl", 0.05),
            matched_subset(first, "clutter", 7.0, "VOC2007_test"),
        ),
        choice=DifficultyChoice(nodes=("any vehicle",), nest=NESTED, match=(("cpl", 0.05),)),
    )


@cache
def guesses() -> DifficultyResult:
    """A classifier without boxes, alone."""
    first = dataset_of("street", 40, clutter=False)
    systems = (system_of("classifier", first, boxes=False, ap=False),)
    return result_of([first], systems, levels=levels_of(systems, first, 1), tree="tree.json")


@cache
def many_classes() -> DifficultyResult:
    first = dataset_of("lvis_val", 1203, empty=range(0, 1203, 7))
    systems = (system_of("mask", first, seed=1), system_of("other", first, seed=2, skill=0.4))
    return result_of([first], systems, levels=levels_of(systems, first, 14), tree="wordnet.json")


@cache
def one_class() -> DifficultyResult:
    first = dataset_of("faces", 1, clutter=False)
    return result_of(
        [first], (system_of("finder", first),), subsets=(matched_subset(first, "cpl", 0.0),)
    )


@cache
def nothing() -> DifficultyResult:
    """Classes, but no objects."""
    first = dataset_of("blank", 3, clutter=False, empty=range(3))
    systems = (system_of("one", first), system_of("two", first))
    return result_of(
        [first],
        systems,
        properties_of(3),
        levels=levels_of(systems, first),
        nodes=nodes_of(systems, first),
        tree="supercategory",
        choice=DifficultyChoice(nest=NESTED),
    )


@cache
def nasty() -> DifficultyResult:
    """Names that are long, nearly equal, or look like code."""
    name = "</script><b>set</b> with a name that goes on and on and on until nobody reads it"
    first = dataset_of(name, class_names=NASTY_CLASSES, clutter=False)
    systems = (
        system_of("the same long beginning of a detector, version 1", first, seed=1),
        system_of("the same long beginning of a detector, version 2", first, seed=2),
    )
    return result_of(
        [first, dataset_of(f"{name} (2)", 30, seed=4, clutter=False)],
        systems,
        properties_of(6),
        levels=levels_of(systems, first, 2),
        nodes=nodes_of(systems, first),
        tree="supercategory",
        choice=DifficultyChoice(nest=NESTED),
        subsets=(matched_subset(first, "scale", 0.1, name),),
    )


WORLDS = {
    "alone": alone,
    "three sets": three_sets,
    "everything": everything,
    "guesses": guesses,
    "many classes": many_classes,
    "one class": one_class,
    "nothing": nothing,
    "nasty": nasty,
}
