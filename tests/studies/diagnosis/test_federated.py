"""Data sets that verify only some classes in an image: what they say nothing of is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

import boxlens
from boxlens.data import Links
from boxlens.metrics.protocols import verified_detections
from boxlens.scenes.plant import Recipe, plant
from planted_worlds import roomy
from shared_data import shared


def federated(world, negative, not_exhaustive=()):
    """The same for every image: classes known to be absent, classes not annotated exhaustively."""
    n_images = len(world.images)
    images = replace(
        world.images,
        negative=Links.of([negative] * n_images),
        not_exhaustive=Links.of([not_exhaustive] * n_images),
    )
    return replace(world, images=images)


def test_an_exhaustive_data_set_keeps_every_detection():
    world = roomy()
    detections = plant(world, Recipe(background=2.0), seed=1).detections
    kept, notices = verified_detections(world, detections, 0.5)
    assert kept is detections
    assert notices == ()


def test_detections_of_classes_nobody_looked_for_are_no_errors():
    detections = plant(roomy(), Recipe(background=3.0), seed=1).detections
    whole = roomy().where(lambda gt: gt.class_row != 0)
    told = detections.class_row != 0
    result = boxlens.diagnose(federated(whole, []), detections)
    assert len(result.detections) == told.sum() < len(detections)
    assert result.tide.gain == boxlens.diagnose(whole, detections.where(told)).tide.gain
    [notice] = [notice for notice in result.notices if notice.code == "unverified_class"]
    assert notice.count == (~told).sum()


def test_classes_known_to_be_absent_make_errors():
    world = federated(roomy(), range(len(roomy().classes)))
    detections = plant(roomy(), Recipe(background=3.0), seed=1).detections
    result = boxlens.diagnose(world, detections)
    assert len(result.detections) == len(detections)


def test_what_hits_nothing_is_excused_where_a_class_is_not_annotated_exhaustively():
    everything = list(range(len(roomy().classes)))
    detections = plant(roomy(), Recipe(background=3.0, duplicate=0.3), seed=1).detections
    result = boxlens.diagnose(federated(roomy(), everything, everything), detections)
    assert result.tide.n["fp"] == 0
    assert "not_exhaustive" in {notice.code for notice in result.notices}
    assert result.sensitivity.ap_n == pytest.approx(
        boxlens.sensitivity(federated(roomy(), everything, everything), detections).ap_n
    )


@pytest.mark.slow
def test_real_lvis_counts_what_its_own_protocol_counts():
    dataset = boxlens.read_dataset(shared("lvis_100", "gt.json"))
    detections = boxlens.read_detections(shared("lvis_100", "yolox_nano.json"), dataset)
    result = boxlens.diagnose(dataset, detections)
    lvis = boxlens.evaluate(dataset, detections, protocol="lvis").detectors[0]
    # The same detections and rule; LVIS allows 300 an image where COCO has 100 a class.
    assert result.metrics["AP50"] == pytest.approx(lvis.metrics["AP50"], abs=1e-3)
