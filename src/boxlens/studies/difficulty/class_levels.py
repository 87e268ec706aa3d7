"""Which classes will do for a class as labels are relaxed up a class tree (METHODS 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import owned

if TYPE_CHECKING:
    from boxlens.data import Classes, ClassTree
    from boxlens.data.columns import Bools, Rows


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
