"""Boxes are matched and forgotten: what a study of recall holds does not grow with their number."""

import tracemalloc
import weakref

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.studies.proposals.proposed import Proposed
from boxlens.studies.proposals.recall.analysis import proposal_recall
from planted_worlds import world_of

CHOICE = {"budgets": (100, 1000), "replicates": 100}
N_IMAGES = 400
# The boxes of one method alone, with 1,000 an image.
ALL_BOXES = N_IMAGES * 1000 * 4 * 8


@pytest.fixture(scope="module")
def dataset():
    rows = np.repeat(np.arange(N_IMAGES), 3)
    box = np.tile([[10.0, 20, 100, 80], [200, 100, 50, 150], [0, 0, 400, 300]], (N_IMAGES, 1))
    return world_of(box, size=(500.0, 375.0), n_images=N_IMAGES, image_row=rows)


def test_drawn_boxes_are_held_in_parts(dataset, monkeypatch):
    methods = ["sliding-window", "uniform", "gaussian"]
    # What is loaded on the way is no part of it.
    proposal_recall(dataset, methods, budgets=(3,), replicates=100)
    for place in ("boxlens.data.windows.IN_A_PART", "boxlens.studies.proposals.blind.IN_A_PART"):
        monkeypatch.setattr(place, 20_000)
    tracemalloc.start()
    try:
        result = proposal_recall(dataset, methods, **CHOICE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert min(one.chosen[-1].n_mean for one in result.datasets[0].methods) > 900
    assert peak < ALL_BOXES / 2


def test_a_method_is_gone_before_the_next_is_found(dataset, monkeypatch):
    held = []

    def found(name):
        assert all(box() is None for box in held)
        windows = Windows.of(name, N_IMAGES, image_row=[0], box=[[0, 0, 9, 9]])
        held.append(weakref.ref(windows.box))
        return Proposed(name, "", baseline=False, by_budget={1: windows})

    finding = "boxlens.studies.proposals.recall.analysis.each_proposed"
    monkeypatch.setattr(finding, lambda _, given, *__, **___: map(found, given))
    result = proposal_recall(dataset, ["a", "b", "c"], **CHOICE)
    assert [one.name for one in result.datasets[0].methods] == ["a", "b", "c"]
    assert len(held) == 3
