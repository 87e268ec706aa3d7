"""Data sets and detections in which every number can be worked out by hand."""

from __future__ import annotations

import numpy as np

from boxlens.data import Detections
from boxlens.data.columns import attribute_column
from boxlens.studies.sensitivity import sensitivity
from planted_worlds import world_of


def side_by_side(n, size=(40.0, 40.0)):
    """Boxes that do not touch one another."""
    return [[60.0 * place, 0.0, *size] for place in range(n)]


def detections_on(dataset, rows, scores=None, name="detector"):
    """One detection per row, exactly on its object; -1 falls on nothing. Best first."""
    nowhere = [0.0, 5000.0, 40.0, 40.0]
    gt = dataset.gt
    return Detections.of(
        name,
        len(dataset.images),
        image_row=[0 if row < 0 else gt.image_row[row] for row in rows],
        class_row=[0 if row < 0 else gt.class_row[row] for row in rows],
        box=[nowhere if row < 0 else gt.box[row] for row in rows],
        score=np.linspace(0.9, 0.1, len(rows)) if scores is None else scores,
    )


def golden_world(**attributes):
    """METHODS 8.1: labels + - + 0 - +, five positives; object 5 is difficult."""
    columns = {name: attribute_column(values) for name, values in attributes.items()}
    dataset = world_of(
        side_by_side(6), names="a", difficult=[False] * 5 + [True], attributes=columns
    )
    return dataset, detections_on(dataset, [0, -1, 1, 5, -1, 2])


def analysed(dataset, detections, **choices):
    """With N = 10 for a single image."""
    return sensitivity(dataset, detections, **{"positives_share": 10.0, **choices})


def named(result, name):
    [found] = [row for row in result.characteristics if row.name == name]
    return found


def subset_of(spread, name):
    [found] = [subset for subset in spread.subsets if subset.name == name]
    return found


def codes(result):
    """What is told, but for spreads that such small worlds leave undefined."""
    return [notice.code for notice in result.notices if notice.code != "no_spread"]
