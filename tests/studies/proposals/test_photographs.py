"""Methods that look at photographs find more than those that do not."""

import numpy as np
import pytest

from boxlens.formats import read_dataset
from boxlens.studies.proposals.recall.analysis import proposal_recall
from shared_data import shared

# All 177 are in benchmarks/RESULTS-proposals.md; these are spread over the 80 of the official file.
PICTURES = range(4, 80, 15)


@pytest.fixture(scope="module")
def found():
    dataset = read_dataset(shared("coco_val2017_80", "instances.json")).select_images(PICTURES)
    words = ["selective-search", "edge-boxes", "geodesic", "uniform", "sliding-window"]
    result = proposal_recall(
        dataset, words, images=shared("images"), budgets=(1000,), replicates=100
    )
    return {one.name: one.chosen[0] for one in result.datasets[0].methods}


@pytest.mark.parametrize("method", ["selective-search", "edge-boxes", "geodesic"])
def test_looking_finds_more(found, method):
    baseline = max(found["uniform"].ar, found["sliding-window"].ar)
    assert found[method].ar > baseline + 0.05
    assert found[method].n_mean <= 1000


def test_recall_falls_with_overlap_and_objects_are_met_by_some_box(found):
    for row in found.values():
        assert (np.diff(row.curve) <= 0).all()
        assert row.best_overlap >= row.ar / 2
        assert row.recall[0.5] == pytest.approx(row.curve[0])
