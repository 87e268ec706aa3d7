"""Which classes look alike: by supercategory, by a tree, or by given groups (METHODS 1.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import Bools
from boxlens.errors import ParameterError

# Groups hold class names and may share some; None takes what the classes themselves tell.
Similarity = Literal["supercategory", "tree"] | Sequence[Collection[str]] | None


def similar_classes(classes: Classes, similarity: Similarity = None) -> Bools:
    """A symmetric matrix of class rows; no class is similar to itself."""
    if similarity is None:
        similarity = known_similarity(classes) or ()
    similar = np.zeros((len(classes), len(classes)), dtype=np.bool_)
    for group in _groups(classes, similarity):
        rows = np.fromiter(group, dtype=np.int64)
        similar[np.ix_(rows, rows)] = True
    np.fill_diagonal(similar, val=False)
    return similar


def known_similarity(classes: Classes) -> Literal["supercategory", "tree"] | None:
    """The similarity that the classes themselves define, if any."""
    if classes.supercategory is not None:
        return "supercategory"
    return "tree" if classes.tree is not None else None


def _groups(
    classes: Classes,
    similarity: Literal["supercategory", "tree"] | Sequence[Collection[str]],
) -> Iterable[Iterable[int]]:
    if similarity == "supercategory":
        return _by_supercategory(classes)
    if similarity == "tree":
        return _by_parent(classes)
    if isinstance(similarity, str):
        raise ParameterError(
            f"similar classes must be 'supercategory', 'tree' or groups, got {similarity!r}",
        )
    row_of = classes.row_of_name()
    unknown = [name for group in similarity for name in group if name not in row_of]
    if unknown:
        raise ParameterError(f"groups of similar classes name an unknown class {unknown[0]!r}")
    return [[row_of[name] for name in group] for group in similarity]


def _by_supercategory(classes: Classes) -> Iterable[Iterable[int]]:
    if classes.supercategory is None:
        raise ParameterError("the classes have no supercategories: give groups of similar classes")
    return classes.by_supercategory().values()


def _by_parent(classes: Classes) -> Iterable[Iterable[int]]:
    """Siblings: classes that share a direct parent (METHODS 3.3, level 1)."""
    if classes.tree is None:
        raise ParameterError(
            "the classes have no tree: give groups of similar classes, or the file of a class tree"
        )
    row_of = classes.row_of_id()
    return [
        [row_of[child] for child in children if child in row_of]
        for children in classes.tree.children().values()
    ]
