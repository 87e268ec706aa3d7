"""What an analysis is given besides objects: systems, class trees and class tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.data import Source
from boxlens.dataset_difficulty.guesses import System, guesses_from_file, guesses_of
from boxlens.formats.class_properties import read_class_properties
from boxlens.formats.class_tree import known_tree, read_class_tree
from boxlens.formats.guess_files import read_guesses
from boxlens.metrics.evaluation import with_unique_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from boxlens.data import Dataset, Detections, Notice
    from boxlens.data.class_properties import ClassProperties
    from boxlens.dataset_difficulty.choice import DifficultyChoice
    from boxlens.formats.class_tree import NamedTree

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
    systems = [_detector(one, choice) for one in with_unique_names(tables)]
    notices = [notice for one in tables for notice in one.notices]
    used = {one.name for one in systems}
    for path, name in zip(guess_files, names or [None] * len(guess_files), strict=True):
        columns = read_guesses(path, dataset, name=name, strict=strict)
        notices += columns.notices
        title = next(word for word in _titles(columns.name) if word not in used)
        used.add(title)
        guesses = replace(guesses_from_file(columns), name=title)
        systems.append(System(title, guesses, source=columns.source))
    return systems, tuple(notices)


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
        sources.append(("tree", Source.of(Path(tree), "tree")))
        return ClassKnowledge(read_class_tree(tree, classes), str(tree), table, tuple(sources))
    told_by = "tree" if classes.tree is not None else "supercategory"
    own = known_tree(classes)
    return ClassKnowledge(own, told_by if own is not None else "", table, tuple(sources))


def named_apart(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Two data sets of one name could not be told apart in a table."""
    named: list[Dataset] = []
    for one in datasets:
        used = {other.name for other in named}
        title = next(word for word in _titles(one.name) if word not in used)
        named.append(one if title == one.name else replace(one, name=title))
    return named


def _detector(table: Detections, choice: DifficultyChoice) -> System:
    guesses = guesses_of(table, choice.top_k, one_a_class=choice.one_a_class)
    return System(table.name, guesses, table, table.source)


def _titles(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({again})" for again in count(2))
