"""Images that hold objects which count for a number, from its name alone: a slow second opinion."""

from __future__ import annotations

import numpy as np

from boxlens.matching import COCO

# Closed at both ends.
AREAS = {"s": (0, 32**2), "m": (32**2, 96**2), "l": (96**2, np.inf)}


def n_images(dataset, metric, *, crowds=False):
    """LVIS knows no crowds: there they are objects as any other (`crowds`)."""
    return len(np.unique(dataset.gt.image_row[_counted(dataset, metric, crowds)]))


def n_class_images(dataset, metric, *, crowds=False):
    counted = _counted(dataset, metric, crowds)
    return np.array(
        [
            len(np.unique(dataset.gt.image_row[counted & (dataset.gt.class_row == row)]))
            for row in range(len(dataset.classes))
        ]
    )


def _counted(dataset, metric, crowds):
    low, high = AREAS.get(metric[-1], (0, np.inf))
    of_size = (dataset.gt.area_px >= low) & (dataset.gt.area_px <= high)
    return of_size if crowds else of_size & ~COCO.ignored(dataset.gt)
