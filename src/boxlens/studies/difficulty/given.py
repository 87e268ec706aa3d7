"""What an analysis is given besides objects: systems, class trees and class tables.

And whether that can answer what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from boxlens.data import Dataset, Detections, Notice, Source
from boxlens.data.class_properties import ClassProperties
from boxlens.errors import ParameterError
from boxlens.formats.class_properties import read_class_properties
from boxlens.formats.class_tree import NamedTree, known_tree, read_class_tree
from boxlens.formats.guess_files import GuessColumns, read_guesses
from boxlens.metrics.evaluation import with_unique_names
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_groups import check_nested
from boxlens.studies.difficulty.correlations import check_quantities
from boxlens.studies.difficulty.guesses import System, guesses_from_file, guesses_of
from boxlens.studies.difficulty.levels import find_node

NO_TREE = "none"


@dataclass(frozen=True, slots=True)
class ClassKnowledge:
    """What is known of the classes of the first data set besides their objects."""

    tree: NamedTree | None = None
    # Where the tree comes from: a file, "tree" or "supercategory"; empty: there is none.
    tree_from: str = ""
    properties: ClassProperties | None = None
    # Their files.
    sources: tuple[tuple[str, Source], ...] = ()


def read_systems(
    dataset: Dataset,
    tables: Sequence[Detections],
    guess_files: Sequence[str | PathLike[str]],
    choice: DifficultyChoice,
    *,
    names: Sequence[str | None] = (),
    strict: bool = False,
) -> tuple[list[System], tuple[Notice, ...]]:
    """Detectors, then those who guess, each under a name of its own; and what was left out."""
    given: list[Detections | GuessColumns] = [*tables]
    given += [
        read_guesses(path, dataset, name=name, strict=strict)
        for path, name in zip(guess_files, names or [None] * len(guess_files), strict=True)
    ]
    systems = [_system(one, choice) for one in with_unique_names(given)]
    return systems, tuple(notice for one in given for notice in one.notices)


def know_classes(
    dataset: Dataset,
    tree: str | PathLike[str] | None = None,
    properties: str | PathLike[str] | None = None,
) -> ClassKnowledge:
    """Tree and table of the classes of a data set, from files or from what it tells itself."""
    classes = dataset.classes
    table = None if properties is None else read_class_properties(properties, classes)
    sources = [] if properties is None else [("properties", Source.of(Path(properties), "table"))]
    if tree == NO_TREE:
        return ClassKnowledge(properties=table, sources=tuple(sources))
    if tree is not None:
        named = read_class_tree(tree, classes)
        sources.append(("tree", Source.of(Path(tree), "tree")))
        return ClassKnowledge(named, str(tree), table, tuple(sources))
    told_by = "tree" if classes.tree is not None else "supercategory"
    own = known_tree(classes)
    return ClassKnowledge(own, told_by if own is not None else "", table, tuple(sources))


def check_asked(
    dataset: Dataset, knowledge: ClassKnowledge, choice: DifficultyChoice, n_datasets: int
) -> None:
    """Refuses what the classes cannot answer, before anything is counted."""
    tree, properties = knowledge.tree, knowledge.properties
    if choice.nodes and tree is None:
        raise ParameterError(
            "nodes are those of a class tree, and there is none: name its file (--tree, tree)"
        )
    if choice.nest and properties is None:
        raise ParameterError(
            "nested properties are those of a class table, and there is none: name its file "
            "(--properties, properties)"
        )
    if tree is not None:
        for node in choice.nodes:
            find_node(tree, dataset.classes, node)
    if properties is not None:
        check_quantities(properties)
        for outer, inner in choice.nest:
            check_nested(outer, inner, properties)
    for measure, target in choice.match:
        if target is None and n_datasets == 1:
            raise ParameterError(
                f"a subset by {measure} needs a target, such as {measure}=0.1, or a second data "
                "set (--match, match)"
            )


def _system(table: Detections | GuessColumns, choice: DifficultyChoice) -> System:
    if not isinstance(table, Detections):
        return System(table.name, guesses_from_file(table), source=table.source)
    guesses = guesses_of(table, choice.top_k, one_per_class=choice.one_per_class)
    return System(table.name, guesses, table, table.source)
