"""Which classes are accepted for which, level by level, against plain sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from boxlens.data import Classes, ClassTree
from boxlens.formats.class_tree import supercategory_tree
from boxlens.studies.difficulty.levels import accepted_classes, classes_below
from studies.diagnosis.worlds import random_world
from studies.difficulty.made_classes import imagenet


def levels_of(names, parents):
    """By level, the accepted names of each class."""
    classes = Classes.of(names, names)
    return [
        {
            name: {names[at] for at in np.flatnonzero(row)}
            for name, row in zip(names, one, strict=True)
        }
        for one in accepted_classes(classes, ClassTree(parents))
    ]


def distances(tree, node):
    """Shortest paths upwards, one step at a time."""
    reached = {node: 0}
    for step in range(1, 100):
        last = [key for key, at in reached.items() if at == step - 1]
        for parent in (up for key in last for up in tree.parents.get(key, ())):
            reached.setdefault(parent, step)
    return reached


def plain_levels(classes, tree, n_levels):
    ids = classes.id.tolist()
    away = {key: distances(tree, key) for key in ids}
    levels = []
    for level in range(n_levels):
        rows = []
        for true in ids:
            near = {node for node, distance in away[true].items() if distance <= level}
            rows.append(
                [other == true or (level > 0 and bool(near & away[other].keys())) for other in ids]
            )
        levels.append(np.array(rows).reshape(len(ids), len(ids)))
    return levels


def test_sisters_come_before_cousins():
    parents = {
        "cat": ("pet",),
        "dog": ("pet",),
        "cow": ("farm",),
        "pet": ("animal",),
        "farm": ("animal",),
    }
    exact, sisters, cousins = levels_of(["cat", "cow", "dog"], parents)
    assert exact == {name: {name} for name in ("cat", "cow", "dog")}
    assert sisters == {"cat": {"cat", "dog"}, "cow": {"cow"}, "dog": {"cat", "dog"}}
    assert cousins == {name: {"cat", "cow", "dog"} for name in exact}


def test_the_shortest_of_several_ways_up_counts():
    parents = {"a": ("x", "y"), "b": ("y",), "c": ("z",), "x": ("z",), "y": ("w",), "w": ("z",)}
    levels = levels_of(["a", "b", "c"], parents)
    assert levels[1]["a"] == {"a", "b"}
    assert levels[2]["a"] == {"a", "b", "c"}
    assert levels[2]["b"] == {"a", "b"}
    assert levels[3]["b"] == {"a", "b", "c"}
    assert len(levels) == 4


def test_a_level_may_bring_nothing_before_a_higher_one_does():
    levels = levels_of(["a", "b"], {"a": ("x",), "x": ("y",), "b": ("y",)})
    assert levels[1]["a"] == {"a"}
    assert levels[2]["a"] == {"a", "b"}


def test_a_class_that_is_an_inner_node_is_below_itself():
    levels = levels_of(["animal", "cat", "dog"], {"cat": ("animal",), "dog": ("animal",)})
    assert all(names == {"animal", "cat", "dog"} for names in levels[1].values())
    assert len(levels) == 2


def test_a_class_outside_the_tree_accepts_only_itself():
    levels = levels_of(["cat", "dog", "owl"], {"cat": ("pet",), "dog": ("pet",)})
    assert all(level["owl"] == {"owl"} for level in levels)
    assert len(levels_of(["cat"], {})) == 1
    assert len(levels_of([], {})) == 1


@pytest.mark.parametrize("seed", range(80))
def test_levels_equal_plain_sets_and_never_shrink(seed):
    dataset, _, _ = random_world(seed, n_classes=9)
    tree = dataset.classes.tree
    levels = accepted_classes(dataset.classes, tree)
    for fast, slow in zip(levels, plain_levels(dataset.classes, tree, len(levels)), strict=True):
        assert np.array_equal(fast, slow)
    assert all((upper >= lower).all() for lower, upper in pairwise(levels))
    further = plain_levels(dataset.classes, tree, len(levels) + 12)
    assert all(np.array_equal(levels[-1], one) for one in further[len(levels) :])
    for key in dataset.classes.id.tolist():
        above = [
            other for other in dataset.classes.id.tolist() if key in {other} | tree.ancestors(other)
        ]
        rows = classes_below(dataset.classes, tree, key)
        assert dataset.classes.id[rows].tolist() == sorted(above)


def test_supercategories_are_three_levels():
    classes = Classes.of(
        [1, 2, 3], ["person", "cat", "dog"], supercategory=["person", "animal", "animal"]
    )
    exact, sisters, everything = accepted_classes(classes, supercategory_tree(classes).tree)
    assert exact.sum() == 3
    assert sisters.sum() == 5
    assert everything.all()


def test_the_tree_of_imagenet_has_a_level_for_every_step_up():
    classes, named = imagenet()
    assert named.notices == ()
    levels = accepted_classes(classes, named.tree)
    assert len(levels) > 10
    assert all((upper >= lower).all() for lower, upper in pairwise(levels))
    chosen = np.arange(0, 1000, 50)
    few = classes.select(chosen.astype(np.int32))
    for level, slow in enumerate(plain_levels(few, named.tree, len(levels))):
        assert np.array_equal(levels[level][np.ix_(chosen, chosen)], slow)
