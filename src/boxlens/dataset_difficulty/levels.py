"""Accuracy and AP as labels are relaxed up a class tree, and at chosen nodes (METHODS 3.3)."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.dataset_difficulty.accuracy import SCORES, class_scores, find_cases, right_cases
from boxlens.dataset_difficulty.class_levels import accepted_classes, classes_below
from boxlens.dataset_difficulty.counted_objects import counted_objects
from boxlens.dataset_difficulty.relaxed_ap import gather_labels, node_ap, relaxed_ap
from boxlens.errors import ParameterError
from boxlens.metrics.grid import mean_defined
from boxlens.metrics.results import defined, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data import Classes, Dataset
    from boxlens.data.columns import Bools, Floats, Rows
    from boxlens.dataset_difficulty.accuracy import Cases
    from boxlens.dataset_difficulty.choice import DifficultyChoice
    from boxlens.dataset_difficulty.guesses import System
    from boxlens.dataset_difficulty.relaxed_ap import LabelEvidence
    from boxlens.formats.class_tree import NamedTree
    from boxlens.formats.files import Progress


@dataclass(frozen=True, slots=True)
class LevelScores:
    """One system at one level: 0 takes the exact class, 1 its sisters, and so on up."""

    system: str
    level: int
    # Classes that are accepted for a class, on average over classes with objects.
    n_accepted: float
    scores: Mapping[str, float]
    # One value a class of the data set.
    class_scores: Mapping[str, Floats]

    def to_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "level": self.level,
            "n_accepted": number(self.n_accepted),
            **defined(self.scores),
        }


@dataclass(frozen=True, slots=True)
class NodeScores:
    """One system at a node of the tree: "any dog", whichever kind of dog it is."""

    system: str
    node: str
    # The classes below, and the images and objects that they have.
    classes: tuple[str, ...]
    n_images: int
    n_objects: int
    # Of the node as one class.
    scores: Mapping[str, float]
    # Means over its classes, each told exactly.
    exact_scores: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "node": self.node,
            "classes": list(self.classes),
            "n_images": self.n_images,
            "n_objects": self.n_objects,
            **defined(self.scores),
            "exact": defined(self.exact_scores),
        }


def score_levels(
    dataset: Dataset,
    systems: Sequence[System],
    tree: NamedTree,
    choice: DifficultyChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[LevelScores, ...]:
    """Every system at every level, from exact labels to where nothing more is accepted."""
    accepted = accepted_classes(dataset.classes, tree.tree)
    scores: list[LevelScores] = []
    for at, system in enumerate(systems):
        if progress:
            progress("relaxing labels", at, len(systems))
        judged = _judge(dataset, system, choice, threads)
        present = np.unique(judged.cases.class_row)
        for level, by_class in enumerate(_class_scores(judged, accepted, threads)):
            n_accepted = accepted[level][present].sum(axis=1)
            scores.append(
                LevelScores(
                    system=system.name,
                    level=level,
                    n_accepted=float(n_accepted.mean()) if len(present) else float("nan"),
                    scores={name: mean_defined(by_class[name]) for name in SCORES},
                    class_scores={name: by_class[name] for name in SCORES},
                )
            )
    return tuple(scores)


def score_nodes(
    dataset: Dataset,
    systems: Sequence[System],
    tree: NamedTree,
    choice: DifficultyChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[NodeScores, ...]:
    """Every system at every node of the choice, told by id or name."""
    nodes = [find_node(tree, dataset.classes, given) for given in dict.fromkeys(choice.nodes)]
    rows_of = {node: classes_below(dataset.classes, tree.tree, node) for node in nodes}
    exact = [np.eye(len(dataset.classes), dtype=np.bool_)]
    class_row = counted_objects(dataset, choice).class_row
    scores: list[NodeScores] = []
    for at, system in enumerate(systems if rows_of else ()):
        if progress:
            progress("scoring nodes", at, len(systems))
        judged = _judge(dataset, system, choice, threads)
        by_class = _class_scores(judged, exact, threads)[0]
        for node, rows in rows_of.items():
            n_images, at_node = _node_scores(judged, rows, choice.iou, threads)
            scores.append(
                NodeScores(
                    system=system.name,
                    node=tree.title(node),
                    classes=tuple(dataset.classes.name[row] for row in rows),
                    n_images=n_images,
                    n_objects=int(np.isin(class_row, rows).sum()),
                    scores=at_node,
                    exact_scores={name: mean_defined(by_class[name][rows]) for name in SCORES},
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
        hint = f"did you mean {', '.join(close)}?" if close else f"some are {_some(list(names))}"
        raise ParameterError(f"the class tree has no node {given!r}: {hint} (--node, nodes)")
    below = {node: tuple(classes_below(classes, tree.tree, node)) for node in found}
    filled = [node for node in found if below[node]]
    if not filled:
        raise ParameterError(f"no class of the data set lies below {given!r} (--node, nodes)")
    if len({below[node] for node in filled}) > 1:
        ids = _some([str(node) for node in filled])
        raise ParameterError(f"{given!r} names several nodes, {ids}: give one id (--node, nodes)")
    return filled[0]


def _names_of_nodes(tree: NamedTree, classes: Classes) -> dict[int | str, list[str]]:
    """All that a node is called by; a class need not be in the tree."""
    nodes = dict.fromkeys((*tree.tree.parents, *tree.tree.children(), *classes.id.tolist()))
    called = {node: [str(node), *tree.names.get(node, ())] for node in nodes}
    for key, name in zip(classes.id.tolist(), classes.name, strict=True):
        called[key].append(name)
    return called


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


@dataclass(frozen=True, slots=True)
class _Judged:
    """A system against the objects: by its guesses, and by its detections where it has some."""

    cases: Cases
    labels: LabelEvidence | None


def _judge(dataset: Dataset, system: System, choice: DifficultyChoice, threads: int) -> _Judged:
    cases = find_cases(dataset, [system.guesses], choice, threads=threads)
    if system.detections is None:
        return _Judged(cases, None)
    return _Judged(cases, gather_labels(dataset, system.detections, choice.iou, threads=threads))


def _class_scores(
    judged: _Judged, accepted: Sequence[Bools], threads: int
) -> list[dict[str, Floats]]:
    """By level: one value a class for every score."""
    n_classes = judged.cases.n_classes
    ap = np.full((len(accepted), n_classes), np.nan)
    if judged.labels is not None:
        ap = relaxed_ap(judged.labels, accepted, threads=threads)
    return [
        {**class_scores(judged.cases, matrix), "ap": ap[level]}
        for level, matrix in enumerate(accepted)
    ]


def _node_scores(
    judged: _Judged, class_rows: Rows, iou: float, threads: int
) -> tuple[int, dict[str, float]]:
    """Images with an object below the node, and its scores as one class."""
    cases, labels = judged.cases, judged.labels
    among = np.zeros(cases.n_classes, dtype=np.bool_)
    among[class_rows] = True
    accepted = np.outer(among, among)

    def images(right: Bools) -> int:
        return len(np.unique(cases.image_row[right & among[cases.class_row]]))

    n_images = images(np.ones(len(cases.class_row), dtype=np.bool_))
    n_named = images(right_cases(cases, cases.guessed_case, cases.guessed_class, accepted))
    n_found = float("nan")
    if cases.placed_case is not None and cases.placed_class is not None:
        n_found = images(right_cases(cases, cases.placed_case, cases.placed_class, accepted))
    return n_images, {
        "cls": n_named / n_images if n_images else float("nan"),
        "cls_loc": n_found / n_images if n_images else float("nan"),
        "loc_given_cls": n_found / n_named if n_named else float("nan"),
        "ap": _node_ap(labels, class_rows, iou, threads),
    }


def _node_ap(labels: LabelEvidence | None, class_rows: Rows, iou: float, threads: int) -> float:
    if labels is None:
        return float("nan")
    return node_ap(labels.dataset, labels.detections, class_rows, iou, threads=threads)
