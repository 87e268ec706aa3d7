"""Every figure of the studies of proposals compiles, has room on its page and says what it shows."""

from __future__ import annotations

from itertools import chain

import pytest

from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from report.detection_use_results import CORRELATION_WORLDS, ORACLE_WORLDS, TUNING_WORLDS
from report.drawn import plan_of, texts, whole_svg
from report.proposal_results import RECALL_WORLDS, REPEATABILITY_WORLDS

# By result: how large figures may be, how many are drawn, and what is read in them.
LIMITS = {
    ("recall", "nasty"): (RECALL_WORLDS, 720, 720, 13, {"AR 0.5 to 0.7"}),
    ("repeatability", "every perturbation"): (
        REPEATABILITY_WORLDS,
        720,
        760,
        2,
        {"0.5", "1", "2", "lossless", "1000", *(FAMILIES[name].title for name in FAMILY_NAMES)},
    ),
    ("correlation", "two detectors"): (CORRELATION_WORLDS, 720, 720, 3, set()),
    ("oracle", "two detectors"): (ORACLE_WORLDS, 480, 660, 5, set()),
    ("oracle", "no proposals"): (ORACLE_WORLDS, 480, 660, 4, set()),
    ("tuning", "better"): (TUNING_WORLDS, 720, 720, 2, set()),
}


@pytest.mark.parametrize(("verb", "world"), LIMITS)
def test_every_figure_compiles_and_writes_nothing_undefined(verb, world):
    worlds, width, height, n_figures, told = LIMITS[verb, world]
    figures = plan_of(worlds[world]()).figures
    assert len(figures) == n_figures
    svgs = [whole_svg(one, width, height) for one in figures]
    assert told <= set(chain.from_iterable(map(texts, svgs)))
