"""Where boxes are: how many of them cover each cell of the unit square (METHODS 4.6)."""

from __future__ import annotations

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Boxes, Floats, Rows

N_CELLS = 32
CENTRES = (np.arange(N_CELLS) + 0.5) / N_CELLS


def box_density(dataset: Dataset, image_row: Rows, box: Boxes) -> Floats:
    """[row, column]: boxes over the centre of each cell, every picture scaled to the unit square.

    A box begins at its left and upper edge and ends before the others. Boxes in pictures of
    unknown size are left out: nobody can say where they are.
    """
    size = np.ones((len(box), 2)) if dataset.relative else dataset.images.known_sizes()[image_row]
    placed = ~np.isnan(size[:, 0])
    begin = box[placed, :2] / size[placed]
    end = (box[placed, :2] + box[placed, 2:]) / size[placed]
    (left, top), (right, bottom) = (np.searchsorted(CENTRES, edge.T) for edge in (begin, end))
    # One more where a box begins, one less where it has ended: the running sums are the counts.
    changes = np.zeros((N_CELLS + 1, N_CELLS + 1))
    np.add.at(changes, (top, left), 1)
    np.add.at(changes, (bottom, right), 1)
    np.add.at(changes, (top, right), -1)
    np.add.at(changes, (bottom, left), -1)
    cells: Floats = changes.cumsum(axis=0).cumsum(axis=1)[:N_CELLS, :N_CELLS]
    return np.ascontiguousarray(cells)


def without_place(dataset: Dataset) -> Bools:
    """Pictures whose boxes are in no density map."""
    if dataset.relative:
        return np.zeros(len(dataset.images), dtype=np.bool_)
    unknown: Bools = np.isnan(dataset.images.known_sizes()[:, 0])
    return unknown
