"""Accuracy and AP as labels are relaxed up a class tree, and at chosen nodes (METHODS 3.3)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from boxlens.data import Classes, ClassTree, Dataset
from boxlens.data.columns import Bools, Floats, Rows, owned
from boxlens.data.naming import some_names
from boxlens.errors import ParameterError
from boxlens.formats.class_tree import NamedTree
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, inline
from boxlens.progress import Progress
from boxlens.studies.difficulty.accuracy import SCORES
from boxlens.studies.difficulty.cases import class_scores
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_measures import mean_of_defined
from boxlens.studies.difficulty.counted_objects import counted_objects
from boxlens.studies.difficulty.judging import JudgedSystem
from boxlens.studies.difficulty.relaxed_ap import node_ap, relaxed_ap


@dataclass(frozen=True, slots=True)
class LevelScores(JsonRecord):
    """One system at one level: 0 takes the exact class, 1 its sisters, and so on up."""

    system: str
    level: int
    # Classes that are accepted for a class, on average over classes with objects.
    n_accepted: float
    scores: Mapping[str, float] = field(metadata=inline())
    # One value per class of the data set.
    class_scores: Mapping[str, Floats] = field(metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class NodeScores(JsonRecord):
    """One system at a node of the tree: "any dog", whichever kind of dog it is."""

    system: str
    node: str
    # The classes below, and the images and objects that they have.
    classes: tuple[str, ...]
    n_images: int
    n_objects: int
    # Of the node as one class.
    scores: Mapping[str, float] = field(metadata=inline())
    # Means over its classes, each with its exact label.
    exact_scores: Mapping[str, float] = field(metadata=as_key("exact"))


def score_levels(
    classes: Classes,
    systems: Sequence[JudgedSystem],
    tree: NamedTree,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[LevelScores, ...]:
    """Every system at every level, from exact labels to where nothing more is accepted."""
    accepted = accepted_classes(classes, tree.tree)
    scores: list[LevelScores] = []
    for at, system in enumerate(systems):
        if progress:
            progress("relaxing labels", at, len(systems))
        present = np.unique(system.cases.class_row)
        for level, by_class in enumerate(_by_level(system, accepted[1:], threads)):
            n_accepted = accepted[level][present].sum(axis=1)
            scores.append(
                LevelScores(
                    system=system.name,
                    level=level,
                    n_accepted=float(n_accepted.mean()) if len(present) else float("nan"),
                    scores={name: mean_of_defined(by_class[name].tolist()) for name in SCORES},
                    class_scores={name: by_class[name] for name in SCORES},
                )
            )
    return tuple(scores)


def score_nodes(
    dataset: Dataset,
    systems: Sequence[JudgedSystem],
    tree: NamedTree,
    choice: DifficultyChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[NodeScores, ...]:
    """Every system at every node of the choice, told by id or name."""
    nodes = [find_node(tree, dataset.classes, given) for given in dict.fromkeys(choice.nodes)]
    rows_of = {node: classes_below(dataset.classes, tree.tree, node) for node in nodes}
    class_row = counted_objects(dataset, choice).class_row
    scores: list[NodeScores] = []
    for at, system in enumerate(systems if rows_of else ()):
        if progress:
            progress("scoring nodes", at, len(systems))
        for node, rows in rows_of.items():
            n_images, at_node = _node_scores(system, rows, choice.iou, threads)
            scores.append(
                NodeScores(
                    system=system.name,
                    node=tree.title(node),
                    classes=tuple(dataset.classes.name[row] for row in rows),
                    n_images=n_images,
                    n_objects=int(np.isin(class_row, rows).sum()),
                    scores=at_node,
                    exact_scores={
                        name: mean_of_defined(system.exact[name][rows].tolist()) for name in SCORES
                    },
                )
            )
    return tuple(scores)


def find_node(tree: NamedTree, classes: Classes, given: str) -> int | str:
    """The node of an id or a name; inner nodes go before classes of the same name."""
    called = _names_of_nodes(tree, classes)
    class_ids = set(classes.id.tolist())
    inner = [node for node in called if node not in class_ids]
    found = (
        [node for node in inner if str(node) == given]
        or [node for node in inner if given in called[node]]
        or [node for node in called if given in called[node]]
    )
    if not found:
        names = dict.fromkeys(name for names in called.values() for name in names)
        close = difflib.get_close_matches(given, names, n=5, cutoff=0.5)
        hint = f"did you mean {', '.join(close)}?" if close else f"some are {some_names(names, 5)}"
        raise ParameterError(f"the class tree has no node {given!r}: {hint} (--node, nodes)")
    below = {node: tuple(classes_below(classes, tree.tree, node)) for node in found}
    filled = [node for node in found if below[node]]
    if not filled:
        raise ParameterError(f"no class of the data set lies below {given!r} (--node, nodes)")
    if len({below[node] for node in filled}) > 1:
        ids = some_names(map(str, filled), 5)
        raise ParameterError(f"{given!r} names several nodes, {ids}: give one id (--node, nodes)")
    return filled[0]


def _names_of_nodes(tree: NamedTree, classes: Classes) -> dict[int | str, list[str]]:
    """All that a node is called by; a class need not be in the tree."""
    nodes = dict.fromkeys((*tree.tree.parents, *tree.tree.children(), *classes.id.tolist()))
    called = {node: [str(node), *tree.names.get(node, ())] for node in nodes}
    for key, name in zip(classes.id.tolist(), classes.name, strict=True):
        called[key].append(name)
    return called


def _by_level(
    system: JudgedSystem, accepted: Sequence[Bools], threads: int
) -> Iterator[Mapping[str, Floats]]:
    """One value per class for every score: with exact labels, then at each level above."""
    yield system.exact
    ap = [np.full(system.cases.n_classes, np.nan)] * len(accepted)
    if system.labels is not None:
        ap = relaxed_ap(system.labels, accepted, threads=threads)
    for matrix, at_level in zip(accepted, ap, strict=True):
        yield {**class_scores(system.cases, matrix), "ap": at_level}


def _node_scores(
    system: JudgedSystem, class_rows: Rows, iou: float, threads: int
) -> tuple[int, dict[str, float]]:
    """Images with an object below the node, and its scores as one class."""
    cases, labels = system.cases, system.labels
    among = np.zeros(cases.n_classes, dtype=np.bool_)
    among[class_rows] = True
    below = among[cases.class_row]

    def images(case: Rows, label: Rows) -> int:
        return len(np.unique(cases.image_row[case[below[case] & among[label]]]))

    n_images = len(np.unique(cases.image_row[below]))
    n_named = images(cases.guessed_case, cases.guessed_class)
    n_found = ap = float("nan")
    if cases.placed_case is not None and cases.placed_class is not None:
        n_found = images(cases.placed_case, cases.placed_class)
    if labels is not None:
        ap = node_ap(labels.dataset, labels.detections, class_rows, iou, threads=threads)
    return n_images, {
        "cls": n_named / n_images if n_images else float("nan"),
        "cls_loc": n_found / n_images if n_images else float("nan"),
        "loc_given_cls": n_found / n_named if n_named else float("nan"),
        "ap": ap,
    }


def accepted_classes(classes: Classes, tree: ClassTree) -> list[Bools]:
    """By level, [true class, guessed class]: 0 exact, 1 sisters, up to where nothing grows.

    Above level 0 all classes below an ancestor at most so far away will do, by the shortest path
    where there are several; a class that is an inner node is below itself, and its own ancestor
    at distance 0. A class that the tree does not hold stays alone.
    """
    rings = [_rings(tree, key) for key in classes.id.tolist()]
    below: dict[int | str, list[int]] = {}
    for row, ring in enumerate(rings):
        for node in (node for nodes in ring for node in nodes):
            below.setdefault(node, []).append(row)
    rows_below = {node: np.array(rows) for node, rows in below.items()}
    accepted = np.eye(len(classes), dtype=np.bool_)
    levels, n_accepted = [owned(accepted.copy())], [len(classes)]
    for distance in range(1, max((len(ring) for ring in rings), default=1) + 1):
        for row, ring in enumerate(rings):
            reached = ring[distance] if distance < len(ring) else []
            for node in [*ring[0], *reached] if distance == 1 else reached:
                accepted[row, rows_below[node]] = True
        levels.append(owned(accepted.copy()))
        n_accepted.append(int(accepted.sum()))
    return levels[: n_accepted.index(n_accepted[-1]) + 1]


def classes_below(classes: Classes, tree: ClassTree, node: int | str) -> Rows:
    """Rows of the classes below a node, itself included where it is one."""
    row_of = classes.row_of_id()
    below = {node, *tree.descendants(node)}
    return np.array(sorted(row_of[key] for key in below if key in row_of), dtype=np.int32)


def _rings(tree: ClassTree, node: int | str) -> list[list[int | str]]:
    """Nodes above by their distance, from the node itself on."""
    rings: list[list[int | str]] = [[node]]
    seen = {node}
    while True:
        ring: list[int | str] = []
        for parent in (up for lower in rings[-1] for up in tree.parents.get(lower, ())):
            if parent not in seen:
                seen.add(parent)
                ring.append(parent)
        if not ring:
            return rings
        rings.append(ring)
